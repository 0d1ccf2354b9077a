// The choice of a solver's variant, from sizes alone.
//
// Newton's method needs, in every iteration, the solution of (M + J'WJ) s = -g. The variants differ
// in where they look for it, and each is ahead where its matrix is the smallest to make and factor:
//
//   variant | matrix                  | taken when                             | because
//   SMALL   | M + J'WJ, dense         | nv <= 16, dense J, no islands          | everything is in
//           |                         |                                        | registers; loops are
//           |                         |                                        | written out by width
//   WIDE    | the same by 4x4 tiles,  | nv <= 40, one or two trees, dense J,   | no lists of columns;
//           | empty ones passed over  | no islands, rows not few               | factors reused
//   ROWS    | 1 + B'AB over active    | nv >= 14, nefc <= nv, equalities below | A is made once per
//           | rows, A = J inv(M) J'   | a third, and its cost below BLOCKS     | solve; small systems
//           | made once per solve     | (rows_pays)                            | of rows factor fast
//   BLOCKS  | M + J'WJ by rows of a   | everything else                        | rank-1 updates, fill
//           | variable band           |                                        | that follows the trees
//
// docs/solvers.md has the measurements. Where a row is so stiff that ROWS would lose its digits, it
// hands over to BLOCKS by itself.
#include "solve/choose.h"

#include <mujoco/mujoco.h>

int choose_forced = -1;

// With fewer iterations the system is solved as one, unless islands are asked for.
enum { FEW_ITERATIONS = 20 };

// More trees than these are solved apart where no row joins them, which WIDE cannot do.
enum { WIDE_TREES = 2 };

// Products of all pairs of rows, which last for all iterations, against a Hessian over all dofs.
// Equalities never change their state: where they prevail few iterations follow.
static bool rows_pay(const snSizes* s) {
  return s->nv >= 14 && s->nefc <= s->nv && 3 * s->ne <= s->nefc;
}

bool choose_apart(int iterations, bool islands) { return islands || iterations >= FEW_ITERATIONS; }

static bool can_take(const snSizes* s, int variant) {
  if (variant == snNEWTON_SMALL) return s->full_width && s->nv <= SMALL_DOFS;
  if (variant == snNEWTON_WIDE) return s->full_width && s->nv <= WIDE_DOFS;
  return variant == snNEWTON_BLOCKS || variant == snNEWTON_ROWS;
}

snVariant choose_variant(const snSizes* s) {
  if (s->solver != mjSOL_NEWTON) return snVARIANT_CG;
  if (can_take(s, choose_forced)) return choose_forced;
  if (can_take(s, snNEWTON_SMALL)) return snNEWTON_SMALL;
  if (can_take(s, snNEWTON_WIDE) && s->ntree <= WIDE_TREES) {
    // the space of rows is ahead where they are few against many dofs
    if (3 * (s->nefc + s->nf) > s->nv || !rows_pay(s)) return snNEWTON_WIDE;
  }
  return rows_pay(s) ? snNEWTON_ROWS : snNEWTON_BLOCKS;
}
