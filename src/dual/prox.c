// PROX (SORProx): proximal point steps by the diagonal of D, normal and disk apart, whose lengths
// adapt to the problem: while the residual grows they shrink.
#include <math.h>

#include "dual/private.h"

// f_N <- prox of the half-line, f_T <- prox of the disk of radius mu f_N
static void prox_step(const snLocal* c, const mjtNum* z, mjtNum s, mjtNum* f) {
  int n = c->nrow;
  mjtNum normal = fmax(0, f[0] - c->length * z[0] / c->D[0]), largest = 0;
  f[0] = normal;
  for (int i = 1; i < n; i++) largest = fmax(largest, c->D[i * n + i]);
  for (int i = 1; i < n; i++) f[i] -= c->length * z[i] / largest;
  mjtNum t = tangent_norm(f, n), radius = c->mu * normal;
  for (int i = 1; t > radius && i < n; i++) f[i] *= radius / t;
}

void solve_prox(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {.cone = prox_step, .form = snFORM_NCP, .adaptive = true};
  splitting_solve(p, report, &how);
}
