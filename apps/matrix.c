// Eigenvalues and the linear-quadratic regulator.
#include "matrix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- eigenvalues: balance, reduce to Hessenberg form, QR with Wilkinson's shifts

// A <- inv(D) A D with powers of two, so that rows and columns have similar norms: no rounding.
static void balance(double complex* A, int n) {
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < n; i++) {
      double row = 0, column = 0;
      for (int k = 0; k < n; k++) {
        if (k == i) continue;
        row += cabs(A[i * n + k]);
        column += cabs(A[k * n + i]);
      }
      if (row == 0 || column == 0 || !isfinite(row + column)) continue;
      int power = (int)lround(0.5 * log2(row / column));
      double f = ldexp(1, power);
      if (column * f + row / f > 0.95 * (row + column)) continue;
      again = true;
      for (int k = 0; k < n; k++) {
        A[i * n + k] /= f;
        A[k * n + i] *= f;
      }
    }
  }
}

// Householder reflections from both sides: zeros below the first subdiagonal.
static void hessenberg(double complex* A, int n, double complex* v) {
  for (int k = 0; k + 2 < n; k++) {
    double norm = 0;
    for (int i = k + 1; i < n; i++) {
      v[i] = A[i * n + k];
      norm = hypot(norm, cabs(v[i]));
    }
    if (norm == 0) continue;
    double first = cabs(v[k + 1]);
    v[k + 1] += first > 0 ? norm * v[k + 1] / first : norm;
    double square = 2 * norm * (norm + first);  // v'v
    for (int j = k; j < n; j++) {
      double complex s = 0;
      for (int i = k + 1; i < n; i++) s += conj(v[i]) * A[i * n + j];
      s *= 2 / square;
      for (int i = k + 1; i < n; i++) A[i * n + j] -= s * v[i];
    }
    for (int i = 0; i < n; i++) {
      double complex s = 0;
      for (int j = k + 1; j < n; j++) s += A[i * n + j] * v[j];
      s *= 2 / square;
      for (int j = k + 1; j < n; j++) A[i * n + j] -= s * conj(v[j]);
    }
  }
}

// The eigenvalue of the last 2 x 2 block that is nearer to its corner.
static double complex shift_of(const double complex* A, int n, int last) {
  const double complex *up = A + (last - 1) * n + last - 1, *low = A + last * n + last - 1;
  double complex half = 0.5 * (up[0] - low[1]), root = csqrt(half * half + up[1] * low[0]);
  double complex sum = cabs(half + root) > cabs(half - root) ? half + root : half - root;
  return sum == 0 ? low[1] : low[1] - up[1] * low[0] / sum;
}

// One QR step on rows and columns first..last: Givens rotations G with R = G'(A - s I), then R G.
static void qr_step(double complex* A, int n, int first, int last, double complex s,
                    double complex* turn) {
  for (int i = first; i <= last; i++) A[i * n + i] -= s;
  for (int k = first; k < last; k++) {
    double complex a = A[k * n + k], b = A[(k + 1) * n + k];
    double r = hypot(cabs(a), cabs(b));
    double complex c = r > 0 ? a / r : 1, d = r > 0 ? b / r : 0;
    turn[2 * k] = c;
    turn[2 * k + 1] = d;
    for (int j = k; j <= last; j++) {
      double complex x = A[k * n + j], y = A[(k + 1) * n + j];
      A[k * n + j] = conj(c) * x + conj(d) * y;
      A[(k + 1) * n + j] = c * y - d * x;
    }
  }
  for (int k = first; k < last; k++) {
    double complex c = turn[2 * k], d = turn[2 * k + 1];
    for (int i = first; i <= k + 1; i++) {
      double complex x = A[i * n + k], y = A[i * n + k + 1];
      A[i * n + k] = x * c + y * d;
      A[i * n + k + 1] = y * conj(c) - x * conj(d);
    }
  }
  for (int i = first; i <= last; i++) A[i * n + i] += s;
}

static int by_size(const void* a, const void* b) {
  double complex x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  double p = cabs(x), q = cabs(y);
  if (p != q) return p < q ? 1 : -1;
  return (cimag(x) < cimag(y)) - (cimag(x) > cimag(y));
}

bool matrix_eigenvalues(const double* A, int n, double complex* z) {
  size_t size = (size_t)n * (size_t)n;
  double complex *H = malloc((size + 3 * (size_t)n + 1) * sizeof *H), *work = H + size;
  if (!H) return false;
  for (size_t i = 0; i < size; i++) H[i] = A[i];
  balance(H, n);
  hessenberg(H, n, work);
  int last = n - 1;
  for (int round = 0; last >= 0 && round < 100 * n;) {
    int first = last;
    while (first > 0) {
      double near = cabs(H[first * n + first]) + cabs(H[(first - 1) * n + first - 1]);
      if (cabs(H[first * n + first - 1]) <= DBL_EPSILON * near) break;
      first--;
    }
    if (first == last) {
      z[last] = H[last * n + last];
      last--;
      round = 0;
      continue;
    }
    // a shift off the pattern when the usual one goes in circles
    double complex s =
        ++round % 10 ? shift_of(H, n, last) : H[last * n + last] + cabs(H[last * n + last - 1]);
    qr_step(H, n, first, last, s, work);
  }
  free(H);
  if (last < 0) qsort(z, (size_t)n, sizeof *z, by_size);
  return last < 0;
}

// ---- the regulator

// X <- inv(W) X with partial pivoting; W is used up.
static bool solve(double* W, double* X, int n, int columns) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(W[i * n + k]) > fabs(W[p * n + k])) p = i;
    }
    if (!(fabs(W[p * n + k]) > 0) || !isfinite(W[p * n + k])) return false;
    for (int j = 0; p != k && j < n; j++) {
      double t = W[k * n + j];
      W[k * n + j] = W[p * n + j], W[p * n + j] = t;
    }
    for (int j = 0; p != k && j < columns; j++) {
      double t = X[k * columns + j];
      X[k * columns + j] = X[p * columns + j], X[p * columns + j] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double f = W[i * n + k] / W[k * n + k];
      if (f == 0) continue;
      for (int j = k; j < n; j++) W[i * n + j] -= f * W[k * n + j];
      for (int j = 0; j < columns; j++) X[i * columns + j] -= f * X[k * columns + j];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = 0; j < columns; j++) {
      double s = X[k * columns + j];
      for (int i = k + 1; i < n; i++) s -= W[k * n + i] * X[i * columns + j];
      X[k * columns + j] = s / W[k * n + k];
    }
  }
  return true;
}

// R (+)= A B, with A transposed when asked: r x k times k x c
static void multiply(double* R, const double* A, bool transposed, const double* B, int r, int k,
                     int c, bool add) {
  for (int i = 0; i < r; i++) {
    double* row = R + i * c;
    if (!add) memset(row, 0, (size_t)c * sizeof(double));
    for (int l = 0; l < k; l++) {
      double a = transposed ? A[l * r + i] : A[i * k + l];
      for (int j = 0; a != 0 && j < c; j++) row[j] += a * B[l * c + j];
    }
  }
}

static void transpose(double* T, const double* A, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) T[i * n + j] = A[j * n + i];
  }
}

// The Riccati equation by doubling: after k rounds P is the cost of 2^k steps. With W = I + G P
//
//   A <- A inv(W) A,   G <- G + A inv(W) G A',   P <- P + A' P inv(W) A
static bool doubling(double* A, double* G, double* P, int n, double* work) {
  size_t size = (size_t)n * (size_t)n;
  double *W = work, *WA = W + size, *WG = WA + size, *T = WG + size, *S = T + size;
  for (int round = 0; round < 60; round++) {
    multiply(W, G, false, P, n, n, n, false);
    for (int i = 0; i < n; i++) W[i * n + i] += 1;
    memcpy(T, W, size * sizeof(double));
    memcpy(WA, A, size * sizeof(double));
    memcpy(WG, G, size * sizeof(double));
    if (!solve(W, WA, n, n) || !solve(T, WG, n, n)) return false;
    multiply(T, P, false, WA, n, n, n, false);
    multiply(S, A, true, T, n, n, n, false);
    double change = 0, norm = 0;
    for (size_t i = 0; i < size; i++) {
      P[i] += S[i];
      change = fmax(change, fabs(S[i]));
      norm = fmax(norm, fabs(P[i]));
    }
    if (!isfinite(norm)) return false;
    if (change <= 1e-13 * norm) return true;
    multiply(T, A, false, WG, n, n, n, false);
    transpose(W, A, n);
    multiply(G, T, false, W, n, n, n, true);
    multiply(T, A, false, WA, n, n, n, false);
    memcpy(A, T, size * sizeof(double));
  }
  return false;
}

bool matrix_regulate(const double* A, const double* B, int n, int nu, double q, double r,
                     double* K) {
  size_t size = (size_t)n * (size_t)n, more = (size_t)nu * (size_t)nu;
  double* block = calloc(8 * size + more + 2 * (size_t)n * (size_t)nu + 1, sizeof(double));
  if (!block) return false;
  double *a = block, *G = a + size, *P = G + size, *work = P + size, *R = work + 5 * size;
  double* PB = R + more;
  memcpy(a, A, size * sizeof(double));
  for (int i = 0; i < n; i++) {
    P[i * n + i] = q;
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < nu; k++) G[i * n + j] += B[i * nu + k] * B[j * nu + k] / r;
    }
  }
  bool found = doubling(a, G, P, n, work);
  if (found) {  // K = inv(r I + B'P B) B'P A
    multiply(PB, P, false, B, n, n, nu, false);
    multiply(R, B, true, PB, nu, n, nu, false);
    for (int k = 0; k < nu; k++) R[k * nu + k] += r;
    multiply(K, PB, true, A, nu, n, n, false);
    found = solve(R, K, nu, n);
  }
  free(block);
  return found;
}
