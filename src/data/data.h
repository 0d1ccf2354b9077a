// mjData: made, copied, reset; its state vector; its arena and stack.
#ifndef SINEW_DATA_DATA_H_
#define SINEW_DATA_DATA_H_

#include "model/model.h"

// Caches of the rooms above, each owned by one room. A cache never changes a result: it holds
// structure, or values that are checked against a snapshot.
typedef enum snRoom_ {
  snROOM_SMOOTH = 0,
  snROOM_COLLIDE,
  snROOM_CONSTRAIN,
  snROOM_SOLVE,
  snROOM_INTEGRATE,
  snROOM_SENSE,
  snROOM_DERIVE,
  snNROOM
} snRoom;

typedef struct snCache_ {
  void* block;
  void (*free)(void* block);
} snCache;

// Every mjData is made by Sinew and carries this tail behind the public struct.
typedef struct snData_ {
  mjData d;
  snCache cache[snNROOM];
  const mjModel* model;  // the model it was made for
} snData;

static inline snCache* data_cache(mjData* d, snRoom room) { return &((snData*)d)->cache[room]; }

// ---- arena: contacts, constraint rows, islands. It grows; it never drops.
// When the arena is full it moves to a larger block, and every arena pointer in mjData (contact,
// efc_*, island arrays) is moved with it: hold no arena pointer of your own across a call.
// NULL only when there is no memory left.
void* data_arena_alloc(mjData* d, size_t bytes, size_t align);

// Empty the arena: ncon, nefc, nisland ... 0, arena pointers NULL.
void data_arena_clear(mjData* d);

// Keep the contacts, drop what was allocated behind them.
void data_arena_keep_contacts(mjData* d);

// The documented stack (mj_markStack, mj_stackAllocNum ...) never moves: what is on it stays where
// it is until its frame is freed. A full stack continues in a new block.

#endif
