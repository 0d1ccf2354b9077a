// Integrators: from accelerations to the next state.
#ifndef SINEW_INTEGRATE_INTEGRATE_H_
#define SINEW_INTEGRATE_INTEGRATE_H_

#include "data/data.h"

// qDeriv <- d(actuation + passive - bias) / d qvel on the pattern D; without bias, symmetric: what
// lifts and turns in a fluid is averaged with its mirror image.
void derivative_velocity(const mjModel* m, mjData* d, bool bias);

// The slope of the fluid force on every body or geom that feels one: B = d(torque, force)/d(w, v)
// at a point of the body, in the frame `mat`; made symmetric when asked.
typedef void (*snFluidSlope)(const mjModel* m, mjData* d, void* context, int body,
                             const mjtNum* point, const mjtNum* mat, const mjtNum B[36]);
void derivative_fluid_each(const mjModel* m, mjData* d, bool symmetric, snFluidSlope take,
                           void* context);

// qH and qHDiagInv: the inertia of one step, M + h damping for Euler and RK4, M - h D made
// symmetric for the implicit integrators, with its factor.
void integrate_inertia(const mjModel* m, mjData* d);

// act, qvel, qpos, time and plugins one step on. qpos moves with `qvel`, or with the new velocity
// when NULL.
void integrate_advance(const mjModel* m, mjData* d, const mjtNum* act_dot, const mjtNum* qacc,
                       const mjtNum* qvel);

// Does Euler take M + h damping, and not the acceleration?
bool integrate_damped(const mjModel* m);

// As mj_Euler and mj_implicit, with the factors of the last call when `skipfactor`. M is `own` when
// this step has made it and nobody could write to it since.
void integrate_euler(const mjModel* m, mjData* d, bool skipfactor, bool own);
void integrate_implicit(const mjModel* m, mjData* d, bool skipfactor);

// The factor of M - h D of the implicit integrators, false without memory; x = inv(M - h D) x.
bool integrate_implicit_factor(const mjModel* m, mjData* d);
void integrate_implicit_solve(const mjModel* m, mjData* d, mjtNum* x);
// Does the model ask for loops closed to rounding? Then positions and velocities are put on the
// equalities after the step (close.c).
bool integrate_closes(const mjModel* m);
void integrate_close(const mjModel* m, mjData* d);

// qacc, given as the integrator's (v' - v)/h, to the acceleration in continuous time.
void integrate_continuous(const mjModel* m, mjData* d);

#endif
