// The corpora of fuzz_asset, unchanged, with flipped bits, and truncated.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>

#include "fuzz/fuzz_asset.c"
#include "fuzz/replay.h"
#include "random.h"

static int format;

static int as_it_is(const uint8_t* data, size_t size) { return asset_run(format, data, size); }

static int damaged(const uint8_t* data, size_t size) {
  uint8_t* copy = malloc(size + 1);
  if (!copy) return 0;
  uint32_t random = 1;
  for (int round = 0; size && round < 60; round++) {
    memcpy(copy, data, size);
    for (int k = 0; k < 1 + round % 3; k++) {
      random_next32(&random);
      copy[(random >> 8) % size] ^= (uint8_t)(1u << (random >> 29));
    }
    random_next32(&random);
    asset_run(format, copy, round % 4 ? size : (random >> 8) % size);
  }
  free(copy);
  return 0;
}

static void every_format(int (*run)(const uint8_t*, size_t)) {
  static const char* const folder[FUZZ_FORMATS] = {"stl", "obj",  "msh",   "gmsh",
                                                   "png", "skin", "hfield"};
  for (format = 0; format < FUZZ_FORMATS; format++) {
    char path[64];
    snprintf(path, sizeof path, "tests/fuzz/corpus/%s", folder[format]);
    assert_true(replay(path, run) > 0);
  }
}

static void corpus_is_survived(void** state) { every_format(as_it_is); }

static void damage_is_survived(void** state) { every_format(damaged); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_survived),
                                     cmocka_unit_test(damage_is_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
