// Hard contact: the same slope with soft contact and with complementarity and Coulomb friction.
#include <math.h>
#include <mujoco/mujoco.h>
#include <sinew/solver.h>
#include <stdio.h>

static const char MODEL[] =
    "<mujoco>"
    "  <option cone='elliptic'/>"
    "  <worldbody>"
    "    <geom type='plane' size='5 5 .1' euler='0 20 0' friction='1'/>"
    "    <body pos='.036 0 .0985' euler='0 20 0'><freejoint/><geom type='box' size='.1 .1 .1' "
    "mass='1' friction='1'/></body>"
    "  </worldbody>"
    "</mujoco>";

// How far the box creeps down the slope of 20 degrees between the first and the fifth second.
static double creep(const mjModel* m, const char* solver) {
  mjData* d = mj_makeData(m);
  if (solver && !sn_setSolver(m, d, solver)) fprintf(stderr, "no solver called %s\n", solver);
  mjtNum start[3] = {0};
  while (d->time < 5) {
    mj_step(m, d);
    if (d->time < 1) mju_copy3(start, d->qpos);
  }
  snSolverReport report;
  if (solver && sn_getReport(m, d, &report))
    printf("%s: %d steps, %d unconverged\n", solver, report.steps, report.unconverged);
  double far = mju_dist3(d->qpos, start);
  mj_deleteData(d);
  return far;
}

int main(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "slope.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("slope.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  double soft = creep(m, NULL), hard = creep(m, "admm-ncp");
  printf("in four seconds the box creeps %.3f mm with soft contact, %.6f mm with hard contact\n",
         1000 * soft, 1000 * hard);
  mj_deleteModel(m);
  return !(hard < 1e-6 && soft > 1e-4);
}
