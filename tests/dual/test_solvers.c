// Every solver on random problems, against a reference of its own in long double.
#include "problem.h"

static double distance(const double* a, const double* b, int n) {
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

static void tighten(Problem* q, const char* name, double tolerance) {
  problem_defaults(q, name);
  q->p.set.tol_primal = q->p.set.tol_dual = q->p.set.tol_compl = tolerance;
  q->p.set.iterations = 20000;
  if (q->p.set.tol_objective > 0) q->p.set.tol_objective = 1e-20;
}

static void expect_ncp(const char* name, double residual, double tolerance) {
  unsigned long long seed = 7;
  for (int trial = 0; trial < 12; trial++) {
    Problem* q = problem_random(2 + trial % 5, 6, 1, 0.6, &seed);
    double* expected = numbers(q->p.n);
    snSolverReport report;
    reference_solve(q, 1, expected);
    assert_true(reference_natural(q, expected, 1) < 1e-13);
    tighten(q, name, 0.1 * residual);
    problem_solve(q, name, &report);
    double natural = reference_natural(q, q->p.force, 1);
    double error = distance(q->p.force, expected, q->p.n);
    if (!(natural < residual && error < tolerance)) {
      fail_msg("%s, problem %d: natural map %g, error %g, %d iterations", name, trial, natural,
               error, report.iterations);
    }
    assert_true(fabs(report.r_ncp_natural - natural) < 1e-12);
    free(expected);
    problem_free(q);
  }
}

static void test_admm_ncp(void** state) {
  expect_ncp("admm-ncp", 1e-8, 1e-7);
  expect_ncp("admm-ncp-fixed", 1e-8, 1e-7);
  expect_ncp("admm-ncp-linear", 1e-8, 1e-7);
  expect_ncp("admm-ncp-spectral", 1e-8, 1e-7);
}

static void test_splitting(void** state) {
  expect_ncp("pgs-ccp", 1e-6, 1e-5);
  expect_ncp("pgs-ncp", 1e-6, 1e-5);
  expect_ncp("nbgs", 1e-6, 1e-5);
  expect_ncp("raisim-ds", 1e-6, 1e-5);
  expect_ncp("raisim-ds-es", 1e-6, 1e-5);
  expect_ncp("prox", 1e-6, 1e-5);
  expect_ncp("implicit", 1e-8, 1e-7);
}

static void test_ccp(void** state) {
  static const char* const names[] = {"admm-ccp", "pgs-ccp", "admm-ncp"};
  static const double bound[] = {1e-8, 1e-6, 1e-8};
  for (int k = 0; k < 3; k++) {
    unsigned long long seed = 11;
    for (int trial = 0; trial < 12; trial++) {
      Problem* q = problem_random(2 + trial % 5, 6, 1, 0.6, &seed);
      double* expected = numbers(q->p.n);
      snSolverReport report;
      reference_solve(q, 0, expected);
      tighten(q, names[k], 0.05 * bound[k]);
      q->p.set.form = snFORM_CCP;
      problem_solve(q, names[k], &report);
      double error = distance(q->p.force, expected, q->p.n);
      if (!(error < bound[k])) fail_msg("%s: error %g, map %g", names[k], error, report.r_natural);
      free(expected);
      problem_free(q);
    }
  }
}

// Solvers as published have every switch off, and on a well-conditioned problem with full-rank
// blocks most of them find the same solution as those that Sinew recommends.
static void test_published(void** state) {
  static const char* const names[] = {
      "pgs-ccp",         "pgs-ncp",           "nbgs",     "raisim",
      "raisim-ds",       "raisim-ds-es",      "admm-ccp", "admm-ncp-fixed",
      "admm-ncp-linear", "admm-ncp-spectral", "prox",     "implicit"};
  for (int k = 0; k < 12; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s-published", names[k]);
    const snDualSolver* solver = dual_find(name);
    assert_non_null(solver);
    snSolverSettings set;
    dual_defaults(solver, &set);
    assert_true(!set.scale_rows && !set.exact_joints && !set.shift_blocks && !set.safe_steps);
    assert_true(!set.leave_edges && !set.drop_rows && !set.keep_best && !set.polish && !set.settle);
    dual_defaults(dual_find(names[k]), &set);
    assert_true(set.scale_rows && set.exact_joints && set.shift_blocks && set.safe_steps);
    assert_true(set.leave_edges && set.drop_rows && set.keep_best);
    unsigned long long seed = 11;
    Problem *q = problem_random(3, 4, 1, 0.4, &seed), *other;
    problem_defaults(q, name);
    q->p.set.iterations = 20000;
    snSolverReport report;
    problem_solve(q, name, &report);
    seed = 11;
    other = problem_random(3, 4, 1, 0.4, &seed);
    problem_defaults(other, "admm-ncp");
    snSolverReport best;
    problem_solve(other, "admm-ncp", &best);
    if (!best.converged) fail_msg("admm-ncp: %g after %d", best.r_natural, best.iterations);
    assert_true(report.finite);
    // laws of their own (raisim), convex (admm-ccp) or stopped early
    bool same = strcmp(names[k], "raisim") && strcmp(names[k], "admm-ccp") &&
                strcmp(names[k], "raisim-ds-es");
    double error = distance(q->p.force, other->p.force, q->p.n);
    if (same && !(error < 1e-6)) fail_msg("%s: %g, map %g", name, error, report.r_natural);
    problem_free(q);
    problem_free(other);
  }
  assert_null(dual_find("admm-published"));
}

// What -published solvers do in their first steps, by the lines of their algorithms.
static void test_text(void** state) {
  unsigned long long seed = 5;
  Problem* q = problem_random(1, 1, 1, 0.7, &seed);
  const snDualBlock* contact = q->block + q->p.nblock - 2;  // a limit is behind it
  int row = contact->row;
  assert_true(contact->kind == snDUAL_CONE);
  // Algorithm 3 behind the sweep over joints and limits: the tangents see the velocity before the
  // normal's step
  problem_defaults(q, "pgs-ncp-published");
  q->p.set.iterations = 1;
  snSolverReport report;
  problem_solve(q, "pgs-ncp-published", &report);
  double z[3], f[3], smallest = 1e9;
  for (int i = 0; i < 3; i++) {
    z[i] = q->v_free[row + i];
    for (int j = 0; j < row; j++) z[i] += q->A[(row + i) * q->stride + j] * q->p.force[j];
    if (i) smallest = fmin(smallest, q->A[(row + i) * q->stride + row + i]);
  }
  f[0] = fmax(0, -z[0] / q->A[row * q->stride + row]);
  for (int i = 1; i < 3; i++) f[i] = -z[i] / smallest;
  double t = hypot(f[1], f[2]), radius = contact->mu * f[0];
  for (int i = 1; i < 3 && t > radius; i++) f[i] *= radius / t;
  for (int i = 0; i < 3; i++) assert_true(fabs(f[i] - q->p.force[row + i]) < 1e-12);
  problem_free(q);

  // (171) in every iteration, and ADMM-CCP without a proximal term
  seed = 5;
  q = problem_random(3, 2, 30, 0.6, &seed);
  problem_defaults(q, "admm-ncp-linear-published");
  q->p.set.iterations = 12;
  q->p.set.rho = 1e-3;
  problem_solve(q, "admm-ncp-linear-published", &report);
  assert_true(report.factorizations > 3);
  problem_defaults(q, "admm-ccp-published");
  assert_true(q->p.set.eta == 0);
  // (156), (157), (158), each with its own tolerance
  problem_defaults(q, "nbgs-published");
  q->p.set.iterations = 20000;
  q->p.set.tol_primal = q->p.set.tol_dual = 1e-4;
  q->p.set.tol_compl = 1e-10;
  memset(q->p.force, 0, sizeof(double) * (size_t)q->p.n);
  problem_solve(q, "nbgs-published", &report);
  assert_true(report.converged && report.r_compl <= 1e-10 && report.r_dual <= 1e-4);
  problem_free(q);
}

// Every number of the report means what it says, stopped early and converged.
static void test_report(void** state) {
  for (int k = 0; k < dual_solver_count; k++) {
    const char* name = dual_solvers[k].name;
    double early[2];
    for (int whole = 0; whole < 2; whole++) {
      unsigned long long seed = 3;
      Problem* q = problem_random(4, 2, 30, 0.6, &seed);
      problem_defaults(q, name);
      q->p.set.iterations = whole ? 20000 : 3;
      q->p.set.polish &= whole;
      q->p.inertia = 2;
      snSolverReport r;
      problem_solve(q, name, &r);
      assert_true(r.finite && r.iterations > 0 && (whole || r.iterations == 3));
      bool counts = !strncmp(name, "admm", 4) || dual_solvers[k].soft;
      assert_true(!counts || r.factorizations > 0);
      bool ccp = q->p.set.form == snFORM_CCP;
      double natural[2] = {reference_natural(q, q->p.force, 0),
                           reference_natural(q, q->p.force, 1)};
      if (!(fabs(r.r_natural - natural[!ccp]) < 1e-12 &&
            fabs(r.r_ncp_natural - natural[1]) < 1e-12)) {
        fail_msg("%s: natural map %g and %g, not %g and %g", name, r.r_natural, r.r_ncp_natural,
                 natural[!ccp], natural[1]);
      }
      double objective = 0;
      for (int i = 0; i < q->p.n; i++) {
        objective += 0.5 * q->p.force[i] * (q->p.velocity[i] + q->v_free[i]);
      }
      assert_true(fabs(r.objective - objective) < 1e-12 && r.r_primal < 1e-12);
      if (!whole) {
        early[0] = r.r_iterate;
        early[1] = r.r_objective;
        if (!(r.r_iterate > 0 && r.r_objective > 0)) {
          fail_msg("%s: changes %g and %g are not filled in", name, r.r_iterate, r.r_objective);
        }
      } else if (!(r.converged && r.r_iterate < 1e-3 * early[0] && r.r_objective <= early[1])) {
        fail_msg("%s: converged %d, changes %g (early %g) and %g (early %g)", name, r.converged,
                 r.r_iterate, early[0], r.r_objective, early[1]);
      }
      problem_free(q);
    }
  }
}

// Every tolerance ends a solve when it is met, and not before; over-relaxation decays.
static void test_tolerances(void** state) {
  for (int k = 0; k < dual_solver_count; k++) {
    const char* name = dual_solvers[k].name;
    bool own = dual_solvers[k].soft || !strncmp(name, "raisim", 6);  // other laws, other ends
    bool newton = !strcmp(name, "implicit");  // its last step leaves next to nothing
    int made[4];
    for (int trial = 0; trial < 4; trial++) {
      unsigned long long seed = 3;
      Problem* q = problem_random(4, 2, 30, 0.6, &seed);
      problem_defaults(q, name);
      snSolverSettings* set = &q->p.set;
      set->iterations = 20000;
      set->polish = 0;
      set->tol_primal = set->tol_dual = 1e-7;
      if (trial == 1) set->tol_compl = 1e-12;
      if (trial == 2) set->tol_iterate = 1e-2;
      if (trial == 3) set->omega = 1.9, set->omega_min = 0.7, set->omega_decay = 0.9;
      snSolverReport r;
      problem_solve(q, name, &r);
      made[trial] = r.iterations;
      if (trial == 1 && !own &&
          !(r.converged && r.r_compl <= 1e-12 && (newton || made[1] > made[0]))) {
        fail_msg("%s: complementarity %g after %d, %d", name, r.r_compl, made[1], made[0]);
      }
      if (trial == 2 && strcmp(name, "barrier") && strcmp(name, "raisim-ds-es") &&
          !(made[2] < made[0] && r.r_iterate < 1e-2)) {
        fail_msg("%s: still after %d, %d", name, made[2], made[0]);
      }
      problem_free(q);
    }
    bool relaxes = !dual_solvers[k].soft && !newton;
    if (relaxes && made[3] == made[0]) fail_msg("%s does not relax", name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_admm_ncp),   cmocka_unit_test(test_splitting),
      cmocka_unit_test(test_ccp),        cmocka_unit_test(test_published),
      cmocka_unit_test(test_text),       cmocka_unit_test(test_report),
      cmocka_unit_test(test_tolerances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
