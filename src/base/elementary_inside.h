// Shared by the elementary functions: bits of doubles, error-free products, polynomials, the
// reduced exponential.
//
// Results in "two parts" are unevaluated sums first + rest (double-double): `rest` holds what
// rounding `first` lost, so that the last operation of a function is the only one that rounds
// noticeably. All is IEEE double arithmetic in a fixed order, without FMA, so no compiler and no
// processor changes a bit.
#ifndef SINEW_BASE_ELEMENTARY_INSIDE_H_
#define SINEW_BASE_ELEMENTARY_INSIDE_H_

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary.h"
#include "base/elementary_tables.h"
#include "base/lanes.h"

SN_INLINE uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

SN_INLINE double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// 2^e, e from -1022 to 1023
SN_INLINE double power_of_two(int e) { return from_bits((uint64_t)(e + 1023) << 52); }

// x without its low 27 bits: the product of two such numbers is exact (Dekker's splitting)
SN_INLINE double head(double x) { return from_bits(bits_of(x) & ~UINT64_C(0x7ffffff)); }

// a*b - p, exact when p is the rounded product and nothing underflows (Dekker)
SN_INLINE double product_rest(double a, double b, double p) {
  double ah = head(a), al = a - ah, bh = head(b), bl = b - bh;
  return (((ah * bh - p) + ah * bl) + al * bh) + al * bl;
}

// Estrin's scheme by pairs of coefficients: shorter dependency chains than Horner's; n >= 2
SN_INLINE double polynomial(const double* c, int n, double x) {
  double xx = x * x, sum = n % 2 ? c[n - 1] : c[n - 2] + c[n - 1] * x;
  SN_UNROLL
  for (int i = n % 2 ? n - 3 : n - 4; i >= 0; i -= 2) sum = (c[i] + c[i + 1] * x) + sum * xx;
  return sum;
}

// e^(x + tail) = (result + *rest) 2^*power, result in [1, 2); |x| below 800
SN_INLINE double exp_pair(double x, double tail, double* rest, int* power) {
  // x = k ln2/128 + r, |r| below 0.0028; 2^(k/128) from the table, e^r - 1 by its Taylor series
  double shift = 0x1.8p52;
  double k = (x * EXP_SCALE + shift) - shift;
  double r = ((x - k * EXP_LN2_HIGH) - k * EXP_LN2_LOW) + tail;
  int n = (int)k, j = n & 127;
  double rr = r * r;
  double p = r + (rr * (0.5 + r * (1.0 / 6)) + (rr * rr) * (1.0 / 24 + r * (1.0 / 120)));
  *power = (n - j) / 128;
  *rest = exp_table[j][0] * p + exp_table[j][1];
  return exp_table[j][0];
}

// y 2^power with one rounding; infinity and 0 beyond the range of doubles
SN_INLINE double scale_by(double y, int power) {
  if (power >= -1022 && power <= 1023) return y * power_of_two(power);
  if (power > 1023) return power > 1025 ? INFINITY : y * power_of_two(power - 2) * 4;
  if (power < -1080) return 0;
  return y * power_of_two(power + 200) * power_of_two(-200);
}

#endif
