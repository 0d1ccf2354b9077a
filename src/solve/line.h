// The exact line search of the primal solvers: the root of phi'(t), phi(t) = cost(x + t search).
//
// phi' is continuous and rises, piecewise linear but for elliptic cones. Steps of Newton go from
// one side until the root is behind; then from both ends of the bracket, and its middle is tried
// with them. ls_iterations bounds the evaluations, that of the start included. Where it is small
// the step is decided by which point the search stands at when they are used up, so the order of
// evaluations is part of the result; it follows what the released engine's steps and statistics
// show.
#ifndef SINEW_SOLVE_LINE_H_
#define SINEW_SOLVE_LINE_H_

#include "base/base.h"

// phi, phi' and phi'' at t
typedef struct snSlope_ {
  mjtNum t, value, d1, d2;
} snSlope;

// From sums over rows; the curvature is kept positive, so that a step of Newton has a direction.
SN_INLINE snSlope line_slope(mjtNum t, const mjtNum sum[3]) {
  return (snSlope){t, sum[0], sum[1], sum[2] > mjMINVAL ? sum[2] : mjMINVAL};
}

typedef snSlope (*snLineEval)(const void* line, mjtNum t);

SN_INLINE mjtNum line_newton(snSlope p) { return p.t - p.d1 / p.d2; }

// Move an end of the bracket to what was tried nearest the root on its side; false if nothing was.
SN_INLINE bool line_closer(snSlope* end, const snSlope tried[3]) {
  bool moved = false, left = end->d1 < 0;
  for (int k = 0; k < 3; k++) {
    if ((tried[k].d1 < 0) != left || !(fabs(tried[k].d1) < fabs(end->d1))) continue;
    *end = tried[k];
    moved = true;
  }
  return moved;
}

// `eval` is known where this is inlined, so the call costs nothing. phi'(0) < 0; the first trial is
// t. What comes back has |phi'| < gtol, or is where the evaluations ended; t = 0 means no step.
SN_INLINE snSlope line_search(snLineEval eval, const void* line, snSlope zero, mjtNum t,
                              mjtNum gtol, int iterations, int* neval) {
  SN_ASSERT(zero.t == 0 && iterations >= 0);
  snSlope at = eval(line, t), other;
  *neval = 2;
  if (fabs(at.d1) < gtol) return at;
  if (zero.value < at.value) at = zero;
  bool left = at.d1 < 0;
  do {
    if (*neval >= iterations) return at;
    other = at;
    at = eval(line, line_newton(at));
    ++*neval;
    if (fabs(at.d1) < gtol || at.t == other.t || at.d1 != at.d1) return at;
  } while ((at.d1 < 0) == left);
  if (*neval >= iterations) return at;

  snSlope end[2] = {at, other}, next[2] = {eval(line, line_newton(at)), at};
  ++*neval;
  while (*neval < iterations) {
    snSlope tried[3] = {next[0], next[1], eval(line, 0.5 * (end[0].t + end[1].t))};
    ++*neval;
    int found = -1;
    for (int k = 0; k < 3; k++) {
      if (fabs(tried[k].d1) < gtol && (found < 0 || tried[k].value < tried[found].value)) found = k;
    }
    if (found >= 0) return tried[found];
    bool moved = false;
    for (int k = 0; k < 2; k++) {
      if (!line_closer(end + k, tried)) continue;
      next[k] = eval(line, line_newton(end[k]));
      ++*neval;
      moved = true;
    }
    if (!moved) return tried[2];
  }
  snSlope best = end[0].value <= end[1].value ? end[0] : end[1];
  return best.value < zero.value ? best : zero;
}

// How much the cost fell in a step. The difference drowns in rounding near the end; there the cost
// is a parabola along the step, which falls by `gain`, half the first slope times the step.
SN_INLINE mjtNum cost_fall(mjtNum before, mjtNum after, mjtNum gain) {
  static const mjtNum kRounding = 1e-9;  // of the cost: sums of thousands of rows stay below
  mjtNum fall = before - after;
  return fabs(fall) < kRounding * fabs(before) ? gain : fall;
}

#endif
