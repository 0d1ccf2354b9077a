// Contacts of two convex shapes: the nearest or deepest point by GJK and EPA, or by MPR when
// `nativeccd` is disabled.
#include "collide/convex.h"

#include "collide/collide.h"
#include "collide/mpr.h"
#include "collide/patch.h"

// By how much the plane normal to the remembered axis parts the shapes beyond the margin, surely.
static double convex_gap(snAxis* memory, const snShape* a, const snShape* b, double margin) {
  snVec n = memory->axis;
  snVec pa = support_core(a, n, &memory->hint_a), pb = support_core(b, v_neg(n), &memory->hint_b);
  double gap = v_dot(n, v_sub(pb, pa)) - support_around(a) - support_around(b);
  return gap - margin - convex_slack(a, b);
}

// Is the shape the hull of a list of points?
static bool pointed(const snShape* s) {
  return s->type == mjGEOM_BOX || s->type == mjGEOM_MESH || s->type == mjGEOM_HFIELD ||
         (s->type == mjGEOM_TRIANGLE && s->skin <= 0);
}

static snTouch touch_of(const snGjk* g) {
  return (snTouch){g->dist, v_scale(v_add(g->on_a, g->on_b), 0.5), g->normal, {0, 0, 0}};
}

// What a search is given; the rest of its struct is large, and set as it goes.
static void gjk_begin(const mjModel* m, snGjk* g, const snShape* a, const snShape* b) {
  g->a = a, g->b = b;
  g->hint_a = g->hint_b = -1;
  g->tolerance = m->opt.ccd_tolerance;
  g->gap = 0;
  g->grow_a = a->skin, g->grow_b = b->skin;
  g->once = g->whole = false;
  g->iterations = m->opt.ccd_iterations;
  g->queries = 0;
}

// Shapes apart: the search of contacts, which ends where the released one does; at its tolerance
// the points of curved shapes may be off by a thousand times as much. Shapes that overlap, and what
// that search gives up: the exact one.
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

// The contact of two shapes; false when there is none.
static bool convex_gjk(snGjk* g, double margin, snAxis* memory) {
  // half of the margin around either shape, so that shapes within it overlap
  bool raised = g->a->raised;
  if (!raised) g->grow_a += 0.5 * margin;
  g->grow_b += 0.5 * margin;
  g->gap = 0.5 * g->tolerance * g->tolerance;
  // between points the search ends by itself
  if (margin == 0 && pointed(g->a) && pointed(g->b)) g->tolerance = 0;
  g->once = g->tolerance == 0 && g->a->type == mjGEOM_HFIELD;
  if (!gjk_distance(g, 0)) {
    if (memory) *memory = (snAxis){g->axis, g->hint_a, g->hint_b, true};
    return false;
  }
  if (memory) memory->known = false;
  // the released normal is that of the points, which rounds as they do
  snVec through = v_sub(g->on_a, g->on_b);
  double length = v_norm(through);
  if (length > 1e-9) g->normal = v_scale(through, 1 / length);
  if (!raised) g->dist += margin;
  // flat shapes that meet to rounding, as bodies placed by their sizes do, do not touch yet; round
  // ones do
  bool curved = support_radius(g->a) > 0 || support_radius(g->b) > 0 ||
                (g->a->type == mjGEOM_ELLIPSOID && g->b->type == mjGEOM_MESH);
  return margin > 0 || g->dist <= (curved ? 0 : -1e-14);
}

// The pose of a shape turned about a point: R = I + sin K + (1 - cos) K^2, K v = axis x v.
typedef struct snTurned_ {
  double pos[3], mat[9];
} snTurned;

static snShape shape_turned(const snShape* s, snTurned* t, snVec about, snVec axis, double sine) {
  double cosine = sqrt(1 - sine * sine);
  for (int i = 0; i < 4; i++) {
    snVec v = i < 3 ? m_axis(s->mat, i) : v_sub(v_of(s->pos), about);
    snVec cross = v_cross(axis, v);
    snVec turned = v_along(v_along(v, sine, cross), 1 - cosine, v_cross(axis, cross));
    if (i < 3)
      t->mat[i] = turned.x, t->mat[3 + i] = turned.y, t->mat[6 + i] = turned.z;
    else
      v_store(t->pos, v_add(about, turned));
  }
  snShape shape = *s;
  shape.pos = t->pos;
  shape.mat = t->mat;
  return shape;
}

static bool level(const snShape* s) {
  return s->type == mjGEOM_CAPSULE || s->type == mjGEOM_CYLINDER || s->type == mjGEOM_BOX ||
         s->type == mjGEOM_MESH;
}

// Shapes that are not all points may touch along a line or a disk. Both are turned by a hair about
// the contact, one against the other, about either tangent and either way; what is then deepest and
// away from the contacts there are is one more, at the depth of the first.
static void convex_turn(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                        double margin, snTouch base, bool native) {
  static const double kSine = 0.00099999983333334168;  // of 1e-3
  double frame[9] = {base.normal.x, base.normal.y, base.normal.z};
  collide_frame(frame);
  int first = list->n - 1;
  double apart = 1e-3 * fmin(a->rbound, b->rbound);
  for (int k = 0; k < 4 && !list->failed; k++) {
    snVec axis = v_of(frame + 3 + 3 * (k / 2));
    double sine = k % 2 ? kSine : -kSine;
    snTurned ta, tb;
    snShape sa = shape_turned(a, &ta, base.pos, axis, sine);
    snShape sb = shape_turned(b, &tb, base.pos, axis, -sine);
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
  bool multi = (m->opt.enableflags & mjENBL_MULTICCD) != 0;
  snTouch t;
  if (native) {
    snGjk g;
    gjk_begin(m, &g, a, b);
    if (!convex_gjk(&g, margin, memory)) return;
    if (multi && collide_patch(list, &g)) return;
    t = touch_of(&g);
  } else if (!mpr_contact(m, a, b, margin, &t)) {
    return;
  }
  touch_add(list, t.dist, t.pos, t.normal);
  bool flat = native && pointed(a) && pointed(b);
  if (multi && !flat && level(a) && level(b) && !list->failed) {
    convex_turn(m, list, a, b, margin, t, native);
  }
}
