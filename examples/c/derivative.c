// Derivatives of a step, analytically, through contact: a box that slides, A and B of the
// linearization.
#include <math.h>
#include <mujoco/mujoco.h>
#include <sinew/derive.h>
#include <stdio.h>

static const char MODEL[] =
    "<mujoco>"
    "  <worldbody>"
    "    <geom type='plane' size='2 2 .1'/>"
    "    <body pos='0 0 .0999'>"
    "      <joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>"
    "      <geom type='box' size='.1 .1 .1' mass='1'/>"
    "    </body>"
    "  </worldbody>"
    "  <actuator><motor joint='x'/></actuator>"
    "</mujoco>";

int main(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "box.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("box.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData* d = mj_makeData(m);
  d->qvel[0] = 1;  // it slides
  for (int i = 0; i < 100; i++) mj_step(m, d);

  // x = (q, v): x' = f(x, u), A = df/dx (4 x 4), B = df/du (4 x 1)
  mjtNum A[16], B[4], A_fd[16], B_fd[4];
  snDeriveReport report;
  if (!sn_transition(m, d, A, B, NULL, NULL, &report))
    return fprintf(stderr, "%s\n", report.unsupported), 1;
  mjd_transitionFD(m, d, 1e-6, 1, A_fd, B_fd, NULL, NULL);
  double worst = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++)
      printf("%10.6f ", A[4 * i + j]), worst = fmax(worst, fabs(A[4 * i + j] - A_fd[4 * i + j]));
    printf("  | %10.6f\n", B[i]);
  }
  printf("differences agree to %.1e; the nearest switch is %.2g away\n", worst, report.nearest);
  mj_deleteData(d);
  mj_deleteModel(m);
  return !(worst < 1e-4);
}
