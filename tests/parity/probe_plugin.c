// A plugin that records every call it gets, to compare two libraries: which callbacks run, when, in
// which order, and what they see. The test compiles it and loads it into both.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

static char note[1 << 20];
static size_t length;

__attribute__((visibility("default"))) const char* probe_notes(void) { return note; }
__attribute__((visibility("default"))) void probe_clear(void) { note[length = 0] = 0; }

static void write_note(const char* format, ...) {
  va_list list;
  va_start(list, format);
  if (length + 512 < sizeof note) length += (size_t)vsnprintf(note + length, 512, format, list);
  va_end(list);
}

static double setting(const mjModel* m, int instance, const char* key, double otherwise) {
  const char* text = mj_getPluginConfig(m, instance, key);
  return text && text[0] ? atof(text) : otherwise;
}

static int probe_nstate(const mjModel* m, int instance) {
  write_note("nstate %d\n", instance);
  return (int)setting(m, instance, "states", 0);
}

static int probe_nsensordata(const mjModel* m, int instance, int sensor) {
  write_note("nsensordata %d %d\n", instance, sensor);
  return (int)setting(m, instance, "readings", 1);
}

static int probe_init(const mjModel* m, mjData* d, int instance) {
  write_note("init %d state %d\n", instance, m->plugin_statenum[instance]);
  if (setting(m, instance, "fail", 0)) {
    mju_warning("probe: told to fail");
    return -1;
  }
  d->plugin_data[instance] = (uintptr_t)calloc(1, sizeof(double));
  return 0;
}

static void probe_destroy(mjData* d, int instance) {
  write_note("destroy %d\n", instance);
  free((void*)d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}

static void probe_copy(mjData* to, const mjModel* m, const mjData* from, int instance) {
  write_note("copy %d data %d\n", instance,
             to->plugin_data[instance] && to->plugin_data[instance] != from->plugin_data[instance]);
  *(double*)to->plugin_data[instance] = *(const double*)from->plugin_data[instance];
}

static void probe_reset(const mjModel* m, mjtNum* state, void* data, int instance) {
  write_note("reset %d\n", instance);
  for (int i = 0; i < m->plugin_statenum[instance]; i++) state[i] = instance + i;
  *(double*)data = 0;
}

static double total(const mjModel* m, const mjData* d, int instance) {
  const double* data = (const double*)d->plugin_data[instance];
  double sum = data ? *data : 0;
  for (int i = 0; i < m->plugin_statenum[instance]; i++) {
    sum += d->plugin_state[m->plugin_stateadr[instance] + i];
  }
  return sum;
}

static void probe_compute(const mjModel* m, mjData* d, int instance, int capability) {
  double sum = total(m, d, instance);
  write_note("compute %d %d time %.9g sum %.9g", instance, capability, d->time, sum);
  if (capability == mjPLUGIN_ACTUATOR) {
    for (int a = 0; a < m->nu; a++) {
      write_note(" force %.9g", d->actuator_force[a]);
      if (m->actuator_plugin[a] != instance) continue;
      double input = d->ctrl[a];
      for (int k = 0; k < m->actuator_actnum[a]; k++) {
        int adr = m->actuator_actadr[a] + k;
        write_note(" act %.9g dot %.9g", d->act[adr], d->act_dot[adr]);
        input += d->act[adr];
      }
      d->actuator_force[a] = 3 * input + 0.1 * sum;
    }
  } else if (capability == mjPLUGIN_SENSOR) {
    for (int s = 0; s < m->nsensor; s++) {
      if (m->sensor_plugin[s] != instance) continue;
      for (int k = 0; k < m->sensor_dim[s]; k++) {
        d->sensordata[m->sensor_adr[s] + k] = sum + k + (d->qpos[0] + d->qvel[0] + d->qacc[0]);
      }
    }
  } else if (capability == mjPLUGIN_PASSIVE) {
    write_note(" passive %.9g", d->qfrc_passive[0]);
    for (int b = 0; b < m->nbody; b++) {
      if (m->body_plugin[b] == instance && m->body_dofnum[b]) {
        d->qfrc_passive[m->body_dofadr[b]] -= 0.2 * sum;
      }
    }
  }
  write_note("\n");
}

// A sensor that counts how often it is read: a reading tells how many computations came before.
static void count_compute(const mjModel* m, mjData* d, int instance, int capability) {
  write_note("count %d %d qacc %.9g\n", instance, capability, d->qacc[0]);
  if (capability != mjPLUGIN_SENSOR) return;
  double* count = (double*)d->plugin_data[instance];
  *count += 1;
  for (int s = 0; s < m->nsensor; s++) {
    if (m->sensor_plugin[s] == instance) d->sensordata[m->sensor_adr[s]] = *count;
  }
}

static void bare_compute(const mjModel* m, mjData* d, int instance, int capability) {
  write_note("bare %d %d\n", instance, capability);
}

static void probe_act_dot(const mjModel* m, mjData* d, int instance) {
  write_note("act_dot %d", instance);
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_plugin[a] != instance) continue;
    int own = m->actuator_actnum[a] - (m->actuator_dyntype[a] != mjDYN_NONE);
    for (int k = 0; k < m->actuator_actnum[a]; k++) {
      write_note(" %.9g", d->act_dot[m->actuator_actadr[a] + k]);
    }
    for (int k = 0; k < own; k++) {
      d->act_dot[m->actuator_actadr[a] + k] =
          d->ctrl[a] + k - 0.5 * d->act[m->actuator_actadr[a] + k];
    }
  }
  write_note("\n");
}

static void probe_advance(const mjModel* m, mjData* d, int instance) {
  write_note("advance %d time %.9g qpos %.9g act", instance, d->time, d->qpos[0]);
  for (int i = 0; i < m->na; i++) write_note(" %.9g", d->act[i]);
  write_note("\n");
  for (int i = 0; i < m->plugin_statenum[instance]; i++) {
    d->plugin_state[m->plugin_stateadr[instance] + i] +=
        0.5 * m->opt.timestep * (i + 1) + 0.01 * d->qpos[0];
  }
  *(double*)d->plugin_data[instance] += 0.001;
}

static void probe_visualize(const mjModel* m, mjData* d, const mjvOption* opt, mjvScene* scn,
                            int instance) {
  write_note("visualize %d after %d\n", instance, scn->ngeom);
}

mjPLUGIN_LIB_INIT {
  static const char* settings[] = {"states", "readings", "fail"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "probe.acc";
  plugin.nattribute = 3;
  plugin.attributes = settings;
  plugin.capabilityflags = mjPLUGIN_ACTUATOR | mjPLUGIN_SENSOR | mjPLUGIN_PASSIVE;
  plugin.needstage = mjSTAGE_ACC;
  plugin.nstate = probe_nstate;
  plugin.nsensordata = probe_nsensordata;
  plugin.init = probe_init;
  plugin.destroy = probe_destroy;
  plugin.copy = probe_copy;
  plugin.reset = probe_reset;
  plugin.compute = probe_compute;
  plugin.advance = probe_advance;
  plugin.visualize = probe_visualize;
  plugin.actuator_act_dot = probe_act_dot;
  mjp_registerPlugin(&plugin);
  plugin.name = "probe.pos";
  plugin.capabilityflags = mjPLUGIN_SENSOR;
  plugin.needstage = mjSTAGE_POS;
  mjp_registerPlugin(&plugin);
  plugin.name = "probe.vel";
  plugin.needstage = mjSTAGE_VEL;
  mjp_registerPlugin(&plugin);
  // every stage with every set of capabilities
  plugin.compute = count_compute;
  plugin.actuator_act_dot = NULL;
  for (int stage = mjSTAGE_NONE; stage <= mjSTAGE_ACC + 1; stage++) {
    for (int capabilities = 0; capabilities < 16; capabilities++) {
      char name[64];
      snprintf(name, sizeof name, "probe.stage%d.able%d", stage, capabilities);
      plugin.name = name;
      plugin.capabilityflags = capabilities;
      plugin.needstage = stage;
      mjp_registerPlugin(&plugin);
    }
  }
  mjp_defaultPlugin(&plugin);  // what a plugin cannot do without
  plugin.name = "probe.bare";
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  plugin.compute = bare_compute;
  plugin.nstate = probe_nstate;
  mjp_registerPlugin(&plugin);
}
