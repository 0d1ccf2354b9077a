// Shared by rows.c and rows_contact.c: the state of row building, and how a block is written.
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

// The rows of all contacts (rows_contact.c).
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
