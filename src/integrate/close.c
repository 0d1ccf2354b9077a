// Loops closed to rounding after the step (SHAKE and RATTLE), for models with the text
// "sinew:loops" = "closed".
//
// Soft equalities leave a gap: their force comes from an error. Behind the integrator, positions
// take Newton's steps on the residual r(q) of all active equalities along inv(M) J', until
// |r| <= CLOSED, and the new velocity has the impulse that would have led there, less what would
// open the loops again:
//
//   q <- q - inv(M) J' inv(A) r                A = J inv(M) J', J at the newest q
//   v <- v + inv(M) J0' inv(A0) J0 dq / h      dq: by how far positions were moved
//   v <- v - inv(M') J' inv(A') J v
//
// J0 and M are of the step's beginning, J and M' of its end: half of the impulse that bends the
// motion along the surface is given at either end, each along the normal of its place and in the
// metric of its place. With bias forces at the velocity of the position's time (centre_bias) the
// step is of second order on the surface of the equalities, and its energy does not drift: within
// 1% at a millisecond on a four-bar linkage, where one metric for both ends loses a quarter.
// The metric inv(M) moves the system least in the sense of Gauss's principle. Newton's method on
// positions converges as fast with any metric: there M is the one of the step. Rows that
// repeat others (a second loop of the same bodies, a weld over a connect) have a pivot of A that is
// rounding: they are left out of the factor, and held by the rows that they repeat.
//
// Loops that contradict each other cannot be closed. Then no Newton step is taken that does not
// make the residual smaller, the warning says so once, and the soft equalities are left to
// compromise.
#include <math.h>
#include <string.h>

#include "constrain/constrain.h"
#include "data/frame.h"
#include "integrate/integrate.h"
#include "smooth/smooth.h"

#define CLOSED 2e-10     // m or rad: closed
#define STILL 1e-9       // share of the velocity at which a loop may open
#define SHRINKS 0.3      // by so much a step must make the residual smaller
#define DEPENDENT 1e-10  // a pivot of A below this share of its diagonal is rounding
#define OPEN 1e-6        // m or rad: loops that stay farther open contradict each other
#define LONGEST 0.1  // of a Newton step, in units of qvel x 1 s: farther, the linear model is none
#define SMOOTH 0.05  // rad in a step: faster, what is of second order gains energy
enum { MOST_STEPS = 8, MOST_HALVINGS = 6 };

// What the residuals depend on, at d->qpos. Rows need mj_comPos too.
static void renew_positions(const mjModel* m, mjData* d) {
  mj_kinematics(m, d);
  if (m->nflex) mj_flex(m, d);
  if (m->ntendon) mj_tendon(m, d);
}

// A = L D L', row by row; a dependent row has D = 0 and no column.
static void factor(mjtNum* A, mjtNum* D, int n) {
  for (int i = 0; i < n; i++) {
    mjtNum* Li = A + i * n;
    for (int j = 0; j < i; j++) {
      mjtNum sum = Li[j];
      const mjtNum* Lj = A + j * n;
      for (int k = 0; k < j; k++) sum -= Li[k] * Lj[k] * D[k];
      Li[j] = D[j] > 0 ? sum / D[j] : 0;
    }
    mjtNum pivot = Li[i];
    for (int k = 0; k < i; k++) pivot -= Li[k] * Li[k] * D[k];
    D[i] = pivot > DEPENDENT * Li[i] ? pivot : 0;
  }
}

static void solve(const mjtNum* L, const mjtNum* D, int n, mjtNum* x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    if (D[i] == 0) x[i] = 0;
  }
  for (int i = 0; i < n; i++) x[i] = D[i] > 0 ? x[i] / D[i] : 0;
  for (int i = n - 1; i >= 0; i--) {
    if (D[i] == 0) continue;
    for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
  }
}

typedef struct snClose_ {
  snEqualities eq;
  mjtNum *X, *A, *D, *x;  // half solved rows, factor of A, right-hand side
  mjtNum* scale;          // (nv)
} snClose;

// The factor of A = X X', with X = J inv(L) inv(sqrt(D)) of M = L'D L.
static void factor_again(const mjModel* m, mjData* d, snClose* c) {
  int n = c->eq.n, nv = m->nv;
  for (int i = 0; i < nv; i++) c->scale[i] = sqrt(d->qLDiagInv[i]);
  mj_solveM2(m, d, c->X, c->eq.J, c->scale, n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      c->A[i * n + j] = mju_dot(c->X + i * nv, c->X + j * nv, nv);
    }
  }
  factor(c->A, c->D, n);
}

// The factor of A, for rows that are there.
static bool factor_rows(const mjModel* m, mjData* d, snMemory* memory, snClose* c) {
  size_t n = (size_t)c->eq.n, nv = (size_t)m->nv;
  if (!n) return true;
  if (!FRAME(memory, SN_ARRAY(c->X, n * nv), SN_ARRAY(c->A, n * n), SN_ARRAY(c->D, n),
             SN_ARRAY(c->x, n), SN_ARRAY(c->scale, nv))) {
    return false;
  }
  factor_again(m, d, c);
  return true;
}

// The rows of the step's beginning, which efc_J still holds.
static bool prepare_first(const mjModel* m, mjData* d, snMemory* memory, snClose* c) {
  c->eq = (snEqualities){.n = d->ne};
  if (!d->ne) return true;
  if (!FRAME(memory, SN_ARRAY(c->eq.J, (size_t)d->ne * (size_t)m->nv))) return false;
  if (mj_isSparse(m)) {
    mju_sparse2dense(c->eq.J, d->efc_J, d->ne, m->nv, d->efc_J_rownnz, d->efc_J_rowadr,
                     d->efc_J_colind);
  } else {
    mju_copy(c->eq.J, d->efc_J, d->ne * m->nv);
  }
  return factor_rows(m, d, memory, c);
}

// Rows and factors at d->qpos, on the frame.
static bool prepare(const mjModel* m, mjData* d, snMemory* memory, snClose* c) {
  renew_positions(m, d);
  mj_comPos(m, d);
  return constrain_equalities(m, d, memory, &c->eq) && factor_rows(m, d, memory, c);
}

// change = -inv(M) J' inv(A) x with J of `rows` and A of `c`; x is lost.
static void project_along(const mjModel* m, mjData* d, const snClose* c, const mjtNum* J, mjtNum* x,
                          mjtNum* change) {
  solve(c->A, c->D, c->eq.n, x);
  mju_mulMatTVec(change, J, x, c->eq.n, m->nv);
  mj_solveM(m, d, change, change, 1);
  mju_scl(change, change, -1, m->nv);
}

static void project(const mjModel* m, mjData* d, const snClose* c, mjtNum* change) {
  project_along(m, d, c, c->eq.J, c->x, change);
}

static mjtNum largest(const mjtNum* x, int n) {
  mjtNum most = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  }
  return most;
}

// v += sign * change, unless it is NaN or infinite
static void change_velocity(const mjModel* m, mjData* d, const mjtNum* change, mjtNum sign) {
  if (largest(change, m->nv) < mjMAXVAL) mju_addToScl(d->qvel, change, sign, m->nv);
}

// v loses what would open the loops, at positions where they are closed as far as they go. A of the
// step's beginning is close to A' = J inv(M') J': the difference falls by a factor of h with each
// repetition. Where it does not, A' is factored.
static void close_velocity(const mjModel* m, mjData* d, snMemory* memory, const snClose* first,
                           mjtNum* change) {
  snClose c = {0};
  frame_open(memory);
  mj_comPos(m, d);
  mj_makeM(m, d);
  mj_factorM(m, d);
  if (constrain_equalities(m, d, memory, &c.eq) && c.eq.n) {
    mjtNum before = mjMAXVAL, enough = STILL * (1 + largest(d->qvel, m->nv));
    bool same = c.eq.n == first->eq.n, factored = false;
    mjtNum* rate = c.eq.r;  // residuals are no longer needed
    for (int i = 0; i < MOST_STEPS; i++) {
      mju_mulMatVec(rate, c.eq.J, d->qvel, c.eq.n, m->nv);
      mjtNum now = largest(rate, c.eq.n);
      if (!(now > enough) || (factored && !(now < SHRINKS * before))) break;
      if (!factored && (!same || !(now < SHRINKS * before))) {
        if (!factor_rows(m, d, memory, &c)) break;
        factored = true;
      }
      before = now;
      project_along(m, d, factored ? &c : first, c.eq.J, rate, change);
      change_velocity(m, d, change, 1);
    }
  }
  frame_close(memory);
}

static void move(const mjModel* m, mjData* d, const mjtNum* change) {
  mjtNum length = largest(change, m->nv);
  manifold_integrate_moving(m, d, d->qpos, change, length > LONGEST ? LONGEST / length : 1);
}

// Newton's steps with A, J and M of the step's beginning: each makes the residual smaller by a
// factor of h. What is left of rows that repeat others cannot be closed, and the step that they ask
// for is zero. The largest residual, or mjMAXVAL where the steps do not get shorter or loops
// contradict each other.
static mjtNum close_by_chords(const mjModel* m, mjData* d, const snClose* first, mjtNum* change) {
  mjtNum before = mjMAXVAL;
  for (int i = 0; i <= MOST_STEPS; i++) {
    renew_positions(m, d);
    if (!constrain_residuals(m, d, first->x)) break;
    mjtNum gap = largest(first->x, first->eq.n);
    if (gap <= CLOSED) return gap;
    project(m, d, first, change);
    mjtNum length = largest(change, m->nv);
    if (length <= CLOSED && gap <= OPEN) return gap;
    if (!(length < SHRINKS * before)) break;
    before = length;
    move(m, d, change);
  }
  return mjMAXVAL;
}

// Newton's method, for loops that are far open, singular or contradict each other. A step that
// does not make the residual smaller is halved, a few times. Returns the largest residual.
static mjtNum close_by_newton(const mjModel* m, mjData* d, snMemory* memory, mjtNum* change,
                              mjtNum* kept) {
  mjtNum before = mjMAXVAL;
  int halved = 0;
  for (int i = 0; i <= MOST_STEPS + MOST_HALVINGS; i++) {
    snClose c = {0};
    frame_open(memory);
    bool good = prepare(m, d, memory, &c) && c.eq.n;
    mjtNum gap = good ? largest(c.eq.r, c.eq.n) : 0;
    bool worse = good && !(gap < before);
    if (worse) {
      mju_copy(d->qpos, kept, m->nq);
      mju_scl(change, change, .5, m->nv);
      good = ++halved <= MOST_HALVINGS && before > OPEN;
    } else if (good) {
      before = gap;
      good = gap > CLOSED;
      mju_copy(kept, d->qpos, m->nq);
      mju_copy(c.x, c.eq.r, c.eq.n);
      if (good) project(m, d, &c, change);
      good = good && largest(change, m->nv) < mjMAXVAL;
    } else {
      before = 0;
    }
    if (good) move(m, d, change);
    frame_close(memory);
    if (!good) break;
  }
  renew_positions(m, d);
  return before;
}

// The velocity that Euler's method keeps is that of half a step before, v - h/2 a at the time of
// the positions. Bias forces are of the second degree in it: taken at v + h/2 a the step is one of
// second order, and energy does not drift with h. Here v is the one behind the integrator, and M,
// poses and qfrc_bias are those of the step's beginning.
static void centre_bias(const mjModel* m, mjData* d, const snClose* first, mjtNum* change) {
  mjtNum h = m->opt.timestep, *after, *cvel, *dot;
  size_t nv = (size_t)m->nv, nbody = (size_t)m->nbody;
  snMemory* memory = memory_of(d);
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(after, nv), SN_ARRAY(cvel, 6 * nbody), SN_ARRAY(dot, 6 * nv))) {
    mju_copy(after, d->qvel, m->nv);
    mju_copy(cvel, d->cvel, 6 * m->nbody);
    mju_copy(dot, d->cdof_dot, 6 * m->nv);
    mju_addToScl(d->qvel, d->qacc, -h / 2, m->nv);
    // along the equalities; across them, velocity is that of the position's time
    if (first->eq.n) {
      mju_mulMatVec(first->x, first->eq.J, d->qvel, first->eq.n, m->nv);
      project(m, d, first, change);
      mju_addTo(d->qvel, change, m->nv);
    }
    mj_comVel(m, d);
    mj_rne(m, d, 0, change);
    if (m->ntendon) tendon_bias(m, d, change);
    mju_subFrom(change, d->qfrc_bias, m->nv);
    mj_solveM(m, d, change, change, 1);
    mju_copy(d->qvel, after, m->nv);
    mju_copy(d->cvel, cvel, 6 * m->nbody);
    mju_copy(d->cdof_dot, dot, 6 * m->nv);
    mju_scl(change, change, -h, m->nv);
    if (largest(change, m->nv) < mjMAXVAL) {
      mju_addTo(d->qvel, change, m->nv);
      manifold_integrate_moving(m, d, d->qpos, change, h);
    }
  }
  frame_close(memory);
}

// Positions have moved by h times the velocity of the step's end. Across the equalities that is h^2
// a / 2 too far, a = inv(M) J0' f: taken back, the residual is of third order in h.
static void halve_forces(const mjModel* m, mjData* d, const snClose* first, mjtNum* change) {
  mju_mulMatTVec(change, first->eq.J, d->efc_force, first->eq.n, m->nv);
  mj_solveM(m, d, change, change, 1);
  mju_scl(change, change, -m->opt.timestep * m->opt.timestep / 2, m->nv);
  if (largest(change, m->nv) < LONGEST) manifold_integrate_moving(m, d, d->qpos, change, 1);
}

void integrate_close(const mjModel* m, mjData* d) {
  snMemory* memory = memory_of(d);
  mjtNum *change, *kept, *open;
  snClose first = {0};
  frame_open(memory);
  if (!FRAME(memory, SN_ARRAY(change, m->nv), SN_ARRAY(kept, m->nq), SN_ARRAY(open, m->nq)) ||
      !prepare_first(m, d, memory, &first)) {
    frame_close(memory);
    return;
  }
  bool euler = m->opt.integrator != mjINT_RK4;
  bool centred = euler && m->opt.integrator != mjINT_IMPLICIT;
  if (centred && m->opt.timestep * largest(d->qvel, m->nv) < SMOOTH) {
    centre_bias(m, d, &first, change);
  }
  mju_copy(open, d->qpos, m->nq);
  mjtNum gap = mjMAXVAL;
  if (first.eq.n) {
    if (euler) halve_forces(m, d, &first, change);
    gap = close_by_chords(m, d, &first, change);
  }
  if (gap == mjMAXVAL) {
    mju_copy(d->qpos, open, m->nq);
    gap = close_by_newton(m, d, memory, change, kept);
  }
  if (first.eq.n) {
    mj_differentiatePos(m, change, m->opt.timestep, open, d->qpos);
    mju_mulMatVec(first.x, first.eq.J, change, first.eq.n, m->nv);
    project(m, d, &first, change);
    change_velocity(m, d, change, -1);
  }
  close_velocity(m, d, memory, &first, change);
  if (d->time < 1.5 * m->opt.timestep && !(gap <= OPEN)) {
    mju_warning("sinew:loops: equalities contradict each other by %g; Time = %.4f", gap, d->time);
  }
  frame_close(memory);
}
