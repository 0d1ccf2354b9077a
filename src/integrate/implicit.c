// Implicit-in-velocity Euler: (M - h D) a' = M a, with D the derivative of smooth forces.
//
// implicit keeps D as it is, on the pattern of a full tree matrix, and factorizes by LU from the
// last row up, which fills nothing in. implicitfast leaves the bias forces out, symmetrizes, and
// uses L'DL as for M.
#include <math.h>
#include <string.h>

#include "integrate/integrate.h"
#include "integrate/private.h"
#include "data/frame.h"
#include "smooth/smooth.h"

// ---- LU of a matrix with the pattern D: rows hold ancestors, the diagonal and descendants

// D is symmetric in pattern: where entry (j, i) stands, for each entry (i, j) with j an ancestor of
// i. Descendants ascend in their rows, so that each is the next one as rows are gone through.
static void mirror(const snPattern* pattern, int nv, int* next, int* at) {
  for (int i = 0; i < nv; i++) next[i] = pattern->D_rowadr[i] + pattern->D_diag[i] + 1;
  for (int i = 0; i < nv; i++) {
    int begin = pattern->D_rowadr[i], diag = begin + pattern->D_diag[i];
    for (int k = begin; k < diag; k++) at[k] = next[pattern->D_colind[k]]++;
  }
}

// Eliminate from the last row up: A = U L with U unit upper and L lower triangular. Row i is
// subtracted from the rows of its ancestors: row j begins with the ancestors of j and j itself, as
// row i does, and holds those between j and i where `at` says.
static void lu_factor(const snPattern* pattern, mjtNum* LU, int nv, const int* at) {
  const int *rowadr = pattern->D_rowadr, *colind = pattern->D_colind;
  for (int i = nv - 1; i >= 0; i--) {
    int begin = rowadr[i], n = pattern->D_diag[i];
    const mjtNum* row = LU + begin;
    const int* ancestor = colind + begin;
    mjtNum inv = 1 / row[n];
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

// The lower triangle of M - h D, on the pattern of M, which may be diagonal where D is not.
void integrate_symmetric(const mjModel* m, mjData* d, mjtNum* A) {
  const snPattern* pattern = model_pattern(m);
  mjtNum h = m->opt.timestep;
  int nv = m->nv;
  for (int i = 0; i < nv; i++) {
    int adr = pattern->M_rowadr[i], n = pattern->M_rownnz[i] - 1, begin = pattern->D_rowadr[i];
    for (int k = 0; k < n; k++) A[adr + k] = d->M[adr + k] - h * d->qDeriv[begin + k];
    A[adr + n] = d->M[adr + n] - h * d->qDeriv[begin + pattern->D_diag[i]];
  }
}

// L'DL on the pattern of M with pivots of any sign: forces that grow with velocity make M - h D
// indefinite, which inertia_factor, made for inertias, would bend to a positive one.
static void factor_indefinite(const snPattern* pattern, int nv, mjtNum* LD, mjtNum* diaginv) {
  for (int i = nv - 1; i >= 0; i--) {
    mjtNum* row = LD + pattern->M_rowadr[i];
    const int* col = pattern->M_colind + pattern->M_rowadr[i];
    int n = pattern->M_rownnz[i] - 1;
    diaginv[i] = 1 / (fabs(row[n]) < mjMINVAL ? mjMINVAL : row[n]);
    for (int t = n - 1; t >= 0; t--) {
      mjtNum s = row[t] * diaginv[i], *to = LD + pattern->M_rowadr[col[t]];
      for (int c = 0; c <= t; c++) to[c] -= s * row[c];
      row[t] = s;
    }
  }
}

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

void integrate_implicit(const mjModel* m, mjData* d, bool skipfactor) {
  int nv = m->nv;
  mj_markStack(d);
  mjtNum* qacc = mj_stackAllocNum(d, nv);
  if (nv && !qacc) {
    mj_freeStack(d);
    return;
  }
  for (int i = 0; i < nv; i++) qacc[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  if (m->opt.integrator == mjINT_IMPLICIT) {
    if (!skipfactor) {
      derivative_velocity(m, d, true);
      full_matrix(m, d, d->qLU);
      int *next = mj_stackAllocInt(d, nv), *at = mj_stackAllocInt(d, m->nD);
      if (nv && !(next && at)) {
        mj_freeStack(d);
        return;
      }
      mirror(model_pattern(m), nv, next, at);
      lu_factor(model_pattern(m), d->qLU, nv, at);
    }
    lu_solve(model_pattern(m), d->qLU, nv, qacc);
  } else if (m->opt.integrator == mjINT_IMPLICITFAST) {
    if (!skipfactor) {
      derivative_velocity(m, d, false);
      factor_symmetric(m, d);
    }
    inertia_solve(m, d, d->qH, d->qHDiagInv, qacc);
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
