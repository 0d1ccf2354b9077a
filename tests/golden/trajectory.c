// Prints one line per model: a hash of the state at every one of so many steps under fixed
// controls. The same run with 1, 2 and 4 threads must give the same hash.
//   trajectory STEPS MODEL.xml[:HOW]...
// The model "figure" is the one in the sinew command. HOW is a solver of hard contact, "maximal",
// or "derive": A and B of every tenth step.
#include <mujoco/mujoco.h>
#include <sinew/derive.h>
#include <sinew/maximal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../apps/humanoid.h"
#include "../random.h"

static uint64_t hash_numbers(const mjtNum* x, int n, uint64_t hash) {
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}

static void tell(const char* text) { fprintf(stderr, "trajectory: %s\n", text); }

static mjModel* load(const char* argument) {
  char error[1000] = "", name[1000];
  mjModel* m;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, ":"), argument);
  if (strcmp(name, "figure")) {
    m = mj_loadXML(name, NULL, error, sizeof error);
  } else {
    mjSpec* spec = mj_parseXMLString(humanoid_xml, NULL, error, sizeof error);
    m = spec ? mj_compile(spec, NULL) : NULL;
    mj_deleteSpec(spec);
  }
  if (!m) fprintf(stderr, "trajectory: %s: %s\n", name, error);
  return m;
}

// Controls wander inside their range: u <- 0.9 u + 0.1 (middle + half range * noise).
static void wander(const mjModel* m, mjData* d, unsigned long long* seed) {
  for (int i = 0; i < m->nu; i++) {
    double noise = random_signed(seed);
    const mjtNum* range = m->actuator_ctrlrange + 2 * i;
    double middle = m->actuator_ctrllimited[i] ? 0.5 * (range[0] + range[1]) : 0;
    double half = m->actuator_ctrllimited[i] ? 0.5 * (range[1] - range[0]) : 1;
    d->ctrl[i] = 0.9 * d->ctrl[i] + 0.1 * (middle + half * noise);
  }
}

static uint64_t warned(const mjData* d, uint64_t hash) {
  for (int w = 0; w < mjNWARNING; w++) {
    if (d->warning[w].number) fprintf(stderr, "trajectory: %s\n", mju_warningText(w, 0)), hash = 0;
  }
  return hash;
}

static uint64_t run_maximal(const mjModel* m, int steps) {
  char error[1000] = "";
  uint64_t hash = 0;
  unsigned long long seed = 1;
  snMaximal* x = sn_makeMaximal(m, NULL, error, sizeof error);
  if (!x) {
    fprintf(stderr, "trajectory: %s\n", error);
    return 0;
  }
  for (int step = 0; step < steps; step++) {
    wander(m, x->data, &seed);
    sn_stepMaximal(x);
    hash = hash_numbers(x->pos, 3 * x->nbody, hash);
    hash = hash_numbers(x->quat, 4 * x->nbody, hash);
    hash = hash_numbers(x->vel, 6 * x->nbody, hash);
  }
  hash = warned(x->data, hash);
  sn_deleteMaximal(x);
  return hash;
}

static uint64_t run_derive(const mjModel* m, int steps) {
  uint64_t hash = 0;
  unsigned long long seed = 1;
  int nx = 2 * m->nv + m->na;
  mjData* d = mj_makeData(m);
  mjtNum* A = calloc((size_t)nx * (size_t)(nx + m->nu) + 1, sizeof *A);
  for (int step = 0; step < steps; step++) {
    wander(m, d, &seed);
    mj_step(m, d);
    if (step % 10) continue;
    if (!sn_transition(m, d, A, A + (size_t)nx * (size_t)nx, NULL, NULL, NULL)) hash = 0;
    hash = hash_numbers(A, nx * (nx + m->nu), hash);
  }
  hash = warned(d, hash);
  free(A);
  mj_deleteData(d);
  return hash;
}

static uint64_t run(const mjModel* m, const char* how, int steps, int threads) {
  if (how && !strcmp(how, "maximal")) return run_maximal(m, steps);
  if (how && !strcmp(how, "derive")) return run_derive(m, steps);
  mjData* d = mj_makeData(m);
  if (how && !sn_setSolver(m, d, how)) return 0;
  mjThreadPool* pool = threads ? mju_threadPoolCreate((size_t)threads) : NULL;
  if (pool) mju_bindThreadPool(d, pool);
  int size = mj_stateSize(m, mjSTATE_FULLPHYSICS);
  mjtNum* state = malloc((size_t)size * sizeof *state);
  uint64_t hash = 0;
  unsigned long long seed = 1;
  for (int step = 0; step < steps; step++) {
    wander(m, d, &seed);
    mj_step(m, d);
    mj_getState(m, d, state, mjSTATE_FULLPHYSICS);
    hash = hash_numbers(d->sensordata, m->nsensordata, hash_numbers(state, size, hash));
  }
  hash = warned(d, hash);
  free(state);
  mj_deleteData(d);
  if (pool) mju_threadPoolDestroy(pool);
  return hash;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: trajectory STEPS MODEL.xml[:HOW]...\n");
    return 2;
  }
  mju_user_error = tell;
  for (int i = 2; i < argc; i++) {
    mjModel* m = load(argv[i]);
    if (!m) return 2;
    const char* how = strchr(argv[i], ':') ? strchr(argv[i], ':') + 1 : NULL;
    uint64_t hash = run(m, how, atoi(argv[1]), 0);
    for (int threads = 1; threads <= 4 && !how; threads *= 2) {
      uint64_t other = run(m, NULL, atoi(argv[1]), threads);
      if (other == hash) continue;
      fprintf(stderr, "trajectory: %s differs with %d threads\n", argv[i], threads);
      return 1;
    }
    mj_deleteModel(m);
    const char* name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
    char shown[100];
    snprintf(shown, sizeof shown, "%.*s%s%s", (int)strcspn(name, ".:"), name, how ? ":" : "",
             how ? how : "");
    printf("%-19s %016llx\n", shown, (unsigned long long)hash);
    if (!hash) return 1;
  }
  return 0;
}
