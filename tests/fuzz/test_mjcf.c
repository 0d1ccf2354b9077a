// The corpora of fuzz_mjcf.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>

#include "fuzz/fuzz_mjcf.c"
#include "fuzz/replay.h"

static void corpus_is_survived(void** state) {
  assert_true(replay("tests/fuzz/corpus/mjcf", LLVMFuzzerTestOneInput) > 0);
  assert_true(replay("tests/fuzz/corpus/urdf", LLVMFuzzerTestOneInput) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
