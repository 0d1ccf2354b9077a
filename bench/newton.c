// The variants of Newton's method (docs/newton.md), Sinew alone: each solves the same systems of
// models in motion, turn by turn. The line of a model has the time of one mj_fwdConstraint by every
// variant that can take its system, and the variant that solve/choose.c takes by itself.
#include "solve/choose.h"

#include "engine.h"

enum { STATES = 8, REPEATS = 15, VARIANTS = snNEWTON_ROWS + 1 };
static const char* const kName[VARIANTS] = {"cg", "small", "wide", "blocks", "rows"};

// Microseconds of one solve from a zero warm start; 0: the variant cannot take the system.
static double solve_time(const mjModel* m, mjData* d, int variant) {
  choose_forced = variant;
  bool taken = (int)choose_for_system(m, d) == variant;
  double best = 1e300;
  for (int r = 0; taken && r < REPEATS; r++) {
    mju_zero(d->qacc_warmstart, m->nv);
    double start = bench_now();
    mj_fwdConstraint(m, d);
    best = fmin(best, bench_now() - start);
  }
  choose_forced = -1;
  return taken ? best : 0;
}

// Means over the states that have rows.
static void measure(const char* path, Engine* e) {
  mjModel* m = e->m;
  mjData* d = e->d;
  int size, states = 0, chosen = snVARIANT_CG;
  double mean[VARIANTS] = {0}, rows = 0;
  bool never[VARIANTS] = {false};
  mjtNum* all = bench_record(e, 25 * STATES, &size);
  for (int s = 0; s < STATES; s++) {
    bench_set_state(e, all + (size_t)(25 * s) * (size_t)size);
    mj_forward(m, d);
    if (!d->nefc) continue;
    states++;
    rows += d->nefc;
    chosen = (int)choose_for_system(m, d);
    for (int v = snNEWTON_SMALL; v < VARIANTS; v++) {
      double time = solve_time(m, d, v);
      never[v] |= time == 0;
      mean[v] += time;
    }
  }
  free(all);
  printf("{\"model\": \"%s\", \"nv\": %d, \"trees\": %d, \"rows\": %.0f, \"chosen\": \"%s\"", path,
         m->nv, m->ntree, states ? rows / states : 0, states ? kName[chosen] : "none");
  for (int v = snNEWTON_SMALL; states && v < VARIANTS; v++) {
    if (!never[v]) printf(", \"%s_us\": %.2f", kName[v], mean[v] / states);
  }
  printf("}\n");
  fflush(stdout);
}

int bench_newton(int argc, char** argv) {
  Engine e = {.library = bench_library(NULL), .access = &bench_access};
  for (int i = 1; i < argc; i++) {
    if (!strstr(argv[i], ".xml")) continue;
    e.m = bench_load(&e, argv[i]);
    if (!e.m) return 1;
    e.d = mj_makeData(e.m);
    if (e.d && e.m->opt.solver == mjSOL_NEWTON) measure(argv[i], &e);
    mj_deleteData(e.d);
    mj_deleteModel(e.m);
  }
  return 0;
}
