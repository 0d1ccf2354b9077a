// Explicit Runge-Kutta of fixed step. Stages differ in state and time; warm starts, sensors and
// everything optional belong to the first.
#include <string.h>

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
  int nv = m->nv, nq = m->nq, na = m->na;
  mjtNum h = m->opt.timestep, time = d->time;
  mj_markStack(d);
  mjtNum* qpos = mj_stackAllocNum(d, nq);
  mjtNum* qvel = mj_stackAllocNum(d, nv);
  mjtNum* act = mj_stackAllocNum(d, na);
  mjtNum *V[4], *A[4], *W[4];
  for (int i = 0; i < 4; i++) {
    V[i] = mj_stackAllocNum(d, nv);
    A[i] = mj_stackAllocNum(d, nv);
    W[i] = mj_stackAllocNum(d, na);
  }
  mjtNum* v = mj_stackAllocNum(d, nv);
  mjtNum* a = mj_stackAllocNum(d, nv);
  mjtNum* w = mj_stackAllocNum(d, na);
  mju_copy(qpos, d->qpos, nq);
  mju_copy(qvel, d->qvel, nv);
  mju_copy(act, d->act, na);

  mju_copy(V[0], d->qvel, nv);
  mju_copy(A[0], d->qacc, nv);
  mju_copy(W[0], d->act_dot, na);
  for (int i = 1; i < 4; i++) {
    mju_zero(v, nv);
    mju_zero(a, nv);
    mju_zero(w, na);
    mjtNum c = 0;
    for (int j = 0; j < i; j++) {
      mjtNum s = RK4_A[3 * (i - 1) + j];
      c += s;
      if (s == 0) continue;
      mju_addToScl(v, V[j], s, nv);
      mju_addToScl(a, A[j], s, nv);
      mju_addToScl(w, W[j], s, na);
    }
    d->time = time + c * h;
    mju_copy(d->qpos, qpos, nq);
    mj_integratePos(m, d->qpos, v, h);
    mju_addScl(d->qvel, qvel, a, h, nv);
    mju_addScl(d->act, act, w, h, na);
    mj_forwardSkip(m, d, mjSTAGE_NONE, 1);
    mju_copy(V[i], d->qvel, nv);
    mju_copy(A[i], d->qacc, nv);
    mju_copy(W[i], d->act_dot, na);
  }

  mju_zero(v, nv);
  mju_zero(a, nv);
  mju_zero(w, na);
  for (int i = 0; i < 4; i++) {
    mju_addToScl(v, V[i], RK4_B[i], nv);
    mju_addToScl(a, A[i], RK4_B[i], nv);
    mju_addToScl(w, W[i], RK4_B[i], na);
  }
  d->time = time;
  mju_copy(d->qpos, qpos, nq);
  mju_copy(d->qvel, qvel, nv);
  mju_copy(d->act, act, na);
  integrate_advance(m, d, w, a, v);
  mj_freeStack(d);
}
