// Length range of an actuator: the shortest and longest length it reaches when the model is pulled
// along it in both directions.
//
// The model is simulated without contacts, gravity, friction, passive and actuator forces. The
// force along the actuator is scaled so that it accelerates the joints by opt->accel; velocities
// decay with opt->timeconst, so that the motion comes to rest at a limit.
#include <math.h>
#include <stdio.h>

#include "compile/compile.h"
#include "data/data.h"

// qfrc_applied = side * moment * accel / |M^-1 moment|
static void pull(const mjModel* m, mjData* d, int index, double side, const mjLROpt* opt,
                 mjtNum* work) {
  mju_zero(work, m->nv);
  for (int k = 0; k < d->moment_rownnz[index]; k++) {
    int adr = d->moment_rowadr[index] + k;
    work[d->moment_colind[adr]] = d->actuator_moment[adr];
  }
  mju_copy(d->qfrc_applied, work, m->nv);
  mj_solveM(m, d, work, work, 1);
  double force = side * opt->accel / fmax(mjMINVAL, mju_norm(work, m->nv));
  mju_scl(d->qfrc_applied, d->qfrc_applied, force, m->nv);
  double norm = mju_norm(d->qfrc_applied, m->nv);
  if (opt->maxforce > 0 && norm > opt->maxforce) {
    mju_scl(d->qfrc_applied, d->qfrc_applied, opt->maxforce / norm, m->nv);
  }
}

// Smallest and largest length over the last interval; false when the simulation diverged.
static bool settle(const mjModel* m, mjData* d, int index, double side, const mjLROpt* opt,
                   double seen[2], mjtNum* work) {
  mj_resetData(m, d);
  double decay = sn_exp(-m->opt.timestep / fmax(0.01, opt->timeconst));
  seen[0] = mjMAXVAL;
  seen[1] = -mjMAXVAL;
  bool updated = false;
  while (d->time < opt->inttotal) {
    double before = d->time;
    mj_step1(m, d);
    pull(m, d, index, side, opt, work);
    mj_step2(m, d);
    mju_scl(d->qvel, d->qvel, decay, m->nv);
    double length = d->actuator_length[index];
    // each of these has reset the simulation to time zero
    bool bad = d->warning[mjWARN_BADQPOS].number || d->warning[mjWARN_BADQVEL].number ||
               d->warning[mjWARN_BADQACC].number;
    if (!isfinite(length) || bad || !(d->time > before)) return false;  // nor does time stand still
    if (d->time > opt->inttotal - opt->interval) {
      seen[0] = fmin(seen[0], length);
      seen[1] = fmax(seen[1], length);
      updated = true;
    }
  }
  return updated;
}

// The range of the joint or tendon that the actuator drives, times its gear.
static bool from_limits(const mjModel* m, int index, mjtNum* range) {
  int type = m->actuator_trntype[index], target = m->actuator_trnid[2 * index];
  const mjtNum* limits = NULL;
  if ((type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT) && m->jnt_limited[target]) {
    limits = m->jnt_range + 2 * target;
  } else if (type == mjTRN_TENDON && m->tendon_limited[target]) {
    limits = m->tendon_range + 2 * target;
  }
  if (!limits) return false;
  double gear = m->actuator_gear[6 * index];
  range[0] = fmin(gear * limits[0], gear * limits[1]);
  range[1] = fmax(gear * limits[0], gear * limits[1]);
  return true;
}

static bool wanted(const mjModel* m, int index, const mjLROpt* opt) {
  int gain = m->actuator_gaintype[index], bias = m->actuator_biastype[index];
  bool muscle = gain == mjGAIN_MUSCLE || bias == mjBIAS_MUSCLE;
  bool user = gain == mjGAIN_USER || bias == mjBIAS_USER;
  switch (opt->mode) {
    case mjLRMODE_NONE:
      return false;
    case mjLRMODE_MUSCLE:
      return muscle;
    case mjLRMODE_MUSCLEUSER:
      return muscle || user;
    default:
      return true;
  }
}

static bool simulate(const mjModel* m, mjData* d, int index, const mjLROpt* opt, mjtNum* range,
                     char* error, int error_sz) {
  static const double kMost = 1e6;  // of steps: the defaults ask for a thousand
  double steps = opt->inttotal / m->opt.timestep;
  if (!(steps >= 0 && steps <= kMost)) {
    snprintf(error, (size_t)error_sz,
             "The lengthrange of actuator %d would take %g steps (inttotal %g, timestep %g), "
             "expected 0 to %g",
             index, steps, opt->inttotal, m->opt.timestep, kMost);
    return false;
  }
  // not on the mjData stack: a reset, also one caused by a bad number, clears the stack
  mjtNum* work = memory_alloc(((size_t)m->nv + 1) * sizeof *work);
  if (!work) {
    snprintf(error, (size_t)error_sz, "no memory for the length range of actuator %d", index);
    return false;
  }
  double low[2], high[2];
  bool done = settle(m, d, index, -1, opt, low, work) && settle(m, d, index, 1, opt, high, work);
  memory_free(work);
  if (!done) {
    snprintf(error, (size_t)error_sz, "Unstable lengthrange simulation in actuator %d", index);
    return false;
  }
  if (low[0] >= high[1]) {
    snprintf(error, (size_t)error_sz, "Invalid lengthrange (%g, %g) in actuator %d", low[0],
             high[1], index);
    return false;
  }
  double moved = fmax(low[1] - low[0], high[1] - high[0]);
  if (moved > opt->tolrange * (high[1] - low[0])) {
    snprintf(error, (size_t)error_sz,
             "Lengthrange computation did not converge in actuator %d:\n"
             "  eval (%g, %g)\n  range (%g, %g)",
             index, low[0], high[1], moved == low[1] - low[0] ? low[1] : low[0], high[0]);
    return false;
  }
  range[0] = low[0];
  range[1] = high[1];
  return true;
}

int mj_setLengthRange(mjModel* m, mjData* d, int index, const mjLROpt* opt, char* error,
                      int error_sz) {
  if (!error) error_sz = 0;
  if (error_sz > 0) error[0] = 0;
  if (index < 0 || index >= m->nu) {
    mju_error("mj_setLengthRange: actuator %d is not between 0 and %d", index, m->nu - 1);
    return 0;
  }
  mjtNum* range = m->actuator_lengthrange + 2 * index;
  if (!wanted(m, index, opt) || (opt->useexisting && range[0] < range[1])) return 1;
  if (opt->uselimit && from_limits(m, index, range)) return 1;
  mjOption before = m->opt;
  m->opt.disableflags =
      mjDSBL_FRICTIONLOSS | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_GRAVITY | mjDSBL_ACTUATION;
  if (opt->timestep > 0) m->opt.timestep = opt->timestep;
  m->opt.tolerance =
      0;  // at rest the warm start is a solution already; zero tolerance still improves it
  bool done = simulate(m, d, index, opt, range, error, error_sz);
  m->opt = before;
  return done;
}
