// Which iteration solves a system, or a part of it. Private to the room; choose.c has the table.
#ifndef SINEW_SOLVE_CHOOSE_H_
#define SINEW_SOLVE_CHOOSE_H_

#include <mujoco/mujoco.h>
#include <stdbool.h>

// SMALL and WIDE keep J and M with a column for every dof, BLOCKS keeps the rows of J over the
// columns that they touch, ROWS works with products of pairs of rows. CG shares its products with
// BLOCKS.
typedef enum snVariant_ {
  snVARIANT_CG,
  snNEWTON_SMALL,
  snNEWTON_WIDE,
  snNEWTON_BLOCKS,
  snNEWTON_ROWS,
} snVariant;

enum { SMALL_DOFS = 16, WIDE_DOFS = 40 };

// What the choice depends on.
typedef struct snSizes_ {
  int solver;        // mjSOL_NEWTON or mjSOL_CG
  int nv, ntree;     // dofs, and kinematic trees they belong to
  int ne, nf, nefc;  // rows: equality, friction loss, all
  bool full_width;   // efc_J is dense, nothing asks for parts, and no row is stiff
} snSizes;

snVariant choose_variant(const snSizes* s);
snVariant choose_for_system(const mjModel* m, const mjData* d);  // system.c: with rows made

// Is the system solved part by part? Its parts are found from the rows, which takes time; and with
// few iterations the result is where the solver stands when they are used up, which depends on what
// shares a line search. The same holds for conjugate gradients at any number of iterations: they
// end 1e-5 to 1e-3 from the optimum, wherever the tolerance stops them.
bool choose_apart(int solver, int iterations, bool islands);

// For tests and bench/newton.c: take this variant wherever it can be taken, whatever pays; -1 for
// none. A process that steps in several threads leaves it alone.
extern int choose_forced;

#endif
