// Random dual problems, and a reference solver that shares no code with the engine: long double,
// accelerated projected gradient for the convex problem, and an outer fixed point on De Saxce's
// correction for the other.
#ifndef SINEW_TESTS_DUAL_PROBLEM_H_
#define SINEW_TESTS_DUAL_PROBLEM_H_

#include "dual/dual.h"
#include "scene.h"

typedef long double real;

typedef struct Problem_ {
  snDual p;
  snDelassus D;
  snDualBlock block[256];
  double *A, *v_free, *R, *state;
  int stride;
} Problem;

static double* numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

static void problem_free(Problem* q) {
  free(q->A);
  free(q->v_free);
  free(q->R);
  free(q->state);
  free(q->p.force);
  free(q->p.velocity);
  free(q->p.scratch);
  free(q);
}

static void problem_add(Problem* q, int kind, int nrow, double mu, double bound) {
  q->block[q->p.nblock++] = (snDualBlock){kind, q->p.n, nrow, mu, bound};
  q->p.n += nrow;
}

// Rows are given; D and v_free are zero.
static void problem_alloc(Problem* q) {
  int n = q->p.n;
  q->stride = (n + 3) & ~3;
  q->A = numbers((size_t)n * q->stride);
  q->v_free = numbers(n);
  q->state = numbers(n);
  q->p.force = numbers(n);
  q->p.velocity = numbers(n);
  q->D = delassus_dense(n, q->A, q->stride, q->state);
  q->p.D = &q->D;
  q->p.block = q->block;
  q->p.v_free = q->v_free;
}

// Fill D = G diag(w) G' / columns with G normal-ish, and v_free.
static inline void problem_fill(Problem* q, int columns, double ratio, unsigned long long* seed) {
  int n = q->p.n;
  problem_alloc(q);
  double* G = numbers((size_t)n * columns);
  for (int i = 0; i < n * columns; i++) {
    G[i] = scene_random(seed) + scene_random(seed) + scene_random(seed);
  }
  for (int i = 0; i < n; i++) {
    q->v_free[i] = scene_random(seed);
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < columns; k++) {
        double w = 1 + (ratio - 1) * (k % 2);
        sum += G[i * columns + k] * w * G[j * columns + k];
      }
      q->A[i * q->stride + j] = sum / columns;
    }
  }
  free(G);
}

// Contacts push into each other: normals approach.
static inline void problem_press(Problem* q) {
  for (int k = 0; k < q->p.nblock; k++) {
    if (q->block[k].kind >= snDUAL_HALF) {
      double* v = q->v_free + q->block[k].row;
      if (k % 4) *v = -fabs(*v) - 0.2;
    }
  }
}

static Problem* problem_new(void) { return calloc(1, sizeof(Problem)); }

// A mixed problem: equalities, friction loss, limits, contacts.
static inline Problem* problem_random(int ncontact, int columns_per_row, double ratio,
                                      double mu_scale, unsigned long long* seed) {
  Problem* q = problem_new();
  problem_add(q, snDUAL_FREE, 3, 0, 0);
  problem_add(q, snDUAL_BOX, 1, 0, 0.1);
  problem_add(q, snDUAL_FREE, 8, 0, 0);
  problem_add(q, snDUAL_HALF, 1, 0, 0);
  for (int i = 0; i < ncontact; i++) {
    problem_add(q, snDUAL_CONE, 3, mu_scale * (0.6 + 0.5 * scene_random(seed)), 0);
  }
  problem_add(q, snDUAL_HALF, 1, 0, 0);
  problem_fill(q, columns_per_row * q->p.n, ratio, seed);
  problem_press(q);
  return q;
}

static void problem_solve(Problem* q, const char* name, snSolverReport* report) {
  const snDualSolver* solver = dual_find(name);
  assert_non_null(solver);
  q->p.nscratch = dual_scratch(solver, q->p.D, q->p.nblock);
  free(q->p.scratch);
  q->p.scratch = numbers(q->p.nscratch);
  dual_solve(solver, &q->p, report);
}

static void problem_defaults(Problem* q, const char* name) {
  dual_defaults(dual_find(name), &q->p.set);
}

// ---- reference

static void reference_project(const Problem* q, real* x) {
  for (int k = 0; k < q->p.nblock; k++) {
    const snDualBlock* b = q->block + k;
    real* y = x + b->row;
    if (b->kind == snDUAL_HALF && y[0] < 0) y[0] = 0;
    if (b->kind == snDUAL_BOX) y[0] = fminl(b->bound, fmaxl(-b->bound, y[0]));
    if (b->kind != snDUAL_CONE) continue;
    // along the generator towards y_T: the larger of 0 and the scalar product with it
    real t = 0;
    for (int i = 1; i < b->nrow; i++) t += y[i] * y[i];
    t = sqrtl(t);
    if (t <= (real)b->mu * y[0]) continue;
    real length = (y[0] + (real)b->mu * t) / sqrtl(1 + (real)b->mu * b->mu);
    if (length < 0) length = 0;
    real unit = length / sqrtl(1 + (real)b->mu * b->mu);
    y[0] = unit;
    for (int i = 1; i < b->nrow; i++) y[i] = t > 0 ? y[i] / t * unit * (real)b->mu : 0;
  }
}

static void reference_velocity(const Problem* q, const real* f, real* v) {
  for (int i = 0; i < q->p.n; i++) {
    v[i] = q->v_free[i];
    for (int j = 0; j < q->p.n; j++) v[i] += (real)q->A[i * q->stride + j] * f[j];
    if (q->p.R) v[i] += (real)q->p.R[i] * f[i];
  }
}

static real reference_correction(const snDualBlock* b, const real* v) {
  real t = 0;
  if (b->kind != snDUAL_CONE) return 0;
  for (int i = 1; i < b->nrow; i++) t += v[b->row + i] * v[b->row + i];
  return (real)b->mu * sqrtl(t);
}

// largest |f - P(f - v - s)|
static inline double reference_natural(const Problem* q, const double* force, int ncp) {
  int n = q->p.n;
  real worst = 0;
  real *f = calloc(n, sizeof(real)), *v = calloc(n, sizeof(real)), *x = calloc(n, sizeof(real));
  for (int i = 0; i < n; i++) f[i] = force[i];
  reference_velocity(q, f, v);
  for (int k = 0; k < q->p.nblock; k++) {
    const snDualBlock* b = q->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) x[i] = f[i] - v[i];
    if (ncp) x[b->row] -= reference_correction(b, v);
  }
  reference_project(q, x);
  for (int i = 0; i < n; i++) worst = fmaxl(worst, fabsl(f[i] - x[i]));
  free(f);
  free(v);
  free(x);
  return (double)worst;
}

// The optimum of the convex problem with s added to v_free, from f on.
static void reference_convex(const Problem* q, const real* s, real* f) {
  int n = q->p.n;
  real L = 0, theta = 1;
  real *y = calloc(n, sizeof(real)), *v = calloc(n, sizeof(real)), *last = calloc(n, sizeof(real));
  for (int i = 0; i < n; i++) {
    real sum = q->p.R ? q->p.R[i] : 0;
    for (int j = 0; j < n; j++) sum += fabsl((real)q->A[i * q->stride + j]);
    L = fmaxl(L, sum);
  }
  memcpy(y, f, sizeof(real) * n);
  for (int k = 0; k < 200000; k++) {
    memcpy(last, f, sizeof(real) * n);
    reference_velocity(q, y, v);
    for (int i = 0; i < n; i++) f[i] = y[i] - (v[i] + s[i]) / L;
    reference_project(q, f);
    real next = (1 + sqrtl(1 + 4 * theta * theta)) / 2, change = 0, down = 0;
    for (int i = 0; i < n; i++) {
      change = fmaxl(change, fabsl(f[i] - last[i]));
      down += (y[i] - f[i]) * (f[i] - last[i]);
    }
    real beta = down > 0 ? 0 : (theta - 1) / next;  // restart when it climbs
    theta = down > 0 ? 1 : next;
    for (int i = 0; i < n; i++) y[i] = f[i] + beta * (f[i] - last[i]);
    if (change < 1e-17L) break;
  }
  free(y);
  free(v);
  free(last);
}

// f of the NCP or of the CCP.
static inline void reference_solve(const Problem* q, int ncp, double* force) {
  int n = q->p.n;
  real *f = calloc(n, sizeof(real)), *v = calloc(n, sizeof(real)), *s = calloc(n, sizeof(real));
  for (int k = 0; k < (ncp ? 300 : 1); k++) {
    reference_convex(q, s, f);
    reference_velocity(q, f, v);
    real change = 0;
    for (int b = 0; ncp && b < q->p.nblock; b++) {
      real next = reference_correction(q->block + b, v);
      change = fmaxl(change, fabsl(next - s[q->block[b].row]));
      s[q->block[b].row] = next;
    }
    if (change < 1e-15L) break;
  }
  for (int i = 0; i < n; i++) force[i] = (double)f[i];
  free(f);
  free(v);
  free(s);
}

#endif
