// What the stages of a step share.
#ifndef SINEW_STEP_STEP_H_
#define SINEW_STEP_STEP_H_

#include "data/data.h"

// What depends on position, up to the constraint rows: forward and inverse dynamics alike.
void step_position(const mjModel* m, mjData* d, bool views);

// qfrc += J' xfrc_applied
void step_body_forces(const mjModel* m, mjData* d, mjtNum* qfrc);

#endif
