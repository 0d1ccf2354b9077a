// The virtual file system (mjVFS): named buffers in memory that stand in for files.
#include "model/vfs.h"

#include <ctype.h>
#include <limits.h>

#include "model/resource.h"

typedef struct snVfs_ {
  snVfsFile* file;
  int count, capacity;
} snVfs;

static snVfs* vfs_of(const mjVFS* vfs) { return vfs ? vfs->impl_ : NULL; }

static uint64_t name_hash(const char* name) { return hash_bytes(name, strlen(name), 0); }

const snVfsFile* vfs_find(const mjVFS* vfs, const char* name) {
  const snVfs* v = vfs_of(vfs);
  if (!v) return NULL;
  uint64_t hash = name_hash(name);
  for (int i = 0; i < v->count; i++) {
    if (v->file[i].hash == hash && !strcmp(v->file[i].name, name)) return &v->file[i];
  }
  return NULL;
}

static bool equals_lower(const char* stored, const char* name) {
  while (*name && *stored == tolower((unsigned char)*name)) {
    stored++;
    name++;
  }
  return !*name && !*stored;
}

const snVfsFile* vfs_find_lower(const mjVFS* vfs, const char* name) {
  const snVfs* v = vfs_of(vfs);
  if (!v) return NULL;
  for (int i = 0; i < v->count; i++) {
    if (equals_lower(v->file[i].name, name)) return &v->file[i];
  }
  return NULL;
}

// Takes ownership of name; copies the data. 0; 2 when the name exists; -1 without memory.
static int vfs_add(mjVFS* vfs, char* name, const void* data, size_t bytes) {
  snVfs* v = vfs_of(vfs);
  if (!name || !v || vfs_find(vfs, name)) {
    int result = name && v ? 2 : -1;
    memory_free(name);
    return result;
  }
  if (v->count == v->capacity) {
    int capacity = v->capacity ? 2 * v->capacity : 16;
    snVfsFile* file =
        memory_resize(v->file, (size_t)v->count * sizeof *file, (size_t)capacity * sizeof *file);
    if (!file) {
      memory_free(name);
      return -1;
    }
    v->file = file;
    v->capacity = capacity;
  }
  // zero-terminated, so that text can be read as a string
  char* block = memory_alloc(bytes + 1);
  if (!block) {
    memory_free(name);
    return -1;
  }
  if (bytes) memcpy(block, data, bytes);
  block[bytes] = 0;
  v->file[v->count++] = (snVfsFile){name_hash(name), name, block, bytes};
  return 0;
}

void mj_defaultVFS(mjVFS* vfs) {
  vfs->impl_ = memory_alloc_zero(sizeof(snVfs));
  if (!vfs->impl_) mju_error("mj_defaultVFS: no memory");
}

// Files from disk are stored under their bare name, in lower case, as documented.
int mj_addFileVFS(mjVFS* vfs, const char* directory, const char* filename) {
  if (!vfs_of(vfs) || !filename || !*filename) return -1;
  char* name = resource_join(NULL, filename + resource_dir_length(filename));
  if (!name) return -1;
  for (char* c = name; *c; c++) *c = (char)tolower((unsigned char)*c);
  if (vfs_find(vfs, name)) {
    memory_free(name);
    return 2;
  }
  snFault fault = {0};
  snResource file;
  if (!resource_open(&file, NULL, directory, filename, INT_MAX, &fault)) {
    memory_free(name);
    return -1;
  }
  int result = vfs_add(vfs, name, file.data, file.bytes);
  resource_close(&file);
  return result;
}

int mj_addBufferVFS(mjVFS* vfs, const char* name, const void* buffer, int nbuffer) {
  if (!vfs_of(vfs) || !name || nbuffer < 0 || (nbuffer && !buffer)) return -1;
  return vfs_add(vfs, resource_join(NULL, name), buffer, (size_t)nbuffer);
}

int mj_deleteFileVFS(mjVFS* vfs, const char* filename) {
  snVfs* v = vfs_of(vfs);
  if (!v || !filename) return -1;
  char* name = resource_join(NULL, filename);
  if (!name) return -1;
  const snVfsFile* found = vfs_find(vfs, name);
  memory_free(name);
  if (!found) found = vfs_find_lower(vfs, filename + resource_dir_length(filename));
  if (!found) return -1;
  int at = (int)(found - v->file);
  memory_free(v->file[at].name);
  memory_free(v->file[at].data);
  v->count--;
  memmove(v->file + at, v->file + at + 1, (size_t)(v->count - at) * sizeof *v->file);
  return 0;
}

void mj_deleteVFS(mjVFS* vfs) {
  snVfs* v = vfs_of(vfs);
  if (!v) return;
  for (int i = 0; i < v->count; i++) {
    memory_free(v->file[i].name);
    memory_free(v->file[i].data);
  }
  memory_free(v->file);
  memory_free(v);
  vfs->impl_ = NULL;
}
