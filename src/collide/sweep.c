// Sweep and prune: bodies in order of their low ends along an axis; each looks ahead to where it
// ends. The order of the last step is nearly right for this one.
#include "collide/broad.h"

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
    if (!sn4_any(meet)) continue;
    for (int k = 0; k < 4 && j + k < n; k++) {
      if (meet[k]) found[num++] = j + k;
    }
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
    }
    memcpy(order, scratch, n * sizeof(int));
  }
}

// The axis along which the low ends are spread most. Another axis than the last costs a new order:
// only for a clear gain. The pairs found are the same.
static void sweep_choose(snBroad* b) {
  double spread[3];
  int widest = 0;
  for (int i = 0; i < 3; i++) {
    double sum = 0, sum2 = 0;
    int n = 0;
    for (int o = 0; o < b->nbounded; o++) {
      double c = b->box[8 * b->order[o] + i];
      if (!isfinite(c)) continue;
      sum += c;
      sum2 += c * c;
      n++;
    }
    spread[i] = n ? sum2 - sum * sum / n : 0;
    if (spread[i] > spread[widest]) widest = i;
  }
  if (spread[widest] > 2 * spread[b->axis]) {
    b->axis = widest;
    b->resort = true;
  }
}

// Bring order and bounds into the sweep's arrays.
static void sweep_arrange(snBroad* b) {
  int axis = b->axis, other1 = (axis + 1) % 3, other2 = (axis + 2) % 3;
  const double* low = b->box + axis;  // of body i: low[8 i]
  if (b->resort) {
    sweep_sort(b->order, b->count, b->nbounded, low, 8);
    b->resort = false;
  }
  for (int o = 0; o < b->nbounded; o++) {
    int body = b->order[o], k = o;
    double at = low[8 * body];
    while (k > 0 && (b->low[k - 1] > at || (b->low[k - 1] == at && b->order[k - 1] > body))) {
      b->low[k] = b->low[k - 1];
      b->order[k] = b->order[k - 1];
      k--;
    }
    b->low[k] = at;
    b->order[k] = body;
  }
  for (int o = 0; o < b->nbounded; o++) {
    int body = b->order[o];
    const double* box = b->box + 8 * body;
    b->side[0][o] = box[other1], b->side[1][o] = box[4 + other1];
    b->side[2][o] = box[other2], b->side[3][o] = box[4 + other2];
  }
}

static bool key_room(snBroad* b, int need) {
  if (need <= b->key_capacity) return true;
  int capacity = 2 * need + 256;
  uint64_t* grown = memory_resize(b->key, (size_t)b->key_capacity * sizeof *grown,
                                  2 * (size_t)capacity * sizeof *grown);
  if (!grown) return false;
  b->key = grown;
  b->key_capacity = capacity;
  return true;
}

void sweep_keys(const uint64_t* in, uint64_t* out, int n, int* start, int most, int shift) {
  memset(start, 0, (most + 1) * sizeof(int));
  for (int i = 0; i < n; i++) start[(uint32_t)(in[i] >> shift) + 1]++;
  for (int i = 0; i < most; i++) start[i + 1] += start[i];
  for (int i = 0; i < n; i++) out[start[(uint32_t)(in[i] >> shift)]++] = in[i];
}

bool broad_sweep(snBroad* b, int nbody) {
  sweep_choose(b);
  sweep_arrange(b);
  const double* high = b->box + 4 + b->axis;
  int nkey = 0;
  for (int i = 0; i < b->nbounded; i++) {
    int bi = b->order[i];
    int num = sweep_ahead(b->low, b->side, b->nbounded, i, high[8 * bi], b->found);
    if (!key_room(b, nkey + num)) return false;
    for (int k = 0; k < num; k++) {
      int bj = b->order[b->found[k]];
      int b1 = bi < bj ? bi : bj, b2 = bi < bj ? bj : bi;
      if (!broad_masks_meet(b, b1, b2) || !broad_bodies_may(b, b1, b2)) continue;
      b->key[nkey++] = (uint64_t)b1 << 32 | (uint32_t)b2;
    }
  }
  if (!key_room(b, 3 * nkey)) return false;
  // in order of body1, then body2
  uint64_t *key = b->key, *scratch = b->key ? b->key + b->key_capacity : NULL;
  sweep_keys(key, scratch, nkey, b->count, nbody, 0);
  sweep_keys(scratch, key, nkey, b->count, nbody, 32);

  // merge with the explicit pairs, which are in that order too
  b->npair = 0;
  for (int k = 0, e = 0; k < nkey || e < b->nexplicit;) {
    uint64_t listed = UINT64_MAX, dynamic = k < nkey ? key[k] : UINT64_MAX;
    int first = e;
    if (e < b->nexplicit) {
      listed = (uint64_t)b->explicit_b1[e] << 32 | (uint32_t)b->explicit_b2[e];
    }
    uint64_t next = listed < dynamic ? listed : dynamic;
    if (listed == next) {
      while (e < b->nexplicit && b->explicit_b1[e] == b->explicit_b1[first] &&
             b->explicit_b2[e] == b->explicit_b2[first]) {
        e++;
      }
    }
    k += dynamic == next;
    snBodyPair p = {(int)(next >> 32), (int)(uint32_t)next, first, e - first, dynamic == next};
    if (!broad_push(b, p)) return false;
  }
  return true;
}
