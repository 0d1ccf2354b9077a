// The binary model: a header, then one record per field in the order of the schema, everything
// little-endian. Nothing in a file is trusted: every record must be the one that is expected, every
// index must point to something (validate.c), and the checksum must match.
//
//   header   "SINEWMJB", version, number of records, bytes of the file, checksum of what follows,
//            narena, signature                                                        48 bytes
//   record   type, length of the name, rows, columns                                  24 bytes
//            name, elements; each padded to 8 bytes
#include <limits.h>
#include <stdio.h>

#include "model/model.h"
#include "model/resource.h"

static const char MAGIC[8] = {'S', 'I', 'N', 'E', 'W', 'M', 'J', 'B'};
enum { VERSION = 1, HEADER = 48, RECORD = 24, CHECKED = 32 };

static size_t pad8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

// Elements change byte order on a big-endian machine, in place.
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

// ---- one description for saving, loading and measuring: every record in order

typedef struct snRecord_ {
  const char* name;
  snType type;
  int width;
  uint64_t rows, columns;
  void* data;
} snRecord;

static int record_count(void) {
  return schema_size_count + schema_option_count + schema_visual_count + schema_statistic_count +
         schema_model_count;
}

static snRecord record_of_member(const mjModel* m, const snMember* f) {
  return (snRecord){f->name, f->type, f->width, (uint64_t)f->count, 1, (char*)m + f->offset};
}

// The i-th record of m. Arrays need the sizes.
static snRecord record_at(const mjModel* m, int i) {
  if (i < schema_size_count) return record_of_member(m, &schema_size[i]);
  i -= schema_size_count;
  if (i < schema_option_count) return record_of_member(m, &schema_option[i]);
  i -= schema_option_count;
  if (i < schema_visual_count) return record_of_member(m, &schema_visual[i]);
  i -= schema_visual_count;
  if (i < schema_statistic_count) return record_of_member(m, &schema_statistic[i]);
  const snField* f = &schema_model[i - schema_statistic_count];
  return (snRecord){f->name,
                    f->type,
                    f->width,
                    schema_rows(f, m, NULL),
                    schema_columns(f, m),
                    *schema_pointer((void*)m, f)};
}

static size_t record_bytes(const snRecord* r) {
  return (size_t)(r->rows * r->columns) * (size_t)r->width;
}

// ---- save

static size_t model_file_size(const mjModel* m) {
  size_t size = HEADER;
  for (int i = 0; i < record_count(); i++) {
    snRecord r = record_at(m, i);
    size += RECORD + pad8(strlen(r.name)) + pad8(record_bytes(&r));
  }
  return size;
}

static char* put(char* at, uint64_t value, int width) {
  for (int k = 0; k < width; k++) *at++ = (char)(value >> 8 * k);
  return at;
}

static char* put_padded(char* at, const void* data, size_t bytes) {
  if (bytes) memcpy(at, data, bytes);
  memset(at + bytes, 0, pad8(bytes) - bytes);
  return at + pad8(bytes);
}

void model_seal(void* file, size_t size) {
  char* at = put((char*)file + 16, size, 8);
  put(at, hash_bytes((char*)file + CHECKED, size - CHECKED, VERSION), 8);
}

static void model_write(const mjModel* m, char* file, size_t size) {
  char* at = file + CHECKED;
  at = put(at, m->narena, 8);
  at = put(at, m->signature, 8);
  for (int i = 0; i < record_count(); i++) {
    snRecord r = record_at(m, i);
    size_t length = strlen(r.name);
    at = put(at, (uint64_t)r.type, 4);
    at = put(at, length, 4);
    at = put(at, r.rows, 8);
    at = put(at, r.columns, 8);
    at = put_padded(at, r.name, length);
    char* data = at;
    at = put_padded(at, r.data, record_bytes(&r));
    to_little(data, (size_t)(r.rows * r.columns), r.width);
  }
  at = file;
  memcpy(at, MAGIC, sizeof MAGIC);
  at = put(at + sizeof MAGIC, VERSION, 4);
  put(at, (uint64_t)record_count(), 4);
  model_seal(file, size);
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
  model_write(m, block, size);
  FILE* file = fopen(filename, "wb");
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
    model_write(m, buffer, size);
  }
}

// ---- load

typedef struct snReader_ {
  const char *at, *end;
  snFault* fault;
} snReader;

static bool get(snReader* r, uint64_t* value, int width) {
  *value = 0;
  if (r->end - r->at < width) return fault_raise(r->fault, "the file ends too early");
  for (int k = 0; k < width; k++) *value |= (uint64_t)(unsigned char)r->at[k] << 8 * k;
  r->at += width;
  return true;
}

// The next record must be the expected one; its elements are copied out when there is a place.
static bool read_record(snReader* r, const snRecord* expected) {
  uint64_t type, length, rows, columns;
  if (!get(r, &type, 4) || !get(r, &length, 4) || !get(r, &rows, 8) || !get(r, &columns, 8)) {
    return false;
  }
  size_t left = (size_t)(r->end - r->at), name = strlen(expected->name);
  if (length != name || left < pad8(name) || memcmp(r->at, expected->name, name)) {
    return fault_raise(r->fault, "field %s is missing", expected->name);
  }
  if (type != (uint64_t)expected->type) {
    return fault_raise(r->fault, "field %s has type %llu, expected %s", expected->name,
                       (unsigned long long)type, schema_type_name(expected->type));
  }
  if (rows != expected->rows || columns != expected->columns) {
    return fault_raise(r->fault, "field %s is %llu x %llu, expected %llu x %llu", expected->name,
                       (unsigned long long)rows, (unsigned long long)columns,
                       (unsigned long long)expected->rows, (unsigned long long)expected->columns);
  }
  r->at += pad8(name);
  left -= pad8(name);
  size_t bytes = record_bytes(expected);
  if (bytes > left || pad8(bytes) > left) {
    return fault_raise(r->fault, "the file ends in field %s", expected->name);
  }
  if (bytes) memcpy(expected->data, r->at, bytes);
  to_little(expected->data, (size_t)(rows * columns), expected->width);
  r->at += pad8(bytes);
  return true;
}

static bool read_header(snReader* r, mjModel* sizes, size_t bytes) {
  const char* file = r->at;
  if (bytes < HEADER || memcmp(file, MAGIC, sizeof MAGIC)) {
    return fault_raise(r->fault, "not a binary model of this engine");
  }
  r->at += sizeof MAGIC;
  uint64_t version, records, size, checksum, narena, signature;
  if (!get(r, &version, 4) || !get(r, &records, 4) || !get(r, &size, 8) || !get(r, &checksum, 8) ||
      !get(r, &narena, 8) || !get(r, &signature, 8)) {
    return false;
  }
  if (version != VERSION) {
    return fault_raise(r->fault, "format version %llu, this library reads %d",
                       (unsigned long long)version, VERSION);
  }
  if (size != bytes) {
    return fault_raise(r->fault, "the file has %zu bytes, its header says %llu", bytes,
                       (unsigned long long)size);
  }
  if (checksum != hash_bytes(file + CHECKED, bytes - CHECKED, VERSION)) {
    return fault_raise(r->fault, "the checksum does not match: the file is damaged");
  }
  if (records != (uint64_t)record_count()) {
    return fault_raise(r->fault, "%llu fields, expected %d", (unsigned long long)records,
                       record_count());
  }
  sizes->narena = (size_t)narena;
  sizes->signature = signature;
  return true;
}

static bool read_fields(snReader* r, mjModel* m, int first, int last) {
  for (int i = first; i < last; i++) {
    snRecord expected = record_at(m, i);
    if (!read_record(r, &expected)) return false;
  }
  return true;
}

// ---- files of the released engine, version 3.3.4: five integers, the sizes, narena and nbuffer,
// options, visual settings and statistics as they lie in memory, the arrays without padding. They
// have no checksum, so the total must be right and validation find nothing.
enum { RELEASED = 54321, NMEASURE = 2 };

// The arrays are in the order of the struct but for those of meshes.
static const char* const kMeshOrder[] = {
    "mesh_normaladr", "mesh_normalnum", "mesh_texcoordadr", "mesh_texcoordnum", "mesh_faceadr",
    "mesh_facenum",   "mesh_bvhadr",    "mesh_bvhnum",      "mesh_octadr",      "mesh_octnum",
    "mesh_graphadr",  "mesh_scale",     "mesh_pos",         "mesh_quat",        "mesh_vert",
    "mesh_normal",    "mesh_texcoord",  "mesh_face",        "mesh_facenormal",  "mesh_facetexcoord",
    "mesh_graph"};

static snRecord record_named(const mjModel* m, const char* name) {
  int i = record_count() - schema_model_count;
  while (strcmp(record_at(m, i).name, name)) i++;
  return record_at(m, i);
}

static bool is_released(const char* file, size_t bytes) {
  const int head[5] = {RELEASED, sizeof(mjtNum), schema_size_count, NMEASURE, schema_model_count};
  snReader r = {file, file + bytes, NULL};
  for (int i = 0; i < 5 && bytes >= sizeof head; i++) {
    uint64_t value = 0;
    if (!get(&r, &value, 4) || value != (uint64_t)head[i]) return false;
  }
  return bytes >= sizeof head;
}

static bool read_plain(snReader* r, const snRecord* to) {
  size_t bytes = record_bytes(to);
  if ((size_t)(r->end - r->at) < bytes) {
    return fault_raise(r->fault, "the file ends in field %s", to->name);
  }
  if (bytes) memcpy(to->data, r->at, bytes);
  to_little(to->data, (size_t)(to->rows * to->columns), to->width);
  r->at += bytes;
  return true;
}

// Members of a struct lie at their offsets from its start.
static bool read_struct(snReader* r, mjModel* m, const snMember* member, int n, void* start,
                        size_t bytes) {
  if ((size_t)(r->end - r->at) < bytes) return fault_raise(r->fault, "the file ends too early");
  const char* from = r->at;
  for (int i = 0; i < n; i++) {
    snRecord to = record_of_member(m, &member[i]);
    snReader at = {from + ((char*)to.data - (char*)start), r->end, r->fault};
    if (!read_plain(&at, &to)) return false;
  }
  r->at += bytes;
  return true;
}

static bool read_released(snReader* r, mjModel* m, bool arrays) {
  if (!arrays) {
    uint64_t nbuffer, narena;
    r->at += 5 * sizeof(int);
    for (int i = 0; i < schema_size_count; i++) {
      snRecord to = record_at(m, i);
      if (!read_plain(r, &to)) return false;
    }
    if (!get(r, &narena, 8) || !get(r, &nbuffer, 8)) return false;
    m->narena = (size_t)narena;
    return true;
  }
  if (!read_struct(r, m, schema_option, schema_option_count, &m->opt, sizeof m->opt) ||
      !read_struct(r, m, schema_visual, schema_visual_count, &m->vis, sizeof m->vis) ||
      !read_struct(r, m, schema_statistic, schema_statistic_count, &m->stat, sizeof m->stat)) {
    return false;
  }
  int meshes = -1;
  const int nmeshes = sizeof kMeshOrder / sizeof kMeshOrder[0];
  for (int i = record_count() - schema_model_count; i < record_count(); i++) {
    snRecord to = record_at(m, i);
    if (!strcmp(to.name, "mesh_faceadr")) meshes = i;
    if (meshes >= 0 && i < meshes + nmeshes) to = record_named(m, kMeshOrder[i - meshes]);
    if (!read_plain(r, &to)) return false;
  }
  return true;
}

mjModel* model_read(const void* data, size_t bytes, snFault* fault) {
  mjModel sizes = {0};
  snReader r = {data, (const char*)data + bytes, fault};
  size_t nbuffer;
  bool released = is_released(data, bytes);
  bool sized =
      released ? read_released(&r, &sizes, false)
               : read_header(&r, &sizes, bytes) && read_fields(&r, &sizes, 0, schema_size_count);
  if (!sized || !model_buffer_size(&sizes, &nbuffer, fault)) return NULL;
  // the arrays are in the file, so sizes beyond it are wrong and need not be allocated;
  // alignment adds less than 64 bytes to each
  if (nbuffer > bytes + (size_t)64 * (size_t)schema_model_count) {
    fault_raise(fault, "its sizes ask for %zu bytes of arrays, the file has %zu", nbuffer, bytes);
    return NULL;
  }
  mjModel* m = model_alloc(&sizes, fault);
  if (!m) return NULL;
  m->signature = sizes.signature;
  bool filled =
      released ? read_released(&r, m, true) : read_fields(&r, m, schema_size_count, record_count());
  if (filled && (r.at == r.end || fault_raise(fault, "there is data behind the last field")) &&
      model_validate(m, fault) && model_finish(m, fault)) {
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
