// D = W W' with the columns of W in nodes (the trees or bodies that contacts couple), and linear
// systems of the dual problem solved in the space of velocities:
//
//   (C + H W W') f = b    f = inv(C) (b - H W z),  K z = W' inv(C) b,  K = 1 + W'BW,  B = inv(C) H
//
// where C and H have the blocks of the problem. K couples nodes that touch and no others: a pile of
// bodies is factored in time that grows about as the pile does, where D alone has n^2 numbers. K is
// symmetric where B is (ADMM); a sliding contact makes B unsymmetric (Newton's method).
//
// Consecutive rows with the same columns (the contacts of one pair of bodies) are a group. For each
// node that a group moves there is a panel: the group's rows over all velocities of the node, zeros
// included, so that every loop runs over whole SIMD lanes.
#ifndef SINEW_DUAL_PANELS_H_
#define SINEW_DUAL_PANELS_H_

#include "algebra/block_lu.h"
#include "base/base.h"

typedef struct snPanels_ {
  snBlockLU lu;
  int n;  // rows that the panels have
  int ngroup;
  const int* group;  // (ngroup + 1) first row of each
  const int* of;     // (n) group of a row
  const int* adr;    // (ngroup + 1) its panels
  const int* node;   // of a panel
  const size_t* at;  // where a panel lies in `value`
  const double* value;
  double* product;   // B W, as `value`
  double *z, *w;     // over velocities, by nodes in whole lanes
  const int* place;  // (rows of the problem) row of the panels, or NULL: the same numbers
} snPanels;

typedef void* (*snTake)(void* context, size_t bytes);  // aligned to 32 bytes, or NULL

// W by rows (CSR); column c is velocity slot[c] of node[c] of nnode. NULL: no memory.
snPanels* panels_make(int n, const int* nnz, const int* adr, const int* col, const double* W,
                      int ncolumn, const int* node, const int* slot, int nnode, snTake take,
                      void* context);

// z = W'x and y = W z for the rows of the problem (n of them)
void panels_gather(const snPanels* p, const double* x, int n, double* z);
void panels_spread(const snPanels* p, const double* z, int n, double* y);

// K = 1 + W'BW is built row by row of B W, then factored.
void panels_begin(const snPanels* p);
// B W += weight W for a row of the problem
void panels_add(const snPanels* p, int row, double weight);
// B W += B W for a block of rows [row, row + n) with its B (n x n, row-major), n at most 6
void panels_add_block(const snPanels* p, int row, int n, const double* B);
bool panels_factor(snPanels* p);                  // false: singular
void panels_solve(const snPanels* p, double* z);  // z <- inv(K) z

// f = inv(W W' + small) b over the n rows of the problem; b is used up
void panels_explain(snPanels* p, double small, int n, double* b, double* f);

#endif
