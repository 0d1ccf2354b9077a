// A model built in code: a chain of links, one more each time it is compiled.
#include <mujoco/mujoco.h>
#include <stdio.h>

int main(void) {
  mjSpec* s = mj_makeSpec();
  mjsBody* at = mjs_findBody(s, "world");
  int links = 0;
  for (int n = 1; n <= 4; n++) {
    mjsBody* link = mjs_addBody(at, NULL);
    link->pos[0] = n > 1 ? 0.2 : 0;
    link->pos[2] = n > 1 ? 0 : 1;
    mjsJoint* joint = mjs_addJoint(link, NULL);
    joint->type = mjJNT_HINGE;
    joint->axis[0] = joint->axis[2] = 0;
    joint->axis[1] = 1;
    mjsGeom* geom = mjs_addGeom(link, NULL);
    geom->type = mjGEOM_CAPSULE;
    geom->fromto[0] = geom->fromto[1] = geom->fromto[2] = geom->fromto[4] = geom->fromto[5] = 0;
    geom->fromto[3] = 0.2;
    geom->size[0] = 0.02;
    at = link;

    mjModel* m = mj_compile(s, NULL);
    if (!m) return fprintf(stderr, "%s\n", mjs_getError(s)), 1;
    mjData* d = mj_makeData(m);
    while (d->time < 1) mj_step(m, d);
    printf("%d links: mass %.3f kg, the tip hangs at %.3f m after a second\n", m->nv,
           mj_getTotalmass(m), d->xpos[3 * (m->nbody - 1) + 2]);
    links = m->nv;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  mj_deleteSpec(s);
  return links != 4;
}
