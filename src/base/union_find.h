// Disjoint sets over 0..n-1, union by smaller index, path halving. up[i] is i or a smaller member
// of the same set, so the root of a set is its smallest member: results do not depend on the order
// of joins.
#ifndef SINEW_BASE_UNION_FIND_H_
#define SINEW_BASE_UNION_FIND_H_

#include "base/assert.h"
#include "base/lanes.h"

SN_INLINE void union_start(int* up, int n) {
  for (int i = 0; i < n; i++) up[i] = i;
}

SN_INLINE int union_root(int* up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// Join the sets of two roots; returns the root of both.
SN_INLINE int union_join(int* up, int a, int b) {
  SN_ASSERT(up[a] == a && up[b] == b);
  int low = a < b ? a : b;
  up[a < b ? b : a] = low;
  return low;
}

#endif
