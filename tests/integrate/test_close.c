// Loops closed to rounding (integrate/close.c): gaps, energy, redundant and contradicting loops.
#include <sinew/warning.h>

#include "scene.h"

#define CLOSED "<custom><text name='sinew:loops' data='closed'/></custom>"

// At the state of d: the largest residual of the equalities, and the velocity at which they open.
static double gap(const mjModel* m, const mjData* d, double* opening) {
  mjData* at = mj_copyData(NULL, m, d);
  double most = 0, fastest = 0;
  mj_forward(m, at);
  for (int i = 0; i < at->ne; i++) {
    most = fmax(most, fabs(at->efc_pos[i]));
    fastest = fmax(fastest, fabs(at->efc_vel[i]));
  }
  mj_deleteData(at);
  if (opening) *opening = fastest;
  return most;
}

#define FOUR_BAR                                                                                   \
  "<worldbody><body><joint name='a' axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 "  \
  "0 0 .2'/>"                                                                                      \
  "<body pos='0 0 .2'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .5 0 "    \
  ".1'/>"                                                                                          \
  "<body name='c' pos='.5 0 .1'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 " \
  "0 0 0 -.3'/>"                                                                                   \
  "</body></body></body></worldbody>"

static void run(const char* equality, const char* jacobian, double timestep, double drive) {
  char xml[4000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='%g' jacobian='%s'><flag contact='disable'/></option>" CLOSED
               FOUR_BAR "<equality>%s</equality><actuator><motor joint='a'/></actuator></mujoco>",
           timestep, jacobian, equality);
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 2000; i++) {
    d->ctrl[0] = drive * sin(3 * d->time);
    mj_step(m, d);
    if (i % 50) continue;
    double rate, open = gap(m, d, &rate);
    if (!(open < 1e-9)) fail_msg("step %d: the loop is open by %g", i, open);
    if (!(rate < 1e-7)) fail_msg("step %d: the loop opens with %g", i, rate);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void test_four_bar(void** state) {
  (void)state;
  static const char kConnect[] = "<connect body1='c' anchor='0 0 -.3'/>";
  for (int k = 0; k < 2; k++) {
    double h = k ? .002 : .001;
    run(kConnect, "dense", h, 0);
    run(kConnect, "sparse", h, 0);
    run(kConnect, "dense", h, 1);
  }
}

// The same loop said twice, and a row that is there already.
static void test_redundant(void** state) {
  (void)state;
  run("<connect body1='c' anchor='0 0 -.3'/><connect body1='c' anchor='0 0 -.3'/>", "dense", .001,
      1);
  run("<connect body1='c' anchor='0 0 -.3'/><connect body1='c' anchor='0 .1 -.3'/>", "dense", .001,
      1);
}

// A ring of twenty links, which the soft equality lets open by a link's length.
static void test_ring(void** state) {
  (void)state;
  char xml[8000];
  int n = snprintf(xml, sizeof xml,
                   "<mujoco><option timestep='.002'><flag contact='disable'/></option>" CLOSED
                   "<worldbody>");
  for (int i = 0; i < 20; i++) {
    n += snprintf(xml + n, sizeof xml - (size_t)n,
                  "<body name='b%d' pos='%s' euler='0 %d 0'><joint axis='0 1 0'/>"
                  "<geom type='capsule' size='.01' fromto='0 0 0 .1 0 0'/>",
                  i, i ? ".1 0 0" : "0 0 2", i ? 18 : 0);
  }
  for (int i = 0; i < 20; i++) n += snprintf(xml + n, sizeof xml - (size_t)n, "</body>");
  snprintf(xml + n, sizeof xml - (size_t)n,
           "</worldbody><equality><connect body1='b19' anchor='.1 0 0'/></equality></mujoco>");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 1500; i++) {
    mj_step(m, d);
    if (i % 50 == 0) assert_true(gap(m, d, NULL) < 1e-9);
  }
  assert_int_equal(d->warning[mjWARN_BADQACC].number, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// All kinds of equality, with free and ball joints.
static void test_kinds(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option timestep='.002'><flag contact='disable'/></option>" CLOSED
      "<worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='.1 .2 .05' type='box'/></body>"
      "<body name='b' pos='.4 0 1'><freejoint/><geom size='.1 .1 .05' type='box'/></body>"
      "<body name='c' pos='1 0 1'><joint type='ball'/><geom size='.05 .2' type='capsule' pos='0 0 "
      ".1'/>"
      " <body pos='0 0 .3'><joint name='h' axis='1 0 0'/><geom size='.05' pos='0 .1 "
      "0'/></body></body>"
      "<body pos='2 0 1'><joint name='s' type='slide' axis='0 0 1'/><geom "
      "size='.1'/></body></worldbody>"
      "<tendon><fixed name='t'><joint joint='h' coef='.3'/><joint joint='s' "
      "coef='1'/></fixed></tendon>"
      "<equality><weld body1='a' body2='b'/><connect body1='a' body2='c' anchor='.5 0 .2'/>"
      "<tendon tendon1='t' polycoef='.01 0 0 0 0'/></equality></mujoco>");
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 1000; i++) {
    mj_step(m, d);
    if (i > 5 && i % 50 == 0) {
      double open = gap(m, d, NULL);
      if (!(open < 1e-9)) fail_msg("step %d: open by %g", i, open);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static int warned;
static void count_warning(const char* text) { warned += strstr(text, "contradict") != NULL; }

// Two anchors for one point: bounded motion, one warning that every step counts, no NaN.
static void test_contradiction(void** state) {
  (void)state;
  void (*before)(const char*) = mju_user_warning;
  mju_user_warning = count_warning;
  warned = 0;
  mjModel* m =
      scene_model("<mujoco><option><flag contact='disable'/></option>" CLOSED
                  "<worldbody><body name='x' pos='0 0 0'/><body name='y' pos='.3 0 0'/>"
                  "<body name='a' pos='.1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
                  "<equality><weld body1='a' body2='x' relpose='0 0 0 1 0 0 0'/>"
                  "<weld body1='a' body2='y' relpose='0 0 0 1 0 0 0'/></equality></mujoco>");
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 500; i++) mj_step(m, d);
  for (int i = 0; i < m->nq; i++) assert_true(fabs(d->qpos[i]) < 10);
  assert_int_equal(warned, 1);
  assert_int_equal(sn_warningCount(m, d, snWARN_LOOPS), 500);
  assert_string_equal(sn_warningName(snWARN_LOOPS), "loops");
  assert_null(sn_warningName(snNWARNING));
  mj_resetData(m, d);
  assert_int_equal(sn_warningCount(m, d, snWARN_LOOPS), 0);
  d->eq_active[1] = 0;  // one of the two can be closed
  for (int i = 0; i < 100; i++) mj_step(m, d);
  assert_int_equal(sn_warningCount(m, d, snWARN_LOOPS), 0);
  assert_int_equal(warned, 1);
  d->eq_active[1] = 1;
  mj_step(m, d);
  assert_int_equal(sn_warningCount(m, d, snWARN_LOOPS), 1);
  assert_int_equal(warned, 2);
  mju_user_warning = before;
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_four_bar),      cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_ring),          cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_contradiction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
