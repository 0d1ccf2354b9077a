// Shared by the files of `sinew solvers`.
#ifndef SINEW_APPS_SOLVERS_H_
#define SINEW_APPS_SOLVERS_H_

#include <stdio.h>

#include "samples.h"

enum { kMaxSolvers = 32 };

// One solver on one sample.
typedef struct Result_ {
  double r_pen, r_dual, r_ncp, r_nat;
  int iterations, converged;
  double us;
} Result;

typedef struct Study_ {
  Samples samples;
  int nsolver;
  const snDualSolver* solver[kMaxSolvers];
  Result* result;  // (samples x solvers)
  double solved;   // residual r_nat below which a sample counts as solved
} Study;

static inline const Result* study_at(const Study* s, int sample, int solver) {
  return s->result + (size_t)sample * s->nsolver + solver;
}

// An HTML page with tables and plots, and the numbers as CSV; false after a message on stderr.
bool study_report(const Study* s, const char* directory);

#endif
