// Binary STL: 80 bytes of header, a count, then 50 bytes a triangle. Vertices at the same place are
// one vertex, numbered as they first appear.
#include <math.h>
#include <string.h>

#include "model/formats.h"

enum { kHeader = 84, kTriangle = 50, kMaxFaces = 200000 };
static const float kMaxCoordinate = 1073741824.0f;  // 2^30

static uint32_t hash_point(const float v[3]) {
  uint32_t bits[3];
  memcpy(bits, v, sizeof bits);
  uint32_t h = 2166136261u;
  for (int i = 0; i < 3; i++) {
    h = (h ^ bits[i]) * 0x9E3779B1u;
    h ^= h >> 15;
  }
  return h;
}

// Index the corners by position with open addressing. `slot` holds vertex number + 1.
static void merge_corners(snMeshData* data, const unsigned char* bytes, int* slot, uint32_t mask) {
  for (int f = 0; f < data->nface; f++) {
    float corner[9];
    memcpy(corner, bytes + kHeader + (size_t)f * kTriangle + 12, sizeof corner);
    for (int c = 0; c < 3; c++) {
      float v[3];
      for (int i = 0; i < 3; i++) v[i] = corner[3 * c + i] + 0.0f;  // -0 and 0 are one place
      uint32_t at = hash_point(v) & mask;
      while (slot[at] && memcmp(data->vert + 3 * (slot[at] - 1), v, sizeof v)) at = (at + 1) & mask;
      if (!slot[at]) {
        memcpy(data->vert + 3 * data->nvert, v, sizeof v);
        slot[at] = ++data->nvert;
      }
      data->face[3 * f + c] = slot[at] - 1;
    }
  }
}

bool stl_read(snMeshData* data, const snFile* file, snFault* fault) {
  memset(data, 0, sizeof *data);
  const unsigned char* bytes = file->bytes;
  if (!file->size) return fault_raise(fault, "STL file '%s' is empty", file->name);
  if (file->size < kHeader) {
    return fault_raise(fault, "invalid header in STL file '%s': %zu bytes, expected at least %d",
                       file->name, file->size, kHeader);
  }
  uint32_t nface;
  memcpy(&nface, bytes + 80, sizeof nface);
  if (nface < 1 || nface > kMaxFaces) {
    return fault_raise(fault,
                       "number of faces should be between 1 and %d in STL file '%s'; "
                       "perhaps this is an ASCII file?",
                       kMaxFaces, file->name);
  }
  if (file->size != kHeader + (size_t)nface * kTriangle) {
    return fault_raise(fault, "STL file '%s' has wrong size; perhaps this is an ASCII file?",
                       file->name);
  }

  for (uint32_t f = 0; f < nface; f++) {
    float corner[9];
    memcpy(corner, bytes + kHeader + (size_t)f * kTriangle + 12, sizeof corner);
    for (int i = 0; i < 9; i++) {
      if (isnan(corner[i])) {
        return fault_raise(fault, "vertex coordinate %u is not finite in STL file '%s'", 9 * f + i,
                           file->name);
      }
      if (fabsf(corner[i]) > kMaxCoordinate) {
        return fault_raise(fault, "vertex in STL file '%s' exceed maximum bounds", file->name);
      }
    }
  }

  uint32_t slots = 16;
  while (slots < 6 * nface) slots *= 2;
  int* slot = memory_alloc_zero(slots * sizeof(int));
  data->vert = memory_alloc(9 * (size_t)nface * sizeof(float));
  data->face = memory_alloc(3 * (size_t)nface * sizeof(int));
  if (!slot || !data->vert || !data->face) {
    memory_free(slot);
    meshdata_free(data);
    return fault_raise(fault, "no memory for STL file '%s'", file->name);
  }
  data->nface = (int)nface;
  merge_corners(data, bytes, slot, slots - 1);
  memory_free(slot);
  return true;
}
