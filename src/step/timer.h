// Profiling timers in mjData.timer. mjcb_time is the clock; without it a timer costs one test.
#ifndef SINEW_STEP_TIMER_H_
#define SINEW_STEP_TIMER_H_

#include "base/base.h"

static inline mjtNum timer_now(void) { return mjcb_time ? mjcb_time() : 0; }

static inline void timer_add(mjData* d, int timer, mjtNum start) {
  if (mjcb_time) d->timer[timer].duration += mjcb_time() - start;
  d->timer[timer].number++;
}

#endif
