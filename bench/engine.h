// Two engines with the same interface in one process: opened side by side, given the same model to
// the bit, driven along the same trajectory, timed turn by turn. The best repeat of each counts,
// since noise only ever adds time.
#ifndef SINEW_BENCH_ENGINE_H_
#define SINEW_BENCH_ENGINE_H_

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*Stage)(const mjModel*, mjData*);

typedef struct Engine_ {
  void* library;
  mjModel* m;
  mjData* d;
  void (*set_state)(const mjModel*, mjData*, const mjtNum*, unsigned int);
} Engine;

enum { OURS, THEIRS };

static inline double bench_now(void) {  // us
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
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

static inline void bench_open(Engine e[2], const char* ours, const char* theirs) {
  const char* path[2] = {ours, theirs};
  for (int k = 0; k < 2; k++) {
    e[k] = (Engine){0};
    // symbols of the two libraries must not meet
    e[k].library = dlopen(path[k], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!e[k].library) {
      fprintf(stderr, "bench: %s\n", dlerror());
      exit(2);
    }
  }
}

static inline mjModel* bench_load(const Engine* e, const char* path) {
  char error[1000] = "";
  mjModel* (*load)(const char*, const mjVFS*, char*, int);
  *(void**)&load = bench_symbol(e, "mj_loadXML");
  mjModel* m = load(path, NULL, error, sizeof error);
  if (!m) fprintf(stderr, "bench: %s: %s\n", path, error);
  return m;
}

// The second engine loads the model, the first gets a copy of it; data for both.
static inline void bench_model(Engine e[2], const char* path) {
  mjModel* (*copy)(mjModel*, const mjModel*);
  *(void**)&copy = bench_symbol(&e[OURS], "mj_copyModel");
  e[THEIRS].m = bench_load(&e[THEIRS], path);
  e[OURS].m = e[THEIRS].m ? copy(NULL, e[THEIRS].m) : NULL;
  if (!e[OURS].m) exit(1);
  for (int k = 0; k < 2; k++) {
    mjData* (*make)(const mjModel*);
    *(void**)&make = bench_symbol(&e[k], "mj_makeData");
    e[k].d = make(e[k].m);
    *(void**)&e[k].set_state = bench_symbol(&e[k], "mj_setState");
  }
}

// uniform in [-1, 1], the same everywhere
static inline double bench_uniform(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

// States (mjSTATE_INTEGRATION) along a trajectory of an engine, after 200 steps; controls are
// filtered noise over their range.
static inline mjtNum* bench_record(Engine* e, int count, int* size) {
  int (*state_size)(const mjModel*, unsigned int);
  void (*get_state)(const mjModel*, const mjData*, mjtNum*, unsigned int);
  *(void**)&state_size = bench_symbol(e, "mj_stateSize");
  *(void**)&get_state = bench_symbol(e, "mj_getState");
  Stage step = bench_stage(e, "mj_step");
  const mjModel* m = e->m;
  mjData* d = e->d;
  *size = state_size(m, mjSTATE_INTEGRATION);
  mjtNum* all = malloc(sizeof(mjtNum) * (size_t)count * (size_t)*size);
  double* noise = calloc((size_t)m->nu + 1, sizeof *noise);
  unsigned long long seed = 1;
  if (m->nkey) memcpy(d->qpos, m->key_qpos, sizeof(mjtNum) * (size_t)m->nq);
  for (int i = -200; i < count; i++) {
    for (int u = 0; u < m->nu; u++) {
      noise[u] = 0.95 * noise[u] + 0.3 * bench_uniform(&seed);
      double lo = m->actuator_ctrllimited[u] ? m->actuator_ctrlrange[2 * u] : -1;
      double hi = m->actuator_ctrllimited[u] ? m->actuator_ctrlrange[2 * u + 1] : 1;
      d->ctrl[u] = (lo + hi) / 2 + (hi - lo) / 2 * fmax(-1, fmin(1, noise[u]));
    }
    if (i >= 0) get_state(m, d, all + (size_t)i * (size_t)*size, mjSTATE_INTEGRATION);
    step(m, d);
  }
  free(noise);
  return all;
}

static inline void bench_set_state(Engine* e, const mjtNum* state) {
  e->set_state(e->m, e->d, state, mjSTATE_INTEGRATION);
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
  for (int i = 4; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], name)) value = argv[i + 1];
  }
  return value;
}

#endif
