// Random calls of documented functions with wild arguments: refused or done, never a crash, and
// none takes a second. SINEW_CALLS sets how many, SINEW_SEED where to start, SINEW_TURN with which of
// the models; a long run says how far it is. Without cmocka, which would hide from AddressSanitizer
// where a crash was.
#include <time.h>

#include "fuzz/wild.h"

static void quiet(const char* text) { (void)text; }

// Of the processor: others may use it too.
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

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
  const char *calls_wanted = getenv("SINEW_CALLS"), *first = getenv("SINEW_SEED"),
             *begin = getenv("SINEW_TURN");
  long most = calls_wanted ? atol(calls_wanted) : 20000, made = 0;
  uint64_t seed = first ? (uint64_t)atoll(first) : 1;
  Wild w;
  long turns = 0, turn = most / (2 * WILD_ASKING) + 1;  // models with other features, in turn
  int model = begin ? atoi(begin) % WILD_ASKING : 0;
  wild_begin_asking(&w, wild_asking[model]);
  double slowest = 0;
  static uint8_t bytes[1 << 14];
  for (; made < most; seed++) {
    fill(bytes, sizeof bytes, seed);
    w.next = bytes;
    w.end = bytes + sizeof bytes;
    if (getenv("SINEW_SHOW")) fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    double start = seconds();
    long before = made;
    made += wild_round(&w);
    if (made / 10000 > before / 10000 && most > 100000)
      fprintf(stderr, "%ld calls, seed %llu, turn %d\n", made, (unsigned long long)seed, model);
    double took = seconds() - start;
    if (took > 1) fprintf(stderr, "seed %llu took %.3f s\n", (unsigned long long)seed, took);
    if (took > slowest) slowest = took;
    if (made / turn > turns) {
      turns++;
      model = (model + 1) % WILD_ASKING;
      wild_end(&w);
      wild_begin_asking(&w, wild_asking[model]);
    }
  }
  wild_end(&w);
  printf("%ld calls, the slowest round took %.3f s\n", made, slowest);
  return made < most || slowest > 5;
}
