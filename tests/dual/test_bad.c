// Infeasible and ill-posed problems: every solver terminates, returns finite impulses inside of
// their sets, and reports their true residual.
#include "problem.h"

static void check_end(Problem* q, const char* name, const char* what) {
  snSolverReport first, second;
  int n = q->p.n;
  double* force = numbers(n);
  problem_defaults(q, name);
  q->p.set.iterations = 200;
  memset(q->p.force, 0, sizeof(double) * n);
  problem_solve(q, name, &first);
  memcpy(force, q->p.force, sizeof(double) * n);
  for (int i = 0; i < n; i++) {
    if (!isfinite(q->p.force[i]) || !isfinite(q->p.velocity[i])) fail_msg("%s, %s", name, what);
  }
  if (!(first.iterations <= 200 && first.finite))
    fail_msg("%s: %s: %d iterations", what, name, first.iterations);
  // inside the sets
  if (!(first.r_primal < 1e-9)) fail_msg("%s, %s: outside by %g", name, what, first.r_primal);
  // the report is true
  double natural = reference_natural(q, q->p.force, 1), scale = 1;
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(q->p.force[i]) * q->A[i * q->stride + i]);
  for (int k = 0; k < q->p.nblock; k++) scale = fmax(scale, 1e-6 * q->block[k].mu);  // mu |v_T|
  if (!(fabs(natural - first.r_ncp_natural) < 1e-9 * scale)) {
    fail_msg("%s, %s: says %g, is %g", name, what, first.r_ncp_natural, natural);
  }
  // converged means the natural map, but where the objective decides or the law is another
  bool own = dual_find(name)->soft || q->p.set.tol_objective > 0 || !strcmp(name, "raisim");
  if (first.converged && !own && !(first.r_natural <= 1e-8)) {
    fail_msg("%s, %s: called converged at %g", name, what, first.r_natural);
  }
  // the same again
  memset(q->p.force, 0, sizeof(double) * n);
  problem_solve(q, name, &second);
  assert_memory_equal(force, q->p.force, sizeof(double) * n);
  assert_memory_equal(&first, &second, sizeof first);
  free(force);
}

static void check_all(Problem* q, const char* what) {
  for (int i = 0; i < dual_solver_count; i++) check_end(q, dual_solvers[i].name, what);
  problem_free(q);
}

static void test_rank_deficient(void** state) {
  unsigned long long seed = 21;
  Problem* q = problem_new();
  problem_add(q, snDUAL_FREE, 6, 0, 0);
  for (int i = 0; i < 8; i++) problem_add(q, snDUAL_CONE, 3, 0.7, 0);
  problem_fill(q, 12, 1, &seed);  // 30 rows, rank 12
  problem_press(q);
  check_all(q, "rank deficient");
}

// Two equalities ask the same row for different velocities.
static void test_inconsistent(void** state) {
  unsigned long long seed = 22;
  Problem* q = problem_new();
  problem_add(q, snDUAL_FREE, 2, 0, 0);
  for (int i = 0; i < 2; i++) problem_add(q, snDUAL_CONE, 3, 0.7, 0);
  problem_fill(q, 20, 1, &seed);
  for (int j = 0; j < q->p.n; j++) q->A[q->stride + j] = q->A[j];
  for (int j = 0; j < q->p.n; j++) q->A[j * q->stride + 1] = q->A[j * q->stride];
  q->v_free[0] = 1;
  q->v_free[1] = -1;
  check_all(q, "inconsistent");
}

static void test_mass_ratio(void** state) {
  unsigned long long seed = 23;
  check_all(problem_random(5, 1, 25000, 1, &seed), "mass ratio 25000");
}

static void test_friction(void** state) {
  static const double scale[] = {0, 1e-12, 1e3, 1e6};
  for (int i = 0; i < 4; i++) {
    unsigned long long seed = 24;
    char what[40];
    snprintf(what, sizeof what, "friction times %g", scale[i]);
    check_all(problem_random(4, 4, 1, scale[i], &seed), what);
  }
}

// A row that nothing moves: D has a zero row.
static void test_dead_row(void** state) {
  unsigned long long seed = 25;
  Problem* q = problem_random(3, 4, 1, 1, &seed);
  int dead[] = {1, 3, 12, q->p.n - 1};
  for (int k = 0; k < 4; k++) {
    for (int j = 0; j < q->p.n; j++) {
      q->A[dead[k] * q->stride + j] = q->A[j * q->stride + dead[k]] = 0;
    }
  }
  check_all(q, "dead rows");
}

static void test_not_finite(void** state) {
  for (int i = 0; i < dual_solver_count; i++) {
    for (int where = 0; where < 4; where++) {
      unsigned long long seed = 26;
      Problem* q = problem_random(3, 4, 1, 1, &seed);
      problem_defaults(q, dual_solvers[i].name);
      if (where == 0) q->v_free[5] = NAN;
      if (where == 1) q->A[3 * q->stride + 7] = NAN;
      if (where == 2) q->v_free[2] = -INFINITY;
      if (where == 3) q->block[5].mu = NAN;
      snSolverReport report;
      problem_solve(q, dual_solvers[i].name, &report);
      assert_false(report.finite);
      assert_false(report.converged);
      assert_true(report.r_natural > 1e9);
      for (int k = 0; k < q->p.n; k++) assert_true(q->p.force[k] == 0);
      problem_free(q);
    }
    // a bad start is no bad problem
    unsigned long long seed = 27;
    Problem* q = problem_random(3, 6, 1, 0.5, &seed);
    problem_defaults(q, dual_solvers[i].name);
    q->p.force[4] = NAN;
    snSolverReport report;
    problem_solve(q, dual_solvers[i].name, &report);
    assert_true(report.finite && isfinite(q->p.force[4]));
    problem_free(q);
  }
}

// Four feet of a stiff table: the reactions are not determined, but finite, balanced, and the same
// every time.
static void test_hyperstatic(void** state) {
  for (int i = 0; i < dual_solver_count; i++) {
    const char* name = dual_solvers[i].name;
    Problem* q = problem_new();
    unsigned long long seed = 1;
    for (int k = 0; k < 4; k++) problem_add(q, snDUAL_CONE, 3, 0.5, 0);
    problem_fill(q, 1, 1, &seed);
    // unit mass, unit inertia about x and y: v_N = w_z + a_k rx + b_k ry
    for (int r = 0; r < 12; r++) {
      for (int c = 0; c < 12; c++) {
        double a1 = r / 3 % 2 ? 1 : -1, b1 = r / 6 ? 1 : -1, a2 = c / 3 % 2 ? 1 : -1,
               b2 = c / 6 ? 1 : -1;
        double value = 0;
        if (r % 3 == 0 && c % 3 == 0) value = 1 + a1 * a2 + b1 * b2;
        if (r % 3 && r % 3 == c % 3) value = 1;
        q->A[r * q->stride + c] = value;
      }
      q->v_free[r] = r % 3 ? 0.01 : -0.1;
    }
    problem_defaults(q, name);
    q->p.set.iterations = 5000;
    snSolverReport report;
    problem_solve(q, name, &report);
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += q->p.force[3 * k];
    if (!dual_find(name)->soft && !(fabs(sum - 0.1) < 1e-6)) fail_msg("%s carries %g", name, sum);
    check_end(q, name, "hyperstatic");
    problem_free(q);
  }
}

// Rows that ask for the opposite of each other, among rows that nothing can move: 100 rows become
// 98, which go through every method there is.
static void test_few_behind(void** state) {
  enum { ALL = 100, FIXED = 2 };
  unsigned long long seed = 41;
  Problem* q = problem_new();
  for (int i = 0; i < ALL; i++) problem_add(q, snDUAL_HALF, 1, 0, 0);
  problem_fill(q, ALL, 1, &seed);
  for (int i = 0; i < ALL; i++) {
    for (int j = 0; j < ALL; j++) q->A[i * q->stride + j] = 0;
    if (i >= ALL - FIXED) continue;
    q->A[i * q->stride + i] = 1;
    q->A[i * q->stride + (i ^ 1)] = -1;
    q->v_free[i] = -1;
  }
  problem_defaults(q, "admm-ncp");
  q->p.set.iterations = 20000;
  snSolverReport report;
  problem_solve(q, "admm-ncp", &report);
  assert_false(report.converged);
  for (int i = 0; i < ALL; i++) assert_true(isfinite(q->p.force[i]));
  problem_free(q);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rank_deficient), cmocka_unit_test(test_inconsistent),
      cmocka_unit_test(test_mass_ratio),     cmocka_unit_test(test_friction),
      cmocka_unit_test(test_dead_row),       cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_hyperstatic),    cmocka_unit_test(test_few_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
