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

// Vertices of a hull that lie farthest along a direction: one, the two ends of an edge, or three
// and more of a face.
typedef struct snExtreme_ {
  int feature;  // 0: a vertex, 1: an edge, 2: a face
  snVec point;  // the first vertex found, in the frame of the world
  snVec axis;   // along the edge, or from the first to the second vertex of the face
} snExtreme;

// Vertices within `alike` of the bounding radius count as equally far.
snExtreme motion_extreme(const snShape* s, snVec n, double alike);

// Two straight edges along a and b that cross at a contact, for one twist about its point.
snMoved motion_edges(const mjContact* con, snVec a, snVec b, snVec w, snVec v);

// Two boxes: which corner, crossing of edges, corner of a face or pair of edges each contact is.
// False when one is none of these.
bool motion_boxes(const snShape* a, const snShape* b, const mjContact* con, int n, double margin,
                  snContactMotion* motion);

// Two convex shapes that meet with curved surfaces: by the curvature of both where they touch.
// False where one is flat in a direction in which the other is flat too.
bool motion_curved(const snShape* a, const snShape* b, const mjContact* con,
                   snContactMotion* motion);

#endif
