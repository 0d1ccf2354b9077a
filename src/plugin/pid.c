// mujoco.pid: a controller with proportional, integral and derivative terms.
//
// With the setpoint u (the control, or the activation that filters it) and the actuator's length l
//   e = u - l,    force = kp e + ki (i + h e) + kd (du/dt - dl/dt),
// where i is the integral of e so far. Activations, in this order: i if ki is not 0, the last
// setpoint if its rate is limited, then that of the actuator's dyntype.
#include <math.h>

#include "plugin/config.h"
#include "plugin/first_party.h"
#include "smooth/smooth.h"

typedef struct snPid_ {
  double kp, ki, kd;
  double integral_max;  // bound on |i|: imax / |ki|
  double slew_max;      // bound on |du/dt|; negative: none
} snPid;

// Is the setpoint an activation? Not with muscle and user dynamics.
static bool pid_filtered(const mjModel* m, int a) {
  int type = m->actuator_dyntype[a];
  return type == mjDYN_INTEGRATOR || type == mjDYN_FILTER || type == mjDYN_FILTEREXACT;
}

static int pid_slot_slew(const snPid* pid) { return pid->ki != 0; }

// Number of the controller's own activations, without that of dyntype.
static int pid_activations(const snPid* pid) { return (pid->ki != 0) + (pid->slew_max >= 0); }

static bool pid_configure(const mjModel* m, int instance, snPid* pid) {
  double integral_force = INFINITY;
  *pid = (snPid){.slew_max = -1};
  if (!config_numbers(m, instance, "kp", 1, &pid->kp) ||
      !config_numbers(m, instance, "ki", 1, &pid->ki) ||
      !config_numbers(m, instance, "kd", 1, &pid->kd) ||
      !config_number(m, instance, "imax", 0, &integral_force)) {
    return false;
  }
  if (!isfinite(pid->kp) || !isfinite(pid->ki) || !isfinite(pid->kd)) {
    mju_warning("mujoco.pid: gains kp, ki, kd of instance %d must be finite", instance);
    return false;
  }
  pid->integral_max = pid->ki != 0 ? integral_force / fabs(pid->ki) : INFINITY;
  return !config_text(m, instance, "slewmax") ||
         config_number(m, instance, "slewmax", 0, &pid->slew_max);
}

// Every actuator of the instance must have the activations that its gains require.
static bool pid_check_actuators(const mjModel* m, int instance, const snPid* pid) {
  int found = 0;
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_plugin[a] != instance) continue;
    int expected = pid_activations(pid) + pid_filtered(m, a);
    if (m->actuator_actnum[a] != expected) {
      mju_warning(
          "mujoco.pid: actuator %d has actdim %d, expected %d. Add actdim=\"%d\" to the "
          "actuator plugin element.",
          a, m->actuator_actnum[a], expected, expected);
      return false;
    }
    found++;
  }
  if (!found) mju_warning("mujoco.pid: actuator not found for plugin instance %d", instance);
  return found > 0;
}

static int pid_init(const mjModel* m, mjData* d, int instance) {
  snPid pid;
  if (!pid_configure(m, instance, &pid) || !pid_check_actuators(m, instance, &pid)) return -1;
  snPid* kept = config_instance(d, instance, sizeof *kept);
  if (!kept) return -1;
  *kept = pid;
  return 0;
}

// NaN stays NaN: a bad control must be detected later, not hidden.
static double clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// The setpoint u: clamped to the control range and, from the second step on, to the rate limit.
// With actearly the activation is predicted to the end of the step.
static double pid_setpoint(const mjModel* m, const mjData* d, const snPid* pid, int a, bool early) {
  double u = d->ctrl[a], h = m->opt.timestep;
  int adr = m->actuator_actadr[a];
  if (pid_filtered(m, a)) {
    int act = adr + m->actuator_actnum[a] - 1;
    u = early ? actuation_next(m, d, a, act, d->act_dot[act]) : d->act[act];
  } else if (m->actuator_ctrllimited[a]) {
    u = clip(u, m->actuator_ctrlrange[2 * a], m->actuator_ctrlrange[2 * a + 1]);
  }
  if (pid->slew_max >= 0 && d->time > 0) {
    double last = d->act[adr + pid_slot_slew(pid)], reach = pid->slew_max * h;
    u = clip(u, last - reach, last + reach);
  }
  return u;
}

// The integral at the end of the step.
static double pid_integral(const mjModel* m, const mjData* d, const snPid* pid, int a, double e) {
  double next = d->act[m->actuator_actadr[a]] + e * m->opt.timestep;
  return clip(next, -pid->integral_max, pid->integral_max);
}

static void pid_act_dot(const mjModel* m, mjData* d, int instance) {
  const snPid* pid = (const snPid*)d->plugin_data[instance];
  double h = m->opt.timestep;
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_plugin[a] != instance) continue;
    int adr = m->actuator_actadr[a], slew = adr + pid_slot_slew(pid);
    double u = pid_setpoint(m, d, pid, a, false), e = u - d->actuator_length[a];
    if (pid->ki != 0) {
      // the activation derivative that ends at the clamped integral; without clamping it is e
      double next = pid_integral(m, d, pid, a, e);
      d->act_dot[adr] = (next - d->act[adr]) / h;
    }
    if (pid->slew_max >= 0) d->act_dot[slew] = (u - d->act[slew]) / h;
  }
}

static void pid_compute(const mjModel* m, mjData* d, int instance, int capability) {
  const snPid* pid = (const snPid*)d->plugin_data[instance];
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_plugin[a] != instance) continue;
    double u = pid_setpoint(m, d, pid, a, m->actuator_actearly[a]);
    double e = u - d->actuator_length[a], rate = 0;
    if (pid_filtered(m, a)) rate = d->act_dot[m->actuator_actadr[a] + m->actuator_actnum[a] - 1];
    double force = pid->kp * e;
    if (pid->ki != 0) force += pid->ki * pid_integral(m, d, pid, a, e);
    d->actuator_force[a] = force + pid->kd * (rate - d->actuator_velocity[a]);
  }
}

static const char* const kAttribute[] = {"kp", "ki", "kd", "imax", "slewmax"};

const mjpPlugin plugin_pid = {
    .name = "mujoco.pid",
    .nattribute = 5,
    .attributes = kAttribute,
    .capabilityflags = mjPLUGIN_ACTUATOR,
    .nstate = config_no_state,
    .init = pid_init,
    .destroy = config_destroy,
    .compute = pid_compute,
    .actuator_act_dot = pid_act_dot,
};
