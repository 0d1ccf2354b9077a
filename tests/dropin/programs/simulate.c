// The loop of an interactive program without its window: load, reset to a key, step with a
// controller and a perturbation, follow contacts and energy.
#include <mujoco/mujoco.h>
#include <stdio.h>

#include "arm.h"

static void control(const mjModel* m, mjData* d) { d->ctrl[0] = 0.3 - 0.1 * d->qvel[3]; }

int main(void) {
  if (mj_version() != mjVERSION_HEADER) return 1;
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "arm.xml", ARM, (int)__builtin_strlen(ARM));
  mjModel* m = mj_loadXML("arm.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return printf("%s\n", error), 1;
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, mj_name2id(m, mjOBJ_KEY, "k"));
  m->opt.enableflags |= mjENBL_ENERGY;
  mjcb_control = control;
  for (int i = 0; i < 300; i++) {
    if (i == 100)
      mj_applyFT(m, d, (mjtNum[]){0, 2, 0}, (mjtNum[]){0, 0, 0}, d->xpos + 6, 2, d->qfrc_applied);
    if (i == 120) mju_zero(d->qfrc_applied, m->nv);
    mj_step(m, d);
    if (i % 50) continue;
    mjtNum total = 0, force[6];
    for (int c = 0; c < d->ncon; c++) {
      mj_contactForce(m, d, c, force);
      total += force[0];
    }
    printf("%g %d %.9g %.9g %.9g\n", d->time, d->ncon, total, d->energy[0], d->energy[1]);
  }
  for (int i = 0; i < m->nq; i++) printf("%.9g ", d->qpos[i]);
  for (int i = 0; i < m->nsensordata; i++) printf("%.9g ", d->sensordata[i]);
  printf("\n");
  mjcb_control = NULL;
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
