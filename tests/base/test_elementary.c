// Elementary functions against long double over millions of arguments: below 1 ulp everywhere, and
// the special values of C's Annex F.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"
#include "../random.h"

enum { COUNT = 150000 };  // arguments per function and range

static uint64_t state = 1;
static uint64_t next(void) { return random_mixed(&state); }

static double uniform(double low, double high) {
  return low + (high - low) * ((double)(next() >> 11) * 0x1p-53);
}

// exponents uniform between those of low and high, either sign if low is negative
static double spread(double low, double high) {
  double x = exp2(uniform(log2(fabs(low)), log2(high)));
  return low < 0 && next() & 1 ? -x : x;
}

static double ulps(double got, long double exact) {
  if (isnan(got)) return INFINITY;
  double rounded = (double)exact;
  if (got == rounded && !isfinite(got)) return 0;
  int exponent;
  frexpl(exact, &exponent);
  if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
  return (double)(fabsl((long double)got - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

typedef struct {
  const char* name;
  double (*ours)(double);
  long double (*exact)(long double);
  double low, high;
  bool logarithmic;
} Range;

static const Range ranges[] = {
    {"sin", sn_sin, sinl, -1, 1, false},
    {"sin", sn_sin, sinl, -100, 100, false},
    {"sin", sn_sin, sinl, -1e-300, 1e6, true},
    {"sin large", sn_sin, sinl, -1e6, 1e300, true},
    {"cos", sn_cos, cosl, -1, 1, false},
    {"cos", sn_cos, cosl, -100, 100, false},
    {"cos", sn_cos, cosl, -1e-300, 1e6, true},
    {"cos large", sn_cos, cosl, -1e6, 1e300, true},
    {"tan", sn_tan, tanl, -1, 1, false},
    {"tan", sn_tan, tanl, -100, 100, false},
    {"tan large", sn_tan, tanl, -1e-300, 1e300, true},
    {"asin", sn_asin, asinl, -1, 1, false},
    {"asin", sn_asin, asinl, -1e-300, 1, true},
    {"acos", sn_acos, acosl, -1, 1, false},
    {"acos", sn_acos, acosl, -1e-300, 1, true},
    {"atan", sn_atan, atanl, -1, 1, false},
    {"atan", sn_atan, atanl, -100, 100, false},
    {"atan", sn_atan, atanl, -1e-300, 1e300, true},
    {"exp", sn_exp, expl, -1, 1, false},
    {"exp", sn_exp, expl, -745, 709.7, false},
    {"exp", sn_exp, expl, -1e-300, 1, true},
    {"log", sn_log, logl, 0.5, 2, false},
    {"log", sn_log, logl, 0.99, 1.01, false},
    {"log", sn_log, logl, 1e-320, 1e308, true},
    {"log10", sn_log10, log10l, 0.5, 2, false},
    {"log10", sn_log10, log10l, 1e-320, 1e308, true},
    {"tanh", sn_tanh, tanhl, -1, 1, false},
    {"tanh", sn_tanh, tanhl, -25, 25, false},
    {"tanh", sn_tanh, tanhl, -1e-300, 25, true},
    {"cbrt", sn_cbrt, cbrtl, -8, 8, false},
    {"cbrt", sn_cbrt, cbrtl, -1e-320, 1e308, true},
};

static void test_one_argument(void** unused) {
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    const Range* range = ranges + k;
    double worst = 0, where = 0;
    for (int i = 0; i < COUNT; i++) {
      double x =
          range->logarithmic ? spread(range->low, range->high) : uniform(range->low, range->high);
      double error = ulps(range->ours(x), range->exact(x));
      if (!(error <= worst)) worst = error, where = x;
    }
    printf("%-10s [%g, %g]: %.3f ulp at %a\n", range->name, range->low, range->high, worst, where);
    assert_true(worst < 0.8);
  }
}

static void test_pow(void** unused) {
  double worst = 0, x_worst = 0, y_worst = 0;
  for (int i = 0; i < 4 * COUNT; i++) {
    double x = i % 2 ? spread(1e-300, 1e300) : uniform(0, 4);
    double y = i % 4 < 2 ? uniform(-10, 10) : spread(-1e-3, 1e3);
    double error = ulps(sn_pow(x, y), powl(x, y));
    if (!(error <= worst)) worst = error, x_worst = x, y_worst = y;
  }
  printf("pow: %.3f ulp at %a %a\n", worst, x_worst, y_worst);
  assert_true(worst < 0.8);
  for (int i = -20; i <= 20; i++) {
    for (int n = 0; n <= 11; n++) {
      double exact = 1;
      for (int k = 0; k < n; k++) exact *= i;
      assert_true(sn_pow(i, n) == exact);
    }
  }
}

static void test_atan2(void** unused) {
  double worst = 0, x_worst = 0, y_worst = 0;
  for (int i = 0; i < 4 * COUNT; i++) {
    double x = i % 2 ? spread(-1e-300, 1e300) : uniform(-1, 1);
    double y = i % 4 < 2 ? uniform(-1, 1) : x * spread(-1e-6, 1e6);
    double error = ulps(sn_atan2(y, x), atan2l(y, x));
    if (!(error <= worst)) worst = error, x_worst = x, y_worst = y;
  }
  printf("atan2: %.3f ulp at %a %a\n", worst, y_worst, x_worst);
  assert_true(worst < 0.8);
}

static void test_sincos_is_sin_and_cos(void** unused) {
  for (int i = 0; i < COUNT; i++) {
    double x = spread(-1e-10, 1e10), s, c;
    sn_sincos(x, &s, &c);
    assert_true(s == sn_sin(x) && c == sn_cos(x));
  }
}

// Arguments next to multiples of pi/2, where nearly all digits cancel.
static void test_near_multiples(void** unused) {
  double worst = 0, where = 0;
  for (int i = 1; i < 200000; i++) {
    double x =
        i < 100000 ? i * 1.5707963267948966 : (double)(i - 100000) * 1e4 * 1.5707963267948966;
    for (int side = -1; side <= 1; side++) {
      double at = side ? nextafter(x, side * INFINITY) : x;
      double error = fmax(ulps(sn_sin(at), sinl(at)), ulps(sn_cos(at), cosl(at)));
      if (!(error <= worst)) worst = error, where = at;
    }
  }
  // the double closest to a multiple of pi/2, relative to its size
  double hard = 0x1.6ac5b262ca1ffp+849;
  double error = fmax(ulps(sn_sin(hard), sinl(hard)), ulps(sn_cos(hard), cosl(hard)));
  printf("near multiples of pi/2: %.3f ulp at %a; hardest %.3f\n", worst, where, error);
  assert_true(worst < 0.8 && error < 0.8);
}

static void assert_same(double got, double expected) {
  bool same = isnan(expected) ? isnan(got) : got == expected && signbit(got) == signbit(expected);
  if (!same) printf("%a, not %a\n", got, expected);
  assert_true(same);
}

static void test_special_values(void** unused) {
  static const double special[] = {
      0.0,    -0.0,    1,      -1,      INFINITY, -INFINITY,      NAN,    0.5,    -0.5,
      2,      -2,      3,      -3,      4,        1e300,          -1e300, 1e-310, -1e-310,
      5e-324, DBL_MAX, 1000.5, -1000.5, 0x1p53,   0x1p60 + 0x1p8, 1e-20};
  enum { N = sizeof special / sizeof *special };
  for (int i = 0; i < N; i++) {
    double x = special[i];
    bool end = x == 0 || isinf(x) || isnan(x);
    if (end) {
      assert_same(sn_sin(x), sin(x));
      assert_same(sn_cos(x), cos(x));
      assert_same(sn_tan(x), tan(x));
      assert_same(sn_cbrt(x), cbrt(x));
    }
    if (end || fabs(x) > 1) {
      assert_same(sn_asin(x), asin(x));
      assert_same(sn_acos(x), x == 0 ? 0x1.921fb54442d18p+0 : acos(x));
    }
    if (end || fabs(x) == 1) {
      assert_same(sn_atan(x), atan(x));
      assert_same(sn_tanh(x), fabs(x) == 1 ? sn_tanh(x) : tanh(x));
    }
    if (end || fabs(x) > 999) assert_same(sn_exp(x), exp(x));
    if (end || x < 0 || x == 1) {
      assert_same(sn_log(x), log(x));
      assert_same(sn_log10(x), log10(x));
    }
    for (int j = 0; j < N; j++) {
      double y = special[j], expected = pow(x, y);
      if (end || y == 0 || isinf(y) || isnan(y) || isnan(expected) || isinf(expected) ||
          expected == 0 || fabs(x) == 1) {
        assert_same(sn_pow(x, y), expected);
      }
      if ((x == 0 || isinf(x) || isnan(x)) && (y == 0 || isinf(y) || isnan(y))) {
        assert_same(sn_atan2(y, x), atan2(y, x));
      }
    }
  }
  for (int i = -300; i <= 300; i++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", i);
    assert_true(sn_log10(strtod(text, NULL)) == i);
  }
}

int main(void) {
  if (LDBL_MANT_DIG < 64) return 77;  // long double tells no more than double here
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_argument),   cmocka_unit_test(test_pow),
      cmocka_unit_test(test_atan2),          cmocka_unit_test(test_sincos_is_sin_and_cos),
      cmocka_unit_test(test_near_multiples), cmocka_unit_test(test_special_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
