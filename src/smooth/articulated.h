// The factor of M + h diag(damping) for deep trees (articulated.c). Private to smooth.
#ifndef SINEW_SMOOTH_ARTICULATED_H_
#define SINEW_SMOOTH_ARTICULATED_H_

#include "smooth/smooth.h"

// L'DL to LD and 1 / D to dinv, from cdof, cinert and the armature. Returns a dof whose pivot was
// below mjMINVAL and has been raised to it, or -1.
int articulated_factor(const mjModel* m, mjData* d, double h, double* LD, double* dinv);

#endif
