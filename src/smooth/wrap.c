// Shortest paths around a circle, or through it (touching it from inside), and from them around
// spheres and infinite cylinders. A sphere is wrapped in the plane of its center and the two ends;
// a cylinder in its cross section, and the path rises along its axis in proportion to the length in
// the plane.
#include "smooth/smooth.h"

// ---- in the plane: a circle of radius r at the origin, from d0 to d1
typedef struct snArc_ {
  double point[2][2];  // where the path meets and leaves the circle
  double length;       // along the circle
} snArc;

SN_INLINE double dot2(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1]; }
SN_INLINE double cross2(const double* a, const double* b) { return a[0] * b[1] - a[1] * b[0]; }

// The point of the circle whose tangent passes through d, on the side given by sign (+1: the path
// from d turns counterclockwise around the circle).
//   p = r/|d|^2 (r d + sign sqrt(|d|^2 - r^2) perp(d))
static void tangent_point(double* p, const double* d, double r, double sign) {
  double square = dot2(d, d);
  double h = sign * (square > r * r ? sqrt(square - r * r) : 0);
  p[0] = r / square * (r * d[0] - h * d[1]);
  p[1] = r / square * (r * d[1] + h * d[0]);
}

// Do the segments a-b and c-d cross?
static bool segments_cross(const double* a, const double* b, const double* c, const double* d) {
  double ab[2] = {b[0] - a[0], b[1] - a[1]}, cd[2] = {d[0] - c[0], d[1] - c[1]};
  double ac[2] = {c[0] - a[0], c[1] - a[1]};
  double det = cross2(ab, cd);
  if (fabs(det) < mjMINVAL) return false;
  double s = cross2(ac, cd) / det, t = cross2(ac, ab) / det;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

// Angle in [0, 2 pi) swept from p0 to p1 in the direction of sign.
static double swept(const double* p0, const double* p1, double sign) {
  double angle = sign * sn_atan2(cross2(p0, p1), dot2(p0, p1));
  return angle < 0 ? angle + 2 * mjPI : angle;
}

// Around: there is a tangent path in both directions; the side site decides, or else the shorter
// one.
static bool arc_around(snArc* arc, const double* d0, const double* d1, double r,
                       const double* side) {
  double square0 = dot2(d0, d0), square1 = dot2(d1, d1), rr = r * r;
  if (square0 < rr || square1 < rr) return false;

  // the point of the segment nearest to the center
  double dif[2] = {d1[0] - d0[0], d1[1] - d0[1]};
  double span = dot2(dif, dif);
  double s = span < mjMINVAL ? 0 : -dot2(d0, dif) / span;
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  double nearest[2] = {d0[0] + s * dif[0], d0[1] + s * dif[1]};
  if (dot2(nearest, nearest) > rr && (!side || dot2(side, nearest) >= 0)) return false;

  // a path whose straight parts cross would turn back on itself
  bool found = false;
  double best = 0, turn = 1;
  for (int i = 0; i < 2; i++) {
    snArc path;
    double sign = i ? -1 : 1, *p0 = path.point[0], *p1 = path.point[1], merit;
    tangent_point(p0, d0, r, sign);
    tangent_point(p1, d1, r, -sign);
    if (segments_cross(d0, p0, d1, p1)) continue;
    if (side) {
      double middle[2] = {p0[0] + p1[0], p0[1] + p1[1]};
      double norm = sqrt(dot2(middle, middle));
      merit = norm < mjMINVAL ? 0 : dot2(middle, side) / norm;
    } else {
      merit = dot2(p0, p1);
    }
    if (!found || merit > best) {
      found = true;
      best = merit;
      turn = sign;
      *arc = path;
    }
  }
  if (found) arc->length = r * swept(arc->point[0], arc->point[1], turn);
  return found;
}

// Newton's iteration of equal_angle, as released: distance of its start from 1, error in radians at
// which it ends, and the limit of steps.
static const double ANGLE_START = 1e-7, ANGLE_ERROR = 1e-6;
enum { ANGLE_STEPS = 20 };

// Through: when the segment misses the circle, the path touches it at the point where the angles of
// arrival and departure are equal. With z the sine of that angle to the radius, the law of sines in
// the triangles of center, point and end gives
//   f(z) = asin(A z) + asin(B z) - 2 asin(z) + G = 0,  A = r/|d0|, B = r/|d1|,
// G the angle between the ends. f is concave and decreasing, so Newton's steps approach the root
// from the right. Start and end are those of the released engine; an error of the root changes the
// length of the path only to second order.
static double equal_angle(double A, double B, double G) {
  double z = 1 - ANGLE_START;
  for (int i = 0; i < ANGLE_STEPS; i++) {
    double f = sn_asin(A * z) + sn_asin(B * z) - 2 * sn_asin(z) + G;
    if (fabs(f) < ANGLE_ERROR) return z;
    if (f > 0) return -1;  // grazing: the root is to the right of the start
    z -= f / (A / sqrt(1 - A * A * z * z) + B / sqrt(1 - B * B * z * z) - 2 / sqrt(1 - z * z));
  }
  return z;
}

static bool arc_through(snArc* arc, const double* d0, const double* d1, double r) {
  double n0 = sqrt(dot2(d0, d0)), n1 = sqrt(dot2(d1, d1));
  if (n0 <= r || n1 <= r) return false;
  double dif[2] = {d1[0] - d0[0], d1[1] - d0[1]};
  double span = dot2(dif, dif);
  if (span > mjMINVAL) {
    double s = -dot2(d0, dif) / span;
    double nearest[2] = {d0[0] + s * dif[0], d0[1] + s * dif[1]};
    if (s > 0 && s < 1 && dot2(nearest, nearest) <= r * r) return false;
  }

  // from the end after which the other end comes counterclockwise
  double gap = sn_atan2(cross2(d0, d1), dot2(d0, d1));
  const double* from = gap < 0 ? d1 : d0;
  double ratio = r / (gap < 0 ? n1 : n0);
  double z = equal_angle(r / n0, r / n1, fabs(gap)), p[2];
  if (z < 0) {
    double middle[2] = {d0[0] + d1[0], d0[1] + d1[1]};
    double norm = sqrt(dot2(middle, middle));
    for (int k = 0; k < 2; k++) p[k] = norm < mjMINVAL ? ratio * from[k] : r * middle[k] / norm;
  } else {
    double sine, cosine;
    sn_sincos(sn_asin(z) - sn_asin(ratio * z), &sine, &cosine);
    p[0] = ratio * (from[0] * cosine - from[1] * sine);
    p[1] = ratio * (from[1] * cosine + from[0] * sine);
  }
  for (int k = 0; k < 2; k++) arc->point[k][0] = p[0], arc->point[k][1] = p[1];
  arc->length = 0;
  return true;
}

// ---- in space
double wrap_path(double wpnt[6], const double x0[3], const double x1[3], const double xpos[3],
                 const double xmat[9], double radius, int type, const double* side) {
  if (radius < mjMINVAL) return -1;
  double p[2][3], s[3] = {0};
  for (int k = 0; k < 2; k++) {
    double rel[3];
    vec3_sub(rel, k ? x1 : x0, xpos);
    mat3_mulT_vec(p[k], xmat, rel);
  }
  if (vec3_norm(p[0]) < mjMINVAL || vec3_norm(p[1]) < mjMINVAL) return -1;
  if (side) {
    double rel[3];
    vec3_sub(rel, side, xpos);
    mat3_mulT_vec(s, xmat, rel);
  }

  // axes of the plane
  double axis[2][3] = {{1, 0, 0}, {0, 1, 0}};
  if (type == mjWRAP_SPHERE) {
    double normal[3];
    vec3_copy(axis[0], p[0]);
    vec3_normalize(axis[0]);
    vec3_cross(normal, p[0], p[1]);
    if (vec3_normalize(normal) < mjMINVAL) {
      // ends and center are collinear: any plane through them
      int least = 0;
      for (int k = 1; k < 3; k++) {
        if (fabs(axis[0][k]) < fabs(axis[0][least])) least = k;
      }
      double e[3] = {least == 0, least == 1, least == 2};
      vec3_cross(normal, axis[0], e);
      vec3_normalize(normal);
    }
    vec3_cross(axis[1], normal, axis[0]);
    vec3_normalize(axis[1]);
  }
  double d0[2] = {vec3_dot(p[0], axis[0]), vec3_dot(p[0], axis[1])};
  double d1[2] = {vec3_dot(p[1], axis[0]), vec3_dot(p[1], axis[1])};

  snArc arc;
  bool touches;
  if (side && vec3_norm(s) < radius) {
    touches = arc_through(&arc, d0, d1, radius);
  } else {
    double sd[2] = {vec3_dot(s, axis[0]), vec3_dot(s, axis[1])};
    // a side site on the axis has no direction: take the first axis
    if (sqrt(dot2(sd, sd)) < mjMINVAL) {
      sd[0] = 1;
      sd[1] = 0;
    }
    touches = arc_around(&arc, d0, d1, radius, side ? sd : NULL);
  }
  if (!touches) return -1;

  // back to space; along a cylinder the height is proportional to the length in the plane
  double height[2] = {0, 0}, length = arc.length;
  if (type == mjWRAP_CYLINDER) {
    double straight[2];
    for (int k = 0; k < 2; k++) {
      const double* end = k ? d1 : d0;
      double e[2] = {end[0] - arc.point[k][0], end[1] - arc.point[k][1]};
      straight[k] = sqrt(dot2(e, e));
    }
    double total = straight[0] + arc.length + straight[1], rise = p[1][2] - p[0][2];
    height[0] = p[0][2] + rise * straight[0] / total;
    height[1] = p[0][2] + rise * (straight[0] + arc.length) / total;
    double climb = height[1] - height[0];
    length = sqrt(length * length + climb * climb);
  }
  for (int k = 0; k < 2; k++) {
    double local[3];
    vec3_scale(local, axis[0], arc.point[k][0]);
    vec3_add_scaled(local, local, axis[1], arc.point[k][1]);
    local[2] += height[k];
    mat3_mul_vec(wpnt + 3 * k, xmat, local);
    vec3_add(wpnt + 3 * k, wpnt + 3 * k, xpos);
  }
  return length;
}
