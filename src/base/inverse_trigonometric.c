// atan, atan2, asin, acos, within 1 ulp.
//
// atan: addition theorem with a table of atan(k/64), then a short series. asin: a polynomial up to
// 1/2, the half-angle identity beyond. Sums with multiples of pi are carried in two parts
// (elementary_inside.h).
#include "base/elementary_inside.h"

// atan(u/v) = first + *rest for 0 <= u <= v, v > 0. With c = k/64 next to u/v,
// atan(u/v) = atan c + atan((u - c v) / (v + c u)), where atan c comes from a table.
SN_INLINE double atan_ratio(double u, double v, double* rest) {
  double q = u / v;
  *rest = 0;
  if (q < 0x1p-28) return q;
  if (v > 0x1p900) u *= 0x1p-200, v *= 0x1p-200;
  if (v < 0x1p-700) u *= 0x1p300, v *= 0x1p300;
  if (q < 0.0625) {
    static const double c[7] = {-1.0 / 3, 0.2, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15};
    double p = q * v, q_rest = ((u - p) - product_rest(q, v, p)) / v, s = q * q;
    *rest = q_rest + q * (s * polynomial(c, 7, s));
    return q;
  }
  static const double c[4] = {-1.0 / 3, 0.2, -1.0 / 7, 1.0 / 9};
  int k = (int)(q * 64 + 0.5);
  double at = k * 0x1p-6;
  double v_head = head(v), v_tail = v - v_head;
  double t = ((u - at * v_head) - at * v_tail) / (v + at * u), s = t * t;
  *rest = atan_table[k][1] + (t + t * (s * polynomial(c, 4, s)));
  return atan_table[k][0];
}

// high + low - (first + rest), high at least first
SN_INLINE double subtract_from(double high, double low, double first, double rest) {
  double d = high - first;
  return d + (((high - d) - first) + (low - rest));
}

SN_INLINE double add_to(double high, double low, double first, double rest) {
  double d = high + first;
  return d + (((high - d) + first) + (low + rest));
}

double sn_atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  double u = fabs(y), v = fabs(x), first, rest, angle;
  if (u == 0 && v == 0) {
    first = rest = 0;
  } else if (u == INFINITY && v == INFINITY) {
    first = atan_ratio(1, 1, &rest);
  } else if (u > v) {
    first = v == 0 || u == INFINITY ? (rest = 0, 0) : atan_ratio(v, u, &rest);
  } else {
    first = v == INFINITY ? (rest = 0, 0) : atan_ratio(u, v, &rest);
  }
  if (u > v) {
    angle = signbit(x) ? add_to(HALF_PI_HIGH, HALF_PI_LOW, first, rest)
                       : subtract_from(HALF_PI_HIGH, HALF_PI_LOW, first, rest);
  } else {
    angle = signbit(x) ? subtract_from(PI_HIGH, PI_LOW, first, rest) : first + rest;
  }
  return signbit(y) ? -angle : angle;
}

double sn_atan(double x) {
  double a = fabs(x), rest, angle;
  if (x != x) return x;
  if (a > 1) {
    double first = a == INFINITY ? (rest = 0, 0) : atan_ratio(1, a, &rest);
    angle = subtract_from(HALF_PI_HIGH, HALF_PI_LOW, first, rest);
  } else {
    double first = atan_ratio(a, 1, &rest);
    angle = first + rest;
  }
  return signbit(x) ? -angle : angle;
}

// asin x = x + x p; beyond 1/2, asin x = pi/2 - 2 asin s with s = sqrt((1 - x) / 2)
SN_INLINE double asin_part(double u) { return u * polynomial(asin_poly, 13, u); }

// 2 asin(sqrt z) = first + *rest, where `first` has few bits
SN_INLINE double asin_of_root(double z, double* rest) {
  double s = sqrt(z), s_head = head(s);
  double s_tail = s == 0 ? 0 : (z - s_head * s_head) / (s + s_head);
  *rest = 2 * (s_tail + s * asin_part(z));
  return 2 * s_head;
}

double sn_asin(double x) {
  double a = fabs(x);
  if (!(a <= 1)) return x != x ? x : NAN;
  if (a < 0.5) return a < 0x1p-28 ? x : x + x * asin_part(x * x);
  double rest, first = asin_of_root(0.5 * (1 - a), &rest);
  double angle = subtract_from(HALF_PI_HIGH, HALF_PI_LOW, first, rest);
  return x < 0 ? -angle : angle;
}

double sn_acos(double x) {
  double a = fabs(x), rest;
  if (!(a <= 1)) return x != x ? x : NAN;
  if (a < 0.5) return subtract_from(HALF_PI_HIGH, HALF_PI_LOW, x, x * asin_part(x * x));
  double first = asin_of_root(0.5 * (1 - a), &rest);
  return x > 0 ? first + rest : subtract_from(PI_HIGH, PI_LOW, first, rest);
}
