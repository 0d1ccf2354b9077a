// PGS-CCP: a gradient step of the mean diagonal's length, then the nearest point of the cone.
#include "dual/private.h"

// f <- P_K(f - (v + s) nrow / trace(D))
static void step(const snLocal* c, const mjtNum* z, mjtNum s, mjtNum* f) {
  mjtNum trace = 0;
  for (int i = 0; i < c->nrow; i++) trace += c->D[i * c->nrow + i];
  mjtNum length = c->nrow / trace;
  for (int i = 0; i < c->nrow; i++) f[i] -= length * (z[i] + (i ? 0 : s));
  project_cone(f, c->mu, c->nrow);
}

void solve_pgs_ccp(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {step, snFORM_NCP, true, false, false};
  splitting_solve(p, report, &how);
}
