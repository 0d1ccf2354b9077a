// Hard contact and maximal coordinates: A, B, C and D against differences of steps that are solved
// to the last digits, and the report of what is not.
#include <setjmp.h>
#include <sinew/solver.h>

#include "derive/compare.h"

#define HEAD                                                                       \
  "<mujoco><custom><text name='sinew:solver' data='%s'/>%s"                        \
  "<numeric name='sinew:tol_primal' data='1e-13'/><numeric name='sinew:tol_dual' " \
  "data='1e-13'/><numeric name='sinew:iterations' data='2000'/></custom>"          \
  "<option timestep='.004' integrator='%s' cone='elliptic'/><compiler autolimits='true'/>"

// A ball that slides, one that rolls, a pendulum at its limit with dry friction, a closed loop.
static const char scene[] = HEAD
    "<default><geom friction='.4 .01 .001'/><joint damping='.1'/></default><worldbody>"
    "<geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 .0995'><freejoint/><geom size='.1' condim='3'/><site name='s'/></body>"
    "<body pos='1 0 .0995'><freejoint/><geom size='.1' condim='4'/></body>"
    "<body pos='0 1 1'><joint name='p' axis='0 1 0' range='-5 40'/>"
    " <geom type='capsule' size='.03' fromto='0 0 0 .3 0 0' contype='0' conaffinity='0'/>"
    " <body pos='.3 0 0'><joint axis='0 1 0' frictionloss='.05'/>"
    "  <geom type='capsule' size='.03' fromto='0 0 0 .3 0 .1' contype='0' conaffinity='0'/>"
    "</body></body>"
    "<body pos='0 2 1'><joint axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 "
    "0' contype='0' conaffinity='0'/>"
    " <body pos='.3 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 "
    ".1' contype='0' conaffinity='0'/><site name='end' pos='.3 0 .1'/>"
    "  <body name='tip' pos='.3 0 .1'><joint axis='0 1 0'/><geom size='.05' contype='0' "
    "conaffinity='0'/></body></body></body></worldbody>"
    "<equality><connect body1='tip' anchor='0 0 0'/></equality>"
    "<actuator><motor joint='p' gear='.2'/></actuator>"
    "<sensor><accelerometer site='s'/><framepos objtype='site' objname='end'/></sensor></mujoco>";

static void check(const char* solver, const char* more, const char* integrator, double bound) {
  char xml[8192];
  snprintf(xml, sizeof xml, scene, solver, more, integrator);
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  unsigned long long seed = 3;
  d->qvel[0] = 1;   // slides
  d->qvel[6] = .5;  // rolls
  d->qvel[10] = 5;
  d->ctrl[0] = .3;
  int columns = 0, switched = 0;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 5; i++) mj_step(m, d);
    for (int i = 12; i < m->nv; i++) d->qvel[i] += .1 * scene_random(&seed);
    snDeriveReport report;
    snCompared c = compare_step(m, d, true, &report);
    columns += c.columns;
    switched += c.switched;
    if (getenv("SINEW_VERBOSE")) {
      printf("%s %s %s: %.1e at %d of %d, %d switched [%s] %s\n", solver, more, integrator, c.worst,
             c.at, c.columns, c.switched, report.differenced, report.noted);
    }
    if (!(c.worst < bound)) {
      fail_msg("%s %s %s: column %d is off by %.2e", solver, more, integrator, c.at, c.worst);
    }
    assert_int_equal(report.whole, 0);
    assert_true(strstr(report.differenced, "implicit function") != NULL);
  }
  if (compare_too_few(columns, switched, 20)) {
    fail_msg("%s %s: %d of %d columns at a switch", solver, more, switched, columns + switched);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void hard_solvers_agree(void** state) {
  (void)state;
  static const char* const solvers[] = {"admm-ncp", "admm-ccp", "nbgs", "gpgs"};
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    check(solvers[i], "", i % 2 ? "implicitfast" : "Euler", 1e-6);
  }
  check("admm-ncp", "<numeric name='sinew:stabilize' data='1'/>", "Euler", 1e-6);
}

static void maximal_coordinates_agree(void** state) {
  (void)state;
  check("admm-ncp", "<text name='sinew:coordinates' data='maximal'/>", "Euler", 1e-6);
}

// A of the scene behind five steps of admm-ncp, by another solver of the same problem. The caller
// frees it.
static double* solved_by(const char* solver, double tolerance, int* nx) {
  char xml[8192];
  snprintf(xml, sizeof xml, scene, "admm-ncp", "", "Euler");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  *nx = 2 * m->nv + m->na;
  double* A = calloc((size_t)(*nx * *nx), sizeof(double));
  d->qvel[0] = 1;
  for (int i = 0; i < 5; i++) mj_step(m, d);
  sn_setSolver(m, d, solver);
  sn_setSetting(m, d, "tol_primal", tolerance);
  sn_setSetting(m, d, "tol_dual", tolerance);
  sn_setSetting(m, d, "iterations", 2000);
  assert_int_equal(sn_transition(m, d, A, NULL, NULL, NULL, NULL), 1);
  mj_deleteData(d);
  mj_deleteModel(m);
  return A;
}

// The derivative is of the solution: not of the solver, nor of where it stopped.
static void solvers_of_a_problem_agree(void** state) {
  (void)state;
  static const struct {
    const char* solver;
    double tolerance, bound;
  } cases[] = {{"admm-ncp", 1e-7, 1e-5}, {"implicit", 1e-12, 1e-6}, {"prox", 1e-12, 1e-6}};
  int nx;
  double* exact = solved_by("admm-ncp", 1e-13, &nx);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double* A = solved_by(cases[k].solver, cases[k].tolerance, &nx);
    double worst = 0, most = 0;
    for (int i = 0; i < nx * nx; i++) {
      worst = fmax(worst, fabs(A[i] - exact[i]));
      most = fmax(most, fabs(exact[i]));
    }
    if (!(worst < cases[k].bound * most)) {
      fail_msg("%s at %g: off by %.1e", cases[k].solver, cases[k].tolerance, worst);
    }
    free(A);
  }
  free(exact);
}

// A solver of one iteration, soft or hard, is named.
static void unconverged_steps_are_named(void** state) {
  (void)state;
  char xml[8192];
  snDeriveReport report;
  snprintf(xml, sizeof xml, scene, "pgs-ncp", "", "Euler");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 1;
  sn_setSolver(m, d, "pgs-ncp");
  sn_setSetting(m, d, "iterations", 1);
  assert_int_equal(sn_transition(m, d, NULL, NULL, NULL, NULL, &report), 1);
  assert_true(strstr(report.noted, "did not converge") != NULL);
  sn_setSolver(m, d, "soft");
  m->opt.iterations = 1;
  m->opt.solver = mjSOL_CG;
  m->opt.disableflags |= mjDSBL_WARMSTART;
  assert_int_equal(sn_transition(m, d, NULL, NULL, NULL, NULL, &report), 1);
  assert_true(strstr(report.noted, "did not converge") != NULL);
  m->opt.iterations = 100;
  m->opt.solver = mjSOL_NEWTON;
  assert_int_equal(sn_transition(m, d, NULL, NULL, NULL, NULL, &report), 1);
  assert_string_equal(report.noted, "");
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Replayed steps are none of the simulation's.
static void replays_are_not_counted(void** state) {
  (void)state;
  static const char* const more[] = {"", "<text name='sinew:coordinates' data='maximal'/>"};
  for (int k = 0; k < 2; k++) {
    char xml[8192];
    snprintf(xml, sizeof xml, scene, "admm-ncp", more[k], "Euler");
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 3; i++) mj_step(m, d);
    snSolverReport report;
    assert_int_equal(sn_transition(m, d, NULL, NULL, NULL, NULL, NULL), 1);
    assert_int_equal(sn_getReport(m, d, &report), 1);
    assert_int_equal(report.steps, 3);
    mj_step(m, d);
    assert_int_equal(sn_getReport(m, d, &report), 1);
    assert_int_equal(report.steps, 4);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

static jmp_buf place;
static int calls, fails_at;

static void leave(const char* message) {
  (void)message;
  longjmp(place, 1);
}

static void fail_once(const mjModel* m, mjData* d) {
  (void)m;
  (void)d;
  if (++calls == fails_at) mju_error("enough");
}

// An error handler may leave a derivative by longjmp: what is stepped behind the reset has no part
// in what it left.
static void derivatives_that_are_left_leave_nothing(void** state) {
  (void)state;
  char xml[8192];
  snprintf(xml, sizeof xml, scene, "admm-ncp", "", "Euler");
  mjModel* m = scene_model(xml);
  mjData *d = mj_makeData(m), *fresh = mj_makeData(m);
  int nx = 2 * m->nv;
  double* A = calloc((size_t)(nx * nx), sizeof(double));
  mjcb_control = fail_once;
  mju_user_error = leave;
  for (fails_at = 2; fails_at < 40; fails_at += 12) {
    calls = 0;
    if (!setjmp(place)) {
      sn_transition(m, d, A, NULL, NULL, NULL, NULL);
      fail_msg("call %d did not fail", fails_at);
    }
    mj_resetData(m, d);
    mj_resetData(m, fresh);
    for (int i = 0; i < 5; i++) mj_step(m, d), mj_step(m, fresh);
    assert_memory_equal(d->qvel, fresh->qvel, sizeof(double) * (size_t)m->nv);
  }
  mjcb_control = NULL;
  mju_user_error = NULL;
  double* again = calloc((size_t)(nx * nx), sizeof(double));
  assert_int_equal(sn_transition(m, d, A, NULL, NULL, NULL, NULL), 1);
  assert_int_equal(sn_transition(m, fresh, again, NULL, NULL, NULL, NULL), 1);
  assert_memory_equal(A, again, sizeof(double) * (size_t)(nx * nx));
  free(again);
  free(A);
  mj_deleteData(fresh);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A callback may differentiate other data: what the derivative around it wrote down stays.
static mjModel* other;
static mjData *outer, *inner;
static double inside[64];

static void differentiate_other(const mjModel* m, mjData* d) {
  (void)m;
  if (d == outer) assert_int_equal(sn_transition(other, inner, inside, NULL, NULL, NULL, NULL), 1);
}

static void derivatives_inside_of_callbacks(void** state) {
  (void)state;
  char xml[8192];
  snprintf(xml, sizeof xml, scene, "admm-ncp", "", "Euler");
  mjModel* m = scene_model(xml);
  other = scene_model(
      "<mujoco><custom><text name='sinew:solver' data='pgs-ncp'/></custom><worldbody><geom "
      "type='plane' size='1 1 1'/><body pos='0 0 .0999'><joint type='slide' axis='0 0 1'/><joint "
      "type='slide'/><geom size='.1'/></body></worldbody></mujoco>");
  size_t nx = 2 * (size_t)m->nv;
  double* A[2] = {calloc(nx * nx, sizeof(double)), calloc(nx * nx, sizeof(double))};
  outer = mj_makeData(m);
  inner = mj_makeData(other);
  for (int i = 0; i < 8; i++) mj_step(m, outer);
  assert_true(outer->ncon > 0);
  for (int k = 0; k < 2; k++) {
    snDeriveReport report;
    mjcb_control = k ? differentiate_other : NULL;
    assert_int_equal(sn_transition(m, outer, A[k], NULL, NULL, NULL, &report), 1);
    assert_non_null(strstr(report.differenced, "implicit function"));
  }
  mjcb_control = NULL;
  assert_memory_equal(A[0], A[1], sizeof(double) * nx * nx);
  for (int k = 0; k < 2; k++) free(A[k]);
  mj_deleteData(inner);
  mj_deleteData(outer);
  mj_deleteModel(other);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hard_solvers_agree),
                                     cmocka_unit_test(maximal_coordinates_agree),
                                     cmocka_unit_test(solvers_of_a_problem_agree),
                                     cmocka_unit_test(unconverged_steps_are_named),
                                     cmocka_unit_test(replays_are_not_counted),
                                     cmocka_unit_test(derivatives_that_are_left_leave_nothing),
                                     cmocka_unit_test(derivatives_inside_of_callbacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
