// Two convex shapes without a closed formula. Private to the room.
#ifndef SINEW_COLLIDE_CONVEX_H_
#define SINEW_COLLIDE_CONVEX_H_

#include "collide/gjk.h"

// The separating axis of the last time that a pair was found apart. It only proves separation.
typedef struct snAxis_ {
  snVec axis;          // unit, from the first shape to the second
  int hint_a, hint_b;  // last support vertices of hulls
  bool known;
} snAxis;

// Rounding error of a gap, an upper bound: a gap above this proves separation.
SN_INLINE double convex_slack(const snShape* a, const snShape* b) {
  return 1e-9 * (1 + fabs(a->pos[0]) + fabs(a->pos[1]) + fabs(a->pos[2]) + fabs(b->pos[0]) +
                 fabs(b->pos[1]) + fabs(b->pos[2]));
}

// Distance of the bounding boxes beyond the margin along n, less rounding. Positive proves
// separation.
SN_INLINE double convex_boxes_gap(snVec n, const snShape* a, const snShape* b, double margin) {
  snVec na = m_mul_t(a->mat, n), nb = m_mul_t(b->mat, n);
  double gap = v_dot(n, v_sub(v_of(b->pos), v_of(a->pos)));
  gap += v_dot(nb, v_of(b->aabb)) - v_dot(na, v_of(a->aabb));
  gap -= fabs(na.x) * a->aabb[3] + fabs(na.y) * a->aabb[4] + fabs(na.z) * a->aabb[5];
  gap -= fabs(nb.x) * b->aabb[3] + fabs(nb.y) * b->aabb[4] + fabs(nb.z) * b->aabb[5];
  return gap - margin - convex_slack(a, b);
}

// Signed distance and nearest points when within the margin, by GJK and EPA whatever the flags say.
void collide_nearest(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                     double margin);

// Contacts by the pipeline that the flags choose; `memory` may be NULL.
void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin, snAxis* memory);

// The search behind a single contact once more, with all that it asked for. False where another
// search finds contacts, and where cores met that the search then treated as a whole.
bool convex_trace(const mjModel* m, const snShape* a, const snShape* b, double margin, snGjk* g,
                  snTrace* trace);

#endif
