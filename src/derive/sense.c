// Sensors: C and D.
//
// With dqacc known, a reading at a state a hair away needs no solver: accelerations are those of
// the tangent, and constraint forces follow from them in closed form, as in inverse dynamics. So a
// column is a centred difference of the sensors alone, along the exact motion of everything they
// read.
#include "derive/private.h"
#include "step/step.h"

static const double kStep = 1e-6;

typedef struct snSensing_ {
  snTangent* t;
  int last;  // the last stage that any sensor needs
  double *qpos, *qvel, *act, *ctrl, *qacc, *direction, *base;
  double* side[2];
} snSensing;

static int last_stage(const mjModel* m) {
  int last = mjSTAGE_NONE;
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_needstage[i] > last) last = m->sensor_needstage[i];
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
  for (int i = 0; i < m->nsensordata; i++) {
    C[(size_t)i * ncol + at] = (s->side[1][i] - s->side[0][i]) / width;
  }
}

// dqacc is in tau. Everything is computed again at the state itself at the end.
bool sense_transition(snTangent* t, double* C, double* D) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t ns = (size_t)m->nsensordata;
  snSensing s = {.t = t, .last = last_stage(m)};
  int nx = 2 * t->nv + t->na;
  if (!ns) return true;
  if (m->opt.disableflags & mjDSBL_SENSOR) {
    if (C) memset(C, 0, ns * (size_t)nx * sizeof(double));
    if (D) memset(D, 0, ns * (size_t)t->nu * sizeof(double));
    return true;
  }
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
    report_differenced(t->report, "sensors, along the exact motion of what they read");
  }
  mj_freeStack(d);
  return there;
}
