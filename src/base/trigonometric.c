// sin, cos, tan, within 1 ulp: reduction of the argument to [-pi/4, pi/4] in two parts
// (elementary_inside.h), then minimax polynomials.
//
// Up to 1e6 the reduction subtracts n pi/2, with pi/2 in four pieces (Cody and Waite); beyond, the
// bits of 2/pi that matter are multiplied in integers (Payne and Hanek). Both keep 1 ulp next to
// multiples of pi/2, where the result is small.
#include "base/elementary_inside.h"

// x - n pi/2 = *r + *rest for |x| up to 2^20 pi/2: n times each 33-bit piece of pi/2 is exact
SN_INLINE int reduce_medium(double x, double* r, double* rest) {
  double shift = 0x1.8p52;
  double n = (x * TWO_OVER_PI + shift) - shift;
  double a = x - n * HALF_PI_1;
  double b = n * HALF_PI_2;
  double s = a - b, back = s - a;
  double lost = (a - (s - back)) - (b + back);  // rounding error of the subtraction
  double c = n * HALF_PI_3;
  if (fabs(s) > 0x1p-20) {  // the fourth piece of pi/2 is below the last bit of r
    double tail = lost - c;
    *r = s + tail;
    *rest = (s - *r) + tail;
    return (int)((int64_t)n & 3);
  }
  double t = lost - c, t_back = t - lost;
  double t_lost = (lost - (t - t_back)) - (c + t_back);
  double tail = t_lost - n * HALF_PI_4;
  double h = s + t, h_back = h - s;
  double h_lost = (s - (h - h_back)) + (t - h_back);
  tail += h_lost;
  *r = h + tail;
  *rest = (h - *r) + tail;
  return (int)((int64_t)n & 3);
}

// 64 bits of 2/pi from bit `place` behind the binary point; bits in front of it are zero
static uint64_t two_over_pi_bits(int place) {
  if (place <= -64) return 0;
  if (place < 0) return two_over_pi[0] >> -place;
  int word = place / 64, offset = place % 64;
  uint64_t bits = two_over_pi[word] << offset;
  return offset ? bits | two_over_pi[word + 1] >> (64 - offset) : bits;
}

// The 128 bits of a b + c, low ones as the result. By halves: 32-bit compilers have no wider type.
static uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t* high) {
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)cross;
  uint64_t result = (other << 32) + (uint32_t)low + c;
  *high = a1 * b1 + (cross >> 32) + (other >> 32) + (result < c);
  return result;
}

// The same for any |x| above 1: |x| = mantissa 2^e times 192 bits of 2/pi, chosen so that multiples
// of 4 overflow and vanish. What remains is the quadrant in two bits, and the fraction below it.
static int reduce_large(double x, double* r, double* rest) {
  uint64_t bits = bits_of(x);
  int e = (int)((bits >> 52) & 0x7ff) - 1075;
  uint64_t mantissa = (bits & UINT64_C(0xfffffffffffff)) | (UINT64_C(1) << 52);
  uint64_t w[3];
  for (int i = 0; i < 3; i++) w[i] = two_over_pi_bits(e - 2 + 64 * i);
  uint64_t carry, high;
  uint64_t low = multiply_add(mantissa, w[2], 0, &carry);
  uint64_t middle = multiply_add(mantissa, w[1], carry, &high);
  high += mantissa * w[0];
  int quadrant = (int)(high >> 62);
  uint64_t f0 = (high << 2) | (middle >> 62), f1 = (middle << 2) | (low >> 62);
  // the fraction of a quadrant, rounded to nearest: in [-1/2, 1/2)
  double sign = 1;
  if (f0 >> 63) {
    quadrant++;
    f0 = ~f0;
    f1 = ~f1 + 1;
    if (!f1) f0++;
    sign = -1;
  }
  double h = (double)(f0 >> 11) * 0x1p-53;
  double l =
      (double)(((f0 & 0x7ff) << 42) | (f1 >> 22)) * 0x1p-106 + (double)(f1 & 0x3fffff) * 0x1p-128;
  double f = h + l;
  l = (h - f) + l;
  double product = f * HALF_PI_HIGH;
  double tail = product_rest(f, HALF_PI_HIGH, product) + (f * HALF_PI_LOW + l * HALF_PI_HIGH);
  *r = product + tail;
  *rest = (product - *r) + tail;
  if (x < 0) {
    quadrant = -quadrant;
    sign = -sign;
  }
  *r *= sign;
  *rest *= sign;
  return quadrant & 3;
}

SN_INLINE int reduce(double x, double* r, double* rest) {
  double a = fabs(x);
  if (a < 0x1.921fb54442d18p-1) {
    *r = x;
    *rest = 0;
    return 0;
  }
  return a < 1e6 ? reduce_medium(x, r, rest) : reduce_large(x, r, rest);
}

// -1/6 in two parts
static const double sixth = -0x1.5555555555555p-3, sixth_rest = -0x1.5555555555555p-57;

// sin(r + rest) = r + sine_rest
SN_INLINE double sine_rest(double r, double rest, double u) {
  double cube = r * u;
  double higher = (cube * u) * polynomial(sin_poly + 1, 6, u) + rest * (1 - 0.5 * u);
  return cube * sixth + (higher + cube * sixth_rest);
}

// cos(r + rest) = w + cosine_rest, w = 1 - u/2, with the rounding error of u = r^2 corrected
SN_INLINE double cosine_rest(double r, double rest, double u, double w) {
  double lacks = product_rest(r, r, u);
  return ((1 - w) - 0.5 * u) + ((u * (u * polynomial(cos_poly, 7, u)) - r * rest) - 0.5 * lacks);
}

SN_INLINE double kernel_sin(double r, double rest) { return r + sine_rest(r, rest, r * r); }

SN_INLINE double kernel_cos(double r, double rest) {
  double u = r * r, w = 1 - 0.5 * u;
  return w + cosine_rest(r, rest, u, w);
}

double sn_sin(double x) {
  if (!(fabs(x) < INFINITY)) return x - x;
  if (fabs(x) < 0x1p-27) return x;
  double r, rest;
  int quadrant = reduce(x, &r, &rest);
  double y = quadrant & 1 ? kernel_cos(r, rest) : kernel_sin(r, rest);
  return quadrant & 2 ? -y : y;
}

double sn_cos(double x) {
  if (!(fabs(x) < INFINITY)) return x - x;
  double r, rest;
  int quadrant = reduce(x, &r, &rest);
  double y = quadrant & 1 ? kernel_sin(r, rest) : kernel_cos(r, rest);
  return (quadrant + 1) & 2 ? -y : y;
}

void sn_sincos(double x, double* sine, double* cosine) {
  if (!(fabs(x) < INFINITY)) {
    *sine = *cosine = x - x;
    return;
  }
  if (fabs(x) < 0x1p-27) {
    *sine = x;
    *cosine = 1;
    return;
  }
  double r, rest;
  int quadrant = reduce(x, &r, &rest);
  double s = kernel_sin(r, rest), c = kernel_cos(r, rest);
  double a = quadrant & 1 ? c : s, b = quadrant & 1 ? s : c;
  *sine = quadrant & 2 ? -a : a;
  *cosine = (quadrant + 1) & 2 ? -b : b;
}

// sin(r + rest) = first + *second, with the cubic term in two parts
SN_INLINE double sine_pair(double r, double rest, double u, double* second) {
  double cube = r * u, cube_rest = product_rest(r, u, cube) + r * product_rest(r, r, u);
  double p = cube * sixth;
  double p_rest = product_rest(cube, sixth, p) + (cube * sixth_rest + cube_rest * sixth);
  double higher = (cube * u) * polynomial(sin_poly + 1, 6, u) + rest * (1 - 0.5 * u);
  double s = r + p;
  *second = ((r - s) + p) + (p_rest + higher);
  return s;
}

// sine / cosine, both in two parts; one correction of the quotient.
double sn_tan(double x) {
  if (!(fabs(x) < INFINITY)) return x - x;
  if (fabs(x) < 0x1p-27) return x;
  double r, rest;
  int quadrant = reduce(x, &r, &rest);
  double u = r * r, c = 1 - 0.5 * u, c_rest = cosine_rest(r, rest, u, c);
  double s_rest, s = sine_pair(r, rest, u, &s_rest);
  double a = s, a_rest = s_rest, b = c, b_rest = c_rest;
  if (quadrant & 1) a = -c, a_rest = -c_rest, b = s, b_rest = s_rest;
  double q = a / b, p = q * b;
  return q + ((((a - p) - product_rest(q, b, p)) + a_rest) - q * b_rest) / (b + b_rest);
}
