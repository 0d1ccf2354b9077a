// Sweep and prune: boxes sorted by their low ends along one axis; each box is tested against those
// behind it that begin before it ends.
//
// The unit is a group: bounded bodies that are adjacent in one tree, up to 32. Bodies of a group
// are close to each other and far from most others, and results found group by group come out in
// the order of body pairs. The order of the last step is nearly sorted for this one, so insertion
// sort is fast.
#include "base/assert.h"
#include "collide/broad.h"

// Append the indices j + lane, below n, of the lanes set in `meet`.
SN_INLINE int sweep_found(sn4i meet, int j, int n, int* found) {
  int num = 0;
  for (unsigned bits = sn4_bits(meet); bits; bits &= bits - 1) {
    int k = j + __builtin_ctz(bits);
    if (k < n) found[num++] = k;
  }
  return num;
}

SN_KERNEL int sweep_ahead(const double* low, double* const side[4], int n, int i, double end,
                          int* found) {
  sn4 stop = sn4_set1(end);
  sn4 low1 = sn4_set1(side[0][i]), high1 = sn4_set1(side[1][i]);
  sn4 low2 = sn4_set1(side[2][i]), high2 = sn4_set1(side[3][i]);
  int num = 0;
  for (int j = i + 1; j < n && low[j] <= end; j += 4) {
    sn4i meet = (sn4_load(low + j) <= stop) & (sn4_load(side[0] + j) <= high1) &
                (sn4_load(side[1] + j) >= low1) & (sn4_load(side[2] + j) <= high2) &
                (sn4_load(side[3] + j) >= low2);
    num += sweep_found(meet, j, n, found + num);
  }
  return num;
}

void sweep_sort(int* order, int* scratch, int n, const double* low, int stride) {
  for (int width = 1; width < n; width *= 2) {
    for (int start = 0; start < n; start += 2 * width) {
      int middle = start + width < n ? start + width : n;
      int stop = start + 2 * width < n ? start + 2 * width : n;
      int i = start, j = middle, k = start;
      while (i < middle || j < stop) {
        bool left = j >= stop || (i < middle && low[stride * order[i]] <= low[stride * order[j]]);
        scratch[k++] = left ? order[i++] : order[j++];
      }
      SN_ASSERT(k == stop);
    }
    memcpy(order, scratch, n * sizeof(int));
  }
}

// Divide the bounded bodies into groups of at most kMost.
void sweep_group(snBroad* b, const mjModel* m) {
  enum { kMost = 32 };
  for (int o = 0; o < b->bodies.nbounded; o++) {
    int tree = m->body_treeid[b->bodies.bounded[o]];
    bool same = o && tree >= 0 && tree == m->body_treeid[b->bodies.bounded[o - 1]];
    if (!same || o - b->sweep.group[b->sweep.ngroup - 1] == kMost)
      b->sweep.group[b->sweep.ngroup++] = o;
  }
  b->sweep.group[b->sweep.ngroup] = b->bodies.nbounded;
  SN_ASSERT(b->sweep.ngroup <= b->bodies.nbounded);
  for (int g = 0; g < b->sweep.ngroup; g++) b->sweep.order[g] = g;
}

// Variance of another axis, relative to the present one, at which the sweep changes its axis.
enum { kAxisGain = 2 };

// Sweep along the axis with the largest variance of low ends. Another axis than the last costs a
// full sort, so its variance must be clearly larger. The choice does not change the pairs found.
static void sweep_choose(snBroad* b) {
  double spread[3];
  int widest = 0;
  for (int i = 0; i < 3; i++) {
    double sum = 0, sum2 = 0;
    int n = 0;
    for (int o = 0; o < b->sweep.ngroup; o++) {
      double c = b->sweep.group_box[8 * b->sweep.order[o] + i];
      if (!isfinite(c)) continue;
      sum += c;
      sum2 += c * c;
      n++;
    }
    spread[i] = n ? sum2 - sum * sum / n : 0;
    if (spread[i] > spread[widest]) widest = i;
  }
  if (spread[widest] > kAxisGain * spread[b->sweep.axis]) {
    b->sweep.axis = widest;
    b->sweep.resort = true;
  }
}

// Sort the groups by low end and gather their bounds in that order.
static void sweep_arrange(snBroad* b) {
  int axis = b->sweep.axis, other1 = (axis + 1) % 3, other2 = (axis + 2) % 3;
  const double* low = b->sweep.group_box + axis;  // of group i: low[8 i]
  if (b->sweep.resort) {
    sweep_sort(b->sweep.order, b->bodies.count, b->sweep.ngroup, low, 8);
    b->sweep.resort = false;
  }
  for (int o = 0; o < b->sweep.ngroup; o++) {
    int group = b->sweep.order[o], k = o;
    double at = low[8 * group];
    while (k > 0 && (b->sweep.low[k - 1] > at ||
                     (b->sweep.low[k - 1] == at && b->sweep.order[k - 1] > group))) {
      b->sweep.low[k] = b->sweep.low[k - 1];
      b->sweep.order[k] = b->sweep.order[k - 1];
      k--;
    }
    b->sweep.low[k] = at;
    b->sweep.order[k] = group;
  }
  for (int o = 1; o < b->sweep.ngroup; o++) SN_ASSERT(!(b->sweep.low[o - 1] > b->sweep.low[o]));
  for (int o = 0; o < b->sweep.ngroup; o++) {
    const double* box = b->sweep.group_box + 8 * b->sweep.order[o];
    b->sweep.side[0][o] = box[other1], b->sweep.side[1][o] = box[4 + other1];
    b->sweep.side[2][o] = box[other2], b->sweep.side[3][o] = box[4 + other2];
  }
}

static bool key_room(snBroad* b, int need) {
  if (need <= b->sweep.key_capacity) return true;
  int capacity = 2 * need + 256;
  uint64_t* grown = memory_resize(b->sweep.key, (size_t)b->sweep.key_capacity * sizeof *grown,
                                  2 * (size_t)capacity * sizeof *grown);
  if (!grown) return false;
  b->sweep.key = grown;
  b->sweep.key_capacity = capacity;
  return true;
}

void sweep_keys(const uint64_t* in, uint64_t* out, int n, int* start, int most, int shift) {
  memset(start, 0, (most + 1) * sizeof(int));
  for (int i = 0; i < n; i++) {
    SN_ASSERT((uint32_t)(in[i] >> shift) < (uint32_t)most);
    start[(uint32_t)(in[i] >> shift) + 1]++;
  }
  for (int i = 0; i < most; i++) start[i + 1] += start[i];
  for (int i = 0; i < n; i++) out[start[(uint32_t)(in[i] >> shift)]++] = in[i];
}

// Sorted keys of overlapping pairs of groups, each group with itself included; -1 when out of
// memory.
static int sweep_groups(snBroad* b) {
  const double* high = b->sweep.group_box + 4 + b->sweep.axis;
  int nkey = 0;
  for (int i = 0; i < b->sweep.ngroup; i++) {
    uint32_t g = (uint32_t)b->sweep.order[i];
    int num =
        sweep_ahead(b->sweep.low, b->sweep.side, b->sweep.ngroup, i, high[8 * g], b->sweep.found);
    if (!key_room(b, nkey + num + 1)) return -1;
    b->sweep.key[nkey++] = (uint64_t)g << 32 | g;
    for (int k = 0; k < num; k++) {
      uint32_t h = (uint32_t)b->sweep.order[b->sweep.found[k]];
      b->sweep.key[nkey++] = g < h ? (uint64_t)g << 32 | h : (uint64_t)h << 32 | g;
    }
  }
  if (!key_room(b, 3 * nkey)) return -1;
  uint64_t* scratch = b->sweep.key + b->sweep.key_capacity;
  sweep_keys(b->sweep.key, scratch, nkey, b->bodies.count, b->sweep.ngroup, 0);
  sweep_keys(scratch, b->sweep.key, nkey, b->bodies.count, b->sweep.ngroup, 32);
  for (int i = 1; i < nkey; i++) SN_ASSERT(b->sweep.key[i - 1] < b->sweep.key[i]);
  return nkey;
}

// List the bounded bodies behind `at` whose boxes overlap its box, in the second groups of `key`.
SN_KERNEL static int sweep_body(const snBroad* b, int at, const uint64_t* key, int nkey) {
  const double* box = b->bounds.box + 8 * b->bodies.bounded[at];
  double* const* bound = b->bounds.bound;
  sn4 low[3], high[3];
  int num = 0;
  SN_UNROLL
  for (int i = 0; i < 3; i++) low[i] = sn4_set1(box[i]), high[i] = sn4_set1(box[4 + i]);
  for (int k = 0; k < nkey; k++) {
    uint32_t g = (uint32_t)key[k];
    if (!boxes_meet(box, b->sweep.group_box + 8 * g)) continue;
    int j = b->sweep.group[g] > at ? b->sweep.group[g] : at + 1, end = b->sweep.group[g + 1];
    for (; j < end; j += 4) {
      sn4i meet = (sn4_load(bound[0] + j) <= high[0]) & (sn4_load(bound[3] + j) >= low[0]) &
                  (sn4_load(bound[1] + j) <= high[1]) & (sn4_load(bound[4] + j) >= low[1]) &
                  (sn4_load(bound[2] + j) <= high[2]) & (sn4_load(bound[5] + j) >= low[2]);
      num += sweep_found(meet, j, end, b->sweep.found + num);
    }
  }
  return num;
}

static uint64_t explicit_key(const snBroad* b, int e) {
  if (e >= b->bodies.nexplicit) return UINT64_MAX;
  return (uint64_t)b->bodies.explicit_b1[e] << 32 | (uint32_t)b->bodies.explicit_b2[e];
}

// Append a body pair with its explicit pairs, the next of which is *e.
static bool sweep_push(snBroad* b, uint64_t key, bool dynamic, int* e) {
  int first = *e;
  while (explicit_key(b, *e) == key) ++*e;
  return bodies_push(
      &b->bodies, (snBodyPair){(int)(key >> 32), (int)(uint32_t)key, first, *e - first, dynamic});
}

bool sweep_bodies(snBroad* b) {
  sweep_choose(b);
  sweep_arrange(b);
  int nkey = sweep_groups(b), e = 0;
  if (nkey < 0) return false;
  b->bodies.npair = 0;
  for (int k = 0, end; k < nkey; k = end) {
    uint32_t g = (uint32_t)(b->sweep.key[k] >> 32);
    for (end = k; end < nkey && (uint32_t)(b->sweep.key[end] >> 32) == g;) end++;
    for (int i = b->sweep.group[g]; i < b->sweep.group[g + 1]; i++) {
      int body1 = b->bodies.bounded[i], num = sweep_body(b, i, b->sweep.key + k, end - k);
      for (int f = 0; f < num; f++) {
        int body2 = b->bodies.bounded[b->sweep.found[f]];
        if (!bodies_masks_meet(&b->bodies, body1, body2) || !bodies_may_meet(b, body1, body2))
          continue;
        uint64_t key = (uint64_t)body1 << 32 | (uint32_t)body2;
        while (explicit_key(b, e) < key) {
          if (!sweep_push(b, explicit_key(b, e), false, &e)) return false;
        }
        if (!sweep_push(b, key, true, &e)) return false;
      }
    }
  }
  while (e < b->bodies.nexplicit) {
    if (!sweep_push(b, explicit_key(b, e), false, &e)) return false;
  }
  return true;
}
