// Pieces of work that do not depend on each other.
#ifndef SINEW_COMPILE_JOBS_H_
#define SINEW_COMPILE_JOBS_H_

#include "base/base.h"

typedef struct snJob_ {
  int index;
  size_t weight;  // bytes to read, or as much work as that
} snJob;

// Runs each index once on nthread threads (<= 0: as many as there are cores and work for), the
// heaviest first; `job` is put in that order.
void jobs_run(void (*run)(void* context, int i), void* context, snJob* job, int n, int nthread);

#endif
