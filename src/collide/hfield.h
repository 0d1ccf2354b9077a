// Height fields. Private to the room.
#ifndef SINEW_COLLIDE_HFIELD_H_
#define SINEW_COLLIDE_HFIELD_H_

#include "collide/narrow.h"

void collide_hfield(const mjModel* m, const mjData* d, snTouchList* list, int hfield_geom,
                    const snShape* b, double margin);

#endif
