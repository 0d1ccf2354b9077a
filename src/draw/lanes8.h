// Eight floats or ints side by side, four floats as one colour.
// Comparisons give masks of ones. The same operations in the same order on every
// CPU, as in base/lanes.h.
#ifndef SINEW_DRAW_LANES8_H_
#define SINEW_DRAW_LANES8_H_

#include <math.h>

#include "base/base.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

typedef float sn8f __attribute__((vector_size(32)));
typedef int sn8i __attribute__((vector_size(32)));
typedef float sn4f __attribute__((vector_size(16)));
typedef int sn4x __attribute__((vector_size(16)));
typedef unsigned char sn8b __attribute__((vector_size(8)));

SN_INLINE sn8f sn8f_load(const float* p) {
  sn8f v;
  memcpy(&v, p, sizeof v);
  return v;
}
SN_INLINE void sn8f_store(float* p, sn8f v) { memcpy(p, &v, sizeof v); }
SN_INLINE sn8i sn8i_load(const int* p) {
  sn8i v;
  memcpy(&v, p, sizeof v);
  return v;
}
SN_INLINE void sn8i_store(int* p, sn8i v) { memcpy(p, &v, sizeof v); }
SN_INLINE sn8f sn8f_set1(float x) { return (sn8f){x, x, x, x, x, x, x, x}; }
SN_INLINE sn8i sn8i_set1(int x) { return (sn8i){x, x, x, x, x, x, x, x}; }
// The first where the mask is set, the second elsewhere.
SN_INLINE sn8f sn8f_select(sn8i mask, sn8f a, sn8f b) {
#ifdef __AVX2__
  return (sn8f)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
  return (sn8f)(((sn8i)a & mask) | ((sn8i)b & ~mask));
#endif
}
SN_INLINE sn8i sn8i_select(sn8i mask, sn8i a, sn8i b) {
  return (sn8i)sn8f_select(mask, (sn8f)a, (sn8f)b);
}

SN_INLINE sn8i sn8i_min(sn8i a, sn8i b) { return sn8i_select(a < b, a, b); }
SN_INLINE sn8i sn8i_max(sn8i a, sn8i b) { return sn8i_select(a > b, a, b); }

// Four of eight lanes as doubles, from lane 0 (half 0) or lane 4 (half 1) on.
SN_INLINE sn4 sn8i_half(sn8i v, int half) {
  sn4x low = __builtin_shufflevector(v, v, 0, 1, 2, 3);
  sn4x high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  return __builtin_convertvector(half ? high : low, sn4);
}
SN_INLINE sn4 sn8f_half(sn8f v, int half) {
  sn4f low = __builtin_shufflevector(v, v, 0, 1, 2, 3);
  sn4f high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  return __builtin_convertvector(half ? high : low, sn4);
}

// Eight rows of four become four columns of eight.
SN_INLINE void sn4x_columns(const sn4x row[8], sn8i column[4]) {
  sn8i r[4];
  for (int i = 0; i < 4; i++) {
    r[i] = __builtin_shufflevector(row[i], row[i + 4], 0, 1, 2, 3, 4, 5, 6, 7);
  }
  sn8i a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
  sn8i b = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
  sn8i c = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
  sn8i d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
  column[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
  column[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
  column[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
  column[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

// is any lane of a mask set
SN_INLINE bool sn8i_any(sn8i m) {
#ifdef __AVX2__
  return _mm256_movemask_ps((__m256)m) != 0;
#else
  sn4x low = __builtin_shufflevector(m, m, 0, 1, 2, 3);
  sn4x high = __builtin_shufflevector(m, m, 4, 5, 6, 7);
#ifdef __SSE2__
  return __builtin_ia32_movmskps((sn4f)(low | high)) != 0;
#else
  sn4x both = low | high;
  return (both[0] | both[1] | both[2] | both[3]) < 0;
#endif
#endif
}

// Bit i is set when lane i of a mask is; and the mask of such bits.
SN_INLINE int sn4x_bits(sn4x m) {
#ifdef __SSE2__
  return __builtin_ia32_movmskps((sn4f)m);
#else
  return (m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8);
#endif
}
SN_INLINE int sn8i_bits(sn8i m) {
#ifdef __AVX2__
  return _mm256_movemask_ps((__m256)m);
#else
  return sn4x_bits(__builtin_shufflevector(m, m, 0, 1, 2, 3)) |
         sn4x_bits(__builtin_shufflevector(m, m, 4, 5, 6, 7)) << 4;
#endif
}
SN_INLINE sn8i sn8i_from_bits(int bits) {
  const sn8i lane = {1, 2, 4, 8, 16, 32, 64, 128};
  return (sn8i_set1(bits) & lane) != 0;
}

// The second where the first is not less, or not greater; NaN included. GCC makes comparisons and
// blends of the portable lines.
SN_INLINE sn8f sn8f_min(sn8f a, sn8f b) {
#ifdef __AVX2__
  return (sn8f)_mm256_min_ps((__m256)a, (__m256)b);
#else
  return sn8f_select(a < b, a, b);
#endif
}
SN_INLINE sn8f sn8f_max(sn8f a, sn8f b) {
#ifdef __AVX2__
  return (sn8f)_mm256_max_ps((__m256)a, (__m256)b);
#else
  return sn8f_select(a > b, a, b);
#endif
}
SN_INLINE sn8f sn8f_abs(sn8f a) { return (sn8f)((sn8i)a & 0x7FFFFFFF); }
SN_INLINE sn8f sn8f_sqrt(sn8f v) {
#ifdef __AVX2__
  return (sn8f)_mm256_sqrt_ps((__m256)v);
#else
  return (sn8f){sqrtf(v[0]), sqrtf(v[1]), sqrtf(v[2]), sqrtf(v[3]),
                sqrtf(v[4]), sqrtf(v[5]), sqrtf(v[6]), sqrtf(v[7])};
#endif
}

// The numbers at eight places.
SN_INLINE sn8f sn8f_gather(const float* p, sn8i at) {
#ifdef __AVX2__
  return (sn8f)_mm256_i32gather_ps(p, (__m256i)at, 4);
#else
  return (sn8f){p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]], p[at[7]]};
#endif
}

SN_INLINE sn8i sn8i_gather(const int* p, sn8i at) {
  return (sn8i)sn8f_gather((const float*)(const void*)p, at);
}

SN_INLINE sn8f sn8f_dot3(const sn8f a[3], const sn8f b[3]) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// from 0 to 1; NaN becomes 0
SN_INLINE sn8f sn8f_clamp(sn8f v) {
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  return sn8f_min(sn8f_max(v, zero), one);
}

// 1 / sqrt(square), 0 where that has no value.
SN_INLINE sn8f sn8f_inverse_length(sn8f square) {
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  sn8i some = square > zero;
  return sn8f_select(some, one / sn8f_sqrt(sn8f_select(some, square, one)), zero);
}

// At unit length; zero stays zero.
SN_INLINE void sn8f_unit3(sn8f v[3]) {
  sn8f inverse = sn8f_inverse_length(sn8f_dot3(v, v));
  for (int c = 0; c < 3; c++) v[c] *= inverse;
}

// Largest integer below, of numbers that fit one.
SN_INLINE sn8i sn8f_floor(sn8f v) {
#ifdef __AVX2__
  return (sn8i)_mm256_cvttps_epi32(_mm256_floor_ps((__m256)v));
#else
  sn8i whole = __builtin_convertvector(v, sn8i);
  return whole + (__builtin_convertvector(whole, sn8f) > v);
#endif
}

SN_INLINE sn4f sn4f_load(const float* p) {
  sn4f v;
  memcpy(&v, p, sizeof v);
  return v;
}
SN_INLINE void sn4f_store(float* p, sn4f v) { memcpy(p, &v, sizeof v); }
SN_INLINE sn4f sn4f_set1(float x) { return (sn4f){x, x, x, x}; }
SN_INLINE sn4f sn4f_select(sn4x mask, sn4f a, sn4f b) {
  return (sn4f)(((sn4x)a & mask) | ((sn4x)b & ~mask));
}
SN_INLINE sn4f sn4f_min(sn4f a, sn4f b) { return sn4f_select(a < b, a, b); }
SN_INLINE sn4f sn4f_max(sn4f a, sn4f b) { return sn4f_select(a > b, a, b); }

// Four columns of eight become eight rows of four.
SN_INLINE void sn8f_rows(const sn8f column[4], sn4f row[8]) {
  sn8f a = __builtin_shufflevector(column[0], column[1], 0, 8, 1, 9, 4, 12, 5, 13);
  sn8f b = __builtin_shufflevector(column[0], column[1], 2, 10, 3, 11, 6, 14, 7, 15);
  sn8f c = __builtin_shufflevector(column[2], column[3], 0, 8, 1, 9, 4, 12, 5, 13);
  sn8f d = __builtin_shufflevector(column[2], column[3], 2, 10, 3, 11, 6, 14, 7, 15);
  sn8f two[4] = {__builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13),
                 __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
                 __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13),
                 __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15)};
  for (int i = 0; i < 4; i++) {
    row[i] = __builtin_shufflevector(two[i], two[i], 0, 1, 2, 3);
    row[i + 4] = __builtin_shufflevector(two[i], two[i], 4, 5, 6, 7);
  }
}

// from 0 to 1; NaN becomes 0
SN_INLINE sn4f sn4f_clamp(sn4f v) {
  const sn4f zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  return sn4f_min(sn4f_select(v > zero, v, zero), one);
}

#endif
