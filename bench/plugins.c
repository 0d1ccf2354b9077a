// The released plugin libraries on both engines: theirs as they are, ours those of the release with
// our structs, as copies that do not name its library and so find this program's functions.
#include <dirent.h>

#include "engine.h"

static void* load(const char* path, int flags) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
  if (!library) fprintf(stderr, "bench: %s\n", dlerror());
  return library;
}

// A copy whose one mention of `name` is that of a library which every program has.
static void load_copy(const char* path, const char* name) {
  static const char other[] = "libm.so.6";
  char target[] = "/tmp/sinew-bench-XXXXXX.so";
  FILE* in = fopen(path, "rb");
  if (!in) return;
  fseek(in, 0, SEEK_END);
  long size = ftell(in);
  rewind(in);
  char* bytes = malloc((size_t)size);
  bool read = bytes && fread(bytes, 1, (size_t)size, in) == (size_t)size;
  fclose(in);
  size_t length = strlen(name) + 1;
  for (long i = 0; read && i + (long)length <= size; i++) {
    if (memcmp(bytes + i, name, length)) continue;
    memset(bytes + i, 0, length);
    memcpy(bytes + i, other, sizeof other);
  }
  int file = read ? mkstemps(target, 3) : -1;
  FILE* out = file >= 0 ? fdopen(file, "wb") : NULL;
  bool written = out && fwrite(bytes, 1, (size_t)size, out) == (size_t)size;
  if (out) written &= !fclose(out);
  free(bytes);
  if (written) load(target, 0);
  if (file >= 0) unlink(target);
}

static int shared_object(const struct dirent* entry) {
  const char* dot = strrchr(entry->d_name, '.');
  return dot && !strcmp(dot, ".so");
}

// Every plugin beside a released library: as it is, or as a copy for this program.
static void load_all(const char* library, bool ours) {
  const char* slash = strrchr(library, '/');
  const char* name = slash ? slash + 1 : library;
  char folder[2048], path[4096];
  snprintf(folder, sizeof folder, "%.*splugin", (int)(name - library), library);
  struct dirent** entry;
  int n = scandir(folder, &entry, shared_object, alphasort);
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    if (ours) {
      load_copy(path, name);
    } else {
      load(path, RTLD_DEEPBIND);  // their functions before ours
    }
    free(entry[i]);
  }
  if (n >= 0) free(entry);
}

void bench_plugins(const char* theirs, const char* alike) {
  load_all(theirs, false);
  load_all(alike, true);
}

// Plugins of a copied model by name: the engines may count them differently.
void bench_plugin_slots(Engine e[2]) {
  const mjpPlugin* (*at)(int);
  const mjpPlugin* (*find)(const char*, int*);
  *(void**)&at = bench_symbol(&e[THEIRS], "mjp_getPluginAtSlot");
  *(void**)&find = bench_symbol(&e[OURS], "mjp_getPlugin");
  for (int i = 0; i < e[OURS].m->nplugin; i++) {
    const mjpPlugin* plugin = at(e[OURS].m->plugin[i]);
    int slot = -1;
    if (plugin) find(plugin->name, &slot);
    if (slot < 0) {
      fprintf(stderr, "bench: a plugin of the model is not on both engines\n");
      exit(1);
    }
    e[OURS].m->plugin[i] = slot;
  }
}
