// What holds when things are bad: every force finite and inside of its cone, no NaN, no reset, and
// a warning where something cannot be had.
#include <sinew/certificate.h>
#include <stdbool.h>

#include "scene.h"

static int warned;
static void count_warning(const char* text) {
  (void)text;
  warned++;
}

// Steps, and looks at every number. Returns the largest contact force.
static double run(const mjModel* m, mjData* d, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    mj_step(m, d);
    for (int k = 0; k < m->nv; k++) assert_true(isfinite(d->qvel[k]) && isfinite(d->qacc[k]));
    for (int c = 0; c < d->ncon; c++) {
      double f[6], normal, tangent = 0;
      mj_contactForce(m, d, c, f);
      normal = f[0];
      for (int k = 1; k < 3; k++) {
        double share = f[k] / fmax(d->contact[c].friction[k - 1], 1e-12);
        tangent += mj_isPyramidal(m) ? fabs(share) : share * share;
      }
      if (!mj_isPyramidal(m)) tangent = sqrt(tangent);
      assert_true(normal >= 0 && tangent <= normal * (1 + 1e-6) + 1e-9);
      most = fmax(most, normal);
    }
  }
  for (int k = 0; k < mjNWARNING; k++) {
    if (d->warning[k].number) fail_msg("warning %d, %d times", k, d->warning[k].number);
  }
  return most;
}

#define STICK "<text name='sinew:friction' data='stick'/>"

static mjModel* boxes(const char* custom, const char* cone, double friction, double mass) {
  char xml[3000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='.002' cone='%s' gravity='1 0 -9.81'/><default><geom "
           "friction='%g .005 .0001'/></default><custom>%s</custom><worldbody>"
           "<geom name='floor' type='plane' size='9 9 1'/>"
           "<body pos='0 0 .1'><freejoint/><geom name='a' type='box' size='.1 .1 .1' mass='1'/>"
           "</body><body pos='0 0 .3'><freejoint/><geom name='b' type='box' size='.1 .1 .1' "
           "mass='%g'/></body><body name='lift' mocap='true' pos='2 0 0'><geom name='lift' "
           "type='box' size='.3 .3 .1'/></body><body pos='2 0 .2'><freejoint/><geom name='c' "
           "type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>",
           cone, friction, custom, mass);
  return scene_model(xml);
}

// Friction of none and of a hundred; a box that weighs 1e4 as much as the one it stands on, and one
// that weighs 1e-4.
static void test_friction_and_mass(void** state) {
  (void)state;
  static const double kFriction[] = {0, 1, 100}, kMass[] = {1, 1e4, 1e-4};
  for (int k = 0; k < 18; k++) {
    mjModel* m = boxes(STICK, k / 9 ? "elliptic" : "pyramidal", kFriction[k % 3], kMass[k / 3 % 3]);
    mjData* d = mj_makeData(m);
    double most = run(m, d, 300), weight = 9.9 * (2 + kMass[k / 3 % 3]);
    if (!(most < 100 * weight)) fail_msg("case %d: %g N of %g", k, most, weight);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// 1e12 N/m: as good as rigid, whatever the masses.
static void test_stiffness(void** state) {
  (void)state;
  static const double kMass[] = {1, 1e4, 1e-4};
  for (int k = 0; k < 6; k++) {
    mjModel* m = boxes(STICK
                       "<tuple name='sinew:stiffness'><element objtype='geom' objname='a' "
                       "prm='1e12'/><element objtype='geom' objname='c' prm='1e-6'/></tuple>",
                       k / 3 ? "elliptic" : "pyramidal", 1, kMass[k % 3]);
    mjData* d = mj_makeData(m);
    double most = run(m, d, 300);
    if (!(most < 1e4 * 9.9 * (2 + kMass[k % 3]))) fail_msg("case %d: %g N", k, most);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Positions written, a mocap body somewhere else, a state of numbers that mean nothing: forces stay
// in the cone, and the boxes are where they were put.
static void test_moved(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    mjModel* m = boxes(STICK, k ? "elliptic" : "pyramidal", 1, 1);
    mjData* d = mj_makeData(m);
    double rest = run(m, d, 200);
    d->qpos[0] += .05;  // the lower box, under the upper one
    double moved = run(m, d, 100);
    assert_true(moved < 20 * rest);
    d->mocap_pos[0] += .2;  // teleported below its box
    d->mocap_pos[1] -= 1;
    assert_true(run(m, d, 100) < 50 * rest);
    mju_copy3(d->qpos + 7, d->qpos);  // onto each other's side
    d->qpos[7] += .2;
    run(m, d, 100);
    unsigned long long seed = 5;
    for (int i = 0; i < m->npluginstate; i++) d->plugin_state[i] = 1e6 * scene_random(&seed);
    run(m, d, 20);
    for (int i = 1; i < m->npluginstate; i += 3) d->plugin_state[i] = NAN;
    run(m, d, 20);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// A pair whose shapes change under it: sizes written while it is stuck.
static void test_shapes(void** state) {
  (void)state;
  mjModel* m = boxes(STICK, "elliptic", 1, 1);
  mjData* d = mj_makeData(m);
  run(m, d, 100);
  int geom = mj_name2id(m, mjOBJ_GEOM, "a");
  for (int i = 0; i < 5; i++) {
    m->geom_size[3 * geom] = i % 2 ? .1 : .05;
    m->geom_size[3 * geom + 2] = i % 2 ? .1 : .09;
    run(m, d, 40);
  }
  m->geom_type[geom] = mjGEOM_SPHERE;
  m->geom_size[3 * geom] = .1;
  run(m, d, 100);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Restitution with penetration from the start and a mass ratio of 1e4: no energy from nothing.
static void test_bounces(void** state) {
  (void)state;
  mjModel* m = boxes(
      "<tuple name='sinew:restitution'><element objtype='geom' objname='a' prm='1'/>"
      "<element objtype='geom' objname='b' prm='1'/></tuple>",
      "elliptic", 1, 1e4);
  mjData* d = mj_makeData(m);
  d->qpos[2] = .05;
  d->qpos[9] = .15;
  double top = 0;
  for (int i = 0; i < 300; i++) {
    run(m, d, 1);
    top = fmax(top, d->qpos[9]);
  }
  if (!(top < 1)) fail_msg("the heavy box is thrown to %g m", top);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Loops that contradict each other, with certificates: the gap is told, the warning is one.
static void test_loops(void** state) {
  (void)state;
  void (*before)(const char*) = mju_user_warning;
  mju_user_warning = count_warning;
  warned = 0;
  mjModel* m = scene_model(
      "<mujoco><option timestep='.002'/><custom><text name='sinew:loops' data='closed'/>"
      "<text name='sinew:report' data='on'/></custom><worldbody><body name='a' pos='0 0 1'>"
      "<joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body>"
      "</worldbody><equality><connect name='far' body1='a' anchor='.3 0 0'/><weld name='off' "
      "body1='a' relpose='.1 0 -1 1 0 0 0'/></equality></mujoco>");
  mjData* d = mj_makeData(m);
  snCertificate c;
  double force = 0;
  for (int i = 0; i < 300; i++) {
    mj_step(m, d);
    assert_true(isfinite(d->qpos[0]) && isfinite(d->qacc[0]));
    for (int k = 0; k < d->nefc; k++) force = fmax(force, fabs(d->efc_force[k]));
  }
  assert_true(sn_getCertificate(m, d, &c));
  assert_true(c.loop > .05 && c.loop_equality == 1 && isfinite(c.closure));
  assert_int_equal(warned, 1);
  if (!(force < 1e6)) fail_msg("%g N", force);
  mju_user_warning = before;
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_friction_and_mass),
      cmocka_unit_test(test_stiffness),
      cmocka_unit_test(test_moved),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_bounces),
      cmocka_unit_test(test_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
