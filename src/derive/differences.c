// The whole step by centred differences: for what is not taken apart, and as the check of the rest.
//
// Unlike mjd_transitionFD every integrator is there, and a control that is clamped on one side is
// differenced on the other.
#include "derive/private.h"

static const double kStep = 1e-6;

void whole_run(const snWhole* w, int side) {
  const mjModel* m = w->m;
  mjData* d = w->d;
  mj_step(m, d);
  mju_copy(w->y[side], d->qpos, m->nq);
  mju_copy(w->y[side] + m->nq, d->qvel, m->nv);
  mju_copy(w->y[side] + m->nq + m->nv, d->act, m->na);
  mju_copy(w->s[side], d->sensordata, m->nsensordata);
  mj_setState(m, d, w->state, (unsigned)w->spec);
}

void whole_move(const snWhole* w, int c, double step) {
  const mjModel* m = w->m;
  mjData* d = w->d;
  int nv = m->nv;
  if (c < nv) {
    mju_zero(w->dq, nv);
    w->dq[c] = 1;
    mj_integratePos(m, d->qpos, w->dq, step);
  } else if (c < 2 * nv) {
    d->qvel[c - nv] += step;
  } else if (c < w->nx) {
    d->act[c - 2 * nv] += step;
  } else {
    d->ctrl[c - w->nx] += step;
  }
}

void whole_put(const snWhole* w, double width, mjtNum* A, mjtNum* C, int ncol, int at) {
  const mjModel* m = w->m;
  int nq = m->nq, nv = m->nv;
  SN_ASSERT(width > 0 && at < ncol);
  if (A) {
    mj_differentiatePos(m, w->dq, width, w->y[0], w->y[1]);
    for (int i = 0; i < nv; i++) A[(size_t)i * ncol + at] = w->dq[i];
    for (int i = 0; i < nv + m->na; i++) {
      A[(size_t)(nv + i) * ncol + at] = (w->y[1][nq + i] - w->y[0][nq + i]) / width;
    }
  }
  for (int i = 0; C && i < m->nsensordata; i++) {
    C[(size_t)i * ncol + at] = (w->s[1][i] - w->s[0][i]) / width;
  }
}

bool whole_make(snWhole* w, const mjModel* m, mjData* d) {
  size_t ny = (size_t)m->nq + (size_t)m->nv + (size_t)m->na, ns = (size_t)m->nsensordata;
  *w = (snWhole){.m = m, .d = d, .spec = mjSTATE_INTEGRATION, .nx = 2 * m->nv + m->na};
  int size = mj_stateSize(m, (unsigned)w->spec);
  bool there =
      FRAME(memory_of(d), SN_ARRAY(w->state, size), SN_ARRAY(w->y[0], ny), SN_ARRAY(w->y[1], ny),
            SN_ARRAY(w->s[0], ns), SN_ARRAY(w->s[1], ns), SN_ARRAY(w->dq, m->nv));
  if (there) mj_getState(m, d, w->state, (unsigned)w->spec);
  return there;
}

void whole_sides(const snWhole* w, int c, double side[2]) {
  const mjModel* m = w->m;
  side[0] = -kStep, side[1] = kStep;
  int u = c - w->nx;
  if (u < 0 || !m->actuator_ctrllimited[u]) return;
  const mjtNum *range = m->actuator_ctrlrange + 2 * u, at = w->d->ctrl[u];
  bool low = at - kStep >= range[0], high = at + kStep <= range[1];
  if (low == high) return;
  side[high ? 0 : 1] = 0;
}

void differences_name(snDeriveReport* report, const char* why) {
  char name[128];
  snprintf(name, sizeof name, "the whole step, for %s", why);
  report_differenced(report, name);
  report->whole = 1;
}

bool differences_column(const mjModel* m, mjData* d, snMove move, const void* what, double step,
                        mjtNum* out, int ncol, int at) {
  snWhole w;
  mj_markStack(d);
  bool there = whole_make(&w, m, d);
  for (int side = 0; side < 2 && there; side++) {
    move(d, what, side ? step : -step);
    whole_run(&w, side);
  }
  if (there) whole_put(&w, 2 * step, out, NULL, ncol, at);
  mj_freeStack(d);
  return there;
}

bool differences_transition(const mjModel* m, mjData* d, mjtNum* A, mjtNum* B, mjtNum* C, mjtNum* D,
                            const char* why, snDeriveReport* report) {
  snWhole w;
  mj_markStack(d);
  bool there = whole_make(&w, m, d);
  if (there) {
    for (int c = 0; c < w.nx + m->nu; c++) {
      double side[2];
      whole_sides(&w, c, side);
      for (int k = 0; k < 2; k++) {
        if (side[k] != 0) whole_move(&w, c, side[k]);
        whole_run(&w, k);
      }
      if (c >= w.nx)
        whole_put(&w, side[1] - side[0], B, D, m->nu, c - w.nx);
      else
        whole_put(&w, side[1] - side[0], A, C, w.nx, c);
    }
    mj_forward(m, d);
    mj_setState(m, d, w.state, (unsigned)w.spec);
    differences_name(report, why);
  }
  mj_freeStack(d);
  return there;
}
