// Spheres and capsules: against each other, and against cylinders, boxes and triangles, in closed
// form.
//
// A capsule is a segment inflated by a radius, so each case reduces to the nearest points of two
// cores and then to two balls. A collider that finds nothing reports the proved distance
// (touch_miss).
#include "collide/narrow.h"

// Two balls. When the centers coincide the normal is the cross product of the two z axes, the
// direction in which two crossed capsules separate.
static bool ball_ball(snTouchList* list, snVec c1, double r1, const double* mat1, snVec c2,
                      double r2, const double* mat2, double margin) {
  snVec n = v_sub(c2, c1);
  double reach = margin + r1 + r2;
  double length2 = v_norm2(n);
  double length = sqrt(length2);
  if (length2 > reach * reach) {
    touch_miss(list, length - reach);
    return false;
  }
  double dist = length - r1 - r2;
  if (length < mjMINVAL) {
    n = v_cross(m_axis(mat1, 2), m_axis(mat2, 2));
    v_normalize(&n);
  } else {
    n = v_scale(n, 1 / length);
  }
  touch_add(list, dist, v_along(c1, r1 + 0.5 * dist, n), n);
  return true;
}

void collide_sphere_sphere(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  ball_ball(list, v_of(a->pos), a->size[0], a->mat, v_of(b->pos), b->size[0], b->mat, margin);
}

// The ball of the capsule that is nearest to the sphere.
void collide_sphere_capsule(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec axis = m_axis(b->mat, 2), center = v_of(b->pos), sphere = v_of(a->pos);
  double s = clamp(v_dot(axis, v_sub(sphere, center)), -b->size[1], b->size[1]);
  ball_ball(list, sphere, a->size[0], a->mat, v_along(center, s, axis), b->size[0], b->mat, margin);
}

snVec triangle_nearest(snVec a, snVec b, snVec c, snVec p) {
  snVec n = v_cross(v_sub(b, a), v_sub(c, a));
  double n2 = v_norm2(n);
  const snVec corner[4] = {a, b, c, a};
  bool inside = n2 > 0;
  snVec best = a;
  double best2 = INFINITY;
  for (int k = 0; k < 3; k++) {
    snVec u = corner[k], e = v_sub(corner[k + 1], u);
    if (v_dot(v_cross(e, v_sub(p, u)), n) < 0) inside = false;
    double e2 = v_norm2(e), t = e2 > 0 ? clamp(v_dot(e, v_sub(p, u)) / e2, 0, 1) : 0;
    snVec q = v_along(u, t, e);
    double d2 = v_norm2(v_sub(p, q));
    if (d2 < best2) best2 = d2, best = q;
  }
  return inside ? v_along(p, -v_dot(n, v_sub(p, a)) / n2, n) : best;
}

// The nearest point of a triangle, inflated by the skin of its flex.
void collide_sphere_triangle(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  const double* p = b->point;
  snVec near = triangle_nearest(v_of(p), v_of(p + 3), v_of(p + 6), v_of(a->pos));
  ball_ball(list, v_of(a->pos), a->size[0], a->mat, near, b->skin, b->mat, margin);
}

// The sphere touches the side, a cap or the rim, depending on the projection of its center. A
// center inside the cylinder leaves through the nearer of side and cap.
void collide_sphere_cylinder(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec axis = m_axis(b->mat, 2), center = v_of(b->pos), sphere = v_of(a->pos);
  double radius = b->size[0], half = b->size[1], r = a->size[0];
  snVec offset = v_sub(sphere, center);
  double along = v_dot(axis, offset);
  snVec across = v_along(offset, -along, axis);
  double across2 = v_norm2(across);
  bool beside = fabs(along) < half;
  bool above = across2 < radius * radius;
  if (beside && above) {
    if (half - fabs(along) < radius - sqrt(across2))
      beside = false;
    else
      above = false;
  }
  if (beside) {
    ball_ball(list, sphere, r, a->mat, v_along(center, along, axis), radius, b->mat, margin);
  } else if (above) {
    double sign = along > 0 ? 1 : -1;
    double height = sign * along - half, dist = height - r;
    if (height > margin + r) {
      touch_miss(list, dist - margin);
      return;
    }
    snVec n = v_scale(axis, -sign);
    touch_add(list, dist, v_along(sphere, r + 0.5 * dist, n), n);
  } else {
    snVec rim = v_along(center, along > 0 ? half : -half, axis);
    rim = v_along(rim, radius / sqrt(across2), across);
    ball_ball(list, sphere, r, a->mat, rim, 0, b->mat, margin);
  }
}

// A ball against a box. With q the center in the frame of the box and p the point of the box
// nearest to q, the normal is along p - q; a center inside leaves through the nearest face.
bool collide_ball_box(snTouchList* list, snVec center, double r, const snShape* box,
                      double margin) {
  snVec q = m_mul_t(box->mat, v_sub(center, v_of(box->pos)));
  snVec p = v3(clamp(q.x, -box->size[0], box->size[0]), clamp(q.y, -box->size[1], box->size[1]),
               clamp(q.z, -box->size[2], box->size[2]));
  snVec n = v_sub(p, q);
  double length = v_norm(n), dist;
  if (length - r > margin) {
    touch_miss(list, length - r - margin);
    return false;
  }
  if (length <= mjMINVAL) {
    double nearest = 2 * fmax(fmax(box->size[0], box->size[1]), box->size[2]);
    int face = 0;
    for (int i = 0; i < 6; i++) {
      double x = v_get(q, i / 2), depth = box->size[i / 2] + (i & 1 ? -x : x);
      if (depth < nearest) {
        nearest = depth;
        face = i;
      }
    }
    n = v3(0, 0, 0);
    v_set(&n, face / 2, face & 1 ? -1 : 1);
    dist = -nearest - r;
  } else {
    n = v_scale(n, 1 / length);
    dist = length - r;
  }
  n = m_mul(box->mat, n);
  touch_add(list, dist, v_along(center, r + 0.5 * dist, n), n);
  return true;
}

void collide_sphere_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  collide_ball_box(list, v_of(a->pos), a->size[0], b, margin);
}

// The nearest points c1 + x1 u1 and c2 + x2 u2 of the two axes, with ui scaled by the half lengths
// so that |xi| <= 1:
//   [ u1.u1  -u1.u2 ] [x1]   [ u1.(c2 - c1) ]
//   [-u1.u2   u2.u2 ] [x2] = [ u2.(c1 - c2) ]
// Clamp one parameter, solve for the other, clamp again. For parallel axes the matrix is singular:
// then each of the four ends is tested against the other axis, and the first two that touch are
// kept.
void collide_capsule_capsule(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec c1 = v_of(a->pos), c2 = v_of(b->pos);
  snVec u1 = v_scale(m_axis(a->mat, 2), a->size[1]);
  snVec u2 = v_scale(m_axis(b->mat, 2), b->size[1]);
  double r1 = a->size[0], r2 = b->size[0];
  snVec between = v_sub(c1, c2);
  double ma = v_norm2(u1), mb = -v_dot(u1, u2), mc = v_norm2(u2);
  double u = -v_dot(u1, between), v = v_dot(u2, between);
  double det = ma * mc - mb * mb;

  if (fabs(det) >= mjMINVAL) {
    double x1 = (mc * u - mb * v) / det, x2 = (ma * v - mb * u) / det;
    if (x1 > 1) {
      x1 = 1;
      x2 = (v - mb) / mc;
    } else if (x1 < -1) {
      x1 = -1;
      x2 = (v + mb) / mc;
    }
    if (x2 > 1) {
      x2 = 1;
      x1 = clamp((u - mb) / ma, -1, 1);
    } else if (x2 < -1) {
      x2 = -1;
      x1 = clamp((u + mb) / ma, -1, 1);
    }
    snVec p1 = v_along(c1, x1, u1), p2 = v_along(c2, x2, u2);
    if (!ball_ball(list, p1, r1, a->mat, p2, r2, b->mat, margin)) {
      // distance along the normal through the nearest points: a proved lower bound
      snVec n = v_sub(p2, p1);
      double clear = -v_dot(n, between) - fabs(v_dot(n, u1)) - fabs(v_dot(n, u2));
      touch_miss(list, clear / v_norm(n) - r1 - r2 - margin);
    }
    return;
  }

  touch_miss(list, 0);
  int found = 0;
  for (int end = 0; end < 4 && found < 2; end++) {
    double x1, x2, side = end & 1 ? -1 : 1;
    if (end < 2) {
      x1 = side;
      x2 = clamp((v - side * mb) / mc, -1, 1);
    } else {
      x2 = side;
      x1 = clamp((u - side * mb) / ma, -1, 1);
    }
    found +=
        ball_ball(list, v_along(c1, x1, u1), r1, a->mat, v_along(c2, x2, u2), r2, b->mat, margin);
  }
}
