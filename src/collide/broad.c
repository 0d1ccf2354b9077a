// The broad phase. Two bodies may collide when they are not welded together, are not parent and
// child (unless the parent is static or the filter is off), are not excluded, and their masks meet.
// Small models list all such pairs once; large ones sweep along an axis at every step (sweep.c).
#include "collide/broad.h"

#include "collide/cache.h"

#include <stdlib.h>

// Above this many bodies the list of all pairs is longer than a sweep.
enum { kSweepBodies = 96 };

// What geoms have moved since a list was made is a sum over steps. Its rounding stays below what a
// gap is in doubt by as long as neither the sum nor the steps are more than these.
static const double kFarthest = 100;
enum { kOldest = 100000 };

static int compare_u64(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

static uint64_t signature(int body1, int body2) {
  return body1 < body2 ? (uint64_t)body1 << 32 | (uint32_t)body2
                       : (uint64_t)body2 << 32 | (uint32_t)body1;
}

bool broad_excluded(const snBroad* b, int body1, int body2) {
  uint64_t key = signature(body1, body2);
  return bsearch(&key, b->excluded, b->nexcluded, sizeof key, compare_u64) != NULL;
}

void broad_free(snBroad* b) {
  for (int i = 0; i < 4; i++) memory_free(b->block[i]);
  memory_free(b->pair);
  memory_free(b->near);
  memory_free(b->sleep);
  memory_free(b->awake);
  memory_free(b->due);
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
  for (int i = 0; i < b->npair; i++) {
    const snBodyPair* p = b->pair + i;
    b->most += (double)(b->begin[p->body1 + 1] - b->begin[p->body1]) *
               (b->begin[p->body2 + 1] - b->begin[p->body2]);
  }
  memset(b->count, 0, (nbody + 1) * sizeof(int));
  for (int i = 0; i < b->npair; i++) b->count[b->pair[i].body1] = b->count[b->pair[i].body2] = 1;
  for (int i = 0; i < nbody; i++) {
    if (b->count[i] && b->begin[i + 1] > b->begin[i]) b->bounded[b->nbounded++] = i;
  }
  return true;
}

// The arrays that pairs (0 of geoms, 5 of bodies), gaps (1, 2) and contacts (3, 4) depend on: those
// of a piece stand in the model's buffer side by side, in the order of its header.
typedef struct snPiece_ {
  const void* begin;
  size_t extent;
} snPiece;

static snPiece snapshot_piece(const mjModel* m, int k) {
  const void* begin[kPieces] = {m->geom_type,   m->geom_size,     m->geom_margin,
                                m->geom_solmix, m->geom_friction, m->body_contype};
  const void* end[kPieces] = {m->geom_priority + m->ngeom, m->geom_rbound + m->ngeom,
                              m->geom_margin + m->ngeom,   m->geom_solimp + mjNIMP * m->ngeom,
                              m->geom_gap + m->ngeom,      m->body_conaffinity + m->nbody};
  return (snPiece){begin[k], (size_t)((const char*)end[k] - (const char*)begin[k])};
}

static void snapshot_take(snBroad* b, const mjModel* m, int k) {
  snPiece piece = snapshot_piece(m, k);
  memcpy(b->copy[k], piece.begin, piece.extent);
}

// Does piece k of the snapshot still hold?
static bool snapshot_holds(const snBroad* b, const mjModel* m, int k) {
  snPiece piece = snapshot_piece(m, k);
  return !memcmp(b->copy[k], piece.begin, piece.extent);
}

// The snapshot; false when there is no memory.
static bool snapshot_make(snBroad* b, const mjModel* m) {
  size_t extent = 0;
  for (int k = 0; k < kPieces; k++) extent += snapshot_piece(m, k).extent;
  char* copy = b->block[3] = memory_alloc(extent + 1);
  if (!copy) return false;
  for (int k = 0; k < kPieces; k++) {
    b->copy[k] = copy;
    copy += snapshot_piece(m, k).extent;
    snapshot_take(b, m, k);
  }
  b->mixing++;
  return true;
}

// Bounded bodies that follow each other in a tree, so many at most.
static void broad_group(snBroad* b, const mjModel* m) {
  enum { kMost = 32 };
  for (int o = 0; o < b->nbounded; o++) {
    int tree = m->body_treeid[b->bounded[o]];
    bool same = o && tree >= 0 && tree == m->body_treeid[b->bounded[o - 1]];
    if (!same || o - b->group[b->ngroup - 1] == kMost) b->group[b->ngroup++] = o;
  }
  b->group[b->ngroup] = b->nbounded;
  for (int g = 0; g < b->ngroup; g++) b->order[g] = g;
}

static bool broad_rebuild(snBroad* b, const mjModel* m) {
  int64_t mixing = b->mixing;
  broad_free(b);
  b->mixing = mixing;
  int ngeom = m->ngeom, nbody = m->nbody;
  size_t nint = (size_t)ngeom + 4 + 10 * (size_t)nbody + 3 + 3 * (size_t)m->npair;
  size_t nactive_pad = (size_t)ngeom + 4;
  b->block[0] = memory_alloc((nint + 1) * sizeof(int));
  b->block[1] = memory_alloc((44 * nactive_pad + 27 * ((size_t)nbody + 4)) * sizeof(double));
  b->block[2] = memory_alloc((m->nexclude + 1) * sizeof(uint64_t));
  if (!b->block[0] || !b->block[1] || !b->block[2] || !snapshot_make(b, m)) {
    broad_free(b);
    return false;
  }
  int* ints = b->block[0];
  b->active = ints, ints += nactive_pad;
  b->begin = ints, ints += nbody + 1;
  b->mask_type = ints, ints += nbody;
  b->mask_affinity = ints, ints += nbody;
  b->weld = ints, ints += nbody;
  b->weld_parent = ints, ints += nbody;
  b->bounded = ints, ints += nbody;
  b->group = ints, ints += nbody + 1;
  b->order = ints, ints += nbody;
  b->count = ints, ints += nbody + 1;
  b->found = ints, ints += nbody;
  b->explicit_id = ints, ints += m->npair;
  b->explicit_b1 = ints, ints += m->npair;
  b->explicit_b2 = ints;
  double* nums = b->block[1];
  b->r = nums, nums += nactive_pad;
  b->lever = nums, nums += nactive_pad;
  b->travel = nums, nums += nactive_pad;
  b->pace = nums, nums += nactive_pad;
  b->speed = nums, nums += nactive_pad;
  b->doubt = nums, nums += nactive_pad;
  b->boxed = (int64_t*)nums, nums += nactive_pad;
  b->last = nums, nums += 12 * nactive_pad;
  memset(b->lever, 0, 18 * nactive_pad * sizeof(double));
  b->reach = nums, nums += nactive_pad;
  b->geom_box = nums, nums += 8 * nactive_pad;
  b->extent = nums, nums += 8 * nactive_pad;
  b->wide = nums, nums += 8 * nactive_pad;
  b->box = nums, nums += 8 * (size_t)nbody;
  b->low = nums, nums += nbody + 4;
  for (int i = 0; i < 4; i++) b->side[i] = nums, nums += nbody + 4;
  for (int i = 0; i < 6; i++) b->bound[i] = nums, nums += nbody + 4;
  b->group_box = nums;
  memset(b->low, 0, 11 * ((size_t)nbody + 4) * sizeof(double));
  b->excluded = b->block[2];

  b->model = m;
  b->ngeom = ngeom;
  b->filterparent = !(m->opt.disableflags & mjDSBL_FILTERPARENT);
  b->midphase = !(m->opt.disableflags & mjDSBL_MIDPHASE);
  b->callback = has_contactfilter(m);

  for (int i = 0; i < nbody; i++) {
    b->weld[i] = m->body_weldid[i];
    b->weld_parent[i] = m->body_weldid[m->body_parentid[m->body_weldid[i]]];
  }

  // compact the geoms that some mask can meet
  for (int i = 0; i < nbody; i++) {
    b->begin[i] = b->nactive;
    b->mask_type[i] = m->body_contype[i];
    b->mask_affinity[i] = m->body_conaffinity[i];
    for (int k = 0; k < m->body_geomnum[i]; k++) {
      int g = m->body_geomadr[i] + k;
      if (b->callback || m->geom_contype[g] || m->geom_conaffinity[g]) b->active[b->nactive++] = g;
    }
  }
  b->begin[nbody] = b->nactive;
  for (int k = 0; k < 4; k++) b->active[b->nactive + k] = 0;
  b->nbounded = 0;
  for (int i = 0; i < nbody; i++) {
    if (b->begin[i + 1] > b->begin[i]) b->bounded[b->nbounded++] = i;
  }

  b->nexcluded = m->nexclude;
  for (int i = 0; i < m->nexclude; i++) {
    unsigned s = (unsigned)m->exclude_signature[i];
    b->excluded[i] = signature((int)(s >> 16), (int)(s & 0xFFFF));
  }
  qsort(b->excluded, b->nexcluded, sizeof(uint64_t), compare_u64);
  broad_explicit(b, m);
  for (int i = 0; i < nbody; i++) {
    if (b->weld[i]) b->nmoving += b->begin[i + 1] - b->begin[i];
  }

  b->sweep = b->nbounded > kSweepBodies;
  b->most = b->sweep ? INFINITY : 0;
  b->resort = true;
  b->age = -1;
  if (!b->sweep) return broad_list(b, nbody);
  broad_group(b, m);
  return true;
}

// The box of a geom in its own frame, where that is tighter than the box of its sphere: center,
// half sizes, a radius around it and the margin.
static void broad_extent(snBroad* b, const mjModel* m, int k) {
  int g = b->active[k], type = m->geom_type[g];
  double margin = b->override ? b->o_margin : m->geom_margin[g], *extent = b->extent + 8 * k;
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

// What gaps depend on besides the poses: take it down, and what follows from it.
static void broad_measure(snBroad* b, const mjModel* m) {
  snapshot_take(b, m, 1);
  snapshot_take(b, m, 2);
  b->override = (m->opt.enableflags & mjENBL_OVERRIDE) != 0;
  b->o_margin = m->opt.o_margin;
  b->custom = collide_custom();
  for (int k = 0; k < b->nactive; k++) {
    int g = b->active[k];
    bool plane = m->geom_type[g] == mjGEOM_PLANE;
    double margin = b->override ? b->o_margin : m->geom_margin[g];
    // wider by more than sums round: what is placed by its size meets
    b->r[k] = plane ? INFINITY : (m->geom_rbound[g] + (margin > 0 ? margin : 0)) * (1 + 1e-14);
    b->lever[k] = plane ? 1e300 : m->geom_rbound[g];
    broad_extent(b, m, k);
  }
  b->r[b->nactive] = INFINITY;
}

static bool broad_measured(const snBroad* b, const mjModel* m) {
  return b->override == ((m->opt.enableflags & mjENBL_OVERRIDE) != 0) &&
         !memcmp(&b->o_margin, &m->opt.o_margin, sizeof(double)) && snapshot_holds(b, m, 1) &&
         snapshot_holds(b, m, 2) && b->custom == collide_custom();
}

// A geom of position p and orientation R moves to p', R': none of its points, at most `lever` from
// its center, by more than |p' - p| + lever |R' - R|; the norm is 1/sqrt(2) of the root of the sum
// of squares, for a difference of rotations. All are seen from a frame that moves with their mean,
// which changes no distance. A gap is in doubt by the rounding of the positions. The speed of a
// geom is the lesser travel of two steps, so that one set down elsewhere is not taken for fast.
// True when none has moved farther than the list has room for.
SN_KERNEL static bool broad_travel(snBroad* b, const double* xpos, const double* xmat) {
  sn4 middle = {0, 0, 0, 0};
  for (int k = b->nactive - b->nmoving; k < b->nactive; k++) {
    middle += sn4_load_part(xpos + 3 * b->active[k], 3);
  }
  if (b->nmoving) middle *= 1.0 / b->nmoving;
  sn4 common = middle - sn4_load(b->middle);
  sn4_store(b->middle, middle);
  sn4i inside = {-1, -1, -1, -1};
  sn4 fastest = {0, 0, 0, 0};
  for (int k = 0; k < b->nactive; k += 4) {
    sn4 shift[4], turn[4], far[4];
    SN_UNROLL
    for (int q = 0; q < 4; q++) {
      int g = b->active[k + q];
      const double *p = xpos + 3 * g, *R = xmat + 9 * g;
      double* last = b->last + 12 * (k + q);
      sn4 pos = {p[0], p[1], p[2], R[8]}, low = sn4_load(R), high = sn4_load(R + 4);
      sn4 dp = pos - sn4_load(last), dl = low - sn4_load(last + 4), dh = high - sn4_load(last + 8);
      sn4 corner = {0, 0, 0, dp[3]};
      sn4_store(last, pos);
      sn4_store(last + 4, low);
      sn4_store(last + 8, high);
      far[q] = sn4_abs(pos) * (sn4){1, 1, 1, 0};
      dp -= common + corner;
      shift[q] = dp * dp;
      turn[q] = dl * dl + dh * dh + corner * corner;
    }
    sn4 moved = sn4_sqrt(sn4_sum4(shift[0], shift[1], shift[2], shift[3]));
    sn4 turned = sn4_sqrt(0.5 * sn4_sum4(turn[0], turn[1], turn[2], turn[3]));
    sn4 pace = moved + turned * sn4_load(b->lever + k), travel = sn4_load(b->travel + k) + pace;
    sn4_store(b->speed + k, sn4_min(pace, sn4_load(b->pace + k)));
    sn4_store(b->pace + k, pace);
    sn4_store(b->travel + k, travel);
    sn4_store(b->doubt + k, 1e-8 * (0.5 + sn4_sum4(far[0], far[1], far[2], far[3])));
    sn4i pad = (sn4i){k, k + 1, k + 2, k + 3} >= b->nactive;
    inside &= (travel <= sn4_load(b->reach + k)) | pad;
    fastest = sn4_max(sn4_select(pad, sn4_set1(0), pace), fastest);
  }
  b->run += 2 * sn_max(sn_max(fastest[0], fastest[1]), sn_max(fastest[2], fastest[3]));
  return inside[0] & inside[1] & inside[2] & inside[3];
}

// The box of active geom k in world axes: |R| half, and a radius.
SN_INLINE void broad_box(snBroad* b, const mjData* d, int k) {
  int g = b->active[k];
  const double *extent = b->extent + 8 * k, *R = d->geom_xmat + 9 * g;
  sn4 c0 = {R[0], R[3], R[6], 0}, c1 = {R[1], R[4], R[7], 0}, c2 = {R[2], R[5], R[8], 0};
  sn4 center =
      sn4_load_part(d->geom_xpos + 3 * g, 3) + (c0 * extent[0] + c1 * extent[1] + c2 * extent[2]);
  sn4 reach = sn4_abs(c0) * extent[3] + sn4_abs(c1) * extent[4] + sn4_abs(c2) * extent[5];
  reach = (reach + extent[6]) * (1 + 1e-12) + extent[7];
  sn4_store(b->geom_box + 8 * k, center - reach);
  sn4_store(b->geom_box + 8 * k + 4, center + reach);
}

SN_INLINE const double* broad_boxed(snBroad* b, const mjData* d, int k) {
  if (b->boxed[k] != b->step) {
    broad_box(b, d, k);
    b->boxed[k] = b->step;
  }
  return b->geom_box + 8 * k;
}

// The gap between the bounding spheres of four near pairs, 0 when they overlap.
SN_INLINE sn4 broad_spheres(const snBroad* b, const int at[4]) {
  sn4 way[4];
  double r[4];
  SN_UNROLL
  for (int q = 0; q < 4; q++) {
    const snSleep* s = b->sleep + at[q];
    way[q] = sn4_load(b->last + 12 * s->a1) - sn4_load(b->last + 12 * s->a2);
    r[q] = b->r[s->a1] + b->r[s->a2];
  }
  sn4_transpose(&way[0], &way[1], &way[2], &way[3]);
  sn4 dist2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
  sn4 reach = {r[0], r[1], r[2], r[3]};
  return sn4_select(dist2 > reach * reach, sn4_sqrt(dist2) - reach, sn4_set1(0));
}

// Keep a pair of the list, which is n long by now, unless it is apart; then it may sleep. Nothing
// tells beforehand which it is: no branch does.
SN_INLINE int awake_keep(snBroad* b, int n, int k, double gap) {
  double wake = broad_wake(b, b->sleep + k, gap);
  bool apart = gap > 0;
  b->sleep[k].wake = apart & b->near[k].sleeps ? wake : b->sleep[k].wake;
  b->awake[n] = k;
  return n + !apart;
}

// List the pairs of block i that do not sleep behind n others. When all sleep, none wakes before
// the two fastest geoms together have gone as far as the least of them has left.
SN_INLINE size_t awake_block(snBroad* b, size_t n, int i) {
  const double* travel = b->travel;
  sn4 least = sn4_set1(INFINITY);
  unsigned awake = 0;
  for (int k = 0; k < kBlock; k += 4) {
    const snSleep* s = b->sleep + kBlock * i + k;
    sn4 first = {travel[s[0].a1], travel[s[1].a1], travel[s[2].a1], travel[s[3].a1]};
    sn4 second = {travel[s[0].a2], travel[s[1].a2], travel[s[2].a2], travel[s[3].a2]};
    sn4 left = (sn4){s[0].wake, s[1].wake, s[2].wake, s[3].wake} - (first + second);
    least = sn4_min(left, least);
    awake |= (15 & ~sn4_bits(left >= 0)) << k;
  }
  double next = sn_min(sn_min(least[0], least[1]), sn_min(least[2], least[3]));
  b->due[i] = awake ? -INFINITY : b->run + next;
  for (; awake; awake &= awake - 1) b->awake[n++] = kBlock * i + __builtin_ctz(awake);
  return n;
}

SN_KERNEL int broad_awake(snBroad* b, const mjData* d) {
  int *list = b->awake, left = 0;
  size_t n = 0;
  for (int i = 0; kBlock * i < b->nnear; i++) {
    if (!(b->run <= b->due[i])) n = awake_block(b, n, i);
  }
  for (size_t i = 0; i < n; i += 4) {
    int at[4];
    for (size_t q = 0; q < 4; q++) at[q] = list[i + q < n ? i + q : n - 1];
    sn4 gap = broad_spheres(b, at);
    for (size_t q = 0; q < 4 && i + q < n; q++) left = awake_keep(b, left, at[q], gap[q]);
  }
  n = (size_t)left, left = 0;
  for (size_t i = 0; i < n; i++) {
    int k = list[i], a1 = b->sleep[k].a1, a2 = b->sleep[k].a2;
    if (b->near[k].boxes) {
      left = awake_keep(b, left, k, bounds_gap(broad_boxed(b, d, a1), broad_boxed(b, d, a2)));
    } else {
      list[left++] = k;
    }
  }
  return left;
}

// Wide boxes of the active geoms and of their bodies: wider by a tenth of the mean radius, and by
// where a geom gets to in some steps, so that one that is fast alone does not end the list soon.
SN_KERNEL static void broad_widen(snBroad* b, const mjData* d) {
  double sum = 0;
  int n = 0;
  for (int k = 0; k < b->nactive; k++) {
    if (isfinite(b->r[k])) sum += b->r[k], n++;
    broad_box(b, d, k);
  }
  double least = n ? sn_min(0.1 * sum / n, kFarthest) : 0;
  for (int k = 0; k < b->nactive; k++) {
    double far = least + b->ahead * b->speed[k];
    b->reach[k] = isnan(far) ? least : sn_min(far, kFarthest);
  }
  for (int o = 0; o < b->nbounded; o++) {
    int body = b->bounded[o];
    sn4 low = sn4_set1(INFINITY), high = sn4_set1(-INFINITY);
    for (int k = b->begin[body]; k < b->begin[body + 1]; k++) {
      sn4 l = sn4_load(b->geom_box + 8 * k) - b->reach[k];
      sn4 h = sn4_load(b->geom_box + 8 * k + 4) + b->reach[k];
      sn4_store(b->wide + 8 * k, l);
      sn4_store(b->wide + 8 * k + 4, h);
      low = sn4_min(l, low);
      high = sn4_max(h, high);
    }
    sn4_store(b->box + 8 * body, low);
    sn4_store(b->box + 8 * body + 4, high);
    SN_UNROLL
    for (int i = 0; i < 3; i++) b->bound[i][o] = low[i], b->bound[3 + i][o] = high[i];
  }
  for (int g = 0; g < b->ngroup; g++) {
    sn4 low = sn4_set1(INFINITY), high = sn4_set1(-INFINITY);
    for (int o = b->group[g]; o < b->group[g + 1]; o++) {
      low = sn4_min(sn4_load(b->box + 8 * b->bounded[o]), low);
      high = sn4_max(sn4_load(b->box + 8 * b->bounded[o] + 4), high);
    }
    sn4_store(b->group_box + 8 * g, low);
    sn4_store(b->group_box + 8 * g + 4, high);
  }
}

static bool near_room(snBroad* b, int need) {
  if (need <= b->near_capacity) return true;
  int more = 0, same = b->near_capacity;
  snNear* near = list_grow(b->near, &same, need, sizeof *near);
  if (near) b->near = near;
  same = b->near_capacity;
  snSleep* sleep = near ? list_grow(b->sleep, &same, need, sizeof *sleep) : NULL;
  if (sleep) b->sleep = sleep;
  same = b->near_capacity;
  double* due = sleep ? list_grow(b->due, &same, need, sizeof *due) : NULL;
  if (due) b->due = due;
  int* awake = due ? list_grow(NULL, &more, need, sizeof *awake) : NULL;
  if (!awake) return false;  // the others have more room than is said
  memory_free(b->awake);
  b->awake = awake;
  b->near_capacity = more;
  return true;
}

static bool near_push(snBroad* b, snNear n, snSleep s) {
  if (!near_room(b, b->nnear + 1)) return false;
  b->sleep[b->nnear] = s;
  b->near[b->nnear++] = n;
  return true;
}

// The last pair goes to its place by numbers among those from `first` on.
static void near_sort(snBroad* b, int first) {
  int k = b->nnear - 1;
  snNear n = b->near[k];
  snSleep s = b->sleep[k];
  for (; k > first; k--) {
    const snNear* o = b->near + k - 1;
    if (o->g1 < n.g1 || (o->g1 == n.g1 && o->g2 < n.g2)) break;
    b->near[k] = *o;
    b->sleep[k] = b->sleep[k - 1];
  }
  b->near[k] = n;
  b->sleep[k] = s;
}

static bool is_explicit(const snBroad* b, const mjModel* m, const snBodyPair* p, int g1, int g2) {
  for (int k = p->first; k < p->first + p->num; k++) {
    int a = m->pair_geom1[b->explicit_id[k]], c = m->pair_geom2[b->explicit_id[k]];
    if ((a == g1 && c == g2) || (a == g2 && c == g1)) return true;
  }
  return false;
}

// Are there no contacts, whatever the collider does, when these geoms are farther apart than their
// margin? Fields are searched, and boxes within a margin follow the axes that part them.
static bool gap_decides(const mjModel* m, int g1, int g2) {
  int type1 = m->geom_type[g1], type2 = m->geom_type[g2];
  if (type1 == mjGEOM_HFIELD || type2 == mjGEOM_SDF) return false;
  return type1 != mjGEOM_BOX || type2 != mjGEOM_BOX || contact_margin(m, -1, g1, g2) == 0;
}

// The near geoms of two bodies: explicit pairs as in the model, then by numbers, the geom of the
// lower type first. Without the mid phase they come by the numbers of either body.
SN_INLINE bool near_bodies(snBroad* b, const mjModel* m, const snBodyPair* p) {
  for (int k = p->first; k < p->first + p->num; k++) {
    int e = b->explicit_id[k];
    snNear n = {m->pair_geom1[e], m->pair_geom2[e], e, false, false, false, false, false};
    if (!near_push(b, n, (snSleep){-INFINITY, b->nactive, b->nactive})) return false;
  }
  if (!p->dynamic) return true;
  if (!b->sweep && !boxes_meet(b->box + 8 * p->body1, b->box + 8 * p->body2)) return true;
  int first = b->nnear;
  bool mid = b->midphase && (m->body_geomnum[p->body1] > 1 || m->body_geomnum[p->body2] > 1);
  for (int i = b->begin[p->body1]; i < b->begin[p->body1 + 1]; i++) {
    for (int j = b->begin[p->body2]; j < b->begin[p->body2 + 1]; j++) {
      if (!boxes_meet(b->wide + 8 * i, b->wide + 8 * j)) continue;
      int g1 = b->active[i], g2 = b->active[j];
      if (!b->callback && !(m->geom_contype[g1] & m->geom_conaffinity[g2]) &&
          !(m->geom_contype[g2] & m->geom_conaffinity[g1])) {
        continue;
      }
      if (p->num && is_explicit(b, m, p, g1, g2)) continue;
      bool swap = m->geom_type[g1] > m->geom_type[g2];
      if (swap) {
        int other = g1;
        g1 = g2;
        g2 = other;
      }
      bool sleeps = !b->callback && !b->custom && gap_decides(m, g1, g2);
      // the distance of balls and capsules costs little more than boxes, and is longer
      bool boxes = m->geom_type[g2] > mjGEOM_CAPSULE;
      bool direct = !b->custom && collide_is_direct(m->geom_type[g1], m->geom_type[g2]);
      bool box_box = direct && m->geom_type[g1] == mjGEOM_BOX;
      snSleep s = {-INFINITY, i, j};
      double gap = bounds_gap(b->geom_box + 8 * i, b->geom_box + 8 * j);
      if (sleeps && gap > 0) s.wake = broad_wake(b, &s, gap);
      b->nclose += 2 * gap <= b->reach[i] + b->reach[j];
      if (!near_push(b, (snNear){g1, g2, -1, sleeps, boxes, direct, box_box, mid}, s)) return false;
      if (b->midphase) near_sort(b, first);
    }
  }
  return true;
}

SN_KERNEL static bool near_all(snBroad* b, const mjModel* m) {
  for (int i = 0; i < b->npair; i++) {
    if (!near_bodies(b, m, b->pair + i)) return false;
  }
  return true;
}

// Cycles per step for a list of so many pairs that lasts so many steps: to sweep or to test all
// pairs, to add those near, and to look at them in every step, which takes longer where the list is
// too long for the nearest cache.
static double list_cost(const snBroad* b, double near, double life) {
  enum { kTest = 12, kSweep = 160, kAdd = 160, kLook = 4, kLookFar = 12 };
  double make = b->sweep ? (double)kSweep * b->nactive : kTest * b->most;
  return (make + kAdd * near) / life + (b->sweep ? kLookFar : kLook) * near;
}

// Twice the room lasts about twice as long, and adds pairs by the factor by which the last doubling
// did; room for very many steps has all pairs, of small models. Go where steps cost clearly less.
static void list_choose(snBroad* b) {
  enum { kMost = 1024 };
  double near = b->nnear, life = b->age + 1, growth = near / sn_max(b->nclose, 1);
  double least = 0.9 * list_cost(b, near, life);
  double wide = list_cost(b, sn_min(growth * near, b->most), 2 * life);
  double narrow = list_cost(b, near / growth, sn_max(life / 2, 1));
  double all = list_cost(b, b->most, sn_max(life, kMost));
  int ahead = b->ahead;
  if (ahead < kMost && wide < least) b->ahead = ahead ? 2 * ahead : 1, least = wide;
  if (ahead && narrow < least) b->ahead = ahead / 2, least = narrow;
  if (all < least) b->ahead = kMost;
}

// Make the list anew.
static bool broad_list_near(snBroad* b, const mjModel* m, const mjData* d) {
  if (b->age >= 0) list_choose(b);
  b->nclose = 0;
  b->age = -1;
  b->nnear = 0;
  b->run = 0;
  memset(b->travel, 0, b->nactive * sizeof(double));
  broad_widen(b, d);
  if (b->sweep && !broad_sweep(b)) return false;
  if (!near_all(b, m)) return false;
  b->age = 0;
  // lists of other steps and with more room are not much longer: this once is enough
  enum { kGrowth = 8 };
  int most = (int)sn_min(kGrowth * (double)b->nnear, b->most + b->nexplicit);
  if (!near_room(b, most + kBlock)) return false;
  for (int i = 0; kBlock * i < b->nnear; i++) b->due[i] = -INFINITY;
  for (int k = b->nnear; k % kBlock; k++) b->sleep[k] = (snSleep){INFINITY, 0, 0};
  return !b->sweep || broad_pair_room(b, kGrowth * b->npair);
}

int64_t broad_mixing(snBroad* b, const mjModel* m) {
  if (b->mixed != b->step) {
    b->mixed = b->step;
    if (!snapshot_holds(b, m, 3) || !snapshot_holds(b, m, 4)) {
      snapshot_take(b, m, 3);
      snapshot_take(b, m, 4);
      b->mixing++;
    }
  }
  return b->mixing;
}

bool broad_refresh(snBroad* b, const mjModel* m, const mjData* d) {
  b->step++;
  if (b->model != m || b->ngeom != m->ngeom ||
      b->filterparent != !(m->opt.disableflags & mjDSBL_FILTERPARENT) ||
      b->midphase != !(m->opt.disableflags & mjDSBL_MIDPHASE) ||
      b->callback != has_contactfilter(m) || !snapshot_holds(b, m, 0) || !snapshot_holds(b, m, 5)) {
    if (!broad_rebuild(b, m)) return false;
    broad_measure(b, m);
  }
  if (!b->sweep && !b->npair) return true;  // nothing can meet
  if (!broad_measured(b, m)) {
    broad_measure(b, m);
    b->age = -1;
  }
  bool inside = broad_travel(b, d->geom_xpos, d->geom_xmat);
  if (b->age < 0 || b->age >= kOldest || !inside) return broad_list_near(b, m, d);
  b->age++;
  return true;
}
