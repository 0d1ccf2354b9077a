// The 2014 form: velocity stepping with soft impulses, its generalized PGS and its analytic
// inverse.
//
// Equalities go into the apparent inertia: with R_E their softness,
//   A = J inv(M + J_E' inv(R_E) J_E) J' = D_CC - D_CE inv(D_EE + R_E) D_EC
// and what is left is  min 1/2 f'(A + R) f + f'(v^- - v*),  f in K, solved block by block.
#include <math.h>
#include <string.h>

#include "dual/private.h"

// r_min: no row is a thousand times harder than the mean, and a row that nothing moves is soft too.
mjtNum soft_floor(mjtNum epsilon, mjtNum mean) { return fmax(1e-3 * epsilon * mean, 1e-12); }

static bool is_friction(const snDualBlock* b, int i) {
  return b->kind == snDUAL_BOX || (b->kind == snDUAL_CONE && i > b->row);
}

size_t critical_scratch(int n) {
  size_t stride = (size_t)dual_stride(n);
  return 2 * (size_t)n * stride + 5 * stride + 16;
}

// y = pinv(D) w, the limit of inv(D^2 + delta^2) D w: what D cannot move is left at zero.
static void pseudo_solve(const snDual* p, const mjtNum* w, mjtNum* y, snScratch* s) {
  int n = p->n, stride = dual_stride(n);
  mjtNum *A = scratch_take(s, (size_t)n * stride), *L = scratch_take(s, (size_t)n * stride);
  mjtNum *dinv = scratch_take(s, stride), most = 0;
  int *first = (int*)scratch_take(s, stride), *fill = first + n;
  p->D->dense(p->D, A, stride, first);
  for (int i = 0; i < n; i++) most = fmax(most, A[(size_t)i * stride + i]);
  mjtNum delta = 1e-7 * most;
  for (int i = 0; i < n; i++) {
    const mjtNum* row = A + (size_t)i * stride;
    for (int j = 0; j < stride; j++) {
      L[(size_t)i * stride + j] = j < n ? vec_dot(row, A + (size_t)j * stride, n) : 0;
    }
    L[(size_t)i * stride + i] += delta * delta + mjMINVAL;
    y[i] = vec_dot(row, w, n);
    fill[i] = 0;
  }
  for (int i = n; i < stride; i++) y[i] = 0;
  factor_make(L, dinv, fill, n, stride, mjMINVAL);
  factor_solve(y, L, dinv, fill, n, stride);
}

// Exact critical damping (end of section V): A inv(R) B = 2/kappa (1 + A inv(R)) and the same for K
// with 1/kappa^2, so that B v + K x = w + R pinv(A) w with w = 2/kappa v + x/kappa^2.
static void critical_targets(const snDual* p, const mjtNum* R, mjtNum* v_free, const mjtNum* x,
                             const mjtNum* v, mjtNum h, mjtNum* scratch) {
  mjtNum kappa = p->set.kappa;
  snScratch s = {scratch, scratch + critical_scratch(p->n)};
  mjtNum *w = scratch_take(&s, dual_stride(p->n)), *y = scratch_take(&s, dual_stride(p->n));
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      w[i] = 2 / kappa * v[i] + (is_friction(b, i) ? 0 : x[i] / (kappa * kappa));
    }
  }
  pseudo_solve(p, w, y, &s);
  for (int i = 0; i < p->n; i++) v_free[i] -= v[i] - h * (w[i] + R[i] * y[i]);
}

// R of one cone: the tangents share the mean of theirs, which makes its projection analytic (22).
void dual_form2014(const snDual* p, mjtNum* R, mjtNum* v_free, const mjtNum* diag, const mjtNum* x,
                   const mjtNum* v, mjtNum h, mjtNum* scratch) {
  mjtNum e = p->set.epsilon, kappa = p->set.kappa;
  mjtNum B = 2 * (1 + e) / kappa, K = (1 + e) / (kappa * kappa), trace = 0;
  for (int i = 0; i < p->n; i++) trace += diag[i];
  mjtNum floor = soft_floor(e, trace / p->n);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum mean = 0;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      R[i] = fmax(e * diag[i], floor);
      if (b->kind == snDUAL_CONE && i > b->row) mean += R[i] / (b->nrow - 1);
      if (!scratch) v_free[i] -= v[i] - h * B * v[i] - (is_friction(b, i) ? 0 : h * K * x[i]);
    }
    for (int i = b->row + 1; b->kind == snDUAL_CONE && i < b->row + b->nrow; i++) R[i] = mean;
  }
  if (scratch) critical_targets(p, R, v_free, x, v, h, scratch);
}

// epsilon times the diagonal of D, where the caller brings no R.
void soft_diagonal(const snDual* p, mjtNum* R) {
  mjtNum trace = 0;
  for (int i = 0; i < p->n; i++) {
    p->D->block(p->D, i, 1, R + i);
    trace += R[i];
  }
  mjtNum floor = soft_floor(p->set.epsilon, trace / p->n);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum mean = 0;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      R[i] = fmax(p->set.epsilon * R[i], floor);
      if (i > b->row) mean += R[i] / (b->nrow - 1);
    }
    for (int i = b->row + 1; b->kind == snDUAL_CONE && i < b->row + b->nrow; i++) R[i] = mean;
  }
}

// ---- Algorithm 5

void dual_cone_project(mjtNum* x, const mjtNum* y, const mjtNum* mu, const mjtNum* r, int d) {
  mjtNum inside = 0, hat[DUAL_MAXCONE], t2 = 0, m2;
  bool zero = true;
  for (int j = 1; j <= d; j++) {
    mjtNum s = y[j] / mu[j - 1];
    inside += s * s;
    zero &= y[j] == 0;
  }
  if (y[0] >= 0 && inside <= y[0] * y[0]) {
    for (int k = 0; k <= d; k++) x[k] = y[k];
    return;
  }
  for (int k = 0; k <= d; k++) x[k] = 0;
  if (zero) return;
  m2 = mu[0] * mu[0] * r[1] / r[0];  // of the circular cone in the Cartesian metric (17)
  for (int k = 0; k <= d; k++) {
    hat[k] = sqrt(r[k]) * y[k];
    if (k) t2 += hat[k] * hat[k];
  }
  if (hat[0] == 0) {  // (20)
    x[0] = sqrt(m2) / (1 + m2) * sqrt(t2) / sqrt(r[0]);
    for (int j = 1; j <= d; j++) x[j] = m2 / (1 + m2) * y[j];
    return;
  }
  // (18, 19): both points where the normal meets the surface; the nearer one in front counts
  mjtNum beta = sqrt(t2 / (m2 * hat[0] * hat[0])), nearest = INFINITY;
  for (int sign = 1; sign >= -1; sign -= 2) {
    mjtNum lambda = (1 - sign * beta) / (1 + sign * m2 * beta);
    mjtNum x0 = hat[0] / (1 + m2 * lambda);
    if (!(x0 >= 0)) continue;
    mjtNum distance = (x0 - hat[0]) * (x0 - hat[0]);
    for (int j = 1; j <= d; j++) {
      mjtNum xj = hat[j] / (1 - lambda);
      distance += (xj - hat[j]) * (xj - hat[j]);
    }
    if (distance < nearest) {
      nearest = distance;
      x[0] = x0 / sqrt(r[0]);
      for (int j = 1; j <= d; j++) x[j] = y[j] / (1 - lambda);
    }
  }
}

void dual_inverse2014(const snDual* p, const mjtNum* v_after, const mjtNum* target, mjtNum* force) {
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum y[DUAL_MAXCONE], mu[DUAL_MAXCONE];
    for (int at = 0; at < b->nrow; at++) {
      int i = b->row + at;
      mjtNum value = (target[i] - v_after[i]) / p->R[i];
      force[i] = value;
      if (b->kind == snDUAL_CONE) y[at] = value, mu[at] = b->mu;
    }
    if (b->kind != snDUAL_CONE)
      project_block(b, force + b->row);
    else if (b->mu > 0)
      dual_cone_project(force + b->row, y, mu, p->R + b->row, b->nrow - 1);
    else
      project_cone(force + b->row, 0, b->nrow);
  }
}

// ---- generalized PGS on what is left without equalities

size_t gpgs_scratch(const snDelassus* D, int nblock) {
  int n = D->n;
  size_t stride = (size_t)dual_stride(n);
  size_t cones = (size_t)nblock * sizeof(snConvex) / sizeof(mjtNum) + 1;
  return matrix_scratch(D, false) + (size_t)n * stride + 7 * stride + cones + 32;
}

typedef struct snReduced_ {
  int n, stride;
  int* row;        // rows of the problem that are left
  mjtNum *A, *c;   // with R in A
  mjtNum *f, *v;   // impulses, velocities (A + R) f + c
  snConvex* cone;  // (nblock) contacts alone
} snReduced;

// K = D_EE + R_E in the factor of m; X = inv(K) D_EC by columns.
static int eliminate(const snDual* p, snMatrix* m, const mjtNum* R, snReduced* q, int* equal,
                     mjtNum* x) {
  int ne = 0;
  q->n = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      if (b->kind == snDUAL_FREE)
        equal[ne++] = i;
      else
        q->row[q->n++] = i;
    }
  }
  int stride = dual_stride(ne);
  for (int i = 0; i < ne; i++) {
    mjtNum* L = m->L + (size_t)i * stride;
    for (int j = 0; j < stride; j++) {
      L[j] = j < ne ? m->A[(size_t)equal[i] * m->stride + equal[j]] : 0;
    }
    L[i] += R[equal[i]];
    m->fill[i] = 0;
  }
  if (ne) factor_make(m->L, m->dinv, m->fill, ne, stride, mjMINVAL);
  // A = D_CC + R - D_CE inv(K) D_EC, c = v_C - D_CE inv(K) v_E
  for (int i = 0; i <= q->n; i++) {
    int row = i < q->n ? q->row[i] : -1;
    for (int k = 0; k < stride; k++) {
      x[k] = k >= ne ? 0 : row < 0 ? p->v_free[equal[k]] : m->A[(size_t)equal[k] * m->stride + row];
    }
    if (ne) factor_solve(x, m->L, m->dinv, m->fill, ne, stride);
    for (int j = 0; j < q->n; j++) {
      const mjtNum* other = m->A + (size_t)q->row[j] * m->stride;
      mjtNum sum = row < 0 ? p->v_free[q->row[j]] : other[row];
      for (int k = 0; k < ne; k++) sum -= other[equal[k]] * x[k];
      if (row < 0)
        q->c[j] = sum;
      else
        q->A[(size_t)j * q->stride + i] = sum + (i == j ? R[row] : 0);
    }
  }
  return ne;
}

// f_E = -inv(D_EE + R_E) (v_E + D_EC f_C): the equalities' impulses, known once the rest is.
static void recover(const snDual* p, const snMatrix* m, const snReduced* q, const int* equal,
                    int ne, mjtNum* x, mjtNum* force) {
  int stride = dual_stride(ne);
  for (int i = 0; i < q->n; i++) force[q->row[i]] = q->f[i];
  for (int k = 0; k < stride; k++) {
    x[k] = k < ne ? -p->v_free[equal[k]] : 0;
    for (int i = 0; k < ne && i < q->n; i++) {
      x[k] -= m->A[(size_t)equal[k] * m->stride + q->row[i]] * q->f[i];
    }
  }
  if (ne) factor_solve(x, m->L, m->dinv, m->fill, ne, stride);
  for (int k = 0; k < ne; k++) force[equal[k]] = x[k];
}

SN_KERNEL static void add_column(mjtNum* v, const mjtNum* row, mjtNum s, int n) {
  vec_add_scaled(v, row, s, n);
}

// The diagonal blocks of A, which stay while sweeps go on.
static void make_cones(const snDual* p, snReduced* q) {
  int at = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum D[DUAL_MAXCONE * DUAL_MAXCONE];
    if (b->kind == snDUAL_FREE) continue;
    for (int i = 0; b->kind == snDUAL_CONE && i < b->nrow; i++) {
      memcpy(D + i * b->nrow, q->A + (size_t)(at + i) * q->stride + at,
             sizeof(mjtNum) * (size_t)b->nrow);
    }
    if (b->kind == snDUAL_CONE) convex_make(q->cone + k, D, b->nrow, b->mu);
    at += b->nrow;
  }
}

// One sweep; returns the largest change.
static mjtNum sweep(const snDual* p, snReduced* q) {
  mjtNum change = 0;
  int at = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    if (b->kind == snDUAL_FREE) continue;
    int n = b->nrow;
    mjtNum f[DUAL_MAXCONE], velocity[DUAL_MAXCONE];
    for (int i = 0; i < n; i++) f[i] = q->f[at + i];
    if (b->kind == snDUAL_CONE) {
      const snConvex* c = q->cone + k;
      for (int i = 0; i < n; i++) {
        velocity[i] = q->v[at + i];
        for (int j = 0; j < n; j++) velocity[i] -= c->D[i * n + j] * f[j];
      }
      convex_solve(c, velocity, f);
    } else {
      f[0] -= q->v[at] / q->A[(size_t)at * q->stride + at];
      project_block(b, f);
    }
    for (int i = 0; i < n; i++) {
      mjtNum df = f[i] - q->f[at + i];
      if (df == 0) continue;
      change = fmax(change, fabs(df));
      q->f[at + i] = f[i];
      add_column(q->v, q->A + (size_t)(at + i) * q->stride, df, q->n);
    }
    at += n;
  }
  return change;
}

void solve_gpgs(const snDual* p, snSolverReport* report) {
  int n = p->n, stride = dual_stride(n);
  snScratch s = {p->scratch, p->scratch + p->nscratch};
  snMatrix m;
  matrix_make(&m, p, false, &s);
  snReduced q = {.stride = stride, .A = scratch_take(&s, (size_t)n * stride)};
  q.c = scratch_take(&s, stride);
  q.f = scratch_take(&s, stride);
  q.v = scratch_take(&s, stride);
  mjtNum *x = scratch_take(&s, stride), *room = scratch_take(&s, stride);
  q.row = (int*)scratch_take(&s, stride);
  q.cone = (snConvex*)scratch_take(&s, (size_t)p->nblock * sizeof(snConvex) / sizeof(mjtNum) + 1);
  int* equal = q.row + n;  // ints are half as long
  if (!p->R) soft_diagonal(p, room);
  const mjtNum* R = p->R ? p->R : room;
  int ne = eliminate(p, &m, R, &q, equal, x);
  report->factorizations = 1;
  make_cones(p, &q);
  project_all(p, p->force);
  for (int i = 0; i < q.n; i++) q.f[i] = p->force[q.row[i]];
  mjtNum tolerance = fmin(p->set.tol_primal, p->set.tol_dual), scale = 0, objective = 0;
  for (int i = 0; i < q.n; i++) scale = fmax(scale, q.A[(size_t)i * stride + i]);
  for (int i = 0; i < p->set.iterations; i++) {
    for (int k = 0; k < q.n; k++) q.v[k] = q.c[k] + vec_dot(q.A + (size_t)k * stride, q.f, q.n);
    mjtNum change = sweep(p, &q), before = objective;
    objective = 0;
    for (int k = 0; k < q.n; k++) objective += 0.5 * q.f[k] * (q.v[k] + q.c[k]);
    report->r_objective = fabs(objective - before) / (p->inertia > 0 ? p->inertia : 1);
    if (!numbers_finite(q.f, q.n)) {
      mju_zero(q.f, q.n);
      break;
    }
    report->iterations = i + 1;
    report->r_iterate = change;
    report->converged = change * fmax(1, scale) <= tolerance;
    if (report->converged || dual_still(p, report)) break;
  }
  recover(p, &m, &q, equal, ne, x, p->force);
}
