// Eight floats or ints side by side, four floats as one colour.
// Comparisons give masks of ones. The same operations in the same order on every
// CPU, as in base/lanes.h.
#ifndef SINEW_DRAW_LANES8_H_
#define SINEW_DRAW_LANES8_H_

#include "base/base.h"

typedef float sn8f __attribute__((vector_size(32)));
typedef int sn8i __attribute__((vector_size(32)));
typedef float sn4f __attribute__((vector_size(16)));
typedef int sn4x __attribute__((vector_size(16)));

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
SN_INLINE sn8f sn8f_select(sn8i mask, sn8f a, sn8f b) {
  return (sn8f)(((sn8i)a & mask) | ((sn8i)b & ~mask));
}
SN_INLINE sn8i sn8i_select(sn8i mask, sn8i a, sn8i b) { return (a & mask) | (b & ~mask); }

// is any lane of a mask set
SN_INLINE bool sn8i_any(sn8i m) {
  sn4x low = __builtin_shufflevector(m, m, 0, 1, 2, 3);
  sn4x high = __builtin_shufflevector(m, m, 4, 5, 6, 7);
#ifdef __SSE2__
  return __builtin_ia32_movmskps((sn4f)(low | high)) != 0;
#else
  sn4x both = low | high;
  return (both[0] | both[1] | both[2] | both[3]) < 0;
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

// from 0 to 1; what is no number becomes 0
SN_INLINE sn4f sn4f_clamp(sn4f v) {
  const sn4f zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  return sn4f_min(sn4f_select(v > zero, v, zero), one);
}

#endif
