// Richardson's extrapolation of steps with hard contact (sinew:stepping richardson).
//
// A hard step is of first order: behind it stands y + c h^2 + O(h^3), where y is the motion that
// the contacts hold and c is the same for all steps near by. So a step of h and two of h / 2,
//   y = 2 y_half - y_whole,
// are of second order together. Where a contact or limit closes, opens, or changes between sticking
// and sliding in one of the three there is no such c: the two half steps count then, and the step
// has the first order that an impact allows.
#include <math.h>
#include <string.h>

#include "hard/hard.h"
#include "maximal/maximal.h"
#include "step/step.h"

// What d keeps for it: the model with half the step, which shares every array with the model, and
// states.
typedef struct snExtrapolate_ {
  snModel half;
  mjtNum *begin, *qpos, *qvel, *act, *plugin, *change;
} snExtrapolate;

static void extrapolate_free(void* block) {
  snExtrapolate* e = block;
  memory_free(e->begin);
  memory_free(e);
}

bool extrapolate_active(const mjModel* m, const mjData* d) {
  const char* text = m->ntext ? asked_text(m, "sinew:stepping") : NULL;
  if (!text || strcmp(text, "richardson")) return false;
  return maximal_active(m) || hard_active(m, d);
}

// NULL: no memory.
static snExtrapolate* extrapolate_of(const mjModel* m, mjData* d) {
  snCache* cache = data_cache(d, snROOM_STEP);
  snExtrapolate* e = cache->block;
  if (!e) {
    e = memory_alloc_zero(sizeof *e);
    if (!e) return NULL;
    cache->block = e;
    cache->free = extrapolate_free;
  }
  if (!e->begin) {  // sizes are those of d, whatever model of its layout it steps with
    size_t nstate = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION);
    size_t count = nstate + m->nq + 2 * (size_t)m->nv + m->na + m->npluginstate;
    e->begin = memory_alloc(sizeof(mjtNum) * (count + 1));
    if (!e->begin) return NULL;
    e->qpos = e->begin + nstate;
    e->qvel = e->qpos + m->nq;
    e->act = e->qvel + m->nv;
    e->plugin = e->act + m->na;
    e->change = e->plugin + m->npluginstate;
  }
  e->half = *(const snModel*)m;
  e->half.m.opt.timestep = 0.5 * m->opt.timestep;
  return e;
}

// y = 2 y_half - y_whole, positions along the velocity that leads from one to the other.
static void combine(const mjModel* m, mjData* d, const snExtrapolate* e) {
  mj_differentiatePos(m, e->change, 1, d->qpos, e->qpos);
  mju_copy(d->qpos, e->qpos, m->nq);
  mj_integratePos(m, d->qpos, e->change, 1);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 2 * e->qvel[i] - d->qvel[i];
  for (int i = 0; i < m->na; i++) d->act[i] = 2 * e->act[i] - d->act[i];
  for (int i = 0; i < m->nu; i++) {
    if (!m->actuator_actlimited[i] || m->actuator_actadr[i] < 0) continue;
    mjtNum* act = d->act + m->actuator_actadr[i] + m->actuator_actnum[i] - 1;
    const mjtNum* range = m->actuator_actrange + 2 * i;
    *act = fmin(range[1], fmax(range[0], *act));
  }
}

// The bits of the state behind the step are those of the half steps where they count alone.
static void keep_half(const mjModel* m, mjData* d, const snExtrapolate* e) {
  mju_copy(d->qpos, e->qpos, m->nq);
  mju_copy(d->qvel, e->qvel, m->nv);
  mju_copy(d->act, e->act, m->na);
}

// One stage; false when a bad state reset d.
static bool run(snStepOnce step, const mjModel* m, mjData* d) {
  mjtNum before = d->time;
  step(m, d);
  return d->time > before;
}

bool extrapolate_step(const mjModel* m, mjData* d, snStepOnce step) {
  snExtrapolate* e = extrapolate_of(m, d);
  if (!e) return false;
  const mjModel* half = &e->half.m;
  mj_getState(m, d, e->begin, mjSTATE_INTEGRATION);
  if (!run(step, half, d)) return true;
  uint64_t first = hard_held(d);
  if (!run(step, half, d)) return true;
  uint64_t second = hard_held(d);
  mju_copy(e->qpos, d->qpos, m->nq);
  mju_copy(e->qvel, d->qvel, m->nv);
  mju_copy(e->act, d->act, m->na);
  mju_copy(e->plugin, d->plugin_state, m->npluginstate);
  mj_setState(m, d, e->begin, mjSTATE_INTEGRATION);
  if (!run(step, m, d)) return true;
  if (first == second && first == hard_held(d) && first != snDUAL_EVENT)
    combine(m, d, e);
  else
    keep_half(m, d, e);
  mju_copy(d->plugin_state, e->plugin, m->npluginstate);
  return true;
}
