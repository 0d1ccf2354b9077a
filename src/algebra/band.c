// Band-dense ("arrowhead") symmetric matrices: a band of width nband over the first
// ntotal - ndense rows, then ndense dense rows. The lower triangle is stored: band rows of nband
// numbers whose last is the diagonal, then dense rows of ntotal numbers.
#include "algebra/algebra.h"

typedef struct snBand_ {
  int total, band, dense, split;  // split: first dense row
} snBand;

SN_INLINE snBand band_shape(int ntotal, int nband, int ndense) {
  return (snBand){ntotal, nband, ndense, ntotal - ndense};
}

SN_INLINE int band_first(snBand s, int i) {  // first column stored in row i
  if (i >= s.split) return 0;
  return i - s.band + 1 > 0 ? i - s.band + 1 : 0;
}

// where element (i, 0) would be; valid from column band_first(i) to i
SN_INLINE ptrdiff_t band_row(snBand s, int i) {
  if (i < s.split) return (ptrdiff_t)(i + 1) * s.band - 1 - i;
  return (ptrdiff_t)s.split * s.band + (ptrdiff_t)(i - s.split) * s.total;
}

int mju_bandDiag(int i, int ntotal, int nband, int ndense) {
  return (int)(band_row(band_shape(ntotal, nband, ndense), i) + i);
}

// Cholesky by rows: l_ij = (a_ij - sum_k l_ik l_jk) / l_jj over the columns that both rows store.
// Returns the smallest pivot (the square of a diagonal entry of L).
SN_KERNEL mjtNum mju_cholFactorBand(mjtNum* mat, int ntotal, int nband, int ndense, mjtNum diagadd,
                                    mjtNum diagmul) {
  snBand s = band_shape(ntotal, nband, ndense);
  double smallest = -1;
  for (int i = 0; i < ntotal; i++) {
    double* row = mat + band_row(s, i);
    int first = band_first(s, i);
    row[i] += diagadd + diagmul * row[i];
    for (int j = first; j < i; j++) {
      const double* other = mat + band_row(s, j);
      int from = band_first(s, j);
      if (from < first) from = first;
      row[j] = (row[j] - vec_dot(row + from, other + from, j - from)) / other[j];
    }
    double pivot = row[i] - vec_dot(row + first, row + first, i - first);
    if (pivot < mjMINVAL) return 0;
    row[i] = sqrt(pivot);
    if (smallest < 0 || pivot < smallest) smallest = pivot;
  }
  return smallest < 0 ? 0 : smallest;
}

SN_KERNEL void mju_cholSolveBand(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int ntotal,
                                 int nband, int ndense) {
  snBand s = band_shape(ntotal, nband, ndense);
  if (res != vec && ntotal > 0) memmove(res, vec, ntotal * sizeof *res);
  for (int i = 0; i < ntotal; i++) {
    const double* row = mat + band_row(s, i);
    int first = band_first(s, i);
    res[i] = (res[i] - vec_dot(row + first, res + first, i - first)) / row[i];
  }
  for (int i = ntotal - 1; i >= 0; i--) {
    const double* row = mat + band_row(s, i);
    int first = band_first(s, i);
    res[i] /= row[i];
    vec_add_scaled(res + first, row + first, -res[i], i - first);
  }
}

void mju_band2Dense(mjtNum* res, const mjtNum* mat, int ntotal, int nband, int ndense,
                    mjtByte flg_sym) {
  snBand s = band_shape(ntotal, nband, ndense);
  if (ntotal > 0) memset(res, 0, (size_t)ntotal * ntotal * sizeof *res);
  for (int i = 0; i < ntotal; i++) {
    const double* row = mat + band_row(s, i);
    for (int j = band_first(s, i); j <= i; j++) {
      res[(size_t)i * ntotal + j] = row[j];
      if (flg_sym) res[(size_t)j * ntotal + i] = row[j];
    }
  }
}

void mju_dense2Band(mjtNum* res, const mjtNum* mat, int ntotal, int nband, int ndense) {
  snBand s = band_shape(ntotal, nband, ndense);
  for (int i = 0; i < ntotal; i++) {
    double* row = res + band_row(s, i);
    for (int j = band_first(s, i); j <= i; j++) row[j] = mat[(size_t)i * ntotal + j];
  }
}

SN_KERNEL void mju_bandMulMatVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int ntotal,
                                 int nband, int ndense, int nvec, mjtByte flg_sym) {
  snBand s = band_shape(ntotal, nband, ndense);
  for (int v = 0; v < nvec; v++, res += ntotal, vec += ntotal) {
    for (int i = 0; i < ntotal; i++) {
      const double* row = mat + band_row(s, i);
      int first = band_first(s, i);
      res[i] = vec_dot(row + first, vec + first, i - first + 1);
      if (flg_sym) vec_add_scaled(res + first, row + first, vec[i], i - first);
    }
  }
}
