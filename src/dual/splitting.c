// Projective splitting (Algorithm 5): sweep over the blocks, solve each with the others held,
// relax.
//
// Every block is solved with its diagonal block of D + R, shifted by a small multiple of the
// identity about the present f: a singular block keeps what it cannot determine, and where the
// sweep stands still the shift does nothing.
#include <math.h>
#include <string.h>

#include "dual/private.h"

#define SHIFT 1e-10  // of the block's mean diagonal

void splitting_defaults(snSolverSettings* set) {
  set->iterations = 1000;
  set->omega = 1;
  set->omega_min = 1;
  set->omega_decay = 0.95;
}

size_t splitting_scratch(int n, int nblock) { return (2 * DUAL_MAXCONE + 4) * (size_t)n + 8; }

// Free blocks may have any size: they are solved in pieces no larger than a cone.
SN_INLINE int piece_rows(const snDualBlock* b, int at) {
  int left = b->nrow - at;
  return left < DUAL_MAXCONE ? left : DUAL_MAXCONE;
}

// D_kk + R + shift and its factor for all pieces, each at DUAL_MAXCONE times its first row.
static void make_diagonal(const snDual* p, mjtNum* D, mjtNum* L) {
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int at = 0; at < b->nrow; at += DUAL_MAXCONE) {
      int row = b->row + at, n = piece_rows(b, at);
      mjtNum *B = D + (size_t)row * DUAL_MAXCONE, trace = 0;
      p->D->block(p->D, row, n, B);
      for (int i = 0; i < n; i++) {
        if (p->R) B[i * n + i] += p->R[row + i];
        trace += B[i * n + i];
      }
      mjtNum shift = fmax(SHIFT * trace / n, mjMINVAL);
      for (int i = 0; i < n; i++) B[i * n + i] += shift;
      memcpy(L + (size_t)row * DUAL_MAXCONE, B, sizeof(mjtNum) * (size_t)(n * n));
      local_cholesky(L + (size_t)row * DUAL_MAXCONE, n, 0.5 * shift);
    }
  }
}

// Next impulse of one piece from its impulse and velocity.
static void piece_step(const snDual* p, const snSplitting* how, const snDualBlock* b, int row,
                       int n, bool correct, const mjtNum* D, const mjtNum* L, const mjtNum* z,
                       mjtNum* f) {
  D += (size_t)row * DUAL_MAXCONE;
  L += (size_t)row * DUAL_MAXCONE;
  if (b->kind == snDUAL_FREE) {
    mjtNum x[DUAL_MAXCONE];
    for (int i = 0; i < n; i++) x[i] = z[i];
    local_solve(L, n, x);
    for (int i = 0; i < n; i++) f[i] -= x[i];
  } else if (b->kind == snDUAL_CONE) {
    snLocal c = {n, b->mu, D, L};
    how->cone(&c, z, correct ? desaxce(b, z) : 0, f);
  } else {
    f[0] -= z[0] / D[0];
    project_block(b, f);
  }
}

static void sweep(const snDual* p, const snSplitting* how, bool correct, mjtNum omega,
                  const mjtNum* D, const mjtNum* L, mjtNum* f) {
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int at = 0; at < b->nrow; at += DUAL_MAXCONE) {
      int row = b->row + at, n = piece_rows(b, at);
      mjtNum z[DUAL_MAXCONE], next[DUAL_MAXCONE], df[DUAL_MAXCONE];
      p->D->read(p->D, row, n, z);
      for (int i = 0; i < n; i++) {
        z[i] += p->v_free[row + i] + (p->R ? p->R[row + i] * f[row + i] : 0);
        next[i] = f[row + i];
      }
      piece_step(p, how, b, row, n, correct, D, L, z, next);
      for (int i = 0; i < n; i++) {
        mjtNum relaxed = omega == 1 ? next[i] : (1 - omega) * f[row + i] + omega * next[i];
        df[i] = relaxed - f[row + i];
        f[row + i] = relaxed;
      }
      p->D->move(p->D, row, n, df);
    }
  }
}

void splitting_solve(const snDual* p, snSolverReport* report, const snSplitting* how) {
  const snSolverSettings* set = &p->set;
  int n = p->n, form = set->form ? set->form : how->form;
  bool correct = how->correct && form == snFORM_NCP;
  snScratch s = {p->scratch, p->scratch + p->nscratch};
  mjtNum* D = scratch_take(&s, DUAL_MAXCONE * (size_t)n);
  mjtNum* L = scratch_take(&s, DUAL_MAXCONE * (size_t)n);
  mjtNum *f = scratch_take(&s, n), *v = scratch_take(&s, n), *last = scratch_take(&s, n);
  make_diagonal(p, D, L);
  memcpy(f, p->force, sizeof(mjtNum) * (size_t)n);
  project_all(p, f);
  dual_velocity(p, f, v);
  memcpy(p->force, f, sizeof(mjtNum) * (size_t)n);
  mjtNum best = dual_natural(p, form, f, v), objective = dual_objective(p, f, v);
  mjtNum omega = set->omega, scale = p->inertia > 0 ? 1 / p->inertia : 1;
  report->converged = false;
  for (int i = 0; i < set->iterations; i++) {
    memcpy(last, f, sizeof(mjtNum) * (size_t)n);
    p->D->start(p->D, f);  // anew, so that rounding does not pile up
    sweep(p, how, correct, omega, D, L, f);
    if (!numbers_finite(f, n)) break;
    if (omega != 1) project_all(p, f);
    dual_velocity(p, f, v);
    report->iterations = i + 1;
    mjtNum natural = dual_natural(p, form, f, v), before = objective;
    objective = dual_objective(p, f, v);
    report->r_iterate = 0;
    for (int k = 0; k < n; k++) report->r_iterate = fmax(report->r_iterate, fabs(f[k] - last[k]));
    report->r_objective = scale * fabs(objective - before);
    if (natural < best || how->by_objective) {
      best = natural;
      memcpy(p->force, f, sizeof(mjtNum) * (size_t)n);
    }
    if (how->by_objective) {
      if (report->r_objective < set->tol_objective) {
        report->converged = true;
        break;
      }
    } else if (natural <= fmin(set->tol_primal, set->tol_dual) ||
               (report->r_iterate < set->tol_iterate) ||
               (set->tol_objective > 0 && report->r_objective < set->tol_objective)) {
      report->converged = natural <= fmax(set->tol_primal, set->tol_dual);
      break;
    }
    omega = fmax(set->omega_min, omega * set->omega_decay);
  }
}
