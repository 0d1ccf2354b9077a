// The problem without the rows that nothing can move.
//
// A mechanism in the plane, or on a line, meets the ground with contacts whose tangent across the
// plane has D_ii = 0: no impulse changes the velocity of that row, and no velocity depends on the
// impulse of that row. Such a row has nothing to say, but a solver that divides by the diagonal of
// D, or takes a step length from the smallest one, is misled by it. So the row is left out of the
// problem, for every solver alike:
//
//   a tangent of a cone       the cone of the other rows; with the normal alone a half-line
//   the normal of a cone      the whole contact: f = 0 solves its NCP, since v_N = v_free_N >= 0
//   a limit, an equality      f = 0; where v_free asks for what cannot be, the problem has no
//                             solution, and the report says so
//   dry friction              f = 0, or the bound against v_free
//
// A row that moves at a given velocity whatever the impulses are (D_ii = 0, v_free != 0) is not
// left out of a cone: the direction of sliding depends on it.
#include <math.h>
#include <string.h>

#include "dual/private.h"

// D_ii + R_ii below this share of the mean is zero but for the rounding of J inv(M) J'.
#define REDUCE_SHARE 1e-14
// Rows of one equality that may lie between the first and the last row of a reduced block.
#define REDUCE_SPAN (2 * DUAL_MAXCONE)

typedef struct snMovable_ {
  const snDelassus* D;  // of all rows
  const int* row;       // (n) number of a reduced row among all
  mjtNum *x, *y;        // over all rows
} snMovable;

static void reduced_mul(const snDelassus* D, mjtNum* y, const mjtNum* x) {
  const snMovable* r = D->self;
  memset(r->x, 0, sizeof(mjtNum) * (size_t)r->D->n);
  for (int i = 0; i < D->n; i++) r->x[r->row[i]] = x[i];
  r->D->mul(r->D, r->y, r->x);
  for (int i = 0; i < D->n; i++) y[i] = r->y[r->row[i]];
}

// Column by column: D is symmetric, so that D times a unit vector is a row.
static void reduced_dense(const snDelassus* D, mjtNum* A, int stride, int* first) {
  const snMovable* r = D->self;
  memset(r->x, 0, sizeof(mjtNum) * (size_t)r->D->n);
  for (int i = 0; i < D->n; i++) {
    mjtNum* row = A + (size_t)i * stride;
    r->x[r->row[i]] = 1;
    r->D->mul(r->D, r->y, r->x);
    r->x[r->row[i]] = 0;
    for (int j = 0; j < D->n; j++) row[j] = r->y[r->row[j]];
    for (int j = D->n; j < stride; j++) row[j] = 0;
    first[i] = 0;
    while (first[i] < i && row[first[i]] == 0) first[i]++;
  }
}

static void reduced_block(const snDelassus* D, int row, int nrow, mjtNum* B) {
  const snMovable* r = D->self;
  int at = r->row[row], span = r->row[row + nrow - 1] + 1 - at;
  mjtNum all[REDUCE_SPAN * REDUCE_SPAN];
  SN_ASSERT(span >= nrow && span <= REDUCE_SPAN);
  r->D->block(r->D, at, span, all);
  for (int i = 0; i < nrow; i++) {
    for (int j = 0; j < nrow; j++) {
      B[i * nrow + j] = all[(r->row[row + i] - at) * span + r->row[row + j] - at];
    }
  }
}

static void reduced_start(const snDelassus* D, const mjtNum* f) {
  const snMovable* r = D->self;
  memset(r->x, 0, sizeof(mjtNum) * (size_t)r->D->n);
  for (int i = 0; i < D->n; i++) r->x[r->row[i]] = f[i];
  r->D->start(r->D, r->x);
}

static void reduced_read(const snDelassus* D, int row, int nrow, mjtNum* z) {
  const snMovable* r = D->self;
  for (int i = 0; i < nrow; i++) r->D->read(r->D, r->row[row + i], 1, z + i);
}

static void reduced_move(const snDelassus* D, int row, int nrow, const mjtNum* df) {
  const snMovable* r = D->self;
  for (int i = 0; i < nrow; i++) r->D->move(r->D, r->row[row + i], 1, df + i);
}

// What dual_scratch adds: diagonal, four vectors of the reduced problem, two over all rows, row
// numbers, blocks (an equality may fall apart into its rows).
size_t reduce_scratch(int n, int nblock) {
  size_t blocks = sizeof(snDualBlock) * (size_t)(nblock + n);
  return 8 * (size_t)n + blocks / sizeof(mjtNum) + 1;
}

// Marks rows to be left out by NaN in `diagonal`; returns how many those are.
static int reduce_mark(const snDual* p, mjtNum* diagonal) {
  mjtNum sum = 0;
  for (int i = 0; i < p->n; i++) {
    p->D->block(p->D, i, 1, diagonal + i);
    if (p->R) diagonal[i] += p->R[i];
    sum += diagonal[i];
  }
  mjtNum least = REDUCE_SHARE * sum / p->n;
  int count = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    bool cone = b->kind == snDUAL_CONE, all = cone && diagonal[b->row] <= least;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      bool still = diagonal[i] <= least && (!cone || i == b->row || p->v_free[i] == 0);
      if (!all && !still) continue;
      diagonal[i] = NAN;
      count++;
    }
  }
  return count;
}

static int reduce_blocks(const snDual* p, const mjtNum* diagonal, snDualBlock* block, int* row) {
  int n = 0, nblock = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    snDualBlock left = *b;
    left.row = n;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      if (isnan(diagonal[i])) continue;
      if (n > left.row && i - row[left.row] >= REDUCE_SPAN) {  // of an equality
        left.nrow = n - left.row;
        block[nblock++] = left;
        left.row = n;
      }
      row[n++] = i;
    }
    left.nrow = n - left.row;
    if (left.kind == snDUAL_CONE && left.nrow == 1) left.kind = snDUAL_HALF;
    if (left.nrow) block[nblock++] = left;
  }
  return nblock;
}

// Impulses of the rows left out; the largest velocity among them that no impulse can mend.
static mjtNum reduce_rest(const snDual* p, const mjtNum* diagonal) {
  mjtNum worst = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      if (!isnan(diagonal[i])) continue;
      mjtNum v = p->v_free[i];
      p->force[i] = b->kind == snDUAL_BOX && v != 0 ? (v > 0 ? -b->bound : b->bound) : 0;
      if (b->kind == snDUAL_FREE) worst = fmax(worst, fabs(v));
      if (b->kind >= snDUAL_HALF && i == b->row) worst = fmax(worst, -v);
    }
  }
  return worst;
}

// Solves p, without the rows that nothing can move where there are some.
void reduce_solve(const snDualSolver* solver, const snDual* p, snSolverReport* report) {
  int all = p->n;
  snScratch s = {p->scratch, p->scratch + p->nscratch};
  mjtNum* diagonal = scratch_take(&s, all);
  int still = p->set.drop_rows ? reduce_mark(p, diagonal) : 0;
  if (!still) {
    solver->solve(p, report);
    return;
  }
  int n = all - still;
  snDualBlock* block = (snDualBlock*)scratch_take(
      &s, (sizeof(snDualBlock) * (size_t)(p->nblock + all) + sizeof(mjtNum) - 1) / sizeof(mjtNum));
  int* row = (int*)scratch_take(&s, all);
  snMovable r = {p->D, row, scratch_take(&s, all), scratch_take(&s, all)};
  snFactored J;
  snPanels inner;
  snDelassus D,
      slow = {
          n,  reduced_mul, reduced_dense, reduced_block, reduced_start, reduced_read, reduced_move,
          &r, 0,           NULL};
  snDual q = *p;
  q.n = n;
  q.nblock = reduce_blocks(p, diagonal, block, row);
  q.block = block;
  SN_ASSERT(q.nblock <= p->nblock + all);
  SN_ASSERT(!q.nblock || block[q.nblock - 1].row + block[q.nblock - 1].nrow == n);
  q.D = delassus_rows(&D, &J, &inner, p->D, n, row, (int*)r.x, (int*)r.y) ? &D : &slow;
  mjtNum *R = scratch_take(&s, n), *v_free = scratch_take(&s, n);
  q.force = scratch_take(&s, n);
  q.velocity = scratch_take(&s, n);
  for (int i = 0; i < n; i++) {
    if (p->R) R[i] = p->R[row[i]];
    v_free[i] = p->v_free[row[i]];
    q.force[i] = p->force[row[i]];
  }
  q.R = p->R ? R : NULL;
  q.v_free = v_free;
  q.scratch = s.at;
  q.nscratch = (size_t)(s.end - s.at);
  if (n)
    solver->solve(&q, report);
  else
    report->converged = true;
  if (reduce_rest(p, diagonal) > fmin(p->set.tol_primal, p->set.tol_dual))
    report->converged = false;
  for (int i = 0; i < n; i++) p->force[row[i]] = q.force[i];
}
