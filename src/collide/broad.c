// The broad phase. Two bodies may collide when they are not welded together, are not parent and
// child (unless the parent is static or the filter is off), are not excluded, and their masks meet.
// Small models list all such pairs once; large ones sweep along an axis at every step.
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

bool broad_bodies_may(const snBroad* b, const mjModel* m, int body1, int body2) {
  int weld1 = m->body_weldid[body1], weld2 = m->body_weldid[body2];
  if (weld1 == weld2) return false;
  if (b->filterparent && weld1 && weld2) {
    int parent1 = m->body_weldid[m->body_parentid[weld1]];
    int parent2 = m->body_weldid[m->body_parentid[weld2]];
    if (weld1 == parent2 || weld2 == parent1) return false;
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
  memory_free(b->sorted);
  *b = (snBroad){0};
}

static bool pair_push(snBroad* b, snBodyPair p) {
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

static bool masks_meet(const snBroad* b, int body1, int body2) {
  return (b->mask_type[body1] & b->mask_affinity[body2]) ||
         (b->mask_type[body2] & b->mask_affinity[body1]);
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

static bool broad_rebuild(snBroad* b, const mjModel* m) {
  broad_free(b);
  int ngeom = m->ngeom, nbody = m->nbody;
  size_t nint = (size_t)3 * ngeom + 6 * (size_t)nbody + 2 + 3 * (size_t)m->npair;
  size_t nactive_pad = (size_t)ngeom + 4;
  b->block[0] = memory_alloc((nint + 1) * sizeof(int));
  b->block[1] = memory_alloc((12 * nactive_pad + 14 * ((size_t)nbody + 4)) * sizeof(double));
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
  b->key = nums, nums += nbody + 4;
  for (int i = 0; i < 4; i++) b->side[i] = nums, nums += nbody + 4;
  b->excluded = b->block[2];

  b->model = m;
  b->ngeom = ngeom;
  b->filterparent = !(m->opt.disableflags & mjDSBL_FILTERPARENT);
  b->callback = mjcb_contactfilter != NULL;
  memcpy(b->contype, m->geom_contype, ngeom * sizeof(int));
  memcpy(b->conaffinity, m->geom_conaffinity, ngeom * sizeof(int));

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
  b->nmoving = 0;
  for (int i = 0; i < nbody; i++) {
    if (b->begin[i + 1] > b->begin[i]) b->order[b->nmoving++] = i;
  }

  b->nexcluded = m->nexclude;
  for (int i = 0; i < m->nexclude; i++) {
    unsigned s = (unsigned)m->exclude_signature[i];
    b->excluded[i] = signature((int)(s >> 16), (int)(s & 0xFFFF));
  }
  qsort(b->excluded, b->nexcluded, sizeof(uint64_t), compare_u64);
  broad_explicit(b, m);

  b->sweep = b->nmoving > kSweepBodies;
  b->resort = true;
  if (b->sweep) return true;
  int e = 0;
  for (int i = 0; i < nbody; i++) {
    // explicit pairs may join geoms of one body
    for (int j = i; j < nbody; j++) {
      int first = e;
      while (e < b->nexplicit && b->explicit_b1[e] == i && b->explicit_b2[e] == j) e++;
      bool dynamic = j > i && masks_meet(b, i, j) && broad_bodies_may(b, m, i, j);
      if ((dynamic || e > first) && !pair_push(b, (snBodyPair){i, j, first, e - first, dynamic})) {
        return false;
      }
    }
  }
  return true;
}

// Centers and radii of the active geoms, bounds of their bodies. A plane is everywhere.
SN_KERNEL static void broad_bounds(snBroad* b, const mjModel* m, const mjData* d) {
  bool override = (m->opt.enableflags & mjENBL_OVERRIDE) != 0;
  for (int o = 0; o < b->nmoving; o++) {
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

// Sort b->pair by body1, then body2: count by the first, insert by the second.
static bool pair_sort(snBroad* b, int nbody) {
  if (b->sorted_capacity < b->npair) {
    memory_free(b->sorted);
    b->sorted = memory_alloc((size_t)b->pair_capacity * sizeof(snBodyPair));
    b->sorted_capacity = b->sorted ? b->pair_capacity : 0;
    if (!b->sorted) return false;
  }
  int* start = b->count;
  memset(start, 0, (nbody + 1) * sizeof(int));
  for (int i = 0; i < b->npair; i++) start[b->pair[i].body1 + 1]++;
  for (int i = 0; i < nbody; i++) start[i + 1] += start[i];
  for (int i = 0; i < b->npair; i++) b->sorted[start[b->pair[i].body1]++] = b->pair[i];
  for (int i = 1; i < b->npair; i++) {
    snBodyPair p = b->sorted[i];
    int k = i;
    while (k > 0 && b->sorted[k - 1].body1 == p.body1 && b->sorted[k - 1].body2 > p.body2) {
      b->sorted[k] = b->sorted[k - 1];
      k--;
    }
    b->sorted[k] = p;
  }
  snBodyPair* swap = b->pair;
  int capacity = b->pair_capacity;
  b->pair = b->sorted;
  b->pair_capacity = b->sorted_capacity;
  b->sorted = swap;
  b->sorted_capacity = capacity;
  return true;
}

// Bodies after i in the sweep that overlap it: `key` is the low end along the sweep axis, `side`
// the bounds along the two others (low, high, low, high), all in sweep order and padded by 4.
SN_KERNEL static int sweep_lanes(const double* key, double* const side[4], int n, int i, double end,
                                 int* found) {
  sn4 stop = sn4_set1(end);
  sn4 low1 = sn4_set1(side[0][i]), high1 = sn4_set1(side[1][i]);
  sn4 low2 = sn4_set1(side[2][i]), high2 = sn4_set1(side[3][i]);
  int num = 0;
  for (int j = i + 1; j < n && key[j] <= end; j += 4) {
    sn4i meet = (sn4_load(key + j) <= stop) & (sn4_load(side[0] + j) <= high1) &
                (sn4_load(side[1] + j) >= low1) & (sn4_load(side[2] + j) <= high2) &
                (sn4_load(side[3] + j) >= low2);
    if (!sn4_any(meet)) continue;
    for (int k = 0; k < 4 && j + k < n; k++) {
      if (meet[k]) found[num++] = j + k;
    }
  }
  return num;
}

// Merge sort of bodies by their low ends.
static void order_merge(int* order, int* scratch, int n, const double* low) {
  for (int width = 1; width < n; width *= 2) {
    for (int start = 0; start < n; start += 2 * width) {
      int middle = start + width < n ? start + width : n;
      int stop = start + 2 * width < n ? start + 2 * width : n;
      int i = start, j = middle, k = start;
      while (i < middle || j < stop) {
        bool left = j >= stop || (i < middle && low[8 * order[i]] <= low[8 * order[j]]);
        scratch[k++] = left ? order[i++] : order[j++];
      }
    }
    memcpy(order, scratch, n * sizeof(int));
  }
}

// Sweep along the axis in which the bodies' low ends are spread most. The order of the last step is
// nearly right for this one, so an insertion sort repairs it.
static bool broad_sweep(snBroad* b, const mjModel* m) {
  double spread[3];
  int widest = 0;
  for (int i = 0; i < 3; i++) {
    double sum = 0, sum2 = 0;
    int n = 0;
    for (int o = 0; o < b->nmoving; o++) {
      double c = b->box[8 * b->order[o] + i];
      if (!isfinite(c)) continue;
      sum += c;
      sum2 += c * c;
      n++;
    }
    spread[i] = n ? sum2 - sum * sum / n : 0;
    if (spread[i] > spread[widest]) widest = i;
  }
  // another axis costs a new order: only for a clear gain. The pairs found are the same.
  if (spread[widest] > 2 * spread[b->axis]) {
    b->axis = widest;
    b->resort = true;
  }
  int axis = b->axis;
  const double* low = b->box + axis;  // of body i: low[8 i], high[8 i]
  const double* high = b->box + 4 + axis;
  if (b->resort) {
    order_merge(b->order, b->count, b->nmoving, low);
    b->resort = false;
  }
  for (int o = 0; o < b->nmoving; o++) {
    int body = b->order[o], k = o;
    double key = low[8 * body];
    while (k > 0 && (b->key[k - 1] > key || (b->key[k - 1] == key && b->order[k - 1] > body))) {
      b->key[k] = b->key[k - 1];
      b->order[k] = b->order[k - 1];
      k--;
    }
    b->key[k] = key;
    b->order[k] = body;
  }
  int n = b->nmoving, other1 = (axis + 1) % 3, other2 = (axis + 2) % 3;
  for (int o = 0; o < n; o++) {
    int body = b->order[o];
    const double* box = b->box + 8 * body;
    b->side[0][o] = box[other1], b->side[1][o] = box[4 + other1];
    b->side[2][o] = box[other2], b->side[3][o] = box[4 + other2];
  }
  b->npair = 0;
  for (int i = 0; i < n; i++) {
    int bi = b->order[i];
    int num = sweep_lanes(b->key, b->side, n, i, high[8 * bi], b->found);
    for (int k = 0; k < num; k++) {
      int bj = b->order[b->found[k]];
      int b1 = bi < bj ? bi : bj, b2 = bi < bj ? bj : bi;
      if (!masks_meet(b, b1, b2) || !broad_bodies_may(b, m, b1, b2)) continue;
      if (!pair_push(b, (snBodyPair){b1, b2, 0, 0, true})) return false;
    }
  }
  int ndynamic = b->npair;
  for (int e = 0; e < b->nexplicit;) {
    int first = e, b1 = b->explicit_b1[e], b2 = b->explicit_b2[e];
    while (e < b->nexplicit && b->explicit_b1[e] == b1 && b->explicit_b2[e] == b2) e++;
    bool known = false;
    for (int i = 0; i < ndynamic && !known; i++) {
      if (b->pair[i].body1 == b1 && b->pair[i].body2 == b2) {
        b->pair[i].first = first;
        b->pair[i].num = e - first;
        known = true;
      }
    }
    if (!known && !pair_push(b, (snBodyPair){b1, b2, first, e - first, false})) return false;
  }
  return pair_sort(b, m->nbody);
}

bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d) {
  if (b->model != m || b->ngeom != m->ngeom ||
      b->filterparent != !(m->opt.disableflags & mjDSBL_FILTERPARENT) ||
      b->callback != (mjcb_contactfilter != NULL) ||
      memcmp(b->contype, m->geom_contype, m->ngeom * sizeof(int)) ||
      memcmp(b->conaffinity, m->geom_conaffinity, m->ngeom * sizeof(int))) {
    if (!broad_rebuild(b, m)) return false;
  }
  broad_bounds(b, m, d);
  return b->sweep ? broad_sweep(b, m) : true;
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
        double dx = b->x[i] - b->x[j], dy = b->y[i] - b->y[j], dz = b->z[i] - b->z[j];
        double reach = b->r[i] + b->r[j];
        if (dx * dx + dy * dy + dz * dz <= reach * reach)
          b->hit[2 * n] = i, b->hit[2 * n + 1] = j, n++;
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
