// Octrees of signed distance fields.
#include <string.h>

#include "compile/mesh.h"

void octree_free(snOctree* tree) {
  memory_free(tree->depth);
  memory_free(tree->child);
  memory_free(tree->aabb);
  memset(tree, 0, sizeof *tree);
}

bool octree_build(snOctree* tree, const snMesh* mesh, const double* vert, snFault* fault) {
  memset(tree, 0, sizeof *tree);
  return fault_raise(fault, "the octree of an sdf mesh is not there yet");
}
