// Hard contact in minimal coordinates: mj_step with a solver of the dual problem.
//
// Soft contact (solve/) finds accelerations that minimize a convex cost; a contact force then needs
// a penetration or a slip. Hard contact finds impulses over one step instead, with contact and
// Coulomb friction as complementarity conditions between impulse and velocity at its end. Stepping
// is semi-implicit Euler on velocities: with M^ the inertia of one step (integrate.h),
//
//   u_free = u + h inv(M^) (smooth forces),   u' = u_free + inv(M^) J'f,   q' = q + h u_pos
//
// f solves the dual problem v = D f + v_free, D = J inv(M^) J' on the rows of this step
// (dual/dual.h states it and lists its solvers). u_pos is u' but for what corrects positions:
// equality errors, penetration, and impacts inside the step.
//
// A model asks with <custom> fields "sinew:..." or a program with sn_setSolver; without either,
// this room is not entered and the step has the bits of soft contact. File by file:
//
//   choice.c    which solver and settings a model or an mjData has; names, defaults, reports
//   rows.c      the engine's rows as blocks of the dual problem, by island; the operator D
//   solve.c     one step: v_free, impacts, the dual solve, the results in mjData
//   impact.c    impacts inside a step, to the order of the free fall around them
//   law.c       laws of impact with restitution: Poisson's, energetic, one contact after another
//   position.c  velocities that positions move with: projection on equalities and gaps
//
// Results keep their documented places: efc_force holds impulses divided by h, so that programs
// that read contact forces need no change, and mj_inverse works for the solvers that have an
// inverse.
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

// Which contacts and limits the last solve found closed, and which of them sliding, as a number:
// two steps with the same one differ smoothly, unless it is snDUAL_EVENT: an impact. A solve
// elsewhere gives its own.
uint64_t hard_held(const mjData* d);
void hard_keep_held(const mjModel* m, mjData* d, uint64_t held);

// In place of the integrator: d one step on, with what hard_solve found.
void hard_advance(const mjModel* m, mjData* d);

// Are all names of the model's custom fields that begin with "sinew:" known, and their values sane?
// The fault names what is wrong and what there is.
bool hard_check(const mjModel* m, snFault* fault);

// ---- impacts (impact.c), which soft contact with restitution has too (hold/bounce.c)
// What a contact asks of the step.
typedef struct snImpact_ {
  bool hit;         // it touches within the step and bounces
  bool late;        // it has overlapped for longer than a step
  mjtNum velocity;  // normal velocity behind the step, when it bounces
  mjtNum gap;       // and the gap
  mjtNum speed;     // with which it touches, whether it bounces or rests
  mjtNum time;      // when, from the beginning of the step on
} snImpact;

// The impact of a sphere falling on a plane, generally. v is the velocity that semi-implicit Euler
// keeps; impact_timed takes the one of the step's beginning, and gives the one that is `kept`
// seconds later.
snImpact impact_find(mjtNum gap, mjtNum v, mjtNum a, mjtNum e, mjtNum h);
snImpact impact_timed(mjtNum gap, mjtNum v0, mjtNum a, mjtNum e, mjtNum h, mjtNum kept);

// Restitution of all geoms (ngeom), NaN where neither the model nor the program says one. False,
// and e is left alone, when none has one.
bool restitution_asked(const mjModel* m, const mjData* d, mjtNum* e);

#endif
