// M = L'DL of random forests (algebra/tree.c): the product of the factors gives M and solves
// satisfy M x = b, for every mix of chains, branches, diagonal rows and numbers of right-hand
// sides.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algebra/algebra.h"

enum { MAX = 60 };

static uint64_t state = 1;
static double uniform(void) {
  state = hash_bytes(&state, sizeof state, 7);
  return (double)(int64_t)state / 9223372036854775808.0;
}

typedef struct {
  int nv, nnz, parent[MAX], rownnz[MAX], rowadr[MAX], colind[MAX * MAX];
  double M[MAX * MAX], LD[MAX * MAX], dinv[MAX], dense[MAX * MAX];
} Forest;

// Parents come depth first: the next dof hangs from a random dof of the chain of the last one.
static void make_forest(Forest* f, int nv) {
  f->nv = nv;
  f->nnz = 0;
  int branching = (int)(5 * fabs(uniform()));
  for (int k = 0; k < nv; k++) {
    int parent = k - 1;
    while (parent >= 0 && fabs(uniform()) < 0.1 * branching) parent = f->parent[parent];
    f->parent[k] = parent;
    int n = 0, chain[MAX];
    for (int j = k; j >= 0; j = f->parent[j]) chain[n++] = j;
    f->rowadr[k] = f->nnz;
    f->rownnz[k] = n;
    while (n) f->colind[f->nnz++] = chain[--n];
  }
  memset(f->dense, 0, sizeof f->dense);
  for (int k = 0; k < nv; k++) {
    for (int a = f->rowadr[k]; a < f->rowadr[k] + f->rownnz[k]; a++) {
      int j = f->colind[a];
      f->M[a] = j == k ? nv + uniform() : uniform();
      f->dense[k * nv + j] = f->dense[j * nv + k] = f->M[a];
    }
  }
}

static void test_forests(void** unused) {
  static Forest f;
  for (int round = 0; round < 400; round++) {
    int nv = 1 + round % 50;
    make_forest(&f, nv);
    snTree* tree = tree_make(nv, f.rownnz, f.rowadr, f.colind);
    assert_non_null(tree);
    // exact buffers, so that the sanitizer sees every step beyond the end
    double* scratch = malloc(tree_scratch(tree) * sizeof(double));
    double* M = malloc(f.nnz * sizeof(double));
    double* LD = malloc(f.nnz * sizeof(double));
    double* dinv = malloc(nv * sizeof(double));
    memcpy(M, f.M, f.nnz * sizeof(double));
    memcpy(LD, f.M, f.nnz * sizeof(double));
    assert_int_equal(tree_factor(tree, LD, dinv, round % 2 ? LD : M, scratch), -1);
    assert_memory_equal(M, f.M, f.nnz * sizeof(double));

    // L'DL = M
    double* product = calloc((size_t)nv * nv, sizeof(double));
    for (int k = 0; k < nv; k++) {
      const int* col = f.colind + f.rowadr[k];
      const double* row = LD + f.rowadr[k];
      int n = f.rownnz[k];
      assert_true(fabs(row[n - 1] * dinv[k] - 1) < 1e-14);
      for (int a = 0; a < n; a++) {
        double la = a == n - 1 ? 1 : row[a];
        for (int b = 0; b < n; b++) {
          product[col[a] * nv + col[b]] += la * row[n - 1] * (b == n - 1 ? 1 : row[b]);
        }
      }
    }
    for (int i = 0; i < nv * nv; i++) assert_true(fabs(product[i] - f.dense[i]) < 1e-11);

    for (int n = 1; n <= 6; n++) {
      double* y = malloc((size_t)n * nv * sizeof(double));
      double* x = malloc((size_t)n * nv * sizeof(double));
      double* half = malloc((size_t)n * nv * sizeof(double));
      double* root = malloc(nv * sizeof(double));
      for (int i = 0; i < nv; i++) root[i] = sqrt(dinv[i]);
      for (int i = 0; i < n * nv; i++) y[i] = x[i] = uniform();
      tree_solve(tree, x, n % 2 ? x : y, LD, dinv, n, scratch);
      tree_solve_half(tree, half, y, LD, root, n, scratch);
      for (int r = 0; r < n; r++) {
        double energy = 0, square = 0;
        for (int i = 0; i < nv; i++) {
          double sum = 0;
          for (int j = 0; j < nv; j++) sum += f.dense[i * nv + j] * x[r * nv + j];
          assert_true(fabs(sum - y[r * nv + i]) < 1e-11);
          energy += y[r * nv + i] * x[r * nv + i];
          square += half[r * nv + i] * half[r * nv + i];
        }
        // |inv(sqrt D) inv(L') y|^2 = y' inv(M) y
        assert_true(fabs(energy - square) < 1e-11);
      }
      free(y);
      free(x);
      free(half);
      free(root);
    }
    free(product);
    free(scratch);
    free(M);
    free(LD);
    free(dinv);
    tree_free(tree);
  }
}

static void test_bad_pivot_is_named(void** unused) {
  static Forest f;
  make_forest(&f, 9);
  for (int k = 0; k < 9; k++) {
    for (int a = f.rowadr[k]; a < f.rowadr[k] + f.rownnz[k]; a++) f.M[a] = f.colind[a] == k;
  }
  f.M[f.rowadr[4] + f.rownnz[4] - 1] = 0;
  snTree* tree = tree_make(9, f.rownnz, f.rowadr, f.colind);
  double* scratch = malloc(tree_scratch(tree) * sizeof(double));
  assert_int_equal(tree_factor(tree, f.LD, f.dinv, f.M, scratch), 4);
  assert_true(f.dinv[4] == 1 / mjMINVAL);
  free(scratch);
  tree_free(tree);
}

static int errors;
static void count_error(const char* text) { errors++; }

static void test_refuses_other_patterns(void** unused) {
  int rownnz[] = {1, 2, 2}, rowadr[] = {0, 1, 3}, colind[] = {0, 0, 1, 0, 2};
  snTree* tree = tree_make(3, rownnz, rowadr, colind);
  assert_non_null(tree);
  tree_free(tree);
  mju_user_error = count_error;
  colind[3] = 1;  // row 2 would need dof 0 as well
  assert_null(tree_make(3, rownnz, rowadr, colind));
  assert_int_equal(errors, 1);
  mju_user_error = NULL;
  memory_fail_at(1);
  colind[3] = 0;
  assert_null(tree_make(3, rownnz, rowadr, colind));
  memory_fail_at(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forests),
      cmocka_unit_test(test_bad_pivot_is_named),
      cmocka_unit_test(test_refuses_other_patterns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
