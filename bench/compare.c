// Whole calls of two engines over the states of one trajectory.
//   --mode step|forward|inverse|transition|inversefd|derive|stages|load [--states n] [--repeats n]
//   [--solver pgs|cg|newton] [--cone pyramidal|elliptic] [--jacobian dense|sparse|auto]
//   [--integrator euler|rk4|implicit|implicitfast] [--plugins library]
//
// Each repeat visits every state once, so that what an engine keeps from step to step helps as it
// does in a simulation and no more. The best repeat of every state counts, so that a preempted call
// spoils one state of one repeat. Prints one JSON object per measurement.
#include <sinew/derive.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"

// Time a stage at all states once, keeping the best time of each; stages named in `before` run
// untimed. The solver starts from the state's warm start, not from its own solution.
static void run(Engine* e, const mjtNum* states, int count, int size, const char* before,
                Stage timed, double* best) {
  Stage first[8];
  char name[256], *rest = name;
  int nfirst = 0;
  snprintf(name, sizeof name, "%s", before);
  for (char* word; (word = strtok_r(rest, " ", &rest));) first[nfirst++] = bench_stage(e, word);
  for (int i = 0; i < count; i++) {
    bench_set_state(e, states + (size_t)i * (size_t)size);
    for (int k = 0; k < nfirst; k++) first[k](e->m, e->d);
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
      run(&e[k], states, count, size, before, bench_stage(&e[k], timed), best + k * count);
    }
  }
  for (int i = 0; i < 2 * count; i++) mean[i / count] += best[i] / count;
  bench_report(model, timed, mean);
  free(best);
}

// An option of the model given by name; unknown names end the program.
static void set_option(int argc, char** argv, Engine e[2], const char* option, int which,
                       const char* const* names) {
  const char* value = bench_option(argc, argv, option, NULL);
  if (!value) return;
  for (int i = 0; names[i]; i++) {
    if (strcmp(names[i], value)) continue;
    for (int k = 0; k < 2; k++) e[k].access->option(e[k].m, which, i);
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
  set_option(argc, argv, e, "--solver", OPTION_SOLVER, solver);
  set_option(argc, argv, e, "--cone", OPTION_CONE, cone);
  set_option(argc, argv, e, "--integrator", OPTION_INTEGRATOR, integrator);
  set_option(argc, argv, e, "--jacobian", OPTION_JACOBIAN, jacobian);
}

// All matrices of mjd_transitionFD (one-sided) or mjd_inverseFD, best repeat of each state.
static void measure_derivative(Engine e[2], const mjtNum* states, int count, int size, int repeats,
                               bool inverse, const char* model) {
  const char* call = inverse ? "mjd_inverseFD" : "mjd_transitionFD";
  double* best = malloc(sizeof(double) * 2 * (size_t)count);
  double mean[2] = {0, 0};
  for (int i = 0; i < 2 * count; i++) best[i] = INFINITY;
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) {
      void (*transition)(const mjModel*, mjData*, mjtNum, mjtByte, mjtNum*, mjtNum*, mjtNum*,
                         mjtNum*);
      void (*inverseFD)(const mjModel*, mjData*, mjtNum, mjtByte, mjtNum*, mjtNum*, mjtNum*,
                        mjtNum*, mjtNum*, mjtNum*, mjtNum*);
      *(void**)&transition = *(void**)&inverseFD = bench_symbol(&e[k], call);
      const Access* a = e[k].access;
      size_t nv = (size_t)a->size(e[k].m, e[k].d, SIZE_NV);
      size_t nx = 2 * nv + (size_t)a->size(e[k].m, e[k].d, SIZE_NA);
      size_t nu = (size_t)a->size(e[k].m, e[k].d, SIZE_NU);
      size_t ns = (size_t)a->size(e[k].m, e[k].d, SIZE_NSENSORDATA);
      mjtNum* all = malloc(sizeof(mjtNum) * ((nx + ns) * (nx + nu) + 3 * nv * (nv + ns) + 1));
      mjtNum *A = all, *B = A + nx * nx, *C = B + nx * nu, *D = C + ns * nx;
      mjtNum *f = all, *s = f + 3 * nv * nv;
      Stage forward = bench_stage(&e[k], "mj_forward");
      for (int i = 0; i < count; i++) {
        bench_set_state(&e[k], states + (size_t)i * (size_t)size);
        if (inverse) forward(e[k].m, e[k].d);
        double start = bench_now();
        if (inverse) {
          inverseFD(e[k].m, e[k].d, 1e-6, 0, f, f + nv * nv, f + 2 * nv * nv, s, s + nv * ns,
                    s + 2 * nv * ns, NULL);
        } else {
          transition(e[k].m, e[k].d, 1e-6, 0, A, B, C, D);
        }
        best[k * count + i] = fmin(best[k * count + i], bench_now() - start);
      }
      free(all);
    }
  }
  for (int i = 0; i < 2 * count; i++) mean[i / count] += best[i] / count;
  bench_report(model, call, mean);
  free(best);
}

// A and B: sn_transition of ours against the differences of theirs, one-sided, the plain step
// included in both.
static void measure_analytic(Engine e[2], const mjtNum* states, int count, int size, int repeats,
                             const char* model) {
  double* best = malloc(sizeof(double) * 2 * (size_t)count);
  double mean[2] = {0, 0};
  for (int i = 0; i < 2 * count; i++) best[i] = INFINITY;
  int (*ours)(const mjModel*, mjData*, mjtNum*, mjtNum*, mjtNum*, mjtNum*, snDeriveReport*);
  void (*theirs)(const mjModel*, mjData*, mjtNum, mjtByte, mjtNum*, mjtNum*, mjtNum*, mjtNum*);
  *(void**)&ours = bench_symbol(&e[OURS], "sn_transition");
  *(void**)&theirs = bench_symbol(&e[THEIRS], "mjd_transitionFD");
  const Access* a = e[OURS].access;
  size_t nx = 2 * (size_t)a->size(e[OURS].m, e[OURS].d, SIZE_NV) +
              (size_t)a->size(e[OURS].m, e[OURS].d, SIZE_NA);
  size_t nu = (size_t)a->size(e[OURS].m, e[OURS].d, SIZE_NU);
  mjtNum* A = malloc(sizeof(mjtNum) * (nx * (nx + nu) + 1));
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < count; i++) {
        bench_set_state(&e[k], states + (size_t)i * (size_t)size);
        double start = bench_now();
        if (k == OURS)
          ours(e[k].m, e[k].d, A, A + nx * nx, NULL, NULL, NULL);
        else
          theirs(e[k].m, e[k].d, 1e-6, 0, A, A + nx * nx, NULL, NULL);
        best[k * count + i] = fmin(best[k * count + i], bench_now() - start);
      }
    }
  }
  for (int i = 0; i < 2 * count; i++) mean[i / count] += best[i] / count;
  bench_report(model, "sn_transition", mean);
  free(A);
  free(best);
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

int bench_compare(int argc, char** argv) {
  const char *mode = bench_option(argc, argv, "--mode", "step"), *path = argv[2];
  int count = atoi(bench_option(argc, argv, "--states", "200")), size;
  int repeats = atoi(bench_option(argc, argv, "--repeats", "30"));
  Engine e[2];
  bench_open(e, argv[1], bench_option(argc, argv, "--access", NULL));
  const char* alike = bench_option(argc, argv, "--plugins", NULL);
  if (alike) bench_plugins(argv[1], alike);
  if (!strcmp(mode, "load")) return measure_load(e, path, repeats);
  bench_model(e, path);
  set_options(argc, argv, e);
  mjtNum* states = bench_record(&e[THEIRS], count, &size);

  static const char* stages[][2] = {
      {"", "mj_fwdPosition"},
      {"mj_fwdPosition", "mj_makeConstraint"},
      {"mj_fwdPosition", "mj_projectConstraint"},
      {"mj_fwdPosition", "mj_fwdVelocity"},
      {"mj_fwdPosition", "mj_fwdActuation"},
      {"mj_fwdPosition mj_fwdVelocity mj_fwdActuation mj_fwdAcceleration", "mj_fwdConstraint"},
      {"", "mj_forward"},
      {"", "mj_step"}};
  if (!strcmp(mode, "stages")) {
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
      measure(e, states, count, size, repeats, stages[i][0], stages[i][1], path);
    }
  } else if (!strcmp(mode, "transition") || !strcmp(mode, "inversefd") || !strcmp(mode, "derive")) {
    // a call takes the time of some 3 nv steps
    bool large = e[OURS].access->size(e[OURS].m, e[OURS].d, SIZE_NV) > 40;
    int most = large ? 5 : 50;
    count = count < most ? count : most;
    repeats = large && repeats > 5 ? 5 : repeats;
    if (!strcmp(mode, "derive"))
      measure_analytic(e, states, count, size, repeats, path);
    else
      measure_derivative(e, states, count, size, repeats, !strcmp(mode, "inversefd"), path);
  } else {
    char call[64];
    snprintf(call, sizeof call, "mj_%s", mode);
    measure(e, states, count, size, repeats, !strcmp(mode, "inverse") ? "mj_forward" : "", call,
            path);
  }
  free(states);
  return 0;
}
