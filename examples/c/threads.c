// Threads: one model, many data. The model is read by all, every data belongs to one thread.
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char MODEL[] =
    "<mujoco>"
    "  <worldbody>"
    "    <geom type='plane' size='5 5 .1'/>"
    "    <replicate count='8' offset='.02 0 .25'>"
    "      <body pos='0 0 .2'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "    </replicate>"
    "  </worldbody>"
    "</mujoco>";
enum { THREADS = 4, STEPS = 500 };

typedef struct Job {
  const mjModel* m;
  mjData* d;
} Job;

static void* simulate(void* argument) {
  Job* job = argument;
  for (int i = 0; i < STEPS; i++) mj_step(job->m, job->d);
  return NULL;
}

int main(void) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "tower.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("tower.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  Job job[THREADS];
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; k++) {
    job[k] = (Job){m, mj_makeData(m)};
    pthread_create(&thread[k], NULL, simulate, &job[k]);
  }
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);

  // the same first state: the same bits, whatever the threads did meanwhile
  int same = 1;
  for (int k = 1; k < THREADS; k++)
    same &= !memcmp(job[0].d->qpos, job[k].d->qpos, sizeof(mjtNum) * (size_t)m->nq);
  printf("%d threads, %d steps each: %s\n", THREADS, STEPS,
         same ? "the same bits" : "different bits");
  for (int k = 0; k < THREADS; k++) mj_deleteData(job[k].d);
  mj_deleteModel(m);
  return !same;
}
