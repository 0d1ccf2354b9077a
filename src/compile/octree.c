// Octrees of meshes that serve as signed distance fields: the bounding box is divided into eight
// cells, and every cell that the bounding box of some face intersects is divided again, to a fixed
// depth. Cells are listed depth first; children start with the corner of largest coordinates.
#include <string.h>

#include "algebra/small.h"
#include "compile/mesh.h"

enum { kMaxDepth = 6 };

void octree_free(snOctree* tree) {
  memory_free(tree->depth);
  memory_free(tree->child);
  memory_free(tree->aabb);
  memset(tree, 0, sizeof *tree);
}

typedef struct snOctreeMaker_ {
  snOctree* tree;
  int room;  // allocated cells
  int nface;
  double* bounds;  // (nface x 6) low and high corner of each face
  int* face;       // (kMaxDepth x nface) faces that intersect the current cell of each depth
} snOctreeMaker;

static bool grow_tree(snOctreeMaker* maker) {
  snOctree* tree = maker->tree;
  if (tree->n < maker->room) return true;
  int room = maker->room ? 2 * maker->room : 1 << 12;
  size_t from = (size_t)maker->room, to = (size_t)room;
  int* depth = memory_resize(tree->depth, from * sizeof(int), to * sizeof(int));
  if (depth) tree->depth = depth;
  int* child = memory_resize(tree->child, 8 * from * sizeof(int), 8 * to * sizeof(int));
  if (child) tree->child = child;
  mjtNum* aabb = memory_resize(tree->aabb, 6 * from * sizeof(mjtNum), 6 * to * sizeof(mjtNum));
  if (aabb) tree->aabb = aabb;
  maker->room = room;
  return depth && child && aabb;
}

// Selects those of n faces whose boxes intersect a box (low and high corner).
static int faces_within(const snOctreeMaker* maker, const double box[6], const int* face, int n,
                        int* out) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    const double* b = maker->bounds + 6 * (size_t)face[i];
    bool apart = b[0] > box[3] || b[1] > box[4] || b[2] > box[5] || b[3] < box[0] ||
                 b[4] < box[1] || b[5] < box[2];
    out[found] = face[i];
    found += !apart;
  }
  return found;
}

// The cell between two corners and its subtree; `face`: the n faces of its parent. Returns its
// index; -1: no memory. Corners of children are computed from center and half size, as released,
// because rounding decides whether a face on the boundary belongs to a cell.
static int make_cell(snOctreeMaker* maker, const double box[6], const int* face, int n, int depth) {
  snOctree* tree = maker->tree;
  if (!grow_tree(maker)) return -1;
  int cell = tree->n++;
  double low[3], mid[3], high[3];
  tree->depth[cell] = depth;
  for (int k = 0; k < 3; k++) {
    double half = 0.5 * (box[3 + k] - box[k]);
    mid[k] = 0.5 * (box[k] + box[3 + k]);
    low[k] = mid[k] - half;
    high[k] = mid[k] + half;
    tree->aabb[6 * (size_t)cell + k] = mid[k];
    tree->aabb[6 * (size_t)cell + 3 + k] = half;
  }
  for (int i = 0; i < 8; i++) tree->child[8 * (size_t)cell + i] = -1;
  if (depth == kMaxDepth) return cell;
  SN_ASSERT(depth < kMaxDepth && n <= maker->nface);
  int* within = maker->face + (size_t)depth * (size_t)maker->nface;
  int count = faces_within(maker, box, face, n, within);
  for (int i = 0; i < 8 && count; i++) {
    double part[6];
    for (int k = 0; k < 3; k++) {
      bool lower = i >> k & 1;
      part[k] = lower ? low[k] : mid[k];
      part[3 + k] = lower ? mid[k] : high[k];
    }
    int child = make_cell(maker, part, within, count, depth + 1);
    if (child < 0) return -1;
    tree->child[8 * (size_t)cell + i] = child;
  }
  return cell;
}

bool octree_build(snOctree* tree, const snMesh* mesh, const double* vert, snFault* fault) {
  memset(tree, 0, sizeof *tree);
  size_t nface = (size_t)mesh->nface;
  snOctreeMaker maker = {.tree = tree, .nface = mesh->nface};
  maker.bounds = memory_alloc(6 * nface * sizeof(double));
  maker.face = memory_alloc((kMaxDepth + 1) * nface * sizeof(int));
  bool ok = maker.bounds && maker.face;
  if (ok) {
    int* all = maker.face + kMaxDepth * nface;
    const mjtNum* box = mesh->aabb;
    for (int f = 0; f < mesh->nface; f++) {
      double* b = maker.bounds + 6 * (size_t)f;
      all[f] = f;
      for (int k = 0; k < 3; k++) {
        b[k] = b[3 + k] = vert[3 * mesh->face[3 * f] + k];
        for (int c = 1; c < 3; c++) {
          double x = vert[3 * mesh->face[3 * f + c] + k];
          if (x < b[k]) b[k] = x;
          if (x > b[3 + k]) b[3 + k] = x;
        }
      }
    }
    double root[6];
    vec3_sub(root, box, box + 3);
    vec3_add(root + 3, box, box + 3);
    ok = make_cell(&maker, root, all, mesh->nface, 0) >= 0;
  }
  memory_free(maker.bounds);
  memory_free(maker.face);
  if (ok) return true;
  octree_free(tree);
  return fault_raise(fault, "no memory for the octree of a mesh");
}
