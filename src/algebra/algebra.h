// Linear algebra on doubles: what every room above computes with.
//
// The room takes arrays and sizes and gives arrays; it knows neither mjModel nor mjData. Half of it
// is the documented mju_ interface (vectors, matrices, quaternions, poses, Cholesky, box QP,
// muscles). The other half, declared here and in small.h, serves the engine:
//
//   - small.h      3-vectors, 3x3 matrices, quaternions, spatial vectors and inertias, inlined
//   - M = L'DL     on the sparsity of a kinematic forest (tree.c): the row of a dof holds its
//                  ancestors, so elimination from the leaves to the root fills in nothing
//   - H = L'DL     of a matrix by rows of variable length (factor.c), with rank-1 updates: the
//                  Hessian of Newton's method, in which few rows change between iterations
//   - K = LU       by dense blocks (block_lu.c): hard contact, where K is not symmetric
//   - CSR          products with sparse matrices
//
// Invariants:
//   - Sums run in a fixed order, which is part of the contract: results have the same bits on every
//     processor, and some orders are the released engine's, because a contact can hang on them.
//     Long sums run in four SIMD lanes and end as ((0+1)+(2+3)).
//   - Arrays that kernels read by SIMD lanes are padded to a multiple of four. Padding may
//     be computed with, but never reaches a result.
//   - Only tree_make and mju_boxQPmalloc allocate. Other functions take their scratch memory.
//   - A pivot that is too small is raised and reported, never divided by. NaN stays NaN.
//
//   vector.c, matrix.c, quaternion.c, cholesky.c, eig3.c, band.c, boxqp.c, sparse.c
//                   the documented functions, by subject
//   muscle.c        muscle curves, and the documented scalar functions
//   helpers.c       functions that the released library exports without declaring them
//   tree_make.c     the structure of M: panels, runs of columns, workspace (tree.h)
//   tree.c          factorization and solves by panels
//   tree_arm.c      the same for one arm of up to eight dofs, in registers
//   factor.c        L'DL with updates
//   block_lu.c      block LU with a fill-reducing order
#ifndef SINEW_ALGEBRA_ALGEBRA_H_
#define SINEW_ALGEBRA_ALGEBRA_H_

#include "algebra/small.h"
#include "base/base.h"

// ---- sparse matrices by rows (CSR): rownnz, rowadr, colind, columns in increasing order

// row . vec, where the row has n entries in columns ind
SN_INLINE double sparse_dot(const double* row, const double* vec, int n, const int* ind) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += row[k] * vec[ind[k]];
  return sum;
}

// r = A x, A symmetric, given by its lower triangle with the diagonal last in each row
void sparse_mul_sym_vec(double* r, const double* mat, const double* vec, int n, const int* rownnz,
                        const int* rowadr, const int* colind);

// ---- principal axes of a symmetric 3x3 matrix, eigenvalues in decreasing order, as the compiler
// of models wants them (eig3.c)
void eig3_axes(double eigval[3], double quat[4], const double mat[9]);

// ---- M = L'DL on the pattern of mjData.M: row k holds the ancestors of dof k, then k (tree.c)
// LD holds L off the diagonal and D on it, dinv the inverses of D, as mjData.qLD and qLDiagInv.
// The structure is made once per model. `scratch` has tree_scratch() doubles.
typedef struct snTree_ snTree;
snTree* tree_make(int nv, const int* rownnz, const int* rowadr,
                  const int* colind);  // NULL: no memory, or another pattern
void tree_free(snTree* tree);
int tree_scratch(const snTree* tree);

// LD may be M. Pivots below mjMINVAL are raised to it; returns a dof with such a pivot, or -1.
int tree_factor(const snTree* tree, double* LD, double* dinv, const double* M, double* scratch);

// x = inv(M) y for n right-hand sides, each a row of nv numbers; x may be y
void tree_solve(const snTree* tree, double* x, const double* y, const double* LD,
                const double* dinv, int n, double* scratch);

// The same for the dofs from `begin` to `end`, which are whole trees, or for more where that is
// cheaper; one right-hand side.
int tree_factor_range(const snTree* tree, double* LD, double* dinv, const double* M,
                      double* scratch, int begin, int end);
void tree_solve_range(const snTree* tree, double* x, const double* y, const double* LD,
                      const double* dinv, double* scratch, int begin, int end);

// x = inv(sqrt D) inv(L') y, given the square roots of dinv
void tree_solve_half(const snTree* tree, double* x, const double* y, const double* LD,
                     const double* sqrt_dinv, int n, double* scratch);

// ---- H = L'DL from the last row up (factor.c)
// Rows have a stride of `stride` doubles, a multiple of 4. Row i is zero left of column first[i], a
// multiple of 4; those entries may fill in, so they must hold zeros. On return the lower triangle
// holds L, the diagonal D, dinv the inverses of D, and first[] includes the fill. Entries right of
// the diagonal in the same four columns are scratch.

// Pivots below mindiag are raised to it. Returns the rank: n minus their number.
int factor_make(double* L, double* dinv, int* first, int n, int stride, double mindiag);

// x = inv(H) x; x has `stride` doubles of room
void factor_solve(double* x, const double* L, const double* dinv, const int* first, int n,
                  int stride);

// The factor of H + sum_v weight[v] x_v x_v'. The vectors have a stride of `stride`, are zero left
// of column `start` (a multiple of 4) and right of n, and are overwritten. False when a pivot would
// fall below mindiag: the factor is then invalid and must be computed again.
bool factor_update(double* L, double* dinv, int* first, double* x, int nvec, const double* weight,
                   int start, int n, int stride, double mindiag);

// ---- muscles (muscle.c): the slope of mju_muscleGain by velocity and by length, of mju_muscleBias
// by length, of mju_muscleDynamics by ctrl and act
double muscle_gain_slope(double len, double vel, const double lengthrange[2], double acc0,
                         const double prm[9]);
double muscle_gain_slope_length(double len, double vel, const double lengthrange[2], double acc0,
                                const double prm[9]);
double muscle_bias_slope(double len, const double lengthrange[2], double acc0, const double prm[9]);
void muscle_dynamics_slopes(double ctrl, double act, const double prm[3], double slope[2]);

#endif
