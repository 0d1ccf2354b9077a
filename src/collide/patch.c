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
static const double kApart = 1e-9;  // m, between points of a line that are two
static const double kAside = 0.01;  // of the smaller bounding sphere: lines that do not touch

// The cap of a cylinder is a hexagon. A deepest point that is deeper than the corners by this share
// of the smaller bounding sphere is a contact too.
enum { kCap = 6, kPatchMost = 12 };
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

// The hexagon of radius r in the plane of a cap, from the x axis of the cylinder on,
// counterclockwise seen from outside.
static void feature_cap(snFeature* f, const snShape* cylinder, double side, double r) {
  static const double kCos[kCap] = {1, .5, -.5, -1, -.5, .5};
  const double kSin = 0.5 * sqrt(3.0), sines[kCap] = {0, kSin, kSin, 0, -kSin, -kSin};
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

static bool feature_lying(snFeature* f, const snShape* shape, snVec dir, double cosine) {
  f->n = 0;
  if (shape->type != mjGEOM_CYLINDER && shape->type != mjGEOM_CAPSULE) {
    return feature_of(f, shape, dir, (snFlatness){cosine, kLyingSine});
  }
  double along = v_dot(m_axis(shape->mat, 2), dir);
  if (fabs(along) < kLyingSine) {
    feature_line(f, shape, dir);
  } else if (shape->type == mjGEOM_CYLINDER && fabs(along) > cosine) {
    feature_cap(f, shape, along > 0 ? 1 : -1, shape->size[0]);
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
  if (!feature_of(&fa, g->a, n, strict) || !feature_of(&fb, g->b, v_neg(n), strict)) return false;
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

// Of a polygon with many corners, those that are farthest change from step to step, and contacts
// that come and go shake what they carry. So it becomes the octagon where rays from its centre of
// area leave it, in directions that turn with the first axis of `mat` that lies across the normal.
static void round_off(snFeature* f, snVec normal, const double* mat) {
  enum { kRays = 8 };
  static const double kTurn[kRays] = {1, M_SQRT1_2, 0, -M_SQRT1_2, -1, -M_SQRT1_2, 0, M_SQRT1_2};
  snVec axis = m_axis(mat, fabs(v_dot(m_axis(mat, 0), normal)) > 0.8 ? 1 : 0), out[kRays];
  axis = v_along(axis, -v_dot(axis, normal), normal);
  axis = v_scale(axis, 1 / v_norm(axis));
  snVec side = v_cross(normal, axis), center = f->point[0];
  double area = 0;
  for (int i = 1; i + 1 < f->n; i++) {
    double part = turn(f->point[0], f->point[i], f->point[i + 1], normal);
    snVec middle = v_scale(v_add(v_add(f->point[0], f->point[i]), f->point[i + 1]), 1.0 / 3);
    area += part;
    if (area != 0) center = v_along(center, part / area, v_sub(middle, center));
  }
  int n = 0;
  for (int k = 0; k < kRays; k++) {
    double cosine = kTurn[k], sine = kTurn[(k + kRays - 2) % kRays];
    snVec ray = v_along(v_scale(axis, cosine), sine, side), across = v_cross(normal, ray);
    for (int i = 0; i < f->n; i++) {
      snVec p = f->point[i], q = f->point[(i + 1) % f->n];
      double from = v_dot(across, v_sub(p, center)), to = v_dot(across, v_sub(q, center));
      if (!((from <= 0 && to > 0) || (from > 0 && to <= 0))) continue;
      snVec at = v_along(p, from / (from - to), v_sub(q, p));
      if (v_dot(ray, v_sub(at, center)) < 0) continue;
      out[n++] = at;
      break;
    }
  }
  memcpy(f->point, out, sizeof *out * (size_t)n);
  f->n = n;
}

// The hexagon of a cap from within the disk to around it, so that one on an equal one keeps its
// corners; and a point beyond the disk onto its rim.
static void grow_cap(snFeature* cap, const snShape* cylinder) {
  double side = v_dot(cap->normal, m_axis(cylinder->mat, 2)) > 0 ? 1 : -1;
  cap->n = 0;
  feature_cap(cap, cylinder, side, cylinder->size[0] * 2 / sqrt(3.0));
}

static snVec onto_disk(snVec p, const snShape* cylinder) {
  snVec axis = m_axis(cylinder->mat, 2), from = v_sub(p, v_of(cylinder->pos));
  snVec out = v_along(from, -v_dot(from, axis), axis);
  double far = v_norm(out), r = cylinder->size[0];
  return far > r ? v_along(p, r / far - 1, out) : p;
}

// Points of `part` over a face: of the plane of the face their depth is their own. The least height.
static double touch_over(snTouchList* list, const snFeature* part, const snFeature* face,
                         double margin, snVec n) {
  double least = INFINITY;
  for (int i = 0; i < part->n && !list->failed; i++) {
    snVec p = part->point[i];
    double height = v_dot(face->normal, v_sub(p, face->point[0]));
    if (height > margin) continue;
    least = fmin(least, height);
    touch_add(list, height, v_along(p, -0.5 * height, face->normal), n);
  }
  return least;
}

// The ends of what two lines have in common that lie along each other, and one over the other. The
// least height.
static double touch_lines(snTouchList* list, const snFeature* a, const snFeature* b, double margin,
                          snVec n, double aside) {
  snVec along = v_sub(a->point[1], a->point[0]), other = v_sub(b->point[1], b->point[0]);
  snVec p[2], q[2];
  double long2 = v_norm2(along), least = INFINITY, s[2], end[2];
  for (int i = 0; i < 2; i++) s[i] = v_dot(along, v_sub(b->point[i], a->point[0])) / long2;
  end[0] = fmax(0, fmin(s[0], s[1]));
  end[1] = fmin(1, fmax(s[0], s[1]));
  bool turned = v_norm(v_cross(along, other)) > kLyingSine * sqrt(long2) * v_norm(other);
  if (turned || !((end[1] - end[0]) * sqrt(long2) > kApart)) return least;
  for (int i = 0; i < 2; i++) {
    p[i] = v_along(a->point[0], end[i], along);
    q[i] = v_along(b->point[0], (end[i] - s[0]) / (s[1] - s[0]), other);
    snVec apart = v_sub(q[i], p[i]);
    if (v_norm(v_along(apart, -v_dot(apart, n), n)) > aside) return least;
  }
  for (int i = 0; i < 2 && !list->failed; i++) {
    double height = v_dot(n, v_sub(q[i], p[i]));
    if (height > margin) continue;
    least = fmin(least, height);
    touch_add(list, height, v_scale(v_add(p[i], q[i]), 0.5), n);
  }
  return least;
}

// A face that is level with the contact, of a polytope if there is one, has what of the other shape
// is nearly level; without one, two edges or lines may lie along each other.
bool collide_lying(snTouchList* list, const snShape* a, const snShape* b, double margin,
                   const snTouch* deepest) {
  snFeature fa, fb;
  snVec n = deepest->normal;
  double small = fmin(a->rbound, b->rbound), near = deepest->dist + kDeeper * small;
  if (!feature_lying(&fa, a, n, kLyingCosine) || !feature_lying(&fb, b, v_neg(n), kLyingCosine)) {
    return false;
  }
  bool level_a = fa.n > 2 && v_dot(fa.normal, n) > kCosine;
  bool level_b = fb.n > 2 && v_dot(fb.normal, n) < -kCosine;
  if (!level_a && !level_b) {
    return feature_lying(&fa, a, n, kCosine) && feature_lying(&fb, b, v_neg(n), kCosine) &&
           fa.n == 2 && fb.n == 2 && touch_lines(list, &fa, &fb, margin, n, kAside * small) <= near;
  }
  bool second = !level_a || (level_b && a->type == mjGEOM_CYLINDER && b->type != mjGEOM_CYLINDER);
  const snShape* ground = second ? b : a;
  snFeature *face = second ? &fb : &fa, *part = second ? &fa : &fb;
  bool cap = ground->type == mjGEOM_CYLINDER;
  if (cap) grow_cap(face, ground);
  cut_by_sides(part, face);
  for (int i = 0; i < part->n && cap; i++) part->point[i] = onto_disk(part->point[i], ground);
  if (part->n > kPatchMost) round_off(part, face->normal, second ? a->mat : b->mat);
  n = second ? v_neg(face->normal) : face->normal;
  return touch_over(list, part, face, margin, n) <= near;
}
