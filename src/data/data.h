// mjData: made, copied, reset; its state vector; its arena and stack.
#ifndef SINEW_DATA_DATA_H_
#define SINEW_DATA_DATA_H_

#include "model/model.h"

// Is memory watched byte by byte?
#if defined(__SANITIZE_ADDRESS__)
#define SN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SN_ASAN 1
#endif
#endif

// What mj_forwardSkip is told to skip besides sensors when the next evaluation overwrites its
// results: cameras, lights and energies, unless a callback or plugin could see them.
enum { snSKIP_UNSEEN = 0x756e };

// Caches of the rooms above, each owned by one room. A cache never changes a result: it holds
// structure, or values that are checked against a snapshot.
typedef enum snRoom_ {
  snROOM_SMOOTH = 0,
  snROOM_COLLIDE,
  snROOM_CONSTRAIN,
  snROOM_SOLVE,
  snROOM_INTEGRATE,
  snROOM_HARD,  // and the solver chosen for this data
  snROOM_SENSE,
  snROOM_DERIVE,
  snNROOM
} snRoom;

typedef struct snCache_ {
  void* block;
  void (*free)(void* block);
  bool of_rows;  // the block is of the constraint rows: forgotten with them, owned elsewhere
} snCache;

// The stack grows down from the end of the arena block. Addresses, so that a frame can be freed
// whatever block it lives in.
typedef struct snStack_ {
  uintptr_t top;           // lowest byte in use
  uintptr_t limit;         // the stack may not go below
  size_t block;            // bytes of the arena block: far more than narena, mapped as it is used
  uintptr_t arena_top;     // lowest stack byte in the arena block, when the stack goes on elsewhere
  struct snSpill_* spill;  // blocks the stack goes on in, the current one first
  struct snSpill_* spare;  // one kept for the next time
  struct snSpill_* retired;  // arena blocks left behind with frames in them
  size_t wanted;             // arena size that would have been enough
  bool keep;                 // arrays of the arena are held outside: no block is freed before d
  struct snSpill_* kept;     // those blocks
} snStack;

// Every mjData is made by Sinew and carries this tail behind the public struct.
typedef struct snData_ {
  mjData d;
  snStack stack;
  snCache cache[snNROOM];
  const mjModel* model;  // the model it was made for
  uint64_t layout;       // of a model that the arrays fit (model/watch.h)
  int nbody;             // of that model
  int room;              // rows that there are arrays for, and
  int room_J, room_A;    // entries of efc_J and efc_AR
  int rows;              // form of the rows that were made (data_row_form)

  // The indices of a model that was changed, as they were last found good, and the plan of it.
  void* good;
  size_t good_size;
  uint64_t good_serial;

  mjData** worker;  // with a thread pool bound: a stack for each of its workers
  int nworker;
} snData;

// Options that decide how constraint rows are laid out. Whoever reads rows checks that they were
// made with those of now.
static inline int row_form(bool sparse, bool elliptic) { return 1 + 2 * sparse + 4 * elliptic; }
static inline int data_row_form(const mjModel* m) {
  bool sparse = m->opt.jacobian == mjJAC_SPARSE || (m->opt.jacobian == mjJAC_AUTO && m->nv >= 60);
  return row_form(sparse, model_elliptic(m));
}

static inline snCache* data_cache(mjData* d, snRoom room) { return &((snData*)d)->cache[room]; }

// What mj_makeData does, without its error: NULL and a fault when there is no memory or a plugin
// refuses its settings.
mjData* data_make(const mjModel* m, snFault* fault);

// ---- arena: contacts, constraint rows, islands. It grows; it never drops.
// When the arena is full it moves to a larger block, and every arena pointer in mjData (contact,
// efc_*, island arrays) is moved with it: hold no arena pointer of your own across a call.
// NULL only when there is no memory left.
void* data_arena_alloc(mjData* d, size_t bytes, size_t align);

// Empty the arena: ncon, nefc, nisland ... 0, arena pointers NULL.
void data_arena_clear(mjData* d);

// Keep the contacts, drop what was allocated behind them.
void data_arena_keep_contacts(mjData* d);

// An arena with room for so many contacts, constraint rows and entries of the Jacobian, all zero
// and counted as used, and nothing else. False, and an empty arena, when they take more than
// narena.
bool data_arena_shape(mjData* d, int ncon, int nefc, int nJ);

// Make the arena block (at least `bytes`) and an empty stack; free all blocks. For data.c.
bool arena_make(mjData* d, size_t bytes);
void arena_free(mjData* d);

// Empty the stack, frames and what was taken without a frame. For data.c.
void stack_clear(mjData* d);

// Free the stacks of a bound pool's workers. For data.c.
void workers_free(mjData* d);

// The arrays of mjData: first those in its buffer, then those in its arena.
extern const snField schema_data[];
extern const int schema_data_count;     // all of them
extern const int schema_data_buffer;    // those in the buffer
extern const snMember schema_member[];  // numbers in the struct itself
extern const int schema_member_count;

// The documented stack (mj_markStack, mj_stackAllocNum ...) never moves: what is on it stays where
// it is until its frame is freed. A full stack continues in a new block.

// Scratch of a stage that takes nothing from stack or arena while it uses it: `count` numbers
// beyond the top of the stack, without a frame, gone with whatever is taken next. NULL when there
// is no memory left.
mjtNum* scratch_elsewhere(mjData* d, size_t count);
static inline mjtNum* data_scratch(mjData* d, size_t count) {
#ifndef SN_ASAN
  const snStack* s = &((const snData*)d)->stack;
  uintptr_t top = s->top & ~(uintptr_t)31, bytes = (count * sizeof(mjtNum) + 31) & ~(uintptr_t)31;
  size_t use = d->pstack + (s->top - top) + bytes;
  if (__builtin_expect(!d->threadpool && count < SIZE_MAX / 16 && top > s->limit + bytes &&
                           use <= d->maxuse_stack && use + d->parena <= d->maxuse_arena,
                       1)) {
    return (mjtNum*)(top - bytes);
  }
#endif
  return scratch_elsewhere(d, count);
}

#endif
