// The broad phase: which geom pairs are worth a closer look. Private to the room.
#ifndef SINEW_COLLIDE_BROAD_H_
#define SINEW_COLLIDE_BROAD_H_

#include "collide/narrow.h"

// A pair of bodies that may collide, body1 < body2, and its explicit geom pairs.
typedef struct snBodyPair_ {
  int body1, body2;
  int first, num;  // range in snBroad.explicit_id
  bool dynamic;    // geoms are paired by their masks; else only explicit pairs are
} snBodyPair;

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

enum { kPieces = 6 };  // of the snapshot
enum { kBlock = 16 };  // near pairs that are passed over together

// Everything the broad phase keeps between steps, and where it keeps it. Structure follows the
// model; masks and flags are compared with a snapshot at every step.
typedef struct snBroad_ {
  // snapshot
  const mjModel* model;
  int ngeom;
  int filterparent;
  bool midphase;
  bool callback;
  char* copy[kPieces];  // of arrays of the geoms, in pieces that stand side by side in the model
  int64_t mixing;       // counts changes of those that contacts take their parameters from
  int64_t mixed;        // the step at which they were last compared
  bool override;
  double o_margin;
  bool custom;  // a collider of the user is in the table

  // geoms that may collide by masks, in body order, and where each body's begin
  int nactive;
  int* active;     // geom
  int* begin;      // nbody + 1
  int* mask_type;  // nbody: body_contype, which a program that changes geom_contype keeps up
  int* mask_affinity;
  int* weld;         // nbody: the body it is welded to
  int* weld_parent;  // nbody: the body that one's parent is welded to
  double* r;         // of active geoms: bounding radius with margin; a plane is everywhere
  double* lever;     // of active geoms: how far a turn moves their points
  double* extent;    // nactive x 8: their boxes, each in its own frame
  double* geom_box;  // nactive x 8: bounds of an active geom in world axes, margin included:
                     // low (4) and high (4)
  int64_t* boxed;    // nactive: the step that geom_box is of
  int64_t step;

  // How far any point of an active geom has moved since the list was made, seen from a frame that
  // goes with all of them: what two geoms have moved, added, bounds how much nearer they are.
  double* travel;  // nactive
  double* pace;    // nactive: the same in the last step
  double* speed;   // nactive: the lesser of the last two
  double* doubt;   // nactive: what of a gap may be rounding
  double* last;    // nactive x 12: position and orientation of the last step
  double middle[4];
  int nmoving;

  // geom pairs near each other, in order of contacts. They are found with wider boxes, and again
  // only when a geom has moved by what they are wider; what is not listed is apart, so the list
  // changes no result.
  snNear* near;
  snSleep* sleep;
  int nnear, near_capacity;
  double most;    // what the list may grow to
  int* awake;     // near_capacity: those to look at in this step
  double run;     // what two geoms have moved, added, at most, since the list was made
  double* due;    // of each block of near pairs: the run up to which all of them sleep
  double* wide;   // nactive x 8: the bounds when the list was made, and some room
  double* box;    // nbody x 8: those of all active geoms of a body
  double* reach;  // nactive: by which they are wider
  int ahead;      // steps at the present speed that this makes room for
  int nclose;     // pairs that a list with half the room would have
  int age;        // steps that the list has lasted; -1: there is none

  // body pairs in order; all of them for small models, those found by sweep and prune for large
  snBodyPair* pair;
  int npair, pair_capacity;
  int nbounded;  // bodies whose bounds are kept
  int* bounded;  // those bodies
  int* count;    // nbody + 1: scratch

  // the sweep, over groups of bounded bodies that follow each other in a tree
  bool sweep, resort;
  int ngroup;
  int* group;         // ngroup + 1: where each begins in `bounded`
  double* group_box;  // ngroup x 8: bounds of a group
  double* bound[6];   // nbounded: bounds of bodies, low and high
  int axis;
  int* order;       // groups along the axis; the same order have
  double* low;      // low ends along the axis
  double* side[4];  // bounds along the other two axes
  int* found;
  uint64_t* key;  // pairs (body1, body2), and as much room again to sort them
  int key_capacity;

  int* explicit_id;  // npair explicit pairs, sorted by bodies, then as in the model
  int* explicit_b1;
  int* explicit_b2;
  int nexplicit;
  uint64_t* excluded;  // sorted signatures of excluded body pairs
  int nexcluded;

  void* block[4];  // owned memory: numbers, lists, the snapshot
} snBroad;

// Bring the snapshot, the bounds and the list of near pairs up to date. False when there is no
// memory.
bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d);
void broad_free(snBroad* b);

// Room for so many body pairs; false when there is no memory.
bool broad_pair_room(snBroad* b, int need);

// Append a body pair; false when there is no memory.
bool broad_push(snBroad* b, snBodyPair p);

// Find the body pairs whose boxes overlap, in b->pair.
bool broad_sweep(snBroad* b);

// ---- steps of a sweep (sweep.c), for boxes of any things
// Boxes after i, in order of their low ends, that overlap its own: they begin before `end` and meet
// along the other two axes, whose bounds are `side` (low, high, low, high). Arrays are padded by 4.
int sweep_ahead(const double* low, double* const side[4], int n, int i, double end, int* found);
// Order things by low[stride i]; as much scratch.
void sweep_sort(int* order, int* scratch, int n, const double* low, int stride);
// One pass of a counting sort, stable, by the half of the key that `shift` brings down, which is
// below `most`. `start` has room for one more.
void sweep_keys(const uint64_t* in, uint64_t* out, int n, int* start, int most, int shift);

SN_INLINE bool broad_masks_meet(const snBroad* b, int body1, int body2) {
  return (b->mask_type[body1] & b->mask_affinity[body2]) ||
         (b->mask_type[body2] & b->mask_affinity[body1]);
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
SN_INLINE double broad_wake(const snBroad* b, const snSleep* s, double gap) {
  return (b->travel[s->a1] - b->doubt[s->a1]) + (b->travel[s->a2] - b->doubt[s->a2]) + gap;
}

// List in b->awake, and count, the near pairs whose geoms may touch: those that do not sleep and
// whose bounds meet. Others go to sleep.
int broad_awake(snBroad* b, const mjData* d);

bool broad_excluded(const snBroad* b, int body1, int body2);  // by name, in the model

// May these two bodies collide by the documented filters (same weld, parent and child, exclude)?
SN_INLINE bool broad_bodies_may(const snBroad* b, int body1, int body2) {
  int weld1 = b->weld[body1], weld2 = b->weld[body2];
  if (weld1 == weld2) return false;
  if (b->filterparent && weld1 && weld2) {
    if (weld1 == b->weld_parent[body2] || weld2 == b->weld_parent[body1]) return false;
  }
  return !b->nexcluded || !broad_excluded(b, body1, body2);
}

// A number that changes with any that contacts take their parameters from. They are compared with
// the snapshot once in a step, when there is a contact.
int64_t broad_mixing(snBroad* b, const mjModel* m);

#endif
