// What the integrators share.
#ifndef SINEW_INTEGRATE_PRIVATE_H_
#define SINEW_INTEGRATE_PRIVATE_H_

#include "data/data.h"

// act, qvel, qpos, time one step on. qpos moves with `qvel`, or with the new velocity when NULL.
void integrate_advance(const mjModel* m, mjData* d, const mjtNum* act_dot, const mjtNum* qacc,
                       const mjtNum* qvel);
void integrate_plugins(const mjModel* m, mjData* d);

// ---- derivatives of forces with respect to velocity, added to qDeriv
void derivative_add_row(mjData* d, const mjtNum* J, const int* col, int n, mjtNum w);
void derivative_fluid(const mjModel* m, mjData* d);
void derivative_bias(const mjModel* m, mjData* d);

#endif
