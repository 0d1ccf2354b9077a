// Forward dynamics and the step: call lists with timers (step.h has the stages). No mathematics
// lives here.
#include "constrain/constrain.h"
#include "hard/hard.h"
#include "maximal/maximal.h"
#include "integrate/integrate.h"
#include "smooth/smooth.h"
#include "solve/solve.h"
#include "hold/hold.h"
#include "step/step.h"
#include "step/timer.h"

void step_position(const mjModel* m, mjData* d, snOmit omit, bool project) {
  mjtNum stage = timer_now(), start = stage;
  bool beyond = data_beyond(m, d);
  bool kept = beyond && smooth_kept(m, d);  // closing loops has been here
  if (!kept) {
    if (omit.still)
      kinematics_moving(m, d);
    else
      mj_kinematics(m, d);
    mj_comPos(m, d);
  }
  if (!omit.views) mj_camlight(m, d);
  if (m->nflex) mj_flex(m, d);
  if (m->ntendon) mj_tendon(m, d);
  timer_add(d, mjTIMER_POS_KINEMATICS, start);

  start = timer_now();
  if (omit.qacc)
    mj_makeM(m, d);
  else if (!kept)
    inertia_update(m, d);
  timer_add(d, mjTIMER_POS_INERTIA, start);

  start = timer_now();
  mj_collision(m, d);
  if (beyond) {
    if (data_sleepers(d)) sleep_touch(m, d);
    sleep_evaluated(m, d);
    if (constrain_grain(m)) grain_contacts(m, d);
  }
  timer_add(d, mjTIMER_POS_COLLISION, start);

  start = timer_now();
  mj_makeConstraint(m, d);
  if (omit.qacc && d->nefc) mj_factorM(m, d);
  if (m->opt.enableflags & mjENBL_ISLAND) mj_island(m, d);
  timer_add(d, mjTIMER_POS_MAKE, start);

  start = timer_now();
  mj_transmission(m, d);  // after collision, since adhesion acts at contacts
  timer_add(d, mjTIMER_POS_KINEMATICS, start);
  d->timer[mjTIMER_POS_KINEMATICS].number--;

  if (project) {
    start = timer_now();
    mj_projectConstraint(m, d);
    timer_add(d, mjTIMER_POS_PROJECT, start);
  }
  timer_add(d, mjTIMER_POSITION, stage);
}

void mj_fwdPosition(const mjModel* m, mjData* d) { step_position(m, d, (snOmit){0}, true); }

void mj_fwdVelocity(const mjModel* m, mjData* d) {
  mjtNum start = timer_now();
  smooth_velocities(m, d);
  mj_comVel(m, d);
  mj_passive(m, d);
  mj_referenceConstraint(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  if (m->ntendon) tendon_bias(m, d, d->qfrc_bias);
  timer_add(d, mjTIMER_VELOCITY, start);
}

void mj_fwdAcceleration(const mjModel* m, mjData* d) {
  smooth_forces(m, d);
  if (data_sleepers(d))
    inertia_solve_awake(m, d, d->qacc_smooth, d->qfrc_smooth);
  else
    mj_solveM(m, d, d->qacc_smooth, d->qfrc_smooth, 1);
}

void mj_fwdConstraint(const mjModel* m, mjData* d) {
  mjtNum start = timer_now();
  if (!data_beyond(m, d))
    solve_constraints(m, d);
  else if (maximal_active(m))
    maximal_solve(m, d);
  else if (hard_active(m, d))
    hard_solve(m, d);
  else {
    if (bounce_active(m, d)) bounce_rows(m, d, d->qacc_smooth);
    if (dissipate_active(m, d))
      dissipate_solve(m, d);
    else
      solve_constraints(m, d);
  }
  if (data_sleepers(d)) sleep_settle(m, d);
  timer_add(d, mjTIMER_CONSTRAINT, start);
}

// Does a sensor measure potential energy? Then d->energy keeps the sensor's values; otherwise,
// without the energy flag, it is zero, as released.
static bool senses_potential(const mjModel* m) {
  if (m->opt.disableflags & mjDSBL_SENSOR) return false;
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_type[i] == mjSENS_E_POTENTIAL) return true;
  }
  return false;
}

static inline bool senses(const mjModel* m, snOmit omit) {
  return !omit.sensors && (m->nsensor || m->nplugin);
}

static void forward_position(const mjModel* m, mjData* d, snOmit omit) {
  step_position(m, d, omit, true);
  if (senses(m, omit)) mj_sensorPos(m, d);
  if (omit.views) return;
  if (m->opt.enableflags & mjENBL_ENERGY) {
    mj_energyPos(m, d);
  } else if (omit.sensors || !senses_potential(m)) {
    d->energy[0] = d->energy[1] = 0;
  }
}

static void forward_velocity(const mjModel* m, mjData* d, snOmit omit) {
  mj_fwdVelocity(m, d);
  if (m->opt.enableflags & mjENBL_ENERGY && !omit.views) mj_energyVel(m, d);
  if (senses(m, omit)) mj_sensorVel(m, d);
}

static void forward_acceleration(const mjModel* m, mjData* d, snOmit omit) {
  mjtNum start = timer_now();
  mj_fwdActuation(m, d);
  if (data_sleepers(d)) sleep_hold(m, d);
  timer_add(d, mjTIMER_ACTUATION, start);
  if (omit.qacc && !d->nefc) {
    smooth_forces(m, d);
    mju_zero(d->qfrc_constraint, m->nv);
  } else {
    mj_fwdAcceleration(m, d);
    mj_fwdConstraint(m, d);
  }
  if (senses(m, omit)) mj_sensorAcc(m, d);
  if (data_sleepers(d)) sleep_posed(m, d);
}

static void control_callback(const mjModel* m, mjData* d) {
  if (!(m->opt.disableflags & mjDSBL_ACTUATION)) call_control(m, d);
}

void step_forward(const mjModel* m, mjData* d, int skipstage, snOmit omit) {
  mjtNum start = timer_now();
  bool sleeps = data_beyond(m, d) && sleep_begin(m, d, NULL);
  if (skipstage > mjSTAGE_NONE && sleep_stale(m, d)) skipstage = mjSTAGE_NONE;
  if (skipstage < mjSTAGE_POS) forward_position(m, d, omit);
  if (skipstage < mjSTAGE_VEL) forward_velocity(m, d, omit);
  control_callback(m, d);
  forward_acceleration(m, d, omit);
  if (sleeps) sleep_end(d);
  timer_add(d, mjTIMER_FORWARD, start);
}

void mj_forwardSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor) {
  bool unseen = skipsensor == snSKIP_UNSEEN && !model_plugins(m) && !has_callbacks(m);
  step_forward(m, d, skipstage, (snOmit){.sensors = skipsensor, .views = unseen});
}

void mj_forward(const mjModel* m, mjData* d) { mj_forwardSkip(m, d, mjSTAGE_NONE, 0); }

// ---- step

// `bounces`: an impact is in the step, which RK4's stages cannot see.
static void integrate(const mjModel* m, mjData* d, bool whole, int skipstage, bool bounces) {
  switch (m->opt.integrator) {
    case mjINT_RK4:
      if (whole && !bounces)
        mj_RungeKutta(m, d, 4);
      else
        mj_Euler(m, d);
      break;
    case mjINT_IMPLICIT:
    case mjINT_IMPLICITFAST:
      integrate_implicit(m, d, skipstage >= mjSTAGE_VEL);
      break;
    case mjINT_EULER:
      integrate_euler(m, d, skipstage >= mjSTAGE_POS,
                      whole && !model_plugins(m) && !has_callbacks(m));
      break;
    default:
      mju_error("mj_step: unknown integrator %d", m->opt.integrator);
  }
}

// Impacts and loops around the integrator of soft contact.
static void advance_soft(const mjModel* m, mjData* d, bool whole, int skipstage, bool certify) {
  snBouncing bouncing;
  bool asked = bounce_active(m, d);
  if (asked) mj_markStack(d);
  bool bounces = asked && bounce_begin(m, d, &bouncing);
  bool closes = constrain_closes(m);
  mjtNum most = closes ? integrate_close_bound(m, d) : 0;
  integrate(m, d, whole, skipstage, bounces);
  if (certify) certify_integrated(m, d);
  if (bounces) bounce_end(m, d, &bouncing);
  if (asked) mj_freeStack(d);
  if (closes) integrate_close(m, d, most, whole && !model_plugins(m) && !has_callbacks(m));
}

// The end of a step, from accelerations on. `whole` is false in mj_step2, where the program could
// change things between the halves. What `skipstage` says is as before has its factor already.
static void finish_step(const mjModel* m, mjData* d, bool whole, int skipstage) {
  mj_checkAcc(m, d);
  if (m->opt.enableflags & mjENBL_FWDINV) step_compare(m, d, false);
  if (!data_beyond(m, d)) {
    integrate(m, d, whole, skipstage, false);
    return;
  }
  if (maximal_active(m)) {
    maximal_advance(m, d);
    return;
  }
  bool certify = certify_active(m, d);
  if (certify) certify_begin(m, d);
  if (hard_active(m, d)) {
    hard_advance(m, d);
    if (certify) certify_integrated(m, d);
  } else {
    advance_soft(m, d, whole, skipstage, certify);
  }
  if (certify) certify_end(m, d);
}

// finish_step, and who falls asleep behind it. `sleeps`: sleep_begin has begun an evaluation.
static void end_step(const mjModel* m, mjData* d, bool whole, int skipstage, bool sleeps) {
  finish_step(m, d, whole, skipstage);
  if (!sleeps) return;
  sleep_advance(m, d);
  sleep_end(d);
}

static void step_once(const mjModel* m, mjData* d) {
  mjtNum start = timer_now();
  bool sleeps = data_beyond(m, d) && sleep_begin(m, d, NULL);
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  mj_forward(m, d);
  end_step(m, d, true, mjSTAGE_NONE, sleeps);
  timer_add(d, mjTIMER_STEP, start);
}

void mj_step(const mjModel* m, mjData* d) {
  if (!data_beyond(m, d) || !extrapolate_active(m, d))
    step_once(m, d);
  else if (!extrapolate_step(m, d, step_once))
    mju_error("mj_step: no memory for sinew:stepping richardson");
}

// Exported by the released library without declaration: a step whose state up to `skipstage` is
// that of the last one.
MJAPI void mj_stepSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor);
void mj_stepSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor) {
  if (extrapolate_active(m, d)) {  // two of its three steps begin elsewhere: nothing to skip
    mj_step(m, d);
    return;
  }
  mjtNum start = timer_now();
  bool sleeps = data_beyond(m, d) && sleep_begin(m, d, NULL);
  if (skipstage > mjSTAGE_NONE && sleep_stale(m, d)) skipstage = mjSTAGE_NONE;
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  mj_forwardSkip(m, d, skipstage, skipsensor != 0);
  end_step(m, d, true, skipstage, sleeps);
  timer_add(d, mjTIMER_STEP, start);
}

void mj_step1(const mjModel* m, mjData* d) {
  mjtNum start = timer_now();
  bool sleeps = data_beyond(m, d) && sleep_begin(m, d, NULL);
  mj_checkPos(m, d);
  mj_checkVel(m, d);
  forward_position(m, d, (snOmit){0});
  forward_velocity(m, d, (snOmit){0});
  control_callback(m, d);
  if (sleeps) sleep_end(d);
  timer_add(d, mjTIMER_STEP, start);
}

void mj_step2(const mjModel* m, mjData* d) {
  mjtNum start = timer_now();
  bool sleeps = data_beyond(m, d) && sleep_begin(m, d, NULL);
  if (sleep_stale(m, d)) {  // the program has pushed a sleeper since mj_step1
    forward_position(m, d, (snOmit){0});
    forward_velocity(m, d, (snOmit){0});
  }
  forward_acceleration(m, d, (snOmit){0});
  end_step(m, d, false, mjSTAGE_NONE, sleeps);
  timer_add(d, mjTIMER_STEP, start);
  d->timer[mjTIMER_STEP].number--;
}
