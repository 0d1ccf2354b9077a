// Steps of mesh_build, in the order it takes them.
#ifndef SINEW_COMPILE_MESH_H_
#define SINEW_COMPILE_MESH_H_

#include "compile/asset.h"

// A mesh being built: vertices and normals in double until the end.
typedef struct snMeshWork_ {
  const snMeshSource* source;
  snMesh* mesh;
  double* vert;    // (mesh->nvert x 3)
  double* normal;  // (mesh->nnormal x 3)
} snMeshWork;

// Convex hull of n points: its graph in the documented layout. limit < 0: all vertices.
bool hull_build(int** graph, int* ngraph, const double* point, int n, int limit, const char* name,
                snFault* fault);
static inline int hull_nface(const int* graph) { return graph[1]; }
static inline int* hull_faces(int* graph) { return graph + 2 + 3 * graph[0] + 3 * graph[1]; }

// Shorter than this a normal has no direction and becomes the z axis.
static const double kMeshMinNormal = 1e-7;
void mesh_normalize(double* normal);
bool mesh_make_normals(snMeshWork* work, snFault* fault);

// Volume, centre and inertia by the mesh's own kind; then vertices and normals go to the frame at
// the centre along the principal axes (pos, quat).
bool mesh_centre(snMeshWork* work, snFault* fault);

// Coplanar neighbours among the faces (of the hull, where there is one) merged into polygons.
bool mesh_make_polygons(snMeshWork* work, snFault* fault);
// Their normals, once the vertices are in their final frame; outward if the scale is a mirror.
void mesh_finish_polygons(snMeshWork* work);

// What mesh_fit needs of the vertices.
void mesh_measure(snMesh* mesh, const double* vert);

bool octree_build(snOctree* tree, const snMesh* mesh, const double* vert, snFault* fault);

#endif
