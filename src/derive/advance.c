// From dqacc to the next state: A and B.
//
//   Euler     (M + h B) a' = M a                  implicit  (M - h D) a' = M a
//   v' = v + h a',  q' = q + h v' on the group of rotations
//
// With A^ the matrix on the left and x = a - a', A^ da' = M da + d(M x)/dq + h dD a', and since
// M = A^ + h D (D = -B for Euler)
//
//   da' = da + inv(A^) (d(M x)/dq + h D da + h dD a')
#include "derive/private.h"
#include "integrate/integrate.h"

// to += d(M x)/dq, nv columns
static bool inertia_change(const snTangent* t, const double* x, double* to, int stride) {
  snMotions s;
  mj_markStack(t->d);
  bool there = motions_reserve((snTangent*)t, &s);
  if (there) {
    motions_make(t, &s, NULL, x, false);
    there = smooth_add(t, &s, false, to, stride, -1);
  }
  mj_freeStack(t->d);
  return there;
}

// ---- implicit

// Where D is not constant and its change has no closed form here.
static bool change_differenced(const mjModel* m) {
  if ((m->opt.density != 0 || m->opt.viscosity != 0) && !(m->opt.disableflags & mjDSBL_PASSIVE)) {
    return true;
  }
  for (int i = 0; i < m->ntendon; i++) {
    if (m->wrap_type[m->tendon_adr[i]] != mjWRAP_JOINT && m->tendon_damping[i] != 0) return true;
  }
  for (int a = 0; a < m->nu; a++) {
    bool slope =
        (m->actuator_biastype[a] == mjBIAS_AFFINE && m->actuator_biasprm[mjNBIAS * a + 2] != 0) ||
        (m->actuator_gaintype[a] == mjGAIN_AFFINE && m->actuator_gainprm[mjNGAIN * a + 2] != 0);
    if (m->actuator_gaintype[a] == mjGAIN_MUSCLE) return true;
    int type = m->actuator_trntype[a];
    bool fixed = type == mjTRN_JOINT && m->jnt_type[m->actuator_trnid[2 * a]] >= mjJNT_SLIDE;
    if (type == mjTRN_TENDON) {
      int w = m->tendon_adr[m->actuator_trnid[2 * a]];
      fixed = m->wrap_type[w] == mjWRAP_JOINT;
    }
    if (slope && !fixed) return true;
  }
  return false;
}

// r = D x with D of qDeriv, as the integrator takes it: all of it with the bias force, or its lower
// triangle mirrored.
void slope_mul(const mjData* d, int nv, bool bias, const double* x, double* r) {
  memset(r, 0, (size_t)nv * sizeof(double));
  for (int i = 0; i < nv; i++) {
    int begin = d->D_rowadr[i], n = bias ? d->D_rownnz[i] : d->M_rownnz[i] - 1;
    for (int k = begin; k < begin + n; k++) {
      int j = d->D_colind[k];
      r[i] += d->qDeriv[k] * x[j];
      if (!bias) r[j] += d->qDeriv[k] * x[i];
    }
    if (!bias) r[i] += d->qDeriv[begin + d->D_diag[i]] * x[i];
  }
}

static void stages_for_slope(const mjModel* m, mjData* d, bool positions) {
  if (positions) {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_tendon(m, d);
    mj_makeM(m, d);
    mj_transmission(m, d);
  }
  smooth_velocities(m, d);
  mj_comVel(m, d);
}

// Centred differences of D x along one number of the state.
static bool slope_differences(snTangent* t, bool bias, const double* x, double h, double* to) {
  static const double step = 1e-6;
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = t->nv;
  double *r, *qpos, *direction;
  if (!FRAME(memory_of(d), SN_ARRAY(r, nv), SN_ARRAY(qpos, m->nq), SN_ARRAY(direction, nv))) {
    return false;
  }
  mju_copy(qpos, d->qpos, m->nq);
  mju_zero(direction, nv);
  for (int c = 0; c < t->ncol; c++) {
    double* at = c < nv               ? NULL
                 : c < 2 * nv         ? d->qvel + c - nv
                 : c < 2 * nv + t->na ? d->act + c - 2 * nv
                                      : d->ctrl + c - 2 * nv - t->na;
    double kept = at ? *at : 0;
    for (int side = -1; side <= 1; side += 2) {
      if (at) {
        *at = kept + side * step;
      } else {
        direction[c] = 1;
        mj_integratePos(m, d->qpos, direction, side * step);
        direction[c] = 0;
      }
      if (c < 2 * nv) stages_for_slope(m, d, c < nv);
      derivative_velocity(m, d, bias);
      slope_mul(d, nv, bias, x, r);
      if (at) {
        *at = kept;
      } else {
        mju_copy(d->qpos, qpos, m->nq);
      }
      for (int i = 0; i < nv; i++) to[(size_t)i * t->stride + c] += side * h * r[i] / (2 * step);
    }
    if (c == nv - 1 || c == 2 * nv - 1) stages_for_slope(m, d, true);
  }
  report_differenced(t->report, "velocity derivative of forces in the implicit integrator");
  return true;
}

// to += h dD a' in closed form. The bias force is quadratic in v, c = Q(v, v), so that its part of
// D a' is -2 Q(v, a') = (c(v - a') - c(v + a')) / 2. An affine gain by velocity times its input
// changes with the input.
static bool slope_change(snTangent* t, bool bias, const double* next, double h, double* to) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int nv = t->nv;
  snMotions s;
  double *v = NULL, *part = NULL;
  if (!FRAME(memory_of(t->d), SN_ARRAY(v, nv), SN_ARRAY(part, (size_t)nv * t->stride)))
    return false;
  if (bias && !motions_reserve(t, &s)) return false;
  for (int side = -1; bias && side <= 1; side += 2) {
    memset(part, 0, (size_t)nv * t->stride * sizeof(double));
    for (int i = 0; i < nv; i++) v[i] = d->qvel[i] + side * next[i];
    motions_make(t, &s, v, NULL, false);
    if (!smooth_add(t, &s, false, part, t->stride, nv)) return false;
    for (size_t k = 0; k < (size_t)nv * t->stride; k++) to[k] -= 0.5 * side * h * part[k];
  }
  for (int a = 0; a < m->nu && !(m->opt.disableflags & mjDSBL_ACTUATION); a++) {
    if (m->actuator_gaintype[a] != mjGAIN_AFFINE || actuation_disabled(m, a)) continue;
    double gain = m->actuator_gainprm[mjNGAIN * a + 2], along = 0;
    if (gain == 0) continue;
    int act = m->actuator_actadr[a], adr = d->moment_rowadr[a], end = adr + d->moment_rownnz[a];
    int column = act < 0 ? 2 * nv + t->na + a : 2 * nv + act + m->actuator_actnum[a] - 1;
    for (int e = adr; e < end; e++) along += d->actuator_moment[e] * next[d->moment_colind[e]];
    for (int e = adr; e < end; e++) {
      to[(size_t)d->moment_colind[e] * t->stride + column] +=
          h * gain * d->actuator_moment[e] * along;
    }
  }
  return true;
}

// ---- what a step needs besides dqacc

// A^ in lanes, as long as it is an inertia.
static bool matrix_factor(snTangent* t, snAdvance* a) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int nv = t->nv, hs = t->hstride;
  double h = m->opt.timestep;
  if (!FRAME(memory_of(t->d), SN_ARRAY(a->A, (size_t)nv * hs), SN_ARRAY(a->dinv, hs),
             SN_ARRAY(a->first, nv))) {
    return false;
  }
  inertia_spread(t, a->A);
  for (int i = 0; i < nv; i++) {
    double* row = a->A + (size_t)i * hs;
    if (m->opt.integrator == mjINT_EULER) {
      row[i] += h * m->dof_damping[i];
      continue;
    }
    int begin = d->D_rowadr[i], n = d->M_rownnz[i] - 1;
    for (int k = begin; k < begin + n; k++) row[d->D_colind[k]] -= h * d->qDeriv[k];
    row[i] -= h * d->qDeriv[begin + d->D_diag[i]];
  }
  a->lanes = dense_factor(a->A, a->dinv, a->first, nv, hs) == nv;
  return true;
}

bool advance_make(snTangent* t, snAdvance* a) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = t->nv, integrator = m->opt.integrator;
  bool implicit = integrator == mjINT_IMPLICIT || integrator == mjINT_IMPLICITFAST;
  double h = m->opt.timestep, *x;
  *a = (snAdvance){.plain = !implicit && !integrate_damped(m),
                   .bias = integrator == mjINT_IMPLICIT,
                   .implicit = implicit};
  if (!FRAME(memory_of(d), SN_ARRAY(a->next, nv), SN_ARRAY(x, nv))) return false;
  mju_copy(a->next, d->qacc, nv);
  if (a->plain) return true;
  if (!FRAME(memory_of(d), SN_ARRAY(a->change, (size_t)nv * t->stride))) return false;
  for (int i = 0; i < nv; i++) a->next[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  if (implicit) {
    if (!integrate_implicit_factor(m, d)) return false;
    integrate_implicit_solve(m, d, a->next);
  } else {
    inertia_factor_damped(m, d, h, d->qH, d->qHDiagInv, false);
    inertia_solve(m, d, d->qH, d->qHDiagInv, a->next);
  }
  for (int i = 0; i < nv; i++) x[i] = d->qacc[i] - a->next[i];
  memset(a->change, 0, (size_t)nv * t->stride * sizeof(double));
  if (!inertia_change(t, x, a->change, t->stride)) return false;
  if (implicit && change_differenced(m)) {
    if (!slope_differences(t, a->bias, a->next, h, a->change)) return false;
    derivative_velocity(m, d, a->bias);
  } else if (implicit && !slope_change(t, a->bias, a->next, h, a->change)) {
    return false;
  }
  return a->bias || matrix_factor(t, a);
}

// to += h D da for all columns, with D of qDeriv as slope_mul takes it.
SN_KERNEL static void slope_mul_many(const snTangent* t, bool bias, const double* da, double h,
                                     double* to, int stride) {
  const mjData* d = t->d;
  for (int i = 0; i < t->nv; i++) {
    int begin = d->D_rowadr[i], n = bias ? d->D_rownnz[i] : d->M_rownnz[i];
    for (int k = 0; k < n; k++) {
      bool diagonal = !bias && k == n - 1;
      int at = diagonal ? begin + d->D_diag[i] : begin + k, j = d->D_colind[at];
      double s = h * d->qDeriv[at];
      if (s == 0) continue;
      vec_add_scaled(to + (size_t)i * stride, da + (size_t)j * stride, s, stride);
      if (!bias && j != i) {
        vec_add_scaled(to + (size_t)j * stride, da + (size_t)i * stride, s, stride);
      }
    }
  }
}

// da += inv(A^) (change + h D da) for columns at stride; change is used up.
bool advance_apply(snTangent* t, const snAdvance* a, double* da, double* change, int ncol,
                   int stride) {
  const mjModel* m = t->m;
  int nv = t->nv;
  double h = m->opt.timestep, *column;
  if (a->plain) return true;
  if (a->implicit) {
    slope_mul_many(t, a->bias, da, h, change, stride);
  } else {
    for (int i = 0; i < nv; i++) {
      vec_add_scaled(change + (size_t)i * stride, da + (size_t)i * stride, -h * m->dof_damping[i],
                     stride);
    }
  }
  if (a->lanes) {
    factor_solve_many(change, a->A, a->dinv, a->first, nv, t->hstride, stride, stride);
  } else {
    if (!FRAME(memory_of(t->d), SN_ARRAY(column, nv))) return false;
    for (int c = 0; c < ncol; c++) {
      for (int i = 0; i < nv; i++) column[i] = change[(size_t)i * stride + c];
      if (a->implicit)
        integrate_implicit_solve(m, t->d, column);
      else
        inertia_solve(m, t->d, t->d->qH, t->d->qHDiagInv, column);
      for (int i = 0; i < nv; i++) change[(size_t)i * stride + c] = column[i];
    }
  }
  vec_add_scaled(da, change, 1, nv * stride);
  return true;
}

// ---- rows of A and B

// Row i of dv' is e_i + h da'_i, nx + nu columns.
static void put_rows(const snTangent* t, const double* da, const double* next, double* A,
                     double* B) {
  const mjModel* m = t->m;
  int nv = t->nv, na = t->na, nu = t->nu, nx = 2 * nv + na;
  double h = m->opt.timestep;
  for (int i = 0; i < nv; i++) {
    const double* row = da + (size_t)i * t->stride;
    if (A) {
      double* to = A + (size_t)(nv + i) * nx;
      for (int c = 0; c < nx; c++) to[c] = h * row[c];
      to[nv + i] += 1;
    }
    if (B) {
      double* to = B + (size_t)(nv + i) * nu;
      for (int c = 0; c < nu; c++) to[c] = h * row[nx + c];
    }
  }
  for (int j = 0; j < m->njnt; j++) {
    int v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int n = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
    for (int i = v; i < v + n; i++) {
      for (int c = 0; A && c < nx; c++) A[(size_t)i * nx + c] = h * A[(size_t)(nv + i) * nx + c];
      for (int c = 0; B && c < nu; c++) B[(size_t)i * nu + c] = h * B[(size_t)(nv + i) * nu + c];
      if (A) A[(size_t)i * nx + i] += 1;
    }
    if (type != mjJNT_FREE && type != mjJNT_BALL) continue;
    v += n;
    double vel[3], Dq[9], Dv[9];
    for (int k = 0; k < 3; k++) vel[k] = t->d->qvel[v + k] + h * next[v + k];
    mjd_quatIntegrate(vel, h, Dq, Dv, NULL);
    for (int r = 0; r < 3; r++) {
      for (int c = 0; A && c < nx; c++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += Dv[3 * r + k] * A[(size_t)(nv + v + k) * nx + c];
        A[(size_t)(v + r) * nx + c] = h * sum;
      }
      for (int k = 0; A && k < 3; k++) A[(size_t)(v + r) * nx + v + k] += Dq[3 * r + k];
      for (int c = 0; B && c < nu; c++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += Dv[3 * r + k] * B[(size_t)(nv + v + k) * nu + c];
        B[(size_t)(v + r) * nu + c] = h * sum;
      }
    }
  }
}

static void put_activations(const snTangent* t, double* A, double* B) {
  const mjModel* m = t->m;
  int nv = t->nv, na = t->na, nu = t->nu, nx = 2 * nv + na;
  for (int i = 0; i < na; i++) {
    if (A) memset(A + (size_t)(2 * nv + i) * nx, 0, (size_t)nx * sizeof(double));
    if (B) memset(B + (size_t)(2 * nv + i) * nu, 0, (size_t)nu * sizeof(double));
    if (A) A[(size_t)(2 * nv + i) * nx + 2 * nv + i] = 1;
  }
  if (m->opt.disableflags & mjDSBL_ACTUATION) return;
  for (int a = 0; a < nu; a++) {
    if (!m->actuator_actnum[a]) continue;
    int i = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
    snActivation s;
    activation_slopes(m, t->d, a, &s);
    if (A) A[(size_t)(2 * nv + i) * nx + 2 * nv + i] = s.next_act;
    if (B) B[(size_t)(2 * nv + i) * nu + a] = s.next_ctrl;
  }
}

// dqacc, in tau, through the integrator.
bool advance_transition(snTangent* t, double* A, double* B) {
  snAdvance a;
  mj_markStack(t->d);
  bool there = advance_make(t, &a) && advance_apply(t, &a, t->tau, a.change, t->ncol, t->stride);
  if (there) {
    put_rows(t, t->tau, a.next, A, B);
    put_activations(t, A, B);
  }
  mj_freeStack(t->d);
  return there;
}
