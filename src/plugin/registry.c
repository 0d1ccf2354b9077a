// Append-only tables with stable addresses (registry.h): blocks of doubling size, and an atomic
// count that is published after an entry is complete, so readers need no lock.
#include "plugin/registry.h"

#include <string.h>

#include "base/assert.h"

int registry_count(const snRegistry* registry) {
  return __atomic_load_n(&registry->count, __ATOMIC_ACQUIRE);
}

// Block and place of a slot: block b starts at slot FIRST*(2^b - 1).
static int registry_block(int slot, int* place) {
  int block = 0, size = snREGISTRY_FIRST;
  while (slot >= size) {
    slot -= size;
    size *= 2;
    block++;
  }
  *place = slot;
  return block;
}

const void* registry_at(const snRegistry* registry, int slot) {
  if (slot < 0 || slot >= registry_count(registry)) return NULL;
  int place, block = registry_block(slot, &place);
  SN_ASSERT(registry->block[block]);  // an entry is complete before it is counted
  return (const char*)registry->block[block] + (size_t)place * registry->entry_size;
}

int registry_add(snRegistry* registry, const void* entry) {
  int slot = registry->count, place, block = registry_block(slot, &place);
  if (block >= snREGISTRY_BLOCKS) return -1;
  if (!registry->block[block]) {
    registry->block[block] =
        memory_alloc(((size_t)snREGISTRY_FIRST << block) * registry->entry_size);
    if (!registry->block[block]) return -1;
  }
  memcpy((char*)registry->block[block] + (size_t)place * registry->entry_size, entry,
         registry->entry_size);
  __atomic_store_n(&registry->count, slot + 1, __ATOMIC_RELEASE);
  return slot;
}

char* registry_text(const char* text) {
  if (!text) return NULL;
  size_t bytes = strlen(text) + 1;
  char* copy = memory_alloc(bytes);
  if (copy) memcpy(copy, text, bytes);
  return copy;
}
