// Passive forces: springs, dampers, gravity compensation, the medium, flexes, callback and plugins.
//
//   joint   f = -k (q (-) q_spring) - b v
//   tendon  f = J' (-k (l - nearest rest length) - b ldot)
#include "smooth/smooth.h"

// f = -k (q (-) q_spring), (-) the difference in the tangent space.
static void joint_springs(const mjModel* m, mjData* d, int first, int njnt) {
  const double* stiffness = m->jnt_stiffness;
  for (int j = first; j < njnt; j++) {
    double k = stiffness[j];
    if (k == 0) continue;
    int p = m->jnt_qposadr[j], v = m->jnt_dofadr[j];
    double quat[4], turn[3];
    switch (m->jnt_type[j]) {
      case mjJNT_FREE:
        for (int i = 0; i < 3; i++) {
          d->qfrc_spring[v + i] = -k * (d->qpos[p + i] - m->qpos_spring[p + i]);
        }
        p += 3, v += 3;
        // fall through
      case mjJNT_BALL:
        quat_copy(quat, d->qpos + p);
        quat_normalize(quat);
        mju_subQuat(turn, quat, m->qpos_spring + p);
        vec3_scale(d->qfrc_spring + v, turn, -k);
        break;
      default:
        d->qfrc_spring[v] = -k * (d->qpos[p] - m->qpos_spring[p]);
    }
  }
}

// qfrc += J' f for tendon t
static void tendon_apply(const mjModel* m, const mjData* d, double* qfrc, int t, double force) {
  if (force == 0) return;
  if (mj_isSparse(m)) {
    int adr = d->ten_J_rowadr[t];
    for (int k = adr; k < adr + d->ten_J_rownnz[t]; k++) {
      qfrc[d->ten_J_colind[k]] += d->ten_J[k] * force;
    }
  } else {
    vec_add_scaled(qfrc, d->ten_J + (size_t)t * m->nv, force, m->nv);
  }
}

// The spring of a tendon is slack between its two rest lengths.
static void tendon_passive(const mjModel* m, mjData* d) {
  for (int t = 0; t < m->ntendon; t++) {
    double k = m->tendon_stiffness[t], b = m->tendon_damping[t];
    if (k != 0) {
      double length = d->ten_length[t];
      double low = m->tendon_lengthspring[2 * t], high = m->tendon_lengthspring[2 * t + 1];
      double force = length > high ? k * (high - length) : length < low ? k * (low - length) : 0;
      tendon_apply(m, d, d->qfrc_spring, t, force);
    }
    if (b != 0) tendon_apply(m, d, d->qfrc_damper, t, -b * d->ten_velocity[t]);
  }
}

// A force against gravity at the com of each body with gravcomp. True when there is one.
static bool gravity_compensation(const mjModel* m, mjData* d) {
  if (!m->ngravcomp || (m->opt.disableflags & mjDSBL_GRAVITY)) return false;
  if (vec3_norm(m->opt.gravity) == 0) return false;
  bool any = false;
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_gravcomp[b] == 0) continue;
    double force[3];
    any = true;
    vec3_scale(force, m->opt.gravity, -m->body_mass[b] * m->body_gravcomp[b]);
    mj_applyFT(m, d, force, NULL, d->xipos + 3 * b, b, d->qfrc_gravcomp);
  }
  return any;
}

// Passive plugins add to qfrc_passive themselves.
static void plugin_passive(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("mj_passive: plugin instance %d has no plugin at slot %d", i, m->plugin[i]);
      return;
    }
    if (!(plugin->capabilityflags & mjPLUGIN_PASSIVE)) continue;
    if (!plugin->compute) {
      mju_error("mj_passive: plugin '%s' at slot %d has no compute", plugin->name, m->plugin[i]);
      return;
    }
    plugin->compute(m, d, i, mjPLUGIN_PASSIVE);
  }
}

// Joint dampers -b v, or zero when `dampers` is false; all other components zero.
SN_KERNEL static void passive_start(const mjModel* m, mjData* d, bool dampers, int i, int nv) {
  double *spring = d->qfrc_spring, *damper = d->qfrc_damper, *gravcomp = d->qfrc_gravcomp;
  double *fluid = d->qfrc_fluid, *passive = d->qfrc_passive;
  const double *b = m->dof_damping, *v = d->qvel;
  sn4 zero = {0};
  for (; i <= nv - 4; i += 4) {
    sn4_store(spring + i, zero);
    sn4_store(gravcomp + i, zero);
    sn4_store(fluid + i, zero);
    sn4_store(passive + i, zero);
    sn4_store(damper + i, dampers ? -sn4_load(b + i) * sn4_load(v + i) : zero);
  }
  for (; i < nv; i++) {
    spring[i] = gravcomp[i] = fluid[i] = passive[i] = 0;
    damper[i] = dampers ? -b[i] * v[i] : 0;
  }
}

void mj_passive(const mjModel* m, mjData* d) {
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  // forces that are added up over the whole model need all sums at zero
  if (m->ntendon || m->nflex || m->ngravcomp || m->opt.density || m->opt.viscosity) {
    span = &((const snData*)d)->whole;
    nspan = 1;
  }
  bool off = m->opt.disableflags & mjDSBL_PASSIVE;
  for (int k = 0; k < nspan; k++) passive_start(m, d, !off, span[k].dof, span[k].dof_end);
  if (off) return;

  for (int k = 0; k < nspan; k++) joint_springs(m, d, span[k].jnt, span[k].jnt_end);
  if (m->ntendon) tendon_passive(m, d);
  if (m->nflex) flex_passive(m, d);
  bool gravcomp = gravity_compensation(m, d);
  bool fluid = fluid_passive(m, d);

  double* passive = d->qfrc_passive;
  const double *spring = d->qfrc_spring, *damper = d->qfrc_damper;
  int nv = m->nv;
  for (int k = 0; k < nspan; k++) {
    for (int i = span[k].dof, end = span[k].dof_end; i < end; i++) {
      passive[i] = spring[i] + damper[i];
    }
  }
  for (int i = 0; fluid && i < nv; i++) passive[i] += d->qfrc_fluid[i];
  // gravity compensation that counts as actuation is added to qfrc_actuator (actuation.c)
  for (int i = 0; gravcomp && i < nv; i++) {
    if (!m->jnt_actgravcomp[m->dof_jntid[i]]) passive[i] += d->qfrc_gravcomp[i];
  }
  call_passive(m, d);
  if (m->nplugin) plugin_passive(m, d);
}
