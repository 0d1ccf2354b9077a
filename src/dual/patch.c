// The last digits of a large problem, patch by patch.
//
// In a heap of boxes a few contacts are left at the end that cannot be told apart at large: two
// corners of a face nearly in one place, of which one carries everything and the other parts at
// 1e-8 m/s. Which one depends on digits that Newton's method over all contacts does not see. So the
// worst contact is solved anew together with the contacts of its two bodies, the others held:
//
//   v_P = D_PP f_P + c,    c = v_P(f) - D_PP f_P
//
// a problem of a few dozen rows as a dense matrix, for which ADMM and all its helpers cost little.
// What it finds is taken when the natural map of the whole does not grow.
#include <math.h>
#include <string.h>

#include "dual/private.h"

#define PATCH_ROWS 96       // at most
#define PATCHES 8           // tried at most
#define PATCH_STEPS 200     // iterations of one
#define PATCH_COUPLED 1e-9  // of a diagonal: contacts that share a body

typedef struct snDualPatch_ {
  const snDual* p;
  int form;
  int n, nblock;
  snDualBlock block[PATCH_ROWS];
  int row[PATCH_ROWS];                                  // of the whole problem
  mjtNum *A, *state, *c, *R, *force, *velocity, *room;  // of the patch
  size_t nroom;
  mjtNum *x, *y;  // of the whole problem
  char* tried;    // blocks
} snDualPatch;

static const snDelassus kWhole = {.n = PATCH_ROWS};

size_t patch_scratch(const snDelassus* D, int nblock) {
  if (!delassus_inner(D)) return 0;
  return (PATCH_ROWS + 5) * (size_t)PATCH_ROWS + admm_scratch(&kWhole, PATCH_ROWS) +
         2 * (size_t)dual_stride(D->n) + (size_t)nblock / sizeof(mjtNum) + 1;
}

// The block of the largest natural map among those not tried, or -1 when all are below `tolerance`.
static int worst_block(const snDualPatch* q, const mjtNum* f, const mjtNum* v, mjtNum tolerance) {
  int worst = -1;
  mjtNum most = tolerance;
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    mjtNum now = q->tried[k] ? 0 : block_natural(b, q->form, f + b->row, v + b->row);
    if (!(now > most)) continue;
    most = now;
    worst = k;
  }
  return worst;
}

static bool take_block(snDualPatch* q, const snDualBlock* b) {
  if (q->n + b->nrow > PATCH_ROWS) return false;
  q->block[q->nblock] = *b;
  q->block[q->nblock++].row = q->n;
  for (int i = 0; i < b->nrow; i++) q->row[q->n++] = b->row + i;
  SN_ASSERT(q->nblock <= q->n && q->n <= PATCH_ROWS);
  return true;
}

// The rows that rows of block k move: y = D (e_k + ...) has zeros elsewhere.
static bool gather(snDualPatch* q, int k) {
  const snDual* p = q->p;
  const snDualBlock* b = p->block + k;
  q->n = q->nblock = 0;
  if (!take_block(q, b)) return false;
  memset(q->x, 0, sizeof(mjtNum) * (size_t)p->n);
  // weights that no contact's geometry undoes
  for (int i = 0; i < b->nrow; i++) q->x[b->row + i] = 1 + 0.37 * i;
  p->D->mul(p->D, q->y, q->x);
  mjtNum most = 0;
  for (int i = 0; i < b->nrow; i++) most = fmax(most, fabs(q->y[b->row + i]));
  for (int j = 0; j < p->nblock; j++) {
    const snDualBlock* other = p->block + j;
    bool coupled = false;
    for (int i = other->row; i < other->row + other->nrow; i++) {
      coupled |= fabs(q->y[i]) > PATCH_COUPLED * most;
    }
    if (j != k && coupled) take_block(q, other);
  }
  return q->nblock > 1;
}

// D_PP by columns, c and the impulses of the patch; v is the velocity of the whole at f.
static void set_up(const snDualPatch* q, const mjtNum* f, const mjtNum* v) {
  const snDual* p = q->p;
  memset(q->x, 0, sizeof(mjtNum) * (size_t)p->n);
  for (int j = 0; j < q->n; j++) {
    q->x[q->row[j]] = 1;
    p->D->mul(p->D, q->y, q->x);
    q->x[q->row[j]] = 0;
    for (int i = 0; i < q->n; i++) q->A[(size_t)j * PATCH_ROWS + i] = q->y[q->row[i]];
  }
  for (int i = 0; i < q->n; i++) {
    q->force[i] = f[q->row[i]];
    q->R[i] = p->R ? p->R[q->row[i]] : 0;
  }
  full_mul(q->c, q->A, q->force, q->n, PATCH_ROWS);
  for (int i = 0; i < q->n; i++) q->c[i] = v[q->row[i]] - q->c[i] - q->R[i] * q->force[i];
}

static void solve_patch(const snDualPatch* q, snSolverReport* report) {
  const snDual* p = q->p;
  snDelassus D = delassus_dense(q->n, q->A, PATCH_ROWS, q->state);
  snDual own = {.n = q->n,
                .nblock = q->nblock,
                .block = q->block,
                .D = &D,
                .R = p->R ? q->R : NULL,
                .v_free = q->c,
                .inertia = p->inertia,
                .force = q->force,
                .velocity = q->velocity,
                .set = p->set,
                .size = p->size,
                .scratch = q->room,
                .nscratch = q->nroom};
  own.set.iterations = PATCH_STEPS;
  own.set.tol_primal *= dual_enough(p);  // solve_admm aims at a share again
  own.set.tol_dual *= dual_enough(p);
  *report = (snSolverReport){0};
  solve_admm(&own, report);
}

bool patches(const snDualNewton* newton, mjtNum tolerance, mjtNum* force, mjtNum* natural,
             mjtNum* scratch) {
  const snDual* p = newton->p;
  size_t n = PATCH_ROWS, stride = (size_t)dual_stride(p->n);
  snDualPatch q = {.p = p, .form = newton->form, .nroom = admm_scratch(&kWhole, PATCH_ROWS)};
  mjtNum at_start = *natural, *v = newton->velocity;
  if (!newton->A->inner) return false;
  q.A = scratch;
  mjtNum** vectors[] = {&q.state, &q.c, &q.R, &q.force, &q.velocity};
  for (size_t i = 0; i < 5; i++) *vectors[i] = scratch + (n + i) * n;
  q.room = scratch + (n + 5) * n;
  q.x = q.room + q.nroom;
  q.y = q.x + stride;
  q.tried = (char*)(q.y + stride);
  memset(q.tried, 0, (size_t)p->nblock);
  dual_velocity(p, force, v);
  for (int i = 0; i<PATCHES&& * natural> tolerance; i++) {
    snSolverReport report;
    int k = worst_block(&q, force, v, tolerance);
    if (k < 0) break;
    q.tried[k] = 1;
    if (!gather(&q, k)) continue;
    set_up(&q, force, v);
    solve_patch(&q, &report);
    memcpy(q.x, force, sizeof(mjtNum) * (size_t)p->n);
    for (int j = 0; j < q.n; j++) q.x[q.row[j]] = q.force[j];
    dual_velocity(p, q.x, q.y);
    mjtNum now = dual_natural(p, q.form, q.x, q.y);
    // neighbours hear of it: Newton's method over all, which now starts from the right state
    if (now > tolerance) newton_descend(newton, snNEWTON_WHOLE, tolerance, q.x, &now, &report);
    if (now <= *natural) {
      *natural = now;
      memcpy(force, q.x, sizeof(mjtNum) * (size_t)p->n);
    }
    dual_velocity(p, force, v);
  }
  return *natural < at_start;
}
