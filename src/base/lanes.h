// sn4: four doubles, one per SIMD lane, by the compiler's vector extensions.
//
// The same operations in the same order run as one instruction on AVX2 and as two halves on SSE2
// and NEON, so every processor gives the same bits. The one horizontal sum is ((0+1)+(2+3)).
#ifndef SINEW_BASE_LANES_H_
#define SINEW_BASE_LANES_H_

#include <math.h>
#include <string.h>

typedef double sn4 __attribute__((vector_size(32)));
typedef long long sn4i __attribute__((vector_size(32)));

// Is a sanitizer compiled in? gcc and clang say so in two ways.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SN_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SN_SANITIZED
#endif
#endif

// SN_INLINE functions are compiled for the instruction set of the kernel they are inlined into.
// Under a sanitizer there is one instruction set, and inlined kernels take minutes to compile. So it
// is in browsers, where web/ asks for a small program.
#if defined(SN_SANITIZED) || defined(SN_SMALL)
#define SN_INLINE static inline __attribute__((unused))
#else
#define SN_INLINE static inline __attribute__((always_inline, unused))
#endif

// A function marked SN_KERNEL is compiled twice, for AVX2 and for the baseline; the loader picks
// one (ifunc). AVX2 without FMA: GCC 12.2 fuses multiplications and additions even under
// -ffp-contract=off in cloned functions, which changes bits. Without such a loader, and under
// Clang, which refuses vector types in cloned functions, tools/kernels.py writes the two versions
// and a function that picks one at each call.
#if defined(__x86_64__) && defined(SN_DISPATCH)
#define SN_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define SN_KERNEL
#endif
#ifdef SN_DISPATCH_ASKED
#define SN_FOR_BASELINE __attribute__((noinline))
#define SN_FOR_AVX2 __attribute__((noinline, target("avx2")))
extern int processor_avx2;  // processor.c
#endif

// Unroll a short loop whose trip count is known after inlining.
#if defined(SN_SANITIZED) || defined(__OPTIMIZE_SIZE__) || defined(SN_SMALL)
#define SN_UNROLL  // neither sanitizers nor a small program ask for speed
#elif defined(__clang__)
#define SN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SN_UNROLL _Pragma("GCC unroll 8")
#endif

SN_INLINE sn4 sn4_load(const double* p) {
  sn4 v;
  memcpy(&v, p, sizeof v);
  return v;
}

SN_INLINE void sn4_store(double* p, sn4 v) { memcpy(p, &v, sizeof v); }

// GCC compiles this to one broadcast, but {x, x, x, x} to four moves
SN_INLINE sn4 sn4_set1(double x) {
  sn4 v = {x};
  return __builtin_shufflevector(v, v, 0, 0, 0, 0);
}

SN_INLINE double sn4_sum(sn4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// horizontal sums of four vectors, each in the order of sn4_sum
SN_INLINE sn4 sn4_sum4(sn4 a, sn4 b, sn4 c, sn4 d) {
  sn4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  sn4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// transpose of a 4 x 4 matrix given by rows
SN_INLINE void sn4_transpose(sn4* a, sn4* b, sn4* c, sn4* d) {
  sn4 ab0 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6);
  sn4 ab1 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
  sn4 cd0 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6);
  sn4 cd1 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
  *a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  *b = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  *c = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  *d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

// loads the first n of four numbers, n from 1 to 4; the other lanes are zero
SN_INLINE sn4 sn4_load_part(const double* p, int n) {
  switch (n) {
    case 1:
      return (sn4){p[0], 0, 0, 0};
    case 2:
      return (sn4){p[0], p[1], 0, 0};
    case 3:
      return (sn4){p[0], p[1], p[2], 0};
    default:
      return sn4_load(p);
  }
}

SN_INLINE void sn4_store_part(double* p, sn4 v, int n) {
  switch (n) {
    case 1:
      p[0] = v[0];
      break;
    case 2:
      p[0] = v[0], p[1] = v[1];
      break;
    case 3:
      p[0] = v[0], p[1] = v[1], p[2] = v[2];
      break;
    default:
      sn4_store(p, v);
      break;
  }
}

// per lane: mask ? a : b; masks are results of comparisons, all ones or all zeros
SN_INLINE sn4 sn4_select(sn4i mask, sn4 a, sn4 b) {
  return (sn4)(((sn4i)a & mask) | ((sn4i)b & ~mask));
}

SN_INLINE sn4 sn4_min(sn4 a, sn4 b) { return sn4_select(a < b, a, b); }
SN_INLINE sn4 sn4_max(sn4 a, sn4 b) { return sn4_select(a > b, a, b); }
// x clamped to [low, high]; NaN stays NaN, thanks to the order of the operands.
SN_INLINE sn4 sn4_clamp(sn4 x, sn4 low, sn4 high) { return sn4_min(high, sn4_max(low, x)); }
SN_INLINE sn4 sn4_abs(sn4 a) { return (sn4)((sn4i)a & 0x7FFFFFFFFFFFFFFF); }

SN_INLINE sn4 sn4_sqrt(sn4 x) { return (sn4){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }

// bit i: does the comparison hold in lane i
SN_INLINE unsigned sn4_bits(sn4i m) {
#ifdef __SSE2__
  sn4 v = (sn4)m;
  return (unsigned)(__builtin_ia32_movmskpd(__builtin_shufflevector(v, v, 0, 1)) |
                    __builtin_ia32_movmskpd(__builtin_shufflevector(v, v, 2, 3)) << 2);
#else
  return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}

// is any bit of any lane set
SN_INLINE int sn4_any(sn4i m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }

#endif
