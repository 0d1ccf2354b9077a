// Catches the error of a call: EXPECT_ERROR(call, "part of the message").
#ifndef SINEW_TESTS_DRAW_ERRORS_H_
#define SINEW_TESTS_DRAW_ERRORS_H_

#include "scene.h"

static jmp_buf error_place;
static char error_text[1024];

static inline void error_caught(const char* message) {
  snprintf(error_text, sizeof error_text, "%s", message);
  longjmp(error_place, 1);
}

#define EXPECT_ERROR(call, part)                                                     \
  do {                                                                               \
    mju_user_error = error_caught;                                                   \
    error_text[0] = 0;                                                               \
    if (!setjmp(error_place)) call;                                                  \
    mju_user_error = NULL;                                                           \
    if (!strstr(error_text, part)) fail_msg("'%s', expected: %s", error_text, part); \
  } while (0)

#endif
