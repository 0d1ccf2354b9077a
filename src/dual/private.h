// What the solvers of the dual problem share.
#ifndef SINEW_DUAL_PRIVATE_H_
#define SINEW_DUAL_PRIVATE_H_

#include <math.h>

#include "algebra/algebra.h"
#include "base/assert.h"
#include "dual/dual.h"

#define DUAL_MAXCONE 6

// ---- scratch of the caller, handed out from the front
typedef struct snScratch_ {
  mjtNum* at;
  mjtNum* end;
} snScratch;

SN_INLINE mjtNum* scratch_take(snScratch* s, size_t count) {
  mjtNum* p = s->at;
  s->at += count;
  SN_ASSERT(s->at <= s->end);
  return s->at <= s->end ? p : NULL;  // dual_solve has checked the sum
}

SN_INLINE int dual_stride(int n) { return (n + 3) & ~3; }

// ---- the rows that impulses can move (reduce.c)
// solver->solve without the rows that nothing can move; p->scratch holds dual_scratch() numbers.
void reduce_solve(const snDualSolver* solver, const snDual* p, snSolverReport* report);
size_t reduce_scratch(int n, int nblock);

// ---- projections (project.c)
// |x_T| <= mu x_N, nearest in the Euclidean metric; mu 0 gives the half-line, mu infinite the half
// space.
void project_cone(mjtNum* x, mjtNum mu, int nrow);
// nearest point of the block's set; of its dual cone (for a box: of the velocities f allows)
void project_block(const snDualBlock* block, mjtNum* x);
void project_all(const snDual* p, mjtNum* x);
SN_INLINE mjtNum tangent_norm(const mjtNum* x, int nrow) {
  mjtNum sum = 0;
  for (int i = 1; i < nrow; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// Of the cone x_0 >= |x_1|, ...: x_0^2 - |x_1|^2, and the largest step up to 1 that stays in it,
// the first root of lorentz(x + t dx).
SN_INLINE mjtNum lorentz(const mjtNum* x, int n) {
  mjtNum t = tangent_norm(x, n);
  return (x[0] - t) * (x[0] + t);
}
mjtNum cone_room(const mjtNum* x, const mjtNum* dx, int n);

// De Saxce: mu |v_T|, the number added to the normal velocity.
SN_INLINE mjtNum desaxce(const snDualBlock* block, const mjtNum* v) {
  return block->kind == snDUAL_CONE ? block->mu * tangent_norm(v, block->nrow) : 0;
}

// ---- v = (D + R) f + v_free
void dual_velocity(const snDual* p, const mjtNum* f, mjtNum* v);
// 1/2 f'(D + R) f + f'v_free = 1/2 f'(v + v_free)
mjtNum dual_objective(const snDual* p, const mjtNum* f, const mjtNum* v);
// What the natural map |f - P(f - v - s)|, largest over rows, must fall below: the smaller of the
// tolerances of primal and dual, times the size of the problem's impulses where that is above 1.
SN_INLINE mjtNum dual_tolerance(const snDual* p) {
  return fmin(p->set.tol_primal, p->set.tol_dual) * fmax(1, p->size);
}
// Are the tolerances met: that of the natural map, the smaller of primal and dual, and, unless it
// is 0, that of complementarity? Without by_natural: those of (156), (157) and (158) one by one.
bool dual_converged(const snDual* p, int form, const mjtNum* f, const mjtNum* v, mjtNum natural);
// Do impulses or objective stand still by the tolerances that the settings have for them?
bool dual_still(const snDual* p, const snSolverReport* report);
mjtNum dual_natural(const snDual* p, int form, const mjtNum* f, const mjtNum* v);
mjtNum block_natural(const snDualBlock* b, int form, const mjtNum* f, const mjtNum* v);
bool numbers_finite(const mjtNum* x, int n);

// ---- local solvers: one contact, D (nrow x nrow, row-major) symmetric positive definite, b its
// velocity without its own impulse (local.c)
// x <- inv(D) x by Cholesky; D is overwritten. Pivots below `floor` are raised to it.
void local_cholesky(mjtNum* D, int n, mjtNum floor);
void local_solve(const mjtNum* L, int n, mjtNum* x);

typedef struct snLocal_ {
  int nrow;
  mjtNum mu;
  const mjtNum* D;  // with R and the proximal shift
  const mjtNum* L;  // its Cholesky factor
  mjtNum length;    // of a gradient step, 1 for the inverse of the diagonal (prox.c)
  bool safe;        // steps no longer than what may converge
} snLocal;

// Exact: open, sticking, or sliding against v_T with v_N = 0. Sliding is the root alpha of
// |f_T(alpha)| = mu f_N(alpha), where v_T = -alpha f_T: a quartic with two tangents, found by
// bisection otherwise.
void local_quartic(const snLocal* c, const mjtNum* b, mjtNum* f);
// Least energy 1/2 f'Df + f'(b + s) on the section of the cone by v_N = 0, by bisection over the
// angle.
void local_section(const snLocal* c, const mjtNum* b, mjtNum s, mjtNum* f);

// ---- the convex problem of one contact (convex.c): least energy 1/2 f'Df + f'b over the whole
// cone
typedef struct snConvex_ {
  int n;
  mjtNum mu;
  mjtNum D[DUAL_MAXCONE * DUAL_MAXCONE], L[DUAL_MAXCONE * DUAL_MAXCONE];  // and Cholesky factor
  mjtNum Q[DUAL_MAXCONE * DUAL_MAXCONE];  // eigenvectors of the tangents' block, by columns
  mjtNum lambda[DUAL_MAXCONE];            // and eigenvalues
  mjtNum cross[DUAL_MAXCONE];             // Q'D_TN
} snConvex;
void convex_make(snConvex* c, const mjtNum* D, int n, mjtNum mu);
void convex_solve(const snConvex* c, const mjtNum* b, mjtNum* f);

// ---- the common loop of splitting methods (splitting.c)
// One cone: from its impulse f and velocity z (both nrow) to the next impulse, in f.
typedef void (*snConeStep)(const snLocal* c, const mjtNum* z, mjtNum s, mjtNum* f);

typedef struct snSplitting_ {
  snConeStep cone;
  int form;           // unless the settings say otherwise
  bool correct;       // s enters the local problem
  bool by_objective;  // stop by the objective alone
  bool adaptive;      // step lengths shrink while the residual grows
  bool own_law;  // solves another law than NCP or CCP: the last iterate counts, by standing still
} snSplitting;

void splitting_solve(const snDual* p, snSolverReport* report, const snSplitting* how);
size_t splitting_scratch(const snDelassus* D, int nblock);
void splitting_defaults(snSolverSettings* set);

// y = A x (delassus.c)
void full_mul(mjtNum* y, const mjtNum* A, const mjtNum* x, int n, int stride);

// ---- D + R + sigma 1 for the second-order and ADMM solvers (matrix.c)
typedef struct snMatrix_ {
  int n, stride;
  const snDual* p;
  mjtNum *A, *L, *dinv;  // dense: D and its factor
  int *first, *fill;     // what is zero left of it, in A and in L
  snPanels* inner;       // or over velocities (panels.c): NULL when dense
  mjtNum *inverse, *weight, *product;
  const mjtNum* scale;
} snMatrix;

// `inner`: the solver needs no entries of D, so that it may stay in factors
size_t matrix_scratch(const snDelassus* D, bool inner);
void matrix_make(snMatrix* m, const snDual* p, bool inner, snScratch* s);  // A = D
mjtNum matrix_diagonal(const snMatrix* m, int i);
// L'DL of S (A + diag(R)) S + sigma I, S = diag(scale) or NULL for 1; R may be NULL
void matrix_factor(snMatrix* m, const mjtNum* R, const mjtNum* scale, const mjtNum* sigma);
void matrix_solve(const snMatrix* m, mjtNum* x);  // x has `stride` numbers
void matrix_mul(const snMatrix* m, mjtNum* y, const mjtNum* x);

// ---- Newton's method: the linear system of a step (system.c)
// Residual of a block and its derivatives, dF = G df + H dv, row-major
typedef struct snState_ {
  mjtNum F[DUAL_MAXCONE], G[DUAL_MAXCONE * DUAL_MAXCONE], H[DUAL_MAXCONE * DUAL_MAXCONE];
} snState;
typedef void (*snStateOf)(const void* self, const snDualBlock* b, int row, int n, snState* s);

typedef struct snDualNewton_ {
  const snDual* p;
  int form;
  const snMatrix* A;
  const mjtNum* scale;  // of rows, so that diagonals of D are about 1
  mjtNum *N, *f, *v, *step, *real, *velocity;
  mjtNum *G, *H, *inverse;              // over velocities: blocks at DUAL_MAXCONE times a row
  mjtNum *rest, *product, *correction;  // residual of the step, and scratch
  mjtNum small;
  bool careful;     // short steps, where the solution is one of many
  const mjtNum* y;  // of the proximal method, with its sigma; NULL: the NCP or CCP itself
  mjtNum sigma;
  bool implicit;
  snStateOf state;  // of rows [row, row + n) of a block; `self` is its first argument
  const void* self;
  bool inside;   // `small` belongs to the problem: steps are not refined,
  bool refined;  // unless this asks for it
} snDualNewton;

typedef enum snNewtonStep_ {
  snNEWTON_WHOLE = 0,
  snNEWTON_DAMPED,  // where D hardly determines reactions
  snNEWTON_SHORT    // as far as the first contact that lets go
} snNewtonStep;

// `inner` as for the matrix
size_t newton_scratch(const snDelassus* D, bool inner);
void newton_make(snDualNewton* q, const snDual* p, int form, const snMatrix* A, const mjtNum* scale,
                 mjtNum* scratch);
bool newton_direction(const snDualNewton* newton);  // newton->step; false: singular
// The step for another -F with the same matrix.
void newton_again(const snDualNewton* newton, const mjtNum* negative);
// dv = (D + R + small) df of the scaled problem for newton->step, where steps are not refined
// (`inside`).
void newton_change(const snDualNewton* newton, mjtNum* dv);

// ---- semismooth Newton's method (semismooth.c)
// From `force` on; true when the natural map fell below *natural, which it then is, and the report
// has the changes of that step.
bool newton_descend(const snDualNewton* newton, int how, mjtNum tolerance, mjtNum* force,
                    mjtNum* natural, snSolverReport* report);
// The same with whole, then damped, then short steps.
bool polish(const snDualNewton* newton, mjtNum tolerance, mjtNum* force, mjtNum* natural,
            snSolverReport* report);
// The step of g = P_K(y), y = f0 - (D g + c) / sigma: newton->step.
bool newton_proximal(const snDualNewton* newton, const mjtNum* y, const mjtNum* g, mjtNum sigma,
                     const mjtNum* v);

// ---- the proximal method of multipliers (proximal.c); as polish()
size_t proximal_scratch(const snDelassus* D);
// `centres`: times that the centre moves at most
bool proximal(const snDualNewton* newton, int centres, mjtNum tolerance, mjtNum* force,
              mjtNum* natural, mjtNum* scratch, snSolverReport* report);

// ---- the last digits patch by patch (patch.c); as polish(), where D is in factors
size_t patch_scratch(const snDelassus* D, int nblock);
bool patches(const snDualNewton* newton, mjtNum tolerance, mjtNum* force, mjtNum* natural,
             mjtNum* scratch);

// ---- the interior-point method (interior.c); as polish()
// `tolerance` is what it aims at, and dual_enough() times as much what it is content with behind a
// round.
SN_INLINE mjtNum dual_enough(const snDual* p) { return p->set.aim > 0 ? 1 / p->set.aim : 1; }
#define CLOSE 1e-4    // natural map from which on last digits are worth their methods
#define DUAL_FEW 100  // rows: below, impulses of the last step are the better start
// `last`: nothing else is left to try, and small problems have the rounds of large ones too.
size_t interior_scratch(const snDelassus* D);
bool interior(const snDualNewton* newton, bool last, mjtNum tolerance, mjtNum* force,
              mjtNum* natural, mjtNum* scratch, snSolverReport* report);

// Plain steps of it from a point inside the cones: f, z, z2 scaled.
bool interior_dive(const snDualNewton* newton, const mjtNum* f, const mjtNum* z, const mjtNum* z2,
                   mjtNum tolerance, mjtNum* force, mjtNum* natural, mjtNum* scratch,
                   snSolverReport* report);

// ---- the central path as a curve (continuation.c); as polish(), where D is in factors. `scratch`
// is that of the interior-point method behind its own. `far`: ten times as many steps.
size_t continuation_scratch(const snDelassus* D);
bool continuation(const snDualNewton* newton, bool far, mjtNum tolerance, mjtNum* force,
                  mjtNum* natural, mjtNum* scratch, snSolverReport* report);

// ---- from a problem that is solved to this one, piece by piece (pieces.c); as polish(), where D is
// in factors
size_t pieces_scratch(const snDelassus* D, int nblock);
#define PIECES_SIGMA 1e-7        // proximal term of rows whose diagonal is about 1,
#define PIECES_SIGMA_NEAR 1e-10  // and where the natural map is below PIECES_NEAR
#define PIECES_NEAR 1e-6
bool pieces(const snDualNewton* newton, const mjtNum* start, mjtNum sigma, mjtNum tolerance,
            mjtNum* force, mjtNum* natural, mjtNum* scratch, snSolverReport* report);

// ---- the soft models of 2011 and 2014
#define BARRIER_MINMU 1e-6  // a cone without inside has no logarithm

// Below this velocity a parabola continues -log v.
SN_INLINE mjtNum barrier_floor(mjtNum kappa, mjtNum R) { return 1e-1 * sqrt(kappa * R); }

SN_INLINE mjtNum barrier_slope(mjtNum v, mjtNum v0) { return v >= v0 ? -1 / v : (v / v0 - 2) / v0; }
mjtNum soft_floor(mjtNum epsilon, mjtNum mean);
void soft_diagonal(const snDual* p, mjtNum* R);

// ---- solvers
void solve_pgs_ccp(const snDual* p, snSolverReport* report);
void solve_pgs_ncp(const snDual* p, snSolverReport* report);
void solve_nbgs(const snDual* p, snSolverReport* report);
void solve_raisim(const snDual* p, snSolverReport* report);
void solve_raisim_ds(const snDual* p, snSolverReport* report);
void solve_raisim_ds_es(const snDual* p, snSolverReport* report);
void solve_prox(const snDual* p, snSolverReport* report);
void solve_admm(const snDual* p, snSolverReport* report);
void solve_implicit(const snDual* p, snSolverReport* report);
void solve_barrier(const snDual* p, snSolverReport* report);
void solve_gpgs(const snDual* p, snSolverReport* report);
size_t admm_scratch(const snDelassus* D, int nblock);
size_t implicit_scratch(const snDelassus* D, int nblock);
size_t barrier_scratch(const snDelassus* D, int nblock);
size_t gpgs_scratch(const snDelassus* D, int nblock);

#endif
