// Beyond the documented mju_ functions: what the engine's own rooms share.
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

// r = A x
void sparse_mul_vec(double* r, const double* mat, const double* vec, int nr, const int* rownnz,
                    const int* rowadr, const int* colind);

// r = A' x
void sparse_mulT_vec(double* r, const double* mat, const double* vec, int nr, int nc,
                     const int* rownnz, const int* rowadr, const int* colind);

// r = A x, A symmetric, given by its lower triangle with the diagonal last in each row
void sparse_mul_sym_vec(double* r, const double* mat, const double* vec, int n, const int* rownnz,
                        const int* rowadr, const int* colind);

// ---- principal axes of a symmetric 3x3 matrix, eigenvalues in decreasing order, as models have
// them
void eig3_axes(double eigval[3], double quat[4], const double mat[9]);

// ---- M = L'DL on the pattern of mjData.M: row k holds the ancestors of dof k, then k (tree.c)
// LD holds L off the diagonal and D on it, dinv the inverses of D, both as mjData.qLD and
// qLDiagInv. The structure is made once per model; scratch has tree_scratch() doubles.
typedef struct snTree_ snTree;
snTree* tree_make(int nv, const int* rownnz, const int* rowadr, const int* colind);  // or NULL
void tree_free(snTree* tree);
int tree_scratch(const snTree* tree);

// LD may be M. Pivots below mjMINVAL are raised to it; returns a dof that had one, or -1.
int tree_factor(const snTree* tree, double* LD, double* dinv, const double* M, double* scratch);

// x = inv(M) y for n right-hand sides, each a row of nv numbers; x may be y
void tree_solve(const snTree* tree, double* x, const double* y, const double* LD,
                const double* dinv, int n, double* scratch);

// x = inv(sqrt D) inv(L') y, given the square roots of dinv
void tree_solve_half(const snTree* tree, double* x, const double* y, const double* LD,
                     const double* sqrt_dinv, int n, double* scratch);

// ---- H = L'DL from the last row up (factor.c)
// Rows lie at `stride` doubles, a multiple of 4. Row i is zero left of column first[i], a multiple
// of 4; what lies left may fill in, so it holds zeros. Afterwards the lower triangle holds L, the
// diagonal D, dinv its inverses, and first[] what was filled. What lies right of the diagonal in
// the same four columns is scratch.

// Pivots below mindiag are raised to it. Returns the rank: n minus their number.
int factor_make(double* L, double* dinv, int* first, int n, int stride, double mindiag);

// x = inv(H) x; x has `stride` doubles of room
void factor_solve(double* x, const double* L, const double* dinv, const int* first, int n,
                  int stride);

// The factor of H + sum_v weight[v] x_v x_v'. The vectors lie at `stride`, are zero left of column
// `start` (a multiple of 4) and right of n, and are used up. False when a pivot would fall below
// mindiag: the factor is then spoilt and has to be made anew.
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
