// Problems recorded from the thirteen systems in motion, solved from zero: what ADMM leaves is
// measured here, in long double.
//   SINEW_RECORD_EVERY=10 takes every tenth step of a second (make test: few).
#include "../dual/problem.h"
#include "machines.h"

typedef struct Tally_ {
  const char* system;
  long step, every, count;
  double worst[2];
} Tally;

// f'w and the distance of w = (D + R) f + v_free from the dual cone: with f in K, and both zero, f
// is the optimum; the objective lies above it by f'w at most when w is in the cone.
static void certificate(const Problem* q, double* gap, double* outside) {
  int n = q->p.n;
  real *f = calloc(n, sizeof(real)), *w = calloc(n, sizeof(real)), sum = 0, worst = 0;
  for (int i = 0; i < n; i++) f[i] = q->p.force[i];
  reference_velocity(q, f, w);
  for (int k = 0; k < q->p.nblock; k++) {
    const snDualBlock* b = q->block + k;
    real *g = f + b->row, *v = w + b->row, t = 0, s = 0;
    for (int i = 0; i < b->nrow; i++) sum += g[i] * v[i];
    for (int i = 1; i < b->nrow; i++) t += v[i] * v[i], s += g[i] * g[i];
    if (b->kind == snDUAL_FREE) {
      for (int i = 0; i < b->nrow; i++) worst = fmaxl(worst, fabsl(v[i]));
    } else if (b->kind == snDUAL_BOX) {
      assert_true(fabsl(g[0]) <= b->bound);
      sum += b->bound * fabsl(v[0]);
    } else {
      real mu = b->kind == snDUAL_CONE ? b->mu : 0;
      assert_true(sqrtl(s) <= mu * g[0] + 1e-15L);
      worst = fmaxl(worst, mu * sqrtl(t) - v[0]);
    }
  }
  *gap = (double)sum;
  *outside = (double)worst;
  free(f);
  free(w);
}

static void solve_again(void* context, const snMaximal* x, const snRows* r, const snDual* p) {
  Tally* tally = context;
  if (tally->step++ % tally->every || !p->n) return;
  Problem* q = problem_new();
  assert_true(p->nblock <= (int)(sizeof q->block / sizeof *q->block));
  for (int k = 0; k < p->nblock; k++) {
    problem_add(q, p->block[k].kind, p->block[k].nrow, p->block[k].mu, p->block[k].bound);
  }
  int n = q->p.n;
  problem_alloc(q);
  q->R = numbers(n);
  int* first = calloc((size_t)n, sizeof *first);
  p->D->dense(p->D, q->A, q->stride, first);
  free(first);
  for (int i = 0; i < n; i++) {
    q->v_free[i] = p->v_free[i];
    q->R[i] = p->R ? p->R[i] : 0;
  }
  q->p.R = q->R;
  snSolverReport report;
  for (int ccp = 0; ccp < 2; ccp++) {
    const char* name = ccp ? "admm-ccp" : "admm-ncp";
    problem_defaults(q, name);
    q->p.set.iterations = 20000;
    mju_zero(q->p.force, n);
    problem_solve(q, name, &report);
    double natural = reference_natural(q, q->p.force, !ccp);
    tally->worst[ccp] = fmax(tally->worst[ccp], natural);
    if (!(natural < 1e-8)) {
      fail_msg("%s, step %ld, %d rows: %s leaves %g after %d iterations", tally->system,
               tally->step - 1, n, name, natural, report.iterations);
    }
    if (!ccp) continue;
    double gap, outside;
    certificate(q, &gap, &outside);
    if (!(fabs(gap) < 1e-8 && outside < 1e-8)) {
      fail_msg("%s, step %ld: %g above the optimum, velocities %g outside", tally->system,
               tally->step - 1, gap, outside);
    }
  }
  tally->count++;
  problem_free(q);
}

static void test_recorded(void** state) {
  const char* every = getenv("SINEW_RECORD_EVERY");
  for (int id = 0; id < kSystems; id++) {
    mjModel* m = system_model(id);
    snMaximal* x = system_make(m, "admm-ncp");
    Tally tally = {.system = systems[id].name, .every = every ? atol(every) : 35};
    snMaximalWhole* w = (snMaximalWhole*)x;
    w->record = solve_again;
    w->record_context = &tally;
    while (x->data->time < (every ? 1 : 0.35)) {
      drive(x);
      assert_int_equal(sn_stepMaximal(x), 1);
    }
    print_message("%-14s %ld problems, natural map %.1e (NCP) and %.1e (CCP) at most\n",
                  tally.system, tally.count, tally.worst[0], tally.worst[1]);
    assert_true(tally.count > 5);
    sn_deleteMaximal(x);
    mj_deleteModel(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
