// Models from MJCF strings and random numbers, for tests that run the engine.
#ifndef SINEW_TESTS_SCENE_H_
#define SINEW_TESTS_SCENE_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four headers above
#include <cmocka.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

static inline mjModel* scene_model(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) fail_msg("%s", spec ? mjs_getError(spec) : error);
  mj_deleteSpec(spec);
  return m;
}

// The model is refused when it is compiled, with these words in the error.
static inline void scene_refused(const char* xml, const char* words) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  if (!spec) fail_msg("%s", error);
  assert_null(mj_compile(spec, NULL));
  if (!strstr(mjs_getError(spec), words)) fail_msg("%s", mjs_getError(spec));
  mj_deleteSpec(spec);
}

// uniform in [-1, 1)
static inline double scene_random(unsigned long long* seed) { return random_signed(seed); }

#endif
