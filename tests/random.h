// Random numbers for tests: the same sequence on every platform and in every run. Golden hashes
// depend on the sequences, so these functions must not change.
#ifndef SINEW_TESTS_RANDOM_H_
#define SINEW_TESTS_RANDOM_H_

#include <stdint.h>

// 64-bit linear congruential generator (Knuth's MMIX constants). Its high bits are the random ones.
static inline unsigned long long random_next(unsigned long long* seed) {
  return *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
}

// uniform in [0, 1), by the high 53 bits
static inline double random_unit(unsigned long long* seed) {
  return (double)(random_next(seed) >> 11) * 0x1p-53;
}

// uniform in [-1, 1)
static inline double random_signed(unsigned long long* seed) { return 2 * random_unit(seed) - 1; }

// SplitMix64 (Steele, Lea and Flood): all 64 bits are random, which arguments of elementary
// functions need.
static inline uint64_t random_mixed(uint64_t* state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

// 32-bit linear congruential generator (Numerical Recipes), for bytes and coarse noise.
static inline uint32_t random_next32(uint32_t* seed) {
  return *seed = *seed * 1664525u + 1013904223u;
}

// How many random trials a test makes: all of them, and an eighth under AddressSanitizer. A trial
// takes ten times as long there, and what it finds is found by few: numbers are tested without it.
#ifdef __SANITIZE_ADDRESS__
enum { kTrialShare = 8 };
#else
enum { kTrialShare = 1 };
#endif

#endif
