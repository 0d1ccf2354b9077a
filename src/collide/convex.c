// Contacts of two convex shapes: the nearest or deepest point by GJK and EPA.
#include "collide/convex.h"

// Rounding never makes a proof of separation wrong by more than this, relative to the coordinates.
static const double kSlack = 1e-9;

// Does the plane normal to the remembered axis still part the shapes by more than the margin? First
// by their boxes, then by the shapes themselves.
bool convex_apart(snAxis* memory, const snShape* a, const snShape* b, double margin) {
  snVec n = memory->axis;
  double limit = margin + kSlack * (1 + v_norm(v_of(a->pos)) + v_norm(v_of(b->pos)));
  if (a->aabb && b->aabb) {
    snVec na = m_mul_t(a->mat, n), nb = m_mul_t(b->mat, n);
    double gap = v_dot(n, v_sub(v_of(b->pos), v_of(a->pos)));
    gap += v_dot(nb, v_of(b->aabb)) - v_dot(na, v_of(a->aabb));
    gap -= fabs(na.x) * a->aabb[3] + fabs(na.y) * a->aabb[4] + fabs(na.z) * a->aabb[5];
    gap -= fabs(nb.x) * b->aabb[3] + fabs(nb.y) * b->aabb[4] + fabs(nb.z) * b->aabb[5];
    if (gap > limit) return true;
  }
  snVec pa = support_core(a, n, &memory->hint_a), pb = support_core(b, v_neg(n), &memory->hint_b);
  return v_dot(n, v_sub(pb, pa)) - support_radius(a) - support_radius(b) > limit;
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
  touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
}
