// The near list: geom pairs that may meet before the list is rebuilt, and which of them a step has
// to look at.
//
// A pair found apart by a gap sleeps until its two geoms have traveled that far (travel.c). In most
// steps a sleeping pair costs a quarter of a SIMD comparison, or nothing when its whole block of
// kBlock pairs sleeps. A larger reach makes the list last longer and grow longer; list_choose
// adjusts the reach by a model of the cost.
#include "collide/broad.h"

#include "collide/cache.h"

// The box of active geom k in world axes, computed at most once in a step.
SN_INLINE const double* boxed(snBroad* b, const mjData* d, int k) {
  if (b->bounds.boxed[k] != b->bounds.step) {
    bounds_box(b, d, k);
    b->bounds.boxed[k] = b->bounds.step;
  }
  return b->bounds.geom_box + 8 * k;
}

// The gap between the bounding spheres of four near pairs, 0 when they overlap.
SN_INLINE sn4 spheres_gaps(const snBroad* b, const int at[4]) {
  sn4 way[4];
  double r[4];
  SN_UNROLL
  for (int q = 0; q < 4; q++) {
    const snSleep* s = b->list.sleep + at[q];
    way[q] = sn4_load(b->travel.last + 12 * s->a1) - sn4_load(b->travel.last + 12 * s->a2);
    r[q] = b->bounds.r[s->a1] + b->bounds.r[s->a2];
  }
  sn4_transpose(&way[0], &way[1], &way[2], &way[3]);
  sn4 dist2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
  sn4 reach = {r[0], r[1], r[2], r[3]};
  return sn4_select(dist2 > reach * reach, sn4_sqrt(dist2) - reach, sn4_set1(0));
}

// Append pair k to the awake list of length n unless gap > 0; a pair with a gap goes to sleep if
// its types allow. Whether a pair has a gap is unpredictable, so the code has no branch that could
// be mispredicted: the entry is written in any case, and n advances or not. A pair without a gap
// gets a `wake` that is already past.
SN_INLINE int awake_keep(snBroad* b, int n, int k, double gap) {
  static const double kSleeps[2] = {-INFINITY, 0};
  b->list.sleep[k].wake = near_wake(b, b->list.sleep + k, gap) + kSleeps[b->list.near[k].sleeps];
  b->list.awake[n] = k;
  return n + !(gap > 0);
}

// Append the awake pairs of block i to the n listed ones. When all pairs of the block sleep, the
// block is due again when twice the travel of the fastest geom (travel.run) has used up the
// smallest remainder.
SN_INLINE size_t awake_block(snBroad* b, size_t n, int i) {
  const double* travel = b->travel.sum;
  sn4 least = sn4_set1(INFINITY);
  unsigned awake = 0;
  for (int k = 0; k < kBlock; k += 4) {
    const snSleep* s = b->list.sleep + kBlock * i + k;
    sn4 first = {travel[s[0].a1], travel[s[1].a1], travel[s[2].a1], travel[s[3].a1]};
    sn4 second = {travel[s[0].a2], travel[s[1].a2], travel[s[2].a2], travel[s[3].a2]};
    sn4 left = (sn4){s[0].wake, s[1].wake, s[2].wake, s[3].wake} - (first + second);
    least = sn4_min(left, least);
    awake |= (15 & ~sn4_bits(left >= 0)) << k;
  }
  double next = sn_min(sn_min(least[0], least[1]), sn_min(least[2], least[3]));
  SN_ASSERT(n + (size_t)__builtin_popcount(awake) <= (size_t)b->list.capacity);
  b->list.due[i] = awake ? -INFINITY : b->travel.run + next;
  for (; awake; awake &= awake - 1) b->list.awake[n++] = kBlock * i + __builtin_ctz(awake);
  return n;
}

SN_KERNEL int near_awake(snBroad* b, const mjData* d) {
  int *list = b->list.awake, left = 0;
  size_t n = 0;
  for (int i = 0; kBlock * i < b->list.n; i++) {
    if (!(b->travel.run <= b->list.due[i])) n = awake_block(b, n, i);
  }
  for (size_t i = 0; i < n; i += 4) {
    int at[4];
    for (size_t q = 0; q < 4; q++) at[q] = list[i + q < n ? i + q : n - 1];
    sn4 gap = spheres_gaps(b, at);
    for (size_t q = 0; q < 4 && i + q < n; q++) left = awake_keep(b, left, at[q], gap[q]);
  }
  SN_ASSERT(n <= (size_t)b->list.capacity && left <= b->list.n);
  n = (size_t)left, left = 0;
  for (size_t i = 0; i < n; i++) {
    int k = list[i], a1 = b->list.sleep[k].a1, a2 = b->list.sleep[k].a2;
    if (b->list.near[k].boxes) {
      left = awake_keep(b, left, k, bounds_gap(boxed(b, d, a1), boxed(b, d, a2)));
    } else {
      list[left++] = k;
    }
  }
  return left;
}

static bool near_room(snBroad* b, int need) {
  if (need <= b->list.capacity) return true;
  int more = 0, same = b->list.capacity;
  snNear* near = list_grow(b->list.near, &same, need, sizeof *near);
  if (near) b->list.near = near;
  same = b->list.capacity;
  snSleep* sleep = near ? list_grow(b->list.sleep, &same, need, sizeof *sleep) : NULL;
  if (sleep) b->list.sleep = sleep;
  same = b->list.capacity;
  double* due = sleep ? list_grow(b->list.due, &same, need, sizeof *due) : NULL;
  if (due) b->list.due = due;
  int* awake = due ? list_grow(NULL, &more, need, sizeof *awake) : NULL;
  if (!awake) return false;  // arrays grown so far have more room than `capacity` says
  memory_free(b->list.awake);
  b->list.awake = awake;
  b->list.capacity = more;
  return true;
}

void near_free(snNearList* list) {
  memory_free(list->near);
  memory_free(list->sleep);
  memory_free(list->awake);
  memory_free(list->due);
}

static bool near_push(snBroad* b, snNear n, snSleep s) {
  if (!near_room(b, b->list.n + 1)) return false;
  b->list.sleep[b->list.n] = s;
  b->list.near[b->list.n++] = n;
  return true;
}

// Insertion sort of the last pair by geom numbers among the pairs from `first` on.
static void near_sort(snBroad* b, int first) {
  int k = b->list.n - 1;
  SN_ASSERT(k >= first);
  snNear n = b->list.near[k];
  snSleep s = b->list.sleep[k];
  for (; k > first; k--) {
    const snNear* o = b->list.near + k - 1;
    if (o->g1 < n.g1 || (o->g1 == n.g1 && o->g2 < n.g2)) break;
    b->list.near[k] = *o;
    b->list.sleep[k] = b->list.sleep[k - 1];
  }
  b->list.near[k] = n;
  b->list.sleep[k] = s;
}

static bool is_explicit(const snBroad* b, const mjModel* m, const snBodyPair* p, int g1, int g2) {
  for (int k = p->first; k < p->first + p->num; k++) {
    int a = m->pair_geom1[b->bodies.explicit_id[k]], c = m->pair_geom2[b->bodies.explicit_id[k]];
    if ((a == g1 && c == g2) || (a == g2 && c == g1)) return true;
  }
  return false;
}

// Does a gap larger than the margin prove that the pair has no contact? Not for height fields and
// signed distance fields, whose searches may end elsewhere, nor for two boxes with a margin, whose
// collider reports contacts by separating axes.
static bool gap_decides(const mjModel* m, int g1, int g2) {
  int type1 = m->geom_type[g1], type2 = m->geom_type[g2];
  if (type1 == mjGEOM_HFIELD || type2 == mjGEOM_SDF) return false;
  return type1 != mjGEOM_BOX || type2 != mjGEOM_BOX || contact_margin(m, -1, g1, g2) == 0;
}

// Append the near geom pairs of two bodies: explicit pairs in the model's order, then dynamic pairs
// by geom numbers, the geom of the lower type first. With the mid phase disabled, dynamic pairs
// stay in the order of the double loop.
SN_INLINE bool near_bodies(snBroad* b, const mjModel* m, const snBodyPair* p) {
  for (int k = p->first; k < p->first + p->num; k++) {
    int e = b->bodies.explicit_id[k];
    snNear n = {m->pair_geom1[e], m->pair_geom2[e], e, false, false, false, false, false};
    if (!near_push(b, n, (snSleep){-INFINITY, b->bodies.nactive, b->bodies.nactive})) return false;
  }
  if (!p->dynamic) return true;
  if (!b->sweep.on && !boxes_meet(b->bounds.box + 8 * p->body1, b->bounds.box + 8 * p->body2))
    return true;
  int first = b->list.n;
  bool mid =
      b->snapshot.midphase && (m->body_geomnum[p->body1] > 1 || m->body_geomnum[p->body2] > 1);
  for (int i = b->bodies.begin[p->body1]; i < b->bodies.begin[p->body1 + 1]; i++) {
    for (int j = b->bodies.begin[p->body2]; j < b->bodies.begin[p->body2 + 1]; j++) {
      if (!boxes_meet(b->bounds.wide + 8 * i, b->bounds.wide + 8 * j)) continue;
      int g1 = b->bodies.active[i], g2 = b->bodies.active[j];
      if (!b->snapshot.callback && !(m->geom_contype[g1] & m->geom_conaffinity[g2]) &&
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
      bool sleeps = !b->snapshot.callback && !b->snapshot.custom && gap_decides(m, g1, g2);
      // for spheres and capsules the collider costs little more than a box test
      bool boxes = m->geom_type[g2] > mjGEOM_CAPSULE;
      bool direct = !b->snapshot.custom && collide_is_direct(m->geom_type[g1], m->geom_type[g2]);
      bool box_box = direct && m->geom_type[g1] == mjGEOM_BOX;
      snSleep s = {-INFINITY, i, j};
      double gap = bounds_gap(b->bounds.geom_box + 8 * i, b->bounds.geom_box + 8 * j);
      if (sleeps && gap > 0) s.wake = near_wake(b, &s, gap);
      b->list.nclose += 2 * gap <= b->list.reach[i] + b->list.reach[j];
      if (!near_push(b, (snNear){g1, g2, -1, sleeps, boxes, direct, box_box, mid}, s)) return false;
      if (b->snapshot.midphase) near_sort(b, first);
    }
  }
  return true;
}

SN_KERNEL static bool near_all(snBroad* b, const mjModel* m) {
  for (int i = 0; i < b->bodies.npair; i++) {
    if (!near_bodies(b, m, b->bodies.pair + i)) return false;
  }
  return true;
}

// Estimated cycles per step for a list of `near` pairs that lasts `life` steps: to sweep, or to
// test all pairs; to append the near ones; and to look at them in every step, which takes longer
// where the list exceeds the L1 cache.
static double list_cost(const snBroad* b, double near, double life) {
  enum { kTest = 12, kSweep = 160, kAdd = 160, kLook = 4, kLookFar = 12 };
  double make = b->sweep.on ? (double)kSweep * b->bodies.nactive : kTest * b->list.most;
  return (make + kAdd * near) / life + (b->sweep.on ? kLookFar : kLook) * near;
}

// A change of the reach must bring the cost below this share.
static const double kWorth = 0.9;

// Double, keep or halve the reach. Twice the reach lasts about twice as long and multiplies the
// pairs by the same factor as the last doubling did; a reach of very many steps lists all pairs of
// a small model. A change must save at least a tenth.
static void list_choose(snBroad* b) {
  enum { kMost = 1024 };
  double near = b->list.n, life = b->list.age + 1, growth = near / sn_max(b->list.nclose, 1);
  double least = kWorth * list_cost(b, near, life);
  double wide = list_cost(b, sn_min(growth * near, b->list.most), 2 * life);
  double narrow = list_cost(b, near / growth, sn_max(life / 2, 1));
  double all = list_cost(b, b->list.most, sn_max(life, kMost));
  int ahead = b->list.ahead;
  if (ahead < kMost && wide < least) b->list.ahead = ahead ? 2 * ahead : 1, least = wide;
  if (ahead && narrow < least) b->list.ahead = ahead / 2, least = narrow;
  if (all < least) b->list.ahead = kMost;
}

bool near_make(snBroad* b, const mjModel* m, const mjData* d) {
  if (b->list.age >= 0) list_choose(b);
  b->list.nclose = 0;
  b->list.age = -1;
  b->list.n = 0;
  b->travel.run = 0;
  memset(b->travel.sum, 0, b->bodies.nactive * sizeof(double));
  bounds_widen(b, d);
  if (b->sweep.on && !sweep_bodies(b)) return false;
  if (!near_all(b, m)) return false;
  // reserve for lists of later steps: no reallocation once sizes have settled
  enum { kGrowth = 8 };
  int most = (int)sn_min(kGrowth * (double)b->list.n, b->list.most + b->bodies.nexplicit);
  if (!near_room(b, most + kBlock)) return false;
  for (int i = 0; kBlock * i < b->list.n; i++) b->list.due[i] = -INFINITY;
  SN_ASSERT(b->list.n + kBlock <= b->list.capacity);
  for (int k = b->list.n; k % kBlock; k++) b->list.sleep[k] = (snSleep){INFINITY, 0, 0};
  if (b->sweep.on && !bodies_room(&b->bodies, kGrowth * b->bodies.npair)) return false;
  b->list.age = 0;
  return true;
}
