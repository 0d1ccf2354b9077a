// Tables of the fields of the public structs, generated from the headers by tools/schema.py. All
// code that treats every field alike (allocation, copy, files, dumps) walks these tables.
#ifndef SINEW_MODEL_SCHEMA_H_
#define SINEW_MODEL_SCHEMA_H_

#include "base/base.h"

typedef enum snType_ {
  snTYPE_mjtNum = 0,
  snTYPE_float,
  snTYPE_int,
  snTYPE_mjtByte,
  snTYPE_char,
  snTYPE_size_t,
  snTYPE_uint64_t,
  snTYPE_uintptr_t,
  snTYPE_mjContact,
  snTYPE_mjSolverStat,
  snTYPE_mjWarningStat,
  snTYPE_mjTimerStat
} snType;

// An array behind a pointer of a struct: rows x columns elements.
typedef struct snField_ {
  const char* name;
  snType type;
  int width;       // bytes of one element
  int offset;      // of the pointer in its struct
  int rows;        // offset of the number of rows, an int
  bool rows_vary;  // the number of rows is in mjData, not in mjModel
  int by;          // offset in mjModel of a factor of the columns, -1 for none
  int columns;     // constant factor of the columns
  const char* rows_name;
  const char* by_name;
} snField;

// A number, or a short array of numbers, inside of the struct.
typedef struct snMember_ {
  const char* group;  // the struct inside the struct, or ""
  const char* name;
  snType type;
  int width;
  int offset;
  int count;
} snMember;

extern const snField schema_model[];
extern const int schema_model_count;
const snField* schema_listed(int i);  // the i-th array in the order of files and dumps
extern const snMember schema_size[];  // the int sizes of mjModel, in order
extern const int schema_size_count;
extern const snMember schema_option[], schema_visual[], schema_statistic[];
extern const int schema_option_count, schema_visual_count, schema_statistic_count;

static inline int schema_int(const void* base, int offset) {
  return *(const int*)((const char*)base + offset);
}

static inline void** schema_pointer(void* base, const snField* f) {
  return (void**)((char*)base + f->offset);
}

static inline const void* schema_array(const void* base, const snField* f) {
  return *(void* const*)((const char*)base + f->offset);
}

// Rows and columns for the sizes in m (and in d, for arrays whose length varies).
static inline size_t schema_rows(const snField* f, const mjModel* m, const mjData* d) {
  return (size_t)schema_int(f->rows_vary ? (const void*)d : (const void*)m, f->rows);
}

static inline size_t schema_columns(const snField* f, const mjModel* m) {
  return (size_t)f->columns * (f->by < 0 ? 1 : (size_t)schema_int(m, f->by));
}

static inline size_t schema_bytes(const snField* f, const mjModel* m, const mjData* d) {
  return schema_rows(f, m, d) * schema_columns(f, m) * (size_t)f->width;
}

// Large arrays start on a cache line; small ones are packed, so that a small model stays small.
static inline size_t schema_place(size_t at, size_t bytes) {
  size_t align = bytes >= 256 ? 64 : 8;
  return (at + align - 1) / align * align;
}

#endif
