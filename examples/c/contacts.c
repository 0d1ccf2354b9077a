// Contacts and their forces: three boxes in a stack, and what each contact bears.
#include <mujoco/mujoco.h>
#include <stdio.h>

static const char MODEL[] =
    "<mujoco>"
    "  <worldbody>"
    "    <geom name='floor' type='plane' size='2 2 .1'/>"
    "    <body pos='0 0 .1'><freejoint/><geom name='low' type='box' size='.1 .1 .1' "
    "mass='1'/></body>"
    "    <body pos='0 0 .3'><freejoint/><geom name='mid' type='box' size='.1 .1 .1' "
    "mass='2'/></body>"
    "    <body pos='0 0 .5'><freejoint/><geom name='top' type='box' size='.1 .1 .1' "
    "mass='4'/></body>"
    "  </worldbody>"
    "</mujoco>";

int main(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "stack.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("stack.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData* d = mj_makeData(m);
  while (d->time < 3) mj_step(m, d);

  // a force in the frame of a contact: the first axis is the normal, from geom[0] to geom[1]
  mjtNum on_floor = 0;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = d->contact + i;
    mjtNum force[6];
    mj_contactForce(m, d, i, force);
    printf("%-5s on %-5s %7.3f N along the normal, depth %.2g m\n",
           mj_id2name(m, mjOBJ_GEOM, c->geom[1]), mj_id2name(m, mjOBJ_GEOM, c->geom[0]), force[0],
           -c->dist);
    if (c->geom[0] == 0) on_floor += force[0];
  }
  printf("the floor bears %.3f N of %.3f N\n", on_floor, 7 * 9.81);
  int right = on_floor > 0.999 * 7 * 9.81 && on_floor < 1.001 * 7 * 9.81;
  mj_deleteData(d);
  mj_deleteModel(m);
  return !right;
}
