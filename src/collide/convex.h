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

// Is the pair proved apart by what it remembers?
bool convex_apart(snAxis* memory, const snShape* a, const snShape* b, double margin);

// `memory` may be NULL.
void collide_convex(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                    double margin, snAxis* memory);

#endif
