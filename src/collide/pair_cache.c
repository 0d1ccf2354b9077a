// The last separating axis of each geom pair, in a hash table that doubles when half full. An axis
// found in one step usually still separates the pair in the next: one support query for each shape
// replaces a run of GJK.
#include "collide/cache.h"

static uint64_t slot_of(uint64_t key, int capacity) {
  return (key * 0x9E3779B97F4A7C15u >> 32) & (uint64_t)(capacity - 1);
}

void pair_cache_free(snPairCache* cache) {
  memory_free(cache->key);
  memory_free(cache->axis);
  *cache = (snPairCache){0};
}

static bool grow(snPairCache* cache) {
  int capacity = cache->capacity ? 2 * cache->capacity : 256;
  uint64_t* key = memory_alloc_zero((size_t)capacity * sizeof *key);
  snAxis* axis = memory_alloc((size_t)capacity * sizeof *axis);
  if (!key || !axis) {
    memory_free(key);
    memory_free(axis);
    return false;
  }
  for (int i = 0; i < cache->capacity; i++) {
    if (!cache->key[i]) continue;
    uint64_t k = slot_of(cache->key[i], capacity);
    while (key[k]) k = (k + 1) & (uint64_t)(capacity - 1);
    key[k] = cache->key[i];
    axis[k] = cache->axis[i];
  }
  memory_free(cache->key);
  memory_free(cache->axis);
  cache->key = key;
  cache->axis = axis;
  cache->capacity = capacity;
  return true;
}

snAxis* pair_axis(snPairCache* cache, int g1, int g2) {
  if (2 * cache->n >= cache->capacity && !grow(cache)) return NULL;
  SN_ASSERT((cache->capacity & (cache->capacity - 1)) == 0 && cache->n < cache->capacity);
  uint64_t key = 1 + ((uint64_t)(uint32_t)g1 << 32 | (uint32_t)g2);
  uint64_t k = slot_of(key, cache->capacity);
  while (cache->key[k] && cache->key[k] != key) k = (k + 1) & (uint64_t)(cache->capacity - 1);
  if (!cache->key[k]) {
    cache->key[k] = key;
    cache->axis[k] = (snAxis){{0, 0, 0}, -1, -1, false};
    cache->n++;
  }
  return cache->axis + k;
}
