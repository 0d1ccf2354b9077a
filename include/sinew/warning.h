// Warnings of what goes beyond the documented interface, counted as mjData.warning counts the
// documented ones: every time, reported once, from zero again after a reset (docs/holding.md).
#ifndef SINEW_WARNING_H_
#define SINEW_WARNING_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of warnings, for sn_warningCount.
typedef enum snWarning_ {
  snWARN_LOOPS = 0,  // steps whose loops stay open: equalities contradict each other
  snWARN_ANCHORS,    // steps with contacts beyond those that friction has room to hold
  snNWARNING
} snWarning;

// How often a warning (snWarning) was raised since the last reset of the data.
MJAPI int sn_warningCount(const mjModel* m, const mjData* d, int warning);

// Its name, "loops" or "anchors"; NULL behind the last.
MJAPI const char* sn_warningName(int warning);

#ifdef __cplusplus
}
#endif

#endif
