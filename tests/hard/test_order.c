// sinew:stepping richardson: second order while contacts hold, first order where they change, in
// minimal and maximal coordinates.
#include <sinew/derive.h>
#include <sinew/solver.h>

#include "scene.h"

enum { BEFORE = 4096 };

static mjModel* load(const char* body, const char* coordinates, const char* stepping, double h) {
  char xml[BEFORE];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='%.17g'/><custom>"
           "<text name='sinew:solver' data='admm-ncp'/>"
           "<text name='sinew:coordinates' data='%s'/><text name='sinew:stepping' data='%s'/>"
           "</custom><worldbody><geom type='plane' size='9 9 1'/>%s</worldbody></mujoco>",
           h, coordinates, stepping, body);
  return scene_model(xml);
}

// A ball that rolls on the floor, pulled back by a spring and held up by a damper:
// 7/5 m x'' = -k x - b x'.
static const char kRolling[] =
    "<body pos='0 0 .1'><joint type='slide' axis='1 0 0' stiffness='30' damping='1.5'/>"
    "<joint type='slide' axis='0 0 1'/><joint type='hinge' axis='0 1 0'/>"
    "<geom type='sphere' size='.1' mass='1'/></body>";

static double rolling_error(const char* coordinates, const char* stepping, double h) {
  mjModel* m = load(kRolling, coordinates, stepping, h);
  mjData* d = mj_makeData(m);
  d->qpos[0] = 0.2;
  d->qpos[1] = -1e-9;  // touching
  int steps = (int)lrint(0.8 / h);
  for (int i = 0; i < steps; i++) mj_step(m, d);
  assert_true(fabs(d->time - 0.8) < 1e-9);
  assert_true(fabs(d->qpos[1]) < 2e-5);  // on the floor
  double rate = 1.5 / 2.8, omega = sqrt(30 / 1.4 - rate * rate), angle = 0.8 * omega;
  double exact = 0.2 * exp(-0.8 * rate) * (cos(angle) + rate / omega * sin(angle));
  double error = fabs(d->qpos[0] - exact);
  mj_deleteData(d);
  mj_deleteModel(m);
  return error;
}

static void test_held(void** state) {
  static const char* const kCoordinates[] = {"minimal", "maximal"};
  for (int c = 0; c < 2; c++) {
    double first[3], second[3];
    for (int k = 0; k < 3; k++) {
      first[k] = rolling_error(kCoordinates[c], "euler", 0.008 / (1 << k));
      second[k] = rolling_error(kCoordinates[c], "richardson", 0.008 / (1 << k));
    }
    for (int k = 0; k < 2; k++) {
      double one = first[k] / first[k + 1], two = second[k] / second[k + 1];
      if (!(one > 1.7 && one < 2.4 && two > 3.4 && two < 4.7)) {
        fail_msg("%s: halving the step divides errors by %g and %g (%g, %g)", kCoordinates[c], one,
                 two, first[k], second[k]);
      }
    }
    assert_true(second[2] < 0.1 * first[2]);
  }
}

// A block that falls flat: in free flight the step is exact in both forms, and where it lands it is
// that of two half steps, bit by bit.
static void test_impact(void** state) {
  static const char kFalling[] =
      "<body pos='0 0 .13'><joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/>"
      "<geom type='box' size='.1 .1 .1' mass='1'/></body>";
  static const char* const kCoordinates[] = {"minimal", "maximal"};
  for (int c = 0; c < 2; c++) {
    mjModel* m = load(kFalling, kCoordinates[c], "richardson", 0.004);
    mjModel* half = load(kFalling, kCoordinates[c], "euler", 0.002);
    mjData *d = mj_makeData(m), *other = mj_makeData(half);
    int size = mj_stateSize(m, mjSTATE_INTEGRATION), landed = 0;
    double* before = malloc(sizeof(double) * (size_t)size);
    d->qvel[1] = 0.5;
    for (int i = 0; i < 60; i++) {
      int falling = d->qvel[0] < -0.1;
      mj_getState(m, d, before, mjSTATE_INTEGRATION);
      mj_step(m, d);
      if (!falling || d->qvel[0] < -0.1) continue;
      mj_setState(half, other, before, mjSTATE_INTEGRATION);
      mj_step(half, other);
      mj_step(half, other);
      for (int k = 0; k < m->nv; k++) {
        if (d->qpos[k] != other->qpos[k] || d->qvel[k] != other->qvel[k]) {
          fail_msg("%s, step %d: qpos %.17g, not %.17g, qvel %.17g, not %.17g", kCoordinates[c], i,
                   d->qpos[k], other->qpos[k], d->qvel[k], other->qvel[k]);
        }
      }
      landed++;
    }
    assert_int_equal(landed, 1);
    free(before);
    mj_deleteData(d);
    mj_deleteData(other);
    mj_deleteModel(m);
    mj_deleteModel(half);
  }
}

// A state that is saved and restored steps to the same bits.
static void test_restored(void** state) {
  mjModel* m = load(kRolling, "minimal", "richardson", 0.005);
  mjData *d = mj_makeData(m), *other = mj_makeData(m);
  int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  double* saved = malloc(sizeof(double) * (size_t)size);
  d->qpos[0] = 0.2;
  for (int i = 0; i < 10; i++) mj_step(m, d);
  mj_getState(m, d, saved, mjSTATE_INTEGRATION);
  mj_setState(m, other, saved, mjSTATE_INTEGRATION);
  for (int i = 0; i < 10; i++) {
    mj_step(m, d);
    mj_step(m, other);
  }
  for (int i = 0; i < m->nv; i++) {
    assert_true(d->qpos[i] == other->qpos[i] && d->qvel[i] == other->qvel[i]);
  }
  free(saved);
  mj_deleteData(d);
  mj_deleteData(other);
  mj_deleteModel(m);
}

// Derivatives are those of the extrapolated step: differences of mj_step.
static void test_derivatives(void** state) {
  mjModel* m = load(kRolling, "minimal", "richardson", 0.02);
  mjData* d = mj_makeData(m);
  double A[2][36], saved[9], y[2][6], eps = 1e-5;
  d->qpos[0] = 0.2;
  d->qpos[1] = -1e-7;
  for (int i = 0; i < 10; i++) mj_step(m, d);
  mjd_transitionFD(m, d, eps, 1, A[0], NULL, NULL, NULL);
  assert_true(sn_transition(m, d, A[1], NULL, NULL, NULL, NULL));
  mju_copy(saved, d->qpos, 3);
  mju_copy(saved + 3, d->qvel, 3);
  mju_copy(saved + 6, d->qacc_warmstart, 3);
  for (int c = 0; c < 6; c++) {
    if (c == 1 || c == 4) continue;  // the contact opens
    for (int side = 0; side < 2; side++) {
      mju_copy(d->qpos, saved, 3);
      mju_copy(d->qvel, saved + 3, 3);
      mju_copy(d->qacc_warmstart, saved + 6, 3);
      (c < 3 ? d->qpos + c : d->qvel + c - 3)[0] += side ? eps : -eps;
      mj_step(m, d);
      mju_copy(y[side], d->qpos, 3);
      mju_copy(y[side] + 3, d->qvel, 3);
    }
    for (int r = 0; r < 6; r++) {
      double expected = (y[1][r] - y[0][r]) / (2 * eps);
      for (int k = 0; k < 2; k++) {
        if (!(fabs(A[k][6 * r + c] - expected) < 1e-6)) {
          fail_msg("%d, row %d, column %d: %g, not %g", k, r, c, A[k][6 * r + c], expected);
        }
      }
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_held),
      cmocka_unit_test(test_impact),
      cmocka_unit_test(test_restored),
      cmocka_unit_test(test_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
