// PGS-NCP: projected Gauss-Seidel on the nonlinear complementarity problem with friction boxes
// replaced by disks. The normal impulse is updated first; the tangents follow with the radius mu
// f_N that it leaves.
#include <math.h>

#include "dual/private.h"

// f_N <- max(0, f_N - v_N / D_NN);  f_T <- into |f_T| <= mu f_N from f_T - v_T / D_T, where D_T is
// the largest diagonal of the tangents, with which a step cannot overshoot twice, and v_T that
// behind the normal's step (as published, Algorithm 3: the smallest diagonal, and v_T before it).
static void ncp_step(const snLocal* c, const mjtNum* z, mjtNum s, mjtNum* f) {
  int n = c->nrow;
  mjtNum normal = fmax(0, f[0] - z[0] / c->D[0]), moved = normal - f[0], diagonal = c->D[n + 1];
  f[0] = normal;
  for (int i = 2; i < n; i++) {
    mjtNum d = c->D[i * n + i];
    diagonal = c->safe ? fmax(diagonal, d) : fmin(diagonal, d);
  }
  if (!c->safe) moved = 0;
  for (int i = 1; i < n; i++) f[i] -= (z[i] + c->D[i * n] * moved) / diagonal;
  mjtNum t = tangent_norm(f, n), radius = c->mu * normal;
  if (t <= radius) return;
  for (int i = 1; i < n; i++) f[i] *= radius / t;
}

void solve_pgs_ncp(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {.cone = ncp_step, .form = snFORM_NCP};
  splitting_solve(p, report, &how);
}
