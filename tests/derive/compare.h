// A and B of sn_transition against centred differences of whole steps, column by column.
#ifndef SINEW_TESTS_DERIVE_COMPARE_H_
#define SINEW_TESTS_DERIVE_COMPARE_H_

#include <sinew/derive.h>
#include <stdbool.h>

#include "scene.h"

typedef struct snCompared_ {
  int columns;   // compared
  int switched;  // left out: rows or contacts differ on the two sides, or differences of two widths
                 // disagree, since the solver stopped early on one side
  double worst;  // largest error of a column over the largest entry of that column
  int at;        // that column
} snCompared;

// Are more columns left out than one in `most`? A sample of the columns does not tell.
static inline bool compare_too_few(int columns, int switched, int most) {
  return kTrialShare == 1 && most * switched > columns + switched;
}

// The step as a smooth function: solved to the last digits.
static inline void compare_tight(mjModel* m) {
  m->opt.tolerance = 0;
  m->opt.iterations = 300;
  m->opt.ls_iterations = 100;
  m->opt.ls_tolerance = 1e-6;
  m->opt.ccd_tolerance = 0;  // contacts of curved shapes to the last digits
  m->opt.ccd_iterations = 200;
}

// A scene whose text leaves the integrator and the cone open.
static inline mjModel* compare_model(const char* scene, const char* integrator, const char* cone) {
  char xml[4096];
  snprintf(xml, sizeof xml, scene, integrator, cone);
  mjModel* m = scene_model(xml);
  compare_tight(m);
  return m;
}

typedef struct snSide_ {
  double *y, *s;
  int nefc, ncon;
  unsigned long long states;
} snSide;

// Step a copy of d from (q, v, act, ctrl) with number c moved.
static inline void compare_run(const mjModel* m, mjData* work, const mjData* d, int c, double step,
                               snSide* side) {
  int nv = m->nv, nx = 2 * nv + m->na;
  mj_copyData(work, m, d);
  if (c < nv) {
    double* direction = calloc((size_t)nv, sizeof(double));
    direction[c] = 1;
    mj_integratePos(m, work->qpos, direction, step);
    free(direction);
  } else if (c < 2 * nv) {
    work->qvel[c - nv] += step;
  } else if (c < nx) {
    work->act[c - 2 * nv] += step;
  } else {
    work->ctrl[c - nx] += step;
  }
  mj_step(m, work);
  memcpy(side->y, work->qpos, sizeof(double) * (size_t)m->nq);
  memcpy(side->y + m->nq, work->qvel, sizeof(double) * (size_t)nv);
  if (m->na) memcpy(side->y + m->nq + nv, work->act, sizeof(double) * (size_t)m->na);
  if (m->nsensordata) {
    memcpy(side->s, work->sensordata, sizeof(double) * (size_t)m->nsensordata);
  }
  side->nefc = work->nefc;
  side->ncon = work->ncon;
  side->states = 14695981039346656037ULL;
  for (int i = 0; i < work->nefc; i++) {
    side->states = (side->states ^ (unsigned)work->efc_state[i]) * 1099511628211ULL;
  }
}

// With sensors, C and D as well.
static inline snCompared compare_step(const mjModel* m, const mjData* d, bool sensors,
                                      snDeriveReport* report) {
  int nv = m->nv, nx = 2 * nv + m->na, nu = m->nu, ns = sensors ? m->nsensordata : 0;
  size_t ny = (size_t)(m->nq + nv + m->na + 1);
  mjData* work = mj_makeData(m);
  double* A = calloc((size_t)(nx * nx + nx * nu + ns * nx + ns * nu + 1), sizeof(double));
  double *B = A + nx * nx, *C = B + nx * nu, *D = C + ns * nx;
  double *dq = calloc((size_t)nv + 1, sizeof(double)),
         *dq2 = calloc((size_t)nv + 1, sizeof(double));
  snSide side[4];
  for (int k = 0; k < 4; k++) {
    side[k].y = calloc(ny, sizeof(double));
    side[k].s = calloc((size_t)m->nsensordata + 1, sizeof(double));
  }
  mj_copyData(work, m, d);
  int ok = sn_transition(m, work, A, B, ns ? C : NULL, ns ? D : NULL, report);
  if (!ok) fail_msg("%s", report->unsupported);
  assert_memory_equal(work->qpos, d->qpos, sizeof(double) * (size_t)m->nq);
  assert_memory_equal(work->qvel, d->qvel, sizeof(double) * (size_t)m->nv);
  assert_memory_equal(work->qacc_warmstart, d->qacc_warmstart, sizeof(double) * (size_t)m->nv);
  snCompared r = {0, 0, 0, -1};
  static const double step = 5e-6;
  for (int c = 0; c < nx + nu; c += kTrialShare) {
    compare_run(m, work, d, c, step, side);
    compare_run(m, work, d, c, -step, side + 1);
    if (side[0].nefc != side[1].nefc || side[0].ncon != side[1].ncon ||
        side[0].states != side[1].states) {
      r.switched++;
      continue;
    }
    compare_run(m, work, d, c, 0.5 * step, side + 2);
    compare_run(m, work, d, c, -0.5 * step, side + 3);
    mj_differentiatePos(m, dq, 2 * step, side[1].y, side[0].y);
    mj_differentiatePos(m, dq2, step, side[3].y, side[2].y);
    // Richardson: the error of a centred difference falls with the square of its step
    double largest[2] = {1e-2, 1e-2}, off[2] = {0, 0}, rough[2] = {0, 0};
    for (int i = 0; i < nx + ns; i++) {
      double wide, narrow;
      if (i < nv) {
        wide = dq[i], narrow = dq2[i];
      } else {
        const double* p0 = i < nx ? side[0].y + m->nq - nv + i : side[0].s + i - nx;
        const double* p1 = i < nx ? side[1].y + m->nq - nv + i : side[1].s + i - nx;
        const double* p2 = i < nx ? side[2].y + m->nq - nv + i : side[2].s + i - nx;
        const double* p3 = i < nx ? side[3].y + m->nq - nv + i : side[3].s + i - nx;
        wide = (*p0 - *p1) / (2 * step), narrow = (*p2 - *p3) / step;
      }
      double expected = (4 * narrow - wide) / 3, found;
      if (i < nx)
        found = c < nx ? A[i * nx + c] : B[i * nu + c - nx];
      else
        found = c < nx ? C[(i - nx) * nx + c] : D[(i - nx) * nu + c - nx];
      double error = fabs(found - expected);
      if (!(error == error)) error = INFINITY;
      largest[i >= nx] = fmax(largest[i >= nx], fabs(expected));
      off[i >= nx] = fmax(off[i >= nx], error);
      rough[i >= nx] = fmax(rough[i >= nx], fabs(wide - narrow));
    }
    if (rough[0] > 2e-5 * largest[0] || rough[1] > 2e-5 * largest[1]) {
      r.switched++;
      continue;
    }
    r.columns++;
    // readings can be thousands with slopes of one: differences of two widths then disagree by
    // their rounding, and are no better than that
    off[1] = fmax(0, off[1] - 3 * rough[1]);
    for (int k = 0; k < 2; k++) {
      if (off[k] / largest[k] > r.worst) r.worst = off[k] / largest[k], r.at = c;
    }
  }
  for (int k = 0; k < 4; k++) free(side[k].y), free(side[k].s);
  free(A);
  free(dq);
  free(dq2);
  mj_deleteData(work);
  return r;
}

#endif
