// A convex quadratic within a ball: min 1/2 z'Az + z'b, |z| <= r, for at most five unknowns
// (ball.c).
#ifndef SINEW_SOLVE_BALL_H_
#define SINEW_SOLVE_BALL_H_

#include <mujoco/mujoco.h>
#include <stdbool.h>

// By the documented iteration; false where that is not the minimum.
bool ball_walk(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z);
// The minimum.
void ball_minimum(int n, const mjtNum* A, const mjtNum* b, mjtNum r, mjtNum* z);
// Does the documented solver take A (n x n) for singular?
bool ball_singular(const mjtNum* A, int n);

#endif
