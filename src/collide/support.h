// Support functions: the only geometry that GJK, EPA and MPR use. Private to the room.
#ifndef SINEW_COLLIDE_SUPPORT_H_
#define SINEW_COLLIDE_SUPPORT_H_

#include "collide/narrow.h"
#include "model/plan_hull.h"

snVec hull_point(const snHull* hull, int vertex);

// The hull vertex farthest in direction `dir` of the mesh frame.
int support_hull(const snHull* hull, snVec dir);

// The same for a mesh on a plane; of several vertices at one height the released one.
int support_lowest(const snHull* hull, snVec dir);

// The point of the core of `shape` farthest in direction `dir` (world frame, any length). The core
// is the shape without its radius: a point for a sphere, a segment for a capsule. A hill climb on a
// hull starts at vertex *hint (negative: at a vertex chosen by direction), which is set to the
// vertex found.
snVec support_core(const snShape* shape, snVec dir, int* hint);

// A point inside the shape.
snVec support_center(const snShape* shape);

// The radius of the shape: the shape is its core plus a ball of this radius.
double support_radius(const snShape* shape);

// Radius plus skin: the distance of the surface from the core.
double support_around(const snShape* shape);

#endif
