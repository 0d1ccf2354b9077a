// Failures of the stack of mjData on demand. It asks for memory only when it is full, so
// memory_fail_at seldom reaches it; and it is taken from hundreds of times in a step, so it counts
// in checked builds alone: in others memory_stack_count stays zero.
#ifndef SINEW_BASE_STACK_FAIL_H_
#define SINEW_BASE_STACK_FAIL_H_

#include <stdbool.h>

void memory_fail_stack(
    long n);                    // fail the n-th allocation from now (1 is the next); 0 turns it off
long memory_stack_count(void);  // allocations so far
bool memory_stack_fails(void);  // counts one; must it fail?

#endif
