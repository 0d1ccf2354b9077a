// Functions that the released library exports without declaring them. Their names say what they
// compute; tests/parity/test_undocumented.py compares them with the released ones. Sparse matrices
// are CSR with ascending columns: row i has rownnz[i] entries from rowadr[i], columns in colind.
#include "algebra/algebra.h"

MJAPI void mju_zeroInt(int* res, int n);
MJAPI void mju_zeroSizeT(size_t* res, size_t n);
MJAPI void mju_copyInt(int* res, const int* vec, int n);
MJAPI void mju_gather(mjtNum* res, const mjtNum* vec, const int* ind, int n);
MJAPI void mju_gatherInt(int* res, const int* vec, const int* ind, int n);
MJAPI void mju_scatter(mjtNum* res, const mjtNum* vec, const int* ind, int n);
MJAPI void mju_scatterInt(int* res, const int* vec, const int* ind, int n);
MJAPI int mju_equal3(const mjtNum vec1[3], const mjtNum vec2[3]);
MJAPI void mju_mulMatMat3(mjtNum res[9], const mjtNum mat1[9], const mjtNum mat2[9]);
MJAPI void mju_mulMatTMat3(mjtNum res[9], const mjtNum mat1[9], const mjtNum mat2[9]);
MJAPI void mju_mulMatMatT3(mjtNum res[9], const mjtNum mat1[9], const mjtNum mat2[9]);
MJAPI void mju_mulMatVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr,
                               const int* rownnz, const int* rowadr, const int* colind,
                               const int* rowsuper);
MJAPI void mju_mulMatTVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc,
                                const int* rownnz, const int* rowadr, const int* colind);
MJAPI void mju_mulSymVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int n,
                               const int* rownnz, const int* rowadr, const int* colind);
MJAPI void mju_transposeSparse(mjtNum* res, const mjtNum* mat, int nr, int nc, int* res_rownnz,
                               int* res_rowadr, int* res_colind, int* res_rowsuper,
                               const int* rownnz, const int* rowadr, const int* colind);
MJAPI void mju_superSparse(int nr, int* rowsuper, const int* rownnz, const int* rowadr,
                           const int* colind);
MJAPI int mju_compressSparse(mjtNum* mat, int nr, int nc, int* rownnz, int* rowadr, int* colind,
                             mjtNum minval);

void mju_zeroInt(int* res, int n) {
  if (n > 0) memset(res, 0, (size_t)n * sizeof *res);
}

void mju_zeroSizeT(size_t* res, size_t n) {
  if (n) memset(res, 0, n * sizeof *res);
}

void mju_copyInt(int* res, const int* vec, int n) {
  if (n > 0) memmove(res, vec, (size_t)n * sizeof *res);
}

void mju_gather(mjtNum* res, const mjtNum* vec, const int* ind, int n) {
  for (int i = 0; i < n; i++) res[i] = vec[ind[i]];
}

void mju_gatherInt(int* res, const int* vec, const int* ind, int n) {
  for (int i = 0; i < n; i++) res[i] = vec[ind[i]];
}

void mju_scatter(mjtNum* res, const mjtNum* vec, const int* ind, int n) {
  for (int i = 0; i < n; i++) res[ind[i]] = vec[i];
}

void mju_scatterInt(int* res, const int* vec, const int* ind, int n) {
  for (int i = 0; i < n; i++) res[ind[i]] = vec[i];
}

int mju_equal3(const mjtNum vec1[3], const mjtNum vec2[3]) {
  for (int i = 0; i < 3; i++) {
    if (!(fabs(vec1[i] - vec2[i]) < mjMINVAL)) return 0;
  }
  return 1;
}

void mju_mulMatMat3(mjtNum res[9], const mjtNum mat1[9], const mjtNum mat2[9]) {
  mju_mulMatMat(res, mat1, mat2, 3, 3, 3);
}

void mju_mulMatTMat3(mjtNum res[9], const mjtNum mat1[9], const mjtNum mat2[9]) {
  mju_mulMatTMat(res, mat1, mat2, 3, 3, 3);
}

void mju_mulMatMatT3(mjtNum res[9], const mjtNum mat1[9], const mjtNum mat2[9]) {
  mju_mulMatMatT(res, mat1, mat2, 3, 3, 3);
}

// rowsuper is ignored: it allows rows of the same pattern to be multiplied together, which gives
// the same product.
void mju_mulMatVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr,
                         const int* rownnz, const int* rowadr, const int* colind,
                         const int* rowsuper) {
  (void)rowsuper;
  for (int i = 0; i < nr; i++) {
    double sum = 0;
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++) sum += mat[k] * vec[colind[k]];
    res[i] = sum;
  }
}

void mju_mulMatTVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc,
                          const int* rownnz, const int* rowadr, const int* colind) {
  mju_zero(res, nc);
  for (int i = 0; i < nr; i++) {
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++) res[colind[k]] += mat[k] * vec[i];
  }
}

// Only the lower triangle of the symmetric matrix is stored.
void mju_mulSymVecSparse(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int n,
                         const int* rownnz, const int* rowadr, const int* colind) {
  mju_zero(res, n);
  for (int i = 0; i < n; i++) {
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++) {
      res[i] += mat[k] * vec[colind[k]];
      if (colind[k] != i) res[colind[k]] += mat[k] * vec[i];
    }
  }
}

// rowsuper[r]: number of rows directly below row r that have the same columns.
void mju_superSparse(int nr, int* rowsuper, const int* rownnz, const int* rowadr,
                     const int* colind) {
  for (int i = nr - 1; i >= 0; i--) {
    rowsuper[i] = 0;
    if (i == nr - 1 || rownnz[i] != rownnz[i + 1]) continue;
    size_t bytes = (size_t)rownnz[i] * sizeof(int);
    bool same = !bytes || !memcmp(colind + rowadr[i], colind + rowadr[i + 1], bytes);
    if (same) rowsuper[i] = rowsuper[i + 1] + 1;
  }
}

void mju_transposeSparse(mjtNum* res, const mjtNum* mat, int nr, int nc, int* res_rownnz,
                         int* res_rowadr, int* res_colind, int* res_rowsuper, const int* rownnz,
                         const int* rowadr, const int* colind) {
  mju_zeroInt(res_rownnz, nc);
  for (int i = 0; i < nr; i++) {
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++) res_rownnz[colind[k]]++;
  }
  for (int j = 0, adr = 0; j < nc; j++) {
    res_rowadr[j] = adr;
    adr += res_rownnz[j];
    res_rownnz[j] = 0;
  }
  for (int i = 0; i < nr; i++) {
    for (int k = rowadr[i]; k < rowadr[i] + rownnz[i]; k++) {
      int at = res_rowadr[colind[k]] + res_rownnz[colind[k]]++;
      res_colind[at] = i;
      if (res && mat) res[at] = mat[k];
    }
  }
  if (res_rowsuper) mju_superSparse(nc, res_rowsuper, res_rownnz, res_rowadr, res_colind);
}

// Closes the gaps between rows and drops entries with |value| <= minval. Returns the number of
// entries left.
int mju_compressSparse(mjtNum* mat, int nr, int nc, int* rownnz, int* rowadr, int* colind,
                       mjtNum minval) {
  (void)nc;
  int used = 0;
  for (int i = 0; i < nr; i++) {
    int begin = rowadr[i], end = begin + rownnz[i], first = used;
    rowadr[i] = used;
    for (int k = begin; k < end; k++) {
      if (minval >= 0 && fabs(mat[k]) <= minval) continue;
      mat[used] = mat[k];
      colind[used++] = colind[k];
    }
    rownnz[i] = used - first;
  }
  return used;
}
