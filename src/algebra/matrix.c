// The documented functions of dense matrices, row-major. Sums over rows run in SIMD lanes with the
// order of vec_dot; sums over columns add whole rows, so that memory is read once and in order.
#include "algebra/algebra.h"

// Empty matrices may be NULL, to which not even zero may be added.

// Four rows at a time, each summed in the order of vec_dot.
SN_KERNEL void mju_mulMatVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc) {
  int i = 0;
  if (nc <= 0) {
    if (nr > 0) memset(res, 0, nr * sizeof *res);
    return;
  }
  for (; i + 4 <= nr; i += 4) {
    const mjtNum* row = mat + (size_t)i * nc;
    const mjtNum *a = row, *b = row + nc, *c = b + nc, *d = c + nc;
    sn4 sa = sn4_set1(0), sb = sa, sc = sa, sd = sa;
    int k = 0;
    for (; k <= nc - 4; k += 4) {
      sn4 x = sn4_load(vec + k);
      sa += sn4_load(a + k) * x;
      sb += sn4_load(b + k) * x;
      sc += sn4_load(c + k) * x;
      sd += sn4_load(d + k) * x;
    }
    sn4 sum = sn4_sum4(sa, sb, sc, sd);
    for (; k < nc; k++) sum += (sn4){a[k], b[k], c[k], d[k]} * vec[k];
    sn4_store(res + i, sum);
  }
  for (; i < nr; i++) res[i] = vec_dot(mat + (size_t)i * nc, vec, nc);
}

// Rows whose factor is zero are skipped; the others are added two at a time, in order.
SN_KERNEL void mju_mulMatTVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc) {
  if (nc <= 0) return;
  memset(res, 0, nc * sizeof *res);
  for (int i = 0; i < nr; i++) {
    if (!vec[i]) continue;
    const mjtNum* a = mat + (size_t)i * nc;
    int j = i + 1;
    while (j < nr && !vec[j]) j++;
    if (j == nr) {
      vec_add_scaled(res, a, vec[i], nc);
      return;
    }
    const mjtNum* b = mat + (size_t)j * nc;
    mjtNum s = vec[i], t = vec[j];
    int k = 0;
    for (; k <= nc - 4; k += 4) {
      sn4_store(res + k, sn4_load(res + k) + sn4_load(a + k) * s + sn4_load(b + k) * t);
    }
    for (; k < nc; k++) res[k] = res[k] + a[k] * s + b[k] * t;
    i = j;
  }
}

SN_KERNEL mjtNum mju_mulVecMatVec(const mjtNum* vec1, const mjtNum* mat, const mjtNum* vec2,
                                  int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += vec1[i] * vec_dot(mat + (size_t)i * n, vec2, n);
  return sum;
}

void mju_transpose(mjtNum* res, const mjtNum* mat, int nr, int nc) {
  for (int i = 0; i < nr; i++) {
    for (int j = 0; j < nc; j++) res[(size_t)j * nr + i] = mat[(size_t)i * nc + j];
  }
}

void mju_symmetrize(mjtNum* res, const mjtNum* mat, int n) {
  for (int i = 0; i < n; i++) {
    res[(size_t)i * n + i] = mat[(size_t)i * n + i];
    for (int j = 0; j < i; j++) {
      mjtNum mean = 0.5 * (mat[(size_t)i * n + j] + mat[(size_t)j * n + i]);
      res[(size_t)i * n + j] = mean;
      res[(size_t)j * n + i] = mean;
    }
  }
}

void mju_eye(mjtNum* mat, int n) {
  if (n > 0) memset(mat, 0, (size_t)n * n * sizeof *mat);
  for (int i = 0; i < n; i++) mat[(size_t)i * n + i] = 1;
}

SN_KERNEL void mju_mulMatMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2, int r1, int c1,
                             int c2) {
  if (r1 <= 0 || c2 <= 0) return;
  memset(res, 0, (size_t)r1 * c2 * sizeof *res);
  for (int i = 0; i < r1; i++) {
    for (int k = 0; k < c1; k++) {
      double s = mat1[(size_t)i * c1 + k];
      if (s) vec_add_scaled(res + (size_t)i * c2, mat2 + (size_t)k * c2, s, c2);
    }
  }
}

SN_KERNEL void mju_mulMatMatT(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2, int r1, int c1,
                              int r2) {
  if (c1 <= 0) {
    if (r1 > 0 && r2 > 0) memset(res, 0, (size_t)r1 * r2 * sizeof *res);
    return;
  }
  for (int i = 0; i < r1; i++) {
    for (int j = 0; j < r2; j++) {
      res[(size_t)i * r2 + j] = vec_dot(mat1 + (size_t)i * c1, mat2 + (size_t)j * c1, c1);
    }
  }
}

SN_KERNEL void mju_mulMatTMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2, int r1, int c1,
                              int c2) {
  if (c1 <= 0 || c2 <= 0) return;
  memset(res, 0, (size_t)c1 * c2 * sizeof *res);
  for (int k = 0; k < r1; k++) {
    for (int i = 0; i < c1; i++) {
      double s = mat1[(size_t)k * c1 + i];
      if (s) vec_add_scaled(res + (size_t)i * c2, mat2 + (size_t)k * c2, s, c2);
    }
  }
}

// Computes the lower triangle row by row, then mirrors it.
SN_KERNEL void mju_sqrMatTD(mjtNum* res, const mjtNum* mat, const mjtNum* diag, int nr, int nc) {
  if (nc <= 0) return;
  memset(res, 0, (size_t)nc * nc * sizeof *res);
  for (int k = 0; k < nr; k++) {
    const double* row = mat + (size_t)k * nc;
    for (int i = 0; i < nc; i++) {
      double s = diag ? row[i] * diag[k] : row[i];
      if (s) vec_add_scaled(res + (size_t)i * nc, row, s, i + 1);
    }
  }
  for (int i = 0; i < nc; i++) {
    for (int j = 0; j < i; j++) res[(size_t)j * nc + i] = res[(size_t)i * nc + j];
  }
}

// Change of the reference point by d = newpos - oldpos: a motion (w, v) becomes (w, v + w x d), a
// force (t, f) becomes (t + f x d, f).
void mju_transformSpatial(mjtNum res[6], const mjtNum vec[6], int flg_force, const mjtNum newpos[3],
                          const mjtNum oldpos[3], const mjtNum rotnew2old[9]) {
  double d[3], shift[3], moved[6];
  vec3_sub(d, newpos, oldpos);
  vec6_copy(moved, vec);
  if (flg_force) {
    vec3_cross(shift, d, vec + 3);
    vec3_sub(moved, moved, shift);
  } else {
    vec3_cross(shift, d, vec);
    vec3_sub(moved + 3, moved + 3, shift);
  }
  if (rotnew2old) {
    mat3_mulT_vec(moved, rotnew2old, moved);
    mat3_mulT_vec(moved + 3, rotnew2old, moved + 3);
  }
  vec6_copy(res, moved);
}
