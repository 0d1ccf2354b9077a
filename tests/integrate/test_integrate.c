// Integrators against their formulas, with dense algebra and differences of the public functions:
//   Euler         (M + h diag(b)) (v' - v)/h = tau,  q' = q + h v'
//   implicit      (M - h D) (v' - v)/h = tau, D = d tau / d v with Coriolis terms
//   implicitfast  the same without Coriolis terms and symmetric
//   RK4           error of order h^4
// where tau is the sum of all forces at the old velocity.
#include <stdbool.h>

#include "scene.h"

enum { kMax = 40 };

static const char kScene[] =
    "<mujoco><option timestep='.01' integrator='%s'/><worldbody>"
    "<body pos='0 0 1'><freejoint/><geom size='.1 .2 .05' type='box'/>"
    " <body pos='.3 0 0'><joint type='ball' damping='.4'/><geom size='.05 .2' type='capsule'/>"
    "  <body pos='.1 .1 .2'><joint name='h' axis='1 1 0' damping='.7' armature='.1'/>"
    "   <joint name='s' type='slide' axis='0 1 1' stiffness='3' damping='.2'/><geom size='.1' "
    "pos='.1 0 .1'/>"
    "</body></body></body></worldbody>"
    "<actuator><velocity joint='h' kv='5'/><general joint='s' gainprm='1' biastype='affine' "
    "biasprm='0 -2 -3'/>"
    "</actuator></mujoco>";

static mjModel* scene(const char* integrator) {
  char xml[2000];
  snprintf(xml, sizeof xml, kScene, integrator);
  return scene_model(xml);
}

// A state in motion, and the forward dynamics there.
static void throw(const mjModel* m, mjData* d) {
  unsigned long long seed = 3;
  for (int i = 0; i < m->nv; i++) d->qvel[i] = scene_random(&seed);
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = scene_random(&seed);
  for (int i = 0; i < 20; i++) mj_step(m, d);
  mj_forward(m, d);
}

// D[i][j] = d (passive + actuator - bias)_i / d v_j, by centred differences; without bias when
// asked.
static void velocity_derivative(const mjModel* m, const mjData* at, bool bias, double* D) {
  mjData* d = mj_copyData(NULL, m, at);
  double side[2][kMax];
  for (int j = 0; j < m->nv; j++) {
    for (int k = 0; k < 2; k++) {
      mju_copy(d->qvel, at->qvel, m->nv);
      d->qvel[j] += k ? -1e-6 : 1e-6;
      mj_forward(m, d);
      for (int i = 0; i < m->nv; i++) {
        side[k][i] = d->qfrc_passive[i] + d->qfrc_actuator[i] - (bias ? d->qfrc_bias[i] : 0);
      }
    }
    for (int i = 0; i < m->nv; i++) D[i * m->nv + j] = (side[0][i] - side[1][i]) / 2e-6;
  }
  mj_deleteData(d);
}

// (M - h D) a = qfrc_smooth + qfrc_constraint for the acceleration that the step took.
static void check_system(const mjModel* m, const mjData* before, const mjData* after,
                         const double* D, double tolerance) {
  int nv = m->nv;
  double h = m->opt.timestep, M[kMax * kMax];
  mj_fullM(m, M, before->qM);
  for (int i = 0; i < nv; i++) {
    double left = 0, scale = 1, right = before->qfrc_smooth[i] + before->qfrc_constraint[i];
    for (int j = 0; j < nv; j++) {
      double a = (after->qvel[j] - before->qvel[j]) / h, entry = M[i * nv + j] - h * D[i * nv + j];
      left += entry * a;
      scale += fabs(entry * a);
    }
    if (!(fabs(left - right) <= tolerance * scale))
      fail_msg("row %d: %.12g, not %.12g", i, left, right);
  }
}

// Positions move with the new velocity, quaternions by the exponential map.
static void check_positions(const mjModel* m, const mjData* before, const mjData* after) {
  double q[kMax];
  mju_copy(q, before->qpos, m->nq);
  mj_integratePos(m, q, after->qvel, m->opt.timestep);
  for (int i = 0; i < m->nq; i++) assert_float_equal(q[i], after->qpos[i], 1e-14);
  double axis[3], length = mju_norm3(after->qvel + 3), half = length * m->opt.timestep / 2, quat[4];
  mju_scl3(axis, after->qvel + 3, 1 / length);
  double turn[4] = {cos(half), sin(half) * axis[0], sin(half) * axis[1], sin(half) * axis[2]};
  mju_mulQuat(quat, before->qpos + 3, turn);
  for (int i = 0; i < 4; i++) assert_float_equal(quat[i], after->qpos[3 + i], 1e-14);
  assert_float_equal(after->time, before->time + m->opt.timestep, 1e-15);
}

static void one_step(const char* integrator, double* D, mjModel** m, mjData** before,
                     mjData** after) {
  *m = scene(integrator);
  mjData* d = mj_makeData(*m);
  throw(*m, d);
  *before = mj_copyData(NULL, *m, d);
  mj_step(*m, d);
  *after = d;
  memset(D, 0, sizeof(double) * (size_t)((*m)->nv * (*m)->nv));
}

static void release(mjModel* m, mjData* before, mjData* after) {
  mj_deleteData(before);
  mj_deleteData(after);
  mj_deleteModel(m);
}

static void test_euler(void** state) {
  (void)state;
  double D[kMax * kMax];
  mjModel* m;
  mjData *before, *after;
  one_step("Euler", D, &m, &before, &after);
  for (int i = 0; i < m->nv; i++) D[i * (m->nv + 1)] = -m->dof_damping[i];
  check_system(m, before, after, D, 1e-12);
  check_positions(m, before, after);
  // without implicit damping the acceleration is the continuous one
  m->opt.disableflags |= mjDSBL_EULERDAMP;
  mj_copyData(after, m, before);
  mj_step(m, after);
  for (int i = 0; i < m->nv; i++) {
    assert_float_equal(after->qvel[i], before->qvel[i] + m->opt.timestep * before->qacc[i], 1e-14);
  }
  release(m, before, after);
}

static void test_implicit(void** state) {
  (void)state;
  double D[kMax * kMax];
  mjModel* m;
  mjData *before, *after;
  one_step("implicit", D, &m, &before, &after);
  velocity_derivative(m, before, true, D);
  check_system(m, before, after, D, 1e-8);
  check_positions(m, before, after);
  release(m, before, after);
}

static void test_implicitfast(void** state) {
  (void)state;
  double D[kMax * kMax];
  mjModel* m;
  mjData *before, *after;
  one_step("implicitfast", D, &m, &before, &after);
  velocity_derivative(m, before, false, D);
  check_system(m, before, after, D, 1e-8);
  check_positions(m, before, after);
  release(m, before, after);
}

// Error of a double pendulum after a fifth of a second, thrown, against a step 64 times as short.
static double pendulum_error(const char* integrator, double h) {
  char xml[1000];
  snprintf(xml, sizeof xml,
           "<mujoco><option integrator='%s' timestep='%.17g'/><worldbody><body>"
           "<joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .5 0 0' contype='0' "
           "conaffinity='0'/>"
           "<body pos='.5 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 "
           ".4 0 .2'"
           " contype='0' conaffinity='0'/></body></body></worldbody></mujoco>",
           integrator, h);
  double end[2][2];
  for (int fine = 0; fine < 2; fine++) {
    mjModel* m = scene_model(xml);
    if (fine) m->opt.timestep /= 64;
    mjData* d = mj_makeData(m);
    d->qvel[0] = 3;
    d->qvel[1] = -5;
    int steps = (int)lround(.2 / m->opt.timestep);
    for (int i = 0; i < steps; i++) mj_step(m, d);
    mju_copy(end[fine], d->qpos, 2);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  return hypot(end[0][0] - end[1][0], end[0][1] - end[1][1]);
}

static void test_order(void** state) {
  (void)state;
  double fourth = log2(pendulum_error("RK4", .005) / pendulum_error("RK4", .0025));
  if (!(fourth > 3.7 && fourth < 4.4)) fail_msg("RK4 has order %g", fourth);
  double first = log2(pendulum_error("Euler", .005) / pendulum_error("Euler", .0025));
  if (!(first > .8 && first < 1.2)) fail_msg("Euler has order %g", first);
}

// integrator: w' = w + h u; filter: w' = w + h (u - w)/t; filterexact: w' = w + (u - w)(1 -
// exp(-h/t)); all clamped to actrange.
static void test_activation(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option timestep='.02'/><worldbody><body><joint name='j'/><geom "
      "size='.1'/></body></worldbody><actuator>"
      "<general joint='j' dyntype='integrator'/><general joint='j' dyntype='filter' dynprm='.3'/>"
      "<general joint='j' dyntype='filterexact' dynprm='.3'/>"
      "<general joint='j' dyntype='integrator' actlimited='true' actrange='-.01 "
      ".015'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 4; i++) {
    d->ctrl[i] = 2;
    d->act[i] = i == 3 ? 0 : .5;
  }
  mj_step(m, d);
  assert_float_equal(d->act[0], .5 + .02 * 2, 1e-15);
  assert_float_equal(d->act[1], .5 + .02 * (2 - .5) / .3, 1e-15);
  assert_float_equal(d->act[2], .5 + (2 - .5) * (1 - exp(-.02 / .3)), 1e-15);
  assert_float_equal(d->act[3], .015, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_euler),        cmocka_unit_test(test_implicit),
      cmocka_unit_test(test_implicitfast), cmocka_unit_test(test_order),
      cmocka_unit_test(test_activation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
