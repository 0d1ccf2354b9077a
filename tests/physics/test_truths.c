// Physical truths that no engine may break: momentum, energy, friction, equalities, forward equals
// inverse.
#include "base/base.h"
#include "scene.h"

static double total_energy(const mjModel* m, mjData* d) {
  mj_forward(m, d);
  mj_energyPos(m, d);
  mj_energyVel(m, d);
  return d->energy[0] + d->energy[1];
}

static const char kPendulum[] =
    "<mujoco><option integrator='RK4'/><worldbody>"
    "<body><joint axis='0 1 0'/><geom type='capsule' size='0.05' fromto='0 0 0 0 0 -0.5'/>"
    "<body pos='0 0 -0.5'><joint axis='1 0 0'/><joint axis='0 1 0'/>"
    "<geom type='capsule' size='0.05' fromto='0 0 0 0.1 0 -0.5'/></body></body>"
    "</worldbody></mujoco>";

// RK4: halving the step divides the energy drift by about 2^4 or more.
static void test_rk4_order(void** state) {
  (void)state;
  mjModel* m = scene_model(kPendulum);
  mjData* d = mj_makeData(m);
  double drift[3];
  for (int k = 0; k < 3; k++) {
    mj_resetData(m, d);
    d->qpos[0] = 1;
    d->qpos[1] = 0.5;
    d->qvel[2] = 2;
    m->opt.timestep = 0.01 / (1 << k);
    double before = total_energy(m, d);
    drift[k] = 0;
    for (int i = 0; i < 100 << k; i++) {
      mj_step(m, d);
      drift[k] = fmax(drift[k], fabs(total_energy(m, d) - before));
    }
  }
  assert_true(drift[0] / drift[1] > 13);
  assert_true(drift[1] / drift[2] > 13);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A free system of bodies keeps its momentum, linear and angular.
static void test_momentum(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option gravity='0 0 0' timestep='0.001' integrator='RK4'/><worldbody>"
      "<body><freejoint/><geom type='box' size='0.1 0.2 0.3'/>"
      "<body pos='0.3 0 0'><joint axis='0 1 0' stiffness='3'/><geom type='capsule' size='0.05' "
      "fromto='0 0 0 0.4 0.1 0'/>"
      "<body pos='0.4 0.1 0'><joint type='ball'/><geom size='0.1' pos='0.1 0 "
      "0'/></body></body></body>"
      "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  unsigned long long seed = 3;
  for (int i = 0; i < m->nv; i++) d->qvel[i] = scene_random(&seed);
  double p0[3], l0[3];
  mj_forward(m, d);
  mj_subtreeVel(m, d);
  memcpy(p0, d->subtree_linvel + 3, sizeof p0);
  memcpy(l0, d->subtree_angmom + 3, sizeof l0);
  for (int i = 0; i < 500; i++) mj_step(m, d);
  mj_forward(m, d);
  mj_subtreeVel(m, d);
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(d->subtree_linvel[3 + i] - p0[i]) < 1e-8);
    assert_true(fabs(d->subtree_angmom[3 + i] - l0[i]) < 1e-7);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Distance that a box slides in a second on a slope of the given angle, friction 0.5.
static double slide(double angle, int cone) {
  char xml[2000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='0.002' impratio='100' cone='%s' gravity='%.17g 0 %.17g'/>"
           "<worldbody><geom type='plane' size='50 50 1' friction='0.5'/>"
           "<body pos='0 0 0.0999'><freejoint/><geom type='box' size='0.3 0.3 0.1' "
           "friction='0.5'/></body>"
           "</worldbody></mujoco>",
           cone ? "elliptic" : "pyramidal", 9.81 * sin(angle), -9.81 * cos(angle));
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 250; i++) mj_step(m, d);
  double at = d->qpos[0];
  for (int i = 0; i < 500; i++) mj_step(m, d);
  double moved = d->qpos[0] - at;
  mj_deleteData(d);
  mj_deleteModel(m);
  return moved;
}

// A box slips when the slope passes the friction angle, within 1%.
static void test_friction_angle(void** state) {
  (void)state;
  double critical = atan(0.5);
  for (int cone = 0; cone < 2; cone++) {
    double below = slide(critical * 0.99, cone), above = slide(critical * 1.01, cone);
    double far = slide(critical * 1.2, cone);
    assert_true(below < 0.02);
    assert_true(above > below);
    // far above: x = g (sin - mu cos) (t2^2 - t1^2)/2 from rest
    double a = 9.81 * (sin(critical * 1.2) - 0.5 * cos(critical * 1.2));
    assert_true(fabs(far - a * (1.5 * 1.5 - 0.5 * 0.5) / 2) < 0.03 * far);
  }
}

// A spinning ball is stopped by torsional friction, a rolling one by rolling friction; neither by
// sliding friction alone.
static void test_torsion_and_rolling(void** state) {
  (void)state;
  static const int kDim[3] = {3, 4, 6};
  double spin[3], roll[3];
  for (int k = 0; k < 3; k++) {
    char xml[1000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='0.002' cone='elliptic'/><worldbody><geom type='plane' "
             "size='5 5 1' "
             "condim='%d' friction='1 0.05 0.02'/><body pos='0 0 0.1'><freejoint/>"
             "<geom size='0.1' condim='%d' friction='1 0.05 0.02'/></body></worldbody></mujoco>",
             kDim[k], kDim[k]);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    d->qvel[5] = 5;
    for (int i = 0; i < 1000; i++) mj_step(m, d);
    spin[k] = fabs(d->qvel[5]);
    mj_resetData(m, d);
    d->qvel[0] = 0.5;
    d->qvel[4] = 5;
    for (int i = 0; i < 1000; i++) mj_step(m, d);
    roll[k] = fabs(d->qvel[0]);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  assert_true(spin[0] > 4.9 && spin[1] < 0.05 && spin[2] < 0.05);
  assert_true(roll[0] > 0.45 && roll[1] > 0.45 && roll[2] < 0.01);
}

static const char kLoop[] =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<body name='a'><joint axis='0 1 0'/><geom type='capsule' size='0.03' fromto='0 0 0 0 0 -0.4'/>"
    "<body name='b' pos='0 0 -0.4'><joint axis='0 1 0'/><geom type='capsule' size='0.03' fromto='0 "
    "0 0 0.5 0 0'/>"
    "<body name='c' pos='0.5 0 0'><joint axis='0 1 0'/><geom type='capsule' size='0.03' fromto='0 "
    "0 0 0 0 0.4'/>"
    "</body></body></body></worldbody>"
    "<equality><connect body1='c' anchor='0 0 0.4'/></equality></mujoco>";

// A four-bar loop stays closed while it swings.
static void test_loop(void** state) {
  (void)state;
  mjModel* m = scene_model(kLoop);
  mjData* d = mj_makeData(m);
  double worst = 0;
  d->qvel[0] = 3;
  d->qvel[1] = -3;
  for (int i = 0; i < 2000; i++) {
    mj_step(m, d);
    for (int k = 0; k < 3 && i > 100; k++) worst = fmax(worst, fabs(d->efc_pos[k]));
  }
  assert_true(worst < 2e-3);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static const char kFigure[] =
    "<mujoco><option timestep='0.004'/><worldbody>"
    "<geom type='plane' size='5 5 1'/>"
    "<body pos='0 0 0.6'><freejoint/><geom type='capsule' size='0.1' fromto='0 -0.1 0 0 0.1 0'/>"
    "<body pos='0 0.1 -0.1'><joint axis='0 1 0' range='-90 30' frictionloss='0.5' damping='1'/>"
    "<geom type='capsule' size='0.05' fromto='0 0 0 0 0 -0.3'/>"
    "<body pos='0 0 -0.3'><joint name='k' axis='0 1 0' range='0 120' damping='1'/>"
    "<geom type='capsule' size='0.04' fromto='0 0 0 0.1 0 -0.2'/></body></body>"
    "<body pos='0 -0.1 -0.1'><joint axis='0 1 0' range='-90 30' frictionloss='0.5' damping='1'/>"
    "<geom type='capsule' size='0.05' fromto='0 0 0 0 0 -0.3'/></body></body>"
    "</worldbody><actuator><motor joint='k' gear='20'/></actuator></mujoco>";

// Along a perturbed motion with dry friction, limits and contact the inverse finds the forces that
// the forward dynamics were given, for all integrators and both cones, in continuous time.
static void test_forward_inverse(void** state) {
  (void)state;
  mjModel* m = scene_model(kFigure);
  m->opt.tolerance = 1e-14;
  unsigned long long seed = 5;
  for (int cone = 0; cone < 2; cone++) {
    m->opt.cone = cone;
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 400; i++) {
      d->ctrl[0] = scene_random(&seed);
      for (int k = 0; k < m->nv; k++) d->qfrc_applied[k] = 2 * scene_random(&seed);
      mj_forward(m, d);
      double scale = 1;
      for (int k = 0; k < m->nv; k++) scale = fmax(scale, fabs(d->qfrc_constraint[k]));
      mj_inverse(m, d);
      for (int k = 0; k < m->nv; k++) {
        double force = d->qfrc_applied[k] + d->qfrc_actuator[k];
        assert_true(fabs(d->qfrc_inverse[k] - force) < 1e-5 * scale);
      }
      mj_step(m, d);
    }
    assert_true(d->warning[mjWARN_BADQACC].number == 0);
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}

// Discrete inverse dynamics undo the step of each single-step integrator.
static void test_discrete_inverse(void** state) {
  (void)state;
  mjModel* m = scene_model(kFigure);
  m->opt.tolerance = 1e-14;
  m->opt.enableflags |= mjENBL_INVDISCRETE;
  static const int kIntegrator[3] = {mjINT_EULER, mjINT_IMPLICIT, mjINT_IMPLICITFAST};
  unsigned long long seed = 6;
  for (int n = 0; n < 3; n++) {
    m->opt.integrator = kIntegrator[n];
    mjData* d = mj_makeData(m);
    mjData* e = mj_makeData(m);
    for (int i = 0; i < 100; i++) {
      for (int k = 0; k < m->nv; k++) d->qfrc_applied[k] = 2 * scene_random(&seed);
      mju_copy(e->qpos, d->qpos, m->nq);
      mju_copy(e->qvel, d->qvel, m->nv);
      mj_step(m, d);
      double scale = 1;
      for (int k = 0; k < m->nv; k++) {
        e->qacc[k] = (d->qvel[k] - e->qvel[k]) / m->opt.timestep;
        scale = fmax(scale, fabs(d->qfrc_constraint[k]));
      }
      mj_inverse(m, e);
      for (int k = 0; k < m->nv; k++) {
        double force = d->qfrc_applied[k] + d->qfrc_actuator[k];
        assert_true(fabs(e->qfrc_inverse[k] - force) < 1e-5 * scale);
      }
    }
    mj_deleteData(d);
    mj_deleteData(e);
  }
  mj_deleteModel(m);
}

// Sparse and dense rows, islands and none, give the same motion.
static void test_same_motion(void** state) {
  (void)state;
  mjModel* m = scene_model(kFigure);
  m->opt.tolerance = 1e-14;
  double reference[64];
  for (int variant = 0; variant < 4; variant++) {
    m->opt.jacobian = variant & 1;
    m->opt.enableflags = variant & 2 ? mjENBL_ISLAND : 0;
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 60; i++) mj_step(m, d);
    if (variant == 0) memcpy(reference, d->qpos, sizeof(double) * (size_t)m->nq);
    for (int i = 0; i < m->nq; i++) assert_true(fabs(d->qpos[i] - reference[i]) < 1e-8);
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}

// The same bits with and without a pool of threads, however many.
static void test_threads(void** state) {
  (void)state;
  char xml[6000] = "<mujoco><option timestep='0.004'/><worldbody><geom type='plane' size='9 9 1'/>";
  for (int i = 0; i < 8; i++) {
    char body[400];
    snprintf(
        body, sizeof body,
        "<body pos='%d 0 0.2' euler='%d 20 0'><freejoint/><geom type='box' size='0.1 0.2 0.15'/>"
        "<body pos='0.2 0 0'><joint axis='0 1 0' frictionloss='0.1'/><geom size='0.1' pos='0.1 0 "
        "0'/></body></body>",
        i - 4, 10 * i);
    strcat(xml, body);
  }
  strcat(xml, "</worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  double reference[128];
  for (int threads = 0; threads < 4; threads++) {
    mjData* d = mj_makeData(m);
    mjThreadPool* pool = threads ? mju_threadPoolCreate((size_t)threads) : NULL;
    if (pool) mju_bindThreadPool(d, pool);
    for (int i = 0; i < 200; i++) mj_step(m, d);
    if (!threads) memcpy(reference, d->qpos, sizeof(double) * (size_t)m->nq);
    assert_memory_equal(d->qpos, reference, sizeof(double) * (size_t)m->nq);
    mj_deleteData(d);
    if (pool) mju_threadPoolDestroy(pool);
  }
  mj_deleteModel(m);
}

// After sizes have settled a step allocates nothing.
static void test_no_allocation(void** state) {
  (void)state;
  mjModel* m = scene_model(kFigure);
  for (int variant = 0; variant < 12; variant++) {
    m->opt.solver = variant % 3;
    m->opt.integrator = variant / 3;
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 300; i++) mj_step(m, d);
    long before = memory_count();
    for (int i = 0; i < 200; i++) mj_step(m, d);
    assert_int_equal(memory_count(), before);
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}

// A stiff damper that explodes under explicit integration is stable when it is integrated
// implicitly.
static void test_implicit_stability(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option timestep='0.01'/><worldbody><body><joint name='j' axis='0 1 0'/>"
      "<geom size='0.1' pos='0.3 0 0' mass='0.1'/></body></worldbody>"
      "<actuator><velocity joint='j' kv='100'/></actuator></mujoco>");
  double speed[2];
  for (int k = 0; k < 2; k++) {
    m->opt.integrator = k ? mjINT_IMPLICITFAST : mjINT_EULER;
    mjData* d = mj_makeData(m);
    d->qvel[0] = 1;
    for (int i = 0; i < 5; i++) mj_step(m, d);
    speed[k] = fabs(d->qvel[0]);
    mj_deleteData(d);
  }
  assert_true(speed[0] > 10);
  assert_true(speed[1] < 0.1);
  mj_deleteModel(m);
}

// Numbers that go bad: the warning, the reset, and the step goes on.
static void test_reset(void** state) {
  (void)state;
  mjModel* m = scene_model(kFigure);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 10; i++) mj_step(m, d);
  d->qvel[2] = NAN;
  mj_step(m, d);
  assert_int_equal(d->warning[mjWARN_BADQVEL].number, 1);
  assert_int_equal(d->warning[mjWARN_BADQVEL].lastinfo, 2);
  assert_true(fabs(d->time - m->opt.timestep) < 1e-12);
  for (int i = 0; i < m->nv; i++) assert_true(isfinite(d->qvel[i]));
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void ignore(const char* text) { (void)text; }

int main(void) {
  mju_user_warning = ignore;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rk4_order),
                                     cmocka_unit_test(test_momentum),
                                     cmocka_unit_test(test_friction_angle),
                                     cmocka_unit_test(test_torsion_and_rolling),
                                     cmocka_unit_test(test_loop),
                                     cmocka_unit_test(test_forward_inverse),
                                     cmocka_unit_test(test_discrete_inverse),
                                     cmocka_unit_test(test_same_motion),
                                     cmocka_unit_test(test_no_allocation),
                                     cmocka_unit_test(test_implicit_stability),
                                     cmocka_unit_test(test_reset),
                                     cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
