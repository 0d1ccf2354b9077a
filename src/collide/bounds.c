// Bounds: a sphere and a box around each geom, margin included; boxes around bodies and around
// groups of bodies.
//
// A box in world axes has half sizes |R| h for half sizes h in the geom's frame. Boxes are enlarged
// by the relative kBoxRounding (broad.h), so that geoms that touch to within rounding overlap.
#include "collide/broad.h"

#include "collide/cache.h"

// Relative enlargement of a radius, more than sums of positions round: two geoms placed by their
// sizes overlap.
static const double kRadiusRounding = 1e-14;

// The lever of a plane: any rotation moves its points farther than any reach.
static const double kEverywhere = 1e300;

// The box of a geom in its own frame, where it is tighter than the box of its bounding sphere:
// center (3), half sizes (3), a radius around the box, the margin.
static void set_extent(snBroad* b, const mjModel* m, int k) {
  int g = b->bodies.active[k], type = m->geom_type[g];
  double margin = b->snapshot.override ? b->snapshot.o_margin : m->geom_margin[g],
         *extent = b->bounds.extent + 8 * k;
  const double *size = m->geom_size + 3 * g, *aabb = m->geom_aabb + 6 * g;
  memset(extent, 0, 8 * sizeof(double));
  extent[7] = margin > 0 ? margin : 0;
  if (type == mjGEOM_MESH)
    memcpy(extent, aabb, 6 * sizeof(double));
  else if (type == mjGEOM_BOX)
    memcpy(extent + 3, size, 3 * sizeof(double));
  else if (type == mjGEOM_CAPSULE)
    extent[5] = size[1], extent[6] = size[0];
  else if (type == mjGEOM_PLANE)
    extent[6] = INFINITY;
  else
    extent[6] = m->geom_rbound[g];
}

void bounds_measure(snBroad* b, const mjModel* m) {
  snapshot_take_gaps(&b->snapshot, m);
  for (int k = 0; k < b->bodies.nactive; k++) {
    int g = b->bodies.active[k];
    bool plane = m->geom_type[g] == mjGEOM_PLANE;
    double margin = b->snapshot.override ? b->snapshot.o_margin : m->geom_margin[g];
    b->bounds.r[k] =
        plane ? INFINITY : (m->geom_rbound[g] + (margin > 0 ? margin : 0)) * (1 + kRadiusRounding);
    b->travel.lever[k] = plane ? kEverywhere : m->geom_rbound[g];
    set_extent(b, m, k);
  }
  b->bounds.r[b->bodies.nactive] = INFINITY;
}

// The least reach, as a share of the mean radius of geoms.
static const double kReachShare = 0.1;

// Boxes enlarged by the reach of each geom, for geoms, bodies and groups. The reach is kReachShare
// of the mean radius plus the distance that the geom covers in `ahead` steps, so that one fast geom
// does not end the list early for all.
SN_KERNEL void bounds_widen(snBroad* b, const mjData* d) {
  double sum = 0;
  int n = 0;
  for (int k = 0; k < b->bodies.nactive; k++) {
    if (isfinite(b->bounds.r[k])) sum += b->bounds.r[k], n++;
    bounds_box(b, d, k);
  }
  double least = n ? sn_min(kReachShare * sum / n, kFarthest) : 0;
  for (int k = 0; k < b->bodies.nactive; k++) {
    double far = least + b->list.ahead * b->travel.speed[k];
    b->list.reach[k] = isnan(far) ? least : sn_min(far, kFarthest);
  }
  for (int o = 0; o < b->bodies.nbounded; o++) {
    int body = b->bodies.bounded[o];
    sn4 low = sn4_set1(INFINITY), high = sn4_set1(-INFINITY);
    for (int k = b->bodies.begin[body]; k < b->bodies.begin[body + 1]; k++) {
      sn4 l = sn4_load(b->bounds.geom_box + 8 * k) - b->list.reach[k];
      sn4 h = sn4_load(b->bounds.geom_box + 8 * k + 4) + b->list.reach[k];
      sn4_store(b->bounds.wide + 8 * k, l);
      sn4_store(b->bounds.wide + 8 * k + 4, h);
      low = sn4_min(l, low);
      high = sn4_max(h, high);
    }
    sn4_store(b->bounds.box + 8 * body, low);
    sn4_store(b->bounds.box + 8 * body + 4, high);
    SN_UNROLL
    for (int i = 0; i < 3; i++) b->bounds.bound[i][o] = low[i], b->bounds.bound[3 + i][o] = high[i];
  }
  for (int g = 0; g < b->sweep.ngroup; g++) {
    sn4 low = sn4_set1(INFINITY), high = sn4_set1(-INFINITY);
    for (int o = b->sweep.group[g]; o < b->sweep.group[g + 1]; o++) {
      low = sn4_min(sn4_load(b->bounds.box + 8 * b->bodies.bounded[o]), low);
      high = sn4_max(sn4_load(b->bounds.box + 8 * b->bodies.bounded[o] + 4), high);
    }
    sn4_store(b->sweep.group_box + 8 * g, low);
    sn4_store(b->sweep.group_box + 8 * g + 4, high);
  }
}
