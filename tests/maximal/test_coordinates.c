// mj_step in maximal coordinates, as a model asks for them.
#include <math.h>
#include <sinew/callback.h>
#include <sinew/maximal.h>
#include <sinew/solver.h>

#include "scene.h"

#define CHAIN                                                                              \
  "<option timestep='0.001' cone='elliptic'/><worldbody><geom type='plane' size='5 5 1'/>" \
  "<body pos='0 0 .5'><freejoint/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/>" \
  "<body pos='.3 0 0'><joint axis='0 1 0' damping='.1'/><geom type='capsule' size='.03' "  \
  "fromto='0 0 0 .3 0 0'/></body></body></worldbody>"
#define ASK(name, value) "<text name='sinew:" name "' data='" value "'/>"

static mjModel* chain(const char* asks) {
  char xml[2000];
  snprintf(xml, sizeof xml, "<mujoco><custom>%s</custom>" CHAIN "</mujoco>", asks);
  return scene_model(xml);
}

// Falls onto the floor as in minimal coordinates, to first order in the step; every step converges.
static void test_falls(void** state) {
  mjModel *maximal = chain(ASK("coordinates", "maximal")),
          *minimal = chain(ASK("solver", "admm-ncp"));
  mjData *a = mj_makeData(maximal), *b = mj_makeData(minimal);
  for (int i = 0; i < 600; i++) {
    mj_step(maximal, a);
    mj_step(minimal, b);
  }
  snSolverReport report;
  assert_true(a->ncon > 0 && fabs(a->time - 0.6) < 1e-9);
  assert_int_equal(sn_getReport(maximal, a, &report), 1);
  assert_int_equal(report.steps, 600);
  assert_int_equal(report.unconverged, 0);
  assert_true(a->qpos[2] > 0.039 && a->qpos[2] < 0.05);
  for (int i = 0; i < 3; i++) assert_true(fabs(a->qpos[i] - b->qpos[i]) < 2e-3);
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteModel(maximal);
  mj_deleteModel(minimal);
}

// qpos and qvel are the whole state: a copy goes on to the same bits.
static void test_state(void** state) {
  mjModel* m = chain(ASK("coordinates", "maximal"));
  mjData *a = mj_makeData(m), *b = mj_makeData(m);
  for (int i = 0; i < 300; i++) mj_step(m, a);
  mju_copy(b->qpos, a->qpos, m->nq);
  mju_copy(b->qvel, a->qvel, m->nv);
  for (int i = 0; i < 50; i++) {
    mj_step(m, a);
    mj_step(m, b);
  }
  assert_memory_equal(a->qpos, b->qpos, sizeof(mjtNum) * (size_t)m->nq);
  assert_memory_equal(a->qvel, b->qvel, sizeof(mjtNum) * (size_t)m->nv);
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteModel(m);
}

static void push(const mjModel* m, mjData* d, void* user) {
  d->qfrc_passive[m->nv - 1] += *(const mjtNum*)user;
}

// Damping that a program sets on a running model counts, and so does the model's own callback.
static void test_forces_that_come_later(void** state) {
  mjModel *loose = chain(ASK("coordinates", "maximal")), *damped = mj_copyModel(NULL, loose);
  mjtNum torque = 0.02;
  loose->dof_damping[6] = 0;
  mjData *a = mj_makeData(loose), *b = mj_makeData(damped);
  a->qpos[2] = b->qpos[2] = 5;
  a->qvel[6] = b->qvel[6] = 3;
  mj_step(loose, a);
  mj_resetData(loose, a);
  a->qpos[2] = 5;
  a->qvel[6] = 3;
  loose->dof_damping[6] = damped->dof_damping[6];
  for (int i = 0; i < 50; i++) {
    mj_step(loose, a);
    mj_step(damped, b);
  }
  assert_memory_equal(a->qpos, b->qpos, sizeof(mjtNum) * (size_t)loose->nq);

  mju_zero(loose->dof_damping, loose->nv);
  mj_resetData(loose, a);
  mj_resetData(loose, b);
  mj_step(loose, a);
  sn_setPassive(loose, push, &torque);
  mj_step(loose, b);
  assert_true(b->qvel[6] - a->qvel[6] > 1e-3);
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteModel(loose);
  mj_deleteModel(damped);
}

static double drift(const char* asks) {
  mjModel* m = chain(asks);
  m->opt.timestep = 0.002;
  m->dof_damping[6] = 0;
  m->opt.enableflags |= mjENBL_ENERGY;
  mjData* d = mj_makeData(m);
  d->qpos[2] = 5;
  d->qvel[4] = 6;
  d->qvel[6] = -8;
  mj_forward(m, d);
  double first = d->energy[0] + d->energy[1], worst = 0;
  for (int i = 0; i < 300; i++) {
    mj_step(m, d);
    mj_forward(m, d);
    worst = fmax(worst, fabs(d->energy[0] + d->energy[1] - first));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return worst;
}

// In flight Moreau's midpoint keeps energy better than Euler, though both are of first order:
// velocities are Euler's in both.
static void test_moreau(void** state) {
  double euler = drift(ASK("coordinates", "maximal"));
  double moreau = drift(ASK("coordinates", "maximal") ASK("stepping", "moreau"));
  print_message("energy off by %.3g J with Euler, %.3g J with Moreau\n", euler, moreau);
  assert_true(moreau < 0.9 * euler);
}

// What cannot be mapped is refused by name when the model is compiled.
static void test_refused(void** state) {
  static const char* const kParts[][2] = {
      {"<worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody><actuator>"
       "<adhesion name='sticky' body='b' ctrlrange='0 1'/></actuator>",
       "sticky"},
      {"<worldbody><flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' "
       "radius='.01'/>"
       "</worldbody>",
       "cloth"}};
  for (int i = 0; i < 2; i++) {
    char xml[2000], error[500] = "";
    snprintf(xml, sizeof xml,
             "<mujoco><custom>" ASK("coordinates", "maximal") "</custom>%s</mujoco>", kParts[i][0]);
    mjSpec* s = mj_parseXMLString(xml, NULL, error, sizeof error);
    assert_non_null(s);
    assert_null(mj_compile(s, NULL));
    if (!strstr(mjs_getError(s), kParts[i][1])) fail_msg("%s", mjs_getError(s));
    mj_deleteSpec(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_falls), cmocka_unit_test(test_state),
                                     cmocka_unit_test(test_forces_that_come_later),
                                     cmocka_unit_test(test_moreau), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
