// Samples of the solver benchmark: spectrum, categories, files.
#include "../../apps/samples.c"
#include "scene.h"

// The Laplacian of a chain: 2 - 2 cos(k pi / (n + 1)).
static void test_eigenvalues(void** state) {
  enum { kN = 23 };
  double a[kN * kN] = {0}, values[kN], e[kN];
  for (int i = 0; i < kN; i++) {
    a[(kN + 1) * i] = 2;
    if (i) a[kN * i + i - 1] = a[kN * (i - 1) + i] = -1;
  }
  symmetric_eigenvalues(a, kN, values, e);
  for (int k = 0; k < kN; k++) {
    assert_true(fabs(values[k] - (2 - 2 * cos((k + 1) * M_PI / (kN + 1)))) < 1e-13);
  }
}

// A full matrix with a known spectrum: H diag H for a reflection H.
static void test_eigenvalues_full(void** state) {
  enum { kN = 17 };
  double u[kN], a[kN * kN], values[kN], e[kN], norm = 0;
  for (int i = 0; i < kN; i++) u[i] = sin(1 + i), norm += u[i] * u[i];
  for (int i = 0; i < kN; i++) {
    for (int j = 0; j < kN; j++) {
      double sum = 0;
      for (int k = 0; k < kN; k++) {
        double hi = (i == k) - 2 * u[i] * u[k] / norm, hj = (j == k) - 2 * u[j] * u[k] / norm;
        sum += hi * (k < 5 ? 0 : k) * hj;
      }
      a[kN * i + j] = sum;
    }
  }
  symmetric_eigenvalues(a, kN, values, e);
  for (int k = 0; k < kN; k++) assert_true(fabs(values[k] - (k < 5 ? 0 : k)) < 1e-12);
}

// Two joints of three rows on one body, the second a copy of the first: rank 3 of 6.
static Sample hyperstatic(Samples* s) {
  Sample sample = {.time = 1.5, .step = 0.001, .inertia = 3, .n = 9, .nblock = 3, .nbody = 1};
  strcpy(sample.system, "test");
  strcpy(sample.scenario, "made");
  Sample* to = samples_push(s, sample);
  for (int b = 0; b < 3; b++) {
    to->block[b] = (snDualBlock){b < 2 ? snDUAL_FREE : snDUAL_CONE, 3 * b, 3, 0.5, 0};
  }
  for (int i = 0; i < 9; i++) {
    to->v_free[i] = i;
    to->bias[i] = -i;
    for (int j = 0; j < 9; j++)
      to->D[9 * i + j] = (i % 3 == j % 3) * (i < 6 && j < 6 ? 1.0 : i == j);
  }
  return *to;
}

static void test_files(void** state) {
  Samples s = {0, 0, NULL}, back;
  const char* path = "test_samples.tmp";
  hyperstatic(&s);
  assert_true(sample_examine(s.at));
  assert_int_equal(s.at->rank, 3);
  assert_int_equal(s.at->njointrow, 6);
  assert_int_equal(s.at->category, kSingleContact);
  assert_true(samples_write(&s, path));
  assert_true(samples_read(&back, path));
  assert_int_equal(back.n, 1);
  assert_int_equal(back.at->n, 9);
  assert_string_equal(back.at->system, "test");
  assert_memory_equal(back.at->D, s.at->D, 81 * sizeof(double));
  assert_memory_equal(back.at->v_free, s.at->v_free, 9 * sizeof(double));
  assert_memory_equal(back.at->bias, s.at->bias, 9 * sizeof(double));
  assert_memory_equal(back.at->block, s.at->block, 3 * sizeof(snDualBlock));
  samples_free(&back);

  // cut anywhere, the file is refused
  FILE* f = fopen(path, "rb");
  static char bytes[20000];
  size_t size = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  assert_non_null(freopen("/dev/null", "w", stderr));
  for (size_t cut = 0; cut < size; cut += 13) {
    f = fopen(path, "wb");
    fwrite(bytes, 1, cut, f);
    fclose(f);
    assert_false(samples_read(&back, path));
  }
  remove(path);
  samples_free(&s);
}

static void test_categories(void** state) {
  Sample s = {.n = 6, .nbody = 2, .njoint = 1, .njointrow = 6, .rank = 6};
  assert_int_equal(categorize(&s), kIndependentJoints);
  s.rank = 5;
  assert_int_equal(categorize(&s), kRedundantJoints);
  s.njointrow = s.n = 12;
  assert_int_equal(categorize(&s), kDenseJoints);
  s.ncontact = 1;
  assert_int_equal(categorize(&s), kSingleContact);
  s.ncontact = 2, s.n = 18;
  assert_int_equal(categorize(&s), kDenseConstraints);
  s.njoint = s.njointrow = s.rank = 0, s.n = 6;
  assert_int_equal(categorize(&s), kSparseContacts);
  s.ncontact = 5, s.n = 15;
  assert_int_equal(categorize(&s), kDenseContacts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_eigenvalues),
      cmocka_unit_test(test_eigenvalues_full),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_categories),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
