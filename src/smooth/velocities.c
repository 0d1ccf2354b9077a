// Velocities of tendons, flex edges and actuators: their Jacobians times qvel.
#include <string.h>

#include "smooth/smooth.h"

// res = J v for rows J, sparse or dense
static void rows_mul(mjtNum* res, const mjtNum* J, const mjtNum* v, int num, const int* rownnz,
                     const int* rowadr, const int* colind) {
  for (int i = 0; i < num; i++) {
    mjtNum sum = 0;
    for (int k = rowadr[i], end = k + rownnz[i]; k < end; k++) sum += J[k] * v[colind[k]];
    res[i] = sum;
  }
}

// Edges of rigid and interpolated flexes have velocity zero. With actuation disabled actuator
// velocities keep their values, as released.
void smooth_velocities(const mjModel* m, mjData* d) {
  const mjtNum* v = d->qvel;
  int nv = m->nv;
  if (m->nu && !(m->opt.disableflags & mjDSBL_ACTUATION)) {
    rows_mul(d->actuator_velocity, d->actuator_moment, v, m->nu, d->moment_rownnz, d->moment_rowadr,
             d->moment_colind);
  }
  if (!m->nflex && !m->ntendon) return;
  bool sparse = mj_isSparse(m);
  for (int f = 0; f < m->nflex; f++) {
    int e = m->flex_edgeadr[f], num = m->flex_edgenum[f];
    if (m->flex_rigid[f] || m->flex_interp[f]) {
      memset(d->flexedge_velocity + e, 0, num * sizeof(mjtNum));
    } else if (sparse) {
      rows_mul(d->flexedge_velocity + e, d->flexedge_J, v, num, d->flexedge_J_rownnz + e,
               d->flexedge_J_rowadr + e, d->flexedge_J_colind);
    } else {
      mju_mulMatVec(d->flexedge_velocity + e, d->flexedge_J + (size_t)e * nv, v, num, nv);
    }
  }
  if (m->ntendon && sparse) {
    rows_mul(d->ten_velocity, d->ten_J, v, m->ntendon, d->ten_J_rownnz, d->ten_J_rowadr,
             d->ten_J_colind);
  } else if (m->ntendon) {
    mju_mulMatVec(d->ten_velocity, d->ten_J, v, m->ntendon, nv);
  }
}
