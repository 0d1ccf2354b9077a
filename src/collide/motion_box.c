// How contacts of two boxes move.
//
// The axis of least penetration is a face of one box, the reference r. A contact is midway between
// that face and a point s of the other box q, h above it, and its distance is h / 2. The normal
// rides with r. With u the velocity of q's material at s, relative to r,
//
//   a corner of q             ds = u
//   an edge e of q crosses    ds = u + t e,  m.ds = 0, with m the normal of the side of r
//   a side of the face
//   a corner of the face      ds = dh n,     k.ds = k.u, with k the normal of the face of q
//
// dh = n.ds, and the point moves with ds - dh n / 2. Where the axis is a cross product the normal
// turns as well (motion_edge_axis).
#include "collide/box_box.h"
#include "collide/motion.h"

enum { CORNER, CROSSING, UNDER };

typedef struct snBoxPoint_ {
  int kind;
  snVec s, n;        // of q, normal of the face of r toward q
  snVec edge, side;  // CROSSING
  snVec face;        // UNDER
} snBoxPoint;

// Rounding of a place, as a share of the box.
static const double kNear = 1e-9;

// 1 - cos of the angle to a face's normal below which a cross product is no axis of its own.
static const double kBesideFace = 1e-7;

// Which coordinates of a point are on the surface of the box, within rounding.
static int on_surface(const snShape* s, snVec p, bool on[3]) {
  snVec local = m_mul_t(s->mat, v_sub(p, v_of(s->pos)));
  double size = s->size[0] + s->size[1] + s->size[2];
  int n = 0;
  for (int k = 0; k < 3; k++) {
    on[k] = fabs(fabs(v_get(local, k)) - s->size[k]) < kNear * size;
    n += on[k];
  }
  return n;
}

static bool point_find(const snShape* r, const snShape* q, int axis, snVec n, const mjContact* con,
                       double side, snBoxPoint* p) {
  bool on_q[3], on_r[3];
  p->n = v_scale(n, side);  // from r to q
  p->s = v_along(v_of(con->pos), con->dist, p->n);
  snVec foot = v_along(v_of(con->pos), -con->dist, p->n);
  int nq = on_surface(q, p->s, on_q), nr = on_surface(r, foot, on_r);
  if (!on_r[axis]) return false;
  if (nq == 3) {
    p->kind = CORNER;
    return true;
  }
  if (nq == 2 && nr >= 2) {
    p->kind = CROSSING;
    for (int k = 0; k < 3; k++) {
      if (!on_q[k]) p->edge = m_axis(q->mat, k);
    }
    double best = 0;  // the side that the edge crosses, at a corner the steeper one
    for (int k = 0; k < 3; k++) {
      double along = fabs(v_dot(m_axis(r->mat, k), p->edge));
      if (k != axis && on_r[k] && along > best) best = along, p->side = m_axis(r->mat, k);
    }
    return best > 1e-9;
  }
  if (nq == 1 && nr == 3) {
    p->kind = UNDER;
    for (int k = 0; k < 3; k++) {
      if (on_q[k]) p->face = m_axis(q->mat, k);
    }
    return fabs(v_dot(p->face, p->n)) > 1e-6;
  }
  return false;
}

static snMoved point_move(const snBoxPoint* p, snVec at, snVec w, snVec v) {
  snVec u = v_add(v, v_cross(w, v_sub(p->s, at))), ds = u, zero = {0, 0, 0};
  if (p->kind == CROSSING) {
    ds = v_along(u, -v_dot(p->side, u) / v_dot(p->side, p->edge), p->edge);
  } else if (p->kind == UNDER) {
    ds = v_scale(p->n, v_dot(p->face, u) / v_dot(p->face, p->n));
  }
  double dh = v_dot(p->n, ds);
  return (snMoved){v_along(ds, -0.5 * dh, p->n), zero, 0.5 * dh};
}

// Where the axis n = +-unit(a_i x b_j) is a cross product, facing faces are laid on each other along
// it: s1 of the first box and s2 = s1 + h n of the second.
static bool edges_point(const snShape* a, const snShape* b, const mjContact* con, snBoxPoint* p) {
  bool on1[3], on2[3];
  p->n = v_of(con->frame);
  snVec s1 = v_along(v_of(con->pos), -0.5 * con->dist, p->n);
  p->s = v_along(v_of(con->pos), 0.5 * con->dist, p->n);
  int n1 = on_surface(a, s1, on1), n2 = on_surface(b, p->s, on2);
  for (int k = 0; k < 3; k++) {
    if (n1 == 2 && !on1[k]) p->side = m_axis(a->mat, k);
    if (n2 == 2 && !on2[k]) p->edge = m_axis(b->mat, k);
    if (n2 == 3 && n1 == 1 && on1[k]) p->face = m_axis(a->mat, k);
    if (n1 == 3 && n2 == 1 && on2[k]) p->face = m_axis(b->mat, k);
  }
  p->kind = n2 == 3 ? CORNER : n1 == 3 ? UNDER : CROSSING;
  if (p->kind == CROSSING) return fabs(v_dot(v_cross(p->side, p->edge), p->n)) > 1e-6;
  return fabs(v_dot(p->face, p->n)) > 1e-6;
}

// With u the velocity of the second box at s2, ds2 - ds1 = dh n + h dn:
//
//   two edges e1, e2 cross         ds1 = x e1, ds2 = u + y e2
//   a corner of the second box     ds2 = u, k.ds1 = 0, with k the normal of the face of the first
//   a corner of the first          ds1 = 0, k.ds2 = k.u, with k the normal of the face of the second
static snMoved edges_move(const snBoxPoint* p, double h, snVec dn, snVec u) {
  snVec rest = v_along(u, -h, dn), s1 = {0, 0, 0};
  double dh;
  if (p->kind == CROSSING) {
    // rest = x e1 - y e2 + dh n
    snVec across = v_cross(p->side, p->edge);
    double det = v_dot(across, p->n);
    dh = v_dot(across, rest) / det;
    s1 = v_scale(p->side, v_dot(v_cross(rest, p->edge), p->n) / det);
  } else {
    dh = v_dot(p->face, rest) / v_dot(p->face, p->n);
    if (p->kind == CORNER) s1 = v_along(rest, -dh, p->n);
  }
  return (snMoved){v_along(v_along(s1, 0.5 * h, dn), 0.5 * dh, p->n), dn, dh};
}

static bool motion_edge_axis(const snShape* a, const snShape* b, int code, const mjContact* con,
                             snContactMotion* motion) {
  snVec ai = m_axis(a->mat, (code - 6) / 3), bj = m_axis(b->mat, (code - 6) % 3), zero = {0, 0, 0};
  snVec cross = v_cross(ai, bj);
  snBoxPoint p = {0};
  if (!edges_point(a, b, con, &p)) return false;
  // beside the normal of a face, rounding chooses the axis
  snVec in_a = m_mul_t(a->mat, p.n), in_b = m_mul_t(b->mat, p.n);
  for (int k = 0; k < 3; k++) {
    if (fmax(fabs(v_get(in_a, k)), fabs(v_get(in_b, k))) > 1 - kBesideFace) return false;
  }
  double length = v_norm(cross), sign = v_dot(cross, p.n) < 0 ? -1 : 1;
  for (int k = 0; k < 6; k++) {
    snVec unit = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    snVec w = k < 3 ? unit : zero, v = k < 3 ? zero : unit;
    snVec dn = v_scale(v_cross(ai, v_cross(w, bj)), sign / length);
    dn = v_along(dn, -v_dot(p.n, dn), p.n);
    snVec u = v_add(v, v_cross(w, v_sub(p.s, v_of(con->pos))));
    motion_put(motion, k, edges_move(&p, con->dist, dn, u));
  }
  return true;
}

bool motion_boxes(const snShape* a, const snShape* b, const mjContact* con, int n, double margin,
                  snContactMotion* motion) {
  snTouch touch[kBoxTouches];
  snBoxPair pair = {{a->pos, b->pos}, {a->mat, b->mat}, {a->size, b->size}, margin};
  snBoxFound found;
  boxes_touch(&pair, 1, touch, &found);
  if (found.n <= 0) return false;
  for (int i = 0; found.code >= 6 && i < n; i++) {
    if (!motion_edge_axis(a, b, found.code, con + i, motion + i)) return false;
  }
  if (found.code >= 6) return true;
  bool second = found.code >= 3;  // the reference is the second box
  const snShape *r = second ? b : a, *q = second ? a : b;
  for (int i = 0; i < n; i++) {
    snBoxPoint p = {0};
    snVec at = v_of(con[i].pos), normal = v_of(con[i].frame), zero = {0, 0, 0};
    if (!point_find(r, q, found.code % 3, normal, con + i, second ? -1 : 1, &p)) return false;
    for (int k = 0; k < 6; k++) {
      snVec unit = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
      snVec w = k < 3 ? unit : zero, v = k < 3 ? zero : unit;
      if (!second) {
        motion_put(motion + i, k, point_move(&p, at, w, v));
        continue;
      }
      // the first box moves the other way, and everything rides with the second
      snMoved x = point_move(&p, at, v_neg(w), v_neg(v));
      x.pos = v_add(x.pos, v);
      x.normal = v_cross(w, normal);
      motion_put(motion + i, k, x);
    }
  }
  return true;
}
