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
//   inverse.c   mj_inverse; the comparison of forward and inverse dynamics
//   check.c     NaN and huge numbers: warning and reset
//   sleep.c     trees at rest that cost nothing; sleep_tables.c: what follows from the model
//   bounce.c    restitution of soft contacts
//   certify.c   a certificate of every step: residuals, gaps, energy
//   timer.h     profiling timers
#ifndef SINEW_STEP_STEP_H_
#define SINEW_STEP_STEP_H_

#include <sinew/sleep.h>

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

// ---- sleep (sleep.c), for models with the text "sinew:sleep"
extern const char sleep_plugin_name[];
int sleep_instance(const mjModel* m);    // the instance that keeps its state; -1: none
int sleep_state_size(const mjModel* m);  // numbers of state that the instance needs

// Begins an evaluation: decides who sleeps. True when it has begun here, and sleep_end is to end
// it; false inside of another. `qacc` of inverse dynamics wakes where it is not zero; NULL:
// forward.
bool sleep_begin(const mjModel* m, mjData* d, const mjtNum* qacc);
void sleep_end(mjData* d);

// Was somebody asleep when positions were evaluated who must be awake now? If not, the choice of
// that time holds.
bool sleep_stale(const mjModel* m, mjData* d);

void sleep_touch(const mjModel* m, mjData* d);      // behind mj_collision: contact wakes
void sleep_evaluated(const mjModel* m, mjData* d);  // positions are those of the present choice
void sleep_hold(const mjModel* m, mjData* d);       // activations of sleepers stay
void sleep_settle(const mjModel* m, mjData* d);     // accelerations and forces of sleepers
void sleep_posed(const mjModel* m, mjData* d);      // all stages have run
void sleep_advance(const mjModel* m, mjData* d);    // the end of a step: who falls asleep

// ---- restitution in the soft step (bounce.c), for models with the tuple "sinew:restitution"
bool bounce_active(const mjModel* m, const mjData* d);

// Rows of contacts that bounce in this step ask for the velocity behind the impact. `qacc`: without
// constraint forces.
void bounce_rows(const mjModel* m, mjData* d, const mjtNum* qacc);

// Around an integrator, within one frame: velocities and positions behind the impacts. False:
// nothing bounces.
typedef struct snBouncing_ {
  const struct snBounces_* list;
  mjtNum *A, *loose, *change, *scratch, *y, *gap;
} snBouncing;
bool bounce_begin(const mjModel* m, mjData* d, snBouncing* b);
void bounce_end(const mjModel* m, mjData* d, snBouncing* b);

// ---- certificates (certify.c): before the integrator, behind it, and behind the step
bool certify_active(const mjModel* m, const mjData* d);
void certify_begin(const mjModel* m, mjData* d);
void certify_integrated(const mjModel* m, mjData* d);
void certify_end(const mjModel* m, mjData* d);

// A part of a function during which nobody sleeps: frames of the stack that keep everyone awake.
static inline void vigil_begin(mjData* d) {
  mj_markStack(d);
  ((snData*)d)->vigil++;
}
static inline void vigil_end(mjData* d) {
  ((snData*)d)->vigil--;
  mj_freeStack(d);
}

// mj_compareFwdInv; qacc is the solver's continuous-time acceleration, or the integrator's if
// `discrete`.
void step_compare(const mjModel* m, mjData* d, bool discrete);

#endif
