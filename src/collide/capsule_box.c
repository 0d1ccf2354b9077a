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

// The end of the axis going `way` from t1, or where it leaves the box's extent along an axis in
// which it is inside.
static double axis_leaves(snVec c, snVec a, double L, const double* size, double t1, double way,
                          const bool* out) {
  double end = way * L;
  for (int i = 0; i < 3; i++) {
    double slope = v_get(a, i);
    if (out[i] || fabs(slope) < 1e-12) continue;
    double t = ((slope * way > 0 ? size[i] : -size[i]) - v_get(c, i)) / slope;
    if ((t - t1) * way < 0) t = t1;
    if ((end - t) * way > 0) end = t;
  }
  return end;
}

// An axis along one of the box's is equally near over a stretch: the ends of the stretch. Over a
// face an end of the capsule comes first, beside an edge a corner of the box does.
static bool axis_level(snVec c, snVec a, double L, const double* size, double* t1, double* t2) {
  int along = -1, nout = 0;
  for (int i = 0; i < 3; i++) {
    if (fabs(v_get(a, i)) < 1e-12)
      nout += fabs(v_get(c, i)) > size[i];
    else if (along < 0)
      along = i;
    else
      return false;
  }
  double slope = v_get(a, along), x = v_get(c, along);
  double low = fmax(-L, (slope > 0 ? -size[along] - x : size[along] - x) / slope);
  double high = fmin(L, (slope > 0 ? size[along] - x : -size[along] - x) / slope);
  if (low >= high) return false;
  bool cut_low = low > -L, cut_high = high < L;
  bool back = cut_low && cut_high && slope < 0;
  bool swap = back || (nout == 1 ? cut_low && !cut_high : cut_high && !cut_low);
  *t1 = swap ? high : low;
  *t2 = swap ? low : high;
  return true;
}

// Where the second ball goes, from the nearest point t1; false when the axis leads away from the
// box at once. Over a face it goes the longer way, until the axis leaves the face or ends. Beside
// an edge or a corner it goes the way that nears the box along the axis `followed`:
//   edge     the steeper of the two axes in which the ball is outside;
//   corner   the axis that alone nears the box in its way when it makes up half of the direction,
//            otherwise either of the two that share the other way;
// and stops where the capsule ends, leaves the box's extent in an axis in which it is inside, or
// has gone a whole side of the box in an axis that it nears. An end beside an edge counts as beside
// the corner when the endless axis is nearest to the edge's line beyond that corner.
static bool axis_second(snVec c, snVec a, double L, const double* size, double t1, double* t2) {
  bool out[3], at_end = fabs(fabs(t1) - L) < 1e-12;
  double side[3];  // the signs of the face, edge or corner
  int nout = 0, inside = 0;
  for (int i = 0; i < 3; i++) {
    double x = v_get(c, i) + t1 * v_get(a, i);
    out[i] = fabs(x) > size[i] + 1e-12;
    side[i] = x > 0 ? 1 : -1;
    nout += out[i];
    if (!out[i]) inside = i;
  }
  if (nout == 1) {
    *t2 = t1;
    for (int way = -1; way <= 1; way += 2) {
      double end = axis_leaves(c, a, L, size, t1, way, out);
      if (fabs(end - t1) > fabs(*t2 - t1)) *t2 = end;
    }
    return true;
  }

  if (nout == 2 && at_end) {
    double along = 0, norm2 = 0;
    for (int i = 0; i < 3; i++) {
      if (!out[i]) continue;
      double slope = v_get(a, i);
      along += slope * (v_get(c, i) + t1 * slope - side[i] * size[i]);
      norm2 += slope * slope;
    }
    if (norm2 > 1e-24) {
      double x = v_get(c, inside) + (t1 - along / norm2) * v_get(a, inside);
      if (fabs(x) > size[inside]) {
        out[inside] = true;
        side[inside] = x > 0 ? 1 : -1;
        nout = 3;
      }
    }
  }

  // the way that nears the box, per axis, and whether all lead back into the capsule's other half
  double near[3], sum = 0;
  bool leaves = at_end;
  int steepest = -1;
  for (int i = 0; i < 3; i++) {
    if (!out[i]) continue;
    near[i] = side[i] * v_get(a, i) > 0 ? -1 : 1;
    sum += near[i];
    leaves = leaves && side[i] * v_get(a, i) * t1 < 0;
    if (steepest < 0 || fabs(v_get(a, i)) > fabs(v_get(a, steepest))) steepest = i;
  }
  if (leaves) return false;
  double way = nout == 2 ? near[steepest] : sum > 0 ? 1 : -1;
  for (int i = 0; i < 3 && nout == 3; i++) {
    if (near[i] * sum < 0 && v_get(a, i) * v_get(a, i) > 0.5) way = near[i];
  }
  double end = axis_leaves(c, a, L, size, t1, way, out);
  for (int i = 0; i < 3; i++) {
    if (!out[i] || near[i] != way || fabs(v_get(a, i)) < 1e-12) continue;
    double run = 2 * size[i] / fabs(v_get(a, i));
    if ((end - t1) * way > run) end = t1 + way * run;
  }
  *t2 = end;
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
    bool second = axis_level(c, u, L, b->size, &t1, &t2) || axis_second(c, u, L, b->size, t1, &t2);
    collide_ball_box(list, v_along(center, t1, axis), radius, b, margin);
    if (second) {
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
