// Binary STL: 80 bytes of header, a count, then 50 bytes per triangle. Vertices with equal
// coordinates are merged, numbered by first appearance.
#include <math.h>
#include <string.h>

#include "model/formats.h"

enum { kHeader = 84, kTriangle = 50, kMaxFaces = 200000 };
static const float kMaxCoordinate =
    1073741824.0f;  // 2^30: larger coordinates are refused, as released

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

// Hash table with open addressing; a slot holds a vertex number + 1.
bool meshdata_merge(snMeshData* data) {
  size_t slots = 16, nvert = (size_t)data->nvert;
  while (slots < 2 * nvert) slots *= 2;
  int* slot = memory_alloc_zero(slots * sizeof(int));
  int* number = memory_alloc((nvert + 1) * sizeof(int));
  bool ok = slot && number;
  int n = 0;
  for (size_t i = 0; ok && i < nvert; i++) {
    float v[3];
    for (int k = 0; k < 3; k++) v[k] = data->vert[3 * i + k] + 0.0f;  // makes -0 and 0 equal
    size_t at = hash_point(v) & (slots - 1);
    while (slot[at] && memcmp(data->vert + 3 * (slot[at] - 1), v, sizeof v)) {
      at = (at + 1) & (slots - 1);
    }
    if (!slot[at]) {
      memcpy(data->vert + 3 * n, v, sizeof v);
      slot[at] = ++n;
    }
    number[i] = slot[at] - 1;
  }
  for (int i = 0; ok && i < 3 * data->nface; i++) data->face[i] = number[data->face[i]];
  if (ok) data->nvert = n;
  memory_free(slot);
  memory_free(number);
  return ok;
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

  data->vert = memory_alloc(9 * (size_t)nface * sizeof(float));
  data->face = memory_alloc(3 * (size_t)nface * sizeof(int));
  bool ok = data->vert && data->face;
  for (uint32_t f = 0; ok && f < nface; f++) {
    memcpy(data->vert + 9 * (size_t)f, bytes + kHeader + (size_t)f * kTriangle + 12,
           9 * sizeof(float));
    for (uint32_t i = 3 * f; i < 3 * f + 3; i++) data->face[i] = (int)i;
  }
  data->nface = (int)nface;
  data->nvert = 3 * data->nface;
  if (!ok || !meshdata_merge(data)) {
    meshdata_free(data);
    return fault_raise(fault, "no memory for STL file '%s'", file->name);
  }
  return true;
}
