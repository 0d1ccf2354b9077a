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

void splitting_defaults(snSolverSettings* set) { set->omega_decay = 0.95; }

size_t splitting_scratch(const snDelassus* D, int nblock) {
  return (2 * DUAL_MAXCONE + 3) * (size_t)D->n;
}

typedef struct snSweep_ {
  const snDual* p;
  const snSplitting* how;
  int form;
  bool correct;
  mjtNum omega, length;
  mjtNum *D, *L;  // diagonal blocks and their factors, each at DUAL_MAXCONE times its first row
  mjtNum* f;
} snSweep;

// Free blocks may have any size: they are solved in pieces no larger than a cone.
SN_INLINE int piece_rows(const snDualBlock* b, int at) {
  int left = b->nrow - at;
  return left < DUAL_MAXCONE ? left : DUAL_MAXCONE;
}

// D_kk + R + shift of all pieces, and their factors. A row that nothing moves but that moves all
// the same (reduce.c leaves such rows in cones) takes steps as long as those of the others.
static void make_diagonal(const snSweep* s) {
  const snDual* p = s->p;
  mjtNum total = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < p->nblock; k++) {
      const snDualBlock* b = p->block + k;
      for (int at = 0; at < b->nrow; at += DUAL_MAXCONE) {
        int row = b->row + at, n = piece_rows(b, at);
        mjtNum *B = s->D + (size_t)row * DUAL_MAXCONE, *L = s->L + (size_t)row * DUAL_MAXCONE;
        mjtNum trace = 0;
        if (!pass) p->D->block(p->D, row, n, B);
        for (int i = 0; i < n; i++) {
          if (!pass && p->R) B[i * n + i] += p->R[row + i];
          trace += B[i * n + i];
        }
        if (!pass) {
          total += trace;
          continue;
        }
        mjtNum shift = fmax(SHIFT * trace / n, mjMINVAL), dead = 1e-14 * total / p->n;
        for (int i = 0; p->set.shift_blocks && i < n; i++) {
          B[i * n + i] += B[i * n + i] > dead ? shift : trace / n;
        }
        if (!p->set.shift_blocks) shift = mjMINVAL;
        memcpy(L, B, sizeof(mjtNum) * (size_t)(n * n));
        local_cholesky(L, n, 0.5 * shift);
      }
    }
  }
}

// Next impulse of one piece from its impulse and velocity.
static void piece_step(const snSweep* s, const snDualBlock* b, int row, int n, const mjtNum* z,
                       mjtNum* f) {
  const mjtNum* D = s->D + (size_t)row * DUAL_MAXCONE;
  const mjtNum* L = s->L + (size_t)row * DUAL_MAXCONE;
  if (b->kind == snDUAL_FREE) {
    mjtNum x[DUAL_MAXCONE];
    for (int i = 0; i < n; i++) x[i] = z[i];
    local_solve(L, n, x);
    for (int i = 0; i < n; i++) f[i] -= s->length * x[i];
  } else if (b->kind == snDUAL_CONE) {
    snLocal c = {n, b->mu, D, L, s->length, s->p->set.safe_steps};
    s->how->cone(&c, z, s->correct ? desaxce(b, z) : 0, f);
  } else {
    f[0] -= s->length * z[0] / D[0];
    project_block(b, f);
  }
}

static void sweep(const snSweep* s) {
  const snDual* p = s->p;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int at = 0; at < b->nrow; at += DUAL_MAXCONE) {
      int row = b->row + at, n = piece_rows(b, at);
      mjtNum z[DUAL_MAXCONE], next[DUAL_MAXCONE], df[DUAL_MAXCONE], *f = s->f + row;
      p->D->read(p->D, row, n, z);
      for (int i = 0; i < n; i++) {
        z[i] += p->v_free[row + i] + (p->R ? p->R[row + i] * f[i] : 0);
        next[i] = f[i];
      }
      piece_step(s, b, row, n, z, next);
      for (int i = 0; i < n; i++) {
        mjtNum relaxed = s->omega == 1 ? next[i] : (1 - s->omega) * f[i] + s->omega * next[i];
        df[i] = relaxed - f[i];
        f[i] = relaxed;
      }
      p->D->move(p->D, row, n, df);
    }
  }
}

// The velocity at f. The operator stands there afterwards, anew, so that the rounding of sweeps
// does not pile up.
static void velocity_at(const snDual* p, const mjtNum* f, mjtNum* v) {
  p->D->start(p->D, f);
  p->D->read(p->D, 0, p->n, v);
  for (int i = 0; i < p->n; i++) v[i] += p->v_free[i] + (p->R ? p->R[i] * f[i] : 0);
}

static mjtNum largest_change(const mjtNum* a, const mjtNum* b, int n) {
  mjtNum worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

// Have the tolerances been met at s->f and its velocity?
static bool stop(const snSweep* s, const mjtNum* v, mjtNum natural, snSolverReport* report) {
  const snDual* p = s->p;
  if (s->how->by_objective) {
    report->converged = report->r_objective < p->set.tol_objective;
    return report->converged;
  }
  if (s->how->own_law && p->set.by_natural) {
    report->converged = report->r_iterate <= dual_tolerance(p);
  } else {
    report->converged = dual_converged(p, s->form, s->f, v, natural);
  }
  return report->converged || dual_still(p, report);
}

void splitting_solve(const snDual* p, snSolverReport* report, const snSplitting* how) {
  const snSolverSettings* set = &p->set;
  int n = p->n;
  size_t bytes = sizeof(mjtNum) * (size_t)n;
  snScratch room = {p->scratch, p->scratch + p->nscratch};
  snSweep s = {.p = p, .how = how, .form = set->form ? set->form : how->form};
  s.correct = how->correct && s.form == snFORM_NCP;
  s.omega = set->omega;
  s.length = 1;
  s.D = scratch_take(&room, DUAL_MAXCONE * (size_t)n);
  s.L = scratch_take(&room, DUAL_MAXCONE * (size_t)n);
  s.f = scratch_take(&room, n);
  mjtNum *v = scratch_take(&room, n), *last = scratch_take(&room, n);
  make_diagonal(&s);
  project_all(p, p->force);
  memcpy(s.f, p->force, bytes);
  velocity_at(p, s.f, v);
  mjtNum best = dual_natural(p, s.form, s.f, v), objective = dual_objective(p, s.f, v);
  mjtNum scale = p->inertia > 0 ? 1 / p->inertia : 1, previous = best;
  for (int i = 0; i < set->iterations; i++) {
    memcpy(last, s.f, bytes);
    sweep(&s);
    if (s.omega > 1) project_all(p, s.f);
    if (!numbers_finite(s.f, n)) break;
    velocity_at(p, s.f, v);
    mjtNum natural = dual_natural(p, s.form, s.f, v), before = objective;
    objective = dual_objective(p, s.f, v);
    if (!isfinite(natural)) break;
    report->iterations = i + 1;
    report->r_iterate = largest_change(s.f, last, n);
    report->r_objective = scale * fabs(objective - before);
    if (natural < best || how->own_law || !set->keep_best) {
      best = natural;
      memcpy(p->force, s.f, bytes);
    }
    if (stop(&s, v, natural, report)) break;
    if (how->adaptive) {
      if (natural > previous) s.length = fmax(1e-3, 0.7 * s.length);
      if (natural > 10 * previous) {
        memcpy(s.f, p->force, bytes);
        p->D->start(p->D, s.f);
      }
      previous = natural;
    }
    s.omega = fmax(set->omega_min, s.omega * set->omega_decay);
  }
}
