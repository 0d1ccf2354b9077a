// The narrow phase: two posed shapes in, touches out. Private to the room.
#ifndef SINEW_COLLIDE_NARROW_H_
#define SINEW_COLLIDE_NARROW_H_

#include "collide/vec.h"
#include "data/data.h"
#include "model/plan_hull.h"

// ---- touches: what a collider finds. Parameters and frames are added by the driver.
typedef struct snTouch_ {
  double dist;    // negative when the shapes penetrate
  snVec pos;      // midway between the two surfaces
  snVec normal;   // unit, from the first shape to the second
  snVec tangent;  // wanted first tangent; zero leaves it to the frame convention
} snTouch;

// A list that grows; `failed` when there was no memory.
typedef struct snTouchList_ {
  snTouch* touch;
  int n, capacity;
  bool failed;
  bool nearest;  // wanted is the distance, whatever the margin, and not contacts
  double apart;  // when nothing touches: a bound on the distance beyond the margin; infinite when
                 // the collider has none
} snTouchList;

// What was looked at is farther away than the margin, by `gap`.
SN_INLINE void touch_miss(snTouchList* list, double gap) {
  if (gap < list->apart) list->apart = gap;
}

// Room for so many more; false when there is no memory.
bool touch_room(snTouchList* list, int more);
void touch_add(snTouchList* list, double dist, snVec pos, snVec normal);
void touch_free(snTouchList* list);

// The distance of the deepest touch.
SN_INLINE double touch_least(const snTouchList* list) {
  double least = INFINITY;
  for (int i = 0; i < list->n; i++) {
    if (list->touch[i].dist < least) least = list->touch[i].dist;
  }
  return least;
}

// ---- shapes: all that colliders know of a geom, a height field prism or a flex element
typedef struct snShape_ {
  int type;             // mjtGeom; mjGEOM_TRIANGLE is a short list of points in a skin,
                        // mjGEOM_HFIELD a prism of six points in place, three below and three above
  const double* pos;    // 3
  const double* mat;    // 9
  const double* size;   // 3, as in geom_size
  const snHull* hull;   // of a mesh
  const double* point;  // of a triangle: npoint x 3, in the frame; of a prism
  int npoint;
  double skin;         // of a triangle: its surface is so far around the points
  bool raised;         // a prism of a height field: the margin is in its height
  const double* aabb;  // center and half sizes in the frame; NULL when there is none
  double rbound;       // of a mesh: radius of its bounding sphere
} snShape;

// The nearest point of triangle abc to p.
snVec triangle_nearest(snVec a, snVec b, snVec c, snVec p);

// ---- colliders with closed formulas (first type <= second type)
void collide_plane_sphere(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_plane_capsule(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_plane_cylinder(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_plane_box(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_plane_convex(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_sphere_sphere(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_sphere_capsule(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_sphere_cylinder(snTouchList* list, const snShape* a, const snShape* b, double margin);
bool collide_ball_box(snTouchList* list, snVec center, double r, const snShape* box, double margin);
void collide_sphere_triangle(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_sphere_box(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_capsule_capsule(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_capsule_box(snTouchList* list, const snShape* a, const snShape* b, double margin);
void collide_box_box(snTouchList* list, const snShape* a, const snShape* b, double margin);

// ---- the mid phase (mid.c): whether the boxes of two geoms, or of parts of their bodies that hold
// them, are apart by more than the margin
bool mid_apart(const mjModel* m, const mjData* d, int g1, int g2, double margin);
// Of a node of a tree, by its box: of two the one of more weight is opened.
double mid_weight(const double* box);

#endif
