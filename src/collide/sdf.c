// Signed distance fields.
#include "collide/sdf.h"

double sdf_ray(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
               const mjtNum vec[3]) {
  mju_error("rays against signed distance fields are not there yet");
  return -1;
}
