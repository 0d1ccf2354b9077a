// What JavaScript needs beside the documented functions: where the fields of the public structs
// are, models from files in memory, errors as exceptions, hashes of states.
#include <mujoco/mujoco.h>
#include <sinew/ask.h>
#include <sinew/version.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- fields

typedef struct Field_ {
  const char* text;  // struct, kind, type, name, then rows and columns of an array
  int offset, count;
} Field;

#define MEMBER(s, type, name, count) {#s " = " #type " " #name, offsetof(s, name), count},
#define POINTER(s, type, name, count) {#s " * " #type " " #name, offsetof(s, name), 0},
#define ARRAY(s, type, name, rows, columns) \
  {#s " [] " #type " " #name " " #rows " " #columns, offsetof(s, name), 0},
#define SIZE(s) {#s " sizeof", sizeof(s), 0},
static const Field fields[] = {
    SIZE(mjOption) SIZE(mjVisual) SIZE(mjStatistic) SIZE(mjContact) SIZE(mjWarningStat)
        SIZE(mjTimerStat) SIZE(mjSolverStat) SIZE(mjvPerturb) SIZE(mjvCamera) SIZE(mjvGLCamera)
            SIZE(mjvGeom) SIZE(mjvLight) SIZE(mjvOption) SIZE(mjvScene) SIZE(mjVFS)
#include "fields.inc"
};

const Field* bridge_fields(int* count) {
  *count = sizeof fields / sizeof *fields;
  return fields;
}

// ---- errors and warnings go to JavaScript; the first one throws, through the frames of the engine

__attribute__((import_module("env"), import_name("bridge_error"))) void host_error(
    const char* text);
__attribute__((import_module("env"), import_name("bridge_warning"))) void host_warning(
    const char* text);
__attribute__((import_module("env"), import_name("bridge_now"))) double host_now(void);

static void tell_error(const char* text) { host_error(text); }
static void tell_warning(const char* text) { host_warning(text); }
static double now(void) { return host_now(); }

void bridge_start(void) {
  mju_user_error = tell_error;
  mju_user_warning = tell_warning;
}

// Fills mjData.timer from now on, in milliseconds, or leaves it alone.
void bridge_time(int on) { mjcb_time = on ? now : NULL; }

const char* bridge_version(void) { return sn_version(); }

// ---- models

// `ask` has lines "name=value" for sn_ask. NULL with the reason in `error`.
mjModel* bridge_load(const char* path, const mjVFS* vfs, char* ask, char* error, int size) {
  error[0] = 0;
  size_t n = strlen(path);
  if (n > 4 && !strcmp(path + n - 4, ".mjb")) {
    mjModel* m = mj_loadModel(path, vfs);
    if (!m && !error[0]) snprintf(error, (size_t)size, "%s: not a binary model", path);
    return m;
  }
  mjSpec* s = mj_parseXML(path, vfs, error, size);
  if (!s) return NULL;
  for (char* line = strtok(ask, "\n"); line; line = strtok(NULL, "\n")) {
    char* value = strchr(line, '=');
    if (!value) continue;
    *value++ = 0;
    sn_ask(s, line, value);
  }
  mjModel* m = mj_compile(s, vfs);
  const char* said = mjs_getError(s);
  if (said && said[0]) snprintf(error, (size_t)size, "%s", said);
  mj_deleteSpec(s);
  return m;
}

// ---- hashes: of numbers, each by its bits, as tests/golden/trajectory.c has them

void bridge_hash(const mjtNum* x, int n, uint64_t* hash) {
  uint64_t h = *hash;
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
  }
  *hash = h;
}
