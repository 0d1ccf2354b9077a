// The same as speed.mjs with the native library.
//   speed MODEL...
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <time.h>

static double run(const mjModel* m, mjData* d, int steps) {
  if (m->nkey) {
    mj_resetDataKeyframe(m, d, 0);
  } else {
    mj_resetData(m, d);
  }
  clock_t begin = clock();
  for (int i = 0; i < steps; i++) mj_step(m, d);
  return 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / steps;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    char error[1000] = "";
    mjModel* m = mj_loadXML(argv[i], NULL, error, sizeof error);
    if (!m) {
      fprintf(stderr, "%s\n", error);
      return 1;
    }
    mjData* d = mj_makeData(m);
    double best = run(m, d, 3000);
    for (int k = 0; k < 5; k++) {
      double t = run(m, d, 1000);
      if (t < best) best = t;
    }
    printf("%s %.2f\n", argv[i], best);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  return 0;
}
