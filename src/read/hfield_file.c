// Height fields in the documented binary format: two ints (rows, columns), then one float per
// sample, row by row.
#include <string.h>

#include "compile/asset.h"

bool hfield_file_read(snHField* hfield, const snFile* file, snFault* fault) {
  memset(hfield, 0, sizeof *hfield);
  int32_t count[2];
  if (!file->size) return fault_raise(fault, "could not read hfield file '%s'", file->name);
  if (file->size < sizeof count) {
    return fault_raise(fault, "hfield missing header '%s'", file->name);
  }
  memcpy(count, file->bytes, sizeof count);
  if (count[0] <= 0 || count[1] <= 0) {
    return fault_raise(fault, "non-positive hfield dimensions in file '%s'", file->name);
  }
  uint64_t n = (uint64_t)count[0] * (uint64_t)count[1];
  if (n > (file->size - sizeof count) / sizeof(float) ||
      file->size != sizeof count + n * sizeof(float)) {
    return fault_raise(fault,
                       "unexpected file size in file '%s': its two sizes r and c ask for %s than "
                       "%zu = 4*(2 + r*c) bytes",
                       file->name, n > file->size / sizeof(float) - 2 ? "more" : "less",
                       file->size);
  }
  hfield->data = memory_alloc(n * sizeof(float));
  if (!hfield->data) return fault_raise(fault, "could not allocate buffers in hfield");
  memcpy(hfield->data, (const char*)file->bytes + sizeof count, n * sizeof(float));
  hfield->nrow = count[0];
  hfield->ncol = count[1];
  return true;
}
