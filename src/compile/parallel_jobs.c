// Building assets on several threads. Builders share nothing, so the number of threads affects only
// the time.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/system.h"
#include "compile/parallel_jobs.h"

enum { kMaxThreads = 16 };
// Below this many bytes, about half a millisecond of work, starting a thread does not pay.
static const size_t kWorthAThread = 1 << 16;

typedef struct snJobQueue_ {
  void (*run)(void* context, int i);
  void* context;
  const snJob* job;
  int n;
  atomic_int next;
} snJobQueue;

static void* take_jobs(void* argument) {
  snJobQueue* jobs = argument;
  for (int i; (i = atomic_fetch_add(&jobs->next, 1)) < jobs->n;) {
    jobs->run(jobs->context, jobs->job[i].index);
  }
  return NULL;
}

static int heavier_first(const void* a, const void* b) {
  const snJob *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  return x->index - y->index;
}

void jobs_run(void (*run)(void* context, int i), void* context, snJob* job, int n, int nthread) {
  size_t total = 0;
  for (int i = 0; i < n; i++) total += job[i].weight;
  if (nthread <= 0) {
    size_t worth = 1 + total / kWorthAThread;
    nthread = system_cores();
    if ((size_t)nthread > worth) nthread = (int)worth;
  }
  if (nthread > n) nthread = n;
  if (nthread > kMaxThreads) nthread = kMaxThreads;
  if (nthread > 1)
    qsort(job, (size_t)n, sizeof *job,
          heavier_first);  // heaviest first, so that threads finish together
  snJobQueue jobs = {.run = run, .context = context, .job = job, .n = n};
  pthread_t thread[kMaxThreads];
  int started = 0;
  while (started < nthread - 1 && !pthread_create(&thread[started], NULL, take_jobs, &jobs)) {
    started++;
  }
  take_jobs(&jobs);
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
}
