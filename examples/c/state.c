// States: save one, go on, return to it, and get the same future to the bit.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MODEL[] =
    "<mujoco>"
    "  <worldbody>"
    "    <geom type='plane' size='5 5 .1'/>"
    "    <body pos='0 0 .5' euler='20 30 0'><freejoint/><geom type='box' size='.1 .2 .05'/></body>"
    "    <body pos='.1 0 1' euler='50 0 10'><freejoint/><geom type='cylinder' size='.1 .1'/></body>"
    "  </worldbody>"
    "</mujoco>";

int main(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "tumble.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("tumble.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 150; i++) mj_step(m, d);

  // everything that the future depends on: positions, velocities, activations, warm start,
  // controls...
  int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof *state * (size_t)size);
  mj_getState(m, d, state, mjSTATE_INTEGRATION);
  mjtNum future[2][14];
  for (int k = 0; k < 2; k++) {
    mj_setState(m, d, state, mjSTATE_INTEGRATION);
    for (int i = 0; i < 500; i++) mj_step(m, d);
    memcpy(future[k], d->qpos, sizeof future[k]);
  }
  int same = m->nq == 14 && !memcmp(future[0], future[1], sizeof future[0]);
  printf("a state of %d numbers; two futures of 500 steps from it: %s\n", size,
         same ? "the same bits" : "different");
  free(state);
  mj_deleteData(d);
  mj_deleteModel(m);
  return !same;
}
