// Collision: from the poses of geoms to contacts.
//
// Input: geom_xpos, geom_xmat and the flex vertices of the kinematics; sizes, margins, masks,
// friction and solver parameters of the model. Output: mjData.contact, ncon of them in the arena,
// in the documented order (body pair by body pair, within a body pair the explicit pairs of the
// model, then geom pairs by number; the flexes of a body after its pairs; pairs of flexes last).
// constrain/ makes rows of J from the contacts. Other rooms call the documented functions
// (mj_collision, mj_geomDistance, mj_ray ...); this header declares only what those do not cover.
//
// Two words are kept apart. A touch is geometry: a point, a unit normal from the first shape to the
// second, and a signed distance, negative for penetration. A contact is a touch with a frame and
// the parameters of its pair: condim, friction, solref, solimp, margin and gap, from the explicit
// pair or mixed from the two geoms.
//
// Three phases reduce all pairs of geoms to those that touch:
//
//   broad    The model's filters (masks, parent and child, welds, excludes) run once and give body
//            pairs. Axis-aligned boxes, enlarged by a reach, give the near list: geom pairs that
//            can meet before either geom has moved by its reach. The list therefore lasts for many
//            steps. A listed pair found apart by some gap sleeps until the travel of its two geoms
//            adds up to the gap. Models with many bodies find overlapping boxes by sweep and prune.
//   mid      Boxes in the bounding volume hierarchy of a body. Only consulted where a contact
//            depends on the last bit; the near list has already tested single geoms.
//   narrow   Touches of two shapes, by one of three kinds of collider (table.c says which):
//            closed formulas for planes, spheres, capsules, boxes and some cylinders; GJK for the
//            distance and EPA for the depth of other convex shapes, or MPR when nativeccd is
//            disabled; searches for height fields (prism by prism), signed distance fields
//            (descent from many starts) and flexes (element by element).
//
// Invariants:
//   - Whatever is kept between steps (near list, sleeping pairs, last separating axis, start vertex
//     of a hill climb) either proves separation or starts a search. It cannot change a result, and
//     a pair has the same contacts with a cold cache.
//   - Programs change models between steps. A snapshot of the arrays that the caches depend on is
//     compared by memcmp in every step (snapshot.c, mixing.c).
//   - Where contacts depend on the last bit (boxes stacked by their sizes, several vertices at one
//     height) sums go in the order of the released engine.
//   - A contact is dropped only when memory runs out, with the documented warning.
//
// File by file:
//
//   driver.c         mj_collision: the phases in order; geom pairs, then flexes
//   broad.h          the broad phase as a struct of parts, one file each:
//   broad.c            memory; rebuilt when the model changes, refreshed in every step
//   snapshot.c         the arrays of the model that the broad phase was made from
//   body_filter.c      which bodies may collide; the list of body pairs
//   bounds.c           spheres and boxes around geoms and bodies
//   travel.c           how far each geom has moved since the near list was made
//   near.c             the near list; which of its pairs are awake in a step
//   sweep.c            sweep and prune over groups of bodies
//   cache.h          what the room keeps in mjData; pair_cache.c: separating axes by geom pair
//   mid.c            boxes of the bounding volume hierarchy of bodies
//   touching.c       spheres that touch to single precision: the released sweep over bodies
//   marks.c          bvh_active: the nodes that the released walk goes through, for pictures
//   narrow.h         shapes, touches and colliders; touch.c: the growing list of touches
//   table.c          mjCOLLISIONFUNC: the collider of every pair of types
//   sphere.c, plane.c, capsule_box.c, box_box.c   closed formulas
//   support.c        support functions of convex shapes, hill climbing on hulls
//   gjk.c, epa.c     distance and depth of two convex shapes; convex.c: contacts from them
//   patch.c          several contacts between two flat faces
//   mpr.c            the older algorithm; curved_normal.c: normals of curved shapes for it
//   hfield.c         height fields; prism.c: a ball against one prism of a height field
//   sdf.c            signed distance fields; sdf_search.c: their contacts by the documented search
//   flex.c           elements of flexes; flex_pairs.c, flex_tree.c: which elements, in which order
//   contact.c        contacts from touches; mixing.c: mixed parameters, cached by kind of geom
//   motion.c         how a contact moves with its bodies, for derivatives
//   distance.c       mj_geomDistance
//   ray.c            rays against closed shapes and scenes; ray_mesh.c: against triangles
//   vec.h            3-vectors by value
#ifndef SINEW_COLLIDE_COLLIDE_H_
#define SINEW_COLLIDE_COLLIDE_H_

#include "data/data.h"

// Complete a contact frame: the x axis is given and normalized; the y axis is the given one made
// orthogonal to x, or, when the given one is shorter than 1/2, the world axis y (z when |x.y| >=
// 1/2) made orthogonal to x; z = x cross y.
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

// Mark in bvh_active the nodes of bodies and flexes that collision at the present poses goes
// through, one by one, in the released engine (marks.c). Steps do not: it is for those who look.
void collide_marks(const mjModel* m, mjData* d);

#endif
