// exp, log, log10, pow, tanh, cbrt, within 1 ulp (tests/base/test_elementary.c).
//
// Table methods: the argument is reduced to a small interval around one of 128 table entries, and a
// short series covers the interval. Table values and reduced arguments are carried in two parts
// (elementary_inside.h) where one rounding would be too much. Thresholds such as 709.79 and -745.2
// are where the result overflows to infinity and underflows to zero.
#include "base/elementary_inside.h"

double sn_exp(double x) {
  if (!(x < 709.79)) return x != x ? x : INFINITY;
  if (x < -745.2) return 0;
  double rest;
  int power;
  double first = exp_pair(x, 0, &rest, &power);
  return scale_by(first + rest, power);
}

// ---- logarithm: x = 2^k z. The table has an inverse c of few bits for each interval of z, so that
// r = z c - 1 is small and exact in two parts, and log x = k ln2 - log c + log(1 + r)
typedef struct snLog_ {
  double high, low;  // k ln2 - log c; high is exact
  double r, rest;    // r + rest
} snLog;

SN_INLINE snLog log_reduce(double x) {  // x finite and positive
  int k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  uint64_t bits = bits_of(x);
  k += (int)(bits >> 52) - 1023;
  uint64_t fraction = bits & UINT64_C(0xfffffffffffff);
  double m = from_bits(fraction | UINT64_C(0x3ff0000000000000));
  int j = (int)((fraction + (UINT64_C(1) << 44)) >> 45);  // nearest of 128 intervals
  if (j >= 181 - 128) {
    m *= 0.5;
    k++;
  }
  const double* entry = log_table[j];
  double m_head = from_bits(bits_of(m) & ~UINT64_C(0x1fffff)), m_tail = m - m_head;
  double r_head = m_head * entry[0] - 1, r_tail = m_tail * entry[0];
  snLog result;
  result.r = r_head + r_tail;
  result.rest = (r_head - result.r) + r_tail;
  result.high = k * LOG_LN2_HIGH + entry[1];
  result.low = k * LOG_LN2_LOW + entry[2];
  return result;
}

double sn_log(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : x != x ? x : NAN;
  if (x == INFINITY) return x;
  snLog l = log_reduce(x);
  double r = l.r, rr = r * r;
  double p = rr * (-0.5 + r * (1.0 / 3)) +
             (rr * rr) * ((-0.25 + r * 0.2) + rr * ((-1.0 / 6 + r * (1.0 / 7)) - rr * 0.125));
  double sum = l.high + r;
  double lost = (l.high - sum) + r;
  return sum + (((lost + l.low) + l.rest) + p);
}

// log x = first + *second to about 68 bits, enough for pow
SN_INLINE double log_pair(double x, double* second) {
  static const double c[7] = {1.0 / 3, -0.25, 0.2, -1.0 / 6, 1.0 / 7, -0.125, 1.0 / 9};
  snLog l = log_reduce(x);
  double r = l.r, rh = head(r);
  double square = -0.5 * rh * rh, square_rest = -0.5 * ((r - rh) * (r + rh));
  double a = l.high + r, a_rest = (l.high - a) + r;
  double b = a + square, b_rest = (a - b) + square;
  // d log(1 + r) / dr = 1 - r + ...: the low part of r counts as rest (1 - r)
  double small =
      ((l.low + (l.rest - l.rest * r)) + square_rest) + (r * r) * (r * polynomial(c, 7, r));
  double rest = (a_rest + b_rest) + small;
  double sum = b + rest;
  *second = (b - sum) + rest;
  return sum;
}

double sn_log10(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : x != x ? x : NAN;
  if (x == INFINITY) return x;
  double second, first = log_pair(x, &second);
  double p = first * LOG10_E_HIGH;
  double rest = product_rest(first, LOG10_E_HIGH, p);
  return p + (rest + (first * LOG10_E_LOW + second * LOG10_E_HIGH));
}

// ---- x^y = e^(y log x), with the product in two parts

// 0: not an integer, 1: odd, 2: even (every double from 2^53 on is even)
static int integer_kind(double y) {
  if (fabs(y) >= 0x1p53) return 2;
  if (y != floor(y)) return 0;
  return fmod(y, 2) == 0 ? 2 : 1;
}

static double pow_ends(double x, double y) {  // x or y is 0, infinite or NaN
  if (x != x || y != y) return x + y;
  if (y == INFINITY || y == -INFINITY) {
    if (fabs(x) == 1) return 1;
    return (fabs(x) > 1) == (y > 0) ? INFINITY : 0;
  }
  double size = (x == 0) == (y > 0) ? 0 : INFINITY;
  return signbit(x) && integer_kind(y) == 1 ? -size : size;
}

double sn_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (!(fabs(x) < INFINITY) || !(fabs(y) < INFINITY) || x == 0) return pow_ends(x, y);
  double sign = 1;
  if (x < 0) {
    int kind = integer_kind(y);
    if (!kind) return NAN;
    if (kind == 1) sign = -1;
    x = -x;
    if (x == 1) return sign;
  }
  double second, first = log_pair(x, &second);
  double p = y * first;
  if (!(fabs(p) < 800)) return sign * (p > 0 ? INFINITY : 0);
  if (fabs(p) < 0x1p-60) return sign * (1 + p);
  double tail = product_rest(y, first, p) + y * second;
  double rest;
  int power;
  double value = exp_pair(p, tail, &rest, &power);
  return sign * scale_by(value + rest, power);
}

// tanh x = 1 - 2 / (e^2x + 1), the quotient in two parts; below 1/4 the series x + x u p(u), u =
// x^2
double sn_tanh(double x) {
  double a = fabs(x);
  if (!(a < 22)) return x != x ? x : x > 0 ? 1 : -1;
  if (a < 0x1p-28) return x;
  if (a < 0.25) {
    double u = x * x;
    return x + x * (u * polynomial(tanh_poly, 8, u));
  }
  double rest;
  int power;
  double first = exp_pair(2 * a, 0, &rest, &power), scale = power_of_two(power);
  double e = (first + rest) * scale, e_rest = (first * scale - e) + rest * scale;
  double d = e + 1, d_rest = ((e - d) + 1) + e_rest;
  double q = 2 / d;
  double p = q * d;
  double q_rest = (((2 - p) - product_rest(q, d, p)) - q * d_rest) / d;
  double h = 1 - q;
  double t = h + (((1 - h) - q) - q_rest);
  return x < 0 ? -t : t;
}

// First guess: a third of the exponent, taken on the bits. Two steps of Halley's method, and a
// third from the guess cut to 26 bits, whose square is exact.
double sn_cbrt(double x) {
  if (x == 0 || !(fabs(x) < INFINITY)) return x;
  double a = fabs(x), scale = 1;
  if (a < 0x1p-1022) {
    a *= 0x1p54;
    scale = 0x1p-18;
  } else if (a > 0x1p1000) {
    a *= 0x1p-54;
    scale = 0x1p18;
  }
  double t = from_bits(bits_of(a) / 3 + UINT64_C(0x2a9f7893782da1ce));
  for (int i = 0; i < 2; i++) {
    double cube = t * t * t;
    t = t * ((cube + 2 * a) / (2 * cube + a));
  }
  t = head(t);
  double r = a / (t * t);
  t = (t + t * ((r - t) / (2 * t + r))) * scale;
  return x < 0 ? -t : t;
}
