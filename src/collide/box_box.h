// Boxes against boxes, four pairs at a time. Private to the room.
#ifndef SINEW_COLLIDE_BOX_BOX_H_
#define SINEW_COLLIDE_BOX_BOX_H_

#include "collide/narrow.h"

// Most touches of a pair.
enum { kBoxTouches = 24 };

typedef struct snBoxPair_ {
  const double *pos[2], *mat[2], *size[2];
  double margin;
} snBoxPair;

typedef struct snBoxFound_ {
  int first, n;  // touches of the pair; -1: an axis parts the boxes
  double gap;    // by how much
} snBoxFound;

// Touches of one to four pairs, as many as are returned; room for kBoxTouches each.
int boxes_touch(const snBoxPair* pair, int n, snTouch* out, snBoxFound* found);

// What is to be done when there are none: the nearest points within a margin, or how far they are
// apart.
void boxes_none(snTouchList* list, const snBoxPair* pair, const snBoxFound* found);

#endif
