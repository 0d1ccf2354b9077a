// Contact patches (multiccd): where two flat faces, or a face and an edge, touch, contacts at the
// corners of their intersection.
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

typedef struct snFeature_ {
  snVec point[kMaxCorner];
  int n;         // 1: a vertex, 2: an edge, more: a face, vertices in order around it
  snVec normal;  // of a face: outward unit normal
} snFeature;

static void feature_push(snFeature* f, const snShape* shape, snVec local) {
  if (f->n < kMaxCorner) f->point[f->n++] = v_add(v_of(shape->pos), m_mul(shape->mat, local));
}

static void feature_box(snFeature* f, const snShape* box, snVec dir) {
  snVec d = m_mul_t(box->mat, dir);
  const double* s = box->size;
  // coordinates along which the feature extends
  int span[3], nspan = 0, face = -1;
  snVec corner = v3(0, 0, 0);
  for (int i = 0; i < 3; i++) {
    v_set(&corner, i, v_get(d, i) >= 0 ? s[i] : -s[i]);
    if (fabs(v_get(d, i)) > kCosine) face = i;
  }
  for (int i = 0; i < 3; i++) {
    if (face >= 0 ? i != face : fabs(v_get(d, i)) < kSine && nspan < 1) span[nspan++] = i;
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

static void feature_hull(snFeature* f, const snShape* mesh, snVec dir) {
  const snHull* hull = mesh->hull;
  snVec d = m_mul_t(mesh->mat, dir);
  f->n = 0;
  int face = -1;
  double best = kCosine;
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
  double least = kSine;
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

static bool feature_of(snFeature* f, const snShape* shape, snVec dir) {
  if (shape->type == mjGEOM_BOX)
    feature_box(f, shape, dir);
  else if (shape->type == mjGEOM_MESH && shape->hull && shape->hull->npoly)
    feature_hull(f, shape, dir);
  else
    return false;
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

// Keep four corners that span the patch: the first, the farthest from it, and the farthest on
// either side of that diagonal. Where all corners are on one side of the diagonal, the fourth is
// the one farthest beyond the other two edges of the triangle.
static void keep_four(snFeature* f, snVec n) {
  if (f->n <= 4) return;
  const snVec* p = f->point;
  int far = 0, right = -1, left = -1;
  double longest = 0, most = 0, least = 0;
  for (int i = 1; i < f->n; i++) {
    double length2 = v_norm2(v_sub(p[i], p[0]));
    if (length2 > longest) longest = length2, far = i;
  }
  for (int i = 1; i < f->n; i++) {
    double t = turn(p[0], p[far], p[i], n);
    if (t < least) least = t, right = i;
    if (t > most) most = t, left = i;
  }
  int third = right >= 0 ? right : left, fourth = right >= 0 ? left : -1;
  double widest = 0, side = right >= 0 ? 1 : -1;
  for (int i = 1; i < f->n && third >= 0 && (right < 0 || left < 0); i++) {
    double beyond = side * turn(p[far], p[third], p[i], n);
    double before = side * turn(p[third], p[0], p[i], n);
    double t = sn_max(beyond, before);
    if (t > widest) widest = t, fourth = i;
  }
  SN_ASSERT(fourth < 0 || fourth != third);
  snVec kept[4] = {p[0], p[far]};
  int num = 2;
  if (third >= 0) kept[num++] = p[third];
  if (fourth >= 0) kept[num++] = p[fourth];
  memcpy(f->point, kept, sizeof kept);
  f->n = num;
}

bool collide_patch(snTouchList* list, const snGjk* g) {
  snFeature fa, fb;
  snVec n = g->normal;
  if (!feature_of(&fa, g->a, n) || !feature_of(&fb, g->b, v_neg(n))) return false;
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
  // side planes of the face, oriented outwards by the sign of the face's area
  double area = 0;
  for (int i = 1; i + 1 < face->n; i++)
    area += turn(face->point[0], face->point[i], face->point[i + 1], face->normal);
  for (int i = 0; i < face->n && part->n; i++) {
    snVec e = v_sub(face->point[(i + 1) % face->n], face->point[i]);
    snVec out = v_cross(e, face->normal);
    cut(part, face->point[i], area > 0 ? out : v_neg(out));
  }
  if (part->n < 2) return false;
  keep_four(part, n);
  // on the second shape, or on the edge, moved by half the depth along the contact normal. An edge
  // of the first shape is moved away from the face by it, as released.
  n = face == &fa && !faces ? fa.normal : v_neg(fb.normal);
  for (int i = 0; i < part->n; i++) {
    touch_add(list, g->dist, v_along(part->point[i], -0.5 * g->dist, n), n);
  }
  return true;
}
