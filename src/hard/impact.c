// An impact inside a step, to the order of the free fall around it.
//
// Semi-implicit Euler is leapfrog: the velocity v kept at time t is that of t - h/2, and positions
// lie on the parabola of constant acceleration a. Along it the gap closes at t + t1, where
//   gap + v0 t1 + a t1^2 / 2 = 0,   v0 = v + a h / 2,   v1 = v0 + a t1 < 0,
// and opens again with -e v1. What is kept after the step is the velocity at t + h/2 and the gap at
// t + h of the parabola behind the impact, so that a ball rises to e^2 of its height whatever the
// step is. t1 is below zero when the gap has closed since the step before.
#include <math.h>

#include "hard/hard.h"

snImpact impact_timed(mjtNum gap, mjtNum v0, mjtNum a, mjtNum e, mjtNum h, mjtNum kept) {
  snImpact none = {.hit = false};
  mjtNum square = v0 * v0 - 2 * a * gap;
  if (square <= 0) return none;
  mjtNum v1 = -sqrt(square);
  if (v0 >= 0 && (a >= 0 || gap <= 0)) return none;           // parting
  mjtNum t1 = v0 < 0 ? -2 * gap / (v0 + v1) : (v1 - v0) / a;  // the same; the first for any a
  if (!(t1 < h)) return none;                                 // not yet
  bool late = t1 < -1.5 * h;
  if (late) {  // overlapping for longer: as if it touched now
    t1 = 0;
    v1 = v0;
  }
  mjtNum out = -e * v1;
  if (out <= fmax(0, -a * h)) {  // it would be back within the step: it rests
    return (snImpact){.late = late, .speed = -v1, .time = t1};
  }
  mjtNum left = h - t1;
  return (snImpact){.hit = true,
                    .late = late,
                    .velocity = out + a * (kept - t1),
                    .gap = out * left + 0.5 * a * left * left,
                    .speed = -v1,
                    .time = t1};
}

snImpact impact_find(mjtNum gap, mjtNum v, mjtNum a, mjtNum e, mjtNum h) {
  if (e <= 0) return (snImpact){.hit = false};
  return impact_timed(gap, v + 0.5 * a * h, a, e, h, 0.5 * h);
}
