// Gilbert, Johnson and Keerthi: the point of a convex set C nearest to the origin, found from
// support points alone. C is the Minkowski difference A - B of the cores of two shapes, so that
// |v| is their distance. With w the support point of C in direction -v,
//   v.w / |v| <= distance <= |v|,
// which bounds the error, and proves separation before the distance is known.
#include "collide/gjk.h"

snMink gjk_support(snGjk* g, snVec dir) {
  snMink p;
  g->queries++;
  p.a = support_core(g->a, dir, &g->hint_a);
  p.b = support_core(g->b, v_neg(dir), &g->hint_b);
  if (g->inflate > 0) {
    double scale = g->inflate / v_norm(dir);
    if (support_radius(g->a) <= 0) p.a = v_along(p.a, scale, dir);
    if (support_radius(g->b) <= 0) p.b = v_along(p.b, -scale, dir);
  }
  p.w = v_sub(p.a, p.b);
  p.ia = g->hint_a;
  p.ib = g->hint_b;
  return p;
}

static void simplex_keep(snGjk* g, int i, double weight, int slot) {
  g->simplex[slot] = g->simplex[i];
  g->weight[slot] = weight;
}

// Nearest point of segment (p, q): weight of q in [0, 1].
static double segment_weight(snVec p, snVec q) {
  snVec d = v_sub(q, p);
  double length2 = v_norm2(d);
  if (length2 <= 0) return 0;
  return clamp(-v_dot(p, d) / length2, 0, 1);
}

// Nearest point of triangle (p, q, r): weights summing to 1. By the regions of Voronoi of its
// vertices, edges and interior.
static void triangle_weights(snVec p, snVec q, snVec r, double weight[3]) {
  snVec pq = v_sub(q, p), pr = v_sub(r, p);
  double d1 = -v_dot(pq, p), d2 = -v_dot(pr, p);
  weight[0] = weight[1] = weight[2] = 0;
  if (d1 <= 0 && d2 <= 0) {
    weight[0] = 1;
    return;
  }
  double d3 = -v_dot(pq, q), d4 = -v_dot(pr, q);
  if (d3 >= 0 && d4 <= d3) {
    weight[1] = 1;
    return;
  }
  double d5 = -v_dot(pq, r), d6 = -v_dot(pr, r);
  if (d6 >= 0 && d5 <= d6) {
    weight[2] = 1;
    return;
  }
  // areas of the parts, from n = pq x pr: exact signs even for slim triangles
  snVec n = v_cross(pq, pr);
  double area_r = v_dot(n, v_cross(p, q));
  if (area_r <= 0 && d1 >= 0 && d3 <= 0) {
    weight[1] = segment_weight(p, q);
    weight[0] = 1 - weight[1];
    return;
  }
  double area_q = v_dot(n, v_cross(r, p));
  if (area_q <= 0 && d2 >= 0 && d6 <= 0) {
    weight[2] = segment_weight(p, r);
    weight[0] = 1 - weight[2];
    return;
  }
  double area_p = v_dot(n, v_cross(q, r));
  if (area_p <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    weight[2] = segment_weight(q, r);
    weight[1] = 1 - weight[2];
    return;
  }
  double sum = area_p + area_q + area_r;
  if (sum <= 0) {
    weight[0] = 1;
    return;
  }
  weight[0] = area_p / sum;
  weight[1] = area_q / sum;
  weight[2] = 1 - weight[0] - weight[1];
}

static snVec simplex_point(const snGjk* g) {
  snVec v = v_scale(g->simplex[0].w, g->weight[0]);
  for (int i = 1; i < g->n; i++) v = v_along(v, g->weight[i], g->simplex[i].w);
  return v;
}

// Reduce the simplex to the smallest face that holds its point nearest to the origin. True when the
// origin is inside the tetrahedron.
static bool simplex_reduce(snGjk* g) {
  snMink* s = g->simplex;
  if (g->n == 1) {
    g->weight[0] = 1;
    return false;
  }
  if (g->n == 2) {
    double t = segment_weight(s[0].w, s[1].w);
    if (t <= 0) {
      g->n = 1;
      g->weight[0] = 1;
    } else if (t >= 1) {
      simplex_keep(g, 1, 1, 0);
      g->n = 1;
    } else {
      g->weight[0] = 1 - t;
      g->weight[1] = t;
    }
    return false;
  }

  static const int kFace[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  double best = INFINITY, weight[3] = {0, 0, 0};
  int face = -1;
  // of a tetrahedron only the three faces with the new vertex: it lies beyond the old one
  int faces = g->n == 3 ? 1 : 4;
  for (int f = g->n == 3 ? 0 : 1; f < faces; f++) {
    snVec p = s[kFace[f][0]].w, q = s[kFace[f][1]].w, r = s[kFace[f][2]].w;
    if (g->n == 4) {
      // only a face that parts the origin from the fourth vertex can hold the nearest point
      snVec n = v_cross(v_sub(q, p), v_sub(r, p));
      snVec d = v_sub(s[kFace[f][3]].w, p);
      double fourth = v_dot(n, d), origin = -v_dot(n, p);
      // of a flat tetrahedron the sides are rounding
      bool flat = fourth * fourth <= 1e-26 * v_norm2(n) * v_norm2(d);
      if (!flat && (fourth > 0 ? origin > 0 : origin < 0)) continue;
    }
    double t[3];
    triangle_weights(p, q, r, t);
    snVec v = v_along(v_along(v_scale(p, t[0]), t[1], q), t[2], r);
    double length2 = v_norm2(v);
    if (length2 < best) {
      best = length2;
      face = f;
      for (int i = 0; i < 3; i++) weight[i] = t[i];
    }
  }
  if (face < 0) return true;
  snMink keep[3] = {s[kFace[face][0]], s[kFace[face][1]], s[kFace[face][2]]};
  g->n = 0;
  for (int i = 0; i < 3; i++) {
    if (weight[i] > 0) {
      s[g->n] = keep[i];
      g->weight[g->n++] = weight[i];
    }
  }
  return false;
}

// The best segment of the simplex: what is left to try when its triangles are slivers.
static void simplex_edge(snGjk* g) {
  double best = INFINITY, weight = 0;
  snMink from = g->simplex[0], to = from;
  for (int i = 0; i < g->n; i++) {
    for (int j = i + 1; j < g->n; j++) {
      snVec p = g->simplex[i].w, q = g->simplex[j].w;
      double t = segment_weight(p, q), length2 = v_norm2(v_along(p, t, v_sub(q, p)));
      if (length2 >= best) continue;
      best = length2;
      weight = t;
      from = g->simplex[i], to = g->simplex[j];
    }
  }
  g->n = 2;
  g->simplex[0] = from, g->simplex[1] = to;
  g->weight[0] = 1 - weight, g->weight[1] = weight;
}

static bool simplex_has(const snGjk* g, snVec w) {
  for (int i = 0; i < g->n; i++) {
    snVec p = g->simplex[i].w;
    if (p.x == w.x && p.y == w.y && p.z == w.z) return true;
  }
  return false;
}

// Witnesses of the cores from the simplex, moved to the surfaces by the radii.
static void gjk_witness(snGjk* g, snVec v, double length, double radius_a, double radius_b) {
  snVec a = v_scale(g->simplex[0].a, g->weight[0]);
  snVec b = v_scale(g->simplex[0].b, g->weight[0]);
  for (int i = 1; i < g->n; i++) {
    a = v_along(a, g->weight[i], g->simplex[i].a);
    b = v_along(b, g->weight[i], g->simplex[i].b);
  }
  g->normal = v_scale(v, -1 / length);
  g->axis = g->normal;
  g->dist = length - radius_a - radius_b;
  g->on_a = v_along(a, radius_a, g->normal);
  g->on_b = v_along(b, -radius_b, g->normal);
}

typedef enum snEnclosed_ { snAPART, snINSIDE, snUNSURE } snEnclosed;

// Is the origin in C? The tetrahedron goes after the origin: as long as it is beyond a face, the
// vertex across the one it is farthest beyond gives way to the support point on that side. Of the
// first one, which side of a face is outside is taken from the order of the vertices; inside out,
// it takes a step or two more. That is how the released engine starts its polytope, and where
// faces lie on each other it decides which of their points is the contact.
static snEnclosed simplex_enclose(snGjk* g, int left) {
  static const int kFace[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  snMink* s = g->simplex;
  snVec n = v_cross(v_sub(s[1].w, s[0].w), v_sub(s[2].w, s[0].w)), d = v_sub(s[3].w, s[0].w);
  double volume = v_dot(n, d), turned = volume > 0 ? 1 : -1;
  for (;;) {
    double least = INFINITY;
    snVec way = v3(0, 0, 0);
    int out = 0;
    for (int i = 0; i < 4; i++) {
      snVec p = s[kFace[i][0]].w;
      snVec m = v_cross(v_sub(s[kFace[i][1]].w, p), v_sub(s[kFace[i][2]].w, p));
      snVec across = v_sub(s[i].w, p);
      double height = v_dot(m, across), length2 = v_norm2(m);
      // of a flat tetrahedron the sides are rounding
      if (height * height <= 1e-26 * length2 * v_norm2(across)) return snUNSURE;
      double sign = height > 0 ? -turned : turned;
      double dist = sign * v_dot(m, p) / sqrt(length2);
      if (dist < least) least = dist, way = v_scale(m, sign), out = i;
    }
    if (least > 0) return snINSIDE;
    if (--left < 0) return snUNSURE;
    snMink w = gjk_support(g, way);
    double along = v_dot(way, w.w);
    if (along < 0) {
      g->axis = v_scale(way, 1 / v_norm(way));
      return snAPART;
    }
    if (simplex_has(g, w.w)) return snUNSURE;
    s[out] = w;
    turned = 1;
  }
}

// From this iteration on a simplex may be a sliver.
enum { kSteady = 5 };

bool gjk_distance(snGjk* g, double cutoff) {
  double radius_a = support_radius(g->a), radius_b = support_radius(g->b);
  if (radius_a > 0) radius_a += g->inflate;
  if (radius_b > 0) radius_b += g->inflate;
  double reach = cutoff + radius_a + radius_b;
  snVec v = v_sub(support_center(g->a), support_center(g->b));
  double length2 = v_norm2(v);
  if (length2 == 0) {
    v = v3(1, 0, 0);
  }
  g->n = 0;
  bool inside = false;
  double scale2 = 0;
  length2 = INFINITY;
  for (int k = 0; k < g->iterations; k++) {
    snMink p = gjk_support(g, v_neg(v));
    double along = v_dot(v, p.w), norm2 = v_norm2(v);
    // v.w > |v| reach: C lies beyond `reach` in the direction of v
    if (along > 0 && along * along > norm2 * reach * reach) {
      if (reach < 0 || along > sqrt(norm2) * reach) {
        g->axis = v_scale(v, -1 / sqrt(norm2));
        return false;
      }
    }
    double size2 = v_norm2(p.w);
    if (size2 > scale2) scale2 = size2;
    if (g->n && (norm2 - along <= 1e-13 * norm2 || simplex_has(g, p.w))) break;
    if (g->n && norm2 - along <= (g->gap > 0 ? g->gap : g->tolerance * sqrt(norm2))) break;
    // near the end rounding may spoil a step: then the last simplex comes back
    snMink last[3];
    double weight[3];
    int n = g->n;
    if (k >= kSteady) {
      memcpy(last, g->simplex, (size_t)n * sizeof *last);
      memcpy(weight, g->weight, (size_t)n * sizeof *weight);
    }
    g->simplex[g->n++] = p;
    if (reach == 0 && g->n == 4) {
      snMink begin[4];
      memcpy(begin, g->simplex, sizeof begin);
      snEnclosed where = simplex_enclose(g, g->iterations - k - 1);
      if (where == snAPART) return false;
      inside = where == snINSIDE;
      if (inside) break;
      memcpy(g->simplex, begin, sizeof begin);
    }
    inside = simplex_reduce(g);
    if (inside) break;
    snVec next = simplex_point(g);
    norm2 = v_norm2(next);
    if (norm2 >= length2 && k >= kSteady && n > 1) {
      memcpy(g->simplex, last, (size_t)n * sizeof *last);
      g->simplex[n] = p;
      g->n = n + 1;
      simplex_edge(g);
      next = simplex_point(g);
      norm2 = v_norm2(next);
    }
    if (norm2 >= length2) {
      // no progress
      if (k < kSteady) {
        v = next;
      } else {
        memcpy(g->simplex, last, (size_t)n * sizeof *last);
        memcpy(g->weight, weight, (size_t)n * sizeof *weight);
        g->n = n;
      }
      break;
    }
    v = next;
    length2 = norm2;
    if (norm2 <= 1e-24 * scale2) break;
  }
  double length = inside ? 0 : v_norm(v);
  if (!inside && length > 1e-10 * sqrt(scale2)) {
    gjk_witness(g, v, length, radius_a, radius_b);
    return g->dist <= cutoff;
  }
  epa_depth(g);
  g->dist -= radius_a + radius_b;
  g->on_a = v_along(g->on_a, radius_a, g->normal);
  g->on_b = v_along(g->on_b, -radius_b, g->normal);
  g->axis = g->normal;
  return g->dist <= cutoff;
}
