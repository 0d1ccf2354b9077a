// The broad phase: which geom pairs are worth a closer look. Private to the room.
//
//   snapshot  what of the model everything below was made from; compared at every step
//   bodies    which bodies may collide, which of their geoms, and the list of such pairs
//   bounds    spheres and boxes around geoms and bodies
//   travel    how far geoms have moved since the near list was made
//   list      the geom pairs near each other, and up to when each of them sleeps
//   sweep     the body pairs whose boxes overlap, by sweep and prune
//
// Structure follows the model and is made when the snapshot no longer holds; the near list is made
// when a geom has moved by what its boxes have room for. All of it proves separation only: a pair
// that is left out has no contact, so the broad phase changes no result.
#ifndef SINEW_COLLIDE_BROAD_H_
#define SINEW_COLLIDE_BROAD_H_

#include "collide/narrow.h"

struct snBroad_;

// ---- snapshot.c: users change models between steps

enum { kPieces = 4 };

typedef struct snSnapshot_ {
  const mjModel* model;
  int64_t made;  // counts snapshots: changes with what pairs depend on
  int ngeom;
  int filterparent;
  bool midphase;
  bool callback;
  char* copy[kPieces];  // of arrays of the model, in pieces that stand side by side in its buffer
  bool override;
  double o_margin;
  bool custom;  // a collider of the user is in the table
} snSnapshot;

// Take the snapshot; false without memory.
bool snapshot_make(snSnapshot* s, const mjModel* m);
void snapshot_free(snSnapshot* s);
// Does all hold that pairs depend on?
bool snapshot_pairs_hold(const snSnapshot* s, const mjModel* m);
// The same for gaps: sizes and margins. They are taken apart from the rest, for they change nothing
// but bounds.
bool snapshot_gaps_hold(const snSnapshot* s, const mjModel* m);
void snapshot_take_gaps(snSnapshot* s, const mjModel* m);

// ---- bodies.c: which bodies may collide, by the documented filters

// A pair of bodies that may collide, body1 < body2, and its explicit geom pairs.
typedef struct snBodyPair_ {
  int body1, body2;
  int first, num;  // range in snBroadBodies.explicit_id
  bool dynamic;    // geoms are paired by their masks; else only explicit pairs are
} snBodyPair;

typedef struct snBroadBodies_ {
  // geoms that may collide by masks, in body order, and where each body's begin
  int nactive, nmoving;
  int* active;     // geom
  int* begin;      // nbody + 1
  int* mask_type;  // nbody: body_contype, which a program that changes geom_contype keeps up
  int* mask_affinity;
  int* weld;         // nbody: the body it is welded to
  int* weld_parent;  // nbody: the body that one's parent is welded to
  int nbounded;      // bodies whose bounds are kept
  int* bounded;      // those bodies
  int* count;        // nbody + 1: scratch

  int* explicit_id;  // npair explicit pairs, sorted by bodies, then as in the model
  int* explicit_b1;
  int* explicit_b2;
  int nexplicit;
  uint64_t* excluded;  // sorted signatures of excluded body pairs
  int nexcluded;

  // body pairs in order; all of them for small models, those found by the sweep for large
  snBodyPair* pair;
  int npair, pair_capacity;
} snBroadBodies;

// Filters and active geoms of the model, and the list of all pairs unless there is a sweep.
void bodies_fill(struct snBroad_* b, const mjModel* m);
bool bodies_list_pairs(struct snBroad_* b, int nbody);  // false without memory
bool bodies_room(snBroadBodies* b, int need);           // for so many pairs; false without memory
bool bodies_push(snBroadBodies* b, snBodyPair p);       // append; false without memory
bool bodies_excluded(const snBroadBodies* b, int body1, int body2);  // by name, in the model
// A list with room for more than `need` entries; NULL without memory.
void* list_grow(void* list, int* capacity, int need, size_t size);

// ---- bounds.c: spheres and boxes

typedef struct snBounds_ {
  double* r;         // of active geoms: bounding radius with margin; a plane is everywhere
  double* extent;    // nactive x 8: their boxes, each in its own frame
  double* geom_box;  // nactive x 8: bounds of an active geom in world axes, margin included:
                     // low (4) and high (4)
  int64_t* boxed;    // nactive: the step that geom_box is of
  int64_t step;
  double* wide;      // nactive x 8: the bounds when the near list was made, and some room
  double* box;       // nbody x 8: those of all active geoms of a body
  double* bound[6];  // nbounded: the same by coordinate, low and high
} snBounds;

// What gaps depend on besides the poses: take it down, and what follows from it.
void bounds_measure(struct snBroad_* b, const mjModel* m);
// Wide boxes of the active geoms, of their bodies and of groups of bodies.
void bounds_widen(struct snBroad_* b, const mjData* d);

// ---- travel.c: how far geoms have moved

// What geoms have moved since the near list was made is a sum over steps. Its rounding stays below
// what a gap is in doubt by as long as neither the sum nor the steps are more than these.
static const double kFarthest = 100;
enum { kOldest = 100000 };

// How far any point of an active geom has moved since the near list was made, seen from a frame
// that goes with all of them: what two geoms have moved, added, bounds how much nearer they are.
typedef struct snTravel_ {
  double* sum;    // nactive
  double* pace;   // nactive: the same in the last step
  double* speed;  // nactive: the lesser of the last two
  double* doubt;  // nactive: what of a gap may be rounding
  double* lever;  // nactive: how far a turn moves the points of a geom
  double* last;   // nactive x 12: position and orientation of the last step
  double middle[4];
  double run;  // what two geoms have moved, added, at most
} snTravel;

// Add a step; true when no geom has moved farther than the near list has room for.
bool travel_add(struct snBroad_* b, const double* xpos, const double* xmat);

// ---- near.c: the near list

// A pair of geoms that may meet before either has moved farther than the list has room for.
typedef struct snNear_ {
  int g1, g2;
  int pair;      // explicit pair, or -1
  bool sleeps;   // a gap proves that there is no contact
  bool boxes;    // the boxes are worth a test
  bool direct;   // touches come from a formula for these types
  bool box_box;  // two boxes, and direct
  bool mid;      // the mid phase has boxes of parts of their bodies
} snNear;

// What is looked at in every step, of every near pair: found apart, it sleeps until the two have
// moved far enough to close the gap.
typedef struct snSleep_ {
  double wake;  // travel of the two, added, up to which they are apart
  int a1, a2;   // active geoms; of an explicit pair the one behind the last, which is everywhere
} snSleep;

enum { kBlock = 16 };  // near pairs that are passed over together

// Geom pairs near each other, in order of contacts. They are found with wider boxes, and again only
// when a geom has moved by what they are wider.
typedef struct snNearList_ {
  snNear* near;
  snSleep* sleep;
  int n, capacity;
  double most;    // what the list may grow to
  int* awake;     // capacity: those to look at in this step
  double* due;    // of each block of near pairs: the run up to which all of them sleep
  double* reach;  // nactive: by which boxes are wider
  int ahead;      // steps at the present speed that this makes room for
  int nclose;     // pairs that a list with half the room would have
  int age;        // steps that the list has lasted; -1: there is none
} snNearList;

// Make the list anew; false without memory.
bool near_make(struct snBroad_* b, const mjModel* m, const mjData* d);
// List in list.awake, and count, the near pairs whose geoms may touch: those that do not sleep and
// whose bounds meet. Others go to sleep.
int near_awake(struct snBroad_* b, const mjData* d);
void near_free(snNearList* list);

// ---- sweep.c: sweep and prune, over groups of bounded bodies that follow each other in a tree

typedef struct snBodySweep_ {
  bool on, resort;
  int ngroup;
  int* group;         // ngroup + 1: where each begins in `bounded`
  double* group_box;  // ngroup x 8: bounds of a group
  int axis;
  int* order;       // groups along the axis; the same order have
  double* low;      // low ends along the axis
  double* side[4];  // bounds along the other two axes
  int* found;
  uint64_t* key;  // pairs (body1, body2), and as much room again to sort them
  int key_capacity;
} snBodySweep;

void sweep_group(struct snBroad_* b, const mjModel* m);
// Find the body pairs whose boxes overlap, in bodies.pair; false without memory.
bool sweep_bodies(struct snBroad_* b);

// Boxes after i, in order of their low ends, that overlap its own: they begin before `end` and meet
// along the other two axes, whose bounds are `side` (low, high, low, high). Arrays are padded by 4.
int sweep_ahead(const double* low, double* const side[4], int n, int i, double end, int* found);
// Order things by low[stride i]; as much scratch.
void sweep_sort(int* order, int* scratch, int n, const double* low, int stride);
// One pass of a counting sort, stable, by the half of the key that `shift` brings down, which is
// below `most`. `start` has room for one more.
void sweep_keys(const uint64_t* in, uint64_t* out, int n, int* start, int most, int shift);

// ---- broad.c: all of it

typedef struct snBroad_ {
  snSnapshot snapshot;
  snBroadBodies bodies;
  snBounds bounds;
  snTravel travel;
  snNearList list;
  snBodySweep sweep;
  void* block;  // of the arrays whose sizes follow from the model
} snBroad;

// Bring everything up to date with model and poses; false without memory.
bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d);
void broad_free(snBroad* b);

SN_INLINE bool bodies_masks_meet(const snBroadBodies* b, int body1, int body2) {
  return (b->mask_type[body1] & b->mask_affinity[body2]) ||
         (b->mask_type[body2] & b->mask_affinity[body1]);
}

// May these two bodies collide by the documented filters (same weld, parent and child, exclude)?
SN_INLINE bool bodies_may_meet(const snBroad* b, int body1, int body2) {
  int weld1 = b->bodies.weld[body1], weld2 = b->bodies.weld[body2];
  if (weld1 == weld2) return false;
  if (b->snapshot.filterparent && weld1 && weld2) {
    if (weld1 == b->bodies.weld_parent[body2] || weld2 == b->bodies.weld_parent[body1])
      return false;
  }
  return !b->bodies.nexcluded || !bodies_excluded(&b->bodies, body1, body2);
}

// Do two boxes overlap? Low and high have four numbers, the last of which always do.
SN_INLINE bool boxes_meet(const double* i, const double* j) {
  return sn4_bits((sn4_load(i) <= sn4_load(j + 4)) & (sn4_load(j) <= sn4_load(i + 4))) == 15;
}

// The distance of two boxes, 0 when they overlap.
SN_INLINE double bounds_gap(const double* i, const double* j) {
  sn4 side = sn4_max(sn4_load(i) - sn4_load(j + 4), sn4_load(j) - sn4_load(i + 4));
  side = sn4_max(side, sn4_set1(0));
  side *= side;
  return sqrt(side[0] + side[1] + side[2]);
}

// The travel up to which a pair that is apart by `gap` stays so. Rounding is left out of it.
SN_INLINE double near_wake(const snBroad* b, const snSleep* s, double gap) {
  return (b->travel.sum[s->a1] - b->travel.doubt[s->a1]) +
         (b->travel.sum[s->a2] - b->travel.doubt[s->a2]) + gap;
}

// Boxes are wider by more than their sums round.
static const double kBoxRounding = 1e-12;

// The box of active geom k in world axes: |R| half, and a radius.
SN_INLINE void bounds_box(snBroad* b, const mjData* d, int k) {
  int g = b->bodies.active[k];
  const double *extent = b->bounds.extent + 8 * k, *R = d->geom_xmat + 9 * g;
  sn4 c0 = {R[0], R[3], R[6], 0}, c1 = {R[1], R[4], R[7], 0}, c2 = {R[2], R[5], R[8], 0};
  sn4 center =
      sn4_load_part(d->geom_xpos + 3 * g, 3) + (c0 * extent[0] + c1 * extent[1] + c2 * extent[2]);
  sn4 reach = sn4_abs(c0) * extent[3] + sn4_abs(c1) * extent[4] + sn4_abs(c2) * extent[5];
  reach = (reach + extent[6]) * (1 + kBoxRounding) + extent[7];
  sn4_store(b->bounds.geom_box + 8 * k, center - reach);
  sn4_store(b->bounds.geom_box + 8 * k + 4, center + reach);
}

#endif
