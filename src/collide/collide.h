// Collision: from posed geoms to contacts. The rooms above call the documented functions
// (mj_collision, mj_geomDistance, mj_ray ...); this header holds what those do not cover.
//
// Three phases narrow all pairs of geoms down to those that touch:
//
//   broad   which geom pairs are worth a look: filters of the model, once; then bounds. A list of
//           pairs near each other lasts for many steps, in which a pair found apart sleeps until
//           its geoms have moved far enough to close the gap
//   mid     boxes of parts of bodies and meshes, in trees
//   narrow  touches of two shapes: a formula for primitives, GJK and EPA for convex ones, searches
//           for height fields and signed distance fields
//
// Whatever is remembered from step to step (a near list, a separating axis, a hull vertex to start
// from) only ever proves separation or starts a search, so it cannot change a result. And since
// programs change models between steps, what lists were made from is compared with a copy first.
//
//   driver.c      mj_collision: the phases in order, contacts by body pair, explicit pairs first
//   broad.h       the broad phase: broad.c made and refreshed; snapshot.c what it was made from;
//                 bodies.c filters and pairs; bounds.c spheres and boxes; travel.c how far geoms
//                 have moved; near.c the near list; sweep.c sweep and prune for many bodies
//   pair_cache.c  what a geom pair remembers: its last separating axis
//   mid.c         boxes of bodies' parts
//   narrow.h      shapes and touches; table.c which collider for which types
//   sphere.c, plane.c, capsule_box.c, box_box.c          primitives
//   convex.c, support.c, gjk.c, epa.c, patch.c, mpr.c    convex shapes; normal.c their normals
//   hfield.c, prism.c, sdf.c, sdf_search.c               height fields, signed distance fields
//   flex.c, flex_pairs.c                                 elements of flexes
//   contact.c     contacts from touches: frame and parameters; mixing.c what two geoms mix to
//   motion.c      how a contact moves with its bodies, for derivatives
//   distance.c    mj_geomDistance;  ray.c, ray_mesh.c  rays
//
// A touch is a point, a normal and a distance; a contact is a touch with parameters: friction,
// solref, solimp and margin, of the explicit pair or mixed from the two geoms. Contacts become rows
// in constrain/.
#ifndef SINEW_COLLIDE_COLLIDE_H_
#define SINEW_COLLIDE_COLLIDE_H_

#include "data/data.h"

// Complete a contact frame: the x axis is given and made unit; the y axis is the given one made
// orthogonal, or, when it is shorter than 1/2, the world axis y (z when x leans to y by 1/2 or
// more) made orthogonal; z = x cross y.
void collide_frame(mjtNum frame[9]);

// How a contact moves (motion.c): columns for the twist (w, v at the contact's point) of the second
// geom's body relative to the first's. Matrices are row-major, 3 x 6.
typedef struct snContactMotion_ {
  mjtNum pos[18], normal[18], dist[6];
  bool rides;  // the wanted tangent is an axis `hint` of the second geom
  mjtNum hint[3];
} snContactMotion;

// Has a program put colliders of its own into mjCOLLISIONFUNC?
bool collide_custom(void);

enum { COLLIDE_CLOSED = 0, COLLIDE_DIFFERENCED, COLLIDE_SWITCH };

// Of the n contacts from con on, all of one pair of geoms. How it was found: COLLIDE_SWITCH when a
// contact is gone as soon as the pair moves, either way.
int collide_motion(const mjModel* m, mjData* d, const mjContact* con, int n,
                   snContactMotion* motion);

#endif
