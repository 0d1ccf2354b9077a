// Contacts of two convex shapes: the nearest or deepest point by GJK and EPA.
#include "collide/convex.h"

#include "collide/patch.h"

// Does the plane normal to the remembered axis still part the shapes by more than the margin?
static bool convex_apart(snAxis* memory, const snShape* a, const snShape* b, double margin) {
  snVec n = memory->axis;
  snVec pa = support_core(a, n, &memory->hint_a), pb = support_core(b, v_neg(n), &memory->hint_b);
  double gap = v_dot(n, v_sub(pb, pa)) - support_radius(a) - support_radius(b);
  return gap > margin + convex_slack(a, b);
}

void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin, snAxis* memory) {
  if (memory && memory->known && convex_apart(memory, a, b, margin)) return;
  snGjk g = {.a = a, .b = b, .hint_a = -1, .hint_b = -1, .tolerance = m->opt.ccd_tolerance,
             .iterations = m->opt.ccd_iterations};
  if (!gjk_distance(&g, margin)) {
    if (memory) *memory = (snAxis){g.axis, g.hint_a, g.hint_b, true};
    return;
  }
  if ((m->opt.enableflags & mjENBL_MULTICCD) && collide_patch(list, &g)) return;
  touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
}
