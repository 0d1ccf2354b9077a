// The narrow phase: two posed shapes in, touches out. Private to the room.
//
// A collider appends to a list every touch whose distance is at most the margin, or, when it finds
// none, records a lower bound on the distance beyond the margin (touch_miss), for which the pair
// may sleep. Colliders know nothing of bodies, masks and parameters.
#ifndef SINEW_COLLIDE_NARROW_H_
#define SINEW_COLLIDE_NARROW_H_

#include "collide/vec.h"
#include "data/data.h"
#include "model/plan_hull.h"

// ---- touches: what a collider finds; the driver adds frame and parameters
typedef struct snTouch_ {
  double dist;    // negative when the shapes penetrate
  snVec pos;      // midway between the two witness points
  snVec normal;   // unit, from the first shape to the second
  snVec tangent;  // preferred first tangent; zero: as collide_frame chooses
} snTouch;

// A growing list of touches; `failed` when memory ran out.
typedef struct snTouchList_ {
  snTouch* touch;
  int n, capacity;
  bool failed;
  bool nearest;  // the caller wants the distance (mj_geomDistance), not contacts
  bool
      whole;  // flat contact has points all around, as friction that holds needs (plane.c, convex.c)
  double apart;  // lower bound on the distance beyond the margin; infinite when unknown
} snTouchList;

// A feature is farther away than the margin, by `gap`: lower the bound on the distance.
SN_INLINE void touch_miss(snTouchList* list, double gap) {
  if (gap < list->apart) list->apart = gap;
}

// Room for `more` touches; false when out of memory.
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

// ---- shapes: a geom, a prism of a height field or a flex element, as colliders see it
typedef struct snShape_ {
  int type;            // mjtGeom; mjGEOM_TRIANGLE: the hull of up to four points, inflated by skin;
                       // mjGEOM_HFIELD a prism of six points in place, three below and three above
  const double* pos;   // 3
  const double* mat;   // 9
  const double* size;  // 3, as in geom_size
  const snHull* hull;  // of a mesh
  const double* point;  // npoint x 3: vertices of a triangle, in the frame; six vertices of a prism
  int npoint;
  double skin;         // of a triangle: radius of the ball that inflates it
  bool raised;         // of a prism: its height already contains the margin
  const double* aabb;  // center and half sizes in the frame; NULL when there is none
  double rbound;       // radius of the bounding sphere
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

// ---- the mid phase (mid.c)
// Are the boxes of two geoms, or boxes of their bodies' hierarchies that contain them, farther
// apart than the margin?
bool mid_apart(const mjModel* m, const mjData* d, int g1, int g2, double margin);
// A frame; center and half sizes of a box in it.
typedef struct snMidBox_ {
  const double *pos, *mat, *box;
} snMidBox;
// Does a face of one of two boxes separate them by more than the margin?
bool mid_boxes_apart(const snMidBox b[2], double margin);
// The measure of a hierarchy node by its box; of two nodes the larger is opened.
double mid_weight(const double* box);

#endif
