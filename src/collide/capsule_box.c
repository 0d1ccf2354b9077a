// A capsule against a box, in closed form: one contact for the ball of the capsule that is nearest
// to the box, and a second one where the axis runs along a face or an edge, so that a capsule that
// lies on a box does not roll.
//
// Everything is in the frame of the box. The axis of the capsule is c + t a, |a| = 1, |t| <= L; the
// box has half sizes `size`. The nearest feature (face, edge or corner) follows from the two ends
// of the axis over faces and from the twelve edges; then sphere.c places a ball at its parameter t.
#include "collide/narrow.h"

// Below this slope the axis counts as parallel to a face.
static const double kLevel = 1e-12;

// The feature of the box that is nearest to the axis.
typedef struct snBoxFeature_ {
  double t;        // parameter of the nearest point of the axis
  double dist2;    // squared distance of that point
  bool out[3];     // coordinates in which the feature is outside: face one, edge two, corner three
  double side[3];  // sign of the feature's coordinate
} snBoxFeature;

// An end of the axis above a face is nearer to the face than to any edge. For an end inside the box
// dist2 is zero and no axis is `out`.
static void nearest_face(snBoxFeature* best, snVec c, snVec a, double L, const double* size) {
  for (int end = -1; end <= 1; end += 2) {
    snBoxFeature f = {.t = end * L};
    int nout = 0;
    for (int i = 0; i < 3; i++) {
      double x = v_get(c, i) + f.t * v_get(a, i), gap = fabs(x) - size[i];
      f.side[i] = x > 0 ? 1 : -1;
      f.out[i] = gap > 0;
      nout += f.out[i];
      if (f.out[i]) f.dist2 += gap * gap;
    }
    if (nout <= 1 && f.dist2 < best->dist2 - mjMINVAL) *best = f;
  }
}

// The edge e + x e_j, |x| <= s, against the axis. With d = c - e the nearest points of the two
// lines are at
//   t = -(a.d - a_j d_j) / (1 - a_j^2),  x = d_j + t a_j;
// clamp one parameter, solve for the other, clamp again. An edge parallel to the axis is skipped:
// its ends are ends of edges across, which cover it.
static void nearest_edge(snBoxFeature* best, snVec c, snVec a, double L, const double* size) {
  for (int j = 0; j < 3; j++) {
    int k = (j + 1) % 3, l = (j + 2) % 3;
    double aj = v_get(a, j), ak = v_get(a, k), al = v_get(a, l), s = size[j];
    double across = ak * ak + al * al, x0 = v_get(c, j);
    if (across < mjMINVAL) continue;
    for (int corner = 0; corner < 4; corner++) {
      double sk = corner & 1 ? 1 : -1, sl = corner & 2 ? 1 : -1;
      double dk = v_get(c, k) - sk * size[k], dl = v_get(c, l) - sl * size[l];
      double t = -(ak * dk + al * dl) / across, x = x0 + t * aj;
      bool beyond = fabs(x) > s;
      double sj = x > 0 ? 1 : -1;
      if (fabs(t) > L) {
        t = t > 0 ? L : -L;
        x = x0 + t * aj;
      }
      if (fabs(x) > s) {
        sj = x > 0 ? 1 : -1;
        beyond = true;
        x = sj * s;
        t = clamp(-(ak * dk + al * dl + aj * (x0 - x)), -L, L);
      }
      double gj = x0 + t * aj - x, gk = dk + t * ak, gl = dl + t * al;
      double dist2 = gj * gj + gk * gk + gl * gl;
      if (dist2 >= best->dist2 - mjMINVAL) continue;
      best->t = t;
      best->dist2 = dist2;
      best->out[j] = beyond, best->out[k] = best->out[l] = true;
      best->side[j] = sj, best->side[k] = sk, best->side[l] = sl;
    }
  }
}

// Going from t1 in direction `way` (+1 or -1): the end of the axis, or where it leaves the extent
// of the box along a coordinate in which it is inside.
static double axis_leaves(snVec c, snVec a, double L, const double* size, double t1, double way,
                          const bool* out) {
  double end = way * L;
  for (int i = 0; i < 3; i++) {
    double slope = v_get(a, i);
    if (out[i] || fabs(slope) < kLevel) continue;
    double t = ((slope * way > 0 ? size[i] : -size[i]) - v_get(c, i)) / slope;
    if ((t - t1) * way < 0) t = t1;
    if ((end - t) * way > 0) end = t;
  }
  return end;
}

// The parameter of the second ball; false when the axis leads away from the box in both directions.
// Above a face the ball goes in the longer direction, until the axis leaves the face or ends.
// Beside an edge or a corner it goes in the direction in which the axis approaches the box along
// one coordinate:
//   edge     the steeper of the two coordinates that are outside;
//   corner   the one coordinate whose direction differs from the other two when its square is more
//            than half of |a|^2, otherwise the direction of the other two;
// and stops where the axis ends, leaves the extent of the box along a coordinate in which it is
// inside, or has covered a whole side of the box along a coordinate in which it approaches. a_i = 0
// counts as negative. These rules follow the released engine.
static bool axis_second(snVec c, snVec a, double L, const double* size, const snBoxFeature* f,
                        double* t2) {
  double near[3] = {0, 0, 0}, sum = 0, t1 = f->t;
  int nout = 0, steepest = -1;
  for (int i = 0; i < 3; i++) {
    if (!f->out[i]) continue;
    nout++;
    near[i] = (f->side[i] > 0) == (v_get(a, i) > 0) ? -1 : 1;
    sum += near[i];
    if (steepest < 0 || fabs(v_get(a, i)) > fabs(v_get(a, steepest))) steepest = i;
  }
  if (nout == 1) {
    *t2 = t1;
    for (int way = -1; way <= 1; way += 2) {
      double end = axis_leaves(c, a, L, size, t1, way, f->out);
      if (fabs(end - t1) > fabs(*t2 - t1)) *t2 = end;
    }
    return true;
  }
  // approaching along all coordinates would mean a nearer point: the axis ends here
  if (fabs(sum) == nout) return false;
  double way = nout == 2 ? near[steepest] : sum > 0 ? 1 : -1;
  for (int i = 0; i < 3 && nout == 3; i++) {
    if (near[i] * sum < 0 && v_get(a, i) * v_get(a, i) > 0.5) way = near[i];
  }
  double end = axis_leaves(c, a, L, size, t1, way, f->out);
  for (int i = 0; i < 3; i++) {
    if (near[i] != way || fabs(v_get(a, i)) < kLevel) continue;
    double run = 2 * size[i] / fabs(v_get(a, i));
    if ((end - t1) * way > run) end = t1 + way * run;
  }
  *t2 = end;
  return true;
}

// Distance of the whole axis from the plane that separates its point at t from the box: a proved
// lower bound on the distance.
static double axis_clear(snVec c, snVec a, double L, const double* size, double t) {
  snVec q = v_along(c, t, a);
  snVec p = v3(clamp(q.x, -size[0], size[0]), clamp(q.y, -size[1], size[1]),
               clamp(q.z, -size[2], size[2]));
  snVec n = v_sub(q, p);
  double length2 = v_norm2(n), slope = v_dot(n, a);
  return (length2 + fmin((L - t) * slope, (-L - t) * slope)) / sqrt(length2);
}

void collide_capsule_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec center = v_of(a->pos), axis = m_axis(a->mat, 2);
  snVec c = m_mul_t(b->mat, v_sub(center, v_of(b->pos))), u = m_mul_t(b->mat, axis);
  double radius = a->size[0], L = a->size[1], t2;
  double gap =
      fmax(fabs(c.x) - fabs(u.x) * L - b->size[0],
           fmax(fabs(c.y) - fabs(u.y) * L - b->size[1], fabs(c.z) - fabs(u.z) * L - b->size[2]));
  if (gap - radius > margin) {
    touch_miss(list, gap - radius - margin);
    return;
  }
  snBoxFeature feature = {.dist2 = INFINITY};
  nearest_face(&feature, c, u, L, b->size);
  // an end inside the box is pushed out; an axis that passes through the box is pushed out by the
  // ball nearest to a feature
  bool inside = feature.dist2 <= 0;
  if (!inside) nearest_edge(&feature, c, u, L, b->size);
  if (!collide_ball_box(list, v_along(center, feature.t, axis), radius, b, margin)) {
    touch_miss(list, axis_clear(c, u, L, b->size, feature.t) - radius - margin);
  }
  if (!inside && axis_second(c, u, L, b->size, &feature, &t2)) {
    collide_ball_box(list, v_along(center, t2, axis), radius, b, margin);
  }
}
