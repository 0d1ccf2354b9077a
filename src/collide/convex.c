// Contacts of two convex shapes: the nearest or deepest point by GJK and EPA.
#include "collide/convex.h"

void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin) {
  snGjk g = {.a = a, .b = b, .tolerance = m->opt.ccd_tolerance,
             .iterations = m->opt.ccd_iterations};
  if (!gjk_distance(&g, margin)) return;
  touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
}
