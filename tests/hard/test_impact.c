// Impact laws beside Newton's: what a textbook says of a cradle and of a ball, and that none of
// them gains energy, whatever collides.
#include <sinew/solver.h>

#include "scene.h"

static const char* const laws[] = {"poisson", "energetic", "sequential"};

// The first ball of a row of touching ones arrives with 0.5 m/s: the last leaves with it, the
// others rest. Newton's law shares the velocity out.
static void test_cradle(void** state) {
  char xml[3000];
  size_t at = (size_t)snprintf(
      xml, sizeof xml,
      "<mujoco><option timestep='.001' gravity='0 0 0'/>"
      "<custom><text name='sinew:solver' data='admm-ncp'/>"
      "<text name='sinew:impact' data='sequential'/><tuple name='sinew:restitution'>");
  for (int i = 0; i < 5; i++) {
    at += (size_t)snprintf(xml + at, sizeof xml - at,
                           "<element objtype='geom' objname='g%d' prm='1'/>", i);
  }
  at += (size_t)snprintf(xml + at, sizeof xml - at, "</tuple></custom><worldbody>");
  for (int i = 0; i < 5; i++) {
    at += (size_t)snprintf(xml + at, sizeof xml - at,
                           "<body pos='%.17g 0 0'><joint type='slide' axis='1 0 0'/>"
                           "<geom name='g%d' size='.05' mass='1' condim='1'/></body>",
                           0.1 * i - (i ? 0 : 0.003), i);
  }
  snprintf(xml + at, sizeof xml - at, "</worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  assert_string_equal(sn_getImpact(m, d), "sequential");
  d->qvel[0] = 0.5;
  for (int i = 0; i < 50; i++) mj_step(m, d);
  for (int i = 0; i < 5; i++) {
    if (fabs(d->qvel[i] - (i == 4 ? 0.5 : 0)) > 0.005) fail_msg("ball %d: %g", i, d->qvel[i]);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A ball comes back with e of its velocity, for a step in which it touches.
static void test_ball(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option timestep='.002' gravity='0 0 0'/><worldbody>"
      "<geom name='floor' type='plane' size='1 1 1'/>"
      "<body pos='0 0 .101'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  for (int s = 0; s < 3; s++) {
    for (double e = 0.2; e < 1.1; e += 0.4) {
      mjData* d = mj_makeData(m);
      assert_true(sn_setSolver(m, d, "admm-ncp") && sn_setImpact(m, d, laws[s]));
      sn_setRestitution(m, d, 1, e);
      d->qvel[2] = -1;
      for (int i = 0; i < 5; i++) mj_step(m, d);
      if (fabs(d->qvel[2] - e) > 1e-9) fail_msg("%s, e = %g: %g", laws[s], e, d->qvel[2]);
      mj_deleteData(d);
    }
  }
  mj_deleteModel(m);
}

static double kinetic(const mjModel* m, const double* M, const double* v) {
  double sum = 0;
  for (int i = 0; i < m->nv; i++) {
    for (int j = 0; j < m->nv; j++) sum += 0.5 * v[i] * M[i * m->nv + j] * v[j];
  }
  return sum;
}

// Cubes in random poses and motions in a corner, with friction and restitution up to 1: the kinetic
// energy never grows in a step. Cubes turn freely without a gyroscopic torque, so that the step
// does nothing else. SINEW_IMPACTS=100000 looks longer.
static void test_energy(void** state) {
  const char* wanted = getenv("SINEW_IMPACTS");
  int impacts = wanted ? atoi(wanted) : 1500;
  mjModel* m = scene_model(
      "<mujoco><option timestep='.002' gravity='0 0 0' cone='elliptic'/><worldbody>"
      "<geom type='plane' size='5 5 1'/><geom type='plane' size='5 5 1' zaxis='1 0 .1'/>"
      "<body pos='.2 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "<body pos='.2 0 .31'><freejoint/><geom type='box' size='.1 .1 .1' mass='7'/></body>"
      "<body pos='.42 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='.3'/></body>"
      "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  double* M = malloc(sizeof(double) * (size_t)(m->nv * m->nv));
  unsigned long long seed = 5;
  for (int s = 0; s < 3; s++) {
    int hits = 0;
    for (int trial = 0; hits < impacts && trial < 20 * impacts; trial++) {
      mj_resetData(m, d);
      assert_true(sn_setSolver(m, d, "admm-ncp") && sn_setImpact(m, d, laws[s]));
      double e = trial % 3 ? 0.5 + 0.5 * scene_random(&seed) : 1;
      for (int g = 0; g < m->ngeom; g++) {
        sn_setRestitution(m, d, g, fmin(1, fmax(0, e)));
        m->geom_friction[3 * g] = 1 + scene_random(&seed);
      }
      for (int b = 0; b < 3; b++) {
        double *q = d->qpos + 7 * b, norm = 0;
        for (int k = 0; k < 3; k++) q[k] += 0.01 * scene_random(&seed);
        for (int k = 1; k < 4; k++) q[3 + k] = (trial % 2 ? 0.02 : 0.3) * scene_random(&seed);
        for (int k = 3; k < 7; k++) norm += q[k] * q[k];
        for (int k = 3; k < 7; k++) q[k] /= sqrt(norm);
      }
      for (int i = 0; i < m->nv; i++) d->qvel[i] = 3 * scene_random(&seed);
      mj_forward(m, d);
      mj_fullM(m, M, d->qM);
      double before = kinetic(m, M, d->qvel), last[18];
      memcpy(last, d->qvel, sizeof last);
      mj_step(m, d);
      double change = 0;
      for (int i = 0; i < 18; i++) change = fmax(change, fabs(d->qvel[i] - last[i]));
      hits += change > 1e-6;
      double after = kinetic(m, M, d->qvel);
      if (!(after <= before * (1 + 1e-9))) {
        fail_msg("%s, trial %d: %.12g J before, %.12g after", laws[s], trial, before, after);
      }
    }
    if (hits < impacts) fail_msg("%s: %d impacts", laws[s], hits);
  }
  free(M);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A name that there is not: the model is refused, with the names that there are.
static void test_names(void** state) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(
      "<mujoco><custom><text name='sinew:impact' data='rubber'/></custom><worldbody/></mujoco>",
      NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  assert_null(m);
  const char* text = spec ? mjs_getError(spec) : error;
  assert_non_null(strstr(text, "rubber"));
  assert_non_null(strstr(text, "sequential"));
  mj_deleteSpec(spec);
  for (int i = 0; i < 3; i++) assert_string_equal(sn_impactName(i + 1), laws[i]);
  assert_null(sn_impactName(4));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cradle),
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
