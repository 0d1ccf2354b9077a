// Gilbert, Johnson and Keerthi (GJK): the point v of a convex set C nearest to the origin, found
// from support points alone. C is the Minkowski difference A - B of the cores of two shapes, so |v|
// is their distance. With w the support point of C in direction -v,
//
//   v.w / |v| <= distance <= |v|,
//
// which bounds the error, and proves separation (v.w > 0) before the distance is known. The
// iteration keeps a simplex of at most four support points, takes v as its point nearest to the
// origin, and drops the vertices that v does not need.
//
// Two stop rules: for contacts that of the released engine, |v|^2 - v.w < gap, so that contacts
// agree with it where the tolerance is coarse; for distances a relative tolerance, with the best
// iterate kept in case rounding spoils the last steps.
#include "base/assert.h"
#include "collide/gjk.h"

// Gaps |v|^2 - v.w below this, relative to |v|^2, are rounding.
static const double kBoundRounding = 1e-13;

// |v|^2 below this, relative to the largest squared vertex, is the origin.
static const double kOrigin2 = 1e-24;

// |v| above this, relative to the largest vertex, is a distance; below it EPA measures the depth.
static const double kApart = 1e-10;

// Squared sine of a vertex above the opposite face below which a tetrahedron is flat.
static const double kFlat2 = 1e-26;

// The nearest point of a simplex by signed volumes (Montanari, Petrinic and Barbieri 2017): the
// origin, projected on the segment, plane or space of the vertices, has as barycentric weights the
// ratios of the lengths, areas or volumes that it spans with the vertices, computed along the
// coordinates in which the whole is largest. Where a part has not the sign of the whole, the
// nearest point is on the face without that vertex.
static bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

static void segment_weights(const snVec s[2], double weight[2]) {
  snVec t = v_sub(s[1], s[0]);
  double length2 = v_norm2(t), whole = 0;
  weight[0] = 0;
  weight[1] = 1;
  if (length2 <= 0) return;
  snVec p = v_along(s[1], -(v_dot(s[1], t) / length2), t);
  int k = 0;
  for (int i = 0; i < 3; i++) {
    double length = v_get(s[0], i) - v_get(s[1], i);
    if (fabs(length) >= fabs(whole)) whole = length, k = i;
  }
  double first = v_get(p, k) - v_get(s[1], k), second = v_get(s[0], k) - v_get(p, k);
  if (!same_sign(whole, first) || !same_sign(whole, second)) return;
  weight[0] = first / whole;
  weight[1] = second / whole;
}

// Twice the signed area of a triangle projected along a coordinate. The whole and its parts have
// different orders of summation, as in the released engine: their rounding decides for slim
// triangles.
static double area_whole(double ax, double ay, double bx, double by, double cx, double cy) {
  return bx * cy - by * cx - ax * cy + ay * cx + ax * by - ay * bx;
}

static double area_part(double px, double py, double bx, double by, double cx, double cy) {
  return px * by + py * cx + bx * cy - px * cy - py * bx - cx * by;
}

double triangle_areas(const snVec s[3], snVec q, snVec about, double part[3]) {
  const snVec o = about;
  const double x[4] = {s[0].x - o.x, s[1].x - o.x, s[2].x - o.x, q.x - o.x};
  const double y[4] = {s[0].y - o.y, s[1].y - o.y, s[2].y - o.y, q.y - o.y};
  const double z[4] = {s[0].z - o.z, s[1].z - o.z, s[2].z - o.z, q.z - o.z};
  const double *across = y, *up = z;
  double whole = area_whole(y[0], z[0], y[1], z[1], y[2], z[2]);
  double other = area_whole(x[0], z[0], x[1], z[1], x[2], z[2]);
  if (fabs(other) > fabs(whole)) whole = other, across = x;
  other = area_whole(x[0], y[0], x[1], y[1], x[2], y[2]);
  if (fabs(other) > fabs(whole)) whole = other, across = x, up = y;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    part[i] = area_part(across[3], up[3], across[j], up[j], across[k], up[k]);
  }
  return whole;
}

// `exact`: areas about the projected origin, which avoids the cancellation of a slim triangle far
// from the origin.
static void triangle_weights(const snVec s[3], double weight[3], bool exact) {
  double part[3] = {0, 0, 0}, whole = 0;
  snVec n, q;
  if (triangle_plane(s, &n, &q)) whole = triangle_areas(s, q, exact ? q : v3(0, 0, 0), part);
  bool in[3];
  for (int i = 0; i < 3; i++) in[i] = same_sign(whole, part[i]);
  if (in[0] && in[1] && in[2]) {
    for (int i = 0; i < 3; i++) weight[i] = part[i] / whole;
    return;
  }
  double best = INFINITY;
  for (int i = 0; i < 3; i++) {
    if (in[i]) continue;
    int j = i == 0, k = i == 2 ? 1 : 2;
    snVec edge[2] = {s[j], s[k]};
    double t[2];
    segment_weights(edge, t);
    double norm = v_norm2(v_along(v_scale(edge[0], t[0]), t[1], edge[1]));
    if (norm >= best) continue;
    best = norm;
    weight[i] = 0, weight[j] = t[0], weight[k] = t[1];
  }
}

// All weights are positive when the origin is inside. The signs of a flat tetrahedron are rounding;
// `exact` tries every face.
static void tetrahedron_weights(const snVec s[4], double weight[4], bool exact) {
  static const int kFace[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  double part[4], whole = 0;
  for (int i = 0; i < 4; i++) {
    const int* f = kFace[i];
    double volume = v_dot(s[f[0]], v_cross(s[f[1]], s[f[2]]));
    part[i] = i % 2 ? volume : -volume;
    whole += part[i];
  }
  bool in[4];
  for (int i = 0; i < 4; i++) in[i] = same_sign(whole, part[i]);
  if (in[0] && in[1] && in[2] && in[3]) {
    for (int i = 0; i < 4; i++) weight[i] = part[i] / whole;
    return;
  }
  double best = INFINITY;
  for (int i = 0; i < 4; i++) {
    if (in[i] && !exact) continue;
    const int* f = kFace[i];
    snVec face[3] = {s[f[0]], s[f[1]], s[f[2]]};
    double t[3];
    triangle_weights(face, t, exact);
    double norm = v_norm2(v_along(v_along(v_scale(face[0], t[0]), t[1], face[1]), t[2], face[2]));
    if (norm >= best) continue;
    best = norm;
    weight[i] = 0;
    for (int k = 0; k < 3; k++) weight[f[k]] = t[k];
  }
}

static snVec simplex_point(const snGjk* g) {
  snVec v = v_scale(g->simplex[0].w, g->weight[0]);
  for (int i = 1; i < g->n; i++) v = v_along(v, g->weight[i], g->simplex[i].w);
  return v;
}

// Reduce the simplex to the smallest face that holds its point nearest to the origin. True when the
// origin is inside the tetrahedron.
static bool simplex_reduce(snGjk* g) {
  snVec s[4];
  double weight[4] = {1, 0, 0, 0};
  SN_ASSERT(g->n >= 1 && g->n <= 4);
  for (int i = 0; i < g->n; i++) s[i] = g->simplex[i].w;
  if (g->n == 2) segment_weights(s, weight);
  if (g->n == 3) triangle_weights(s, weight, g->gap <= 0);
  if (g->n == 4) tetrahedron_weights(s, weight, g->gap <= 0);
  int n = g->n;
  double sum = 0;
  g->n = 0;
  for (int i = 0; i < n; i++) {
    if (weight[i] <= 0) continue;
    sum += weight[i];
    if (g->n < i) g->simplex[g->n] = g->simplex[i];
    g->weight[g->n++] = weight[i];
  }
  // weights of a slim simplex add up to one only roughly; contacts take them as they are, as
  // released
  for (int i = 0; i < g->n && g->gap <= 0; i++) g->weight[i] /= sum;
  return g->n == 4;
}

static bool simplex_has(const snGjk* g, snVec w) {
  for (int i = 0; i < g->n; i++) {
    snVec p = g->simplex[i].w;
    if (p.x == w.x && p.y == w.y && p.z == w.z) return true;
  }
  return false;
}

// Witness points of the cores from the simplex, moved to the surfaces by the radii.
static void gjk_witness(snGjk* g, snVec v, double length, double radius_a, double radius_b) {
  snVec a = v_scale(g->simplex[0].a, g->weight[0]);
  snVec b = v_scale(g->simplex[0].b, g->weight[0]);
  for (int i = 1; i < g->n; i++) {
    a = v_along(a, g->weight[i], g->simplex[i].a);
    b = v_along(b, g->weight[i], g->simplex[i].b);
  }
  // the released normal is the difference of the witness points, with their rounding
  snVec through = g->gap > 0 ? v_sub(b, a) : v_neg(v);
  g->normal = v_norm(through) < mjMINVAL ? v3(1, 0, 0) : v_scale(through, 1 / v_norm(through));
  g->axis = g->normal;
  g->dist = length - radius_a - radius_b;
  g->on_a = v_along(a, radius_a, g->normal);
  g->on_b = v_along(b, -radius_b, g->normal);
}

// Unrolled by hand: GCC turns a copy of the array into `rep movs`, whose start-up takes longer.
static void simplex_copy(snMink to[4], const snMink from[4]) {
  to[0] = from[0];
  to[1] = from[1];
  to[2] = from[2];
  to[3] = from[3];
}

typedef enum snEnclosed_ { snAPART, snINSIDE, snUNSURE, snSPENT } snEnclosed;

// Is a face of the tetrahedron, with squared area length2 and the origin at `dist`, no ground for a
// decision? For contacts as released; for distances, when the tetrahedron is flat, for then its
// orientation is rounding.
SN_INLINE bool face_unsure(const snGjk* g, snVec m, snVec across, double length2, double dist) {
  if (g->gap > 0) return length2 < mjMINVAL * mjMINVAL || dist == 0;
  double height = v_dot(m, across);
  return height * height <= kFlat2 * length2 * v_norm2(across);
}

// Does C contain the origin? While the origin is beyond a face of the tetrahedron, the vertex
// opposite to the face it is farthest beyond is replaced by the support point in the direction of
// that face, and two other vertices are swapped, which preserves the orientation. Face normals
// follow from the orientation; a tetrahedron that starts inverted takes a step or two more. The
// released engine finds the first polytope of EPA in this way, and where faces lie on each other
// the first polytope decides which of their points is the contact. Undecided (snUNSURE, snSPENT),
// the simplex is restored. *left counts down the steps.
static snEnclosed simplex_enclose(snGjk* g, int* left) {
  static const int kFace[4][3] = {{2, 3, 1}, {0, 2, 3}, {1, 3, 0}, {0, 1, 2}};
  snMink *s = g->simplex, begin[4];
  snEnclosed undecided = snUNSURE;
  simplex_copy(begin, s);
  for (;;) {
    double least = INFINITY;
    snVec way = v3(0, 0, 0);
    int out = 0;
    bool unsure = false;
    for (int i = 0; i < 4 && !unsure; i++) {
      snVec p = s[kFace[i][0]].w;
      snVec m = v_cross(v_sub(s[kFace[i][1]].w, p), v_sub(s[kFace[i][2]].w, p));
      double length2 = v_norm2(m);
      snVec n = v_scale(m, (i % 2 ? -1 : 1) / sqrt(length2));
      double dist = v_dot(n, p);
      unsure = face_unsure(g, m, v_sub(s[i].w, p), length2, dist);
      if (dist < least) least = dist, way = n, out = i;
    }
    if (unsure) break;
    if (least > 0) return snINSIDE;
    if (--*left < 0) {
      undecided = snSPENT;
      break;
    }
    if (g->trace) trace_face(g->trace, s, kFace[out]);
    snMink w = gjk_support(g, way);
    if (v_dot(way, w.w) < 0) {
      g->axis = way;
      return snAPART;
    }
    if (simplex_has(g, w.w)) break;
    s[out] = w;
    snMink swap = s[(out + 1) % 4];
    s[(out + 1) % 4] = s[(out + 2) % 4];
    s[(out + 2) % 4] = swap;
  }
  simplex_copy(s, begin);
  return undecided;
}

// The iterate with the closest bounds on the distance, restored when rounding spoils later steps.
typedef struct snNearest_ {
  snMink simplex[4];
  double weight[4];
  int n;
  snVec v;
} snNearest;

// Split the inflation and the radius of a shape: the part that support points are moved outward by
// (*skin), and the part that is subtracted from the distance of the cores (returned).
static double radius_apart(const snShape* shape, double grow, bool whole, double* skin) {
  double radius = whole ? 0 : support_radius(shape);
  *skin = radius > 0 ? 0 : grow;
  return radius > 0 ? radius + grow : 0;
}

bool gjk_distance(snGjk* g, double cutoff) {
  double radius_a = radius_apart(g->a, g->grow_a, g->whole, &g->skin_a);
  double radius_b = radius_apart(g->b, g->grow_b, g->whole, &g->skin_b);
  double reach = cutoff + radius_a + radius_b;
  snVec v = v_sub(support_center(g->a), support_center(g->b));
  bool inside = false, unsure = false, spoiled = false, contact = g->gap > 0;
  // concentric shapes have no direction of separation: the released engine reports no contact
  g->axis = v3(1, 0, 0);
  if (v_norm(v) < mjMINVAL && contact) return false;
  if (v_norm2(v) == 0) v = g->axis;
  g->n = 0;
  double scale2 = 0, length = 0, length2 = INFINITY, least = INFINITY;
  snNearest best;
  int k = 0, most = g->iterations > 1 ? g->iterations : 1;
  for (; k < most; k++) {
    double norm2 = v_norm2(v);
    length = sqrt(norm2);
    snVec way = v_scale(v, -(1 / length));
    // written behind the vertices of the simplex, and becomes one when n is incremented
    snMink* p = g->simplex + g->n;
    if (g->trace) trace_from(g->trace, g->simplex, g->n);
    gjk_query(g, way.x, way.y, way.z, p);
    double along = v_dot(v, p->w);
    // v.w > |v| reach: C lies beyond `reach` in the direction of v
    if (along > 0 && along > length * reach) {
      g->axis = way;
      return false;
    }
    double size2 = v_norm2(p->w);
    if (size2 > scale2) scale2 = size2;
    double slack = contact ? g->gap : sn_max(g->tolerance * length, kBoundRounding * norm2);
    if (contact && !g->n && g->tolerance > 0 && norm2 - along < slack) return false;
    if (g->n && (norm2 - along <= slack || simplex_has(g, p->w))) break;
    if (!contact && g->n && norm2 - along < least * length) {
      least = (norm2 - along) / length;
      best.v = v, best.n = g->n;
      simplex_copy(best.simplex, g->simplex);
      memcpy(best.weight, g->weight, sizeof best.weight);
    }
    g->n++;
    if (reach == 0 && g->n == 4 && !unsure) {
      int left = most - k - 1;
      snEnclosed where = simplex_enclose(g, &left);
      // the released engine reports no contact when iterations run out
      if (where == snAPART || (where == snSPENT && contact)) return false;
      inside = where == snINSIDE;
      if (inside) break;
      // it tries once, and goes on with the steps that are left
      if (contact) unsure = true, k = most - 1 - left;
    }
    inside = simplex_reduce(g);
    if (inside) break;
    snVec next = simplex_point(g);
    norm2 = v_norm2(next);
    spoiled = contact ? next.x == v.x && next.y == v.y && next.z == v.z : norm2 >= length2;
    if (spoiled) break;
    v = next, length2 = norm2;
    if (norm2 <= kOrigin2 * scale2) break;
  }
  if (!contact && (spoiled || k == most) && least < INFINITY) {
    v = best.v, g->n = best.n;
    simplex_copy(g->simplex, best.simplex);
    memcpy(g->weight, best.weight, sizeof best.weight);
  }
  // a contact that runs out of iterations has the distance of the last iterate but one, as released
  if (!contact || k < most) length = v_norm(v);
  bool core = contact && radius_a + radius_b > 0;
  if (core && length <= g->tolerance) {
    g->whole = true;  // the hints stay, as released: they decide between vertices at one height
    return gjk_distance(g, cutoff);
  }
  // a core inside the other shape: the released contact has the distance of the last simplex
  // outside, about the radius however deep the core is; shapes apart by the tolerance are measured
  // by EPA
  double apart = sn_max(kApart * sqrt(scale2), contact ? g->tolerance : 0);
  if (core || (!inside && length > apart)) {
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
