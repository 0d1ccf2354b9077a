// Poses, spatial vectors and inertia of positions that have been evaluated already.
//
// Closing loops (integrate/close.c) ends a step with kinematics, centres of mass, M and its factor
// at the new positions: what the next step begins with. Between the two a program may write to
// anything, so what is there counts as kept only
//
//   - if the numbers it is computed from are bitwise those of the time: qpos, mocap poses, and the
//     numbers of the model, which are compared with copies of them
//   - and if the results are those of the time: each range of mjData has a sum of its words and a
//     sum of these sums, s1 += x, s2 += s1 (Fletcher), modulo 2^64, in eight lanes
//
// Tendons with armature are part of M, and their paths depend on more than what is compared: then
// nothing is kept. A step that takes what was kept has the bits of one that computes it again.
#include <string.h>

#include "smooth/smooth.h"

typedef unsigned long long snWords __attribute__((vector_size(32)));

enum { INPUTS = 7, RESULTS = 3 };

typedef struct snKeptPiece_ {
  const void *begin, *end;
} snKeptPiece;

typedef struct snKept_ {
  const mjModel* m;
  uint64_t serial;  // of the model's plan
  bool valid;
  snWords sum[4];
  mjtNum *qpos, *mocap;
  char* input;  // copies of all ranges of the model, one behind the other
} snKept;

// Ranges of the model's numbers: arrays are adjacent in the order of its header.
static void inputs_of(const mjModel* m, snKeptPiece piece[INPUTS]) {
  piece[0] = (snKeptPiece){m->qpos0, m->qpos0 + m->nq};
  piece[1] = (snKeptPiece){m->body_sameframe, m->body_inertia + 3 * m->nbody};
  piece[2] = (snKeptPiece){m->jnt_pos, m->jnt_axis + 3 * m->njnt};
  piece[3] = (snKeptPiece){m->dof_armature, m->dof_M0 + m->nv};
  piece[4] = (snKeptPiece){m->geom_sameframe, m->geom_sameframe + m->ngeom};
  piece[5] = (snKeptPiece){m->geom_pos, m->geom_quat + 4 * m->ngeom};
  piece[6] = (snKeptPiece){m->site_sameframe, m->site_quat + 4 * m->nsite};
}

static void results_of(const mjModel* m, const mjData* d, snKeptPiece piece[RESULTS]) {
  piece[0] = (snKeptPiece){d->xpos, d->site_xmat + 9 * m->nsite};
  piece[1] = (snKeptPiece){d->subtree_com, d->cinert + 10 * m->nbody};
  piece[2] = (snKeptPiece){d->crb, d->qLDiagInv + m->nv};
}

static size_t extent(snKeptPiece piece) {
  SN_ASSERT((const char*)piece.end >= (const char*)piece.begin);
  return (size_t)((const char*)piece.end - (const char*)piece.begin);
}

SN_INLINE snWords words_load(const char* at) {
  snWords v;
  memcpy(&v, at, sizeof v);
  return v;
}

SN_KERNEL static void add_words(const char* at, size_t bytes, snWords sum[4]) {
  snWords a = sum[0], b = sum[1], aa = sum[2], bb = sum[3];
  const char* end = at + (bytes & ~(size_t)63);
  for (; at < end; at += 64) {
    a += words_load(at);
    b += words_load(at + 32);
    aa += a;
    bb += b;
  }
  char last[64] = {0};
  memcpy(last, at, bytes & 63);
  sum[0] = a + words_load(last);
  sum[1] = b + words_load(last + 32);
  sum[2] = aa + sum[0];
  sum[3] = bb + sum[1];
}

static void sum_results(const mjModel* m, const mjData* d, snWords sum[4]) {
  snKeptPiece piece[RESULTS];
  results_of(m, d, piece);
  memset(sum, 0, 4 * sizeof *sum);
  for (int k = 0; k < RESULTS; k++) add_words(piece[k].begin, extent(piece[k]), sum);
}

static bool inputs_hold(const mjModel* m, const snKept* kept) {
  snKeptPiece piece[INPUTS];
  const char* copy = kept->input;
  inputs_of(m, piece);
  for (int k = 0; k < INPUTS; copy += extent(piece[k++])) {
    if (memcmp(copy, piece[k].begin, extent(piece[k]))) return false;
  }
  return true;
}

static void take_inputs(const mjModel* m, snKept* kept) {
  snKeptPiece piece[INPUTS];
  char* copy = kept->input;
  inputs_of(m, piece);
  for (int k = 0; k < INPUTS; copy += extent(piece[k++])) {
    memcpy(copy, piece[k].begin, extent(piece[k]));
  }
}

static snKept* kept_make(const mjModel* m) {
  snKeptPiece piece[INPUTS];
  size_t numbers = (size_t)m->nq + 7 * (size_t)m->nmocap, bytes = 0;
  inputs_of(m, piece);
  for (int k = 0; k < INPUTS; k++) bytes += extent(piece[k]);
  snKept* kept = memory_alloc_zero(sizeof *kept + numbers * sizeof(mjtNum) + bytes);
  if (!kept) return NULL;
  kept->m = m;
  kept->serial = model_plan(m)->serial;
  kept->qpos = (mjtNum*)(kept + 1);
  kept->mocap = kept->qpos + m->nq;
  kept->input = (char*)(kept->mocap + 7 * m->nmocap);
  take_inputs(m, kept);
  return kept;
}

static bool is_of(const snKept* kept, const mjModel* m) {
  return kept && kept->m == m && kept->serial == model_plan(m)->serial;
}

void smooth_keep(const mjModel* m, mjData* d) {
  snCache* slot = data_cache(d, snROOM_KEPT);
  snKept* kept = slot->block;
  if (((snData*)d)->awake || inertia_of_tendons(m)) return;
  if (!is_of(kept, m)) {
    memory_free(kept);
    slot->free = memory_free;
    slot->block = kept = kept_make(m);
    if (!kept) return;  // the next step computes again
  } else if (!inputs_hold(m, kept)) {
    take_inputs(m, kept);
  }
  memcpy(kept->qpos, d->qpos, sizeof(mjtNum) * (size_t)m->nq);
  memcpy(kept->mocap, d->mocap_pos, 3 * sizeof(mjtNum) * (size_t)m->nmocap);
  memcpy(kept->mocap + 3 * m->nmocap, d->mocap_quat, 4 * sizeof(mjtNum) * (size_t)m->nmocap);
  sum_results(m, d, kept->sum);
  kept->valid = true;
}

bool smooth_kept(const mjModel* m, mjData* d) {
  const snKept* kept = data_cache(d, snROOM_KEPT)->block;
  if (!is_of(kept, m) || !kept->valid || ((snData*)d)->awake || inertia_of_tendons(m)) {
    return false;
  }
  size_t mocap = sizeof(mjtNum) * (size_t)m->nmocap;
  if (memcmp(kept->qpos, d->qpos, sizeof(mjtNum) * (size_t)m->nq) ||
      memcmp(kept->mocap, d->mocap_pos, 3 * mocap) ||
      memcmp(kept->mocap + 3 * m->nmocap, d->mocap_quat, 4 * mocap) || !inputs_hold(m, kept)) {
    return false;
  }
  snWords sum[4];
  sum_results(m, d, sum);
  return !memcmp(sum, kept->sum, sizeof sum);
}
