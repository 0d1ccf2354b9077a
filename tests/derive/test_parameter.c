// Derivatives by numbers of the model against whole steps of changed models, and gradients over
// trajectories against whole trajectories.
#include <stdbool.h>

#include "derive/compare.h"

static const char scene[] =
    "<mujoco><option integrator='%s' cone='%s'/><default><joint damping='.3' armature='.01'/>"
    "<geom condim='4' friction='.8 .02 .01' solimp='.8 .95 .01'/></default><worldbody>"
    "<geom name='floor' type='plane' size='5 5 .1' friction='.6 .01 .005'/>"
    "<body name='trunk' pos='0 0 .12'><freejoint name='root'/><geom name='box' type='box' size='.2 "
    ".1 .1'/>"
    " <body name='arm' pos='.2 .1 0'><joint name='a' axis='0 1 0' stiffness='3' springref='10'/>"
    "  <geom name='limb' type='capsule' size='.05 .1' pos='.1 0 -.02' euler='0 80 0'/>"
    "  <body name='hand' pos='.25 0 0'><joint name='b' type='ball'/><geom name='ball' "
    "size='.06'/></body>"
    "</body></body></worldbody><actuator><position name='p' joint='a' kp='5' kv='.5'/>"
    "<general name='f' joint='a' dyntype='filter' dynprm='.1' gainprm='2' gaintype='affine'/>"
    "</actuator></mujoco>";

static void result(const mjModel* m, mjData* work, const mjData* d, double* y) {
  mj_copyData(work, m, d);
  mj_step(m, work);
  memcpy(y, work->qpos, sizeof(double) * (size_t)m->nq);
  memcpy(y + m->nq, work->qvel, sizeof(double) * (size_t)m->nv);
  memcpy(y + m->nq + m->nv, work->act, sizeof(double) * (size_t)m->na);
}

static const struct {
  const char *field, *object;
  int k;
} numbers[] = {
    {"body_mass", "arm", 0},     {"body_mass", "hand", 0},     {"body_inertia", "hand", 1},
    {"body_ipos", "arm", 2},     {"body_pos", "arm", 1},       {"geom_friction", "box", 0},
    {"geom_friction", "box", 1}, {"geom_solref", "limb", 0},   {"geom_solimp", "ball", 1},
    {"dof_damping", "a", 0},     {"dof_damping", "b", 2},      {"dof_armature", "a", 0},
    {"jnt_stiffness", "a", 0},   {"actuator_gainprm", "p", 0}, {"actuator_biasprm", "p", 2},
    {"actuator_dynprm", "f", 0}, {"actuator_gear", "p", 0},    {"geom_size", "ball", 0},
    {"geom_pos", "limb", 2},     {"opt.gravity", NULL, 2},     {"opt.timestep", NULL, 0},
    {"opt.impratio", NULL, 0}};
enum { COUNT = sizeof numbers / sizeof *numbers };

static mjtNum* place(mjModel* m, const snParameter* p) {
  const struct {
    const char* name;
    mjtNum* array;
  } fields[] = {{"body_mass", m->body_mass},
                {"body_inertia", m->body_inertia},
                {"body_ipos", m->body_ipos},
                {"body_pos", m->body_pos},
                {"geom_friction", m->geom_friction},
                {"geom_solref", m->geom_solref},
                {"geom_solimp", m->geom_solimp},
                {"dof_damping", m->dof_damping},
                {"dof_armature", m->dof_armature},
                {"jnt_stiffness", m->jnt_stiffness},
                {"actuator_gainprm", m->actuator_gainprm},
                {"actuator_biasprm", m->actuator_biasprm},
                {"actuator_dynprm", m->actuator_dynprm},
                {"actuator_gear", m->actuator_gear},
                {"geom_size", m->geom_size},
                {"geom_pos", m->geom_pos},
                {"opt.gravity", m->opt.gravity},
                {"opt.timestep", &m->opt.timestep},
                {"opt.impratio", &m->opt.impratio}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (!strcmp(p->field, fields[i].name)) return fields[i].array + p->index;
  }
  fail_msg("no field %s", p->field);
  return NULL;
}

static void check(const char* integrator, const char* cone, int constants) {
  mjModel* m = compare_model(scene, integrator, cone);
  mjData *d = mj_makeData(m), *work = mj_makeData(m), *spare = mj_makeData(m);
  for (int i = 0; i < 60; i++) {
    d->ctrl[0] = 0.4, d->ctrl[1] = -0.3;
    mj_step(m, d);
  }
  assert_true(d->nefc > 5);
  int nx = 2 * m->nv + m->na;
  snParameter p[COUNT];
  for (int i = 0; i < COUNT; i++) {
    assert_true(sn_parameter(m, numbers[i].field, numbers[i].object, numbers[i].k, p + i));
  }
  double *D = calloc((size_t)(nx * COUNT), sizeof(double)), *y[2], dq[64];
  for (int k = 0; k < 2; k++) y[k] = calloc((size_t)(m->nq + m->nv + m->na), sizeof(double));
  snDeriveReport report;
  mj_copyData(work, m, d);
  assert_true(sn_transitionBy(m, work, p, COUNT, constants, D, &report));
  assert_memory_equal(work->qpos, d->qpos, sizeof(double) * (size_t)m->nq);
  assert_non_null(strstr(report.differenced, "parameters"));
  int zero = 0;
  for (int i = 0; i < COUNT; i++) {
    mjtNum* at = place(m, p + i);
    double kept = *at, step = 1e-4 * fmax(fabs(kept), 1e-2), largest = 1e-4, off = 0, width;
    volatile double ends[2];
    for (int side = 0; side < 2; side++) {
      ends[side] = *at = kept + (side ? step : -step);
      if (constants) mj_setConst(m, spare);
      result(m, work, d, y[side]);
      *at = kept;
    }
    width = ends[1] - ends[0];
    if (constants) mj_setConst(m, spare);
    mj_differentiatePos(m, dq, width, y[0], y[1]);
    for (int r = 0; r < nx; r++) {
      int k = m->nq - m->nv + r;
      double expected = r < m->nv ? dq[r] : (y[1][k] - y[0][k]) / width;
      largest = fmax(largest, fabs(expected));
      off = fmax(off, fabs(expected - D[r * COUNT + i]));
    }
    zero += largest <= 1e-4;
    if (!(off < 1e-5 * largest)) {
      fail_msg("%s of %s by %s: off by %.1e", integrator, numbers[i].field,
               numbers[i].object ? numbers[i].object : "", off / largest);
    }
  }
  assert_true(zero < COUNT / 3);
  free(D), free(y[0]), free(y[1]);
  mj_deleteData(d), mj_deleteData(work), mj_deleteData(spare);
  mj_deleteModel(m);
}

static void parameters_agree(void** state) {
  check("Euler", "pyramidal", 0);
  check("Euler", "elliptic", 1);
  check("implicitfast", "elliptic", 0);
  check("implicit", "pyramidal", 0);
  // by whole steps
  check("RK4", "pyramidal", 0);
  check("RK4", "elliptic", 1);
}

// Where the step is not taken apart: the same from whole steps, said by the report.
static void parameters_of_hard_contact(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><custom><text name='sinew:solver' data='admm-ncp'/><numeric name='sinew:tol_primal' "
      "data='1e-13'/><numeric name='sinew:tol_dual' data='1e-13'/><numeric "
      "name='sinew:iterations' data='2000'/></custom><option timestep='.004'/><worldbody><geom "
      "type='plane' size='1 1 1' friction='.1'/><body name='ball' pos='0 0 .0999'><joint "
      "type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/><geom name='ball' size='.1' "
      "friction='.3'/></body></worldbody></mujoco>");
  mjData *d = mj_makeData(m), *work = mj_makeData(m);
  d->qvel[1] = 1;
  snParameter p[2];
  double D[8], expected = -9.81 * m->opt.timestep;
  snDeriveReport report;
  assert_true(sn_parameter(m, "geom_friction", "ball", 0, p));
  assert_true(sn_parameter(m, "opt.gravity", NULL, 2, p + 1));
  mj_forward(m, d);
  assert_int_equal(d->ncon, 1);
  assert_true(sn_transitionBy(m, d, p, 2, 0, D, &report));
  assert_int_equal(report.whole, 1);
  assert_non_null(strstr(report.differenced, "whole step"));
  // sliding: dv = -mu g h
  if (!(fabs(D[6] - expected) < 1e-5 * fabs(expected))) fail_msg("%g, not %g", D[6], expected);
  expected = 0.3 * m->opt.timestep;
  if (!(fabs(D[7] - expected) < 1e-5 * expected)) fail_msg("%g, not %g", D[7], expected);
  // the same by pairs of models
  double pair[4], width = 2e-6;
  mjModel* side[2] = {mj_copyModel(NULL, m), mj_copyModel(NULL, m)};
  for (int k = 0; k < 2; k++) side[k]->geom_friction[p[0].index] += (k ? 0.5 : -0.5) * width;
  const mjModel *low = side[0], *high = side[1];
  assert_true(sn_transitionOver(m, d, &low, &high, &width, 1, work, pair, &report));
  assert_true(fabs(pair[3] - D[6]) < 1e-5 * fabs(D[6]));
  for (int k = 0; k < 2; k++) mj_deleteModel(side[k]);
  mj_deleteData(work), mj_deleteData(d);
  mj_deleteModel(m);
}

static int errors;
static char last[500];
static void note(const char* text) {
  errors++;
  snprintf(last, sizeof last, "%s", text);
}

static void unknown_parameters_are_refused(void** state) {
  mjModel* m = compare_model(scene, "Euler", "pyramidal");
  snParameter p;
  errors = 0;
  mju_user_error = note;
  assert_false(sn_parameter(m, "body_massiveness", "arm", 0, &p));
  assert_non_null(strstr(last, "body_massiveness"));
  assert_false(sn_parameter(m, "body_mass", "leg", 0, &p));
  assert_non_null(strstr(last, "leg"));
  assert_false(sn_parameter(m, "body_mass", NULL, 0, &p));
  assert_false(sn_parameter(m, "body_mass", "arm", 1, &p));
  assert_false(sn_parameter(m, "geom_condim", "box", 0, &p));
  assert_false(sn_parameter(m, "opt.iterations", NULL, 0, &p));
  assert_false(sn_parameter(m, "opt.gravity", NULL, 3, &p));
  mju_user_error = NULL;
  assert_int_equal(errors, 7);
  mj_deleteModel(m);
}

// NULL, wrong sizes and data of another model: an error that names the function, and 0.
static void bad_arguments_are_refused(void** state) {
  mjModel *m = compare_model(scene, "Euler", "pyramidal"),
          *other = scene_model(
              "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>");
  mjData *d = mj_makeData(m), *strange = mj_makeData(other);
  double x[100] = {0};
  errors = 0;
  mju_user_error = note;
  assert_false(sn_transition(NULL, d, x, NULL, NULL, NULL, NULL));
  assert_non_null(strstr(last, "sn_transition"));
  assert_false(sn_transition(m, NULL, x, NULL, NULL, NULL, NULL));
  assert_false(sn_transition(m, strange, x, NULL, NULL, NULL, NULL));
  assert_false(sn_vjp(m, d, NULL, x, x, NULL));
  assert_non_null(strstr(last, "gnext"));
  assert_false(sn_jvp(m, d, x, NULL, NULL, NULL));
  assert_false(sn_rolloutVjp(m, d, 0, NULL, x, x, x, NULL));
  assert_false(sn_transitionBy(m, d, NULL, 2, 0, x, NULL));
  assert_false(sn_inverseDerivative(m, strange, 0, x, NULL, NULL, NULL, NULL));
  assert_false(sn_forwardDerivative(m, NULL, x, NULL, NULL, NULL, NULL, NULL));
  mju_user_error = NULL;
  assert_int_equal(errors, 9);
  mj_deleteData(d), mj_deleteData(strange);
  mj_deleteModel(m), mj_deleteModel(other);
}

// L = sum over steps of w_i . x_i: its gradient by the first state and all controls.
static double cost(const mjModel* m, mjData* work, const mjData* d, const double* ctrl, int n,
                   const double* w) {
  double sum = 0;
  mj_copyData(work, m, d);
  for (int i = 0; i < n; i++) {
    memcpy(work->ctrl, ctrl + i * m->nu, sizeof(double) * (size_t)m->nu);
    mj_step(m, work);
    const double* row = w + i * (2 * m->nv + m->na);
    // only velocities and activations are weighed: positions have no sum
    for (int k = 0; k < m->nv; k++) sum += row[m->nv + k] * work->qvel[k];
    for (int k = 0; k < m->na; k++) sum += row[2 * m->nv + k] * work->act[k];
  }
  return sum;
}

static void rollouts_agree(void** state) {
  enum { STEPS = 11 };
  static const char* const integrator[] = {"Euler", "implicitfast", "RK4"};
  for (int which = 0; which < 3; which++) {
    mjModel* m = compare_model(scene, integrator[which], "elliptic");
    mjData *d = mj_makeData(m), *work = mj_makeData(m);
    for (int i = 0; i < 40; i++) mj_step(m, d);
    int nv = m->nv, nx = 2 * nv + m->na, nu = m->nu;
    double *ctrl = calloc(STEPS * (size_t)nu, sizeof(double)),
           *gu = calloc(STEPS * (size_t)nu, sizeof(double));
    double *w = calloc(STEPS * (size_t)nx, sizeof(double)),
           *gx = calloc((size_t)nx, sizeof(double));
    unsigned long long seed = 4;
    for (int i = 0; i < STEPS * nu; i++) ctrl[i] = 0.3 * scene_random(&seed);
    for (int i = 0; i < STEPS; i++) {
      for (int k = nv; k < nx; k++) w[i * nx + k] = scene_random(&seed);
    }
    snDeriveReport report;
    mj_copyData(work, m, d);
    assert_true(sn_rolloutVjp(m, work, STEPS, ctrl, w, gx, gu, &report));
    assert_memory_equal(work->qpos, d->qpos, sizeof(double) * (size_t)m->nq);
    assert_memory_equal(work->qvel, d->qvel, sizeof(double) * (size_t)nv);
    double step = 1e-6, largest = 0, off = 0;
    for (int c = 0; c < STEPS * nu; c++) {
      double kept = ctrl[c], sum = 0;
      for (int side = -1; side <= 1; side += 2) {
        ctrl[c] = kept + side * step;
        sum += side * cost(m, work, d, ctrl, STEPS, w);
      }
      ctrl[c] = kept;
      largest = fmax(largest, fabs(gu[c]));
      off = fmax(off, fabs(gu[c] - sum / (2 * step)));
    }
    assert_true(largest > 1e-4);
    if (!(off < 1e-4 * largest))
      fail_msg("%s: controls off by %.1e", integrator[which], off / largest);
    mjData* moved = mj_makeData(m);
    largest = off = 0;
    for (int k = 0; k < nv; k++) {
      double sum = 0, direction[64] = {0}, side_q = 0;
      direction[k] = 1;
      for (int side = -1; side <= 1; side += 2) {
        mj_copyData(moved, m, d);
        moved->qvel[k] += side * step;
        sum += side * cost(m, work, moved, ctrl, STEPS, w);
        mj_copyData(moved, m, d);
        mj_integratePos(m, moved->qpos, direction, side * step);
        side_q += side * cost(m, work, moved, ctrl, STEPS, w);
      }
      largest = fmax(largest, fmax(fabs(gx[nv + k]), fabs(gx[k])));
      off = fmax(off, fabs(gx[nv + k] - sum / (2 * step)));
      off = fmax(off, fabs(gx[k] - side_q / (2 * step)));
    }
    if (!(off < 1e-4 * largest))
      fail_msg("%s: state off by %.1e", integrator[which], off / largest);
    free(ctrl), free(gu), free(w), free(gx);
    mj_deleteData(moved), mj_deleteData(d), mj_deleteData(work);
    mj_deleteModel(m);
  }
}

// Two numbers that move together are the sum of their columns.
static void changed_models_agree_with_numbers(void** state) {
  (void)state;
  mjModel* m = compare_model(scene, "implicitfast", "elliptic");
  mjData *d = mj_makeData(m), *work = mj_makeData(m);
  for (int k = 0; k < m->nv; k++) d->qvel[k] = 2 - k % 3;
  for (int k = 0; k < 5; k++) mj_step(m, d);
  int nx = 2 * m->nv + m->na;
  snParameter p[2];
  assert_true(sn_parameter(m, "body_mass", "arm", 0, p));
  assert_true(sn_parameter(m, "geom_friction", "box", 0, p + 1));
  double *each = calloc(2 * (size_t)nx, sizeof(double)), *both = calloc((size_t)nx, sizeof(double));
  double width = 2e-6, largest = 0;
  mjModel* side[2] = {mj_copyModel(NULL, m), mj_copyModel(NULL, m)};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 2; i++) *place(side[k], p + i) += (i + 1) * (k ? 0.5 : -0.5) * width;
  }
  const mjModel *low = side[0], *high = side[1];
  assert_true(sn_transitionBy(m, d, p, 2, 0, each, NULL));
  snDeriveReport report;
  assert_true(sn_transitionOver(m, d, &low, &high, &width, 1, work, both, &report));
  assert_non_null(strstr(report.differenced, "parameters"));
  for (int i = 0; i < nx; i++) largest = fmax(largest, fabs(both[i]));
  assert_true(largest > 1e-6);
  for (int i = 0; i < nx; i++) {
    double sum = each[2 * i] + 2 * each[2 * i + 1];
    if (!(fabs(both[i] - sum) < 1e-6 * largest)) fail_msg("%d: %g, not %g", i, both[i], sum);
  }
  free(each), free(both);
  mj_deleteModel(side[0]), mj_deleteModel(side[1]);
  mj_deleteData(work), mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parameters_agree),
                                     cmocka_unit_test(parameters_of_hard_contact),
                                     cmocka_unit_test(unknown_parameters_are_refused),
                                     cmocka_unit_test(bad_arguments_are_refused),
                                     cmocka_unit_test(rollouts_agree),
                                     cmocka_unit_test(changed_models_agree_with_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
