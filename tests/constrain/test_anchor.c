// Friction that holds (constrain/anchor.c): no creep, sliding as Coulomb says, an exact inverse,
// state that is saved and restored to the bit, bounded forces whatever a program writes.
#include <sinew/warning.h>
#include <stdbool.h>

#include "scene.h"

#define STICK "<custom><text name='sinew:friction' data='stick'/></custom>"

// A box on a plane that is tilted about y by `degrees`.
static mjModel* slope(const char* cone, double degrees, double mu, int condim, const char* custom) {
  char xml[2000];
  double a = degrees * mjPI / 180;
  snprintf(xml, sizeof xml,
           "<mujoco><option cone='%s'/>%s<default><geom friction='%g .005 .0001' "
           "condim='%d'/></default><worldbody>"
           "<geom type='plane' size='50 50 .1' euler='0 %g 0'/><body pos='%.15g 0 %.15g' euler='0 "
           "%g 0'><freejoint/>"
           "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>",
           cone, custom, mu, condim, degrees, .1 * sin(a), .1 * cos(a), degrees);
  return scene_model(xml);
}

static double creep(const mjModel* m, mjData* d, int steps) {
  double from[3], moved[3];
  for (int i = 0; i < 2000; i++) mj_step(m, d);
  mju_copy3(from, d->qpos);
  for (int i = 0; i < steps; i++) mj_step(m, d);
  mju_sub3(moved, d->qpos, from);
  return mju_norm3(moved) / (steps * m->opt.timestep);
}

static void test_slope(void** state) {
  (void)state;
  static const char* const kCone[2] = {"pyramidal", "elliptic"};
  static const int kDim[3] = {3, 4, 6};
  for (int cone = 0; cone < 2; cone++) {
    for (int k = 0; k < 3; k++) {
      mjModel* m = slope(kCone[cone], 20, 1, kDim[k], STICK);
      mjData* d = mj_makeData(m);
      double speed = creep(m, d, 3000);
      if (!(speed < 1e-9)) fail_msg("%s, condim %d: creeps at %g m/s", kCone[cone], kDim[k], speed);
      m->opt.enableflags |= mjENBL_FWDINV;
      mj_step(m, d);
      assert_true(d->solver_fwdinv[0] < 1e-11 && d->solver_fwdinv[1] < 1e-11);
      mj_deleteData(d);
      mj_deleteModel(m);
    }
    // what the soft model does instead: the test would see it
    mjModel* m = slope(kCone[cone], 20, 1, 3, "");
    assert_int_equal(m->nplugin, 0);
    mjData* d = mj_makeData(m);
    assert_true(creep(m, d, 1000) > 1e-4);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Sliding down a slope of 30 degrees: the friction of all contacts is mu times their normal force,
// against the motion.
static void test_slides(void** state) {
  (void)state;
  for (int cone = 0; cone < 2; cone++) {
    mjModel* m = slope(cone ? "elliptic" : "pyramidal", 30, .3, 3, STICK);
    mjData* d = mj_makeData(m);
    double normal = 0, along = 0, down[3] = {cos(mjPI / 6), 0, -sin(mjPI / 6)};
    for (int i = 0; i < 1000; i++) {
      mj_step(m, d);
      for (int c = 0; c < d->ncon && i > 100; c++) {
        double force[6], world[3];
        mj_contactForce(m, d, c, force);
        mju_mulMatTVec3(world, d->contact[c].frame, force);
        normal += force[0];
        along += mju_dot3(world, down);
      }
    }
    assert_true(mju_dot3(d->qvel, down) > 4);
    if (!(fabs(-along / normal - .3) < .003))
      fail_msg("friction is %g of the normal force", -along / normal);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// A block that slides stays on the surface, neither above nor far below where it rests, and slows
// down or speeds up by Coulomb's law.
static void test_stays_down(void** state) {
  (void)state;
  for (int cone = 0; cone < 2; cone++) {
    for (int degrees = 0; degrees <= 40; degrees += 20) {
      double mu = degrees ? .3 : .5, a = degrees * mjPI / 180, h = .002;
      mjModel* m = slope(cone ? "elliptic" : "pyramidal", degrees, mu, 3, STICK);
      mjData* d = mj_makeData(m);
      double down[3] = {cos(a), 0, -sin(a)}, up[3] = {sin(a), 0, cos(a)};
      for (int i = 0; i < 300; i++) mj_step(m, d);
      double rest = degrees ? .1 : mju_dot3(d->qpos, up), high = 0, low = 0;
      if (!degrees) d->qvel[0] = 3;
      double before = mju_dot3(d->qvel, down);
      for (int i = 0; i < 250; i++) {
        mj_step(m, d);
        high = mju_max(high, mju_dot3(d->qpos, up) - rest);
        low = mju_max(low, rest - mju_dot3(d->qpos, up));
      }
      double faster = (mju_dot3(d->qvel, down) - before) / (250 * h);
      double theory = 9.81 * (sin(a) - mu * cos(a));
      if (!(fabs(faster / theory - 1) < .002 && high < 5e-5 && low < 5e-4))
        fail_msg("%d degrees: %g m/s2 of %g, up to %g above, %g below", degrees, faster, theory,
                 high, low);
      mj_deleteData(d);
      mj_deleteModel(m);
    }
  }
}

// Slopes within 2% of the cone: all of friction is there before a contact slides.
static void test_near_the_cone(void** state) {
  (void)state;
  for (int cone = 0; cone < 2; cone++) {
    for (int dim = 3; dim <= 6; dim += dim == 3 ? 1 : 2) {
      mjModel* m =
          slope(cone ? "elliptic" : "pyramidal", 20, 1.02 * tan(20 * mjPI / 180), dim, STICK);
      mjData* d = mj_makeData(m);
      double speed = creep(m, d, 3000);
      if (!(speed < 1e-9)) fail_msg("cone %d, condim %d: creeps at %g m/s", cone, dim, speed);
      mj_deleteData(d);
      mj_deleteModel(m);
    }
  }
}

// Pushed, sliding, stopped, stuck again.
static void test_sticks_again(void** state) {
  (void)state;
  mjModel* m = slope("elliptic", 10, .5, 3, STICK);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 500; i++) mj_step(m, d);
  double from = d->qpos[0];
  d->xfrc_applied[6] = 9;
  for (int i = 0; i < 200; i++) mj_step(m, d);
  d->xfrc_applied[6] = 0;
  assert_true(fabs(d->qpos[0] - from) > .05);
  assert_true(creep(m, d, 2000) < 1e-9);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A sphere between two fingers that press with 40 N: held, where the soft model drops it.
static void test_pinch(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco>" STICK
      "<worldbody><body pos='-.15 0 1'><joint name='a' type='slide' axis='1 0 0' damping='100'/>"
      "<geom type='box' size='.05 .1 .1' mass='1'/></body><body pos='.15 0 1'><joint name='b' "
      "type='slide' axis='1 0 0'"
      " damping='100'/><geom type='box' size='.05 .1 .1' mass='1'/></body><body pos='0 0 "
      "1'><freejoint/>"
      "<geom size='.1' mass='1'/></body></worldbody><actuator><motor joint='a'/><motor joint='b' "
      "gear='-1'/></actuator>"
      "</mujoco>");
  mjData* d = mj_makeData(m);
  d->ctrl[0] = d->ctrl[1] = 40;
  for (int i = 0; i < 5000; i++) mj_step(m, d);
  double z = d->qpos[4];
  assert_true(z > .99);
  for (int i = 0; i < 5000; i++) mj_step(m, d);
  assert_float_equal(d->qpos[4], z, 1e-9);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A mocap plate carries a box along, and turns with it.
static void test_moving_ground(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco>" STICK
      "<worldbody><body name='plate' mocap='true'><geom type='box' size='1 1 .05'/></body>"
      "<body pos='0 0 .15'><freejoint/><geom type='box' size='.1 .1 "
      ".1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 2000; i++) {
    if (i > 500) d->mocap_pos[0] += .2 * m->opt.timestep;
    mj_step(m, d);
  }
  // it slips v^2 / (2 mu g) = 2 mm when the plate sets off
  assert_float_equal(d->qpos[0], d->mocap_pos[0], 3e-3);
  assert_float_equal(d->qvel[0], .2, 1e-9);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A mocap plate that turns at 1 rad/s, or is shaken with half of what friction has, carries a box
// along; half a meter from the axis that takes 0.05 g.
static void test_shaken_ground(void** state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    const int dim = k & 2 ? 6 : 3, turns = k & 4;
    char xml[1000];
    snprintf(xml, sizeof xml,
             "<mujoco>" STICK
             "<option cone='%s'/><worldbody><body name='plate' mocap='true'><geom type='box' "
             "size='2 2 .05'/></body><body pos='.5 0 .15'><freejoint/><geom type='box' "
             "size='.1 .1 .1' mass='1' condim='%d'/></body></worldbody></mujoco>",
             k & 1 ? "elliptic" : "pyramidal", dim);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    double angle = 0, w = mjPI * 2 / 1.25, from = 0, to = 0;
    for (int i = 0; i <= 8750; i++) {
      double t = mju_max(0, i * .002 - 1), ramp = mju_min(1, t / 2);
      if (turns) {
        angle += ramp * .002;
        d->mocap_quat[0] = cos(angle / 2), d->mocap_quat[3] = sin(angle / 2);
      } else {
        d->mocap_pos[0] = .5 * 9.81 / (w * w) * (1 - cos(w * t)) * ramp;
      }
      mj_step(m, d);
      to = turns ? mju_norm(d->qpos, 2) : d->qpos[0] - d->mocap_pos[0];
      if (i == 2500) from = to;  // ten periods before the end
    }
    if (!(fabs(to - from) < 2e-5)) fail_msg("case %d: the box has moved by %g m", k, to - from);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// On a table that a motor turns, 30 cm off its centre: what lies there stays there, to the third order
// of the angle of a step.
static void test_turning_table(void** state) {
  (void)state;
  static const char* const kThing[] = {"type='box' size='.1 .1 .1'",
                                       "type='cylinder' size='.1 .1'"};
  for (int k = 0; k < 4; k++) {
    char xml[1000];
    snprintf(xml, sizeof xml,
             "<mujoco>" STICK
             "<option cone='%s'/><worldbody><body pos='0 0 -.1'>"
             "<joint name='j' axis='0 0 1'/><geom type='cylinder' size='1 .1' mass='20'/></body>"
             "<body pos='.3 .02 .1'><freejoint/><geom %s mass='1'/></body></worldbody>"
             "<actuator><velocity joint='j' kv='2000'/></actuator></mujoco>",
             k % 2 ? "elliptic" : "pyramidal", kThing[k / 2]);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    double from[2] = {0}, to[2];
    for (int i = 0; i <= 3000; i++) {
      d->ctrl[0] = 1.5 * fmin(1, d->time);
      mj_step(m, d);
      if (i % 1000) continue;
      to[0] = hypot(d->qpos[1], d->qpos[2]);
      to[1] = remainder(atan2(d->qpos[2], d->qpos[1]) - d->qpos[0], 2 * mjPI);
      double moved = hypot(to[0] - from[0], .3 * (to[1] - from[1])) / 2;
      if (i > 1000 && !(moved < 5e-6)) fail_msg("case %d: %g m/s", k, moved);
      memcpy(from, to, sizeof from);
    }
    assert_true(fabs(d->qvel[0] - 1.5) < 1e-3);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// A wall of bricks in bond has nine contacts for each brick: all of them have anchors.
static void test_room(void** state) {
  (void)state;
  char xml[8000];
  int at =
      snprintf(xml, sizeof xml, "<mujoco>" STICK "<worldbody><geom type='plane' size='5 5 .1'/>");
  for (int row = 0; row < 6; row++) {
    for (int k = 0; k < 5; k++) {
      at += snprintf(xml + at, sizeof xml - (size_t)at,
                     "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.1 .05 .05' "
                     "mass='1'/></body>",
                     .2 * k + .1 * (row % 2), .05 + .1 * row);
    }
  }
  snprintf(xml + at, sizeof xml - (size_t)at, "</worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  int most = 0;
  for (int i = 0; i < 300; i++) {
    mj_step(m, d);
    most = d->ncon > most ? d->ncon : most;
  }
  assert_true(most > 8 * 30);
  assert_int_equal(sn_warningCount(m, d, snWARN_ANCHORS), 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void test_restore(void** state) {
  (void)state;
  mjModel* m = slope("pyramidal", 20, 1, 6, STICK);
  mjData *d = mj_makeData(m), *copy = mj_makeData(m);
  int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  double* saved = malloc(sizeof(double) * (size_t)size);
  for (int i = 0; i < 300; i++) mj_step(m, d);
  mj_getState(m, d, saved, mjSTATE_INTEGRATION);
  for (int i = 0; i < 100; i++) mj_step(m, d);
  mj_setState(m, copy, saved, mjSTATE_INTEGRATION);
  for (int i = 0; i < 100; i++) mj_step(m, copy);
  assert_memory_equal(d->qpos, copy->qpos, sizeof(double) * (size_t)m->nq);
  assert_memory_equal(d->qvel, copy->qvel, sizeof(double) * (size_t)m->nv);
  mj_resetData(m, d);
  for (int i = 0; i < m->npluginstate; i++) assert_true(d->plugin_state[i] == 0);
  free(saved);
  mj_deleteData(d);
  mj_deleteData(copy);
  mj_deleteModel(m);
}

// Positions written by a program and a state full of NaN: bounded forces, finite motion.
static void test_hostile(void** state) {
  (void)state;
  mjModel* m = slope("elliptic", 20, 1, 6, STICK);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 300; i++) mj_step(m, d);
  d->qpos[1] += 5;
  mj_step(m, d);
  for (int i = 0; i < d->nefc; i++) assert_true(fabs(d->efc_force[i]) < 100);
  for (int pass = 0; pass < 4; pass++) {
    static const double kWild[4] = {NAN, INFINITY, -1e300, 3.5};
    for (int i = 0; i < m->npluginstate; i++) d->plugin_state[i] = kWild[pass];
    if (pass % 2) d->plugin_state[0] = 4;
    mj_step(m, d);
    for (int i = 0; i < m->nq; i++) assert_true(fabs(d->qpos[i]) < 100);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void test_names(void** state) {
  (void)state;
  scene_refused("<mujoco><custom><text name='sinew:friction' data='sticky'/></custom></mujoco>",
                "expected soft or stick");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slope),         cmocka_unit_test(test_slides),
      cmocka_unit_test(test_stays_down),    cmocka_unit_test(test_near_the_cone),
      cmocka_unit_test(test_sticks_again),  cmocka_unit_test(test_pinch),
      cmocka_unit_test(test_restore),       cmocka_unit_test(test_moving_ground),
      cmocka_unit_test(test_shaken_ground), cmocka_unit_test(test_turning_table),
      cmocka_unit_test(test_room),          cmocka_unit_test(test_hostile),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
