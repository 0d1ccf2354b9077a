// The two invertible contact models: inverse dynamics returns the impulses that forward dynamics
// found.
#include "problem.h"

static double distance(const double* a, const double* b, int n) {
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

// Algorithm 5 against a dense search over the surface of the cone, and against its own metric.
static void test_cone_projection(void** state) {
  unsigned long long seed = 3;
  for (int trial = 0; trial < 300; trial++) {
    double mu[2] = {0.2 + fabs(scene_random(&seed)), 0.2 + fabs(scene_random(&seed))};
    double r0 = 0.3 + fabs(scene_random(&seed)), c = 0.3 + fabs(scene_random(&seed));
    double r[3] = {r0, c / (mu[0] * mu[0]), c / (mu[1] * mu[1])};
    double y[3] = {scene_random(&seed), scene_random(&seed), scene_random(&seed)}, x[3];
    if (trial % 10 == 0) y[0] = 0;
    if (trial % 17 == 0) y[1] = y[2] = 0;
    dual_cone_project(x, y, mu, r, 2);
    double inside = pow(x[1] / mu[0], 2) + pow(x[2] / mu[1], 2), cost = 0;
    assert_true(x[0] >= 0 && inside <= x[0] * x[0] * (1 + 1e-12) + 1e-30);
    for (int k = 0; k < 3; k++) cost += r[k] * (x[k] - y[k]) * (x[k] - y[k]);
    // generators: along each the best length is closed form
    for (int a = 0; a < 2000; a++) {
      double g[3] = {1, mu[0] * cos(a * M_PI / 1000), mu[1] * sin(a * M_PI / 1000)}, up = 0,
             down = 0;
      for (int k = 0; k < 3; k++) up += r[k] * g[k] * y[k], down += r[k] * g[k] * g[k];
      double s = fmax(0, up / down), other = 0;
      for (int k = 0; k < 3; k++) other += r[k] * (s * g[k] - y[k]) * (s * g[k] - y[k]);
      bool is_inside = y[0] >= 0 && pow(y[1] / mu[0], 2) + pow(y[2] / mu[1], 2) <= y[0] * y[0];
      assert_true(is_inside ? cost == 0 : cost <= other + 1e-12);
    }
  }
}

// v+ = D f + v-, where v_free = v- - v*
static void test_2014(void** state) {
  unsigned long long seed = 5;
  for (int trial = 0; trial < 20; trial++) {
    Problem* q = problem_random(1 + trial % 6, trial < 10 ? 4 : 1, 1, 1, &seed);
    int n = q->p.n;
    double *diag = numbers(n), *x = numbers(n), *v = numbers(n), *target = numbers(n);
    double *after = numbers(n), *force = numbers(n);
    for (int i = 0; i < n; i++) {
      diag[i] = q->A[i * q->stride + i];
      x[i] = 0.01 * scene_random(&seed);
      v[i] = scene_random(&seed);
      target[i] = -q->v_free[i];
    }
    q->R = numbers(n);
    q->p.R = q->R;
    problem_defaults(q, "gpgs");
    dual_form2014(&q->p, q->R, q->v_free, diag, x, v, 0.005, NULL);
    for (int i = 0; i < n; i++) target[i] = -(q->v_free[i] + target[i]);
    q->p.set.iterations = 20000;
    q->p.set.tol_primal = q->p.set.tol_dual = 1e-13;
    snSolverReport report;
    problem_solve(q, "gpgs", &report);
    // it is the optimum of the regularized convex problem
    double map = reference_natural(q, q->p.force, 0);
    if (!(map < 1e-9)) fail_msg("problem %d: natural map %g, %d", trial, map, report.iterations);
    for (int i = 0; i < n; i++) {
      after[i] = q->p.velocity[i] - q->R[i] * q->p.force[i] + target[i];
    }
    dual_inverse2014(&q->p, after, target, force);
    double error = distance(force, q->p.force, n);
    if (!(error < 1e-8)) fail_msg("problem %d: inverse differs by %g", trial, error);
    free(diag), free(x), free(v), free(target), free(after), free(force);
    problem_free(q);
  }
}

static void test_2011(void** state) {
  unsigned long long seed = 9;
  for (int trial = 0; trial < 20; trial++) {
    Problem* q = problem_random(1 + trial % 6, 4, 1, 1, &seed);
    int n = q->p.n;
    double *after = numbers(n), *force = numbers(n), *scratch = numbers(2 * n);
    q->R = numbers(n);
    q->p.R = q->R;
    problem_defaults(q, "barrier");
    q->p.set.barrier = trial % 2 ? 1e-4 : 1e-6;
    for (int k = 0; k < q->p.nblock; k++) {
      for (int i = q->block[k].row; i < q->block[k].row + q->block[k].nrow; i++) q->R[i] = 0.02;
    }
    snSolverReport report;
    problem_solve(q, "barrier", &report);
    if (!report.converged) {
      fail_msg("problem %d: gradient %g after %d", trial, report.r_objective, report.iterations);
    }
    for (int i = 0; i < n; i++) after[i] = q->p.velocity[i] - q->R[i] * q->p.force[i];
    int made = dual_inverse2011(&q->p, after, force, scratch);
    double error = distance(force, q->p.force, n);
    if (!(error < 1e-8)) fail_msg("problem %d: inverse differs by %g, %d", trial, error, made);
    free(after), free(force), free(scratch);
    problem_free(q);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cone_projection),
      cmocka_unit_test(test_2014),
      cmocka_unit_test(test_2011),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
