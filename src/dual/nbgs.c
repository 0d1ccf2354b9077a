// NBGS: nonlinear block Gauss-Seidel, each contact solved exactly through a quartic.
#include "dual/private.h"

// velocity without the contact's own impulse
static void nbgs_step(const snLocal* c, const mjtNum* z, mjtNum s, mjtNum* f) {
  mjtNum b[DUAL_MAXCONE];
  for (int i = 0; i < c->nrow; i++) b[i] = z[i] - vec_dot(c->D + i * c->nrow, f, c->nrow);
  local_quartic(c, b, f);
}

void solve_nbgs(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {.cone = nbgs_step, .form = snFORM_NCP};
  splitting_solve(p, report, &how);
}
