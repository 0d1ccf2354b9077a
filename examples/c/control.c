// Control: a pendulum is held upright by a law of its own, called in every step.
#include <mujoco/mujoco.h>
#include <stdio.h>

static const char MODEL[] =
    "<mujoco>"
    "  <worldbody>"
    "    <body pos='0 0 1'>"
    "      <joint name='swing' axis='0 1 0' damping='.01'/>"
    "      <geom type='capsule' fromto='0 0 0 0 0 .5' size='.02' mass='1'/>"
    "    </body>"
    "  </worldbody>"
    "  <actuator><motor joint='swing' ctrlrange='-20 20'/></actuator>"
    "  <sensor><jointpos joint='swing'/><jointvel joint='swing'/></sensor>"
    "</mujoco>";

// u = -K x with x from the sensors of the step; mj_step calls this once positions and velocities
// are known
static void hold_upright(const mjModel* m, mjData* d) {
  d->ctrl[0] = -30 * d->sensordata[0] - 5 * d->sensordata[1];
}

int main(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "pendulum.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("pendulum.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData* d = mj_makeData(m);
  d->qpos[0] = 0.5;  // half a radian from upright
  mjcb_control = hold_upright;
  for (int i = 0; i < 1000; i++) {
    mj_step(m, d);
    if (i % 200 == 0)
      printf("%.3f s: angle %8.5f rad, torque %8.4f N m\n", d->time, d->qpos[0],
             d->qfrc_actuator[0]);
  }
  mjcb_control = NULL;
  printf("%.3f s: angle %8.5f rad\n", d->time, d->qpos[0]);
  int upright = mju_abs(d->qpos[0]) < 1e-3;
  mj_deleteData(d);
  mj_deleteModel(m);
  return !upright;
}
