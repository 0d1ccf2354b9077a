// Euler, implicit in velocity: (M - h D) a' = M a, D = d(smooth forces)/d qvel, from the expansion
// M a' = f(v + h a') = f(v) + h D a'.
//
// `implicit` keeps D as it is, on the pattern of a full tree matrix, and factorizes by LU from the
// last row up, which fills in nothing. `implicitfast` leaves out the bias force, symmetrizes D, and
// uses L'DL as for M.
#include <math.h>
#include <string.h>

#include "integrate/integrate.h"
#include "integrate/private.h"
#include "data/frame.h"
#include "smooth/smooth.h"

// ---- LU of a matrix with the pattern D: rows hold ancestors, the diagonal and descendants

// at[k]: the address of entry (j, i), for each entry k = (i, j) with j an ancestor of i. The
// pattern of D is symmetric, and descendants ascend in their rows, so walking the rows comes to
// them in order.
static void mirror(const snPattern* pattern, int nv, int* next, int* at) {
  for (int i = 0; i < nv; i++) next[i] = pattern->D_rowadr[i] + pattern->D_diag[i] + 1;
  for (int i = 0; i < nv; i++) {
    int begin = pattern->D_rowadr[i], diag = begin + pattern->D_diag[i];
    for (int k = begin; k < diag; k++) at[k] = next[pattern->D_colind[k]]++;
  }
}

// A = U L with U unit upper and L lower triangular, from the last row up. Row i is subtracted from
// the rows of its ancestors j: row j begins with the ancestors of j and j itself, as row i does,
// and has the columns between j and i at addresses `at`.
static void lu_factor(const snPattern* pattern, mjtNum* LU, int nv, const int* at) {
  const int *rowadr = pattern->D_rowadr, *colind = pattern->D_colind;
  for (int i = nv - 1; i >= 0; i--) {
    int begin = rowadr[i], n = pattern->D_diag[i];
    const mjtNum* row = LU + begin;
    const int* ancestor = colind + begin;
    mjtNum inv = 1 / row[n];
    SN_ASSERT(ancestor[n] == i);  // the diagonal stands behind the ancestors
    for (int t = 0; t < n; t++) {
      mjtNum s = LU[at[begin + t]] *= inv;
      if (s == 0) continue;
      mjtNum* to = LU + rowadr[ancestor[t]];
      for (int c = 0; c <= t; c++) to[c] -= s * row[c];
      for (int c = t + 1; c < n; c++) LU[at[rowadr[ancestor[c]] + t]] -= s * row[c];
    }
  }
}

static void lu_solve(const snPattern* pattern, const mjtNum* LU, int nv, mjtNum* x) {
  for (int i = nv - 1; i >= 0; i--) {
    int diag = pattern->D_rowadr[i] + pattern->D_diag[i],
        end = pattern->D_rowadr[i] + pattern->D_rownnz[i];
    mjtNum sum = x[i];
    for (int k = diag + 1; k < end; k++) sum -= LU[k] * x[pattern->D_colind[k]];
    x[i] = sum;
  }
  for (int i = 0; i < nv; i++) {
    int begin = pattern->D_rowadr[i], diag = begin + pattern->D_diag[i];
    mjtNum sum = x[i];
    for (int k = begin; k < diag; k++) sum -= LU[k] * x[pattern->D_colind[k]];
    x[i] = sum / LU[diag];
  }
}

// ---- M - h D

static void full_matrix(const mjModel* m, mjData* d, mjtNum* A) {
  mjtNum h = m->opt.timestep;
  for (int i = 0; i < m->nD; i++) A[i] = d->qM[model_pattern(m)->mapM2D[i]] - h * d->qDeriv[i];
}

// On the pattern of M, whose rows of simple dofs are diagonal where D has more.
void integrate_symmetric(const mjModel* m, mjData* d, mjtNum* A) {
  const snPattern* pattern = model_pattern(m);
  mjtNum h = m->opt.timestep;
  int nv = m->nv;
  for (int i = 0; i < nv; i++) {
    int adr = pattern->M_rowadr[i], n = pattern->M_rownnz[i] - 1, begin = pattern->D_rowadr[i];
    SN_ASSERT(n <= pattern->D_diag[i]);  // D has all that M has
    for (int k = 0; k < n; k++) A[adr + k] = d->M[adr + k] - h * d->qDeriv[begin + k];
    A[adr + n] = d->M[adr + n] - h * d->qDeriv[begin + pattern->D_diag[i]];
  }
}

// L'DL on the pattern of M with pivots of any sign. Forces that grow with velocity can make M - h D
// indefinite; inertia_factor, made for inertias, would raise its negative pivots.
static void factor_indefinite(const snPattern* pattern, int nv, mjtNum* LD, mjtNum* diaginv) {
  for (int i = nv - 1; i >= 0; i--) {
    mjtNum* row = LD + pattern->M_rowadr[i];
    const int* col = pattern->M_colind + pattern->M_rowadr[i];
    int n = pattern->M_rownnz[i] - 1;
    SN_ASSERT(col[n] == i);  // a row of M ends with its diagonal
    diaginv[i] = 1 / (fabs(row[n]) < mjMINVAL ? mjMINVAL : row[n]);
    for (int t = n - 1; t >= 0; t--) {
      mjtNum s = row[t] * diaginv[i], *to = LD + pattern->M_rowadr[col[t]];
      for (int c = 0; c <= t; c++) to[c] -= s * row[c];
      row[t] = s;
    }
  }
}

// L'DL of M - h D; a pivot that inertia_factor had to raise (1 / mjMINVAL) means an indefinite
// matrix.
static void factor_symmetric(const mjModel* m, mjData* d) {
  integrate_symmetric(m, d, d->qH);
  inertia_factor(m, d, d->qH, d->qHDiagInv);
  for (int i = 0; i < m->nv; i++) {
    if (d->qHDiagInv[i] < 1 / mjMINVAL) continue;
    integrate_symmetric(m, d, d->qH);
    factor_indefinite(model_pattern(m), m->nv, d->qH, d->qHDiagInv);
    return;
  }
}

// The factor of M - h D, in qLU or qH. False without memory.
bool integrate_implicit_factor(const mjModel* m, mjData* d) {
  int nv = m->nv;
  if (m->opt.integrator != mjINT_IMPLICIT) {
    derivative_velocity(m, d, false);
    factor_symmetric(m, d);
    return true;
  }
  derivative_velocity(m, d, true);
  full_matrix(m, d, d->qLU);
  mj_markStack(d);
  int *next, *at;
  bool there = FRAME(memory_of(d), SN_ARRAY(next, nv), SN_ARRAY(at, m->nD));
  if (there) {
    mirror(model_pattern(m), nv, next, at);
    lu_factor(model_pattern(m), d->qLU, nv, at);
  }
  mj_freeStack(d);
  return there;
}

void integrate_implicit_solve(const mjModel* m, mjData* d, mjtNum* x) {
  if (m->opt.integrator == mjINT_IMPLICIT)
    lu_solve(model_pattern(m), d->qLU, m->nv, x);
  else
    inertia_solve(m, d, d->qH, d->qHDiagInv, x);
}

void integrate_implicit(const mjModel* m, mjData* d, bool skipfactor) {
  int nv = m->nv;
  mj_markStack(d);
  mjtNum* qacc;
  if (!FRAME(memory_of(d), SN_ARRAY(qacc, nv))) {
    mj_freeStack(d);
    return;
  }
  for (int i = 0; i < nv; i++) qacc[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  if (m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST) {
    if (!skipfactor && !integrate_implicit_factor(m, d)) {
      mj_freeStack(d);
      return;
    }
    integrate_implicit_solve(m, d, qacc);
  } else {
    mju_error("mj_implicit: the integrator of the model is not implicit");
  }
  integrate_advance(m, d, d->act_dot, qacc, NULL);
  mj_freeStack(d);
}

void mj_implicit(const mjModel* m, mjData* d) { integrate_implicit(m, d, false); }

// ---- from discrete to continuous time: a = inv(M) (M - h D) a'

static void mul_full(const snPattern* pattern, const mjtNum* A, int nv, mjtNum* res,
                     const mjtNum* x) {
  for (int i = 0; i < nv; i++) {
    mjtNum sum = 0;
    for (int k = pattern->D_rowadr[i]; k < pattern->D_rowadr[i] + pattern->D_rownnz[i]; k++) {
      sum += A[k] * x[pattern->D_colind[k]];
    }
    res[i] = sum;
  }
}

void integrate_continuous(const mjModel* m, mjData* d) {
  const snPattern* pattern = model_pattern(m);
  int nv = m->nv;
  mj_markStack(d);
  mjtNum *f, *A;
  size_t entries = m->opt.integrator == mjINT_IMPLICIT       ? (size_t)m->nD
                   : m->opt.integrator == mjINT_IMPLICITFAST ? (size_t)m->nC
                                                             : 0;
  if (!FRAME(memory_of(d), SN_ARRAY(f, nv), SN_ARRAY(A, entries))) {
    mj_freeStack(d);
    return;
  }
  switch (m->opt.integrator) {
    case mjINT_EULER:
      if (!(m->opt.disableflags & mjDSBL_EULERDAMP)) {
        mj_mulM(m, d, f, d->qacc);
        for (int i = 0; i < nv; i++) f[i] += m->opt.timestep * m->dof_damping[i] * d->qacc[i];
        mj_solveM(m, d, d->qacc, f, 1);
      }
      break;
    case mjINT_IMPLICIT:
      derivative_velocity(m, d, true);
      full_matrix(m, d, A);
      mul_full(model_pattern(m), A, nv, f, d->qacc);
      mj_solveM(m, d, d->qacc, f, 1);
      break;
    case mjINT_IMPLICITFAST:
      derivative_velocity(m, d, false);
      integrate_symmetric(m, d, A);
      sparse_mul_sym_vec(f, A, d->qacc, nv, pattern->M_rownnz, pattern->M_rowadr,
                         pattern->M_colind);
      mj_solveM(m, d, d->qacc, f, 1);
      break;
    default:
      mju_error("mj_inverse: discrete inverse dynamics is not supported by RK4");
      break;
  }
  mj_freeStack(d);
}

MJAPI void mj_implicitSkip(const mjModel* m, mjData* d, int skipfactor);
void mj_implicitSkip(const mjModel* m, mjData* d, int skipfactor) {
  integrate_implicit(m, d, skipfactor != 0);
}
