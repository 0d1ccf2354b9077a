// Forces on bodies. What joints, tendons, actuators and the medium give is computed by the engine
// in minimal coordinates, where it is defined, and brought to the bodies through P: a joint force
// tau does the power tau qdot = (P' tau)'(relative twist).
#include "maximal/maximal.h"

// Measured poses instead of those of the tree: contacts are found where bodies are, not where
// closed joints would put them.
static void write_poses(snMaximalWhole* w) {
  const mjModel* m = w->x.model;
  mjData* d = w->x.data;
  for (int b = 0; b < m->nbody; b++) {
    int i = w->own[b];
    double *pos = d->xpos + 3 * b, *quat = d->xquat + 4 * b;
    if (i < 0) {
      vec3_copy(pos, w->off_pos + 3 * b);
      quat_copy(quat, w->off_quat + 4 * b);
    } else {
      mat3_mul_vec(pos, w->mat + 9 * i, w->off_pos + 3 * b);
      vec3_add(pos, pos, w->origin + 3 * i);
      quat_mul(quat, w->x.quat + 4 * i, w->off_quat + 4 * b);
    }
    quat_to_mat(d->xmat + 9 * b, quat);
    mj_local2Global(d, d->xipos + 3 * b, d->ximat + 9 * b, m->body_ipos + 3 * b,
                    m->body_iquat + 4 * b, b, m->body_sameframe[b]);
  }
  for (int g = 0; g < m->ngeom; g++) {
    mj_local2Global(d, d->geom_xpos + 3 * g, d->geom_xmat + 9 * g, m->geom_pos + 3 * g,
                    m->geom_quat + 4 * g, m->geom_bodyid[g], m->geom_sameframe[g]);
  }
}

// Forces that joints, actuators or the medium give: without any, the minimal side is not computed.
// Asked in every step, since a program may change these numbers between steps.
static bool has_forces(const mjModel* m) {
  bool any = m->nu || m->ntendon || m->opt.density > 0 || m->opt.viscosity > 0 || m->ngravcomp ||
             m->nplugin || has_passive(m);
  for (int i = 0; i < m->nv && !any; i++) any = m->dof_damping[i] != 0;
  for (int i = 0; i < m->njnt && !any; i++) any = m->jnt_stiffness[i] != 0;
  return any;
}

// qfrc_passive, qfrc_actuator and what they stand on.
static void minimal_forces(snMaximalWhole* w) {
  const mjModel* m = w->x.model;
  mjData* d = w->x.data;
  data_arena_clear(d);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_tendon(m, d);
  mj_transmission(m, d);
  mj_fwdVelocity(m, d);
  if (!w->embedded && !(m->opt.disableflags & mjDSBL_ACTUATION)) call_control(m, d);
  mj_fwdActuation(m, d);
}

// f += sign [R f; (point - r) x R f + R t]
static void add_wrench(snMaximalWhole* w, const snHold* h, const double wrench[6]) {
  double f[3], t[3], arm[3], turn[3];
  mat3_mul_vec(f, h->frame, wrench);
  mat3_mul_vec(t, h->frame, wrench + 3);
  for (int side = 0; side < 2; side++) {
    int body = side ? h->base : h->follower;
    if (body < 0) continue;
    double sign = side ? -1 : 1, *total = w->force + 6 * body;
    vec3_sub(arm, h->point, w->x.pos + 3 * body);
    vec3_cross(turn, arm, f);
    vec3_add(turn, turn, t);
    vec3_add_scaled(total, total, f, sign);
    vec3_add_scaled(total + 3, total + 3, turn, sign);
  }
}

// Newton-Euler: m g and -w x I w, and the forces applied to parts at their centers of mass.
static void body_forces(snMaximalWhole* w) {
  const snMaximal* x = &w->x;
  const mjModel* m = x->model;
  const mjData* d = x->data;
  for (int i = 0; i < x->nbody; i++) {
    double *f = w->force + 6 * i, local[3], spin[3];
    const double *mat = w->mat + 9 * i, *omega = x->vel + 6 * i + 3;
    vec3_zero(f);
    if (!(m->opt.disableflags & mjDSBL_GRAVITY)) vec3_scale(f, m->opt.gravity, x->mass[i]);
    mat3_mulT_vec(local, mat, omega);
    mat3_mul_vec(spin, x->inertia + 9 * i, local);
    mat3_mul_vec(spin, mat, spin);
    vec3_cross(f + 3, spin, omega);
  }
  for (int b = 1; b < m->nbody; b++) {
    const double* xfrc = d->xfrc_applied + 6 * b;
    int i = w->own[b];
    if (i < 0) continue;
    double *f = w->force + 6 * i, arm[3], turn[3];
    vec3_sub(arm, d->xipos + 3 * b, x->pos + 3 * i);
    vec3_cross(turn, arm, xfrc);
    vec3_add(f, f, xfrc);
    vec3_add(f + 3, f + 3, turn);
    vec3_add(f + 3, f + 3, xfrc + 3);
  }
}

void maximal_forces(snMaximalWhole* w) {
  const mjModel* m = w->x.model;
  mjData* d = w->x.data;
  w->active_forces = has_forces(m);
  if (w->active_forces) minimal_forces(w);
  write_poses(w);
  mj_collision(m, d);
  body_forces(w);
  for (int i = 0; i < w->nlink; i++) {
    const snLink* l = w->link + i;
    double wrench[6] = {0, 0, 0, 0, 0, 0};
    for (int k = 0; k < l->ndof; k++) {
      int dof = m->body_dofadr[l->body] + k;
      double tau = d->qfrc_applied[dof];
      if (w->active_forces) tau += d->qfrc_passive[dof] + d->qfrc_actuator[dof];
      vec6_add_scaled(wrench, wrench, l->P + 6 * k, tau);
    }
    if (l->ndof) add_wrench(w, &l->hold, wrench);
  }
}
