// Sparse matrices by rows (CSR): row i holds rownnz[i] entries from rowadr[i], columns in colind.
#include <stdio.h>

#include "base/assert.h"
#include "algebra/algebra.h"

int mju_dense2sparse(mjtNum* res, const mjtNum* mat, int nr, int nc, int* rownnz, int* rowadr,
                     int* colind, int nnz) {
  if (nnz <= 0) return 1;
  int used = 0;
  for (int i = 0; i < nr; i++) {
    rownnz[i] = 0;
    rowadr[i] = used;
    for (int j = 0; j < nc; j++) {
      mjtNum x = mat[(size_t)i * nc + j];
      if (x == 0) continue;
      if (used == nnz) return 1;
      res[used] = x;
      colind[used] = j;
      rownnz[i]++;
      used++;
    }
  }
  return 0;
}

void mju_sparse2dense(mjtNum* res, const mjtNum* mat, int nr, int nc, const int* rownnz,
                      const int* rowadr, const int* colind) {
  if (nr > 0 && nc > 0) memset(res, 0, (size_t)nr * (size_t)nc * sizeof *res);
  for (int i = 0; i < nr; i++) {
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++) {
      res[(size_t)i * nc + colind[k]] = mat[k];
    }
  }
}

// r = A x, where A is symmetric and given by its lower triangle, the diagonal last in each row
SN_KERNEL void sparse_mul_sym_vec(double* r, const double* mat, const double* vec, int n,
                                  const int* rownnz, const int* rowadr, const int* colind) {
  for (int i = 0; i < n; i++) {
    const double* row = mat + rowadr[i];
    const int* ind = colind + rowadr[i];
    int last = rownnz[i] - 1;
    SN_ASSERT(ind[last] == i);
    double x = vec[i], sum = row[last] * x;
    for (int k = 0; k < last; k++) {
      sum += row[k] * vec[ind[k]];
      r[ind[k]] += row[k] * x;
    }
    r[i] = sum;
  }
}

// ---- printing to standard output, which the program asks for by calling these

void mju_printMat(const mjtNum* mat, int nr, int nc) {
  for (int i = 0; i < nr; i++) {
    for (int j = 0; j < nc; j++) printf("%.8f ", mat[(size_t)i * nc + j]);
    printf("\n");
  }
  printf("\n");
}

void mju_printMatSparse(const mjtNum* mat, int nr, const int* rownnz, const int* rowadr,
                        const int* colind) {
  for (int i = 0; i < nr; i++) {
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++)
      printf("(%d %d): %9.6f  ", i, colind[k], mat[k]);
    printf("\n");
  }
  printf("\n");
}
