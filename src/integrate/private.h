// Shared by the files of the room.
#ifndef SINEW_INTEGRATE_PRIVATE_H_
#define SINEW_INTEGRATE_PRIVATE_H_

#include "integrate/integrate.h"

// The lower triangle of M - h D for a symmetric D; qH is its factor.
void integrate_symmetric(const mjModel* m, mjData* d, mjtNum* A);
void integrate_plugins(const mjModel* m, mjData* d);

// ---- derivatives of forces with respect to velocity, added to qDeriv
void derivative_fluid(const mjModel* m, mjData* d, bool symmetric);
void derivative_bias(const mjModel* m, mjData* d);

#endif
