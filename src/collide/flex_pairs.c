// Pairs of flex elements that may meet: sweep and prune over enlarged boxes, made again when an
// element leaves its enlarged box. The enlargement doubles or halves so that a list lasts between
// kShortLife and kLongLife steps.
#include "data/frame.h"
#include "collide/flex_pairs.h"

#include "collide/broad.h"

// Enlargement of boxes in units of their mean half size: at first, and at most.
static const double kRoom = 0.4, kMostRoom = 0.8;

// Ages in steps at which a list gets larger or smaller boxes.
enum { kShortLife = 8, kLongLife = 80 };

// Relative rounding error of boxes, an upper bound.
static const double kSlack = 1e-12;

bool element_active(const mjModel* m, int flex, int element) {
  return m->flex_dim[flex] < 3 ||
         m->flex_elemlayer[m->flex_elemadr[flex] + element] < m->flex_activelayers[flex];
}

static void pairs_free(snElementPairs* p) {
  memory_free(p->pair);
  memory_free(p->active);
  memory_free(p->wide);
  *p = (snElementPairs){0};
}

void element_lists_free(snElementLists* lists) {
  for (int i = 0; i < lists->n; i++) pairs_free(lists->list + i);
  memory_free(lists->list);
  memory_free(lists->key);
  *lists = (snElementLists){0};
}

// Is the list valid for these flexes as the model has them now?
static bool pairs_known(const snElementPairs* p, const mjModel* m, const int flex[2],
                        double reach) {
  return p->known && p->model == m && p->flex[0] == flex[0] && p->flex[1] == flex[1] &&
         p->layers[0] == m->flex_activelayers[flex[0]] &&
         p->layers[1] == m->flex_activelayers[flex[1]] && p->reach == reach;
}

// The common motion of the elements of one flex; two flexes have none.
static snVec pairs_mean(const snElementPairs* p, const double* aabb) {
  snVec sum = v3(0, 0, 0);
  if (p->flex[0] != p->flex[1] || !p->nactive) return sum;
  for (int i = 0; i < p->nactive; i++) sum = v_add(sum, v_of(aabb + 6 * (size_t)p->active[i]));
  return v_scale(sum, 1.0 / p->nactive);
}

// Is every element inside its enlarged box, after the common motion is subtracted?
SN_KERNEL static bool pairs_hold(const snElementPairs* p, const double* aabb) {
  snVec mean = pairs_mean(p, aabb);
  sn4 shift = {mean.x - p->mean[0], mean.y - p->mean[1], mean.z - p->mean[2], 0};
  sn4i out = {0, 0, 0, 0};
  for (int i = 0; i < p->nactive; i++) {
    const double *box = aabb + 6 * (size_t)p->active[i], *wide = p->wide + 8 * (size_t)i;
    sn4 size = sn4_load(box + 2), center = sn4_load(box) - shift;
    size = __builtin_shufflevector(size, size, 1, 2, 3, 0);
    out |= ~((center - size >= sn4_load(wide)) & (center + size <= sn4_load(wide + 4)));
  }
  return !(out[0] | out[1] | out[2]);
}

// List the active elements and allocate their boxes.
static bool pairs_elements(snElementPairs* p, const mjModel* m, const int flex[2], double reach) {
  int nflex = flex[0] == flex[1] ? 1 : 2, total = 0;
  for (int f = 0; f < nflex; f++) total += m->flex_elemnum[flex[f]];
  pairs_free(p);
  p->active = memory_alloc(((size_t)total + 1) * sizeof(int));
  p->wide = memory_alloc(8 * ((size_t)total + 1) * sizeof(double));
  if (!p->active || !p->wide) return false;
  for (int f = 0; f < nflex; f++) {
    for (int e = 0; e < m->flex_elemnum[flex[f]]; e++) {
      if (element_active(m, flex[f], e)) p->active[p->nactive++] = m->flex_elemadr[flex[f]] + e;
    }
  }
  p->model = m;
  p->reach = reach;
  p->room = kRoom;
  for (int f = 0; f < 2; f++) {
    p->flex[f] = flex[f];
    p->layers[f] = m->flex_activelayers[flex[f]];
  }
  return true;
}

// Do two elements share a vertex, or a body that their vertices are fixed to? Then they do not
// collide.
static bool share_body(const mjModel* m, int flex, int e1, int e2) {
  int n = m->flex_dim[flex] + 1;
  const int* elem = m->flex_elem + m->flex_elemdataadr[flex];
  const int* body = m->flex_vertbodyid + m->flex_vertadr[flex];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      int a = elem[n * e1 + i], b = elem[n * e2 + j];
      if (a == b || (body[a] == body[b] && body[a] >= 0)) return true;
    }
  }
  return false;
}

static bool pairs_room(snElementPairs* p, int need) {
  if (need <= p->capacity) return true;
  int capacity = 2 * need + 64;
  snElementPair* grown =
      memory_resize(p->pair, (size_t)p->capacity * sizeof *grown, (size_t)capacity * sizeof *grown);
  if (!grown) return false;
  p->pair = grown;
  p->capacity = capacity;
  return true;
}

// Enlarge the boxes. Returns the axis with the largest variance of centers.
static int pairs_widen(snElementPairs* p, const double* aabb) {
  double sum[3] = {0, 0, 0}, sum2[3] = {0, 0, 0}, size = 0;
  int n = p->nactive, axis = 0;
  for (int i = 0; i < n; i++) {
    const double* box = aabb + 6 * (size_t)p->active[i];
    for (int k = 0; k < 3; k++) {
      sum[k] += box[k], sum2[k] += box[k] * box[k];
      size += box[3 + k];
    }
  }
  for (int k = 1; k < 3 && n; k++) {
    if (sum2[k] - sum[k] * sum[k] / n > sum2[axis] - sum[axis] * sum[axis] / n) axis = k;
  }
  double room = n ? p->room * size / (3 * n) : 0;
  for (int i = 0; i < n; i++) {
    const double* box = aabb + 6 * (size_t)p->active[i];
    double* wide = p->wide + 8 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      wide[k] = box[k] - box[3 + k] - room;
      wide[4 + k] = box[k] + box[3 + k] + room;
    }
    wide[3] = wide[7] = 0;
  }
  v_store(p->mean, pairs_mean(p, aabb));
  return axis;
}

// Arrays of the sweep: bounds in the order along an axis.
typedef struct snElementSweep_ {
  double *low, *high, *side[4];
  int *order, *found, *start;
} snElementSweep;

static bool sweep_allocate(mjData* d, snElementSweep* s, int n, int nelem) {
  size_t pad = (size_t)n + 4;
  return FRAME(memory_of(d), SN_ARRAY(s->low, pad), SN_ARRAY(s->high, pad),
               SN_ARRAY(s->side[0], pad), SN_ARRAY(s->side[1], pad), SN_ARRAY(s->side[2], pad),
               SN_ARRAY(s->side[3], pad), SN_ARRAY(s->order, pad), SN_ARRAY(s->found, pad),
               SN_ARRAY(s->start, (size_t)nelem + 1));
}

// Sort the enlarged boxes. Padding behind the last never overlaps.
static void sweep_fill(snElementSweep* s, const snElementPairs* p, int axis) {
  int n = p->nactive, other1 = (axis + 1) % 3, other2 = (axis + 2) % 3;
  for (int i = 0; i < n; i++) s->order[i] = i;
  sweep_sort(s->order, s->found, n, p->wide + axis, 8);
  for (int o = 0; o < n; o++) {
    const double* wide = p->wide + 8 * (size_t)s->order[o];
    // a margin for rounding
    double reach =
        p->reach + kSlack * (1 + p->reach + fabs(wide[0]) + fabs(wide[1]) + fabs(wide[2]) +
                             fabs(wide[4]) + fabs(wide[5]) + fabs(wide[6]));
    s->low[o] = wide[axis], s->high[o] = wide[4 + axis] + reach;
    s->side[0][o] = wide[other1] - reach, s->side[1][o] = wide[4 + other1];
    s->side[2][o] = wide[other2] - reach, s->side[3][o] = wide[4 + other2];
  }
  for (int k = n; k < n + 4; k++) {
    s->low[k] = INFINITY;
    for (int i = 0; i < 4; i++) s->side[i][k] = 0;
  }
}

static bool keys_room(snElementLists* lists, int need) {
  if (need <= lists->capacity) return true;
  int capacity = 2 * need + 256;
  uint64_t* grown = memory_resize(lists->key, 2 * (size_t)lists->capacity * sizeof *grown,
                                  2 * (size_t)capacity * sizeof *grown);
  if (!grown) return false;
  lists->key = grown;
  lists->capacity = capacity;
  return true;
}

// Keys of the pairs of active elements whose enlarged boxes are within reach; -1 when out of
// memory.
static int sweep_pairs(const mjModel* m, const snElementPairs* p, snElementSweep* s,
                       snElementLists* lists) {
  int second = m->flex_elemadr[p->flex[1]], nkey = 0;
  bool self = p->flex[0] == p->flex[1];
  for (int o = 0; o < p->nactive; o++) {
    int a = p->active[s->order[o]];
    int num = sweep_ahead(s->low, s->side, p->nactive, o, s->high[o], s->found);
    if (!keys_room(lists, nkey + num)) return -1;
    for (int k = 0; k < num; k++) {
      int b = p->active[s->order[s->found[k]]];
      if (!self && (a >= second) == (b >= second)) continue;
      int low = a < b ? a : b, high = a < b ? b : a;
      if (self && share_body(m, p->flex[0], low - second, high - second)) continue;
      lists->key[nkey++] = (uint64_t)low << 32 | (uint32_t)high;
    }
  }
  return nkey;
}

static bool pairs_make(const mjModel* m, mjData* d, snElementLists* lists, snElementPairs* p) {
  snElementSweep s;
  int axis = pairs_widen(p, d->flexelem_aabb), nelem = m->nflexelem;
  if (!sweep_allocate(d, &s, p->nactive, nelem)) return false;
  sweep_fill(&s, p, axis);
  int n = sweep_pairs(m, p, &s, lists);
  if (n < 0 || !pairs_room(p, n)) return false;
  if (n) {
    uint64_t *key = lists->key, *scratch = key + lists->capacity;
    sweep_keys(key, scratch, n, s.start, nelem, 0);
    sweep_keys(scratch, key, n, s.start, nelem, 32);
  }
  for (int i = 0; i < n; i++) {
    int e1 = (int)(lists->key[i] >> 32), e2 = (int)(uint32_t)lists->key[i];
    p->pair[i] = (snElementPair){e1 - m->flex_elemadr[p->flex[0]],
                                 e2 - m->flex_elemadr[p->flex[1]],
                                 {.hint_a = -1, .hint_b = -1}};
  }
  p->n = n;
  p->known = true;
  return true;
}

// The next list: flexes are paired in the same order in every step, so its place identifies a list.
static snElementPairs* lists_next(snElementLists* lists) {
  if (lists->next == lists->n) {
    snElementPairs* grown = memory_resize(lists->list, (size_t)lists->n * sizeof *grown,
                                          ((size_t)lists->n + 1) * sizeof *grown);
    if (!grown) return NULL;
    lists->list = grown;
    lists->list[lists->n++] = (snElementPairs){0};
  }
  return lists->list + lists->next++;
}

snElementPairs* element_pairs(const mjModel* m, mjData* d, snElementLists* lists, int flex1,
                              int flex2, double reach) {
  int flex[2] = {flex1, flex2};
  snElementPairs* p = lists_next(lists);
  if (!p) return NULL;
  bool known = pairs_known(p, m, flex, reach);
  if (known && pairs_hold(p, d->flexelem_aabb)) {
    p->age++;
    return p;
  }
  // a list that ended early gets larger boxes, one that lasted long smaller ones
  if (known && p->age < kShortLife && p->room < kMostRoom) p->room *= 2;
  if (known && p->age > kLongLife && p->room > kRoom) p->room /= 2;
  p->age = 0;
  p->known = false;
  if (!known && !pairs_elements(p, m, flex, reach)) return NULL;
  mj_markStack(d);
  bool made = pairs_make(m, d, lists, p);
  mj_freeStack(d);
  return made ? p : NULL;
}
