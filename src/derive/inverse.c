// mjd_inverseFD: derivatives of inverse dynamics by forward differences. Matrices are transposed:
// row i is the derivative with respect to the i-th coordinate.
#include "data/frame.h"
#include "hold/hold.h"

typedef struct snInverseFD_ {
  const mjModel* m;
  mjData* d;
  mjtNum eps;
  bool actuation;
  mjtNum *f, *s, *M;  // unperturbed
} snInverseFD;

// Run the stages that the perturbation reaches; qfrc_inverse then holds the force without actuation
// when asked.
static void run(const snInverseFD* t, int skipstage, bool sensors) {
  mj_inverseSkip(t->m, t->d, skipstage, !sensors);
  if (!t->actuation) return;
  if (skipstage < mjSTAGE_VEL) mj_fwdActuation(t->m, t->d);
  mju_subFrom(t->d->qfrc_inverse, t->d->qfrc_actuator, t->m->nv);
}

static void put(mjtNum* to, const mjtNum* now, const mjtNum* before, mjtNum eps, int n, int row) {
  if (!to) return;
  for (int k = 0; k < n; k++) to[(size_t)row * n + k] = (now[k] - before[k]) / eps;
}

void mjd_inverseFD(const mjModel* m, mjData* d, mjtNum eps, mjtByte flg_actuation, mjtNum* DfDq,
                   mjtNum* DfDv, mjtNum* DfDa, mjtNum* DsDq, mjtNum* DsDv, mjtNum* DsDa,
                   mjtNum* DmDq) {
  if (m->opt.integrator == mjINT_RK4) {
    mju_error("mjd_inverseFD: the RK4 integrator is not supported");
    return;
  }
  if (m->opt.noslip_iterations) {
    mju_error("mjd_inverseFD: the noslip solver is not supported");
    return;
  }
  int nq = m->nq, nv = m->nv, ns = m->nsensordata;
  vigil_begin(d);
  snInverseFD t = {.m = m, .d = d, .eps = eps, .actuation = flg_actuation};
  mjtNum *qpos, *direction;
  if (!FRAME(memory_of(d), SN_ARRAY(t.f, nv), SN_ARRAY(t.s, ns), SN_ARRAY(t.M, m->nM),
             SN_ARRAY(qpos, nq), SN_ARRAY(direction, nv))) {
    vigil_end(d);
    return;
  }
  mju_copy(qpos, d->qpos, nq);
  mju_zero(direction, nv);

  run(&t, mjSTAGE_NONE, DsDq || DsDv || DsDa);
  mju_copy(t.f, d->qfrc_inverse, nv);
  mju_copy(t.s, d->sensordata, ns);
  mju_copy(t.M, d->qM, m->nM);

  // accelerations first, then velocities: the stages skipped still hold the unperturbed values
  for (int i = 0; i < nv && (DfDa || DsDa); i++) {
    mjtNum a = d->qacc[i];
    d->qacc[i] = a + eps;
    run(&t, mjSTAGE_VEL, DsDa);
    d->qacc[i] = a;
    put(DfDa, d->qfrc_inverse, t.f, eps, nv, i);
    put(DsDa, d->sensordata, t.s, eps, ns, i);
  }
  for (int i = 0; i < nv && (DfDv || DsDv); i++) {
    mjtNum v = d->qvel[i];
    d->qvel[i] = v + eps;
    run(&t, mjSTAGE_POS, DsDv);
    d->qvel[i] = v;
    put(DfDv, d->qfrc_inverse, t.f, eps, nv, i);
    put(DsDv, d->sensordata, t.s, eps, ns, i);
  }
  for (int i = 0; i < nv && (DfDq || DsDq || DmDq); i++) {
    direction[i] = 1;
    mj_integratePos(m, d->qpos, direction, eps);
    direction[i] = 0;
    run(&t, mjSTAGE_NONE, DsDq);
    mju_copy(d->qpos, qpos, nq);
    put(DfDq, d->qfrc_inverse, t.f, eps, nv, i);
    put(DsDq, d->sensordata, t.s, eps, ns, i);
    put(DmDq, d->qM, t.M, eps, m->nM, i);
  }
  vigil_end(d);
}
