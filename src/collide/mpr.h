// Minkowski portal refinement. Private to the room.
#ifndef SINEW_COLLIDE_MPR_H_
#define SINEW_COLLIDE_MPR_H_

#include "collide/support.h"

// The contact of two convex shapes within the margin; false when there is none.
bool mpr_contact(const mjModel* m, const snShape* a, const snShape* b, double margin,
                 snTouch* touch);

#endif
