// What the makers of rows share: the block in hand and how it is written.
#ifndef SINEW_CONSTRAIN_ROWS_H_
#define SINEW_CONSTRAIN_ROWS_H_

#include "constrain/constrain.h"

typedef struct snBuilder_ {
  const mjModel* m;
  mjData* d;
  bool sparse;
  int nefc, nJ;         // rows and entries written so far
  int* col;             // columns of the block in hand (nv)
  unsigned char* side;  // which bodies each column moves (nv)
  int* place;           // 0, 1, 2 ... (nv), for CSR
  mjtNum* J;            // its rows (at most 10 x nv)
} snBuilder;

// Write the block in hand; returns the address of its first row, or -1 when it was dropped.
int rows_put(snBuilder* b, int nrow, int nnz, const mjtNum* pos, const mjtNum* margin,
             mjtNum frictionloss, int type, int id);

// The rows of all contacts (rows_contact.c).
void rows_put_contacts(snBuilder* b);

#endif
