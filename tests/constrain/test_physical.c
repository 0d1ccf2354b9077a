// Contact in physical units (constrain/physical.c): depth is force over stiffness, whatever masses,
// time step and shapes are; forces of a moving contact are those of the spring and damper at the
// end of the step.
#include "scene.h"

static mjModel* rest(const char* cone, const char* type, double mass, double h,
                     const char* tuples) {
  char xml[2000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='%g' cone='%s'/><worldbody><geom name='floor' type='plane' "
           "size='5 5 .1'/>"
           "<body pos='0 0 .11'><freejoint/><geom name='ball' type='%s' size='.1 .1 .1' "
           "mass='%g'/></body></worldbody>"
           "<custom>%s</custom></mujoco>",
           h, cone, type, mass, tuples);
  return scene_model(xml);
}

#define SOFT                                                                                  \
  "<tuple name='sinew:stiffness'><element objtype='geom' objname='ball' prm='5000'/></tuple>" \
  "<tuple name='sinew:damping'><element objtype='geom' objname='ball' prm='200'/></tuple>"
#define SERIES                                                                         \
  "<tuple name='sinew:stiffness'><element objtype='geom' objname='ball' prm='10000'/>" \
  "<element objtype='geom' objname='floor' prm='10000'/></tuple>"                      \
  "<tuple name='sinew:damping'><element objtype='geom' objname='ball' prm='200'/></tuple>"

static void test_depth(void** state) {
  (void)state;
  static const double kStep[3] = {.001, .002, .005};
  static const char* const kCone[2] = {"pyramidal", "elliptic"};
  static const char* const kType[2] = {"sphere", "box"};
  for (int trial = 0; trial < 48; trial++) {
    double h = kStep[trial % 3], mass = trial / 3 % 2 ? 10 : 1;
    const char *cone = kCone[trial / 6 % 2], *type = kType[trial / 12 % 2];
    mjModel* m = rest(cone, type, mass, h, trial / 24 ? SERIES : SOFT);
    mjData* d = mj_makeData(m);
    for (int i = 0; i < (int)(3 / h); i++) mj_step(m, d);
    double depth = .1 - d->qpos[2], expected = mass * 9.81 / 5000;
    if (!(fabs(depth / expected - 1) < .01)) {
      fail_msg("%s, %s, %g kg, %g s: depth %g, not %g", cone, type, mass, h, depth, expected);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// While the ball falls in, the force is -k g' - c v' with what the step ends at; the inverse
// agrees.
static void test_motion(void** state) {
  (void)state;
  mjModel* m = rest("elliptic", "sphere", 2, .002, SOFT);
  mjData* d = mj_makeData(m);
  m->opt.enableflags |= mjENBL_FWDINV;
  int seen = 0;
  for (int i = 0; i < 200; i++) {
    mj_step(m, d);
    if (!d->ncon) continue;
    double depth = .1 - d->qpos[2], expected = 5000 * depth - 200 * d->qvel[2], force[6];
    mj_contactForce(m, d, 0, force);
    if (expected > 0) assert_float_equal(force[0], expected, 1e-6 * (1 + expected));
    assert_true(d->solver_fwdinv[0] < 1e-9 && d->solver_fwdinv[1] < 1e-9);
    seen++;
  }
  assert_true(seen > 50);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Stiffness of a diamond and of jelly: finite, and at rest in the end.
static void test_extremes(void** state) {
  (void)state;
  static const char* const kStiff[2] = {"1e12", "1e-6"};
  for (int k = 0; k < 2; k++) {
    char tuples[300];
    snprintf(
        tuples, sizeof tuples,
        "<tuple name='sinew:stiffness'><element objtype='geom' objname='ball' prm='%s'/></tuple>",
        kStiff[k]);
    mjModel* m = rest("pyramidal", "box", 1, .002, tuples);
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 500; i++) mj_step(m, d);
    for (int i = 0; i < m->nq; i++) assert_true(fabs(d->qpos[i]) < 100);
    for (int i = 0; i < d->nefc; i++) assert_true(fabs(d->efc_force[i]) < 1e4);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

static void test_names(void** state) {
  (void)state;
  scene_refused(
      "<mujoco><worldbody><geom name='g' size='.1'/></worldbody><custom>"
      "<tuple name='sinew:stiffness'><element objtype='geom' objname='g' "
      "prm='-3'/></tuple></custom></mujoco>",
      "geom 'g' has prm -3, expected");
}

// A ball that falls into its contact and comes to rest: in every step with contact the force is
// that of spring and damper with gap and velocity behind the step, whatever mass and time step are.
static void test_end_of_step(void** state) {
  (void)state;
  static const double kStep[] = {.001, .002, .005}, kMass[] = {1, 10};
  for (int k = 0; k < 12; k++) {
    double h = kStep[k % 3], mass = kMass[k / 3 % 2], stiffness = 3e4, damping = 150;
    char xml[2000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='%g' cone='%s' tolerance='1e-14'/><custom>"
             "<tuple name='sinew:stiffness'><element objtype='geom' objname='ball' prm='%g'/>"
             "</tuple><tuple name='sinew:damping'><element objtype='geom' objname='ball' "
             "prm='%g'/></tuple></custom><worldbody><geom type='plane' size='5 5 1'/>"
             "<body pos='0 0 .11'><freejoint/><geom name='ball' size='.1' mass='%g'/></body>"
             "</worldbody></mujoco>",
             h, k / 6 ? "elliptic" : "pyramidal", stiffness, damping, mass);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    int pressed = 0;
    for (int i = 0; i < 200; i++) {
      mj_step(m, d);
      if (!d->ncon) continue;
      double f[6], gap = d->qpos[2] - .1;
      mj_contactForce(m, d, 0, f);
      double want = -stiffness * gap - damping * d->qvel[2];
      if (want <= 0 || f[0] == 0) continue;  // it leaves within the step
      pressed++;
      if (fabs(f[0] / want - 1) > 1e-6) {
        fail_msg("%g s, %g kg, step %d: %.9g N, spring and damper %.9g", h, mass, i, f[0], want);
      }
    }
    assert_true(pressed > 20);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_depth),    cmocka_unit_test(test_motion),
      cmocka_unit_test(test_extremes), cmocka_unit_test(test_end_of_step),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
