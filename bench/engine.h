// Two engines with the same interface in one process: ours, inside this program, and a released
// library beside it. They get the same model (to the bit when their structs agree), are driven
// along the same trajectory and timed turn by turn. The best repeat of each counts, since noise
// only ever adds time.
#ifndef SINEW_BENCH_ENGINE_H_
#define SINEW_BENCH_ENGINE_H_

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "access.h"

typedef void (*Stage)(const mjModel*, mjData*);

typedef struct Engine_ {
  void* library;
  mjModel* m;
  mjData* d;
  const Access* access;
} Engine;

extern const Access bench_access;  // ours

enum { OURS, THEIRS };

// us. On a loaded machine SINEW_BENCH_CPU=1 takes the time of the thread, which costs a call of the
// system: not for models of a few microseconds.
static inline double bench_now(void) {
  static int clock = -1;
  if (clock < 0) clock = getenv("SINEW_BENCH_CPU") ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  struct timespec t;
  clock_gettime((clockid_t)clock, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static inline void* bench_symbol(const Engine* e, const char* name) {
  void* found = dlsym(e->library, name);
  if (!found) {
    fprintf(stderr, "bench: %s\n", dlerror());
    exit(2);
  }
  return found;
}

static inline Stage bench_stage(const Engine* e, const char* name) {
  Stage stage;
  *(void**)&stage = bench_symbol(e, name);
  return stage;
}

static inline void* bench_library(const char* path) {
  // symbols of the libraries must not meet
  void* library = dlopen(path, path ? RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND : RTLD_NOW);
  if (library) return library;
  fprintf(stderr, "bench: %s\n", dlerror());
  exit(2);
}

// Their library; `access` is a library with the table for its structs, NULL when they are ours.
static inline void bench_open(Engine e[2], const char* theirs, const char* access) {
  e[OURS] = (Engine){.library = bench_library(NULL), .access = &bench_access};
  e[THEIRS] = (Engine){.library = bench_library(theirs), .access = &bench_access};
  if (access) e[THEIRS].access = dlsym(bench_library(access), "bench_access");
  int (*version)(void);
  *(void**)&version = bench_symbol(&e[THEIRS], "mj_version");
  if (e[THEIRS].access && e[THEIRS].access->version == version()) return;
  fprintf(stderr, "bench: %s is release %d, its structs are not those of %d\n", theirs, version(),
          e[THEIRS].access ? e[THEIRS].access->version : 0);
  exit(2);
}

static inline bool bench_same_structs(const Engine e[2]) {
  return e[OURS].access == e[THEIRS].access;
}

static inline mjModel* bench_load(const Engine* e, const char* path) {
  char error[1000] = "";
  mjModel* (*load)(const char*, const mjVFS*, char*, int);
  *(void**)&load = bench_symbol(e, "mj_loadXML");
  mjModel* m = load(path, NULL, error, sizeof error);
  if (!m) fprintf(stderr, "bench: %s: %s\n", path, error);
  return m;
}

// The plugins beside their library on their engine, those beside `alike`, a released library with
// our structs, on ours (plugins.c).
void bench_plugins(const char* theirs, const char* alike);
void bench_plugin_slots(Engine e[2]);

// With structs alike the second engine loads the model and the first gets a copy of it, so that
// they have the same bits. Otherwise each loads its own.
static inline void bench_model(Engine e[2], const char* path) {
  mjModel* (*copy)(mjModel*, const mjModel*);
  *(void**)&copy = bench_symbol(&e[OURS], "mj_copyModel");
  e[THEIRS].m = bench_load(&e[THEIRS], path);
  if (!e[THEIRS].m) exit(1);
  e[OURS].m = bench_same_structs(e) ? copy(NULL, e[THEIRS].m) : bench_load(&e[OURS], path);
  if (!e[OURS].m) exit(1);
  if (bench_same_structs(e)) bench_plugin_slots(e);
  for (int k = 0; k < 2; k++) {
    mjData* (*make)(const mjModel*);
    *(void**)&make = bench_symbol(&e[k], "mj_makeData");
    e[k].d = make(e[k].m);
  }
  if (e[OURS].access->state(e[OURS].m, e[OURS].d, NULL, 0) ==
      e[THEIRS].access->state(e[THEIRS].m, e[THEIRS].d, NULL, 0)) {
    return;
  }
  fprintf(stderr, "bench: the engines do not agree on the size of the state\n");
  exit(1);
}

// A model from its text, by way of a file.
static inline void bench_text_model(Engine e[2], const char* text) {
  char path[] = "/tmp/sinew-bench-XXXXXX.xml";
  int file = mkstemps(path, 4);
  FILE* f = file >= 0 ? fdopen(file, "w") : NULL;
  if (!f || fputs(text, f) < 0 || fclose(f)) {
    fprintf(stderr, "bench: no temporary file\n");
    exit(2);
  }
  bench_model(e, path);
  unlink(path);
}

// uniform in [-1, 1], the same everywhere
static inline double bench_uniform(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

// States along a trajectory of an engine, after 200 steps; controls are filtered noise over their
// range.
static inline mjtNum* bench_record(Engine* e, int count, int* size) {
  const Access* access = e->access;
  Stage step = bench_stage(e, "mj_step");
  int nu = access->size(e->m, e->d, SIZE_NU);
  *size = access->state(e->m, e->d, NULL, 0);
  mjtNum* all = malloc(sizeof(mjtNum) * (size_t)count * (size_t)*size);
  double* noise = calloc((size_t)nu + 1, sizeof *noise);
  unsigned long long seed = 1;
  access->begin(e->m, e->d);
  for (int i = -200; i < count; i++) {
    for (int u = 0; u < nu; u++) {
      noise[u] = 0.95 * noise[u] + 0.3 * bench_uniform(&seed);
      access->control(e->m, e->d, u, fmax(-1, fmin(1, noise[u])));
    }
    if (i >= 0) access->state(e->m, e->d, all + (size_t)i * (size_t)*size, 0);
    step(e->m, e->d);
  }
  free(noise);
  return all;
}

static inline void bench_set_state(Engine* e, const mjtNum* state) {
  e->access->state(e->m, e->d, (mjtNum*)state, 1);
}

static inline void bench_report(const char* model, const char* call, const double best[2]) {
  printf(
      "{\"model\": \"%s\", \"call\": \"%s\", \"ours_us\": %.4f, \"theirs_us\": %.4f, "
      "\"ratio\": %.3f}\n",
      model, call, best[OURS], best[THEIRS], best[THEIRS] / best[OURS]);
  fflush(stdout);
}

// The value of an option such as --states, or its default.
static inline const char* bench_option(int argc, char** argv, const char* name, const char* value) {
  for (int i = 1; i + 1 < argc; i++) {
    if (!strcmp(argv[i], name)) value = argv[i + 1];
  }
  return value;
}

// One mode each: THEIRS MODEL and options; JSON lines on standard output.
// Least squares of log t on log n: cov / var.
static inline double bench_slope(const double* n, const double* t, int count) {
  double sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (int i = 0; i < count; i++) {
    double x = log(n[i]), y = log(t[i]);
    sx += x, sxx += x * x, sy += y, sxy += x * y;
  }
  return (sxy - sx * sy / count) / (sxx - sx * sx / count);
}

int bench_compare(int argc, char** argv);
int bench_smooth(int argc, char** argv);
int bench_collide(int argc, char** argv);
int bench_scale(int argc, char** argv);
int bench_invert(int argc, char** argv);
int bench_hard(int argc, char** argv);
int bench_hold(int argc, char** argv);
int bench_newton(int argc, char** argv);

#endif
