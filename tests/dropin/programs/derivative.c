// Derivatives of forward and inverse dynamics, by the library and by differences of its functions.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

#include "arm.h"

int main(void) {
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "arm.xml", ARM, (int)__builtin_strlen(ARM));
  mjModel* m = mj_loadXML("arm.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 0);
  for (int i = 0; i < 40; i++) mj_step(m, d);
  int nx = 2 * m->nv + m->na, nu = m->nu, ns = m->nsensordata, nv = m->nv;
  mjtNum* a = calloc((size_t)(nx * nx + nx * nu + ns * nx + ns * nu), sizeof *a);
  mjtNum *b = a + nx * nx, *c = b + nx * nu, *e = c + ns * nx;
  m->opt.tolerance = 0;
  m->opt.iterations = 30;
  mjd_transitionFD(m, d, 1e-6, 1, a, b, c, e);
  for (int i = 0; i < nx * nu; i++) printf("%.4f ", b[i]);
  for (int i = 0; i < nx; i++) printf("%.4f ", a[i * nx + i]);
  mjtNum* f = calloc((size_t)(3 * nv * nv), sizeof *f);
  mj_forward(m, d);
  mjd_inverseFD(m, d, 1e-6, 0, f, f + nv * nv, f + 2 * nv * nv, NULL, NULL, NULL, NULL);
  for (int i = 0; i < nv; i++) printf("%.4f ", f[2 * nv * nv + i * nv + i]);
  // the inertia is what the force is differentiated by the acceleration
  mjtNum* full = calloc((size_t)(nv * nv), sizeof *full);
  mj_fullM(m, full, d->qM);
  for (int i = 0; i < nv * nv; i++) printf("%.6f ", full[i]);
  printf("\n");
  free(full);
  free(f);
  free(a);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
