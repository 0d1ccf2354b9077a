// The documented Cholesky functions: A = L L' in the lower triangle, row-major, by rows.
#include "algebra/algebra.h"

// l_ij = (a_ij - l_i . l_j) / l_jj over the first j entries. A pivot below mindiag is raised to it
// and counts against the rank.
SN_KERNEL int mju_cholFactor(mjtNum* mat, int n, mjtNum mindiag) {
  int rank = n;
  for (int i = 0; i < n; i++) {
    double* row = mat + (size_t)i * n;
    for (int j = 0; j < i; j++) {
      const double* other = mat + (size_t)j * n;
      row[j] = (row[j] - vec_dot(row, other, j)) / other[j];
    }
    double pivot = row[i] - vec_dot(row, row, i);
    if (pivot < mindiag) {
      pivot = mindiag;
      rank--;
    }
    row[i] = sqrt(pivot);
  }
  return rank;
}

SN_KERNEL void mju_cholSolve(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int n) {
  if (res != vec && n > 0) memmove(res, vec, n * sizeof *res);
  for (int i = 0; i < n; i++) {
    const double* row = mat + (size_t)i * n;
    res[i] = (res[i] - vec_dot(row, res, i)) / row[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double* row = mat + (size_t)i * n;
    res[i] /= row[i];
    vec_add_scaled(res, row, -res[i], i);
  }
}

// Column k of L and x are turned into each other by the rotation (or hyperbolic rotation) that
// annihilates x_k. A pivot that would fall below mjMINVAL is raised to it and counts against the
// rank.
int mju_cholUpdate(mjtNum* mat, mjtNum* x, int n, int flg_plus) {
  int rank = n;
  for (int k = 0; k < n; k++) {
    if (x[k] == 0) continue;
    double old = mat[(size_t)k * n + k];
    double square = old * old + (flg_plus ? x[k] * x[k] : -x[k] * x[k]);
    if (square < mjMINVAL) {
      square = mjMINVAL;
      rank--;
    }
    double pivot = sqrt(square);
    double c = pivot / old, c_inverse = old / pivot, s = x[k] / old;
    mat[(size_t)k * n + k] = pivot;
    double signed_s = flg_plus ? s : -s;
    for (int i = k + 1; i < n; i++) {
      double* entry = mat + (size_t)i * n + k;
      *entry = (*entry + signed_s * x[i]) * c_inverse;
      x[i] = c * x[i] - s * *entry;
    }
  }
  return rank;
}
