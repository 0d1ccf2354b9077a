// Actuators: force = gain(l, l') input + bias(l, l') along the moment arms, input the control, the
// activation, or with actearly the next activation.
//
// A force at its limit, and a joint whose total is at its limit, have no slope; a value that equals
// its limit takes the slope of the inside.
#include "derive/private.h"

double control_slope(const mjModel* m, const mjData* d, int a) {
  if (!m->actuator_ctrllimited[a] || (m->opt.disableflags & mjDSBL_CLAMPCTRL)) return 1;
  const double* range = m->actuator_ctrlrange + 2 * a;
  return d->ctrl[a] >= range[0] && d->ctrl[a] <= range[1];
}

static double control_value(const mjModel* m, const mjData* d, int a) {
  if (!m->actuator_ctrllimited[a] || (m->opt.disableflags & mjDSBL_CLAMPCTRL)) return d->ctrl[a];
  const double* range = m->actuator_ctrlrange + 2 * a;
  return mju_clip(d->ctrl[a], range[0], range[1]);
}

void activation_slopes(const mjModel* m, const mjData* d, int a, snActivation* s) {
  const double* prm = m->actuator_dynprm + mjNDYN * a;
  int last = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
  double h = m->opt.timestep, slope[2], tau = fmax(mjMINVAL, prm[0]), u = control_slope(m, d, a);
  memset(s, 0, sizeof *s);
  switch (m->actuator_dyntype[a]) {
    case mjDYN_INTEGRATOR:
      s->rate_ctrl = u;
      break;
    case mjDYN_FILTER:
    case mjDYN_FILTEREXACT:
      s->rate_ctrl = u / tau;
      s->rate_act = -1 / tau;
      break;
    case mjDYN_MUSCLE:
      muscle_dynamics_slopes(control_value(m, d, a), d->act[last], prm, slope);
      s->rate_ctrl = u * slope[0];
      s->rate_act = slope[1];
      break;
    default:
      break;
  }
  double step = m->actuator_dyntype[a] == mjDYN_FILTEREXACT ? tau * (1 - sn_exp(-h / tau)) : h;
  bool still = actuation_disabled(m, a);
  s->next_act = 1 + (still ? 0 : step * s->rate_act);
  s->next_ctrl = still ? 0 : step * s->rate_ctrl;
  if (m->actuator_actlimited[a]) {
    const double* range = m->actuator_actrange + 2 * a;
    double next = d->act[last] + (still ? 0 : step * d->act_dot[last]);
    if (next < range[0] || next > range[1]) s->next_act = s->next_ctrl = 0;
  }
}

// A muscle rises and falls with two time constants, which meet where nothing smooths them at an
// activation that equals the control.
void activation_switches(const snTangent* t) {
  const mjModel* m = t->m;
  for (int a = 0; a < t->nu; a++) {
    if (m->actuator_dyntype[a] != mjDYN_MUSCLE || actuation_disabled(m, a)) continue;
    if (m->actuator_dynprm[mjNDYN * a + 2] >= mjMINVAL) continue;
    double act = t->d->act[m->actuator_actadr[a] + m->actuator_actnum[a] - 1];
    double u = mju_clip(control_value(m, t->d, a), 0, 1);
    report_switch(t->report, fabs(u - act), snSWITCH_MUSCLE, a);
  }
}

// Slopes of the force before limits, and the force itself when asked.
static void force_before(const mjModel* m, const mjData* d, int a, double slope[3], double* force) {
  const double *gain = m->actuator_gainprm + mjNGAIN * a, *bias = m->actuator_biasprm + mjNBIAS * a;
  const double* range = m->actuator_lengthrange + 2 * a;
  double l = d->actuator_length[a], v = d->actuator_velocity[a], acc0 = m->actuator_acc0[a];
  double input = control_value(m, d, a);
  if (m->actuator_actnum[a]) {
    int last = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
    input =
        m->actuator_actearly[a] ? actuation_next(m, d, a, last, d->act_dot[last]) : d->act[last];
  }
  slope[0] = slope[1] = slope[2] = 0;
  switch (m->actuator_gaintype[a]) {
    case mjGAIN_FIXED:
      slope[2] = gain[0];
      break;
    case mjGAIN_AFFINE:
      slope[2] = gain[0] + gain[1] * l + gain[2] * v;
      slope[0] = gain[1] * input;
      slope[1] = gain[2] * input;
      break;
    case mjGAIN_MUSCLE:
      slope[2] = mju_muscleGain(l, v, range, acc0, gain);
      slope[0] = input * muscle_gain_slope_length(l, v, range, acc0, gain);
      slope[1] = input * muscle_gain_slope(l, v, range, acc0, gain);
      break;
    default:
      break;
  }
  if (force) *force = slope[2] * input;
  if (m->actuator_biastype[a] == mjBIAS_AFFINE) {
    slope[0] += bias[1];
    slope[1] += bias[2];
    if (force) *force += bias[0] + bias[1] * l + bias[2] * v;
  } else if (m->actuator_biastype[a] == mjBIAS_MUSCLE) {
    slope[0] += muscle_bias_slope(l, range, acc0, bias);
    if (force) *force += mju_muscleBias(l, range, acc0, bias);
  }
}

static bool force_clamped(const mjModel* m, const mjData* d, int a) {
  if (!m->actuator_forcelimited[a]) return false;
  const double* limit = m->actuator_forcerange + 2 * a;
  return d->actuator_force[a] <= limit[0] || d->actuator_force[a] >= limit[1];
}

// Forces of a tendon's actuators before limits: their sum, and the part of each along the tendon,
// f gear, of those that do not end at limits of their own.
static double tendon_total(const mjModel* m, const mjData* d, int tendon, double* along) {
  double total = 0, slope[3];
  *along = 0;
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_trntype[a] != mjTRN_TENDON || m->actuator_trnid[2 * a] != tendon) continue;
    if (actuation_disabled(m, a)) continue;
    double force;
    force_before(m, d, a, slope, &force);
    total += force;
    if (!force_clamped(m, d, a)) *along += m->actuator_gear[6 * a] * force;
  }
  return total;
}

bool actuators_clamped(const mjModel* m, const mjData* d, int tendon) {
  double along, total;
  if (!m->tendon_actfrclimited[tendon]) return false;
  total = tendon_total(m, d, tendon, &along);
  return total < m->tendon_actfrcrange[2 * tendon] || total > m->tendon_actfrcrange[2 * tendon + 1];
}

// Actuators whose sum T leaves the range of their tendon end with f R/T, R the bound, so that the
// force along the tendon, the sum of gear f R/T, changes with f_a by
//
//   R/T (gear_a - sum of gear f / T)
//
// where those at their own limits have no part in either term. Returns it as a share of gear_a.
static double tendon_share(const mjModel* m, const mjData* d, int a) {
  int tendon = m->actuator_trnid[2 * a];
  const double* range = m->tendon_actfrcrange + 2 * tendon;
  double along, gear = m->actuator_gear[6 * a], total = tendon_total(m, d, tendon, &along);
  double own = force_clamped(m, d, a) ? 0 : gear, bound = total < range[0] ? range[0] : range[1];
  return gear != 0 ? bound / total * (own - along / total) / gear : 0;
}

void actuator_slopes(const mjModel* m, const mjData* d, int a, double slope[3]) {
  if (actuation_disabled(m, a)) {
    slope[0] = slope[1] = slope[2] = 0;
    return;
  }
  force_before(m, d, a, slope, NULL);
  bool together =
      m->actuator_trntype[a] == mjTRN_TENDON && actuators_clamped(m, d, m->actuator_trnid[2 * a]);
  double share = together ? tendon_share(m, d, a) : force_clamped(m, d, a) ? 0 : 1;
  for (int k = 0; k < 3 && share != 1; k++) slope[k] *= share;
}

// A site pushes with a wrench W that rides along with its body: G_i = cdof_i . W, which dof j
// leaves alone where it carries i, and changes by cdof_i . (cdof_j x* W) where i comes before j.
static int site_second(const snTangent* t, int a, int* dof, double* G, double* K) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int site = m->actuator_trnid[2 * a], body = m->site_bodyid[site];
  int n = t->plan->chain_num[body];
  const int* chain = t->plan->chain + t->plan->chain_adr[body];
  const double *gear = m->actuator_gear + 6 * a, *mat = d->site_xmat + 9 * site;
  double r[3], torque[3], W[6];
  mat3_mul_vec(W + 3, mat, gear);
  mat3_mul_vec(torque, mat, gear + 3);
  vec3_sub(r, d->site_xpos + 3 * site, d->subtree_com + 3 * m->body_rootid[body]);
  vec3_cross(W, r, W + 3);
  vec3_add(W, W, torque);
  for (int i = 0; i < n; i++) {
    dof[i] = chain[i];
    G[i] = vec6_dot(d->cdof + 6 * chain[i], W);
    for (int j = 0; j < n; j++) {
      // cdof_i . (cdof_j x* W) = -W . (cdof_j x cdof_i)
      double across[6];
      bool carried = chain[i] >= t->group[chain[j]];
      spatial_cross_motion(across, d->cdof + 6 * chain[j], d->cdof + 6 * chain[i]);
      K[i * n + j] = carried ? 0 : -vec6_dot(W, across);
    }
  }
  return n;
}

// Length and moment arms of the actuators in `mark` by every dof, from centred differences of the
// transmission alone. dl is nu x nv, K of actuator a at K + a nv nv.
static bool transmission_differences(snTangent* t, const bool* mark, double* dl, double* K) {
  static const double step = 1e-6;
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t nv = (size_t)t->nv;
  double *qpos, *direction;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(qpos, m->nq), SN_ARRAY(direction, t->nv))) {
    mj_freeStack(d);
    return false;
  }
  mju_copy(qpos, d->qpos, m->nq);
  mju_zero(direction, t->nv);
  for (int j = 0; j < t->nv; j++) {
    for (int side = -1; side <= 1; side += 2) {
      direction[j] = 1;
      mj_integratePos(m, d->qpos, direction, side * step);
      direction[j] = 0;
      mj_kinematics(m, d);
      mj_comPos(m, d);
      mj_transmission(m, d);
      mju_copy(d->qpos, qpos, m->nq);
      for (int a = 0; a < m->nu; a++) {
        if (!mark[a]) continue;
        dl[a * nv + j] += side * d->actuator_length[a] / (2 * step);
        for (int e = d->moment_rowadr[a], end = e + d->moment_rownnz[a]; e < end; e++) {
          K[(a * nv + d->moment_colind[e]) * nv + j] += side * d->actuator_moment[e] / (2 * step);
        }
      }
    }
  }
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_transmission(m, d);
  mj_freeStack(d);
  return true;
}

bool actuator_differenced(const mjModel* m, int a) {
  int type = m->actuator_trntype[a];
  if (type == mjTRN_SLIDERCRANK) return true;
  if (type == mjTRN_SITE) return m->actuator_trnid[2 * a + 1] >= 0;
  if (type != mjTRN_JOINT && type != mjTRN_JOINTINPARENT) return false;
  int joint = m->jnt_type[m->actuator_trnid[2 * a]];
  return joint == mjJNT_BALL || (joint == mjJNT_FREE && type == mjTRN_JOINTINPARENT);
}

void actuator_input(const mjModel* m, const mjData* d, int a, snInput* in) {
  *in = (snInput){.act = -1, .by_ctrl = control_slope(m, d, a)};
  if (!m->actuator_actnum[a]) return;
  snActivation s;
  activation_slopes(m, d, a, &s);
  in->act = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
  in->by_act = m->actuator_actearly[a] ? s.next_act : 1;
  in->by_ctrl = m->actuator_actearly[a] ? s.next_ctrl : 0;
}

// Columns of activations and controls.
static void input_columns(snTangent* t, int a, double gain) {
  const mjData* d = t->d;
  snInput in;
  if (gain == 0) return;
  actuator_input(t->m, d, a, &in);
  int act = in.act >= 0 ? t->parts.input[in.act] : -1, ctrl = t->parts.input[t->na + a];
  for (int e = d->moment_rowadr[a], end = e + d->moment_rownnz[a]; e < end; e++) {
    double* row = tau_row(t, d->moment_colind[e]);
    double f = gain * d->actuator_moment[e];
    SN_ASSERT(ctrl >= 0);  // an actuator that moves a dof has its columns in that part
    if (act >= 0) row[act] -= f * in.by_act;
    row[ctrl] -= f * in.by_ctrl;
  }
}

// With the slopes of its force.
static bool scalar_of(const snTangent* t, int a, const double slope[3], int* dof, double* G,
                      double* K, snScalar* s) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int adr = d->moment_rowadr[a], n = d->moment_rownnz[a], type = m->actuator_trntype[a];
  *s = (snScalar){n,
                  d->moment_colind + adr,
                  d->actuator_moment + adr,
                  NULL,
                  NULL,
                  d->actuator_force[a],
                  slope[0],
                  slope[1],
                  0};
  if (type == mjTRN_TENDON) {
    bool flat;
    double gear = m->actuator_gear[6 * a];
    n = tendon_second(t, m->actuator_trnid[2 * a], dof, G, K, &flat);
    if (n < 0) return false;
    for (int i = 0; i < n; i++) G[i] *= gear;
    for (int i = 0; !flat && i < n * n; i++) K[i] *= gear;
    *s = (snScalar){n, dof, G, flat ? NULL : K, NULL, s->force, slope[0], slope[1], 0};
  } else if (type == mjTRN_SITE) {
    // its length is always zero
    n = site_second(t, a, dof, G, K);
    *s = (snScalar){n, dof, G, K, NULL, s->force, 0, slope[1], 0};
  } else if (type == mjTRN_BODY || (type == mjTRN_JOINT && n > 1)) {
    s->by_length = 0;
  }
  return true;
}

bool actuator_scalar(const snTangent* t, int a, int* dof, double* G, double* K, snScalar* s) {
  double slope[3];
  actuator_slopes(t->m, t->d, a, slope);
  return scalar_of(t, a, slope, dof, G, K, s);
}

// One actuator; with Kall and dl from differences of its transmission.
static bool actuator_add(snTangent* t, int a, const double* dl, const double* Kall, int* dof,
                         double* G, double* K) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int nv = t->nv, adr = d->moment_rowadr[a], n = d->moment_rownnz[a], type = m->actuator_trntype[a];
  double slope[3];
  snScalar s;
  actuator_slopes(m, d, a, slope);
  input_columns(t, a, slope[2]);
  // along a joint the force changes with length and velocity alone
  if (type == mjTRN_JOINT && !Kall && slope[0] == 0 && slope[1] == 0) return true;
  if (Kall) {
    SN_ASSERT(t->parts.n == 1);
    for (int i = 0; i < nv; i++) dof[i] = i, G[i] = 0;
    for (int e = adr; e < adr + n; e++) G[d->moment_colind[e]] = d->actuator_moment[e];
    s = (snScalar){nv, dof, G, Kall, dl, d->actuator_force[a], slope[0], slope[1], 0};
  } else if (!scalar_of(t, a, slope, dof, G, K, &s)) {
    return false;
  }
  scalar_add(t, &s);
  return true;
}

// Rows of joints whose actuators together are at their limit: nothing of theirs passes.
bool joint_clamped(const snTangent* t, int j) {
  const mjModel* m = t->m;
  if (!m->jnt_actfrclimited[j]) return false;
  if (m->jnt_type[j] != mjJNT_HINGE && m->jnt_type[j] != mjJNT_SLIDE) return false;
  double f = t->d->qfrc_actuator[m->jnt_dofadr[j]];
  return f <= m->jnt_actfrcrange[2 * j] || f >= m->jnt_actfrcrange[2 * j + 1];
}

// An actuator of a disabled group still pushes with the bound of a range that leaves out zero.
static bool idle(const mjModel* m, const mjData* d, int a) {
  return actuation_disabled(m, a) && d->actuator_force[a] == 0;
}

// Runs before anything else is in tau, so that rows can be cleared.
bool actuation_add(snTangent* t) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t nv = (size_t)t->nv, nu = (size_t)m->nu, nmark = 0;
  if (!m->nu || !t->actuated || (m->opt.disableflags & mjDSBL_ACTUATION)) return true;
  int* dof;
  double *G, *K, *dl = NULL, *Kall = NULL;
  bool* mark;
  mj_markStack(d);
  bool there = FRAME(memory_of(d), SN_ARRAY(dof, nv), SN_ARRAY(G, nv), SN_ARRAY(K, nv * nv),
                     SN_ARRAY(mark, nu));
  for (size_t a = 0; there && a < nu; a++) {
    mark[a] = actuator_differenced(m, (int)a) && !idle(m, d, (int)a);
    nmark += mark[a];
  }
  if (there && nmark) {
    there = FRAME(memory_of(d), SN_ARRAY(dl, nu * nv), SN_ARRAY(Kall, nu * nv * nv));
    if (there) {
      memset(dl, 0, nu * nv * sizeof(double));
      memset(Kall, 0, nu * nv * nv * sizeof(double));
      there = transmission_differences(t, mark, dl, Kall);
      report_differenced(t->report, "transmissions of cranks, reference sites and ball joints");
    }
  }
  for (int a = 0; there && a < m->nu; a++) {
    if (idle(m, d, a)) continue;
    bool apart = mark[a];
    there = actuator_add(t, a, apart ? dl + a * nv : NULL, apart ? Kall + a * nv * nv : NULL, dof,
                         G, K);
  }
  for (int j = 0; there && j < m->njnt; j++) {
    if (!joint_clamped(t, j)) continue;
    int dof = m->jnt_dofadr[j];
    memset(tau_row(t, dof), 0, (size_t)t->parts.stride[t->parts.of[dof]] * sizeof(double));
  }
  mj_freeStack(d);
  return there;
}
