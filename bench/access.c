// What the bench must know of an engine's structs. Built into the sinew command with our headers,
// and once more with the headers of a release whose structs differ.
#include <mujoco/mujoco.h>
#include <string.h>

#include "access.h"

static mjtNum* move(mjtNum* x, mjtNum* field, size_t n, int write) {
  if (x && write) memcpy(field, x, n * sizeof *x);
  if (x && !write) memcpy(x, field, n * sizeof *x);
  return x ? x + n : NULL;
}

static int state(const mjModel* m, mjData* d, mjtNum* x, int write) {
  x = move(x, &d->time, 1, write);
  x = move(x, d->qpos, (size_t)m->nq, write);
  x = move(x, d->qvel, (size_t)m->nv, write);
  x = move(x, d->act, (size_t)m->na, write);
  x = move(x, d->ctrl, (size_t)m->nu, write);
  x = move(x, d->qacc_warmstart, (size_t)m->nv, write);
  x = move(x, d->plugin_state, (size_t)m->npluginstate, write);
  x = move(x, d->mocap_pos, 3 * (size_t)m->nmocap, write);
  move(x, d->mocap_quat, 4 * (size_t)m->nmocap, write);
  return (int)(1 + m->nq + 2 * m->nv + m->na + m->nu + m->npluginstate + 7 * m->nmocap);
}

static void begin(const mjModel* m, mjData* d) {
  if (m->nkey) memcpy(d->qpos, m->key_qpos, sizeof(mjtNum) * (size_t)m->nq);
}

// A control of [-1, 1] over its range, or over [-1, 1] when it has none.
static void control(const mjModel* m, mjData* d, int i, double u) {
  const mjtNum* range = m->actuator_ctrlrange + 2 * i;
  double low = m->actuator_ctrllimited[i] ? range[0] : -1;
  double high = m->actuator_ctrllimited[i] ? range[1] : 1;
  d->ctrl[i] = (low + high) / 2 + (high - low) / 2 * u;
}

static void option(mjModel* m, int which, int value) {
  if (which == OPTION_SOLVER) m->opt.solver = value;
  if (which == OPTION_CONE) m->opt.cone = value;
  if (which == OPTION_INTEGRATOR) m->opt.integrator = value;
  if (which == OPTION_JACOBIAN) m->opt.jacobian = value;
}

static int size(const mjModel* m, const mjData* d, int which) {
  switch (which) {
    case SIZE_NU:
      return (int)m->nu;
    case SIZE_NV:
      return (int)m->nv;
    case SIZE_NA:
      return (int)m->na;
    case SIZE_NSENSORDATA:
      return (int)m->nsensordata;
    case SIZE_NCON:
      return (int)d->ncon;
    default:
      return (int)d->nefc;
  }
}

__attribute__((visibility("default")))
const Access bench_access = {state, begin, control, option, size, mjVERSION_HEADER};
