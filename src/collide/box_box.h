// Two boxes, four pairs at a time in SIMD lanes. Private to the room.
#ifndef SINEW_COLLIDE_BOX_BOX_H_
#define SINEW_COLLIDE_BOX_BOX_H_

#include "collide/narrow.h"

// Largest number of touches of a pair.
enum { kBoxTouches = 24 };

typedef struct snBoxPair_ {
  const double *pos[2], *mat[2], *size[2];
  double margin;
} snBoxPair;

typedef struct snBoxFound_ {
  int first, n;  // first touch and number of touches; n = -1: an axis separates the boxes
  double gap;    // distance along the separating axis
  int code;      // the axis: 0-2 face of the first box, 3-5 of the second, then cross products
} snBoxFound;

// Touches of one to four pairs; returns their number. `out` has room for kBoxTouches for each pair.
int boxes_touch(const snBoxPair* pair, int n, snTouch* out, snBoxFound* found);

// For a pair without touches: add the nearest points when they are within the margin, or record how
// far the boxes are apart.
void boxes_none(snTouchList* list, const snBoxPair* pair, const snBoxFound* found);

#endif
