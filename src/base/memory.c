// Allocation: blocks aligned to a cache line, through the program's allocator when it has one.
// Allocations are counted, and the n-th can be made to fail, so that tests reach every path without
// memory.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/stack_fail.h"
#include "base/system.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SN_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SN_ADDRESS_SANITIZER 1
#endif
#ifdef SN_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define SN_FORBID(start, end) ASAN_POISON_MEMORY_REGION(start, (size_t)((end) - (start)))
#else
#define SN_FORBID(start, end) ((void)0)
#endif

enum { ALIGN = 64 };

// Precedes every block. It remembers the matching release function, because the program may
// exchange mju_user_malloc and mju_user_free between allocation and release.
typedef struct snBlockHeader_ {
  void* raw;
  void (*release)(void*);
} snBlockHeader;

static atomic_long count;
static atomic_long fail_at;  // value of count at which an allocation fails; 0: never

void memory_fail_at(long n) { atomic_store(&fail_at, n ? atomic_load(&count) + n : 0); }

long memory_count(void) { return atomic_load(&count); }

static bool memory_fails_now(void) {
  long now = atomic_fetch_add(&count, 1) + 1;
  return now == atomic_load(&fail_at);
}

static atomic_long stack_count, stack_fail_at;

void memory_fail_stack(long n) {
  atomic_store(&stack_fail_at, n ? atomic_load(&stack_count) + n : 0);
}

long memory_stack_count(void) { return atomic_load(&stack_count); }

bool memory_stack_fails(void) {
  return atomic_fetch_add(&stack_count, 1) + 1 == atomic_load(&stack_fail_at);
}

static void* block_make(size_t bytes, bool zero) {
  if (memory_fails_now() || bytes > SIZE_MAX / 2 - 2 * ALIGN) return NULL;
  bool user = mju_user_malloc != NULL;
  size_t total = bytes + sizeof(snBlockHeader) + ALIGN - 1;
  // calloc knows that fresh pages of the system are zero, and does not touch them
  char* raw = user ? mju_user_malloc(total) : zero ? calloc(1, total) : malloc(total);
  if (!raw) return NULL;
  uintptr_t first = (uintptr_t)raw + sizeof(snBlockHeader);
  char* block = raw + sizeof(snBlockHeader) + (ALIGN - first % ALIGN) % ALIGN;
  if (user && zero) memset(block, 0, bytes);
  snBlockHeader head = {raw, user ? mju_user_free : free};
  memcpy(block - sizeof head, &head, sizeof head);
  // poison the bytes that alignment leaves after the block, so that sanitizers detect overruns
  if (!user) SN_FORBID(block + bytes, raw + total);
  return block;
}

void* memory_alloc(size_t bytes) { return block_make(bytes, false); }

void* memory_alloc_zero(size_t bytes) { return block_make(bytes, true); }

void* memory_plain(size_t bytes) {
  return memory_fails_now() || bytes > SIZE_MAX / 2 ? NULL : malloc(bytes);
}

void* memory_resize(void* block, size_t old_bytes, size_t bytes) {
  void* resized = memory_alloc(bytes);
  if (!resized) return NULL;
  if (block) {
    memcpy(resized, block, old_bytes < bytes ? old_bytes : bytes);
    memory_free(block);
  }
  return resized;
}

void memory_free(void* block) {
  if (!block) return;
  snBlockHeader head;
  memcpy(&head, (char*)block - sizeof head, sizeof head);
  if (head.release) head.release(head.raw);
}

// mju_malloc returns blocks without a header: a program may pass them to its own free.
void* mju_malloc(size_t size) {
  void* block = NULL;
  if (!memory_fails_now() && size <= SIZE_MAX / 2) {
    size_t padded = (size + snTAIL + ALIGN - 1) / ALIGN * ALIGN;
    block = mju_user_malloc ? mju_user_malloc(padded) : system_aligned(ALIGN, padded);
  }
  if (!block) mju_error("could not allocate %zu bytes", size);
  return block;
}

void mju_free(void* ptr) {
  if (!ptr) return;
  if (mju_user_free) {
    mju_user_free(ptr);
  } else {
    system_release(ptr);
  }
}
