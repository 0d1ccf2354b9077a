// Columns of the motion of a contact, put together by motion.c and motion_box.c. Private to the
// room.
#ifndef SINEW_COLLIDE_MOTION_H_
#define SINEW_COLLIDE_MOTION_H_

#include "collide/collide.h"
#include "collide/convex.h"

// What a contact does for one unit twist of the second geom about the contact's point.
typedef struct snMoved_ {
  snVec pos, normal;
  double dist;
} snMoved;

SN_INLINE void motion_put(snContactMotion* r, int k, snMoved x) {
  r->pos[k] = x.pos.x, r->pos[6 + k] = x.pos.y, r->pos[12 + k] = x.pos.z;
  r->normal[k] = x.normal.x, r->normal[6 + k] = x.normal.y, r->normal[12 + k] = x.normal.z;
  r->dist[k] = x.dist;
}

// Two boxes: which corner, crossing of edges, corner of a face or pair of edges each contact is.
// False when one is none of these.
bool motion_boxes(const snShape* a, const snShape* b, const mjContact* con, int n, double margin,
                  snContactMotion* motion);

// The vertices of a hull within `below` of the farthest along n, in the frame of the shape, the
// first `most` of them; returns their number, at least 1.
int motion_hull_top(const snShape* s, snVec n, double below, snVec* top, int most);

// Two convex shapes that meet with curved surfaces: by the curvature of both where they touch.
// False where one is flat in a direction in which the other is flat too, and where the contact is
// not one of the exact shapes within the tolerance of the search for it. *same: the contact is the
// exact one.
bool motion_curved(const snShape* a, const snShape* b, const mjContact* con, double tolerance,
                   snContactMotion* motion, bool* same);
// Two convex shapes: the contact that GJK and EPA found, as they found it. False where they found
// another one, or by directions that have no derivative. *lost: a core is inside of the other shape,
// and the normal, the difference of two equal points, is rounding.
bool motion_search(const mjModel* m, const snShape* a, const snShape* b, double margin,
                   const mjContact* con, snContactMotion* motion, bool* lost);
// A contact of a cylinder on a plane.
void motion_rim(const snShape* plane, const snShape* cylinder, const mjContact* con,
                snContactMotion* motion);
// The exact contact of two such shapes beside one that a search found, if there is one.
void curved_polish(const snShape* a, const snShape* b, snTouch* t);

#endif
