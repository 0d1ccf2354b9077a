// Sensors of joints, tendons, actuators, limits, subtrees and energies.
//
// A scalar function l(q) with gradient G and K = dG/dq reads l, l' = G v, or a force F(l, l', l''):
//
//   dl = G dq,   dl' = v'K dq + G dv,   dF = F_l dl + F_v dl' + F_a (a'K dq + G da)
//
// With h the momentum of a subtree of mass m, about the com c of its tree, and x its own com, the
// velocity is h_lin / m and the angular momentum h_rot - (x - c) x h_lin. Energies: dE_pot = -tau
// of springs and gravity; with h the momentum behind dof j, dE_kin/dq_j = h . w_j, dE_kin/dv = M v.
#include "derive/private.h"
#include "sense/sense.h"

// ---- scalar functions

typedef enum snRead_ { READ_LENGTH, READ_VELOCITY, READ_FORCE } snRead;

static void scalar_rows(const snTangent* t, const snScalar* s, snRead read, double* row) {
  int n = s->n, nv = t->nv;
  const double *v = t->d->qvel, *a = t->d->qacc, *dl = s->dl ? s->dl : s->G;
  double by_l = read == READ_LENGTH, by_v = read == READ_VELOCITY, by_a = 0;
  if (read == READ_FORCE) {
    by_l = s->by_length;
    by_v = s->by_velocity;
    by_a = s->by_acceleration;
  }
  for (int c = 0; c < n; c++) {
    int j = s->dof[c];
    row[j] += by_l * dl[c];
    row[nv + j] += by_v * s->G[c];
    for (int i = 0; s->K && i < n; i++) {
      row[j] += (by_v * v[s->dof[i]] + by_a * a[s->dof[i]]) * s->K[i * n + c];
    }
    if (by_a != 0) vec_add_scaled(row, t->tau + (size_t)j * t->stride, by_a * s->G[c], t->ncol);
  }
}

static bool tendon_rows(const snTangent* t, int tendon, snRead read, int* dof, double* G, double* K,
                        double* row) {
  bool flat;
  int n = tendon_second(t, tendon, dof, G, K, &flat);
  if (n < 0) return false;
  snScalar s = {n, dof, G, flat ? NULL : K, NULL, 0, 0, 0, 0};
  scalar_rows(t, &s, read, row);
  return true;
}

static bool actuator_rows(const snTangent* t, int a, snRead read, int* dof, double* G, double* K,
                          double* row) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int type = m->actuator_trntype[a];
  bool off = (m->opt.disableflags & mjDSBL_ACTUATION) || actuation_disabled(m, a);
  if (read == READ_FORCE && off) return true;
  if (actuator_differenced(m, a) || (type == mjTRN_BODY && read == READ_VELOCITY)) return false;
  // forces that are scaled together depend on each other
  bool tendon = type == mjTRN_TENDON && read == READ_FORCE;
  if (tendon && actuators_clamped(m, d, m->actuator_trnid[2 * a])) return false;
  snScalar s;
  if (!actuator_scalar(t, a, dof, G, K, &s)) return false;
  // lengths of sites, bodies and free joints are zero
  bool none = type == mjTRN_SITE || type == mjTRN_BODY || (type == mjTRN_JOINT && s.n > 1);
  if (read != READ_LENGTH || !none) scalar_rows(t, &s, read, row);
  if (read != READ_FORCE) return true;
  double slope[3];
  snInput in;
  actuator_slopes(m, d, a, slope);
  actuator_input(m, d, a, &in);
  if (in.act >= 0) row[2 * t->nv + in.act] += slope[2] * in.by_act;
  row[2 * t->nv + t->na + a] += slope[2] * in.by_ctrl;
  return true;
}

static bool limit_rows(const snTangent* t, int type, int id, snRead read, int* dof, double* G,
                       double* K, double* rows) {
  int row = sense_limit_row(t->m, t->d, type, id);
  snScalar s;
  if (row < 0) return true;  // reads zero
  if (!limit_scalar(t, row, dof, G, K, &s)) return false;
  scalar_rows(t, &s, read, rows);
  return true;
}

// Forces of actuators on one joint with a fixed moment, where nothing is clamped together.
static bool joint_force_rows(const snTangent* t, int joint, int* dof, double* G, double* K,
                             double* row) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int v = m->jnt_dofadr[joint];
  if (m->jnt_actgravcomp[joint]) return false;
  if (m->jnt_actfrclimited[joint]) {
    double f = d->qfrc_actuator[v];
    if (f <= m->jnt_actfrcrange[2 * joint] || f >= m->jnt_actfrcrange[2 * joint + 1]) return true;
  }
  double* part;
  if (!FRAME(memory_of(t->d), SN_ARRAY(part, t->ncol))) return false;
  for (int a = 0; a < m->nu; a++) {
    double moment = 0;
    bool there = false;
    for (int e = d->moment_rowadr[a], end = e + d->moment_rownnz[a]; e < end; e++) {
      if (d->moment_colind[e] == v) moment = d->actuator_moment[e], there = true;
    }
    if (!there) continue;
    memset(part, 0, (size_t)t->ncol * sizeof(double));
    if (!actuator_rows(t, a, READ_FORCE, dof, G, K, part)) return false;
    vec_add_scaled(row, part, moment, t->ncol);
    // the moment moves as well
    snScalar s;
    if (!actuator_scalar(t, a, dof, G, K, &s)) return false;
    if (m->actuator_trntype[a] == mjTRN_BODY) return false;
    for (int i = 0; s.K && i < s.n; i++) {
      if (s.dof[i] != v) continue;
      for (int c = 0; c < s.n; c++) row[s.dof[c]] += s.force * s.K[i * s.n + c];
    }
  }
  return true;
}

// ---- subtrees and energies

static void subtree_rows(const snTangent* t, const snSubtreeSums* sums, int type, int top,
                         double* rows) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  double mass = fmax(m->body_subtreemass[top], mjMINVAL), pull[3] = {0};
  const double* x = d->subtree_com + 3 * top;
  vec3_scale(pull, d->subtree_linvel + 3 * top, mass);  // linear momentum
  for (int j = 0; j < t->nv; j++) {
    int b = subtree_part(m, top, j);
    if (b <= 0) continue;
    const double* c = d->subtree_com + 3 * m->body_rootid[b];
    double r[3], dx[3], out[2][3];
    vec3_sub(r, d->subtree_com + 3 * b, c);
    jac_column(dx, d->cdof + 6 * j, r);
    vec3_scale(dx, dx, m->body_subtreemass[b] / mass);
    if (type == mjSENS_SUBTREECOM) {
      for (int i = 0; i < 3; i++) rows[(size_t)i * t->ncol + j] += dx[i];
      continue;
    }
    snSubtreeChange change;
    subtree_change(t, sums, b, j, &change);
    vec3_sub(r, x, c);
    for (int by = 0; by < 2; by++) {
      const double* h = by ? change.momentum_v : change.momentum_q;
      if (type == mjSENS_SUBTREELINVEL) {
        vec3_scale(out[by], h + 3, 1 / mass);
        continue;
      }
      double part[3];
      vec3_cross(part, r, h + 3);
      vec3_sub(out[by], h, part);
      if (by) continue;
      vec3_cross(part, dx, pull);
      vec3_sub(out[by], out[by], part);
    }
    for (int i = 0; i < 3; i++) {
      rows[(size_t)i * t->ncol + j] += out[0][i];
      rows[(size_t)i * t->ncol + t->nv + j] += out[1][i];
    }
  }
}

static void potential_row(const snTangent* t, double* row) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  bool weight = !(m->opt.disableflags & mjDSBL_GRAVITY);
  bool springs = !(m->opt.disableflags & mjDSBL_PASSIVE);
  for (int j = 0; j < t->nv; j++) {
    int b = m->dof_bodyid[j];
    double r[3], dx[3];
    vec3_sub(r, d->subtree_com + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
    jac_column(dx, d->cdof + 6 * j, r);
    if (weight) row[j] -= m->body_subtreemass[b] * vec3_dot(m->opt.gravity, dx);
    if (springs) row[j] -= d->qfrc_spring[j];
  }
}

static bool kinetic_row(const snTangent* t, const snSubtreeSums* sums, double* row) {
  for (int j = 0; j < t->nv; j++) {
    row[j] += vec6_dot(subtree_momentum(sums, t->m->dof_bodyid[j]), t->motion.turn + 6 * j);
  }
  mj_mulM(t->m, t->d, row + t->nv, t->d->qvel);
  return true;
}

// dq/dx = q (0, x) / 2
static void quaternion_rows(const snTangent* t, int joint, double* rows) {
  double quat[4];
  quat_copy(quat, t->d->qpos + t->m->jnt_qposadr[joint]);
  quat_normalize(quat);
  for (int k = 0; k < 3; k++) {
    double turn[4] = {0}, dq[4];
    turn[1 + k] = 0.5;
    quat_mul(dq, quat, turn);
    for (int i = 0; i < 4; i++) {
      rows[(size_t)i * t->ncol + t->m->jnt_dofadr[joint] + k] = dq[i];
    }
  }
}

static bool with_room(const snTangent* t, int i, int* dof, double* G, double* K, double* rows) {
  const mjModel* m = t->m;
  int type = m->sensor_type[i], id = m->sensor_objid[i];
  switch (type) {
    case mjSENS_TENDONPOS:
      return tendon_rows(t, id, READ_LENGTH, dof, G, K, rows);
    case mjSENS_TENDONVEL:
      return tendon_rows(t, id, READ_VELOCITY, dof, G, K, rows);
    case mjSENS_ACTUATORPOS:
      return actuator_rows(t, id, READ_LENGTH, dof, G, K, rows);
    case mjSENS_ACTUATORVEL:
      if (m->opt.disableflags & mjDSBL_ACTUATION) return true;  // it keeps its value
      return actuator_rows(t, id, READ_VELOCITY, dof, G, K, rows);
    case mjSENS_ACTUATORFRC:
      return actuator_rows(t, id, READ_FORCE, dof, G, K, rows);
    case mjSENS_JOINTACTFRC:
      return joint_force_rows(t, id, dof, G, K, rows);
    case mjSENS_TENDONACTFRC:
      for (int a = 0; a < m->nu; a++) {
        if (m->actuator_trntype[a] != mjTRN_TENDON || m->actuator_trnid[2 * a] != id) continue;
        if (!actuator_rows(t, a, READ_FORCE, dof, G, K, rows)) return false;
      }
      return true;
    case mjSENS_JOINTLIMITPOS:
    case mjSENS_TENDONLIMITPOS:
      return limit_rows(t, type, id, READ_LENGTH, dof, G, K, rows);
    case mjSENS_JOINTLIMITVEL:
    case mjSENS_TENDONLIMITVEL:
      return limit_rows(t, type, id, READ_VELOCITY, dof, G, K, rows);
    default:
      return limit_rows(t, type, id, READ_FORCE, dof, G, K, rows);
  }
}

bool sense_scalar(const snTangent* t, int i, double* rows) {
  const mjModel* m = t->m;
  int type = m->sensor_type[i], id = m->sensor_objid[i], nv = t->nv;
  size_t n = (size_t)nv;
  bool there = true;
  switch (type) {
    case mjSENS_CLOCK:
      return true;
    case mjSENS_JOINTPOS:
      rows[m->jnt_dofadr[id]] = 1;
      return true;
    case mjSENS_JOINTVEL:
      rows[nv + m->jnt_dofadr[id]] = 1;
      return true;
    case mjSENS_BALLANGVEL:
      for (int k = 0; k < 3; k++) rows[(size_t)k * t->ncol + nv + m->jnt_dofadr[id] + k] = 1;
      return true;
    case mjSENS_BALLQUAT:
      quaternion_rows(t, id, rows);
      return true;
    case mjSENS_E_POTENTIAL:
      potential_row(t, rows);
      return true;
    default:
      break;
  }
  mj_markStack(t->d);
  if (type == mjSENS_SUBTREECOM || type == mjSENS_SUBTREELINVEL || type == mjSENS_SUBTREEANGMOM ||
      type == mjSENS_E_KINETIC) {
    const snSubtreeSums* sums = subtrees_make(t);
    there = sums != NULL;
    if (sums && type == mjSENS_E_KINETIC) there = kinetic_row(t, sums, rows);
    if (sums && type != mjSENS_E_KINETIC) subtree_rows(t, sums, type, id, rows);
  } else {
    int* dof;
    double *G, *K;
    there = FRAME(memory_of(t->d), SN_ARRAY(dof, n), SN_ARRAY(G, n), SN_ARRAY(K, n * n)) &&
            with_room(t, i, dof, G, K, rows);
  }
  mj_freeStack(t->d);
  return there;
}
