// State of bodies, from minimal coordinates and back.
#include "maximal/maximal.h"

void maximal_frames(snMaximalWhole* w) {
  snMaximal* x = &w->x;
  for (int i = 0; i < x->nbody; i++) {
    double *mat = w->mat + 9 * i, *minv = w->minv + 10 * i, arm[3], turned[9];
    quat_to_mat(mat, x->quat + 4 * i);
    mat3_mul_vec(arm, mat, w->com + 3 * i);
    vec3_sub(w->origin + 3 * i, x->pos + 3 * i, arm);
    minv[0] = 1 / x->mass[i];
    mat3_mul(turned, mat, w->inertia_inv + 9 * i);
    mat3_mul_T(minv + 1, turned, mat);
  }
}

void maximal_move(const double vel[6], double h, double pos[3], double quat[4]) {
  double axis[3], turn[4];
  vec3_add_scaled(pos, pos, vel, h);
  vec3_copy(axis, vel + 3);
  double angle = h * vec3_normalize(axis);
  quat_from_axis_angle(turn, axis, angle);
  quat_mul(quat, turn, quat);
  quat_normalize(quat);
}

void maximal_look_ahead(snMaximalWhole* w, double h) {
  const snMaximal* x = &w->x;
  for (int i = 0; i < x->nbody; i++) {
    double *pos = w->ahead_origin + 3 * i, *quat = w->ahead_quat + 4 * i, arm[3];
    vec3_copy(pos, x->pos + 3 * i);
    quat_copy(quat, x->quat + 4 * i);
    maximal_move(x->vel + 6 * i, h, pos, quat);
    vec3_copy(w->ahead_pos + 3 * i, pos);
    quat_to_mat(w->ahead_mat + 9 * i, quat);
    mat3_mul_vec(arm, w->ahead_mat + 9 * i, w->com + 3 * i);
    vec3_sub(pos, pos, arm);
  }
}

void maximal_point_velocity(const snMaximalWhole* w, int body, const double point[3], double v[3]) {
  if (body < 0) {
    vec3_zero(v);
    return;
  }
  const double* vel = w->x.vel + 6 * body;
  double arm[3], turn[3];
  vec3_sub(arm, point, w->x.pos + 3 * body);
  vec3_cross(turn, vel + 3, arm);
  vec3_add(v, vel, turn);
}

static void copy_inputs(const mjModel* m, mjData* to, const mjData* from) {
  to->time = from->time;
  mju_copy(to->qpos, from->qpos, m->nq);
  mju_copy(to->qvel, from->qvel, m->nv);
  mju_copy(to->act, from->act, m->na);
  mju_copy(to->ctrl, from->ctrl, m->nu);
  mju_copy(to->qfrc_applied, from->qfrc_applied, m->nv);
  mju_copy(to->xfrc_applied, from->xfrc_applied, 6 * m->nbody);
  mju_copy(to->mocap_pos, from->mocap_pos, 3 * m->nmocap);
  mju_copy(to->mocap_quat, from->mocap_quat, 4 * m->nmocap);
  memcpy(to->eq_active, from->eq_active, m->neq);
}

void sn_setMaximal(snMaximal* x, const mjData* d) {
  snMaximalWhole* w = (snMaximalWhole*)x;
  if (d != x->data) copy_inputs(x->model, x->data, d);
  mj_normalizeQuat(x->model, x->data->qpos);
  maximal_offsets(w);
  maximal_masses(w);
  for (int i = 0; i < w->nlink; i++) chain_place(w, w->link + i);
  maximal_frames(w);
  w->nwarm = 0;
  x->joint_error = x->angle_error = 0;
}

mjtNum sn_getMaximal(snMaximal* x, mjData* d) {
  snMaximalWhole* w = (snMaximalWhole*)x;
  double most = 0;
  maximal_offsets(w);
  maximal_frames(w);
  for (int i = 0; i < w->nlink; i++) {
    snLink* l = w->link + i;
    chain_locate(w, l);
    if (l->nrow) most = fmax(most, vec3_norm(l->hold.error));
  }
  if (d != x->data) {
    d->time = x->data->time;
    mju_copy(d->qpos, x->data->qpos, x->model->nq);
    mju_copy(d->qvel, x->data->qvel, x->model->nv);
    mju_copy(d->act, x->data->act, x->model->na);
  }
  return most;
}
