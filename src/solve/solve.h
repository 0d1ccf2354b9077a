// The constraint force: the convex problem and its solvers.
#ifndef SINEW_SOLVE_SOLVE_H_
#define SINEW_SOLVE_SOLVE_H_

#include "constrain/constrain.h"

// qacc, efc_force, efc_state, qfrc_constraint from qacc_smooth and the rows, with the solver of
// opt; then noslip when asked. Statistics go to solver, solver_niter, solver_nnz.
void solve_constraints(const mjModel* m, mjData* d);

#endif
