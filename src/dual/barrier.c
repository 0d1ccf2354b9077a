// The 2011 model: kinetic energy least, inequalities by logarithms. Convex, smooth, invertible:
//   forward   min_f 1/2 f'(A + R) f + f'c + d_F(f) + d_V(A f + c)
//   inverse   min_f 1/2 f'R f + f'(v + A d_V'(v)) + d_F(f),   c = v - A f
//   d_F = -kappa sum log f_N + log(mu^2 f_N^2 - |f_T|^2),   d_V = -kappa sum log v_N
// Contacts that jam cannot all part: below a velocity that is small beside sqrt(kappa R) a parabola
// continues the logarithm, so that there always is a solution. The two have the same gradient at
// the solution: c went into v. R is the caller's, or epsilon times the diagonal of A; the tangents
// of a cone share one number.
//
// Forward starts with the parabola below a greater v0, which lies lower and lower until no v is
// there (inverse2011.c has the other way).
#include <math.h>
#include <string.h>

#include "dual/private.h"

#define SHARPEN 10  // steps at most

size_t barrier_scratch(const snDelassus* D, int nblock) {
  int n = D->n;
  size_t stride = (size_t)dual_stride(n);
  return matrix_scratch(D, false) + (size_t)n * stride + 8 * stride + 8;
}

typedef struct snBarrier_ {
  const snDual* p;
  snMatrix m;
  const mjtNum* R;
  mjtNum *f, *v, *gradient, *step, *next, *next_v, *softness;
  mjtNum* curve;  // rows of A of velocities in the barrier, scaled
  mjtNum kappa, v0;
  mjtNum noise;  // of the gradient, by rounding
} snBarrier;

static bool one_sided(const snDualBlock* b) {
  return b->kind == snDUAL_HALF || b->kind == snDUAL_CONE;
}

SN_INLINE mjtNum cone_mu(const snDualBlock* b) { return fmax(b->mu, BARRIER_MINMU); }

// Where the parabola of a block begins.
SN_INLINE mjtNum parabola(const snBarrier* q, int row) {
  return fmax(q->v0, barrier_floor(q->kappa, q->R[row]));
}

// -log v, and below v0 the parabola that continues it; slope and curvature
static mjtNum log_barrier(mjtNum v, mjtNum v0, mjtNum* slope, mjtNum* curvature) {
  *slope = barrier_slope(v, v0);
  if (v >= v0) {
    *curvature = 1 / (v * v);
    return -sn_log(v);
  }
  mjtNum x = v / v0 - 1;
  *curvature = 1 / (v0 * v0);
  return -sn_log(v0) - x + 0.5 * x * x;
}

// Inside of all sets?
static bool inside(const snDual* p, const mjtNum* f) {
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    const mjtNum* g = f + b->row;
    if (b->kind == snDUAL_BOX && !(fabs(g[0]) < b->bound)) return false;
    if (one_sided(b) && !(g[0] > 0)) return false;
    if (b->kind == snDUAL_CONE && !(tangent_norm(g, b->nrow) < cone_mu(b) * g[0])) return false;
  }
  return true;
}

// d_F of one block, its gradient added; its Hessian added to H at `stride`.
static mjtNum block_barrier(const snBarrier* q, const snDualBlock* b, const mjtNum* f,
                            mjtNum* gradient, mjtNum* H, int stride) {
  mjtNum k = q->kappa;
  if (b->kind == snDUAL_BOX) {
    mjtNum up = b->bound - f[0], down = b->bound + f[0];
    if (gradient) gradient[0] += k / up - k / down;
    if (H) H[0] += k / (up * up) + k / (down * down);
    return -k * (sn_log(up) + sn_log(down));
  }
  if (b->kind == snDUAL_FREE) return 0;
  mjtNum n = f[0];
  if (gradient) gradient[0] -= k / n;
  if (H) H[0] += k / (n * n);
  if (b->kind == snDUAL_HALF) return -k * sn_log(n);
  // -log w, w = mu^2 n^2 - |t|^2: gradient -w'/w, Hessian w'w''/w^2 - w''/w
  mjtNum m2 = cone_mu(b) * cone_mu(b), w = m2 * n * n, dw[DUAL_MAXCONE];
  for (int i = 1; i < b->nrow; i++) w -= f[i] * f[i];
  for (int i = 0; i < b->nrow; i++) dw[i] = i ? -2 * f[i] : 2 * m2 * n;
  for (int i = 0; i < b->nrow; i++) {
    if (gradient) gradient[i] -= k * dw[i] / w;
    for (int j = 0; H && j <= i; j++) {
      H[(size_t)i * stride + j] += k * dw[i] * dw[j] / (w * w);
      if (i == j) H[(size_t)i * stride + j] -= k * (i ? -2 : 2 * m2) / w;
    }
  }
  return -k * (sn_log(n) + sn_log(w));
}

// Cost at f with v = A f + c.
static mjtNum cost_at(const snBarrier* q, const mjtNum* f, const mjtNum* v) {
  const snDual* p = q->p;
  mjtNum sum = 0, slope, curvature;
  for (int i = 0; i < p->n; i++) {
    sum += 0.5 * f[i] * (v[i] + p->v_free[i]) + 0.5 * q->R[i] * f[i] * f[i];
  }
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    sum += block_barrier(q, b, f + b->row, NULL, NULL, 0);
    if (one_sided(b))
      sum += q->kappa * log_barrier(v[b->row], parabola(q, b->row), &slope, &curvature);
  }
  return sum;
}

static void velocity_at(const snBarrier* q, const mjtNum* f, mjtNum* v) {
  matrix_mul(&q->m, v, f);
  for (int i = 0; i < q->p->n; i++) v[i] += q->p->v_free[i];
}

SN_KERNEL static void add_outer(mjtNum* H, const mjtNum* rows, int nrows, int n, int stride) {
  for (int k = 0; k < nrows; k++) {
    const mjtNum* a = rows + (size_t)k * stride;
    for (int i = 0; i < n; i++) {
      if (a[i] != 0) vec_add_scaled(H + (size_t)i * stride, a, a[i], i + 1);
    }
  }
}

// gradient and Newton step; returns the decrement g'inv(H) g
static mjtNum newton(snBarrier* q) {
  const snDual* p = q->p;
  int n = p->n, stride = q->m.stride, ncurve = 0;
  q->noise = 0;
  memcpy(q->m.L, q->m.A, sizeof(mjtNum) * (size_t)n * (size_t)stride);
  for (int i = 0; i < n; i++) {
    q->gradient[i] = q->v[i] + q->R[i] * q->f[i];
    q->m.L[(size_t)i * stride + i] += q->R[i];
    q->m.fill[i] = 0;
  }
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row;
    block_barrier(q, b, q->f + row, q->gradient + row, q->m.L + (size_t)row * stride + row, stride);
    if (!one_sided(b)) continue;
    mjtNum slope, curvature, size = fabs(p->v_free[row]), most = 0;
    log_barrier(q->v[row], parabola(q, row), &slope, &curvature);
    const mjtNum* A = q->m.A + (size_t)row * stride;
    for (int i = 0; i < n; i++) {
      size += fabs(A[i] * q->f[i]);
      most = fmax(most, fabs(A[i]));
    }
    q->noise += 2e-16 * q->kappa * most * (fabs(slope) + curvature * size);
    vec_add_scaled(q->gradient, A, q->kappa * slope, n);
    vec_scale(q->curve + (size_t)ncurve * stride, A, sqrt(q->kappa * curvature), n);
    for (int i = n; i < stride; i++) q->curve[(size_t)ncurve * stride + i] = 0;
    ncurve++;
  }
  add_outer(q->m.L, q->curve, ncurve, n, stride);
  factor_make(q->m.L, q->m.dinv, q->m.fill, n, stride, mjMINVAL);
  for (int i = 0; i < n; i++) q->step[i] = -q->gradient[i];
  matrix_solve(&q->m, q->step);
  mjtNum decrement = 0;
  for (int i = 0; i < n; i++) decrement -= q->gradient[i] * q->step[i];
  return decrement;
}

// Newton with backtracking until the gradient is gone; returns the iterations made.
static int minimize(snBarrier* q, int most, mjtNum tolerance) {
  int n = q->p->n, i = 0;
  velocity_at(q, q->f, q->v);
  mjtNum cost = cost_at(q, q->f, q->v);
  for (; i < most; i++) {
    mjtNum decrement = newton(q), worst = 0, t = 1;
    for (int k = 0; k < n; k++) worst = fmax(worst, fabs(q->gradient[k]));
    if (!isfinite(decrement) || worst <= tolerance + q->noise) break;
    bool moved = false;
    for (int trial = 0; trial < 50 && !moved; trial++, t *= 0.5) {
      for (int k = 0; k < n; k++) q->next[k] = q->f[k] + t * q->step[k];
      if (!inside(q->p, q->next)) continue;
      velocity_at(q, q->next, q->next_v);
      mjtNum next = cost_at(q, q->next, q->next_v);
      // below the rounding of the cost, a whole step that stays inside is taken
      if (next <= cost - 0.1 * t * decrement || decrement < 1e-11 * (1 + fabs(cost))) {
        moved = true;
        cost = next;
      }
    }
    if (!moved) break;
    memcpy(q->f, q->next, sizeof(mjtNum) * (size_t)n);
    memcpy(q->v, q->next_v, sizeof(mjtNum) * (size_t)n);
  }
  return i;
}

static mjtNum largest(const mjtNum* x, int n) {
  mjtNum worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i]));
  return worst;
}

// Whole steps while the gradient falls, down to rounding: the inverse magnifies what is left of it
// by f^2 / kappa.
static int sharpen(snBarrier* q, int most) {
  int n = q->p->n, i = 0;
  newton(q);
  mjtNum before = largest(q->gradient, n);
  for (; i < most; i++) {
    for (int k = 0; k < n; k++) q->next[k] = q->f[k] + q->step[k];
    if (!numbers_finite(q->next, n) || !inside(q->p, q->next)) break;
    memcpy(q->next_v, q->f, sizeof(mjtNum) * (size_t)n);
    memcpy(q->f, q->next, sizeof(mjtNum) * (size_t)n);
    velocity_at(q, q->f, q->v);
    newton(q);
    mjtNum now = largest(q->gradient, n);
    if (now < before) {
      before = now;
      continue;
    }
    memcpy(q->f, q->next_v, sizeof(mjtNum) * (size_t)n);
    velocity_at(q, q->f, q->v);
    break;
  }
  return i;
}

// Is no velocity on a parabola that still has to go down?
static bool arrived(const snBarrier* q) {
  for (int k = 0; k < q->p->nblock; k++) {
    int row = q->p->block[k].row;
    bool down = q->v0 > barrier_floor(q->kappa, q->R[row]);
    if (one_sided(q->p->block + k) && down && q->v[row] < q->v0) return false;
  }
  return true;
}

// A point inside all sets, with impulses of the problem's own size.
static mjtNum start(snBarrier* q) {
  const snDual* p = q->p;
  mjtNum diag = 0, speed = 0;
  for (int i = 0; i < p->n; i++) {
    diag += q->m.A[(size_t)i * q->m.stride + i] / p->n;
    speed = fmax(speed, fabs(p->v_free[i]));
    q->f[i] = 0;
  }
  mjtNum size = diag > mjMINVAL ? speed / diag : speed;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    if (one_sided(b)) q->f[b->row] = fmax(size, 1e-6);
  }
  return fmax(size * speed, q->kappa);
}

void solve_barrier(const snDual* p, snSolverReport* report) {
  int n = p->n, stride = dual_stride(n), most = p->set.iterations;
  snScratch s = {p->scratch, p->scratch + p->nscratch};
  snBarrier q = {.p = p, .kappa = p->set.barrier};
  matrix_make(&q.m, p, false, &s);
  q.curve = scratch_take(&s, (size_t)n * stride);
  mjtNum** vectors[] = {&q.f, &q.v, &q.gradient, &q.step, &q.next, &q.next_v, &q.softness};
  for (int i = 0; i < 7; i++) *vectors[i] = scratch_take(&s, stride);
  q.R = p->R;
  if (!q.R) {
    soft_diagonal(p, q.softness);
    q.R = q.softness;
  }
  mjtNum energy = start(&q), goal = q.kappa;
  int used = 0;
  q.v0 = 1;
  for (q.kappa = fmax(goal, 0.1 * energy); used < most; q.kappa = fmax(goal, 0.1 * q.kappa)) {
    q.v0 = fmin(q.v0, fmax(1e-12, 0.1 * q.kappa / fmax(energy, goal)));
    used += minimize(&q, most - used, q.kappa > goal ? 1e-4 * energy : 1e-12);
    if (q.kappa > goal) continue;
    while (!arrived(&q) && used < most) {
      q.v0 *= 0.1;
      used += minimize(&q, most - used, 1e-12);
    }
    break;
  }
  used += sharpen(&q, most - used < SHARPEN ? most - used : SHARPEN);
  report->iterations = report->factorizations = used;
  // what one more step would change
  newton(&q);
  mjtNum worst = 0, gain = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(q.gradient[i]));
    report->r_iterate = fmax(report->r_iterate, fabs(q.step[i]));
    gain += 0.5 * q.gradient[i] * q.step[i];
  }
  report->r_objective = fabs(gain) / (p->inertia > 0 ? p->inertia : 1);
  report->converged = worst <= fmax(p->set.tol_dual, 1e-11) + q.noise && arrived(&q);
  if (numbers_finite(q.f, n)) memcpy(p->force, q.f, sizeof(mjtNum) * (size_t)n);
  project_all(p, p->force);  // a cone without inside was given some
}
