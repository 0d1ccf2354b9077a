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

// Everything the broad phase keeps between steps, and where it keeps it. Structure follows the
// model; masks and flags are compared with a snapshot at every step.
typedef struct snBroad_ {
  // snapshot
  const mjModel* model;
  int ngeom;
  int* contype;      // ngeom
  int* conaffinity;  // ngeom
  int filterparent;
  bool callback;

  // geoms that may collide by masks, in body order, and where each body's begin
  int nactive;
  int* active;     // geom
  int* begin;      // nbody + 1
  int* mask_type;  // nbody: contype of the active geoms, or-ed
  int* mask_affinity;
  double* x;  // of active geoms: center and radius with margin, refreshed every step
  double* y;
  double* z;
  double* r;
  double* geom_box;  // nactive x 8: bounds of an active geom in world axes, margin included
  double* box;       // nbody x 8: bounds of the active geoms in world axes, low (4) and high (4)

  // body pairs in order; all of them for small models, those found by sweep and prune for large
  snBodyPair* pair;
  int npair, pair_capacity;
  bool sweep, resort;
  int axis;     // of the sweep
  int nmoving;  // bodies with active geoms, sorted along the sweep axis
  int* order;
  int* count;          // nbody + 1
  snBodyPair* sorted;  // scratch of the sort
  int sorted_capacity;
  double* key;      // low ends along the axis, in sweep order
  double* side[4];  // bounds along the other two axes, in sweep order
  int* found;

  int* explicit_id;  // npair explicit pairs, sorted by bodies, then as in the model
  int* explicit_b1;
  int* explicit_b2;
  int nexplicit;
  uint64_t* excluded;  // sorted signatures of excluded body pairs
  int nexcluded;

  int* hit;  // near geoms of the body pair at hand: (active1, active2), in order
  int hit_capacity;

  void* block[4];  // owned memory
} snBroad;

// Bring the snapshot up to date and find the body pairs whose bounds overlap, in b->pair. False
// when there is no memory.
bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d);
void broad_free(snBroad* b);

// Do two boxes (low, high) overlap?
SN_INLINE bool boxes_meet(const double* i, const double* j) {
  return i[0] <= j[4] && j[0] <= i[4] && i[1] <= j[5] && j[1] <= i[5] && i[2] <= j[6] &&
         j[2] <= i[6];
}

// Do the bounds of two bodies with active geoms overlap?
SN_INLINE bool broad_bounds_meet(const snBroad* b, int body1, int body2) {
  return boxes_meet(b->box + 8 * body1, b->box + 8 * body2);
}

// The active geoms of two bodies whose spheres are within their margins, in b->hit, in order of the
// first, then of the second. -1 when there is no memory.
int broad_near(snBroad* b, int body1, int body2);

// May these two bodies collide by the documented filters (same weld, parent and child, exclude)?
bool broad_bodies_may(const snBroad* b, const mjModel* m, int body1, int body2);

#endif
