// The documented functions of vectors: fixed sizes 3 and 4, then any length; conversions; sorting.
#include "algebra/algebra.h"

void mju_zero3(mjtNum res[3]) { vec3_zero(res); }
void mju_copy3(mjtNum res[3], const mjtNum data[3]) { vec3_copy(res, data); }
void mju_scl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl) { vec3_scale(res, vec, scl); }
void mju_add3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]) {
  vec3_add(res, vec1, vec2);
}
void mju_sub3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]) {
  vec3_sub(res, vec1, vec2);
}
void mju_addTo3(mjtNum res[3], const mjtNum vec[3]) { vec3_add(res, res, vec); }
void mju_subFrom3(mjtNum res[3], const mjtNum vec[3]) { vec3_sub(res, res, vec); }
void mju_addToScl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl) {
  vec3_add_scaled(res, res, vec, scl);
}
void mju_addScl3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3], mjtNum scl) {
  vec3_add_scaled(res, vec1, vec2, scl);
}
mjtNum mju_normalize3(mjtNum vec[3]) { return vec3_normalize(vec); }
mjtNum mju_norm3(const mjtNum vec[3]) { return vec3_norm(vec); }
mjtNum mju_dot3(const mjtNum vec1[3], const mjtNum vec2[3]) { return vec3_dot(vec1, vec2); }
mjtNum mju_dist3(const mjtNum pos1[3], const mjtNum pos2[3]) { return vec3_dist(pos1, pos2); }
void mju_mulMatVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]) {
  mat3_mul_vec(res, mat, vec);
}
void mju_mulMatTVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]) {
  mat3_mulT_vec(res, mat, vec);
}
void mju_cross(mjtNum res[3], const mjtNum a[3], const mjtNum b[3]) { vec3_cross(res, a, b); }

void mju_zero4(mjtNum res[4]) { quat_set(res, 0, 0, 0, 0); }
void mju_unit4(mjtNum res[4]) { quat_identity(res); }
void mju_copy4(mjtNum res[4], const mjtNum data[4]) { quat_copy(res, data); }
mjtNum mju_normalize4(mjtNum vec[4]) { return quat_normalize(vec); }

// ---- any length

void mju_zero(mjtNum* res, int n) {
  if (n > 0) memset(res, 0, n * sizeof *res);
}

void mju_fill(mjtNum* res, mjtNum val, int n) {
  for (int i = 0; i < n; i++) res[i] = val;
}

void mju_copy(mjtNum* res, const mjtNum* vec, int n) {
  if (n > 0) memmove(res, vec, n * sizeof *res);
}

SN_KERNEL mjtNum mju_sum(const mjtNum* vec, int n) {
  sn4 sum = sn4_set1(0);
  int i = 0;
  for (; i <= n - 4; i += 4) sum += sn4_load(vec + i);
  double r = sn4_sum(sum);
  for (; i < n; i++) r += vec[i];
  return r;
}

SN_KERNEL mjtNum mju_L1(const mjtNum* vec, int n) {
  sn4 sum = sn4_set1(0);
  int i = 0;
  for (; i <= n - 4; i += 4) sum += sn4_abs(sn4_load(vec + i));
  double r = sn4_sum(sum);
  for (; i < n; i++) r += fabs(vec[i]);
  return r;
}

SN_KERNEL void mju_scl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n) {
  vec_scale(res, vec, scl, n);
}

SN_KERNEL void mju_add(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n) {
  int i = 0;
  for (; i <= n - 4; i += 4) sn4_store(res + i, sn4_load(vec1 + i) + sn4_load(vec2 + i));
  for (; i < n; i++) res[i] = vec1[i] + vec2[i];
}

SN_KERNEL void mju_sub(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n) {
  int i = 0;
  for (; i <= n - 4; i += 4) sn4_store(res + i, sn4_load(vec1 + i) - sn4_load(vec2 + i));
  for (; i < n; i++) res[i] = vec1[i] - vec2[i];
}

void mju_addTo(mjtNum* res, const mjtNum* vec, int n) { mju_add(res, res, vec, n); }
void mju_subFrom(mjtNum* res, const mjtNum* vec, int n) { mju_sub(res, res, vec, n); }

SN_KERNEL void mju_addToScl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n) {
  vec_add_scaled(res, vec, scl, n);
}

SN_KERNEL void mju_addScl(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, mjtNum scl, int n) {
  sn4 s4 = sn4_set1(scl);
  int i = 0;
  for (; i <= n - 4; i += 4) sn4_store(res + i, sn4_load(vec1 + i) + sn4_load(vec2 + i) * s4);
  for (; i < n; i++) res[i] = vec1[i] + vec2[i] * scl;
}

mjtNum mju_normalize(mjtNum* res, int n) {
  mjtNum norm = mju_norm(res, n);
  if (norm < mjMINVAL) {
    mju_zero(res, n);
    if (n > 0) res[0] = 1;
  } else {
    mju_scl(res, res, 1 / norm, n);
  }
  return norm;
}

mjtNum mju_norm(const mjtNum* res, int n) { return sqrt(mju_dot(res, res, n)); }

SN_KERNEL mjtNum mju_dot(const mjtNum* vec1, const mjtNum* vec2, int n) {
  return vec_dot(vec1, vec2, n);
}

// ---- conversion

void mju_f2n(mjtNum* res, const float* vec, int n) {
  for (int i = 0; i < n; i++) res[i] = vec[i];
}

void mju_n2f(float* res, const mjtNum* vec, int n) {
  for (int i = 0; i < n; i++) res[i] = (float)vec[i];
}

void mju_d2n(mjtNum* res, const double* vec, int n) { mju_copy(res, vec, n); }
void mju_n2d(double* res, const mjtNum* vec, int n) { mju_copy(res, vec, n); }

int mju_isZero(mjtNum* vec, int n) {
  for (int i = 0; i < n; i++) {
    if (vec[i] != 0) return 0;
  }
  return 1;
}

// ---- sorting

void mju_insertionSort(mjtNum* list, int n) {
  for (int i = 1; i < n; i++) {
    mjtNum x = list[i];
    int j = i;
    for (; j > 0 && list[j - 1] > x; j--) list[j] = list[j - 1];
    list[j] = x;
  }
}

void mju_insertionSortInt(int* list, int n) {
  for (int i = 1; i < n; i++) {
    int x = list[i];
    int j = i;
    for (; j > 0 && list[j - 1] > x; j--) list[j] = list[j - 1];
    list[j] = x;
  }
}
