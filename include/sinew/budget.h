// A budget for what a model may ask for. Ninety bytes of MJCF can name a million replicas or a
// height field of 10^10 numbers: beyond the budget loading, attaching and compiling refuse, with an
// error that says what asked for how much.
#ifndef SINEW_BUDGET_H_
#define SINEW_BUDGET_H_

#include <stddef.h>

#include <mujoco/mjexport.h>

#ifdef __cplusplus
extern "C" {
#endif

// Elements: of one mjSpec, with its default classes and with what replicate, composite, flexcomp
// and attach make. Bytes: the arrays of one mjModel, and those of its mjData without the arena. The
// defaults are 2^20 elements (about 1 GB of spec) and 2^32 bytes. Zero leaves a number as it is.
// The budget is that of the process; it may be changed at any time.
MJAPI void sn_setBudget(size_t elements, size_t bytes);
MJAPI void sn_getBudget(size_t* elements, size_t* bytes);

#ifdef __cplusplus
}
#endif

#endif
