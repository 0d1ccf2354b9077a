// Shared by rows.c, rows_equality.c and rows_contact.c: the state of row building, and how a block
// is written.
#ifndef SINEW_CONSTRAIN_ROWS_H_
#define SINEW_CONSTRAIN_ROWS_H_

#include "constrain/constrain.h"

// An active limit of a joint or tendon.
typedef struct snLimit_ {
  int id;
  mjtNum sign, pos;  // sign: 1 at the lower bound, -1 at the upper; pos: distance to the bound
} snLimit;

// The state of row building. Dense efc_J is zero wherever nothing has been written.
typedef struct snRowBuilder_ {
  const mjModel* m;
  mjData* d;
  const snPlan* plan;
  bool sparse;
  int nefc, nJ;    // rows and entries written so far
  int* col;        // columns of the block being built (nv)
  mjtNum* J;       // its rows (at most 10 x nv): 10 is a pyramid of condim 6
  snLimit* limit;  // active limits of joints, then of tendons
  int nlimit, nlimit_joint;
  int nloss;  // dofs with friction loss
} snRowBuilder;

// Rows as wrenches in world axes (force lin, torque rot), in groups of four rows: one SIMD vector
// for each component, one lane for each row.
typedef struct snWrench_ {
  sn4 lin[3][3], rot[3][3];  // [group][component]
  int nrow;
  bool turns;  // some row has a torque; else rot is not read
} snWrench;

// Write the block being built; returns its first row, or -1 when the block moves nothing and is
// dropped.
int rows_put(snRowBuilder* b, int nrow, int nnz, const mjtNum* pos, const mjtNum* margin,
             mjtNum frictionloss, int type, int id);

// The same for rows given as wrenches: w acts on the second body at its point and -w on the first
// body at its own.
int rows_put_wrenches(snRowBuilder* b, const snWrench* w, const int body[2], mjtNum point[2][3],
                      const mjtNum* pos, int type, int id);

// ---- who sleeps has no rows

SN_INLINE bool body_sleeps(const mjModel* m, const mjData* d, int body) {
  const snAwake* sleepers = data_sleepers(d);
  return sleepers && m->body_treeid[body] >= 0 && sleepers->tree_asleep[m->body_treeid[body]];
}

SN_INLINE bool tendon_sleeps(const mjData* d, int tendon) {
  const snAwake* sleepers = data_sleepers(d);
  return sleepers && sleepers->tendon_asleep[tendon];
}

// ---- rows of tendons and flex edges

// The Jacobian of tendons or flex edges: dense, or CSR.
typedef struct snRowSource_ {
  const int *rownnz, *rowadr, *colind;
  const mjtNum* J;
} snRowSource;

SN_INLINE snRowSource rows_of_tendons(const mjData* d) {
  return (snRowSource){d->ten_J_rownnz, d->ten_J_rowadr, d->ten_J_colind, d->ten_J};
}

// The block being built gets scale * row i; returns the number of its columns. Of a dense source
// only nonzero entries become columns.
int rows_load(snRowBuilder* b, snRowSource s, int i, mjtNum scale);

// The first row of a tendon.
SN_INLINE void rows_note_tendon(mjData* d, int tendon, int row) {
  if (row >= 0 && d->tendon_efcadr[tendon] == -1) d->tendon_efcadr[tendon] = row;
}

// ---- equalities (rows_equality.c) and contacts (rows_contact.c)

// Upper bounds on rows and entries of all active equalities are added to *nrow and *nentry.
void rows_count_equalities(const mjModel* m, const mjData* d, bool sparse, int* nrow,
                           size_t* nentry);

// The rows of all active equalities.
void rows_put_equalities(snRowBuilder* b);

// The rows of all contacts.
void rows_put_contacts(snRowBuilder* b);

// The two sides of an equality, the second object before the first: a row is the motion of the
// first minus that of the second.
typedef struct snEnds_ {
  int body[2];
  mjtNum point[2][3];
  mjtNum quat[2][4];
} snEnds;

// The points (and orientations, for a weld) that an equality between bodies or sites brings
// together.
void rows_ends(const mjModel* m, const mjData* d, int i, bool weld, snEnds* e);

#endif
