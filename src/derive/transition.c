// mjd_transitionFD: derivatives of one step by finite differences.
//
// Stages that a perturbation does not reach are not computed again: controls and activations leave
// positions and velocities alone, velocities leave positions alone. What neither the next state nor
// a sensor takes from a step is left out of the perturbed ones: cameras, and accelerations where
// the integrator solves for its own. Every step starts from the same warm start.
#include <string.h>

#include "base/assert.h"
#include "data/frame.h"
#include "hard/hard.h"
#include "maximal/maximal.h"
#include "integrate/integrate.h"
#include "solve/solve.h"
#include "hold/hold.h"
#include "step/step.h"

typedef struct snTransition_ {
  const mjModel* m;
  mjData* d;
  mjtNum eps;
  bool centered;
  bool sensors, hard;
  snOmit omit;
  int nx;  // 2 nv + na
  mjtNum time;
  mjtNum *qpos, *qvel, *act, *warmstart, *ctrl, *plugin;  // where all steps start
  mjtNum *y, *s;              // unperturbed result: (qpos, qvel, act) and sensors
  mjtNum *yp, *sp, *ym, *sm;  // results of perturbed steps
  mjtNum* dq;                 // difference of two positions
} snTransition;

static bool make_room(snTransition* t) {
  const mjModel* m = t->m;
  size_t ny = (size_t)m->nq + (size_t)m->nv + (size_t)m->na, ns = (size_t)m->nsensordata;
  return FRAME(memory_of(t->d), SN_ARRAY(t->qpos, m->nq), SN_ARRAY(t->qvel, m->nv),
               SN_ARRAY(t->act, m->na), SN_ARRAY(t->warmstart, m->nv), SN_ARRAY(t->ctrl, m->nu),
               SN_ARRAY(t->plugin, m->npluginstate), SN_ARRAY(t->y, ny), SN_ARRAY(t->s, ns),
               SN_ARRAY(t->yp, ny), SN_ARRAY(t->sp, ns), SN_ARRAY(t->ym, ny), SN_ARRAY(t->sm, ns),
               SN_ARRAY(t->dq, m->nv));
}

static void save_state(snTransition* t) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  t->time = d->time;
  mju_copy(t->qpos, d->qpos, m->nq);
  mju_copy(t->qvel, d->qvel, m->nv);
  mju_copy(t->act, d->act, m->na);
  mju_copy(t->warmstart, d->qacc_warmstart, m->nv);
  mju_copy(t->ctrl, d->ctrl, m->nu);
  mju_copy(t->plugin, d->plugin_state, m->npluginstate);
}

static void load_state(const snTransition* t) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  d->time = t->time;
  mju_copy(d->qpos, t->qpos, m->nq);
  mju_copy(d->qvel, t->qvel, m->nv);
  mju_copy(d->act, t->act, m->na);
  mju_copy(d->qacc_warmstart, t->warmstart, m->nv);
  mju_copy(d->ctrl, t->ctrl, m->nu);
  mju_copy(d->plugin_state, t->plugin, m->npluginstate);
}

// What the perturbed steps leave out.
static snOmit omit_of(const mjModel* m, bool sensors, bool hard) {
  if (m->nplugin || has_callbacks(m)) return (snOmit){.sensors = !sensors};
  bool views = true, damped = m->opt.integrator == mjINT_EULER && !hard && integrate_damped(m);
  for (int i = 0; sensors && i < m->nsensor; i++) {
    int type = m->sensor_type[i];
    views &= type != mjSENS_CAMPROJECTION && type != mjSENS_E_POTENTIAL &&
             type != mjSENS_E_KINETIC && m->sensor_objtype[i] != mjOBJ_CAMERA &&
             m->sensor_reftype[i] != mjOBJ_CAMERA;
    damped &= m->sensor_needstage[i] < mjSTAGE_ACC;
  }
  return (snOmit){.sensors = !sensors, .still = true, .views = views, .qacc = damped};
}

// Step from where d stands, write the result, and go back.
static void run(const snTransition* t, int skipstage, mjtNum* y, mjtNum* s) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  bool whole = extrapolate_active(m, d);  // three steps, of which two begin elsewhere
  if (!whole) step_forward(m, d, skipstage, t->omit);
  bool skipfactor = skipstage >= mjSTAGE_POS;  // M + h damping knows no velocity
  if (whole) {
    mj_step(m, d);
  } else if (maximal_active(m)) {
    maximal_advance(m, d);
  } else if (t->hard) {
    hard_advance(m, d);
  } else if (m->opt.integrator == mjINT_EULER) {
    integrate_euler(m, d, skipfactor, !model_plugins(m) && !has_callbacks(m));
  } else {
    // the derivative of actuation depends on what is perturbed
    integrate_implicit(m, d, false);
  }
  mju_copy(y, d->qpos, m->nq);
  mju_copy(y + m->nq, d->qvel, m->nv);
  mju_copy(y + m->nq + m->nv, d->act, m->na);
  if (t->sensors) mju_copy(s, d->sensordata, m->nsensordata);
  load_state(t);
}

// (y2 - y1) / h into column `at` of A (ncol wide)
static void put_state(const snTransition* t, const mjtNum* y1, const mjtNum* y2, mjtNum h,
                      mjtNum* A, int ncol, int at) {
  if (!A) return;
  const mjModel* m = t->m;
  int nq = m->nq, nv = m->nv, n = nv + m->na;
  mj_differentiatePos(m, t->dq, h, y1, y2);
  for (int i = 0; i < nv; i++) A[(size_t)i * ncol + at] = t->dq[i];
  for (int i = 0; i < n; i++) A[(size_t)(nv + i) * ncol + at] = (y2[nq + i] - y1[nq + i]) / h;
}

static void put_sensor(const snTransition* t, const mjtNum* s1, const mjtNum* s2, mjtNum h,
                       mjtNum* C, int ncol, int at) {
  if (!C) return;
  for (int i = 0; i < t->m->nsensordata; i++) C[(size_t)i * ncol + at] = (s2[i] - s1[i]) / h;
}

// Differences between the two sides that were run.
static void put(const snTransition* t, bool forward, bool backward, mjtNum* A, mjtNum* C, int ncol,
                int at) {
  const mjtNum *y1 = backward ? t->ym : t->y, *y2 = forward ? t->yp : t->y;
  const mjtNum *s1 = backward ? t->sm : t->s, *s2 = forward ? t->sp : t->s;
  mjtNum h = t->eps * ((forward ? 1 : 0) + (backward ? 1 : 0));
  SN_ASSERT(forward || backward);
  put_state(t, y1, y2, h, A, ncol, at);
  put_sensor(t, s1, s2, h, C, ncol, at);
}

// A control is moved to the side where it is not clamped.
static void by_controls(const snTransition* t, mjtNum* B, mjtNum* D) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  for (int i = 0; i < m->nu; i++) {
    mjtNum u = t->ctrl[i], low = m->actuator_ctrlrange[2 * i],
           high = m->actuator_ctrlrange[2 * i + 1];
    bool limited = m->actuator_ctrllimited[i];
    bool forward = !limited || (u >= low && u + t->eps <= high);
    bool backward = (t->centered || !forward) && (!limited || (u - t->eps >= low && u <= high));
    if (forward) {
      d->ctrl[i] = u + t->eps;
      run(t, mjSTAGE_VEL, t->yp, t->sp);
    }
    if (backward) {
      d->ctrl[i] = u - t->eps;
      run(t, mjSTAGE_VEL, t->ym, t->sm);
    }
    if (!forward && !backward) {
      for (int k = 0; B && k < t->nx; k++) B[(size_t)k * m->nu + i] = 0;
      for (int k = 0; D && k < m->nsensordata; k++) D[(size_t)k * m->nu + i] = 0;
      continue;
    }
    put(t, forward, backward, B, D, m->nu, i);
  }
}

// Activations and velocities.
static void by_forces(const snTransition* t, mjtNum* A, mjtNum* C) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = m->nv;
  for (int i = 0; i < m->na; i++) {
    d->act[i] += t->eps;
    run(t, mjSTAGE_VEL, t->yp, t->sp);
    if (t->centered) {
      d->act[i] -= t->eps;
      run(t, mjSTAGE_VEL, t->ym, t->sm);
    }
    put(t, true, t->centered, A, C, t->nx, 2 * nv + i);
  }
  for (int i = 0; i < nv; i++) {
    d->qvel[i] += t->eps;
    run(t, mjSTAGE_POS, t->yp, t->sp);
    if (t->centered) {
      d->qvel[i] -= t->eps;
      run(t, mjSTAGE_POS, t->ym, t->sm);
    }
    put(t, true, t->centered, A, C, t->nx, nv + i);
  }
}

static void by_positions(const snTransition* t, mjtNum* A, mjtNum* C) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = m->nv;
  mj_markStack(d);
  mjtNum* direction;
  bool room = FRAME(memory_of(d), SN_ARRAY(direction, nv));
  if (room) mju_zero(direction, nv);
  for (int i = 0; room && i < nv; i++) {
    direction[i] = 1;
    mj_integratePos(m, d->qpos, direction, t->eps);
    run(t, mjSTAGE_NONE, t->yp, t->sp);
    if (t->centered) {
      mj_integratePos(m, d->qpos, direction, -t->eps);
      run(t, mjSTAGE_NONE, t->ym, t->sm);
    }
    direction[i] = 0;
    put(t, true, t->centered, A, C, t->nx, i);
  }
  mj_freeStack(d);
}

void mjd_transitionFD(const mjModel* m, mjData* d, mjtNum eps, mjtByte flg_centered, mjtNum* A,
                      mjtNum* B, mjtNum* C, mjtNum* D) {
  if (m->opt.integrator == mjINT_RK4) {
    mju_error("mjd_transitionFD: the RK4 integrator is not supported");
    return;
  }
  vigil_begin(d);
  snTransition t = {.m = m,
                    .d = d,
                    .eps = eps,
                    .centered = flg_centered,
                    .sensors = (C || D) && m->nsensordata,
                    .hard = hard_active(m, d) || maximal_active(m),
                    .nx = 2 * m->nv + m->na};
  t.omit = (snOmit){.sensors = !t.sensors};
  if (!make_room(&t)) {
    vigil_end(d);
    return;
  }
  save_state(&t);
  run(&t, mjSTAGE_NONE, t.y, t.s);
  t.omit = omit_of(m, t.sensors, t.hard);
  // rows of impacts and of dissipation depend on more than positions
  if (!bounce_active(m, d) && !dissipate_active(m, d)) solve_hold(m, d);
  if (B || D) by_controls(&t, B, D);
  if (A || C) by_forces(&t, A, C);
  solve_release(d);
  if (A || C) by_positions(&t, A, C);
  vigil_end(d);
}
