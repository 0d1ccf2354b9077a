// Signed distance fields. Private to the room.
#ifndef SINEW_COLLIDE_SDF_H_
#define SINEW_COLLIDE_SDF_H_

#include "collide/narrow.h"

// Contacts of geom g1 with the signed distance field g2.
void collide_sdf(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                 double margin);

double sdf_ray(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
               const mjtNum vec[3]);

#endif
