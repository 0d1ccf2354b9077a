// A registry: a table that grows and never moves its entries, safe to read while another thread
// registers. Slots count from 0 in the order of registration.
#ifndef SINEW_PLUGIN_REGISTRY_H_
#define SINEW_PLUGIN_REGISTRY_H_

#include "base/base.h"

// Blocks double in size, so an entry never moves.
enum { snREGISTRY_BLOCKS = 24, snREGISTRY_FIRST = 16 };

typedef struct snRegistry_ {
  size_t entry_size;
  void* block[snREGISTRY_BLOCKS];  // block b holds snREGISTRY_FIRST << b entries
  int count;                       // atomic; entries below it are complete
} snRegistry;

int registry_count(const snRegistry* registry);
const void* registry_at(const snRegistry* registry, int slot);  // NULL out of range

// Copies an entry to the end; its slot, or -1 without memory. The caller holds a lock of its own.
int registry_add(snRegistry* registry, const void* entry);

// A copy that outlives the caller's text; NULL for NULL or without memory.
char* registry_text(const char* text);

#endif
