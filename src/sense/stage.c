// The three stages: read every sensor of the stage, then apply the cutoff.
#include "sense/sense.h"

// Clamp a reading to the cutoff. Directions and orientations have no cutoff, and a segment between
// geoms used it as search distance.
SN_INLINE void cut_off(const mjModel* m, int i, double* reading) {
  double cutoff = m->sensor_cutoff[i];
  if (cutoff <= 0 || m->sensor_type[i] == mjSENS_GEOMFROMTO) return;
  int dim = m->sensor_dim[i], datatype = m->sensor_datatype[i];
  for (int k = 0; k < dim; k++) {
    if (datatype == mjDATATYPE_REAL) {
      reading[k] = fmin(cutoff, fmax(-cutoff, reading[k]));
    } else if (datatype == mjDATATYPE_POSITIVE) {
      reading[k] = fmin(cutoff, reading[k]);
    }
  }
}

// One callback fills all user sensors of a stage; then the cutoff applies.
static void user_sensors(const mjModel* m, mjData* d, int stage) {
  if (!call_sensor(m, d, stage)) return;
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_type[i] == mjSENS_USER && m->sensor_needstage[i] == stage) {
      cut_off(m, i, d->sensordata + m->sensor_adr[i]);
    }
  }
}

// A plugin without a stage is computed in the first one, once per evaluation, since it may count
// calls. Its readings have no cutoff, as released.
static void plugin_sensors(const mjModel* m, mjData* d, int stage) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("sensor stage: plugin instance %d has no plugin at slot %d", i, m->plugin[i]);
      return;
    }
    if (!(plugin->capabilityflags & mjPLUGIN_SENSOR)) continue;
    int due = plugin->needstage == mjSTAGE_NONE ? mjSTAGE_POS : plugin->needstage;
    if (due != stage) continue;
    if (!plugin->compute) {
      mju_error("sensor stage: plugin '%s' has no compute", plugin->name);
      return;
    }
    plugin->compute(m, d, i, mjPLUGIN_SENSOR);
    for (int s = 0; s < m->nsensor; s++) {
      if (m->sensor_type[s] == mjSENS_PLUGIN && m->sensor_plugin[s] == i &&
          m->sensor_needstage[s] == stage) {
        cut_off(m, s, d->sensordata + m->sensor_adr[s]);
      }
    }
  }
}

typedef bool (*snSense)(const mjModel* m, mjData* d, int sensor, double* reading);

SN_INLINE void read_stage(const mjModel* m, mjData* d, int which, snSense sense) {
  const snPlan* plan = model_plan(m);
  const int *list = plan->sensor[which], num = plan->sensor_num[which], *adr = m->sensor_adr;
  double* data = d->sensordata;
  for (int k = 0; k < num; k++) {
    int i = list[k];
    double* reading = data + adr[i];
    if (!sense(m, d, i, reading)) {
      mju_error("sensor %d has type %d, which has no reading in stage %d", i, m->sensor_type[i],
                which);
      return;
    }
    cut_off(m, i, reading);
  }
  if (plan->sensor_user[which]) user_sensors(m, d, which);
  if (model_plugins(m)) plugin_sensors(m, d, which);
}

static bool off(const mjModel* m) { return m->opt.disableflags & mjDSBL_SENSOR; }

void mj_sensorPos(const mjModel* m, mjData* d) {
  if (!off(m)) read_stage(m, d, mjSTAGE_POS, sense_position);
}

void mj_sensorVel(const mjModel* m, mjData* d) {
  if (off(m)) return;
  if (model_plan(m)->sensor_subtree) mj_subtreeVel(m, d);
  read_stage(m, d, mjSTAGE_VEL, sense_velocity);
}

void mj_sensorAcc(const mjModel* m, mjData* d) {
  if (off(m)) return;
  if (model_plan(m)->sensor_rne) mj_rnePostConstraint(m, d);
  read_stage(m, d, mjSTAGE_ACC, sense_acceleration);
}
