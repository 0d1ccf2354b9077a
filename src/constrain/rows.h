// What the makers of rows share: the block in hand and how it is written.
#ifndef SINEW_CONSTRAIN_ROWS_H_
#define SINEW_CONSTRAIN_ROWS_H_

#include "constrain/constrain.h"

// An active limit of a joint or tendon.
typedef struct snLimit_ {
  int id;
  mjtNum sign, pos;  // 1 at the lower bound, -1 at the upper one
} snLimit;

// In full width efc_J is zero wherever nothing was written.
typedef struct snBuilder_ {
  const mjModel* m;
  mjData* d;
  const snPlan* plan;
  bool sparse;
  int nefc, nJ;    // rows and entries written so far
  int* col;        // columns of the block in hand (nv)
  mjtNum* J;       // its rows (at most 10 x nv)
  snLimit* limit;  // limits of joints, then of tendons
  int nlimit, nlimit_joint;
  int nloss;  // dofs with friction loss
} snBuilder;

// Rows as wrenches in the world (force lin, torque rot), four rows to a group, one vector for each
// component.
typedef struct snWrench_ {
  sn4 lin[3][3], rot[3][3];  // [group][component]
  int nrow;
  bool turns;  // some row has a torque of its own; else rot is not looked at
} snWrench;

// Write the block in hand; returns the address of its first row, or -1 when it was dropped.
int rows_put(snBuilder* b, int nrow, int nnz, const mjtNum* pos, const mjtNum* margin,
             mjtNum frictionloss, int type, int id);

// The same for rows that act on the second body at its point and on the first, opposed, at its own.
int rows_put_wrenches(snBuilder* b, const snWrench* w, const int body[2], mjtNum point[2][3],
                      const mjtNum* pos, int type, int id);

// The rows of all contacts (rows_contact.c).
void rows_put_contacts(snBuilder* b);

#endif
