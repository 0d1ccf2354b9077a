// Loads on bodies: applied wrenches, gravity compensation, the medium; and springs of joints.
//
// A load is a wrench on a body. If it turned along with the body it would cost nothing: smooth.c
// has it in the force of the subtree. A force F with a torque T that keeps its direction in the
// world falls behind the turn w by (r x (-w x F) - w x T, -w x F), r from the com of the tree: a
// map of w, which adds up over subtrees. The medium pushes with the velocity relative to it: its
// slope B, in the frame of the body, does the same for velocities.
#include "derive/private.h"
#include "integrate/integrate.h"

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
static void slope_take(const mjModel* m, mjData* d, void* context, int body, const mjtNum* point,
                       const mjtNum* mat, const mjtNum B[36]) {
  snTangent* t = context;
  double r[3], X[36], BX[36], *to = t->drag + 36 * body;
  vec3_sub(r, point, d->subtree_com + 3 * m->body_rootid[body]);
  for (int k = 0; k < 6; k++) {
    double motion[6] = {0}, lin[3], local[6];
    motion[k] = 1;
    jac_column(lin, motion, r);
    mat3_mulT_vec(local, mat, motion);
    mat3_mulT_vec(local + 3, mat, lin);
    for (int i = 0; i < 6; i++) X[6 * i + k] = local[i];
  }
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      double sum = 0;
      for (int l = 0; l < 6; l++) sum += B[6 * i + l] * X[6 * l + k];
      BX[6 * i + k] = sum;
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      for (int l = 0; l < 6; l++) to[6 * i + k] += X[6 * l + i] * BX[6 * l + k];
    }
  }
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
      if (!passive || m->body_gravcomp[b] == 0 || (m->opt.disableflags & mjDSBL_GRAVITY)) continue;
      double force[3];
      vec3_scale(force, m->opt.gravity, -m->body_mass[b] * m->body_gravcomp[b]);
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

// Springs and dampers of joints: -k (q - q0) - b v.
void load_springs(snTangent* t) {
  const mjModel* m = t->m;
  if (m->opt.disableflags & mjDSBL_PASSIVE) return;
  int nv = t->nv;
  for (int i = 0; i < nv; i++) t->tau[(size_t)i * t->stride + nv + i] += m->dof_damping[i];
  for (int j = 0; j < m->njnt; j++) {
    double k = m->jnt_stiffness[j], quat[4], D[9];
    if (k == 0) continue;
    int v = m->jnt_dofadr[j], p = m->jnt_qposadr[j], type = m->jnt_type[j];
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
      t->tau[(size_t)v * t->stride + v] += k;
      continue;
    }
    if (type == mjJNT_FREE) {
      for (int i = v; i < v + 3; i++) t->tau[(size_t)i * t->stride + i] += k;
      v += 3, p += 3;
    }
    quat_copy(quat, t->d->qpos + p);
    quat_normalize(quat);
    mjd_subQuat(quat, m->qpos_spring + p, D, NULL);
    for (int i = 0; i < 9; i++) t->tau[(size_t)(v + i / 3) * t->stride + v + i % 3] += k * D[i];
  }
}
