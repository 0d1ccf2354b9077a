// The constraint force: the convex problem and its solvers.
#ifndef SINEW_SOLVE_SOLVE_H_
#define SINEW_SOLVE_SOLVE_H_

#include "constrain/constrain.h"

// qacc, efc_force, efc_state, qfrc_constraint from qacc_smooth and the rows, with the solver of
// opt; then noslip when asked. Statistics go to solver, solver_niter, solver_nnz.
void solve_constraints(const mjModel* m, mjData* d);

// From here to solve_release positions stay as they are, and the model too: what the rows and M say
// is kept on the stack, in the caller's frame, from one solve to the next. Nothing changes in the
// result. Without memory nothing is kept.
void solve_hold(const mjModel* m, mjData* d);
void solve_release(mjData* d);

#endif
