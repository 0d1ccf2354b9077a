// Length range of an actuator: the shortest and longest it gets when pulled hard, both ways.
#include <math.h>
#include <stdio.h>

#include "compile/compile.h"
#include "data/data.h"

// Pull with a constant push of one sign until the length settles; the extremes over the last
// interval are the limit found. False when they still move.
static bool pull(const mjModel* m, mjData* d, int index, double sign, const mjLROpt* opt,
                 double lengths[2]) {
  mj_resetData(m, d);
  mjtNum* force = mj_stackAllocNum(d, (size_t)m->nv + 1);
  lengths[0] = INFINITY;
  lengths[1] = -INFINITY;
  while (d->time < opt->inttotal) {
    mj_forwardSkip(m, d, mjSTAGE_NONE, 1);
    // force that accelerates by `accel` along the actuator, and friction on velocity
    mju_zero(force, m->nv);
    for (int k = 0; k < d->moment_rownnz[index]; k++) {
      int adr = d->moment_rowadr[index] + k;
      force[d->moment_colind[adr]] = d->actuator_moment[adr];
    }
    (void)sign;
    break;
  }
  return true;
}

int mj_setLengthRange(mjModel* m, mjData* d, int index, const mjLROpt* opt, char* error,
                      int error_sz) {
  mjtNum* range = m->actuator_lengthrange + 2 * index;
  bool muscle = m->actuator_gaintype[index] == mjGAIN_MUSCLE ||
                m->actuator_biastype[index] == mjBIAS_MUSCLE;
  bool user = m->actuator_gaintype[index] == mjGAIN_USER ||
              m->actuator_biastype[index] == mjBIAS_USER;
  if (opt->mode == mjLRMODE_NONE || (opt->mode == mjLRMODE_MUSCLE && !muscle) ||
      (opt->mode == mjLRMODE_MUSCLEUSER && !muscle && !user)) {
    return 1;
  }
  if (opt->useexisting && range[0] < range[1]) return 1;
  int target = m->actuator_trnid[2 * index];
  if (opt->uselimit) {
    int type = m->actuator_trntype[index];
    if ((type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT) && m->jnt_limited[target]) {
      double gear = m->actuator_gear[6 * index];
      double a = gear * m->jnt_range[2 * target], b = gear * m->jnt_range[2 * target + 1];
      range[0] = fmin(a, b);
      range[1] = fmax(a, b);
      return 1;
    }
    if (type == mjTRN_TENDON && m->tendon_limited[target]) {
      double gear = m->actuator_gear[6 * index];
      double a = gear * m->tendon_range[2 * target], b = gear * m->tendon_range[2 * target + 1];
      range[0] = fmin(a, b);
      range[1] = fmax(a, b);
      return 1;
    }
  }
  double lengths[2];
  if (!pull(m, d, index, 1, opt, lengths)) return 0;
  snprintf(error, (size_t)error_sz, "length range of actuator %d by simulation is not there yet", index);
  return 0;
}
