// The broad phase: rebuilt when the model changes, refreshed in every step.
//
// Small models list all body pairs that may collide once. Large models find body pairs whose boxes
// overlap by sweep and prune, each time the near list is rebuilt. broad.h describes the parts.
#include "collide/broad.h"

#include "base/layout.h"

// Above this many bodies a sweep is cheaper than a list of all body pairs.
enum { kSweepBodies = 96 };

void broad_free(snBroad* b) {
  memory_free(b->block);
  memory_free(b->bodies.pair);
  near_free(&b->list);
  memory_free(b->sweep.key);
  snapshot_free(&b->snapshot);
  *b = (snBroad){.snapshot = b->snapshot};
}

// Allocate the arrays whose sizes follow from the model, all zero. SIMD loads read up to four
// entries behind the end.
static bool reserve(snBroad* b, const mjModel* m) {
  snBroadBodies* bodies = &b->bodies;
  snBounds* bounds = &b->bounds;
  snTravel* travel = &b->travel;
  snBodySweep* sweep = &b->sweep;
  size_t ngeom = (size_t)m->ngeom + 4, nbody = (size_t)m->nbody, padded = nbody + 4;
  const snArray array[] = {
      SN_ARRAY(bodies->active, ngeom),
      SN_ARRAY(bodies->begin, nbody + 1),
      SN_ARRAY(bodies->mask_type, nbody),
      SN_ARRAY(bodies->mask_affinity, nbody),
      SN_ARRAY(bodies->weld, nbody),
      SN_ARRAY(bodies->weld_parent, nbody),
      SN_ARRAY(bodies->bounded, nbody),
      SN_ARRAY(bodies->count, nbody + 1),
      SN_ARRAY(bodies->explicit_id, m->npair),
      SN_ARRAY(bodies->explicit_b1, m->npair),
      SN_ARRAY(bodies->explicit_b2, m->npair),
      SN_ARRAY(bodies->excluded, m->nexclude),
      SN_ARRAY(bounds->r, ngeom),
      SN_ARRAY(bounds->extent, 8 * ngeom),
      SN_ARRAY(bounds->geom_box, 8 * ngeom),
      SN_ARRAY(bounds->boxed, ngeom),
      SN_ARRAY(bounds->wide, 8 * ngeom),
      SN_ARRAY(bounds->box, 8 * nbody),
      SN_ARRAY(bounds->bound[0], padded),
      SN_ARRAY(bounds->bound[1], padded),
      SN_ARRAY(bounds->bound[2], padded),
      SN_ARRAY(bounds->bound[3], padded),
      SN_ARRAY(bounds->bound[4], padded),
      SN_ARRAY(bounds->bound[5], padded),
      SN_ARRAY(travel->sum, ngeom),
      SN_ARRAY(travel->pace, ngeom),
      SN_ARRAY(travel->speed, ngeom),
      SN_ARRAY(travel->doubt, ngeom),
      SN_ARRAY(travel->lever, ngeom),
      SN_ARRAY(travel->last, 12 * ngeom),
      SN_ARRAY(b->list.reach, ngeom),
      SN_ARRAY(sweep->group, nbody + 1),
      SN_ARRAY(sweep->group_box, 8 * nbody),
      SN_ARRAY(sweep->order, nbody),
      SN_ARRAY(sweep->found, nbody),
      SN_ARRAY(sweep->low, padded),
      SN_ARRAY(sweep->side[0], padded),
      SN_ARRAY(sweep->side[1], padded),
      SN_ARRAY(sweep->side[2], padded),
      SN_ARRAY(sweep->side[3], padded),
  };
  enum { COUNT = sizeof array / sizeof *array };
  b->block = memory_alloc_zero(layout_size(array, COUNT));
  if (b->block) layout_place(array, COUNT, b->block);
  return b->block;
}

// Everything but the near list, from the model.
static bool rebuild(snBroad* b, const mjModel* m) {
  int64_t step = b->bounds.step;
  broad_free(b);
  b->bounds.step = step;
  if (!reserve(b, m) || !snapshot_make(&b->snapshot, m)) return false;
  bodies_fill(b, m);
  b->sweep.on = b->bodies.nbounded > kSweepBodies;
  b->sweep.resort = true;
  b->list.most = b->sweep.on ? INFINITY : 0;
  b->list.age = -1;
  if (b->sweep.on) {
    sweep_group(b, m);
  } else if (!bodies_list_pairs(b, m->nbody)) {
    return false;
  }
  bounds_measure(b, m);
  return true;
}

bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d) {
  if (!snapshot_pairs_hold(&b->snapshot, m) && !rebuild(b, m)) {
    broad_free(b);  // a partial rebuild must not be used by the next step
    return false;
  }
  b->bounds.step++;
  if (!b->sweep.on && !b->bodies.npair) return true;  // no pair passes the filters
  if (!snapshot_gaps_hold(&b->snapshot, m, b->bodies.active, b->bodies.nactive)) {
    bounds_measure(b, m);
    b->list.age = -1;
  }
  bool inside = travel_add(b, d->geom_xpos, d->geom_xmat);
  if (b->list.age < 0 || b->list.age >= kOldest || !inside) return near_make(b, m, d);
  b->list.age++;
  return true;
}
