// Distance (GJK, gjk.c) and depth (EPA, epa.c) of two convex shapes given by support functions.
// Private to the room.
//
// A shape is a core plus a ball: a sphere is a point with a radius, a capsule a segment with a
// radius, all others have radius zero. The search runs on the cores, and radii are subtracted from
// the distance afterwards, which is exact for shapes whose cores are apart.
#ifndef SINEW_COLLIDE_GJK_H_
#define SINEW_COLLIDE_GJK_H_

#include "collide/support.h"

// A vertex of the Minkowski difference A - B of the two cores.
typedef struct snMink_ {
  snVec w;     // a - b
  snVec a, b;  // world points of A and B
} snMink;

// What a search asked for, in order, for those who differentiate it (motion_search.c): a direction,
// the support point there, and the earlier support points that gave the direction. With one of them
// it points from it to the origin, with two across their line, with three across their plane;
// without, from the center of A to that of B. kSpoke + i: from two, across their line and across the
// coordinate along which it is shortest, turned about the line by i thirds. -1: by another rule.
typedef struct snQuery_ {
  snVec way;
  snMink at;
  int n, from[3];
} snQuery;

enum { kTrace = 64, kSpoke = 4 };
typedef struct snTrace_ {
  int n;     // more than kTrace: not all are here
  int next;  // of the next query: n and from
  int from[3];
  snQuery query[kTrace];
} snTrace;

void trace_from(snTrace* t, const snMink* vertex, int n);
void trace_face(snTrace* t, const snMink* vertex, const int at[3]);
void trace_spoke(snTrace* t, const snMink vertex[2], int i);
void trace_query(snTrace* t, snVec way, const snMink* p);

typedef struct snGjk_ {
  const snShape* a;
  const snShape* b;
  int hint_a, hint_b;
  double tolerance;  // bound on the error of the distance, in units of distance
  double gap;  // positive: a search for contacts, which ends when |v|^2 - v.w < gap, as released
  double grow_a, grow_b;  // inflation: added to the radius of a shape with one, else to the surface
  bool once;              // EPA ends when a support point of the second shape repeats
  bool whole;             // treat radii as part of the surface instead of subtracting them
  int iterations;         // limit of support queries in GJK, again in EPA, and again in its descent
  int queries;            // support queries made
  snTrace* trace;         // keeps them, or NULL

  double skin_a, skin_b;  // the part of the inflation that support points are moved outward by
  snMink simplex[4];
  double weight[4];  // barycentric weights of the point of the simplex nearest to the origin
  int n;
  snVec axis;  // when the shapes are apart: separating axis, unit, from A to B

  double dist;       // signed distance of the shapes, radii included
  snVec normal;      // unit, from A to B
  snVec on_a, on_b;  // witness points on the surfaces
} snGjk;

// The support point of C = A - B in a direction (support.c). Three doubles are passed in registers,
// a struct would go through memory.
void gjk_query(snGjk* g, double x, double y, double z, snMink* p);

SN_INLINE snMink gjk_support(snGjk* g, snVec dir) {
  snMink p;
  gjk_query(g, dir.x, dir.y, dir.z, &p);
  return p;
}

// Squared cross product below which a triangle's normal is taken at another corner; as released.
static const double kSlimTriangle = 1e-15;

// The projection q of the origin on the plane of a triangle, and a normal n. When |n|^2 at corner 1
// is below kSlimTriangle the normal at corner 2 is taken, as released. False for a triangle without
// area.
SN_INLINE bool triangle_plane(const snVec s[3], snVec* n, snVec* q) {
  snVec corner = s[1];
  *n = v_cross(v_sub(s[2], s[1]), v_sub(s[0], s[1]));
  double norm2 = v_norm2(*n);
  if (norm2 < kSlimTriangle) {
    corner = s[2], *n = v_cross(v_sub(s[0], s[2]), v_sub(s[1], s[2]));
    norm2 = v_norm2(*n);
  }
  if (norm2 <= 0) return false;
  *q = v_scale(*n, v_dot(*n, corner) / norm2);
  return true;
}

// Signed area of a triangle and, in part[k], of the triangle of q and the edge opposite to vertex
// k, projected along the coordinate in which the area is largest, with `about` as origin.
double triangle_areas(const snVec s[3], snVec q, snVec about, double part[3]);

// Signed distance of the shapes of `g`, inflated. True when it is at most `cutoff`: dist, normal
// and witness points are set. False when it is proved larger: `axis` separates the shapes.
bool gjk_distance(snGjk* g, double cutoff);

// Depth of the origin inside A - B, from the simplex that GJK ended with. Sets on_a, on_b (of the
// cores), normal and dist = -depth. False when A - B is flat: depth 0, and only the normal is set;
// and for contacts when the first polytope has a face through the origin: dist is infinite.
bool epa_depth(snGjk* g);

#endif
