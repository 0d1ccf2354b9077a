// Steps of mesh_build, in order.
#ifndef SINEW_COMPILE_MESH_H_
#define SINEW_COMPILE_MESH_H_

#include "compile/asset.h"

// A mesh in progress: vertices and normals in double precision until the end.
typedef struct snMeshWork_ {
  const snMeshSource* source;
  snMesh* mesh;
  double* vert;    // (mesh->nvert x 3)
  double* normal;  // (mesh->nnormal x 3)
} snMeshWork;

// Convex hull of n points, as a graph in the documented layout. limit < 0: all vertices.
bool hull_build(int** graph, int* ngraph, const double* point, int n, int limit, const char* name,
                snFault* fault);
static inline int hull_nface(const int* graph) { return graph[1]; }
static inline int* hull_faces(int* graph) { return graph + 2 + 3 * graph[0] + 3 * graph[1]; }

// A shorter normal has no direction and becomes the z axis.
static const double kMeshMinNormal = 1e-7;
void mesh_normalize(double* normal);
bool mesh_make_normals(snMeshWork* work, snFault* fault);

// Volume, center of mass and inertia by the mesh's inertia setting; then vertices and normals are
// transformed to the frame at the center of mass along the principal axes (pos, quat).
bool mesh_centre(snMeshWork* work, snFault* fault);

// Merges coplanar adjacent faces (of the hull, if there is one) into polygons.
bool mesh_make_polygons(snMeshWork* work, snFault* fault);
// Normals of the polygons, once vertices are in their final frame; outward also after mirroring.
void mesh_finish_polygons(snMeshWork* work);

// Sizes for mesh_fit.
void mesh_measure(snMesh* mesh, const double* vert);

bool octree_build(snOctree* tree, const snMesh* mesh, const double* vert, snFault* fault);

#endif
