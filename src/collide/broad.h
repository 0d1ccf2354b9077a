// The broad phase: which geom pairs the narrow phase has to look at. Private to the room.
//
//   snapshot  a copy of the model's arrays that everything below depends on, compared in every step
//   bodies    which bodies may collide, their active geoms, and the list of body pairs
//   bounds    spheres and boxes around geoms and bodies
//   travel    how far each geom has moved since the near list was made
//   list      the near list: geom pairs close to each other, and until when each of them sleeps
//   sweep     the body pairs whose boxes overlap, by sweep and prune
//
// Structure (bodies, sweep groups) is rebuilt when the snapshot differs from the model. The near
// list is rebuilt when a geom has moved farther than the reach by which its box was enlarged. Both
// only prove separation: a pair that is left out has no contact, so the broad phase changes no
// result.
//
// An active geom is one whose masks can match those of another geom. Arrays of length nactive are
// indexed by position in `bodies.active` and padded by four entries, since SIMD loads read whole
// groups of four.
#ifndef SINEW_COLLIDE_BROAD_H_
#define SINEW_COLLIDE_BROAD_H_

#include "collide/narrow.h"

struct snBroad_;

// ---- snapshot.c: programs change models between steps

enum { kPieces = 4 };

typedef struct snSnapshot_ {
  const mjModel* model;
  int64_t made;  // counts snapshots: a change of masks, types or priorities increments it
  int ngeom;
  int filterparent;
  bool midphase;
  bool callback;
  char* copy[kPieces];  // copies of ranges of the model's buffer that hold adjacent arrays
  bool override;
  double o_margin;
  bool custom;  // a collider of the user is in the table
} snSnapshot;

// Copy the arrays; false when out of memory.
bool snapshot_make(snSnapshot* s, const mjModel* m);
void snapshot_free(snSnapshot* s);
// Are the arrays that body pairs depend on unchanged?
bool snapshot_pairs_hold(const snSnapshot* s, const mjModel* m);
// The same for gaps, which depend on sizes and margins. Those have their own test: a change of size
// needs new bounds, not new body pairs.
bool snapshot_gaps_hold(const snSnapshot* s, const mjModel* m, const int* active, int nactive);
void snapshot_take_gaps(snSnapshot* s, const mjModel* m);

// ---- body_filter.c: which bodies may collide, by the documented filters

// A pair of bodies that may collide, body1 < body2, and its explicit geom pairs.
typedef struct snBodyPair_ {
  int body1, body2;
  int first, num;  // range in snBroadBodies.explicit_id
  bool dynamic;    // geoms are paired by their masks; else only explicit pairs are
} snBodyPair;

typedef struct snBroadBodies_ {
  // geoms with nonzero masks, in body order, and the first of each body
  int nactive, nmoving;
  int* active;     // geom
  int* begin;      // nbody + 1
  int* mask_type;  // nbody: a copy of body_contype; programs that edit geom_contype must update it
  int* mask_affinity;
  int* weld;         // nbody: the body it is welded to
  int* weld_parent;  // nbody: the body that the parent of `weld` is welded to
  int nbounded;      // number of bodies with bounds: those that have active geoms and are in a pair
  int* bounded;      // their ids
  int* count;        // nbody + 1: scratch

  int* explicit_id;  // explicit pairs, sorted by body pair, then in the model's order
  int* explicit_b1;
  int* explicit_b2;
  int nexplicit;
  uint64_t* excluded;  // sorted signatures of excluded body pairs
  int nexcluded;

  // body pairs, ascending: all possible ones without a sweep, else those with overlapping boxes
  snBodyPair* pair;
  int npair, pair_capacity;
} snBroadBodies;

// Filters and active geoms from the model.
void bodies_fill(struct snBroad_* b, const mjModel* m);
bool bodies_list_pairs(struct snBroad_* b, int nbody);               // false when out of memory
bool bodies_room(snBroadBodies* b, int need);                        // false when out of memory
bool bodies_push(snBroadBodies* b, snBodyPair p);                    // false when out of memory
bool bodies_excluded(const snBroadBodies* b, int body1, int body2);  // by an exclude element
// Reallocate a list to a capacity above `need`; NULL when out of memory.
void* list_grow(void* list, int* capacity, int need, size_t size);

// ---- bounds.c: spheres and boxes

typedef struct snBounds_ {
  double* r;         // nactive: bounding radius with margin; infinite for a plane
  double* extent;    // nactive x 8: box in the geom's frame (set_extent)
  double* geom_box;  // nactive x 8: box in world axes, margin included:
                     // low (4) and high (4)
  int64_t* boxed;    // nactive: the step for which geom_box was computed
  int64_t step;
  double* wide;      // nactive x 8: geom_box at the time of the near list, enlarged by its reach
  double* box;       // nbody x 8: union of `wide` over the active geoms of a body
  double* bound[6];  // nbounded: `box` by coordinate, low x, y, z and high x, y, z, for SIMD tests
} snBounds;

// Radii, boxes and levers from sizes and margins; updates the snapshot of both.
void bounds_measure(struct snBroad_* b, const mjModel* m);
// Wide boxes of the active geoms, of their bodies and of groups of bodies.
void bounds_widen(struct snBroad_* b, const mjData* d);

// ---- travel.c: how far geoms have moved

// Travel is a sum over steps. Its rounding error stays below kDoubt (travel.c) as long as the sum
// is at most kFarthest and the number of steps at most kOldest.
static const double kFarthest = 100;
enum { kOldest = 100000 };

// Travel of a geom: an upper bound on the path of any of its points since the near list was made,
// measured in a frame that moves with the mean of all geoms. The gap of two geoms shrinks by at
// most the sum of their travels.
typedef struct snTravel_ {
  double* sum;    // nactive
  double* pace;   // nactive: travel of the last step
  double* speed;  // nactive: the smaller of the last two paces
  double* doubt;  // nactive: the part of a gap that may be rounding error
  double* lever;  // nactive: largest distance of a point of the geom from its center
  double* last;   // nactive x 12: pose of the last step: x, y, z, R[8], R[0..7]
  double middle[4];
  double run;  // upper bound on the travel of any two geoms, added
} snTravel;

// Add a step; true when no geom has moved farther than its reach.
bool travel_add(struct snBroad_* b, const double* xpos, const double* xmat);

// ---- near.c: the near list

// A pair of geoms that may meet before the list is rebuilt.
typedef struct snNear_ {
  int g1, g2;
  int pair;      // explicit pair, or -1
  bool sleeps;   // a positive gap proves that the pair has no contact, so the pair may sleep
  bool boxes;    // test boxes in addition to spheres
  bool direct;   // the collider of these types is a closed formula of poses and sizes
  bool box_box;  // direct, and both geoms are boxes: goes to the batch of four pairs
  bool mid;      // a body of the pair has several geoms, so the mid phase applies
} snNear;

// The part of a near pair that every step reads. A pair found apart sleeps until its two geoms have
// moved far enough to close the gap.
typedef struct snSleep_ {
  double wake;  // travel of the two geoms, added, up to which they are certainly apart
  int a1, a2;   // active geoms; explicit pairs: nactive, a radius of infinity
} snSleep;

enum { kBlock = 16 };  // near pairs in a block, which one comparison skips while all of them sleep

// The near list, in the order of contacts. It is made with boxes enlarged by `reach` and made again
// when a geom has moved by its reach.
typedef struct snNearList_ {
  snNear* near;
  snSleep* sleep;
  int n, capacity;
  double most;    // number of geom pairs over all body pairs: an upper bound on n
  int* awake;     // capacity: the pairs that are awake in this step
  double* due;    // for each block: the value of travel.run up to which all its pairs sleep
  double* reach;  // nactive: by how much the box of a geom is enlarged
  int ahead;      // reach grows by `ahead` steps at the present speed of a geom
  int nclose;     // pairs that would be listed with half the reach
  int age;        // age of the list in steps; -1: no list
} snNearList;

// Rebuild the list; false when out of memory.
bool near_make(struct snBroad_* b, const mjModel* m, const mjData* d);
// Fill list.awake with the near pairs whose bounds overlap, and return their number. Pairs whose
// bounds do not overlap go to sleep.
int near_awake(struct snBroad_* b, const mjData* d);
void near_free(snNearList* list);

// ---- sweep.c: sweep and prune over groups, runs of bounded bodies that are adjacent in one tree

typedef struct snBodySweep_ {
  bool on, resort;
  int ngroup;
  int* group;         // ngroup + 1: where each begins in `bounded`
  double* group_box;  // ngroup x 8: bounds of a group
  int axis;
  int* order;       // groups sorted by low end along the axis; low and side are in this order
  double* low;      // ngroup: low ends along the axis
  double* side[4];  // ngroup: bounds along the other two axes: low, high, low, high
  int* found;
  uint64_t* key;  // pairs (body1 << 32 | body2), and as much memory again for sorting
  int key_capacity;
} snBodySweep;

void sweep_group(struct snBroad_* b, const mjModel* m);
// Write the body pairs whose boxes overlap to bodies.pair; false when out of memory.
bool sweep_bodies(struct snBroad_* b);

// List the boxes behind i, sorted by low end, that overlap box i: their low ends are at most `end`,
// and they overlap along the other two axes, whose bounds are `side` (low, high, low, high). Arrays
// are padded by 4.
int sweep_ahead(const double* low, double* const side[4], int n, int i, double end, int* found);
// Stable merge sort of `order` by low[stride * order[k]]; `scratch` has n entries too.
void sweep_sort(int* order, int* scratch, int n, const double* low, int stride);
// One pass of a stable counting sort by the 32 bits of the key at `shift`, which are below `most`.
// `start` has most + 1 entries.
void sweep_keys(const uint64_t* in, uint64_t* out, int n, int* start, int most, int shift);

// ---- broad.c: the whole

typedef struct snBroad_ {
  snSnapshot snapshot;
  snBroadBodies bodies;
  snBounds bounds;
  snTravel travel;
  snNearList list;
  snBodySweep sweep;
  void* block;  // owns all arrays whose sizes follow from the model
} snBroad;

// Update everything for the present model and poses; false when out of memory.
bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d);
void broad_free(snBroad* b);

SN_INLINE bool bodies_masks_meet(const snBroadBodies* b, int body1, int body2) {
  return (b->mask_type[body1] & b->mask_affinity[body2]) ||
         (b->mask_type[body2] & b->mask_affinity[body1]);
}

// May these two bodies collide by the documented filters (welded together, parent and child,
// exclude)?
SN_INLINE bool bodies_may_meet(const snBroad* b, int body1, int body2) {
  int weld1 = b->bodies.weld[body1], weld2 = b->bodies.weld[body2];
  if (weld1 == weld2) return false;
  if (b->snapshot.filterparent && weld1 && weld2) {
    if (weld1 == b->bodies.weld_parent[body2] || weld2 == b->bodies.weld_parent[body1])
      return false;
  }
  return !b->bodies.nexcluded || !bodies_excluded(&b->bodies, body1, body2);
}

// Do two boxes overlap? Each is low (4) and high (4); the fourth lanes always overlap.
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

// The travel up to which a pair that is apart by `gap` stays apart. The rounding error of the gap
// is subtracted.
SN_INLINE double near_wake(const snBroad* b, const snSleep* s, double gap) {
  return (b->travel.sum[s->a1] - b->travel.doubt[s->a1]) +
         (b->travel.sum[s->a2] - b->travel.doubt[s->a2]) + gap;
}

// Relative enlargement of boxes, more than the rounding error of the sums that compute them.
static const double kBoxRounding = 1e-12;

// The box of active geom k in world axes: center p + R c, half sizes |R| h + radius + margin.
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
