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
// dh = n.ds, and the point moves with ds - dh n / 2. Where the axis is a cross product, the contact
// that matters is where an edge of each box cross (motion_edges).
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

// The free axis of the edge that a point lies on, or -1.
static int edge_at(const snShape* s, snVec p) {
  bool on[3];
  if (on_surface(s, p, on) != 2) return -1;
  return !on[0] ? 0 : !on[1] ? 1 : 2;
}

static bool edges_move(const snShape* a, const snShape* b, int code, const mjContact* con,
                       snContactMotion* motion) {
  snVec n = v_of(con->frame), at = v_of(con->pos), zero = {0, 0, 0};
  int i = (code - 6) / 3, j = (code - 6) % 3;
  if (edge_at(a, v_along(at, -0.5 * con->dist, n)) != i) return false;
  if (edge_at(b, v_along(at, 0.5 * con->dist, n)) != j) return false;
  for (int k = 0; k < 6; k++) {
    snVec unit = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    motion_put(motion, k,
               motion_edges(con, m_axis(a->mat, i), m_axis(b->mat, j), k < 3 ? unit : zero,
                            k < 3 ? zero : unit));
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
    if (!edges_move(a, b, found.code, con + i, motion + i)) return false;
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
