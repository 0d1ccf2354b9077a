// Callbacks of one model, each with a pointer of the user's.
//
// The documented callbacks (mjcb_passive, mjcb_control ...) are global: one function for every
// model and every thread of a process. These belong to a model. Where one is set, the engine calls
// it in place of the global callback of the same name for that model; where none is set, the global
// one holds as ever. Arguments and duties are those of the global callback, `user` comes last.
//
// A callback is set before the model is used, or between steps: models are shared by threads and
// are not locked. Threads that step the same model call the same function with the same `user` at
// the same time.
//
// A copy of a model (mj_copyModel) has none until they are set: `user` may well belong to the
// original. sn_copyCallbacks hands them on. Files and mjSpec do not hold them; mj_recompile leaves
// them in place. mj_resetCallbacks concerns the global ones alone.
#ifndef SINEW_CALLBACK_H_
#define SINEW_CALLBACK_H_

#include <mujoco/mujoco.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef void (*snfGeneric)(const mjModel* m, mjData* d, void* user);
typedef int (*snfConFilt)(const mjModel* m, mjData* d, int geom1, int geom2, void* user);
typedef void (*snfSensor)(const mjModel* m, mjData* d, int stage, void* user);
typedef mjtNum (*snfAct)(const mjModel* m, const mjData* d, int id, void* user);

// NULL as function: none, the global one holds again.
MJAPI void sn_setPassive(mjModel* m, snfGeneric function, void* user);
MJAPI void sn_setControl(mjModel* m, snfGeneric function, void* user);
MJAPI void sn_setContactFilter(mjModel* m, snfConFilt function, void* user);
MJAPI void sn_setSensor(mjModel* m, snfSensor function, void* user);
MJAPI void sn_setActDyn(mjModel* m, snfAct function, void* user);
MJAPI void sn_setActGain(mjModel* m, snfAct function, void* user);
MJAPI void sn_setActBias(mjModel* m, snfAct function, void* user);

// Give dest the callbacks of src, all of them; those of dest are gone.
MJAPI void sn_copyCallbacks(mjModel* dest, const mjModel* src);

#if defined(__cplusplus)
}
#endif

#endif
