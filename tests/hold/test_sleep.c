// Sleep (hold/sleep.c): who falls asleep, each cause of waking, state that is saved and restored to
// the bit, derivatives and inverse dynamics, and sleepers that change nothing for others.
#include <sinew/sleep.h>
#include <stdbool.h>

#include "scene.h"

#define SLEEP "<custom><text name='sinew:sleep' data='on'/></custom>"

// Three boxes apart on a floor, and a ball far above.
static const char kBoxes[] =
    "<mujoco>" SLEEP
    "<option timestep='.002'/><worldbody><geom name='floor' type='plane' size='9 9 1'/>"
    "<body name='a' pos='0 0 .1'><freejoint/><geom name='a' type='box' size='.1 .1 .1'/></body>"
    "<body name='b' pos='1 0 .1'><freejoint/><geom name='b' type='box' size='.1 .1 .1'/></body>"
    "<body name='c' pos='1 0 .3'><freejoint/><geom name='c' type='box' size='.1 .1 .1'/></body>"
    "<body name='ball' pos='3 0 2'><freejoint/><geom size='.1'/></body>"
    "<body name='lift' mocap='true' pos='-1 0 0'><geom name='lift' type='box' size='.3 .3 .05'/>"
    "</body><body name='d' pos='-1 0 .15'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "</worldbody></mujoco>";

static int body_of(const mjModel* m, const char* name) { return mj_name2id(m, mjOBJ_BODY, name); }

static bool asleep(const mjModel* m, const mjData* d, const char* name) {
  return sn_asleep(m, d, body_of(m, name));
}

static void run(const mjModel* m, mjData* d, int n) {
  for (int i = 0; i < n; i++) mj_step(m, d);
}

// All four boxes asleep, the ball still falling from where it is put.
static mjData* resting(mjModel* m) {
  mjData* d = mj_makeData(m);
  run(m, d, 400);
  d->qpos[m->jnt_qposadr[3] + 2] = 100;
  mju_zero(d->qvel + m->jnt_dofadr[3], 6);
  run(m, d, 2);
  assert_true(asleep(m, d, "a") && asleep(m, d, "b") && asleep(m, d, "c") && asleep(m, d, "d"));
  assert_false(asleep(m, d, "ball"));
  return d;
}

static void test_falls_asleep(void** state) {
  (void)state;
  mjModel* m = scene_model(kBoxes);
  mjData* d = mj_makeData(m);
  run(m, d, 40);
  assert_false(asleep(m, d, "a"));  // not yet quiet for long enough
  mj_deleteData(d);
  d = resting(m);
  assert_int_equal(d->ncon, 0);
  double before[40], moved = 0;
  mju_copy(before, d->qpos, m->nq);
  double fall = d->qvel[m->jnt_dofadr[3] + 2];
  run(m, d, 100);
  for (int i = 0; i < m->nq; i++) {
    if (i < m->jnt_qposadr[3] || i >= m->jnt_qposadr[3] + 7) moved += fabs(d->qpos[i] - before[i]);
  }
  assert_true(moved == 0);
  // the ball falls as it does alone
  double g = (fall - d->qvel[m->jnt_dofadr[3] + 2]) / (100 * m->opt.timestep);
  assert_true(fabs(g - 9.81) < 1e-9);
  // it lands, bounces to rest, and sleeps
  d->qpos[m->jnt_qposadr[3] + 2] = .1;
  d->qvel[m->jnt_dofadr[3] + 2] = 0;
  run(m, d, 600);
  assert_true(asleep(m, d, "ball"));
  mj_resetData(m, d);
  assert_false(asleep(m, d, "a"));
  mj_deleteData(d);
  mj_deleteModel(m);
}

typedef void (*Cause)(mjModel* m, mjData* d);

static void by_qpos(mjModel* m, mjData* d) { d->qpos[m->jnt_qposadr[0]] += 1e-9; }
static void by_qvel(mjModel* m, mjData* d) { d->qvel[m->jnt_dofadr[0] + 1] = 1e-9; }
static void by_qfrc(mjModel* m, mjData* d) { d->qfrc_applied[m->jnt_dofadr[0]] = 1e-3; }
static void by_xfrc(mjModel* m, mjData* d) { d->xfrc_applied[6 * body_of(m, "a") + 2] = -1e-3; }
static void by_option(mjModel* m, mjData* d) {
  (void)d;
  m->opt.gravity[0] = .1;
}
static void by_model(mjModel* m, mjData* d) {
  (void)d;
  m->geom_friction[3 * mj_name2id(m, mjOBJ_GEOM, "a")] = .5;
}
static void by_call(mjModel* m, mjData* d) { sn_wake(m, d, body_of(m, "a")); }
static void by_touch(mjModel* m, mjData* d) {
  const double over[3] = {0, 0, .299};
  mju_copy3(d->qpos + m->jnt_qposadr[3], over);
}

static void test_causes(void** state) {
  (void)state;
  static const Cause kCause[] = {by_qpos,   by_qvel,  by_qfrc, by_xfrc,
                                 by_option, by_model, by_call, by_touch};
  for (size_t k = 0; k < sizeof kCause / sizeof *kCause; k++) {
    mjModel* m = scene_model(kBoxes);
    mjData* d = resting(m);
    kCause[k](m, d);
    mj_step(m, d);
    bool all = kCause[k] == by_option || kCause[k] == by_model;
    if (asleep(m, d, "a")) fail_msg("cause %zu does not wake", k);
    if (asleep(m, d, "b") == all) fail_msg("cause %zu: wakes the wrong ones", k);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The upper of two stacked boxes wakes the lower one, in the same step: both have contacts.
static void test_groups(void** state) {
  (void)state;
  mjModel* m = scene_model(kBoxes);
  mjData* d = resting(m);
  d->xfrc_applied[6 * body_of(m, "c")] = 2;
  mj_step(m, d);
  assert_int_equal(d->ncon, 8);
  assert_false(asleep(m, d, "b") || asleep(m, d, "c"));
  assert_true(asleep(m, d, "a"));
  d->xfrc_applied[6 * body_of(m, "c")] = 0;
  run(m, d, 800);
  assert_true(asleep(m, d, "b") && asleep(m, d, "c"));
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void test_mocap(void** state) {
  (void)state;
  mjModel* m = scene_model(kBoxes);
  mjData* d = resting(m);
  d->mocap_pos[2] -= .5;  // away from under the box, without a touch
  mj_step(m, d);
  assert_false(asleep(m, d, "d"));
  assert_true(asleep(m, d, "a"));
  run(m, d, 50);
  assert_true(d->qpos[m->jnt_qposadr[4] + 2] < .14);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Two sliders joined by what `between` says, one driven, and one alone.
static mjModel* sliders(const char* between) {
  char xml[3000];
  snprintf(xml, sizeof xml,
           "<mujoco>" SLEEP
           "<worldbody><body name='p'><joint name='p' type='slide' axis='1 0 0' damping='5' "
           "stiffness='20'/><geom size='.1' contype='0' conaffinity='0'/><site name='p'/></body>"
           "<body name='q' pos='1 0 0'><joint name='q' type='slide' axis='1 0 0' damping='5' "
           "stiffness='20'/><geom size='.1' contype='0' conaffinity='0'/><site name='q'/></body>"
           "<body name='alone' pos='3 0 0'><joint type='slide' damping='50'/><geom size='.1'/>"
           "</body></worldbody><option gravity='0 0 0'/>%s</mujoco>",
           between);
  return scene_model(xml);
}

static void test_ties(void** state) {
  (void)state;
  static const char* const kTie[] = {
      "<equality><joint joint1='p' joint2='q'/></equality><actuator><motor joint='p'/></actuator>",
      "<tendon><spatial stiffness='9'><site site='p'/><site site='q'/></spatial></tendon>"
      "<actuator><motor joint='p'/></actuator>",
      "<actuator><motor joint='p'/><position site='q' refsite='p' gear='1 0 0 0 0 0' "
      "kp='5'/></actuator>",
      "<tendon><fixed name='t'><joint joint='p' coef='1'/><joint joint='q' "
      "coef='1'/></fixed></tendon><actuator><motor tendon='t'/></actuator>"};
  for (size_t k = 0; k < sizeof kTie / sizeof *kTie; k++) {
    mjModel* m = sliders(kTie[k]);
    mjData* d = mj_makeData(m);
    run(m, d, 15000);
    if (!(asleep(m, d, "p") && asleep(m, d, "q") && asleep(m, d, "alone"))) {
      fail_msg("tie %zu: awake", k);
    }
    d->ctrl[0] = 1;
    mj_step(m, d);
    if (asleep(m, d, "p") || asleep(m, d, "q")) fail_msg("tie %zu does not wake", k);
    assert_true(asleep(m, d, "alone"));
    // a control that stays lets them sleep where it has led them
    run(m, d, 20000);
    assert_true(asleep(m, d, "p") && d->qpos[0] != 0);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

static void test_equality_switched(void** state) {
  (void)state;
  mjModel* m = sliders(
      "<equality><joint joint1='p' joint2='q' polycoef='.1 1 0 0 0' "
      "active='false'/></equality>");
  mjData* d = mj_makeData(m);
  run(m, d, 300);
  assert_true(asleep(m, d, "p") && asleep(m, d, "q"));
  d->eq_active[0] = 1;
  mj_step(m, d);
  assert_false(asleep(m, d, "p") || asleep(m, d, "q"));
  assert_true(d->ne == 1 && d->qpos[0] != 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Activations: a filtered position servo sleeps where it holds, and wakes by ctrl and by act.
static void test_activation(void** state) {
  (void)state;
  mjModel* m = sliders(
      "<actuator><general joint='p' dyntype='filter' dynprm='.01' gainprm='5'/>"
      "</actuator>");
  mjData* d = mj_makeData(m);
  d->ctrl[0] = 1;
  run(m, d, 20000);
  assert_true(asleep(m, d, "p") && d->act[0] > .99);
  d->act[0] += 1e-6;
  mj_step(m, d);
  assert_false(asleep(m, d, "p"));
  assert_true(asleep(m, d, "q"));
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A sensor of forces keeps its tree awake, and what rests on a body with one.
static void test_sensors(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco>" SLEEP
      "<worldbody><geom type='plane' size='9 9 1'/><geom name='plate' pos='2 0 0' type='box' "
      "size='.3 .3 .1'/><site name='plate' pos='2 0 0' type='box' size='.4 .4 .4'/>"
      "<body name='a' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/><site name='s' "
      "type='box' size='.2 .2 .2'/></body><body name='b' pos='1 0 .1'><freejoint/><geom "
      "type='box' size='.1 .1 .1'/></body></worldbody><sensor><touch site='s'/></sensor></mujoco>");
  mjData* d = mj_makeData(m);
  run(m, d, 500);
  assert_false(asleep(m, d, "a"));
  assert_true(asleep(m, d, "b"));
  assert_true(fabs(d->sensordata[0] - 9.81 * 8) < 1e-3);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A state restored to new data, to a copy, and to data with another past goes on to the bit.
static void test_restored(void** state) {
  (void)state;
  static const int kIntegrator[3] = {mjINT_EULER, mjINT_RK4, mjINT_IMPLICITFAST};
  for (int k = 0; k < 3; k++) {
    mjModel* m = scene_model(kBoxes);
    m->opt.integrator = kIntegrator[k];
    mjData *d = resting(m), *other[3] = {mj_makeData(m), NULL, mj_makeData(m)};
    int size = mj_stateSize(m, mjSTATE_INTEGRATION);
    double* x[2] = {malloc(sizeof(double) * size), malloc(sizeof(double) * size)};
    mj_getState(m, d, x[0], mjSTATE_INTEGRATION);
    other[1] = mj_copyData(NULL, m, d);
    run(m, other[2], 77);
    for (int i = 0; i < 3; i += 2) mj_setState(m, other[i], x[0], mjSTATE_INTEGRATION);
    for (int i = 0; i < 4; i++) {
      mjData* now = i < 3 ? other[i] : d;
      run(m, now, 30);
      now->qvel[m->jnt_dofadr[2] + 1] = .3;  // a sleeper is pushed and slides off
      run(m, now, 100);
      assert_false(asleep(m, now, "c"));
      assert_true(asleep(m, now, "a"));
    }
    mj_getState(m, d, x[0], mjSTATE_INTEGRATION);
    for (int i = 0; i < 3; i++) {
      mj_getState(m, other[i], x[1], mjSTATE_INTEGRATION);
      if (memcmp(x[0], x[1], sizeof(double) * (size_t)size)) fail_msg("way %d differs", i);
      if (memcmp(d->xpos, other[i]->xpos, sizeof(double) * 3 * (size_t)m->nbody)) {
        fail_msg("way %d: poses differ", i);
      }
      mj_deleteData(other[i]);
    }
    free(x[0]);
    free(x[1]);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Poses that a program computes for other positions do not stay.
static void test_posed_anew(void** state) {
  (void)state;
  mjModel* m = scene_model(kBoxes);
  mjData* d = resting(m);
  double kept[40], x = d->xpos[3 * body_of(m, "a")];
  mju_copy(kept, d->qpos, m->nq);
  d->qpos[m->jnt_qposadr[0]] = 5;
  mj_kinematics(m, d);
  assert_true(d->xpos[3 * body_of(m, "a")] == 5);
  mju_copy(d->qpos, kept, m->nq);
  mj_step(m, d);
  assert_true(asleep(m, d, "a"));
  assert_true(d->xpos[3 * body_of(m, "a")] == x);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void test_inverse(void** state) {
  (void)state;
  mjModel* m = scene_model(kBoxes);
  mjData* d = resting(m);
  m->opt.enableflags |= mjENBL_FWDINV;
  run(m, d, 3);  // the option wakes everyone
  run(m, d, 200);
  assert_true(asleep(m, d, "a"));
  assert_true(d->solver_fwdinv[0] < 1e-10 && d->solver_fwdinv[1] < 1e-10);
  mj_forward(m, d);
  mj_inverse(m, d);
  for (int i = 0; i < m->nv; i++) assert_true(fabs(d->qfrc_inverse[i]) < 1e-9);
  // an acceleration of a sleeper is that of an awake body: force and contact change with it
  int dof = m->jnt_dofadr[0] + 2;
  d->qacc[dof] = 1;
  mj_inverse(m, d);
  assert_int_equal(d->ncon, 4);
  double asks = d->qfrc_inverse[dof];
  sn_wake(m, d, -1);
  d->qacc[dof] = 1;
  mj_inverse(m, d);
  assert_true(asks > 8 && d->qfrc_inverse[dof] == asks);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Derivatives are those of bodies that are awake, and leave the sleepers asleep.
static void test_derivatives(void** state) {
  (void)state;
  mjModel* m = scene_model(kBoxes);
  mjData *d = resting(m), *awake = mj_copyData(NULL, m, d);
  sn_wake(m, awake, -1);
  int n = 2 * m->nv;
  double *A = calloc(2 * (size_t)n * (size_t)n, sizeof *A), *B = A + n * n;
  mjd_transitionFD(m, d, 1e-6, 1, A, NULL, NULL, NULL);
  mjd_transitionFD(m, awake, 1e-6, 1, B, NULL, NULL, NULL);
  assert_memory_equal(A, B, sizeof(double) * (size_t)n * (size_t)n);
  assert_true(asleep(m, d, "a"));
  mj_step(m, d);
  assert_true(asleep(m, d, "a") && d->ncon == 0);
  free(A);
  mj_deleteData(awake);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// What a program does between the halves of a step, and to stages that are skipped.
static void test_halves(void** state) {
  (void)state;
  mjModel* m = scene_model(kBoxes);
  mjData *d = resting(m), *whole = mj_copyData(NULL, m, d);
  int body = body_of(m, "a");
  mj_step1(m, d);
  d->xfrc_applied[6 * body] = whole->xfrc_applied[6 * body] = 30;
  mj_step2(m, d);
  mj_step(m, whole);
  assert_false(asleep(m, d, "a"));
  assert_int_equal(d->ncon, 4);
  assert_memory_equal(d->qpos, whole->qpos, sizeof(double) * (size_t)m->nq);
  mj_deleteData(whole);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// With everyone awake the motion is that of a model that does not ask.
static void test_awake_bits(void** state) {
  (void)state;
  char plain[4000];
  snprintf(plain, sizeof plain, "%s", kBoxes);
  char* at = strstr(plain, "'on'");
  assert_non_null(at);
  memcpy(at, "'off", 4);
  memmove(at + 5, at + 4, strlen(at + 4) + 1);
  at[4] = '\'';
  mjModel *m = scene_model(kBoxes), *other = scene_model(plain);
  assert_int_equal(other->nplugin, 0);
  mjData *d = mj_makeData(m), *e = mj_makeData(other);
  for (int i = 0; i < 45; i++) {
    mj_step(m, d);
    mj_step(other, e);
  }
  assert_memory_equal(d->qpos, e->qpos, sizeof(double) * (size_t)m->nq);
  assert_memory_equal(d->qvel, e->qvel, sizeof(double) * (size_t)m->nv);
  mj_deleteData(d);
  mj_deleteData(e);
  mj_deleteModel(m);
  mj_deleteModel(other);
}

// Whatever a program writes to the state.
static void test_bad_state(void** state) {
  (void)state;
  static const double kBad[] = {NAN, INFINITY, -1, 1e300, 2.5};
  mjModel* m = scene_model(kBoxes);
  mjData* d = resting(m);
  for (size_t k = 0; k < sizeof kBad / sizeof *kBad; k++) {
    for (int i = 0; i < m->npluginstate; i++) {
      if ((i + (int)k) % 3 == 0) d->plugin_state[i] = kBad[k];
    }
    run(m, d, 5);
    for (int i = 0; i < m->nq; i++) assert_true(isfinite(d->qpos[i]));
  }
  scene_refused("<mujoco><custom><text name='sinew:sleep' data='deep'/></custom></mujoco>",
                "expected off, on or a speed");
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_falls_asleep), cmocka_unit_test(test_causes),
      cmocka_unit_test(test_groups),       cmocka_unit_test(test_mocap),
      cmocka_unit_test(test_ties),         cmocka_unit_test(test_equality_switched),
      cmocka_unit_test(test_activation),   cmocka_unit_test(test_sensors),
      cmocka_unit_test(test_restored),     cmocka_unit_test(test_posed_anew),
      cmocka_unit_test(test_inverse),      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_halves),       cmocka_unit_test(test_awake_bits),
      cmocka_unit_test(test_bad_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
