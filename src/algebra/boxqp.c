// Quadratic program in a box by projected Newton: min 1/2 x'Hx + g'x, lower <= x <= upper.
// Coordinates at a bound whose gradient points outwards are clamped; on the others one Newton step
// is taken, and projected, with a backtracking search.
#include "algebra/algebra.h"

enum { MAX_ITERATIONS = 100 };
static const double min_gradient = 1e-16;  // on the square norm of the free gradient
static const double min_step = 1e-22;      // of the line search: below it no descent is left
// accepted distance of the cost from its minimum when rounding stops the search, by the Newton step
static const double stall_absolute = 1e-20, stall_relative = 1e-14;
static const double backtrack = 0.5;
static const double armijo = 0.1;

typedef struct snBoxQP_ {
  int n;
  const double *H, *g, *lower, *upper;
} snBoxQP;

// H x from the lower triangle
static void boxqp_mul(const snBoxQP* p, double* r, const double* x) {
  for (int i = 0; i < p->n; i++) {
    const double* row = p->H + (size_t)i * p->n;
    r[i] = mju_dot(row, x, i + 1);
    mju_addToScl(r, row, x[i], i);
  }
}

static double boxqp_value(const snBoxQP* p, const double* x, double* scratch) {
  boxqp_mul(p, scratch, x);
  return 0.5 * mju_dot(x, scratch, p->n) + mju_dot(x, p->g, p->n);
}

static double boxqp_clip(const snBoxQP* p, double x, int i) {
  if (p->lower && x < p->lower[i]) return p->lower[i];
  if (p->upper && x > p->upper[i]) return p->upper[i];
  return x;
}

static bool boxqp_clamped(const snBoxQP* p, const double* x, const double* gradient, int i) {
  if (p->lower && x[i] == p->lower[i] && gradient[i] > 0) return true;
  return p->upper && x[i] == p->upper[i] && gradient[i] < 0;
}

int mju_boxQP(mjtNum* res, mjtNum* R, int* index, const mjtNum* H, const mjtNum* g, int n,
              const mjtNum* lower, const mjtNum* upper) {
  if (n <= 0) return 0;
  snBoxQP problem = {n, H, g, lower, upper};
  const snBoxQP* p = &problem;
  if (lower && upper) {
    for (int i = 0; i < n; i++) {
      if (lower[i] >= upper[i]) return -1;
    }
  }

  // R has room for the factor and seven vectors
  double* gradient = R + (size_t)n * n;
  double* step = gradient + n;
  double* candidate = step + n;
  double* scratch = candidate + n;
  int* at = (int*)(scratch + n);  // free coordinates, in order
  int* previous = at + n;

  for (int i = 0; i < n; i++) res[i] = boxqp_clip(p, res[i], i);
  double value = boxqp_value(p, res, scratch);
  int nfree = -1, nprevious = -1;
  bool solved = false;

  for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    boxqp_mul(p, gradient, res);
    mju_addTo(gradient, g, n);

    nfree = 0;
    for (int i = 0; i < n; i++) {
      if (!boxqp_clamped(p, res, gradient, i)) at[nfree++] = i;
    }
    if (nfree == 0) {
      solved = true;
      break;
    }
    if (nfree != nprevious || memcmp(at, previous, nfree * sizeof *at)) {
      for (int i = 0; i < nfree; i++) {
        for (int j = 0; j <= i; j++) R[i * nfree + j] = H[(size_t)at[i] * n + at[j]];
      }
      if (mju_cholFactor(R, nfree, mjMINVAL) < nfree) return -1;
      memcpy(previous, at, nfree * sizeof *at);
      nprevious = nfree;
    }

    double square = 0;
    for (int i = 0; i < nfree; i++) square += gradient[at[i]] * gradient[at[i]];
    if (square < min_gradient) {
      solved = true;
      break;
    }

    for (int i = 0; i < nfree; i++) candidate[i] = -gradient[at[i]];
    mju_cholSolve(candidate, R, candidate, nfree);
    mju_zero(step, n);
    for (int i = 0; i < nfree; i++) step[at[i]] = candidate[i];
    double slope = mju_dot(step, gradient, n);
    if (slope >= 0) break;

    double length = 1, trial;
    for (;; length *= backtrack) {
      for (int i = 0; i < n; i++) candidate[i] = boxqp_clip(p, res[i] + length * step[i], i);
      trial = boxqp_value(p, candidate, scratch);
      if (trial - value <= armijo * length * slope || length < min_step) break;
    }
    // Rounding may hide further descent of the cost: then the length of the Newton step decides.
    bool stalled = length < min_step;
    if (stalled) {
      solved = -slope < stall_absolute + stall_relative * fabs(value);
      break;
    }
    mju_copy(res, candidate, n);
    value = trial;
  }
  if (!solved) return -1;
  if (index) memcpy(index, at, nfree * sizeof *at);
  return nfree;
}

void mju_boxQPmalloc(mjtNum** res, mjtNum** R, int** index, mjtNum** H, mjtNum** g, int n,
                     mjtNum** lower, mjtNum** upper) {
  size_t vector = (size_t)n * sizeof(mjtNum);
  *res = mju_malloc(vector);
  *R = mju_malloc(((size_t)n + 7) * vector);
  if (index) *index = mju_malloc((size_t)n * sizeof(int));
  *H = mju_malloc((size_t)n * vector);
  *g = mju_malloc(vector);
  if (lower) *lower = mju_malloc(vector);
  if (upper) *upper = mju_malloc(vector);
}
