// The corpus of fuzz_asset, as it is and with bytes changed or cut off.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>

#include "fuzz/fuzz_asset.c"
#include "fuzz/replay.h"

static void corpus_is_survived(void** state) {
  assert_true(replay("tests/fuzz/corpus/asset", LLVMFuzzerTestOneInput) > 6);
}

static int damaged(const uint8_t* data, size_t size) {
  uint8_t* copy = malloc(size + 1);
  if (!copy) return 0;
  uint32_t random = 1;
  for (int round = 0; round < 60; round++) {
    memcpy(copy, data, size);
    for (int k = 0; k < 1 + round % 3; k++) {
      random = random * 1664525u + 1013904223u;
      copy[1 + (random >> 8) % (size - 1)] ^= (uint8_t)(1u << (random >> 29));
    }
    random = random * 1664525u + 1013904223u;
    LLVMFuzzerTestOneInput(copy, round % 4 ? size : 1 + (random >> 8) % size);
  }
  free(copy);
  return 0;
}

static void damage_is_survived(void** state) {
  assert_true(replay("tests/fuzz/corpus/asset", damaged) > 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_survived),
                                     cmocka_unit_test(damage_is_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
