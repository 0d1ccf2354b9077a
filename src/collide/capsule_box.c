// A capsule against a box: the capsule's ball nearest to the box, and a second one where the axis
// runs along a face or an edge.
#include "collide/narrow.h"

bool collide_ball_box(snTouchList* list, snVec center, double r, const snShape* box,
                      double margin);

void collide_capsule_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec axis = m_axis(a->mat, 2), center = v_of(a->pos);
  for (int end = 0; end < 2; end++) {
    collide_ball_box(list, v_along(center, end ? a->size[1] : -a->size[1], axis), a->size[0], b,
                     margin);
  }
}
