// How a contact of curved shapes moves, by the Hessian of their support functions.
//
// With p1 and p2 the support points of the two shapes along n and -n, p2 - p1 = g n. K is the
// Hessian of a support function: how its support point moves when the direction turns. Relative to
// the first shape, with c the velocity of the second one's material at p2 and T the projector on
// the tangent plane,
//
//   (K1 + K2 + g 1) dn = T c + K2 (w x n),   dg = n.c
//   dp1 = K1 dn,   dp2 = c - K2 (dn - w x n)
//
// A sphere has K = r 1, an ellipsoid (Q - pp') / h with Q of its squared axes and h its support,
// the rim of a cylinder r / |n_r| around its axis, a corner 0. K is infinite along an edge or a
// line of a round shape: dn is pinned along it, and the point slides so that the two points stay
// opposite.
#include "collide/motion.h"

// Within this angle of a face, an edge or a line a direction counts as exact: the search ends
// within a tolerance.
static const double kAlike = 1e-6;

typedef struct snCurve_ {
  snVec p;      // the support point, or one of them
  double K[9];  // without infinite directions
  int pins;     // 0, 1: along `axis`; 2: all
  snVec axis;
} snCurve;

static void curve_add(snCurve* c, double k, snVec t) {
  const double x[3] = {t.x, t.y, t.z};
  for (int i = 0; i < 9; i++) c->K[i] += k * x[i / 3] * x[i % 3];
}

static void curve_round(snCurve* c, double radius) {
  for (int i = 0; i < 3; i++) c->K[4 * i] += radius;
}

static snVec curve_mul(const snCurve* c, snVec x) { return m_mul(c->K, x); }

// A polytope has no curvature: its edges and faces pin directions.
static bool curve_hull(const snShape* s, snVec n, snCurve* c) {
  if (!s->hull) return false;
  snExtreme e = motion_extreme(s, n, kAlike);
  c->pins = e.feature;
  c->axis = e.axis;
  c->p = e.point;
  return true;
}

// n points out of the shape.
static bool curve_of(const snShape* s, snVec n, snCurve* c) {
  *c = (snCurve){.axis = m_axis(s->mat, 2)};
  snVec local = m_mul_t(s->mat, n);
  double r = s->size[0], across = sqrt(local.x * local.x + local.y * local.y);
  c->p = v_of(s->pos);
  switch (s->type) {
    case mjGEOM_PLANE:
      c->pins = 2;
      return true;
    case mjGEOM_SPHERE:
      curve_round(c, r);
      c->p = v_along(c->p, r, n);
      return true;
    case mjGEOM_CAPSULE: {
      curve_round(c, r);
      c->pins = fabs(local.z) < kAlike;
      c->p = v_along(v_along(c->p, r, n), local.z > 0 ? s->size[1] : -s->size[1], c->axis);
      return true;
    }
    case mjGEOM_ELLIPSOID: {
      snVec p = v3(s->size[0] * s->size[0] * local.x, s->size[1] * s->size[1] * local.y,
                   s->size[2] * s->size[2] * local.z);
      double h = sqrt(v_dot(p, local));
      for (int k = 0; k < 3; k++) curve_add(c, s->size[k] * s->size[k] / h, m_axis(s->mat, k));
      curve_add(c, -1 / (h * h * h), m_mul(s->mat, p));
      c->p = v_along(c->p, 1 / h, m_mul(s->mat, p));
      return true;
    }
    case mjGEOM_CYLINDER: {
      if (across < kAlike) {
        c->pins = 2;
        return true;
      }
      c->pins = fabs(local.z) < kAlike;
      curve_add(c, r / across, m_mul(s->mat, v3(-local.y / across, local.x / across, 0)));
      c->p = v_add(c->p, m_mul(s->mat, v3(r * local.x / across, r * local.y / across,
                                          local.z > 0 ? s->size[1] : -s->size[1])));
      return true;
    }
    case mjGEOM_BOX: {
      int along = 0;
      for (int i = 0; i < 3; i++) {
        if (fabs(v_get(local, i)) < kAlike) c->pins++, along = i;
        c->p = v_along(c->p, v_get(local, i) > 0 ? s->size[i] : -s->size[i], m_axis(s->mat, i));
      }
      c->axis = m_axis(s->mat, along);
      return true;
    }
    case mjGEOM_MESH:
      return curve_hull(s, n, c);
    default:
      return false;
  }
}

typedef struct snCurved_ {
  snCurve a, b;
  snVec n, e[2];  // e[0] is pinned where there is one pin, e[1] across it
  double g;
  int pins;
  bool by_second;  // whose direction e[0] is
} snCurved;

// dn along e[0] and e[1], by elimination of two equations.
static bool curved_normal(const snCurved* f, snVec w, snVec c, snVec* dn) {
  snVec wn = v_cross(w, f->n), rhs = v_add(c, curve_mul(&f->b, wn));
  double M[2][2], y[2], x[2];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      snVec Ke = v_add(curve_mul(&f->a, f->e[k]), curve_mul(&f->b, f->e[k]));
      M[i][k] = v_dot(f->e[i], Ke) + (i == k ? f->g : 0);
    }
    y[i] = v_dot(f->e[i], rhs);
  }
  if (f->pins == 1) {
    x[0] = f->by_second ? v_dot(wn, f->e[0]) : 0;
    if (fabs(M[1][1]) < mjMINVAL) return false;
    x[1] = (y[1] - M[1][0] * x[0]) / M[1][1];
  } else if (f->pins == 2) {
    x[0] = f->by_second ? v_dot(wn, f->e[0]) : 0;
    x[1] = f->by_second ? v_dot(wn, f->e[1]) : 0;
  } else {
    double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    if (fabs(det) < mjMINVAL) return false;
    x[0] = (M[1][1] * y[0] - M[0][1] * y[1]) / det;
    x[1] = (M[0][0] * y[1] - M[1][0] * y[0]) / det;
  }
  *dn = v_along(v_scale(f->e[0], x[0]), x[1], f->e[1]);
  return true;
}

static bool curved_move(const snCurved* f, snVec at, snVec p2, snVec w, snVec v, snMoved* r) {
  snVec c = v_add(v, v_cross(w, v_sub(p2, at)));
  if (!curved_normal(f, w, c, &r->normal)) return false;
  snVec dn = r->normal, wn = v_cross(w, f->n);
  r->dist = v_dot(f->n, c);
  snVec dp1 = curve_mul(&f->a, dn);
  snVec dp2 = v_sub(c, curve_mul(&f->b, v_sub(dn, wn)));
  // dp2 - dp1 = dg n + g dn: what is pinned follows what is not
  snVec gap = v_along(v_scale(f->n, r->dist), f->g, dn);
  if (f->pins) {
    snVec off = v_sub(v_sub(dp2, dp1), gap);
    for (int k = 0; k < f->pins; k++) {
      snVec slide = v_scale(f->e[k], v_dot(f->e[k], off));
      if (f->by_second)
        dp2 = v_sub(dp2, slide);
      else
        dp1 = v_add(dp1, slide);
    }
  }
  r->pos = v_scale(v_add(dp1, dp2), 0.5);
  return true;
}

// Shapes and tangent directions at the normal n.
static bool curved_make(const snShape* a, const snShape* b, snCurved* f) {
  if (!curve_of(a, f->n, &f->a) || !curve_of(b, v_neg(f->n), &f->b)) return false;
  if (f->a.pins && f->b.pins) return false;
  f->by_second = f->b.pins > 0;
  f->pins = f->a.pins + f->b.pins;
  const snCurve* pinned = f->by_second ? &f->b : &f->a;
  if (f->pins == 1) {
    f->e[0] = v_along(pinned->axis, -v_dot(pinned->axis, f->n), f->n);
  } else {
    f->e[0] = fabs(f->n.x) < 0.7 ? v3(1, 0, 0) : v3(0, 1, 0);
    f->e[0] = v_along(f->e[0], -v_dot(f->e[0], f->n), f->n);
  }
  v_normalize(&f->e[0]);
  f->e[1] = v_cross(f->n, f->e[0]);
  return true;
}

// The search for the contact ends within a tolerance; the normal for which the points are opposite
// is found to the end by Newton's method: (K1 + K2 + g 1) dn = T (p2 - p1), but for what is pinned.
static void curved_polish(const snShape* a, const snShape* b, snCurved* f) {
  snCurved best = *f;
  for (int round = 0; round < 4 && f->pins < 2; round++) {
    snVec off = v_sub(f->b.p, f->a.p), dn, still = {0, 0, 0};
    snCurved at = *f;
    at.by_second = false;
    at.g = v_dot(f->n, off);
    if (!curved_normal(&at, still, off, &dn) || !(v_norm(dn) < 1e-2)) break;
    f->n = v_add(f->n, dn);
    v_normalize(&f->n);
    int pins = f->pins;
    if (!curved_make(a, b, f) || f->pins != pins) {
      *f = best;
      return;
    }
    f->g = v_dot(f->n, v_sub(f->b.p, f->a.p));
    if (v_norm(dn) < 1e-13) break;
  }
}

bool motion_curved(const snShape* a, const snShape* b, const mjContact* con,
                   snContactMotion* motion) {
  snCurved f = {.n = v_of(con->frame), .g = con->dist};
  snVec at = v_of(con->pos), zero = {0, 0, 0};
  snVec p2 = v_along(at, 0.5 * con->dist, f.n);
  if (!curved_make(a, b, &f)) return false;
  curved_polish(a, b, &f);
  if (f.pins < 2) p2 = f.by_second ? v_along(f.a.p, f.g, f.n) : f.b.p;
  for (int k = 0; k < 6; k++) {
    snVec unit = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    snMoved x;
    if (!curved_move(&f, at, p2, k < 3 ? unit : zero, k < 3 ? zero : unit, &x)) return false;
    motion_put(motion, k, x);
  }
  return true;
}
