// Forces on, and velocities and accelerations of, frames fixed to bodies.
//
// Spatial quantities are about the tree's center of mass com. At a point p the velocity is v + w x
// (p - com); a force f at p has the torque (p - com) x f about com.
#include "smooth/smooth.h"

// qfrc_i += cdof_i . wrench over the dofs of the body's chain.
void mj_applyFT(const mjModel* m, mjData* d, const mjtNum force[3], const mjtNum torque[3],
                const mjtNum point[3], int body, mjtNum* qfrc_target) {
  if (body < 0 || body >= m->nbody) {
    mju_error("mj_applyFT: body %d is not between 0 and %d", body, m->nbody - 1);
    return;
  }
  double wrench[6] = {0};
  if (torque) vec3_copy(wrench, torque);
  if (force) {
    double arm[3], moment[3];
    vec3_sub(arm, point, d->subtree_com + 3 * m->body_rootid[body]);
    vec3_cross(moment, arm, force);
    vec3_add(wrench, wrench, moment);
    vec3_copy(wrench + 3, force);
  }
  const snPlan* plan = model_plan(m);
  const int* chain = plan->chain + plan->chain_adr[body];
  for (int k = 0; k < plan->chain_num[body]; k++) {
    qfrc_target[chain[k]] += vec6_dot(d->cdof + 6 * chain[k], wrench);
  }
}

bool frame_of(const mjModel* m, const mjData* d, int objtype, int id, int* body, const double** pos,
              const double** mat) {
  switch (objtype) {
    case mjOBJ_BODY:
      *body = id, *pos = d->xipos + 3 * id, *mat = d->ximat + 9 * id;
      return true;
    case mjOBJ_XBODY:
      *body = id, *pos = d->xpos + 3 * id, *mat = d->xmat + 9 * id;
      return true;
    case mjOBJ_GEOM:
      *body = m->geom_bodyid[id], *pos = d->geom_xpos + 3 * id, *mat = d->geom_xmat + 9 * id;
      return true;
    case mjOBJ_SITE:
      *body = m->site_bodyid[id], *pos = d->site_xpos + 3 * id, *mat = d->site_xmat + 9 * id;
      return true;
    case mjOBJ_CAMERA:
      *body = m->cam_bodyid[id], *pos = d->cam_xpos + 3 * id, *mat = d->cam_xmat + 9 * id;
      return true;
  }
  return false;
}

void motion_at_point(double* res, const double* motion, const double* com, const double* point) {
  double arm[3], swing[3];
  vec3_sub(arm, point, com);
  vec3_cross(swing, motion, arm);
  vec3_copy(res, motion);
  vec3_add(res + 3, motion + 3, swing);
}

static void to_local(double* res, const double* mat) {
  mat3_mulT_vec(res, mat, res);
  mat3_mulT_vec(res + 3, mat, res + 3);
}

void mj_objectVelocity(const mjModel* m, const mjData* d, int objtype, int objid, mjtNum res[6],
                       int flg_local) {
  int body;
  const double *pos, *mat;
  if (!frame_of(m, d, objtype, objid, &body, &pos, &mat)) {
    mju_error("mj_objectVelocity: object type %d has no frame", objtype);
    return;
  }
  motion_at_point(res, d->cvel + 6 * body, d->subtree_com + 3 * m->body_rootid[body], pos);
  if (flg_local) to_local(res, mat);
}

// The acceleration of a point: the spatial acceleration moved to the point, plus w x v.
void mj_objectAcceleration(const mjModel* m, const mjData* d, int objtype, int objid, mjtNum res[6],
                           int flg_local) {
  int body;
  const double *pos, *mat;
  if (!frame_of(m, d, objtype, objid, &body, &pos, &mat)) {
    mju_error("mj_objectAcceleration: object type %d has no frame", objtype);
    return;
  }
  const double* com = d->subtree_com + 3 * m->body_rootid[body];
  double velocity[6], turn[3];
  motion_at_point(res, d->cacc + 6 * body, com, pos);
  motion_at_point(velocity, d->cvel + 6 * body, com, pos);
  vec3_cross(turn, velocity, velocity + 3);
  vec3_add(res + 3, res + 3, turn);
  if (flg_local) to_local(res, mat);
}

mjtNum mj_getTotalmass(const mjModel* m) {
  double total = 0;
  for (int b = 0; b < m->nbody; b++) total += m->body_mass[b];
  return total;
}

// Scale all masses and inertias by one factor.
void mj_setTotalmass(mjModel* m, mjtNum newmass) {
  double scale = fmax(mjMINVAL, newmass / fmax(mjMINVAL, mj_getTotalmass(m)));
  for (int b = 0; b < m->nbody; b++) {
    m->body_mass[b] *= scale;
    vec3_scale(m->body_inertia + 3 * b, m->body_inertia + 3 * b, scale);
  }
}
