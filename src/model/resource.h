// Files a model names: from the virtual file system, from a resource provider, or from disk.
#ifndef SINEW_MODEL_RESOURCE_H_
#define SINEW_MODEL_RESOURCE_H_

#include "base/base.h"

// The contents of an open file. `path` is where it was found, for messages and for resolving names
// inside the file.
typedef struct snResource_ {
  const void* data;  // valid until the resource is closed; never NULL
  size_t bytes;
  char* path;
  void* block;           // owned memory, NULL when the VFS owns the data
  mjResource* provided;  // open at a resource provider
} snResource;

// No file larger than this is read.
#define RESOURCE_LIMIT ((size_t)1 << 31)

// Opens the file that a model in directory `dir` names `name` (both may contain folders; an
// absolute name is taken as it is; dir may be NULL). Looked up, in this order: in the VFS under the
// name, the name behind dir, the bare file name and the bare file name in lower case; at the
// provider of the name's prefix; on disk. `limit` is the largest size accepted (at most
// RESOURCE_LIMIT). On failure false and a fault that names the file and says why; nothing to close
// then.
bool resource_open(snResource* r, const mjVFS* vfs, const char* dir, const char* name, size_t limit,
                   snFault* fault);
void resource_close(snResource* r);

// The folder that names inside the file are relative to, as its provider says, else up to the last
// slash: a new block, NULL when there is no memory.
char* resource_dir(const snResource* r);

// dir and name joined by one slash with "." and inner ".." removed, in a new block (memory_free).
// Backslashes are slashes, but for what a provider opens: its names are its own up to there.
// An absolute name, or a NULL or empty dir, gives the name alone. NULL when there is no memory.
char* resource_join(const char* dir, const char* name);

// `path` as it is named from folder `dir`, in a new block (memory_free): "../b/file" for "a/b/file"
// in "a/c". Both are absolute or both relative to the same folder. NULL when they have nothing in
// common that a name could go through, or no memory.
char* resource_relative(const char* dir, const char* path);

// Is a content type this one? Case does not count, nor do parameters ("model/obj; charset=utf-8").
bool resource_is_type(const char* content_type, const char* type);

// Length of the folder part of a path, the last slash included; 0 when there is none.
size_t resource_dir_length(const char* path);

#endif
