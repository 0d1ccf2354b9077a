// Support functions: the only geometry that GJK, EPA and MPR know. Private to the room.
#ifndef SINEW_COLLIDE_SUPPORT_H_
#define SINEW_COLLIDE_SUPPORT_H_

#include "collide/narrow.h"
#include "model/plan_hull.h"

snVec hull_point(const snHull* hull, int vertex);

// The farthest hull vertex in direction `dir` of the mesh frame.
int support_hull(const snHull* hull, snVec dir);

// The farthest point of the core of `shape` in direction `dir` (world frame, any length). The core
// is the shape without its radius: a point for a sphere, a segment for a capsule.
// `hint` is where a hill climb starts (negative: nowhere in particular) and is set to the vertex
// found.
snVec support_core(const snShape* shape, snVec dir, int* hint);

// A point inside the shape.
snVec support_center(const snShape* shape);

// The radius around the core: the shape is the core plus a ball of this radius.
double support_radius(const snShape* shape);

// What is around the core, be it a radius or the skin of an element.
double support_around(const snShape* shape);

#endif
