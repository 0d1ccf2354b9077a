// Bounding volume hierarchies: binary trees of axis-aligned boxes, split at the median of the
// leaves' centers along the longest side. 2 n - 1 nodes in depth-first order, ceil(log2 n) deep.
//
// Leaves are sorted once along each axis. A split keeps the three orders, so the extent of the
// centers is read off the ends of the orders, and boxes are merged only on the way up:
// O(n log n) in all.
#include <math.h>
#include <string.h>

#include "algebra/small.h"
#include "compile/asset.h"

enum { kDigit = 11, kDigits = 1 << kDigit, kShort = 64 };

// A sortable key: the number as a float whose bits order like integers, then the index of the leaf.
static uint64_t sort_key(double x, int leaf) {
  float rounded = (float)x;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  bits ^= bits >> 31 ? 0xFFFFFFFFu : 0x80000000u;
  return (uint64_t)bits << 32 | (uint32_t)leaf;
}

// Radix sort by key: leaves by center, ties by index.
static void sort_keys(uint64_t* key, uint64_t* spare, int n) {
  if (n <= kShort) {
    for (int i = 1; i < n; i++) {
      uint64_t moved = key[i];
      int j = i;
      for (; j > 0 && key[j - 1] > moved; j--) key[j] = key[j - 1];
      key[j] = moved;
    }
    return;
  }
  for (int shift = 32; shift < 64; shift += kDigit) {
    uint32_t at[kDigits] = {0}, sum = 0;
    for (int i = 0; i < n; i++) at[key[i] >> shift & (kDigits - 1)]++;
    for (int d = 0; d < kDigits; d++) {
      uint32_t count = at[d];
      at[d] = sum;
      sum += count;
    }
    for (int i = 0; i < n; i++) spare[at[key[i] >> shift & (kDigits - 1)]++] = key[i];
    uint64_t* swap = key;
    key = spare;
    spare = swap;
  }
  // an odd number of passes ends in the other array
  memcpy(spare, key, (size_t)n * sizeof *key);
  for (int i = 1; i < n; i++) SN_ASSERT(key[i - 1] < key[i]);
}

typedef struct snBvhMaker_ {
  snBvh* bvh;
  const mjtNum* aabb;
  const int* id;
  int* order[3];  // (n) leaves along each axis
  int* spare;     // (n)
  char* right;    // (n) does a leaf go to the right child
  int at;         // next free node
} snBvhMaker;

// Leaves [first, first + half) along the axis go left; the orders of the other axes follow.
static void split_leaves(snBvhMaker* maker, int first, int n, int half, int axis) {
  for (int i = 0; i < n; i++) maker->right[maker->order[axis][first + i]] = i >= half;
  for (int k = 0; k < 3; k++) {
    if (k == axis) continue;
    int* order = maker->order[k] + first;
    int left = 0, right = 0;
    for (int i = 0; i < n; i++) {
      int leaf = order[i], side = maker->right[leaf];
      order[left] = leaf;
      maker->spare[right] = leaf;
      left += !side;
      right += side;
    }
    SN_ASSERT(left == half && right == n - half);  // the three orders hold the same leaves
    memcpy(order + left, maker->spare, (size_t)right * sizeof *order);
  }
}

// Makes the node of leaves [first, first + n) and its subtree; bounds: low and high corner.
static int make_node(snBvhMaker* maker, int first, int n, int depth, double bounds[6]) {
  snBvh* bvh = maker->bvh;
  int node = maker->at++;
  SN_ASSERT(n > 0 && depth < mjMAXTREEDEPTH);
  bvh->depth[node] = depth;
  mjtNum* box = bvh->aabb + 6 * (size_t)node;
  if (n == 1) {
    int leaf = maker->order[0][first];
    memcpy(box, maker->aabb + 6 * (size_t)leaf, 6 * sizeof(mjtNum));
    bvh->child[2 * node] = bvh->child[2 * node + 1] = -1;
    bvh->nodeid[node] = maker->id ? maker->id[leaf] : leaf;
    for (int k = 0; k < 3; k++) {
      bounds[k] = box[k] - box[3 + k];
      bounds[3 + k] = box[k] + box[3 + k];
    }
    return node;
  }

  int axis = 0, half = n / 2;
  double longest = -1;
  for (int k = 0; k < 3; k++) {
    const int* order = maker->order[k] + first;
    double length =
        maker->aabb[6 * (size_t)order[n - 1] + k] - maker->aabb[6 * (size_t)order[0] + k];
    if (length > longest) axis = k, longest = length;
  }
  split_leaves(maker, first, n, half, axis);
  double right[6];
  bvh->nodeid[node] = -1;
  bvh->child[2 * node] = make_node(maker, first, half, depth + 1, bounds);
  bvh->child[2 * node + 1] = make_node(maker, first + half, n - half, depth + 1, right);
  for (int k = 0; k < 3; k++) {
    if (right[k] < bounds[k]) bounds[k] = right[k];
    if (right[3 + k] > bounds[3 + k]) bounds[3 + k] = right[3 + k];
    box[k] = 0.5 * (bounds[k] + bounds[3 + k]);
    box[3 + k] = 0.5 * (bounds[3 + k] - bounds[k]);
  }
  return node;
}

bool bvh_build(snBvh* bvh, const mjtNum* aabb, const int* id, int n, snFault* fault) {
  memset(bvh, 0, sizeof *bvh);
  if (n <= 0) return true;
  size_t leaves = (size_t)n, nodes = 2 * leaves - 1;
  uint64_t* key = memory_alloc(2 * leaves * sizeof *key);
  int* order = memory_alloc(4 * leaves * sizeof *order + leaves);
  bvh->depth = memory_alloc(nodes * sizeof(int));
  bvh->child = memory_alloc(2 * nodes * sizeof(int));
  bvh->nodeid = memory_alloc(nodes * sizeof(int));
  bvh->aabb = memory_alloc(6 * nodes * sizeof(mjtNum));
  bool ok = key && order && bvh->depth && bvh->child && bvh->nodeid && bvh->aabb;
  if (ok) {
    snBvhMaker maker = {bvh,
                        aabb,
                        id,
                        {order, order + n, order + 2 * leaves},
                        order + 3 * leaves,
                        (char*)(order + 4 * leaves),
                        0};
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < n; i++) key[i] = sort_key(aabb[6 * (size_t)i + k], i);
      sort_keys(key, key + leaves, n);
      for (int i = 0; i < n; i++) maker.order[k][i] = (int)(uint32_t)key[i];
    }
    double bounds[6];
    make_node(&maker, 0, n, 0, bounds);
    bvh->n = (int)nodes;
  } else {
    bvh_free(bvh);
    fault_raise(fault, "no memory for a bounding volume hierarchy of %d leaves", n);
  }
  memory_free(key);
  memory_free(order);
  return ok;
}

void bvh_free(snBvh* bvh) {
  memory_free(bvh->depth);
  memory_free(bvh->child);
  memory_free(bvh->nodeid);
  memory_free(bvh->aabb);
  memset(bvh, 0, sizeof *bvh);
}

// |R| h bounds the half sizes after rotation.
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
