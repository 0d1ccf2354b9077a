// Inverse dynamics: which torques move an arm along a given motion, and do they, when they are
// applied?
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>

static const char MODEL[] =
    "<mujoco>"
    "  <option timestep='.001'/>"
    "  <worldbody>"
    "    <body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' "
    "mass='2'/>"
    "      <body pos='.4 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' "
    "size='.02' mass='1'/></body>"
    "    </body>"
    "  </worldbody>"
    "</mujoco>";

// The motion q_k(t) = sin(w_k t), its velocity and its acceleration.
static void motion(double t, mjtNum q[2], mjtNum v[2], mjtNum a[2]) {
  for (int k = 0; k < 2; k++) {
    double w = 2 + k;
    q[k] = sin(w * t), v[k] = w * cos(w * t), a[k] = -w * w * sin(w * t);
  }
}

int main(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "arm.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("arm.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData* d = mj_makeData(m);
  double worst = 0;
  for (int i = 0; i < 1000; i++) {
    mjtNum tau[2], a[2];
    motion(i * 0.001, d->qpos, d->qvel, a);
    mju_copy(d->qacc, a, 2);
    mj_inverse(m, d);  // tau = M a + c - J'f
    mju_copy(tau, d->qfrc_inverse, 2);
    // the same torques, forward: the acceleration must come back
    mju_copy(d->qfrc_applied, tau, 2);
    mj_forward(m, d);
    for (int k = 0; k < 2; k++) worst = fmax(worst, fabs(d->qacc[k] - a[k]));
    if (i % 250 == 0) printf("%.2f s: torques %8.4f %8.4f N m\n", i * 0.001, tau[0], tau[1]);
  }
  printf("forward dynamics returns the acceleration to %.1e\n", worst);
  mj_deleteData(d);
  mj_deleteModel(m);
  return !(worst < 1e-10);
}
