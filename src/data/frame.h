// Frames of working memory, for code that needs a stack and knows nothing else of mjData.
//
// A frame is opened, arrays are reserved in it, and closing it releases all of them. Reserving
// takes one list of arrays and one allocation, so a lack of memory is reported once, by mju_error,
// and callers test one result.
#ifndef SINEW_DATA_FRAME_H_
#define SINEW_DATA_FRAME_H_

#include "base/layout.h"
#include "data/data.h"

typedef struct snMemory_ snMemory;  // an mjData, used as a stack only

SN_INLINE snMemory* memory_of(mjData* d) { return (snMemory*)d; }
SN_INLINE void frame_open(snMemory* memory) { mj_markStack((mjData*)memory); }
SN_INLINE void frame_close(snMemory* memory) { mj_freeStack((mjData*)memory); }

// Sets the pointers of all arrays; false, and all of them NULL, without memory.
SN_INLINE bool frame_reserve(snMemory* memory, const snArray* array, int n) {
  size_t size = layout_size(array, n);
  void* block = mj_stackAllocByte((mjData*)memory, size ? size : 1, LAYOUT_ALIGNMENT);
  layout_place(array, n, block);
  return block;
}

// The same below the top of the stack, without allocation: invalid after the next one.
SN_INLINE bool frame_scratch(snMemory* memory, const snArray* array, int n) {
  size_t size = layout_size(array, n);
  void* block = data_scratch((mjData*)memory, size / sizeof(mjtNum) + 1);
  layout_place(array, n, block);
  return block;
}

// FRAME(memory, SN_ARRAY(a, n), SN_ARRAY(b, m)): frame_reserve of a list written in place.
#define FRAME(memory, ...)                              \
  frame_reserve(memory, (const snArray[]){__VA_ARGS__}, \
                (int)(sizeof((const snArray[]){__VA_ARGS__}) / sizeof(snArray)))

// The same in the arena, which lasts until positions are evaluated again: one piece, whose pointers
// in mjData move when the arena grows. Returns the piece, or NULL with the documented warning.
SN_INLINE void* arena_reserve(mjData* d, const snArray* array, int n) {
  void* block = data_arena_alloc(d, layout_size(array, n), 64);
  if (block) {
    layout_place(array, n, block);
  } else {
    mj_warning(d, mjWARN_CNSTRFULL, (int)d->narena);
  }
  return block;
}

#endif
