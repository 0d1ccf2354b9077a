// The abstract scene: what a viewer draws, as pure geometry.
#ifndef SINEW_VIEW_VIEW_H_
#define SINEW_VIEW_VIEW_H_

#include "algebra/algebra.h"

// Numbers of a scene are floats.
SN_INLINE void view_store(float* to, const double* from, int n) {
  for (int i = 0; i < n; i++) to[i] = (float)from[i];
}
SN_INLINE void view_load(double* to, const float* from, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}

// Head position (between the eyes), direction of view and up of the scene's two cameras.
void view_head(double pos[3], double forward[3], double up[3], const mjvScene* scn);

#endif
