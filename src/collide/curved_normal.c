// Outward normals of curved shapes at a contact point.
//
// A search for the deepest point ends within its tolerance e with the normal of a small triangle,
// whose error is of order sqrt(e). The normal of the surface beside the contact point has an error
// of order e.
#include "collide/curved_normal.h"

// Limits of both iterations, equal to the released ones: number of steps, and the change that ends
// them.
enum { kNormalSteps = 30 };
static const double kNormalChange = 1e-6;

// A point is beside a cylinder when it is below this share of its half height, and its distance
// from the end is at least this share of that from the side.
static const double kSideHeight = 0.95, kSideShare = 0.25;

// A point y outside an ellipsoid with semi-axes s: at its nearest point n_i ~ y_i / (s_i^2 + t),
// where t solves sum (s_i y_i / (s_i^2 + t))^2 = 1. Newton's steps from t = 0 approach the root
// from below.
static snVec ellipsoid_outside(const double* s, snVec y) {
  double t = 0;
  for (int k = 0; k < kNormalSteps; k++) {
    double f = -1, slope = 0;
    for (int i = 0; i < 3; i++) {
      double v = s[i] * s[i] + t, x = s[i] * v_get(y, i) / v;
      f += x * x;
      slope -= 2 * x * x / v;
    }
    double step = -f / slope;
    if (!(step >= kNormalChange)) break;
    t += step;
  }
  return v3(y.x / (s[0] * s[0] + t), y.y / (s[1] * s[1] + t), y.z / (s[2] * s[2] + t));
}

// A point y inside: the ray from y along n leaves the ellipsoid at y + x n; the normal at that
// point is the next n.
static snVec ellipsoid_inside(const double* s, snVec y, snVec n) {
  const snVec w = v3(1 / (s[0] * s[0]), 1 / (s[1] * s[1]), 1 / (s[2] * s[2]));
  const snVec wy = v3(w.x * y.x, w.y * y.y, w.z * y.z);
  double c = v_dot(wy, y) - 1;
  for (int k = 0; k < kNormalSteps; k++) {
    double a = w.x * n.x * n.x + w.y * n.y * n.y + w.z * n.z * n.z, b = v_dot(wy, n);
    double x = (-b + sqrt(b * b - a * c)) / a;
    snVec p = v_along(y, x, n), next = v3(w.x * p.x, w.y * p.y, w.z * p.z);
    v_normalize(&next);
    double change = v_norm(v_sub(next, n));
    n = next;
    if (change < kNormalChange) break;
  }
  return n;
}

snVec normal_curved(const snShape* shape, snVec pos, snVec normal) {
  snVec y = m_mul_t(shape->mat, v_sub(pos, v_of(shape->pos))), n = {0, 0, 0};
  const double* s = shape->size;
  switch (shape->type) {
    case mjGEOM_SPHERE:
      n = y;
      break;
    case mjGEOM_CAPSULE:
      n = v3(y.x, y.y, y.z - clamp(y.z, -s[1], s[1]));
      break;
    case mjGEOM_CYLINDER: {
      // the side of the cylinder, unless the point is near an end; the bounds are the released ones
      double end = fabs(s[1] - fabs(y.z)), side = fabs(s[0] - sqrt(y.x * y.x + y.y * y.y));
      if (!(fabs(y.z) < kSideHeight * s[1] && end >= kSideShare * side)) return n;
      n = v3(y.x, y.y, 0);
      break;
    }
    case mjGEOM_ELLIPSOID: {
      double x = y.x / s[0], u = y.y / s[1], v = y.z / s[2];
      bool inside = x * x + u * u + v * v < 1;
      n = inside ? ellipsoid_inside(s, y, m_mul_t(shape->mat, normal)) : ellipsoid_outside(s, y);
      break;
    }
    default:
      return n;
  }
  v_normalize(&n);  // y = 0 gives the x axis
  return m_mul(shape->mat, n);
}
