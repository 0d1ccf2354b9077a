// Transmission: the length l of each actuator and its gradient dl/dq, the row of moment arms, by
// kind of transmission (joint, slider-crank, tendon, site, body). Then actuator_velocity = moment
// qvel and qfrc_actuator = moment' force.
#include "data/frame.h"
#include "smooth/smooth.h"

// A moment row, built in its place in mjData.
typedef struct snMoment_ {
  double* value;
  int* dof;
  int num;
} snMoment;

// Drop entries that are exactly zero.
static void moment_compress(snMoment* moment) {
  int n = 0;
  for (int i = 0; i < moment->num; i++) {
    if (moment->value[i] == 0) continue;
    moment->value[n] = moment->value[i];
    SN_ASSERT(i == 0 || moment->dof[i] != moment->dof[i - 1]);
    moment->dof[n++] = moment->dof[i];
  }
  moment->num = n;
}

// Scratch for the transmissions between two bodies.
typedef struct snWorkspace_ {
  int* chain;           // (2 nv)
  double *jac0, *jac1;  // (6 nv) each
} snWorkspace;

// Hinge and slide: length gear q. Ball: gear . log(q), axes in the child frame or, rotated, in the
// parent frame. Free: length zero; translation in the world, rotation as for a ball.
SN_INLINE double joint_moment(const mjModel* m, const mjData* d, int a, snMoment* moment) {
  int j = m->actuator_trnid[2 * a], dof = m->jnt_dofadr[j], type = m->jnt_type[j];
  const double* gear = m->actuator_gear + 6 * a;
  const double* qpos = d->qpos + m->jnt_qposadr[j];
  if (type == mjJNT_SLIDE || type == mjJNT_HINGE) {
    moment->num = 1;
    moment->dof[0] = dof;
    moment->value[0] = gear[0];
    return qpos[0] * gear[0];
  }

  bool free = type == mjJNT_FREE, parent = m->actuator_trntype[a] == mjTRN_JOINTINPARENT;
  double quat[4], axis[3], length = 0;
  quat_copy(quat, qpos + (free ? 3 : 0));
  quat_normalize(quat);
  vec3_copy(axis, gear + (free ? 3 : 0));
  if (parent) {
    double inverse[4];
    quat_conj(inverse, quat);
    quat_rotate(axis, axis, inverse);
  }
  moment->num = 0;
  if (free) {
    for (int k = 0; k < 3; k++) moment->value[moment->num++] = gear[k];
  } else {
    double angle[3];
    mju_quat2Vel(angle, quat, 1);
    length = vec3_dot(angle, axis);
  }
  for (int k = 0; k < 3; k++) moment->value[moment->num++] = axis[k];
  for (int k = 0; k < moment->num; k++) moment->dof[k] = dof + k;
  return length;
}

// Slider-crank: a rod of length r from the crank site to a slider that moves along the z axis a of
// its site. With v = crank - slider:
//   l = a.v - s,  s = sqrt((a.v)^2 + r^2 - v.v);  out of reach (s imaginary) l = a.v.
//   dl = (v.da + a.dv) (1 - a.v / s) + v.dv / s
static double crank_moment(const mjModel* m, mjData* d, int a, snMoment* moment,
                           const snWorkspace* work) {
  int crank = m->actuator_trnid[2 * a], slider = m->actuator_trnid[2 * a + 1];
  int body0 = m->site_bodyid[crank], body1 = m->site_bodyid[slider];
  double gear = m->actuator_gear[6 * a], rod = m->actuator_cranklength[a];
  double axis[3], v[3];
  mat3_column(axis, d->site_xmat + 9 * slider, 2);
  vec3_sub(v, d->site_xpos + 3 * crank, d->site_xpos + 3 * slider);
  double av = vec3_dot(axis, v), square = av * av + rod * rod - vec3_dot(v, v);
  bool reach = square > 0;
  double s = reach ? sqrt(square) : 0;

  int n = chain_merge(m, moment->dof, body0, body1);
  moment->num = n;
  double *turn = work->jac1, *dv = work->jac0;
  jac_difference(m, d, dv, NULL, body1, d->site_xpos + 3 * slider, body0, d->site_xpos + 3 * crank,
                 moment->dof, n);
  jac_chain(m, d, NULL, turn, d->site_xpos + 3 * slider, body1, moment->dof, n);
  for (int i = 0; i < n; i++) {
    double w[3] = {turn[i], turn[n + i], turn[2 * n + i]}, da[3];
    double p[3] = {dv[i], dv[n + i], dv[2 * n + i]};
    vec3_cross(da, w, axis);
    double dav = vec3_dot(da, v) + vec3_dot(axis, p);
    double dl = reach ? dav * (1 - av / s) + vec3_dot(v, p) / s : dav;
    moment->value[i] = gear * dl;
  }
  moment_compress(moment);
  return gear * (av - s);
}

static double tendon_moment(const mjModel* m, const mjData* d, int a, snMoment* moment) {
  int t = m->actuator_trnid[2 * a];
  double gear = m->actuator_gear[6 * a];
  moment->num = 0;
  if (mj_isSparse(m)) {
    int adr = d->ten_J_rowadr[t];
    moment->num = d->ten_J_rownnz[t];
    for (int k = 0; k < moment->num; k++) {
      moment->dof[k] = d->ten_J_colind[adr + k];
      moment->value[k] = gear * d->ten_J[adr + k];
    }
  } else {
    const double* row = d->ten_J + (size_t)t * m->nv;
    int nv = m->nv, n = 0, *dof = moment->dof;
    double* value = moment->value;
    for (int i = 0; i < nv; i++) {
      if (row[i] == 0) continue;
      dof[n] = i;
      value[n++] = gear * row[i];
    }
    moment->num = n;
  }
  return gear * d->ten_length[t];
}

// Site: force and torque in the frame of the site. With a reference site they are in its frame, the
// length is the pose difference along gear, and dofs that move both sites do not act.
static double site_moment(const mjModel* m, mjData* d, int a, snMoment* moment,
                          const snWorkspace* work) {
  int site = m->actuator_trnid[2 * a], ref = m->actuator_trnid[2 * a + 1];
  int body = m->site_bodyid[site];
  const double* gear = m->actuator_gear + 6 * a;
  const double* point = d->site_xpos + 3 * site;
  const double* frame = d->site_xmat + 9 * (ref >= 0 ? ref : site);
  double force[3], torque[3], length = 0;
  mat3_mul_vec(force, frame, gear);
  mat3_mul_vec(torque, frame, gear + 3);

  double *jacp = work->jac0, *jacr = work->jac0 + 3 * m->nv;
  int n;
  if (ref < 0) {
    n = chain_merge(m, moment->dof, body, body);
    jac_chain(m, d, jacp, jacr, point, body, moment->dof, n);
  } else {
    int refbody = m->site_bodyid[ref];
    const double* refpoint = d->site_xpos + 3 * ref;
    if (gear[0] != 0 || gear[1] != 0 || gear[2] != 0) {
      double difference[3];
      vec3_sub(difference, point, refpoint);
      length += vec3_dot(difference, force);
    }
    if (gear[3] != 0 || gear[4] != 0 || gear[5] != 0) {
      double quat[4], refquat[4], turn[3];
      // as released, the site's rotation is composed before the body's; the same for unrotated
      // sites
      quat_mul(quat, m->site_quat + 4 * site, d->xquat + 4 * body);
      quat_mul(refquat, m->site_quat + 4 * ref, d->xquat + 4 * refbody);
      mju_subQuat(turn, quat, refquat);
      length += vec3_dot(turn, gear + 3);
    }
    n = chain_merge(m, moment->dof, body, refbody);
    jac_difference(m, d, jacp, jacr, refbody, refpoint, body, point, moment->dof, n);

    // the common prefix of the two chains moves both sites
    const snPlan* plan = model_plan(m);
    const int* c0 = plan->chain + plan->chain_adr[body];
    const int* c1 = plan->chain + plan->chain_adr[refbody];
    int most = plan->chain_num[body] < plan->chain_num[refbody] ? plan->chain_num[body]
                                                                : plan->chain_num[refbody];
    for (int i = 0; i < most && c0[i] == c1[i]; i++) {
      for (int r = 0; r < 3; r++) jacp[r * n + i] = jacr[r * n + i] = 0;
    }
  }
  moment->num = n;
  for (int i = 0; i < n; i++) {
    double lin[3] = {jacp[i], jacp[n + i], jacp[2 * n + i]};
    double rot[3] = {jacr[i], jacr[n + i], jacr[2 * n + i]};
    moment->value[i] = vec3_dot(lin, force) + vec3_dot(rot, torque);
  }
  moment_compress(moment);
  return length;
}

// Body (adhesion): minus the mean of the normal Jacobians of the body's contacts, those within the
// gap included, so that a positive force attracts. Gears are ignored.
static double body_moment(const mjModel* m, mjData* d, int a, snMoment* moment,
                          const snWorkspace* work) {
  int body = m->actuator_trnid[2 * a], nv = m->nv, count = 0;
  double* sum = work->jac1;
  memset(sum, 0, nv * sizeof(double));
  for (int c = 0; c < d->ncon; c++) {
    const mjContact* contact = d->contact + c;
    int g0 = contact->geom[0], g1 = contact->geom[1];
    // contacts of flexes are skipped, and contacts that a program added with invalid geoms
    bool geoms = (unsigned)g0 < (unsigned)m->ngeom && (unsigned)g1 < (unsigned)m->ngeom;
    if (!geoms || contact->exclude > 1) continue;
    int b0 = m->geom_bodyid[g0], b1 = m->geom_bodyid[g1];
    if (b0 != body && b1 != body) continue;
    count++;
    int n = chain_merge(m, work->chain, b0, b1);
    jac_difference(m, d, work->jac0, NULL, b0, contact->pos, b1, contact->pos, work->chain, n);
    for (int i = 0; i < n; i++) {
      const double* lin = work->jac0 + i;
      sum[work->chain[i]] +=
          lin[0] * contact->frame[0] + lin[n] * contact->frame[1] + lin[2 * n] * contact->frame[2];
    }
  }
  moment->num = 0;
  for (int i = 0; i < nv && count; i++) {
    if (sum[i] == 0) continue;
    moment->dof[moment->num] = i;
    moment->value[moment->num++] = -sum[i] / count;
  }
  return 0;
}

void mj_transmission(const mjModel* m, mjData* d) {
  int nv = m->nv, nu = m->nu, adr = 0;
  if (!nu) return;
  const int* type = m->actuator_trntype;
  double* lengths = d->actuator_length;
  int *rowadr = d->moment_rowadr, *rownnz = d->moment_rownnz, *dofs = d->moment_colind;
  const int *trnid = m->actuator_trnid, *joint = m->jnt_type;
  const int *dofadr = m->jnt_dofadr, *qposadr = m->jnt_qposadr;
  const double *gear = m->actuator_gear, *qpos = d->qpos;
  double* moments = d->actuator_moment;
  snWorkspace work = {0};
  for (int a = 0; a < nu; a++) {
    int j = trnid[2 * a];
    if (type[a] == mjTRN_JOINT && (joint[j] == mjJNT_HINGE || joint[j] == mjJNT_SLIDE)) {
      lengths[a] = qpos[qposadr[j]] * gear[6 * a];
      moments[adr] = gear[6 * a];
      dofs[adr] = dofadr[j];
      rowadr[a] = adr++;
      rownnz[a] = 1;
      continue;
    }
    snMoment moment = {moments + adr, dofs + adr, 0};
    double length = 0;
    // transmissions between bodies need scratch, joints and tendons do not
    if (type[a] != mjTRN_JOINT && type[a] != mjTRN_TENDON && !work.jac0) {
      mj_markStack(d);
      if (!FRAME(memory_of(d), SN_ARRAY(work.chain, 2 * (size_t)nv),
                 SN_ARRAY(work.jac0, 6 * (size_t)nv), SN_ARRAY(work.jac1, 6 * (size_t)nv))) {
        mj_freeStack(d);
        return;
      }
    }
    switch (type[a]) {
      case mjTRN_JOINT:
      case mjTRN_JOINTINPARENT:
        length = joint_moment(m, d, a, &moment);
        break;
      case mjTRN_SLIDERCRANK:
        length = crank_moment(m, d, a, &moment, &work);
        break;
      case mjTRN_TENDON:
        length = tendon_moment(m, d, a, &moment);
        break;
      case mjTRN_SITE:
        length = site_moment(m, d, a, &moment, &work);
        break;
      case mjTRN_BODY:
        length = body_moment(m, d, a, &moment, &work);
        break;
      default:
        mju_error("mj_transmission: actuator %d has unknown transmission %d", a, type[a]);
    }
    lengths[a] = length;
    rowadr[a] = adr;
    rownnz[a] = moment.num;
    adr += moment.num;
    SN_ASSERT(adr <= m->nJmom);  // the compiler has counted the dofs of every transmission
  }
  if (work.jac0) mj_freeStack(d);
}
