// Truths of the maximal integrator: momentum, energy, friction, restitution; bad input, memory and
// bits.
#include <sinew/maximal.h>
#include <stdbool.h>

#include "base/base.h"
#include "scene.h"

static snMaximal* make(const mjModel* m, const char* solver, int stepping) {
  char error[1000];
  snMaximalOption opt;
  sn_defaultMaximal(&opt);
  if (solver) {
    opt.solver = solver;
    assert_int_equal(sn_solverDefaults(solver, &opt.settings), 1);
  }
  opt.stepping = stepping;
  snMaximal* x = sn_makeMaximal(m, &opt, error, sizeof error);
  if (!x) fail_msg("%s", error);
  return x;
}

static void momentum(const snMaximal* x, double linear[3], double angular[3]) {
  mju_zero3(linear);
  mju_zero3(angular);
  for (int i = 0; i < x->nbody; i++) {
    double p[3], l[3], spin[3], local[3], inv[4];
    const double *v = x->vel + 6 * i, *q = x->quat + 4 * i;
    mju_scl3(p, v, x->mass[i]);
    mju_cross(l, x->pos + 3 * i, p);
    mju_negQuat(inv, q);
    mju_rotVecQuat(local, v + 3, inv);
    mju_mulMatVec3(spin, x->inertia + 9 * i, local);
    mju_rotVecQuat(spin, spin, q);
    mju_addTo3(linear, p);
    mju_addTo3(angular, l);
    mju_addTo3(angular, spin);
  }
}

static double energy(const snMaximal* x) {
  double sum = 0;
  for (int i = 0; i < x->nbody; i++) {
    double local[3], inv[4], spin[3];
    const double *v = x->vel + 6 * i, *g = x->model->opt.gravity;
    mju_negQuat(inv, x->quat + 4 * i);
    mju_rotVecQuat(local, v + 3, inv);
    mju_mulMatVec3(spin, x->inertia + 9 * i, local);
    sum += 0.5 * x->mass[i] * mju_dot3(v, v) + 0.5 * mju_dot3(local, spin) -
           x->mass[i] * mju_dot3(g, x->pos + 3 * i);
  }
  return sum;
}

static const char kLoop[] =
    "<mujoco><option timestep='.001' gravity='0 0 0'/><worldbody>"
    "<body pos='0 0 1'><freejoint/><geom type='box' size='.2 .03 .03' mass='1'/>"
    "<site name='a0' pos='.2 -.03 0'/><site name='a1' pos='.2 .03 0'/>"
    "<body pos='-.2 0 0' euler='0 8.13010235416 0'><joint axis='0 1 0'/><geom type='box' "
    "size='.02 .02 .15' pos='0 0 .15' mass='.5' contype='0' conaffinity='0'/>"
    "<body pos='0 0 .353553390593' euler='0 81.8698976458 0'><joint axis='0 1 0'/><geom type='box' "
    "size='.02 .02 .15' pos='0 0 .15' mass='.7' contype='0' conaffinity='0'/>"
    "<body pos='0 0 .3' euler='0 81.8698976458 0'><joint axis='0 1 0'/><geom type='box' "
    "size='.02 .02 .15' pos='0 0 .15' mass='.3' contype='0' conaffinity='0'/>"
    "<site name='b0' pos='0 -.03 .353553390593'/><site name='b1' pos='0 .03 .353553390593'/>"
    "</body></body></body></body></worldbody><equality>"
    "<connect site1='a0' site2='b0'/><connect site1='a1' site2='b1'/></equality></mujoco>";

// Internal reactions are equal and opposite: linear momentum stays to rounding, angular momentum to
// first order in the step (bodies turn explicitly).
static void test_momentum(void** state) {
  for (int stepping = 0; stepping < 2; stepping++) {
    double drift[2];
    for (int k = 0; k < 2; k++) {
      mjModel* m = scene_model(kLoop);
      m->opt.timestep = k ? 0.0005 : 0.001;
      snMaximal* x = make(m, NULL, stepping);
      double p0[3], l0[3], p1[3], l1[3];
      for (int i = 0; i < 6 * x->nbody; i++)
        x->vel[i] += (i % 6 < 3 ? 0.3 : 1) * (i % 6 - 2.5) * 0.3;
      sn_stepMaximal(x);  // takes out what the joints forbid
      momentum(x, p0, l0);
      for (int i = 0; i < (k ? 2000 : 1000); i++) assert_int_equal(sn_stepMaximal(x), 1);
      momentum(x, p1, l1);
      mju_subFrom3(p1, p0);
      mju_subFrom3(l1, l0);
      assert_true(mju_norm3(p1) < 1e-11);
      drift[k] = mju_norm3(l1) / mju_norm3(l0);
      assert_true(x->joint_error < 1e-4);
      sn_deleteMaximal(x);
      mj_deleteModel(m);
    }
    assert_true(drift[0] < 0.02);
    assert_true(drift[1] < 0.6 * drift[0]);
  }
}

// A double pendulum with skew axes: energy over a second converges with the step.
static void test_energy(void** state) {
  const char* xml =
      "<mujoco><worldbody><body pos='0 0 2'><joint axis='0 1 0'/><geom type='capsule' size='.03' "
      "fromto='0 0 0 .5 0 0' mass='1'/><body pos='.5 0 0'><joint axis='0 1 1'/><geom "
      "type='capsule' "
      "size='.03' fromto='0 0 0 0 .2 -.3' mass='.5'/></body></body></worldbody></mujoco>";
  for (int stepping = 0; stepping < 2; stepping++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      mjModel* m = scene_model(xml);
      m->opt.timestep = k ? 0.00025 : 0.0005;
      m->opt.disableflags |= mjDSBL_CONTACT;
      snMaximal* x = make(m, NULL, stepping);
      double start = energy(x);
      off[k] = 0;
      for (int i = 0; i < (k ? 4000 : 2000); i++) {
        assert_int_equal(sn_stepMaximal(x), 1);
        off[k] = fmax(off[k], fabs(energy(x) - start));
      }
      sn_deleteMaximal(x);
      mj_deleteModel(m);
    }
    if (!(off[0] < 0.05) || !(off[1] < 0.6 * off[0])) fail_msg("%g %g", off[0], off[1]);
  }
}

// A ball returns to e^2 of its height.
static void test_restitution(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option timestep='.001'/><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 1'><freejoint/><geom size='.05'/></body></worldbody></mujoco>");
  const double bounce[] = {0.25, 0.5, 0.75, 0.95};
  for (int k = 0; k < 4; k++) {
    snMaximal* x = make(m, NULL, snSTEPPING_EULER);
    sn_setRestitution(m, x->data, 1, bounce[k]);
    double top = 0;
    bool hit = false, falls = false;
    for (int i = 0; i < 2000 && !falls; i++) {
      sn_stepMaximal(x);
      hit = hit || x->vel[2] > 0;
      falls = hit && x->vel[2] < 0;
      if (hit) top = fmax(top, x->pos[2] - 0.05);
    }
    double expected = 0.95 * bounce[k] * bounce[k];
    // an impact is seen at the end of the step it falls in: up to v h late
    if (!(fabs(top - expected) < 0.01 * expected + 0.0044)) fail_msg("%g: %g", bounce[k], top);
    sn_deleteMaximal(x);
  }
  mj_deleteModel(m);
}

// v^2 / (2 mu g), and rest on a slope inside the cone.
static void test_friction(void** state) {
  const char* xml =
      "<mujoco><option timestep='.001'/><worldbody><geom type='plane' size='5 5 1' friction='.4'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.2 .2 .1' friction='.4'/></body>"
      "</worldbody></mujoco>";
  mjModel* m = scene_model(xml);
  snMaximal* x = make(m, NULL, snSTEPPING_EULER);
  x->vel[0] = 1.5;
  for (int i = 0; i < 1000; i++) sn_stepMaximal(x);
  double expected = 1.5 * 1.5 / (2 * 0.4 * 9.81);
  assert_true(fabs(x->pos[0] - expected) < 0.01 * expected);
  assert_true(fabs(x->vel[0]) < 1e-6);
  // tilt gravity instead of the floor: tan(a) = .3 < mu
  m->opt.gravity[0] = 9.81 * 0.3 / sqrt(1.09);
  m->opt.gravity[2] = -9.81 / sqrt(1.09);
  for (int i = 0; i < 100; i++) sn_stepMaximal(x);
  double from = x->pos[0];
  for (int i = 0; i < 1000; i++) sn_stepMaximal(x);
  assert_true(fabs(x->pos[0] - from) < 1e-6);
  sn_deleteMaximal(x);
  mj_deleteModel(m);
}

// A ball of radius r spins down by the torque mu_t m g, and rolls out by mu_r m g, which slows it
// at 5/7 mu_r g / r; with condim 3 it does neither. Minimal coordinates say the same.
static void test_torsion_and_rolling(void** state) {
  static const int condim[] = {3, 4, 6};
  for (int k = 0; k < 3; k++) {
    char xml[1000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='.001'/><worldbody><geom type='plane' size='5 5 1' "
             "condim='%d' friction='1 .01 .004'/><body pos='0 0 .1'><freejoint/>"
             "<geom size='.1' mass='2' condim='%d' friction='1 .01 .004'/></body></worldbody>"
             "<custom><text name='sinew:solver' data='admm-ncp'/></custom></mujoco>",
             condim[k], condim[k]);
    mjModel* m = scene_model(xml);
    for (int rolls = 0; rolls < 2; rolls++) {
      mjData* d = mj_makeData(m);
      if (rolls)
        d->qvel[0] = 0.5, d->qvel[4] = 5;
      else
        d->qvel[5] = 5;
      snMaximal* x = make(m, NULL, snSTEPPING_EULER);
      sn_setMaximal(x, d);
      double slows = rolls ? (condim[k] == 6 ? 5.0 / 7 * 0.004 * 9.81 / 0.1 : 0)
                           : (condim[k] > 3 ? 0.01 * 9.81 / (0.4 * 0.01) : 0);
      double start = rolls ? 0.5 : 5, at = 0.7 * fmin(0.5, slows > 0 ? start / slows : 0.5);
      const double *speed = x->vel + (rolls ? 0 : 5), *other = d->qvel + (rolls ? 0 : 5);
      while (x->data->time < at - 1e-9) {
        sn_stepMaximal(x);
        mj_step(m, d);
      }
      double expected = start - slows * x->data->time;
      if (!(fabs(*speed - expected) < 0.01 * expected &&
            fabs(*other - expected) < 0.01 * expected)) {
        fail_msg("condim %d, %s: %g, minimal %g, expected %g", condim[k],
                 rolls ? "rolling" : "spin", *speed, *other, expected);
      }
      // and it stops for good
      for (int i = 0; slows > 0 && i < 2500; i++) sn_stepMaximal(x);
      if (slows > 0 && !(fabs(*speed) < 1e-6)) fail_msg("condim %d: still %g", condim[k], *speed);
      sn_deleteMaximal(x);
      mj_deleteData(d);
    }
    mj_deleteModel(m);
  }
}

// Friction may differ by direction: along each tangent a box is slowed by its own.
static void test_directions(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option timestep='.001'/><worldbody><geom name='floor' type='plane' size='5 5 1'/>"
      "<body name='b' pos='0 0 .1'><freejoint/><geom name='box' type='box' size='.3 .3 .1'/></body>"
      "</worldbody><contact><pair geom1='floor' geom2='box' condim='4' friction='.2 .4 .005 0 0'/>"
      "</contact></mujoco>");
  for (int k = 0; k < 2; k++) {
    snMaximal* x = make(m, NULL, snSTEPPING_EULER);
    sn_stepMaximal(x);
    double along[3];
    mju_copy3(along, x->data->contact[0].frame + 3 + 3 * k);
    for (int i = 0; i < 3; i++) x->vel[i] = along[i];
    for (int i = 0; i < 100; i++) sn_stepMaximal(x);
    double speed = mju_dot3(along, x->vel), expected = 1 - (k ? 0.4 : 0.2) * 9.81 * 0.1;
    if (!(fabs(speed - expected) < 0.01)) fail_msg("tangent %d: %g, not %g", k, speed, expected);
    sn_deleteMaximal(x);
  }
  mj_deleteModel(m);
}

// What cannot be mapped is named.
static void test_errors(void** state) {
  static const char* const kBad[][2] = {
      {"<mujoco><worldbody><flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' "
       "dim='2' mass='1' radius='.01'/></worldbody></mujoco>",
       "cloth"},
      {"<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
       "<tendon><fixed name='heavy' armature='1'><joint joint='j' coef='1'/></fixed></tendon>"
       "</mujoco>",
       "heavy"},
      {"<mujoco><worldbody><body name='b'><joint/><geom size='.1'/></body></worldbody>"
       "<actuator><adhesion name='sticky' body='b' ctrlrange='0 1'/></actuator></mujoco>",
       "sticky"},
  };
  for (int i = 0; i < 3; i++) {
    char error[500];
    mjModel* m = scene_model(kBad[i][0]);
    assert_null(sn_makeMaximal(m, NULL, error, sizeof error));
    if (!strstr(error, kBad[i][1])) fail_msg("%s", error);
    mj_deleteModel(m);
  }
  mjModel* m = scene_model(kLoop);
  snMaximalOption opt;
  char error[500];
  sn_defaultMaximal(&opt);
  opt.solver = "magic";
  assert_null(sn_makeMaximal(m, &opt, error, sizeof error));
  assert_non_null(strstr(error, "magic"));
  assert_non_null(strstr(error, "admm-ncp"));
  sn_defaultMaximal(&opt);
  opt.settings.impact = snIMPACT_POISSON;
  assert_null(sn_makeMaximal(m, &opt, error, sizeof error));
  assert_non_null(strstr(error, "impact law"));
  assert_null(sn_makeMaximal(NULL, NULL, error, sizeof error));
  // the n-th allocation fails, for every n: an error, no crash, no leak
  for (long n = 1; n < 40; n++) {
    memory_fail_at(n);
    snMaximal* x = sn_makeMaximal(m, NULL, error, sizeof error);
    memory_fail_at(0);
    if (x) {
      sn_deleteMaximal(x);
    } else {
      assert_true(error[0]);
    }
  }
  mj_deleteModel(m);
}

// Two connects are a hinge, unless they are at one point.
static void test_connects(void** state) {
  static const char kText[] =
      "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='.1'/></body>"
      "<body name='b' pos='1 0 1'><freejoint/><geom size='.1'/></body></worldbody><equality>"
      "<connect body1='a' body2='b' anchor='.5 0 0'/><connect body1='a' body2='b' anchor='.5 %s "
      "0'/>"
      "</equality></mujoco>";
  for (int k = 0; k < 2; k++) {
    char xml[1000];
    snMaximalCount count;
    snprintf(xml, sizeof xml, kText, k ? ".1" : "0");
    mjModel* m = scene_model(xml);
    snMaximal* x = make(m, NULL, snSTEPPING_EULER);
    sn_countMaximal(x, &count);
    assert_int_equal(count.constraints, k ? 5 : 6);
    assert_int_equal(count.kind[snJOINT_REVOLUTE], k);
    assert_int_equal(count.kind[snJOINT_SPHERICAL], k ? 0 : 2);
    for (int i = 0; i < 100; i++) assert_int_equal(sn_stepMaximal(x), 1);
    assert_true(x->joint_error < 1e-6);
    sn_deleteMaximal(x);
    mj_deleteModel(m);
  }
}

static void test_bad_numbers(void** state) {
  mjModel* m = scene_model(kLoop);
  snMaximal* x = make(m, NULL, snSTEPPING_EULER);
  double start = x->pos[2];
  x->vel[3] = NAN;
  assert_int_equal(sn_stepMaximal(x), 0);
  assert_true(x->data->warning[mjWARN_BADQVEL].number > 0);
  assert_true(x->pos[2] == start);
  assert_int_equal(sn_stepMaximal(x), 1);
  sn_deleteMaximal(x);
  mj_deleteModel(m);
}

// Run again from the start: the same bits, and no allocation. Every solver leaves finite numbers.
static void test_bits_and_memory(void** state) {
  const char* xml =
      "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 .3' euler='10 20 0'><freejoint/><geom type='box' size='.1 .05 .05'/>"
      "<body pos='.15 0 0'><joint axis='0 1 0' range='-30 30' limited='true' damping='.01' "
      "frictionloss='.02'/><geom type='capsule' size='.03' fromto='.05 0 0 .2 0 0'/></body></body>"
      "<body pos='.05 0 .6'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "</worldbody></mujoco>";
  mjModel* m = scene_model(xml);
  for (int k = 0; sn_solverName(k); k++) {
    snMaximal* x = make(m, sn_solverName(k), k % 2);
    double first[64];
    int n = 7 * x->nbody;
    assert_true(n <= 64);
    long before = 0;
    for (int round = 0; round < 2; round++) {
      mj_resetData(m, x->data);
      sn_setMaximal(x, x->data);
      memset(&x->report, 0, sizeof x->report);
      before = memory_count();
      for (int i = 0; i < 150; i++) assert_int_equal(sn_stepMaximal(x), 1);
      double last[64];
      memcpy(last, x->pos, 3 * x->nbody * sizeof *last);
      memcpy(last + 3 * x->nbody, x->quat, 4 * x->nbody * sizeof *last);
      for (int i = 0; i < n; i++) assert_true(isfinite(last[i]));
      if (round == 0) {
        memcpy(first, last, n * sizeof *last);
      } else if (memcmp(first, last, n * sizeof *last)) {
        fail_msg("%s: other bits", sn_solverName(k));
      }
    }
    if (memory_count() != before) fail_msg("%s: allocates in a step", sn_solverName(k));
    sn_deleteMaximal(x);
  }
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momentum),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_restitution),
      cmocka_unit_test(test_friction),
      cmocka_unit_test(test_torsion_and_rolling),
      cmocka_unit_test(test_directions),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_connects),
      cmocka_unit_test(test_bad_numbers),
      cmocka_unit_test(test_bits_and_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
