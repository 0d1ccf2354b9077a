// Signed distance fields. Private to the room.
#ifndef SINEW_COLLIDE_SDF_H_
#define SINEW_COLLIDE_SDF_H_

#include "collide/narrow.h"

double sdf_ray(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
               const mjtNum vec[3]);

#endif
