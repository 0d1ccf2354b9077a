// The engine around a hard step: names in MJCF, sensors, contact dimensions, limits, friction loss,
// forward and inverse of the soft models, no allocation, the same bits from the same state.
#include <sinew/solver.h>

#include "base/base.h"
#include "scene.h"

static const char kRobot[] =
    "<mujoco><option timestep='0.002' cone='%s' jacobian='%s'/>"
    "<custom><text name='sinew:solver' data='%s'/></custom>"
    "<worldbody><geom type='plane' size='5 5 1' condim='%d' friction='0.8 0.02 0.01'/>"
    "  <body pos='0 0 0.16'><freejoint/><geom type='box' size='0.2 0.3 0.1' condim='%d'/>"
    "    <body pos='0.3 0 0'><joint name='h1' axis='0 1 0' range='-20 20' frictionloss='0.3'/>"
    "      <geom type='capsule' size='0.05' fromto='0 0 0 0.4 0 -0.05' condim='%d'/></body>"
    "    <body pos='-0.3 0 0'><joint name='h2' axis='0 1 0' range='-20 20' damping='0.1'/>"
    "      <geom type='capsule' size='0.05' fromto='0 0 0 -0.4 0 -0.05'/></body></body>"
    "  <body pos='2 0 0.2'><freejoint/><geom name='ball' size='0.2' condim='%d' mass='3'/>"
    "    <site name='skin' size='0.3'/></body>"
    "</worldbody>"
    "<equality><joint joint1='h1' joint2='h2' polycoef='0 -1 0 0 0'/></equality>"
    "<sensor><touch site='skin'/></sensor></mujoco>";

static mjModel* robot(const char* cone, const char* jacobian, const char* solver, int condim) {
  char xml[4000];
  snprintf(xml, sizeof xml, kRobot, cone, jacobian, solver, condim, condim, condim, condim);
  return scene_model(xml);
}

// Every solver, cone, dimension and form of the Jacobian: the robot comes to rest on the ground,
// its joint coupling closed, and the touch sensor weighs the ball.
static void test_rest(void** state) {
  static const int condims[] = {1, 3, 4, 6};
  for (int s = 0; sn_solverName(s); s++) {
    const char* name = sn_solverName(s);
    for (int k = 0; k < 4; k++) {
      mjModel* m =
          robot(k % 2 ? "elliptic" : "pyramidal", k < 2 ? "sparse" : "dense", name, condims[k]);
      mjData* d = mj_makeData(m);
      assert_string_equal(sn_getSolver(m, d), name);
      while (d->time < 0.6) mj_step(m, d);
      bool soft = !strcmp(name, "gpgs") || !strcmp(name, "barrier");
      snSolverReport report;
      assert_true(sn_getReport(m, d, &report));
      double weight = 3 * 9.81, coupling = fabs(d->qpos[7] + d->qpos[8]), speed = 0;
      for (int i = 0; i < m->nv; i++) speed = fmax(speed, fabs(d->qvel[i]));
      if (!(report.r_pen < (soft ? 0.01 : 1e-3) && speed < (soft ? 0.1 : 1e-2) &&
            coupling < (soft ? 1e-2 : 1e-6) && fabs(d->sensordata[0] - weight) < 0.05 * weight)) {
        fail_msg("%s, condim %d: positions %g, speed %g, coupling %g, ball weighs %g", name,
                 condims[k], report.r_pen, speed, coupling, d->sensordata[0]);
      }
      mj_deleteData(d);
      mj_deleteModel(m);
    }
  }
}

static void test_names(void** state) {
  mjModel* m = robot("pyramidal", "auto", "nbgs", 3);
  mjData* d = mj_makeData(m);
  snSolverSettings set;
  assert_int_equal(sn_getSettings(m, d, &set), 1);
  set.iterations = 77;
  assert_int_equal(sn_setSettings(m, d, &set), 1);
  assert_int_equal(sn_setSetting(m, d, "slop", 2e-5), 1);
  assert_int_equal(sn_getSettings(m, d, &set), 1);
  assert_true(set.iterations == 77 && set.slop == 2e-5);
  assert_int_equal(sn_setSolver(m, d, "soft"), 1);
  assert_int_equal(sn_getSettings(m, d, &set), 0);
  mj_step(m, d);
  snSolverReport report;
  assert_int_equal(sn_getReport(m, d, &report), 0);
  assert_int_equal(sn_setSolver(m, d, NULL), 1);
  assert_string_equal(sn_getSolver(m, d), "nbgs");
  assert_int_equal(sn_setModelSolver(m, "prox"), 1);  // over the model's text, under the data's own
  assert_string_equal(sn_getSolver(m, d), "prox");
  assert_int_equal(sn_setSolver(m, d, "soft"), 1);
  assert_string_equal(sn_getSolver(m, d), "soft");
  assert_int_equal(sn_setSolver(m, d, NULL), 1);
  assert_int_equal(sn_setModelSolver(m, NULL), 1);
  assert_string_equal(sn_getSolver(m, d), "nbgs");
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void test_unknown_names(void** state) {
  static const char* const custom[][2] = {
      {"<text name='sinew:solver' data='magic'/>", "admm-ncp"},
      {"<text name='sinew:solve' data='nbgs'/>", "sinew:solver"},
      {"<numeric name='sinew:speed' data='1'/>", "omega_decay"},
      {"<numeric name='sinew:omega' data='3'/>", "0 to 2"},
      {"<numeric name='sinew:iterations' data='1.5'/>", "whole"},
      {"<tuple name='sinew:bounce'><element objtype='geom' objname='g'/></tuple>", "restitution"},
      {"<tuple name='sinew:restitution'><element objtype='body' objname='b'/></tuple>", "geom"},
      {"<tuple name='sinew:restitution'><element objtype='geom' objname='g' prm='-1'/></tuple>",
       "0 to 1"}};
  for (size_t i = 0; i < sizeof custom / sizeof custom[0]; i++) {
    char xml[1000], error[1000] = "";
    snprintf(xml, sizeof xml,
             "<mujoco><custom>%s</custom><worldbody><body name='b'><freejoint/>"
             "<geom name='g' size='0.1'/></body></worldbody></mujoco>",
             custom[i][0]);
    mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
    assert_non_null(spec);
    assert_null(mj_compile(spec, NULL));
    const char* message = mjs_getError(spec);
    if (!strstr(message, custom[i][1])) fail_msg("%s: %s", custom[i][0], message);
    mj_deleteSpec(spec);
  }
}

// Figure 2 of the 2014 paper: one joint with dry friction, a tip that hits the ground, random
// control forces. The two impulses, friction and contact, are the same from forward and from
// inverse dynamics to 1e-5, with the soft engine's solvers as with the form of the paper.
static void test_figure2(void** state) {
  static const char* const names[] = {"soft", "gpgs"};
  for (int s = 0; s < 2; s++) {
    mjModel* m = scene_model(
        "<mujoco><option timestep='0.01' tolerance='1e-14' cone='elliptic'/><worldbody>"
        "<geom type='plane' size='5 5 1'/><body pos='0 0 0.4'>"
        "<joint name='j' axis='0 1 0' frictionloss='0.3'/>"
        "<geom type='capsule' size='0.05' fromto='0 0 0 0.6 0 -0.1' mass='0.5'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>");
    mjData* d = mj_makeData(m);
    sn_setSolver(m, d, names[s]);
    if (s) {
      sn_setSetting(m, d, "iterations", 20000);
      sn_setSetting(m, d, "tol_dual", 1e-14);
    }
    double h = m->opt.timestep, force[64], worst = 0, most[2] = {0, 0};
    unsigned long long seed = 8;
    int touches = 0, slides = 0;
    for (int k = 0; k < 1000; k++) {
      if (k % 20 == 0) d->ctrl[0] = 5 * scene_random(&seed);
      mj_step(m, d);
      mj_forward(m, d);
      int n = d->nefc;
      assert_true(n >= 1 && n <= 64 && d->efc_type[0] == mjCNSTR_FRICTION_DOF);
      memcpy(force, d->efc_force, sizeof(double) * (size_t)n);
      mj_inverse(m, d);
      for (int i = 0; i < n; i++) worst = fmax(worst, h * fabs(d->efc_force[i] - force[i]));
      most[0] = fmax(most[0], h * fabs(force[0]));
      if (n > 1) most[1] = fmax(most[1], h * force[1]);
      touches += n > 1 && force[1] > 0;
      slides += fabs(force[0]) > 0.299;
    }
    print_message("%-8s impulses %.3g and %.3g N s at most, apart by %.1e; %d of 1000 touch\n",
                  names[s], most[0], most[1], worst, touches);
    if (!(worst < 1e-5)) fail_msg("%s: forward and inverse %g apart", names[s], worst);
    assert_true(touches > 100 && touches < 950 && slides > 100 && slides < 950);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The models of 2011 and 2014 can be inverted: the forces that were applied come back.
static void test_inverse(void** state) {
  static const char* const names[] = {"gpgs", "barrier"};
  for (int s = 0; s < 2; s++) {
    mjModel* m = robot("elliptic", "dense", names[s], 3);
    for (int i = 0; i < m->nv; i++) m->dof_damping[i] = 0;
    mjData* d = mj_makeData(m);
    sn_setSolver(m, d, names[s]);
    sn_setSetting(m, d, "iterations", 20000);
    sn_setSetting(m, d, "tol_primal", 1e-14);
    sn_setSetting(m, d, "tol_dual", 1e-14);
    unsigned long long seed = 4;
    for (int k = 0; k < 50; k++) {
      for (int i = 0; i < m->nv; i++) d->qfrc_applied[i] = 3 * scene_random(&seed);
      mj_step(m, d);
      mj_forward(m, d);
      double* qacc = malloc(sizeof(double) * m->nv);
      memcpy(qacc, d->qacc, sizeof(double) * m->nv);
      mj_inverse(m, d);
      for (int i = 0; i < m->nv; i++) {
        if (!(fabs(d->qfrc_inverse[i] - d->qfrc_applied[i]) < 1e-6)) {
          fail_msg("%s, step %d, dof %d: %g, applied %g", names[s], k, i, d->qfrc_inverse[i],
                   d->qfrc_applied[i]);
        }
      }
      free(qacc);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Forward and inverse of 2011 on rows that depend on each other: a box on four corners, two welds
// of one pair, a ball jammed between two planes that cannot part from both.
static void test_inverse_dependent(void** state) {
  static const char* const scenes[] = {
      "<geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.2 .2 .1'/></body></worldbody>",
      "<body name='a'><freejoint/><geom size='.1'/></body><body name='b' pos='1 0 0'><freejoint/>"
      "<geom size='.1'/></body></worldbody>"
      "<equality><weld body1='a' body2='b'/><weld body1='b' body2='a'/></equality>",
      "<geom type='plane' size='5 5 1'/><geom type='plane' size='5 5 1' pos='0 0 .199' "
      "euler='180 0 0'/><body pos='0 0 .1'><freejoint/><geom size='.1'/></body></worldbody>"};
  for (int s = 0; s < 3; s++) {
    char xml[1000];
    snprintf(xml, sizeof xml, "<mujoco><option timestep='0.005'/><worldbody>%s</mujoco>",
             scenes[s]);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    sn_setSolver(m, d, "barrier");
    sn_setSetting(m, d, "iterations", 2000);
    sn_setSetting(m, d, "tol_dual", 1e-14);
    unsigned long long seed = 4;
    double force[64], worst = 0;
    for (int k = 0; k < 50; k++) {
      for (int i = 0; i < m->nv; i++) d->qfrc_applied[i] = 3 * scene_random(&seed);
      mj_step(m, d);
      mj_forward(m, d);
      snSolverReport report;
      assert_true(sn_getReport(m, d, &report) && report.converged && d->nefc > 5);
      memcpy(force, d->efc_force, sizeof(double) * (size_t)d->nefc);
      mj_inverse(m, d);
      for (int i = 0; i < d->nefc; i++) {
        worst = fmax(worst, m->opt.timestep * fabs(d->efc_force[i] - force[i]));
      }
    }
    if (!(worst < 1e-8)) fail_msg("scene %d: impulses %g apart", s, worst);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The force that mj_inverse finds is the one applied, with implicit damping too, and with exact
// critical damping, which needs D.
static void test_inverse_force(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option timestep='.01' cone='elliptic'/><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .3'><joint axis='0 1 0' damping='.4'/><geom type='capsule' size='.05' "
      "fromto='0 0 0 .4 0 0'/><body pos='.4 0 0'><joint axis='0 1 0' damping='.2' "
      "frictionloss='.1'/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/></body></body>"
      "</worldbody></mujoco>");
  for (int critical = 0; critical < 2; critical++) {
    mjData* d = mj_makeData(m);
    unsigned long long seed = 8;
    double worst = 0;
    int contacts = 0;
    sn_setSolver(m, d, "gpgs");
    sn_setSetting(m, d, "iterations", 20000);
    sn_setSetting(m, d, "tol_dual", 1e-13);
    sn_setSetting(m, d, "critical", critical);
    for (int k = 0; k < 300; k++) {
      for (int i = 0; i < m->nv; i++) d->qfrc_applied[i] = 3 * scene_random(&seed);
      mj_forward(m, d);
      contacts += d->ncon;
      mj_inverse(m, d);
      for (int i = 0; i < m->nv; i++) {
        worst = fmax(worst, fabs(d->qfrc_inverse[i] - d->qfrc_applied[i]));
      }
      mj_step(m, d);
    }
    assert_true(contacts > 50);
    if (!(worst < 1e-6)) fail_msg("critical %d: forces %g apart", critical, worst);
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}

// A box that has sunk in comes back by x'' + 2/kappa x' + x/kappa^2 = 0, however the rows
// couple: four corners, of which the diagonal of D says little.
static double push_out(const mjModel* m, int critical) {
  mjData* d = mj_makeData(m);
  double most = 0;
  sn_setSolver(m, d, "gpgs");
  sn_setSetting(m, d, "critical", critical);
  sn_setSetting(m, d, "kappa", 0.05);
  sn_setSetting(m, d, "epsilon", 0.1);
  d->qpos[2] = 0.095;
  for (int k = 0; k < 600; k++) {
    mj_step(m, d);
    // x(t) = x0 (1 + t/kappa) exp(-t/kappa), to first order in the step
    double t = d->time / 0.05, exact = 0.1 - 0.005 * (1 + t) * exp(-t);
    most = fmax(most, fabs(d->qpos[2] - exact));
  }
  mj_deleteData(d);
  return most;
}

static void test_critical(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option timestep='.0001' cone='elliptic' gravity='0 0 0'/><worldbody>"
      "<geom type='plane' size='5 5 1'/><body pos='0 0 .1'><freejoint/><geom type='box' "
      "size='.2 .2 .1'/></body></worldbody></mujoco>");
  double diagonal = push_out(m, 0), exact = push_out(m, 1);
  print_message("a box pushed out: off by %.2g m with the diagonal, %.2g m exactly\n", diagonal,
                exact);
  assert_true(exact < 1e-5 && exact < 0.5 * diagonal);
  mj_deleteModel(m);
}

// What `converged` promises of the inverse at the defaults: the impulses that mj_inverse finds are
// off by no more than r_inverse, but for the rounding of qacc, and that is small.
static void test_inverse_promise(void** state) {
  static const char* const names[] = {"gpgs", "barrier"};
  for (int s = 0; s < 2; s++) {
    mjModel* m = robot("elliptic", "dense", names[s], 3);
    for (int i = 0; i < m->nv; i++) m->dof_damping[i] = 0;
    mjData* d = mj_makeData(m);
    sn_setSolver(m, d, names[s]);
    unsigned long long seed = 4;
    int converged = 0;
    for (int k = 0; k < 200; k++) {
      for (int i = 0; i < m->nv; i++) d->qfrc_applied[i] = 30 * scene_random(&seed);
      mj_step(m, d);
      mj_forward(m, d);
      snSolverReport report;
      assert_true(sn_getReport(m, d, &report));
      if (!report.converged) continue;
      converged++;
      double largest = 1, worst = 0, h = m->opt.timestep;
      double* force = malloc(sizeof(double) * (size_t)(d->nefc + 1));
      memcpy(force, d->efc_force, sizeof(double) * (size_t)d->nefc);
      mj_inverse(m, d);
      for (int i = 0; i < d->nefc; i++) {
        largest = fmax(largest, h * fabs(force[i]));
        worst = fmax(worst, h * fabs(d->efc_force[i] - force[i]));
      }
      assert_true(report.r_inverse <= 1e-6 * largest);
      if (!(worst <= 2 * report.r_inverse + 1e-6 * largest)) {
        fail_msg("%s, step %d: %g N s off, the report says %g", names[s], k, worst,
                 report.r_inverse);
      }
      free(force);
    }
    // sweeps are slow where rows hardly differ
    if (converged < (s ? 190 : 150)) fail_msg("%s: %d of 200 steps converged", names[s], converged);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The implicit solver converges on a pile whose least squares have minima at edges.
static void test_implicit_pile(void** state) {
  char xml[4000];
  double wall = 0.13 * sqrt(10);
  int at = snprintf(xml, sizeof xml,
                    "<mujoco><option timestep='0.01' cone='elliptic'/>"
                    "<default><geom friction='2 0 0'/></default><worldbody>"
                    "<geom type='plane' size='2 2 1'/>"
                    "<geom type='plane' size='2 2 1' pos='%g 0 0' zaxis='-1 0 .2'/>"
                    "<geom type='plane' size='2 2 1' pos='%g 0 0' zaxis='1 0 .2'/>"
                    "<geom type='plane' size='2 2 1' pos='0 %g 0' zaxis='0 -1 .2'/>"
                    "<geom type='plane' size='2 2 1' pos='0 %g 0' zaxis='0 1 .2'/>",
                    wall, -wall, wall, -wall);
  unsigned long long seed = 17;
  for (int i = 0; i < 10; i++) {
    double x = 0.4 * wall * scene_random(&seed), y = 0.4 * wall * scene_random(&seed);
    at += snprintf(xml + at, sizeof xml - (size_t)at,
                   "<body pos='%g %g %g'><freejoint/><geom size='%g' density='300'/></body>", x, y,
                   0.3 + 0.25 * i, i % 3 ? 0.1 : 0.13);
  }
  snprintf(xml + at, sizeof xml - (size_t)at, "</worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  sn_setSolver(m, d, "implicit");
  snSolverSettings set;
  sn_getSettings(m, d, &set);
  set.warmstart = snWARM_ZERO;
  set.tol_primal = set.tol_dual = 1e-8;
  sn_setSettings(m, d, &set);
  for (int k = 0; k < 600; k++) {
    mj_step(m, d);
    snSolverReport report;
    if (sn_getReport(m, d, &report) && d->ncon && !report.converged) {
      fail_msg("step %d: %g after %d", k, report.r_natural, report.iterations);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Once sizes have settled a step allocates nothing, and a state stepped again gives the same bits.
static void test_bits_and_memory(void** state) {
  for (int s = 0; sn_solverName(s); s++) {
    mjModel* m = robot("pyramidal", "auto", sn_solverName(s), 3);
    mjData *d = mj_makeData(m), *e = mj_makeData(m);
    for (int i = 0; i < 60; i++) mj_step(m, d);
    int size = mj_stateSize(m, mjSTATE_INTEGRATION);
    double* start = malloc(sizeof(double) * size);
    mj_getState(m, d, start, mjSTATE_INTEGRATION);
    long before = memory_count();
    for (int i = 0; i < 40; i++) mj_step(m, d);
    assert_int_equal(memory_count(), before);
    mj_setState(m, e, start, mjSTATE_INTEGRATION);
    for (int i = 0; i < 40; i++) mj_step(m, e);
    assert_memory_equal(d->qpos, e->qpos, sizeof(double) * m->nq);
    assert_memory_equal(d->qvel, e->qvel, sizeof(double) * m->nv);
    free(start);
    mj_deleteData(d);
    mj_deleteData(e);
    mj_deleteModel(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_unknown_names),
      cmocka_unit_test(test_figure2),
      cmocka_unit_test(test_inverse),
      cmocka_unit_test(test_bits_and_memory),
      cmocka_unit_test(test_inverse_dependent),
      cmocka_unit_test(test_inverse_promise),
      cmocka_unit_test(test_inverse_force),
      cmocka_unit_test(test_critical),
      cmocka_unit_test(test_implicit_pile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
