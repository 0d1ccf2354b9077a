// Integrators: from accelerations to the next state.
//
// Input: the forces and the acceleration of forward dynamics, in continuous time. Output: act,
// qvel, qpos and time one step h on, and the states of plugins. Activations advance by their own
// rule (smooth/actuation.c), then
//
//   v' = v + h a',   q' = q (+) h v',
//
// (+) the exponential map for quaternions. The integrators differ in a':
//
//   Euler         (M + h B) a' = M a, B = diag(damping): joint damping is implicit
//   implicit      (M - h D) a' = M a, D = d(actuation + passive - bias)/d qvel, by sparse LU
//   implicitfast  the same without the bias force and with D symmetrized, by L'DL
//   RK4           a' and v' averaged over four evaluations, explicit
//
// where M a = qfrc_smooth + qfrc_constraint. Implicit damping keeps stiff dampers stable; D is
// restricted to the pattern of pairs of dofs of which one is an ancestor of the other, so that
// factorization fills in nothing.
//
// Discrete inverse dynamics invert this: integrate_continuous computes a from a'.
//
// File by file:
//
//   euler.c             Euler; the advance that all integrators share
//   implicit.c          implicit and implicitfast; from discrete to continuous acceleration
//   rk4.c               Runge-Kutta
//   derivative.c        D: actuation and damping; derivative_bias.c: the bias force;
//                       derivative_fluid.c: fluid forces
//   private.h           what these files share
#ifndef SINEW_INTEGRATE_INTEGRATE_H_
#define SINEW_INTEGRATE_INTEGRATE_H_

#include "data/data.h"

// qDeriv <- d(actuation + passive - bias) / d qvel on the pattern D. Without bias qDeriv is
// symmetric: the derivative of fluid forces is averaged with its transpose.
void derivative_velocity(const mjModel* m, mjData* d, bool bias);

// The slope of the fluid force on every body or geom that feels one: B = d(torque, force)/d(w, v)
// at a point of the body, in the frame `mat`; made symmetric when asked.
typedef void (*snFluidSlope)(const mjModel* m, mjData* d, void* context, int body,
                             const mjtNum* point, const mjtNum* mat, const mjtNum B[36]);
void derivative_fluid_each(const mjModel* m, mjData* d, bool symmetric, snFluidSlope take,
                           void* context);

// qH and qHDiagInv, the factored inertia of one step: M + h diag(damping) for Euler and RK4, M - h
// D with symmetric D for the implicit integrators.
void integrate_inertia(const mjModel* m, mjData* d);

// act, qvel, qpos, time and plugins one step on. qpos moves with `qvel`, or with the new velocity
// when qvel is NULL.
void integrate_advance(const mjModel* m, mjData* d, const mjtNum* act_dot, const mjtNum* qacc,
                       const mjtNum* qvel);

// Has any dof damping that Euler treats implicitly? Then a' differs from qacc.
bool integrate_damped(const mjModel* m);

// mj_Euler and mj_implicit; `skipfactor` uses the factors of the last call. `own`: this step has
// made M, and no program could have written to it since.
void integrate_euler(const mjModel* m, mjData* d, bool skipfactor, bool own);
void integrate_implicit(const mjModel* m, mjData* d, bool skipfactor);

// The factor of M - h D of the implicit integrators, false without memory; x = inv(M - h D) x.
bool integrate_implicit_factor(const mjModel* m, mjData* d);
void integrate_implicit_solve(const mjModel* m, mjData* d, mjtNum* x);

// Puts positions and velocities on the equalities after the step, for models that ask for loops
// closed to rounding (close.c). `most` is what integrate_close_bound() says before the integrator:
// what a fast velocity may be at most, as the root of twice its energy; 0: a slow one.
mjtNum integrate_close_bound(const mjModel* m, mjData* d);
void integrate_close(const mjModel* m, mjData* d, mjtNum most, bool whole);

// qacc, given as the integrator's (v' - v)/h, converted to the acceleration in continuous time.
void integrate_continuous(const mjModel* m, mjData* d);

#endif
