// Integrators: from accelerations to the next state.
#ifndef SINEW_INTEGRATE_INTEGRATE_H_
#define SINEW_INTEGRATE_INTEGRATE_H_

#include "data/data.h"

// qDeriv <- d(actuation + passive [- bias]) / d qvel on the pattern D.
void derivative_velocity(const mjModel* m, mjData* d, bool bias);

// As mj_Euler and mj_implicit, with the factors of the last call when `skipfactor`.
void integrate_euler(const mjModel* m, mjData* d, bool skipfactor);
void integrate_implicit(const mjModel* m, mjData* d, bool skipfactor);

// qacc, given as the integrator's (v' - v)/h, to the acceleration in continuous time.
void integrate_continuous(const mjModel* m, mjData* d);

#endif
