// Hard contact with many contacts, and with redundant loops: every step converges.
#include <sinew/solver.h>

#include "scene.h"

// uniform in [-1, 1): where a body of a heap lies, how it is turned, what it weighs
static void six_signed(uint32_t* seed, double a[6]) {
  for (int k = 0; k < 6; k++) a[k] = (random_next32(seed) >> 8) / 8388608.0 - 1;
}

// Returns the most iterations that a step took.
static int step_all(mjModel* m, int steps, double* natural, double* conflict) {
  mjData* d = mj_makeData(m);
  snSolverReport report;
  int most = 0;
  *natural = *conflict = 0;
  for (int i = 0; i < steps; i++) {
    mj_step(m, d);
    assert_true(sn_getReport(m, d, &report));
    if (!report.converged) fail_msg("step %d: natural map %g", i, report.r_natural);
    *natural = fmax(*natural, report.r_natural);
    *conflict = fmax(*conflict, report.r_conflict);
    if (report.iterations > most) most = report.iterations;
    assert_true(report.r_natural <= 1e-8 || report.r_conflict > 0);
  }
  for (int i = 0; i < m->nv; i++) assert_true(isfinite(d->qvel[i]));
  mj_deleteData(d);
  mj_deleteModel(m);
  return most;
}

// A wall of bricks in bond, some hundred contacts: it stands.
static void test_wall(void** state) {
  char xml[20000];
  size_t at =
      (size_t)snprintf(xml, sizeof xml,
                       "<mujoco><custom><text name='sinew:solver' data='admm-ncp'/></custom>"
                       "<worldbody><geom type='plane' size='9 9 1'/>");
  for (int row = 0; row < 6; row++) {
    for (int k = 0; k < 6 - row % 2; k++) {
      at += (size_t)snprintf(xml + at, sizeof xml - at,
                             "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.2 .1 .1'/>"
                             "</body>",
                             0.4 * k + 0.2 * (row % 2), 0.1 + 0.2 * row);
    }
  }
  snprintf(xml + at, sizeof xml - at, "</worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 50; i++) mj_step(m, d);
  assert_true(d->ncon > 100);
  for (int b = 1; b < m->nbody; b++) {
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(d->xpos[3 * b + k] - m->body_pos[3 * b + k]) < 1e-3);
    }
  }
  mj_deleteData(d);
  double natural, conflict;
  step_all(m, 50, &natural, &conflict);
  assert_true(conflict == 0);
}

// A pair of wheels coupled twice, once by bars in the plane and once by a joint equality: the
// second loop repeats the first, and the drift of positions makes both disagree a little.
static void test_conflict(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option timestep='0.002'/>"
      "<custom><text name='sinew:solver' data='admm-ncp'/></custom><worldbody>"
      "<body name='a'><joint name='a' axis='0 1 0'/><geom type='capsule' size='.02' contype='0'"
      " fromto='0 0 0 0 0 .3'/><body name='rod' pos='0 0 .3'><joint axis='0 1 0'/><joint"
      " axis='0 0 1'/><joint axis='1 0 0'/><geom type='capsule' size='.02' contype='0'"
      " fromto='0 0 0 .4 0 0'/></body></body>"
      "<body name='c' pos='.4 0 0'><joint name='c' axis='0 1 0'/><geom type='capsule' size='.02'"
      " contype='0' fromto='0 0 0 0 0 .3'/></body></worldbody>"
      "<equality><connect body1='rod' body2='c' anchor='.4 0 0'/>"
      "<joint joint1='a' joint2='c'/></equality></mujoco>");
  mjData* d = mj_makeData(m);
  d->qvel[0] = 2;
  snSolverReport report;
  for (int i = 0; i < 500; i++) {
    mj_step(m, d);
    assert_true(sn_getReport(m, d, &report));
    if (!report.converged) fail_msg("step %d: natural map %g", i, report.r_natural);
    for (int k = 0; k < d->nefc; k++) assert_true(fabs(d->efc_force[k]) < 1e6);
  }
  assert_true(fabs(d->qpos[0]) > 0.1);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Boxes with masses from 1 to 100 in layers, shifted, turned and weighed by a, fall into a heap:
// contacts stick, slide and part by the dozen in every step.
static mjModel* heap_model(int n, double friction, double a[][6]) {
  char xml[30000];
  size_t at = (size_t)snprintf(xml, sizeof xml,
                               "<mujoco><option timestep='.002'/><default><geom friction='%g'/>"
                               "</default>"
                               "<custom><text name='sinew:solver' data='admm-ncp'/></custom>"
                               "<worldbody><geom type='plane' size='9 9 1'/>",
                               friction);
  for (int i = 0; i < n; i++) {
    at += (size_t)snprintf(xml + at, sizeof xml - at,
                           "<body pos='%g %g %g' euler='%g %g %g'><freejoint/>"
                           "<geom type='box' size='.1 .1 .1' mass='%g'/></body>",
                           0.23 * (i % 4) + 0.03 * a[i][0], 0.23 * (i / 4 % 4) + 0.03 * a[i][1],
                           0.15 + 0.25 * (i / 16), 20 * a[i][2], 20 * a[i][3], 20 * a[i][4],
                           pow(10, 1 + a[i][5]));
  }
  snprintf(xml + at, sizeof xml - at, "</worldbody></mujoco>");
  return scene_model(xml);
}

static void test_pile(void** state) {
  double a[30][6];
  uint32_t seed = 3;
  for (int i = 0; i < 30; i++) six_signed(&seed, a[i]);
  mjModel* m = heap_model(30, 1, a);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 300; i++) mj_step(m, d);
  snSolverReport report;
  assert_true(sn_getReport(m, d, &report));
  assert_true(d->ncon > 60);
  assert_true(report.steps == 300);
  if (report.unconverged) {
    fail_msg("%d of %d steps, worst %g", report.unconverged, report.steps, report.worst);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A heap (the pile of 60 of bench/hard.c) with steps whose central path turns (continuation.c):
// methods that only ever shrink tau are left with 1e-7. Following that path alone takes 2000
// iterations in the worst step; without a barrier its end is near (pieces.c).
static void test_turn(void** state) {
  double a[60][6], natural, conflict;
  unsigned long long seed = 3;
  for (int i = 0; i < 60; i++) {
    for (int k = 0; k < 6; k++) a[i][k] = scene_random(&seed);
  }
  int most = step_all(heap_model(60, 1, a), 300, &natural, &conflict);
  if (most > 1000) fail_msg("a step took %d iterations", most);
}

// The same without friction, whose cones are as thin as the interface makes them: the interior-point
// method used to begin with impulses of 1e4 N s there, and every step fell through to the curves.
static void test_frictionless(void** state) {
  double a[60][6], natural, conflict;
  unsigned long long seed = 3;
  for (int i = 0; i < 60; i++) {
    for (int k = 0; k < 6; k++) a[i][k] = scene_random(&seed);
  }
  int most = step_all(heap_model(60, 0, a), 200, &natural, &conflict);
  if (most > 100) fail_msg("a step took %d iterations", most);
}

// A chain in a box too small for it: no velocity takes it out of all walls. What is left is a
// compromise; positions used to run away, to 4e3 rad in this one.
static void test_jam(void** state) {
  static const double kAngle[] = {41.0676, 45.0736, -2.09515, -33.373, -69.9368};
  char xml[3000];
  size_t at =
      (size_t)snprintf(xml, sizeof xml,
                       "<mujoco><option timestep='.002'/>"
                       "<custom><text name='sinew:solver' data='admm-ncp'/></custom><worldbody>"
                       "<geom type='box' size='.05 1 1' pos='-.3 0 0'/><geom type='box' size='.05 "
                       "1 1' pos='.3 0 0'/>"
                       "<geom type='box' size='1 1 .05' pos='0 0 -.3'/><geom type='box' size='1 1 "
                       ".05' pos='0 0 .3'/>");
  for (int i = 0; i < 5; i++) {
    at += (size_t)snprintf(xml + at, sizeof xml - at,
                           "<body pos='%g 0 0' euler='0 %g 0'>"
                           "<joint axis='0 1 0' range='-30 30' limited='true'/>"
                           "<geom type='capsule' size='.06' fromto='0 0 0 .2 0 0'/>",
                           i ? 0.2 : -0.2, kAngle[i]);
  }
  snprintf(xml + at, sizeof xml - at, "</body></body></body></body></body></worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 60; i++) {
    mj_step(m, d);
    for (int k = 0; k < m->nq; k++) {
      if (!(fabs(d->qpos[k]) < 2)) fail_msg("step %d: joint %d at %g rad", i, k, d->qpos[k]);
    }
  }
  assert_true(d->ncon > 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Few bodies that wedge with friction far above 1: what ADMM does not solve soon other methods do.
// Five of these steps used to stay at 8e-3 and 3e-2.
static void test_wedge(void** state) {
  for (unsigned start = 3; start <= 7; start += 4) {
    char xml[6000];
    size_t at = (size_t)snprintf(xml, sizeof xml,
                                 "<mujoco><option timestep='.005'/>"
                                 "<custom><text name='sinew:solver' data='admm-ncp'/></custom>"
                                 "<default><geom friction='5 .005 .0001'/></default><worldbody>"
                                 "<geom type='plane' size='9 9 1'/>");
    uint32_t seed = start;
    for (int i = 0; i < 12; i++) {
      double a[6];
      six_signed(&seed, a);
      at += (size_t)snprintf(xml + at, sizeof xml - at,
                             "<body pos='%g %g %g' euler='%g %g %g'><freejoint/>"
                             "<geom type='%s' size='.1 .07 .05' mass='%g'/></body>",
                             0.2 * (i % 2) + 0.03 * a[0], 0.2 * (i / 2 % 2) + 0.03 * a[1],
                             0.15 + 0.2 * (i / 4), 80 * a[2], 80 * a[3], 80 * a[4],
                             i % 3 ? "capsule" : "box", pow(10, 1 + a[5]));
    }
    snprintf(xml + at, sizeof xml - at, "</worldbody></mujoco>");
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 300; i++) mj_step(m, d);
    snSolverReport report;
    assert_true(sn_getReport(m, d, &report));
    assert_true(d->ncon > 10);
    if (report.unconverged) {
      fail_msg("%d of %d steps, worst %g", report.unconverged, report.steps, report.worst);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// A puck that slides on a table touches it with contacts that move nothing. Their island has no
// velocities; the whole step used to go without constraint forces because of it.
static void test_unmoved(void** state) {
  mjModel* m = scene_model(
      "<mujoco><custom><text name='sinew:solver' data='admm-ncp'/></custom><worldbody>"
      "<geom type='plane' size='1 1 .1' condim='1'/>"
      "<body pos='0 0 .049'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
      "<geom type='cylinder' size='.05 .05' condim='1'/></body>"
      "<body pos='0 0 1'><joint axis='0 1 0' range='-20 20' limited='true'/>"
      "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' contype='0' conaffinity='0'/></body>"
      "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 500; i++) mj_step(m, d);
  snSolverReport report;
  assert_true(sn_getReport(m, d, &report));
  assert_true(d->ncon > 0);
  assert_int_equal(report.unconverged, 0);
  assert_true(fabs(d->qpos[2] - 20 * mjPI / 180) < 1e-3);  // the pendulum rests on its limit
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Heaps apart are islands of their own, solved by the workers of a pool: the same bits with every
// number of them.
static void test_threads(void** state) {
  char xml[20000];
  uint32_t seed = 11;
  size_t at =
      (size_t)snprintf(xml, sizeof xml,
                       "<mujoco><custom><text name='sinew:solver' data='admm-ncp'/></custom>"
                       "<worldbody><geom type='plane' size='99 99 1'/>");
  for (int i = 0; i < 24; i++) {
    double a[6];
    six_signed(&seed, a);
    at += (size_t)snprintf(xml + at, sizeof xml - at,
                           "<body pos='%g %g %g' euler='%g %g %g'><freejoint/>"
                           "<geom type='box' size='.1 .1 .1' mass='%g'/></body>",
                           3.0 * (i % 6) + 0.05 * a[0], 0.05 * a[1], 0.12 + 0.21 * (i / 6),
                           10 * a[2], 10 * a[3], 10 * a[4], 2 + a[5]);
  }
  snprintf(xml + at, sizeof xml - at, "</worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  double* expected = NULL;
  int count = m->nq + m->nv + 1;
  for (int workers = 0; workers <= 3; workers++) {
    mjThreadPool* pool = workers ? mju_threadPoolCreate((size_t)workers) : NULL;
    mjData* d = mj_makeData(m);
    if (pool) mju_bindThreadPool(d, pool);
    int apart = 0;
    for (int i = 0; i < 150; i++) {
      mj_step(m, d);
      int islands = 0;
      for (int k = 0; k < mjNISLAND; k++) islands += d->solver_nnz[k] > 0;
      apart += islands > 3;
    }
    assert_true(apart > 100);
    double* found = malloc(sizeof(double) * (size_t)count);
    snSolverReport report;
    sn_getReport(m, d, &report);
    memcpy(found, d->qpos, sizeof(double) * (size_t)m->nq);
    memcpy(found + m->nq, d->qvel, sizeof(double) * (size_t)m->nv);
    found[count - 1] = report.r_natural;
    if (expected)
      assert_memory_equal(found, expected, sizeof(double) * (size_t)count);
    else
      expected = found, found = NULL;
    free(found);
    mj_deleteData(d);
    if (pool) mju_threadPoolDestroy(pool);
  }
  free(expected);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wall),         cmocka_unit_test(test_conflict),
      cmocka_unit_test(test_pile),         cmocka_unit_test(test_turn),
      cmocka_unit_test(test_frictionless), cmocka_unit_test(test_jam),
      cmocka_unit_test(test_wedge),        cmocka_unit_test(test_unmoved),
      cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
