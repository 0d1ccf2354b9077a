// A ball falls on a floor: read a model, step it, look at the state.
#include <mujoco/mujoco.h>
#include <stdio.h>

static const char MODEL[] =
    "<mujoco>"
    "  <worldbody>"
    "    <geom type='plane' size='2 2 .1'/>"
    "    <body name='ball' pos='0 0 1'><freejoint/><geom size='.1' mass='1'/></body>"
    "  </worldbody>"
    "</mujoco>";

int main(void) {
  // a model in memory is a file of a virtual file system; mj_loadXML("robot.xml", NULL, ...) reads
  // one
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "ball.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("ball.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;

  mjData* d = mj_makeData(m);
  while (d->time < 1) {
    mj_step(m, d);
    if (d->time > 0.099 && (int)(d->time * 1000 + 0.5) % 100 == 0)
      printf("%.1f s: height %.4f m, %d contacts\n", d->time, d->qpos[2], d->ncon);
  }
  int rests = d->ncon == 1 && d->qpos[2] > 0.09 && d->qpos[2] < 0.11;
  mj_deleteData(d);
  mj_deleteModel(m);
  return !rests;
}
