// Memory: 64-byte aligned blocks through the program's handlers, with failures on demand.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/stack_fail.h"

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

// Stands in front of every block. The block goes back to the handlers it came from, even when
// the program has changed them in between.
typedef struct snBlock_ {
  void* raw;
  void (*release)(void*);
} snBlock;

static atomic_long count;
static atomic_long fail_at;  // value of count at which one allocation fails; 0 is never

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
  size_t total = bytes + sizeof(snBlock) + ALIGN - 1;
  // pages fresh from the system are zero already, as calloc knows
  char* raw = user ? mju_user_malloc(total) : zero ? calloc(1, total) : malloc(total);
  if (!raw) return NULL;
  uintptr_t first = (uintptr_t)raw + sizeof(snBlock);
  char* block = raw + sizeof(snBlock) + (ALIGN - first % ALIGN) % ALIGN;
  if (user && zero) memset(block, 0, bytes);
  snBlock head = {raw, user ? mju_user_free : free};
  memcpy(block - sizeof head, &head, sizeof head);
  // what alignment leaves behind the block is not the block's: sanitizers see an element too many
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
  snBlock head;
  memcpy(&head, (char*)block - sizeof head, sizeof head);
  if (head.release) head.release(head.raw);
}

// The documented pair hands out blocks without a head: a program may give them to its own free.
void* mju_malloc(size_t size) {
  void* block = NULL;
  if (!memory_fails_now() && size <= SIZE_MAX / 2) {
    size_t padded = (size + snTAIL + ALIGN - 1) / ALIGN * ALIGN;
    block = mju_user_malloc ? mju_user_malloc(padded) : aligned_alloc(ALIGN, padded);
  }
  if (!block) mju_error("could not allocate %zu bytes", size);
  return block;
}

void mju_free(void* ptr) {
  if (!ptr) return;
  if (mju_user_free) {
    mju_user_free(ptr);
  } else {
    free(ptr);
  }
}
