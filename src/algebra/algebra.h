// Beyond the documented mju_ functions: what the engine's own rooms share.
#ifndef SINEW_ALGEBRA_ALGEBRA_H_
#define SINEW_ALGEBRA_ALGEBRA_H_

#include "algebra/small.h"
#include "base/base.h"

// ---- sparse matrices by rows (CSR): rownnz, rowadr, colind, columns in increasing order

// row . vec, where the row has n entries in columns ind
SN_INLINE double sparse_dot(const double* row, const double* vec, int n, const int* ind) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += row[k] * vec[ind[k]];
  return sum;
}

// r = A x
void sparse_mul_vec(double* r, const double* mat, const double* vec, int nr, const int* rownnz,
                    const int* rowadr, const int* colind);

// r = A' x
void sparse_mulT_vec(double* r, const double* mat, const double* vec, int nr, int nc,
                     const int* rownnz, const int* rowadr, const int* colind);

// r = A x, A symmetric, given by its lower triangle with the diagonal last in each row
void sparse_mul_sym_vec(double* r, const double* mat, const double* vec, int n, const int* rownnz,
                        const int* rowadr, const int* colind);

// A' (its structure only when mat is NULL)
void sparse_transpose(double* rt, const double* mat, int nr, int nc, int* rownnz_t, int* rowadr_t,
                      int* colind_t, const int* rownnz, const int* rowadr, const int* colind);

#endif
