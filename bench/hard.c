// Hard contact against soft contact on the same states, Sinew alone: walls of bricks and piles of
// boxes with masses from 1 to 100. Each state of a hard trajectory is stepped softly as well; times
// are those of the thread. The slope of log(time) over log(boxes) tells how the cost grows.
#include <sinew/solver.h>

#include "engine.h"

typedef struct Scene_ {
  const char* kind;
  int n, steps;
} Scene;

typedef struct Cost_ {
  double hard, soft, worst;  // ms: means, and the longest hard step
  double contacts;
  int steps, missed;
} Cost;

// Bricks in bond, `n` courses.
static void put_wall(FILE* f, int n) {
  for (int row = 0; row < n; row++) {
    for (int k = 0; k < n - row % 2; k++) {
      fprintf(f, "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.2 .1 .1'/></body>",
              0.4 * k + 0.2 * (row % 2), 0.1 + 0.2 * row);
    }
  }
}

// Boxes dropped in layers of 4 x 4, turned and shifted at random, masses 1 to 100.
static void put_pile(FILE* f, int n) {
  unsigned long long seed = 3;
  for (int i = 0; i < n; i++) {
    double a[6];
    for (int k = 0; k < 6; k++) a[k] = bench_uniform(&seed);
    fprintf(f,
            "<body pos='%g %g %g' euler='%g %g %g'><freejoint/>"
            "<geom type='box' size='.1 .1 .1' mass='%g'/></body>",
            0.23 * (i % 4) + 0.03 * a[0], 0.23 * (i / 4 % 4) + 0.03 * a[1], 0.15 + 0.25 * (i / 16),
            20 * a[2], 20 * a[3], 20 * a[4], pow(10, 1 + a[5]));
  }
}

static mjModel* scene_compile(const Scene* s) {
  char *text, error[300];
  size_t bytes;
  FILE* f = open_memstream(&text, &bytes);
  fprintf(f, "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='9 9 1'/>");
  if (!strcmp(s->kind, "wall"))
    put_wall(f, s->n);
  else
    put_pile(f, s->n);
  fprintf(f, "</worldbody></mujoco>");
  fclose(f);
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec) mj_deleteSpec(spec);
  free(text);
  return m;
}

static double thread_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static double timed_step(const mjModel* m, mjData* d) {
  double start = thread_ms();
  mj_step(m, d);
  return thread_ms() - start;
}

static Cost measure(const Scene* s, const char* solver) {
  mjModel* m = scene_compile(s);
  if (!m) {
    fprintf(stderr, "bench: no memory\n");
    exit(1);
  }
  mjData *hard = mj_makeData(m), *soft = mj_makeData(m);
  if (!sn_setSolver(m, hard, solver)) exit(2);
  int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)size);
  Cost c = {.steps = s->steps};
  for (int i = 0; i < s->steps; i++) {
    mj_getState(m, hard, state, mjSTATE_INTEGRATION);
    mj_setState(m, soft, state, mjSTATE_INTEGRATION);
    c.soft += timed_step(m, soft) / s->steps;
    double ms = timed_step(m, hard);
    c.hard += ms / s->steps;
    c.worst = fmax(c.worst, ms);
    c.contacts += (double)hard->ncon / s->steps;
    snSolverReport report;
    c.missed += sn_getReport(m, hard, &report) && !report.converged;
    if (getenv("SINEW_BENCH_STEPS")) {
      printf("# step %d: %.2f ms, %d contacts, %d iterations, natural map %.1e, %d\n", i, ms,
             hard->ncon, report.iterations, report.r_natural, report.converged);
    }
  }
  free(state);
  mj_deleteData(hard);
  mj_deleteData(soft);
  mj_deleteModel(m);
  return c;
}

int bench_hard(int argc, char** argv) {
  static const Scene scenes[] = {
      {"wall", 4, 100},   {"wall", 6, 100},   {"wall", 7, 100},  {"wall", 9, 100},
      {"wall", 13, 60},   {"pile", 30, 300},  {"pile", 60, 300}, {"pile", 120, 300},
      {"pile", 240, 300}, {"pile", 480, 150},
  };
  const char* solver = bench_option(argc, argv, "--solver", "admm-ncp");
  const char* only = bench_option(argc, argv, "--scene", "");
  double size[16], time[16];
  int piles = 0;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    char label[32];
    snprintf(label, sizeof label, "%s:%d", scenes[i].kind, scenes[i].n);
    if (!strstr(label, only)) continue;
    Cost c = measure(scenes + i, solver);
    printf(
        "{\"scene\": \"%s\", \"contacts\": %.0f, \"hard_ms\": %.3f, \"soft_ms\": %.3f, \"times\": "
        "%.1f, \"longest_ms\": %.1f, \"unconverged\": \"%d of %d\"}\n",
        label, c.contacts, c.hard, c.soft, c.hard / c.soft, c.worst, c.missed, c.steps);
    fflush(stdout);
    if (strcmp(scenes[i].kind, "pile")) continue;
    size[piles] = scenes[i].n;
    time[piles++] = c.hard;
  }
  if (piles > 1) printf("{\"scene\": \"pile\", \"slope\": %.2f}\n", bench_slope(size, time, piles));
  return 0;
}
