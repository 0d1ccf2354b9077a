// qpos lives on a manifold (unit quaternions of ball and free joints), qvel in its tangent space:
//
//   integrate      q (+) v dt       = q exp(v dt / 2)
//   differentiate  (q2 (-) q1) / dt = log(conj(q1) q2) / dt
#include "smooth/smooth.h"

// res = log(conj(q1) q2) / dt
static void quat_difference(double* res, const double* q1, const double* q2, double dt) {
  double inverse[4], q[4];
  quat_conj(inverse, q1);
  quat_mul(q, inverse, q2);
  mju_quat2Vel(res, q, dt);
}

void mj_differentiatePos(const mjModel* m, mjtNum* qvel, mjtNum dt, const mjtNum* qpos1,
                         const mjtNum* qpos2) {
  double inverse = 1 / dt;
  for (int j = 0; j < m->njnt; j++) {
    int p = m->jnt_qposadr[j], v = m->jnt_dofadr[j];
    switch (m->jnt_type[j]) {
      case mjJNT_FREE:
        for (int k = 0; k < 3; k++) qvel[v + k] = (qpos2[p + k] - qpos1[p + k]) * inverse;
        p += 3, v += 3;
        // fall through
      case mjJNT_BALL:
        quat_difference(qvel + v, qpos1 + p, qpos2 + p, dt);
        break;
      default:
        qvel[v] = (qpos2[p] - qpos1[p]) * inverse;
    }
  }
}

void manifold_integrate(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                        const snBodyRun* span) {
  const int *qposadr = m->jnt_qposadr, *dofadr = m->jnt_dofadr, *type = m->jnt_type;
  if (m->nq == m->nv) {  // no quaternions
    for (int i = span->dof, end = span->dof_end; i < end; i++) qpos[i] += dt * qvel[i];
    return;
  }
  for (int j = span->jnt, end = span->jnt_end; j < end; j++) {
    int p = qposadr[j], v = dofadr[j];
    switch (type[j]) {
      case mjJNT_FREE:
        for (int k = 0; k < 3; k++) qpos[p + k] += dt * qvel[v + k];
        p += 3, v += 3;
        // fall through
      case mjJNT_BALL:
        quat_integrate(qpos + p, qvel + v, dt);
        break;
      default:
        qpos[p] += dt * qvel[v];
    }
  }
}

void mj_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt) {
  snBodyRun all = {.jnt_end = m->njnt, .dof_end = m->nv};
  manifold_integrate(m, qpos, qvel, dt, &all);
}

void manifold_integrate_moving(const mjModel* m, const mjData* d, mjtNum* qpos, const mjtNum* qvel,
                               mjtNum dt) {
  int n;
  const snBodyRun* span = data_moving(d, &n);
  for (int i = 0; i < n; i++) manifold_integrate(m, qpos, qvel, dt, span + i);
}

void mj_normalizeQuat(const mjModel* m, mjtNum* qpos) {
  for (int j = 0; j < m->njnt; j++) {
    int p = m->jnt_qposadr[j];
    if (m->jnt_type[j] == mjJNT_BALL) quat_normalize(qpos + p);
    if (m->jnt_type[j] == mjJNT_FREE) quat_normalize(qpos + p + 3);
  }
}
