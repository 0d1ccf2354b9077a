// Explicit Runge-Kutta of fixed step. Stages differ in state and time; warm starts, sensors and
// everything optional belong to the first.
#include <string.h>

#include "algebra/small.h"
#include "integrate/integrate.h"
#include "integrate/private.h"

// Butcher's tableau of the classical method: stage i starts at A_i combinations of earlier ones.
static const mjtNum RK4_A[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 1};
static const mjtNum RK4_B[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

void mj_RungeKutta(const mjModel* m, mjData* d, int N) {
  if (N != 4) {
    mju_error("mj_RungeKutta: N is %d, only 4 is supported", N);
    return;
  }
  // what the stages start from and the rates they find: positions or velocities, velocities or
  // accelerations, activations
  size_t nv = m->nv, nq = m->nq, na = m->na, n = 2 * nv + na;
  mjtNum h = m->opt.timestep, time = d->time;
  mj_markStack(d);
  mjtNum* start = mj_stackAllocNum(d, nq + nv + na + 5 * n + 1);
  if (!start) {
    mj_freeStack(d);
    return;
  }
  mjtNum *qvel = start + nq, *act = qvel + nv, *rate[4], *sum = act + na + 4 * n;
  for (int i = 0; i < 4; i++) rate[i] = act + na + i * n;
  memcpy(start, d->qpos, nq * sizeof(mjtNum));
  memcpy(qvel, d->qvel, nv * sizeof(mjtNum));
  if (na) memcpy(act, d->act, na * sizeof(mjtNum));

  for (int i = 0; i < 4; i++) {
    if (i) {
      memset(sum, 0, n * sizeof(mjtNum));
      mjtNum c = 0;
      for (int j = 0; j < i; j++) {
        mjtNum s = RK4_A[3 * (i - 1) + j];
        c += s;
        if (s != 0) vec_add_scaled(sum, rate[j], s, (int)n);
      }
      d->time = time + c * h;
      memcpy(d->qpos, start, nq * sizeof(mjtNum));
      mj_integratePos(m, d->qpos, sum, h);
      mju_addScl(d->qvel, qvel, sum + nv, h, nv);
      if (na) mju_addScl(d->act, act, sum + 2 * nv, h, na);
      mj_forwardSkip(m, d, mjSTAGE_NONE, 1);
    }
    memcpy(rate[i], d->qvel, nv * sizeof(mjtNum));
    memcpy(rate[i] + nv, d->qacc, nv * sizeof(mjtNum));
    if (na) memcpy(rate[i] + 2 * nv, d->act_dot, na * sizeof(mjtNum));
  }

  memset(sum, 0, n * sizeof(mjtNum));
  for (int i = 0; i < 4; i++) vec_add_scaled(sum, rate[i], RK4_B[i], (int)n);
  d->time = time;
  memcpy(d->qpos, start, nq * sizeof(mjtNum));
  memcpy(d->qvel, qvel, nv * sizeof(mjtNum));
  if (na) memcpy(d->act, act, na * sizeof(mjtNum));
  integrate_advance(m, d, sum + 2 * nv, sum + nv, sum);
  mj_freeStack(d);
}
