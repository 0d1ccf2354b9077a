// The thread pool: every task runs once, workers have their numbers, no task or memory is lost.
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"

size_t mju_threadPoolNumberOfThreads(mjThreadPool* thread_pool);
size_t mju_threadPoolCurrentWorkerId(mjThreadPool* thread_pool);

enum { TASKS = 1000 };

typedef struct {
  mjThreadPool* pool;
  int runs;
  size_t worker;
  double result;
} Work;

static void* work(void* argument) {
  Work* w = argument;
  w->runs++;
  w->worker = mju_threadPoolCurrentWorkerId(w->pool);
  for (int i = 0; i < 100; i++) w->result += sn_sin(i);
  return NULL;
}

static void test_every_task_runs_once(void** unused) {
  static Work w[TASKS];
  static mjTask task[TASKS];
  for (int threads = 1; threads <= 4; threads++) {
    mjThreadPool* pool = mju_threadPoolCreate(threads);
    assert_non_null(pool);
    assert_int_equal(pool->nworker, threads);
    assert_int_equal(mju_threadPoolNumberOfThreads(pool), threads);
    assert_int_equal(mju_threadPoolCurrentWorkerId(pool), 0);
    for (int i = 0; i < TASKS; i++) {
      w[i] = (Work){.pool = pool};
      mju_defaultTask(&task[i]);
      assert_int_equal(task[i].status, mjTASK_NEW);
      task[i].func = work;
      task[i].args = &w[i];
      mju_threadPoolEnqueue(pool, &task[i]);
    }
    for (int i = 0; i < TASKS; i++) {
      mju_taskJoin(&task[i]);
      assert_int_equal(task[i].status, mjTASK_COMPLETED);
      assert_int_equal(w[i].runs, 1);
      assert_true(w[i].worker >= 1 && w[i].worker <= (size_t)threads);
      assert_true(w[i].result == w[0].result);
    }
    mju_threadPoolDestroy(pool);
  }
}

static void test_queued_tasks_run_before_the_pool_goes(void** unused) {
  static Work w[TASKS];
  static mjTask task[TASKS];
  mjThreadPool* pool = mju_threadPoolCreate(2);
  for (int i = 0; i < TASKS; i++) {
    w[i] = (Work){.pool = pool};
    task[i] = (mjTask){work, &w[i], mjTASK_NEW};
    mju_threadPoolEnqueue(pool, &task[i]);
  }
  mju_threadPoolDestroy(pool);
  for (int i = 0; i < TASKS; i++) assert_int_equal(w[i].runs, 1);
}

static atomic_int errors;
static void count_error(const char* text) { errors++; }

static void* complain(void* argument) {
  mju_error("from a worker");
  return NULL;
}

static void test_failures(void** unused) {
  mju_user_error = count_error;
  assert_null(mju_threadPoolCreate(0));
  assert_null(mju_threadPoolCreate(mjMAXTHREAD));
  assert_int_equal(errors, 2);
  for (long n = 1; n <= 5; n++) {  // pool, queue, three workers
    memory_fail_at(n);
    assert_null(mju_threadPoolCreate(3));
    memory_fail_at(0);
    assert_int_equal(errors, 2 + n);
  }
  // a full queue that cannot grow
  mjThreadPool* pool = mju_threadPoolCreate(1);
  static Work w[200];
  static mjTask task[200];
  for (int i = 0; i < 200; i++) {
    w[i] = (Work){.pool = pool};
    task[i] = (mjTask){work, &w[i], mjTASK_NEW};
    memory_fail_at(1);
    mju_threadPoolEnqueue(pool, &task[i]);
  }
  memory_fail_at(0);
  for (int i = 0; i < 200; i++) mju_taskJoin(&task[i]);
  for (int i = 0; i < 200; i++) assert_int_equal(w[i].runs, 1);
  // workers speak through the same handler
  int before = errors;
  mjTask one = {complain, NULL, mjTASK_NEW};
  mju_threadPoolEnqueue(pool, &one);
  mju_taskJoin(&one);
  assert_int_equal(errors, before + 1);
  mju_threadPoolDestroy(pool);
  mju_user_error = NULL;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_task_runs_once),
      cmocka_unit_test(test_queued_tasks_run_before_the_pool_goes),
      cmocka_unit_test(test_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
