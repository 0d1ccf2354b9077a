// One hard step: free velocity, the dual problem, and what the engine shows of its solution.
#include <math.h>
#include <string.h>

#include "hard/private.h"
#include "integrate/integrate.h"
#include "smooth/smooth.h"

// Restitution of a contact: the larger of its geoms'; a flex has none.
static mjtNum contact_restitution(const mjContact* con, const mjtNum* e) {
  mjtNum e1 = con->geom[0] >= 0 ? e[con->geom[0]] : 0;
  mjtNum e2 = con->geom[1] >= 0 ? e[con->geom[1]] : 0;
  return fmax(e1, e2);
}

// What is added to v_free = J u_free, row by row: restitution, gaps still open, stabilization,
// softening. v are the velocities J u before the step.
static void add_targets(const mjModel* m, mjData* d, const snHardRows* rows,
                        const snSolverSettings* set, const mjtNum* v, mjtNum* v_free, mjtNum* R,
                        snImpact* impact) {
  mjtNum h = m->opt.timestep;
  bool baumgarte = set->stabilize == snSTABILIZE_VELOCITY;
  mj_markStack(d);
  mjtNum* e = mj_stackAllocNum(d, m->ngeom);
  hard_restitution(m, d, e);
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    int row = b->row;
    mjtNum r = rows->r[row];
    impact[k].hit = false;
    if (set->soften) {
      for (int i = 0; i < b->nrow; i++) {
        int engine =
            rows->efc[k] + (d->efc_type[rows->efc[k]] == mjCNSTR_CONTACT_PYRAMIDAL ? 0 : i);
        const mjtNum* kbip = d->efc_KBIP + 4 * engine;
        mjtNum bias, stiff = rows->contact[k] >= 0 && i ? 0 : kbip[0] * kbip[2];
        dual_soften(kbip[2], stiff, kbip[1], rows->D[(size_t)(row + i) * rows->stride + row + i],
                    rows->r[row + i], v[row + i], h, R + row + i, &bias);
        v_free[row + i] += bias;
      }
    } else if (b->kind == snDUAL_FREE) {
      for (int i = 0; baumgarte && i < b->nrow; i++) {
        v_free[row + i] += dual_bias_joint(rows->r[row + i], set->erp_joint, h);
      }
    } else if (rows->contact[k] >= 0) {
      mjtNum rest = contact_restitution(d->contact + rows->contact[k], e);
      impact[k] = impact_find(r, v[row], (v_free[row] - v[row]) / h, rest, h);
      if (impact[k].hit)
        v_free[row] -= impact[k].velocity;
      else if (r > 0 || baumgarte)
        v_free[row] += dual_bias_contact(r, set->slop, set->erp_contact, h);
    } else if (b->kind == snDUAL_HALF && (r > 0 || baumgarte)) {
      v_free[row] += dual_bias_limit(r, set->erp_limit, h);
    }
  }
  mj_freeStack(d);
}

// Impulses that explain the acceleration of the last step best: (D + small) f = J (u + h a -
// u_free)
static void warm_from_state(const mjModel* m, mjData* d, const snHardRows* rows,
                            const mjtNum* u_free, mjtNum* f) {
  int n = rows->n, stride = rows->stride;
  mj_markStack(d);
  mjtNum* w = mj_stackAllocNum(d, m->nv);
  mjtNum* L = mj_stackAllocNum(d, (size_t)n * stride);
  mjtNum* dinv = mj_stackAllocNum(d, stride);
  mjtNum* x = mj_stackAllocNum(d, stride);
  int* first = mj_stackAllocInt(d, stride);
  for (int i = 0; i < m->nv; i++) {
    w[i] = d->qvel[i] + m->opt.timestep * d->qacc_warmstart[i] - u_free[i];
  }
  mju_zero(x, stride);
  rows_mul(rows, x, w);
  memcpy(L, rows->D, sizeof(mjtNum) * (size_t)n * (size_t)stride);
  mjtNum trace = 0;
  for (int i = 0; i < n; i++) trace += rows->D[(size_t)i * stride + i];
  for (int i = 0; i < n; i++) {
    L[(size_t)i * stride + i] += 1e-8 * trace / n + mjMINVAL;
    first[i] = 0;
  }
  factor_make(L, dinv, first, n, stride, mjMINVAL);
  factor_solve(x, L, dinv, first, n, stride);
  memcpy(f, x, sizeof(mjtNum) * (size_t)n);
  mj_freeStack(d);
}

static void start_from(const mjModel* m, mjData* d, const snHard* hard, const snHardRows* rows,
                       int warmstart, const mjtNum* u_free, mjtNum* f) {
  mju_zero(f, rows->n);
  if (m->opt.disableflags & mjDSBL_WARMSTART) return;
  if (warmstart == snWARM_PREVIOUS && hard->nimpulse == rows->n) {
    memcpy(f, hard->impulse, sizeof(mjtNum) * (size_t)rows->n);
  } else if (warmstart == snWARM_STATE) {
    warm_from_state(m, d, rows, u_free, f);
  }
}

static void keep_impulses(snHard* hard, const mjtNum* f, int n) {
  if (n > hard->room) {
    mjtNum* larger = memory_alloc(sizeof(mjtNum) * (size_t)(2 * n));
    if (!larger) {
      hard->nimpulse = 0;
      return;
    }
    memory_free(hard->impulse);
    hard->impulse = larger;
    hard->room = 2 * n;
  }
  memcpy(hard->impulse, f, sizeof(mjtNum) * (size_t)n);
  hard->nimpulse = n;
}

static void show_statistics(mjData* d, const snSolverReport* report, int n) {
  memset(d->solver_niter, 0, sizeof d->solver_niter);
  memset(d->solver_nnz, 0, sizeof d->solver_nnz);
  d->solver_niter[0] = report->iterations;
  d->solver_nnz[0] = n * n;
  d->solver[0] = (mjSolverStat){.improvement = report->r_objective, .gradient = report->r_natural};
}

// Largest error of a position: equalities, limits passed, contacts in too deep.
static mjtNum position_error(const snHardRows* rows) {
  mjtNum worst = 0;
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    for (int i = 0; b->kind == snDUAL_FREE && i < b->nrow; i++) {
      worst = fmax(worst, fabs(rows->r[b->row + i]));
    }
    if (b->kind == snDUAL_HALF || b->kind == snDUAL_CONE) worst = fmax(worst, -rows->r[b->row]);
  }
  return worst;
}

// The soft problem of the 2011 and 2014 models.
static void soft_problem(const mjModel* m, mjData* d, const snHardRows* rows, snDual* p, mjtNum* R,
                         mjtNum* v_free, const mjtNum* v) {
  mj_markStack(d);
  mjtNum* diag = mj_stackAllocNum(d, rows->n);
  for (int i = 0; i < rows->n; i++) diag[i] = rows->D[(size_t)i * rows->stride + i];
  dual_form2014(p, R, v_free, diag, rows->r, v, m->opt.timestep);
  p->R = R;
  mj_freeStack(d);
}

static void solve_rows(const mjModel* m, mjData* d, snHard* hard, const snDualSolver* solver,
                       const snSolverSettings* set, mjtNum* u) {
  mjtNum trace = 0;
  snHardRows rows;
  rows_make(m, d, &rows);
  int n = rows.n;
  mjtNum* v = mj_stackAllocNum(d, n);
  mjtNum* v_free = mj_stackAllocNum(d, n);
  mjtNum* R = mj_stackAllocNum(d, n);
  mjtNum* state = mj_stackAllocNum(d, n);
  snImpact* impact = mj_stackAllocByte(d, sizeof(snImpact) * (size_t)rows.nblock, 8);
  mju_zero(R, n);
  rows_mul(&rows, v, d->qvel);
  rows_mul(&rows, v_free, u);
  if (!solver->soft) add_targets(m, d, &rows, set, v, v_free, R, impact);
  for (int i = 0; i < m->nv; i++) trace += d->M[d->M_rowadr[i] + d->M_rownnz[i] - 1];

  snDelassus op = delassus_dense(n, rows.D, rows.stride, state);
  snDual p = {.n = n,
              .nblock = rows.nblock,
              .block = rows.block,
              .D = &op,
              .R = set->soften ? R : NULL,
              .v_free = v_free,
              .inertia = trace,
              .force = mj_stackAllocNum(d, n),
              .velocity = mj_stackAllocNum(d, n),
              .set = *set};
  if (solver->soft) soft_problem(m, d, &rows, &p, R, v_free, v);
  p.nscratch = dual_scratch(solver, n, rows.nblock);
  p.scratch = mj_stackAllocNum(d, p.nscratch);
  start_from(m, d, hard, &rows, set->warmstart, u, p.force);
  dual_solve(solver, &p, &hard->report);
  hard->report.r_pen = position_error(&rows);
  if (set->warmstart == snWARM_PREVIOUS) keep_impulses(hard, p.force, n);

  rows_add(&rows, m->nv, p.force, u);
  rows_write(m, d, &rows, p.force);
  mju_copy(hard->velocity, u, m->nv);
  if (set->stabilize == snSTABILIZE_POSITION && !set->soften && !solver->soft) {
    position_correct(m, d, &rows, impact, set, p.force, hard->velocity);
    hard->moved = true;
  }
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  show_statistics(d, &hard->report, n);
}

// qacc is the acceleration of the step, (u' - u) / h: what M^ makes of the forces, as the soft
// engine's qacc is what M makes of them.
void hard_solve(const mjModel* m, mjData* d) {
  int nv = m->nv;
  mjtNum h = m->opt.timestep;
  const snDualSolver* solver = hard_solver(m, d);
  snHard* hard = hard_make(m, d);
  if (!hard || !solver) return;
  hard->moved = false;
  hard->reported = true;
  snSolverSettings set;
  hard_settings(m, d, solver, &set);
  integrate_inertia(m, d);
  mj_markStack(d);
  mjtNum* u = mj_stackAllocNum(d, nv);
  mju_copy(u, d->qfrc_smooth, nv);
  inertia_solve(m, d, d->qH, d->qHDiagInv, u);
  for (int i = 0; i < nv; i++) u[i] = d->qvel[i] + h * u[i];
  if (d->nefc) {
    solve_rows(m, d, hard, solver, &set, u);
  } else {
    hard->report = (snSolverReport){.converged = 1, .finite = 1};
    hard->nimpulse = 0;
    show_statistics(d, &hard->report, 0);
    mju_zero(d->qfrc_constraint, nv);
  }
  for (int i = 0; i < nv; i++) d->qacc[i] = (u[i] - d->qvel[i]) / h;
  mju_copy(d->qacc_warmstart, d->qacc, nv);
  mj_freeStack(d);
}

bool hard_inverse(const mjModel* m, mjData* d) {
  const snDualSolver* solver = hard_solver(m, d);
  if (!solver || !solver->soft) return false;
  snSolverSettings set;
  hard_settings(m, d, solver, &set);
  integrate_inertia(m, d);
  mj_markStack(d);
  snHardRows rows;
  rows_make(m, d, &rows);
  int n = rows.n;
  mjtNum* u = mj_stackAllocNum(d, m->nv);
  mjtNum* v = mj_stackAllocNum(d, n);
  mjtNum* after = mj_stackAllocNum(d, n);
  mjtNum* target = mj_stackAllocNum(d, n);
  mjtNum* R = mj_stackAllocNum(d, n);
  mjtNum* force = mj_stackAllocNum(d, n);
  mjtNum* scratch = mj_stackAllocNum(d, 2 * (size_t)n);
  snDelassus op = delassus_dense(n, rows.D, rows.stride, mj_stackAllocNum(d, n));
  snDual p = {.n = n, .nblock = rows.nblock, .block = rows.block, .D = &op, .set = set};
  for (int i = 0; i < m->nv; i++) u[i] = d->qvel[i] + m->opt.timestep * d->qacc[i];
  rows_mul(&rows, v, d->qvel);
  rows_mul(&rows, after, u);
  mju_zero(target, n);
  soft_problem(m, d, &rows, &p, R, target, v);  // leaves -v*
  mju_scl(target, target, -1, n);
  if (!strcmp(solver->name, "barrier")) {
    mju_subFrom(after, target, n);
    dual_inverse2011(&p, after, force, scratch);
  } else {
    dual_inverse2014(&p, after, target, force);
  }
  rows_write(m, d, &rows, force);
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  mj_freeStack(d);
  return true;
}

void hard_advance(const mjModel* m, mjData* d) {
  snHard* hard = hard_of(d);
  bool moved = hard && hard->moved && hard->nv == m->nv;
  integrate_advance(m, d, d->act_dot, d->qacc, moved ? hard->velocity : NULL);
  if (hard) hard->moved = false;
}
