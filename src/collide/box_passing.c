// Two boxes whose axis is a cross product of edges: contacts of corners. Seen along the axis, the edges
// of the two faces need not cross; then corners of one face have contacts with the nearest points of
// the other.
//
//   corner of the reference face  within 0 <= a <= 1 or 0 <= b <= 1 of the parallelogram p + a u + b v,
//                                 with the point where a and b are clamped; w leads to that point
//   corner of the incident face   beyond one pair of sides of the reference face, with the point of
//                                 that face that is nearest in projection; beyond both pairs when no
//                                 corner of the reference face has a contact
//
// As released, a and b are of 1 / det for the first corner that has such a point, and of 1 / |w|^2 of
// the corner before for the next ones. Where edges cross, only corners inside count. Sums go in the
// released order: which corners of equal boxes side by side coincide is decided by the last bit.
#include <math.h>

#include "collide/box_corners.h"

typedef struct snPassing_ {
  snCorners* c;
  const snBoxFace* f;
  int lane;
  double half[2], inverse, margin;
  bool apart;
} snPassing;

static snVec lane_of(const sn4 v[3], int lane) { return v3(v[0][lane], v[1][lane], v[2][lane]); }

// Candidate k: midway between a point of the reference face and one of the incident face. Of boxes
// that are apart no contact is deep.
static void passing_set(const snPassing* s, int k, snVec on_r, snVec on_q, double dist) {
  snCorners* c = s->c;
  int lane = s->lane;
  c->mask[lane] &= ~(1 << k);
  if (!(dist <= s->margin) || (s->apart && dist < 0)) return;
  c->x[k][lane] = 0.5 * (on_r.x + on_q.x), c->y[k][lane] = 0.5 * (on_r.y + on_q.y);
  c->z[k][lane] = 0.5 * on_q.z;
  c->height[k][lane] = dist;
  c->mask[lane] |= 1 << k;
}

// Returns whether a corner is within the margin of its point, deep or not.
static bool passing_reference(const snPassing* s, bool crossing) {
  const snBoxFace* f = s->f;
  int lane = s->lane;
  snVec p = lane_of(f->p[0], lane), u = lane_of(f->u, lane), v = lane_of(f->v, lane);
  snVec q = lane_of(f->raw[0], lane), qu = lane_of(f->raw[1], lane), qv = lane_of(f->raw[2], lane);
  double det = u.x * v.y - u.y * v.x, scale = 1 / det;
  bool near = false;
  if (!(fabs(det) > mjMINVAL)) return false;
  for (int k = kReference; k < kIncident; k++) {
    snVec corner = v3(k & 2 ? s->half[0] : -s->half[0], k & 1 ? s->half[1] : -s->half[1], 0);
    double x = corner.x - p.x, y = corner.y - p.y;
    double a = (x * v.y - y * v.x) * scale, b = (u.x * y - u.y * x) * scale;
    bool in_a = 0 <= a && a <= 1, in_b = 0 <= b && b <= 1;
    if (crossing ? !(in_a && in_b) : !(in_a || in_b)) continue;
    a = clamp(a, 0, 1), b = clamp(b, 0, 1);
    snVec on = v_add(v_add(v_scale(q, 1 - a - b), v_scale(qu, a)), v_scale(qv, b));
    double length2 = v_norm2(v_sub(on, corner)), dist = copysign(sqrt(length2), on.z);
    passing_set(s, k, corner, on, dist);
    near |= dist <= s->margin;
    scale = 1 / length2;
  }
  return near;
}

static void passing_incident(const snPassing* s, bool beyond_both) {
  for (int i = 0; i < 4; i++) {
    snVec corner = lane_of(s->f->p[i], s->lane), raw = lane_of(s->f->raw[i], s->lane);
    bool beyond_x = fabs(corner.x) > s->half[0], beyond_y = fabs(corner.y) > s->half[1];
    if (!(beyond_x || beyond_y) || (beyond_x && beyond_y && !beyond_both)) continue;
    snVec on =
        v3(clamp(corner.x, -s->half[0], s->half[0]), clamp(corner.y, -s->half[1], s->half[1]), 0);
    corner.z *= s->inverse;
    double dist = copysign(v_norm(v_sub(corner, on)), corner.z);
    passing_set(s, kIncident + i, on, raw, dist);
  }
}

void corners_passing(snCorners* c, const snBoxFace* f, int lane, double margin, bool apart) {
  bool crossing = c->mask[lane] & ((1 << kReference) - 1);
  if (crossing && !c->enclosed[lane]) return;
  snPassing s = {.c = c,
                 .f = f,
                 .lane = lane,
                 .half = {f->half[0][lane], f->half[1][lane]},
                 .inverse = f->inverse[lane],
                 .margin = margin,
                 .apart = apart};
  bool near = passing_reference(&s, crossing);
  if (!crossing) passing_incident(&s, !near);
}
