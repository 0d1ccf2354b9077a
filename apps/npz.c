// NPZ: a ZIP archive of NPY arrays, stored without compression.
#include "npz.h"

#include <stdint.h>
#include <string.h>

static uint32_t crc32_of(uint32_t crc, const void* data, size_t n) {
  const unsigned char* p = data;
  crc = ~crc;
  for (size_t i = 0; i < n; i++) {
    crc ^= p[i];
    for (int b = 0; b < 8; b++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

static void put(unsigned char** p, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) *(*p)++ = (unsigned char)(value >> 8 * i);
}

// The name and size of an archive entry, for the local header and for the directory.
typedef struct Entry_ {
  char name[16];
  uint32_t crc, bytes, offset;
} Entry;

static size_t entry_header(const Entry* e, bool directory, unsigned char* out) {
  unsigned char* p = out;
  put(&p, directory ? 0x02014b50u : 0x04034b50u, 4);
  if (directory) put(&p, 20, 2);
  put(&p, 20, 2);
  put(&p, 0, 2);     // flags
  put(&p, 0, 2);     // stored
  put(&p, 0, 2);     // time
  put(&p, 0x21, 2);  // date: 1980-01-01, the first of the format
  put(&p, e->crc, 4);
  put(&p, e->bytes, 4);
  put(&p, e->bytes, 4);
  put(&p, (uint32_t)strlen(e->name), 2);
  put(&p, 0, 2);
  if (directory) {
    put(&p, 0, 2);
    put(&p, 0, 2);
    put(&p, 0, 2);
    put(&p, 0, 4);
    put(&p, e->offset, 4);
  }
  memcpy(p, e->name, strlen(e->name));
  return (size_t)(p - out) + strlen(e->name);
}

// Preamble of an NPY file: magic, version 1.0, a Python dictionary padded to 64 bytes.
static size_t npy_header(long rows, int columns, bool vector, char out[128]) {
  char shape[64], dict[118];
  if (vector) {
    snprintf(shape, sizeof shape, "(%ld,)", rows);
  } else {
    snprintf(shape, sizeof shape, "(%ld, %d)", rows, columns);
  }
  snprintf(dict, sizeof dict, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape);
  memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
  memset(out + 10, ' ', 118);
  memcpy(out + 10, dict, strlen(dict));
  out[127] = '\n';
  return 128;
}

bool npz_write(FILE* f, const NpzArray* array, int n) {
  Entry entry[NPZ_MOST];
  unsigned char header[64];
  uint64_t offset = 0;
  if (n > NPZ_MOST) return false;
  for (int i = 0; i < n; i++) {
    const NpzArray* a = array + i;
    Entry* e = entry + i;
    snprintf(e->name, sizeof e->name, "%s.npy", a->name);
    char npy[128];
    size_t begin = npy_header(a->rows, a->columns, a->vector, npy);
    size_t row = sizeof(double) * (size_t)a->columns;
    uint64_t bytes = begin + row * (uint64_t)a->rows;
    if (offset + bytes > 0xf0000000u) return false;
    e->offset = (uint32_t)offset;
    e->bytes = (uint32_t)bytes;
    e->crc = crc32_of(0, npy, begin);
    for (long r = 0; r < a->rows; r++) e->crc = crc32_of(e->crc, a->data + r * a->stride, row);
    size_t h = entry_header(e, false, header);
    fwrite(header, 1, h, f);
    fwrite(npy, 1, begin, f);
    for (long r = 0; r < a->rows; r++) fwrite(a->data + r * a->stride, 1, row, f);
    offset += h + bytes;
  }
  uint32_t size = 0;
  for (int i = 0; i < n; i++) {
    size_t h = entry_header(entry + i, true, header);
    fwrite(header, 1, h, f);
    size += (uint32_t)h;
  }
  unsigned char end[22], *p = end;
  put(&p, 0x06054b50u, 4);
  put(&p, 0, 4);
  put(&p, (uint32_t)n, 2);
  put(&p, (uint32_t)n, 2);
  put(&p, size, 4);
  put(&p, (uint32_t)offset, 4);
  put(&p, 0, 2);
  return fwrite(end, 1, sizeof end, f) == sizeof end && !ferror(f);
}
