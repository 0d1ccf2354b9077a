// Inverse dynamics: the force that produces qacc,
//
//   tau = M qacc + c - passive - J'f,   f = -grad s(J qacc - aref),
//
// with constraint forces in closed form, since the penalty s of a row or contact depends on its own
// residuals only. The comparison with forward dynamics measures how well the solver converged.
#include "data/frame.h"
#include "hard/hard.h"
#include "integrate/integrate.h"
#include "smooth/smooth.h"
#include "hold/hold.h"
#include "step/step.h"
#include "step/timer.h"

void mj_invPosition(const mjModel* m, mjData* d) { step_position(m, d, (snOmit){0}, false); }

void mj_invVelocity(const mjModel* m, mjData* d) { mj_fwdVelocity(m, d); }

// When an impact is within the step depends on the forces that data has: controls and applied ones.
static void invert_bounces(const mjModel* m, mjData* d) {
  mjtNum* free;
  mj_markStack(d);
  if (d->ncon && FRAME(memory_of(d), SN_ARRAY(free, m->nv))) {
    mj_fwdActuation(m, d);
    smooth_forces(m, d);
    mj_solveM(m, d, free, d->qfrc_smooth, 1);
    bounce_rows(m, d, free);
  }
  mj_freeStack(d);
}

// f = -grad s(J qacc - aref)
void mj_invConstraint(const mjModel* m, mjData* d) {
  mjtNum start = timer_now();
  if (!d->nefc) {
    mju_zero(d->qfrc_constraint, m->nv);
  } else if (!hard_inverse(m, d)) {
    mjtNum* jar;
    if (bounce_active(m, d)) invert_bounces(m, d);
    if (dissipate_active(m, d)) dissipate_rows(m, d, d->qacc);
    mj_markStack(d);
    if (FRAME(memory_of(d), SN_ARRAY(jar, d->nefc))) {
      mj_mulJacVec(m, d, jar, d->qacc);
      mju_subFrom(jar, d->efc_aref, d->nefc);
      mj_constraintUpdate(m, d, jar, NULL, 0);
    } else {
      mju_zero(d->qfrc_constraint, m->nv);
    }
    mj_freeStack(d);
  }
  timer_add(d, mjTIMER_CONSTRAINT, start);
}

// Sleepers are held by the force that balances all others.
static void hold_sleepers(const mjModel* m, mjData* d) {
  mj_fwdActuation(m, d);
  smooth_forces(m, d);
  for (int i = 0; i < m->nv; i++) {
    if (data_sleepers(d)->tree_asleep[m->dof_treeid[i]]) d->qfrc_constraint[i] = -d->qfrc_smooth[i];
  }
}

// tau = M qacc + c - passive - J'f to qfrc_inverse
static void inverse(const mjModel* m, mjData* d, int skipstage, int skipsensor, bool discrete) {
  mjtNum start = timer_now();
  int nv = m->nv;
  bool sleeps = sleep_begin(m, d, d->qacc);
  if (skipstage > mjSTAGE_NONE && sleep_stale(m, d)) skipstage = mjSTAGE_NONE;
  if (skipstage < mjSTAGE_POS) {
    mj_invPosition(m, d);
    if (!skipsensor) mj_sensorPos(m, d);
    if (m->opt.enableflags & mjENBL_ENERGY) mj_energyPos(m, d);
  }
  if (skipstage < mjSTAGE_VEL) {
    mj_invVelocity(m, d);
    if (!skipsensor) mj_sensorVel(m, d);
    if (m->opt.enableflags & mjENBL_ENERGY) mj_energyVel(m, d);
  }

  // qacc is the integrator's (v' - v)/h: convert it to continuous time. Invertible hard contact
  // acts on the velocity v', so its impulses are found first
  mjtNum* qacc = NULL;
  bool hard = hard_invertible(m, d);
  mj_markStack(d);
  if (hard) mj_invConstraint(m, d);
  if ((discrete || hard) && FRAME(memory_of(d), SN_ARRAY(qacc, nv))) {
    mju_copy(qacc, d->qacc, nv);
    integrate_continuous(m, d);
  }
  if (!hard) mj_invConstraint(m, d);
  if (data_sleepers(d)) hold_sleepers(m, d);
  if (!skipsensor) mj_sensorAcc(m, d);
  mj_mulM(m, d, d->qfrc_inverse, d->qacc);
  for (int i = 0; i < nv; i++) {
    d->qfrc_inverse[i] += d->qfrc_bias[i] - d->qfrc_passive[i] - d->qfrc_constraint[i];
  }
  if (qacc) mju_copy(d->qacc, qacc, nv);
  mj_freeStack(d);
  if (sleeps) sleep_end(d);
  timer_add(d, mjTIMER_INVERSE, start);
}

void mj_inverseSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor) {
  inverse(m, d, skipstage, skipsensor, (m->opt.enableflags & mjENBL_INVDISCRETE) != 0);
}

void mj_inverse(const mjModel* m, mjData* d) { mj_inverseSkip(m, d, mjSTAGE_NONE, 0); }

// Inverse dynamics at the result of forward dynamics. solver_fwdinv gets the norms of the
// differences of constraint forces and of applied forces.
void step_compare(const mjModel* m, mjData* d, bool discrete) {
  int nv = m->nv, nefc = d->nefc;
  d->solver_fwdinv[0] = d->solver_fwdinv[1] = 0;
  if (!nefc) return;
  mjtNum *constraint, *applied, *force;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(constraint, nv), SN_ARRAY(applied, nv),
             SN_ARRAY(force, nefc))) {
    mj_freeStack(d);
    return;
  }
  mju_copy(constraint, d->qfrc_constraint, nv);
  mju_copy(force, d->efc_force, nefc);
  mju_add(applied, d->qfrc_applied, d->qfrc_actuator, nv);
  smooth_body_forces(m, d, applied);

  inverse(m, d, mjSTAGE_VEL, 1, discrete);
  mjtNum worst[2] = {0, 0};
  for (int i = 0; i < nv; i++) {
    mjtNum a = constraint[i] - d->qfrc_constraint[i], b = applied[i] - d->qfrc_inverse[i];
    worst[0] += a * a;
    worst[1] += b * b;
  }
  d->solver_fwdinv[0] = sqrt(worst[0]);
  d->solver_fwdinv[1] = sqrt(worst[1]);
  mju_copy(d->qfrc_constraint, constraint, nv);
  mju_copy(d->efc_force, force, nefc);
  mj_freeStack(d);
}

// With mjENBL_INVDISCRETE the program has the discrete acceleration in qacc.
void mj_compareFwdInv(const mjModel* m, mjData* d) {
  step_compare(m, d, (m->opt.enableflags & mjENBL_INVDISCRETE) != 0);
}
