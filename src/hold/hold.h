// Contact that holds: sleep, restitution in the soft step, certificates of steps.
//
// Soft contact is a spring and a damper in every row: bodies at rest creep and cost as much as
// bodies that move, a rebound depends on masses and time step, and a program cannot see how far a
// step is from the solution of its problem. The three algorithms of this room answer that, each for
// models or data that ask for it; without one of them a step has the bits of one without this room.
//
//   sleep        who has been quiet for long enough has qacc = 0 and qfrc_constraint =
//   -qfrc_smooth,
//                and no kinematics, contacts, rows, solve or integration
//   restitution  a contact that closes within the step ends it on the parabola behind the impact,
//                v' = -e v1 + a (t - t1), and is an ordinary row of the problem before that
//   certificate  the residual of M a = tau + J'f, the duality gap P(a) - D(f), and where each joule
//                of the step went
//
// The stages below know of sleep only that bodies may be left out: snAwake in mjData's tail
// (data/data.h) has the runs of bodies that move. The room decides who is in them. The step above
// calls the room at fixed places of its call lists: sleep_begin and sleep_end around an evaluation,
// sleep_touch behind the contacts, bounce_rows before the solver, bounce_begin and bounce_end
// around the integrator, the certify functions around all of it.
//
// Invariants:
//   - Sleep is state: a restored state goes on to the bit. Only sleep_advance and sn_wake write it.
//   - A group of trees that touch or are tied to each other falls asleep and wakes as a whole.
//   - No impact gains energy.
//   - A certificate changes no bit of mjData.
//   - Hard contact and maximal coordinates have impacts and rest of their own: sleep and
//     restitution stand aside there.
//
// File by file:
//
//   sleep.c         who sleeps in an evaluation, causes of waking, who falls asleep behind a step
//   sleep_tables.c  what follows from the model: ties between trees, extents, watched numbers
//   bounce.c        restitution of soft contacts
//   dissipate.c     contacts whose damping grows with depth (Hunt-Crossley)
//   certify.c       residual, gap and energy of a step
//
// docs/holding.md is the page for whoever uses them.
#ifndef SINEW_HOLD_HOLD_H_
#define SINEW_HOLD_HOLD_H_

#include <sinew/sleep.h>

#include "data/data.h"
#include "dual/dual.h"

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

// ---- Hunt-Crossley dissipation (dissipate.c), for models with the tuple "sinew:dissipation"
bool dissipate_active(const mjModel* m, const mjData* d);
void dissipate_solve(const mjModel* m, mjData* d);  // solve_constraints with these contacts
// Their rows are tangents at the velocity v + h qacc.
void dissipate_rows(const mjModel* m, mjData* d, const mjtNum* qacc);

// ---- certificates (certify.c): before the integrator, behind it, and behind the step
bool certify_active(const mjModel* m, const mjData* d);
void certify_begin(const mjModel* m, mjData* d);
void certify_integrated(const mjModel* m, mjData* d);
void certify_end(const mjModel* m, mjData* d);

// A part of a function during which nobody sleeps: frames of the stack that keep everyone awake.
// The first one finds no tape of this data: one that is there was left by a longjmp.
static inline void vigil_begin(mjData* d) {
  mj_markStack(d);
  if (!((snData*)d)->vigil++) tape_drop(d);
}
static inline void vigil_end(mjData* d) {
  ((snData*)d)->vigil--;
  mj_freeStack(d);
}

#endif
