// The dual problem, as every hard-contact solver sees it. It knows no robots:
//
//   NCP   v = (D + R) f + v_free,   K* contains v + s(v),   f in K,   f'(v + s(v)) = 0
//   CCP   the same with s = 0: the optimum of  min 1/2 f'(D + R) f + f'v_free,  f in K
//
// f are impulses, v velocities after them. K is a product of blocks: free (an equality of any
// dimension), box (dry friction), half-line (a limit) and Coulomb's cone |f_T| <= mu f_N. Rows of a
// cone are normal first, then tangents. s is De Saxce's correction: mu |v_T| on the normal.
//
// The problem comes from two rooms: hard/ builds it in minimal coordinates (D from the tree
// factor), maximal/ over bodies. Neither knows how it is solved, and no solver knows which of them
// asked. A problem is the operator D behind six functions (a matrix, blocks, or J with a factor of
// M), the blocks of K, the softening R, the free velocity, and room for impulses and velocities.
//
// A solve, in dual_solve (dual.c):
//   1. NaN and infinite numbers are refused; the size of impulses is found, which tolerances are
//      relative to
//   2. rows that nothing can move are left out (reduce.c): for every solver alike, since a step
//      length from a zero of the diagonal misleads all of them
//   3. the solver runs from the impulses it is given (a warm start)
//   4. residuals are measured from f alone (project.c), whichever solver found f: converged means
//      the same for all of them
//
// The solvers, one file each, with the switches that Sinew adds to the published ones off under
// their names with -published:
//   sweeps      pgs_ncp.c, pgs_ccp.c, prox.c, nbgs.c, raisim.c, splitting.c: block by block, with
//               local.c and convex.c for one contact alone
//   ADMM        admm.c, with matrix.c and panels.c for its linear systems
//   Newton      semismooth.c, proximal.c, interior.c, implicit2010.c over system.c; continuation.c
//               where the path of interior.c turns back; patch.c for the last digits of large heaps
//   invertible  impulse2014.c, barrier.c, inverse2011.c
//
// What holds for every solver:
//   - Blocks are visited in the order given, and sums run in one order: the same problem has the
//     same bits on every CPU.
//   - The best iterate by the natural map is returned, finite, after at most set.iterations.
//   - A solver allocates nothing: scratch is the caller's, of dual_scratch() numbers.
//
// docs/solvers.md is the page for users: which solver when, definitions, the ablation table.
#ifndef SINEW_DUAL_DUAL_H_
#define SINEW_DUAL_DUAL_H_

#include <sinew/solver.h>

#include "base/base.h"
#include "dual/panels.h"

typedef enum snDualKind_ {
  snDUAL_FREE = 0,  // f anything, v = 0
  snDUAL_BOX,       // one row, |f| <= bound
  snDUAL_HALF,      // one row, f >= 0
  snDUAL_CONE       // 2 to 6 rows, |f_T| <= mu f_N
} snDualKind;

typedef struct snDualBlock_ {
  int kind;
  int row, nrow;
  mjtNum mu;     // cone: friction
  mjtNum bound;  // box: largest |f|
} snDualBlock;

// ---- the Delassus operator D = J inv(M) J' (delassus.c)
// Six functions, so that it may be a matrix, blocks, or J and a factorization of M. `state` is
// scratch of the operator: solves on the same operator do not run at the same time.
typedef struct snDelassus_ snDelassus;
struct snDelassus_ {
  int n;
  // y = D x
  void (*mul)(const snDelassus* D, mjtNum* y, const mjtNum* x);
  // The whole of D, symmetric, at `stride`; columns from n to stride are zero. first[i]: no entry
  // left of it in row i.
  void (*dense)(const snDelassus* D, mjtNum* A, int stride, int* first);
  // Its diagonal block of rows [row, row + nrow), row-major.
  void (*block)(const snDelassus* D, int row, int nrow, mjtNum* B);
  // Gauss-Seidel: stand at f; read rows of D f; change rows of f.
  void (*start)(const snDelassus* D, const mjtNum* f);
  void (*read)(const snDelassus* D, int row, int nrow, mjtNum* z);
  void (*move)(const snDelassus* D, int row, int nrow, const mjtNum* df);
  const void* self;  // the matrix, snBlockSparse or snFactored
  int stride;        // of the matrix
  mjtNum* state;
};

// A full symmetric matrix, rows at `stride`. state: n numbers.
snDelassus delassus_dense(int n, const mjtNum* A, int stride, mjtNum* state);

// Blocks: block row i has blocks [rowadr[i], rowadr[i+1]) in block columns colind (ascending, both
// triangles and the diagonal), each a row-major nrow x ncol matrix at value + adr[k]; row[i] is the
// first row of block i, row[nblock] = n. state: n numbers.
typedef struct snBlockSparse_ {
  int nblock;
  const int* row;     // (nblock + 1)
  const int* rowadr;  // (nblock + 1)
  const int* colind;
  const size_t* adr;
  const mjtNum* value;
} snBlockSparse;
snDelassus delassus_sparse(int n, const snBlockSparse* blocks, mjtNum* state);

// Matrix-free: J by rows (CSR over nv velocities) and x <- inv(M) x through a factorization, or
// without one: then J is J inv(L) inv(sqrt D) of M = L'DL, and D = J J'. state: 2 nv numbers.
typedef struct snFactored_ {
  int nv;
  const int *rownnz, *rowadr, *colind;  // of J
  const mjtNum* J;
  void (*solve)(const void* context, mjtNum* x);  // x <- inv(M) x, or NULL
  const void* context;
  // Without `solve`, where systems over velocities are to be solved as well: the same rows as
  // panels. NULL: none.
  snPanels* inner;
} snFactored;
snDelassus delassus_factored(int n, const snFactored* J, mjtNum* state);
// The factored form of D when it has inner nodes, else NULL.
const snFactored* delassus_inner(const snDelassus* D);
// Rows `row` (n of them) of a factored D: nnz and adr are room for n numbers each.
// `inner` is room for its panels.
bool delassus_rows(snDelassus* part, snFactored* J, snPanels* inner, const snDelassus* D, int n,
                   const int* row, int* nnz, int* adr);

// ---- the problem
typedef struct snDual_ {
  int n, nblock;
  const snDualBlock* block;  // rows ascending, without gaps
  const snDelassus* D;
  const mjtNum* R;       // (n) softening, or NULL: hard
  const mjtNum* v_free;  // (n) with restitution and stabilization already in it
  mjtNum inertia;        // sum of the diagonal of M: scale of objective changes; 0 counts as 1

  mjtNum* force;     // (n) in: where to start; out: f
  mjtNum* velocity;  // (n) out: (D + R) f + v_free

  snSolverSettings set;
  mjtNum size;      // of impulses, by dual_solve: what tolerances are relative to, at least 1
  mjtNum* scratch;  // at least dual_scratch() numbers
  size_t nscratch;
} snDual;

// ---- solvers
// A solver leaves the best iterate by its natural map in p->force and says in the report what it
// is worth. It never fails, never returns a number that is not finite, and stops after
// set.iterations.
typedef struct snDualSolver_ {
  const char* name;   // "admm-ncp"
  const char* title;  // what it is, in a few words
  void (*solve)(const snDual* p, snSolverReport* report);
  size_t (*scratch)(const snDelassus* D, int nblock);
  void (*defaults)(snSolverSettings* set);
  bool soft;  // solves the soft problem of dual_form2014, and has an inverse
} snDualSolver;

extern const snDualSolver dual_solvers[];  // those as published behind the others
extern const int dual_solver_count;        // without those

const snDualSolver* dual_find(const char* name);  // NULL when there is none
// "pgs-ccp, pgs-ncp, ...": the names there are, for messages
const char* dual_names(char* text, size_t room);

void dual_defaults(const snDualSolver* solver, snSolverSettings* set);
size_t dual_scratch(const snDualSolver* solver, const snDelassus* D, int nblock);
// Checks that the input is finite and the scratch enough, solves, fills the report.
void dual_solve(const snDualSolver* solver, const snDual* p, snSolverReport* report);

// ---- solves on tape (tape.c): derivatives of a step that holds solved problems
// While a thread has a tape, dual_solve writes down what it solved, one solve behind the other; or,
// on `replay`, takes impulses from the tape in place of solving and writes velocities down.
typedef struct snTapedSolve_ {
  int row, n, block, nblock;  // where its rows and blocks begin on the tape
  int form;                   // snFORM_NCP or snFORM_CCP
  const char* solver;
  snSolverReport report;
} snTapedSolve;

typedef struct snDualTape_ {
  const void* data;           // the mjData that is differentiated
  struct snDualTape_* under;  // of the derivative around this one
  bool used, open;            // by the steps that are made now; by the solves of this step
  bool replay;
  bool broken;  // no memory, or replayed on other problems than those written down
  int at, nsolve, n, nblock;
  snTapedSolve* solve;
  snDualBlock* block;                   // rows counted over all of the tape
  mjtNum *force, *velocity, *diagonal;  // (n) diagonal of D + R
  int room_solve, room_block, room;
} snDualTape;

// An empty one for a derivative of data, on top of those of derivatives that are under way in this
// thread; NULL without memory.
snDualTape* tape_begin(const void* data);
void tape_end(snDualTape* tape);
// Frees what a derivative of this data, and those inside of it, left when an error handler left them
// by longjmp.
void tape_drop(const void* data);
// The same for who jumps: those that began behind the mark.
const snDualTape* tape_mark(void);
void tape_release(const snDualTape* mark);
// Before the solves of a step: only those of the data of the innermost tape, while it is in use and
// the data is differentiated, go on it. So steps of other data in callbacks have no part in it.
void tape_attend(const void* data, bool differentiated);
bool tape_used(void);
// In dual_solve: true when the tape had the answer; and what was solved.
bool tape_replay(const snDual* p, snSolverReport* report);
void tape_write(const snDualSolver* solver, const snDual* p, const snSolverReport* report);

// Residuals of p->force, whoever found it: fills r_primal ... r_ncp_natural, objective, velocity.
// `form` is snFORM_NCP or snFORM_CCP; scratch: n numbers.
void dual_measure(const snDual* p, int form, snSolverReport* report, mjtNum* scratch);

// The impulse of one contact alone that stops it, by Coulomb's law: D its block (nrow x nrow), v
// its velocity (local.c)
void dual_stop_contact(const snDualBlock* b, const mjtNum* D, const mjtNum* v, mjtNum* f);

// `sofar` with the state of a block mixed in: closed, at its bound, sliding. An open block leaves
// it alone; a closed one that had the velocity `v` and would have `v_free` without impulses, faster
// than smooth forces make it, was hit, and the result is snDUAL_EVENT from then on (project.c).
#define snDUAL_EVENT UINT64_MAX
uint64_t dual_held(const snDualBlock* b, const mjtNum* f, mjtNum v, mjtNum v_free, uint64_t who,
                   uint64_t sofar);

// ---- terms of v_free (stabilize.c): h the step, r the error of position
mjtNum dual_bias_joint(mjtNum r, mjtNum erp, mjtNum h);  // erp r / h
mjtNum dual_bias_limit(mjtNum r, mjtNum erp, mjtNum h);  // a limit not reached may be closed, once
// gap: below zero is penetration, of which `slop` is left alone
mjtNum dual_bias_contact(mjtNum gap, mjtNum slop, mjtNum erp, mjtNum h);
// Softening of section V-D: from the impedance d, its stiffness and damping (k, b), the diagonal of
// D, error r and velocity v of the row: R, and the velocity added to v_free = J u_free.
void dual_soften(mjtNum d, mjtNum k, mjtNum b, mjtNum diag, mjtNum r, mjtNum v, mjtNum h, mjtNum* R,
                 mjtNum* bias);

// ---- the 2014 form (impulse2014.c): soft rows by epsilon and kappa
// R_ii = max(epsilon D_ii, rmin), B = 2 (1 + epsilon) / kappa, K = (1 + epsilon) / kappa^2 and
// v* = v - h B v - h K x: fills R, adds -v* to v_free. x and v: error and velocity of rows before
// the step. With scratch, of critical_scratch(n) numbers, B and K are those of exact critical
// damping, which are no longer diagonal and need D; without (NULL), D is not looked at.
void dual_form2014(const snDual* p, mjtNum* R, mjtNum* v_free, const mjtNum* diag, const mjtNum* x,
                   const mjtNum* v, mjtNum h, mjtNum* scratch);
size_t critical_scratch(int n);
// Nearest point of the cone |x_j / mu_j| <= x_0 in the metric diag(r), with r_j mu_j^2 the same for
// all j (Algorithm 5). d tangents.
void dual_cone_project(mjtNum* x, const mjtNum* y, const mjtNum* mu, const mjtNum* r, int d);
// f from the velocity after the step, row by row, without D: the inverse of the form. `target` is
// what dual_form2014 subtracted (v*).
void dual_inverse2014(const snDual* p, const mjtNum* v_after, const mjtNum* target, mjtNum* force);

// ---- the 2011 model (inverse2011.c): f from D, R and the velocity after the step, where the
// velocities of half-lines and cones are positive; c = v - D f follows. p->R is given, one number
// for the tangents of a cone. Returns the Newton iterations made. scratch: 2 n numbers.
int dual_inverse2011(const snDual* p, const mjtNum* v_after, mjtNum* force, mjtNum* scratch);

#endif
