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
//   v <- v - inv(M) J' inv(A) J v
//
// J0 is of the step's beginning: impulses along J0', and not along the newest J', make the step a
// symplectic one on the surface of the equalities, whose energy does not drift.
// The metric inv(M) moves the system least in the sense of Gauss's principle; M is the one of the
// step, since Newton's method converges as fast with any metric and J alone must be new. Rows that
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

#define CLOSED 1e-13     // m or rad: what rounding leaves of a residual
#define DEPENDENT 1e-10  // a pivot of A below this share of its diagonal is rounding
#define OPEN 1e-6        // m or rad: loops that stay farther open contradict each other
#define LONGEST 0.1  // of a Newton step, in units of qvel x 1 s: farther, the linear model is none
enum { MOST_STEPS = 8 };

bool integrate_closes(const mjModel* m) {
  const char* loops = m->neq ? asked_text(m, "sinew:loops") : NULL;
  return loops && !strcmp(loops, "closed");
}

// What the residuals depend on, at d->qpos.
static void renew_positions(const mjModel* m, mjData* d) {
  mj_kinematics(m, d);
  mj_comPos(m, d);
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
  mjtNum *W, *A, *D, *x;  // rows of J inv(M), factors of A, right-hand side
} snClose;

// J inv(M) and the factor of A, for rows that are there.
static bool factor_rows(const mjModel* m, mjData* d, snMemory* memory, snClose* c) {
  size_t n = (size_t)c->eq.n, nv = (size_t)m->nv;
  if (!n) return true;
  if (!FRAME(memory, SN_ARRAY(c->W, n * nv), SN_ARRAY(c->A, n * n), SN_ARRAY(c->D, n),
             SN_ARRAY(c->x, n))) {
    return false;
  }
  mj_solveM(m, d, c->W, c->eq.J, c->eq.n);
  mju_mulMatMatT(c->A, c->eq.J, c->W, c->eq.n, m->nv, c->eq.n);
  factor(c->A, c->D, c->eq.n);
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
  return constrain_equalities(m, d, memory, &c->eq) && factor_rows(m, d, memory, c);
}

// change = -inv(M) J' inv(A) x; x is lost.
static void project(const mjModel* m, const snClose* c, mjtNum* change) {
  solve(c->A, c->D, c->eq.n, c->x);
  mju_mulMatTVec(change, c->W, c->x, c->eq.n, m->nv);
  mju_scl(change, change, -1, m->nv);
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

// Positions are where the loops are closed as far as they go, the rows of `c` those of that place.
static void close_velocity(const mjModel* m, mjData* d, const snClose* first, const snClose* c,
                           const mjtNum* open, mjtNum* change) {
  if (first->eq.n) {
    mj_differentiatePos(m, change, m->opt.timestep, open, d->qpos);
    mju_mulMatVec(first->x, first->eq.J, change, first->eq.n, m->nv);
    project(m, first, change);
    change_velocity(m, d, change, -1);
  }
  mju_mulMatVec(c->x, c->eq.J, d->qvel, c->eq.n, m->nv);
  project(m, c, change);
  change_velocity(m, d, change, 1);
}

// One Newton step; false, and none is made, when it is not finite.
static bool close_position(const mjModel* m, mjData* d, const snClose* c, mjtNum* change,
                           mjtNum* kept) {
  mju_copy(kept, d->qpos, m->nq);
  mju_copy(c->x, c->eq.r, c->eq.n);
  project(m, c, change);
  mjtNum length = largest(change, m->nv);
  if (!(length < mjMAXVAL)) return false;
  manifold_integrate_moving(m, d, d->qpos, change, length > LONGEST ? LONGEST / length : 1);
  return true;
}

void integrate_close(const mjModel* m, mjData* d) {
  snMemory* memory = memory_of(d);
  mjtNum *change, *kept, *open, gap = mjMAXVAL;
  snClose first = {0}, c = {0};
  frame_open(memory);
  if (!FRAME(memory, SN_ARRAY(change, m->nv), SN_ARRAY(kept, m->nq), SN_ARRAY(open, m->nq)) ||
      !prepare_first(m, d, memory, &first)) {
    frame_close(memory);
    return;
  }
  mju_copy(open, d->qpos, m->nq);
  for (int i = 0; i <= MOST_STEPS; i++) {
    frame_open(memory);
    if (!prepare(m, d, memory, &c) || !c.eq.n) {
      frame_close(memory);
      break;
    }
    mjtNum before = gap;
    gap = largest(c.eq.r, c.eq.n);
    bool worse = !(gap < before);  // rounding, or loops that contradict each other
    if (worse) {
      mju_copy(d->qpos, kept, m->nq);
      renew_positions(m, d);
      gap = before;
    }
    if (worse || gap <= CLOSED || i == MOST_STEPS || !close_position(m, d, &c, change, kept)) {
      close_velocity(m, d, &first, &c, open, change);
      frame_close(memory);
      break;
    }
    frame_close(memory);
  }
  if (d->time < 1.5 * m->opt.timestep && c.eq.n && !(gap <= OPEN)) {
    mju_warning("sinew:loops: equalities contradict each other by %g; Time = %.4f", gap, d->time);
  }
  frame_close(memory);
}
