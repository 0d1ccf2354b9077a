// The exact line search of the primal solvers: the root of phi'(t), phi(t) = cost(x + t search).
//
// phi' is continuous and rises, piecewise linear but for elliptic cones. Newton steps are taken
// from the last point; the bracket is cut where they leave it.
#ifndef SINEW_SOLVE_LINE_H_
#define SINEW_SOLVE_LINE_H_

#include "base/base.h"

// phi' and phi'' at t
typedef struct snSlope_ {
  mjtNum t, d1, d2;
} snSlope;

// `eval` is known where this is inlined, so the call costs nothing. The first trial is t; what
// comes back has |phi'| < gtol, or is the best that was found. phi'(0) < 0.
SN_INLINE snSlope line_search(snSlope (*eval)(const void*, mjtNum), const void* line, mjtNum t,
                              mjtNum gtol, int iterations, int* neval) {
  snSlope at = eval(line, t), best = at;
  mjtNum lo = 0, hi = -1;  // hi < 0: no upper end yet
  ++*neval;
  for (int i = 0; i < iterations && fabs(at.d1) >= gtol; i++) {
    if (at.d1 < 0) {
      lo = at.t;
    } else {
      hi = at.t;
    }
    t = at.t - at.d1 / at.d2;
    if (hi >= 0) {
      if (!(t > lo && t < hi)) t = 0.5 * (lo + hi);
      if (t <= lo || t >= hi) break;
    } else if (!(t > lo)) {
      t = 2 * lo + 1;
    }
    at = eval(line, t);
    ++*neval;
    if (fabs(at.d1) < fabs(best.d1)) best = at;
  }
  return best;
}

#endif
