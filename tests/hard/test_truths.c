// Physical truths of hard contact: restitution, Coulomb's law, closed loops, Painleve's paradox.
#include <sinew/solver.h>

#include "scene.h"

static const char kBall[] =
    "<mujoco><option timestep='%g' cone='%s'/>"
    "<custom><text name='sinew:solver' data='admm-ncp'/>"
    "  <tuple name='sinew:restitution'><element objtype='geom' objname='ball' prm='%g'/></tuple>"
    "</custom>"
    "<worldbody><geom type='plane' size='5 5 1'/>"
    "  <body pos='0 0 1.1'><freejoint/><geom name='ball' size='0.1'/></body>"
    "</worldbody></mujoco>";

// Highest gap between the first and the second impact.
static double rebound(double e, double step, const char* cone) {
  char xml[2000];
  snprintf(xml, sizeof xml, kBall, step, cone, e);
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  assert_string_equal(sn_getSolver(m, d), "admm-ncp");
  double top = 0;
  int falls = 1, rises = 0;
  while (d->time < 2) {
    mj_step(m, d);
    if (falls && d->qvel[2] > 0.1) falls = 0, rises = 1;
    if (rises) {
      if (d->qpos[2] - 0.1 > top)
        top = d->qpos[2] - 0.1;
      else if (d->qvel[2] < 0)
        break;
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return top;
}

static void test_restitution(void** state) {
  static const double es[] = {0.25, 0.5, 0.75, 0.95}, steps[] = {0.001, 0.002, 0.005};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 3; j++) {
      double top = rebound(es[i], steps[j], j == 1 ? "elliptic" : "pyramidal");
      double expected = es[i] * es[i];
      if (!(fabs(top - expected) < 0.01 * expected)) {
        fail_msg("e %g, step %g: rose to %g, expected %g", es[i], steps[j], top, expected);
      }
    }
  }
}

// Without restitution the ball stays down and at the surface.
static void test_no_restitution(void** state) {
  mjModel* m;
  char xml[2000];
  snprintf(xml, sizeof xml, kBall, 0.005, "pyramidal", 0.0);
  m = scene_model(xml);
  mjData* d = mj_makeData(m);
  while (d->time < 0.6) mj_step(m, d);
  for (int i = 0; i < 200; i++) {
    mj_step(m, d);
    assert_true(fabs(d->qpos[2] - 0.1) < 2e-3);
  }
  assert_true(fabs(d->qpos[2] - 0.1) < 1e-4);
  assert_true(fabs(d->qvel[2]) < 1e-6);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static mjModel* box_model(const char* solver, double angle, double mu, double step) {
  char xml[2000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='%g' gravity='%.17g 0 %.17g'/>"
           "<custom><text name='sinew:solver' data='%s'/></custom>"
           "<worldbody><geom type='plane' size='50 50 1' friction='%g 0 0'/>"
           "  <body pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.2 0.1' density='500'"
           "    friction='%g 0 0'/></body>"
           "</worldbody></mujoco>",
           step, 9.81 * sin(angle), -9.81 * cos(angle), solver, mu, mu);
  return scene_model(xml);
}

static const char* const kExact[] = {"admm-ncp", "nbgs", "pgs-ncp", "raisim-ds", "pgs-ccp"};

// v^2 / (2 mu g)
static void test_sliding_box(void** state) {
  for (int k = 0; k < 5; k++) {
    mjModel* m = box_model(kExact[k], 0, 0.5, 0.001);
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 100; i++) mj_step(m, d);
    double start[2] = {d->qpos[0], d->qpos[1]}, direction[2] = {0.6, 0.8}, v = 2;
    d->qvel[0] += v * direction[0];
    d->qvel[1] += v * direction[1];
    double energy = 1e9;
    while (d->time < 2) {
      mj_step(m, d);
      double now = d->qvel[0] * d->qvel[0] + d->qvel[1] * d->qvel[1];
      assert_true(now <= energy + 1e-12);  // friction only takes
      energy = now;
    }
    double x = d->qpos[0] - start[0], y = d->qpos[1] - start[1],
           expected = v * v / (2 * 0.5 * 9.81);
    double along = x * direction[0] + y * direction[1],
           across = x * direction[1] - y * direction[0];
    if (!(fabs(along - expected) < 0.01 * expected && fabs(across) < 0.01 * expected)) {
      fail_msg("%s: went %g along and %g across, expected %g", kExact[k], along, across, expected);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// tan(angle) = 0.45 < 0.5: it stays.
static void test_slope(void** state) {
  for (int k = 0; k < 5; k++) {
    mjModel* m = box_model(kExact[k], atan(0.45), 0.5, 0.001);
    mjData* d = mj_makeData(m);
    while (d->time < 0.5) mj_step(m, d);
    double x = d->qpos[0], y = d->qpos[1], z = d->qpos[2], t = d->time;
    while (d->time < 2.5) mj_step(m, d);
    double creep = hypot(hypot(d->qpos[0] - x, d->qpos[1] - y), d->qpos[2] - z) / (d->time - t);
    if (!(creep < 1e-6)) fail_msg("%s: creeps %g m/s", kExact[k], creep);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// A four-bar: crank, coupler, rocker, closed by a connect; the crank is driven round.
static void test_four_bar(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option timestep='0.001'/>"
      "<custom><text name='sinew:solver' data='admm-ncp'/></custom>"
      "<default><geom type='capsule' size='0.02' contype='0' conaffinity='0'/></default>"
      "<worldbody><body><joint name='crank' axis='0 1 0'/>"
      "    <geom fromto='0 0 0 0 0 0.2'/>"
      "    <body pos='0 0 0.2'><joint axis='0 1 0'/><geom fromto='0 0 0 0.5 0 0.2'/>"
      "      <body name='tip' pos='0.5 0 0.2'><joint axis='0 1 0'/>"
      "        <geom fromto='0 0 0 0 0 -0.4'/><site name='end' pos='0 0 -0.4'/></body></body>"
      "  </body><site name='ground' pos='0.5 0 0'/></worldbody>"
      "<equality><connect site1='end' site2='ground'/></equality>"
      "<actuator><velocity joint='crank' kv='5'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  d->ctrl[0] = 5;
  double worst = 0, turned = 0;
  while (d->time < 60) {
    mj_step(m, d);
    mj_kinematics(m, d);
    double error = 0;
    for (int i = 0; i < 3; i++) error += pow(d->site_xpos[i] - d->site_xpos[3 + i], 2);
    worst = fmax(worst, sqrt(error));
    turned = fabs(d->qpos[0]);
  }
  if (!(worst < 1e-5 && turned > 30)) fail_msg("opened by %g m, turned %g rad", worst, turned);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A rod pushed over the ground, tip first and steeply, with so much friction that at the level of
// forces there may be no answer. It must neither gain energy nor sink.
static void test_painleve(void** state) {
  for (int k = 0; k < 5; k++) {
    char xml[2000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='0.001'/>"
             "<custom><text name='sinew:solver' data='%s'/></custom>"
             "<worldbody><geom type='plane' size='50 50 1' friction='3 0 0'/>"
             "<body pos='0 0 0' euler='0 -35 0'><freejoint/>"
             "  <inertial pos='0 0 0.5' mass='1' diaginertia='0.01 0.01 0.001'/>"
             "  <geom size='0.01' mass='0' friction='3 0 0'/>"
             "  <geom size='0.01' mass='0' pos='0 0 1' friction='3 0 0'/></body>"
             "</worldbody></mujoco>",
             kExact[k]);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    m->opt.enableflags |= mjENBL_ENERGY;
    d->qpos[2] = 0.0101;
    mj_forward(m, d);
    d->qvel[0] = -3;
    mj_forward(m, d);
    double energy = d->energy[0] + d->energy[1], lowest = 1;
    while (d->time < 3) {
      mj_step(m, d);
      mj_forward(m, d);
      double now = d->energy[0] + d->energy[1];
      if (!(now < energy * 1.01 + 0.05)) {
        fail_msg("%s, t %g: energy %g from %g", kExact[k], d->time, now, energy);
      }
      for (int i = 1; i < 3; i++) lowest = fmin(lowest, d->geom_xpos[3 * i + 2] - 0.01);
    }
    if (!(lowest > -0.01)) fail_msg("%s: sank by %g m", kExact[k], -lowest);
    for (int i = 0; i < m->nv; i++) assert_true(fabs(d->qvel[i]) < 0.5);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_restitution), cmocka_unit_test(test_no_restitution),
      cmocka_unit_test(test_sliding_box), cmocka_unit_test(test_slope),
      cmocka_unit_test(test_four_bar),    cmocka_unit_test(test_painleve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
