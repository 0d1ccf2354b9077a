// How a contact moves with its two bodies: point, normal and distance by the twist of the second
// geom relative to the first.
//
// Round shapes are a core and a radius around it. Where cores touch through a point, a line or a
// face of theirs, the motion has a closed form. With q1, q2 the nearest points of the cores, n the
// normal from the first to the second and L = n.(q2 - q1), the point of the second core moves with
// dq = v + w x (q2 - p), and
//
//   the distance by         n.dq
//   the normal with a face  as that body turns
//   across a line a         a.dn = 0 for the first, a.dn = -n.(w x a) for the second body's
//   otherwise               (1 - nn') dq / L
//
// The point p is midway between the surfaces: it keeps its place on a core of which a point
// touches, and slides along lines. Boxes on boxes have points of their own (motion_box.c), what GJK
// and EPA found moves with what they asked for (motion_search.c), exact contacts of curved surfaces
// with their curvature (motion_curved.c). What is left (height fields, signed distance fields,
// capsules along each other) is run again with the second geom moved by a small difference, in six
// directions.
#include "base/lanes.h"
#include "collide/cache.h"
#include "collide/collide.h"
#include "collide/contact.h"
#include "collide/motion.h"

enum { POINT = 0, LINE, FACE, OTHER };

// The core of a geom at a contact: what touches, along what, and the radius around it.
typedef struct snCore_ {
  int feature;
  snVec axis;
  double radius;
  snVec at;    // a point of the feature,
  bool known;  // where there is one
} snCore;

// A share of the size within which a direction or a place counts as exact.
static const double kAlike = 1e-7;

static snCore core_box(const snShape* s, snVec n) {
  snVec local = m_mul_t(s->mat, n), corner = v_of(s->pos);
  int flat = 0, along = 0;
  for (int i = 0; i < 3; i++) {
    if (fabs(v_get(local, i)) < kAlike) flat++, along = i;
    corner = v_along(corner, v_get(local, i) > 0 ? s->size[i] : -s->size[i], m_axis(s->mat, i));
  }
  return (snCore){flat, m_axis(s->mat, along), 0, corner, true};
}

// Heights of four vertices along `d`.
SN_INLINE sn4 hull_heights(const snHull* hull, int i, const double d[3]) {
  return d[0] * sn4_load(hull->x + i) + d[1] * sn4_load(hull->y + i) + d[2] * sn4_load(hull->z + i);
}

SN_KERNEL static int hull_top(const snHull* hull, const double d[3], double below, snVec* top,
                              int most) {
  sn4 far4 = hull_heights(hull, 0, d);
  for (int i = 4; i < hull->npad; i += 4) far4 = sn4_max(far4, hull_heights(hull, i, d));
  double far = sn_max(sn_max(far4[0], far4[1]), sn_max(far4[2], far4[3]));
  sn4 least = sn4_set1(far - below);
  int found = 0;
  for (int i = 0; i < hull->npad && found < most; i += 4) {
    sn4i high = hull_heights(hull, i, d) >= least;
    if (!sn4_bits(high)) continue;
    for (int k = i; k < i + 4 && k < hull->nvert && found < most; k++) {
      if (high[k - i]) top[found++] = hull_point(hull, k);
    }
  }
  return found;
}

int motion_hull_top(const snShape* s, snVec n, double below, snVec* top, int most) {
  snVec local = m_mul_t(s->mat, n);
  const double d[3] = {local.x, local.y, local.z};
  SN_ASSERT(s->hull->npad % 4 == 0 && s->hull->npad >= s->hull->nvert);
  int found = hull_top(s->hull, d, below, top, most);
  SN_ASSERT(found >= 1);  // the farthest itself
  return found;
}

// The vertices of the hull that lie farthest along n: one, the two of an edge, or a face.
static snCore core_mesh(const snShape* s, snVec n) {
  enum { MOST = 16 };
  snVec top[MOST], end[2] = {{0}};
  double near = kAlike * s->rbound;
  int count = motion_hull_top(s, n, near, top, MOST), found = 0;
  for (int i = 0; i < count && found < 3; i++) {
    if (found == 1 && v_norm(v_sub(top[i], end[0])) < near) continue;
    if (found < 2) end[found] = top[i];
    found++;
  }
  snVec axis = v_sub(end[1], end[0]);
  v_normalize(&axis);
  snVec at = v_add(v_of(s->pos), m_mul(s->mat, end[0]));
  return (snCore){found - 1, m_mul(s->mat, axis), 0, at, true};
}

// `n` points out of the shape, q is the surface point of contact.
static snCore core_of(const snShape* s, snVec q, snVec n) {
  snVec axis = m_axis(s->mat, 2);
  switch (s->type) {
    case mjGEOM_PLANE:
      return (snCore){.feature = FACE, .axis = axis};
    case mjGEOM_SPHERE:
      return (snCore){.feature = POINT, .axis = axis, .radius = s->size[0]};
    case mjGEOM_CAPSULE: {
      double z = v_dot(axis, v_sub(v_along(q, -s->size[0], n), v_of(s->pos)));
      return (snCore){fabs(z) < s->size[1] * (1 - kAlike) ? LINE : POINT, axis, s->size[0],
                      v_of(s->pos), false};
    }
    case mjGEOM_CYLINDER: {
      double along = fabs(v_dot(axis, n));
      if (along > 1 - kAlike * kAlike) return (snCore){.feature = FACE, .axis = axis};
      return (snCore){.feature = along < kAlike ? LINE : OTHER, .axis = axis, .radius = s->size[0]};
    }
    case mjGEOM_BOX:
      return core_box(s, n);
    case mjGEOM_MESH:
      return s->hull ? core_mesh(s, n) : (snCore){.feature = OTHER, .axis = axis};
    default:
      return (snCore){.feature = OTHER, .axis = axis};
  }
}

typedef struct snFeatures_ {
  snCore a, b;
  snVec n, p, q2;
  double L, half1, half2;  // along n: q1 to q2, q1 to p, p to q2
} snFeatures;

// Along the lines of both: (x1 a1 - x2 a2) = dq - dL n - L dn in the tangent plane.
static snVec slide_first(const snFeatures* f, snVec dq, double dist, snVec dn) {
  snVec rest = v_along(v_along(dq, -dist, f->n), -f->L, dn);
  snVec e = v_cross(f->n, f->b.axis);  // across the second line
  double scale = v_dot(e, f->a.axis);
  return v_scale(f->a.axis, v_dot(e, rest) / scale);
}

static snMoved feature_move(const snFeatures* f, snVec w, snVec v) {
  snVec n = f->n, dq = v_add(v, v_cross(w, v_sub(f->q2, f->p))), dn = {0, 0, 0};
  int a = f->a.feature, b = f->b.feature;
  if (b == FACE) {
    dn = v_cross(w, n);
  } else if (a == LINE && b == LINE) {
    snVec e = v_cross(n, f->a.axis);
    dn = v_scale(e, -v_dot(n, v_cross(w, f->b.axis)) / v_dot(e, f->b.axis));
  } else if (a == LINE || b == LINE) {
    snVec axis = a == LINE ? f->a.axis : f->b.axis, e = v_cross(n, axis);
    dn = v_scale(e, v_dot(e, dq) / f->L);
    if (b == LINE) dn = v_along(dn, -v_dot(n, v_cross(w, axis)), axis);
  } else if (a == POINT && b == POINT) {
    dn = v_scale(v_along(dq, -v_dot(n, dq), n), 1 / f->L);
  }
  snMoved r = {.normal = dn, .dist = v_dot(n, dq)};
  if (b == POINT && a != POINT) {
    r.pos = v_along(v_along(dq, -f->half2, dn), -0.5 * r.dist, n);
  } else {
    r.pos = v_along(v_scale(dn, f->half1), 0.5 * r.dist, n);
    if (a == LINE && b == LINE) r.pos = v_add(r.pos, slide_first(f, dq, r.dist, dn));
  }
  return r;
}

static void motion_features(const snFeatures* f, snContactMotion* motion) {
  for (int k = 0; k < 6; k++) {
    snVec unit = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), zero = {0, 0, 0};
    motion_put(motion, k, feature_move(f, k < 3 ? unit : zero, k < 3 ? zero : unit));
  }
}

// A search that ended with other points than those of the features it met leaves nothing to
// differentiate in closed form.
static bool core_holds(const snCore* c, const snShape* s, snVec q, snVec n) {
  if (!c->known || c->feature == OTHER) return true;
  snVec off = v_sub(q, c->at);
  if (c->feature == LINE) off = v_along(off, -v_dot(off, c->axis), c->axis);
  if (c->feature == FACE) off = v_scale(n, v_dot(off, n));
  return v_norm(off) < kAlike * 10 * s->rbound;
}

// True when the pair of features has a closed form.
static bool features_meet(const mjContact* con, snFeatures* f) {
  f->n = v_of(con->frame);
  f->p = v_of(con->pos);
  f->half1 = f->a.radius + 0.5 * con->dist;
  f->half2 = f->b.radius + 0.5 * con->dist;
  f->L = f->half1 + f->half2;
  f->q2 = v_along(f->p, f->half2, f->n);
  int x = f->a.feature, y = f->b.feature;
  if (x == OTHER || y == OTHER) return false;
  if (x == FACE || y == FACE) return x == POINT || y == POINT;
  if (x == LINE && y == LINE) return fabs(v_dot(f->n, v_cross(f->a.axis, f->b.axis))) > 1e-6;
  return fabs(f->L) > mjMINVAL;
}

// By what is farthest along the normal.
static bool features_of(const snShape* a, const snShape* b, const mjContact* con, snFeatures* f) {
  snVec n = v_of(con->frame), p = v_of(con->pos);
  snVec s1 = v_along(p, -0.5 * con->dist, n), s2 = v_along(p, 0.5 * con->dist, n);
  // a plane meets corners, whatever else is level with them
  bool corner = b->type == mjGEOM_BOX || b->type == mjGEOM_MESH || b->type == mjGEOM_CAPSULE;
  if (a->type == mjGEOM_PLANE && corner) {
    f->a = (snCore){.feature = FACE, .axis = n};
    f->b = (snCore){.feature = POINT, .radius = b->type == mjGEOM_CAPSULE ? b->size[0] : 0};
    return features_meet(con, f);
  }
  f->a = core_of(a, s1, n);
  f->b = core_of(b, s2, v_neg(n));
  if (a->type != mjGEOM_PLANE &&
      !(core_holds(&f->a, a, s1, n) && core_holds(&f->b, b, s2, v_neg(n)))) {
    return false;
  }
  return features_meet(con, f);
}

// ---- differences

static const double kStep = 1e-6;

static bool is_curved(int type) { return type == mjGEOM_ELLIPSOID || type == mjGEOM_CYLINDER; }

static double pair_margin(const mjModel* m, int g1, int g2) {
  for (int i = 0; i < m->npair; i++) {
    int a = m->pair_geom1[i], b = m->pair_geom2[i];
    if ((a == g1 && b == g2) || (a == g2 && b == g1)) return contact_margin(m, i, g1, g2);
  }
  return contact_margin(m, -1, g1, g2);
}

// The second geom turned and moved about a point by a small twist.
static void geom_move(mjData* d, int geom, snVec about, int k, double step) {
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double *pos = d->geom_xpos + 3 * geom, *mat = d->geom_xmat + 9 * geom;
  if (k >= 3) {
    pos[k - 3] += step;
    return;
  }
  double quat[4], turn[9], r[3] = {pos[0] - about.x, pos[1] - about.y, pos[2] - about.z};
  quat_from_axis_angle(quat, unit[k], step);
  quat_to_mat(turn, quat);
  quat_rotate(r, r, quat);
  mat3_mul(mat, turn, mat);
  v_store(pos, v_add(about, v_of(r)));
}

// A touch counts as the same contact within this many steps of its point, and when its distance
// changed by at most so many steps: the distance of two shapes changes no faster than they move.
static const double kSamePoint = 1e3, kSameDistance = 4;

// What is nearest to each contact among the touches of the pair moved by `step` about a point;
// where there is nothing near, the contact itself.
static void touches_match(const snTouchList* list, const mjContact* con, int n, snVec about,
                          double step, snTouch* out, bool* found) {
  for (int i = 0; i < n; i++) {
    double best = kSamePoint * step;
    double most = kSameDistance * step * (1 + v_norm(v_sub(v_of(con[i].pos), about)));
    found[i] = false;
    out[i] = (snTouch){con[i].dist, v_of(con[i].pos), v_of(con[i].frame), {0, 0, 0}};
    for (int k = 0; k < list->n; k++) {
      double far = v_norm(v_sub(list->touch[k].pos, v_of(con[i].pos)));
      if (far >= best || fabs(list->touch[k].dist - con[i].dist) > most) continue;
      best = far, out[i] = list->touch[k], found[i] = true;
    }
    v_normalize(&out[i].normal);
  }
}

static snMoved motion_get(const snContactMotion* r, int k) {
  return (snMoved){v3(r->pos[k], r->pos[6 + k], r->pos[12 + k]),
                   v3(r->normal[k], r->normal[6 + k], r->normal[12 + k]), r->dist[k]};
}

// Twists about the first contact's point to twists about each one's own.
static void motions_about(snContactMotion* motion, const mjContact* con, int n) {
  for (int i = 1; i < n; i++) {
    snVec arm = v_sub(v_of(con[0].pos), v_of(con[i].pos));
    for (int k = 0; k < 3; k++) {
      snVec unit = v3(k == 0, k == 1, k == 2), swing = v_cross(unit, arm);
      snMoved x = motion_get(motion + i, k);
      for (int c = 0; c < 3; c++) {
        snMoved y = motion_get(motion + i, 3 + c);
        double s = v_get(swing, c);
        x.pos = v_along(x.pos, s, y.pos);
        x.normal = v_along(x.normal, s, y.normal);
        x.dist += s * y.dist;
      }
      motion_put(motion + i, k, x);
    }
  }
}

// Do the two sides lie evenly about the contact? A search that ends elsewhere jumps.
static bool sides_even(const mjContact* con, const snTouch* minus, const snTouch* plus,
                       double step) {
  static const double kEven = 0.02;
  snVec pos = v_of(con->pos), normal = v_of(con->frame);
  snVec to = v_sub(plus->pos, pos), from = v_sub(pos, minus->pos);
  snVec on = v_sub(plus->normal, normal), off = v_sub(normal, minus->normal);
  double bend = fmax(v_norm(v_sub(to, from)), v_norm(v_sub(on, off)));
  bend = fmax(bend, fabs(plus->dist - 2 * con->dist + minus->dist));
  return bend < kEven * (step + fmax(v_norm(to), v_norm(on)));
}

// Of a contact that nothing follows the distance moves with the second geom, the rest not.
static void motion_ride(const mjContact* con, int k, snContactMotion* motion) {
  motion_put(motion, k, (snMoved){{0, 0, 0}, {0, 0, 0}, k < 3 ? 0 : con->frame[k - 3]});
}

// The pair with its second geom moved by a step along a direction, both ways: what is nearest to
// each contact, and whether anything is near (2 n each).
static void sides_run(const mjModel* m, mjData* d, const mjContact* con, int n, int k, double step,
                      snTouchList* list, snTouch* side, bool* found) {
  int g1 = con->geom[0], g2 = con->geom[1];
  double pos[3], mat[9], margin = pair_margin(m, g1, g2);
  memcpy(pos, d->geom_xpos + 3 * g2, sizeof pos);
  memcpy(mat, d->geom_xmat + 9 * g2, sizeof mat);
  for (int s = 0; s < 2; s++) {
    geom_move(d, g2, v_of(con[0].pos), k, s ? step : -step);
    list->n = 0;
    list->apart = INFINITY;
    collide_geoms(m, d, list, g1, g2, margin, NULL);
    memcpy(d->geom_xpos + 3 * g2, pos, sizeof pos);
    memcpy(d->geom_xmat + 9 * g2, mat, sizeof mat);
    touches_match(list, con, n, v_of(con[0].pos), step, side + s * n, found + s * n);
  }
}

// Does a search go the same way a step aside, in the direction that turns the normal most?
static bool search_holds(const mjModel* m, mjData* d, const mjContact* con, double step,
                         const snContactMotion* motion) {
  snTouchList list = {0};
  snTouch side[2];
  bool found[2];
  double most = -1;
  int along = 0;
  for (int k = 0; k < 6; k++) {
    double turn = v_norm(motion_get(motion, k).normal);
    if (turn > most) most = turn, along = k;
  }
  sides_run(m, d, con, 1, along, step, &list, side, found);
  touch_free(&list);
  return found[0] && found[1] && sides_even(con, side, side + 1, step);
}

// A contact that is gone on one side is differenced on the other; one that is gone on both, or
// whose distance jumps, is at a switch and taken as riding on the first geom. False when there was
// one. With `even` it gives up where a search jumps.
static bool motion_differences(const mjModel* m, mjData* d, const mjContact* con, int n,
                               double step, bool even, snContactMotion* motion) {
  snTouchList list = {0};
  snTouch* side = memory_alloc(sizeof(snTouch) * 2 * (size_t)n);
  bool *found = memory_alloc(sizeof(bool) * 8 * (size_t)n), *lost = found + 2 * (size_t)n;
  bool all = side && found;
  if (!all) n = 0;
  // translations first: a search that jumps mostly does so along one of them
  for (int order = 0; order < 6 && n; order++) {
    int k = (order + 3) % 6;
    sides_run(m, d, con, n, k, step, &list, side, found);
    for (int i = 0; i < n; i++) {
      const snTouch *minus = side + i, *plus = side + n + i;
      int sides = found[i] + found[n + i];
      double scale = 1 / ((sides ? sides : 1) * step);
      snMoved x = {v_scale(v_sub(plus->pos, minus->pos), scale),
                   v_scale(v_sub(plus->normal, minus->normal), scale),
                   (plus->dist - minus->dist) * scale};
      lost[6 * i + k] = !sides;
      all &= sides > 0;
      if (even) all &= sides == 2 && sides_even(con + i, minus, plus, step);
      motion_put(motion + i, k, x);
    }
    if (even && !all) n = 0;
  }
  motions_about(motion, con, n);
  for (int i = 0; i < 6 * n; i++) {
    if (lost[i]) motion_ride(con + i / 6, i % 6, motion + i / 6);
  }
  touch_free(&list);
  memory_free(side);
  memory_free(found);
  return all;
}

int collide_motion(const mjModel* m, mjData* d, const mjContact* con, int n,
                   snContactMotion* motion) {
  int g1 = con->geom[0], g2 = con->geom[1];
  snShape a = shape_geom(m, d, g1), b = shape_geom(m, d, g2);
  bool rim = a.type == mjGEOM_PLANE && b.type == mjGEOM_CYLINDER;
  bool many = (m->opt.enableflags & mjENBL_MULTICCD) != 0 && n > 1 && !rim;
  bool boxes = a.type == mjGEOM_BOX && b.type == mjGEOM_BOX;
  bool closed = !boxes && !many && b.type != mjGEOM_SDF && a.type != mjGEOM_HFIELD;
  bool curved = closed && n == 1 && (is_curved(a.type) || is_curved(b.type)) && !rim;
  bool searched = closed && n == 1 && collide_remembers(a.type, b.type);
  snFeatures f;
  for (int i = 0; i < n; i++) {
    motion[i].rides = a.type == mjGEOM_PLANE && b.type == mjGEOM_CAPSULE;
    v_store(motion[i].hint, m_axis(b.mat, 2));
    if (rim) motion_rim(&a, &b, con + i, motion + i);
    closed = closed && !curved && (rim || features_of(&a, &b, con + i, &f));
    if (closed && !rim) motion_features(&f, motion + i);
  }
  if (closed) return COLLIDE_CLOSED;
  bool lost = false, same = false, polished = curved && m->opt.ccd_tolerance == 0;
  double margin = pair_margin(m, g1, g2);
  if (searched && !polished && motion_search(m, &a, &b, margin, con, motion, &lost)) {
    // about the axis of a capsule a search comes near a curved surface in many small steps, and
    // mostly jumps
    bool jumpy = curved && support_radius(&a) > 0;
    if (!jumpy || search_holds(m, d, con, kStep, motion)) return COLLIDE_CLOSED;
  }
  for (int k = 0; lost && k < 6; k++) motion_ride(con, k, motion);
  if (lost) return COLLIDE_SWITCH;
  if (boxes && motion_boxes(&a, &b, con, n, margin, motion)) return COLLIDE_CLOSED;
  snContactMotion exact = *motion;
  if (curved) curved = motion_curved(&a, &b, con, m->opt.ccd_tolerance, &exact, &same);
  if (!curved) {
    bool found = motion_differences(m, d, con, n, kStep, false, motion);
    return found ? COLLIDE_DIFFERENCED : COLLIDE_SWITCH;
  }
  // where a search stopped short of the exact contact, what it found is differentiated, unless it
  // jumps however little the pair moves
  for (double step = 10 * kStep; !same && step > 0.05 * kStep; step *= 0.1) {
    if (motion_differences(m, d, con, n, step, true, motion)) return COLLIDE_DIFFERENCED;
  }
  *motion = exact;
  return COLLIDE_CLOSED;
}
