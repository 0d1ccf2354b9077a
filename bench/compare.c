// Two engines with the same interface in one process: the same states, turn by turn, best of many.
//
//   compare OURS.so THEIRS.so MODEL.xml [--mode step|forward|inverse|stages|load] [--states n]
//           [--repeats n]
//
// States come from a trajectory of the second engine under smooth random controls. Each repeat runs
// all states through one engine, then through the other; the best repeat of each counts, since
// noise only ever adds time. Prints one JSON object per measurement.
#include <dlfcn.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void (*Stage)(const mjModel*, mjData*);

typedef struct Engine_ {
  void* library;
  mjModel* (*load)(const char*, const mjVFS*, char*, int);
  mjModel* (*copy_model)(mjModel*, const mjModel*);
  void (*delete_model)(mjModel*);
  mjData* (*make_data)(const mjModel*);
  void (*delete_data)(mjData*);
  void (*reset)(const mjModel*, mjData*);
  int (*state_size)(const mjModel*, unsigned int);
  void (*get_state)(const mjModel*, const mjData*, mjtNum*, unsigned int);
  void (*set_state)(const mjModel*, mjData*, const mjtNum*, unsigned int);
  mjModel* m;
  mjData* d;
} Engine;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "compare: %s\n", dlerror());
    exit(2);
  }
  return found;
}

static Engine engine_open(const char* path) {
  Engine e = {0};
  // symbols of the two libraries must not meet
  e.library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!e.library) {
    fprintf(stderr, "compare: %s\n", dlerror());
    exit(2);
  }
  *(void**)&e.load = symbol(e.library, "mj_loadXML");
  *(void**)&e.copy_model = symbol(e.library, "mj_copyModel");
  *(void**)&e.delete_model = symbol(e.library, "mj_deleteModel");
  *(void**)&e.make_data = symbol(e.library, "mj_makeData");
  *(void**)&e.delete_data = symbol(e.library, "mj_deleteData");
  *(void**)&e.reset = symbol(e.library, "mj_resetData");
  *(void**)&e.state_size = symbol(e.library, "mj_stateSize");
  *(void**)&e.get_state = symbol(e.library, "mj_getState");
  *(void**)&e.set_state = symbol(e.library, "mj_setState");
  return e;
}

// uniform in [-1, 1], the same everywhere
static double uniform(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

// States along a trajectory: controls are filtered noise over their range.
static mjtNum* record(Engine* e, int states, int size) {
  const mjModel* m = e->m;
  mjData* d = e->d;
  Stage step;
  *(void**)&step = symbol(e->library, "mj_step");
  mjtNum* all = malloc(sizeof(mjtNum) * (size_t)states * (size_t)size);
  unsigned long long seed = 1;
  double* noise = calloc((size_t)m->nu + 1, sizeof *noise);
  e->reset(m, d);
  if (m->nkey) memcpy(d->qpos, m->key_qpos, sizeof(mjtNum) * (size_t)m->nq);
  for (int i = -200; i < states; i++) {
    for (int u = 0; u < m->nu; u++) {
      noise[u] = 0.95 * noise[u] + 0.3 * uniform(&seed);
      double lo = m->actuator_ctrllimited[u] ? m->actuator_ctrlrange[2 * u] : -1;
      double hi = m->actuator_ctrllimited[u] ? m->actuator_ctrlrange[2 * u + 1] : 1;
      d->ctrl[u] = (lo + hi) / 2 + (hi - lo) / 2 * fmax(-1, fmin(1, noise[u]));
    }
    if (i >= 0) e->get_state(m, d, all + (size_t)i * (size_t)size, mjSTATE_INTEGRATION);
    step(m, d);
  }
  free(noise);
  return all;
}

// Microseconds per call of a stage over all states; `before` runs untimed at each state.
static double run(Engine* e, const mjtNum* states, int count, int size, Stage before, Stage timed) {
  double sum = 0;
  if (!before) {
    double start = now();
    for (int i = 0; i < count; i++) {
      e->set_state(e->m, e->d, states + (size_t)i * (size_t)size, mjSTATE_INTEGRATION);
      timed(e->m, e->d);
    }
    return (now() - start) / count;
  }
  for (int i = 0; i < count; i++) {
    e->set_state(e->m, e->d, states + (size_t)i * (size_t)size, mjSTATE_INTEGRATION);
    before(e->m, e->d);
    double start = now();
    for (int k = 0; k < 4; k++) timed(e->m, e->d);
    sum += (now() - start) / 4;
  }
  return sum / count;
}

static void measure(Engine* ours, Engine* theirs, const mjtNum* states, int count, int size,
                    int repeats, const char* before, const char* timed, const char* model) {
  Stage b[2] = {NULL, NULL}, t[2];
  Engine* e[2] = {ours, theirs};
  double best[2] = {INFINITY, INFINITY};
  for (int k = 0; k < 2; k++) {
    if (before) *(void**)&b[k] = symbol(e[k]->library, before);
    *(void**)&t[k] = symbol(e[k]->library, timed);
  }
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) {
      best[k] = fmin(best[k], run(e[k], states, count, size, b[k], t[k]));
    }
  }
  printf(
      "{\"model\": \"%s\", \"call\": \"%s\", \"ours_us\": %.3f, \"theirs_us\": %.3f, "
      "\"ratio\": %.3f}\n",
      model, timed, best[0], best[1], best[1] / best[0]);
  fflush(stdout);
}

// Time of one load in a process of its own: nothing is kept between loads.
static double load_once(Engine* e, const char* path) {
  int ends[2];
  double time = INFINITY;
  if (pipe(ends)) return time;
  pid_t child = fork();
  if (child == 0) {
    char error[1000];
    double start = now();
    mjModel* m = e->load(path, NULL, error, sizeof error);
    time = m ? now() - start : INFINITY;
    _exit(write(ends[1], &time, sizeof time) != sizeof time);
  }
  close(ends[1]);
  if (read(ends[0], &time, sizeof time) != sizeof time) time = INFINITY;
  close(ends[0]);
  waitpid(child, NULL, 0);
  return time;
}

static void measure_load(Engine* ours, Engine* theirs, const char* path, int repeats) {
  Engine* e[2] = {ours, theirs};
  double best[2] = {INFINITY, INFINITY};
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) best[k] = fmin(best[k], load_once(e[k], path));
  }
  if (isinf(best[0]) || isinf(best[1])) {
    fprintf(stderr, "compare: %s does not load in %s\n", path, isinf(best[0]) ? "ours" : "theirs");
    exit(1);
  }
  printf(
      "{\"model\": \"%s\", \"call\": \"mj_loadXML\", \"ours_us\": %.3f, \"theirs_us\": %.3f, "
      "\"ratio\": %.3f}\n",
      path, best[0], best[1], best[1] / best[0]);
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: compare OURS THEIRS MODEL [--mode m] [--states n] [--repeats n]\n");
    return 2;
  }
  const char *mode = "step", *path = argv[3];
  int count = 200, repeats = 30;
  for (int i = 4; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--mode")) mode = argv[i + 1];
    if (!strcmp(argv[i], "--states")) count = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--repeats")) repeats = atoi(argv[i + 1]);
  }
  Engine ours = engine_open(argv[1]), theirs = engine_open(argv[2]);
  if (!strcmp(mode, "load")) {
    measure_load(&ours, &theirs, path, repeats);
    return 0;
  }
  char error[1000] = "";
  theirs.m = theirs.load(path, NULL, error, sizeof error);
  if (!theirs.m) {
    fprintf(stderr, "compare: %s: %s\n", path, error);
    return 1;
  }
  ours.m = ours.copy_model(NULL, theirs.m);  // the same model to the bit
  if (!ours.m) return 1;
  ours.d = ours.make_data(ours.m);
  theirs.d = theirs.make_data(theirs.m);
  int size = theirs.state_size(theirs.m, mjSTATE_INTEGRATION);
  mjtNum* states = record(&theirs, count, size);

  const char* stages[][2] = {{NULL, "mj_kinematics"},
                             {"mj_kinematics", "mj_comPos"},
                             {"mj_fwdPosition", "mj_makeM"},
                             {"mj_fwdPosition", "mj_factorM"},
                             {"mj_fwdPosition", "mj_collision"},
                             {"mj_fwdPosition", "mj_makeConstraint"},
                             {"mj_fwdPosition", "mj_fwdVelocity"},
                             {"mj_forward", "mj_fwdActuation"},
                             {"mj_forward", "mj_fwdConstraint"},
                             {NULL, "mj_fwdPosition"},
                             {NULL, "mj_step"}};
  if (!strcmp(mode, "stages")) {
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
      measure(&ours, &theirs, states, count, size, repeats, stages[i][0], stages[i][1], path);
    }
  } else {
    const char* before = !strcmp(mode, "inverse") ? "mj_forward" : NULL;
    char call[64];
    snprintf(call, sizeof call, "mj_%s", mode);
    measure(&ours, &theirs, states, count, size, repeats, before, call, path);
  }
  free(states);
  ours.delete_data(ours.d);
  ours.delete_model(ours.m);
  theirs.delete_data(theirs.d);
  theirs.delete_model(theirs.m);
  return 0;
}
