// Reverse mode over a trajectory, with checkpoints.
//
// With K steps between checkpoints, nstep / K + K states are kept. A state has the warm start with
// it, so that a step taken again has the same bits.
#include "derive/private.h"
#include "entry/guard.h"

typedef struct snRollout_ {
  const mjModel* m;
  mjData* d;
  const mjtNum* ctrl;
  size_t size;
  mjtNum *coarse, *fine;  // states at checkpoints, and from one checkpoint on
} snRollout;

static void state_get(const snRollout* r, mjtNum* to) {
  mj_getState(r->m, r->d, to, mjSTATE_INTEGRATION);
}
static void state_set(const snRollout* r, const mjtNum* from) {
  mj_setState(r->m, r->d, from, mjSTATE_INTEGRATION);
}
static void controls_set(const snRollout* r, int step) {
  if (r->ctrl) mju_copy(r->d->ctrl, r->ctrl + (size_t)step * (size_t)r->m->nu, r->m->nu);
}

int sn_rolloutVjp(const mjModel* m, mjData* d, int nstep, const mjtNum* ctrl, const mjtNum* gnext,
                  mjtNum* gx, mjtNum* gctrl, snDeriveReport* report) {
  snDeriveReport own, one, *r = report_begin(report, &own);
  static const char F[] = "sn_rolloutVjp";
  if (!guard_step(F, m, d, true) || !guard_range(F, "nstep", nstep, 1, INT_MAX) ||
      !guard_pointer(F, "gnext", gnext)) {
    return 0;
  }
  int nx = 2 * m->nv + m->na, every = (int)ceil(sqrt(nstep));
  size_t npoint = (size_t)((nstep + every - 1) / every);
  snRollout s = {m, d, ctrl, (size_t)mj_stateSize(m, mjSTATE_INTEGRATION), NULL, NULL};
  mjtNum *start, *g, *back;
  mj_markStack(d);
  bool there = FRAME(memory_of(d), SN_ARRAY(s.coarse, npoint * s.size),
                     SN_ARRAY(s.fine, (size_t)every * s.size), SN_ARRAY(start, s.size),
                     SN_ARRAY(g, nx), SN_ARRAY(back, nx));
  if (there) {
    state_get(&s, start);
    for (int i = 0; i < nstep; i++) {
      if (i % every == 0) state_get(&s, s.coarse + (size_t)(i / every) * s.size);
      controls_set(&s, i);
      if (i + 1 < nstep) mj_step(m, d);
    }
    mju_zero(back, nx);
    for (int p = (int)npoint - 1; p >= 0 && there; p--) {
      int first = p * every, end = first + every < nstep ? first + every : nstep;
      SN_ASSERT(first < end && end - first <= every);
      state_set(&s, s.coarse + (size_t)p * s.size);
      for (int i = first; i < end; i++) {
        controls_set(&s, i);
        state_get(&s, s.fine + (size_t)(i - first) * s.size);
        if (i + 1 < end) mj_step(m, d);
      }
      for (int i = end - 1; i >= first && there; i--) {
        state_set(&s, s.fine + (size_t)(i - first) * s.size);
        mju_add(g, back, gnext + (size_t)i * (size_t)nx, nx);
        there = sn_vjp(m, d, g, back, gctrl ? gctrl + (size_t)i * (size_t)m->nu : NULL,
                       report ? &one : NULL);
        if (report) report_merge(report, &one);
      }
    }
    if (gx && there) mju_copy(gx, back, nx);
    state_set(&s, start);
  }
  mj_freeStack(d);
  r->ok = there;
  return there;
}
