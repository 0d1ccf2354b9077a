// Opening the files that a model names: names are normalized, then looked up in the virtual file
// system, at resource providers (mjpResourceProvider) and on disk. The engine opens files of models
// nowhere else, so confinement (confine.h) and size limits hold for all of them.
#include "model/resource.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "model/confine.h"
#include "model/vfs.h"

size_t resource_dir_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

bool resource_is_type(const char* content_type, const char* type) {
  while (isspace((unsigned char)*content_type)) content_type++;
  size_t n = strcspn(content_type, "; \t\r\n");
  return n == strlen(type) && !strncasecmp(content_type, type, n);
}

// Removes ".", doubled slashes and inner "..", in place.
static void path_normalize(char* path) {
  char* out = path;
  const char* in = path;
  if (*in == '/') {
    out++;
    while (*in == '/') in++;
  }
  char* root = out;
  while (*in) {
    size_t length = strcspn(in, "/");
    bool up = length == 2 && in[0] == '.' && in[1] == '.';
    bool stay = !length || (length == 1 && in[0] == '.');
    if (up && out > root) {
      // remove the component before, unless it is itself ".."
      char* part = out - 1;
      while (part > root && part[-1] != '/') part--;
      if (strncmp(part, "../", 3)) {
        out = part;
        stay = true;
      }
    } else if (up && root > path) {
      stay = true;  // the root has no parent
    }
    if (!stay) {
      memmove(out, in, length);
      out += length;
      if (in[length]) *out++ = '/';
    }
    in += length;
    while (*in == '/') in++;
  }
  *out = 0;
}

// "prefix:" in front of a name selects a resource provider; a drive is none.
static bool has_prefix(const char* name) {
  if (!isalpha((unsigned char)*name) || system_drive(name)) return false;
  const char* c = name;
  while (isalnum((unsigned char)*c) || *c == '+' || *c == '.' || *c == '-') c++;
  return *c == ':';
}

// Does a path begin at a root, here the system's or that of a drive?
static bool is_whole(const char* path) { return *path == '/' || system_drive(path); }

char* resource_join(const char* dir, const char* name) {
  bool alone = !dir || !*dir || is_whole(name) || has_prefix(name);
  size_t ndir = alone ? 0 : strlen(dir), nname = strlen(name);
  char* path = memory_alloc(ndir + nname + 2);
  if (!path) return NULL;
  if (ndir) {
    memcpy(path, dir, ndir);
    if (path[ndir - 1] != '/') path[ndir++] = '/';
  }
  memcpy(path + ndir, name, nname + 1);
  char* start = path;
  if (has_prefix(path)) {
    start = strchr(path, ':') + 1;
    if (!strncmp(start, "//", 2)) start += 2;
  } else {
    for (char* c = path; *c; c++) *c = *c == '\\' ? '/' : *c;
    start += system_drive(path);
  }
  path_normalize(start);
  return path;
}

char* resource_relative(const char* dir, const char* path) {
  char* from = resource_join(NULL, *dir ? dir : ".");
  char* to = resource_join(NULL, path);
  char* result = NULL;
  size_t same = 0;  // length of the common folders, the last slash included
  bool apart = !from || !to || has_prefix(from) || has_prefix(to) || is_whole(from) != is_whole(to);
  if (!apart) {
    size_t n = strlen(from);
    for (size_t i = 0; to[i] && (i < n ? from[i] : '/') == to[i] && i <= n; i++) {
      if (to[i] == '/') same = i + 1;
    }
    const char* rest = same < n ? from + same : "";
    // With only the root in common the absolute path is clearer. A ".." cannot be undone by name.
    apart = (is_whole(from) && same < 2 + (size_t)system_drive(from)) || !strncmp(rest, "..", 2);
    size_t up = 0;
    while (*rest) {
      up++;
      rest += strcspn(rest, "/");
      while (*rest == '/') rest++;
    }
    result = apart ? NULL : memory_alloc(3 * up + strlen(to + same) + 1);
    if (result) {
      for (size_t i = 0; i < up; i++) memcpy(result + 3 * i, "../", 3);
      memcpy(result + 3 * up, to + same, strlen(to + same) + 1);
    }
  }
  memory_free(from);
  memory_free(to);
  return result;
}

static bool too_large(const char* path, size_t bytes, size_t limit, snFault* fault) {
  if (bytes <= limit) return false;
  fault_raise(fault, "file '%s' has %zu bytes, at most %zu are accepted", path, bytes, limit);
  return true;
}

// ---- disk: regular files only, because opening a pipe or a device can block

static bool read_all(int file, char* block, size_t bytes) {
  size_t at = 0;
  while (at < bytes) {
    size_t most = 1 << 30;  // what some systems read at once
    ssize_t got = read(file, block + at, bytes - at < most ? bytes - at : most);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

static bool disk_open(snResource* r, const char* path, size_t limit, snFault* fault) {
  if (!*path) path = ".";  // the folder itself, normalized
  int file = confine_open(path, fault);
  if (file < 0) return false;
  struct stat info;
  if (fstat(file, &info)) {
    fault_raise(fault, "Error opening file '%s': %s", path, strerror(errno));
    close(file);
    return false;
  }
  bool done = false;
  if (!S_ISREG(info.st_mode)) {
    fault_raise(fault, "Error opening file '%s': it is not a regular file", path);
  } else if (!too_large(path, (size_t)info.st_size, limit, fault)) {
    r->bytes = (size_t)info.st_size;
    r->block = memory_alloc(r->bytes + 1);
    if (!r->block) {
      fault_raise(fault, "no memory for the %zu bytes of file '%s'", r->bytes, path);
    } else if (!read_all(file, r->block, r->bytes)) {
      fault_raise(fault, "cannot read file '%s'", path);
    } else {
      ((char*)r->block)[r->bytes] = 0;
      r->data = r->block;
      done = true;
    }
  }
  close(file);
  return done;
}

// ---- providers

static bool provider_open(snResource* r, const mjpResourceProvider* provider, const char* path,
                          size_t limit, snFault* fault) {
  mjResource* resource = memory_alloc_zero(sizeof(mjResource));
  if (!resource) return fault_raise(fault, "no memory to open '%s'", path);
  resource->name = r->path;
  resource->provider = provider;
  if (!provider->open || !provider->open(resource)) {
    memory_free(resource);
    return fault_raise(fault, "the provider of '%s' could not open it", path);
  }
  r->provided = resource;
  const void* data = NULL;
  int bytes = provider->read ? provider->read(resource, &data) : -1;
  if (bytes < 0 || (bytes && !data)) {
    return fault_raise(fault, "the provider of '%s' could not read it", path);
  }
  if (too_large(path, (size_t)bytes, limit, fault)) return false;
  r->data = data ? data : "";
  r->bytes = (size_t)bytes;
  return true;
}

char* resource_dir(const snResource* r) {
  const char* dir = r->path;
  size_t n = resource_dir_length(r->path);
  if (r->provided && r->provided->provider->getdir) {
    int size = 0;
    dir = NULL;
    r->provided->provider->getdir(r->provided, &dir, &size);
    n = dir && size > 0 ? (size_t)size : 0;
  }
  char* copy = memory_alloc(n + 1);
  if (!copy) return NULL;
  if (n) memcpy(copy, dir, n);
  copy[n] = 0;
  return copy;
}

// ---- lookup in order

static bool vfs_open(snResource* r, const mjVFS* vfs, const char* name) {
  const char* base = name + resource_dir_length(name);
  const snVfsFile* file = vfs_find(vfs, name);
  if (!file) file = vfs_find(vfs, r->path);
  if (!file) file = vfs_find(vfs, base);
  if (!file) file = vfs_find_lower(vfs, base);
  if (!file) return false;
  r->data = file->data;
  r->bytes = file->bytes;
  return true;
}

bool resource_open(snResource* r, const mjVFS* vfs, const char* dir, const char* name, size_t limit,
                   snFault* fault) {
  *r = (snResource){0};
  if (!name || !*name) return fault_raise(fault, "cannot open a file without a name");
  if (limit > RESOURCE_LIMIT) limit = RESOURCE_LIMIT;
  r->path = resource_join(dir, name);
  char* plain = resource_join(NULL, name);
  bool done = false;
  if (!r->path || !plain) {
    fault_raise(fault, "no memory to open '%s'", name);
  } else if (vfs && vfs_open(r, vfs, plain)) {
    done = !too_large(name, r->bytes, limit, fault);
  } else {
    const mjpResourceProvider* provider =
        has_prefix(r->path) ? mjp_getResourceProvider(r->path) : NULL;
    if (provider && confine_active()) {
      fault_raise(fault, "cannot open '%s': a confined model is not given to resource providers",
                  name);
    } else if (provider) {
      done = provider_open(r, provider, name, limit, fault);
    } else {
      done = disk_open(r, r->path, limit, fault);
    }
  }
  memory_free(plain);
  if (!done) resource_close(r);
  return done;
}

void resource_close(snResource* r) {
  if (r->provided) {
    if (r->provided->provider->close) r->provided->provider->close(r->provided);
    memory_free(r->provided);
  }
  memory_free(r->block);
  memory_free(r->path);
  *r = (snResource){0};
}
