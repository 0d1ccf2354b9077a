// Positions taken back to where they belong, without giving the system velocity.
//
//   min_w 1/2 (w - u')' M^ (w - u')    equalities: J w = -erp r / h     limits: J w >= -erp r / h
//   contacts that bounced: J_N w = (gap' - gap) / h     too deep: J_N w >= -erp (gap + slop) / h
//
// Its dual has the rows of the step without friction, and the same D: a convex problem for ADMM.
#include <math.h>
#include <string.h>

#include "hard/private.h"

#define ENOUGH 1e-12  // errors below are left alone

typedef struct snTarget_ {
  int row, kind;
  mjtNum velocity;  // J w, wanted or at least
} snTarget;

// The rows that have something to take back; equalities all come along once one has.
static int find_targets(const snHardRows* rows, const snImpact* impact, const snSolverSettings* set,
                        const mjtNum* f, mjtNum h, snTarget* target, bool* needed) {
  int n = 0;
  *needed = false;
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    bool contact = rows->contact[k] >= 0;
    mjtNum r = rows->r[b->row];
    if (b->kind == snDUAL_FREE) {
      for (int i = 0; i < b->nrow; i++) {
        mjtNum error = rows->r[b->row + i];
        target[n++] = (snTarget){b->row + i, snDUAL_FREE, -set->erp_joint * error / h};
        *needed |= fabs(error) > ENOUGH;
      }
    } else if (contact && impact[k].hit) {
      if (f[b->row] <= 0) continue;
      target[n++] = (snTarget){b->row, snDUAL_FREE, (impact[k].gap - r) / h};
      *needed = true;
    } else if (contact) {
      if (r >= -set->slop - ENOUGH) continue;
      target[n++] = (snTarget){b->row, snDUAL_HALF, -set->erp_contact * (r + set->slop) / h};
      *needed = true;
    } else if (b->kind == snDUAL_HALF && r < -ENOUGH) {
      target[n++] = (snTarget){b->row, snDUAL_HALF, -set->erp_limit * r / h};
      *needed = true;
    }
  }
  return n;
}

void position_correct(const mjModel* m, mjData* d, const snHardRows* rows, const snImpact* impact,
                      const snSolverSettings* set, const mjtNum* f, mjtNum* u) {
  int nv = m->nv;
  bool needed;
  mj_markStack(d);
  snTarget* target = mj_stackAllocByte(d, sizeof(snTarget) * (size_t)rows->n, 8);
  int n = find_targets(rows, impact, set, f, m->opt.timestep, target, &needed);
  if (!needed) {
    mj_freeStack(d);
    return;
  }
  const snDualSolver* solver = dual_find("admm-ccp");
  int stride = (n + 3) & ~3;
  mjtNum* D = mj_stackAllocNum(d, (size_t)n * stride);
  mjtNum* v = mj_stackAllocNum(d, n);
  mjtNum* state = mj_stackAllocNum(d, n);
  snDualBlock* block = mj_stackAllocByte(d, sizeof(snDualBlock) * (size_t)n, 8);
  for (int i = 0; i < n; i++) {
    int row = target[i].row;
    block[i] = (snDualBlock){target[i].kind, i, 1, 0, 0};
    v[i] = sparse_dot(rows->J + rows->adr[row], u, rows->nnz[row], rows->col + rows->adr[row]) -
           target[i].velocity;
    for (int j = 0; j < n; j++) {
      D[(size_t)i * stride + j] = rows->D[(size_t)row * rows->stride + target[j].row];
    }
  }
  snDelassus op = delassus_dense(n, D, stride, state);
  snDual p = {.n = n, .nblock = n, .block = block, .D = &op, .v_free = v};
  dual_defaults(solver, &p.set);
  p.set.tol_primal = p.set.tol_dual = 1e-9;
  p.set.iterations = 200;
  p.force = mj_stackAllocNum(d, n);
  p.velocity = mj_stackAllocNum(d, n);
  p.nscratch = dual_scratch(solver, n, n);
  p.scratch = mj_stackAllocNum(d, p.nscratch);
  mju_zero(p.force, n);
  snSolverReport report;
  dual_solve(solver, &p, &report);
  for (int i = 0; i < n; i++) {
    vec_add_scaled(u, rows->Y + (size_t)target[i].row * nv, p.force[i], nv);
  }
  mj_freeStack(d);
}
