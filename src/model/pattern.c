// Sparsity patterns of mjData (B, M, D and the maps between them). They depend on the model alone,
// so they are computed once per model, and mj_resetData copies them. The engine follows the model's
// own, because a program may write to those of mjData.
#include "base/assert.h"
#include "model/model.h"

typedef struct snPatternArray_ {
  int array;    // offset of the pointer in mjData
  int pattern;  // offset of the pointer in snPattern
  int size;     // offset of its length in mjModel
} snPatternArray;

#define PART(name, length) \
  { offsetof(mjData, name), offsetof(snPattern, name), offsetof(mjModel, length) }

static const snPatternArray parts[] = {
    PART(B_rownnz, nbody), PART(B_rowadr, nbody), PART(B_colind, nB), PART(M_rownnz, nv),
    PART(M_rowadr, nv),    PART(M_colind, nC),    PART(mapM2M, nC),   PART(D_rownnz, nv),
    PART(D_rowadr, nv),    PART(D_diag, nv),      PART(D_colind, nD), PART(mapM2D, nD),
    PART(mapD2M, nM),
};
enum { NPART = sizeof parts / sizeof parts[0] };

static size_t part_length(const mjModel* m, int i) { return (size_t)schema_int(m, parts[i].size); }

static int** part_array(mjData* d, int i) { return (int**)((char*)d + parts[i].array); }

snPattern* pattern_make(const mjModel* m) {
  size_t length = 0;
  for (int i = 0; i < NPART; i++) length += part_length(m, i);
  snPattern* pattern = memory_alloc_zero(sizeof *pattern + length * sizeof(int));
  mjData* d = memory_alloc_zero(sizeof(mjData));  // only its pointers are used
  if (!pattern || !d) {
    memory_free(pattern);
    memory_free(d);
    return NULL;
  }
  int* at = (int*)(pattern + 1);
  for (int i = 0; i < NPART; i++) {
    *part_array(d, i) = at;
    *(const int**)((char*)pattern + parts[i].pattern) = at;
    at += part_length(m, i);
  }
  SN_ASSERT(at == (int*)(pattern + 1) + length);
  plan_structure(m, d);
  memory_free(d);
  return pattern;
}

void pattern_copy(const mjModel* m, mjData* d) {
  const int* at = (const int*)(model_pattern(m) + 1);
  for (int i = 0; i < NPART; i++) {
    size_t length = part_length(m, i);
    if (length) memcpy(*part_array(d, i), at, length * sizeof(int));
    at += length;
  }
}
