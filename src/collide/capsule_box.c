// A capsule against a box: the ball of the capsule nearest to the box, and a second ball where the
// axis runs along a face or an edge. Everything is in the box frame; the axis is c + t a, |t| <= L.
#include "collide/convex.h"

// The smallest t at which c + t a is nearest to the box, and that distance. The squared distance is
// convex and quadratic between the points where the axis crosses the planes of the faces.
static double axis_nearest(snVec c, snVec a, double L, const double* size, double* dist) {
  double cut[8] = {-L};
  int n = 1;
  for (int i = 0; i < 3; i++) {
    double slope = v_get(a, i);
    if (fabs(slope) < 1e-12) continue;
    for (int side = -1; side <= 1; side += 2) {
      double t = (side * size[i] - v_get(c, i)) / slope;
      if (fabs(t) >= L) continue;
      int k = n++;
      while (k > 1 && cut[k - 1] > t) cut[k] = cut[k - 1], k--;
      cut[k] = t;
    }
  }
  cut[n] = L;
  double best = INFINITY, at = -L;
  for (int k = 0; k < n; k++) {
    double middle = 0.5 * (cut[k] + cut[k + 1]), num = 0, den = 0;
    for (int i = 0; i < 3; i++) {
      double slope = v_get(a, i), x = v_get(c, i) + middle * slope;
      if (fabs(slope) < 1e-12 || fabs(x) <= size[i]) continue;
      num += slope * ((x > 0 ? size[i] : -size[i]) - v_get(c, i));
      den += slope * slope;
    }
    double t = den > 0 ? clamp(num / den, cut[k], cut[k + 1]) : cut[k], gap2 = 0;
    for (int i = 0; i < 3; i++) {
      double gap = fmax(fabs(v_get(c, i) + t * v_get(a, i)) - size[i], 0);
      gap2 += gap * gap;
    }
    double gap = sqrt(gap2);
    if (gap < best - 1e-14) {
      best = gap;
      at = t;
    }
  }
  *dist = best;
  return at;
}

// The end of the axis going `way` from t1, or where it leaves the box's extent along an axis in which
// it is inside (`skip` aside).
static double axis_leaves(snVec c, snVec a, double L, const double* size, double t1, double way,
                          const bool* out, int skip) {
  double end = way * L;
  for (int i = 0; i < 3; i++) {
    double slope = v_get(a, i);
    if (out[i] || i == skip || fabs(slope) < 1e-12) continue;
    double t = ((slope * way > 0 ? size[i] : -size[i]) - v_get(c, i)) / slope;
    if ((t - t1) * way < 0) t = t1;
    if ((end - t) * way > 0) end = t;
  }
  return end;
}

// Where the second ball goes, from the nearest point t1: over a face, until the axis leaves the face
// or ends; beside an edge or corner, along the axis of the box that the capsule follows most. False
// when the axis leads away from the box at once.
static bool axis_second(snVec c, snVec a, double L, const double* size, double t1, double* t2) {
  bool out[3];
  int nout = 0, main = 0;
  for (int i = 0; i < 3; i++) {
    out[i] = fabs(v_get(c, i) + t1 * v_get(a, i)) > size[i] + 1e-12;
    nout += out[i];
    if (fabs(v_get(a, i)) > fabs(v_get(a, main))) main = i;
  }
  if (nout == 1) {
    // the longer way along the face
    *t2 = t1;
    for (int way = -1; way <= 1; way += 2) {
      double end = axis_leaves(c, a, L, size, t1, way, out, -1);
      if (fabs(end - t1) > fabs(*t2 - t1)) *t2 = end;
    }
    return true;
  }
  double run = 2 * size[main] / fabs(v_get(a, main)), way;
  if (!out[main]) {
    way = t1 > 0 ? -1 : 1;
    if (fabs(t1) < L && fabs(way * L - t1) < fabs(way * L + t1)) way = -way;
  } else {
    way = (v_get(c, main) + t1 * v_get(a, main) > 0) == (v_get(a, main) > 0) ? -1 : 1;
    bool leaves = fabs(fabs(t1) - L) < 1e-12;
    for (int i = 0; i < 3 && leaves; i++) {
      double x = v_get(c, i) + t1 * v_get(a, i);
      if (out[i]) leaves = x * v_get(a, i) * t1 < 0;
    }
    if (leaves) return false;
  }
  double end = axis_leaves(c, a, L, size, t1, way, out, main);
  *t2 = fabs(end - t1) > run ? t1 + way * run : end;
  return true;
}

void collide_capsule_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec center = v_of(a->pos), axis = m_axis(a->mat, 2);
  snVec c = m_mul_t(b->mat, v_sub(center, v_of(b->pos))), u = m_mul_t(b->mat, axis);
  double radius = a->size[0], L = a->size[1], dist, t2;
  if (fabs(c.x) - fabs(u.x) * L - b->size[0] - radius > margin ||
      fabs(c.y) - fabs(u.y) * L - b->size[1] - radius > margin ||
      fabs(c.z) - fabs(u.z) * L - b->size[2] - radius > margin) {
    return;
  }
  double t1 = axis_nearest(c, u, L, b->size, &dist);
  if (dist - radius > margin) return;
  if (dist > mjMINVAL) {
    collide_ball_box(list, v_along(center, t1, axis), radius, b, margin);
    if (axis_second(c, u, L, b->size, t1, &t2)) {
      collide_ball_box(list, v_along(center, t2, axis), radius, b, margin);
    }
    return;
  }
  // the axis enters the box: the end inside is pushed out, and an axis that goes right through
  // leaves by the shortest way
  for (int end = -1; end <= 1; end += 2) {
    snVec e = v_along(c, end * L, u);
    if (fabs(e.x) <= b->size[0] && fabs(e.y) <= b->size[1] && fabs(e.z) <= b->size[2]) {
      collide_ball_box(list, v_along(center, end * L, axis), radius, b, margin);
      return;
    }
  }
  snGjk g = {.a = a, .b = b, .hint_a = -1, .hint_b = -1, .tolerance = 1e-10, .iterations = 50};
  if (gjk_distance(&g, margin)) {
    touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
  }
}
