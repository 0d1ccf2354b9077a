// Files a model names: from the virtual file system, from a resource provider, or from disk.
#ifndef SINEW_MODEL_RESOURCE_H_
#define SINEW_MODEL_RESOURCE_H_

#include "base/base.h"

// The contents of an open file. `path` is where it was found, for messages and for resolving names
// inside of the file.
typedef struct snResource_ {
  const void* data;  // valid until the resource is closed; never NULL
  size_t bytes;
  char* path;
  void* block;           // owned memory; NULL when the VFS owns the data
  mjResource* provided;  // open resource of a provider
} snResource;

// Largest file that is read.
#define RESOURCE_LIMIT ((size_t)1 << 31)

// Opens the file that a model in directory `dir` names `name` (both may contain folders; an
// absolute name is used as it is; dir may be NULL). Searched in this order: the VFS under the name,
// under dir and name, under the bare file name and under the bare file name in lower case; the
// provider of the name's prefix; the disk. `limit` is the largest size accepted (at most
// RESOURCE_LIMIT). On failure false and a fault that names the file and the reason, and nothing to
// close.
bool resource_open(snResource* r, const mjVFS* vfs, const char* dir, const char* name, size_t limit,
                   snFault* fault);
void resource_close(snResource* r);

// The folder that names inside of the file are relative to, as its provider says, else everything
// up to the last slash. A new block; NULL without memory.
char* resource_dir(const snResource* r);

// dir and name joined by one slash, "." and inner ".." removed, in a new block (memory_free).
// Backslashes become slashes, except in names with a provider's prefix, which are opaque. An
// absolute name, or a NULL or empty dir, gives the name alone. NULL without memory.
char* resource_join(const char* dir, const char* name);

// `path` relative to folder `dir`, in a new block (memory_free): "../b/file" for "a/b/file" in
// "a/c". Both are absolute, or both relative to the same folder. NULL when no relative name exists,
// or without memory.
char* resource_relative(const char* dir, const char* path);

// Is this the content type? Case and parameters ("model/obj; charset=utf-8") are ignored.
bool resource_is_type(const char* content_type, const char* type);

// Length of the folder part of a path, the last slash included; 0 without a folder.
size_t resource_dir_length(const char* path);

#endif
