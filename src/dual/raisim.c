// RAISIM: each contact by bisection on the section of its cone; without De Saxce's correction, with
// it (DS), and with it stopped early by the objective (DS-ES).
//
// Without the correction the section is searched for least energy, which is not most dissipation
// when normal and tangents couple: the answer is then that of another contact law, and the report's
// natural map says so.
#include "dual/private.h"

static void raisim_step(const snLocal* c, const mjtNum* z, mjtNum s, mjtNum* f) {
  mjtNum b[DUAL_MAXCONE];
  for (int i = 0; i < c->nrow; i++) b[i] = z[i] - vec_dot(c->D + i * c->nrow, f, c->nrow);
  local_section(c, b, s, f);
}

void solve_raisim(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {.cone = raisim_step, .form = snFORM_NCP, .own_law = true};
  splitting_solve(p, report, &how);
}

void solve_raisim_ds(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {.cone = raisim_step, .form = snFORM_NCP, .correct = true};
  splitting_solve(p, report, &how);
}

void solve_raisim_ds_es(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {
      .cone = raisim_step, .form = snFORM_NCP, .correct = true, .by_objective = true};
  splitting_solve(p, report, &how);
}
