// Hard contact in minimal coordinates: mj_step with a solver of the dual problem.
//
// Stepping is semi-implicit Euler on velocities: with M^ the inertia of one step (integrate.h),
//   u_free = u + h inv(M^) (smooth forces),   u' = u_free + inv(M^) J'f,   q' = q + h u_pos
// f solves the dual problem on the rows of this step. u_pos is u' but for what takes positions back
// to where they belong: equality errors, penetration, and impacts inside the step.
#ifndef SINEW_HARD_HARD_H_
#define SINEW_HARD_HARD_H_

#include "base/inside_sinew.h"
#include "data/data.h"

// Does d step with a dual solver?
bool hard_active(const mjModel* m, const mjData* d);

// In place of solve_constraints: qacc, qfrc_constraint, efc_force, efc_state, statistics, report.
void hard_solve(const mjModel* m, mjData* d);

// Does d step with a solver that has an inverse? Its qacc is then (u' - u) / h, whatever flags say.
bool hard_invertible(const mjModel* m, const mjData* d);

// In place of mj_invConstraint, for the solvers that have an inverse (2011, 2014): efc_force and
// qfrc_constraint from qacc. false for the others: hard contact cannot be recovered from the
// motion.
bool hard_inverse(const mjModel* m, mjData* d);

// The report of a step that was solved elsewhere, and that it was taken.
void hard_keep_report(const mjModel* m, mjData* d, const snSolverReport* report);
void hard_count(const mjModel* m, mjData* d);

// In place of the integrator: d one step on, with what hard_solve found.
void hard_advance(const mjModel* m, mjData* d);

// Are all names of the model's custom fields that begin with "sinew:" known, and their values sane?
// The fault names what is wrong and what there is.
bool hard_check(const mjModel* m, snFault* fault);

#endif
