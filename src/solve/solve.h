// The constraint force: the convex problem and its solvers.
//
// Given the unconstrained acceleration a0 and the rows of J, the constraint force f and the
// acceleration x follow from a convex problem in either of two forms:
//
//   primal   min_x  1/2 (x - a0)' M (x - a0) + s(J x - aref)
//   dual     min_f  1/2 f' (A + R) f + f' (J a0 - aref),  f in Omega,   A = J inv(M) J'
//
// At the solution M (x - a0) = J'f and f = -grad s(J x - aref). The penalty s is a parabola for a
// row that pushes, zero for one that does not, linear beyond the bound of friction loss, and half
// the squared distance to a cone for a contact with elliptic friction (constrain/cone.h). A row is
// in a state: quadratic, satisfied, linear, or in the middle zone of its cone. While no state
// changes, s is quadratic but for those cones, and one step of Newton's method is exact; so all
// effort is in finding the right states, and in solving with M + J'WJ, where W has the weight D of
// rows that are quadratic.
//
// The way of a solve, file by file:
//
//   solve.c          the solver that the options ask for; what the interface shows of it
//   system.c         a primal solver over the system or over parts of it; statistics; threads
//   choose.c         which variant of Newton's method: one function, one table
//   row_units.c      rows that go together (a contact, a weld) and the dofs they touch
//   components.c     parts: trees that rows join, directly or through others
//   cuthill_mckee.c  the order of trees within a part that keeps its Hessian narrow
//   build.c          from mjData to a problem (problem.h) and back; rows as blocks of J
//   single_rows.c    blocks for rows alone on their columns, as edges of flexes are
//
//   newton.h         the iteration that all variants of Newton's method share
//   newton.c         BLOCKS: M + J'WJ in a variable band (hessian.c), any size
//   newton_full.c    SMALL (full_small.h) and WIDE (full_wide.h): J, M with a column for every dof
//   newton_rows.c    ROWS: steps in the space of rows, with A (row_products.c)
//   loop_rows.c      rows of equalities that close, A = J inv(M) J' and its factor
//   loop_force.c     their forces, where there are no other rows: one solve
//   cg.c             conjugate gradients, preconditioned by M
//   pgs.c            projected Gauss-Seidel on the dual, and noslip
//   ball.c           a quadratic within a ball: friction of one contact at a fixed normal force
//
//   point.h          where a primal solver stands: forces, cost, states of rows at x
//   line.h           the exact line search, the same for all of them
//   product.c        J x, J'f, M x, inv(M) x
//
// A problem knows no robots: it has numbers, blocks of J, options and memory. Any solver with the
// signature of solve_cg can be added beside it (docs/newton.md explains how). All of them solve the
// same problem, so tests hold them to the conditions of optimality and to each other
// (tests/solve/test_kkt.c).
#ifndef SINEW_SOLVE_SOLVE_H_
#define SINEW_SOLVE_SOLVE_H_

#include "constrain/constrain.h"

// qacc, efc_force, efc_state, qfrc_constraint from qacc_smooth and the rows, with the solver of
// opt; then noslip when asked. Statistics go to solver, solver_niter, solver_nnz.
void solve_constraints(const mjModel* m, mjData* d);

// From here to solve_release positions stay as they are, and the model too: what the rows and M say
// is kept on the stack, in the caller's frame, from one solve to the next. Nothing changes in the
// result. Without memory nothing is kept.
void solve_hold(const mjModel* m, mjData* d);
void solve_release(mjData* d);

#endif
