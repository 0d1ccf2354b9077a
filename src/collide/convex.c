// Contacts of two convex shapes known by their support functions: one touch at the nearest or
// deepest points by GJK and EPA, or by MPR when `nativeccd` is disabled; with `multiccd` several
// touches.
//
// A margin inflates each shape by half of it, so that shapes within the margin overlap and EPA
// gives a normal; the margin is added to the distance afterwards. Results follow the released
// engine to its tolerance ccd_tolerance, including where its iteration stops.
//
// A point on each of two faces that lie on each other wanders about them, and friction that holds
// (constrain/anchor.c) would hold it everywhere but there: models that ask for it have contacts all
// around where shapes lie on each other (patch.c).
#include "collide/convex.h"

#include "collide/collide.h"
#include "collide/motion.h"
#include "collide/mpr.h"
#include "collide/patch.h"

// Least depth of a contact between polytopes: more than the poses of stacked bodies round.
static const double kFlatDepth = 1e-14;

// Contacts of a rotated pair closer than this share of the smaller radius count as one.
static const double kSpread = 1e-3;

// Distance of the shapes beyond the margin along the remembered axis, less rounding. Positive
// proves separation.
static double convex_gap(snAxis* memory, const snShape* a, const snShape* b, double margin) {
  snVec n = memory->axis;
  snVec pa = support_core(a, n, &memory->hint_a), pb = support_core(b, v_neg(n), &memory->hint_b);
  double gap = v_dot(n, v_sub(pb, pa)) - support_around(a) - support_around(b);
  return gap - margin - convex_slack(a, b);
}

// Is the shape a polytope, so that GJK and EPA end exactly?
static bool pointed(const snShape* s) {
  return s->type == mjGEOM_BOX || s->type == mjGEOM_MESH || s->type == mjGEOM_HFIELD ||
         (s->type == mjGEOM_TRIANGLE && s->skin <= 0);
}

static snTouch touch_of(const snGjk* g) {
  return (snTouch){g->dist, v_scale(v_add(g->on_a, g->on_b), 0.5), g->normal, {0, 0, 0}};
}

// Set the inputs of a search. snGjk is large, and the other members are set by the search, so the
// struct is not cleared.
static void gjk_begin(const mjModel* m, snGjk* g, const snShape* a, const snShape* b) {
  g->a = a, g->b = b;
  g->hint_a = g->hint_b = -1;
  g->tolerance = m->opt.ccd_tolerance;
  g->gap = 0;
  g->grow_a = a->skin, g->grow_b = b->skin;
  g->once = g->whole = false;
  g->iterations = m->opt.ccd_iterations;
  g->queries = 0;
  g->trace = NULL;
}

// Nearest points for mj_geomDistance. Shapes apart: the search with the stop rule of contacts,
// which ends where the released one does; at its tolerance the witness points of curved shapes may
// be off by a thousand times the tolerance. Shapes that overlap, or a search that gave up: the
// exact stop rule.
void collide_nearest(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                     double margin) {
  snGjk g;
  gjk_begin(m, &g, a, b);
  g.gap = 0.5 * g.tolerance * g.tolerance;
  bool found = gjk_distance(&g, margin);
  bool cored = support_radius(a) > 0 || support_radius(b) > 0;
  bool apart = found && g.n < 4 && !g.whole && (g.dist > 0 || cored);
  if (!apart) {
    gjk_begin(m, &g, a, b);
    if (!gjk_distance(&g, margin)) return;
  }
  snTouch t = touch_of(&g);
  touch_add(list, t.dist, t.pos, t.normal);
}

// The contact of two shapes by GJK and EPA; false when there is none.
static bool convex_gjk(snGjk* g, double margin, snAxis* memory) {
  // half of the margin around each shape, so that shapes within the margin overlap
  bool raised = g->a->raised;
  if (!raised) g->grow_a += 0.5 * margin;
  g->grow_b += 0.5 * margin;
  g->gap = 0.5 * g->tolerance * g->tolerance;
  // two polytopes: the search ends exactly
  if (margin == 0 && pointed(g->a) && pointed(g->b)) g->tolerance = 0;
  g->once = g->tolerance == 0 && g->a->type == mjGEOM_HFIELD;
  if (!gjk_distance(g, 0)) {
    if (memory) *memory = (snAxis){g->axis, g->hint_a, g->hint_b, true};
    return false;
  }
  if (memory) memory->known = false;
  // the released normal is the difference of the witness points, with their rounding
  snVec through = v_sub(g->on_a, g->on_b);
  double length = v_norm(through);
  g->normal = length < mjMINVAL ? v3(1, 0, 0) : v_scale(through, 1 / length);
  if (!raised) g->dist += margin;
  // polytopes that meet to within rounding, as bodies placed by their sizes do, have no contact;
  // curved shapes have one
  return margin > 0 || g->dist <= (pointed(g->a) && pointed(g->b) ? -kFlatDepth : 0);
}

bool convex_trace(const mjModel* m, const snShape* a, const snShape* b, double margin, snGjk* g,
                  snTrace* trace) {
  bool multi = (m->opt.enableflags & mjENBL_MULTICCD) != 0;
  if ((m->opt.disableflags & mjDSBL_NATIVECCD) || multi) return false;
  gjk_begin(m, g, a, b);
  g->trace = trace;
  return convex_gjk(g, margin, NULL) && !g->whole && trace->n <= kTrace;
}

// The pose of a shape rotated about a point by a quaternion.
typedef struct snTurned_ {
  double pos[3], mat[9];
} snTurned;

static snShape shape_turned(const snShape* s, snTurned* t, snVec about, const double turn[4]) {
  double R[9];
  mju_quat2Mat(R, turn);
  mju_mulMatMat(t->mat, R, s->mat, 3, 3, 3);
  v_store(t->pos, v_add(about, m_mul(R, v_sub(v_of(s->pos), about))));
  snShape shape = *s;
  shape.pos = t->pos;
  shape.mat = t->mat;
  return shape;
}

// Types that can touch along a line or a disk.
static bool level(const snShape* s) {
  return s->type == mjGEOM_CAPSULE || s->type == mjGEOM_CYLINDER || s->type == mjGEOM_BOX ||
         s->type == mjGEOM_MESH;
}

// multiccd for shapes that are not both polytopes, which may touch along a line or a disk. Both
// shapes are rotated by a small angle about the contact, in opposite directions, about either
// tangent and with either sign. The deepest point of the rotated shapes, when it is away from the
// contacts found so far, is a further contact with the depth of the first.
static void convex_turn(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                        double margin, snTouch base, bool native) {
  static const double kCosine = 0.9999998750000026, kSine = 0.0004999999791666669;  // of 5e-4
  double frame[9] = {base.normal.x, base.normal.y, base.normal.z};
  collide_frame(frame);
  int first = list->n - 1;
  double apart = kSpread * fmin(a->rbound, b->rbound);
  for (int k = 0; k < 4 && !list->failed; k++) {
    snVec axis = v_of(frame + 3 + 3 * (k / 2));
    double sine = k % 2 ? kSine : -kSine;
    const double turn[4] = {kCosine, sine * axis.x, sine * axis.y, sine * axis.z};
    const double back[4] = {turn[0], -turn[1], -turn[2], -turn[3]};
    snTurned ta, tb;
    snShape sa = shape_turned(a, &ta, base.pos, turn), sb = shape_turned(b, &tb, base.pos, back);
    snTouch t;
    if (native) {
      snGjk g;
      gjk_begin(m, &g, &sa, &sb);
      if (!convex_gjk(&g, margin, NULL)) continue;
      t = touch_of(&g);
    } else if (!mpr_contact(m, &sa, &sb, margin, &t)) {
      continue;
    }
    bool close = false;
    for (int i = first; i < list->n && !close; i++) {
      close = v_norm(v_sub(t.pos, list->touch[i].pos)) <= apart;
    }
    if (!close) touch_add(list, base.dist, t.pos, t.normal);
  }
}

void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin, snAxis* memory) {
  if (memory && memory->known) {
    double gap = convex_gap(memory, a, b, margin);
    if (gap > 0) {
      touch_miss(list, gap);
      return;
    }
  }
  if (list->nearest) {
    collide_nearest(m, list, a, b, margin);
    return;
  }
  bool native = !(m->opt.disableflags & mjDSBL_NATIVECCD);
  bool whole = list->whole && level(a) && level(b);
  bool multi = !whole && (m->opt.enableflags & mjENBL_MULTICCD) != 0;
  snTouch t;
  if (native) {
    snGjk g;
    gjk_begin(m, &g, a, b);
    if (!convex_gjk(&g, margin, memory)) return;
    if (multi && margin == 0 && collide_patch(list, &g)) return;
    t = touch_of(&g);
    if ((m->opt.ccd_tolerance == 0 || list->whole) && !multi) curved_polish(a, b, &t);
  } else if (!mpr_contact(m, a, b, margin, &t)) {
    return;
  }
  if (whole && collide_lying(list, a, b, margin, &t)) return;
  touch_add(list, t.dist, t.pos, t.normal);
  bool flat = native && margin == 0 && pointed(a) && pointed(b);
  if (multi && !flat && level(a) && level(b) && !list->failed) {
    convex_turn(m, list, a, b, margin, t, native);
  }
}
