// What geom pairs remember between steps, in a hash table that grows.
#include "collide/cache.h"

static uint64_t slot_of(uint64_t key, int capacity) {
  return (key * 0x9E3779B97F4A7C15u >> 32) & (uint64_t)(capacity - 1);
}

void memory_clear(snMemory* memory) {
  memory_free(memory->key);
  memory_free(memory->axis);
  *memory = (snMemory){0};
}

static bool memory_grow(snMemory* memory) {
  int capacity = memory->capacity ? 2 * memory->capacity : 256;
  uint64_t* key = memory_alloc_zero((size_t)capacity * sizeof *key);
  snAxis* axis = memory_alloc((size_t)capacity * sizeof *axis);
  if (!key || !axis) {
    memory_free(key);
    memory_free(axis);
    return false;
  }
  for (int i = 0; i < memory->capacity; i++) {
    if (!memory->key[i]) continue;
    uint64_t k = slot_of(memory->key[i], capacity);
    while (key[k]) k = (k + 1) & (uint64_t)(capacity - 1);
    key[k] = memory->key[i];
    axis[k] = memory->axis[i];
  }
  memory_free(memory->key);
  memory_free(memory->axis);
  memory->key = key;
  memory->axis = axis;
  memory->capacity = capacity;
  return true;
}

snAxis* memory_of(snMemory* memory, int g1, int g2) {
  if (2 * memory->n >= memory->capacity && !memory_grow(memory)) return NULL;
  uint64_t key = 1 + ((uint64_t)(uint32_t)g1 << 32 | (uint32_t)g2);
  uint64_t k = slot_of(key, memory->capacity);
  while (memory->key[k] && memory->key[k] != key) k = (k + 1) & (uint64_t)(memory->capacity - 1);
  if (!memory->key[k]) {
    memory->key[k] = key;
    memory->axis[k] = (snAxis){{0, 0, 0}, -1, -1, false};
    memory->n++;
  }
  return memory->axis + k;
}
