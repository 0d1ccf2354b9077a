// sn_transition, sn_forwardDerivative, sn_inverseDerivative.
#include "derive/private.h"
#include "entry/guard.h"
#include "hold/hold.h"
#include "step/step.h"

// A residual beyond is a step that did not converge.
static const double kConverged = 1e-5;

// What forward dynamics leave in qacc against what the rows make of it.
static bool residual_note(snTangent* t) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = t->nv;
  double far = 0, scale = mjMINVAL, *Ma, *f;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(Ma, nv), SN_ARRAY(f, nv))) {
    mj_freeStack(d);
    return false;
  }
  mj_mulM(m, d, Ma, d->qacc);
  mj_mulJacTVec(m, d, f, t->force);
  for (int i = 0; i < nv; i++) {
    far += fabs(Ma[i] - d->qfrc_smooth[i] - f[i]);
    scale += fabs(Ma[i]) + fabs(d->qfrc_smooth[i]) + fabs(f[i]);
  }
  t->report->residual = far / scale;
  if (far > kConverged * scale) report_note(t->report, "a solver that did not converge");
  mj_freeStack(d);
  return true;
}

bool tangent_check(snTangent* t) {
  if (!report_asked(t->report)) return true;
  activation_switches(t);
  if (!t->d->nefc) return true;
  if (!residual_note(t)) return false;
  report_switches(t);
  return true;
}

bool tangent_unsolved(snTangent* t, const mjModel* m, mjData* d, snDeriveReport* report) {
  if (!tangent_make(t, m, d, false, report)) return false;
  bool pushes = tangent_rows(t);
  inertia_spread(t, t->H);
  if (!tangent_fill(t, pushes) || !tangent_check(t)) return false;
  tangent_factor(t);
  return true;
}

bool tangent_forward(snTangent* t, const mjModel* m, mjData* d, snDeriveReport* report) {
  if (!tangent_unsolved(t, m, d, report)) return false;
  tangent_solve(t, t->tau, t->stride, t->stride);
  for (size_t k = 0; k < (size_t)t->nv * t->stride; k++) t->tau[k] = -t->tau[k];
  return true;
}

// A and B, with C and D of sensors when they are asked for: accelerations are read by some.
static bool transition_taken_apart(const mjModel* m, mjData* d, const mjtNum* warmstart, mjtNum* A,
                                   mjtNum* B, mjtNum* C, mjtNum* D, snDeriveReport* r) {
  snTangent t;
  snAdvance a;
  if (!C && !D)
    return tangent_step(&t, &a, m, d, true, r) && advance_transition(&t, &a, false, A, B);
  if (!tangent_forward(&t, m, d, r)) return false;
  t.warmstart = warmstart;
  return sense_transition(&t, C, D) && advance_make(&t, &a) &&
         advance_transition(&t, &a, true, A, B);
}

int sn_transition(const mjModel* m, mjData* d, mjtNum* A, mjtNum* B, mjtNum* C, mjtNum* D,
                  snDeriveReport* report) {
  snDeriveReport own, *r = report_begin(report, &own);
  if (!guard_step("sn_transition", m, d, true)) return 0;
  bool sensors = (C || D) && m->nsensordata;
  vigil_begin(d);
  mjtNum* warmstart = warmstart_keep(m, d);
  if (!warmstart) {
    vigil_end(d);
    return report_finish("sn_transition", r, false);
  }
  step_forward(m, d, mjSTAGE_NONE, (snOmit){.sensors = !sensors});
  const char* why = report_obstacle(m, d);
  bool there;
  if (implicit_there(m, d)) {
    mju_copy(d->qacc_warmstart, warmstart, m->nv);
    there = implicit_transition(m, d, A, B, C, D, r);
  } else if (why) {
    mju_copy(d->qacc_warmstart, warmstart, m->nv);
    if (m->opt.noslip_iterations) report_note(r, "noslip");
    there = differences_transition(m, d, A, B, C, D, why, r);
  } else if (m->opt.integrator == mjINT_RK4) {
    there = rk4_transition(m, d, warmstart, r, A, B, sensors ? C : NULL, sensors ? D : NULL);
    mju_copy(d->qacc_warmstart, warmstart, m->nv);
  } else {
    there =
        transition_taken_apart(m, d, warmstart, A, B, sensors ? C : NULL, sensors ? D : NULL, r);
    mju_copy(d->qacc_warmstart, warmstart, m->nv);
  }
  vigil_end(d);
  return report_finish("sn_transition", r, there);
}

int sn_forwardDerivative(const mjModel* m, mjData* d, mjtNum* DaDq, mjtNum* DaDv, mjtNum* DaDact,
                         mjtNum* DaDctrl, mjtNum* DaDf, snDeriveReport* report) {
  snDeriveReport own, *r = report_begin(report, &own);
  if (!guard_step("sn_forwardDerivative", m, d, true)) return 0;
  vigil_begin(d);
  step_forward(m, d, mjSTAGE_NONE, (snOmit){.sensors = true});
  const char* why = report_obstacle(m, d);
  bool there = !why;
  if (why) {
    report_unsupported(r, why);
  } else {
    snTangent t;
    there = tangent_forward(&t, m, d, r);
    SN_ASSERT(!there || t.parts.n == 1);  // rows of tau are whole
    int nv = t.nv, at[4] = {0, nv, 2 * nv, 2 * nv + t.na}, n[4] = {nv, nv, t.na, t.nu};
    mjtNum* to[4] = {DaDq, DaDv, DaDact, DaDctrl};
    for (int k = 0; k < 4 && there; k++) {
      for (int i = 0; to[k] && i < nv; i++) {
        mju_copy(to[k] + (size_t)i * n[k], t.tau + (size_t)i * t.stride + at[k], n[k]);
      }
    }
    if (DaDf && there) {
      double* X;
      there = FRAME(memory_of(d), SN_ARRAY(X, (size_t)nv * t.hstride));
      for (int i = 0; there && i < nv; i++) {
        memset(X + (size_t)i * t.hstride, 0, (size_t)t.hstride * sizeof(double));
        X[(size_t)i * t.hstride + i] = 1;
      }
      if (there) tangent_solve(&t, X, t.hstride, t.hstride);
      for (int i = 0; there && i < nv; i++) {
        mju_copy(DaDf + (size_t)i * nv, X + (size_t)i * t.hstride, nv);
      }
    }
  }
  vigil_end(d);
  return report_finish("sn_forwardDerivative", r, there);
}

// dM by dof j: the difference of d(M x)/dq over unit vectors x, on the pattern of qM.
static bool inertia_derivative(snTangent* t, mjtNum* DmDq) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = t->nv;
  double *x, *to;
  snMotions s;
  if (!FRAME(memory_of(d), SN_ARRAY(x, nv), SN_ARRAY(to, (size_t)nv * t->hstride)) ||
      !motions_reserve(t, &s)) {
    return false;
  }
  memset(x, 0, (size_t)nv * sizeof(double));
  for (int k = 0; k < nv; k++) {
    x[k] = 1;
    memset(to, 0, (size_t)nv * t->hstride * sizeof(double));
    motions_make(t, &s, NULL, x, false);
    if (!smooth_add(t, &s, false, false, to, t->parts.hrow)) return false;
    x[k] = 0;
    // column k of M: its rows are k and what k carries or is carried by; qM has row k behind its
    // diagonal, ancestor by ancestor
    for (int j = 0; j < nv; j++) {
      for (int i = k, adr = m->dof_Madr[k]; i >= 0; i = m->dof_parentid[i], adr++) {
        SN_ASSERT(adr < m->nM);
        DmDq[(size_t)j * m->nM + adr] = to[(size_t)i * t->hstride + j];
        if (m->dof_simplenum[k]) break;
      }
    }
  }
  return true;
}

int sn_inverseDerivative(const mjModel* m, mjData* d, mjtByte flg_actuation, mjtNum* DfDq,
                         mjtNum* DfDv, mjtNum* DfDa, mjtNum* DmDq, snDeriveReport* report) {
  snDeriveReport own, *r = report_begin(report, &own);
  if (!guard_step("sn_inverseDerivative", m, d, true)) return 0;
  vigil_begin(d);
  mj_inverseSkip(m, d, mjSTAGE_NONE, 1);
  if (flg_actuation) mj_fwdActuation(m, d);
  const char* why = report_obstacle(m, d);
  if (!why && (m->opt.enableflags & mjENBL_INVDISCRETE)) why = "discrete inverse dynamics";
  bool there = !why;
  if (why) {
    report_unsupported(r, why);
  } else {
    snTangent t;
    there = tangent_make(&t, m, d, false, r);
    t.inverse = true;
    t.actuated = flg_actuation;
    if (there) {
      bool pushes = tangent_rows(&t);
      inertia_spread(&t, t.H);
      there = tangent_fill(&t, pushes);
    }
    int nv = t.nv;
    for (int i = 0; there && i < nv; i++) {
      const double *row = t.tau + (size_t)i * t.stride, *H = t.H + (size_t)i * t.hstride;
      for (int j = 0; j < nv; j++) {
        if (DfDq) DfDq[(size_t)j * nv + i] = row[j];
        if (DfDv) DfDv[(size_t)j * nv + i] = row[nv + j];
        if (DfDa) DfDa[(size_t)j * nv + i] = H[j];
      }
    }
    if (there && DmDq) there = inertia_derivative(&t, DmDq);
  }
  vigil_end(d);
  return report_finish("sn_inverseDerivative", r, there);
}
