// Sparsity patterns of mjData (B, M, D and the maps between them). They depend on the model alone,
// so they are computed once per model, and mj_resetData copies them.
#include "model/model.h"

typedef struct snPatternArray_ {
  int array;  // offset of the pointer in mjData
  int size;   // offset of its length in mjModel
} snPatternArray;

#define PART(name, length) \
  { offsetof(mjData, name), offsetof(mjModel, length) }

static const snPatternArray parts[] = {
    PART(B_rownnz, nbody), PART(B_rowadr, nbody), PART(B_colind, nB), PART(M_rownnz, nv),
    PART(M_rowadr, nv),    PART(M_colind, nC),    PART(mapM2M, nC),   PART(D_rownnz, nv),
    PART(D_rowadr, nv),    PART(D_diag, nv),      PART(D_colind, nD), PART(mapM2D, nD),
    PART(mapD2M, nM),
};
enum { NPART = sizeof parts / sizeof parts[0] };

static size_t part_length(const mjModel* m, int i) { return (size_t)schema_int(m, parts[i].size); }

static int** part_array(mjData* d, int i) { return (int**)((char*)d + parts[i].array); }

int* pattern_make(const mjModel* m) {
  size_t length = 0;
  for (int i = 0; i < NPART; i++) length += part_length(m, i);
  int* block = memory_alloc_zero(length * sizeof(int));
  mjData* d = memory_alloc_zero(sizeof(mjData));  // only its pointers are used
  if (!block || !d) {
    memory_free(block);
    memory_free(d);
    return NULL;
  }
  int* at = block;
  for (int i = 0; i < NPART; i++) {
    *part_array(d, i) = at;
    at += part_length(m, i);
  }
  plan_structure(m, d);
  memory_free(d);
  return block;
}

void pattern_copy(const mjModel* m, mjData* d) {
  const int* at = ((const snModel*)m)->pattern;
  for (int i = 0; i < NPART; i++) {
    size_t length = part_length(m, i);
    if (length) memcpy(*part_array(d, i), at, length * sizeof(int));
    at += length;
  }
}
