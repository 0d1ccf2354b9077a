// The points and elements of a flexcomp before they become bodies.
#ifndef SINEW_SPEC_FLEXCOMP_SHAPE_H_
#define SINEW_SPEC_FLEXCOMP_SHAPE_H_

#include "spec/flexcomp.h"

typedef struct snFlexShape_ {
  int dim;
  int npoint, nelem, ntexcoord, nelemtexcoord;  // points; numbers; numbers; numbers
  int room_point, room_elem;
  double* point;      // (npoint x 3)
  int* elem;          // (nelem)
  float* texcoord;    // (ntexcoord)
  int* elemtexcoord;  // (nelemtexcoord)
} snFlexShape;

// Points in the frame of the flexcomp, scaled, not yet posed.
bool shape_make(snFlexShape* shape, const snFlexcomp* comp, snFault* fault);
void shape_free(snFlexShape* shape);

#endif
