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
  memory_free(b->near);
  memory_free(b->key);
  *b = (snBroad){0};
}

// The list with room for more than `need` entries; NULL when there is no memory.
static void* list_grow(void* list, int* capacity, int need, size_t size) {
  int more = 2 * need + 64;
  void* grown = memory_resize(list, (size_t)*capacity * size, (size_t)more * size);
  if (grown) *capacity = more;
  return grown;
}

bool broad_pair_room(snBroad* b, int need) {
  if (need <= b->pair_capacity) return true;
  snBodyPair* grown = list_grow(b->pair, &b->pair_capacity, need, sizeof *grown);
  if (grown) b->pair = grown;
  return grown != NULL;
}

bool broad_push(snBroad* b, snBodyPair p) {
  if (!broad_pair_room(b, b->npair + 1)) return false;
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
  b->block[1] = memory_alloc((20 * nactive_pad + 13 * ((size_t)nbody + 4)) * sizeof(double));
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
  b->wide = nums, nums += 8 * nactive_pad;
  memset(b->wide, 0, 8 * nactive_pad * sizeof(double));
  b->box = nums, nums += 8 * (size_t)nbody;
  b->low = nums, nums += nbody + 4;
  for (int i = 0; i < 4; i++) b->side[i] = nums, nums += nbody + 4;
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
  b->age = -1;
  b->room = 0.1;
  if (b->sweep) return true;
  return broad_list(b, nbody);
}

// Centers, radii and boxes of the active geoms; true when all are within their wide boxes. A plane
// is everywhere.
SN_KERNEL static bool broad_bounds(snBroad* b, const mjModel* m, const mjData* d) {
  bool override = (m->opt.enableflags & mjENBL_OVERRIDE) != 0;
  sn4i inside = {-1, -1, -1, -1};
  for (int o = 0; o < b->nbounded; o++) {
    int body = b->order[o];
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
      sn4 low = center - reach, high = center + reach;
      sn4_store(b->geom_box + 8 * k, low);
      sn4_store(b->geom_box + 8 * k + 4, high);
      inside &= (low >= sn4_load(b->wide + 8 * k)) & (high <= sn4_load(b->wide + 8 * k + 4));
    }
  }
  return inside[0] && inside[1] && inside[2];
}

// Wide boxes of the active geoms and of their bodies: all by the same, for small geoms move as fast
// as large ones.
SN_KERNEL static void broad_widen(snBroad* b) {
  double sum = 0;
  int n = 0;
  for (int o = 0; o < b->nbounded; o++) {
    for (int k = b->begin[b->order[o]]; k < b->begin[b->order[o] + 1]; k++) {
      if (isfinite(b->r[k])) sum += b->r[k], n++;
    }
  }
  double room = n ? b->room * sum / n : 0;
  for (int o = 0; o < b->nbounded; o++) {
    int body = b->order[o];
    sn4 low = sn4_set1(INFINITY), high = sn4_set1(-INFINITY);
    for (int k = b->begin[body]; k < b->begin[body + 1]; k++) {
      sn4 l = sn4_load(b->geom_box + 8 * k) - room, h = sn4_load(b->geom_box + 8 * k + 4) + room;
      sn4_store(b->wide + 8 * k, l);
      sn4_store(b->wide + 8 * k + 4, h);
      low = sn4_min(low, l);
      high = sn4_max(high, h);
    }
    sn4_store(b->box + 8 * body, low);
    sn4_store(b->box + 8 * body + 4, high);
  }
}

static bool near_room(snBroad* b, int need) {
  if (need <= b->near_capacity) return true;
  snNear* grown = list_grow(b->near, &b->near_capacity, need, sizeof *grown);
  if (grown) b->near = grown;
  return grown != NULL;
}

static bool near_push(snBroad* b, snNear n) {
  if (!near_room(b, b->nnear + 1)) return false;
  b->near[b->nnear++] = n;
  return true;
}

static bool is_explicit(const snBroad* b, const mjModel* m, const snBodyPair* p, int g1, int g2) {
  for (int k = p->first; k < p->first + p->num; k++) {
    int a = m->pair_geom1[b->explicit_id[k]], c = m->pair_geom2[b->explicit_id[k]];
    if ((a == g1 && c == g2) || (a == g2 && c == g1)) return true;
  }
  return false;
}

// The near geoms of two bodies: explicit pairs as in the model, then by numbers, the geom of the
// lower type first.
static bool near_bodies(snBroad* b, const mjModel* m, const snBodyPair* p) {
  for (int k = p->first; k < p->first + p->num; k++) {
    int e = b->explicit_id[k];
    if (!near_push(b, (snNear){p->body1, 0, 0, m->pair_geom1[e], m->pair_geom2[e], e}))
      return false;
  }
  if (!p->dynamic || !boxes_meet(b->box + 8 * p->body1, b->box + 8 * p->body2)) return true;
  int first = b->nnear;
  for (int i = b->begin[p->body1]; i < b->begin[p->body1 + 1]; i++) {
    for (int j = b->begin[p->body2]; j < b->begin[p->body2 + 1]; j++) {
      if (!boxes_meet(b->wide + 8 * i, b->wide + 8 * j)) continue;
      int g1 = b->active[i], g2 = b->active[j];
      if (!b->callback && !(b->contype[g1] & b->conaffinity[g2]) &&
          !(b->contype[g2] & b->conaffinity[g1])) {
        continue;
      }
      if (p->num && is_explicit(b, m, p, g1, g2)) continue;
      bool swap = m->geom_type[g1] > m->geom_type[g2];
      snNear n = {p->body1, i, j, swap ? g2 : g1, swap ? g1 : g2, -1};
      if (!near_push(b, n)) return false;
      int k = b->nnear - 1;
      while (k > first && (b->near[k - 1].g1 > n.g1 ||
                           (b->near[k - 1].g1 == n.g1 && b->near[k - 1].g2 > n.g2))) {
        b->near[k] = b->near[k - 1];
        k--;
      }
      b->near[k] = n;
    }
  }
  return true;
}

// Make the list anew. One that lasted only a few steps gets more room, one that lasted long less.
static bool broad_list_near(snBroad* b, const mjModel* m) {
  if (b->age >= 0 && b->age < 4 && b->room < 0.4) b->room *= 2;
  if (b->age > 40 && b->room > 0.1) b->room /= 2;
  b->age = -1;
  b->nnear = 0;
  broad_widen(b);
  if (b->sweep && !broad_sweep(b, m->nbody)) return false;
  for (int i = 0; i < b->npair; i++) {
    if (!near_bodies(b, m, b->pair + i)) return false;
  }
  b->age = 0;
  // lists of other steps are not much longer: this once is enough
  return near_room(b, 3 * b->nnear) && (!b->sweep || broad_pair_room(b, 3 * b->npair));
}

bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d) {
  if (b->model != m || b->ngeom != m->ngeom ||
      b->filterparent != !(m->opt.disableflags & mjDSBL_FILTERPARENT) ||
      b->callback != has_contactfilter(m) ||
      memcmp(b->contype, m->geom_contype, m->ngeom * sizeof(int)) ||
      memcmp(b->conaffinity, m->geom_conaffinity, m->ngeom * sizeof(int))) {
    if (!broad_rebuild(b, m)) return false;
  }
  bool inside = broad_bounds(b, m, d);
  if (b->age < 0 || !inside) return broad_list_near(b, m);
  b->age++;
  return true;
}
