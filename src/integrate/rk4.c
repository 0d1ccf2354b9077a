// Explicit Runge-Kutta of fourth order with fixed step h. With the state x = (qpos, qvel, act) and
// its rate F(t, x) = (qvel, qacc, act_dot),
//
//   k_i = F(t + A_i h, x (+) h A_i k_(i-1)),   x' = x (+) h sum B_i k_i,
//
// k_1 from the forward dynamics that the step has already computed. Sensors, warm start and
// everything optional belong to that first stage.
#include <string.h>

#include "data/frame.h"
#include "algebra/small.h"
#include "integrate/integrate.h"
#include "integrate/private.h"
#include "smooth/smooth.h"

// Butcher's tableau of the classical method: A is the subdiagonal, B the weights.
static const mjtNum RK4_A[4] = {0, 0.5, 0.5, 1};
static const mjtNum RK4_B[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

void mj_RungeKutta(const mjModel* m, mjData* d, int N) {
  if (N != 4) {
    mju_error("mj_RungeKutta: N is %d, only 4 is supported", N);
    return;
  }
  // where the step starts: qpos, qvel, act; rate of each stage and their sum: (qvel, qacc, act_dot)
  size_t nv = m->nv, nq = m->nq, na = m->na, n = 2 * nv + na;
  mjtNum h = m->opt.timestep, time = d->time;
  mj_markStack(d);
  mjtNum *qpos, *qvel, *act, *rate[4], *sum;
  if (!FRAME(memory_of(d), SN_ARRAY(qpos, nq), SN_ARRAY(qvel, nv), SN_ARRAY(act, na),
             SN_ARRAY(rate[0], n), SN_ARRAY(rate[1], n), SN_ARRAY(rate[2], n), SN_ARRAY(rate[3], n),
             SN_ARRAY(sum, n))) {
    mj_freeStack(d);
    return;
  }
  memcpy(qpos, d->qpos, nq * sizeof(mjtNum));
  memcpy(qvel, d->qvel, nv * sizeof(mjtNum));
  if (na) memcpy(act, d->act, na * sizeof(mjtNum));

  for (int i = 0; i < 4; i++) {
    if (i) {
      for (size_t k = 0; k < n; k++) sum[k] = RK4_A[i] * rate[i - 1][k];
      d->time = time + RK4_A[i] * h;
      memcpy(d->qpos, qpos, nq * sizeof(mjtNum));
      manifold_integrate_moving(m, d, d->qpos, sum, h);
      for (size_t k = 0; k < nv; k++) d->qvel[k] = qvel[k] + h * sum[nv + k];
      for (size_t k = 0; k < na; k++) d->act[k] = act[k] + h * sum[2 * nv + k];
      ((snData*)d)->inner = true;
      mj_forwardSkip(m, d, mjSTAGE_NONE, i < 3 ? snSKIP_UNSEEN : 1);
      ((snData*)d)->inner = false;
    }
    memcpy(rate[i], d->qvel, nv * sizeof(mjtNum));
    memcpy(rate[i] + nv, d->qacc, nv * sizeof(mjtNum));
    if (na) memcpy(rate[i] + 2 * nv, d->act_dot, na * sizeof(mjtNum));
  }

  for (size_t k = 0; k < n; k++) {
    sum[k] = ((RK4_B[0] * rate[0][k] + RK4_B[1] * rate[1][k]) + RK4_B[2] * rate[2][k]) +
             RK4_B[3] * rate[3][k];
  }
  d->time = time;
  memcpy(d->qpos, qpos, nq * sizeof(mjtNum));
  memcpy(d->qvel, qvel, nv * sizeof(mjtNum));
  if (na) memcpy(d->act, act, na * sizeof(mjtNum));
  integrate_advance(m, d, sum + 2 * nv, sum + nv, sum);
  mj_freeStack(d);
}
