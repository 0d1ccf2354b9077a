// Actuation: from controls and activations to joint forces.
#include "smooth/smooth.h"

SN_INLINE double clamp(double x, const double* range) {
  return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

// Activation dynamics may be shared by several states of a user actuator; the last one is scalar.
static double activation_rate(const mjModel* m, mjData* d, int a, double ctrl) {
  const double* prm = m->actuator_dynprm + mjNDYN * a;
  double act = d->act[m->actuator_actadr[a] + m->actuator_actnum[a] - 1];
  switch (m->actuator_dyntype[a]) {
    case mjDYN_INTEGRATOR:
      return ctrl;
    case mjDYN_FILTER:
    case mjDYN_FILTEREXACT:
      return (ctrl - act) / fmax(mjMINVAL, prm[0]);
    case mjDYN_MUSCLE:
      return mju_muscleDynamics(ctrl, act, prm);
    default:
      return 0;
  }
}

double actuation_next(const mjModel* m, const mjData* d, int a, int act, double act_dot) {
  double h = m->opt.timestep, next = d->act[act];
  if (m->actuator_dyntype[a] == mjDYN_FILTEREXACT) {
    double tau = fmax(mjMINVAL, m->actuator_dynprm[mjNDYN * a]);
    next += act_dot * tau * (1 - sn_exp(-h / tau));
  } else {
    next += act_dot * h;
  }
  if (m->actuator_actlimited[a]) {
    const double* range = m->actuator_actrange + 2 * a;
    next = clamp(next, range);
  }
  return next;
}

static double gain(const mjModel* m, const mjData* d, int a) {
  const double* prm = m->actuator_gainprm + mjNGAIN * a;
  double length = d->actuator_length[a], velocity = d->actuator_velocity[a];
  switch (m->actuator_gaintype[a]) {
    case mjGAIN_FIXED:
      return prm[0];
    case mjGAIN_AFFINE:
      return prm[0] + prm[1] * length + prm[2] * velocity;
    case mjGAIN_MUSCLE:
      return mju_muscleGain(length, velocity, m->actuator_lengthrange + 2 * a, m->actuator_acc0[a],
                            prm);
    default:
      return mjcb_act_gain ? mjcb_act_gain(m, d, a) : 1;
  }
}

static double bias(const mjModel* m, const mjData* d, int a) {
  const double* prm = m->actuator_biasprm + mjNBIAS * a;
  double length = d->actuator_length[a], velocity = d->actuator_velocity[a];
  switch (m->actuator_biastype[a]) {
    case mjBIAS_NONE:
      return 0;
    case mjBIAS_AFFINE:
      return prm[0] + prm[1] * length + prm[2] * velocity;
    case mjBIAS_MUSCLE:
      return mju_muscleBias(length, m->actuator_lengthrange + 2 * a, m->actuator_acc0[a], prm);
    default:
      return mjcb_act_bias ? mjcb_act_bias(m, d, a) : 0;
  }
}

static bool group_disabled(const mjModel* m, int a) {
  int group = m->actuator_group[a];
  return group >= 0 && group <= 30 && (m->opt.disableactuator & (1 << group));
}

// The control an actuator sees: clamped, zero altogether when any control is bad.
static double control(const mjModel* m, const mjData* d, int a, bool bad) {
  if (bad) return 0;
  double ctrl = d->ctrl[a];
  if (m->actuator_ctrllimited[a] && !(m->opt.disableflags & mjDSBL_CLAMPCTRL)) {
    const double* range = m->actuator_ctrlrange + 2 * a;
    ctrl = clamp(ctrl, range);
  }
  return ctrl;
}

static bool controls_bad(const mjModel* m, mjData* d) {
  for (int a = 0; a < m->nu; a++) {
    // false for NaN too
    if (!(d->ctrl[a] >= -mjMAXVAL && d->ctrl[a] <= mjMAXVAL)) {
      mj_warning(d, mjWARN_BADCTRL, a);
      return true;
    }
  }
  return false;
}

// Plugins of actuator type: first all write act_dot of their own activations, then all write
// actuator_force.
static void plugin_rates(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (plugin && (plugin->capabilityflags & mjPLUGIN_ACTUATOR) && plugin->actuator_act_dot) {
      plugin->actuator_act_dot(m, d, i);
    }
  }
}

static void plugin_actuators(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("mj_fwdActuation: plugin instance %d has no plugin at slot %d", i, m->plugin[i]);
      return;
    }
    if (!(plugin->capabilityflags & mjPLUGIN_ACTUATOR)) continue;
    if (!plugin->compute) {
      mju_error("mj_fwdActuation: plugin '%s' has no compute", plugin->name);
      return;
    }
    plugin->compute(m, d, i, mjPLUGIN_ACTUATOR);
  }
}

// All actuators of a limited tendon are scaled alike when their sum leaves the range.
static void clamp_tendons(const mjModel* m, mjData* d) {
  bool any = false;
  for (int t = 0; t < m->ntendon && !any; t++) any = m->tendon_actfrclimited[t];
  if (!any) return;
  mj_markStack(d);
  double* total = mj_stackAllocNum(d, m->ntendon);
  if (total) {
    memset(total, 0, m->ntendon * sizeof(double));
    for (int a = 0; a < m->nu; a++) {
      if (m->actuator_trntype[a] == mjTRN_TENDON) {
        total[m->actuator_trnid[2 * a]] += d->actuator_force[a];
      }
    }
    for (int a = 0; a < m->nu; a++) {
      if (m->actuator_trntype[a] != mjTRN_TENDON) continue;
      int t = m->actuator_trnid[2 * a];
      if (!m->tendon_actfrclimited[t]) continue;
      const double* range = m->tendon_actfrcrange + 2 * t;
      if (total[t] < range[0]) d->actuator_force[a] *= range[0] / total[t];
      if (total[t] > range[1]) d->actuator_force[a] *= range[1] / total[t];
    }
  }
  mj_freeStack(d);
}

// Force of one actuator: gain (activation or control) + bias.
static void actuate(const mjModel* m, mjData* d, int a, double ctrl) {
  double input = ctrl;
  if (m->actuator_actnum[a]) {
    int last = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
    input =
        m->actuator_actearly[a] ? actuation_next(m, d, a, last, d->act_dot[last]) : d->act[last];
  }
  d->actuator_force[a] = gain(m, d, a) * input + bias(m, d, a);
}

// Rates of all activations; those of disabled groups too, which the integrator then leaves out.
static void activation_rates(const mjModel* m, mjData* d, bool bad) {
  if (m->na) memset(d->act_dot, 0, m->na * sizeof(double));
  for (int a = 0; a < m->nu; a++) {
    if (!m->actuator_actnum[a]) continue;
    int last = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
    if (m->actuator_dyntype[a] != mjDYN_USER) {
      d->act_dot[last] = activation_rate(m, d, a, control(m, d, a, bad));
    } else if (mjcb_act_dyn) {
      // with several states the callback writes act_dot itself
      double rate = mjcb_act_dyn(m, d, a);
      if (m->actuator_actnum[a] == 1) d->act_dot[last] = rate;
    }
  }
  if (m->nplugin) plugin_rates(m, d);
}

// qfrc_actuator = moment' force, after the limits of each actuator.
static void apply_forces(const mjModel* m, mjData* d) {
  for (int a = 0; a < m->nu; a++) {
    if (group_disabled(m, a)) d->actuator_force[a] = 0;
    if (m->actuator_forcelimited[a]) {
      const double* range = m->actuator_forcerange + 2 * a;
      d->actuator_force[a] = clamp(d->actuator_force[a], range);
    }
    int adr = d->moment_rowadr[a];
    for (int k = adr; k < adr + d->moment_rownnz[a]; k++) {
      d->qfrc_actuator[d->moment_colind[k]] += d->actuator_moment[k] * d->actuator_force[a];
    }
  }
}

// Joints: compensation by actuators, then limits of the total.
static void limit_joints(const mjModel* m, mjData* d) {
  for (int j = 0; j < m->njnt; j++) {
    int dof = m->jnt_dofadr[j], type = m->jnt_type[j];
    if (m->ngravcomp && m->jnt_actgravcomp[j]) {
      int num = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
      for (int k = 0; k < num; k++) d->qfrc_actuator[dof + k] += d->qfrc_gravcomp[dof + k];
    }
    if (m->jnt_actfrclimited[j] && (type == mjJNT_HINGE || type == mjJNT_SLIDE)) {
      const double* range = m->jnt_actfrcrange + 2 * j;
      d->qfrc_actuator[dof] = clamp(d->qfrc_actuator[dof], range);
    }
  }
}

void mj_fwdActuation(const mjModel* m, mjData* d) {
  if (m->nv) memset(d->qfrc_actuator, 0, m->nv * sizeof(double));
  if (m->nu) memset(d->actuator_force, 0, m->nu * sizeof(double));
  if (!m->nu || (m->opt.disableflags & mjDSBL_ACTUATION)) return;

  bool bad = controls_bad(m, d);
  activation_rates(m, d, bad);
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_plugin[a] >= 0 || group_disabled(m, a)) continue;
    actuate(m, d, a, control(m, d, a, bad));
  }
  if (m->nplugin) plugin_actuators(m, d);
  clamp_tendons(m, d);
  apply_forces(m, d);
  limit_joints(m, d);
}
