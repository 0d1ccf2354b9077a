// NBGS: nonlinear block Gauss-Seidel. Blocks are visited in order, and each contact is solved
// exactly for the impulses of all others (local.c): with b = v - D_ii f_i the velocity without its
// own impulse, f_i <- solution of v = D_ii f + b with Coulomb's law. No step length is needed; the
// price is a quartic per contact and sweep.
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
