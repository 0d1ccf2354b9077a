// Contact patches (multiccd): where two flat faces, or a face and an edge, touch, contacts at the
// corners of their intersection. With friction that holds also of cylinders and capsules, each point
// with a depth of its own.
//
// GJK and EPA have given the contact normal. The feature of each shape whose normal is along it is
// looked up in the polygon list, so no search runs again. The feature of one shape is clipped by
// the side planes of the face of the other (Sutherland and Hodgman), seen along the normal, and at
// most four corners stay.
#include "collide/patch.h"

// Vertices of a feature; a polygon with more is cut short.
enum { kMaxCorner = 256 };

// A face or an edge counts as lying in the contact plane when it is tilted by less than 1.6e-3
// radians: cosine and sine of that angle, as released.
static const double kCosine = 0.99999872, kSine = 0.001599999318;

// The same for points that have a depth of their own: those that do not touch drop out.
static const double kLyingCosine = 0.9987, kLyingSine = 0.05;

// The cap of a cylinder is a hexagon. A deepest point that is deeper than the corners by this share
// of the smaller bounding sphere is a contact too.
enum { kCap = 6 };
static const double kDeeper = 1e-4;

typedef struct snFlatness_ {
  double cosine, sine;
} snFlatness;

typedef struct snFeature_ {
  snVec point[kMaxCorner];
  int n;         // 1: a vertex, 2: an edge, more: a face, vertices in order around it
  snVec normal;  // of a face: outward unit normal
} snFeature;

static void feature_push(snFeature* f, const snShape* shape, snVec local) {
  if (f->n < kMaxCorner) f->point[f->n++] = v_add(v_of(shape->pos), m_mul(shape->mat, local));
}

static void feature_box(snFeature* f, const snShape* box, snVec dir, snFlatness flat) {
  snVec d = m_mul_t(box->mat, dir);
  const double* s = box->size;
  // coordinates along which the feature extends
  int span[3], nspan = 0, face = -1;
  snVec corner = v3(0, 0, 0);
  for (int i = 0; i < 3; i++) {
    v_set(&corner, i, v_get(d, i) >= 0 ? s[i] : -s[i]);
    if (fabs(v_get(d, i)) > flat.cosine) face = i;
  }
  for (int i = 0; i < 3; i++) {
    if (face >= 0 ? i != face : fabs(v_get(d, i)) < flat.sine && nspan < 1) span[nspan++] = i;
  }
  if (face >= 0) f->normal = v_scale(m_axis(box->mat, face), v_get(d, face) > 0 ? 1 : -1);
  f->n = 0;
  static const int kAround[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  for (int k = 0; k < (nspan == 2 ? 4 : nspan == 1 ? 2 : 1); k++) {
    snVec p = corner;
    if (nspan > 0) v_set(&p, span[0], v_get(p, span[0]) * kAround[k][0]);
    if (nspan > 1) v_set(&p, span[1], v_get(p, span[1]) * kAround[k][1]);
    feature_push(f, box, p);
  }
}

static void feature_hull(snFeature* f, const snShape* mesh, snVec dir, snFlatness flat) {
  const snHull* hull = mesh->hull;
  snVec d = m_mul_t(mesh->mat, dir);
  f->n = 0;
  int face = -1;
  double best = flat.cosine;
  for (int i = 0; i < hull->npoly; i++) {
    double along = v_dot(v_of(hull->poly_normal + 3 * i), d);
    if (along > best) {
      best = along;
      face = i;
    }
  }
  if (face >= 0) {
    f->normal = m_mul(mesh->mat, v_of(hull->poly_normal + 3 * face));
    int adr = hull->poly_adr[face], num = hull->poly_num[face];
    if (adr < 0 || num < 0 || num > hull->npolyvert || adr > hull->npolyvert - num) num = 0;
    const int* v = hull->poly_vert + adr;
    for (int k = 0; k < num; k++) {
      if ((unsigned)v[k] >= (unsigned)hull->nmeshvert) continue;
      feature_push(f, mesh, v_of_float(hull->vert + 3 * v[k]));
    }
    return;
  }
  int top = support_hull(hull, d);
  snVec p = hull_point(hull, top);
  feature_push(f, mesh, p);
  if (!hull->edge_adr) return;
  double least = flat.sine;
  int other = -1;
  for (int k = hull->edge_adr[top]; k < hull->edge_adr[top + 1]; k++) {
    snVec q = v_sub(hull_point(hull, hull->edge[k]), p);
    double slope = fabs(v_dot(q, d)) / v_norm(q);
    if (slope < least) {
      least = slope;
      other = hull->edge[k];
    }
  }
  if (other >= 0) feature_push(f, mesh, hull_point(hull, other));
}

static bool feature_of(snFeature* f, const snShape* shape, snVec dir, snFlatness flat) {
  if (shape->type == mjGEOM_BOX)
    feature_box(f, shape, dir, flat);
  else if (shape->type == mjGEOM_MESH && shape->hull && shape->hull->npoly)
    feature_hull(f, shape, dir, flat);
  else
    return false;
  return f->n > 1;
}

// The hexagon in a cap, from the x axis of the cylinder on, counterclockwise seen from outside.
static void feature_cap(snFeature* f, const snShape* cylinder, double side) {
  static const double kCos[kCap] = {1, .5, -.5, -1, -.5, .5};
  const double kSin = 0.5 * sqrt(3.0), sines[kCap] = {0, kSin, kSin, 0, -kSin, -kSin};
  double r = cylinder->size[0];
  for (int i = 0; i < kCap; i++) {
    int k = side > 0 ? i : kCap - 1 - i;
    feature_push(f, cylinder, v3(r * kCos[k], r * sines[k], side * cylinder->size[1]));
  }
  f->normal = v_scale(m_axis(cylinder->mat, 2), side);
}

// The line along which a capsule or a cylinder lies.
static void feature_line(snFeature* f, const snShape* round, snVec dir) {
  snVec axis = m_axis(round->mat, 2), down = v_along(dir, -v_dot(dir, axis), axis);
  down = v_scale(down, round->size[0] / v_norm(down));
  for (int end = 0; end < 2; end++) {
    snVec at = v_along(v_of(round->pos), end ? -round->size[1] : round->size[1], axis);
    f->point[f->n++] = v_add(at, down);
  }
}

static bool feature_lying(snFeature* f, const snShape* shape, snVec dir) {
  f->n = 0;
  if (shape->type != mjGEOM_CYLINDER && shape->type != mjGEOM_CAPSULE) {
    return feature_of(f, shape, dir, (snFlatness){kLyingCosine, kLyingSine});
  }
  double along = v_dot(m_axis(shape->mat, 2), dir);
  if (fabs(along) < kLyingSine) {
    feature_line(f, shape, dir);
  } else if (shape->type == mjGEOM_CYLINDER && fabs(along) > kLyingCosine) {
    feature_cap(f, shape, along > 0 ? 1 : -1);
  }
  return f->n > 1;
}

// Clip the feature by the half space (x - p).outwards <= 0.
static void cut(snFeature* f, snVec p, snVec outwards) {
  snFeature in = *f;
  bool edge = in.n == 2;
  f->n = 0;
  for (int i = 0; i < in.n; i++) {
    snVec a = in.point[i], b = in.point[(i + 1) % in.n];
    double da = v_dot(v_sub(a, p), outwards), db = v_dot(v_sub(b, p), outwards);
    if (da * db < 0 && !(edge && i)) {
      SN_ASSERT(f->n < kMaxCorner);
      f->point[f->n++] = v_along(a, da / (da - db), v_sub(b, a));
    }
    if (db <= 0 && f->n < kMaxCorner) f->point[f->n++] = b;
    if (f->n >= kMaxCorner - 1) return;
  }
}

// Twice the area of triangle abc, signed by its orientation about n.
static double turn(snVec a, snVec b, snVec c, snVec n) {
  return v_dot(n, v_cross(v_sub(b, a), v_sub(c, a)));
}

// Twice the area of the quadrilateral with the diagonals ab and cd.
static double quadrilateral(const snVec* p, const int q[4]) {
  return v_norm(v_cross(v_sub(p[q[1]], p[q[0]]), v_sub(p[q[3]], p[q[2]])));
}

// Keep four corners of a large quadrilateral, found as released so that both engines keep the same
// ones: a goes once around; the others step ahead while the area grows, d first, and with each step
// of d as far as they can c, then b. Now and then that ends at neighbours.
static void keep_four(snFeature* f) {
  if (f->n <= 4) return;
  const snVec* p = f->point;
  int q[4] = {0, 1, 2, 3}, best[4] = {0, 1, 2, 3}, n = f->n;
  double most = quadrilateral(p, q);
  for (; q[0] < n; q[0]++) {
    for (int k = 3; k > 0;) {
      int from = q[k];
      q[k] = (from + 1) % n;
      double area = quadrilateral(p, q);
      if (area > most) {
        most = area;
        memcpy(best, q, sizeof q);
        if (k == 3) k = 2;
      } else {
        q[k] = from;
        k = k == 3 ? 0 : k == 2 ? 1 : 3;
      }
    }
    if (q[1] == q[0]) q[1] = (q[1] + 1) % n;
  }
  snVec kept[4] = {p[best[0]], p[best[1]], p[best[2]], p[best[3]]};
  memcpy(f->point, kept, sizeof kept);
  f->n = 4;
}

// Clip the feature by the side planes of a face, which are oriented outwards by the sign of the
// face's area.
static void cut_by_sides(snFeature* part, const snFeature* face) {
  double area = 0;
  for (int i = 1; i + 1 < face->n; i++)
    area += turn(face->point[0], face->point[i], face->point[i + 1], face->normal);
  for (int i = 0; i < face->n && part->n; i++) {
    snVec e = v_sub(face->point[(i + 1) % face->n], face->point[i]);
    snVec out = v_cross(e, face->normal);
    cut(part, face->point[i], area > 0 ? out : v_neg(out));
  }
}

bool collide_patch(snTouchList* list, const snGjk* g) {
  const snFlatness strict = {kCosine, kSine};
  snFeature fa, fb;
  snVec n = g->normal;
  if (!feature_of(&fa, g->a, n, strict) ||
      !feature_of(&fb, g->b, v_neg(n), strict)) return false;
  if (fa.n == 2 && fb.n == 2) return false;
  bool faces = fa.n > 2 && fb.n > 2;
  const snFeature* face = fa.n > 2 ? &fa : &fb;
  snFeature* part = fa.n > 2 ? &fb : &fa;

  // reverse the second face, so that both are oriented about the same normal
  for (int i = 0, j = fb.n - 1; faces && i < j; i++, j--) {
    snVec swap = fb.point[i];
    fb.point[i] = fb.point[j];
    fb.point[j] = swap;
  }
  cut_by_sides(part, face);
  if (part->n < 2) return false;
  keep_four(part);
  // on the second shape, or on the edge, moved by half the depth along the contact normal. An edge
  // of the first shape is moved away from the face by it, as released.
  n = face == &fa && !faces ? fa.normal : v_neg(fb.normal);
  for (int i = 0; i < part->n; i++) {
    touch_add(list, g->dist, v_along(part->point[i], -0.5 * g->dist, n), n);
  }
  return true;
}

// Those of n points that are farthest in eight directions across `normal`, which turn with the
// first axis of `mat` that lies across it: the same ones while a shape rocks. Their number.
int patch_spread(const snVec* point, int n, snVec normal, const double* mat, int chosen[kSpreadMost]) {
  static const double kTurn[kSpreadMost] = {1, M_SQRT1_2, 0, -M_SQRT1_2, -1, -M_SQRT1_2, 0, M_SQRT1_2};
  snVec axis = m_axis(mat, 0);
  if (fabs(v_dot(axis, normal)) > 0.8) axis = m_axis(mat, 1);
  axis = v_along(axis, -v_dot(axis, normal), normal);
  axis = v_scale(axis, 1 / v_norm(axis));
  snVec side = v_cross(normal, axis);
  int found = 0;
  for (int k = 0; k < kSpreadMost; k++) {
    double sine = kTurn[(k + kSpreadMost - 2) % kSpreadMost];
    snVec dir = v_along(v_scale(axis, kTurn[k]), sine, side);
    int best = 0;
    for (int i = 1; i < n; i++) {
      if (v_dot(dir, point[i]) > v_dot(dir, point[best])) best = i;
    }
    bool known = false;
    for (int i = 0; i < found; i++) known |= chosen[i] == best;
    if (!known) chosen[found++] = best;
  }
  return found;
}

bool collide_lying(snTouchList* list, const snShape* a, const snShape* b, double margin,
                   const snTouch* deepest) {
  snFeature fa, fb;
  snVec n = deepest->normal;
  if (!feature_lying(&fa, a, n) || !feature_lying(&fb, b, v_neg(n))) return false;
  if (fa.n == 2 && fb.n == 2) return false;
  // the face of a polytope is the sharper one
  bool second = fa.n == 2 || (fb.n > 2 && a->type == mjGEOM_CYLINDER && b->type != mjGEOM_CYLINDER);
  const snFeature* face = second ? &fb : &fa;
  snFeature* part = second ? &fa : &fb;
  snVec level = face->point[0];
  cut_by_sides(part, face);
  int kept = 0, chosen[kSpreadMost];
  for (int i = 0; i < part->n; i++) {
    double height = v_dot(face->normal, v_sub(part->point[i], level));
    if (height <= margin) part->point[kept++] = part->point[i];
  }
  if (!kept) return false;
  kept = patch_spread(part->point, kept, face->normal, second ? a->mat : b->mat, chosen);
  n = second ? v_neg(face->normal) : face->normal;
  double least = INFINITY;
  for (int i = 0; i < kept && !list->failed; i++) {
    snVec p = part->point[chosen[i]];
    double height = v_dot(face->normal, v_sub(p, level));
    least = fmin(least, height);
    touch_add(list, height, v_along(p, -0.5 * height, face->normal), n);
  }
  return deepest->dist > least - kDeeper * fmin(a->rbound, b->rbound);
}
