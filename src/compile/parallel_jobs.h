// Independent jobs on several threads.
#ifndef SINEW_COMPILE_PARALLEL_JOBS_H_
#define SINEW_COMPILE_PARALLEL_JOBS_H_

#include "base/base.h"

typedef struct snJob_ {
  int index;
  size_t weight;  // bytes to read, or equivalent work
} snJob;

// Calls run once for each job on nthread threads (<= 0: by cores and amount of work), heaviest
// first; `job` is sorted accordingly.
void jobs_run(void (*run)(void* context, int i), void* context, snJob* job, int n, int nthread);

#endif
