// Rows alone on their columns, packed for the products of solve_cg. Flexes have thousands of rows
// (edges, contacts of vertices), each over the translations of one or two points; as blocks of one
// row they would cost more in overhead than in products. Rows of equal length share one block, and
// the columns of a point become one SIMD vector.
#include "solve/problem.h"

bool own_start(snProblem* p) {
  if (!FRAME(p->memory, SN_ARRAY(p->point, p->nv), SN_ARRAY(p->point_of, p->nv))) return false;
  for (int i = 0; i < p->nv; i++) p->point_of[i] = -1;
  return true;
}

// The points whose translations these columns are; 0 when they are something else.
static int count_points(const int* col, int n) {
  if (n % 3) return 0;
  for (int i = 0; i < n; i += 3) {
    if (col[i + 1] != col[i] + 1 || col[i + 2] != col[i] + 2) return 0;
  }
  return n / 3;
}

// Columns of points, in place of them: where the points are in the padded vector.
static void place_points(snProblem* p, int* col, int npoint) {
  for (int q = 0; q < npoint; q++) {
    int* at = p->point_of + col[3 * q];
    if (*at < 0) {
      *at = p->npoint;
      p->point[p->npoint++] = col[3 * q];
    }
    col[q] = 4 * *at;
  }
}

const snRowBlock* own_add(snProblem* p, int row, int at_col, size_t at_J, int ncol) {
  int* col = p->col + at_col;
  mjtNum* J = p->J + at_J;
  snRowBlock k = {.row = row, .col = at_col, .ncol = ncol, .own = 1, .J = at_J};
  if (ncol == 1) {
    // with those of two columns
    col[1] = col[0];
    J[1] = 0;
    k.ncol = 2;
  }
  k.npoint = count_points(col, ncol);
  k.stride = k.npoint ? 4 * k.npoint : k.ncol;
  if (k.npoint) {
    k.apart = k.npoint == 2 && J[0] == -J[3] && J[1] == -J[4] && J[2] == -J[5];
    if (k.apart) {
      for (int i = 0; i < 3; i++) J[i] = J[3 + i];
      k.stride = 4;
    }
    for (int q = k.stride / 4 - 1; q >= 0; q--) {
      J[4 * q + 3] = 0;
      for (int i = 2; i >= 0; i--) J[4 * q + i] = J[3 * q + i];
    }
    place_points(p, col, k.npoint);
  }
  snRowBlock* last = p->nblock ? p->block + p->nblock - 1 : NULL;
  bool same = last && last->own && last->ncol == k.ncol && last->npoint == k.npoint &&
              last->apart == k.apart;
  if (!same) p->block[p->nblock++] = k;
  last = p->block + p->nblock - 1;
  SN_ASSERT(last->row + last->nrow == row && last->stride == k.stride);
  last->nrow++;
  return last;
}
