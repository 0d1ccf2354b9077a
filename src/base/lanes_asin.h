// Arc sine of four numbers in [-1, 1], one per SIMD lane, within 2 ulp, the same bits everywhere.
#ifndef SINEW_BASE_LANES_ASIN_H_
#define SINEW_BASE_LANES_ASIN_H_

#include <math.h>

#include "base/elementary_tables.h"
#include "base/lanes.h"

// asin x = x + x p(x^2); beyond 1/2, asin x = pi/2 - 2 asin s with s^2 = (1 - x) / 2
SN_INLINE sn4 sn4_asin(sn4 x) {
  sn4 a = sn4_abs(x);
  sn4i large = a > 0.5;
  sn4 z = sn4_select(large, 0.5 * (1 - a), a * a);
  sn4 s = sn4_select(large, sn4_sqrt(z), a);
  sn4 zz = z * z, p = sn4_set1(asin_poly[12]);
  SN_UNROLL
  for (int i = 10; i >= 0; i -= 2) p = (asin_poly[i] + asin_poly[i + 1] * z) + p * zz;
  sn4 angle = s + s * (z * p);
  angle = sn4_select(large, 1.5707963267948966 - 2 * angle, angle);
  return sn4_select(x < 0, -angle, angle);
}

#endif
