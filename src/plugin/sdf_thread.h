// Threads and hexagonal heads of bolts and nuts.
//
// All slopes are 45 degrees: a surface r + z = c has the distance (r + z - c) / sqrt(2).
#ifndef SINEW_PLUGIN_SDF_THREAD_H_
#define SINEW_PLUGIN_SDF_THREAD_H_

#include <math.h>

#include "base/base.h"

#define THREAD_SLOPE 0.70710678118654752440  // 1 / sqrt(2)
#define THREAD_PITCH (1.0 / 12)              // of one turn, along z
#define THREAD_HEAD 0.5                      // height of a head, and half its width over flats

// Threads of triangular section wind around a cylinder of the given radius. With w the distance
// along z to the nearest ridge, which rises half a pitch above the radius,
//   distance = (r - radius - pitch / 2 + w) / sqrt(2).
static inline double thread_distance(const double x[3], double r, double radius) {
  double turns = x[2] / THREAD_PITCH - sn_atan2(x[1], x[0]) / (2 * mjPI);
  double way = THREAD_PITCH * fabs(turns - floor(turns + 0.5));
  return THREAD_SLOPE * (r - radius - THREAD_PITCH / 2 + way);
}

// A hexagonal prism under z = 0, its upper edge beveled.
static inline double thread_head(const double x[3], double r, double radius) {
  static const double kBevel = 0.22;
  double flat = fabs(x[0]), side = 0.5 * flat + 0.86602540378443864676 * fabs(x[1]);
  double hexagon = sn_max(flat, side) - THREAD_HEAD;
  double height = sn_max(x[2], -x[2] - THREAD_HEAD);
  return sn_max(sn_max(hexagon, height), THREAD_SLOPE * (r + x[2] - radius - kBevel));
}

// Bounding box of both, which does not depend on the radius.
static inline void thread_aabb(double aabb[6]) {
  static const double kBox[6] = {0, 0, 0, 0.6, 0.6, 1};
  mju_copy(aabb, kBox, 6);
}

#endif
