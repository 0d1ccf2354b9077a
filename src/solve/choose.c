// The choice of a solver's variant, from sizes alone.
//
// In every iteration Newton's method needs the solution of (M + J'WJ) s = -g. The variants differ
// in where they look for it, and each is ahead where its matrix is the smallest to make and factor:
//
//   SMALL   when  nv <= 16, dense J, no islands
//           does  M + J'WJ as a dense matrix
//           for   loops written out by width: the matrix of 4 dofs stays in registers
//   WIDE    when  nv <= 40, one or two trees, dense J, no islands, and rows not few
//           does  the same by tiles of 4 x 4, without empty ones
//           for   no lists of columns; rows that change state change few tiles
//   ROWS    when  nv >= 14, nefc <= nv, equalities below a third of them, and see rows_pay
//           does  1 + B'AB over the rows that act, with A = J inv(M) J' made once a solve
//           for   a matrix of rows where they are fewer than dofs
//   BLOCKS  when  everything else, and rows too stiff for the others
//           does  M + J'WJ with each row from its first column to the diagonal
//           for   updates by single rows, and fill that follows the trees
//
// docs/newton.md has the measurements. Each of them solves every system it can be given
// (tests/solve/test_kkt.c runs all of them on all scenes), so the choice is one of time alone.
#include "solve/choose.h"

#include <math.h>
#include <mujoco/mujoco.h>

int choose_forced = -1;

// With fewer iterations the system is solved as one, unless islands are asked for.
enum { FEW_ITERATIONS = 20 };

// More trees than these are solved apart where no row joins them, which WIDE cannot do.
enum { WIDE_TREES = 2 };

// Up to so many rows the two are within tens of microseconds of each other, and the choice stays as
// recorded trajectories have it.
enum { FEW_ROWS = 112 };

// A factor of nefc x nefc in every iteration, against one of M + J'WJ, whose row of a dof reaches
// back over w dofs:
//
//   ROWS nefc^3 / 3   BLOCKS nv w^2 / 3
//
// In one tree w is nv. Of many trees, in the order of cuthill_mckee.c, as many are open at a time
// as cross a cut through them: about 2 sqrt(ntree), for layers of bodies on a floor. So few trees
// with fewer rows than dofs go by rows, and a pile of hundreds does not: two layers of 600 balls
// take 35 ms by rows and 20 by blocks. Equalities never change their state: where they prevail few
// iterations follow, and A is not worth its making.
static bool rows_pay(const snSizes* s) {
  if (s->nv < 14 || s->nefc > s->nv || 3 * s->ne > s->nefc) return false;
  if (s->nefc <= FEW_ROWS) return true;
  double open = 2 * sqrt((double)s->ntree), trees = s->ntree > open ? open : s->ntree;
  double width = s->ntree ? s->nv * trees / s->ntree : s->nv, rows = s->nefc;
  return rows * rows * rows <= s->nv * width * width;
}

bool choose_apart(int solver, int iterations, bool islands) {
  return islands || (solver != mjSOL_CG && iterations >= FEW_ITERATIONS);
}

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
