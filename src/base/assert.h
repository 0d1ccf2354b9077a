// SN_ASSERT states an invariant that the code around it relies on: alignment, padding, sorted
// columns, sizes. It is checked in debug and sanitizer builds (SN_CHECKED) and costs nothing
// elsewhere. Input from a program or a model is never asserted: bad input gets an error.
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
