// The order of pairs of flex elements in the released engine: a walk down the bounding volume
// hierarchies of the two flexes with a stack of node pairs, last in first out; of two nodes the
// larger by mid_weight is opened. A hierarchy against itself comes to every pair twice, in either
// order; the first time counts.
#include "data/frame.h"
#include "collide/flex_pairs.h"
#include "collide/narrow.h"

// More than boxes of nodes round.
static const double kSlack = 1e-9;

// The hierarchy of a flex.
typedef struct snBranch_ {
  const int *child, *leaf;  // children of each node; its element, or -1
  const double* box;        // center and half sizes
  unsigned char* used;      // an element of some pair is below the node
  int n;
} snBranch;

// Mark the nodes above elements of pairs; false when out of memory.
static bool branch_start(snBranch* b, const mjModel* m, mjData* d, const snElementPairs* p,
                         const int* pair, int n, int side) {
  int flex = p->flex[side], adr = m->flex_bvhadr[flex], nelem = m->flex_elemnum[flex];
  *b = (snBranch){.child = m->bvh_child + 2 * (size_t)adr,
                  .leaf = m->bvh_nodeid + adr,
                  .box = d->bvh_aabb_dyn + 6 * (size_t)(adr - m->nbvhstatic),
                  .n = m->flex_bvhnum[flex]};
  unsigned char* element;
  if (!FRAME(memory_of(d), SN_ARRAY(b->used, b->n), SN_ARRAY(element, nelem))) return false;
  memset(element, 0, (size_t)nelem);
  bool self = p->flex[0] == p->flex[1];
  for (int i = 0; i < n; i++) {
    const snElementPair* e = p->pair + pair[i];
    if (self || side == 0) element[e->elem1] = 1;
    if (self || side == 1) element[e->elem2] = 1;
  }
  // children have larger indices than their parents
  for (int k = b->n - 1; k >= 0; k--) {
    int leaf = b->leaf[k];
    const int* below = b->child + 2 * k;
    SN_ASSERT(leaf >= 0 || (below[0] > k && below[1] > k));
    b->used[k] = leaf >= 0 ? element[leaf] : b->used[below[0]] || b->used[below[1]];
  }
  return true;
}

static bool boxes_within(const double* a, const double* b, double reach) {
  for (int k = 0; k < 3; k++) {
    if (fabs(a[k] - b[k]) > a[3 + k] + b[3 + k] + reach) return false;
  }
  return true;
}

// Binary search for the pair of two elements among n sorted ones; -1 when there is none.
static int pair_of(const snElementPairs* p, const int* pair, int n, int e1, int e2) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int mid = (low + high) / 2;
    const snElementPair* e = p->pair + pair[mid];
    if (e->elem1 == e1 && e->elem2 == e2) return mid;
    bool before = e->elem1 < e1 || (e->elem1 == e1 && e->elem2 < e2);
    if (before)
      low = mid + 1;
    else
      high = mid - 1;
  }
  return -1;
}

bool element_order(const mjModel* m, mjData* d, const snElementPairs* p, const int* pair, int n,
                   int* turn) {
  enum { kMost = 4 * mjMAXTREEDEPTH };
  snBranch b[2];
  bool self = p->flex[0] == p->flex[1];
  unsigned char* met;
  if (!FRAME(memory_of(d), SN_ARRAY(met, n))) return false;
  for (int k = 0; k < 2; k++) {
    if (!branch_start(b + k, m, d, p, pair, n, k) || !b[k].n) return false;
  }
  memset(met, 0, (size_t)n);
  int stack[kMost][2] = {{0, 0}}, top = 1, found = 0;
  while (top > 0 && top <= kMost - 2) {
    top--;
    int at[2] = {stack[top][0], stack[top][1]};
    if (!b[0].used[at[0]] || !b[1].used[at[1]]) continue;
    const double* box[2] = {b[0].box + 6 * (size_t)at[0], b[1].box + 6 * (size_t)at[1]};
    int leaf[2] = {b[0].leaf[at[0]], b[1].leaf[at[1]]};
    if (leaf[0] >= 0 && leaf[1] >= 0) {
      bool turned = self && leaf[0] > leaf[1];
      int i = pair_of(p, pair, n, leaf[turned], leaf[!turned]);
      if (i < 0 || met[i]) continue;
      met[i] = 1;
      turn[found++] = turned ? -1 - i : i;
      continue;
    }
    // listed pairs are within reach already: a margin for rounding
    if (!boxes_within(box[0], box[1], p->reach + kSlack)) continue;
    int open = leaf[0] >= 0 || (leaf[1] < 0 && !(mid_weight(box[0]) > mid_weight(box[1])));
    for (int k = 0; k < 2; k++, top++) {
      stack[top][open] = b[open].child[2 * at[open] + k];
      stack[top][!open] = at[!open];
    }
  }
  // pairs that the walk did not come to follow at the end
  for (int i = 0; i < n; i++) {
    if (!met[i]) turn[found++] = i;
  }
  SN_ASSERT(found == n);  // every pair has its turn, once
  return true;
}
