// A ball against an upright triangular prism of a height field, in closed form. With the center
// outside the prism the contact is at the nearest point of the faces that the center is beyond;
// with the center inside, at the face of least depth. This replaces a run of GJK for each prism.
#include "collide/hfield.h"

// Relative slack of a proof of separation: more than it rounds.
static const double kSlack = 1e-12;

// A face, its corners counterclockwise seen from outside.
typedef struct snPrismFace_ {
  snVec corner[4];
  int n;
  snVec normal;  // outward, not normalized
} snPrismFace;

// The point of a face nearest to p, which is `height` times |normal| above the plane of the face.
SN_INLINE snVec face_nearest(const snPrismFace* f, snVec p, double height) {
  snVec best = v_along(p, -height / v_norm2(f->normal), f->normal);
  double least = INFINITY;
  SN_UNROLL
  for (int k = 0; k < f->n; k++) {
    snVec from = f->corner[k], e = v_sub(f->corner[k + 1 < f->n ? k + 1 : 0], from),
          d = v_sub(p, from);
    if (v_dot(v_cross(e, d), f->normal) >= 0) continue;
    // p is beyond this edge
    double e2 = v_norm2(e), t = e2 > 0 ? clamp(v_dot(d, e) / e2, 0, 1) : 0;
    snVec q = v_along(from, t, e);
    double d2 = v_norm2(v_sub(p, q));
    if (d2 < least) least = d2, best = q;
  }
  return best;
}

SN_INLINE snPrismFace prism_face(const snVec low[3], const snVec high[3], int k) {
  if (k == 3) {
    snVec n = v_cross(v_sub(high[1], high[0]), v_sub(high[2], high[0]));
    return (snPrismFace){{high[0], high[1], high[2]}, 3, n};
  }
  if (k == 4) return (snPrismFace){{low[0], low[2], low[1]}, 3, v3(0, 0, -1)};
  int l = (k + 1) % 3;
  snVec e = v_sub(low[l], low[k]);
  return (snPrismFace){{high[k], low[k], low[l], high[l]}, 4, v3(e.y, -e.x, 0)};
}

// Height of p above the plane of each face, times the length of its normal.
SN_INLINE void prism_heights(const snVec low[3], const snVec high[3], snVec p, double height[5]) {
  SN_UNROLL
  for (int k = 0; k < 3; k++) {
    snVec e = v_sub(low[k < 2 ? k + 1 : 0], low[k]), from = v_sub(p, high[k]);
    height[k] = from.x * e.y - from.y * e.x;
  }
  snVec up = v_cross(v_sub(high[1], high[0]), v_sub(high[2], high[0]));
  height[3] = v_dot(v_sub(p, high[0]), up);
  height[4] = low[0].z - p.z;
}

// Depth of a point inside, and the normal of the face of least depth.
static double prism_depth(const snVec low[3], const snVec high[3], const double height[5],
                          snVec* out) {
  double depth = INFINITY;
  *out = v3(0, 0, 1);
  for (int k = 0; k < 5; k++) {
    snVec normal = prism_face(low, high, k).normal;
    double length = v_norm(normal);
    if (-height[k] < depth * length) {
      depth = -height[k] / length, *out = v_scale(normal, 1 / length);
    }
  }
  return depth;
}

bool collide_prism_ball(snTouchList* list, const double point[18], snVec p, double radius,
                        double cutoff, double outside) {
  // counterclockwise seen from above
  snVec low[3], high[3];
  snVec a = v_sub(v_of(point + 3), v_of(point)), b = v_sub(v_of(point + 6), v_of(point));
  bool left = a.x * b.y > a.y * b.x;
  SN_UNROLL
  for (int k = 0; k < 3; k++) {
    int at = left || !k ? k : 3 - k;
    low[k] = v_of(point + 3 * at), high[k] = v_of(point + 9 + 3 * at);
  }
  double height[5], least = INFINITY, dist;
  prism_heights(low, high, p, height);
  snVec out, best = p;
  SN_UNROLL
  for (int k = 0; k < 5; k++) {
    if (!(height[k] > 0)) continue;
    snPrismFace f = prism_face(low, high, k);
    if (height[k] > (radius + cutoff) * v_norm(f.normal) * (1 + kSlack)) return true;
    snVec q = face_nearest(&f, p, height[k]);
    double d2 = v_norm2(v_sub(p, q));
    if (d2 < least) least = d2, best = q;
  }
  if (least < INFINITY) {
    dist = sqrt(least);
    out = dist > 0 ? v_scale(v_sub(p, best), 1 / dist) : v3(0, 0, 1);
  } else {
    if (outside > 0) return false;
    dist = -prism_depth(low, high, height, &out);
  }
  if (dist < outside) return false;
  if (dist - radius > cutoff) return true;
  // midway between the witness points
  touch_add(list, dist - radius, v_along(p, -0.5 * (radius + dist), out), out);
  return true;
}
