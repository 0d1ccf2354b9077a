// mjData: allocated, copied, reset; its state as a vector; its arena and its stack.
//
// The room takes a model and gives data for it, plus the memory that stages work in:
//
//   buffer   all arrays of fixed size, in one block laid out from the schema
//   arena    contacts, constraint rows, islands: arrays whose length a step finds out. Grows from
//            the front of a block; cleared when positions are evaluated again
//   stack    working memory of stages, from the back of the same block. mj_markStack opens a frame,
//            mj_freeStack releases all that was allocated since
//
// Memory does not run out while the system has some. The block reserves far more addresses than
// narena, and pages are mapped when they are touched, so the arena normally grows in place and
// views of contacts stay valid. Beyond the reserve the arena moves to a larger block, and all arena
// pointers in mjData move with it: no stage holds an arena pointer of its own across an allocation.
// The stack never moves: when it is full it continues in a further block (a spill).
//
// Invariants:
//   - Once sizes have settled a step allocates nothing.
//   - A cache of a room above (snRoom) never changes a result: it holds structure, or values that
//     are compared with a snapshot before use.
//   - mj_copyData and mj_setState reproduce a state bit by bit.
//
// Data remembers the layout hash of its model (model/watch.h); documented functions refuse data of
// another layout.
//
//   data.c        mj_makeData, mj_copyData, mj_resetData and its variants, mj_deleteData; plugins
//   arena.c       arena, stack, spills; stacks of worker threads
//   frame.h       reserving several arrays of working memory at once
//   pool.c        parts of a stage on the workers of a bound thread pool
//   state.c       mj_getState, mj_setState, mj_setKeyframe
//   print.c       mj_printData
//   schema.c, schema_data.inc    the generated table of fields
//   warning.c     mj_warning: counted always, reported once
#ifndef SINEW_DATA_DATA_H_
#define SINEW_DATA_DATA_H_

#include <sinew/warning.h>

#include "model/model.h"

// Is memory checked byte by byte (AddressSanitizer)?
#if defined(__SANITIZE_ADDRESS__)
#define SN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SN_ASAN 1
#endif
#endif

// skipsensor value of mj_forwardSkip for evaluations whose results are overwritten: skips cameras,
// lights and energies in addition to sensors, unless a callback or plugin could read them.
enum { snSKIP_UNSEEN = 0x756e };

// Caches of the rooms above, each owned by one room. A cache never changes a result: it holds
// structure, or values that are compared with a snapshot before use.
typedef enum snRoom_ {
  snROOM_SMOOTH = 0,
  snROOM_KEPT,  // positions evaluated at the end of the last step
  snROOM_COLLIDE,
  snROOM_CONSTRAIN,
  snROOM_SOLVE,
  snROOM_LOOPS,    // rows of equalities that close
  snROOM_HARD,     // also holds the solver chosen for this data
  snROOM_MAXIMAL,  // holds the bodies of data whose model asks for maximal coordinates
  snROOM_SENSE,
  snROOM_HOLD,     // which trees sleep
  snROOM_CERTIFY,  // certificates of steps, and whether they are asked for
  snROOM_DERIVE,
  snROOM_STEP,  // states of extrapolated steps
  snNROOM
} snRoom;

typedef struct snCache_ {
  void* block;
  void (*free)(void* block);
  bool of_rows;  // the block belongs to the constraint rows: dropped with them, not freed here
} snCache;

// The stack grows down from the end of the arena block. It is kept as addresses, so that a frame
// can be freed in whatever block it lies.
typedef struct snStack_ {
  uintptr_t top;    // lowest byte in use
  uintptr_t limit;  // lowest address that the stack may use in this block
  size_t block;     // bytes of the arena block: far more than narena, mapped when touched
  uintptr_t
      arena_top;  // lowest stack byte in the arena block, while the stack continues in a spill
  struct snSpill_* spill;    // blocks that continue the stack, the current one first
  struct snSpill_* spare;    // one block kept for the next spill
  struct snSpill_* retired;  // old arena blocks that still hold frames
  size_t wanted;             // arena size that would have avoided spills
  bool keep;                 // a program holds views of arena arrays: free no arena block before d
  struct snSpill_* kept;     // those blocks
} snStack;

// A run of bodies that a stage evaluates, with all that belongs to them: first and end of each
// kind.
typedef struct snBodyRun_ {
  int body, body_end, jnt, jnt_end, dof, dof_end, geom, geom_end, site, site_end;
} snBodyRun;

// While a model whose trees fall asleep is evaluated (hold/sleep.c): which of them do, and the runs
// of bodies that are evaluated. Sleepers keep what was computed when they fell asleep.
typedef struct snAwake_ {
  snBodyRun* span;
  int nspan;
  bool some;               // a tree sleeps
  bool full;               // this evaluation computes what sleepers keep
  mjtByte* tree_asleep;    // (ntree)
  mjtByte* geom_still;     // (ngeom) asleep, or fixed to the world and not moved
  mjtByte* tendon_asleep;  // (ntendon)
} snAwake;

// Every mjData is allocated by Sinew and carries this tail behind the public struct.
typedef struct snData_ {
  mjData d;
  snStack stack;
  snCache cache[snNROOM];
  const mjModel* model;  // the model that the data was made for
  uint64_t layout;       // layout hash of that model (model/watch.h)
  int nbody;             // of that model
  int room;              // number of rows that arrays are allocated for,
  int room_J, room_A;    // and of entries of efc_J and efc_AR
  int rows;              // form of the existing rows (data_row_form)

  // For a model whose indices a program changed: the indices last validated, and their plan.
  void* good;
  size_t good_size;
  uint64_t good_serial;

  mjData** worker;  // with a thread pool bound: one stack per worker
  int nworker;

  snBodyRun whole;         // all bodies
  const snAwake* awake;    // NULL outside of an evaluation, and where all trees are awake
  bool posed;              // sleepers have what was computed when they fell asleep
  bool inner;              // a stage of RK4 behind the first is evaluated
  int warned[snNWARNING];  // counts of sinew/warning.h
  int vigil;               // above 0: nobody sleeps, as while the step is differenced
} snData;

// The runs of bodies that move in this step. `n` gets their number.
static inline const snBodyRun* data_moving(const mjData* d, int* n) {
  const snData* tail = (const snData*)d;
  *n = tail->awake ? tail->awake->nspan : 1;
  return tail->awake ? tail->awake->span : &tail->whole;
}

// The runs of bodies that a stage evaluates: those, or all while sleepers are posed.
static inline const snBodyRun* data_spans(const mjData* d, int* n) {
  const snData* tail = (const snData*)d;
  if (!tail->awake || !tail->awake->full) return data_moving(d, n);
  *n = 1;
  return &tail->whole;
}

// Which trees sleep in this evaluation; NULL: none.
static inline const snAwake* data_sleepers(const mjData* d) {
  const snAwake* awake = ((const snData*)d)->awake;
  return awake && awake->some ? awake : NULL;
}

// May the model or the data ask for anything beyond the documented interface? Such requests are
// texts, tuples, built-in plugins, and what a program has chosen for its data: without any of
// these, one test stands for all questions that hard/, hold/ and maximal/ would answer with no.
static inline bool data_beyond(const mjModel* m, const mjData* d) {
  const snCache* cache = ((const snData*)d)->cache;
  return (m->ntext | m->ntuple | m->nplugin | ((const snModel*)m)->solver) ||
         ((uintptr_t)cache[snROOM_KEPT].block | (uintptr_t)cache[snROOM_HARD].block |
          (uintptr_t)cache[snROOM_HOLD].block | (uintptr_t)cache[snROOM_CERTIFY].block);
}

// Options that decide the layout of constraint rows. Whoever reads rows compares with the current
// ones.
static inline int row_form(bool sparse, bool elliptic) { return 1 + 2 * sparse + 4 * elliptic; }
static inline int data_row_form(const mjModel* m) {
  bool sparse = m->opt.jacobian == mjJAC_SPARSE || (m->opt.jacobian == mjJAC_AUTO && m->nv >= 60);
  return row_form(sparse, model_elliptic(m));
}

static inline snCache* data_cache(mjData* d, snRoom room) { return &((snData*)d)->cache[room]; }

// mj_makeData without its error: NULL and a fault without memory, or when a plugin refuses its
// settings.
mjData* data_make(const mjModel* m, snFault* fault);

// ---- arena: contacts, constraint rows, islands
// A full arena moves to a larger block, and every arena pointer in mjData (contact, efc_*, island
// arrays) moves with it: hold no arena pointer of your own across a call. NULL without memory.
void* data_arena_alloc(mjData* d, size_t bytes, size_t align);

// Empties the arena: ncon, nefc, nisland ... 0, arena pointers NULL.
void data_arena_clear(mjData* d);
// mj_resetData for the engine itself, in the middle of a step: the stack is left as it is.
void data_reset_state(const mjModel* m, mjData* d);

// Keeps the contacts and drops everything allocated after them.
void data_arena_keep_contacts(mjData* d);

// An arena with room for so many contacts, constraint rows and entries of the Jacobian, all zero
// and counted as used, and nothing else. False, and an empty arena, when they need more than
// narena.
bool data_arena_shape(mjData* d, int ncon, int nefc, int nJ);

// Allocates the arena block (at least `bytes`) and an empty stack; frees all blocks. For data.c.
bool arena_make(mjData* d, size_t bytes);
void arena_free(mjData* d);

// Empties the stack, including allocations outside of any frame. For data.c.
void stack_clear(mjData* d);

// Frees the stacks of the bound pool's workers. For data.c.
void workers_free(mjData* d);

// part(context, id) for every id below `count`: on the workers of a bound thread pool, without one
// on this thread. Parts may use the stack of d and write what no other part reads or writes. False:
// no memory (pool.c).
typedef void (*snPart)(void* context, int id);
bool pool_each(mjData* d, int count, snPart part, void* context);

// Counts a warning of sinew/warning.h, and reports it the first time.
void data_warn(mjData* d, snWarning warning, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// The array fields of mjData: first those in its buffer, then those in its arena.
extern const snField schema_data[];
extern const int schema_data_count;     // all of them
extern const int schema_data_buffer;    // number of those in the buffer
extern const snMember schema_member[];  // numbers inside of the struct
extern const int schema_member_count;

// The documented stack (mj_markStack, mj_stackAllocNum ...) never moves: allocations keep their
// address until their frame is freed. A full stack continues in a new block.

// Scratch of a stage that takes nothing from stack or arena meanwhile: `count` numbers below the
// top of the stack, without a frame, invalid after the next allocation. NULL without memory.
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
