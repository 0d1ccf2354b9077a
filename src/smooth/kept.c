// Poses, spatial vectors and inertia of positions that have been evaluated already.
//
// Closing loops (integrate/close.c) ends a step with kinematics, centres of mass, M and its factor
// at the new positions: what the next step begins with. Between the two a program may write to
// anything, so what is there counts as kept only
//
//   - if the numbers it is computed from are bitwise those of the time: qpos, mocap poses, and the
//     numbers of the model, which are compared with copies of them
//   - and if the results are bitwise those of the time, which are compared with copies too
//
// Tendons with armature are part of M, and their paths depend on more than what is compared: then
// nothing is kept. A step that takes what was kept has the bits of one that computes it again.
#include <string.h>

#include "smooth/smooth.h"

enum { INPUTS = 7, RESULTS = 3 };

typedef struct snKeptPiece_ {
  const void *begin, *end;
} snKeptPiece;

typedef struct snKept_ {
  const mjModel* m;
  uint64_t serial;  // of the model's plan
  bool valid;
  bool found;  // the copies of the model's numbers were found to hold when this step began
  mjtNum *qpos, *mocap;
  char* input;  // copies of all ranges of the model, one behind the other
  char* result;
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

// Ranges against their copies, which lie one behind the other; and the copies made anew.
static bool pieces_hold(const snKeptPiece* piece, int n, const char* copy) {
  for (int k = 0; k < n; copy += extent(piece[k++])) {
    if (memcmp(copy, piece[k].begin, extent(piece[k]))) return false;
  }
  return true;
}

static void pieces_take(const snKeptPiece* piece, int n, char* copy) {
  for (int k = 0; k < n; copy += extent(piece[k++])) memcpy(copy, piece[k].begin, extent(piece[k]));
}

static size_t pieces_size(const snKeptPiece* piece, int n) {
  size_t bytes = 0;
  for (int k = 0; k < n; k++) bytes += extent(piece[k]);
  return bytes;
}

static snKept* kept_make(const mjModel* m, const mjData* d) {
  snKeptPiece input[INPUTS], result[RESULTS];
  size_t numbers = (size_t)m->nq + 7 * (size_t)m->nmocap;
  inputs_of(m, input);
  results_of(m, d, result);
  size_t bytes = pieces_size(input, INPUTS);
  snKept* kept = memory_alloc_zero(sizeof *kept + numbers * sizeof(mjtNum) + bytes +
                                   pieces_size(result, RESULTS));
  if (!kept) return NULL;
  kept->m = m;
  kept->serial = model_plan(m)->serial;
  kept->qpos = (mjtNum*)(kept + 1);
  kept->mocap = kept->qpos + m->nq;
  kept->input = (char*)(kept->mocap + 7 * m->nmocap);
  kept->result = kept->input + bytes;
  return kept;
}

static bool is_of(const snKept* kept, const mjModel* m) {
  return kept && kept->m == m && kept->serial == model_plan(m)->serial;
}

void smooth_keep(const mjModel* m, mjData* d, bool whole) {
  snCache* slot = data_cache(d, snROOM_KEPT);
  snKept* kept = slot->block;
  snKeptPiece input[INPUTS], result[RESULTS];
  if (((snData*)d)->awake || inertia_of_tendons(m)) return;
  if (!is_of(kept, m)) {
    memory_free(kept);
    slot->free = memory_free;
    slot->block = kept = kept_make(m, d);
    if (!kept) return;  // the next step computes again
  }
  inputs_of(m, input);
  results_of(m, d, result);
  if (!whole || !kept->found) pieces_take(input, INPUTS, kept->input);
  pieces_take(result, RESULTS, kept->result);
  memcpy(kept->qpos, d->qpos, sizeof(mjtNum) * (size_t)m->nq);
  memcpy(kept->mocap, d->mocap_pos, 3 * sizeof(mjtNum) * (size_t)m->nmocap);
  memcpy(kept->mocap + 3 * m->nmocap, d->mocap_quat, 4 * sizeof(mjtNum) * (size_t)m->nmocap);
  kept->valid = true;
}

bool smooth_kept(const mjModel* m, mjData* d) {
  snKept* kept = data_cache(d, snROOM_KEPT)->block;
  if (!kept) return false;
  kept->found = false;
  if (!is_of(kept, m) || !kept->valid || ((snData*)d)->awake || inertia_of_tendons(m)) {
    return false;
  }
  size_t mocap = sizeof(mjtNum) * (size_t)m->nmocap;
  if (memcmp(kept->qpos, d->qpos, sizeof(mjtNum) * (size_t)m->nq) ||
      memcmp(kept->mocap, d->mocap_pos, 3 * mocap) ||
      memcmp(kept->mocap + 3 * m->nmocap, d->mocap_quat, 4 * mocap)) {
    return false;
  }
  snKeptPiece input[INPUTS], result[RESULTS];
  inputs_of(m, input);
  results_of(m, d, result);
  kept->found = pieces_hold(input, INPUTS, kept->input);
  return kept->found && pieces_hold(result, RESULTS, kept->result);
}
