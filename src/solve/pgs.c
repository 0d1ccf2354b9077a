// Projected Gauss-Seidel on the dual, and noslip, which is the same sweep over friction alone with
// the regularizer taken out.
//
//   min_f 1/2 f'(A + R) f + f'b,  f in Omega
//
// Rows are visited in order; each takes the value that is best given all others. The rows of an
// elliptic cone go together: first along the ray from the tip of the cone through f, then within
// the slice of the cone at the height of the normal force, an ellipsoid.
#include <string.h>

#include "solve/problem.h"

// The residual r = (A + R) f + b is kept for all rows: a row that does not move costs nothing, one
// that moves adds its row of A to r.
typedef struct snSweepState_ {
  const mjModel* m;
  mjData* d;
  mjtNum* f;
  mjtNum* r;         // (nefc)
  mjtNum* diagonal;  // (nefc) of A + R
  mjtNum* inverse;   // (nefc) of diagonal
  bool regularized;  // A + R, or A alone
  bool sparse;       // rows of A by index, or at full width
  const mjtNum* A;   // A + R as it is shown, or brought to full width
  int stride;        // of its rows at full width
  int* range;        // (2 nefc) where rows brought to full width, in whole lanes, are not zero
  // Sweeps move as the documented solver's do; once they rest, what it leaves unfinished is
  // finished, and the tip of a cone is left along the steepest ray where the normal does not help.
  bool fine;
  bool unfinished;  // of this sweep: a ray or a slice that was left so
} snSweepState;

// f_i has moved by delta
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

SN_INLINE mjtNum residual(const snSweepState* s, int i) {
  return s->regularized ? s->r[i] : s->r[i] - s->d->efc_R[i] * s->f[i];
}

SN_KERNEL static void dual_residual(const snSweepState* s) {
  const mjData* d = s->d;
  int n = d->nefc;
  memcpy(s->r, d->efc_b, sizeof(mjtNum) * (size_t)n);
  for (int i = 0; i < n; i++) {
    if (s->f[i] != 0) spread(s, i, s->f[i]);
  }
}

// Up to this many rows a sweep at full width is quicker, unless nearly all of it is zero.
enum { WIDE_ROWS = 128, WIDE_FILL = 8 };

// Rows at full width, each at the beginning of a lane, and their ranges; false without memory.
static bool dual_widen(snSweepState* s) {
  mjData* d = s->d;
  int n = d->nefc, stride = (n + 3) & ~3;
  mjtNum* A = mj_stackAllocByte(d, sizeof(mjtNum) * (size_t)n * (size_t)stride, 32);
  s->range = mj_stackAllocInt(d, 2 * (size_t)n);
  if (!A || !s->range) return false;
  memset(A, 0, sizeof(mjtNum) * (size_t)n * (size_t)stride);
  for (int i = 0; i < n; i++) {
    mjtNum* to = A + (size_t)i * (size_t)stride;
    int first = 0, last = n - 1;
    if (s->sparse) {
      const int* col = d->efc_AR_colind + d->efc_AR_rowadr[i];
      const mjtNum* row = d->efc_AR + d->efc_AR_rowadr[i];
      int num = d->efc_AR_rownnz[i];
      for (int k = 0; k < num; k++) to[col[k]] = row[k];
      first = col[0], last = col[num - 1];  // ascending
    } else {
      memcpy(to, d->efc_AR + (size_t)i * (size_t)n, sizeof(mjtNum) * (size_t)n);
      while (first < i && to[first] == 0) first++;
      while (last > i && to[last] == 0) last--;
    }
    s->range[2 * i] = first & ~3;
    s->range[2 * i + 1] = (last & ~3) + 4;
  }
  s->A = A;
  s->stride = stride;
  s->sparse = false;
  return true;
}

// False when there is no memory.
static bool dual_make(snSweepState* s) {
  mjData* d = s->d;
  int n = d->nefc;
  size_t lanes = ((size_t)n + 3) & ~(size_t)3;
  s->r = mj_stackAllocByte(d, sizeof(mjtNum) * (lanes + 2 * (size_t)n), 32);
  if (!s->r) return false;
  memset(s->r, 0, sizeof(mjtNum) * lanes);
  s->diagonal = s->r + lanes;
  s->inverse = s->diagonal + n;
  s->A = d->efc_AR;
  s->stride = n;
  if (n <= WIDE_ROWS && (!s->sparse || WIDE_FILL * d->nA >= n * n) && !dual_widen(s)) return false;
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

// Entry (i, j) for j in [i0, i0+n) of the rows [i0, i0+n): they share a tree, so they stand
// together.
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
    for (int c = 0; c < n; c++) A[r * n + c] = s->A[at + c];
    // a direction that nothing moves in keeps this much, as the documented solver's does
    if (!s->regularized) A[r * n + r] = mju_max(1e-10, A[r * n + r] - d->efc_R[i0 + r]);
  }
}

// ---- min 1/2 z'Az + z'b subject to |z| <= r, at most 5 unknowns

// (A + lambda) z = -b by Cholesky; false when it is not positive. Also dz/dlambda.z for Newton.
static bool shifted_solve(int n, const mjtNum* A, const mjtNum* b, mjtNum lambda, mjtNum* z,
                          mjtNum* slope) {
  if (n == 2) {
    mjtNum a = A[0] + lambda, c = A[3] + lambda, o = A[1], det = a * c - o * o;
    if (!(a > mjMINVAL && det > mjMINVAL * a)) return false;
    z[0] = (o * b[1] - c * b[0]) / det;
    z[1] = (o * b[0] - a * b[1]) / det;
    *slope = -2 * (c * z[0] * z[0] - 2 * o * z[0] * z[1] + a * z[1] * z[1]) / det;
    return true;
  }
  mjtNum L[25], w[5] = {0};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      mjtNum sum = A[i * n + j] + (i == j ? lambda : 0);
      for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
      if (i == j) {
        if (!(sum > mjMINVAL)) return false;
        L[i * n + i] = sqrt(sum);
      } else {
        L[i * n + j] = sum / L[j * n + j];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    mjtNum sum = -b[i];
    for (int k = 0; k < i; k++) sum -= L[i * n + k] * w[k];
    w[i] = sum / L[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    mjtNum sum = w[i];
    for (int k = i + 1; k < n; k++) sum -= L[k * n + i] * z[k];
    z[i] = sum / L[i * n + i];
  }
  // d|z|^2/dlambda = -2 z' inv(A + lambda) z
  *slope = 0;
  for (int i = 0; i < n; i++) {
    mjtNum sum = z[i];
    for (int k = 0; k < i; k++) sum -= L[i * n + k] * w[k];
    w[i] = sum / L[i * n + i];
    *slope -= 2 * w[i] * w[i];
  }
  return true;
}

static mjtNum ball_excess(int n, const mjtNum* z, mjtNum r) { return vector_dot(z, z, n) - r * r; }

static void ball_clip(int n, mjtNum r, mjtNum* z) {
  mjtNum norm = sqrt(vector_dot(z, z, n)), scale = norm > r ? r / norm : 1;
  for (int i = 0; i < n; i++) z[i] *= scale;
}

// The multiplier of the one constraint solves |z(lambda)|^2 = r^2: Newton from the left on a convex
// decreasing function never passes the root, but comes to it slowly from afar. As the documented
// solver does it: at most 20 points, ended by absolute measures. False, and zero, where A is not
// positive.
static bool ball_root(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z, mjtNum* root,
                      mjtNum* excess) {
  const mjtNum small = 1e-10;
  mjtNum lambda = 0, slope;
  *root = *excess = 0;
  for (int iter = 0; iter < 20; iter++) {
    if (!shifted_solve(n, A, b, lambda, z, &slope)) {
      for (int i = 0; i < n; i++) z[i] = 0;
      return false;
    }
    *excess = ball_excess(n, z, r);
    if (*excess < small || -*excess > small * slope) break;
    lambda -= *excess / slope;
  }
  *root = lambda;
  return true;
}

// False where that is not the minimum.
static bool ball_walk(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z) {
  mjtNum lambda, excess;
  if (!ball_root(n, A, b, r, z, &lambda, &excess)) return false;
  bool finished = excess <= 1e-12 * r * r;
  // back to the ball, unless the first point already counted as one of it
  if (lambda > 0) ball_clip(n, r, z);
  return finished;
}

// Exported without a declaration by the released library: min 1/2 x'Ax + x'b subject to
// sum (x_i/d_i)^2 <= r^2, in the ball of x_i/d_i. Returns whether the bound is met.
static int ellipsoid_minimum(int n, mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* d,
                             mjtNum r) {
  mjtNum scaled[9], pull[3], lambda, excess;
  for (int i = 0; i < n; i++) {
    pull[i] = d[i] * b[i];
    for (int j = 0; j < n; j++) scaled[n * i + j] = d[i] * A[n * i + j] * d[j];
  }
  ball_root(n, scaled, pull, r, x, &lambda, &excess);
  for (int i = 0; i < n; i++) x[i] *= d[i];
  return lambda != 0;
}

MJAPI int mju_QCQP2(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r);
MJAPI int mju_QCQP3(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r);
int mju_QCQP2(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r) {
  return ellipsoid_minimum(2, res, A, b, d, r);
}
int mju_QCQP3(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r) {
  return ellipsoid_minimum(3, res, A, b, d, r);
}

// The same to the end: the root of 1/|z| - 1/r is found faster than that of |z|^2 - r^2.
static void ball_minimum(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z) {
  mjtNum lambda = 0, slope, floor = 0;
  for (int i = 0; i < n; i++) z[i] = 0;
  if (r < mjMINVAL) return;
  for (int i = 0; i < n; i++) floor = mju_max(floor, A[i * n + i]);
  for (int iter = 0; iter < 40; iter++) {
    if (!shifted_solve(n, A, b, lambda, z, &slope)) {
      lambda = lambda > 0 ? 2 * lambda : mju_max(mjMINVAL, 1e-12 * floor);
      continue;
    }
    mjtNum excess = ball_excess(n, z, r);
    if (excess <= 1e-14 * r * r) {
      if (lambda == 0 || excess > -1e-10 * r * r) break;
    }
    if (slope >= -mjMINVAL) break;
    mjtNum norm2 = excess + r * r, norm = sqrt(norm2);
    mjtNum step = 2 * norm2 * (norm - r) / (r * -slope);
    if (lambda + step < 0) step = -0.5 * lambda;
    if (fabs(step) <= 1e-15 * (lambda + floor)) break;
    lambda += step;
  }
  ball_clip(n, r, z);
}

// Friction cannot be told where it moves nothing in some direction: a determinant (a pivot, where
// there are more than three directions) below the least that the documented solver takes for one.
static bool slice_singular(const mjtNum* A, int n) {
  const mjtNum least = 1e-10;
  mjtNum L[25], det = 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      mjtNum sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
      if (i == j && !(n > 3 ? sum >= least : sum > 0)) return true;
      L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
      if (i == j) det *= sum;
    }
  }
  return n <= 3 && det < least;
}

// Friction of a contact at fixed normal force: f_j = mu_j z_j with |z| <= f_0. None where it cannot
// be told; the caller then keeps what is cheaper.
static void slice_update(snSweepState* s, const mjtNum* A, int dim, const mjtNum* res,
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
  } else if (slice_singular(As, n) || !ball_walk(n, As, bs, f[0], z)) {
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

// The forces in f move by delta: r follows.
static void cone_spread(const snSweepState* s, int i, int dim, const mjtNum* delta) {
  for (int j = 0; j < dim; j++) {
    if (delta[j] != 0) spread(s, i + j, delta[j]);
  }
}

static mjtNum cone_visit(snSweepState* s, int i, int dim, const mjtNum* mu) {
  mjtNum A[36] = {0}, res[6] = {0}, old[6], delta[6], *f = s->f + i;
  for (int j = 0; j < dim; j++) {
    res[j] = residual(s, i + j);
    old[j] = f[j];
  }
  dual_block(s, i, dim, A);
  if (s->regularized) {
    // the ray through f, with unit normal force; at the tip every ray is open, and the normal comes
    // first
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
    // the documented ray has the length of f: it does not move forces of the size of rounding
    mjtNum length2 = s->fine || f[0] < mjMINVAL ? 1 : f[0] * f[0];
    if (curve * length2 > mjMINVAL) {
      mjtNum t = mju_max(-f[0], -slope / curve);
      for (int j = 0; j < dim; j++) f[j] += t * ray[j];
    } else {
      s->unfinished = true;
    }
  }
  if (f[0] < mjMINVAL) {
    for (int j = 1; j < dim; j++) f[j] = 0;
  } else {
    mjtNum moved[6];
    for (int j = 0; j < dim; j++) {
      moved[j] = res[j];
      for (int k = 0; k < dim; k++) moved[j] += A[j * dim + k] * (f[k] - old[k]);
    }
    slice_update(s, A, dim, moved, mu, f);
  }
  for (int j = 0; j < dim; j++) delta[j] = f[j] - old[j];
  mjtNum change = cost_change(A, dim, delta, res);
  if (!(change <= 1e-10 * (1 + fabs(vector_dot(delta, res, dim))))) {
    for (int j = 0; j < dim; j++) f[j] = old[j];
    return 0;
  }
  cone_spread(s, i, dim, delta);
  return mju_max(0, -change);
}

// Bounds of a force.
typedef enum snBound_ { FREE, ABOVE, BETWEEN } snBound;

// A row of its own. Each waits for the one before: `next` is the residual of the row behind it, at
// hand before it is found in memory.
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

// ---- what a force vector says about the rows

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
      int state = f <= 0                     ? mjCNSTRSTATE_SATISFIED
                  : sqrt(T) < f * (1 - 1e-9) ? mjCNSTRSTATE_QUADRATIC
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
  // rows that are no numbers have no solution
  mju_copy(d->qacc, d->qacc_smooth, m->nv);
  mju_zero(d->qfrc_constraint, m->nv);
  mju_zero(d->efc_force, d->nefc);
  dual_state(d);
}

static void linear_term(const mjModel* m, mjData* d) {
  mj_mulJacVec(m, d, d->efc_b, d->qacc_smooth);
  mju_subFrom(d->efc_b, d->efc_aref, d->nefc);
}

// Forces that the warm start implies, unless no force at all is better; and their residual.
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

// Is there a ray or slice that was left unfinished, or a cone at its tip from which the cost falls
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
    if (s->f[i] < mjMINVAL && s->r[i] >= 0 && s->r[i] < sqrt(T) * (1 - 1e-9)) return true;
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

void solve_pgs(const mjModel* m, mjData* d, int iterations) {
  int nefc = d->nefc;
  mjtNum scale = 1 / (m->stat.meaninertia * mju_max(1, m->nv));
  linear_term(m, d);
  snSweepState s = {
      .m = m, .d = d, .f = d->efc_force, .regularized = true, .sparse = mj_isSparse(m)};
  mj_markStack(d);
  int* before = mj_stackAllocInt(d, nefc);
  if (!d->efc_AR || !before || !dual_make(&s)) {
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
    // a tolerance below this asks for the optimum, not for where the documented sweeps rest
    const mjtNum rest = 1e-12;
    if (improvement < rest && m->opt.tolerance < rest) s.fine = dual_stuck(&s);
    if (improvement < m->opt.tolerance && !s.fine) break;
  }
  d->solver_nnz[0] = d->nA;
  mj_freeStack(d);
  dual_finish(m, d);
}

// ---- noslip

// The two edges of a pyramid in one direction hold the sum of their forces, which is their share of
// the normal force, and divide it anew: in halves where nothing moves.
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
  mj_markStack(d);
  int* before = mj_stackAllocInt(d, nefc);
  if (!before || !dual_make(&s)) {
    mj_freeStack(d);
    return;
  }
  dual_residual(&s);
  memcpy(before, d->efc_state, sizeof(int) * (size_t)nefc);
  int start = d->solver_niter[0];
  for (int iter = 0; iter < iterations; iter++) {
    mjtNum improvement = 0;
    // taking R out lowers the cost before anything moves
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
