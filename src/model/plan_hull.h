// Convex hulls of the meshes, copied once per model into the layout of support queries. Mesh
// geometry counts as structure: whoever changes mesh_vert or mesh_graph calls model_finish again.
#ifndef SINEW_MODEL_PLAN_HULL_H_
#define SINEW_MODEL_PLAN_HULL_H_

#include "base/base.h"

// Coordinates are structure of arrays, padded to a multiple of 4 by repeating the last vertex;
// neighbours follow the edges of the hull. Without a hull graph all vertices of the mesh count.
typedef struct snHull_ {
  int nvert;       // hull vertices
  int npad;        // nvert rounded up to a multiple of 4
  bool small;      // so few vertices that the released engine scans all of them
  double bend;     // bound on how far a climb may end below the support point (plan_hull.c)
  bool bent;       // is that bound large against the hull
  double* x;       // npad
  double* y;       // npad
  double* z;       // npad
  int* id;         // nvert: index in the mesh
  int* edge_adr;   // nvert + 1; NULL without a hull graph
  int* edge;       // neighbours, as indices of hull vertices
  int* block_adr;  // nvert + 1: first block of a vertex
  double* block;   // blocks of four neighbours: x, y and z of each; the last neighbour is repeated
  const float* vert;          // mesh_vert of the model
  int npoly;                  // faces of the hull as polygons, arrays of the model: normals,
  const double* poly_normal;  // addresses and numbers of their vertices, and vertices of the mesh
  const int* poly_adr;
  const int* poly_num;
  const int* poly_vert;
  int npolyvert,
      nmeshvert;  // sizes of those arrays, to check indices that a program may have written
  // Start of a climb: the support vertex in the direction of each cell of a cube around the origin.
  // Faces -x, x, -y, ..., each kHullCells x kHullCells over the next two axes.
  int* start;
} snHull;

enum {
  kHullCells = 8,
  kHullScan = 48
};  // kHullScan: up to this many vertices a scan is faster than a climb

// One hull per mesh; NULL without memory.
snHull* hulls_make(const mjModel* m);
void hulls_free(snHull* hulls, int nmesh);

#endif
