// M = L'DL and its solves for an arm: a chain of at least four dofs and, at its end, fingers of one
// dof each, up to eight dofs in all. A row is two SIMD vectors, and all rows stay in registers.
// Sums run in the order of tree.c, so that an arm moves with the same bits alone and beside other
// trees.
#include "base/assert.h"
#include "algebra/tree.h"

enum { ARM_MOST = 8 };

// Entries of row k in front of its diagonal.
SN_INLINE int arm_above(const snTree* tree, int k) {
  return (k + 1 < tree->nv ? tree->rowadr[k + 1] : tree->nnz) - tree->rowadr[k] - 1;
}

// The chain is the first panel; every other row has exactly the chain as its ancestors.
bool arm_holds(const snTree* tree) {
  int nv = tree->nv;
  if (nv < 4 || nv > ARM_MOST || tree->npart != 1 || tree->panel[0].width < 4) return false;
  int chain = tree->panel[0].width;
  for (int k = chain; k < nv; k++) {
    if (arm_above(tree, k) != chain) return false;
  }
  return true;
}

// Masks of the first n of eight entries.
static const long long kFirst[ARM_MOST][8] = {{0},
                                              {-1},
                                              {-1, -1},
                                              {-1, -1, -1},
                                              {-1, -1, -1, -1},
                                              {-1, -1, -1, -1, -1},
                                              {-1, -1, -1, -1, -1, -1},
                                              {-1, -1, -1, -1, -1, -1, -1}};

SN_INLINE sn4i arm_first(int n, int at) {
  sn4i mask;
  memcpy(&mask, kFirst[n] + at, sizeof mask);
  return mask;
}

// Entries four to seven of a row, without reading beyond the array (`left` entries remain).
SN_INLINE sn4 arm_load_rest(const double* row, int above, int left) {
  if (left >= 8) return sn4_load(row + 4);
  return above >= 4 ? sn4_load_part(row + 4, above - 3) : sn4_set1(0);
}

// The pivot of row k, raised to mjMINVAL; NaN stays NaN.
SN_INLINE double arm_pivot(double pivot, int k, int* bad) {
  if (__builtin_expect(pivot >= mjMINVAL || pivot != pivot, 1)) return pivot;
  *bad = k;
  return mjMINVAL;
}

// From the last row up: row(t) -= L(k, t) row(k) for the ancestors t, then row k is L(k, .) and the
// pivot. Fingers have L = 0 for each other. Scalar code: pivots depend on each other, and
// extracting them from SIMD vectors would go through memory each time.
SN_INLINE int chain_factor(const snTree* tree, double* LD, double* dinv, const double* M, int n) {
  const int* rowadr = tree->rowadr;
  double A[ARM_MOST][ARM_MOST];
  int bad = -1;
  SN_UNROLL
  for (int k = 0; k < n; k++) {
    const double* row = M + rowadr[k];
    SN_UNROLL
    for (int t = 0; t <= k; t++) A[k][t] = row[t];
  }
  for (int k = tree->nv - 1; k >= n; k--) {
    const double* row = M + rowadr[k];
    double *to = LD + rowadr[k], pivot = arm_pivot(row[n], k, &bad), inverse = 1 / pivot;
    dinv[k] = inverse;
    to[n] = pivot;
    SN_UNROLL
    for (int t = n - 1; t >= 0; t--) {
      double L = row[t] * inverse;
      SN_UNROLL
      for (int u = t; u >= 0; u--) A[t][u] -= row[u] * L;
      to[t] = L;
    }
  }
  SN_UNROLL
  for (int k = n - 1; k >= 0; k--) {
    double *to = LD + rowadr[k], pivot = arm_pivot(A[k][k], k, &bad), inverse = 1 / pivot;
    dinv[k] = inverse;
    to[k] = pivot;
    SN_UNROLL
    for (int t = k - 1; t >= 0; t--) {
      double L = A[k][t] * inverse;
      SN_UNROLL
      for (int u = t; u >= 0; u--) A[t][u] -= A[k][u] * L;
      to[t] = L;
    }
  }
  return bad;
}

SN_KERNEL int arm_factor(const snTree* tree, double* LD, double* dinv, const double* M) {
  SN_ASSERT(tree->nv >= tree->panel[0].width && tree->nv <= ARM_MOST);
  switch (tree->panel[0].width) {
    case 4:
      return chain_factor(tree, LD, dinv, M, 4);
    case 5:
      return chain_factor(tree, LD, dinv, M, 5);
    case 6:
      return chain_factor(tree, LD, dinv, M, 6);
    case 7:
      return chain_factor(tree, LD, dinv, M, 7);
    default:
      return chain_factor(tree, LD, dinv, M, 8);
  }
}

// x = inv(L) inv(D) inv(L') y
SN_KERNEL void arm_solve(const snTree* tree, double* x, const double* y, const double* LD,
                         const double* dinv) {
  const int* rowadr = tree->rowadr;
  int nv = tree->nv, nnz = tree->nnz, rest = nv - 4;
  sn4 lo[ARM_MOST], hi[ARM_MOST], a = sn4_load(y), b = sn4_set1(0), scale = b;
  if (rest) b = sn4_load_part(y + 4, rest), scale = sn4_load_part(dinv + 4, rest);
  SN_UNROLL
  for (int k = ARM_MOST - 1; k > 0; k--) {
    lo[k] = hi[k] = sn4_set1(0);
    if (k >= nv) continue;
    const double* row = LD + rowadr[k];
    int above = k < 4 ? k : arm_above(tree, k);
    sn4 own = sn4_set1(k < 4 ? a[k & 3] : b[k & 3]);
    lo[k] = (sn4)((sn4i)sn4_load(row) & arm_first(above, 0));
    a -= lo[k] * own;
    if (k <= 4) continue;
    hi[k] = (sn4)((sn4i)arm_load_rest(row, above, nnz - rowadr[k]) & arm_first(above, 4));
    b -= hi[k] * own;
  }
  a *= sn4_load(dinv);
  double a0 = a[0], a1 = a[1] - lo[1][0] * a0, a2 = a[2] - lo[2][0] * a0 - lo[2][1] * a1;
  double a3 = a[3] - lo[3][0] * a0 - lo[3][1] * a1 - lo[3][2] * a2;
  a = (sn4){a0, a1, a2, a3};
  sn4_store(x, a);
  if (!rest) return;
  // the chain, one ancestor after the other, as panels do
  sn4 c0 = lo[4], c1 = lo[5], c2 = lo[6], c3 = lo[7], y4 = b * scale;
  sn4_transpose(&c0, &c1, &c2, &c3);
  b = y4 - c0 * sn4_set1(a0) - c1 * sn4_set1(a1) - c2 * sn4_set1(a2) - c3 * sn4_set1(a3);
  double b0 = b[0], b1 = b[1] - hi[5][0] * b0, b2 = b[2] - hi[6][0] * b0 - hi[6][1] * b1;
  double b3 = b[3] - hi[7][0] * b0 - hi[7][1] * b1 - hi[7][2] * b2;
  b = (sn4){b0, b1, b2, b3};
  // fingers: all ancestors in one sum, as panels do
  int chain = tree->panel[0].width;
  SN_ASSERT(chain >= 4 && chain <= nv);
  if (chain < nv) {
    sn4 sum = sn4_sum4(lo[4] * a + hi[4] * b, lo[5] * a + hi[5] * b, lo[6] * a + hi[6] * b,
                       lo[7] * a + hi[7] * b);
    b = sn4_select(arm_first(chain, 4), b, y4 - sum);
  }
  sn4_store_part(x + 4, b, rest);
}
