// H = L'DL of a symmetric matrix, from the last row up, with rank-1 updates.
//
// L is unit lower triangular, stored by rows with a stride of a multiple of four. Elimination from
// the last row suits trees: descendants come after their ancestors, so a chain fills in nothing.
// Row i is zero left of column first[i] (a multiple of 4), where all loops start.
//
// Rows are processed in panels of four that start at multiples of 4, so every prefix of a panel is
// a whole number of SIMD vectors. Entries right of the diagonal in the same four columns are
// scratch.
#include "base/assert.h"
#include "algebra/algebra.h"

SN_INLINE int factor_min(int a, int b) { return a < b ? a : b; }

// Eliminates the rows of one panel among themselves; returns the number of raised pivots.
SN_INLINE int panel_eliminate(double* panel, double* dinv, int k0, int w, int f, int stride,
                              double mindiag) {
  int raised = 0;
  for (int i = w - 1; i >= 0; i--) {
    double* row = panel + i * stride;
    double pivot = row[k0 + i];
    if (!(pivot >= mindiag)) {
      pivot = mindiag;
      raised++;
    }
    row[k0 + i] = pivot;
    dinv[i] = 1 / pivot;
    for (int t = i - 1; t >= 0; t--) {
      double s = row[k0 + t] * dinv[i];
      if (s == 0) continue;
      double* to = panel + t * stride;
      for (int c = f; c <= k0; c += 4) {
        sn4_store(to + c, sn4_load(to + c) - sn4_load(row + c) * s);
      }
    }
  }
  return raised;
}

// to[f..j] -= sum_i s[i] row_i[f..j]
SN_INLINE void panel_subtract(double* to, const double* panel, const double* s, int w, int f, int j,
                              int stride) {
  for (int c = f; c <= j; c += 4) {
    sn4 sum = sn4_load(to + c);
    for (int i = w - 1; i >= 0; i--) sum -= sn4_load(panel + i * stride + c) * s[i];
    sn4_store(to + c, sum);
  }
}

SN_INLINE int panel_factor(double* L, double* dinv, int* first, int k0, int w, int stride,
                           double mindiag) {
  double* panel = L + (size_t)k0 * stride;
  int f = k0;
  for (int i = 0; i < w; i++) f = factor_min(f, first[k0 + i]);
  int raised = panel_eliminate(panel, dinv + k0, k0, w, f, stride, mindiag);

  for (int j = k0 - 1; j >= f; j--) {
    double s[4];
    sn4 column = {0, 0, 0, 0};
    for (int i = 0; i < w; i++) column[i] = panel[i * stride + j] * dinv[k0 + i];
    if (!sn4_any(column != 0)) continue;
    sn4_store(s, column);
    panel_subtract(L + (size_t)j * stride, panel, s, w, f, j, stride);
    first[j] = factor_min(first[j], f);
  }
  for (int i = 0; i < w; i++) {
    double* row = panel + i * stride;
    double pivot = row[k0 + i];
    for (int c = f; c <= k0; c += 4) sn4_store(row + c, sn4_load(row + c) * dinv[k0 + i]);
    row[k0 + i] = pivot;
    first[k0 + i] = f;
  }
  return raised;
}

SN_KERNEL int factor_make(double* L, double* dinv, int* first, int n, int stride, double mindiag) {
  int rank = n;
  int k0 = (n - 1) & ~3;
  SN_ASSERT(stride >= n && stride % 4 == 0);
  for (int i = 0; i < n; i++) SN_ASSERT(first[i] >= 0 && first[i] <= i && first[i] % 4 == 0);
  if (n <= 0) return 0;
  switch (n - k0) {
    case 1:
      rank -= panel_factor(L, dinv, first, k0, 1, stride, mindiag);
      break;
    case 2:
      rank -= panel_factor(L, dinv, first, k0, 2, stride, mindiag);
      break;
    case 3:
      rank -= panel_factor(L, dinv, first, k0, 3, stride, mindiag);
      break;
    case 4:
      rank -= panel_factor(L, dinv, first, k0, 4, stride, mindiag);
      break;
  }
  for (k0 -= 4; k0 >= 0; k0 -= 4) {
    rank -= panel_factor(L, dinv, first, k0, 4, stride, mindiag);
  }
  return rank;
}

// x = inv(L') x: the rows of a panel among themselves, then all rows above from the panel.
SN_INLINE void panel_solve_back(double* x, const double* panel, int k0, int w, int f, int stride) {
  for (int i = w - 1; i > 0; i--) {
    for (int t = i - 1; t >= 0; t--) x[k0 + t] -= panel[i * stride + k0 + t] * x[k0 + i];
  }
  for (int c = f; c < k0; c += 4) {
    sn4 sum = sn4_load(x + c);
    for (int i = w - 1; i >= 0; i--) sum -= sn4_load(panel + i * stride + c) * x[k0 + i];
    sn4_store(x + c, sum);
  }
}

// x = inv(L) x
SN_INLINE void panel_solve_forward(double* x, const double* panel, int k0, int w, int f,
                                   int stride) {
  sn4 sum[4];
  for (int i = 0; i < w; i++) sum[i] = sn4_set1(0);
  for (int c = f; c < k0; c += 4) {
    sn4 part = sn4_load(x + c);
    for (int i = 0; i < w; i++) sum[i] += sn4_load(panel + i * stride + c) * part;
  }
  for (int i = 0; i < w; i++) {
    double value = x[k0 + i] - sn4_sum(sum[i]);
    for (int t = 0; t < i; t++) value -= panel[i * stride + k0 + t] * x[k0 + t];
    x[k0 + i] = value;
  }
}

SN_KERNEL void factor_solve(double* x, const double* L, const double* dinv, const int* first, int n,
                            int stride) {
  int last = (n - 1) & ~3;
  if (n <= 0) return;
  for (int i = 0; i < n; i++) SN_ASSERT(first[i] == first[i & ~3]);  // one start for a panel
  for (int k0 = last; k0 >= 0; k0 -= 4) {
    const double* panel = L + (size_t)k0 * stride;
    int w = n - k0;
    if (w >= 4) {
      panel_solve_back(x, panel, k0, 4, first[k0], stride);
    } else {
      panel_solve_back(x, panel, k0, w, first[k0], stride);
    }
  }
  for (int i = 0; i < n; i++) x[i] *= dinv[i];
  for (int k0 = 0; k0 < n; k0 += 4) {
    const double* panel = L + (size_t)k0 * stride;
    int w = n - k0;
    if (w >= 4) {
      panel_solve_forward(x, panel, k0, 4, first[k0], stride);
    } else {
      panel_solve_forward(x, panel, k0, w, first[k0], stride);
    }
  }
}

// H + sum_v sigma_v x_v x_v'. For row k, one vector after the other:
//   d' = d + sigma p^2, p = x_k;   x -= p L_k;   L_k += (sigma p / d') x;   sigma' = sigma d / d'
SN_INLINE bool update_vectors(double* L, double* dinv, int* first, double* x, int nvec,
                              double* sigma, int start, int n, int stride, double mindiag) {
  for (int k = n - 1; k >= 0; k--) {
    double* row = L + (size_t)k * stride;
    double p[4], beta[4], d = row[k];
    bool zero = true;
    for (int v = 0; v < nvec; v++) {
      p[v] = x[v * stride + k];
      zero &= p[v] == 0;
      double next = d + sigma[v] * p[v] * p[v];
      if (!(next >= mindiag)) return false;
      beta[v] = sigma[v] * p[v] / next;
      sigma[v] *= d / next;
      d = next;
    }
    if (zero) continue;
    int f = factor_min(first[k], start);
    for (int c = f; c < k; c += 4) {
      sn4 l = sn4_load(row + c);
      for (int v = 0; v < nvec; v++) {
        sn4 moved = sn4_load(x + v * stride + c) - l * p[v];
        l += moved * beta[v];
        sn4_store(x + v * stride + c, moved);
      }
      sn4_store(row + c, l);
    }
    row[k] = d;
    dinv[k] = 1 / d;
    // Rows of a panel share one `first`; x now reaches as far left as this row does.
    if (f < first[k]) {
      int k0 = k & ~3;
      for (int i = k0; i < k0 + 4 && i < n; i++) first[i] = factor_min(first[i], f);
    }
    start = f;
  }
  return true;
}

SN_KERNEL bool factor_update(double* L, double* dinv, int* first, double* x, int nvec,
                             const double* weight, int start, int n, int stride, double mindiag) {
  double sigma[4];
  int done = 0;
  SN_ASSERT(start % 4 == 0 && stride % 4 == 0);
  for (; done < nvec; done += 4, x += 4 * stride) {
    int count = factor_min(4, nvec - done);
    for (int v = 0; v < count; v++) sigma[v] = weight[done + v];
    bool ok = true;
    switch (count) {
      case 1:
        ok = update_vectors(L, dinv, first, x, 1, sigma, start, n, stride, mindiag);
        break;
      case 2:
        ok = update_vectors(L, dinv, first, x, 2, sigma, start, n, stride, mindiag);
        break;
      case 3:
        ok = update_vectors(L, dinv, first, x, 3, sigma, start, n, stride, mindiag);
        break;
      case 4:
        ok = update_vectors(L, dinv, first, x, 4, sigma, start, n, stride, mindiag);
        break;
    }
    if (!ok) return false;
  }
  return true;
}
