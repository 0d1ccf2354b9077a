// Invariants that the code around them rests on: alignment, padding, order of columns, sizes. They
// are checked in debug and sanitizer builds (SN_CHECKED) and cost nothing elsewhere. What a program
// or a model can get wrong is no invariant: that gets an error.
#ifndef SINEW_BASE_ASSERT_H_
#define SINEW_BASE_ASSERT_H_

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SN_CHECKED 1
#endif

#ifdef SN_CHECKED
#include <stdio.h>
#include <stdlib.h>
#define SN_ASSERT(condition)                                                            \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: invariant broken: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                          \
    }                                                                                   \
  } while (0)
#else
#define SN_ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
