// Derivatives by applied forces, wrenches and mocap poses against differences of the whole step.
#include <stdbool.h>

#include "derive/compare.h"

// A trunk on the ground beside a pusher that is moved from outside, and an arm that a weld leads.
static const char scene[] =
    "<mujoco><option integrator='%s' cone='%s'/><default><joint damping='.3' armature='.01'/>"
    "<geom condim='4' friction='.8 .02 .01' solimp='.8 .95 .01'/></default><worldbody>"
    "<geom type='plane' size='5 5 .1'/>"
    "<body name='pusher' mocap='true' pos='.33 .01 .1' euler='10 20 30'>"
    " <geom type='capsule' size='.1 .1'/></body>"
    "<body name='leader' mocap='true' pos='0 0 .5' euler='5 10 -20'/>"
    "<body name='trunk' pos='0 0 .098'><freejoint/><geom type='box' size='.25 .1 .1'/>"
    " <body name='arm' pos='0 0 .2'><joint name='a' axis='0 1 0'/>"
    "  <geom type='capsule' size='.04' fromto='0 0 0 .05 .02 .2'/>"
    "  <body name='hand' pos='.05 .02 .25'><joint type='ball'/><geom size='.05'/></body>"
    "</body></body></worldbody>"
    "<equality><weld body1='leader' body2='hand' solref='.1 1'/></equality>"
    "<actuator><general joint='a' dyntype='filter' dynprm='.1' gainprm='2'/></actuator>"
    "</mujoco>";

// One input, moved by `step`.
static void move(mjData* d, int kind, int k, double step) {
  mjtNum axis[3] = {0};
  if (kind == 0) {
    d->qfrc_applied[k] += step;
  } else if (kind == 1) {
    d->xfrc_applied[k] += step;
  } else if (k % 6 < 3) {
    d->mocap_pos[3 * (k / 6) + k % 6] += step;
  } else {
    axis[k % 3] = 1;
    mju_quatIntegrate(d->mocap_quat + 4 * (k / 6), axis, step);
  }
}

static void step_from(const mjModel* m, mjData* work, const mjData* d, int kind, int k, double step,
                      double* qpos, double* rest) {
  mj_copyData(work, m, d);
  move(work, kind, k, step);
  mj_step(m, work);
  memcpy(qpos, work->qpos, sizeof(double) * (size_t)m->nq);
  memcpy(rest, work->qvel, sizeof(double) * (size_t)m->nv);
  memcpy(rest + m->nv, work->act, sizeof(double) * (size_t)m->na);
}

// A column by fourth-order centred differences.
static void column(const mjModel* m, mjData* work, const mjData* d, int kind, int k, double* out) {
  double qpos[4][64], rest[4][64], dq[64], h = kind == 2 ? 1e-5 : 1e-3;
  static const double at[4] = {-2, -1, 1, 2}, weight[2] = {4. / 3, -1. / 3};
  for (int i = 0; i < 4; i++) step_from(m, work, d, kind, k, at[i] * h, qpos[i], rest[i]);
  memset(out, 0, sizeof(double) * (size_t)(2 * m->nv + m->na));
  for (int i = 0; i < 2; i++) {
    const int low = 1 - i, high = 2 + i;
    double width = at[high] * h - at[low] * h;
    mj_differentiatePos(m, dq, width, qpos[low], qpos[high]);
    for (int j = 0; j < m->nv; j++) out[j] += weight[i] * dq[j];
    for (int j = 0; j < m->nv + m->na; j++) {
      out[m->nv + j] += weight[i] * (rest[high][j] - rest[low][j]) / width;
    }
  }
}

static void check(const char* integrator, const char* cone, double tolerance) {
  mjModel* m = compare_model(scene, integrator, cone);
  mjData *d = mj_makeData(m), *work = mj_makeData(m);
  for (int i = 0; i < 20; i++) mj_step(m, d);
  mju_copy(d->xfrc_applied + 6 * 4, (mjtNum[]){1, 2, -3, .1, .2, .3}, 6);
  assert_true(d->ncon > 0);
  int nx = 2 * m->nv + m->na, n[3] = {m->nv, 6 * m->nbody, 6 * m->nmocap};
  double *D[3], *g[3], expected[128], gnext[128];
  for (int k = 0; k < 3; k++) {
    D[k] = malloc(sizeof(double) * (size_t)nx * (size_t)n[k]);
    g[k] = malloc(sizeof(double) * (size_t)n[k]);
  }
  for (int i = 0; i < nx; i++) gnext[i] = sin(1 + i);
  snDeriveReport report;
  mj_copyData(work, m, d);
  assert_true(sn_transitionInput(m, work, D[0], D[1], D[2], &report));
  assert_true(sn_vjpInput(m, work, gnext, g[0], g[1], g[2], NULL));
  // the state stays
  assert_memory_equal(work->qpos, d->qpos, sizeof(double) * (size_t)m->nq);
  assert_memory_equal(work->mocap_pos, d->mocap_pos, sizeof(double) * 3 * (size_t)m->nmocap);
  int moved = 0;
  for (int kind = 0; kind < 3; kind++) {
    for (int c = 0; c < n[kind]; c++) {
      column(m, work, d, kind, c, expected);
      double largest = 1e-6, error = 0, sum = 0;
      for (int i = 0; i < nx; i++) {
        double ours = D[kind][(size_t)i * (size_t)n[kind] + (size_t)c];
        largest = fmax(largest, fabs(expected[i]));
        error = fmax(error, fabs(ours - expected[i]));
        sum += ours * gnext[i];
      }
      if (error > tolerance * largest) {
        fail_msg("%s %s: input %d column %d is off by %g of %g", integrator, cone, kind, c, error,
                 largest);
      }
      assert_true(fabs(sum - g[kind][c]) <= 1e-12 * fmax(1, fabs(sum)));
      moved += largest > 1e-5;
    }
  }
  // forces move all dofs, wrenches three bodies, poses two mocap bodies
  assert_true(moved >= m->nv + 18 + 6);
  for (int k = 0; k < 3; k++) {
    free(D[k]);
    free(g[k]);
  }
  mj_deleteData(work);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void inputs_are_differences(void** state) {
  (void)state;
  check("Euler", "pyramidal", 1e-6);
  check("Euler", "elliptic", 1e-6);
  check("implicitfast", "elliptic", 1e-6);
  check("implicit", "pyramidal", 1e-6);
  check("RK4", "elliptic", 1e-5);  // by differences of the whole step, of second order
}

static void each_is_optional(void** state) {
  (void)state;
  mjModel* m = compare_model(scene, "Euler", "elliptic");
  mjData* d = mj_makeData(m);
  double wrench[64 * 36];
  snDeriveReport report;
  assert_true(sn_transitionInput(m, d, NULL, wrench, NULL, &report));
  assert_null(strstr(report.differenced, "mocap"));
  assert_true(sn_transitionInput(m, d, NULL, NULL, NULL, &report));
  // the world does not move
  for (int i = 0; i < 2 * m->nv; i++) assert_true(wrench[i * 6 * m->nbody] == 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inputs_are_differences),
      cmocka_unit_test(each_is_optional),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
