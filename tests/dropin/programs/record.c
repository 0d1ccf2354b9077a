// What a recorder asks for before it draws: the abstract scene, cameras, selection, perturbation.
#include <mujoco/mujoco.h>
#include <stdio.h>

#include "arm.h"

int main(void) {
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "arm.xml", ARM, (int)__builtin_strlen(ARM));
  mjModel* m = mj_loadXML("arm.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  mjData* d = mj_makeData(m);
  mjvCamera cam;
  mjvOption opt;
  mjvPerturb pert;
  mjvScene scn;
  mjv_defaultCamera(&cam);
  mjv_defaultFreeCamera(m, &cam);
  mjv_defaultOption(&opt);
  mjv_defaultPerturb(&pert);
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 1000);
  opt.flags[mjVIS_CONTACTPOINT] = opt.flags[mjVIS_CONTACTFORCE] = opt.flags[mjVIS_JOINT] = 1;
  opt.label = mjLABEL_BODY;
  for (int frame = 0; frame < 5; frame++) {
    for (int i = 0; i < 20; i++) mj_step(m, d);
    mjv_moveCamera(m, mjMOUSE_ROTATE_H, 0.05, 0, &scn, &cam);
    mjv_updateScene(m, d, &opt, &pert, &cam, mjCAT_ALL, &scn);
    printf("%d %d ", scn.ngeom, scn.nlight);
    for (int i = 0; i < scn.ngeom; i++) {
      const mjvGeom* g = scn.geoms + i;
      printf("%d %d %.5g %.5g %.5g %.5g %s\n", g->type, g->objid, g->pos[0], g->pos[1], g->pos[2],
             g->size[0], g->label);
    }
    printf("%.5g %.5g\n", scn.camera[0].pos[0], scn.camera[0].forward[1]);
  }
  mjtNum point[3] = {0};
  int geom = -1, flex = -1, skin = -1;
  int body = mjv_select(m, d, &opt, 1.5, 0.1, 0, &scn, point, &geom, &flex, &skin);
  printf("%d %d %.4g %.4g %.4g\n", body, geom, point[0], point[1], point[2]);
  pert.select = 3;
  mjv_initPerturb(m, d, &scn, &pert);
  pert.active = mjPERT_TRANSLATE;
  mjv_movePerturb(m, d, mjMOUSE_MOVE_H, 0.1, 0.1, &scn, &pert);
  mjv_applyPerturbForce(m, d, &pert);
  printf("%.5g %.5g %.5g\n", d->xfrc_applied[18], d->xfrc_applied[19], d->xfrc_applied[20]);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
