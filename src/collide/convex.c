// Contacts of two convex shapes: the nearest or deepest point by GJK and EPA, or by MPR when
// `nativeccd` is disabled.
#include "collide/convex.h"

#include "collide/mpr.h"
#include "collide/patch.h"

// Does the plane normal to the remembered axis still part the shapes by more than the margin?
static bool convex_apart(snAxis* memory, const snShape* a, const snShape* b, double margin) {
  snVec n = memory->axis;
  snVec pa = support_core(a, n, &memory->hint_a), pb = support_core(b, v_neg(n), &memory->hint_b);
  double gap = v_dot(n, v_sub(pb, pa)) - support_radius(a) - support_radius(b);
  return gap > margin + convex_slack(a, b);
}

// Is the shape the hull of a list of points?
static bool pointed(const snShape* s) {
  return s->type == mjGEOM_BOX || s->type == mjGEOM_MESH ||
         (s->type == mjGEOM_TRIANGLE && s->radius <= 0);
}

// The signed distance and the nearest points, to within the tolerance.
static void convex_nearest(snTouchList* list, snGjk* g, double margin) {
  if (gjk_distance(g, margin)) {
    touch_add(list, g->dist, v_scale(v_add(g->on_a, g->on_b), 0.5), g->normal);
  }
}

void collide_gjk(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                 double margin, snAxis* memory) {
  snGjk g = {.a = a,
             .b = b,
             .hint_a = -1,
             .hint_b = -1,
             .tolerance = m->opt.ccd_tolerance,
             .iterations = m->opt.ccd_iterations};
  if (list->nearest) {
    convex_nearest(list, &g, margin);
    return;
  }
  snGjk begin = g;
  // half of the margin around either shape, so that shapes within it overlap
  g.inflate = 0.5 * margin;
  g.gap = 0.5 * g.tolerance * g.tolerance;
  // between points the search ends by itself
  if (margin == 0 && pointed(a) && pointed(b)) g.tolerance = 0;
  if (!gjk_distance(&g, 0)) {
    if (memory) *memory = (snAxis){g.axis, g.hint_a, g.hint_b, true};
    return;
  }
  if (memory) memory->known = false;
  double ra = support_radius(a), rb = support_radius(b);
  double radius = (ra > 0 ? ra + g.inflate : 0) + (rb > 0 ? rb + g.inflate : 0);
  if (radius > 0 && g.dist <= -radius) {
    // the core of a ball or capsule is in the other shape, or within half the margin of it
    g = begin;
    convex_nearest(list, &g, margin);
    return;
  }
  g.dist += margin;
  // shapes that meet to rounding, as bodies placed by their sizes do, do not touch yet
  if (margin == 0 && g.dist > -1e-14) return;
  if ((m->opt.enableflags & mjENBL_MULTICCD) && collide_patch(list, &g)) return;
  touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
}

void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin, snAxis* memory) {
  if (memory && memory->known && convex_apart(memory, a, b, margin)) return;
  // patches are made from the nearest features, which a portal does not have
  if (!(m->opt.disableflags & mjDSBL_NATIVECCD) || (m->opt.enableflags & mjENBL_MULTICCD)) {
    collide_gjk(m, list, a, b, margin, memory);
    return;
  }
  snTouch touch;
  if (mpr_contact(m, a, b, margin, &touch)) touch_add(list, touch.dist, touch.pos, touch.normal);
}
