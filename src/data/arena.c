// The arena and the stack of mjData, at the two ends of one block.
//
// The block reserves far more addresses than narena, which costs no memory until pages are touched.
// So contacts keep their address while the arena grows; programs hold views of them across steps.
//   - A full arena moves to a larger block. Its pointers are in mjData and are moved along; frames
//     of the stack stay in the old block until they are freed.
//   - A full stack continues in a block of its own (a spill). The next time the stack is empty, the
//     arena block is made large enough for both.
#include "base/assert.h"
#include "base/stack_fail.h"
#include "data/data.h"

#ifdef SN_ASAN
#include <sanitizer/asan_interface.h>
enum { REDZONE = 64 };
#define POISON(low, high) \
  __asan_poison_memory_region((void*)(uintptr_t)(low), (uintptr_t)(high) - (uintptr_t)(low))
#define UNPOISON(low, high) \
  __asan_unpoison_memory_region((void*)(uintptr_t)(low), (uintptr_t)(high) - (uintptr_t)(low))
#else
enum { REDZONE = 0 };
#define POISON(low, high) ((void)0)
#define UNPOISON(low, high) ((void)0)
#endif

// Header of a block in which the stack continues, or of an old arena block with frames left in it.
typedef struct snSpill_ {
  struct snSpill_* next;
  size_t bytes;
  size_t pstack;  // stack bytes in use when this block was entered
} snSpill;

// Pushed by mj_markStack; mjData.pbase is its address.
typedef struct snStackFrame_ {
  uintptr_t top, limit;
  size_t pstack, pbase;
} snStackFrame;

enum {
  SPILL_MIN = 1 << 16,
  ARENA_MIN = 1 << 10,
  ALIGN = 64,
  RESERVE_FROM = 1 << 20,  // arenas of at least this size
  RESERVE = 1 << 28,       // reserve this many more bytes of addresses
};

static snStack* stack_of(mjData* d) { return &((snData*)d)->stack; }

static uintptr_t arena_end(const mjData* d) {
  return (uintptr_t)d->arena + ((const snData*)d)->stack.block;
}

static bool in_arena(const mjData* d, uintptr_t address) {
  return address - (uintptr_t)d->arena <= ((const snData*)d)->stack.block;
}

static void note_use(mjData* d) {
  SN_ASSERT(stack_of(d)->top >= stack_of(d)->limit || !in_arena(d, stack_of(d)->top));
  if (d->pstack > d->maxuse_stack) d->maxuse_stack = d->pstack;
  if (d->pstack + d->parena > d->maxuse_arena) {
    d->maxuse_arena = d->pstack + d->parena;
    if (d->maxuse_arena > d->narena) d->narena = d->maxuse_arena;
  }
}

static void note_limit(mjData* d) {
  snStack* s = stack_of(d);
  if (in_arena(d, s->top)) s->limit = (uintptr_t)d->arena + d->parena;
}

bool arena_make(mjData* d, size_t bytes) {
  bytes = (bytes < ARENA_MIN ? ARENA_MIN : bytes + ALIGN - 1) / ALIGN * ALIGN;
  snStack* s = stack_of(d);
  // a user's allocator, or memory that a sanitizer poisons, commits all pages: no reserve then;
  // with 32 bits addresses are scarce
  bool lazy = !mju_user_malloc && !REDZONE && bytes >= RESERVE_FROM && sizeof(void*) > 4;
  s->block = lazy ? bytes + RESERVE : bytes;
  d->arena = memory_alloc(s->block);
  if (!d->arena && lazy) d->arena = memory_alloc(s->block = bytes);
  if (!d->arena) return false;
  d->narena = bytes;
  d->parena = d->pstack = d->pbase = 0;
  d->contact = d->arena;
  s->top = s->arena_top = arena_end(d);
  s->limit = (uintptr_t)d->arena;
  POISON(d->arena, arena_end(d));
  return true;
}

static void block_free(void* block, size_t bytes) {
  UNPOISON(block, (uintptr_t)block + bytes);
  memory_free(block);
}

static void spill_free_all(snSpill** list) {
  while (*list) {
    snSpill* spill = *list;
    *list = spill->next;
    block_free(spill, spill->bytes);
  }
}

// Frees old arena blocks whose frames are gone.
static void retired_free(snStack* s) {
  while (s->keep && s->retired) {
    snSpill* block = s->retired;
    s->retired = block->next;
    block->next = s->kept;
    s->kept = block;
  }
  spill_free_all(&s->retired);
}

void arena_free(mjData* d) {
  snStack* s = stack_of(d);
  spill_free_all(&s->kept);
  spill_free_all(&s->spill);
  spill_free_all(&s->spare);
  spill_free_all(&s->retired);
  if (d->arena) block_free(d->arena, s->block);
  d->arena = NULL;
  d->narena = 0;
}

static void spill_leave(snStack* s) {
  snSpill* spill = s->spill;
  SN_ASSERT(spill);
  s->spill = spill->next;
  POISON(spill + 1, (uintptr_t)spill + spill->bytes);
  if (s->spare && s->spare->bytes >= spill->bytes) {
    block_free(spill, spill->bytes);
  } else {
    if (s->spare) block_free(s->spare, s->spare->bytes);
    spill->next = NULL;
    s->spare = spill;
  }
}

// Continues the stack in a block with room for `bytes`; false without memory.
static bool spill_enter(mjData* d, size_t bytes) {
  snStack* s = stack_of(d);
  if (bytes > SIZE_MAX / 8) return false;
  size_t need = bytes + sizeof(snSpill) + sizeof(snStackFrame) + 4 * ALIGN + 2 * REDZONE;
  snSpill* spill = s->spare;
  if (spill && spill->bytes >= need) {
    s->spare = NULL;
  } else {
    size_t size = need * 2 > SPILL_MIN ? need * 2 : SPILL_MIN;
    if (size < d->pstack) size = d->pstack;
    spill = memory_alloc(size);
    if (!spill) return false;
    spill->bytes = size;
    POISON(spill + 1, (uintptr_t)spill + size);
  }
  SN_ASSERT(!s->spill || s->spill->pstack <= d->pstack);  // blocks are left in reverse order
  spill->pstack = d->pstack;
  spill->next = s->spill;
  s->spill = spill;
  if (in_arena(d, s->top)) s->arena_top = s->top;
  s->top = (uintptr_t)spill + spill->bytes;
  s->limit = (uintptr_t)(spill + 1);
  size_t wanted = d->parena + 2 * (d->pstack + need);
  if (wanted > s->wanted) s->wanted = wanted;
  return true;
}

// ---- the stack

static __attribute__((noinline)) uintptr_t stack_push_elsewhere(mjData* d, size_t bytes,
                                                                size_t align) {
  if (!spill_enter(d, bytes + align)) return 0;
  snStack* s = stack_of(d);
  uintptr_t at = (s->top - bytes - REDZONE) & ~(uintptr_t)(align - 1);
  d->pstack += s->top - at;
  s->top = at;
  note_use(d);
  return at;
}

// Address of `bytes` new bytes, 0 without memory. `align` is a power of two.
static inline uintptr_t stack_push(mjData* d, size_t bytes, size_t align) {
#ifdef SN_CHECKED
  if (memory_stack_fails()) return 0;
#endif
  snStack* s = stack_of(d);
  uintptr_t room = s->top - s->limit;
  if (__builtin_expect(room < bytes || room - bytes < align + REDZONE, 0)) {
    return stack_push_elsewhere(d, bytes, align);
  }
  uintptr_t at = (s->top - bytes - REDZONE) & ~(uintptr_t)(align - 1);
  d->pstack += s->top - at;
  s->top = at;
  note_use(d);
  return at;
}

// A frame that could not be opened holds nothing: what would be taken in it could not be given
// back. The error was reported when it was opened.
static inline bool stack_shut(const mjData* d) { return __builtin_expect(d->pbase % 32 != 0, 0); }

// Tasks of a bound pool use the same mjData concurrently: each worker has a stack of its own, in an
// mjData that holds nothing else.
static __attribute__((noinline)) mjData* stack_of_worker(mjData* d) {
  const snData* tail = (const snData*)d;
  int worker = thread_worker;
  return worker > 0 && worker <= tail->nworker ? tail->worker[worker - 1] : d;
}

static inline mjData* stack_owner(mjData* d) {
  return __builtin_expect(d->threadpool != 0, 0) ? stack_of_worker(d) : d;
}

void workers_free(mjData* d) {
  snData* tail = (snData*)d;
  for (int i = 0; i < tail->nworker; i++) {
    if (tail->worker[i]) arena_free(tail->worker[i]);
    memory_free(tail->worker[i]);
  }
  memory_free(tail->worker);
  tail->worker = NULL;
  tail->nworker = 0;
  d->threadpool = 0;
}

void mju_bindThreadPool(mjData* d, void* thread_pool) {
  snData* tail = (snData*)d;
  if (d->threadpool) {
    mju_error("mju_bindThreadPool: the data has a thread pool already");
    return;
  }
  if (!thread_pool) {
    mju_error("mju_bindThreadPool: the thread pool is NULL");
    return;
  }
  int count = ((mjThreadPool*)thread_pool)->nworker;
  tail->worker = memory_alloc_zero((size_t)count * sizeof *tail->worker);
  tail->nworker = tail->worker ? count : 0;
  for (int i = 0; i < tail->nworker; i++) {
    tail->worker[i] = memory_alloc_zero(sizeof(snData));
    if (!tail->worker[i] || !arena_make(tail->worker[i], SPILL_MIN)) {
      workers_free(d);
      break;
    }
  }
  if (!tail->worker) {
    mju_error("mju_bindThreadPool: no memory");
    return;
  }
  d->threadpool = (uintptr_t)thread_pool;
}

void mj_markStack(mjData* d) {
  d = stack_owner(d);
  snStack* s = stack_of(d);
  snStackFrame saved = {s->top, s->limit, d->pstack, d->pbase};
  bool open = !stack_shut(d);
  uintptr_t at = open ? stack_push(d, sizeof(snStackFrame), 32) : 0;
  if (!at) {
    // Frames are aligned, so the low bits of pbase are free: they count the marks that failed, and
    // each of those is undone by its own mj_freeStack.
    d->pbase++;
    if (open) mju_error("mj_markStack: no memory");
    return;
  }
  UNPOISON(at, at + sizeof(snStackFrame));
  SN_ASSERT(at % 32 == 0);  // low bits of pbase count failed marks
  *(snStackFrame*)at = saved;
  d->pbase = at;
}

void mj_freeStack(mjData* data) {
  mjData* d = stack_owner(data);
  if (!d->pbase) return;
  if (stack_shut(d)) {
    d->pbase--;
    return;
  }
  if (d != data) data->maxuse_threadstack[thread_worker - 1] = d->maxuse_stack;
  snStack* s = stack_of(d);
  snStackFrame frame = *(snStackFrame*)d->pbase;
  // In one piece if the stack is still in the same block; blocks entered meanwhile are handled
  // below.
  if (frame.top - s->top == d->pstack - frame.pstack) POISON(s->top, frame.top);
  s->top = frame.top;
  s->limit = in_arena(d, frame.top) ? (uintptr_t)d->arena + d->parena : frame.limit;
  SN_ASSERT(frame.pstack <= d->pstack);
  d->pstack = frame.pstack;
  d->pbase = frame.pbase;
  if (__builtin_expect(s->spill != NULL, 0)) {
    while (s->spill && s->spill->pstack >= d->pstack) spill_leave(s);
    if (in_arena(d, s->top)) {
      POISON(s->limit, s->top);
    } else if (!s->spill) {
      s->arena_top = arena_end(d);
    }
  }
  if (__builtin_expect(s->retired && !d->pstack, 0)) {
    retired_free(s);
    s->top = s->arena_top = arena_end(d);
    note_limit(d);
    POISON(s->limit, s->top);
  }
}

void stack_clear(mjData* d) {
  snStack* s = stack_of(d);
  while (s->spill) spill_leave(s);
  retired_free(s);
  d->pstack = d->pbase = 0;
  s->top = s->arena_top = arena_end(d);
  note_limit(d);
  POISON(s->limit, s->top);
}

// `bytes` on the stack; NULL for 0 bytes or, after an error, without memory.
static inline void* stack_take(mjData* d, size_t bytes, size_t align) {
  if (!bytes || stack_shut(stack_owner(d))) return NULL;
  uintptr_t at = stack_push(stack_owner(d), bytes, align);
  if (__builtin_expect(!at, 0)) {
    mju_error("mj_stackAllocByte: no memory for %zu bytes", bytes);
    return NULL;
  }
  UNPOISON(at, at + bytes);
  return (void*)at;
}

void* mj_stackAllocByte(mjData* d, size_t bytes, size_t alignment) {
  if (!bytes) return NULL;
  if (!alignment || (alignment & (alignment - 1))) {
    mju_error("mj_stackAllocByte: alignment is %zu, expected a power of two", alignment);
    return NULL;
  }
  return stack_take(d, bytes, alignment);
}

// Aligned for loads of four SIMD lanes.
mjtNum* mj_stackAllocNum(mjData* d, size_t size) {
  if (size > SIZE_MAX / 16) {
    mju_error("mj_stackAllocNum: no memory for %zu numbers", size);
    return NULL;
  }
  return stack_take(d, size * sizeof(mjtNum), 32);
}

int* mj_stackAllocInt(mjData* d, size_t size) {
  if (size > SIZE_MAX / 16) {
    mju_error("mj_stackAllocInt: no memory for %zu integers", size);
    return NULL;
  }
  return stack_take(d, size * sizeof(int), 16);
}

// Slow path of data_scratch: first use, a bound pool, a spill, or a sanitizer. Contents survive the
// frame in which they were made, up to the next allocation.
mjtNum* scratch_elsewhere(mjData* d, size_t count) {
  mj_markStack(d);
  mjtNum* at = mj_stackAllocNum(d, count);
  mj_freeStack(d);
  if (at) UNPOISON(at, at + count);
  return at;
}

// ---- the arena

static void arena_rebase(mjData* d, uintptr_t from, uintptr_t to) {
  for (int i = schema_data_buffer; i < schema_data_count; i++) {
    void** array = schema_pointer(d, &schema_data[i]);
    if (*array) *array = (void*)((uintptr_t)*array - from + to);
  }
}

// Moves the arena to a block of at least `bytes`; false without memory.
static bool arena_move(mjData* d, size_t bytes) {
  snStack* s = stack_of(d);
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  char* block = memory_alloc(bytes);
  if (!block) return false;
  char* old = d->arena;
  size_t old_bytes = s->block;
  bool stack_here = in_arena(d, s->top);
  bool live = d->pstack > 0;
  UNPOISON(old, old + d->parena);
  memcpy(block, old, d->parena);
  arena_rebase(d, (uintptr_t)old, (uintptr_t)block);
  d->arena = block;
  d->narena = s->block = bytes;
  s->arena_top = arena_end(d);
  POISON(block + d->parena, block + bytes);
  if (!live || stack_here) {
    s->top = arena_end(d);
    note_limit(d);
  }
  if (live || s->keep) {
    snSpill* left = (snSpill*)old;
    UNPOISON(left, left + 1);
    *left = (snSpill){s->retired, old_bytes, 0};
    s->retired = left;
    if (!live) retired_free(s);
  } else {
    block_free(old, old_bytes);
  }
  return true;
}

void* data_arena_alloc(mjData* d, size_t bytes, size_t align) {
  snStack* s = stack_of(d);
  size_t at = (d->parena + align - 1) & ~(align - 1);
  size_t room = (in_arena(d, s->top) ? s->top : s->arena_top) - (uintptr_t)d->arena;
  if (__builtin_expect(at > room || bytes > room - at, 0)) {
    if (bytes > SIZE_MAX / 8) return NULL;
    if (!arena_move(d, 2 * s->block + 2 * (bytes + align) + d->pstack)) return NULL;
  }
  char *block = (char*)d->arena + at, *before = (char*)d->arena + d->parena;
  d->parena = at + bytes;
  note_limit(d);
  note_use(d);
  UNPOISON(
      before,
      block +
          bytes);  // including the gap between arena and stack: copies take the arena as a whole
  (void)before;
  return block;
}

static void arena_cut(mjData* d, size_t parena) {
  snStack* s = stack_of(d);
  uintptr_t top = in_arena(d, s->top) ? s->top : s->arena_top;
  d->parena = parena;
  note_limit(d);
  POISON((char*)d->arena + parena, top);
  (void)top;
}

// The arena pointers are adjacent in mjData (checked by tests/data).
static void arena_pointers_clear(mjData* d) {
  void** first = schema_pointer(d, &schema_data[schema_data_buffer]);
  memset(first, 0, (schema_data_count - schema_data_buffer) * sizeof(void*));
}

// Drops what rooms cache of the rows that are about to go.
static void forget_rows(mjData* d) {
  for (int room = 0; room < snNROOM; room++) {
    snCache* cache = data_cache(d, (snRoom)room);
    if (cache->of_rows) *cache = (snCache){.free = cache->free};
  }
}

static void rows_gone(mjData* d) {
  snData* tail = (snData*)d;
  tail->room = tail->room_J = tail->room_A = 0;
}

void data_arena_clear(mjData* d) {
  snStack* s = stack_of(d);
  rows_gone(d);
  d->ncon = d->ne = d->nf = d->nl = d->nefc = d->nJ = d->nA = d->nisland = d->nidof = 0;
  arena_pointers_clear(d);
  forget_rows(d);
  d->contact = d->arena;
  arena_cut(d, 0);
  // a failed move leaves the block as it is: the stack will spill again
  if (s->wanted > s->block && !d->pstack && arena_move(d, s->wanted)) s->wanted = 0;
}

void data_arena_keep_contacts(mjData* d) {
  rows_gone(d);
  d->ne = d->nf = d->nl = d->nefc = d->nJ = d->nA = d->nisland = d->nidof = 0;
  mjContact* contact = d->contact;
  arena_pointers_clear(d);
  forget_rows(d);
  d->contact = contact;
  size_t parena = 0;
  if (d->contact) parena = (size_t)((char*)(d->contact + d->ncon) - (char*)d->arena);
  arena_cut(d, parena);
}

static bool arena_fill(mjData* d) {
  const mjModel* m = ((const snData*)d)->model;
  size_t taken = 0;
  for (int i = schema_data_buffer; i < schema_data_count; i++) {
    const snField* f = &schema_data[i];
    if (!f->rows_vary) continue;
    size_t bytes = schema_bytes(f, m, d);
    taken += bytes;
    void* block = bytes && taken <= d->narena ? data_arena_alloc(d, bytes, 64) : NULL;
    if (bytes && !block) return false;
    if (bytes) *schema_pointer(d, f) = memset(block, 0, bytes);
  }
  return true;
}

bool data_arena_shape(mjData* d, int ncon, int nefc, int nJ) {
  data_arena_clear(d);
  d->ncon = ncon;
  d->nefc = nefc;
  d->nJ = nJ;
  ((snData*)d)->room = nefc;
  ((snData*)d)->room_J = nJ;
  ((snData*)d)->rows = data_row_form(((const snData*)d)->model);
  if (ncon >= 0 && nefc >= 0 && nJ >= 0 && arena_fill(d)) return true;
  data_arena_clear(d);
  return false;
}

// Exported by the released library without declaration; its Python package calls it.
MJAPI void* mj_arenaAllocByte(mjData* d, size_t bytes, size_t alignment);
void* mj_arenaAllocByte(mjData* d, size_t bytes, size_t alignment) {
  return data_arena_alloc(d, bytes, alignment);
}

MJAPI size_t mj_stackBytesAvailable(mjData* d);
size_t mj_stackBytesAvailable(mjData* d) {
  size_t used = d->parena + d->pstack;
  return used < d->narena ? d->narena - used : 0;
}
