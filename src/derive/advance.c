// From dqacc to the next state: A and B.
//
//   Euler     (M + h B) a' = M a                  implicit  (M - h D) a' = M a
//   v' = v + h a',  q' = q + h v' on the group of rotations
//
// With A^ the matrix on the left and x = a - a', A^ da' = M da + d(M x)/dq + h dD a', and since
// M = A^ + h D (D = -B for Euler)
//
//   da' = da + inv(A^) (d(M x)/dq + h D da + h dD a')
//
// Where no row pushes, M a = f(q, v) is the smooth force, and a' follows from it at once: with tau
// of the residual taken at a' instead of a,
//
//   da' = -inv(A^) (dtau - h dD a')
//
// which needs neither da nor the factor of H.
#include "derive/private.h"
#include "integrate/integrate.h"

// to += d(M x)/dq
static bool inertia_change(const snTangent* t, const double* x, double* to) {
  snMotions s;
  mj_markStack(t->d);
  bool there = motions_reserve(t, &s);
  if (there) {
    motions_make(t, &s, NULL, x, false);
    there = smooth_add(t, &s, false, false, to, t->parts.row);
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
    SN_ASSERT(d->D_colind[begin + d->D_diag[i]] == i);
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

// Moves column c of every part that has one by step. `direction` is zero before and after.
static void column_move(const snTangent* t, int c, double step, double* direction) {
  const snBlocks* p = &t->parts;
  mjData* d = t->d;
  for (int k = 0; k < p->n; k++) {
    int n = part_size(p, k), at = c - 2 * n;
    if (c < n) {
      direction[p->dof[p->adr[k] + c]] = 1;
    } else if (c < 2 * n) {
      d->qvel[p->dof[p->adr[k] + c - n]] += step;
    } else if (at < p->in_adr[k + 1] - p->in_adr[k]) {
      int in = p->in[p->in_adr[k] + at];
      *(in < t->na ? d->act + in : d->ctrl + in - t->na) += step;
    }
  }
  mj_integratePos(t->m, d->qpos, direction, step);
  mju_zero(direction, t->nv);
}

// Centred differences of D x along one column at a time, in all parts at once: what moves in one
// part leaves D of the others alone.
static bool slope_differences(snTangent* t, bool bias, const double* x, double h, double* to) {
  static const double step = 1e-6;
  const snBlocks* p = &t->parts;
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = t->nv, most = 0;
  double *r, *qpos, *qvel, *act, *ctrl, *direction;
  if (!FRAME(memory_of(d), SN_ARRAY(r, nv), SN_ARRAY(qpos, m->nq), SN_ARRAY(qvel, nv),
             SN_ARRAY(act, m->na), SN_ARRAY(ctrl, m->nu), SN_ARRAY(direction, nv))) {
    return false;
  }
  mju_copy(qpos, d->qpos, m->nq);
  mju_copy(qvel, d->qvel, nv);
  mju_copy(act, d->act, m->na);
  mju_copy(ctrl, d->ctrl, m->nu);
  mju_zero(direction, nv);
  for (int k = 0; k < p->n; k++) {
    int n = 2 * part_size(p, k) + p->in_adr[k + 1] - p->in_adr[k];
    most = n > most ? n : most;
  }
  for (int c = 0; c < most; c++) {
    for (int side = -1; side <= 1; side += 2) {
      column_move(t, c, side * step, direction);
      stages_for_slope(m, d, true);
      derivative_velocity(m, d, bias);
      slope_mul(d, nv, bias, x, r);
      mju_copy(d->qpos, qpos, m->nq);
      mju_copy(d->qvel, qvel, nv);
      mju_copy(d->act, act, m->na);
      mju_copy(d->ctrl, ctrl, m->nu);
      for (int i = 0; i < nv; i++) {
        if (c < p->stride[p->of[i]]) to[p->row[i] + (size_t)c] += side * h * r[i] / (2 * step);
      }
    }
  }
  stages_for_slope(m, d, true);
  derivative_velocity(m, d, bias);
  report_differenced(t->report, "velocity derivative of forces in the implicit integrator");
  return true;
}

// Does D have a place for two dofs: does one carry the other?
static bool on_pattern(const mjModel* m, int i, int j) {
  int low = i < j ? i : j, high = i < j ? j : i;
  while (high > low) high = m->dof_parentid[high];
  return high == low;
}

// to += h dD a' in closed form. The bias force is quadratic in v, c = Q(v, v), so that its part of
// D a' is -2 Q(v, a') = (c(v - a') - c(v + a')) / 2. An affine gain by velocity times its input
// changes with the input.
static bool slope_change(snTangent* t, bool bias, const double* next, double h, double* to) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int nv = t->nv;
  size_t size = t->parts.size;
  snMotions s;
  double *v = NULL, *part = NULL;
  if (bias &&
      (!FRAME(memory_of(t->d), SN_ARRAY(v, nv), SN_ARRAY(part, size)) || !motions_reserve(t, &s))) {
    return false;
  }
  for (int side = -1; bias && side <= 1; side += 2) {
    memset(part, 0, size * sizeof(double));
    for (int i = 0; i < nv; i++) v[i] = d->qvel[i] + side * next[i];
    motions_make(t, &s, v, NULL, false);
    if (!smooth_add(t, &s, false, true, part, t->parts.row)) return false;
    for (size_t k = 0; k < size; k++) to[k] -= 0.5 * side * h * part[k];
  }
  for (int a = 0; a < m->nu && !(m->opt.disableflags & mjDSBL_ACTUATION); a++) {
    if (m->actuator_gaintype[a] != mjGAIN_AFFINE || actuation_disabled(m, a)) continue;
    double gain = m->actuator_gainprm[mjNGAIN * a + 2];
    if (gain == 0) continue;
    int act = m->actuator_actadr[a], adr = d->moment_rowadr[a], end = adr + d->moment_rownnz[a];
    int column = t->parts.input[act < 0 ? t->na + a : act + m->actuator_actnum[a] - 1];
    for (int e = adr; e < end; e++) {
      int i = d->moment_colind[e];
      double along = 0;
      for (int f = adr; f < end; f++) {
        int j = d->moment_colind[f];
        if (on_pattern(m, i, j)) along += d->actuator_moment[f] * next[j];
      }
      to[t->parts.row[i] + (size_t)column] += h * gain * d->actuator_moment[e] * along;
    }
  }
  return true;
}

// to += h dD a'
static bool slope_add(snTangent* t, const snAdvance* a, double h, double* to) {
  if (!a->implicit) return true;
  if (!change_differenced(t->m)) return slope_change(t, a->bias, a->next, h, to);
  return slope_differences(t, a->bias, a->next, h, to);
}

// ---- what a step needs besides dqacc

// A^ in lanes, as long as it is an inertia.
static bool matrix_factor(snTangent* t, snAdvance* a) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int nv = t->nv;
  double h = m->opt.timestep;
  if (!FRAME(memory_of(t->d), SN_ARRAY(a->A, t->parts.hsize), SN_ARRAY(a->dinv, nv + 4),
             SN_ARRAY(a->first, nv))) {
    return false;
  }
  inertia_spread(t, a->A);
  for (int i = 0; i < nv; i++) {
    double* row = a->A + t->parts.hrow[i];
    if (m->opt.integrator == mjINT_EULER) {
      row[t->parts.q[i]] += h * m->dof_damping[i];
      continue;
    }
    int begin = d->D_rowadr[i], n = d->M_rownnz[i] - 1;
    for (int k = begin; k < begin + n; k++) row[t->parts.q[d->D_colind[k]]] -= h * d->qDeriv[k];
    row[t->parts.q[i]] -= h * d->qDeriv[begin + d->D_diag[i]];
  }
  a->lanes = blocks_factor(t, a->A, a->dinv, a->first) == nv;
  return true;
}

// x = inv(A^) x
void advance_solve(const snTangent* t, const snAdvance* a, double* x) {
  if (a->lanes)
    blocks_solve_one(t, a->A, a->dinv, a->first, x, a->four);
  else if (a->implicit)
    integrate_implicit_solve(t->m, t->d, x);
  else
    inertia_solve(t->m, t->d, t->d->qH, t->d->qHDiagInv, x);
}

// A^, its factor and a'.
static bool advance_matrix(snTangent* t, snAdvance* a) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  int nv = t->nv;
  bool implicit = m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST;
  *a = (snAdvance){
      .plain = advance_plain(m), .bias = m->opt.integrator == mjINT_IMPLICIT, .implicit = implicit};
  if (!FRAME(memory_of(d), SN_ARRAY(a->next, nv), SN_ARRAY(a->four, 4 * (size_t)nv))) return false;
  mju_copy(a->next, d->qacc, nv);
  if (a->plain) return true;
  for (int i = 0; i < nv; i++) a->next[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  if (implicit && !a->bias) derivative_velocity(m, d, false);
  if (!a->bias && !matrix_factor(t, a)) return false;
  if (!a->lanes && implicit && !integrate_implicit_factor(m, d)) return false;
  if (!a->lanes && !implicit) {
    inertia_factor_damped(m, d, m->opt.timestep, d->qH, d->qHDiagInv, false);
  }
  advance_solve(t, a, a->next);
  return true;
}

bool advance_plain(const mjModel* m) {
  bool implicit = m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST;
  return !implicit && !integrate_damped(m);
}

// The matrix h dD a', with `inertia` also d(M x)/dq.
static bool advance_change(snTangent* t, snAdvance* a, bool inertia) {
  const mjData* d = t->d;
  int nv = t->nv;
  double* x;
  if (a->plain || !(inertia || a->implicit)) return true;
  if (!FRAME(memory_of(t->d), SN_ARRAY(a->change, t->parts.size), SN_ARRAY(x, nv))) return false;
  for (int i = 0; i < nv; i++) x[i] = d->qacc[i] - a->next[i];
  memset(a->change, 0, t->parts.size * sizeof(double));
  return (!inertia || inertia_change(t, x, a->change)) &&
         slope_add(t, a, t->m->opt.timestep, a->change);
}

bool advance_make(snTangent* t, snAdvance* a) {
  return advance_matrix(t, a) && advance_change(t, a, true);
}

// ---- a step as a whole

// The LU of `implicit` knows no parts.
bool tangent_step(snTangent* t, snAdvance* a, const mjModel* m, mjData* d, bool inertia,
                  snDeriveReport* report) {
  if (!tangent_make(t, m, d, m->opt.integrator != mjINT_IMPLICIT, report)) return false;
  bool pushes = tangent_rows(t);
  if (!tangent_check(t)) return false;
  if (pushes || advance_plain(m)) {
    inertia_spread(t, t->H);
    if (!tangent_fill(t, pushes)) return false;
    tangent_factor(t);
    return advance_matrix(t, a) && advance_change(t, a, inertia);
  }
  if (!advance_matrix(t, a)) return false;
  a->direct = true;
  t->qacc = a->next;
  return tangent_fill(t, false) && slope_add(t, a, -m->opt.timestep, t->tau);
}

// to += h D da for all columns of one part, with D of qDeriv as slope_mul takes it.
SN_KERNEL static void slope_mul_many(const snTangent* t, bool bias, int part, const double* da,
                                     double h, double* to, int stride) {
  const mjData* d = t->d;
  const snBlocks* p = &t->parts;
  for (int r = p->adr[part]; r < p->adr[part + 1]; r++) {
    int i = p->dof[r], begin = d->D_rowadr[i], n = bias ? d->D_rownnz[i] : d->M_rownnz[i];
    size_t at_i = (size_t)p->q[i] * (size_t)stride;
    for (int k = 0; k < n; k++) {
      bool diagonal = !bias && k == n - 1;
      int at = diagonal ? begin + d->D_diag[i] : begin + k, j = d->D_colind[at];
      size_t at_j = (size_t)p->q[j] * (size_t)stride;
      SN_ASSERT(p->of[j] == part);  // what joins dofs in D joins their trees
      double s = h * d->qDeriv[at];
      if (s == 0) continue;
      vec_add_scaled(to + at_i, da + at_j, s, stride);
      if (!bias && j != i) vec_add_scaled(to + at_j, da + at_i, s, stride);
    }
  }
}

// X = inv(A^) X for columns of one part, at stride
static bool matrix_solve(snTangent* t, const snAdvance* a, int part, double* X, int ncol,
                         int stride) {
  const snBlocks* p = &t->parts;
  int at = p->adr[part], n = part_size(p, part), first = p->dof[at];
  double* column;
  SN_ASSERT(stride % 4 == 0 && ncol <= stride);
  if (a->lanes) {
    factor_solve_many(X, a->A + p->hrow[first], a->dinv + at, a->first + at, n, p->hstride[part],
                      stride, stride);
    return true;
  }
  mj_markStack(t->d);
  bool there = FRAME(memory_of(t->d), SN_ARRAY(column, t->nv));
  for (int c = 0; there && c < ncol; c++) {
    mju_zero(column, t->nv);
    for (int i = 0; i < n; i++) column[p->dof[at + i]] = X[(size_t)i * (size_t)stride + c];
    advance_solve(t, a, column);
    for (int i = 0; i < n; i++) X[(size_t)i * (size_t)stride + c] = column[p->dof[at + i]];
  }
  mj_freeStack(t->d);
  return there;
}

// da += inv(A^) (change + h D da) for columns of one part at stride; change is used up.
bool advance_apply(snTangent* t, const snAdvance* a, int part, double* da, double* change, int ncol,
                   int stride) {
  const mjModel* m = t->m;
  int n = part_size(&t->parts, part);
  double h = m->opt.timestep;
  if (a->plain) return true;
  if (a->implicit) {
    slope_mul_many(t, a->bias, part, da, h, change, stride);
  } else {
    for (int i = 0; i < n; i++) {
      double damping = m->dof_damping[t->parts.dof[t->parts.adr[part] + i]];
      if (damping == 0) continue;
      vec_add_scaled(change + (size_t)i * stride, da + (size_t)i * stride, -h * damping, stride);
    }
  }
  if (!matrix_solve(t, a, part, change, ncol, stride)) return false;
  vec_add_scaled(da, change, 1, n * stride);
  return true;
}

// ---- rows of A and B

// `row` holds room for one row. da' is scale/h times what is in tau, which becomes rows of dv':
// e_i + h da'_i.
SN_KERNEL static void put_rows(const snTangent* t, double scale, const double* next, double* row,
                               double* A, double* B) {
  const mjModel* m = t->m;
  const snBlocks* p = &t->parts;
  size_t nv = (size_t)t->nv, nu = (size_t)t->nu, nx = 2 * nv + (size_t)t->na;
  double h = m->opt.timestep;
  for (size_t i = 0; i < nv; i++) {
    double* dv = tau_row(t, (int)i);
    vec_scale(dv, dv, scale, p->stride[p->of[i]]);
    dv[p->v[i]] += 1;
    row_spill(t, p->of[i], dv, A ? A + (nv + i) * nx : NULL, B ? B + (nv + i) * nu : NULL);
  }
  for (int j = 0; j < m->njnt; j++) {
    int v = m->jnt_dofadr[j], type = m->jnt_type[j], part = p->of[v], stride = p->stride[part];
    int n = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
    for (int i = v; i < v + n; i++) {
      vec_scale(row, tau_row(t, i), h, stride);
      row[p->q[i]] += 1;
      row_spill(t, part, row, A ? A + (size_t)i * nx : NULL, B ? B + (size_t)i * nu : NULL);
    }
    if (type != mjJNT_FREE && type != mjJNT_BALL) continue;
    v += n;
    double vel[3], Dq[9], Dv[9];
    for (int k = 0; k < 3; k++) vel[k] = t->d->qvel[v + k] + h * next[v + k];
    mjd_quatIntegrate(vel, h, Dq, Dv, NULL);
    for (int r = 0; r < 3; r++) {
      vec_scale(row, tau_row(t, v), h * Dv[3 * r], stride);
      for (int k = 1; k < 3; k++) {
        vec_add_scaled(row, tau_row(t, v + k), h * Dv[3 * r + k], stride);
      }
      for (int k = 0; k < 3; k++) row[p->q[v + k]] += Dq[3 * r + k];
      size_t i = (size_t)(v + r);
      row_spill(t, part, row, A ? A + i * nx : NULL, B ? B + i * nu : NULL);
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
    SN_ASSERT(i >= 0 && i < na);
    snActivation s;
    activation_slopes(m, t->d, a, &s);
    if (A) A[(size_t)(2 * nv + i) * nx + 2 * nv + i] = s.next_act;
    if (B) B[(size_t)(2 * nv + i) * nu + a] = s.next_ctrl;
  }
}

bool advance_transition(snTangent* t, const snAdvance* a, bool solved, double* A, double* B) {
  const snBlocks* p = &t->parts;
  double h = t->m->opt.timestep, *row;
  mj_markStack(t->d);
  bool there = FRAME(memory_of(t->d), SN_ARRAY(row, t->stride));
  if (!a->direct && !solved) blocks_solve(t, t->H, t->dinv, t->first, t->tau);
  if (!a->direct && !solved && !a->plain) vec_scale(t->tau, t->tau, -1, (int)p->size);
  for (int k = 0; there && k < p->n && !a->plain; k++) {
    size_t at = p->row[p->dof[p->adr[k]]];
    int ncol = 2 * part_size(p, k) + p->in_adr[k + 1] - p->in_adr[k];
    double* X = t->tau + at;
    there = a->direct ? matrix_solve(t, a, k, X, ncol, p->stride[k])
                      : advance_apply(t, a, k, X, a->change + at, ncol, p->stride[k]);
  }
  bool minus = a->direct || (a->plain && !solved);
  if (there) {
    put_rows(t, minus ? -h : h, a->next, row, A, B);
    put_activations(t, A, B);
  }
  mj_freeStack(t->d);
  return there;
}
