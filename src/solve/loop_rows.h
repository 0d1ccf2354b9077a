// Rows of equalities that close: for the projections (integrate/close.c), and for the force where
// there are no other rows (loop_force.c).
//
// Rows go in blocks of four, one lane for each row, over the columns that one of the four has, with
// all dofs above these in the tree. With M = L'DL, elimination along the tree stays within the
// columns of a block:
//
//   y = inv(L') J'    from the last column to the first: y_a -= L_ia y_i for the dofs a above i
//   W = inv(M) J'     from the first dof to the last:    w_i = y_i / D_i - sum_a L_ia w_a
//   A = J W           tile by tile of four by four rows
//
// A = L D L' with the envelope of A: loops that have no tree in common have no entry in common.
// Rows that repeat others (a second loop of the same bodies, a weld over a connect) have a pivot of
// A that is rounding: they are left out of the factor, and held by the rows that they repeat.
//
// The rows of a step's end are those of the next step's beginning, unless a program has changed
// something: W and the factor are taken again when J and the factor of M are bitwise the same.
#ifndef SINEW_SOLVE_LOOP_ROWS_H_
#define SINEW_SOLVE_LOOP_ROWS_H_

#include "constrain/constrain.h"

// A = L D L', rows of 4 nblock numbers: D_k L_ik at row k, column i
typedef struct snLoopFactor_ {
  int n, nblock;
  mjtNum* A;
  mjtNum* inverse;  // 1/D, 0 for rows that are left out
  int* last;        // behind the last column of each row of A that is not zero
  mjtNum* y;        // scratch of loop_solve
} snLoopFactor;

typedef struct snLoopRows_ {
  int n, nblock, nv;  // rows, blocks of four of them, dofs
  int* adr;           // columns of block b: from adr[b] to adr[b + 1]
  int* col;           // ascending
  sn4* J;             // of each column: four rows
  sn4* W;             // of each block and dof: inv(M) J'
  mjtNum* A;          // its upper triangle, in tiles of four by four
  int* last;          // behind the last column of each row of A that is not zero
  snLoopFactor f;     // of A
  snLoopFactor soft;  // of A + R, by loop_soften
  // what they were made of, and memory
  mjtNum *given, *factor;  // J as it was given; qLD and qLDiagInv
  int* pattern;            // of J in CSR: lengths of rows, columns
  int room_row, ngiven;
  bool sparse;
} snLoopRows;

// The rows J of equalities, in full width where rownnz is NULL, with M of d->qLD. NULL without
// memory. They last until the next call.
snLoopRows* loop_rows(const mjModel* m, mjData* d, const snEqualities* eq);

// out = J v (n numbers)
void loop_rates(const snLoopRows* s, const mjtNum* v, mjtNum* out);

// x = inv(A) x, zero for rows that repeat others
void loop_solve(const snLoopFactor* f, mjtNum* x);

// The factor of A + R, until the rows change.
const snLoopFactor* loop_soften(snLoopRows* s, const mjtNum* R);

// change = scale W x
void loop_motion(const snLoopRows* s, const mjtNum* x, mjtNum scale, mjtNum* change);

#endif
