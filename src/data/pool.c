// Parts of a stage on the workers of a bound thread pool.
//
// Parts share nothing that they write, so that which worker takes which part, and when, leaves the
// result alone. Each worker has a stack of its own (arena.c).
#include "data/frame.h"

typedef struct snShares_ {
  snPart part;
  void* context;
  int count, next;  // parts, and the next one that nobody has taken
} snShares;

// One task: part after part, as long as there are some. Parts differ in size, and a worker with
// small ones takes more of them.
static void* take_parts(void* arg) {
  snShares* s = arg;
  for (int id; (id = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->count;) {
    s->part(s->context, id);
  }
  return NULL;
}

bool pool_each(mjData* d, int count, snPart part, void* context) {
  snShares shares = {part, context, count, 0};
  mjThreadPool* pool = (mjThreadPool*)d->threadpool;
  if (count < 2 || !pool || thread_worker) {
    take_parts(&shares);
    return true;
  }
  int ntask = pool->nworker < count ? pool->nworker : count;
  mjTask* task;
  mj_markStack(d);
  bool good = FRAME(memory_of(d), SN_ARRAY(task, ntask));
  for (int k = 0; good && k < ntask; k++) {
    mju_defaultTask(task + k);
    task[k].func = take_parts;
    task[k].args = &shares;
    mju_threadPoolEnqueue(pool, task + k);
  }
  for (int k = 0; good && k < ntask; k++) mju_taskJoin(task + k);
  mj_freeStack(d);
  return good;
}
