// Confinement of a model's files to one folder.
//
// A path is resolved (symbolic links, "..", working directory) and compared with the folder before
// the file is opened, because opening alone can have effects, on devices for instance. Between the
// two another process may exchange a part of the path, so after opening, the file must still be the
// one that the resolved path names: same device, same inode.
#include "model/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sinew/confine.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Thread_local char thread_folder[PATH_MAX];  // resolved path; empty: not confined
static _Thread_local const char* spec_folder;

int sn_confine(const char* folder) {
  if (!folder) {
    thread_folder[0] = 0;
    return 1;
  }
  char resolved[PATH_MAX];
  struct stat info;
  if (!realpath(*folder ? folder : ".", resolved) || stat(resolved, &info) ||
      !S_ISDIR(info.st_mode)) {
    return 0;
  }
  memcpy(thread_folder, resolved, strlen(resolved) + 1);
  return 1;
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
  if (n == 1) return true;  // "/"
  return !strncmp(path, folder, n) && path[n] == '/';
}

static bool refuse(const char* path, const char* folder, snFault* fault) {
  return fault_raise(fault,
                     "cannot open file '%s': no such file in folder '%s', and the model is "
                     "confined to that folder",
                     path, folder);
}

static int open_plain(const char* path) { return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); }

int confine_open(const char* path, snFault* fault) {
  if (!confine_active()) {
    int file = open_plain(path);
    if (file < 0) fault_raise(fault, "cannot open file '%s': %s", path, strerror(errno));
    return file;
  }
  const char* folders[2] = {sn_getConfine(), spec_folder};
  const char* named = folders[1] ? folders[1] : folders[0];
  char resolved[PATH_MAX];
  bool inside = realpath(path, resolved) != NULL;
  for (int i = 0; i < 2 && inside; i++) {
    if (folders[i] && !is_inside(resolved, folders[i])) {
      inside = false;
      named = folders[i];
    }
  }
  int file = inside ? open_plain(resolved) : -1;
  char again[PATH_MAX];
  struct stat opened, there;
  if (file >= 0 &&
      (fstat(file, &opened) || !realpath(resolved, again) || strcmp(again, resolved) ||
       stat(again, &there) || opened.st_dev != there.st_dev || opened.st_ino != there.st_ino)) {
    close(file);
    file = -1;
  }
  if (file < 0) refuse(path, named, fault);
  return file;
}
