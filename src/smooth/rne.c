// Recursive Newton-Euler: the force that a motion needs, M qacc + c, or c alone.
//
//   outward  a(b) = a(parent) + sum over the dofs of b of cdof_dot qvel (+ cdof qacc)
//   body     f(b) = I a + v x* I v
//   inward   f(parent) += f(b)
//   joint    tau_i = cdof_i . f(body of i)
//
// Everything is about the tree's center of mass in world axes, so nothing is rotated between
// bodies.
#include "smooth/spatial_lanes.h"
#include "smooth/smooth.h"

// The world accelerates upward, against gravity, so that gravity needs no term of its own.
SN_INLINE void world_acceleration(const mjModel* m, double* cacc) {
  vec6_zero(cacc);
  if (!(m->opt.disableflags & mjDSBL_GRAVITY)) vec3_scale(cacc + 3, m->opt.gravity, -1);
}

// The same as a sn6 built in registers: through memory, the overlapping loads would wait for the
// stores.
SN_INLINE sn6 world_acceleration6(const mjModel* m) {
  if (m->opt.disableflags & mjDSBL_GRAVITY) return (sn6){{0}, {0}};
  double x = m->opt.gravity[0] * -1, y = m->opt.gravity[1] * -1, z = m->opt.gravity[2] * -1;
  return (sn6){{0, 0, 0, x}, {0, x, y, z}};
}

// cacc, outward; 8 numbers for each body (sn6_keep)
SN_INLINE void accelerations(const mjModel* m, const mjData* d, const double* qacc, double* cacc,
                             int first, int nbody) {
  const int *parent = m->body_parentid, *dofadr = m->body_dofadr, *dofnum = m->body_dofnum;
  const double *cdof = d->cdof, *cdof_dot = d->cdof_dot, *qvel = d->qvel;
  sn6_keep(cacc, world_acceleration6(m));
  for (int b = first; b < nbody; b++) {
    SN_ASSERT(parent[b] == 0 || (parent[b] >= first && parent[b] < b));  // outward, within the span
    sn6 acc = sn6_take(cacc + 8 * parent[b]);
    int i = dofadr[b], end = i + dofnum[b];
    for (; i < end; i++) {
      acc = sn6_add_scaled(acc, sn6_load(cdof_dot + 6 * i), qvel[i]);
      if (qacc) acc = sn6_add_scaled(acc, sn6_load(cdof + 6 * i), qacc[i]);
    }
    sn6_keep(cacc + 8 * b, acc);
  }
}

// I a + v x* I v of one body; 8 numbers
SN_INLINE void force_of(const mjData* d, const double* cacc, double* force, int b) {
  const double *I = d->cinert + 10 * b, *v = d->cvel + 6 * b;
  double acc[6], f[6], p[6], a[3], c[3];
  // sn6_keep stores numbers 0-3 and 2-5
  for (int k = 0; k < 4; k++) acc[k] = cacc[8 * b + k];
  acc[4] = cacc[8 * b + 6], acc[5] = cacc[8 * b + 7];
  inertia_mul(f, I, acc);
  inertia_mul(p, I, v);
  vec3_cross(a, v, p);
  vec3_cross(c, v + 3, p + 3);
  for (int k = 0; k < 3; k++) f[k] += a[k] + c[k];
  vec3_cross(a, v, p + 3);
  for (int k = 0; k < 3; k++) f[3 + k] += a[k];
  sn6_keep(force + 8 * b, (sn6){{f[0], f[1], f[2], f[3]}, {f[2], f[3], f[4], f[5]}});
}

// The same for all bodies except the world, four at a time unless there is only one
SN_INLINE void forces(const mjData* d, const double* cacc, double* force, int first, int nbody) {
  const double *cinert = d->cinert, *cvel = d->cvel;
  if (nbody == first + 1) {
    force_of(d, cacc, force, first);
    return;
  }
  for (int b = first; b < nbody; b += 4) {
    int id[4];
    sn6 row[4];
    sn4 I[10], acc[6], vel[6], f[6], momentum[6], gyroscopic[6];
    for (int i = 0; i < 4; i++) id[i] = b + i < nbody ? b + i : b;
    four10_load(I, cinert + 10 * id[0], cinert + 10 * id[1], cinert + 10 * id[2],
                cinert + 10 * id[3]);
    for (int i = 0; i < 4; i++) row[i] = sn6_take(cacc + 8 * id[i]);
    four6_load(acc, row);
    for (int i = 0; i < 4; i++) row[i] = sn6_load(cvel + 6 * id[i]);
    four6_load(vel, row);
    four6_inertia_mul(f, I, acc);
    four6_inertia_mul(momentum, I, vel);
    four6_cross_force(gyroscopic, vel, momentum);
    for (int k = 0; k < 6; k++) f[k] += gyroscopic[k];
    four6_unload(row, f);
    for (int i = 3; i >= 0; i--) sn6_keep(force + 8 * id[i], row[i]);
  }
}

// result = cdof . force of the body, four dofs at a time
SN_INLINE void joint_forces(const mjModel* m, const mjData* d, const double* force, double* result,
                            int i, int nv) {
  const double* cdof = d->cdof;
  const int* body = m->dof_bodyid;
  for (; i <= nv - 4; i += 4) {
    sn4 p[4];
    for (int k = 0; k < 4; k++) {
      p[k] = sn6_products(cdof + 6 * (i + k), sn6_once(sn6_take(force + 8 * body[i + k])));
    }
    sn4_store(result + i, sn4_sum4(p[0], p[1], p[2], p[3]));
  }
  for (; i < nv; i++) {
    result[i] = sn4_sum(sn6_products(cdof + 6 * i, sn6_once(sn6_take(force + 8 * body[i]))));
  }
}

// Inward: the force of every body is added to that of its parent, except the world.
SN_INLINE void force_to_parents(const mjModel* m, double* force, int first, int nbody) {
  const int* parent = m->body_parentid;
  for (int b = nbody - 1; b >= first; b--) {
    if (!parent[b]) continue;
    SN_ASSERT(parent[b] >= first && parent[b] < b);
    double* to = force + 8 * parent[b];
    sn6_keep(to, sn6_add(sn6_take(to), sn6_take(force + 8 * b)));
  }
}

SN_KERNEL static void rne_sweep(const mjModel* m, const mjData* d, const double* qacc, double* cacc,
                                double* force, double* result) {
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  for (const snBodyRun* end = span + nspan; span < end; span++) {
    int first = span->body ? span->body : 1, last = span->body_end;
    accelerations(m, d, qacc, cacc, first, last);
    forces(d, cacc, force, first, last);
    force_to_parents(m, force, first, last);
    joint_forces(m, d, force, result, span->dof, span->dof_end);
  }
}

void mj_rne(const mjModel* m, mjData* d, int flg_acc, mjtNum* result) {
  if (!m->nv) return;
  double* cacc = data_scratch(d, 16 * m->nbody);
  if (cacc) rne_sweep(m, d, flg_acc ? d->qacc : NULL, cacc, cacc + 8 * m->nbody, result);
}

// Add a force and torque at a point to the external wrench of a body.
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

// Contact forces act on the body of the second geom, and with opposite sign on that of the first.
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

// The two bodies of a connect or weld, and the world positions of its anchor on each.
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

// cacc, and cfrc_int: inertial minus external force, summed over the subtree of a body
SN_KERNEL static void internal_forces(const mjModel* m, mjData* d, double* cacc, double* force) {
  int nbody = m->nbody;
  accelerations(m, d, d->qacc, cacc, 1, nbody);
  forces(d, cacc, force, 1, nbody);
  for (int b = 0; b < nbody; b++) {
    sn6_store(d->cacc + 6 * b, sn6_take(cacc + 8 * b));
    sn6 inertial = b ? sn6_take(force + 8 * b) : (sn6){{0}, {0}};
    sn6_store(d->cfrc_int + 6 * b, sn6_add_scaled(inertial, sn6_load(d->cfrc_ext + 6 * b), -1));
  }
  for (int b = nbody - 1; b > 0; b--) {
    double* parent = d->cfrc_int + 6 * m->body_parentid[b];
    vec6_add(parent, parent, d->cfrc_int + 6 * b);
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

  double* cacc = data_scratch(d, 16 * nbody);
  if (cacc) internal_forces(m, d, cacc, cacc + 8 * nbody);
}
