// Intersections of rays p + x v, x >= 0, with shapes in the frames of the shapes. Private to the
// room.
#ifndef SINEW_COLLIDE_RAY_H_
#define SINEW_COLLIDE_RAY_H_

#include "collide/vec.h"
#include "data/data.h"

// Every function returns the smallest x, or -1 for a miss; x is in units of |v|.

// A triangle, from both sides, by Moller and Trumbore.
SN_INLINE double ray_triangle(snVec a, snVec b, snVec c, snVec p, snVec v) {
  snVec ab = v_sub(b, a), ac = v_sub(c, a);
  snVec q = v_cross(v, ac);
  double det = v_dot(ab, q);
  if (fabs(det) < mjMINVAL * mjMINVAL) return -1;
  double inverse = 1 / det;
  snVec ap = v_sub(p, a);
  double s = v_dot(ap, q) * inverse;
  if (s < 0 || s > 1) return -1;
  snVec r = v_cross(ap, ab);
  double t = v_dot(v, r) * inverse;
  if (t < 0 || s + t > 1) return -1;
  double x = v_dot(ac, r) * inverse;
  return x >= 0 ? x : -1;
}

// Relative enlargement of a box, more than the slab test rounds; and the least absolute one.
static const double kSlabSlack = 1e-12, kSlabLeast = 1e-300;

// Entry x into an axis-aligned box (center, half sizes): 0 from inside, infinite for a miss or
// beyond the limit. `inverse` is 1/v by component. Conservative: rounding never loses a hit.
SN_INLINE double ray_slab(const double* aabb, snVec p, snVec inverse, double limit) {
  double enter = 0, leave = limit;
  const double point[3] = {p.x, p.y, p.z}, inv[3] = {inverse.x, inverse.y, inverse.z};
  for (int i = 0; i < 3; i++) {
    double half = aabb[3 + i] * (1 + kSlabSlack) + kSlabLeast, gap = aabb[i] - point[i];
    double t1 = (gap - half) * inv[i], t2 = (gap + half) * inv[i];
    double low = t1 < t2 ? t1 : t2, high = t1 < t2 ? t2 : t1;
    // a ray in the plane of a side gives NaN, for which both comparisons are false
    if (low > enter) enter = low;
    if (high < leave) leave = high;
  }
  return enter <= leave * (1 + kSlabSlack) ? enter : INFINITY;
}

// A mesh; hits beyond the limit are ignored.
double ray_mesh(const mjModel* m, const mjData* d, int geom, snVec point, snVec direction,
                double limit);

double ray_sphere(snVec p, snVec v, snVec center, double radius);
double ray_capsule(snVec p, snVec v, double radius, double half);
double ray_cylinder(snVec p, snVec v, double radius, double half);

#endif
