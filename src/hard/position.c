// Positions taken back to where they belong, without giving the system velocity.
//
//   min_w 1/2 (w - u')' M^ (w - u')    equalities: J w = -erp r / h     limits: J w >= -erp r / h
//   contacts that bounced: J_N w = (gap' - gap) / h     too deep: J_N w >= -erp (gap + slop) / h
//
// Its dual has the rows of the step without friction, and the same D: a convex problem for ADMM.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "data/frame.h"
#include "hard/private.h"

#define ENOUGH 1e-12    // errors below are left alone
#define ACCURACY 1e-7   // of velocities: 1e-10 m in a step of a millisecond
#define MOST_STEPS 100  // a jam is given up soon
#define SOFT 1e-3       // of the diagonal of D, where bodies are jammed

typedef struct snTarget_ {
  int n;
  snDualBlock* block;
  int *row, *nnz, *adr;
  mjtNum* velocity;  // J w, wanted or at least
  bool needed, loops;
} snTarget;

static void add_target(snTarget* t, const snHardRows* rows, int row, int kind, mjtNum velocity,
                       bool needed) {
  int i = t->n++;
  t->block[i] = (snDualBlock){kind, i, 1, 0, 0};
  t->row[i] = row;
  t->nnz[i] = rows->nnz[row];
  t->adr[i] = rows->adr[row];
  t->velocity[i] = velocity;
  t->needed |= needed;
  t->loops |= kind == snDUAL_FREE;
}

// The rows of an island that have something to take back; equalities all come along once one has.
static void find_targets(snTarget* t, const snHardRows* rows, int island, const snImpact* impact,
                         const snSolverSettings* set, const mjtNum* f, mjtNum h) {
  t->n = 0;
  t->needed = t->loops = false;
  for (int k = rows->island[island]; k < rows->island[island + 1]; k++) {
    const snDualBlock* b = rows->block + k;
    bool contact = rows->contact[k] >= 0;
    mjtNum r = rows->r[b->row];
    if (b->kind == snDUAL_FREE) {
      for (int i = b->row; i < b->row + b->nrow; i++) {
        mjtNum error = rows->r[i];
        add_target(t, rows, i, snDUAL_FREE, -set->erp_joint * error / h, fabs(error) > ENOUGH);
      }
    } else if (contact && impact[k].hit) {
      if (f[b->row] <= 0) continue;
      add_target(t, rows, b->row, snDUAL_FREE, (impact[k].gap - r) / h, true);
    } else if (contact) {
      if (r >= -set->slop - ENOUGH) continue;
      add_target(t, rows, b->row, snDUAL_HALF, -set->erp_contact * (r + set->slop) / h, true);
    } else if (b->kind == snDUAL_HALF && r < -ENOUGH) {
      add_target(t, rows, b->row, snDUAL_HALF, -set->erp_limit * r / h, true);
    }
  }
}

// Bodies that are jammed cannot all part: no w meets every inequality, and impulses go to infinity.
// The rows are made soft then, R = 1e-3 of the diagonal of D, and w is a compromise; without that
// either, positions stay where the step leads.
static void solve_targets(const snDualSolver* solver, snDual* p, const snHardRows* rows,
                          const snTarget* t, mjtNum* R) {
  snSolverReport report;
  mju_zero(p->force, p->n);
  dual_solve(solver, p, &report);
  if (report.converged) return;
  for (int i = 0; i < p->n; i++) R[i] = SOFT * rows->diagonal[t->row[i]];
  p->R = R;
  mju_zero(p->force, p->n);
  dual_solve(solver, p, &report);
  if (!report.converged) mju_zero(p->force, p->n);
}

// The impulses that take an island's positions back.
static bool correct_island(mjData* d, const snHardRows* rows, int island, const snTarget* t,
                           const mjtNum* u, mjtNum* f) {
  const snDualSolver* solver = dual_find("admm-ccp");
  int n = t->n;
  mjtNum *v, *R, *scratch;
  snDual p = {.n = n, .nblock = n, .block = t->block};
  mj_markStack(d);
  p.D = rows_operator(d, rows, island, t->nnz, t->adr, n, t->loops);
  p.nscratch = p.D ? dual_scratch(solver, p.D, n) : 0;
  if (!p.D || !FRAME(memory_of(d), SN_ARRAY(v, n), SN_ARRAY(R, n), SN_ARRAY(p.force, n),
                     SN_ARRAY(p.velocity, n), SN_ARRAY(scratch, p.nscratch))) {
    mj_freeStack(d);
    return false;
  }
  p.v_free = v;
  p.scratch = scratch;
  for (int i = 0; i < n; i++) {
    v[i] = sparse_dot(rows->J + t->adr[i], u, t->nnz[i], rows->col + t->adr[i]) - t->velocity[i];
  }
  dual_defaults(solver, &p.set);
  p.set.tol_primal = p.set.tol_dual = ACCURACY;
  p.set.aim = 1;
  p.set.iterations = MOST_STEPS;
  solve_targets(solver, &p, rows, t, R);
  for (int i = 0; i < n; i++) f[t->row[i]] = p.force[i];
  mj_freeStack(d);
  return true;
}

// All islands: each has its rows of the arrays of `whole`.
typedef struct snCorrection_ {
  mjData* d;
  const snHardRows* rows;
  const snImpact* impact;
  const snSolverSettings* set;
  const mjtNum *f, *u;
  mjtNum h, *push;
  snTarget whole;
  char* done;  // (nisland) 0 nothing to take back, 1 taken back, 2 no memory
} snCorrection;

static void correct_part(void* context, int island) {
  const snCorrection* c = context;
  const snHardRows* rows = c->rows;
  snTarget t = c->whole;
  c->done[island] = 0;
  if (rows->island[island] == rows->island[island + 1]) return;
  int row = rows->block[rows->island[island]].row;
  SN_ASSERT(row < rows->n);
  t.block += row;
  t.row += row;
  t.nnz += row;
  t.adr += row;
  t.velocity += row;
  find_targets(&t, rows, island, c->impact, c->set, c->f, c->h);
  if (t.needed) c->done[island] = correct_island(c->d, rows, island, &t, c->u, c->push) ? 1 : 2;
}

bool position_correct(const mjModel* m, mjData* d, const snHardRows* rows, const snImpact* impact,
                      const snSolverSettings* set, const mjtNum* f, mjtNum* u) {
  int n = rows->n;
  bool needed = false;
  snCorrection c = {d, rows, impact, set, f, u, .h = m->opt.timestep};
  snTarget* t = &c.whole;
  mj_markStack(d);
  bool good = FRAME(memory_of(d), SN_ARRAY(t->block, n), SN_ARRAY(t->row, n), SN_ARRAY(t->nnz, n),
                    SN_ARRAY(t->adr, n), SN_ARRAY(t->velocity, n), SN_ARRAY(c.push, n),
                    SN_ARRAY(c.done, rows->nisland));
  if (good) {
    mju_zero(c.push, n);
    good = islands_each(d, rows->nisland, correct_part, &c);
  }
  for (int k = 0; good && k < rows->nisland; k++) {
    needed |= c.done[k];
    good = c.done[k] < 2;
  }
  if (good && needed) good = rows_add(m, d, rows, c.push, u);
  mj_freeStack(d);
  return good;
}
