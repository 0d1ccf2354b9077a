// The virtual file system: named buffers in memory.
#ifndef SINEW_MODEL_VFS_H_
#define SINEW_MODEL_VFS_H_

#include "base/base.h"

typedef struct snVfsFile_ {
  uint64_t hash;
  char* name;
  void* data;  // never NULL
  size_t bytes;
} snVfsFile;

// By exact name (as resource_join gives it), and by the name in lower case. NULL when there is no
// such file.
const snVfsFile* vfs_find(const mjVFS* vfs, const char* name);
const snVfsFile* vfs_find_lower(const mjVFS* vfs, const char* name);

#endif
