// The corpus of fuzz_scene, and random bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>

#include "fuzz/fuzz_scene.c"
#include "fuzz/replay.h"
#include "random.h"

static void corpus_is_survived(void** state) {
  assert_true(replay("tests/fuzz/corpus/scene", LLVMFuzzerTestOneInput) > 0);
}

// Floats near 1 as often as any bits: scenes that are seen.
static void random_scenes_are_survived(void** state) {
  unsigned long long seed = 1;
  for (int run = 0; run < 3000; run++) {
    uint8_t bytes[1500];
    for (size_t i = 0; i < sizeof bytes; i += 4) {
      random_next(&seed);
      float near = (float)((double)(seed >> 40) / 8388608.0 - 1);
      uint32_t any = (uint32_t)(seed >> 32);
      if (seed >> 62 == run % 4u) {
        memcpy(bytes + i, &any, 4);
      } else {
        memcpy(bytes + i, &near, 4);
      }
    }
    LLVMFuzzerTestOneInput(bytes, sizeof bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_survived),
                                     cmocka_unit_test(random_scenes_are_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
