// Binary trees of axis-aligned boxes, split at the median of the leaves' centres along the longest
// side: 2 n - 1 nodes in depth-first order, ceil(log2 n) deep.
#include <math.h>
#include <string.h>

#include "algebra/small.h"
#include "compile/asset.h"

typedef struct snLeaf_ {
  double centre[3];
  int index;
} snLeaf;

// Order along an axis; ties by index, so that the tree does not depend on the sort.
static bool leaf_before(const snLeaf* a, const snLeaf* b, int axis) {
  if (a->centre[axis] != b->centre[axis]) return a->centre[axis] < b->centre[axis];
  return a->index < b->index;
}

// Quickselect: the first `half` leaves come before the others.
static void split_leaves(snLeaf* leaf, int n, int half, int axis) {
  int low = 0, high = n - 1;
  while (low < high) {
    snLeaf pivot = leaf[low + (high - low) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (leaf_before(&leaf[i], &pivot, axis)) i++;
      while (leaf_before(&pivot, &leaf[j], axis)) j--;
      if (i <= j) {
        snLeaf swap = leaf[i];
        leaf[i++] = leaf[j];
        leaf[j--] = swap;
      }
    }
    if (half - 1 <= j) {
      high = j;
    } else if (half - 1 >= i) {
      low = i;
    } else {
      return;
    }
  }
}

typedef struct snBvhMaker_ {
  snBvh* bvh;
  const mjtNum* aabb;
  const int* id;
  int at;  // next free node
} snBvhMaker;

static int make_node(snBvhMaker* maker, snLeaf* leaf, int n, int depth) {
  snBvh* bvh = maker->bvh;
  int node = maker->at++;
  bvh->depth[node] = depth;
  mjtNum* box = bvh->aabb + 6 * (size_t)node;
  if (n == 1) {
    memcpy(box, maker->aabb + 6 * (size_t)leaf->index, 6 * sizeof(mjtNum));
    bvh->child[2 * node] = bvh->child[2 * node + 1] = -1;
    bvh->nodeid[node] = maker->id ? maker->id[leaf->index] : leaf->index;
    return node;
  }

  double low[3], high[3], clow[3], chigh[3];
  for (int k = 0; k < 3; k++) low[k] = clow[k] = INFINITY, high[k] = chigh[k] = -INFINITY;
  for (int i = 0; i < n; i++) {
    const mjtNum* b = maker->aabb + 6 * (size_t)leaf[i].index;
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], b[k] - b[3 + k]);
      high[k] = fmax(high[k], b[k] + b[3 + k]);
      clow[k] = fmin(clow[k], b[k]);
      chigh[k] = fmax(chigh[k], b[k]);
    }
  }
  int axis = 0;
  for (int k = 0; k < 3; k++) {
    box[k] = 0.5 * (low[k] + high[k]);
    box[3 + k] = 0.5 * (high[k] - low[k]);
    if (chigh[k] - clow[k] > chigh[axis] - clow[axis]) axis = k;
  }
  bvh->nodeid[node] = -1;
  int half = n / 2;
  split_leaves(leaf, n, half, axis);
  int left = make_node(maker, leaf, half, depth + 1);
  int right = make_node(maker, leaf + half, n - half, depth + 1);
  bvh->child[2 * node] = left;
  bvh->child[2 * node + 1] = right;
  return node;
}

bool bvh_build(snBvh* bvh, const mjtNum* aabb, const int* id, int n, snFault* fault) {
  memset(bvh, 0, sizeof *bvh);
  if (n <= 0) return true;
  size_t nodes = 2 * (size_t)n - 1;
  snLeaf* leaf = memory_alloc((size_t)n * sizeof(snLeaf));
  bvh->depth = memory_alloc(nodes * sizeof(int));
  bvh->child = memory_alloc(2 * nodes * sizeof(int));
  bvh->nodeid = memory_alloc(nodes * sizeof(int));
  bvh->aabb = memory_alloc(6 * nodes * sizeof(mjtNum));
  if (!leaf || !bvh->depth || !bvh->child || !bvh->nodeid || !bvh->aabb) {
    memory_free(leaf);
    bvh_free(bvh);
    return fault_raise(fault, "no memory for a bounding volume hierarchy of %d leaves", n);
  }
  for (int i = 0; i < n; i++) {
    vec3_copy(leaf[i].centre, aabb + 6 * (size_t)i);
    leaf[i].index = i;
  }
  snBvhMaker maker = {bvh, aabb, id, 0};
  make_node(&maker, leaf, n, 0);
  bvh->n = (int)nodes;
  memory_free(leaf);
  return true;
}

void bvh_free(snBvh* bvh) {
  memory_free(bvh->depth);
  memory_free(bvh->child);
  memory_free(bvh->nodeid);
  memory_free(bvh->aabb);
  memset(bvh, 0, sizeof *bvh);
}

// |R| h bounds the rotated half sizes.
void bvh_box_pose(mjtNum out[6], const mjtNum aabb[6], const mjtNum pos[3], const mjtNum quat[4],
                  const mjtNum frame_pos[3], const mjtNum frame_quat[4]) {
  double inverse[4], relative[4], offset[3], centre[3], rotation[9];
  quat_conj(inverse, frame_quat);
  quat_mul(relative, inverse, quat);
  vec3_sub(offset, pos, frame_pos);
  quat_rotate(offset, offset, inverse);
  quat_to_mat(rotation, relative);
  mat3_mul_vec(centre, rotation, aabb);
  vec3_add(centre, centre, offset);
  double half[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) half[i] += fabs(rotation[3 * i + j]) * aabb[3 + j];
  }
  vec3_copy(out, centre);
  vec3_copy(out + 3, half);
}
