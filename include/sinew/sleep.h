// Sleep: bodies at rest that cost nothing, for models that ask for it (sinew/ask.h,
// docs/holding.md).
//
// Kinematic trees that have been quiet for a while fall asleep together with all that they touch
// and are tied to. They wake by themselves when something happens to them; a program that changes
// numbers of the model can wake them at once.
#ifndef SINEW_SLEEP_H_
#define SINEW_SLEEP_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

// Is a body asleep? Bodies that cannot move never are.
MJAPI int sn_asleep(const mjModel* m, const mjData* d, int body);

// Wakes a body and all that sleep with it; -1 wakes everyone. They stay awake for at least the time
// that it takes to fall asleep.
MJAPI void sn_wake(const mjModel* m, mjData* d, int body);

#ifdef __cplusplus
}
#endif

#endif
