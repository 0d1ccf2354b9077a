// The corpus of fuzz_spec, and random programs: SINEW_SEQUENCES=100000 for a long search,
// SINEW_FIRST=17538 to begin with one of them, SINEW_SHOW=1 to say which one runs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
// cmocka wants the four above first
#include <cmocka.h>

#include "fuzz/fuzz_spec.c"
#include "fuzz/replay.h"
#include "random.h"

static void corpus_is_survived(void** state) {
  assert_true(replay("tests/fuzz/corpus/spec", LLVMFuzzerTestOneInput) > 0);
}

static void random_programs_are_survived(void** state) {
  const char* wanted = getenv("SINEW_SEQUENCES");
  const char* first = getenv("SINEW_FIRST");
  int n = wanted ? atoi(wanted) : 2000, begin = first ? atoi(first) : 0;
  unsigned long long seed = 1;
  for (int i = 0; i < n; i++) {
    uint8_t bytes[400];
    for (size_t k = 0; k < sizeof bytes; k++) {
      bytes[k] = (uint8_t)(random_next(&seed) >> 56);
    }
    if (i < begin) continue;
    if (getenv("SINEW_SHOW")) fprintf(stderr, "program %d\n", i);
    clock_t start = clock();  // of the processor: others may use it too
    LLVMFuzzerTestOneInput(bytes, sizeof bytes);
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (took > 20) fail_msg("program %d took %g s", i, took);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_survived),
                                     cmocka_unit_test(random_programs_are_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
