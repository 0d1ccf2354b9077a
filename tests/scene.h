// Models from strings, for tests that run the engine.
#ifndef SINEW_TESTS_SCENE_H_
#define SINEW_TESTS_SCENE_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline mjModel* scene_model(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) fail_msg("%s", spec ? mjs_getError(spec) : error);
  mj_deleteSpec(spec);
  return m;
}

static inline double scene_random(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return 2 * ((double)(*seed >> 11) / 9007199254740992.0) - 1;
}

#endif
