// The signed distance field of a mesh, sampled in an octree.
#ifndef SINEW_PLUGIN_MESH_FIELD_H_
#define SINEW_PLUGIN_MESH_FIELD_H_

#include "base/base.h"

typedef struct snMeshField_ snMeshField;

// NULL and a fault without memory, or when the mesh has no surface.
snMeshField* mesh_field_make(const double* vert, int nvert, const int* face, int nface,
                             snFault* fault);
void mesh_field_free(snMeshField* field);

double mesh_field_at(const snMeshField* field, const double point[3], double gradient[3]);

#endif
