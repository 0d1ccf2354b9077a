// Exact signed distance to a triangle mesh, through a bounding volume hierarchy.
#ifndef SINEW_PLUGIN_MESH_NEAREST_H_
#define SINEW_PLUGIN_MESH_NEAREST_H_

#include "base/base.h"

typedef struct snMeshDistance_ snMeshDistance;

// NULL without memory, or without a triangle of positive area. Vertices and faces are copied.
snMeshDistance* nearest_make(const double* vert, const int* face, int nface);
void nearest_free(snMeshDistance* nearest);

// Negative inside. The gradient is the unit vector away from the nearest point (inside: towards
// it). A bound on the distance, which may be infinite, shortens the search.
double nearest_distance(const snMeshDistance* nearest, const double point[3], double bound,
                        double gradient[3]);

#endif
