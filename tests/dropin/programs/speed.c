// Many steps in threads with a data each; what they reach does not depend on their number.
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>

static mjModel* m;
static mjtNum reached[4][8];

static void* roll(void* argument) {
  int id = (int)(size_t)argument;
  mjData* d = mj_makeData(m);
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = 0.1 * (i % 3) * (id % 2);
  for (int i = 0; i < 200; i++) mj_step(m, d);
  for (int i = 0; i < 8; i++) reached[id][i] = i < m->nq ? d->qpos[i] : 0;
  mj_deleteData(d);
  return NULL;
}

int main(int argc, char** argv) {
  char error[1000] = "";
  m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) return printf("%s\n", error), 1;
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, roll, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 8; k++) printf("%.7g ", reached[i][k]);
  }
  printf("\n");
  mj_deleteModel(m);
  return 0;
}
