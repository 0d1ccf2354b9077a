// The exact signed distance of a triangle mesh, through a tree of boxes.
#ifndef SINEW_PLUGIN_MESH_NEAREST_H_
#define SINEW_PLUGIN_MESH_NEAREST_H_

#include "base/base.h"

typedef struct snNearest_ snNearest;

// NULL when there is no memory, or no triangle with an area. Vertices and faces are copied.
snNearest* nearest_make(const double* vert, const int* face, int nface);
void nearest_free(snNearest* nearest);

// Negative inside. The gradient is the unit vector away from (inside: towards) the nearest point. A
// bound on the distance, which may be infinite, shortens the search.
double nearest_distance(const snNearest* nearest, const double point[3], double bound,
                        double gradient[3]);

#endif
