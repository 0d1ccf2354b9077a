// An impact inside a step, to the order of the free fall around it.
//
// Semi-implicit Euler is leapfrog: the velocity v kept at time t is that of t - h/2, and positions
// lie on the parabola of constant acceleration a. Along it the gap closes at t + t1, where
//   gap + v0 t1 + a t1^2 / 2 = 0,   v0 = v + a h / 2,   v1 = v0 + a t1 < 0,
// and opens again with -e v1. What is kept after the step is the velocity at t + h/2 and the gap at
// t + h of the parabola behind the impact, so that a ball rises to e^2 of its height whatever the
// step is. t1 is below zero when the gap has closed since the step before.
#include <math.h>

#include "hard/private.h"

snImpact impact_find(mjtNum gap, mjtNum v, mjtNum a, mjtNum e, mjtNum h) {
  snImpact none = {false, 0, 0};
  mjtNum v0 = v + 0.5 * a * h, square = v0 * v0 - 2 * a * gap;
  if (e <= 0 || square <= 0) return none;
  mjtNum v1 = -sqrt(square);
  if (v0 >= 0 && (a >= 0 || gap <= 0)) return none;           // parting
  mjtNum t1 = v0 < 0 ? -2 * gap / (v0 + v1) : (v1 - v0) / a;  // the same; the first for any a
  if (!(t1 < h)) return none;                                 // not yet
  if (t1 < -1.5 * h) {  // overlapping for longer: as if it touched now
    t1 = 0;
    v1 = v0;
  }
  mjtNum out = -e * v1;
  if (out <= fmax(0, -a * h)) return none;  // it would be back within the step: it rests
  mjtNum left = h - t1;
  return (snImpact){true, out + a * (0.5 * h - t1), out * left + 0.5 * a * left * left};
}
