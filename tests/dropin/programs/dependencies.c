// Which dofs an output depends on, asked of the stages one by one, and the tables and utilities
// that programs print.
#include <mujoco/mujoco.h>
#include <stdio.h>

#include "arm.h"

static void warning(const char* text) { printf("warning %d\n", text[0] != 0); }

int main(void) {
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "arm.xml", ARM, (int)__builtin_strlen(ARM));
  mjModel* m = mj_loadXML("arm.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  mjData* d = mj_makeData(m);
  mju_user_warning = warning;
  mj_fwdPosition(m, d);
  mj_fwdVelocity(m, d);
  mjtNum jacp[3 * 10], jacr[3 * 10];
  for (int body = 0; body < m->nbody; body++) {
    mj_jacBodyCom(m, d, jacp, jacr, body);
    for (int v = 0; v < m->nv; v++) {
      printf("%d", (jacp[v] || jacp[m->nv + v] || jacp[2 * m->nv + v]) && m->dof_bodyid[v] <= body);
    }
    printf(" ");
  }
  for (int i = 0; i < m->ntendon; i++) {
    printf("%d:", d->ten_J_rownnz[i]);
    for (int k = 0; k < d->ten_J_rownnz[i]; k++)
      printf("%d ", d->ten_J_colind[d->ten_J_rowadr[i] + k]);
  }
  mj_fwdActuation(m, d);
  mj_fwdAcceleration(m, d);
  mj_fwdConstraint(m, d);
  mj_inverse(m, d);
  mjtNum quat[4] = {1, 0, 0, 0}, axis[3] = {0, 0, 1}, mat[9];
  mju_axisAngle2Quat(quat, axis, mjPI / 3);
  mju_quat2Mat(mat, quat);
  for (int i = 0; i < 9; i++) printf("%.6f ", mat[i]);
  for (int i = 0; i < m->nv; i++) printf("%.6f ", d->qfrc_inverse[i]);
  printf("%s %s %s %d\n", mjDISABLESTRING[0], mjTIMERSTRING[0], mju_type2Str(mjOBJ_GEOM),
         mju_str2Type("site"));
  d->qpos[0] = mjMAXVAL * 10;
  mj_step(m, d);
  printf("%d %.3f\n", d->warning[mjWARN_BADQPOS].number, d->time);
  mju_user_warning = NULL;
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
