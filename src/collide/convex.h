// Two convex shapes without a closed formula. Private to the room.
#ifndef SINEW_COLLIDE_CONVEX_H_
#define SINEW_COLLIDE_CONVEX_H_

#include "collide/gjk.h"

// What a pair remembers of the last time it was found apart. It only ever proves separation.
typedef struct snAxis_ {
  snVec axis;          // unit, from the first shape to the second
  int hint_a, hint_b;  // support vertices
  bool known;
} snAxis;

// Rounding never makes a proof of separation wrong by more than this.
SN_INLINE double convex_slack(const snShape* a, const snShape* b) {
  return 1e-9 * (1 + fabs(a->pos[0]) + fabs(a->pos[1]) + fabs(a->pos[2]) + fabs(b->pos[0]) +
                 fabs(b->pos[1]) + fabs(b->pos[2]));
}

// By how much the plane normal to n parts the bounding boxes beyond the margin, surely.
SN_INLINE double convex_boxes_gap(snVec n, const snShape* a, const snShape* b, double margin) {
  snVec na = m_mul_t(a->mat, n), nb = m_mul_t(b->mat, n);
  double gap = v_dot(n, v_sub(v_of(b->pos), v_of(a->pos)));
  gap += v_dot(nb, v_of(b->aabb)) - v_dot(na, v_of(a->aabb));
  gap -= fabs(na.x) * a->aabb[3] + fabs(na.y) * a->aabb[4] + fabs(na.z) * a->aabb[5];
  gap -= fabs(nb.x) * b->aabb[3] + fabs(nb.y) * b->aabb[4] + fabs(nb.z) * b->aabb[5];
  return gap - margin - convex_slack(a, b);
}

// The signed distance and the nearest points when within the margin, whatever the flags say.
void collide_nearest(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                     double margin);

// By the pipeline that the flags choose; `memory` may be NULL.
void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin, snAxis* memory);

#endif
