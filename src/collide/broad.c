// The broad phase. Two bodies may collide when they are not welded together, are not parent and
// child (unless the parent is static or the filter is off), are not excluded, and their masks meet.
// Small models list all such pairs once; large ones sweep along an axis at every step (sweep.c).
#include "collide/broad.h"

#include <stdlib.h>

// Above this many bodies the list of all pairs is longer than a sweep.
enum { kSweepBodies = 96 };

static int compare_u64(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

static uint64_t signature(int body1, int body2) {
  return body1 < body2 ? (uint64_t)body1 << 32 | (uint32_t)body2
                       : (uint64_t)body2 << 32 | (uint32_t)body1;
}

bool broad_bodies_may(const snBroad* b, int body1, int body2) {
  int weld1 = b->weld[body1], weld2 = b->weld[body2];
  if (weld1 == weld2) return false;
  if (b->filterparent && weld1 && weld2) {
    if (weld1 == b->weld_parent[body2] || weld2 == b->weld_parent[body1]) return false;
  }
  if (b->nexcluded) {
    uint64_t key = signature(body1, body2);
    if (bsearch(&key, b->excluded, b->nexcluded, sizeof key, compare_u64)) return false;
  }
  return true;
}

void broad_free(snBroad* b) {
  for (int i = 0; i < 4; i++) memory_free(b->block[i]);
  memory_free(b->pair);
  memory_free(b->hit);
  memory_free(b->key);
  *b = (snBroad){0};
}

bool broad_push(snBroad* b, snBodyPair p) {
  if (b->npair == b->pair_capacity) {
    int capacity = b->pair_capacity ? 2 * b->pair_capacity : 256;
    snBodyPair* grown = memory_resize(b->pair, b->pair_capacity * sizeof p, capacity * sizeof p);
    if (!grown) return false;
    b->pair = grown;
    b->pair_capacity = capacity;
  }
  b->pair[b->npair++] = p;
  return true;
}

// Explicit pairs sorted by their bodies; insertion keeps the model's order among equals.
static void broad_explicit(snBroad* b, const mjModel* m) {
  b->nexplicit = m->npair;
  for (int i = 0; i < m->npair; i++) {
    int b1 = m->geom_bodyid[m->pair_geom1[i]], b2 = m->geom_bodyid[m->pair_geom2[i]];
    if (b1 > b2) {
      int swap = b1;
      b1 = b2;
      b2 = swap;
    }
    int k = i;
    while (k > 0 && (b->explicit_b1[k - 1] > b1 ||
                     (b->explicit_b1[k - 1] == b1 && b->explicit_b2[k - 1] > b2))) {
      b->explicit_id[k] = b->explicit_id[k - 1];
      b->explicit_b1[k] = b->explicit_b1[k - 1];
      b->explicit_b2[k] = b->explicit_b2[k - 1];
      k--;
    }
    b->explicit_id[k] = i;
    b->explicit_b1[k] = b1;
    b->explicit_b2[k] = b2;
  }
}

// All pairs of bodies that may ever collide. What is in no pair needs no bounds.
static bool broad_list(snBroad* b, int nbody) {
  int e = 0;
  for (int i = 0; i < nbody; i++) {
    // explicit pairs may join geoms of one body
    for (int j = i; j < nbody; j++) {
      int first = e;
      while (e < b->nexplicit && b->explicit_b1[e] == i && b->explicit_b2[e] == j) e++;
      bool dynamic = j > i && broad_masks_meet(b, i, j) && broad_bodies_may(b, i, j);
      if ((dynamic || e > first) && !broad_push(b, (snBodyPair){i, j, first, e - first, dynamic})) {
        return false;
      }
    }
  }
  b->nbounded = 0;
  memset(b->count, 0, (nbody + 1) * sizeof(int));
  for (int i = 0; i < b->npair; i++) b->count[b->pair[i].body1] = b->count[b->pair[i].body2] = 1;
  for (int i = 0; i < nbody; i++) {
    if (b->count[i] && b->begin[i + 1] > b->begin[i]) b->order[b->nbounded++] = i;
  }
  return true;
}

static bool broad_rebuild(snBroad* b, const mjModel* m) {
  broad_free(b);
  int ngeom = m->ngeom, nbody = m->nbody;
  size_t nint = (size_t)3 * ngeom + 8 * (size_t)nbody + 2 + 3 * (size_t)m->npair;
  size_t nactive_pad = (size_t)ngeom + 4;
  b->block[0] = memory_alloc((nint + 1) * sizeof(int));
  b->block[1] = memory_alloc((12 * nactive_pad + 17 * ((size_t)nbody + 4)) * sizeof(double));
  b->block[2] = memory_alloc((m->nexclude + 1) * sizeof(uint64_t));
  if (!b->block[0] || !b->block[1] || !b->block[2]) {
    broad_free(b);
    return false;
  }
  int* ints = b->block[0];
  b->contype = ints, ints += ngeom;
  b->conaffinity = ints, ints += ngeom;
  b->active = ints, ints += ngeom;
  b->begin = ints, ints += nbody + 1;
  b->mask_type = ints, ints += nbody;
  b->mask_affinity = ints, ints += nbody;
  b->weld = ints, ints += nbody;
  b->weld_parent = ints, ints += nbody;
  b->order = ints, ints += nbody;
  b->count = ints, ints += nbody + 1;
  b->found = ints, ints += nbody;
  b->explicit_id = ints, ints += m->npair;
  b->explicit_b1 = ints, ints += m->npair;
  b->explicit_b2 = ints;
  double* nums = b->block[1];
  b->x = nums, nums += nactive_pad;
  b->y = nums, nums += nactive_pad;
  b->z = nums, nums += nactive_pad;
  b->r = nums, nums += nactive_pad;
  b->geom_box = nums, nums += 8 * nactive_pad;
  b->box = nums, nums += 8 * (size_t)nbody;
  b->low = nums, nums += nbody + 4;
  for (int i = 0; i < 4; i++) b->side[i] = nums, nums += nbody + 4;
  for (int i = 0; i < 4; i++) b->ball[i] = nums, nums += nbody + 4;
  b->excluded = b->block[2];

  b->model = m;
  b->ngeom = ngeom;
  b->filterparent = !(m->opt.disableflags & mjDSBL_FILTERPARENT);
  b->callback = has_contactfilter(m);
  memcpy(b->contype, m->geom_contype, ngeom * sizeof(int));
  memcpy(b->conaffinity, m->geom_conaffinity, ngeom * sizeof(int));

  for (int i = 0; i < nbody; i++) {
    b->weld[i] = m->body_weldid[i];
    b->weld_parent[i] = m->body_weldid[m->body_parentid[m->body_weldid[i]]];
  }

  // compact the geoms that some mask can meet
  for (int i = 0; i < nbody; i++) {
    b->begin[i] = b->nactive;
    b->mask_type[i] = b->mask_affinity[i] = 0;
    for (int k = 0; k < m->body_geomnum[i]; k++) {
      int g = m->body_geomadr[i] + k;
      b->mask_type[i] |= m->geom_contype[g];
      b->mask_affinity[i] |= m->geom_conaffinity[g];
      if (b->callback || m->geom_contype[g] || m->geom_conaffinity[g]) b->active[b->nactive++] = g;
    }
  }
  b->begin[nbody] = b->nactive;
  b->nbounded = 0;
  for (int i = 0; i < nbody; i++) {
    if (b->begin[i + 1] > b->begin[i]) b->order[b->nbounded++] = i;
  }

  b->nexcluded = m->nexclude;
  for (int i = 0; i < m->nexclude; i++) {
    unsigned s = (unsigned)m->exclude_signature[i];
    b->excluded[i] = signature((int)(s >> 16), (int)(s & 0xFFFF));
  }
  qsort(b->excluded, b->nexcluded, sizeof(uint64_t), compare_u64);
  broad_explicit(b, m);

  b->sweep = b->nbounded > kSweepBodies;
  b->resort = true;
  if (b->sweep) return true;
  return broad_list(b, nbody);
}

// Centers and radii of the active geoms, bounds of their bodies. A plane is everywhere.
SN_KERNEL static void broad_bounds(snBroad* b, const mjModel* m, const mjData* d) {
  bool override = (m->opt.enableflags & mjENBL_OVERRIDE) != 0;
  for (int o = 0; o < b->nbounded; o++) {
    int body = b->order[o];
    sn4 low = sn4_set1(INFINITY), high = sn4_set1(-INFINITY);
    for (int k = b->begin[body]; k < b->begin[body + 1]; k++) {
      int g = b->active[k];
      const double* p = d->geom_xpos + 3 * g;
      double margin = override ? m->opt.o_margin : m->geom_margin[g];
      double r = m->geom_type[g] == mjGEOM_PLANE ? INFINITY
                                                 : m->geom_rbound[g] + (margin > 0 ? margin : 0);
      b->x[k] = p[0];
      b->y[k] = p[1];
      b->z[k] = p[2];
      b->r[k] = r;
      // a mesh and a box have a tighter bound than their sphere: |R| half
      sn4 center = {p[0], p[1], p[2], 0}, reach = sn4_set1(r);
      const double *R = d->geom_xmat + 9 * g, *half = NULL;
      sn4 c0 = {R[0], R[3], R[6], 0}, c1 = {R[1], R[4], R[7], 0}, c2 = {R[2], R[5], R[8], 0};
      if (m->geom_type[g] == mjGEOM_MESH) {
        const double* aabb = m->geom_aabb + 6 * g;
        center += c0 * aabb[0] + c1 * aabb[1] + c2 * aabb[2];
        half = aabb + 3;
      } else if (m->geom_type[g] == mjGEOM_BOX) {
        half = m->geom_size + 3 * g;
      }
      if (half) {
        reach = sn4_abs(c0) * half[0] + sn4_abs(c1) * half[1] + sn4_abs(c2) * half[2];
        reach = reach * (1 + 1e-12) + (margin > 0 ? margin : 0);
      }
      sn4_store(b->geom_box + 8 * k, center - reach);
      sn4_store(b->geom_box + 8 * k + 4, center + reach);
      low = sn4_min(low, center - reach);
      high = sn4_max(high, center + reach);
    }
    sn4_store(b->box + 8 * body, low);
    sn4_store(b->box + 8 * body + 4, high);
  }
}

bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d) {
  if (b->model != m || b->ngeom != m->ngeom ||
      b->filterparent != !(m->opt.disableflags & mjDSBL_FILTERPARENT) ||
      b->callback != has_contactfilter(m) ||
      memcmp(b->contype, m->geom_contype, m->ngeom * sizeof(int)) ||
      memcmp(b->conaffinity, m->geom_conaffinity, m->ngeom * sizeof(int))) {
    if (!broad_rebuild(b, m)) return false;
  }
  broad_bounds(b, m, d);
  return b->sweep ? broad_sweep(b, m->nbody) : true;
}

// Geoms `begin` to `end` against the sphere of geom `one`, four at a time: those that meet,
// ascending.
SN_KERNEL static int near_lanes(const double* x, const double* y, const double* z, const double* r,
                                int begin, int end, int one, int* found) {
  sn4 cx = sn4_set1(x[one]), cy = sn4_set1(y[one]), cz = sn4_set1(z[one]), cr = sn4_set1(r[one]);
  int n = 0;
  for (int k = begin; k < end; k += 4) {
    sn4 dx = sn4_load(x + k) - cx, dy = sn4_load(y + k) - cy, dz = sn4_load(z + k) - cz;
    sn4 reach = sn4_load(r + k) + cr;
    sn4i near = dx * dx + dy * dy + dz * dz <= reach * reach;
    if (!sn4_any(near)) continue;
    for (int i = 0; i < 4 && k + i < end; i++) {
      if (near[i]) found[n++] = k + i;
    }
  }
  return n;
}

int broad_near(snBroad* b, int body1, int body2) {
  int i0 = b->begin[body1], i1 = b->begin[body1 + 1], j0 = b->begin[body2],
      j1 = b->begin[body2 + 1];
  int n1 = i1 - i0, n2 = j1 - j0, longer = n1 > n2 ? n1 : n2;
  size_t need = 2 * (size_t)n1 * (size_t)n2 + (size_t)longer;
  if (need > (size_t)b->hit_capacity) {
    int* grown = memory_resize(b->hit, 0, need * sizeof(int));
    if (!grown) return -1;
    b->hit = grown;
    b->hit_capacity = (int)need;
  }
  if (n1 * n2 <= 16) {
    int n = 0;
    for (int i = i0; i < i1; i++) {
      for (int j = j0; j < j1; j++) {
        if (broad_spheres_meet(b, i, j)) b->hit[2 * n] = i, b->hit[2 * n + 1] = j, n++;
      }
    }
    return n;
  }
  int *pair = b->hit, *found = b->hit + 2 * (size_t)n1 * (size_t)n2, n = 0;
  if (n1 <= n2) {
    for (int i = i0; i < i1; i++) {
      int num = near_lanes(b->x, b->y, b->z, b->r, j0, j1, i, found);
      for (int k = 0; k < num; k++) pair[2 * n] = i, pair[2 * n + 1] = found[k], n++;
    }
    return n;
  }
  for (int j = j0; j < j1; j++) {
    int num = near_lanes(b->x, b->y, b->z, b->r, i0, i1, j, found);
    for (int k = 0; k < num; k++) {
      // second geoms ascend from pass to pass: only the first needs a place
      int at = n++;
      while (at > 0 && pair[2 * at - 2] > found[k]) {
        pair[2 * at] = pair[2 * at - 2], pair[2 * at + 1] = pair[2 * at - 1];
        at--;
      }
      pair[2 * at] = found[k], pair[2 * at + 1] = j;
    }
  }
  return n;
}
