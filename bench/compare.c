// Whole calls of two engines over the states of one trajectory.
//
//   compare OURS.so THEIRS.so MODEL.xml [--mode step|forward|inverse|stages|load] [--states n]
//           [--repeats n] [--solver pgs|cg|newton] [--cone pyramidal|elliptic]
//           [--integrator euler|rk4|implicit|implicitfast] [--jacobian dense|sparse|auto]
//
// Each repeat visits every state once, so that what an engine keeps from step to step helps as it
// does in a simulation and no more. The best repeat of every state counts, so that a preempted call
// spoils one state of one repeat. Prints one JSON object per measurement.
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"

// Time a stage at all states once, keeping the best time of each; `before` runs untimed.
static void run(Engine* e, const mjtNum* states, int count, int size, Stage before, Stage timed,
                double* best) {
  for (int i = 0; i < count; i++) {
    bench_set_state(e, states + (size_t)i * (size_t)size);
    if (before) before(e->m, e->d);
    double start = bench_now();
    timed(e->m, e->d);
    best[i] = fmin(best[i], bench_now() - start);
  }
}

// Microseconds per call, the mean over states.
static void measure(Engine e[2], const mjtNum* states, int count, int size, int repeats,
                    const char* before, const char* timed, const char* model) {
  double* best = malloc(sizeof(double) * 2 * (size_t)count);
  double mean[2] = {0, 0};
  for (int i = 0; i < 2 * count; i++) best[i] = INFINITY;
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) {
      Stage first = before ? bench_stage(&e[k], before) : NULL;
      run(&e[k], states, count, size, first, bench_stage(&e[k], timed), best + k * count);
    }
  }
  for (int i = 0; i < 2 * count; i++) mean[i / count] += best[i] / count;
  bench_report(model, timed, mean);
  free(best);
}

// An option of the model given by name; unknown names end the program.
static void set_option(int argc, char** argv, const char* option, const char* const* names,
                       int* const target[2]) {
  const char* value = bench_option(argc, argv, option, NULL);
  if (!value) return;
  for (int i = 0; names[i]; i++) {
    if (strcmp(names[i], value)) continue;
    *target[0] = *target[1] = i;
    return;
  }
  fprintf(stderr, "bench: %s does not know %s\n", option, value);
  exit(2);
}

static void set_options(int argc, char** argv, Engine e[2]) {
  static const char* const solver[] = {"pgs", "cg", "newton", NULL};
  static const char* const cone[] = {"pyramidal", "elliptic", NULL};
  static const char* const integrator[] = {"euler", "rk4", "implicit", "implicitfast", NULL};
  static const char* const jacobian[] = {"dense", "sparse", "auto", NULL};
  mjOption *a = &e[OURS].m->opt, *b = &e[THEIRS].m->opt;
  set_option(argc, argv, "--solver", solver, (int*[2]){&a->solver, &b->solver});
  set_option(argc, argv, "--cone", cone, (int*[2]){&a->cone, &b->cone});
  set_option(argc, argv, "--integrator", integrator, (int*[2]){&a->integrator, &b->integrator});
  set_option(argc, argv, "--jacobian", jacobian, (int*[2]){&a->jacobian, &b->jacobian});
}

// Time of one load in a process of its own: nothing is kept between loads.
static double load_once(const Engine* e, const char* path) {
  int ends[2];
  double time = INFINITY;
  if (pipe(ends)) return time;
  pid_t child = fork();
  if (child == 0) {
    double start = bench_now();
    time = bench_load(e, path) ? bench_now() - start : INFINITY;
    _exit(write(ends[1], &time, sizeof time) != sizeof time);
  }
  close(ends[1]);
  if (read(ends[0], &time, sizeof time) != sizeof time) time = INFINITY;
  close(ends[0]);
  waitpid(child, NULL, 0);
  return time;
}

static int measure_load(const Engine e[2], const char* path, int repeats) {
  double best[2] = {INFINITY, INFINITY};
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) best[k] = fmin(best[k], load_once(&e[k], path));
  }
  if (isinf(best[OURS]) || isinf(best[THEIRS])) return 1;
  bench_report(path, "mj_loadXML", best);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: compare OURS THEIRS MODEL [--mode m] [--states n] [--repeats n]\n");
    return 2;
  }
  const char *mode = bench_option(argc, argv, "--mode", "step"), *path = argv[3];
  int count = atoi(bench_option(argc, argv, "--states", "200")), size;
  int repeats = atoi(bench_option(argc, argv, "--repeats", "30"));
  Engine e[2];
  bench_open(e, argv[1], argv[2]);
  if (!strcmp(mode, "load")) return measure_load(e, path, repeats);
  bench_model(e, path);
  set_options(argc, argv, e);
  mjtNum* states = bench_record(&e[THEIRS], count, &size);

  static const char* stages[][2] = {{NULL, "mj_fwdPosition"},
                                    {"mj_fwdPosition", "mj_makeConstraint"},
                                    {"mj_fwdPosition", "mj_fwdVelocity"},
                                    {"mj_fwdPosition", "mj_fwdActuation"},
                                    {"mj_forward", "mj_fwdConstraint"},
                                    {NULL, "mj_forward"},
                                    {NULL, "mj_step"}};
  if (!strcmp(mode, "stages")) {
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
      measure(e, states, count, size, repeats, stages[i][0], stages[i][1], path);
    }
  } else {
    char call[64];
    snprintf(call, sizeof call, "mj_%s", mode);
    measure(e, states, count, size, repeats, !strcmp(mode, "inverse") ? "mj_forward" : NULL, call,
            path);
  }
  free(states);
  return 0;
}
