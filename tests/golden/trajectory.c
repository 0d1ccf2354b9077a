// Prints hashes of a trajectory: the state after every hundred steps under fixed controls.
//   trajectory MODEL.xml STEPS [THREADS]
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_numbers(const mjtNum* x, size_t n, uint64_t hash) {
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}

static void tell(const char* text) { fprintf(stderr, "trajectory: %s\n", text); }

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: trajectory MODEL.xml STEPS [THREADS]\n");
    return 2;
  }
  mju_user_error = tell;
  char error[1000] = "";
  mjModel* m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) {
    fprintf(stderr, "trajectory: %s\n", error);
    return 2;
  }
  mjData* d = mj_makeData(m);
  if (!d) return 2;
  int threads = argc > 3 ? atoi(argv[3]) : 0;
  if (threads > 0) mju_bindThreadPool(d, mju_threadPoolCreate(threads));
  int size = mj_stateSize(m, mjSTATE_FULLPHYSICS);
  mjtNum* state = malloc((size_t)size * sizeof *state);
  uint64_t hash = 0, seed = 1;
  for (int step = 1; step <= atoi(argv[2]); step++) {
    for (int i = 0; i < m->nu; i++) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      double noise = (double)(seed >> 11) * 0x1p-53 * 2 - 1;
      const mjtNum* range = m->actuator_ctrlrange + 2 * i;
      double middle = m->actuator_ctrllimited[i] ? 0.5 * (range[0] + range[1]) : 0;
      double half = m->actuator_ctrllimited[i] ? 0.5 * (range[1] - range[0]) : 1;
      d->ctrl[i] = 0.9 * d->ctrl[i] + 0.1 * (middle + half * noise);
    }
    mj_step(m, d);
    mj_getState(m, d, state, mjSTATE_FULLPHYSICS);
    hash = hash_numbers(state, (size_t)size, hash);
    if (step % 100 == 0 || step == atoi(argv[2])) {
      printf("%6d %016llx\n", step, (unsigned long long)hash);
    }
  }
  free(state);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
