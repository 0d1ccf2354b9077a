// mj_fwdConstraint: warm start, the solver that the options name, noslip, and the arrays of mjData
// that show the solution by island. Without constraint rows the unconstrained acceleration is the
// result.
#include "solve/solve.h"

#include <string.h>

#include "solve/problem.h"

// What the documented island arrays show of the solution and its inputs.
static void fill_islands(mjData* d) {
  for (int i = 0; i < d->nidof; i++) {
    int dof = d->map_idof2dof[i];
    d->ifrc_smooth[i] = d->qfrc_smooth[dof];
    d->iacc_smooth[i] = d->qacc_smooth[dof];
    d->iacc[i] = d->qacc[dof];
    d->ifrc_constraint[i] = d->qfrc_constraint[dof];
  }
  for (int i = 0; i < d->nefc; i++) {
    int row = d->map_iefc2efc[i];
    d->iefc_aref[i] = d->efc_aref[row];
    d->iefc_force[i] = d->efc_force[row];
    d->iefc_state[i] = d->efc_state[row];
  }
}

// False: there is no such solver.
static bool solve_by_option(const mjModel* m, mjData* d) {
  bool warm = !(m->opt.disableflags & mjDSBL_WARMSTART);
  mju_copy(d->qacc, warm ? d->qacc_warmstart : d->qacc_smooth, m->nv);
  switch (m->opt.solver) {
    case mjSOL_PGS:
      solve_pgs(m, d, m->opt.iterations);
      return true;
    case mjSOL_CG:
    case mjSOL_NEWTON:
      solve_primal(m, d);
      return true;
    default:
      mju_error("mj_fwdConstraint: unknown solver type %d", m->opt.solver);
      return false;
  }
}

void solve_constraints(const mjModel* m, mjData* d) {
  memset(d->solver_niter, 0, sizeof d->solver_niter);
  memset(d->solver_nnz, 0, sizeof d->solver_nnz);
  if (!d->nefc) {
    const mjtNum* smooth = d->qacc_smooth;
    mjtNum *qacc = d->qacc, *warm = d->qacc_warmstart, *frc = d->qfrc_constraint;
    int nspan;
    const snBodyRun* span = data_spans(d, &nspan);
    for (const snBodyRun* behind = span + nspan; span < behind; span++) {
      for (int i = span->dof, end = span->dof_end; i < end; i++) {
        qacc[i] = warm[i] = smooth[i];
        frc[i] = 0;
      }
    }
    return;
  }
  bool loops = d->nefc == d->ne && solve_loops(m, d);
  if (!loops && !solve_by_option(m, d)) return;
  if (d->nisland && (loops || m->opt.solver != mjSOL_PGS)) fill_islands(d);
  mju_copy(d->qacc_warmstart, d->qacc, m->nv);
  if (m->opt.noslip_iterations > 0) solve_noslip(m, d, m->opt.noslip_iterations);
}
