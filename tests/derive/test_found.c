// What searches with random models found: scenes in which a column was wrong or not a number, or in
// which the whole step was differenced for one part of it.
#include "derive/compare.h"

// Speeds, controls and applied wrenches by a fixed rule.
static void stir(const mjModel* m, mjData* d, int k) {
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 0.4 * sin(1.3 * i + k);
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = cos(0.7 * i + k);
  for (int i = 0; i < m->na; i++) d->act[i] = 0.3 + 0.1 * i;
  for (int i = 6; i < 6 * m->nbody; i++) d->xfrc_applied[i] = 0.5 * sin(2.1 * i + k);
}

// Nothing but what is named may be differenced.
static void check(const char* scene, const char* integrator, int steps, const char* differenced) {
  mjModel* m = compare_model(scene, integrator, "pyramidal");
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 3; k++) {
    snDeriveReport report;
    mj_resetData(m, d);
    stir(m, d, k);
    for (int i = 0; i < steps; i++) mj_step(m, d);
    snCompared r = compare_step(m, d, false, &report);
    assert_string_equal(report.differenced, differenced);
    if (!(r.worst < 1e-6)) fail_msg("%s: column %d is off by %g", integrator, r.at, r.worst);
    assert_true(!compare_too_few(r.columns, r.switched, 20));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void check_all(const char* scene, int steps) {
  check(scene, "Euler", steps, "");
  check(scene, "implicitfast", steps, "");
}

// The first tangent of a capsule's contact is its axis, which has no direction across the normal of
// the plane that the capsule stands on.
static void standing_capsule(void** state) {
  (void)state;
  check_all(
      "<mujoco><option integrator='%s' cone='%s'/><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 .19'><joint type='slide' axis='0 0 1' damping='1'/><joint type='slide' "
      "axis='1 0 0'/><geom type='capsule' size='.1 .1' solref='.05 "
      "1'/></body></worldbody></mujoco>",
      0);
}

// Bodies are compensated only where one has a positive share.
static void negative_compensation(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><option integrator='%%s' cone='%%s'/><worldbody><body gravcomp='-.9'><joint "
      "damping='.1'/><joint axis='1 2 0'/><geom size='.1' pos='.2 .1 .1'/><body pos='0 .3 0' "
      "gravcomp='%s'><joint axis='0 1 1'/><geom size='.1' pos='.1 0 0'/></body></body></worldbody>"
      "</mujoco>";
  char xml[1024];
  snprintf(xml, sizeof xml, scene, "0");
  check_all(xml, 3);
  snprintf(xml, sizeof xml, scene, ".5");
  check_all(xml, 3);
}

// Compensation by actuators: at the limit of a joint's total, and without actuators.
static void compensation_by_actuators(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><option integrator='%%s' cone='%%s'/><worldbody><body><joint name='a' axis='0 1 0' "
      "actuatorgravcomp='true' actuatorfrcrange='-1 %s' damping='.1'/><geom size='.1' pos='.3 0 "
      "0'/><body pos='.4 0 0' gravcomp='.7'><joint name='b' type='ball' actuatorgravcomp='true'/>"
      "<geom size='.1' pos='.2 .1 0'/></body></body></worldbody>%s</mujoco>";
  static const char motor[] = "<actuator><motor joint='a' gear='2'/></actuator>";
  static const char* bound[] = {"2", "1000"};
  char xml[1024];
  for (int k = 0; k < 2; k++) {
    snprintf(xml, sizeof xml, scene, bound[k], motor);
    check_all(xml, 3);
    snprintf(xml, sizeof xml, scene, bound[k], "");
    check_all(xml, 3);
  }
}

// Actuators of a tendon whose sum is at its bound are scaled together, each with its own gear, and
// one of them is at a limit of its own.
static void actuators_of_a_tendon(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><option integrator='%%s' cone='%%s'/><worldbody><site name='w' pos='0 0 1'/>"
      "<body pos='.3 0 .5'><joint axis='0 1 0' damping='.2'/><joint axis='1 0 .3'/><geom size='.1' "
      "pos='.2 .05 0'/><site name='s' pos='.3 .1 0'/></body></worldbody>"
      "<tendon><spatial name='t' actuatorfrcrange='%s'><site site='w'/><site site='s'/></spatial>"
      "</tendon><actuator><general tendon='t' gear='2' gainprm='3' biastype='affine' biasprm='1 -4 "
      "0'/><general tendon='t' gear='.5' gainprm='2' biastype='affine' biasprm='.4 -3 0'/>"
      "<general tendon='t' gear='1.2' gainprm='5' forcerange='-%s %s'/></actuator></mujoco>";
  static const char* range[] = {"-1 .5", "-.3 -.2", "-100 100"};
  char xml[1536];
  for (int k = 0; k < 3; k++) {
    snprintf(xml, sizeof xml, scene, range[k], "10", "10");
    check_all(xml, 3);
    snprintf(xml, sizeof xml, scene, range[k], ".05", ".05");
    check_all(xml, 3);
  }
}

// Three trees: two joined by a tendon and one by itself, with a medium under implicitfast. Blocks
// of A and B are those of the whole, which the call with sensors makes; reverse and forward mode
// are the same maps.
static void parts_are_the_whole(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><option integrator='%s' cone='%s' density='2' viscosity='.1'/><worldbody>"
      "<body name='one'><joint name='a' axis='0 1 0' damping='.1'/><geom size='.1' pos='.3 0 0'/>"
      "<site name='s' pos='.3 0 0'/></body>"
      "<body pos='0 1 0'><freejoint/><geom size='.1 .05 .02' type='ellipsoid' "
      "fluidshape='ellipsoid'/></body>"
      "<body pos='1 0 0'><joint axis='0 1 0'/><geom size='.1' pos='.3 0 .1'/><site name='e' "
      "pos='.2 0 0'/><body pos='.3 0 0'><joint name='c' type='ball'/><geom size='.1' pos='.1 0 "
      "0'/></body></body></worldbody><tendon><spatial name='t' stiffness='30' damping='1'><site "
      "site='s'/><site site='e'/></spatial></tendon>"
      "<actuator><general joint='a' dyntype='filter' dynprm='.1'/><motor joint='c' gear='1 2 3'/>"
      "<motor tendon='t'/></actuator><sensor><subtreecom body='one'/></sensor></mujoco>";
  static const char* integrator[] = {"Euler", "implicitfast"};
  for (int k = 0; k < 2; k++) {
    mjModel* m = compare_model(scene, integrator[k], "elliptic");
    mjData* d = mj_makeData(m);
    int nx = 2 * m->nv + m->na, nu = m->nu, n = nx + nu;
    double* all = calloc((size_t)(2 * nx * n + 3 * n + 4 * nx), sizeof(double));
    double *A = all, *B = A + nx * nx, *Aw = B + nx * nu, *Bw = Aw + nx * nx, *C = Bw + nx * nu;
    double *x = C + 3 * n, *y = x + nx, *g = y + nx, *gu = g + nx;
    stir(m, d, k);
    mj_step(m, d);
    assert_true(sn_transition(m, d, A, B, NULL, NULL, NULL));
    assert_true(sn_transition(m, d, Aw, Bw, C, NULL, NULL));
    for (int i = 0; i < nx * n; i++) assert_true(fabs(A[i] - Aw[i]) < 1e-7);
    for (int i = 0; i < nx; i++) x[i] = sin(1.1 * i);
    assert_true(sn_jvp(m, d, x, NULL, y, NULL));
    assert_true(sn_vjp(m, d, x, g, gu, NULL));
    for (int i = 0; i < nx; i++) {
      double forward = 0, reverse = 0;
      for (int j = 0; j < nx; j++) forward += A[i * nx + j] * x[j], reverse += A[j * nx + i] * x[j];
      assert_true(fabs(forward - y[i]) < 1e-10 && fabs(reverse - g[i]) < 1e-10);
    }
    free(all);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// A spring without a slack range, at its rest length: it pushes on both sides.
static void tendon_at_rest(void** state) {
  (void)state;
  check_all(
      "<mujoco><option integrator='%s' cone='%s'/><worldbody><site name='w' pos='0 0 .3'/>"
      "<body pos='.2 0 0'><joint name='a' axis='0 1 0'/><geom size='.05' pos='.1 0 0'/>"
      "<site name='s' pos='.1 .02 0'/></body></worldbody><tendon>"
      "<fixed name='f' stiffness='40'><joint joint='a' coef='.9'/></fixed>"
      "<spatial name='t' stiffness='300'><site site='w'/><site site='s'/></spatial>"
      "</tendon></mujoco>",
      0);
}

// Equalities that are closed to rounding, with an impedance that is steep at zero: the direction of
// a residual of 1e-17 is none.
static void closed_to_rounding(void** state) {
  (void)state;
  mjModel* m = compare_model(
      "<mujoco><option integrator='%s' cone='%s'/><worldbody><body name='a' pos='.3 .1 .7' "
      "euler='10 20 30'><joint type='slide' axis='1 0 .3' damping='1'/><joint axis='.2 1 0'/><geom "
      "size='.1' pos='.1 .2 0'/></body><body name='b' euler='7 -20 50'><joint axis='.3 0 1'/>"
      "<joint axis='0 1 .1'/><geom size='.1' pos='.11 .07 .3'/></body></worldbody><equality>"
      "<connect body1='a' body2='b' anchor='.2792 -.0036 .147' solref='.05 1' solimp='.3 .6 .05 .5 "
      "1.1'/></equality></mujoco>",
      "Euler", "pyramidal");
  mjData* d = mj_makeData(m);
  snDeriveReport report;
  stir(m, d, 1);
  snCompared r = compare_step(m, d, false, &report);
  // differences bend with a power of 0.1 of their width
  if (!(r.worst < 2e-5)) fail_msg("column %d is off by %g", r.at, r.worst);
  // a sanitizer's sample is one column of eight
  if (kTrialShare == 1) assert_true(r.columns >= 7);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tendon_at_rest),
                                     cmocka_unit_test(closed_to_rounding),
                                     cmocka_unit_test(standing_capsule),
                                     cmocka_unit_test(negative_compensation),
                                     cmocka_unit_test(compensation_by_actuators),
                                     cmocka_unit_test(actuators_of_a_tendon),
                                     cmocka_unit_test(parts_are_the_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
