// The pipeline: forward dynamics, inverse dynamics and the step, as call lists.
//
// Forward dynamics compute the acceleration of a state:
//
//   position      kinematics, com, cameras and lights, flexes, tendons; M and its factor; contacts;
//                 rows J and R; islands; transmission; A + R for dual solvers
//   velocity      velocities of tendons and actuators, cvel, passive forces, aref, bias force c
//   actuation     actuator forces
//   acceleration  qfrc_smooth = passive - c + applied + actuator, qacc_smooth = inv(M) qfrc_smooth
//   constraint    f and qacc from the convex problem (solve/), or from hard contact (hard/)
//
// with sensors behind position, velocity and constraint. A step checks the state for NaN and huge
// numbers, runs forward dynamics, checks the acceleration, and integrates (integrate/). Inverse
// dynamics run the same position and velocity stages and then need no solver: f = -grad s(J qacc -
// aref) in closed form, tau = M qacc + c - passive - J'f.
//
// Around these calls stand those of hold/: sleep decides who is evaluated, restitution changes the
// rows of contacts that bounce, and a certificate looks at the step from outside.
//
// Invariants:
//   - mj_step1 followed by mj_step2 is mj_step, except that mj_step2 integrates by Euler
//     where the model asks for RK4, as documented.
//   - Every stage is a documented function that a program may call alone; a stage reads only what
//     earlier stages and the state provide.
//   - Evaluations whose results nobody can see leave some of them out (snOmit); the rest has the
//     same bits.
//
// File by file:
//
//   forward.c   mj_forward, mj_step and its halves; the stages in order, with timers
//   extrapolate.c  three hard steps that make one of second order
//   inverse.c   mj_inverse; the comparison of forward and inverse dynamics
//   check.c     NaN and huge numbers: warning and reset
//   timer.h     profiling timers
#ifndef SINEW_STEP_STEP_H_
#define SINEW_STEP_STEP_H_

#include "data/data.h"

// What an evaluation leaves out because its results are overwritten before anyone can read them.
typedef struct snOmit_ {
  bool sensors;
  bool still;  // frames fixed to the world, which the last evaluation has posed
  bool views;  // cameras, lights and energies
  bool qacc;   // without rows: the acceleration and the factor of M; the integrator uses the
               // forces
} snOmit;

// The position stage: everything that depends on qpos alone. `project`: end with A + R for dual
// solvers, which inverse dynamics do not need.
void step_position(const mjModel* m, mjData* d, snOmit omit, bool project);

// mj_forwardSkip without what `omit` names.
void step_forward(const mjModel* m, mjData* d, int skipstage, snOmit omit);

// Does d step by Richardson's extrapolation? Then a step is made of three that `step` does. False:
// no memory (extrapolate.c).
typedef void (*snStepOnce)(const mjModel* m, mjData* d);
bool extrapolate_active(const mjModel* m, const mjData* d);
bool extrapolate_step(const mjModel* m, mjData* d, snStepOnce step);

// mj_compareFwdInv; qacc is the solver's continuous-time acceleration, or the integrator's if
// `discrete`.
void step_compare(const mjModel* m, mjData* d, bool discrete);

#endif
