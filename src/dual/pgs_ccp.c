// PGS-CCP: projected Gauss-Seidel on the cone complementarity problem. A contact takes a gradient
// step whose length is the inverse of its mean diagonal, and the result is projected on the cone
// (Euclidean projection, project.c).
#include <math.h>

#include "dual/private.h"

// f <- P_K(f - (v + s) nrow / trace(D)); the step is shorter where D is so far from a multiple of
// the identity that this one would overshoot: 2 / |D| is the longest that may converge.
static void ccp_step(const snLocal* c, const mjtNum* z, mjtNum s, mjtNum* f) {
  int n = c->nrow;
  mjtNum trace = 0, largest = 0;
  for (int i = 0; i < n; i++) {
    mjtNum sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(c->D[i * n + j]);
    largest = fmax(largest, sum);
    trace += c->D[i * n + i];
  }
  mjtNum length = c->safe ? fmin(n / trace, 1.5 / largest) : n / trace;
  for (int i = 0; i < n; i++) f[i] -= length * (z[i] + (i ? 0 : s));
  project_cone(f, c->mu, n);
}

void solve_pgs_ccp(const snDual* p, snSolverReport* report) {
  static const snSplitting how = {.cone = ccp_step, .form = snFORM_NCP, .correct = true};
  splitting_solve(p, report, &how);
}
