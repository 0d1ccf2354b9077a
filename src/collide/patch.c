// Contact patches: where two flat faces, or a face and an edge, touch, their common part has
// corners. The face of each shape that looks along the contact normal is found without running the
// search again; one is clipped by the other, seen along the normal, and at most four corners stay.
#include "collide/patch.h"

enum { kMaxCorner = 256 };

// A face counts as lying in the contact plane when it is turned by less than this, in radians.
static const double kTilt = 3e-3;

typedef struct snFeature_ {
  snVec point[kMaxCorner];
  int n;  // 1: a corner, 2: an edge, more: a face, in order around it
} snFeature;

static void feature_push(snFeature* f, const snShape* shape, snVec local) {
  if (f->n < kMaxCorner) f->point[f->n++] = v_add(v_of(shape->pos), m_mul(shape->mat, local));
}

static void feature_box(snFeature* f, const snShape* box, snVec dir) {
  snVec d = m_mul_t(box->mat, dir);
  const double* s = box->size;
  // axes along which the box is flat to dir
  double flat = kTilt;
  int span[3], nspan = 0;
  snVec corner = v3(0, 0, 0);
  for (int i = 0; i < 3; i++) {
    v_set(&corner, i, v_get(d, i) >= 0 ? s[i] : -s[i]);
    if (fabs(v_get(d, i)) < flat) span[nspan++] = i;
  }
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
  double best = 1 - 0.5 * kTilt * kTilt;
  for (int i = 0; i < hull->npoly; i++) {
    double along = v_dot(v_of(hull->poly_normal + 3 * i), d);
    if (along > best) {
      best = along;
      face = i;
    }
  }
  if (face >= 0) {
    const int* v = hull->poly_vert + hull->poly_adr[face];
    for (int k = 0; k < hull->poly_num[face]; k++) {
      feature_push(f, mesh, v_of_float(hull->vert + 3 * v[k]));
    }
    return;
  }
  int top = support_hull(hull, d, -1);
  snVec p = hull_point(hull, top);
  feature_push(f, mesh, p);
  if (!hull->edge_adr) return;
  double least = kTilt;
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

// Cut what lies outside the side plane through p along the edge e of a face with normal n.
static void cut(snFeature* f, snVec p, snVec outwards) {
  snFeature in = *f;
  bool edge = in.n == 2;
  f->n = 0;
  for (int i = 0; i < in.n; i++) {
    snVec a = in.point[i], b = in.point[(i + 1) % in.n];
    double da = v_dot(v_sub(a, p), outwards), db = v_dot(v_sub(b, p), outwards);
    if (da <= 0) f->point[f->n++] = a;
    if (da * db < 0 && !(edge && i) && f->n < kMaxCorner) {
      f->point[f->n++] = v_along(a, da / (da - db), v_sub(b, a));
    }
    if (f->n >= kMaxCorner - 1) return;
  }
}

static double turn(snVec a, snVec b, snVec c, snVec n) {
  return v_dot(n, v_cross(v_sub(b, a), v_sub(c, a)));
}

// Keep four corners that span the patch: two far apart, and the farthest on either side of them.
static void keep_four(snFeature* f, snVec n) {
  if (f->n <= 4) return;
  int pick[4] = {0, 0, 0, 0};
  for (int pass = 0; pass < 2; pass++) {
    // from an arbitrary corner to the farthest, and from there again
    int from = pass ? pick[1] : 0, far = from;
    for (int i = 0; i < f->n; i++) {
      if (v_norm2(v_sub(f->point[i], f->point[from])) >
          v_norm2(v_sub(f->point[far], f->point[from]))) {
        far = i;
      }
    }
    pick[0] = from, pick[1] = far;
  }
  double most = 0, least = 0;
  pick[2] = pick[3] = -1;
  for (int i = 0; i < f->n; i++) {
    double t = turn(f->point[pick[0]], f->point[pick[1]], f->point[i], n);
    if (t > most) most = t, pick[2] = i;
    if (t < least) least = t, pick[3] = i;
  }
  snFeature in = *f;
  f->n = 0;
  for (int i = 0; i < in.n; i++) {
    if (i == pick[0] || i == pick[1] || i == pick[2] || i == pick[3])
      f->point[f->n++] = in.point[i];
  }
}

bool collide_patch(snTouchList* list, const snGjk* g) {
  snFeature fa, fb;
  snVec n = g->normal;
  if (!feature_of(&fa, g->a, n) || !feature_of(&fb, g->b, v_neg(n))) return false;
  if (fa.n == 2 && fb.n == 2) return false;
  const snFeature* face = fa.n > 2 ? &fa : &fb;
  snFeature* part = fa.n > 2 ? &fb : &fa;

  // side planes of the face, pointing out: which way around it runs decides the sign
  double area = 0;
  for (int i = 1; i + 1 < face->n; i++)
    area += turn(face->point[0], face->point[i], face->point[i + 1], n);
  for (int i = 0; i < face->n && part->n; i++) {
    snVec e = v_sub(face->point[(i + 1) % face->n], face->point[i]);
    snVec out = v_cross(e, n);
    cut(part, face->point[i], area > 0 ? out : v_neg(out));
  }
  if (part->n < 2) return false;
  keep_four(part, n);
  snVec middle = v_scale(v_add(g->on_a, g->on_b), 0.5);
  for (int i = 0; i < part->n; i++) {
    snVec p = part->point[i];
    touch_add(list, g->dist, v_along(p, -v_dot(n, v_sub(p, middle)), n), n);
  }
  return true;
}
