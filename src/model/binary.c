// Binary models (MJB) in the layout of release 3.3.4, so that both engines read each other's files:
// little-endian, without padding.
//
//   header    five integers, the same in every file of this version
//   sizes     integers in the order of mjModel, then narena and nbuffer, 8 bytes each
//   structs   mjOption, mjVisual and mjStatistic as they lie in memory
//   arrays    one after the other
//
// Nothing in a file is trusted: its length must agree with its sizes, and every index must point to
// an existing element (validate.c).
#include <limits.h>
#include <stdio.h>

#include "base/system.h"
#include "model/model.h"
#include "model/resource.h"

// Reverses the bytes of each element on a big-endian machine, in place.
static void to_little(void* data, size_t count, int width) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  unsigned char* at = data;
  for (size_t i = 0; i < count; i++, at += width) {
    for (int k = 0; k < width / 2; k++) {
      unsigned char swap = at[k];
      at[k] = at[width - 1 - k];
      at[width - 1 - k] = swap;
    }
  }
#else
  (void)data, (void)count, (void)width;
#endif
}

// ---- one description of the file, for saving, loading and measuring

enum { HEADER_COUNT = 5, HEADER = HEADER_COUNT * 4, NMEASURE = 2 };

static int header_value(int i) {
  const int value[HEADER_COUNT] = {54321, sizeof(mjtNum), schema_size_count, NMEASURE,
                                   schema_model_count};
  return value[i];
}

typedef struct snRecord_ {
  const char* name;
  snType type;
  int width;
  uint64_t rows, columns;
  void* data;
} snRecord;

static snRecord record_of_member(const mjModel* m, const snMember* f) {
  return (snRecord){f->name, f->type, f->width, (uint64_t)f->count, 1, (char*)m + f->offset};
}

static size_t record_bytes(const snRecord* r) {
  return (size_t)(r->rows * r->columns) * (size_t)r->width;
}

static snRecord array_in_file(const mjModel* m, int i) {
  const snField* f = schema_listed(i);
  return (snRecord){f->name,
                    f->type,
                    f->width,
                    schema_rows(f, m, NULL),
                    schema_columns(f, m),
                    *schema_pointer((void*)m, f)};
}

typedef struct snEmbeddedStruct_ {  // a struct inside mjModel
  const snMember* member;
  int members;
  size_t offset, bytes;
} snEmbeddedStruct;

enum { NPART = 3 };

static snEmbeddedStruct part_at(int i) {
  const snEmbeddedStruct part[NPART] = {
      {schema_option, schema_option_count, offsetof(mjModel, opt), sizeof(mjOption)},
      {schema_visual, schema_visual_count, offsetof(mjModel, vis), sizeof(mjVisual)},
      {schema_statistic, schema_statistic_count, offsetof(mjModel, stat), sizeof(mjStatistic)}};
  return part[i];
}

// The released engine refuses a file whose nbuffer differs from the size of its own buffer, in
// which every array is aligned to 64 bytes.
static size_t file_nbuffer(const mjModel* m) {
  size_t at = 0;
  for (int i = 0; i < schema_model_count; i++) {
    snRecord r = array_in_file(m, i);
    at = (at + 63) / 64 * 64 + record_bytes(&r);
  }
  return at;
}

// ---- save

static size_t model_file_size(const mjModel* m) {
  size_t size = HEADER + (size_t)schema_size_count * sizeof(int) + NMEASURE * 8;
  for (int i = 0; i < NPART; i++) size += part_at(i).bytes;
  for (int i = 0; i < schema_model_count; i++) {
    snRecord r = array_in_file(m, i);
    size += record_bytes(&r);
  }
  return size;
}

static char* put(char* at, uint64_t value, int width) {
  for (int k = 0; k < width; k++) *at++ = (char)(value >> 8 * k);
  return at;
}

static char* put_record(char* at, const snRecord* r) {
  size_t bytes = record_bytes(r);
  if (bytes) memcpy(at, r->data, bytes);
  to_little(at, (size_t)(r->rows * r->columns), r->width);
  return at + bytes;
}

static void model_write(const mjModel* m, char* at) {
  for (int i = 0; i < HEADER_COUNT; i++) at = put(at, (uint64_t)header_value(i), 4);
  for (int i = 0; i < schema_size_count; i++) {
    snRecord r = record_of_member(m, &schema_size[i]);
    at = put_record(at, &r);
  }
  at = put(at, m->narena, 8);
  at = put(at, file_nbuffer(m), 8);
  for (int i = 0; i < NPART; i++) {
    snEmbeddedStruct part = part_at(i);
    memset(at, 0, part.bytes);
    for (int k = 0; k < part.members; k++) {
      snRecord r = record_of_member(m, &part.member[k]);
      put_record(at + (size_t)part.member[k].offset - part.offset, &r);
    }
    at += part.bytes;
  }
  for (int i = 0; i < schema_model_count; i++) {
    snRecord r = array_in_file(m, i);
    at = put_record(at, &r);
  }
}

int mj_sizeModel(const mjModel* m) {
  size_t size = model_file_size(m);
  if (size <= INT_MAX) return (int)size;
  mju_error("mj_sizeModel: the model takes %zu bytes, more than an int can say", size);
  return 0;
}

static void save_to_file(const mjModel* m, const char* filename, size_t size) {
  char* block = memory_alloc(size);
  if (!block) {
    mju_warning("mj_saveModel: no memory for %zu bytes", size);
    return;
  }
  model_write(m, block);
  FILE* file = system_create(filename);
  bool written = file && fwrite(block, 1, size, file) == size;
  if (file && fclose(file)) written = false;
  if (!written) mju_warning("mj_saveModel: cannot write file '%s'", filename);
  memory_free(block);
}

void mj_saveModel(const mjModel* m, const char* filename, void* buffer, int buffer_sz) {
  size_t size = model_file_size(m);
  if (filename && *filename) {
    save_to_file(m, filename, size);
  } else if (!buffer) {
    mju_warning("mj_saveModel: there is neither a file name nor a buffer");
  } else if (buffer_sz < 0 || (size_t)buffer_sz < size) {
    mju_error("mj_saveModel: the buffer has %d bytes, the model needs %zu", buffer_sz, size);
  } else {
    model_write(m, buffer);
  }
}

// ---- load

typedef struct snBinaryReader_ {
  const char *at, *end;
  snFault* fault;
} snBinaryReader;

static bool get(snBinaryReader* r, uint64_t* value, int width) {
  *value = 0;
  if (r->end - r->at < width) return fault_raise(r->fault, "the file ends too early");
  for (int k = 0; k < width; k++) *value |= (uint64_t)(unsigned char)r->at[k] << 8 * k;
  r->at += width;
  return true;
}

static bool get_record(snBinaryReader* r, const snRecord* to) {
  size_t bytes = record_bytes(to);
  if ((size_t)(r->end - r->at) < bytes) {
    return fault_raise(r->fault, "the file ends in field %s", to->name);
  }
  if (bytes) memcpy(to->data, r->at, bytes);
  to_little(to->data, (size_t)(to->rows * to->columns), to->width);
  r->at += bytes;
  return true;
}

static bool read_sizes(snBinaryReader* r, mjModel* sizes) {
  for (int i = 0; i < HEADER_COUNT; i++) {
    uint64_t value;
    if (!get(r, &value, 4)) return false;
    if (value != (uint64_t)header_value(i)) {
      // the number found is not shown: the file may be any file, and its contents private
      return fault_raise(r->fault, "not a binary model of version 3.3.4: number %d is not %d", i,
                         header_value(i));
    }
  }
  for (int i = 0; i < schema_size_count; i++) {
    snRecord to = record_of_member(sizes, &schema_size[i]);
    if (!get_record(r, &to)) return false;
  }
  uint64_t measure[NMEASURE];
  for (int i = 0; i < NMEASURE; i++) {
    if (!get(r, &measure[i], 8)) return false;
  }
  sizes->narena = (size_t)measure[0];  // nbuffer is computed from the sizes
  return true;
}

static bool read_content(snBinaryReader* r, mjModel* m) {
  for (int i = 0; i < NPART; i++) {
    snEmbeddedStruct part = part_at(i);
    if ((size_t)(r->end - r->at) < part.bytes) {
      return fault_raise(r->fault, "the file ends too early");
    }
    for (int k = 0; k < part.members; k++) {
      snRecord to = record_of_member(m, &part.member[k]);
      snBinaryReader at = {r->at + (size_t)part.member[k].offset - part.offset, r->end, r->fault};
      if (!get_record(&at, &to)) return false;
    }
    r->at += part.bytes;
  }
  for (int i = 0; i < schema_model_count; i++) {
    snRecord to = array_in_file(m, i);
    if (!get_record(r, &to)) return false;
  }
  return r->at == r->end || fault_raise(r->fault, "there is data behind the last field");
}

mjModel* model_read(const void* data, size_t bytes, snFault* fault) {
  mjModel sizes = {0};
  snBinaryReader r = {data, (const char*)data + bytes, fault};
  size_t nbuffer;
  if (!read_sizes(&r, &sizes) || !model_buffer_size(&sizes, &nbuffer, fault)) return NULL;
  // The arrays must be in the file, so a buffer larger than the file is refused before it is
  // allocated; alignment adds less than 64 bytes to each array.
  if (nbuffer > bytes + (size_t)64 * (size_t)schema_model_count) {
    fault_raise(fault, "its sizes ask for %zu bytes of arrays, the file has %zu", nbuffer, bytes);
    return NULL;
  }
  mjModel* m = model_alloc(&sizes, fault);
  if (!m) return NULL;
  if (read_content(&r, m) && model_validate(m, fault) && model_finish(m, fault) &&
      model_watch(m, fault)) {
    return m;
  }
  mj_deleteModel(m);
  return NULL;
}

mjModel* mj_loadModel(const char* filename, const mjVFS* vfs) {
  snFault fault = {0};
  snResource file;
  if (!resource_open(&file, vfs, NULL, filename, RESOURCE_LIMIT, &fault)) {
    mju_warning("mj_loadModel: %s", fault.text);
    return NULL;
  }
  mjModel* m = model_read(file.data, file.bytes, &fault);
  if (!m) mju_warning("mj_loadModel: file '%s': %s", filename, fault.text);
  resource_close(&file);
  return m;
}
