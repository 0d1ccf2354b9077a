// Values derived at qpos0 after the arrays are filled: springs and dampers from time constants,
// damping ratios of servos, plugin states, length ranges, statistics that the user sets, and one
// trial step.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "data/data.h"

// springdamper: a mass-spring-damper with time constant t and damping ratio z has, with m the
// inertia of the joint, damping 2 m / t and stiffness m / (t z)^2.
static void spring_dampers(snCompile* c) {
  mjModel* m = c->m;
  for (int j = 0; j < m->njnt; j++) {
    const mjsJoint* s = &c->list[mjOBJ_JOINT].item[j]->u.joint;
    double timeconst = s->springdamper[0], ratio = s->springdamper[1];
    if (timeconst <= 0 || ratio <= 0) continue;
    int adr = m->jnt_dofadr[j];
    int n = m->jnt_type[j] == mjJNT_FREE ? 6 : m->jnt_type[j] == mjJNT_BALL ? 3 : 1;
    double inverse = 0;
    for (int k = 0; k < n; k++) inverse += m->dof_invweight0[adr + k] / n;
    double inertia = 1 / fmax(mjMINVAL, inverse);
    m->jnt_stiffness[j] = inertia / fmax(mjMINVAL, timeconst * timeconst * ratio * ratio);
    for (int k = 0; k < n; k++) m->dof_damping[adr + k] = 2 * inertia / fmax(mjMINVAL, timeconst);
  }
}

// dampratio of a position servo, recognized by its gain and bias: kv = 2 ratio sqrt(kp m), with m
// the inertia reflected by its dofs.
static void damp_ratios(snCompile* c, const mjData* d) {
  mjModel* m = c->m;
  for (int i = 0; i < m->nu; i++) {
    const mjtNum* gain = m->actuator_gainprm + mjNGAIN * i;
    mjtNum* bias = m->actuator_biasprm + mjNBIAS * i;
    if (gain[0] != -bias[1] || !(bias[2] > 0)) continue;
    double mass = 0;
    for (int k = 0; k < d->moment_rownnz[i]; k++) {
      int adr = d->moment_rowadr[i] + k;
      double arm = fabs(d->actuator_moment[adr]);
      if (arm > mjMINVAL) mass += m->dof_M0[d->moment_colind[adr]] / (arm * arm);
    }
    bias[2] = -bias[2] * 2 * sqrt(gain[0] * mass);
  }
}

static bool length_ranges(snCompile* c, mjData* d) {
  mjModel* m = c->m;
  mjLROpt opt = c->spec->pub.compiler.LRopt;
  for (int i = 0; i < m->nu; i++) {
    char error[200] = "";
    if (!mj_setLengthRange(m, d, i, &opt, error, sizeof error)) {
      return compile_error(c, c->list[mjOBJ_ACTUATOR].item[i], "%s", error);
    }
  }
  return true;
}

static void given_statistics(snCompile* c) {
  const mjStatistic* s = &c->spec->pub.stat;
  mjStatistic* to = &c->m->stat;
  if (!isnan(s->meaninertia)) to->meaninertia = s->meaninertia;
  if (!isnan(s->meanmass)) to->meanmass = s->meanmass;
  if (!isnan(s->meansize)) to->meansize = s->meansize;
  if (!isnan(s->extent)) to->extent = s->extent;
  if (!isnan(s->center[0])) memcpy(to->center, s->center, sizeof to->center);
  c->user->found = *to;
}

// Plugin instances report the size of their state once the model exists.
static bool plugin_states(snCompile* c) {
  mjModel* m = c->m;
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    const snElement* e = i < c->list[mjOBJ_PLUGIN].n ? c->list[mjOBJ_PLUGIN].item[i] : NULL;
    if (!plugin->nstate) {
      return compile_error(c, e, "plugin %s has no nstate function", plugin->name);
    }
    int n = plugin->nstate(m, i);
    if (n < 0 || n > INT_MAX - m->npluginstate) {
      return compile_error(c, e, "plugin %s asks for %d state variables; expected 0 to %d",
                           plugin->name, n, INT_MAX - m->npluginstate);
    }
    m->plugin_stateadr[i] = m->npluginstate;
    m->plugin_statenum[i] = n;
    m->npluginstate += n;
  }
  for (int i = 0, adr = 0; i < m->nsensor; i++) {
    // the plugin reports the number of outputs of its sensor
    if (m->sensor_type[i] == mjSENS_PLUGIN && m->sensor_plugin[i] >= 0) {
      const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[m->sensor_plugin[i]]);
      m->sensor_needstage[i] = plugin->needstage;
      int n = plugin->nsensordata ? plugin->nsensordata(m, m->sensor_plugin[i], i) : 0;
      if (n < 0 || n > INT_MAX - adr) {
        return compile_error(c, c->list[mjOBJ_SENSOR].item[i],
                             "plugin %s asks for %d readings; expected 0 to %d", plugin->name, n,
                             INT_MAX - adr);
      }
      m->sensor_dim[i] = n;
    }
    m->sensor_adr[i] = adr;
    adr += m->sensor_dim[i];
    m->nsensordata = adr;
  }
  return true;
}

// One trial step, for its warnings: positions that are not finite, a singular inertia. Contacts are
// disabled, because their number is unbounded, and so are the program's callbacks, which do not
// expect this data.
static void no_force(const mjModel* m, mjData* d, void* user) {}
static void no_sensor(const mjModel* m, mjData* d, int stage, void* user) {}
static mjtNum no_act(const mjModel* m, const mjData* d, int id, void* user) { return 0; }

static void try_step(mjModel* m, mjData* d) {
  snCallbacks none = {.passive = no_force,
                      .control = no_force,
                      .sensor = no_sensor,
                      .act_dyn = no_act,
                      .act_gain = no_act,
                      .act_bias = no_act};
  int flags = m->opt.disableflags;
  m->opt.disableflags |= mjDSBL_CONTACT;
  ((snModel*)m)->callbacks = &none;
  mj_resetData(m, d);
  mj_step(m, d);
  ((snModel*)m)->callbacks = NULL;
  m->opt.disableflags = flags;
}

bool compile_constants(snCompile* c) {
  mjModel* m = c->m;
  if (!plugin_states(c)) return false;
  snFault fault = {0};
  mjData* d = data_make(m, &fault);
  if (!d) return compile_error(c, NULL, "%s", fault.text);
  mj_setConst(m, d);
  given_statistics(c);
  damp_ratios(c, d);
  spring_dampers(c);
  bool done = length_ranges(c, d);
  if (done) try_step(m, d);
  mj_deleteData(d);
  return done;
}
