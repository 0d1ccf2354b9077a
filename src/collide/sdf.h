// Signed distance fields: negative inside, positive outside, with a gradient of about unit length.
// Private to the room.
#ifndef SINEW_COLLIDE_SDF_H_
#define SINEW_COLLIDE_SDF_H_

#include "collide/narrow.h"

// The field of a geom in the world: a plugin's, or that of a closed shape.
typedef struct snSdf_ {
  const mjModel* m;
  const mjData* d;
  const mjpPlugin* plugin;  // NULL: a closed shape
  int type, instance;
  const double* size;
  double pos[3], mat[9];  // frame of the field: world x = pos + mat y
} snSdf;

bool sdf_field(snSdf* f, const mjModel* m, const mjData* d,
               int geom);                                 // false, with an error: none
double sdf_at(const snSdf* f, snVec x, snVec* gradient);  // gradient NULL: not wanted

// Contacts of geom g1 with the signed distance field g2, by the documented search (sdf_search.c).
void collide_sdf(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                 double margin);

// The nearest or deepest points of g1 and the signed distance field g2, for mj_geomDistance.
void sdf_nearest(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                 double margin);

double sdf_ray(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
               const mjtNum vec[3]);

#endif
