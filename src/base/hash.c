// A 64-bit hash of bytes: multiply-xorshift over 8-byte words. Words are read as little-endian, so
// every platform gives the same value. Not cryptographic; it identifies layouts and goldens.
#include "base/base.h"

#define HASH_MULTIPLIER UINT64_C(0x9E3779B97F4A7C15)  // 2^64 / golden ratio, odd

// A bijection of 64-bit words in which every input bit affects every output bit (avalanche).
static uint64_t hash_spread(uint64_t h) {
  h ^= h >> 32;
  h *= HASH_MULTIPLIER;
  h ^= h >> 29;
  h *= HASH_MULTIPLIER;
  return h ^ (h >> 32);
}

static uint64_t hash_word(const unsigned char* p, size_t bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes; i++) word |= (uint64_t)p[i] << (8 * i);
  return word;
}

uint64_t hash_bytes(const void* data, size_t bytes, uint64_t seed) {
  const unsigned char* p = data;
  uint64_t h = hash_spread(seed + HASH_MULTIPLIER * (bytes + 1));
  for (; bytes >= 8; bytes -= 8, p += 8) h = hash_spread(h ^ hash_word(p, 8)) + HASH_MULTIPLIER;
  if (bytes) h = hash_spread(h ^ hash_word(p, bytes)) + HASH_MULTIPLIER;
  return hash_spread(h);
}

// Four chains side by side: a multiplication takes several cycles, and one can begin in each.
uint64_t hash_quick(const void* data, size_t bytes, uint64_t seed) {
  const unsigned char* p = data;
  uint64_t h[4] = {seed, seed ^ HASH_MULTIPLIER, ~seed, seed + bytes}, word;
  for (; bytes >= 32; bytes -= 32, p += 32) {
    for (int k = 0; k < 4; k++) {
      memcpy(&word, p + 8 * k, 8);
      h[k] = (h[k] ^ word) * HASH_MULTIPLIER;
      h[k] ^= h[k] >> 31;
    }
  }
  uint64_t all = hash_spread(h[0] + hash_spread(h[1] + hash_spread(h[2] + hash_spread(h[3]))));
  return bytes ? hash_bytes(p, bytes, all) : all;
}
