// Actuation: from controls and activations to joint forces.
//
//   activation   act_dot = integrator u, filter (u - act) / tau, or muscle dynamics
//   force        p = gain(l, v) (act or u) + bias(l, v), clamped to forcerange
//   joint        qfrc_actuator = moment' p, plus gravity compensation by actuators, clamped
#include "data/frame.h"
#include "smooth/smooth.h"

SN_INLINE double clamp(double x, const double* range) {
  return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

// act_dot of the last activation of an actuator; only user actuators have several.
SN_INLINE double activation_rate(const mjModel* m, mjData* d, int a, double ctrl) {
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

bool actuation_disabled(const mjModel* m, int a) {
  if (!m->opt.disableactuator) return false;
  int group = m->actuator_group[a];
  return group >= 0 && group <= 30 && (m->opt.disableactuator & (1 << group));
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

void actuation_advance(const mjModel* m, mjData* d, const double* act_dot) {
  if (!m->na || (m->opt.disableflags & mjDSBL_ACTUATION)) return;
  for (int a = 0; a < m->nu; a++) {
    bool still = actuation_disabled(m, a);
    int adr = m->actuator_actadr[a], end = adr < 0 ? adr : adr + m->actuator_actnum[a];
    for (int i = adr; i >= 0 && i < end; i++) {
      d->act[i] = actuation_next(m, d, a, i, still ? 0 : act_dot[i]);
    }
  }
}

SN_INLINE double gain(const mjModel* m, const mjData* d, int a) {
  const double* prm = m->actuator_gainprm + mjNGAIN * a;
  double value = 1;
  switch (m->actuator_gaintype[a]) {
    case mjGAIN_FIXED:
      return prm[0];
    case mjGAIN_AFFINE:
      return prm[0] + prm[1] * d->actuator_length[a] + prm[2] * d->actuator_velocity[a];
    case mjGAIN_MUSCLE:
      return mju_muscleGain(d->actuator_length[a], d->actuator_velocity[a],
                            m->actuator_lengthrange + 2 * a, m->actuator_acc0[a], prm);
    default:
      call_act_gain(m, d, a, &value);
      return value;
  }
}

SN_INLINE double bias(const mjModel* m, const mjData* d, int a) {
  const double* prm = m->actuator_biasprm + mjNBIAS * a;
  double value = 0;
  switch (m->actuator_biastype[a]) {
    case mjBIAS_NONE:
      return 0;
    case mjBIAS_AFFINE:
      return prm[0] + prm[1] * d->actuator_length[a] + prm[2] * d->actuator_velocity[a];
    case mjBIAS_MUSCLE:
      return mju_muscleBias(d->actuator_length[a], m->actuator_lengthrange + 2 * a,
                            m->actuator_acc0[a], prm);
    default:
      call_act_bias(m, d, a, &value);
      return value;
  }
}

// A control clamped to its range; NaN stays NaN.
SN_INLINE double control_clamped(const mjModel* m, const mjData* d, int a) {
  double x = d->ctrl[a];
  if (!m->actuator_ctrllimited[a] || (m->opt.disableflags & mjDSBL_CLAMPCTRL)) return x;
  return clamp(x, m->actuator_ctrlrange + 2 * a);
}

// Is any control NaN or huge after clamping? Then the documented warning, and all controls count as
// zero.
SN_INLINE bool controls_bad(const mjModel* m, mjData* d) {
  const double* given = d->ctrl;
  int nu = m->nu, odd = 0;
  for (int a = 0; a < nu; a++) odd |= !(given[a] >= -mjMAXVAL && given[a] <= mjMAXVAL);  // NaN too
  if (__builtin_expect(!odd, 1)) return false;
  for (int a = 0; a < nu; a++) {
    if (fabs(control_clamped(m, d, a)) <= mjMAXVAL) continue;
    mj_warning(d, mjWARN_BADCTRL, a);
    return true;
  }
  return false;
}

// The control that the actuator uses.
SN_INLINE double control(const mjModel* m, const mjData* d, int a, bool bad) {
  return bad ? 0 : control_clamped(m, d, a);
}

// Actuator plugins: first every plugin writes act_dot of its activations, then every plugin writes
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

SN_INLINE bool any_byte(const mjtByte* flag, int n) {
  int any = 0;
  for (int i = 0; i < n; i++) any |= flag[i];
  return any;
}

// The actuators of a limited tendon are scaled by one factor when their sum leaves the range.
static void clamp_tendons(const mjModel* m, mjData* d) {
  if (!any_byte(m->tendon_actfrclimited, m->ntendon)) return;
  mj_markStack(d);
  double* total;
  if (FRAME(memory_of(d), SN_ARRAY(total, m->ntendon))) {
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

// The force of one actuator: gain (activation or control) + bias. With actearly the activation is
// that at the end of the step.
SN_INLINE void actuate(const mjModel* m, mjData* d, int a, double ctrl) {
  double input = ctrl;
  if (m->actuator_actnum[a]) {
    int last = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
    input =
        m->actuator_actearly[a] ? actuation_next(m, d, a, last, d->act_dot[last]) : d->act[last];
  }
  d->actuator_force[a] = gain(m, d, a) * input + bias(m, d, a);
}

// act_dot of all activations, those of disabled groups included; actuation_advance ignores the
// latter.
static void activation_rates(const mjModel* m, mjData* d, bool bad) {
  memset(d->act_dot, 0, m->na * sizeof(double));
  for (int a = 0; a < m->nu; a++) {
    if (!m->actuator_actnum[a]) continue;
    int last = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
    double rate;
    if (m->actuator_dyntype[a] != mjDYN_USER) {
      d->act_dot[last] = activation_rate(m, d, a, control(m, d, a, bad));
    } else if (call_act_dyn(m, d, a, &rate)) {
      // with several states the callback writes act_dot itself
      if (m->actuator_actnum[a] == 1) d->act_dot[last] = rate;
    }
  }
}

// qfrc_actuator = moment' force, after clamping each force to its range.
static void apply_forces(const mjModel* m, mjData* d) {
  const int *rowadr = d->moment_rowadr, *rownnz = d->moment_rownnz, *colind = d->moment_colind;
  const double *moment = d->actuator_moment, *range = m->actuator_forcerange;
  const mjtByte* limited = m->actuator_forcelimited;
  double *force = d->actuator_force, *qfrc = d->qfrc_actuator;
  int nu = m->nu;
  for (int a = 0; a < nu; a++) {
    if (actuation_disabled(m, a)) force[a] = 0;
    if (limited[a]) force[a] = clamp(force[a], range + 2 * a);
    double f = force[a];
    for (int k = rowadr[a], end = k + rownnz[a]; k < end; k++) qfrc[colind[k]] += moment[k] * f;
  }
}

// Joints: add gravity compensation that counts as actuation, then clamp the total.
static void limit_joints(const mjModel* m, mjData* d) {
  const int *dofadr = m->jnt_dofadr, *types = m->jnt_type;
  double* qfrc = d->qfrc_actuator;
  int njnt = m->njnt;
  for (int j = 0; m->ngravcomp && j < njnt; j++) {
    if (!m->jnt_actgravcomp[j]) continue;
    int num = types[j] == mjJNT_FREE ? 6 : types[j] == mjJNT_BALL ? 3 : 1;
    for (int k = dofadr[j]; k < dofadr[j] + num; k++) qfrc[k] += d->qfrc_gravcomp[k];
  }
  const mjtByte* limited = m->jnt_actfrclimited;
  if (!any_byte(limited, njnt)) return;
  for (int j = 0; j < njnt; j++) {
    if (!limited[j] || (types[j] != mjJNT_HINGE && types[j] != mjJNT_SLIDE)) continue;
    qfrc[dofadr[j]] = clamp(qfrc[dofadr[j]], m->jnt_actfrcrange + 2 * j);
  }
}

void mj_fwdActuation(const mjModel* m, mjData* d) {
  int nu = m->nu, nv = m->nv;
  double *qfrc = d->qfrc_actuator, *force = d->actuator_force;
  for (int i = 0; i < nv; i++) qfrc[i] = 0;
  if (!nu) return;
  if (m->opt.disableflags & mjDSBL_ACTUATION) {
    for (int a = 0; a < nu; a++) force[a] = 0;
    return;
  }

  bool bad = controls_bad(m, d);
  if (m->na) activation_rates(m, d, bad);
  if (m->nplugin) plugin_rates(m, d);
  const int* plugin = m->actuator_plugin;
  for (int a = 0; a < nu; a++) {
    if (plugin[a] >= 0 || actuation_disabled(m, a))
      force[a] = 0;
    else
      actuate(m, d, a, control(m, d, a, bad));
  }
  if (m->nplugin) plugin_actuators(m, d);
  if (m->ntendon) clamp_tendons(m, d);
  apply_forces(m, d);
  limit_joints(m, d);
}

// Exported without a declaration by the released library.
MJAPI int mj_actuatorDisabled(const mjModel* m, int i);
int mj_actuatorDisabled(const mjModel* m, int i) {
  return i >= 0 && i < m->nu && actuation_disabled(m, i);
}
