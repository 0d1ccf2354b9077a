// Convex hulls of the meshes, copied once per model into the layout of support queries. Mesh
// geometry counts as structure: who changes mesh_vert or mesh_graph calls model_finish again.
#ifndef SINEW_MODEL_PLAN_HULL_H_
#define SINEW_MODEL_PLAN_HULL_H_

#include "base/base.h"

// Vertex positions are structure of arrays, padded to a multiple of 4 by repeating the last vertex;
// neighbours follow the hull's edges. A mesh without a hull graph counts all its vertices.
typedef struct snHull_ {
  int nvert;          // hull vertices
  int npad;           // nvert rounded up to a multiple of 4
  bool small;         // so few vertices that the released engine looks at all of them
  double bend;        // by how much a vertex where a climb ends may be below the top,
  bool bent;          // and is that much?
  double* x;          // npad
  double* y;          // npad
  double* z;          // npad
  int* id;            // nvert: vertex of the mesh
  int* edge_adr;      // nvert + 1; NULL when the mesh has no graph
  int* edge;          // neighbours, as hull vertices
  int* block_adr;     // nvert + 1: where the blocks of a vertex begin
  double* block;      // four neighbours each, the last repeated: their x, y and z
  const float* vert;  // of the mesh, in the model
  int npoly;          // faces of the hull, in the model: normal, where their vertices begin,
  const double* poly_normal;  // how many there are, and the vertices of the mesh around them
  const int* poly_adr;
  const int* poly_num;
  const int* poly_vert;
  int npolyvert, nmeshvert;  // how many there are: the arrays are the program's to write to
  // The farthest vertex in the direction through each cell of a cube around the origin, where a
  // climb begins: faces along -x, x, -y, ..., each kHullCells x kHullCells over the next two axes.
  int* start;
} snHull;

enum { kHullCells = 8, kHullScan = 48 };  // up to this many vertices none is needed

// One hull per mesh; NULL when there is no memory.
snHull* hulls_make(const mjModel* m);
void hulls_free(snHull* hulls, int nmesh);

#endif
