// What the stages of a step share.
#ifndef SINEW_STEP_STEP_H_
#define SINEW_STEP_STEP_H_

#include "data/data.h"

// What an evaluation leaves out, for its results are overwritten before anyone can look at them.
typedef struct snOmit_ {
  bool sensors;
  bool still;  // frames that no state moves, which are there
  bool views;  // cameras, lights and energies
  bool qacc;   // accelerations where there are no rows, and then the factor of M: the integrator
               // takes the forces
} snOmit;

// The position stage: all that depends on positions alone. Forward dynamics end it with `project`,
// what dual solvers need of the rows; inverse dynamics do without.
void step_position(const mjModel* m, mjData* d, snOmit omit, bool project);

// mj_forwardSkip with so much left out.
void step_forward(const mjModel* m, mjData* d, int skipstage, snOmit omit);

// mj_compareFwdInv of an acceleration that is continuous, as the solver leaves it, or discrete.
void step_compare(const mjModel* m, mjData* d, bool discrete);

#endif
