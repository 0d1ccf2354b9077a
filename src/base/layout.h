// Several arrays in one block of memory, from one list of them.
//
//   snArray array[] = {SN_ARRAY(x->low, n), SN_ARRAY(x->high, n), SN_ARRAY(x->row, n)};
//   void* block = memory_alloc(layout_size(array, 3));
//   if (block) layout_place(array, 3, block);
//
// The list is walked twice, once to add up sizes and once to set pointers, so that sizes and
// pointers cannot disagree. Every array is aligned for loads of four SIMD lanes.
#ifndef SINEW_BASE_LAYOUT_H_
#define SINEW_BASE_LAYOUT_H_

#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/lanes.h"

typedef struct snArray_ {
  void* pointer;       // address of the pointer to be set
  size_t count, size;  // number of entries, bytes of one entry
} snArray;

#define SN_ARRAY(array, entries) \
  { &(array), (size_t)(entries), sizeof *(array) }

enum { LAYOUT_ALIGNMENT = 32 };

// Unrolled: the list is constant where this is inlined, so only the sums remain.
#if defined(__GNUC__) && !defined(__clang__)
#define LAYOUT_UNROLL _Pragma("GCC unroll 32")
#else
#define LAYOUT_UNROLL
#endif

SN_INLINE size_t layout_room(const snArray* f) {
  return (f->count * f->size + LAYOUT_ALIGNMENT - 1) & ~(size_t)(LAYOUT_ALIGNMENT - 1);
}

SN_INLINE size_t layout_size(const snArray* array, int n) {
  size_t size = 0;
  LAYOUT_UNROLL
  for (int i = 0; i < n; i++) size += layout_room(array + i);
  return size;
}

// Arrays of count 0 point to where they would begin. Without a block all pointers become NULL.
SN_INLINE void layout_place(const snArray* array, int n, void* block) {
  char* at = block;
  SN_ASSERT((size_t)at % LAYOUT_ALIGNMENT == 0);
  LAYOUT_UNROLL
  for (int i = 0; i < n; i++) {
    memcpy(array[i].pointer, &at, sizeof at);
    if (at) at += layout_room(array + i);
  }
}

#endif
