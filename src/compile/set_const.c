// mj_setConst: constants of the model at qpos0 (dof_M0, invweights, actuator_acc0, reference
// lengths, statistics).
#include <math.h>
#include <string.h>

#include "data/frame.h"
#include "compile/compile.h"
#include "data/data.h"

// ---- dof_M0, the diagonal of M: cdof_i' I cdof_i + armature, I the composite inertia of the
// subtree. The engine reads dof_M0 for simple dofs, so it is set before M is computed.
static void set_M0(mjModel* m, const mjData* d, mjtNum* inertia) {
  memcpy(inertia, d->cinert, (size_t)m->nbody * 10 * sizeof *inertia);
  for (int b = m->nbody - 1; b > 0; b--) {
    mjtNum* parent = inertia + 10 * m->body_parentid[b];
    if (m->body_parentid[b]) inertia_add(parent, parent, inertia + 10 * b);
  }
  for (int i = 0; i < m->nv; i++) {
    double f[6];
    inertia_mul(f, inertia + 10 * m->dof_bodyid[i], d->cdof + 6 * i);
    m->dof_M0[i] = m->dof_armature[i] + vec6_dot(d->cdof + 6 * i, f);
  }
}

// ---- inverse inertia along a generalized direction b: b' inv(M) b
// M = L' D L; with L' y = b, b' inv(M) b = sum of y_i^2 / D_i. Row i of L holds the ancestors of
// dof i, so the solve runs from the leaves and touches only ancestors of the nonzeros of b.
static double inverse_inertia(const mjModel* m, const mjData* d, mjtNum* y, int last) {
  const snPattern* pattern = model_pattern(m);
  double sum = 0;
  for (int i = last; i >= 0; i--) {
    if (!y[i]) continue;
    int adr = pattern->M_rowadr[i], n = pattern->M_rownnz[i] - 1;
    for (int k = 0; k < n; k++) y[pattern->M_colind[adr + k]] -= d->qLD[adr + k] * y[i];
    sum += y[i] * y[i] * d->qLDiagInv[i];
    y[i] = 0;
  }
  return sum;
}

// The same for a direction with nonzeros on one chain: only the chain is visited.
static double inverse_inertia_chain(const mjModel* m, const mjData* d, mjtNum* y, const int* chain,
                                    int n) {
  const snPattern* pattern = model_pattern(m);
  double sum = 0;
  for (int c = n - 1; c >= 0; c--) {
    int i = chain[c], adr = pattern->M_rowadr[i], num = pattern->M_rownnz[i] - 1;
    double yi = y[i];
    y[i] = 0;
    if (!yi) continue;
    for (int k = 0; k < num; k++) y[pattern->M_colind[adr + k]] -= d->qLD[adr + k] * yi;
    sum += yi * yi * d->qLDiagInv[i];
  }
  return sum;
}

// body_invweight0 from J of the body's com: hinge and ball columns (axis x offset, axis), slide
// columns (axis, 0).
static void set_body_invweight(mjModel* m, mjData* d, mjtNum* y) {
  const snPlan* plan = model_plan(m);
  for (int b = 1; b < m->nbody; b++) {
    mjtNum* out = m->body_invweight0 + 2 * b;
    out[0] = out[1] = 0;
    if (!m->body_weldid[b]) continue;
    if (m->body_simple[b] == 2) {
      // simple body with slide joints only: the mass, whatever their axes (as released)
      out[0] = 1 / fmax(mjMINVAL, m->body_mass[b]);
      continue;
    }
    const int* chain = plan->chain + plan->chain_adr[b];
    int n = plan->chain_num[b];
    const mjtNum* com = d->subtree_com + 3 * m->body_rootid[b];
    double offset[3];
    vec3_sub(offset, d->xipos + 3 * b, com);
    for (int row = 0; row < 6; row++) {
      for (int k = 0; k < n; k++) {
        const mjtNum* cdof = d->cdof + 6 * chain[k];
        double point[3];
        vec3_cross(point, cdof, offset);
        y[chain[k]] = row < 3 ? cdof[3 + row] + point[row] : cdof[row - 3];
      }
      out[row / 3] += inverse_inertia_chain(m, d, y, chain, n) / 3;
    }
  }
}

static void set_dof_invweight(mjModel* m, mjData* d, mjtNum* y) {
  const snPlan* plan = model_plan(m);
  for (int i = 0; i < m->nv; i++) {
    int b = m->dof_bodyid[i];
    if (m->body_simple[b] == 2) {
      m->dof_invweight0[i] = m->body_invweight0[2 * b];
      continue;
    }
    y[i] = 1;
    m->dof_invweight0[i] =
        inverse_inertia_chain(m, d, y, plan->chain + plan->chain_adr[b], plan->dof_chainnum[i]);
  }
  // the three dofs of a rotation, and those of a translation, share their mean
  for (int j = 0; j < m->njnt; j++) {
    int parts = m->jnt_type[j] == mjJNT_FREE ? 2 : m->jnt_type[j] == mjJNT_BALL ? 1 : 0;
    for (int p = 0; p < parts; p++) {
      mjtNum* w = m->dof_invweight0 + m->jnt_dofadr[j] + 3 * p;
      w[0] = w[1] = w[2] = (w[0] + w[1] + w[2]) / 3;
    }
  }
}

static void tendon_row(const mjModel* m, const mjData* d, int i, mjtNum* y) {
  if (mj_isSparse(m)) {
    for (int k = 0; k < d->ten_J_rownnz[i]; k++) {
      int adr = d->ten_J_rowadr[i] + k;
      y[d->ten_J_colind[adr]] = d->ten_J[adr];
    }
  } else {
    memcpy(y, d->ten_J + (size_t)m->nv * i, (size_t)m->nv * sizeof *y);
  }
}

static void set_tendons(mjModel* m, mjData* d, mjtNum* y) {
  for (int i = 0; i < m->ntendon; i++) {
    m->tendon_length0[i] = d->ten_length[i];
    tendon_row(m, d, i, y);
    m->tendon_invweight0[i] = inverse_inertia(m, d, y, m->nv - 1);
  }
}

static void edge_bodies(const mjModel* m, int flex, int edge, int body[2]) {
  for (int k = 0; k < 2; k++) {
    int vertex = m->flex_vertadr[flex] + m->flex_edge[2 * edge + k];
    body[k] = m->flex_vertbodyid[vertex];
  }
}

static void flex_edge_row(const mjModel* m, const mjData* d, int i, mjtNum* y) {
  if (mj_isSparse(m)) {
    for (int k = 0; k < d->flexedge_J_rownnz[i]; k++) {
      int adr = d->flexedge_J_rowadr[i] + k;
      y[d->flexedge_J_colind[adr]] = d->flexedge_J[adr];
    }
  } else {
    memcpy(y, d->flexedge_J + (size_t)m->nv * i, (size_t)m->nv * sizeof *y);
  }
}

// An edge between bodies that translate freely gets the mean of their inverse weights; any other is
// computed from its Jacobian, which is zero when the flex has no force along edges.
static void set_flex_edges(mjModel* m, const mjData* d, mjtNum* y) {
  for (int f = 0; f < m->nflex; f++) {
    for (int i = m->flex_edgeadr[f]; i < m->flex_edgeadr[f] + m->flex_edgenum[f]; i++) {
      m->flexedge_invweight0[i] = 0;
      if (m->flexedge_rigid[i]) continue;
      int body[2];
      edge_bodies(m, f, i, body);
      if (body[0] >= 0 && m->body_simple[body[0]] == 2 && body[1] >= 0 &&
          m->body_simple[body[1]] == 2) {
        m->flexedge_invweight0[i] =
            0.5 * (m->body_invweight0[2 * body[0]] + m->body_invweight0[2 * body[1]]);
      } else {
        flex_edge_row(m, d, i, y);
        m->flexedge_invweight0[i] = inverse_inertia(m, d, y, m->nv - 1);
      }
    }
  }
}

// acc0: acceleration from unit force of an actuator, |inv(M) moment|
static void set_actuators(mjModel* m, mjData* d, mjtNum* y) {
  for (int i = 0; i < m->nu; i++) {
    m->actuator_length0[i] = d->actuator_length[i];
    for (int k = 0; k < d->moment_rownnz[i]; k++) {
      int adr = d->moment_rowadr[i] + k;
      y[d->moment_colind[adr]] = d->actuator_moment[adr];
    }
    mj_solveM(m, d, y, y, 1);
    m->actuator_acc0[i] = mju_norm(y, m->nv);
    memset(y, 0, (size_t)m->nv * sizeof *y);
  }
}

static void set_cameras(mjModel* m, const mjData* d) {
  for (int i = 0; i < m->ncam; i++) {
    int b = m->cam_bodyid[i];
    double pos[3], quat[4];
    mju_rotVecQuat(pos, m->cam_pos + 3 * i, d->xquat + 4 * b);
    vec3_copy(m->cam_pos0 + 3 * i, pos);
    vec3_add(pos, pos, d->xpos + 3 * b);
    int target = m->cam_targetbodyid[i] >= 0 ? m->cam_targetbodyid[i] : b;
    vec3_sub(m->cam_poscom0 + 3 * i, pos, d->subtree_com + 3 * target);
    mju_mulQuat(quat, d->xquat + 4 * b, m->cam_quat + 4 * i);
    mju_quat2Mat(m->cam_mat0 + 9 * i, quat);
  }
  for (int i = 0; i < m->nlight; i++) {
    int b = m->light_bodyid[i];
    double pos[3];
    mju_rotVecQuat(pos, m->light_pos + 3 * i, d->xquat + 4 * b);
    vec3_copy(m->light_pos0 + 3 * i, pos);
    vec3_add(pos, pos, d->xpos + 3 * b);
    int target = m->light_targetbodyid[i] >= 0 ? m->light_targetbodyid[i] : b;
    vec3_sub(m->light_poscom0 + 3 * i, pos, d->subtree_com + 3 * target);
    mju_rotVecQuat(m->light_dir0 + 3 * i, m->light_dir + 3 * i, d->xquat + 4 * b);
  }
}

// The anchor of a connect in the second body; the relative pose of a weld that does not specify
// one.
static void set_equalities(mjModel* m, const mjData* d) {
  for (int i = 0; i < m->neq; i++) {
    mjtNum* data = m->eq_data + mjNEQDATA * i;
    int b1 = m->eq_obj1id[i], b2 = m->eq_obj2id[i];
    if (m->eq_objtype[i] != mjOBJ_BODY) continue;
    double global[3], local[3], inverse[4];
    if (m->eq_type[i] == mjEQ_CONNECT) {
      mju_rotVecQuat(global, data, d->xquat + 4 * b1);
      vec3_add(global, global, d->xpos + 3 * b1);
      vec3_sub(local, global, d->xpos + 3 * b2);
      mju_negQuat(inverse, d->xquat + 4 * b2);
      mju_rotVecQuat(data + 3, local, inverse);
    } else if (m->eq_type[i] == mjEQ_WELD) {
      if (data[6] || data[7] || data[8] || data[9]) {
        mju_normalize4(data + 6);
        continue;
      }
      mju_negQuat(inverse, d->xquat + 4 * b1);
      mju_mulQuat(data + 6, inverse, d->xquat + 4 * b2);
      mju_rotVecQuat(global, data, d->xquat + 4 * b2);
      vec3_add(global, global, d->xpos + 3 * b2);
      vec3_sub(local, global, d->xpos + 3 * b1);
      mju_rotVecQuat(data + 3, local, inverse);
    }
  }
}

// ---- statistics
// Size of a node of an interpolated flex: its distance to the farthest other node.
static void size_of_nodes(const mjModel* m, const mjData* d, int flex, mjtNum* size) {
  const int* node = m->flex_nodebodyid + m->flex_nodeadr[flex];
  for (int i = 0; i < m->flex_nodenum[flex]; i++) {
    for (int j = 0; j < m->flex_nodenum[flex]; j++) {
      double reach = vec3_dist(d->xpos + 3 * node[i], d->xpos + 3 * node[j]);
      size[node[i]] = sn_max(size[node[i]], reach);
    }
  }
}

// Size of a body: from its com to its geoms, its joints and those of its children.
static double mean_size(const mjModel* m, const mjData* d, mjtNum* size) {
  for (int b = 0; b < m->nbody; b++) size[b] = 0;
  for (int i = 0; i < m->ngeom; i++) {
    int b = m->geom_bodyid[i];
    if (m->geom_rbound[i] > 0) {
      double reach = vec3_dist(d->geom_xpos + 3 * i, d->xipos + 3 * b) + m->geom_rbound[i];
      size[b] = sn_max(size[b], reach);
    }
  }
  for (int j = 0; j < m->njnt; j++) {
    int b = m->jnt_bodyid[j], parent = m->body_parentid[b];
    size[b] = sn_max(size[b], vec3_dist(d->xipos + 3 * b, d->xanchor + 3 * j));
    size[parent] = sn_max(size[parent], vec3_dist(d->xipos + 3 * parent, d->xanchor + 3 * j));
  }
  for (int f = 0; f < m->nflex; f++) {
    if (m->flex_interp[f]) size_of_nodes(m, d, f, size);
    for (int i = m->flex_edgeadr[f]; i < m->flex_edgeadr[f] + m->flex_edgenum[f]; i++) {
      int body[2];
      edge_bodies(m, f, i, body);
      for (int k = 0; k < 2; k++) {
        if (body[k] >= 0) size[body[k]] = sn_max(size[body[k]], m->flexedge_length0[i]);
      }
    }
  }
  double sum = 0;
  const double least = 1e-5;  // lower bound on the size of a body, in meters
  for (int b = 1; b < m->nbody; b++) sum += sn_max(size[b], least);
  return sum / (m->nbody - 1);
}

static void extend(double box[6], const double p[3], double radius) {
  for (int i = 0; i < 3; i++) {
    box[i] = sn_min(box[i], p[i] - radius);
    box[3 + i] = sn_max(box[3 + i], p[i] + radius);
  }
}

static void set_extent(mjModel* m, const mjData* d) {
  double box[6] = {mjMAXVAL, mjMAXVAL, mjMAXVAL, -mjMAXVAL, -mjMAXVAL, -mjMAXVAL};
  for (int b = 1; b < m->nbody; b++) {
    extend(box, d->xpos + 3 * b, 0);
    extend(box, d->xipos + 3 * b, 0);
  }
  for (int j = 0; j < m->njnt; j++) extend(box, d->xanchor + 3 * j, 0);
  for (int i = 0; i < m->nsite; i++) extend(box, d->site_xpos + 3 * i, 0);
  for (int i = 0; i < m->ngeom; i++) {
    double radius = m->geom_rbound[i];
    if (m->geom_type[i] == mjGEOM_PLANE) {
      // planes have no radius: a tenth of their size, or 1 for infinite ones
      double size = sn_max(m->geom_size[3 * i], m->geom_size[3 * i + 1]);
      radius = size > 0 ? 0.1 * size : 1;
    }
    extend(box, d->geom_xpos + 3 * i, radius);
  }
  double extent = 0;
  for (int i = 0; i < 3; i++) {
    m->stat.center[i] = 0.5 * (box[i] + box[3 + i]);
    extent = sn_max(extent, box[3 + i] - box[i]);
  }
  // a model without extent along x keeps the given value, as released
  if (box[3] > box[0]) m->stat.extent = extent;
  m->stat.extent = sn_max(m->stat.extent, 2 * m->stat.meansize);
}

// Statistics whose mean is over an empty set keep their value.
static void set_statistics(mjModel* m, const mjData* d, mjtNum* size) {
  double inertia = 0, mass = 0;
  for (int i = 0; i < m->nv; i++) inertia += d->qM[m->dof_Madr[i]];  // includes tendon armature
  for (int b = 1; b < m->nbody; b++) mass += m->body_mass[b];
  if (m->nv) m->stat.meaninertia = inertia / m->nv;
  if (m->nbody > 1) {
    m->stat.meanmass = mass / (m->nbody - 1);
    m->stat.meansize = mean_size(m, d, size);
  }
  set_extent(m, d);
}

// ---- mj_setConst
static void set_masses(mjModel* m) {
  for (int b = 0; b < m->nbody; b++) m->body_subtreemass[b] = m->body_mass[b];
  for (int b = m->nbody - 1; b > 0; b--) {
    m->body_subtreemass[m->body_parentid[b]] += m->body_subtreemass[b];
  }
}

// Spring lengths that are not given are those at qpos_spring.
static void set_springs(mjModel* m, mjData* d) {
  bool missing = false;
  for (int i = 0; i < m->ntendon; i++) {
    const mjtNum* s = m->tendon_lengthspring + 2 * i;
    missing = missing || (s[0] == -1 && s[1] == -1);
  }
  if (!missing) return;
  mju_copy(d->qpos, m->qpos_spring, m->nq);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_tendon(m, d);
  for (int i = 0; i < m->ntendon; i++) {
    mjtNum* s = m->tendon_lengthspring + 2 * i;
    if (s[0] == -1 && s[1] == -1) s[0] = s[1] = d->ten_length[i];
  }
}

void mj_setConst(mjModel* m, mjData* d) {
  set_masses(m);
  set_springs(m, d);
  mju_copy(d->qpos, m->qpos0, m->nq);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_flex(m, d);
  mj_tendon(m, d);

  mj_markStack(d);
  int n = m->nv > 10 * m->nbody ? m->nv : 10 * m->nbody;
  mjtNum* y;
  if (!FRAME(memory_of(d), SN_ARRAY(y, n))) {
    mj_freeStack(d);
    return;
  }
  set_M0(m, d, y);
  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_transmission(m, d);
  mju_zero(y, n);
  set_body_invweight(m, d, y);
  set_dof_invweight(m, d, y);
  set_tendons(m, d, y);
  set_flex_edges(m, d, y);
  set_actuators(m, d, y);
  set_cameras(m, d);
  set_equalities(m, d);
  set_statistics(m, d, y);
  mj_freeStack(d);
}
