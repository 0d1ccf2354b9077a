// Newton's method on the primal: the iteration that all variants share.
//
//   start      x0: the warm start or a0, whichever costs less
//   direction  s = -inv(H) g,  H = M + J'WJ at x
//   image      J s, and M s where it is needed
//   step       t: exact minimum of the cost along s (line.h); x <- x + t s
//   gradient   g = M (x - a0) - J'f(x)
//   stop       improvement or gradient below the tolerance
//
// A variant (choose.h) is a way to keep x and H. It brings two operations, which are known where
// newton_iterate is inlined, so that a kernel stays one: `step` takes a direction, its image and
// the step along it; `gradient` is the norm of the gradient where it ended. Statistics and the test
// to stop are here.
#ifndef SINEW_SOLVE_NEWTON_H_
#define SINEW_SOLVE_NEWTON_H_

#include "solve/problem.h"

// The report of one step.
typedef struct snNewtonStep_ {
  mjtNum fall;           // of the cost
  mjtNum slope;          // where the line search ended, relative to the gradient
  int nactive, nchange;  // rows with a force, and those whose state changed
  int neval;             // evaluations of the line search
  int nupdate;           // rows by which a factor was updated; 0: it was computed from scratch
  bool exact;            // the cost is a parabola along the step
} snNewtonStep;

// `iter` counts from 0. False: there is no step to make.
typedef bool (*snTakeStep)(void* space, int iter, snNewtonStep* made);

// In units of the tolerance. `closing`: the iteration may end here, so that a gradient that was
// updated must be recomputed from the point.
typedef mjtNum (*snTakeGradient)(void* space, bool closing);

// The documented iteration takes all parts of a system together, trees without rows included, so
// that a part within the tolerance has further steps while others need them. A part that is solved
// apart takes further steps unless the last one was exact: where all rows kept their state and no
// cone is in its middle zone, the cost is a parabola and the step ends at its minimum; otherwise it
// may end anywhere within the tolerance. It takes one, and more, up to kFurther, while they still
// improve by kSettled of the tolerance; `further` counts them.
SN_INLINE bool newton_stops(const snProblem* p, mjtNum improvement, mjtNum gradient, bool exact,
                            int* further) {
  static const int kFurther = 4;
  static const mjtNum kSettled = 1e-6;
  if (!(improvement < p->tolerance || gradient < p->tolerance)) return false;
  if (!p->apart || exact || *further == kFurther) return true;
  if (*further > 0 && !(improvement > kSettled * p->tolerance)) return true;
  ++*further;
  return false;
}

// From a start whose gradient is `norm`.
SN_INLINE void newton_iterate(const snProblem* p, snTakeStep step, snTakeGradient gradient,
                              void* space, mjtNum norm, snReport* report) {
  int further = 0;
  for (int iter = 0; iter < p->iterations && norm > 0; iter++) {
    snNewtonStep made;
    if (!step(space, iter, &made)) break;
    mjtNum improvement = p->scale * made.fall;
    bool last = iter == p->iterations - 1;
    norm = gradient(space, last || improvement < p->tolerance);
    if (iter < mjNSOLVER) {
      report->stat[iter] = (mjSolverStat){improvement,  norm,       made.slope,  made.nactive,
                                          made.nchange, made.neval, made.nupdate};
    }
    report->niter = iter + 1;
    if (newton_stops(p, improvement, norm, made.exact, &further)) break;
  }
}

// Is a step, with (M + J'WJ) s = -g, nothing but rounding? Then s'Ms, which cannot be more than
// -g's, is. The step goes again with more damping, a share of the diagonal: from kDampingFirst,
// some hundred units of rounding, by kDampingGrowth, until it is kDampingMost.
SN_INLINE bool newton_lost(mjtNum descent, mjtNum quad2, mjtNum* damping) {
  static const mjtNum kDampingFirst = 1e-13, kDampingGrowth = 100, kDampingMost = 1e-6;
  if (quad2 <= -2 * descent || *damping > kDampingMost) return false;
  *damping = *damping > 0 ? kDampingGrowth * *damping : kDampingFirst;
  return true;
}

#endif
