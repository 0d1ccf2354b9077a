// How a contact of curved shapes moves, by the Hessian of their support functions; and the contact
// itself to the last digits.
//
// With p1 and p2 the points where the two shapes touch, p2 - p1 = g n. K is the Hessian of a
// support function: how its support point moves when the direction turns. A sphere has K = r 1, an
// ellipsoid (Q - pp') / h with Q of its squared axes and h its support, the rim of a cylinder
// r / |n_r| around its axis, a corner 0. Along a line or a face (axes a_i of the first shape, b_i
// of the second) K is infinite: the normal stays across it, and the point slides. Relative to the
// first shape, with c the velocity of the second one's material at p2 and T the projector on the
// tangent plane,
//
//   T (c - K2 (dn - w x n) + sum y_i b_i - K1 dn - sum x_i a_i) = g dn,     dg = n.c
//   a_i.dn = 0,   b_i.dn = b_i.(w x n)
//
// for dn in the tangent plane and the slides x, y: two equations and one for each axis.
#include "collide/motion.h"

typedef struct snCurve_ {
  snVec p;        // where it touches, but for slides
  double K[9];    // without infinite directions
  int pins;       // 0, 1: a line, 2: a face
  snVec axis[2];  // along which it slides
} snCurve;

typedef struct snCurved_ {
  snCurve a, b;
  snVec n, p1, p2, e[2];  // e: tangents
  double g;
  bool same;  // the contact that was found is the exact one
} snCurved;

// What a search that ended within its tolerance leaves open: places on the surfaces, and angles.
typedef struct snCurvedOpen_ {
  double place, angle;
} snCurvedOpen;

static snCurvedOpen open_by(const snShape* a, const snShape* b, double tolerance) {
  double size = fmax(
      mjMINVAL, fmin(a->rbound > 0 ? a->rbound : mjMAXVAL, b->rbound > 0 ? b->rbound : mjMAXVAL));
  double share = sqrt(fmax(tolerance, 1e-13) / size);
  return (snCurvedOpen){fmax(1e-6, 3 * share) * size, fmax(1e-3, 30 * share)};
}

static void curve_add(snCurve* c, double k, snVec t) {
  const double x[3] = {t.x, t.y, t.z};
  for (int i = 0; i < 9; i++) c->K[i] += k * x[i / 3] * x[i % 3];
}

static snVec curve_mul(const snCurve* c, snVec x) { return m_mul(c->K, x); }

// ---- what of a shape touches

// By the vertices that are about as far along n as any: the corner, the edge or the face on which
// `at` lies.
static bool curve_hull(const snShape* s, snVec n, snVec at, snCurvedOpen open, snCurve* c) {
  enum { MOST = 16 };
  snVec place = m_mul_t(s->mat, v_sub(at, v_of(s->pos))), top[MOST];
  if (!s->hull) return false;
  int found = motion_hull_top(s, n, open.angle * s->rbound, top, MOST);
  for (int i = 0; i < found; i++) {
    if (v_norm(v_sub(place, top[i])) > open.place) continue;
    c->p = v_add(v_of(s->pos), m_mul(s->mat, top[i]));
    return true;
  }
  for (int i = 0; i < found; i++) {
    for (int k = i + 1; k < found; k++) {
      snVec way = v_sub(top[k], top[i]), to = v_sub(place, top[i]);
      double length = v_normalize(&way), along = v_dot(way, to);
      if (along < 0 || along > length || v_norm(v_along(to, -along, way)) > open.place) continue;
      c->pins = 1;
      c->axis[0] = m_mul(s->mat, way);
      c->p = v_add(v_of(s->pos), m_mul(s->mat, top[i]));
      return true;
    }
  }
  // a face: by the two edges from one corner that are farthest from parallel
  double best = 0;
  for (int i = 1; i < found; i++) {
    for (int k = i + 1; k < found; k++) {
      snVec u = v_sub(top[i], top[0]), v = v_sub(top[k], top[0]);
      snVec across = v_cross(u, v);
      double area = v_norm(across);
      if (area <= best) continue;
      best = area;
      v_normalize(&u);
      v_normalize(&across);
      c->axis[0] = m_mul(s->mat, u);
      c->axis[1] = m_mul(s->mat, v_cross(across, u));
    }
  }
  c->pins = 2;
  c->p = v_add(v_of(s->pos), m_mul(s->mat, top[0]));
  return best > 0;
}

// The rim, the side or an end of a cylinder.
static void curve_cylinder(const snShape* s, snVec local, snVec place, snCurvedOpen open,
                           snCurve* c) {
  double r = s->size[0], h = s->size[1], across = sqrt(local.x * local.x + local.y * local.y);
  bool end = fabs(place.z) > h - open.place;
  bool side = sqrt(place.x * place.x + place.y * place.y) > r - open.place;
  if (end && !side) {
    c->pins = 2;
    c->axis[0] = m_axis(s->mat, 0), c->axis[1] = m_axis(s->mat, 1);
    c->p = v_along(c->p, local.z > 0 ? h : -h, m_axis(s->mat, 2));
    return;
  }
  across = fmax(across, mjMINVAL);
  curve_add(c, r / across, m_mul(s->mat, v3(-local.y / across, local.x / across, 0)));
  c->p = v_add(c->p, m_mul(s->mat, v3(r * local.x / across, r * local.y / across, 0)));
  if (end) {
    c->p = v_along(c->p, local.z > 0 ? h : -h, m_axis(s->mat, 2));
  } else {
    c->pins = 1;
    c->axis[0] = m_axis(s->mat, 2);
  }
}

// n points out of the shape, and `at` is where it touches.
static bool curve_of(const snShape* s, snVec n, snVec at, snCurvedOpen open, snCurve* c) {
  *c = (snCurve){.p = v_of(s->pos)};
  snVec local = m_mul_t(s->mat, n), place = m_mul_t(s->mat, v_sub(at, c->p));
  const double* size = s->size;
  switch (s->type) {
    case mjGEOM_PLANE:
      c->pins = 2;
      c->axis[0] = m_axis(s->mat, 0), c->axis[1] = m_axis(s->mat, 1);
      return true;
    case mjGEOM_CAPSULE:
    case mjGEOM_SPHERE: {
      double z = s->type == mjGEOM_CAPSULE ? place.z - size[0] * local.z : 0;
      double half = s->type == mjGEOM_CAPSULE ? size[1] : 0;
      for (int i = 0; i < 3; i++) c->K[4 * i] = size[0];
      c->p = v_along(c->p, size[0], n);
      if (fabs(z) < half - open.place) {
        c->pins = 1;
        c->axis[0] = m_axis(s->mat, 2);
      } else {
        c->p = v_along(c->p, z > 0 ? half : -half, m_axis(s->mat, 2));
      }
      return true;
    }
    case mjGEOM_ELLIPSOID: {
      snVec p =
          v3(size[0] * size[0] * local.x, size[1] * size[1] * local.y, size[2] * size[2] * local.z);
      double h = sqrt(v_dot(p, local));
      for (int k = 0; k < 3; k++) curve_add(c, size[k] * size[k] / h, m_axis(s->mat, k));
      curve_add(c, -1 / (h * h * h), m_mul(s->mat, p));
      c->p = v_along(c->p, 1 / h, m_mul(s->mat, p));
      return true;
    }
    case mjGEOM_CYLINDER:
      curve_cylinder(s, local, place, open, c);
      return true;
    case mjGEOM_BOX:
      for (int i = 0; i < 3; i++) {
        double x = v_get(place, i);
        if (fabs(x) > size[i] - open.place) {
          c->p = v_along(c->p, x > 0 ? size[i] : -size[i], m_axis(s->mat, i));
        } else if (c->pins < 2) {
          c->axis[c->pins++] = m_axis(s->mat, i);
        } else {
          return false;
        }
      }
      return true;
    case mjGEOM_MESH:
      return curve_hull(s, n, at, open, c);
    default:
      return false;
  }
}

// ---- the system

typedef struct snCurvedMove_ {
  snVec dn, slide1;
} snCurvedMove;

// Elimination with row pivots.
static bool solve_small(double A[6][7], int n) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    }
    if (!(fabs(A[best][k]) > 1e-10)) return false;
    for (int j = k; j <= n; j++) {
      double x = A[k][j];
      A[k][j] = A[best][j], A[best][j] = x;
    }
    for (int i = 0; i < n; i++) {
      double l = i == k ? 0 : A[i][k] / A[k][k];
      for (int j = k; j <= n && l != 0; j++) A[i][j] -= l * A[k][j];
    }
  }
  for (int k = 0; k < n; k++) A[k][n] /= A[k][k];
  return true;
}

// Lengths are counted in `unit`, so that equations are alike.
static bool curved_solve(const snCurved* f, double unit, snVec w, snVec c, snCurvedMove* r) {
  int pa = f->a.pins, pb = f->b.pins, n = 2 + pa + pb;
  if (pa + pb > 2) return false;
  double A[6][7] = {{0}};
  snVec wn = v_cross(w, f->n), known = v_add(c, curve_mul(&f->b, wn));
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      snVec Ke = v_add(curve_mul(&f->a, f->e[k]), curve_mul(&f->b, f->e[k]));
      A[i][k] = (v_dot(f->e[i], Ke) + (i == k ? f->g : 0)) / unit;
    }
    for (int k = 0; k < pa; k++) A[i][2 + k] = v_dot(f->e[i], f->a.axis[k]);
    for (int k = 0; k < pb; k++) A[i][2 + pa + k] = -v_dot(f->e[i], f->b.axis[k]);
    A[i][n] = v_dot(f->e[i], known) / unit;
  }
  for (int k = 0; k < pa + pb; k++) {
    snVec axis = k < pa ? f->a.axis[k] : f->b.axis[k - pa];
    for (int i = 0; i < 2; i++) A[2 + k][i] = v_dot(axis, f->e[i]);
    A[2 + k][n] = k < pa ? 0 : v_dot(axis, wn);
  }
  if (!solve_small(A, n)) return false;
  r->dn = v_along(v_scale(f->e[0], A[0][n]), A[1][n], f->e[1]);
  r->slide1 = v3(0, 0, 0);
  for (int k = 0; k < pa; k++) r->slide1 = v_along(r->slide1, unit * A[2 + k][n], f->a.axis[k]);
  return true;
}

// n across the axes of both shapes, and tangents.
static bool curved_frame(snCurved* f) {
  snVec axis[4];
  int n = 0;
  for (int k = 0; k < f->a.pins; k++) axis[n++] = f->a.axis[k];
  for (int k = 0; k < f->b.pins; k++) axis[n++] = f->b.axis[k];
  if (n > 2) return false;
  snVec across = n == 2 ? v_cross(axis[0], axis[1]) : f->n;
  if (n == 1) across = v_along(across, -v_dot(across, axis[0]), axis[0]);
  if (!(v_normalize(&across) > 1e-6)) return false;
  f->n = v_dot(across, f->n) < 0 ? v_neg(across) : across;
  f->e[0] = fabs(f->n.x) < 0.7 ? v3(1, 0, 0) : v3(0, 1, 0);
  f->e[0] = v_along(f->e[0], -v_dot(f->e[0], f->n), f->n);
  v_normalize(&f->e[0]);
  f->e[1] = v_cross(f->n, f->e[0]);
  return true;
}

// The normal for which the two points are opposite, by Newton's method from the contact that a
// search found. False when the features that touch do not hold what was found.
static bool curved_find(const snShape* a, const snShape* b, snVec pos, double dist,
                        snCurvedOpen open, snCurved* f) {
  static const double kSame = 1e-9;
  snVec at1 = v_along(pos, -0.5 * dist, f->n), at2 = v_along(pos, 0.5 * dist, f->n), first = f->n;
  double unit = fmin(a->rbound > 0 ? a->rbound : mjMAXVAL, b->rbound > 0 ? b->rbound : mjMAXVAL);
  int pa = -1, pb = -1;
  for (int round = 0; round < 12; round++) {
    snVec still = {0, 0, 0};
    snCurvedMove move;
    if (!curve_of(a, f->n, at1, open, &f->a) || !curve_of(b, v_neg(f->n), at2, open, &f->b) ||
        (round && (f->a.pins != pa || f->b.pins != pb))) {
      return false;
    }
    pa = f->a.pins, pb = f->b.pins;
    if (!round && pa + pb) {
      // curved parts once more, at the normal that lines and faces leave
      if (!curved_frame(f) || !curve_of(a, f->n, at1, open, &f->a) ||
          !curve_of(b, v_neg(f->n), at2, open, &f->b)) {
        return false;
      }
    }
    if (!curved_frame(f)) return false;
    snVec off = v_sub(f->b.p, f->a.p);
    f->g = v_dot(f->n, off);
    if (!curved_solve(f, unit, still, off, &move) || !(v_norm(move.dn) < 0.1)) return false;
    f->p1 = v_add(v_add(f->a.p, move.slide1), curve_mul(&f->a, move.dn));
    f->p2 = v_along(f->p1, f->g, f->n);
    f->n = v_add(f->n, move.dn);
    v_normalize(&f->n);
    if (v_norm(move.dn) < 1e-14) break;
  }
  double turned = v_norm(v_sub(f->n, first)), far = 100 * open.place;
  double slid = fmax(v_norm(v_sub(f->p1, at1)), v_norm(v_sub(f->p2, at2)));
  f->same = turned < kSame && slid < kSame * unit;
  return turned < open.angle && fabs(f->g - dist) < 10 * open.place && slid < far;
}

bool motion_curved(const snShape* a, const snShape* b, const mjContact* con, double tolerance,
                   snContactMotion* motion, bool* same) {
  snCurved f = {.n = v_of(con->frame)};
  snVec at = v_of(con->pos), zero = {0, 0, 0};
  double unit = fmin(a->rbound > 0 ? a->rbound : mjMAXVAL, b->rbound > 0 ? b->rbound : mjMAXVAL);
  if (!curved_find(a, b, at, con->dist, open_by(a, b, tolerance), &f)) return false;
  *same = f.same;
  for (int k = 0; k < 6; k++) {
    snVec unit3 = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    snVec w = k < 3 ? unit3 : zero, v = k < 3 ? zero : unit3;
    snVec c = v_add(v, v_cross(w, v_sub(f.p2, at)));
    snCurvedMove move;
    if (!curved_solve(&f, unit, w, c, &move)) return false;
    snMoved x = {.normal = move.dn, .dist = v_dot(f.n, c)};
    snVec dp1 = v_add(curve_mul(&f.a, move.dn), move.slide1);
    snVec gap = v_along(v_scale(f.n, x.dist), f.g, move.dn);
    x.pos = v_along(dp1, 0.5, gap);
    motion_put(motion, k, x);
  }
  return true;
}

void curved_polish(const snShape* a, const snShape* b, snTouch* t) {
  snCurved f = {.n = t->normal};
  bool curved = a->type == mjGEOM_ELLIPSOID || a->type == mjGEOM_CYLINDER ||
                b->type == mjGEOM_ELLIPSOID || b->type == mjGEOM_CYLINDER;
  if (!curved || !curved_find(a, b, t->pos, t->dist, open_by(a, b, 1e-9), &f)) return;
  t->normal = f.n;
  t->dist = f.g;
  t->pos = v_scale(v_add(f.p1, f.p2), 0.5);
}

// A cylinder on a plane: its points s keep their place in the frame of the axis c, the direction
// e = unit((c.n) c - n) to the lowest point of the rim, and c x e. With u = (c.n) c - n,
//
//   dc = w x c,   du = (dc.n) c + (c.n) dc,   de = (1 - ee') du / |u|
void motion_rim(const snShape* plane, const snShape* cylinder, const mjContact* con,
                snContactMotion* motion) {
  snVec n = m_axis(plane->mat, 2), c = m_axis(cylinder->mat, 2), zero = {0, 0, 0};
  snVec at = v_of(con->pos), arm = v_sub(v_along(at, 0.5 * con->dist, n), v_of(cylinder->pos));
  snVec u = v_along(v_scale(c, v_dot(c, n)), -1, n), e = u;
  double length = v_normalize(&e);
  bool upright = length < mjMINVAL;
  if (upright) e = m_axis(cylinder->mat, 0);
  double along = v_dot(arm, c), down = v_dot(arm, e), side = v_dot(arm, v_cross(c, e));
  for (int k = 0; k < 6; k++) {
    snVec unit = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    snVec w = k < 3 ? unit : zero, v = k < 3 ? zero : unit;
    snVec dc = v_cross(w, c), de = v_cross(w, e);
    if (!upright) {
      de = v_along(v_scale(dc, v_dot(c, n)), v_dot(dc, n), c);
      de = v_scale(v_along(de, -v_dot(e, de), e), 1 / length);
    }
    snVec ds = v_add(v, v_cross(w, v_sub(v_of(cylinder->pos), at)));
    ds = v_along(v_along(ds, along, dc), down, de);
    ds = v_along(ds, side, v_add(v_cross(dc, e), v_cross(c, de)));
    double dist = v_dot(n, ds);
    motion_put(motion, k, (snMoved){v_along(ds, -0.5 * dist, n), zero, dist});
  }
}
