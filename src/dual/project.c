// Euclidean projections on the sets of the dual problem (cone, half-line, box), and the residuals
// of a solution that are built from them: primal and dual feasibility, complementarity, and the
// natural map f - P_K(f - v - s), which is zero at a solution and only there.
#include <math.h>

#include "dual/private.h"

// Inside the cone: itself. Inside the polar cone, mu |x_T| <= -x_N: the tip. Otherwise the nearest
// point of the surface: with t = |x_T|, the multiple (mu t + x_N) / (1 + mu^2) of (1, mu x_T / t).
void project_cone(mjtNum* x, mjtNum mu, int nrow) {
  SN_ASSERT(nrow >= 1 && nrow <= DUAL_MAXCONE);
  mjtNum t = tangent_norm(x, nrow);
  if (t <= mu * x[0]) return;
  if (mu * t <= -x[0]) {
    for (int i = 0; i < nrow; i++) x[i] = 0;
    return;
  }
  mjtNum normal = (mu * t + x[0]) / (1 + mu * mu);
  if (mu > 1e8) normal = fmax(x[0], t / mu);  // 1 + mu^2 leaves nothing of x_N
  x[0] = normal;
  for (int i = 1; i < nrow; i++) x[i] *= mu * normal / t;
}

void project_block(const snDualBlock* block, mjtNum* x) {
  switch (block->kind) {
    case snDUAL_BOX:
      x[0] = fmin(block->bound, fmax(-block->bound, x[0]));
      break;
    case snDUAL_HALF:
      x[0] = fmax(0, x[0]);
      break;
    case snDUAL_CONE:
      project_cone(x, block->mu, block->nrow);
      break;
    default:
      break;
  }
}

void project_all(const snDual* p, mjtNum* x) {
  for (int k = 0; k < p->nblock; k++) project_block(p->block + k, x + p->block[k].row);
}

bool numbers_finite(const mjtNum* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

void dual_velocity(const snDual* p, const mjtNum* f, mjtNum* v) {
  p->D->mul(p->D, v, f);
  for (int i = 0; i < p->n; i++) v[i] += p->v_free[i] + (p->R ? p->R[i] * f[i] : 0);
}

mjtNum dual_objective(const snDual* p, const mjtNum* f, const mjtNum* v) {
  mjtNum sum = 0;
  for (int i = 0; i < p->n; i++) sum += f[i] * (v[i] + p->v_free[i]);
  return 0.5 * sum;
}

mjtNum block_natural(const snDualBlock* b, int form, const mjtNum* f, const mjtNum* v) {
  mjtNum worst = 0;
  if (b->kind == snDUAL_FREE) {
    for (int i = 0; i < b->nrow; i++) worst = fmax(worst, fabs(v[i]));
    return worst;
  }
  mjtNum x[DUAL_MAXCONE];
  for (int i = 0; i < b->nrow; i++) x[i] = f[i] - v[i];
  if (form == snFORM_NCP) x[0] -= desaxce(b, v);
  project_block(b, x);
  for (int i = 0; i < b->nrow; i++) worst = fmax(worst, fabs(f[i] - x[i]));
  return worst;
}

mjtNum dual_natural(const snDual* p, int form, const mjtNum* f, const mjtNum* v) {
  mjtNum worst = 0;
  for (int k = 0; k < p->nblock; k++) {
    int row = p->block[k].row;
    worst = fmax(worst, block_natural(p->block + k, form, f + row, v + row));
  }
  return worst;
}

// Distance of v + s from the dual cone, and |f'(v + s)|. In a box the velocity is free; f is at the
// bound against it: f'v + bound |v| = 0.
static void block_dual(const snDualBlock* b, int form, const mjtNum* f, const mjtNum* v,
                       mjtNum* dual, mjtNum * compl ) {
  switch (b->kind) {
    case snDUAL_FREE:
      for (int i = 0; i < b->nrow; i++) {
        *dual = fmax(*dual, fabs(v[i]));
        *compl = fmax(*compl, fabs(f[i] * v[i]));
      }
      return;
    case snDUAL_BOX:
      *compl = fmax(*compl, fabs(f[0] * v[0] + b->bound * fabs(v[0])));
      return;
    case snDUAL_HALF:
      *dual = fmax(*dual, -v[0]);
      *compl = fmax(*compl, fabs(f[0] * v[0]));
      return;
  }
  mjtNum w[DUAL_MAXCONE] = {0}, power = 0;
  for (int i = 0; i < b->nrow; i++) w[i] = v[i];
  if (form == snFORM_NCP) w[0] += desaxce(b, v);
  for (int i = 0; i < b->nrow; i++) power += f[i] * w[i];
  *compl = fmax(*compl, fabs(power));
  // the dual cone mu |v_T| <= v_N is the polar cone turned round: v - P*(v) = -P(-v)
  for (int i = 0; i < b->nrow; i++) w[i] = -w[i];
  project_cone(w, b->mu, b->nrow);
  for (int i = 0; i < b->nrow; i++) *dual = fmax(*dual, fabs(w[i]));
}

// (156): distance of f from its set
static mjtNum block_primal(const snDualBlock* b, const mjtNum* f) {
  mjtNum x[DUAL_MAXCONE], worst = 0;
  if (b->kind == snDUAL_FREE) return 0;
  for (int i = 0; i < b->nrow; i++) x[i] = f[i];
  project_block(b, x);
  for (int i = 0; i < b->nrow; i++) worst = fmax(worst, fabs(f[i] - x[i]));
  return worst;
}

bool dual_converged(const snDual* p, int form, const mjtNum* f, const mjtNum* v, mjtNum natural) {
  const snSolverSettings* set = &p->set;
  mjtNum dual = 0, product = 0, primal = 0;
  if (set->by_natural && !(natural <= dual_tolerance(p))) return false;
  for (int k = 0; (set->tol_compl > 0 || !set->by_natural) && k < p->nblock; k++) {
    int row = p->block[k].row;
    block_dual(p->block + k, form, f + row, v + row, &dual, &product);
    if (!set->by_natural) primal = fmax(primal, block_primal(p->block + k, f + row));
  }
  if (!set->by_natural && !(primal <= set->tol_primal && dual <= set->tol_dual)) return false;
  return product <= set->tol_compl || set->tol_compl <= 0;
}

bool dual_still(const snDual* p, const snSolverReport* report) {
  return report->r_iterate < p->set.tol_iterate || report->r_objective < p->set.tol_objective;
}

void dual_measure(const snDual* p, int form, snSolverReport* report, mjtNum* scratch) {
  const mjtNum *f = p->force, *v = p->velocity;
  dual_velocity(p, f, p->velocity);
  report->objective = dual_objective(p, f, v);
  report->r_primal = report->r_dual = report->r_compl = 0;
  report->r_ncp_dual = report->r_ncp_compl = 0;
  for (int i = 0; i < p->n; i++) scratch[i] = f[i];
  project_all(p, scratch);
  for (int i = 0; i < p->n; i++) {
    report->r_primal = fmax(report->r_primal, fabs(f[i] - scratch[i]));
  }
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    block_dual(b, form, f + b->row, v + b->row, &report->r_dual, &report->r_compl);
    block_dual(b, snFORM_NCP, f + b->row, v + b->row, &report->r_ncp_dual, &report->r_ncp_compl);
  }
  report->r_natural = dual_natural(p, form, f, v);
  report->r_ncp_natural = dual_natural(p, snFORM_NCP, f, v);
}

SN_INLINE mjtNum room_any(const mjtNum* x, const mjtNum* dx, int n) {
  mjtNum a = lorentz(dx, n), b = x[0] * dx[0], c = lorentz(x, n), t = 1;
  for (int i = 1; i < n; i++) b -= x[i] * dx[i];
  if (n == 1) return dx[0] < 0 ? fmin(1, -x[0] / dx[0]) : 1;
  mjtNum square = b * b - a * c;
  if (dx[0] < 0) t = fmin(t, -x[0] / dx[0]);
  if (square < 0) return t;
  mjtNum root = sqrt(square);
  if (b < 0)
    t = fmin(t, c / (root - b));
  else if (a < 0)
    t = fmin(t, -(b + root) / a);
  return fmax(t, 0);
}

// Contacts have three rows as a rule: loops of a length that the compiler knows.
mjtNum cone_room(const mjtNum* x, const mjtNum* dx, int n) {
  return n == 3 ? room_any(x, dx, 3) : room_any(x, dx, n);
}

#define AT_EDGE 1e-6  // share of the bound that counts as reached
#define AS_FAST 4     // times what smooth forces change in a step: the speed of an impact,
#define STILL 1e-4    // m/s: or no speed

uint64_t dual_held(const snDualBlock* b, const mjtNum* f, mjtNum v, mjtNum v_free, uint64_t who,
                   uint64_t sofar) {
  uint64_t state = 0;
  if (b->kind == snDUAL_BOX && fabs(f[0]) >= (1 - AT_EDGE) * b->bound) state = f[0] > 0 ? 1 : 2;
  if (b->kind >= snDUAL_HALF && f[0] > 0) state = 3;
  if (b->kind == snDUAL_CONE && state && tangent_norm(f, b->nrow) >= (1 - AT_EDGE) * b->mu * f[0])
    state = 4;
  if (!state || sofar == snDUAL_EVENT) return sofar;
  if (state > 2 && -v > AS_FAST * fabs(v_free - v) + STILL) return snDUAL_EVENT;
  uint64_t words[3] = {who, state, sofar};
  return hash_bytes(words, sizeof words, 0);
}
