// H = L'DL (algebra/factor.c): the product of the factors gives H, solves satisfy H x = b, updates
// equal a new factorization.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algebra/algebra.h"

enum { MAX = 48 };

static uint64_t state = 1;
static double uniform(void) {  // in [-1, 1)
  state = hash_bytes(&state, sizeof state, 7);
  return (double)(int64_t)state / 9223372036854775808.0;
}

typedef struct {
  int n, stride;
  double H[MAX * MAX], L[MAX * MAX], dinv[MAX];
  int first[MAX];
} System;

// A random positive matrix whose rows start at a random envelope.
static void make_system(System* s, int n, bool banded) {
  s->n = n;
  s->stride = (n + 3) & ~3;
  memset(s->H, 0, sizeof s->H);
  for (int i = 0; i < n; i++) {
    s->first[i] = banded ? ((int)(fabs(uniform()) * i) & ~3) : 0;
    for (int j = s->first[i]; j < i; j++) {
      s->H[i * s->stride + j] = uniform() < 0 && banded ? 0 : uniform();
    }
    s->H[i * s->stride + i] = n + uniform();
  }
  memcpy(s->L, s->H, sizeof s->H);
}

static double entry(const System* s, int i, int j) {
  return i >= j ? s->H[i * s->stride + j] : s->H[j * s->stride + i];
}

static double unit_entry(const System* s, int i, int j) {
  return i == j ? 1 : i > j ? s->L[i * s->stride + j] : 0;
}

static void assert_factor(const System* s, double tolerance) {
  for (int i = 0; i < s->n; i++) {
    assert_true(fabs(s->dinv[i] * s->L[i * s->stride + i] - 1) < 1e-14);
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = i; k < s->n; k++) {
        sum += unit_entry(s, k, i) * s->L[k * s->stride + k] * unit_entry(s, k, j);
      }
      assert_true(fabs(sum - entry(s, i, j)) < tolerance);
    }
  }
}

static void assert_solves(const System* s, double tolerance) {
  double x[MAX], b[MAX];
  for (int i = 0; i < s->n; i++) x[i] = b[i] = uniform();
  factor_solve(x, s->L, s->dinv, s->first, s->n, s->stride);
  for (int i = 0; i < s->n; i++) {
    double sum = 0;
    for (int j = 0; j < s->n; j++) sum += entry(s, i, j) * x[j];
    assert_true(fabs(sum - b[i]) < tolerance);
  }
}

static void test_factor_and_solve(void** unused) {
  static System s;
  for (int n = 1; n <= 45; n++) {
    for (int banded = 0; banded < 2; banded++) {
      make_system(&s, n, banded);
      assert_int_equal(factor_make(s.L, s.dinv, s.first, n, s.stride, 1e-15), n);
      assert_factor(&s, 1e-12);
      assert_solves(&s, 1e-12);
    }
  }
}

static void test_update(void** unused) {
  static System s;
  for (int n = 1; n <= 45; n += 2) {
    for (int nvec = 1; nvec <= 9; nvec++) {
      make_system(&s, n, true);
      factor_make(s.L, s.dinv, s.first, n, s.stride, 1e-15);
      double x[9 * MAX] = {0}, weight[9];
      int start = (n / 3) & ~3;
      for (int v = 0; v < nvec; v++) {
        weight[v] = v % 2 ? -0.02 : 1.5;
        for (int j = start; j < n; j++) x[v * s.stride + j] = uniform();
        for (int i = 0; i < n; i++) {
          for (int j = 0; j <= i; j++) {
            s.H[i * s.stride + j] += weight[v] * x[v * s.stride + i] * x[v * s.stride + j];
          }
        }
      }
      assert_true(factor_update(s.L, s.dinv, s.first, x, nvec, weight, start, n, s.stride, 1e-15));
      assert_factor(&s, 1e-11);
      assert_solves(&s, 1e-11);
    }
  }
}

static void test_rank(void** unused) {
  static System s;
  make_system(&s, 10, false);
  memset(s.L, 0, sizeof s.L);
  for (int i = 0; i < 10; i++) s.L[i * s.stride + i] = i < 3 ? 0 : 1;
  assert_int_equal(factor_make(s.L, s.dinv, s.first, 10, s.stride, 1e-6), 7);
  double x[12] = {0}, weight = -2;
  x[5] = 1;
  assert_false(factor_update(s.L, s.dinv, s.first, x, 1, &weight, 4, 10, s.stride, 1e-6));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factor_and_solve),
      cmocka_unit_test(test_update),
      cmocka_unit_test(test_rank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
