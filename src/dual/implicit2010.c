// Implicit complementarity (2010): impulses and velocities as functions of one hybrid variable x,
// such that every contact law holds for every x,
//   v(x) = f(x) + x,   f_N = max(0, -x_N),   f_T = -min(1, mu f_N / |x_T|) x_T,
// and the equation r(x) = (A - I) f(x) - x + c = 0 solved as least squares: Levenberg-Marquardt
// with a dogleg, whose line searches look at the edges (planes and cones) where r is not smooth.
//
// Rows of a block are scaled together so that the mean diagonal of A is 1, as I wants it.
#include <math.h>
#include <string.h>

#include "dual/private.h"

size_t implicit_scratch(const snDelassus* D, int nblock) {
  int n = D->n;
  size_t stride = (size_t)dual_stride(n);
  return matrix_scratch(D, false) + 2 * (size_t)n * stride + 14 * stride + 4 * (size_t)n +
         DUAL_MAXCONE * (size_t)n + newton_scratch(D, false) + 8;
}

typedef struct snImplicit_ {
  const snDual* p;
  snMatrix m;  // A = S D S + S R S, then the factor of J'J + lambda
  int n, stride;
  mjtNum *scale, *c;
  mjtNum *x, *f, *r;
  mjtNum* JT;  // columns of the Jacobian of r
  mjtNum *gradient, *newton, *try_x, *try_f, *try_r, *best_x, *cauchy;
  mjtNum* edge;  // where a search line crosses edges
  mjtNum* room;  // of polish
} snImplicit;

// ---- f(x), r(x) and their derivatives

static mjtNum box_bound(const snImplicit* q, const snDualBlock* b) {
  return b->bound / q->scale[b->row];
}

static void impulses(const snImplicit* q, const mjtNum* x, mjtNum* f) {
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    const mjtNum* y = x + b->row;
    mjtNum *g = f + b->row, normal, t;
    switch (b->kind) {
      case snDUAL_FREE:
        for (int i = 0; i < b->nrow; i++) g[i] = -y[i];
        break;
      case snDUAL_BOX:
        g[0] = fmin(box_bound(q, b), fmax(-box_bound(q, b), -y[0]));
        break;
      case snDUAL_HALF:
        g[0] = fmax(0, -y[0]);
        break;
      default:
        normal = g[0] = fmax(0, -y[0]);
        t = tangent_norm(y, b->nrow);
        for (int i = 1; i < b->nrow; i++) {
          g[i] = t > b->mu * normal ? -b->mu * normal / t * y[i] : -y[i];
        }
    }
  }
}

SN_KERNEL static mjtNum residual(const snImplicit* q, const mjtNum* x, mjtNum* f, mjtNum* r) {
  impulses(q, x, f);
  for (int i = 0; i < q->n; i++) {
    r[i] = vec_dot(q->m.A + (size_t)i * q->stride, f, q->n) - f[i] - x[i] + q->c[i];
  }
  return 0.5 * vec_dot(r, r, q->n);
}

// df/dx of one block (nrow x nrow)
static void block_slope(const snImplicit* q, const snDualBlock* b, const mjtNum* x, mjtNum* G) {
  int n = b->nrow;
  memset(G, 0, sizeof(mjtNum) * (size_t)(n * n));
  if (b->kind == snDUAL_BOX) {
    G[0] = fabs(x[0]) < box_bound(q, b) ? -1 : 0;
    return;
  }
  if (x[0] >= 0) return;
  G[0] = -1;
  if (b->kind == snDUAL_HALF) return;
  mjtNum t = tangent_norm(x, n), radius = -b->mu * x[0];
  for (int i = 1; i < n; i++) {
    if (t <= radius) {
      G[i * n + i] = -1;
      continue;
    }
    G[i * n] = b->mu * x[i] / t;
    for (int j = 1; j < n; j++) {
      G[i * n + j] = -radius / t * ((i == j) - x[i] * x[j] / (t * t));
    }
  }
}

// J = (A - I) df/dx - I, by columns
static void jacobian(const snImplicit* q) {
  const snDual* p = q->p;
  int n = q->n, stride = q->stride;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum G[DUAL_MAXCONE * DUAL_MAXCONE];
    if (b->kind != snDUAL_FREE) block_slope(q, b, q->x + b->row, G);
    for (int j = 0; j < b->nrow; j++) {
      int col = b->row + j;
      mjtNum* to = q->JT + (size_t)col * stride;
      if (b->kind == snDUAL_FREE) {
        for (int i = 0; i < n; i++) to[i] = -q->m.A[(size_t)col * stride + i];
        to[col] += 1;
      } else {
        for (int i = 0; i < n; i++) to[i] = 0;
        for (int l = 0; l < b->nrow; l++) {
          mjtNum g = G[l * b->nrow + j];
          if (g == 0) continue;
          vec_add_scaled(to, q->m.A + (size_t)(b->row + l) * stride, g, n);
          to[b->row + l] -= g;
        }
      }
      to[col] -= 1;
    }
  }
}

// delta = -inv(J'J + lambda) J'r; the gradient J'r on the way
SN_KERNEL static void newton_step(snImplicit* q, mjtNum lambda) {
  int n = q->n, stride = q->stride;
  for (int i = 0; i < n; i++) {
    const mjtNum* a = q->JT + (size_t)i * stride;
    mjtNum* H = q->m.L + (size_t)i * stride;
    for (int j = 0; j <= i; j++) H[j] = vec_dot(a, q->JT + (size_t)j * stride, n);
    for (int j = i + 1; j < stride; j++) H[j] = 0;
    H[i] += lambda;
    q->gradient[i] = vec_dot(a, q->r, n);
    q->newton[i] = -q->gradient[i];
    q->m.fill[i] = 0;
  }
  factor_make(q->m.L, q->m.dinv, q->m.fill, n, stride, mjMINVAL);
  matrix_solve(&q->m, q->newton);
}

// ---- edge-aware line search

static void add_edge(snImplicit* q, int* count, mjtNum t) {
  if (t > 0 && t < 1 && *count < 3 * q->n) q->edge[(*count)++] = t;
}

// Where x + t d, 0 < t < 1, crosses the planes and cones of the blocks.
static int find_edges(snImplicit* q, const mjtNum* x, const mjtNum* d) {
  int count = 0;
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    const mjtNum *y = x + b->row, *e = d + b->row;
    if (b->kind == snDUAL_FREE) continue;
    if (b->kind == snDUAL_BOX) {
      add_edge(q, &count, (box_bound(q, b) - y[0]) / e[0]);
      add_edge(q, &count, (-box_bound(q, b) - y[0]) / e[0]);
      continue;
    }
    add_edge(q, &count, -y[0] / e[0]);
    if (b->kind != snDUAL_CONE) continue;
    // |x_T + t d_T|^2 = mu^2 (x_N + t d_N)^2
    mjtNum m2 = b->mu * b->mu, a = -m2 * e[0] * e[0], h = -m2 * y[0] * e[0];
    mjtNum c = -m2 * y[0] * y[0];
    for (int i = 1; i < b->nrow; i++) {
      a += e[i] * e[i];
      h += y[i] * e[i];
      c += y[i] * y[i];
    }
    mjtNum disc = h * h - a * c;
    if (disc < 0 || a == 0) continue;
    add_edge(q, &count, (-h - sqrt(disc)) / a);
    add_edge(q, &count, (-h + sqrt(disc)) / a);
  }
  return count;
}

// Best point seen on x + t d, t in (0, 1]: both ends of every smooth stretch, and the minimum of
// the parabola through the best of them and its neighbours. Leaves it in best_x when it is below
// *best.
static void search(snImplicit* q, const mjtNum* x, const mjtNum* d, mjtNum* best) {
  int count = find_edges(q, x, d), n = q->n;
  q->edge[count++] = 1;
  for (int i = 1; i < count; i++) {  // insertion: there are few
    mjtNum t = q->edge[i];
    int j = i;
    for (; j > 0 && q->edge[j - 1] > t; j--) q->edge[j] = q->edge[j - 1];
    q->edge[j] = t;
  }
  mjtNum before = 0, low = INFINITY, at = 1, left = 0, right = 1;
  for (int i = 0; i < count; i++) {
    mjtNum t = q->edge[i];
    if (t - before < 1e-12) continue;
    for (int k = 0; k < n; k++) q->try_x[k] = x[k] + t * d[k];
    mjtNum cost = residual(q, q->try_x, q->try_f, q->try_r);
    if (cost < low) {
      low = cost;
      at = t;
      left = before;
      right = i + 1 < count ? q->edge[i + 1] : t;
    } else if (low < INFINITY && t > right) {
      break;  // past the minimum by a whole stretch
    }
    if (cost < *best) {
      *best = cost;
      memcpy(q->best_x, q->try_x, sizeof(mjtNum) * (size_t)n);
    }
    before = t;
  }
  for (int side = 0; side < 2; side++) {
    mjtNum from = side ? at : left, to = side ? right : at;
    if (to - from < 1e-12) continue;
    for (int part = 1; part < 4; part++) {
      mjtNum t = from + (to - from) * part / 4;
      for (int k = 0; k < n; k++) q->try_x[k] = x[k] + t * d[k];
      mjtNum cost = residual(q, q->try_x, q->try_f, q->try_r);
      if (cost < *best) {
        *best = cost;
        memcpy(q->best_x, q->try_x, sizeof(mjtNum) * (size_t)n);
      }
    }
  }
}

// From x to the Cauchy point, and from there to the Newton point.
static mjtNum dogleg(snImplicit* q, mjtNum cost) {
  int n = q->n;
  mjtNum gg = 0, gJJg = 0, best = cost;
  memcpy(q->best_x, q->x, sizeof(mjtNum) * (size_t)n);
  memset(q->try_r, 0, sizeof(mjtNum) * (size_t)n);
  for (int i = 0; i < n; i++) {
    gg += q->gradient[i] * q->gradient[i];
    vec_add_scaled(q->try_r, q->JT + (size_t)i * q->stride, q->gradient[i], n);
  }
  gJJg = vec_dot(q->try_r, q->try_r, n);
  mjtNum length = gJJg > 0 ? gg / gJJg : 0;
  for (int i = 0; i < n; i++) q->cauchy[i] = -2 * length * q->gradient[i];
  search(q, q->x, q->cauchy, &best);
  // the second leg starts at the best point of the first
  for (int i = 0; i < n; i++) q->cauchy[i] = q->best_x[i];
  for (int i = 0; i < n; i++) q->newton[i] = q->x[i] + q->newton[i] - q->cauchy[i];
  search(q, q->cauchy, q->newton, &best);
  return best;
}

// ---- away from an edge
// Where the least squares have a minimum at an edge that is no root, sweeps over the contacts, each
// solved exactly with the others held, move on: their fixed points are the roots.
static void sweep_on(snImplicit* q, int count) {
  const snDual* p = q->p;
  int n = q->n;
  for (int k = 0; k < count * p->nblock; k++) {
    const snDualBlock* b = p->block + k % p->nblock;
    mjtNum D[DUAL_MAXCONE * DUAL_MAXCONE], L[DUAL_MAXCONE * DUAL_MAXCONE], z[DUAL_MAXCONE];
    mjtNum* f = q->f + b->row;
    if (b->kind != snDUAL_CONE) {
      for (int i = b->row; i < b->row + b->nrow; i++) {
        const mjtNum* row = q->m.A + (size_t)i * q->stride;
        q->f[i] -= (vec_dot(row, q->f, n) + q->c[i]) / fmax(row[i], 1e-10);
      }
      if (b->kind == snDUAL_BOX) f[0] = fmin(box_bound(q, b), fmax(-box_bound(q, b), f[0]));
      if (b->kind == snDUAL_HALF) f[0] = fmax(0, f[0]);
      continue;
    }
    for (int i = 0; i < b->nrow; i++) {
      const mjtNum* row = q->m.A + (size_t)(b->row + i) * q->stride;
      z[i] = vec_dot(row, q->f, n) + q->c[b->row + i];
      for (int j = 0; j < b->nrow; j++) D[i * b->nrow + j] = row[b->row + j] + 1e-10 * (i == j);
    }
    for (int i = 0; i < b->nrow; i++) z[i] -= vec_dot(D + i * b->nrow, f, b->nrow);
    memcpy(L, D, sizeof D);
    local_cholesky(L, b->nrow, 1e-11);
    snLocal c = {b->nrow, b->mu, D, L, 1, true};
    local_quartic(&c, z, f);
  }
  for (int i = 0; i < n; i++) {
    q->x[i] = vec_dot(q->m.A + (size_t)i * q->stride, q->f, n) + q->c[i] - q->f[i];
  }
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; b->kind == snDUAL_FREE && i < b->row + b->nrow; i++) q->x[i] = -q->f[i];
  }
}

// Where sweeps come back to the same edge as well, Newton's method on the states of the contacts
// goes on from the best impulses so far. D takes the place of the Jacobian, which is made anew.
static void pass_edge(snImplicit* q, mjtNum tolerance, mjtNum* best, snSolverReport* report) {
  const snDual* p = q->p;
  snMatrix D = q->m;
  D.A = q->JT;
  p->D->dense(p->D, D.A, D.stride, D.first);
  snDualNewton newton;
  newton_make(&newton, p, snFORM_NCP, &D, q->scale, q->room);
  polish(&newton, tolerance, p->force, best, report);
}

// ---- the solver

static void prepare(snImplicit* q, snScratch* s) {
  const snDual* p = q->p;
  int n = q->n, stride = q->stride;
  matrix_make(&q->m, p, false, s);
  mjtNum** vectors[] = {&q->scale,  &q->c,     &q->x,     &q->f,     &q->r,      &q->gradient,
                        &q->newton, &q->try_x, &q->try_f, &q->try_r, &q->best_x, &q->cauchy};
  for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
    *vectors[i] = scratch_take(s, stride);
  }
  q->JT = scratch_take(s, (size_t)n * stride);
  q->edge = scratch_take(s, 3 * (size_t)n + 1);
  q->room = scratch_take(s, newton_scratch(q->p->D, false));
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum trace = 0;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      trace += q->m.A[(size_t)i * stride + i] + (p->R ? p->R[i] : 0);
    }
    for (int i = b->row; i < b->row + b->nrow; i++) {
      q->scale[i] = p->set.scale_rows && trace > mjMINVAL ? sqrt(b->nrow / trace) : 1;
      q->c[i] = q->scale[i] * p->v_free[i];
    }
  }
  for (int i = 0; i < n; i++) {
    mjtNum* row = q->m.A + (size_t)i * stride;
    if (p->R) row[i] += p->R[i];
    for (int j = 0; j < n; j++) row[j] *= q->scale[i] * q->scale[j];
  }
}

// x = v - f of the start
static void start(snImplicit* q) {
  const snDual* p = q->p;
  project_all(p, p->force);
  dual_velocity(p, p->force, q->r);
  for (int i = 0; i < q->n; i++) q->x[i] = q->scale[i] * q->r[i] - p->force[i] / q->scale[i];
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; b->kind == snDUAL_FREE && i < b->row + b->nrow; i++) {
      q->x[i] = -p->force[i] / q->scale[i];
    }
  }
}

void solve_implicit(const snDual* p, snSolverReport* report) {
  int n = p->n, newton = 0, stuck = 0;
  snScratch s = {p->scratch, p->scratch + p->nscratch};
  snImplicit q = {.p = p, .n = n, .stride = dual_stride(n)};
  prepare(&q, &s);
  start(&q);
  mjtNum tolerance = dual_tolerance(p), lambda = 1e-8, best = INFINITY;
  mjtNum objective = 0;
  mjtNum cost = residual(&q, q.x, q.f, q.r);
  for (int i = 0; i <= p->set.iterations; i++) {
    // f(x) lies in its set; its natural map says how good it is
    for (int k = 0; k < n; k++) q.try_f[k] = q.scale[k] * q.f[k];
    dual_velocity(p, q.try_f, q.try_r);
    mjtNum natural = dual_natural(p, snFORM_NCP, q.try_f, q.try_r), before = objective;
    objective = dual_objective(p, q.try_f, q.try_r);
    if (i) report->r_objective = fabs(objective - before) / (p->inertia > 0 ? p->inertia : 1);
    if (natural < best || !p->set.keep_best) {
      best = natural;
      memcpy(p->force, q.try_f, sizeof(mjtNum) * (size_t)n);
    }
    report->converged = dual_converged(p, snFORM_NCP, q.try_f, q.try_r, natural);
    if (report->converged || i == p->set.iterations || !isfinite(cost)) break;
    if (i && dual_still(p, report)) break;

    jacobian(&q);
    newton_step(&q, lambda * fmax(1, 2 * cost));
    for (int k = 0; k < n; k++) q.try_x[k] = q.x[k] + q.newton[k];
    mjtNum next = residual(&q, q.try_x, q.try_f, q.try_r);
    report->iterations = i + 1;
    if (next < 0.9 * cost) {
      memcpy(q.x, q.try_x, sizeof(mjtNum) * (size_t)n);
      newton++;
      lambda = fmax(1e-14, 0.1 * lambda);
    } else {
      next = dogleg(&q, cost);
      memcpy(q.x, q.best_x, sizeof(mjtNum) * (size_t)n);
      lambda = fmin(1e-2, 4 * lambda);
      if (next > 0.9 * cost && p->set.leave_edges) {
        if (stuck == 6) {
          pass_edge(&q, tolerance, &best, report);
          dual_velocity(p, p->force, q.try_r);
          report->converged = dual_converged(p, snFORM_NCP, p->force, q.try_r, best);
          if (report->converged) break;
          stuck = 3;
        }
        residual(&q, q.x, q.f, q.r);
        sweep_on(&q, 5 << stuck++);
        lambda = 1e-8;
      }
    }
    memcpy(q.try_f, q.f, sizeof(mjtNum) * (size_t)n);
    cost = residual(&q, q.x, q.f, q.r);
    report->r_iterate = 0;
    for (int k = 0; k < n; k++) {
      report->r_iterate = fmax(report->r_iterate, q.scale[k] * fabs(q.f[k] - q.try_f[k]));
    }
  }
  report->newton = report->iterations ? (mjtNum)newton / report->iterations : 1;
}
