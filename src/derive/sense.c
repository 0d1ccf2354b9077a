// Sensors: C and D.
//
// With dqacc known most sensors have a closed form (sense_frame.c, sense_scalar.c, sense_force.c).
// What is left is differenced: a reading at a state a hair away needs no solver, for accelerations
// are those of the tangent, and constraint forces follow from them as in inverse dynamics. So a
// column is a centred difference of the sensors alone, along the exact motion of everything they
// read.
#include "derive/private.h"
#include "step/step.h"

static const double kStep = 1e-6;

typedef struct snSensing_ {
  snTangent* t;
  const bool* left;  // sensors that are differenced
  int last;          // the last stage that any of them needs
  double *qpos, *qvel, *act, *ctrl, *qacc, *direction, *base;
  double* side[2];
} snSensing;

static int last_stage(const mjModel* m, const bool* left) {
  int last = mjSTAGE_NONE;
  for (int i = 0; i < m->nsensor; i++) {
    if (left[i] && m->sensor_needstage[i] > last) last = m->sensor_needstage[i];
  }
  return last;
}

static void sensing_load(const snSensing* s) {
  const mjModel* m = s->t->m;
  mjData* d = s->t->d;
  mju_copy(d->qpos, s->qpos, m->nq);
  mju_copy(d->qvel, s->qvel, m->nv);
  mju_copy(d->act, s->act, m->na);
  mju_copy(d->ctrl, s->ctrl, m->nu);
  mju_copy(d->qacc, s->qacc, m->nv);
}

// Readings with column c moved by step.
static void sensing_run(const snSensing* s, int c, double step, double* reading) {
  const snTangent* t = s->t;
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = t->nv, nx = 2 * nv + t->na;
  if (c < nv) {
    s->direction[c] = 1;
    mj_integratePos(m, d->qpos, s->direction, step);
    s->direction[c] = 0;
  } else if (c < 2 * nv) {
    d->qvel[c - nv] += step;
  } else if (c < nx) {
    d->act[c - 2 * nv] += step;
  } else {
    d->ctrl[c - nx] += step;
  }
  if (c < nv) step_position(m, d, (snOmit){0}, false);
  if (c < 2 * nv) mj_sensorPos(m, d);  // the kinetic energy is read there
  if (c < 2 * nv && s->last >= mjSTAGE_VEL) {
    mj_fwdVelocity(m, d);
    mj_sensorVel(m, d);
  }
  if (s->last >= mjSTAGE_ACC) {
    mj_fwdActuation(m, d);
    for (int i = 0; i < nv; i++) d->qacc[i] += step * t->tau[(size_t)i * t->stride + c];
    mj_invConstraint(m, d);
    mj_sensorAcc(m, d);
  }
  mju_copy(reading, d->sensordata, m->nsensordata);
  sensing_load(s);
}

static void sensing_column(const snSensing* s, int c, double* C, int ncol, int at) {
  const mjModel* m = s->t->m;
  int u = c - 2 * s->t->nv - s->t->na;
  bool low = true, high = true;
  if (u >= 0 && m->actuator_ctrllimited[u]) {
    const mjtNum *range = m->actuator_ctrlrange + 2 * u, x = s->ctrl[u];
    low = x - kStep >= range[0];
    high = x + kStep <= range[1];
    if (!low && !high) low = high = true;
  }
  sensing_run(s, c, low ? -kStep : 0, s->side[0]);
  sensing_run(s, c, high ? kStep : 0, s->side[1]);
  double width = kStep * (low + high);
  for (int i = 0; i < m->nsensor; i++) {
    if (!s->left[i]) continue;
    for (int k = m->sensor_adr[i], end = k + m->sensor_dim[i]; k < end; k++) {
      C[(size_t)k * ncol + at] = (s->side[1][k] - s->side[0][k]) / width;
    }
  }
}

static bool differenced(snTangent* t, const bool* left, double* C, double* D) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t ns = (size_t)m->nsensordata;
  int nx = 2 * t->nv + t->na;
  snSensing s = {.t = t, .left = left, .last = last_stage(m, left)};
  mj_markStack(d);
  bool there =
      FRAME(memory_of(d), SN_ARRAY(s.qpos, m->nq), SN_ARRAY(s.qvel, m->nv), SN_ARRAY(s.act, m->na),
            SN_ARRAY(s.ctrl, m->nu), SN_ARRAY(s.qacc, m->nv), SN_ARRAY(s.direction, m->nv),
            SN_ARRAY(s.base, ns), SN_ARRAY(s.side[0], ns), SN_ARRAY(s.side[1], ns));
  if (there) {
    mju_copy(s.qpos, d->qpos, m->nq);
    mju_copy(s.qvel, d->qvel, m->nv);
    mju_copy(s.act, d->act, m->na);
    mju_copy(s.ctrl, d->ctrl, m->nu);
    mju_copy(s.qacc, d->qacc, m->nv);
    mju_zero(s.direction, m->nv);
    // controls and activations first: they leave positions and velocities alone
    for (int c = nx; D && c < t->ncol; c++) sensing_column(&s, c, D, t->nu, c - nx);
    for (int c = nx - 1; C && c >= 0; c--) sensing_column(&s, c, C, nx, c);
    mju_copy(d->qacc_warmstart, t->warmstart, m->nv);
    step_forward(m, d, mjSTAGE_NONE, (snOmit){0});
  }
  mj_freeStack(d);
  return there;
}

// What a cutoff holds has no slope.
static void cut_off(const mjModel* m, const mjData* d, int i, double* rows, int ncol) {
  double cutoff = m->sensor_cutoff[i];
  int datatype = m->sensor_datatype[i], adr = m->sensor_adr[i];
  if (cutoff <= 0 || m->sensor_type[i] == mjSENS_GEOMFROMTO) return;
  for (int k = 0; k < m->sensor_dim[i]; k++) {
    double y = d->sensordata[adr + k];
    bool held = (datatype == mjDATATYPE_REAL && fabs(y) >= cutoff) ||
                (datatype == mjDATATYPE_POSITIVE && y >= cutoff);
    if (held) memset(rows + (size_t)k * ncol, 0, (size_t)ncol * sizeof(double));
  }
}

static bool in_closed_form(snTangent* t, bool* left, double* rows) {
  const mjModel* m = t->m;
  bool* force;
  if (!FRAME(memory_of(t->d), SN_ARRAY(force, m->nsensor))) return false;
  bool any = false;
  for (int i = 0; i < m->nsensor; i++) {
    int type = m->sensor_type[i], dim = m->sensor_dim[i];
    double* row = rows + (size_t)m->sensor_adr[i] * t->ncol;
    SN_ASSERT(m->sensor_adr[i] + dim <= m->nsensordata);
    force[i] = type == mjSENS_TOUCH || type == mjSENS_FORCE || type == mjSENS_TORQUE;
    any = any || force[i];
    if (force[i]) continue;
    int how = sn_deriveHow("sensor", type);
    bool frame =
        type <= mjSENS_CAMPROJECTION || (type >= mjSENS_FRAMEPOS && type <= mjSENS_FRAMEANGACC);
    left[i] = how != snHOW_EXACT || !(frame ? sense_frame(t, i, row) : sense_scalar(t, i, row));
    if (left[i]) memset(row, 0, (size_t)dim * t->ncol * sizeof(double));
  }
  if (any) {
    for (int i = 0; i < m->nsensor; i++) left[i] = left[i] || force[i];
    if (!sense_forces(t, force, rows)) return false;
    for (int i = 0; i < m->nsensor; i++) left[i] = left[i] && !force[i];
  }
  for (int i = 0; i < m->nsensor; i++) {
    if (!left[i]) cut_off(m, t->d, i, rows + (size_t)m->sensor_adr[i] * t->ncol, t->ncol);
  }
  return true;
}

// dqacc is in tau. Where something is differenced, everything is computed again at the state
// itself.
bool sense_transition(snTangent* t, double* C, double* D) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t ns = (size_t)m->nsensordata;
  int nx = 2 * t->nv + t->na;
  bool* left;
  double* rows;
  if (!ns) return true;
  if (m->opt.disableflags & mjDSBL_SENSOR) {
    if (C) memset(C, 0, ns * (size_t)nx * sizeof(double));
    if (D) memset(D, 0, ns * (size_t)t->nu * sizeof(double));
    return true;
  }
  mj_markStack(d);
  bool there = FRAME(memory_of(d), SN_ARRAY(left, m->nsensor), SN_ARRAY(rows, ns * t->ncol));
  if (there) {
    memset(left, 0, (size_t)m->nsensor * sizeof *left);
    memset(rows, 0, ns * (size_t)t->ncol * sizeof(double));
    there = in_closed_form(t, left, rows);
  }
  for (size_t i = 0; there && i < ns; i++) {
    const double* row = rows + i * (size_t)t->ncol;
    if (C) memcpy(C + i * (size_t)nx, row, (size_t)nx * sizeof(double));
    if (D) memcpy(D + i * (size_t)t->nu, row + nx, (size_t)t->nu * sizeof(double));
  }
  bool any = false;
  for (int i = 0; there && i < m->nsensor; i++) {
    if (!left[i]) continue;
    any = true;
    char name[64];
    snprintf(name, sizeof name, "sensors of type %d", m->sensor_type[i]);
    report_differenced(t->report, name);
  }
  if (there && any) there = differenced(t, left, C, D);
  mj_freeStack(d);
  return there;
}
