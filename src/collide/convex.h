// Two convex shapes without a closed formula. Private to the room.
#ifndef SINEW_COLLIDE_CONVEX_H_
#define SINEW_COLLIDE_CONVEX_H_

#include "collide/gjk.h"

void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin);

#endif
