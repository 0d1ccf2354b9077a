// Confinement of a model's files to one folder.
//
// A path is resolved (symbolic links, "..", working directory) and compared with the folder before
// the file is opened, because opening alone can have effects, on devices for instance. Between the
// two another process may exchange a part of the path, so after opening, the file must still be the
// one that the resolved path names: same device, same inode.
#include "model/confine.h"

#include <errno.h>
#include <sinew/confine.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

static _Thread_local char thread_folder[4096];  // resolved path; empty: not confined
static _Thread_local const char* spec_folder;

int sn_confine(const char* folder) {
  if (!folder) {
    thread_folder[0] = 0;
    return 1;
  }
  char* resolved = system_resolve(*folder ? folder : ".");
  size_t n = resolved ? strlen(resolved) : 0;
  bool fits = n && n < sizeof thread_folder && system_is_folder(resolved);
  if (fits) memcpy(thread_folder, resolved, n + 1);
  free(resolved);
  return fits;
}

const char* sn_getConfine(void) { return thread_folder[0] ? thread_folder : NULL; }

bool confine_active(void) { return thread_folder[0] || spec_folder; }

const char* confine_spec(const char* folder) {
  const char* before = spec_folder;
  spec_folder = folder && *folder ? folder : NULL;
  return before;
}

// Both are resolved paths: a file is inside when its path begins with the folder's and a slash.
static bool is_inside(const char* path, const char* folder) {
  size_t n = strlen(folder);
  if (n && folder[n - 1] == '/') return !strncmp(path, folder, n);  // the root, or that of a drive
  return !strncmp(path, folder, n) && path[n] == '/';
}

static bool refuse(const char* path, const char* folder, snFault* fault) {
  return fault_raise(fault,
                     "Error opening file '%s': no such file in folder '%s', and the model is "
                     "confined to that folder",
                     path, folder);
}

// Opened when it is inside of the folders, and still what its resolved path names; else -1, and the
// folder that it is not in.
static int open_inside(const char* path, const char* const folder[2], const char** missed) {
  char* resolved = system_resolve(path);
  bool inside = resolved != NULL;
  for (int i = 0; i < 2 && inside; i++) {
    if (folder[i] && !is_inside(resolved, folder[i])) {
      inside = false;
      *missed = folder[i];
    }
  }
  int file = inside ? system_open(resolved) : -1;
  if (file >= 0) {
    char* again = system_resolve(resolved);
    if (!again || strcmp(again, resolved) || !system_same_file(file, again)) {
      close(file);
      file = -1;
    }
    free(again);
  }
  free(resolved);
  return file;
}

int confine_open(const char* path, snFault* fault) {
  if (!confine_active()) {
    int file = system_open(path);
    if (file < 0) fault_raise(fault, "Error opening file '%s': %s", path, strerror(errno));
    return file;
  }
  const char* folders[2] = {sn_getConfine(), spec_folder};
  const char* named = folders[1] ? folders[1] : folders[0];
  int file = open_inside(path, folders, &named);
  if (file < 0) refuse(path, named, fault);
  return file;
}
