// The convex problem, as every solver sees it. It knows no robots:
//
//   primal   min_x  1/2 (x - a0)' M (x - a0) + s(J x - aref)
//   dual     min_f  1/2 f' (A + R) f + f' (J a0 - aref),  f in Omega
//
// M is tree-structured; J comes in blocks of rows over the same few columns; s and Omega are given
// row by row: free (equality), box (friction loss), half-line (limit, frictionless contact, edge of
// a pyramid) and elliptic cone.
//
// A problem is the whole system or one part of it that touches no other (an island).
#ifndef SINEW_SOLVE_PROBLEM_H_
#define SINEW_SOLVE_PROBLEM_H_

#include "constrain/constrain.h"
#include "data/frame.h"

// Consecutive rows over the same columns. Rows are kept at a stride of whole lanes, the rest zero.
// For solve_cg, which asks for nothing but products, rows alone on their columns (edges of flexes,
// limits) go together when they are of equal length: each has its own columns, one list behind the
// other, and the stride is their number. Where these come in threes, the translations of points,
// products go over a copy of the vector with four numbers per point, and each three is a lane. A
// row that takes the difference of two points, as edges and contacts of free points do, has one
// three.
typedef struct snRowBlock_ {
  int row, nrow;  // rows of the problem
  int col, ncol;  // its columns: snProblem.col[col .. col+ncol), ascending
  int stride;     // ncol rounded up to lanes
  int own;        // each row has columns of its own
  int npoint;     // these are so many points, at col in the copy; 0: they are listed one by one
  int apart;      // of the second point minus the first, with one three for both
  size_t J;       // first entry in snProblem.J
} snRowBlock;

typedef struct snReport_ {
  int niter;           // iterations made
  int nnz;             // entries of the Hessian or of A + R
  bool failed;         // there was no memory
  mjSolverStat* stat;  // one per iteration, at most mjNSOLVER
} snReport;

// What does not change while positions stay: kept from one solve to the next by solve_hold.
typedef struct snHeldPositions_ {
  bool started;
  mjtNum *acc, *Ma, *Jacc;     // the last start and its images
  struct snFactors_* factors;  // of the Hessian (hessian.c)
  struct snRowSpace_* rows;    // slots and their products (newton_rows.c)
} snHeldPositions;

typedef struct snProblem_ {
  int nv;                                     // accelerations
  int nlane;                                  // nv rounded up to lanes
  int ntree;                                  // trees that M falls into
  snRowView rows;                             // kind, weight and bounds of rows
  const mjtNum* aref;                         // (nefc)
  const int *M_rownnz, *M_rowadr, *M_colind;  // lower triangle of M, diagonal last in each row
  const snRange* M_run;                       // its rows as runs of columns, for the whole system
  const int* M_runadr;                        // (nv + 1)
  const mjtNum *M, *LD, *LDinv;               // M and its factors L'DL
  const snTree* tree;                         // panels of the factors; NULL for a part
  const mjtNum* frc_smooth;                   // (nv) M a0
  const mjtNum* acc_smooth;                   // (nv) a0
  int nblock;
  snRowBlock* block;
  int* col;
  mjtNum* J;
  snHeldPositions* kept;  // NULL unless positions are held
  int npoint;             // points that rows alone on their columns refer to
  int* point;             // (npoint) their first columns
  int* point_of;          // (nv) the point at a column, -1 for none
  mjtNum* padded;         // (npoint x 4) for the products
  int elliptic;           // are there rows of elliptic cones
  mjtNum* scratch;        // for the products

  // result
  mjtNum* acc;             // (nv) in: where to start
  mjtNum* frc_constraint;  // (nv) J' force
  mjtNum* b;               // (nefc) J a0 - aref, by linear_term: set before the solver starts,
                           // except by solve_newton_full, which multiplies with efc_J itself
  mjtNum* force;           // (nefc)
  int* state;              // (nefc)

  // when to stop
  int iterations, ls_iterations;
  mjtNum tolerance, ls_tolerance;
  mjtNum scale;      // brings costs and gradients to the units of the tolerance
  mjtNum lightness;  // inverse of the mean inertia: |x|^2 is about this times x'Mx
  bool apart;        // the documented iteration takes more dofs together than are here
  bool chosen;       // acc is where to start, whatever a0 costs: chosen for all islands together
  snMemory* memory;  // for frames of working memory
} snProblem;

// ---- rows alone on their columns (single_rows.c)
bool own_start(snProblem* p);  // false without memory
// One more such row, whose columns and numbers are at the ends of col and J. Its block says how
// much of both it takes.
const snRowBlock* own_add(snProblem* p, int row, int col, size_t J, int ncol);

// ---- products (product.c)
void problem_mul_J(const snProblem* p, mjtNum* res, const mjtNum* x);    // J x
void problem_mul_JT(const snProblem* p, mjtNum* res, const mjtNum* f);   // J' f
void problem_mul_M(const snProblem* p, mjtNum* res, const mjtNum* x);    // M x
void problem_solve_M(const snProblem* p, mjtNum* res, const mjtNum* x);  // inv(M) x
// M x (unless NULL) and J x at the start x = acc.
void problem_images(const snProblem* p, mjtNum* Ma, mjtNum* Jacc);
// b = J a0 - aref, the linear term of the dual and efc_b, from the product J a0. The one place
// where b is computed. Each variant brings the product with its own kernel, since the order of
// summation differs between kernels and J a0 has the bits of one of them. `Ja0` may be `b` itself.
SN_INLINE void linear_term(mjtNum* b, const mjtNum* Ja0, const mjtNum* aref, int nefc) {
  for (int i = 0; i < nefc; i++) b[i] = Ja0[i] - aref[i];
}

// a.b of whole lanes
SN_INLINE mjtNum dot_lanes(const mjtNum* a, const mjtNum* b, int n) {
  sn4 sum = {0, 0, 0, 0};
  for (int k = 0; k < n; k += 4) sum += sn4_load(a + k) * sn4_load(b + k);
  return sn4_sum(sum);
}

mjtNum vector_dot(const mjtNum* a, const mjtNum* b, int n);
void vector_add_scaled(mjtNum* res, const mjtNum* x, mjtNum s, int n);  // res += s x

// ---- primal solvers share the point they stand at (primal.c)
typedef struct snPoint_ {
  int nlane;                        // rows rounded up to lanes, the rest zero
  mjtNum *Ma, *grad, *search, *Mv;  // (nv) M x, gradient, direction and its image
  mjtNum *jar, *Jv;                 // (nlane) J x - aref, J search
  mjtNum *force, *weight;           // (nlane) forces; D where they follow jar, 0 elsewhere
  mjtNum *before, *weight_before;   // (nlane) the same before the last move
  mjtNum *D, *R, *low, *high;       // (nlane) f = clamp(-D jar); cones have no room there
  int* cone;                        // first rows of elliptic cones, whose zone is in p->state
  int ncone;
  mjtNum cost, gauss;
  mjtNum descent;  // slope of the cost along a step of Newton
  int neval;       // evaluations made by the last line search
  mjtNum slope;    // relative slope where it ended
  mjtNum gain;     // what the step gains if phi is a parabola
} snPoint;

// Allocate on the stack and go to p->acc or to a0, whichever is cheaper: forces, cost and gradient
// there. False without memory.
bool primal_start(const snProblem* p, snPoint* x, bool cone_hessian);
// Force, weight and cost of rows at x; what they were is kept. Returns s(jar).
mjtNum primal_penalty(const snProblem* p, snPoint* x, bool cone_hessian);
// The gradient from the point alone, and J'f; returns its norm in units of the tolerance.
mjtNum primal_gradient(const snProblem* p, snPoint* x);
// Force and state of rows to where they are shown.
void primal_finish(const snProblem* p, const snPoint* x);
// Exact line search along `search`, of length `norm`, with the image Jv; then acc, jar and gauss
// move. The Gauss part of the cost has slope quad1 and curvature quad2 there. Returns the step
// length.
mjtNum primal_move(const snProblem* p, snPoint* x, mjtNum quad1, mjtNum quad2, mjtNum norm,
                   bool newton);
// How much the cost fell in the last move, from `cost`.
mjtNum primal_improvement(const snPoint* x, mjtNum cost);

// Is a row at the lower bound of R, or near it? Beside it rounding may leave of s'Ms a number that
// looks right. `lightness` is the inverse of the mean inertia.
SN_INLINE bool rows_stiff(const mjtNum* D, int n, mjtNum lightness) {
  static const mjtNum kStiff = 1e12;  // four digits are left of M beside J'WJ
  mjtNum most = 0;
  for (int i = 0; i < n; i++) most = mju_max(most, D[i]);
  return most * lightness > kStiff;
}

// ---- solvers
// Newton or CG over the whole system: qacc is where to start, then the result.
void solve_primal(const mjModel* m, mjData* d);
// The result of rows of loops that close, where there are no others; false: they are not, or have
// no solution.
bool solve_loops(const mjModel* m, mjData* d);
// Results go to acc, frc_constraint, force and state; false without memory.
bool solve_newton(const snProblem* p, snReport* report);
struct snFull_;
// The same for systems of up to WIDE_DOFS, with J at full width (newton_full.c).
bool solve_newton_full(const snProblem* p, const mjtNum* J, struct snFull_* kept, snReport* report);
struct snFull_* newton_full_keep(const snProblem* p, const mjtNum* J);  // on the stack, or NULL
// The same steps, found in the space of rows (newton_rows.c).
bool solve_newton_rows(const snProblem* p, snReport* report);
struct snRowSpace_* newton_rows_keep(const snProblem* p);  // on the stack; NULL without memory
// Its A (n x n) over n slots, a multiple of four, with their rows and sqrt(D) (row_products.c);
// false without memory.
bool row_products(const snProblem* p, int n, const int* row, const mjtNum* root, mjtNum* A);
bool solve_cg(const snProblem* p, snReport* report);
void solve_pgs(const mjModel* m, mjData* d, int iterations);
void solve_noslip(const mjModel* m, mjData* d, int iterations);

// ---- Hessian (hessian.c): H = M + J' W J, kept dense by rows; H = L'DL from the last row up
typedef struct snHessian_ {
  int n, stride;
  bool factored;
  mjtNum* H;  // quadratic part, lower triangle; the same as L when there are no cones
  mjtNum* L;  // factor
  mjtNum* Dinv;
  mjtNum least;     // pivots cannot be below half the least one of M, but for rounding
  mjtNum damping;   // of H, as a share of its diagonal
  int* first;       // first column of each row that may not be zero, in H
  int* fill;        // the same in L
  mjtNum* weight;   // (nefc) with which the row is in H
  mjtNum* vectors;  // rows on their way into the factor
  mjtNum* cone;     // Hc J of one contact
  int made;         // factors asked for so far
  bool known;       // all of them were kept ones
} snHessian;

struct snFactors_* hessian_keep(const snProblem* p);  // on the stack; NULL without memory

bool hessian_start(const snProblem* p, snHessian* h);  // false without memory
// With rows of these weights; returns the updates made, 0 for a new factor.
int hessian_factor(const snProblem* p, snHessian* h, const mjtNum* weight);
// The same factor with the damping of h.
void hessian_damp(const snProblem* p, snHessian* h, const mjtNum* weight);
void hessian_solve(const snHessian* h, mjtNum* x);

#endif
