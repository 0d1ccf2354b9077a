// The documented thread pool (mjThreadPool, mjTask): workers take tasks from one queue under one
// mutex. Tasks of the engine are coarse (an island, a part of a system), so the queue is no
// bottleneck.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "base/base.h"

typedef struct snPool_ {
  mjThreadPool pool;  // the public struct
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  pthread_mutex_t alloc_mutex;
  bool closing;
  mjTask** queue;  // ring buffer: `count` tasks from `first`
  size_t capacity, first, count;
  pthread_t thread[mjMAXTHREAD];
} snPool;

// The pool that the calling thread is a worker of, and its number there, from 1 on.
static _Thread_local const snPool* worker_pool;
_Thread_local int thread_worker;

typedef struct snPoolWorker_ {
  snPool* pool;
  size_t id;
} snPoolWorker;

static void task_run(mjTask* task) {
  task->func(task->args);
  __atomic_store_n(&task->status, mjTASK_COMPLETED, __ATOMIC_RELEASE);
}

static mjTask* pool_take(snPool* p) {  // NULL when the pool closes and the queue is empty
  pthread_mutex_lock(&p->mutex);
  while (!p->count && !p->closing) pthread_cond_wait(&p->wake, &p->mutex);
  mjTask* task = NULL;
  if (p->count) {
    task = p->queue[p->first];
    p->first = (p->first + 1) % p->capacity;
    p->count--;
  }
  pthread_mutex_unlock(&p->mutex);
  return task;
}

static void* worker_main(void* argument) {
  snPoolWorker worker = *(snPoolWorker*)argument;
  memory_free(argument);
  worker_pool = worker.pool;
  thread_worker = (int)worker.id;
  mjTask* task;
  while ((task = pool_take(worker.pool))) task_run(task);
  return NULL;
}

static bool pool_start_worker(snPool* p, size_t id) {
  snPoolWorker* worker = memory_alloc(sizeof(snPoolWorker));
  if (!worker) return false;
  *worker = (snPoolWorker){p, id};
  if (pthread_create(&p->thread[id - 1], NULL, worker_main, worker)) {
    memory_free(worker);
    return false;
  }
  p->pool.nworker = (int)id;
  return true;
}

mjThreadPool* mju_threadPoolCreate(size_t number_of_threads) {
  if (number_of_threads < 1 || number_of_threads >= mjMAXTHREAD) {
    mju_error("mju_threadPoolCreate: %zu threads asked for, from 1 to %d are possible",
              number_of_threads, mjMAXTHREAD - 1);
    return NULL;
  }
  snPool* p = memory_alloc_zero(sizeof(snPool));
  mjTask** queue = memory_alloc(64 * sizeof(mjTask*));
  if (!p || !queue) {
    memory_free(p);
    memory_free(queue);
    mju_error("mju_threadPoolCreate: no memory");
    return NULL;
  }
  p->queue = queue;
  p->capacity = 64;
  pthread_mutex_init(&p->mutex, NULL);
  pthread_mutex_init(&p->alloc_mutex, NULL);
  pthread_cond_init(&p->wake, NULL);
  for (size_t id = 1; id <= number_of_threads; id++) {
    if (!pool_start_worker(p, id)) {
      mju_threadPoolDestroy(&p->pool);
      mju_error("mju_threadPoolCreate: thread %zu of %zu could not be started", id,
                number_of_threads);
      return NULL;
    }
  }
  return &p->pool;
}

// Makes room for one more task. The caller holds the mutex.
static bool pool_grow(snPool* p) {
  if (p->count < p->capacity) return true;
  mjTask** queue = memory_alloc(2 * p->capacity * sizeof(mjTask*));
  if (!queue) return false;
  for (size_t i = 0; i < p->count; i++) queue[i] = p->queue[(p->first + i) % p->capacity];
  memory_free(p->queue);
  p->queue = queue;
  p->first = 0;
  p->capacity *= 2;
  return true;
}

// Without memory for the queue the task runs at once in the calling thread: no task is lost.
void mju_threadPoolEnqueue(mjThreadPool* thread_pool, mjTask* task) {
  snPool* p = (snPool*)thread_pool;
  __atomic_store_n(&task->status, mjTASK_QUEUED, __ATOMIC_RELEASE);
  pthread_mutex_lock(&p->mutex);
  bool queued = pool_grow(p);
  if (queued) {
    p->queue[(p->first + p->count) % p->capacity] = task;
    p->count++;
  }
  pthread_mutex_unlock(&p->mutex);
  if (queued) {
    pthread_cond_signal(&p->wake);
  } else {
    task_run(task);
  }
}

// Tasks in the queue are still run.
void mju_threadPoolDestroy(mjThreadPool* thread_pool) {
  snPool* p = (snPool*)thread_pool;
  if (!p) return;
  pthread_mutex_lock(&p->mutex);
  p->closing = true;
  pthread_mutex_unlock(&p->mutex);
  pthread_cond_broadcast(&p->wake);
  for (int i = 0; i < p->pool.nworker; i++) pthread_join(p->thread[i], NULL);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->mutex);
  pthread_mutex_destroy(&p->alloc_mutex);
  memory_free(p->queue);
  memory_free(p);
}

void mju_defaultTask(mjTask* task) {
  task->func = NULL;
  task->args = NULL;
  __atomic_store_n(&task->status, mjTASK_NEW, __ATOMIC_RELEASE);
}

// A task carries no condition variable to wait on, so this polls: busy at first, for short tasks,
// then yielding, then sleeping 50 us at a time.
void mju_taskJoin(mjTask* task) {
  for (long looks = 0; __atomic_load_n(&task->status, __ATOMIC_ACQUIRE) != mjTASK_COMPLETED;
       looks++) {
    if (looks < 2000) continue;
    if (looks < 20000) {
      sched_yield();
    } else {
      nanosleep(&(struct timespec){0, 50000}, NULL);
    }
  }
}

// ---- functions that the released library exports without declaring them

MJAPI size_t mju_threadPoolNumberOfThreads(mjThreadPool* thread_pool);
MJAPI size_t mju_threadPoolCurrentWorkerId(mjThreadPool* thread_pool);
MJAPI void mju_threadPoolLockAllocMutex(mjThreadPool* thread_pool);
MJAPI void mju_threadPoolUnlockAllocMutex(mjThreadPool* thread_pool);

size_t mju_threadPoolNumberOfThreads(mjThreadPool* thread_pool) {
  return (size_t)thread_pool->nworker;
}

// 0 for a thread that is not a worker of this pool
size_t mju_threadPoolCurrentWorkerId(mjThreadPool* thread_pool) {
  return worker_pool == (snPool*)thread_pool ? (size_t)thread_worker : 0;
}

void mju_threadPoolLockAllocMutex(mjThreadPool* thread_pool) {
  pthread_mutex_lock(&((snPool*)thread_pool)->alloc_mutex);
}

void mju_threadPoolUnlockAllocMutex(mjThreadPool* thread_pool) {
  pthread_mutex_unlock(&((snPool*)thread_pool)->alloc_mutex);
}
