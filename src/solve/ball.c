// A convex quadratic within a ball, the subproblem of friction at a fixed normal force:
//
//   min_z 1/2 z'Az + z'b,  |z| <= r,  at most five unknowns
//
// The minimum is z = -inv(A) b where that lies in the ball. Otherwise it is on the sphere, at
// z(lambda) = -inv(A + lambda) b with the multiplier lambda > 0 that gives |z(lambda)| = r, a root
// in one unknown. Two ways to the root are here: ball_walk takes the iterations of the documented
// solver, whose sweeps of PGS are reproduced step by step, and reports when they do not reach the
// minimum; ball_minimum always does.
#include "solve/ball.h"

#include "solve/problem.h"

// The documented root search.
enum { kRootIterations = 20 };
static const mjtNum kRootTolerance = 1e-10;
static const mjtNum kLeastPivot = 1e-10;  // below it the documented solver calls A singular
static const mjtNum kInside = 1e-12;      // share of r^2 by which |z|^2 may exceed it
enum { kMinimumIterations = 40 };         // Newton's method needs about five

// z = -inv(A + lambda) b by Cholesky, and slope = d|z|^2/dlambda; false when A + lambda is not
// positive definite.
static bool shifted_solve(int n, const mjtNum* A, const mjtNum* b, mjtNum lambda, mjtNum* z,
                          mjtNum* slope) {
  if (n == 2) {
    mjtNum a = A[0] + lambda, c = A[3] + lambda, o = A[1], det = a * c - o * o;
    if (!(a > mjMINVAL && det > mjMINVAL * a)) return false;
    z[0] = (o * b[1] - c * b[0]) / det;
    z[1] = (o * b[0] - a * b[1]) / det;
    *slope = -2 * (c * z[0] * z[0] - 2 * o * z[0] * z[1] + a * z[1] * z[1]) / det;
    return true;
  }
  mjtNum L[25], w[5] = {0};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      mjtNum sum = A[i * n + j] + (i == j ? lambda : 0);
      for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
      if (i == j) {
        if (!(sum > mjMINVAL)) return false;
        L[i * n + i] = sqrt(sum);
      } else {
        L[i * n + j] = sum / L[j * n + j];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    mjtNum sum = -b[i];
    for (int k = 0; k < i; k++) sum -= L[i * n + k] * w[k];
    w[i] = sum / L[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    mjtNum sum = w[i];
    for (int k = i + 1; k < n; k++) sum -= L[k * n + i] * z[k];
    z[i] = sum / L[i * n + i];
  }
  // d|z|^2/dlambda = -2 z' inv(A + lambda) z = -2 |inv(L) z|^2
  *slope = 0;
  for (int i = 0; i < n; i++) {
    mjtNum sum = z[i];
    for (int k = 0; k < i; k++) sum -= L[i * n + k] * w[k];
    w[i] = sum / L[i * n + i];
    *slope -= 2 * w[i] * w[i];
  }
  return true;
}

static mjtNum ball_excess(int n, const mjtNum* z, mjtNum r) { return vector_dot(z, z, n) - r * r; }

static void ball_clip(int n, mjtNum r, mjtNum* z) {
  mjtNum norm = sqrt(vector_dot(z, z, n)), scale = norm > r ? r / norm : 1;
  for (int i = 0; i < n; i++) z[i] *= scale;
}

// Newton's method for |z(lambda)|^2 = r^2 from lambda = 0. The function is convex and decreasing,
// so iterates stay left of the root, but converge slowly from far away. The limit of 20 iterations
// and the absolute tolerance are those of the documented solver. Where A + lambda is not positive
// definite the result is false, with z = 0.
static bool ball_root(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z, mjtNum* root,
                      mjtNum* excess) {
  mjtNum lambda = 0, slope;
  *root = *excess = 0;
  for (int iter = 0; iter < kRootIterations; iter++) {
    if (!shifted_solve(n, A, b, lambda, z, &slope)) {
      for (int i = 0; i < n; i++) z[i] = 0;
      return false;
    }
    *excess = ball_excess(n, z, r);
    if (*excess < kRootTolerance || -*excess > kRootTolerance * slope) break;
    lambda -= *excess / slope;
  }
  *root = lambda;
  return true;
}

bool ball_walk(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z) {
  mjtNum lambda, excess;
  if (!ball_root(n, A, b, r, z, &lambda, &excess)) return false;
  bool finished = excess <= kInside * r * r;
  // the iteration ends outside of the ball unless its first point was inside
  if (lambda > 0) ball_clip(n, r, z);
  return finished;
}

// min 1/2 x'Ax + x'b subject to sum (x_i/d_i)^2 <= r^2, by z_i = x_i/d_i. Returns whether the
// constraint is active. The released library exports mju_QCQP2 and mju_QCQP3 without declaring
// them.
static int ellipsoid_minimum(int n, mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* d,
                             mjtNum r) {
  mjtNum scaled[9], pull[3], lambda, excess;
  for (int i = 0; i < n; i++) {
    pull[i] = d[i] * b[i];
    for (int j = 0; j < n; j++) scaled[n * i + j] = d[i] * A[n * i + j] * d[j];
  }
  ball_root(n, scaled, pull, r, x, &lambda, &excess);
  for (int i = 0; i < n; i++) x[i] *= d[i];
  return lambda != 0;
}

MJAPI int mju_QCQP2(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r);
MJAPI int mju_QCQP3(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r);
int mju_QCQP2(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r) {
  return ellipsoid_minimum(2, res, A, b, d, r);
}
int mju_QCQP3(mjtNum* res, const mjtNum* A, const mjtNum* b, const mjtNum* d, mjtNum r) {
  return ellipsoid_minimum(3, res, A, b, d, r);
}

// Newton's method on 1/|z| - 1/r, which is nearly linear in lambda, where |z|^2 - r^2 is not. A
// singular A gets the least shift that makes it positive definite.
void ball_minimum(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z) {
  mjtNum lambda = 0, slope, floor = 0;
  for (int i = 0; i < n; i++) z[i] = 0;
  if (r < mjMINVAL) return;
  for (int i = 0; i < n; i++) floor = mju_max(floor, A[i * n + i]);
  for (int iter = 0; iter < kMinimumIterations; iter++) {
    if (!shifted_solve(n, A, b, lambda, z, &slope)) {
      lambda = lambda > 0 ? 2 * lambda : mju_max(mjMINVAL, 1e-12 * floor);
      continue;
    }
    mjtNum excess = ball_excess(n, z, r);
    if (excess <= 1e-14 * r * r) {
      if (lambda == 0 || excess > -1e-10 * r * r) break;
    }
    if (slope >= -mjMINVAL) break;
    mjtNum norm2 = excess + r * r, norm = sqrt(norm2);
    mjtNum step = 2 * norm2 * (norm - r) / (r * -slope);
    if (lambda + step < 0) step = -0.5 * lambda;
    if (fabs(step) <= 1e-15 * (lambda + floor)) break;
    lambda += step;
  }
  ball_clip(n, r, z);
}

// By the determinant up to three unknowns, by the least pivot above, against the bound that the
// documented solver uses.
bool ball_singular(const mjtNum* A, int n) {
  mjtNum L[25], det = 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      mjtNum sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
      if (i == j && !(n > 3 ? sum >= kLeastPivot : sum > 0)) return true;
      L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
      if (i == j) det *= sum;
    }
  }
  return n <= 3 && det < kLeastPivot;
}
