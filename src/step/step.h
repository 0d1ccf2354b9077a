// What the stages of a step share.
#ifndef SINEW_STEP_STEP_H_
#define SINEW_STEP_STEP_H_

#include "data/data.h"

// qfrc += J' xfrc_applied
void step_body_forces(const mjModel* m, mjData* d, mjtNum* qfrc);

#endif
