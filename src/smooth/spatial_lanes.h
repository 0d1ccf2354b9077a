// Spatial 6-vectors and inertias in SIMD lanes. A vector is two overlapping quadruples, numbers 0-3
// and 2-5, so that loads, stores and sums need no shuffle; four vectors at once are six quadruples,
// one vector in each lane.
#ifndef SINEW_SMOOTH_SPATIAL_LANES_H_
#define SINEW_SMOOTH_SPATIAL_LANES_H_

#include "model/plan.h"
#include "smooth/pose_lanes.h"

typedef struct sn6_ {
  sn4 lo, hi;
} sn6;

SN_INLINE sn6 sn6_load(const double* p) { return (sn6){sn4_load(p), sn4_load(p + 2)}; }

// to 6 numbers of an array
SN_INLINE void sn6_store(double* p, sn6 a) {
  sn4_store(p, a.lo);
  sn4_store(p + 2, a.hi);
}

// to 8 numbers of scratch memory: a load that follows finds each half in one store (store
// forwarding)
SN_INLINE sn6 sn6_take(const double* p) { return (sn6){sn4_load(p), sn4_load(p + 4)}; }
SN_INLINE void sn6_keep(double* p, sn6 a) {
  sn4_store(p, a.lo);
  sn4_store(p + 4, a.hi);
}

SN_INLINE sn6 sn6_add(sn6 a, sn6 b) { return (sn6){a.lo + b.lo, a.hi + b.hi}; }
SN_INLINE sn6 sn6_add_scaled(sn6 a, sn6 b, double s) {
  return (sn6){a.lo + b.lo * s, a.hi + b.hi * s};
}

// a with the duplicate lanes zeroed: summed products with another vector are then the dot product.
SN_INLINE sn6 sn6_once(sn6 a) {
  sn4 zero = {0};
  return (sn6){a.lo, __builtin_shufflevector(zero, a.hi, 0, 1, 6, 7)};
}

// products to be summed over lanes; b comes from sn6_once
SN_INLINE sn4 sn6_products(const double* p, sn6 b) {
  return sn4_load(p) * b.lo + sn4_load(p + 2) * b.hi;
}

// Four vectors, one in each lane: v[k] has number k of each.
SN_INLINE void four6_load(sn4 v[6], const sn6* a) {
  sn4 l0 = a[0].lo, l1 = a[1].lo, l2 = a[2].lo, l3 = a[3].lo;
  sn4 h0 = a[0].hi, h1 = a[1].hi, h2 = a[2].hi, h3 = a[3].hi;
  sn4_transpose(&l0, &l1, &l2, &l3);
  sn4_transpose(&h0, &h1, &h2, &h3);
  v[0] = l0, v[1] = l1, v[2] = l2, v[3] = l3, v[4] = h2, v[5] = h3;
}

SN_INLINE void four6_unload(sn6* a, const sn4 v[6]) {
  sn4 l0 = v[0], l1 = v[1], l2 = v[2], l3 = v[3];
  sn4 h0 = v[2], h1 = v[3], h2 = v[4], h3 = v[5];
  sn4_transpose(&l0, &l1, &l2, &l3);
  sn4_transpose(&h0, &h1, &h2, &h3);
  a[0] = (sn6){l0, h0}, a[1] = (sn6){l1, h1}, a[2] = (sn6){l2, h2}, a[3] = (sn6){l3, h3};
}

// r = a x b in each lane
SN_INLINE void four3_cross(sn4* r, const sn4* a, const sn4* b) {
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}

// v x m: (w x mw, w x mv + v x mw)
SN_INLINE void four6_cross_motion(sn4* r, const sn4* v, const sn4* m) {
  sn4 a[3], b[3];
  four3_cross(r, v, m);
  four3_cross(a, v, m + 3);
  four3_cross(b, v + 3, m);
  for (int k = 0; k < 3; k++) r[3 + k] = a[k] + b[k];
}

// v x* f: (w x t + v x f, w x f)
SN_INLINE void four6_cross_force(sn4* r, const sn4* v, const sn4* f) {
  sn4 a[3], b[3];
  four3_cross(a, v, f);
  four3_cross(b, v + 3, f + 3);
  for (int k = 0; k < 3; k++) r[k] = a[k] + b[k];
  four3_cross(r + 3, v, f + 3);
}

// Inertias (algebra/small.h): ten numbers, stored and loaded as two quadruples and a pair, so that
// a load finds its data in one store.
typedef struct sn10_ {
  sn4 a, b;
  sn2 c;
} sn10;

SN_INLINE sn2 sn2_load(const double* p) {
  sn2 v;
  memcpy(&v, p, sizeof v);
  return v;
}

SN_INLINE sn10 sn10_load(const double* p) {
  return (sn10){sn4_load(p), sn4_load(p + 4), sn2_load(p + 8)};
}

SN_INLINE void sn10_store(double* p, sn10 v) {
  sn4_store(p, v.a);
  sn4_store(p + 4, v.b);
  memcpy(p + 8, &v.c, sizeof v.c);
}

SN_INLINE sn10 sn10_add(sn10 v, sn10 w) { return (sn10){v.a + w.a, v.b + w.b, v.c + w.c}; }

// Four inertias, one in each lane: I[k] has number k of each.
SN_INLINE void four10_load(sn4 I[10], const double* p0, const double* p1, const double* p2,
                           const double* p3) {
  for (int k = 0; k < 8; k += 4) {
    I[k] = sn4_load(p0 + k), I[k + 1] = sn4_load(p1 + k);
    I[k + 2] = sn4_load(p2 + k), I[k + 3] = sn4_load(p3 + k);
    sn4_transpose(&I[k], &I[k + 1], &I[k + 2], &I[k + 3]);
  }
  sn2 c0 = sn2_load(p0 + 8), c1 = sn2_load(p1 + 8), c2 = sn2_load(p2 + 8), c3 = sn2_load(p3 + 8);
  sn4 even = __builtin_shufflevector(c0, c2, 0, 1, 2, 3);
  sn4 odd = __builtin_shufflevector(c1, c3, 0, 1, 2, 3);
  I[8] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
  I[9] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
}

// (J w + mc x v, m v - mc x w)
SN_INLINE void four6_inertia_mul(sn4* r, const sn4* I, const sn4* v) {
  r[0] = I[0] * v[0] + I[3] * v[1] + I[4] * v[2] - I[8] * v[4] + I[7] * v[5];
  r[1] = I[3] * v[0] + I[1] * v[1] + I[5] * v[2] + I[8] * v[3] - I[6] * v[5];
  r[2] = I[4] * v[0] + I[5] * v[1] + I[2] * v[2] - I[7] * v[3] + I[6] * v[4];
  r[3] = I[8] * v[1] - I[7] * v[2] + I[9] * v[3];
  r[4] = I[6] * v[2] - I[8] * v[0] + I[9] * v[4];
  r[5] = I[7] * v[0] - I[6] * v[1] + I[9] * v[5];
}

// Many motions by coordinate: the six numbers of dof i at i, stride + i, 2 stride + i, ... Padded,
// since up to three numbers behind the last are read.
SN_INLINE int motion_stride(int nv) { return (nv + 7) & ~3; }

SN_INLINE void motions_by_column(double* motion, int stride, const double* cdof, int nv) {
  for (int i = 0; i < nv; i += 4) {
    sn6 row[4];
    sn4 v[6];
    for (int k = 0; k < 4; k++) row[k] = sn6_load(cdof + 6 * (i + k < nv ? i + k : i));
    four6_load(v, row);
    for (int k = 0; k < 6; k++) sn4_store(motion + k * stride + i, v[k]);
  }
}

// Dot products of h with four motions from v on
SN_INLINE sn4 motion_products(const double* h, const double* v, int stride) {
  return (sn4_set1(h[0]) * sn4_load(v) + sn4_set1(h[1]) * sn4_load(v + stride)) +
         (sn4_set1(h[2]) * sn4_load(v + 2 * stride) + sn4_set1(h[3]) * sn4_load(v + 3 * stride)) +
         (sn4_set1(h[4]) * sn4_load(v + 4 * stride) + sn4_set1(h[5]) * sn4_load(v + 5 * stride));
}

// One row of dot products of h with the motions of a list of runs of dofs, four at a time; returns
// the end of the row. Lanes behind a run write numbers that the next run or row overwrites.
SN_INLINE double* motion_row(double* out, const double* h, const double* motion, int stride,
                             const snRange* run, const snRange* end) {
  double left[6] = {h[0], h[1], h[2], h[3], h[4], h[5]};
  for (; run < end; run++) {
    const double* v = motion + run->first;
    for (int c = 0; c < run->num; c += 4) {
      sn4_store(out + c, motion_products(left, v + c, stride));
    }
    out += run->num;
  }
  return out;
}

#endif
