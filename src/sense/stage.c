// The three stages: every sensor that needs the stage is read, then cut off.
#include "sense/sense.h"

// Collision sensors use the cutoff as a search distance; directions and orientations have none.
static void cut_off(const mjModel* m, int i, double* reading) {
  double cutoff = m->sensor_cutoff[i];
  int type = m->sensor_type[i];
  if (cutoff <= 0 || type == mjSENS_GEOMFROMTO) return;
  for (int k = 0; k < m->sensor_dim[i]; k++) {
    if (m->sensor_datatype[i] == mjDATATYPE_REAL) {
      reading[k] = fmin(cutoff, fmax(-cutoff, reading[k]));
    } else if (m->sensor_datatype[i] == mjDATATYPE_POSITIVE) {
      reading[k] = fmin(cutoff, reading[k]);
    }
  }
}

// User sensors of a stage are filled together by the callback; then they are cut off.
static void user_sensors(const mjModel* m, mjData* d, int stage) {
  bool any = false;
  for (int i = 0; i < m->nsensor; i++) {
    any = any || (m->sensor_type[i] == mjSENS_USER && m->sensor_needstage[i] == stage);
  }
  if (any && call_sensor(m, d, stage)) {
    for (int i = 0; i < m->nsensor; i++) {
      if (m->sensor_type[i] == mjSENS_USER && m->sensor_needstage[i] == stage) {
        cut_off(m, i, d->sensordata + m->sensor_adr[i]);
      }
    }
  }
}

static void plugin_sensors(const mjModel* m, mjData* d, int stage) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("sensor stage: plugin instance %d has no plugin at slot %d", i, m->plugin[i]);
      return;
    }
    if (!(plugin->capabilityflags & mjPLUGIN_SENSOR)) continue;
    if (plugin->needstage != stage && plugin->needstage != mjSTAGE_NONE) continue;
    if (!plugin->compute) {
      mju_error("sensor stage: plugin '%s' has no compute", plugin->name);
      return;
    }
    plugin->compute(m, d, i, mjPLUGIN_SENSOR);
    for (int s = 0; s < m->nsensor; s++) {
      if (m->sensor_type[s] == mjSENS_PLUGIN && m->sensor_plugin[s] == i) {
        cut_off(m, s, d->sensordata + m->sensor_adr[s]);
      }
    }
  }
}

typedef bool (*snSense)(const mjModel* m, mjData* d, int sensor, double* reading);

static void stage(const mjModel* m, mjData* d, int which, snSense sense) {
  for (int i = 0; i < m->nsensor; i++) {
    int type = m->sensor_type[i];
    if (m->sensor_needstage[i] != which || type == mjSENS_PLUGIN || type == mjSENS_USER) continue;
    double* reading = d->sensordata + m->sensor_adr[i];
    if (!sense(m, d, i, reading)) {
      mju_error("sensor %d has type %d, which has no reading in stage %d", i, type, which);
      return;
    }
    cut_off(m, i, reading);
  }
  user_sensors(m, d, which);
  if (m->nplugin) plugin_sensors(m, d, which);
}

static bool off(const mjModel* m) { return m->opt.disableflags & mjDSBL_SENSOR; }

void mj_sensorPos(const mjModel* m, mjData* d) {
  if (!off(m)) stage(m, d, mjSTAGE_POS, sense_position);
}

// Does any sensor of the model have a type of the list (ended by -1)?
static bool any_of(const mjModel* m, const int* types) {
  for (int i = 0; i < m->nsensor; i++) {
    for (const int* t = types; *t >= 0; t++) {
      if (m->sensor_type[i] == *t) return true;
    }
  }
  return false;
}

void mj_sensorVel(const mjModel* m, mjData* d) {
  static const int subtree[] = {mjSENS_SUBTREELINVEL, mjSENS_SUBTREEANGMOM, -1};
  if (off(m)) return;
  if (any_of(m, subtree)) mj_subtreeVel(m, d);
  stage(m, d, mjSTAGE_VEL, sense_velocity);
}

void mj_sensorAcc(const mjModel* m, mjData* d) {
  static const int spatial[] = {mjSENS_ACCELEROMETER, mjSENS_FORCE,       mjSENS_TORQUE,
                                mjSENS_FRAMELINACC,   mjSENS_FRAMEANGACC, -1};
  if (off(m)) return;
  if (any_of(m, spatial)) mj_rnePostConstraint(m, d);
  stage(m, d, mjSTAGE_ACC, sense_acceleration);
}
