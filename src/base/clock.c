// Monotonic time: unlike wall-clock time, it never jumps.
#include <time.h>

#include "base/base.h"

double clock_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
