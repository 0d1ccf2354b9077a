// The linear system of a Newton step. Each block has a residual F with dF = G df + H dv, so that a
// step solves
//   (G + H (D + R + small)) df = -F
// where the small number, of a diagonal scaled to 1, leaves alone what D does not determine.
//
// With D in factors the same system is solved over velocities (panels.h). C = G + H (R + small) is
// inverted block by block there, so that the small number cannot be as small as rounding: 1e-7, and
// the step is refined with the same factor, by which its influence vanishes.
#include <math.h>
#include <string.h>

#include "dual/private.h"

#define REFINE 6            // times that a step over velocities is refined
#define ENOUGH 1e-12        // of the residual: what is left of it behind a refined step,
#define ENOUGH_INSIDE 1e-6  // and behind one along a curve, which the next step corrects

size_t newton_scratch(const snDelassus* D, bool inner) {
  size_t n = (size_t)D->n, stride = (size_t)dual_stride(D->n);
  bool over_velocities = inner && delassus_inner(D);
  return (over_velocities ? 3 * DUAL_MAXCONE * n + 4 * stride : (n + 1) * stride) + 6 * stride;
}

void newton_make(snDualNewton* q, const snDual* p, int form, const snMatrix* A, const mjtNum* scale,
                 mjtNum* scratch) {
  size_t stride = (size_t)A->stride, n = (size_t)p->n;
  *q = (snDualNewton){.p = p, .form = form, .A = A, .scale = scale, .N = scratch};
  q->f = scratch + (A->inner ? stride : n * stride);
  q->v = q->f + stride;
  q->step = q->v + stride;
  q->real = q->step + stride;
  q->velocity = q->real + stride;
  q->rest = q->velocity + stride;
  SN_ASSERT(stride % 4 == 0 && (int)n <= A->stride);
  if (!A->inner) return;
  q->product = q->rest + stride;
  q->correction = q->product + stride;
  q->G = q->correction + stride;
  q->H = q->G + DUAL_MAXCONE * n;
  q->inverse = q->H + DUAL_MAXCONE * n;
  SN_ASSERT(q->inverse + DUAL_MAXCONE * n <= scratch + newton_scratch(p->D, true));
}

// What the diagonal of a row is raised by
static mjtNum raise_row(const snDualNewton* q, int row) {
  const mjtNum *R = q->p->R, own = q->scale[row];
  return q->small + (R ? R[row] * own * own : 0);
}

SN_KERNEL static void add_row(mjtNum* to, const mjtNum* row, const mjtNum* scale, mjtNum s, int n) {
  for (int j = 0; j < n; j++) to[j] += s * row[j] * scale[j];
}

// Rows of the Newton matrix that belong to one block, and the negative residual.
static void block_rows(const snDualNewton* q, const snDualBlock* b) {
  const snMatrix* A = q->A;
  const mjtNum* scale = q->scale;
  int n = b->kind == snDUAL_FREE ? 1 : b->nrow;
  SN_ASSERT(n <= DUAL_MAXCONE);
  for (int row = b->row; row < b->row + b->nrow; row += n) {
    snState s = {{0}, {0}, {0}};
    q->state(q->self, b, row, n, &s);
    for (int i = 0; i < n; i++) {
      mjtNum* to = q->N + (size_t)(row + i) * A->stride;
      memset(to, 0, sizeof(mjtNum) * (size_t)A->stride);
      q->step[row + i] = -s.F[i];
      for (int j = 0; j < n; j++) {
        mjtNum h = s.H[i * n + j], own = scale[row + j];
        if (h != 0) add_row(to, A->A + (size_t)(row + j) * A->stride, scale, h * own, A->n);
        to[row + j] += s.G[i * n + j] + h * raise_row(q, row + j);
      }
    }
  }
}

SN_INLINE void take_row(mjtNum* from, const mjtNum* row, mjtNum s, int begin, int n) {
  for (int j = begin; j < n; j++) from[j] -= s * row[j];
}

SN_INLINE void swap_rows(mjtNum* a, mjtNum* b, int n) {
  for (int j = 0; j < n; j++) {
    mjtNum swap = a[j];
    a[j] = b[j];
    b[j] = swap;
  }
}

// N <- its factors, rows swapped for the largest pivot of each column: `pivot` (n). False when it
// is singular.
SN_INLINE bool factor_full(mjtNum* N, int* pivot, int n, int stride) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(N[(size_t)i * stride + k]) > fabs(N[(size_t)best * stride + k])) best = i;
    }
    mjtNum* row = N + (size_t)k * stride;
    pivot[k] = best;
    if (best != k) swap_rows(row, N + (size_t)best * stride, n);
    if (!(fabs(row[k]) > 1e-14)) return false;
    for (int i = k + 1; i < n; i++) {
      mjtNum* below = N + (size_t)i * stride;
      below[k] /= row[k];
      if (below[k] != 0) take_row(below, row, below[k], k + 1, n);
    }
  }
  return true;
}

SN_INLINE void solve_full(const mjtNum* N, const int* pivot, mjtNum* x, int n, int stride) {
  for (int k = 0; k < n; k++) {
    SN_ASSERT(pivot[k] >= k && pivot[k] < n);
    mjtNum swap = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = swap;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= N[(size_t)i * stride + k] * x[k];
  }
  for (int i = n - 1; i >= 0; i--) {
    const mjtNum* row = N + (size_t)i * stride;
    for (int j = i + 1; j < n; j++) x[i] -= row[j] * x[j];
    x[i] /= row[i];
  }
}

SN_KERNEL static bool solve_rows(const snDualNewton* q) {
  int *pivot = (int*)q->rest, n = q->p->n;
  if (!factor_full(q->N, pivot, n, q->A->stride)) return false;
  solve_full(q->N, pivot, q->step, n, q->A->stride);
  return true;
}

static bool direction_full(const snDualNewton* q) {
  for (int b = 0; b < q->p->nblock; b++) block_rows(q, q->p->block + b);
  return solve_rows(q);
}

// ---- the same over velocities

// X <- inv(A), both n x n; A is used up.
SN_INLINE bool invert_any(mjtNum* A, mjtNum* X, int n) {
  int pivot[DUAL_MAXCONE];
  if (!factor_full(A, pivot, n, n)) return false;
  for (int j = 0; j < n; j++) {
    mjtNum unit[DUAL_MAXCONE] = {0};
    unit[j] = 1;
    solve_full(A, pivot, unit, n, n);
    for (int i = 0; i < n; i++) X[i * n + j] = unit[i];
  }
  return true;
}

// Contacts have three rows as a rule: loops of a length that the compiler knows.
SN_INLINE bool invert_small(mjtNum* A, mjtNum* X, int n) {
  if (n == 3) return invert_any(A, X, 3);
  if (n > 1) return invert_any(A, X, n);
  X[0] = 1 / A[0];
  return fabs(A[0]) > 1e-14;
}

SN_INLINE void mul_any(mjtNum* y, const mjtNum* A, const mjtNum* x, int n) {
  for (int i = 0; i < n; i++) {
    mjtNum sum = 0;
    for (int j = 0; j < n; j++) sum += A[i * n + j] * x[j];
    y[i] = sum;
  }
}

SN_INLINE void small_mul(mjtNum* y, const mjtNum* A, const mjtNum* x, int n) {
  if (n == 3)
    mul_any(y, A, x, 3);
  else
    mul_any(y, A, x, n);
}

// inv(C), B = S inv(C) H S and the negative residual of n rows of a block
SN_INLINE bool rows_inner(const snDualNewton* q, const snDualBlock* b, int row, int n) {
  const mjtNum* scale = q->scale;
  size_t at = (size_t)row * DUAL_MAXCONE;
  mjtNum C[DUAL_MAXCONE * DUAL_MAXCONE], *X = q->inverse + at;
  snState s = {{0}, {0}, {0}};
  q->state(q->self, b, row, n, &s);
  for (int i = 0; i < n * n; i++) {
    C[i] = s.G[i] + s.H[i] * raise_row(q, row + i % n);
    q->G[at + i] = s.G[i];
    q->H[at + i] = s.H[i];
  }
  if (!invert_small(C, X, n)) return false;
  for (int i = 0; i < n; i++) {
    q->rest[row + i] = -s.F[i];
    for (int j = 0; j < n; j++) {
      mjtNum sum = 0;
      for (int k = 0; k < n; k++) sum += X[i * n + k] * s.H[k * n + j];
      C[i * n + j] = scale[row + i] * sum * scale[row + j];
    }
  }
  panels_add_block(q->A->inner, row, n, C);
  return true;
}

static bool block_inner(const snDualNewton* q, const snDualBlock* b) {
  int n = b->kind == snDUAL_FREE ? 1 : b->nrow;
  if (n == 3) return rows_inner(q, b, b->row, 3);
  for (int row = b->row; row < b->row + b->nrow; row += n) {
    if (!rows_inner(q, b, row, n)) return false;
  }
  return true;
}

typedef void (*snEachBlock)(const snDualNewton* q, int row, int n);

SN_INLINE void each_block(const snDualNewton* q, snEachBlock act) {
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    int n = b->kind == snDUAL_FREE ? 1 : b->nrow;
    for (int row = b->row; row < b->row + b->nrow; row += n) act(q, row, n);
  }
}

// inv(C) r, and the same times S for W'
static void block_begin(const snDualNewton* q, int row, int n) {
  small_mul(q->correction + row, q->inverse + (size_t)row * DUAL_MAXCONE, q->rest + row, n);
  for (int i = row; i < row + n; i++) q->product[i] = q->scale[i] * q->correction[i];
}

// df = inv(C) (r - H S W z). z is W'S df, so that S W z is D df of the scaled problem: it is left
// in q->product, which saves who wants it a product with D.
static void block_end(const snDualNewton* q, int row, int n) {
  size_t at = (size_t)row * DUAL_MAXCONE;
  mjtNum *w = q->product + row, h[DUAL_MAXCONE], x[DUAL_MAXCONE];
  for (int i = 0; i < n; i++) w[i] *= q->scale[row + i];
  small_mul(h, q->H + at, w, n);
  small_mul(x, q->inverse + at, h, n);
  for (int i = 0; i < n; i++) q->step[row + i] += q->correction[row + i] - x[i];
}

// r -= G df + H dv, where q->correction is dv
static void block_rest(const snDualNewton* q, int row, int n) {
  size_t at = (size_t)row * DUAL_MAXCONE;
  mjtNum g[DUAL_MAXCONE], h[DUAL_MAXCONE];
  small_mul(g, q->G + at, q->step + row, n);
  small_mul(h, q->H + at, q->correction + row, n);
  for (int i = 0; i < n; i++) q->rest[row + i] -= g[i] + h[i];
}

static mjtNum largest(const mjtNum* x, int n) {
  mjtNum worst = 0;
  for (int i = 0; i < n; i++) worst = fabs(x[i]) > worst ? fabs(x[i]) : worst;
  return worst;
}

// (C + H S W W'S) df = -F, then the residual of (G + H (R + S W W'S)) df = -F solved for again.
static void solve_inner(const snDualNewton* q) {
  const snDual* p = q->p;
  snPanels* inner = q->A->inner;
  int n = p->n;
  mjtNum* negative = q->N;  // -F
  memcpy(negative, q->rest, sizeof(mjtNum) * (size_t)n);
  memset(q->step, 0, sizeof(mjtNum) * (size_t)n);
  mjtNum first = largest(negative, n), before = INFINITY;
  mjtNum enough = q->inside ? ENOUGH_INSIDE : ENOUGH;
  for (int k = 0; k < REFINE; k++) {
    each_block(q, block_begin);
    panels_gather(inner, q->product, n, inner->w);
    panels_solve(inner, inner->w);
    panels_spread(inner, inner->w, n, q->product);
    each_block(q, block_end);
    if (q->inside ? !q->refined : q->small > 1e-6) return;  // on purpose
    for (int i = 0; i < n; i++) q->product[i] = q->scale[i] * q->step[i];
    p->D->mul(p->D, q->correction, q->product);
    for (int i = 0; i < n; i++) {
      mjtNum R = p->R ? p->R[i] * q->scale[i] * q->scale[i] : 0;
      if (q->inside) R = raise_row(q, i);
      q->product[i] = q->scale[i] * q->correction[i];
      q->correction[i] = q->product[i] + R * q->step[i];
      q->rest[i] = negative[i];
    }
    each_block(q, block_rest);
    mjtNum now = largest(q->rest, n);
    if (!(now < 0.5 * before) || now < enough * first || now < 1e-14) break;
    before = now;
  }
}

static bool direction_inner(const snDualNewton* q) {
  panels_begin(q->A->inner);
  for (int b = 0; b < q->p->nblock; b++) {
    if (!block_inner(q, q->p->block + b)) return false;
  }
  if (!panels_factor(q->A->inner)) return false;
  solve_inner(q);
  return true;
}

bool newton_direction(const snDualNewton* q) {
  return q->A->inner ? direction_inner(q) : direction_full(q);
}

void newton_again(const snDualNewton* q, const mjtNum* negative) {
  if (q->A->inner) {
    memcpy(q->rest, negative, sizeof(mjtNum) * (size_t)q->p->n);
    solve_inner(q);
    return;
  }
  memcpy(q->step, negative, sizeof(mjtNum) * (size_t)q->p->n);
  solve_full(q->N, (const int*)q->rest, q->step, q->p->n, q->A->stride);
}

void newton_change(const snDualNewton* q, mjtNum* dv) {
  const snDual* p = q->p;
  const mjtNum* Ddf = q->product;
  if (!q->A->inner) {
    for (int i = 0; i < p->n; i++) q->real[i] = q->scale[i] * q->step[i];
    p->D->mul(p->D, dv, q->real);
    for (int i = 0; i < p->n; i++) dv[i] *= q->scale[i];
    Ddf = dv;
  }
  for (int i = 0; i < p->n; i++) dv[i] = Ddf[i] + raise_row(q, i) * q->step[i];
}
