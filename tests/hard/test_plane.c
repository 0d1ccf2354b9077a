// Contacts of mechanisms that move in a plane or on a line: rows that no impulse can move (the
// tangent normal to the plane) must not disturb the others, whatever the solver.
#include <sinew/solver.h>
#include <stdbool.h>

#include "scene.h"

static const char* const kSolvers[] = {"pgs-ccp",
                                       "pgs-ncp",
                                       "nbgs",
                                       "raisim",
                                       "raisim-ds",
                                       "raisim-ds-es",
                                       "admm-ccp",
                                       "admm-ncp-fixed",
                                       "admm-ncp-linear",
                                       "admm-ncp-spectral",
                                       "prox",
                                       "implicit",
                                       "barrier",
                                       "gpgs",
                                       "admm-ncp"};
enum { SOLVERS = sizeof kSolvers / sizeof *kSolvers };

// The joints of the block are given; gravity is turned, so that the floor is a slope.
static mjModel* block_model(const char* joints, const char* solver, double angle, double mu) {
  char xml[2000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='0.002' gravity='%.17g 0 %.17g'/>"
           "<custom><text name='sinew:solver' data='%s'/></custom>"
           "<worldbody><geom type='plane' size='50 50 1' friction='%g 0 0'/>"
           "  <body pos='0 0 0.1'>%s<geom type='box' size='0.2 0.2 0.1' density='500'"
           "    friction='%g 0 0'/></body>"
           "</worldbody></mujoco>",
           9.81 * sin(angle), -9.81 * cos(angle), solver, mu, joints, mu);
  return scene_model(xml);
}

static bool is_soft(const char* solver) {
  return !strcmp(solver, "gpgs") || !strcmp(solver, "barrier");
}

// How far the block slides in a second, and the worst natural map of its steps.
static double slide(mjModel* m, double* residual) {
  mjData* d = mj_makeData(m);
  snSolverReport report;
  *residual = 0;
  while (d->time < 1) {
    mj_step(m, d);
    assert_true(sn_getReport(m, d, &report));
    *residual = fmax(*residual, report.r_natural);
    for (int i = 0; i < m->nv; i++) assert_true(isfinite(d->qvel[i]));
  }
  double moved = d->qpos[0];
  mj_deleteData(d);
  mj_deleteModel(m);
  return moved;
}

static const char kPlanar[] =
    "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
    "<joint type='hinge' axis='0 1 0'/>";
static const char kSliders[] =
    "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>";

// A slope of 20 degrees with friction 1: the block stays. Soft contact creeps.
static void test_stick(void** state) {
  const char* joints[] = {kPlanar, kSliders};
  for (int j = 0; j < 2; j++) {
    for (int k = 0; k < SOLVERS; k++) {
      double residual, moved = slide(block_model(joints[j], kSolvers[k], 0.349, 1), &residual);
      if (!(fabs(moved) < (is_soft(kSolvers[k]) ? 0.05 : 1e-4))) {
        fail_msg("%s, %d joints: slid %g m, residual %g", kSolvers[k], 3 - j, moved, residual);
      }
      if (!is_soft(kSolvers[k]) && !(residual < 1e-6)) {
        fail_msg("%s, %d joints: residual %g", kSolvers[k], 3 - j, residual);
      }
    }
  }
}

// With friction 0.2 the block slides by g (sin - mu cos) t^2 / 2.
static void test_slide(void** state) {
  double expected = 0.5 * 9.81 * (sin(0.349) - 0.2 * cos(0.349));
  for (int k = 0; k < SOLVERS; k++) {
    double residual, moved = slide(block_model(kSliders, kSolvers[k], 0.349, 0.2), &residual);
    if (!(fabs(moved - expected) < 0.02 * expected)) {
      fail_msg("%s: slid %g m, expected %g", kSolvers[k], moved, expected);
    }
  }
}

// On a vertical line only the normal moves: the block lands and stays on the floor.
static void test_line(void** state) {
  for (int k = 0; k < SOLVERS; k++) {
    double residual,
        height =
            slide(block_model("<joint type='slide' axis='0 0 1'/>", kSolvers[k], 0, 1), &residual);
    if (!(fabs(height) < (is_soft(kSolvers[k]) ? 0.02 : 1e-4))) {
      fail_msg("%s: height %g", kSolvers[k], height);
    }
  }
}

// On a horizontal line the normal cannot move: it carries nothing, and so there is no friction.
static void test_rail(void** state) {
  for (int k = 0; k < SOLVERS; k++) {
    double residual,
        moved = slide(block_model("<joint type='slide' axis='1 0 0'/>", kSolvers[k], 0.349, 1),
                      &residual);
    double expected = 0.5 * 9.81 * sin(0.349);
    if (!(fabs(moved - expected) < 0.02 * expected)) {
      fail_msg("%s: slid %g m, expected %g", kSolvers[k], moved, expected);
    }
  }
}

// A loop in the plane: two of three rows of the connect can move. It stays closed.
static void test_loop(void** state) {
  static const char xml[] =
      "<mujoco><option timestep='0.002'/><custom><text name='sinew:solver' data='%s'/></custom>"
      "<worldbody><body name='a'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 .3'"
      " size='.02' contype='0'/><body name='b' pos='0 0 .3'><joint axis='0 1 0'/><geom"
      " type='capsule' fromto='0 0 0 .4 0 0' size='.02' contype='0'/></body></body>"
      "<body name='c' pos='.4 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 .3'"
      " size='.02' contype='0'/></body></worldbody>"
      "<equality><connect body1='b' body2='c' anchor='.4 0 0'/></equality></mujoco>";
  for (int k = 0; k < SOLVERS; k++) {
    char text[2000];
    snprintf(text, sizeof text, xml, kSolvers[k]);
    mjModel* m = scene_model(text);
    mjData* d = mj_makeData(m);
    d->qvel[0] = d->qvel[2] = 1, d->qvel[1] = -1;
    double gap = 0;
    while (d->time < 0.3) {
      mj_step(m, d);
      mj_forward(m, d);
      for (int i = 0; i < 3; i++) gap = fmax(gap, fabs(d->efc_pos[i]));
    }
    if (!(gap < (is_soft(kSolvers[k]) ? 1e-3 : 1e-5))) fail_msg("%s: gap %g", kSolvers[k], gap);
    assert_true(fabs(d->qvel[0]) > 0.1);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stick), cmocka_unit_test(test_slide), cmocka_unit_test(test_line),
      cmocka_unit_test(test_rail),  cmocka_unit_test(test_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
