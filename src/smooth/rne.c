// Recursive Newton-Euler: the force that a motion needs, outward for motion, inward for force.
#include "smooth/smooth.h"

// The world accelerates upward against gravity, so that gravity needs no term of its own.
SN_INLINE void world_acceleration(const mjModel* m, double* cacc) {
  vec6_zero(cacc);
  if (!(m->opt.disableflags & mjDSBL_GRAVITY)) vec3_scale(cacc + 3, m->opt.gravity, -1);
}

// cacc(b) = cacc(parent) + sum over its dofs of cdof_dot qvel (+ cdof qacc)
SN_INLINE void body_acceleration(const mjModel* m, const mjData* d, double* cacc, int b,
                                 const double* qacc) {
  double acc[6];
  vec6_copy(acc, cacc + 6 * m->body_parentid[b]);
  int i = m->body_dofadr[b], end = i + m->body_dofnum[b];
  for (; i < end; i++) {
    vec6_add_scaled(acc, acc, d->cdof_dot + 6 * i, d->qvel[i]);
    if (qacc) vec6_add_scaled(acc, acc, d->cdof + 6 * i, qacc[i]);
  }
  vec6_copy(cacc + 6 * b, acc);
}

// f(b) = I a + v x* I v
SN_INLINE void body_force(const mjData* d, double* force, int b, const double* cacc) {
  double momentum[6], inertial[6], gyroscopic[6];
  const double* inertia = d->cinert + 10 * b;
  inertia_mul(inertial, inertia, cacc);
  inertia_mul(momentum, inertia, d->cvel + 6 * b);
  spatial_cross_force(gyroscopic, d->cvel + 6 * b, momentum);
  vec6_add(force, inertial, gyroscopic);
}

SN_KERNEL static void rne_sweep(const mjModel* m, const mjData* d, const double* qacc, double* cacc,
                                double* force, double* result) {
  int nbody = m->nbody;
  const int* parent = m->body_parentid;
  world_acceleration(m, cacc);
  vec6_zero(force);
  for (int b = 1; b < nbody; b++) {
    body_acceleration(m, d, cacc, b, qacc);
    body_force(d, force + 6 * b, b, cacc + 6 * b);
  }
  for (int b = nbody - 1; b > 0; b--) {
    if (parent[b]) vec6_add(force + 6 * parent[b], force + 6 * parent[b], force + 6 * b);
  }
  for (int i = 0; i < m->nv; i++) {
    result[i] = vec6_dot(d->cdof + 6 * i, force + 6 * m->dof_bodyid[i]);
  }
}

void mj_rne(const mjModel* m, mjData* d, int flg_acc, mjtNum* result) {
  mj_markStack(d);
  double* cacc = mj_stackAllocNum(d, 6 * m->nbody);
  double* force = mj_stackAllocNum(d, 6 * m->nbody);
  if (cacc && force) rne_sweep(m, d, flg_acc ? d->qacc : NULL, cacc, force, result);
  mj_freeStack(d);
}

// Add a force and torque acting at a point to the external wrench of a body.
static void external_add(const mjModel* m, mjData* d, int body, const double* force,
                         const double* torque, const double* point, double sign) {
  if (!body) return;
  double arm[3], moment[3];
  double* wrench = d->cfrc_ext + 6 * body;
  vec3_sub(arm, point, d->subtree_com + 3 * m->body_rootid[body]);
  vec3_cross(moment, arm, force);
  vec3_add_scaled(wrench, wrench, moment, sign);
  if (torque) vec3_add_scaled(wrench, wrench, torque, sign);
  vec3_add_scaled(wrench + 3, wrench + 3, force, sign);
}

// Contact forces act with their sign on the second geom's body and reversed on the first's.
static void external_contacts(const mjModel* m, mjData* d) {
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* contact = d->contact + i;
    if (contact->efc_address < 0 || contact->exclude) continue;
    int geom1 = contact->geom[0], geom2 = contact->geom[1];
    if (geom1 < 0 || geom2 < 0) continue;
    double local[6], force[3], torque[3];
    mj_contactForce(m, d, i, local);
    mat3_mulT_vec(force, contact->frame, local);
    mat3_mulT_vec(torque, contact->frame, local + 3);
    external_add(m, d, m->geom_bodyid[geom1], force, torque, contact->pos, -1);
    external_add(m, d, m->geom_bodyid[geom2], force, torque, contact->pos, 1);
  }
}

// The two bodies that a connect or weld joins, and the world point of its anchor on each.
static void equality_anchor(const mjModel* m, const mjData* d, int eq, const double* local1,
                            const double* local2, int body[2], double point[2][3]) {
  for (int k = 0; k < 2; k++) {
    int id = k ? m->eq_obj2id[eq] : m->eq_obj1id[eq];
    if (m->eq_objtype[eq] == mjOBJ_SITE) {
      body[k] = m->site_bodyid[id];
      vec3_copy(point[k], d->site_xpos + 3 * id);
    } else {
      body[k] = id;
      mat3_mul_vec(point[k], d->xmat + 9 * id, k ? local2 : local1);
      vec3_add(point[k], point[k], d->xpos + 3 * id);
    }
  }
}

static void external_equalities(const mjModel* m, mjData* d) {
  for (int row = 0; row < d->ne;) {
    int eq = d->efc_id[row], body[2];
    double point[2][3];
    const double* data = m->eq_data + mjNEQDATA * eq;
    const double* force = d->efc_force + row;
    switch (m->eq_type[eq]) {
      case mjEQ_CONNECT:
        equality_anchor(m, d, eq, data, data + 3, body, point);
        external_add(m, d, body[0], force, NULL, point[0], 1);
        external_add(m, d, body[1], force, NULL, point[1], -1);
        row += 3;
        break;
      case mjEQ_WELD:
        // the anchor is given in the second body; torque rows act on the orientation difference
        equality_anchor(m, d, eq, data + 3, data, body, point);
        external_add(m, d, body[0], force, force + 3, point[0], 1);
        external_add(m, d, body[1], force, force + 3, point[1], -1);
        row += 6;
        break;
      default:
        row++;
    }
  }
}

void mj_rnePostConstraint(const mjModel* m, mjData* d) {
  int nbody = m->nbody;
  memset(d->cfrc_ext, 0, (size_t)nbody * 6 * sizeof(double));
  for (int b = 1; b < nbody; b++) {
    const double* applied = d->xfrc_applied + 6 * b;
    external_add(m, d, b, applied, applied + 3, d->xipos + 3 * b, 1);
  }
  external_contacts(m, d);
  external_equalities(m, d);

  world_acceleration(m, d->cacc);
  vec6_zero(d->cfrc_int);
  for (int b = 1; b < nbody; b++) {
    double* force = d->cfrc_int + 6 * b;
    body_acceleration(m, d, d->cacc, b, d->qacc);
    body_force(d, force, b, d->cacc + 6 * b);
    vec6_add_scaled(force, force, d->cfrc_ext + 6 * b, -1);
  }
  for (int b = nbody - 1; b > 0; b--) {
    double* parent = d->cfrc_int + 6 * m->body_parentid[b];
    vec6_add(parent, parent, d->cfrc_int + 6 * b);
  }
}
