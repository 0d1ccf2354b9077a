// The table of solvers, their defaults, and what is common to every solve: the check for NaN and
// infinite input, the size of impulses that tolerances are relative to, the reduction to rows that
// can act, the residuals of the report, and the check of the inverse where a solver has one.
//
// Solvers with the suffix -published run as their paper has them; the others have Sinew's switches
// on (docs/solvers.md lists both).
#include "dual/dual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dual/private.h"

static void objective_defaults(snSolverSettings* set) {
  splitting_defaults(set);
  set->tol_objective = 1e-12;
}

static void implicit_defaults(snSolverSettings* set) { set->iterations = 200; }
static void barrier_defaults(snSolverSettings* set) {
  set->form = snFORM_CCP;
  set->iterations = 300;
}

static void gpgs_defaults(snSolverSettings* set) { set->form = snFORM_CCP; }

// Over-relaxed by as much as ADMM usually bears.
static void fixed_defaults(snSolverSettings* set) {
  set->penalty = snPENALTY_FIXED;
  set->omega = 1.6;
}

static void linear_defaults(snSolverSettings* set) {
  set->penalty = snPENALTY_LINEAR;
  set->omega = 1.6;
}

// As recommended: the linear penalty, polished.
static void polished_defaults(snSolverSettings* set) {
  linear_defaults(set);
  set->polish = 1;
  set->iterations = 10000;
  set->tol_primal = set->tol_dual = 1e-8;
  set->aim = 0.1;
}

static void ccp_defaults(snSolverSettings* set) {
  polished_defaults(set);
  set->form = snFORM_CCP;
}

static void spectral_defaults(snSolverSettings* set) {
  set->penalty = snPENALTY_SPECTRAL;
  set->omega = 1.6;
  set->rho = 0.2;  // exponent of the condition number, where the others have the penalty itself
}

// Without what Sinew adds to them. Defaults of -published solvers begin with this.
static void as_published(snSolverSettings* set) {
  set->scale_rows = set->exact_joints = set->shift_blocks = set->safe_steps = 0;
  set->leave_edges = set->drop_rows = set->keep_best = set->polish = 0;
  set->by_natural = set->settle = 0;
  set->tol_compl = 1e-9;
}

// Their publications have other measures: the natural map, which is zero where those are
static void by_natural(snSolverSettings* set) {
  set->by_natural = 1;
  set->tol_compl = 0;
}

static void prox_published(snSolverSettings* set) {
  as_published(set);
  splitting_defaults(set);
  by_natural(set);
}

static void splitting_published(snSolverSettings* set) {
  as_published(set);
  splitting_defaults(set);
}

static void objective_published(snSolverSettings* set) {
  as_published(set);
  objective_defaults(set);
}

static void ccp_published(snSolverSettings* set) {
  as_published(set);
  fixed_defaults(set);
  set->form = snFORM_CCP;
  set->eta = 0;  // no proximal term
}

static void fixed_published(snSolverSettings* set) {
  as_published(set);
  fixed_defaults(set);
}

static void linear_published(snSolverSettings* set) {
  as_published(set);
  linear_defaults(set);
}

static void spectral_published(snSolverSettings* set) {
  as_published(set);
  spectral_defaults(set);
}

static void implicit_published(snSolverSettings* set) {
  as_published(set);
  implicit_defaults(set);
  by_natural(set);
}

#define PUBLISHED(name, solve, scratch, defaults)                                             \
  {                                                                                           \
    name "-published", "as published: every switch of Sinew's off", solve, scratch, defaults, \
        false                                                                                 \
  }

const snDualSolver dual_solvers[] = {
    {"pgs-ccp", "projected Gauss-Seidel, nearest point of the cone", solve_pgs_ccp,
     splitting_scratch, splitting_defaults, false},
    {"pgs-ncp", "projected Gauss-Seidel, normal and tangents apart", solve_pgs_ncp,
     splitting_scratch, splitting_defaults, false},
    {"nbgs", "block Gauss-Seidel, contacts exact by a quartic", solve_nbgs, splitting_scratch,
     splitting_defaults, false},
    {"raisim", "block Gauss-Seidel, contacts by bisection", solve_raisim, splitting_scratch,
     splitting_defaults, false},
    {"raisim-ds", "the same with De Saxce's correction", solve_raisim_ds, splitting_scratch,
     splitting_defaults, false},
    {"raisim-ds-es", "the same, stopped early by the objective", solve_raisim_ds_es,
     splitting_scratch, objective_defaults, false},
    {"admm-ccp", "ADMM on the convex problem", solve_admm, admm_scratch, ccp_defaults, false},
    {"admm-ncp-fixed", "proximal ADMM, fixed penalty", solve_admm, admm_scratch, fixed_defaults,
     false},
    {"admm-ncp-linear", "proximal ADMM, penalty adapted linearly", solve_admm, admm_scratch,
     linear_defaults, false},
    {"admm-ncp-spectral", "proximal ADMM, penalty from the spectrum", solve_admm, admm_scratch,
     spectral_defaults, false},
    {"prox", "SORProx: proximal steps of adapted length", solve_prox, splitting_scratch,
     splitting_defaults, false},
    {"implicit", "implicit complementarity: Levenberg-Marquardt with dogleg (2010)", solve_implicit,
     implicit_scratch, implicit_defaults, false},
    {"barrier", "convex, smooth, invertible: interior point (2011)", solve_barrier, barrier_scratch,
     barrier_defaults, true},
    {"gpgs", "soft impulses by generalized Gauss-Seidel (2014)", solve_gpgs, gpgs_scratch,
     gpgs_defaults, true},
    {"admm-ncp", "proximal ADMM as recommended: linear penalty, polished", solve_admm, admm_scratch,
     polished_defaults, false},
    PUBLISHED("pgs-ccp", solve_pgs_ccp, splitting_scratch, splitting_published),
    PUBLISHED("pgs-ncp", solve_pgs_ncp, splitting_scratch, splitting_published),
    PUBLISHED("nbgs", solve_nbgs, splitting_scratch, splitting_published),
    PUBLISHED("raisim", solve_raisim, splitting_scratch, splitting_published),
    PUBLISHED("raisim-ds", solve_raisim_ds, splitting_scratch, splitting_published),
    PUBLISHED("raisim-ds-es", solve_raisim_ds_es, splitting_scratch, objective_published),
    PUBLISHED("admm-ccp", solve_admm, admm_scratch, ccp_published),
    PUBLISHED("admm-ncp-fixed", solve_admm, admm_scratch, fixed_published),
    PUBLISHED("admm-ncp-linear", solve_admm, admm_scratch, linear_published),
    PUBLISHED("admm-ncp-spectral", solve_admm, admm_scratch, spectral_published),
    PUBLISHED("prox", solve_prox, splitting_scratch, prox_published),
    PUBLISHED("implicit", solve_implicit, implicit_scratch, implicit_published),
};
const int dual_solver_count = 15;
static const int all_count = sizeof(dual_solvers) / sizeof(dual_solvers[0]);

const snDualSolver* dual_find(const char* name) {
  for (int i = 0; name && i < all_count; i++) {
    if (!strcmp(dual_solvers[i].name, name)) return dual_solvers + i;
  }
  return NULL;
}

const char* dual_names(char* text, size_t room) {
  size_t at = 0;
  for (int i = 0; i < dual_solver_count && at < room; i++) {
    at += (size_t)snprintf(text + at, room - at, "%s%s", i ? ", " : "", dual_solvers[i].name);
  }
  if (at < room) {
    snprintf(text + at, room - at,
             "; the first eleven and implicit also with -published behind them");
  }
  return text;
}

void dual_defaults(const snDualSolver* solver, snSolverSettings* set) {
  *set = (snSolverSettings){
      .iterations = 1000,
      .form = snFORM_DEFAULT,
      .warmstart = snWARM_STATE,
      .tol_primal = 1e-9,
      .tol_dual = 1e-9,
      .omega = 1,
      .omega_min = 1,
      .omega_decay = 1,
      .eta = 1e-6,
      .rho = 1,
      .rho_ratio = 10,
      .rho_factor = 1.5,
      .rho_power = 0.05,
      .barrier = 1e-8,
      .epsilon = 0.01,
      .kappa = 0.02,
      .erp_joint = 0.8,
      .erp_limit = 0.8,
      .erp_contact = 0.2,
      .slop = 1e-5,
      .scale_rows = 1,
      .exact_joints = 1,
      .shift_blocks = 1,
      .safe_steps = 1,
      .leave_edges = 1,
      .drop_rows = 1,
      .keep_best = 1,
      .by_natural = 1,
      .settle = 1,
      .aim = 1,
  };
  if (solver->defaults) solver->defaults(set);
}

size_t dual_scratch(const snDualSolver* solver, const snDelassus* D, int nblock) {
  return solver->scratch(D, nblock) + reduce_scratch(D->n, nblock) + (size_t)D->n;
}

// Blocks cover the rows, one behind the other; only equalities and cones have several.
static void check_blocks(const snDual* p) {
  int row = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    SN_ASSERT(b->row == row && b->nrow >= 1);
    SN_ASSERT(b->kind == snDUAL_FREE || b->nrow <= (b->kind == snDUAL_CONE ? DUAL_MAXCONE : 1));
    row += b->nrow;
  }
  SN_ASSERT(row == p->n && p->D->n == p->n);
}

static bool problem_finite(const snDual* p) {
  if (!numbers_finite(p->v_free, p->n) || (p->R && !numbers_finite(p->R, p->n))) return false;
  // an infinite or missing entry of D shows in D times ones, and in D times zeros
  for (int i = 0; i < p->n; i++) p->force[i] = isfinite(p->force[i]) ? p->force[i] : 0;
  for (int i = 0; i < p->n; i++) p->scratch[i] = 1;
  p->D->mul(p->D, p->velocity, p->scratch);
  for (int k = 0; k < p->nblock; k++) {
    if (isnan(p->block[k].mu) || isnan(p->block[k].bound)) return false;
  }
  return numbers_finite(p->velocity, p->n);
}

// The largest impulse that would stop a row alone, |v_free| / (D + R).
static mjtNum problem_size(const snDual* p) {
  mjtNum size = 1;
  for (int i = 0; i < p->n; i++) {
    mjtNum d;
    p->D->block(p->D, i, 1, &d);
    if (p->R) d += p->R[i];
    if (d > mjMINVAL) size = fmax(size, fabs(p->v_free[i]) / d);
  }
  return fmin(size, 1e6);
}

#define INVERSE 1e-6  // of the largest impulse: what the inverse may miss

// The inverse, from the velocity that the impulses make, against the impulses. `room`: 5 n numbers.
static void check_inverse(const snDualSolver* solver, const snDual* p, mjtNum* room,
                          snSolverReport* report) {
  int n = p->n;
  mjtNum *after = room, *force = room + n, *R = force + n, *zero = R + n, largest = 1;
  snDual q = *p;
  if (!p->R) soft_diagonal(p, R);
  q.R = p->R ? p->R : R;
  for (int i = 0; i < n; i++) {
    after[i] = p->velocity[i] - (p->R ? p->R[i] * p->force[i] : 0);
    zero[i] = 0;
  }
  if (solver->solve == solve_barrier)
    dual_inverse2011(&q, after, force, zero);
  else
    dual_inverse2014(&q, after, zero, force);
  project_all(p, force);
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(p->force[i]));
    report->r_inverse = fmax(report->r_inverse, fabs(force[i] - p->force[i]));
  }
  if (!(report->r_inverse <= INVERSE * largest)) report->converged = false;
}

void dual_solve(const snDualSolver* solver, const snDual* p, snSolverReport* report) {
  *report = (snSolverReport){.finite = true};
  if (!p->n) {
    report->converged = true;
    return;
  }
  if (p->nscratch < dual_scratch(solver, p->D, p->nblock)) {
    mju_error("dual_solve: %s needs %zu numbers of scratch", solver->name,
              dual_scratch(solver, p->D, p->nblock));
    return;
  }
  check_blocks(p);
  if (!problem_finite(p)) {
    report->finite = false;
    for (int i = 0; i < p->n; i++) {
      p->force[i] = 0;
      p->velocity[i] = isfinite(p->v_free[i]) ? p->v_free[i] : 0;
    }
    report->r_dual = report->r_natural = report->r_ncp_dual = report->r_ncp_natural = mjMAXVAL;
    return;
  }
  if (tape_replay(p, report)) return;
  snDual sized = *p;
  sized.size = problem_size(p);
  reduce_solve(solver, &sized, report);
  int form = p->set.form == snFORM_CCP ? snFORM_CCP : snFORM_NCP;
  dual_measure(p, form, report, p->scratch);
  if (solver->soft) check_inverse(solver, p, p->scratch, report);
  tape_write(solver, p, report);
}
