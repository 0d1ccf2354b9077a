// Loads on bodies: applied wrenches, gravity compensation, the medium; and springs of joints.
//
// A load is a wrench on a body. If it turned along with the body it would cost nothing: smooth.c
// has it in the force of the subtree. A force F with a torque T that keeps its direction in the
// world falls behind the turn w by (r x (-w x F) - w x T, -w x F), r from the com of the tree: a
// map of w, which adds up over subtrees. The medium pushes with the velocity relative to it: its
// slope B, in the frame of the body, does the same for velocities.
#include "derive/private.h"
#include "integrate/integrate.h"
#include "smooth/spatial_lanes.h"

// load += force and torque at a point
static void load_put(snTangent* t, int body, const double* point, const double* force,
                     const double* torque) {
  double r[3], moment[3], *to = t->load + 6 * body;
  vec3_sub(r, point, t->d->subtree_com + 3 * t->m->body_rootid[body]);
  vec3_cross(moment, r, force);
  vec3_add(to, to, moment);
  vec3_add(to, to, torque);
  vec3_add(to + 3, to + 3, force);
}

// rows 0-2: [r]x [F]x + [T]x, rows 3-5: [F]x, where [a]x w = a x w
static void load_steady(snTangent* t, int body, const double* point, const double* force,
                        const double* torque) {
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  SN_ASSERT(t->steady && body > 0 && body < t->m->nbody);
  double r[3], *to = t->steady + 18 * body;
  load_put(t, body, point, force, torque);
  vec3_sub(r, point, t->d->subtree_com + 3 * t->m->body_rootid[body]);
  for (int k = 0; k < 3; k++) {
    double f[3], g[3], h[3];
    vec3_cross(f, force, unit[k]);
    vec3_cross(g, r, f);
    vec3_cross(h, torque, unit[k]);
    for (int i = 0; i < 3; i++) {
      to[3 * i + k] += g[i] + h[i];
      to[3 * (3 + i) + k] += f[i];
    }
  }
}

static void fluid_take(const mjModel* m, mjData* d, void* context, int body, const double* point,
                       const double* force, const double* torque) {
  (void)m, (void)d;
  load_put(context, body, point, force, torque);
}

// X'BX, where X takes a motion about the com of the tree to the point, in the frame mat.
SN_KERNEL static void drag_add(double* to, const double* r, const double* mat, const double* B) {
  double X[36];
  sn6 BX[6];
  for (int k = 0; k < 6; k++) {
    double motion[6] = {0}, lin[3], local[6];
    motion[k] = 1;
    jac_column(lin, motion, r);
    mat3_mulT_vec(local, mat, motion);
    mat3_mulT_vec(local + 3, mat, lin);
    for (int i = 0; i < 6; i++) X[6 * i + k] = local[i];
  }
  for (int i = 0; i < 6; i++) {
    sn6 sum = {{0}, {0}};
    for (int l = 0; l < 6; l++) sum = sn6_add_scaled(sum, sn6_load(X + 6 * l), B[6 * i + l]);
    BX[i] = sum;
  }
  for (int i = 0; i < 6; i++) {
    sn6 sum = sn6_load(to + 6 * i);
    for (int l = 0; l < 6; l++) sum = sn6_add_scaled(sum, BX[l], X[6 * l + i]);
    sn6_store(to + 6 * i, sum);
  }
}

static void slope_take(const mjModel* m, mjData* d, void* context, int body, const mjtNum* point,
                       const mjtNum* mat, const mjtNum B[36]) {
  snTangent* t = context;
  double r[3];
  vec3_sub(r, point, d->subtree_com + 3 * m->body_rootid[body]);
  drag_add(t->drag + 36 * body, r, mat, B);
}

// The force against gravity on a body. Bodies are compensated only in models where one has a
// positive share.
static bool compensation(const mjModel* m, int body, double force[3]) {
  bool off = !m->ngravcomp || (m->opt.disableflags & mjDSBL_GRAVITY);
  if (off || m->body_gravcomp[body] == 0) return false;
  vec3_scale(force, m->opt.gravity, -m->body_mass[body] * m->body_gravcomp[body]);
  return true;
}

static bool any_steady(const snTangent* t, bool passive) {
  const mjModel* m = t->m;
  if (passive && m->ngravcomp && !(m->opt.disableflags & mjDSBL_GRAVITY)) return true;
  for (int k = 6; !t->inverse && k < 6 * m->nbody; k++) {
    if (t->d->xfrc_applied[k] != 0) return true;
  }
  return false;
}

bool load_make(snTangent* t) {
  static const double zero[3] = {0};
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t nb = (size_t)m->nbody;
  bool passive = !(m->opt.disableflags & mjDSBL_PASSIVE);
  bool fluid = passive && (m->opt.density != 0 || m->opt.viscosity != 0);
  bool steady = any_steady(t, passive);
  memset(t->load, 0, 6 * nb * sizeof(double));
  if (steady) {
    if (!FRAME(memory_of(d), SN_ARRAY(t->steady, 18 * nb))) return false;
    memset(t->steady, 0, 18 * nb * sizeof(double));
    for (int b = 1; b < m->nbody; b++) {
      const double* applied = d->xfrc_applied + 6 * b;
      if (!t->inverse) load_steady(t, b, d->xipos + 3 * b, applied, applied + 3);
      // compensation by actuators is a force of theirs, which inverse dynamics may not know
      double force[3];
      if (!passive || !compensation(m, b, force)) continue;
      load_steady(t, b, d->xipos + 3 * b, force, zero);
    }
  }
  if (!fluid) return true;
  if (!FRAME(memory_of(d), SN_ARRAY(t->drag, 36 * nb))) return false;
  memset(t->drag, 0, 36 * nb * sizeof(double));
  fluid_each(m, d, fluid_take, t);
  derivative_fluid_each(m, d, false, slope_take, t);
  return true;
}

// Compensation along a joint whose actuators do it counts as their force: without actuators, or at
// the limit of their total, it is not there. Its part F.J_i of tau's row, with J_i the column of
// the centre of mass, is taken back.
void load_uncompensated(snTangent* t) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  bool off = !m->nu || (m->opt.disableflags & mjDSBL_ACTUATION) || !t->actuated;
  if (!m->ngravcomp || (m->opt.disableflags & mjDSBL_PASSIVE)) return;
  for (int i = 0; i < t->nv; i++) {
    int joint = m->dof_jntid[i], own = m->dof_bodyid[i];
    if (!m->jnt_actgravcomp[joint] || !(off || joint_clamped(t, joint))) continue;
    double* row = tau_row(t, i);
    for (int b = own; b < m->nbody; b++) {
      double force[3], r[3], col[3];
      if (!body_inside(m, own, b) || !compensation(m, b, force)) continue;
      vec3_sub(r, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
      jac_column(col, d->cdof + 6 * i, r);
      const int* chain = t->plan->chain + t->plan->chain_adr[b];
      for (int k = 0; k < t->plan->chain_num[b]; k++) {
        int j = chain[k];
        double other[3], second[3];
        jac_column(other, d->cdof + 6 * j, r);
        point_second(second, t->group, i, j, d->cdof + 6 * i, col, d->cdof + 6 * j, other);
        row[t->parts.q[j]] += vec3_dot(force, second);
      }
    }
  }
}

// Springs and dampers of joints: -k (q - q0) - b v.
void load_springs(snTangent* t) {
  const mjModel* m = t->m;
  if (m->opt.disableflags & mjDSBL_PASSIVE) return;
  const int* q = t->parts.q;
  for (int i = 0; i < t->nv; i++) tau_row(t, i)[t->parts.v[i]] += m->dof_damping[i];
  for (int j = 0; j < m->njnt; j++) {
    double k = m->jnt_stiffness[j], quat[4], D[9];
    if (k == 0) continue;
    int v = m->jnt_dofadr[j], p = m->jnt_qposadr[j], type = m->jnt_type[j];
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
      tau_row(t, v)[q[v]] += k;
      continue;
    }
    if (type == mjJNT_FREE) {
      for (int i = v; i < v + 3; i++) tau_row(t, i)[q[i]] += k;
      v += 3, p += 3;
    }
    quat_copy(quat, t->d->qpos + p);
    quat_normalize(quat);
    mjd_subQuat(quat, m->qpos_spring + p, D, NULL);
    for (int i = 0; i < 9; i++) tau_row(t, v + i / 3)[q[v + i % 3]] += k * D[i];
  }
}
