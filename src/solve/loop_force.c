// The constraint force of a system whose rows are equalities alone, for models with the text
// "sinew:loops" = "closed". All rows are quadratic, so one solve is exact:
//
//   (A + R) f = aref - J a0,   a = a0 + inv(M) J' f
//
// J, inv(M) J' and A are those that closing the loops ended the step before with (loop_rows.h):
// Newton's method in the space of dofs would make a factor of its own. Rows of closed loops are so
// stiff that CG and PGS would stop before they have solved them; they get this solution too.
#include <string.h>

#include "data/frame.h"
#include "solve/loop_rows.h"
#include "solve/problem.h"

// Beyond, a factor over rows may cost more than Newton's over dofs, and is the larger one.
enum { MOST_ROWS = 96 };

static bool all_finite(const mjtNum* x, int n) {
  mjtNum sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * 0;
  return sum == 0;
}

bool solve_loops(const mjModel* m, mjData* d) {
  int n = d->nefc, nv = m->nv;
  if (n != d->ne || n > MOST_ROWS || data_sleepers(d) || !constrain_closes(m)) return false;
  snEqualities rows = constrain_step_equalities(m, d);
  snLoopRows* s = loop_rows(m, d, &rows);
  if (!s || s->n != n) return false;
  mjtNum *b = d->efc_b, *f = d->efc_force, *a = d->qacc, *push = d->qfrc_constraint;
  loop_rates(s, d->qacc_smooth, b);
  linear_term(b, b, d->efc_aref, n);
  for (int i = 0; i < n; i++) f[i] = -b[i];
  loop_solve(loop_soften(s, d->efc_R), f);
  loop_motion(s, f, 1, a);
  mju_addTo(a, d->qacc_smooth, nv);
  mj_mulJacTVec(m, d, push, f);
  if (!all_finite(a, nv) || !all_finite(push, nv))
    return false;  // Newton's method says what to do then
  for (int i = 0; i < n; i++) d->efc_state[i] = mjCNSTRSTATE_QUADRATIC;
  d->solver_niter[0] = 1;
  d->solver[0] = (mjSolverStat){.nactive = n};
  return true;
}
