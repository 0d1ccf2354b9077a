// Products of dense matrices against their definitions, sizes from zero: an empty matrix may be NULL.
#include <stdbool.h>

#include "scene.h"

enum { MOST = 11 };

static void fill(double* x, int n, unsigned long long* seed) {
  for (int i = 0; i < n; i++) x[i] = i % 5 ? random_signed(seed) : 0;
}

static void close_to(const char* what, const double* got, const double* want, int n) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(got[i] - want[i]) < 1e-14 * MOST)) fail_msg("%s: %g, not %g", what, got[i], want[i]);
  }
}

// The product of A (r x n) and B (n x c), either one transposed in memory.
static void product(double* res, const double* a, bool a_turned, const double* b, bool b_turned,
                    int r, int n, int c) {
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < c; j++) {
      res[i * c + j] = 0;
      for (int k = 0; k < n; k++) {
        res[i * c + j] +=
            (a_turned ? a[k * r + i] : a[i * n + k]) * (b_turned ? b[j * n + k] : b[k * c + j]);
      }
    }
  }
}

static const double* given(const double* x, int n) { return n ? x : NULL; }

static void test_products(void** state) {
  (void)state;
  unsigned long long seed = 5;
  for (int size = 0; size < MOST * MOST * MOST; size++) {
    int r = size % MOST, n = size / MOST % MOST, c = size / MOST / MOST;
    double a[MOST * MOST], b[MOST * MOST], diag[MOST], vec[MOST], got[MOST * MOST],
        want[MOST * MOST];
    fill(a, r * n, &seed);
    fill(b, n * c, &seed);
    fill(diag, r, &seed);
    fill(vec, n, &seed);
    const double *A = given(a, r * n), *B = given(b, n * c);
    for (int i = 0; i < MOST * MOST; i++) got[i] = 7;

    product(want, a, false, b, false, r, n, c);
    mju_mulMatMat(r * c > 0 ? got : NULL, A, B, r, n, c);
    close_to("mju_mulMatMat", got, want, r * c);
    product(want, a, true, b, false, r, n, c);
    mju_mulMatTMat(r * c > 0 ? got : NULL, A, B, n, r, c);
    close_to("mju_mulMatTMat", got, want, r * c);
    product(want, a, false, b, true, r, n, c);
    mju_mulMatMatT(r * c > 0 ? got : NULL, A, B, r, n, c);
    close_to("mju_mulMatMatT", got, want, r * c);

    product(want, a, false, vec, false, r, n, 1);
    mju_mulMatVec(r ? got : NULL, A, given(vec, n), r, n);
    close_to("mju_mulMatVec", got, want, r);
    product(want, a, true, diag, false, n, r, 1);
    mju_mulMatTVec(n ? got : NULL, A, given(diag, r), r, n);
    close_to("mju_mulMatTVec", got, want, n);

    double scaled[MOST * MOST];
    for (int i = 0; i < r * n; i++) scaled[i] = a[i] * diag[i / (n ? n : 1)];
    product(want, a, true, scaled, false, n, r, n);
    mju_sqrMatTD(n ? got : NULL, A, given(diag, r), r, n);
    close_to("mju_sqrMatTD", got, want, n * n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
