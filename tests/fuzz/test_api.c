// Random calls of documented functions with wild arguments: refused or done, never a crash, and
// none takes a second. SINEW_CALLS sets how many, SINEW_SEED where to start. Without cmocka, which
// would hide from AddressSanitizer where a crash was.
#include <time.h>

#include "fuzz/wild.h"

static void quiet(const char* text) { (void)text; }

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(uint8_t* bytes, size_t size, uint64_t seed) {
  uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = 0; i < size; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    bytes[i] = (uint8_t)(x >> 24);
  }
}

int main(void) {
  mju_user_error = quiet;
  mju_user_warning = quiet;
  const char *calls_wanted = getenv("SINEW_CALLS"), *first = getenv("SINEW_SEED");
  long most = calls_wanted ? atol(calls_wanted) : 20000, made = 0;
  uint64_t seed = first ? (uint64_t)atoll(first) : 1;
  Wild w;
  wild_begin(&w);
  double slowest = 0;
  static uint8_t bytes[1 << 14];
  for (; made < most; seed++) {
    fill(bytes, sizeof bytes, seed);
    w.next = bytes;
    w.end = bytes + sizeof bytes;
    if (getenv("SINEW_SHOW")) fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    double start = seconds();
    made += wild_round(&w);
    double took = seconds() - start;
    if (took > 1) fprintf(stderr, "seed %llu took %.3f s\n", (unsigned long long)seed, took);
    if (took > slowest) slowest = took;
  }
  wild_end(&w);
  printf("%ld calls, the slowest round took %.3f s\n", made, slowest);
  return made < most || slowest > 5;
}
