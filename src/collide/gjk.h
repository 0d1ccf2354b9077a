// Distance and depth of two convex shapes known by their support functions. Private to the room.
#ifndef SINEW_COLLIDE_GJK_H_
#define SINEW_COLLIDE_GJK_H_

#include "collide/support.h"

// A vertex of the Minkowski difference A - B of the two cores.
typedef struct snMink_ {
  snVec w;     // a - b
  snVec a, b;  // world points of A and B
} snMink;

typedef struct snGjk_ {
  const snShape* a;
  const snShape* b;
  int hint_a, hint_b;
  double tolerance;       // bound on the error of the distance, in units of distance
  double gap;             // positive for contacts: GJK ends when |v|^2 - v.w is below it instead
  double grow_a, grow_b;  // added to the radius of a shape that has one, to the surface of another
  bool once;              // EPA ends when a point of the second shape comes up again
  bool whole;             // a radius is part of the surface, not of the distance between cores
  int iterations;         // most support queries of GJK, again of EPA, and again of its descent
  int queries;            // how many there were

  double skin_a, skin_b;  // what of this the points of support are moved outwards by
  snMink simplex[4];
  double weight[4];  // of the simplex vertices, for the point nearest to the origin
  int n;
  snVec axis;  // last direction of separation: unit, from A to B, when the shapes are apart

  double dist;       // signed distance of the shapes, radii included
  snVec normal;      // unit, from A to B
  snVec on_a, on_b;  // witness points on the surfaces
} snGjk;

// The support point of C in direction `dir` (support.c); numbers in registers, not through memory.
void gjk_query(snGjk* g, double x, double y, double z, snMink* p);

SN_INLINE snMink gjk_support(snGjk* g, snVec dir) {
  snMink p;
  gjk_query(g, dir.x, dir.y, dir.z, &p);
  return p;
}

// The projection q of the origin on the plane of a triangle, and a normal of it, taken at another
// corner below a squared area; false when there is none.
SN_INLINE bool triangle_plane(const snVec s[3], snVec* n, snVec* q) {
  snVec corner = s[1];
  *n = v_cross(v_sub(s[2], s[1]), v_sub(s[0], s[1]));
  double norm2 = v_norm2(*n);
  if (norm2 < 1e-15) {
    corner = s[2], *n = v_cross(v_sub(s[0], s[2]), v_sub(s[1], s[2]));
    norm2 = v_norm2(*n);
  }
  if (norm2 <= 0) return false;
  *q = v_scale(*n, v_dot(*n, corner) / norm2);
  return true;
}

// The area of the triangle, and those that the point q of its plane spans with the edges across the
// vertices, seen along the coordinate in which it is largest, with `about` for the origin.
double triangle_areas(const snVec s[3], snVec q, snVec about, double part[3]);

// Signed distance of the shapes of `g`, inflated or not. True when it is at most `cutoff`, and then
// dist, normal and the witness points are set; false when it is proved larger, by `axis`.
bool gjk_distance(snGjk* g, double cutoff);

// Depth of the origin inside A - B, from the simplex that GJK ended with. Sets on_a, on_b (of the
// cores), normal and dist = -depth. False when the cores have no common interior to speak of: then
// depth is 0 and only the normal is set.
bool epa_depth(snGjk* g);

#endif
