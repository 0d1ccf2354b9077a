// Projected Gauss-Seidel on the dual, and noslip.
//
//   min_f 1/2 f'(A + R) f + f'b,  f in Omega,  A = J inv(M) J',  b = J a0 - aref
//
// A sweep visits rows in order and minimizes over the force of each with all others fixed:
//
//   f_i <- clamp(f_i - r_i / (A + R)_ii),  r = (A + R) f + b
//
// The rows of an elliptic cone are one block, minimized in two steps: along the ray from the apex
// of the cone through f, then over the friction forces at that normal force, an ellipsoid (ball.c).
// Noslip is the same sweep over friction alone with A instead of A + R: it removes the slip that
// the regularizer R allows, at normal forces that stay as the solver left them.
//
// The residual r is kept for all rows. A row whose force does not change then costs one comparison,
// and one whose force changes adds a multiple of its row of A to r. Rows of small problems are
// copied to full width, where that addition runs in SIMD lanes without column indices.
#include <string.h>

#include "solve/ball.h"
#include "solve/problem.h"

typedef struct snSweepState_ {
  const mjModel* m;
  mjData* d;
  mjtNum* f;
  mjtNum* r;         // (nefc)
  mjtNum* diagonal;  // (nefc) of A + R
  mjtNum* inverse;   // (nefc) of diagonal
  bool regularized;  // A + R, or A alone
  bool sparse;       // rows of A by index, or at full width
  const mjtNum* A;   // efc_AR, or its copy at full width
  int stride;        // of its rows at full width
  int* range;        // (2 nefc) columns of the nonzeros of a copied row, rounded to whole lanes
  // Sweeps follow the documented solver, which can stop short of the optimum: at the apex of a cone
  // whose normal force does not rise alone, and where its root search fails. Once its sweeps have
  // converged, `fine` sweeps go on from there to the optimum.
  bool fine;
  bool unfinished;  // a cone of this sweep was left short of its minimum
} snSweepState;

// r += A_i delta, for a change of f_i by delta.
SN_INLINE void spread(const snSweepState* s, int i, mjtNum delta) {
  const mjData* d = s->d;
  if (s->sparse) {
    int adr = d->efc_AR_rowadr[i], n = d->efc_AR_rownnz[i];
    for (int k = adr; k < adr + n; k++) s->r[d->efc_AR_colind[k]] += s->A[k] * delta;
    return;
  }
  const mjtNum* A = s->A + (size_t)i * (size_t)s->stride;
  int n = d->nefc, k = 0;
  if (s->range) k = s->range[2 * i], n = s->range[2 * i + 1];
  for (; k + 4 <= n; k += 4) {
    sn4_store(s->r + k, sn4_load(s->r + k) + sn4_load(A + k) * delta);
  }
  for (; k < n; k++) s->r[k] += A[k] * delta;
}

// Of row i with the matrix of the sweep: r holds that of A + R.
SN_INLINE mjtNum residual(const snSweepState* s, int i) {
  return s->regularized ? s->r[i] : s->r[i] - s->d->efc_R[i] * s->f[i];
}

// r = (A + R) f + b
SN_KERNEL static void dual_residual(const snSweepState* s) {
  const mjData* d = s->d;
  int n = d->nefc;
  memcpy(s->r, d->efc_b, sizeof(mjtNum) * (size_t)n);
  for (int i = 0; i < n; i++) {
    if (s->f[i] != 0) spread(s, i, s->f[i]);
  }
}

// Up to WIDE_ROWS rows a sweep at full width is faster, unless less than one entry of WIDE_FILL is
// nonzero (measured, docs/performance-history.md).
enum { WIDE_ROWS = 128, WIDE_FILL = 8 };

// Rows of A + R at full width, each at a multiple of four entries, and their ranges.
static void dual_widen(snSweepState* s, mjtNum* A, int stride) {
  const mjData* d = s->d;
  int n = d->nefc;
  memset(A, 0, sizeof(mjtNum) * (size_t)n * (size_t)stride);
  for (int i = 0; i < n; i++) {
    mjtNum* to = A + (size_t)i * (size_t)stride;
    int first = 0, last = n - 1;
    if (s->sparse) {
      const int* col = d->efc_AR_colind + d->efc_AR_rowadr[i];
      const mjtNum* row = d->efc_AR + d->efc_AR_rowadr[i];
      int num = d->efc_AR_rownnz[i];
      for (int k = 0; k < num; k++) {
        SN_ASSERT(k == 0 || col[k - 1] < col[k]);
        to[col[k]] = row[k];
      }
      first = col[0], last = col[num - 1];
    } else {
      memcpy(to, d->efc_AR + (size_t)i * (size_t)n, sizeof(mjtNum) * (size_t)n);
      while (first < i && to[first] == 0) first++;
      while (last > i && to[last] == 0) last--;
    }
    s->range[2 * i] = first & ~3;
    s->range[2 * i + 1] = (last & ~3) + 4;
    SN_ASSERT(first <= i && i <= last && s->range[2 * i + 1] <= stride);  // the diagonal is inside
  }
  s->A = A;
  s->stride = stride;
  s->sparse = false;
}

// The memory of a sweep, the matrix and its diagonal; false without memory.
static bool dual_make(snSweepState* s, int** before) {
  mjData* d = s->d;
  int n = d->nefc, lanes = (n + 3) & ~3;
  bool wide = n <= WIDE_ROWS && (!s->sparse || WIDE_FILL * d->nA >= n * n);
  mjtNum* A;
  if (!FRAME(memory_of(d), SN_ARRAY(*before, n), SN_ARRAY(s->r, lanes), SN_ARRAY(s->diagonal, n),
             SN_ARRAY(s->inverse, n), SN_ARRAY(A, wide ? (size_t)n * (size_t)lanes : 0),
             SN_ARRAY(s->range, wide ? 2 * n : 0))) {
    return false;
  }
  memset(s->r, 0, sizeof(mjtNum) * (size_t)lanes);
  s->A = d->efc_AR;
  s->stride = n;
  if (wide) {
    dual_widen(s, A, lanes);
  } else {
    s->range = NULL;
  }
  for (int i = 0; i < n; i++) {
    size_t at = (size_t)i * (size_t)s->stride + (size_t)i;
    if (s->sparse) {
      at = d->efc_AR_rowadr[i];
      while (d->efc_AR_colind[at] != i) at++;
    }
    s->diagonal[i] = s->A[at] - (s->regularized ? 0 : d->efc_R[i]);
    s->inverse[i] = 1 / s->diagonal[i];
  }
  return true;
}

// Without R a direction in which no dof moves has a zero diagonal; the documented solver keeps
// this.
static const mjtNum kLeastDiagonal = 1e-10;

// The diagonal block of the rows [i0, i0 + n) of a contact. They have the same columns, so the
// entries of a block are adjacent in a sparse row too.
static void dual_block(const snSweepState* s, int i0, int n, mjtNum* A) {
  const mjData* d = s->d;
  for (int r = 0; r < n; r++) {
    size_t at;
    if (!s->sparse) {
      at = (size_t)(i0 + r) * (size_t)s->stride + (size_t)i0;
    } else {
      at = d->efc_AR_rowadr[i0 + r];
      while (d->efc_AR_colind[at] != i0) at++;
    }
    SN_ASSERT(!s->sparse || d->efc_AR_colind[at + (size_t)n - 1] == i0 + n - 1);
    for (int c = 0; c < n; c++) A[r * n + c] = s->A[at + c];
    if (!s->regularized) A[r * n + r] = mju_max(kLeastDiagonal, A[r * n + r] - d->efc_R[i0 + r]);
  }
}

// Friction of a contact at a fixed normal force: f_j = mu_j z_j with |z| <= f_0. Zero where the
// documented solver finds A singular; cone_visit then keeps the old forces if they cost less.
static void friction_update(snSweepState* s, const mjtNum* A, int dim, const mjtNum* res,
                            const mjtNum* mu, mjtNum* f) {
  int n = dim - 1;
  mjtNum As[25], bs[5], z[5] = {0};
  for (int i = 0; i < n; i++) {
    mjtNum b = res[i + 1];
    for (int j = 0; j < n; j++) {
      mjtNum a = A[(i + 1) * dim + j + 1];
      b -= a * f[j + 1];
      As[i * n + j] = a * mu[i] * mu[j];
    }
    bs[i] = b * mu[i];
  }
  if (s->fine) {
    ball_minimum(n, As, bs, f[0], z);
  } else if (ball_singular(As, n) || !ball_walk(n, As, bs, f[0], z)) {
    s->unfinished = true;
  }
  for (int i = 0; i < n; i++) f[i + 1] = mu[i] * z[i];
}

// Change of the cost when f moves by delta: 1/2 delta'A delta + delta'res
static mjtNum cost_change(const mjtNum* A, int n, const mjtNum* delta, const mjtNum* res) {
  mjtNum c = 0;
  for (int i = 0; i < n; i++) {
    mjtNum sum = 0;
    for (int j = 0; j < n; j++) sum += A[i * n + j] * delta[j];
    c += delta[i] * (0.5 * sum + res[i]);
  }
  return c;
}

// r += A delta for the rows of a cone.
static void cone_spread(const snSweepState* s, int i, int dim, const mjtNum* delta) {
  for (int j = 0; j < dim; j++) {
    if (delta[j] != 0) spread(s, i + j, delta[j]);
  }
}

// The minimum along the ray from the apex of a cone through f. The ray has unit normal force:
// f + t ray with t >= -f_0. At the apex every direction is open, and the documented solver takes
// the normal; a fine sweep takes the direction in which the cost falls fastest where the normal
// does not lower it.
static void ray_update(snSweepState* s, const mjtNum* A, int dim, const mjtNum* res,
                       const mjtNum* mu, mjtNum* f) {
  mjtNum ray[6] = {1}, slope = 0, curve = 0;
  if (f[0] < mjMINVAL) {
    mjtNum T = 0;
    for (int j = 1; j < dim; j++) T += mu[j - 1] * mu[j - 1] * res[j] * res[j];
    T = s->fine && res[0] >= 0 ? sqrt(T) : 0;
    for (int j = 1; j < dim; j++) {
      ray[j] = T > mjMINVAL ? -mu[j - 1] * mu[j - 1] * res[j] / T : 0;
      f[j] = 0;
    }
  } else {
    for (int j = 1; j < dim; j++) ray[j] = f[j] / f[0];
  }
  for (int j = 0; j < dim; j++) {
    slope += ray[j] * res[j];
    for (int k = 0; k < dim; k++) curve += ray[j] * A[j * dim + k] * ray[k];
  }
  // the documented ray is f itself, so forces of the size of rounding do not move along it
  mjtNum length2 = s->fine || f[0] < mjMINVAL ? 1 : f[0] * f[0];
  if (curve * length2 > mjMINVAL) {
    mjtNum t = mju_max(-f[0], -slope / curve);
    for (int j = 0; j < dim; j++) f[j] += t * ray[j];
  } else {
    s->unfinished = true;
  }
}

// A change that raises the cost by more than rounding is undone.
static const mjtNum kRounding = 1e-10;

// The rows of an elliptic cone; returns by how much the cost fell.
static mjtNum cone_visit(snSweepState* s, int i, int dim, const mjtNum* mu) {
  mjtNum A[36] = {0}, res[6] = {0}, old[6], delta[6], *f = s->f + i;
  for (int j = 0; j < dim; j++) {
    res[j] = residual(s, i + j);
    old[j] = f[j];
  }
  dual_block(s, i, dim, A);
  if (s->regularized) ray_update(s, A, dim, res, mu, f);
  if (f[0] < mjMINVAL) {
    for (int j = 1; j < dim; j++) f[j] = 0;
  } else {
    mjtNum moved[6];
    for (int j = 0; j < dim; j++) {
      moved[j] = res[j];
      for (int k = 0; k < dim; k++) moved[j] += A[j * dim + k] * (f[k] - old[k]);
    }
    friction_update(s, A, dim, moved, mu, f);
  }
  for (int j = 0; j < dim; j++) delta[j] = f[j] - old[j];
  mjtNum change = cost_change(A, dim, delta, res);
  if (!(change <= kRounding * (1 + fabs(vector_dot(delta, res, dim))))) {
    for (int j = 0; j < dim; j++) f[j] = old[j];
    return 0;
  }
  cone_spread(s, i, dim, delta);
  return mju_max(0, -change);
}

// The set of a force: any number, >= 0, or within +-most.
typedef enum snBound_ { FREE, ABOVE, BETWEEN } snBound;

// A row that is no cone; returns by how much the cost fell. `res` is its residual and `next` that
// of the following row: a sweep is one chain of dependent operations, and handing the residual on
// in a register instead of through the store in spread shortens it.
SN_INLINE mjtNum scalar_visit(const snSweepState* s, int i, snBound bound, mjtNum most, mjtNum res,
                              mjtNum* next) {
  mjtNum A = s->diagonal[i], old = s->f[i], f = old - res * s->inverse[i];
  bool more = i + 1 < s->d->nefc;
  *next = more ? residual(s, i + 1) : 0;
  if (A < mjMINVAL) return 0;
  if (bound == ABOVE) f = f > 0 ? f : 0;
  if (bound == BETWEEN) f = f > -most ? f : -most;
  if (bound == BETWEEN) f = f < most ? f : most;
  if (f == old) return 0;
  s->f[i] = f;
  mjtNum delta = f - old, gain = -delta * (0.5 * A * delta + res);
  if (more && !s->sparse) *next += s->A[(size_t)i * (size_t)s->stride + (size_t)i + 1] * delta;
  spread(s, i, delta);
  if (more && s->sparse) *next = residual(s, i + 1);
  return gain > 0 ? gain : 0;
}

// ---- states, acceleration, start

// A share of the normal force within which friction counts as being on the cone.
static const mjtNum kOnCone = 1e-9;

// efc_state from efc_force.
static void dual_state(const mjData* d) {
  int ne = d->ne, nf = d->nf;
  for (int i = 0; i < d->nefc;) {
    mjtNum f = d->efc_force[i];
    if (i < ne) {
      d->efc_state[i++] = mjCNSTRSTATE_QUADRATIC;
    } else if (i < ne + nf) {
      mjtNum loss = d->efc_frictionloss[i];
      d->efc_state[i++] = f >= loss    ? mjCNSTRSTATE_LINEARNEG
                          : f <= -loss ? mjCNSTRSTATE_LINEARPOS
                                       : mjCNSTRSTATE_QUADRATIC;
    } else if (d->efc_type[i] == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact* con = d->contact + d->efc_id[i];
      mjtNum T = 0;
      for (int j = 1; j < con->dim; j++) {
        mjtNum t = d->efc_force[i + j] / con->friction[j - 1];
        T += t * t;
      }
      int state = f <= 0                        ? mjCNSTRSTATE_SATISFIED
                  : sqrt(T) < f * (1 - kOnCone) ? mjCNSTRSTATE_QUADRATIC
                                                : mjCNSTRSTATE_CONE;
      for (int j = 0; j < con->dim; j++) d->efc_state[i + j] = state;
      i += con->dim;
    } else {
      d->efc_state[i++] = f <= 0 ? mjCNSTRSTATE_SATISFIED : mjCNSTRSTATE_QUADRATIC;
    }
  }
}

static int count_changes(const mjData* d, int* before, int* nactive) {
  int n = 0;
  *nactive = 0;
  for (int i = 0; i < d->nefc; i++) {
    n += before[i] != d->efc_state[i];
    before[i] = d->efc_state[i];
    *nactive += d->efc_state[i] != mjCNSTRSTATE_SATISFIED;
  }
  return n;
}

// qacc = a0 + inv(M) J'f
static void dual_finish(const mjModel* m, mjData* d) {
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  mj_solveM(m, d, d->qacc, d->qfrc_constraint, 1);
  mju_addTo(d->qacc, d->qacc_smooth, m->nv);
  mjtNum sum = 0;
  for (int i = 0; i < m->nv; i++) sum += d->qacc[i] * 0;
  if (sum == 0) return;
  // rows with NaN or infinite entries have no solution: the motion is the unconstrained one
  mju_copy(d->qacc, d->qacc_smooth, m->nv);
  mju_zero(d->qfrc_constraint, m->nv);
  mju_zero(d->efc_force, d->nefc);
  dual_state(d);
}

// Forces that follow from the warm start by the primal, or zero where that costs less; and their
// residual.
static void dual_start(const snSweepState* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int nefc = d->nefc;
  mj_mulJacVec(m, d, s->r, d->qacc);
  mju_subFrom(s->r, d->efc_aref, nefc);
  mj_constraintUpdate(m, d, s->r, NULL, 0);
  dual_residual(s);
  mjtNum cost = 0;
  for (int i = 0; i < nefc; i++) cost += d->efc_force[i] * 0.5 * (s->r[i] + d->efc_b[i]);
  if (!(cost < 0)) {
    mju_zero(d->efc_force, nefc);
    mju_copy(s->r, d->efc_b, nefc);
  }
}

static void record(mjData* d, int iter, mjtNum improvement, int nactive, int nchange) {
  if (iter < mjNSOLVER) {
    d->solver[iter] =
        (mjSolverStat){.improvement = improvement, .nactive = nactive, .nchange = nchange};
  }
  d->solver_niter[0] = iter + 1;
}

// Is a cone short of its minimum: left unfinished by the sweep, or at its apex while the cost falls
// along some ray, though not along the normal?
static bool dual_stuck(const snSweepState* s) {
  const mjData* d = s->d;
  if (s->unfinished) return true;
  for (int i = d->ne + d->nf; i < d->nefc;) {
    if (d->efc_type[i] != mjCNSTR_CONTACT_ELLIPTIC) {
      i++;
      continue;
    }
    const mjContact* con = d->contact + d->efc_id[i];
    mjtNum T = 0;
    for (int j = 1; j < con->dim; j++) {
      mjtNum t = con->friction[j - 1] * s->r[i + j];
      T += t * t;
    }
    if (s->f[i] < mjMINVAL && s->r[i] >= 0 && s->r[i] < sqrt(T) * (1 - kOnCone)) return true;
    i += con->dim;
  }
  return false;
}

// One sweep; returns by how much the cost fell.
SN_KERNEL static mjtNum pgs_sweep(snSweepState* s) {
  const mjData* d = s->d;
  int ne = d->ne, nf = d->nf, nefc = d->nefc, i = 0;
  mjtNum fall = 0, res = residual(s, 0);
  for (; i < ne; i++) fall += scalar_visit(s, i, FREE, 0, res, &res);
  for (; i < ne + nf; i++) {
    fall += scalar_visit(s, i, BETWEEN, d->efc_frictionloss[i], res, &res);
  }
  while (i < nefc) {
    if (d->efc_type[i] == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact* con = d->contact + d->efc_id[i];
      fall += cone_visit(s, i, con->dim, con->friction);
      i += con->dim;
      if (i < nefc) res = residual(s, i);
    } else {
      fall += scalar_visit(s, i++, ABOVE, 0, res, &res);
    }
  }
  return fall;
}

// A tolerance below this asks for the optimum, not for where the documented sweeps end.
static const mjtNum kConverged = 1e-12;

void solve_pgs(const mjModel* m, mjData* d, int iterations) {
  int nefc = d->nefc;
  mjtNum scale = 1 / (m->stat.meaninertia * mju_max(1, m->nv));
  mj_mulJacVec(m, d, d->efc_b, d->qacc_smooth);
  linear_term(d->efc_b, d->efc_b, d->efc_aref, nefc);
  snSweepState s = {
      .m = m, .d = d, .f = d->efc_force, .regularized = true, .sparse = mj_isSparse(m)};
  int* before;
  mj_markStack(d);
  if (!d->efc_AR || !dual_make(&s, &before)) {
    mju_copy(d->qacc, d->qacc_smooth, m->nv);
    mju_zero(d->efc_force, nefc);
    mju_zero(d->qfrc_constraint, m->nv);
    dual_state(d);
    mj_freeStack(d);
    return;
  }
  dual_start(&s);
  dual_state(d);
  memcpy(before, d->efc_state, sizeof(int) * (size_t)nefc);
  for (int iter = 0; iter < iterations; iter++) {
    s.unfinished = false;
    mjtNum improvement = scale * pgs_sweep(&s);
    dual_state(d);
    int nactive, nchange = count_changes(d, before, &nactive);
    record(d, iter, improvement, nactive, nchange);
    if (improvement < kConverged && m->opt.tolerance < kConverged) s.fine = dual_stuck(&s);
    if (improvement < m->opt.tolerance && !s.fine) break;
  }
  d->solver_nnz[0] = d->nA;
  mj_freeStack(d);
  dual_finish(m, d);
}

// ---- noslip

// The two edges of a pyramid along one tangent. The sum of their forces, a share of the normal
// force, is kept; their difference is the friction force and is minimized over. Where no dof moves
// along the tangent the difference is zero.
static mjtNum pair_visit(const snSweepState* s, int i) {
  mjtNum A[4], res[2], *f = s->f + i;
  res[0] = residual(s, i);
  res[1] = residual(s, i + 1);
  dual_block(s, i, 2, A);
  mjtNum mid = 0.5 * (f[0] + f[1]), y0 = 0.5 * (f[0] - f[1]);
  mjtNum curve = A[0] + A[3] - A[1] - A[2], slope = res[0] - res[1];
  mjtNum y = curve > mjMINVAL ? mju_clip(y0 - slope / curve, -mid, mid) : 0;
  mjtNum dy = y - y0, old[2] = {f[0], f[1]};
  f[0] = mid + y;
  f[1] = mid - y;
  if (f[0] != old[0]) spread(s, i, f[0] - old[0]);
  if (f[1] != old[1]) spread(s, i + 1, f[1] - old[1]);
  return mju_max(0, -dy * (0.5 * curve * dy + slope));
}

SN_KERNEL static mjtNum noslip_sweep(snSweepState* s) {
  const mjData* d = s->d;
  int nefc = d->nefc, i = d->ne;
  mjtNum fall = 0;
  for (; i < d->ne + d->nf; i++) {
    mjtNum next;
    fall += scalar_visit(s, i, BETWEEN, d->efc_frictionloss[i], residual(s, i), &next);
  }
  while (i < nefc) {
    if (d->efc_type[i] == mjCNSTR_CONTACT_PYRAMIDAL) {
      int n = 2 * (d->contact[d->efc_id[i]].dim - 1);
      for (int j = 0; j < n; j += 2) fall += pair_visit(s, i + j);
      i += n;
    } else if (d->efc_type[i] == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact* con = d->contact + d->efc_id[i];
      fall += cone_visit(s, i, con->dim, con->friction);
      i += con->dim;
    } else {
      i++;
    }
  }
  return fall;
}

void solve_noslip(const mjModel* m, mjData* d, int iterations) {
  int nefc = d->nefc;
  mjtNum scale = 1 / (m->stat.meaninertia * mju_max(1, m->nv));
  snSweepState s = {
      .m = m, .d = d, .f = d->efc_force, .regularized = false, .sparse = mj_isSparse(m)};
  if (!d->efc_AR) return;
  int* before;
  mj_markStack(d);
  if (!dual_make(&s, &before)) {
    mj_freeStack(d);
    return;
  }
  dual_residual(&s);
  memcpy(before, d->efc_state, sizeof(int) * (size_t)nefc);
  int start = d->solver_niter[0];
  for (int iter = 0; iter < iterations; iter++) {
    mjtNum improvement = 0;
    // removing R lowers the cost by 1/2 f'Rf before any force changes
    for (int i = 0; i < nefc && iter == 0; i++) {
      improvement += 0.5 * d->efc_R[i] * d->efc_force[i] * d->efc_force[i];
    }
    improvement = scale * (improvement + noslip_sweep(&s));
    dual_state(d);
    int nactive, nchange = count_changes(d, before, &nactive);
    record(d, start + iter, improvement, nactive, nchange);
    if (improvement < m->opt.noslip_tolerance) break;
  }
  mj_freeStack(d);
  dual_finish(m, d);
}
