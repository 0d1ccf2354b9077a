// Sine and cosine of four angles, one per SIMD lane, within 1 ulp, the same bits everywhere.
#ifndef SINEW_BASE_LANES_SINCOS_H_
#define SINEW_BASE_LANES_SINCOS_H_

#include "base/elementary.h"
#include "base/lanes.h"

// x = n pi/2 + r + lo with |r| <= pi/4: pi/2 is split into pieces of 33 bits, so that n times each
// of the first two is exact for |n| < 2^20. Then Taylor series, truncated where the first omitted
// term is below 2^-58 of the result. Larger angles and NaN go one by one through sn_sincos.
SN_INLINE void sn4_sincos(sn4 x, sn4* sine, sn4* cosine) {
  const double big = 0x1.8p52, range = 1e6;
  sn4i outside = ~(sn4_abs(x) <= range);
  if (sn4_any(outside)) {
    for (int i = 0; i < 4; i++) {
      double s, c;
      sn_sincos(x[i], &s, &c);
      (*sine)[i] = s;
      (*cosine)[i] = c;
    }
    return;
  }
  sn4 t = x * 0x1.45f306dc9c883p-1 + big;
  sn4i q = (sn4i)t;
  sn4 n = t - big;
  sn4 a = x - n * 0x1.921fb544p+0;
  sn4 w = n * 0x1.0b4611a6p-34;
  sn4 r = a - w;
  sn4 e = ((a - r) - w) - n * 0x1.3198a2e037073p-69;
  sn4 y = r + e;
  sn4 lo = e - (y - r);

  // Estrin's scheme: pairs of terms, then pairs of pairs, for short dependency chains
  sn4 z = y * y, z2 = z * z, z4 = z2 * z2;
  sn4 s01 = z * (1.0 / 120) - 1.0 / 6, s23 = z * (1.0 / 362880) - 1.0 / 5040;
  sn4 s45 = z * (1.0 / 6227020800) - 1.0 / 39916800;
  sn4 s67 = z * (1.0 / 355687428096000) - 1.0 / 1307674368000;
  sn4 s = (s01 + z2 * s23) + z4 * (s45 + z2 * s67);
  sn4 half = z * 0.5;
  sn4 sin_r = y + (y * (z * s) + lo * (1 - half));

  sn4 c01 = 1.0 / 24 - z * (1.0 / 720), c23 = 1.0 / 40320 - z * (1.0 / 3628800);
  sn4 c45 = 1.0 / 479001600 - z * (1.0 / 87178291200);
  sn4 c = (c01 + z2 * c23) + z4 * (c45 + z2 * (1.0 / 20922789888000));
  sn4 one = 1 - half;
  sn4 cos_r = one + (((1 - one) - half) + (z2 * c - y * lo));

  // odd quadrants swap sine and cosine; the second bit of the quadrant gives the signs
  sn4i odd = -(q & 1);
  sn4i sign_s = (q & 2) << 62, sign_c = ((q + 1) & 2) << 62;
  *sine = (sn4)((sn4i)sn4_select(odd, cos_r, sin_r) ^ sign_s);
  *cosine = (sn4)((sn4i)sn4_select(odd, sin_r, cos_r) ^ sign_c);
}

#endif
