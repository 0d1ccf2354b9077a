// Four 3-vectors, one in each SIMD lane.
#ifndef SINEW_COLLIDE_VEC4_H_
#define SINEW_COLLIDE_VEC4_H_

#include "base/lanes.h"
#include "collide/vec.h"

typedef struct snVec4_ {
  sn4 x, y, z;
} snVec4;

SN_INLINE snVec4 v4_sub(snVec4 a, snVec4 b) { return (snVec4){a.x - b.x, a.y - b.y, a.z - b.z}; }
SN_INLINE sn4 v4_dot(snVec4 a, snVec4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SN_INLINE snVec4 v4_scale(snVec4 a, sn4 s) { return (snVec4){a.x * s, a.y * s, a.z * s}; }
SN_INLINE snVec4 v4_cross(snVec4 a, snVec4 b) {
  return (snVec4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SN_INLINE snVec4 v4_select(sn4i mask, snVec4 a, snVec4 b) {
  return (snVec4){sn4_select(mask, a.x, b.x), sn4_select(mask, a.y, b.y),
                  sn4_select(mask, a.z, b.z)};
}

#endif
