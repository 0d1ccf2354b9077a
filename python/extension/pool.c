// Many simulations of one model on threads. Each simulation is one task from beginning to end, so
// results do not depend on how many threads there are.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pool.h"
#pragma GCC diagnostic ignored "-Wclobbered"

// The rows of a worker that nobody has taken: [from, to) as from << 32 | to. It takes them from the
// front, in every call the same ones, so that they are in its cache; who has none left takes from
// the back of the others'. In a line of its own: all threads write it.
typedef struct Share_ {
  _Alignas(64) atomic_uint_fast64_t rows;
} Share;

// Says once of a row why it went bad.
void work_bad(Work* w, int row, const char* text) {
  pthread_mutex_lock(&w->lock);
  Bad* bad = w->bad;
  if (!(w->nbad & (w->nbad - 1)))  // room for the next power of two
    bad = realloc(bad, sizeof *bad * (w->nbad ? 2 * (size_t)w->nbad : 1));
  if (bad) {
    w->bad = bad;
    bad[w->nbad].row = row;
    snprintf(bad[w->nbad++].text, sizeof bad->text, "%.150s", text);
  }
  pthread_mutex_unlock(&w->lock);
}

static int bad_order(const void* a, const void* b) {
  return ((const Bad*)a)->row - ((const Bad*)b)->row;
}

static void run_guarded(Work* w, int row, int worker, mjData* d) {
  Guard g;
  guard_enter(&g, d, 0);
  g.quiet = true;
  if (!SYSTEM_SETJMP(g.place)) w->run(w, row, worker);
  if (!guard_leave_quiet(&g)) work_bad(w, row, g.text);
}

// Takes a row from an end of a share, or -1. One at a time: it costs nothing beside a step, and
// nobody waits at the end for a thread with several rows in hand.
static int share_take(Share* share, bool back) {
  uint64_t rows = atomic_load_explicit(&share->rows, memory_order_relaxed), rest;
  int row;
  do {
    int from = (int)(rows >> 32), to = (int)(rows & 0xffffffff);
    if (from >= to) return -1;
    row = back ? to - 1 : from;
    rest = back ? rows - 1 : rows + ((uint64_t)1 << 32);
  } while (!atomic_compare_exchange_weak(&share->rows, &rows, rest));
  return row;
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

// Time between two looks for signals, in microseconds.
static const double LOOK = 1e5;

// The caller's thread looks for signals; a handler that raises, as that of Ctrl-C does, stops all
// workers.
static void work_look(Work* w) {
  PyEval_RestoreThread(w->thread);
  if (PyErr_CheckSignals() < 0) atomic_store(&w->stop, true);
  w->thread = PyEval_SaveThread();
  w->looked = microseconds();
}

// Asked between steps, by worker 0 on the caller's thread.
bool work_stopped(Work* w, int worker) {
  if (!worker && microseconds() > w->looked + LOOK) work_look(w);
  return atomic_load_explicit(&w->stop, memory_order_relaxed);
}

static void work_rows(Work* w, int worker) {
  for (int k = 0; k < w->nshare; k++) {
    bool back = k > 0;
    int row;
    while (!work_stopped(w, worker) &&
           (row = share_take(w->share + (worker + k) % w->nshare, back)) >= 0) {
      run_guarded(w, row, worker, w->datas[worker]);
    }
  }
}

// ---- threads: made when they are first needed, then they wait for the next work
// Batches are stepped in loops, call after call, and to wake takes longer than several small steps.
// So a thread looks for the next work before it sleeps: for PATIENCE microseconds if that would
// have been enough the last time, otherwise (a policy thinks, nobody calls) only shortly. Who looks
// takes no lock: work begins with one store, `call`, and ends with the last decrement of `running`;
// the lock is for those who sleep. A sleeper says so before it looks for the last time, and who has
// something to say stores it before looking for sleepers, so that one of them sees the other.

enum { MOST = 256, PATIENCE = 100, SHORTLY = 5 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  int threads;       // that were made, numbered from 1
  Work* work;        // of the call
  atomic_bool busy;  // somebody's work is under way
  // calls so far << 16 | threads wanted for the last one: one number, so that a thread that is late
  // does not take the next call for its own
  _Alignas(64) atomic_uint_fast64_t call;
  atomic_int sleepers;
  _Alignas(64) atomic_int running;  // wanted threads that are still at it
  atomic_bool caller_sleeps;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static void look_again(void) {
#if defined(__x86_64__)
  for (int i = 0; i < 4; i++) __builtin_ia32_pause();
#endif
}

// The next call after `seen`.
static uint64_t pool_next(uint64_t seen, double patience) {
  double begin = microseconds();
  do {
    uint64_t call = atomic_load(&pool.call);
    if (call != seen) return call;
    look_again();
  } while (microseconds() < begin + patience);
  pthread_mutex_lock(&pool.lock);
  atomic_fetch_add(&pool.sleepers, 1);
  while (atomic_load(&pool.call) == seen) pthread_cond_wait(&pool.wake, &pool.lock);
  atomic_fetch_sub(&pool.sleepers, 1);
  pthread_mutex_unlock(&pool.lock);
  return atomic_load(&pool.call);
}

static uint64_t pool_seen[MOST];  // by thread: the call before it was made

static void* pool_main(void* argument) {
  int number = (int)(size_t)argument;
  uint64_t seen = pool_seen[number];
  double patience = PATIENCE;
  for (;;) {
    double begin = microseconds();
    seen = pool_next(seen, patience);
    patience = microseconds() < begin + PATIENCE ? PATIENCE : SHORTLY;
    if (number > (int)(seen & 0xffff)) continue;
    work_rows(pool.work, number);
    // from here on the work may be gone
    if (atomic_fetch_sub(&pool.running, 1) == 1 && atomic_load(&pool.caller_sleeps)) {
      pthread_mutex_lock(&pool.lock);
      pthread_cond_signal(&pool.done);
      pthread_mutex_unlock(&pool.lock);
    }
  }
  return NULL;
}

// A child of fork has none of its parent's threads.
static void pool_forget(void) {
  memset(&pool, 0, sizeof pool);
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.wake, NULL);
  pthread_cond_init(&pool.done, NULL);
}

static void pool_grow(int threads) {
  static bool registered;
  if (!registered) registered = pthread_atfork(NULL, NULL, pool_forget) == 0;
  while (pool.threads < threads) {
    pthread_t thread;
    int number = pool.threads + 1;
    pool_seen[number] = atomic_load(&pool.call);
    if (pthread_create(&thread, NULL, pool_main, (void*)(size_t)number) != 0) return;
    pthread_detach(thread);
    pool.threads = number;
  }
}

// Lets `helpers` threads begin; as many of them as there are.
static void pool_begin(Work* w, int helpers) {
  pool_grow(helpers);
  if (helpers > pool.threads) helpers = pool.threads;
  pool.work = w;
  atomic_store(&pool.running, helpers);
  atomic_store(&pool.call, ((atomic_load(&pool.call) >> 16) + 1) << 16 | (uint64_t)helpers);
  if (atomic_load(&pool.sleepers)) {
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
  }
}

// Sleeps until the last thread is done, or until it is time to look for signals.
static void pool_sleep(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(LOOK * 1e3);
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_mutex_lock(&pool.lock);
  atomic_store(&pool.caller_sleeps, true);
  while (atomic_load(&pool.running)) {
    if (pthread_cond_timedwait(&pool.done, &pool.lock, &until) != 0) break;
  }
  atomic_store(&pool.caller_sleeps, false);
  pthread_mutex_unlock(&pool.lock);
}

static void pool_end(Work* w) {
  double begin = microseconds();
  while (atomic_load(&pool.running)) {
    look_again();
    if (microseconds() < begin + PATIENCE) continue;
    pool_sleep();
    if (atomic_load(&pool.running)) work_stopped(w, 0);
  }
  atomic_store(&pool.busy, false);
}

// The caller is worker 0. While the pool works for another caller, this one works alone.
static void work_run(Work* w, int nthread) {
  Share share[MOST];
  if (nthread > w->rows) nthread = w->rows;
  if (nthread > MOST) nthread = MOST;
  w->share = share;
  w->nshare = nthread;
  for (int k = 0; k < nthread; k++) {
    uint64_t from = (uint64_t)w->rows * (uint64_t)k / (uint64_t)nthread;
    uint64_t to = (uint64_t)w->rows * (uint64_t)(k + 1) / (uint64_t)nthread;
    atomic_init(&share[k].rows, from << 32 | to);
  }
  bool mine = nthread > 1 && !atomic_exchange(&pool.busy, true);
  if (mine) pool_begin(w, nthread - 1);
  work_rows(w, 0);
  if (mine) pool_end(w);
}

// ---- rollout

bool warned_bad(const mjData* d) {
  return d->warning[mjWARN_BADQPOS].number || d->warning[mjWARN_BADQVEL].number ||
         d->warning[mjWARN_BADQACC].number;
}

static void rollout_row(Work* w, int row, int worker) {
  const mjModel* m = w->models[w->nmodel > 1 ? row : 0];
  mjData* d = w->datas[worker];
  int nv = m->nv, ns = m->nsensordata, nstep = w->nstep;
  for (int i = 0; i < mjNWARNING; i++) d->warning[i].number = 0;
  // what a rollout starts from and does not get from the state is as after a reset
  mju_zero(d->ctrl, m->nu);
  mju_zero(d->qfrc_applied, nv);
  mju_zero(d->xfrc_applied, 6 * m->nbody);
  for (int i = 0; i < m->neq; i++) d->eq_active[i] = m->eq_active0[i];
  for (int b = 0; b < m->nbody; b++) {
    int k = m->body_mocapid[b];
    if (k < 0) continue;
    mju_copy3(d->mocap_pos + 3 * k, m->body_pos + 3 * b);
    mju_copy4(d->mocap_quat + 4 * k, m->body_quat + 4 * b);
    mju_normalize4(d->mocap_quat + 4 * k);
  }
  mju_zero(d->userdata, m->nuserdata);
  mj_setState(m, d, w->state0 + (size_t)row * w->nstate, mjSTATE_FULLPHYSICS);
  if (w->warmstart0)
    mju_copy(d->qacc_warmstart, w->warmstart0 + (size_t)row * nv, nv);
  else
    mju_zero(d->qacc_warmstart, nv);
  int last_step = 0;
  for (int t = 0; t < nstep && !work_stopped(w, worker); t++) {
    size_t at = (size_t)row * nstep + t;
    if (warned_bad(d)) {
      // the rest of a row that went bad repeats its last good state
      size_t last = at - 1;
      if (w->state) mju_copy(w->state + at * w->nstate, w->state + last * w->nstate, w->nstate);
      if (w->sensordata) mju_copy(w->sensordata + at * ns, w->sensordata + last * ns, ns);
      continue;
    }
    if (w->control) mj_setState(m, d, w->control + at * w->ncontrol, w->control_spec);
    mj_step(m, d);
    last_step = t;
    if (w->state) mj_getState(m, d, w->state + at * w->nstate, mjSTATE_FULLPHYSICS);
    if (w->sensordata) mju_copy(w->sensordata + at * ns, d->sensordata, ns);
  }
  if (warned_bad(d)) {
    char text[40];
    snprintf(text, sizeof text, "bad numbers at step %d", last_step);
    work_bad(w, row, text);
  }
}

// ---- batch: a row is its state; a worker's data takes it, works and gives it back

enum { EACH_STEP, EACH_FORWARD, EACH_RESET, EACH_LOOK };

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Steps until a row has used its time: a step is not interrupted, and the state is that of the
// last.
static void limited_steps(Work* w, int row, int worker, const mjModel* m, mjData* d) {
  double before = w->seconds[row], begin = thread_seconds();
  int i = 0;
  for (; i < w->nstep && w->seconds[row] <= w->limit; i++) {
    if (work_stopped(w, worker)) return;
    mj_step(m, d);
    w->seconds[row] = before + thread_seconds() - begin;
  }
  if (i == w->nstep) return;
  char text[80];
  snprintf(text, sizeof text, "time limit: more than %g s, after %d of %d steps", w->limit, i,
           w->nstep);
  work_bad(w, row, text);
}

static void each_row(Work* w, int row, int worker) {
  if (w->mask && !w->mask[row]) return;
  const mjModel* m = w->models[w->nmodel > 1 ? row : 0];
  mjData* d = w->datas[worker];
  mjtNum* state = w->state + (size_t)row * w->nstate;
  for (int i = 0; i < mjNWARNING; i++) d->warning[i].number = 0;
  if (w->what == EACH_RESET) {
    mj_resetData(m, d);
    mj_getState(m, d, state, mjSTATE_INTEGRATION);
    if (w->seconds) w->seconds[row] = 0;
    if (w->nbound) mj_forward(m, d);
  } else {
    mj_setState(m, d, state, mjSTATE_INTEGRATION);
    if (w->what != EACH_STEP) mj_forward(m, d);
    if (w->seconds && w->what == EACH_STEP)
      limited_steps(w, row, worker, m, d);
    else
      for (int i = 0; i < w->nstep && !work_stopped(w, worker); i++) mj_step(m, d);
    if (w->what != EACH_LOOK) mj_getState(m, d, state, mjSTATE_INTEGRATION);
    bool control = d->warning[mjWARN_BADCTRL].number;
    if (warned_bad(d)) work_bad(w, row, "bad numbers: the simulation was reset");
    if (control && !warned_bad(d)) work_bad(w, row, "bad numbers in ctrl: it counted as zero");
  }
  // behind mj_getState: what is computed here for the bound fields is no part of the state
  for (int i = 0; i < w->nafter && w->nbound; i++) w->after[i](m, d);
  for (int i = 0; i < w->nbound; i++) {
    const Bound* b = w->bound + i;
    memcpy((char*)b->rows.buf + (size_t)row * b->bytes, b->field[worker], b->bytes);
  }
}

// ---- from Python

static void* pointers(PyObject* tuple, int number, int* count) {
  *count = (int)PyTuple_Size(tuple);
  if (*count < 0) return NULL;
  void** all = PyMem_Calloc((size_t)*count + 1, sizeof *all);
  if (!all) return PyErr_NoMemory();
  for (int i = 0; i < *count; i++) {
    all[i] = object_pointer(PyTuple_GetItem(tuple, i), number);
    if (!all[i]) return PyMem_Free(all), NULL;
  }
  return all;
}

PyObject* work_do(Work* w, int nthread) {
  pthread_mutex_init(&w->lock, NULL);
  atomic_init(&w->stop, false);
  w->looked = microseconds();
  w->thread = PyEval_SaveThread();
  work_run(w, nthread);
  PyEval_RestoreThread(w->thread);
  pthread_mutex_destroy(&w->lock);
  if (w->nbad) qsort(w->bad, (size_t)w->nbad, sizeof *w->bad, bad_order);
  PyObject* bad = PyErr_Occurred() ? NULL : PyList_New(0);
  for (int i = 0; bad && i < w->nbad; i++) {
    PyObject* entry = Py_BuildValue("(is)", w->bad[i].row, w->bad[i].text);
    if (!entry || PyList_Append(bad, entry) < 0) Py_CLEAR(bad);
    Py_XDECREF(entry);
  }
  free(w->bad);
  return bad;
}

static bool numbers(PyObject* value, Py_buffer* buffer, const char* name, Py_ssize_t expected,
                    int writable, mjtNum** p) {
  *p = NULL;
  buffer->obj = NULL;
  if (value == Py_None) return true;
  if (PyObject_GetBuffer(value, buffer,
                         PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) < 0)
    return false;
  if (!buffer->format || strcmp(buffer->format, "d") ||
      buffer->len != expected * (Py_ssize_t)sizeof(mjtNum)) {
    PyErr_Format(PyExc_ValueError, "%s: expected %zd numbers of float64, found %zd bytes of %s",
                 name, expected, buffer->len, buffer->format);
    return false;
  }
  *p = buffer->buf;
  return true;
}

static PyObject* rollout(PyObject* self, PyObject* args) {
  PyObject *models, *datas, *state0, *warmstart0, *control, *state, *sensordata;
  Work w = {.run = rollout_row, .what = -1};
  if (!PyArg_ParseTuple(args, "O!O!iiIOOOOO", &PyTuple_Type, &models, &PyTuple_Type, &datas,
                        &w.rows, &w.nstep, &w.control_spec, &state0, &warmstart0, &control, &state,
                        &sensordata)) {
    return NULL;
  }
  PyObject* result = NULL;
  Py_buffer b[5] = {{.obj = NULL}, {.obj = NULL}, {.obj = NULL}, {.obj = NULL}, {.obj = NULL}};
  w.models = pointers(models, INFO_mjModel, &w.nmodel);
  w.datas = w.models ? pointers(datas, INFO_mjData, &w.ndata) : NULL;
  if (w.datas && (w.nmodel < 1 || w.ndata < 1 || (w.nmodel > 1 && w.nmodel != w.rows) ||
                  w.rows < 0 || w.nstep < 0)) {
    PyErr_SetString(PyExc_ValueError,
                    "rollout: one model or one for each row, and at least one data");
  } else if (w.datas) {
    const mjModel* m = w.models[0];
    Py_ssize_t steps = (Py_ssize_t)w.rows * w.nstep;
    w.nstate = mj_stateSize(m, mjSTATE_FULLPHYSICS);
    w.ncontrol = mj_stateSize(m, w.control_spec);
    if (numbers(state0, &b[0], "initial_state", (Py_ssize_t)w.rows * w.nstate, 0,
                (mjtNum**)&w.state0) &&
        numbers(warmstart0, &b[1], "initial_warmstart", (Py_ssize_t)w.rows * m->nv, 0,
                (mjtNum**)&w.warmstart0) &&
        numbers(control, &b[2], "control", steps * w.ncontrol, 0, (mjtNum**)&w.control) &&
        numbers(state, &b[3], "state", steps * w.nstate, 1, &w.state) &&
        numbers(sensordata, &b[4], "sensordata", steps * m->nsensordata, 1, &w.sensordata)) {
      result = work_do(&w, w.ndata);
    }
  }
  for (int i = 0; i < 5; i++) {
    if (b[i].obj) PyBuffer_Release(&b[i]);
  }
  PyMem_Free(w.models);
  PyMem_Free(w.datas);
  return result;
}

// ---- batch, from Python: prepared once, so that a step does nothing but step
// All of a call that is not the rows' steps runs on one thread while the others wait, and in caches
// that the steps have filled with something else: looking at lists and buffers anew took as long as
// two steps of a small robot.

const char BATCH[] = "sinew.batch";

static void bound_release(Bound* b) {
  PyBuffer_Release(&b->rows);
  PyMem_Free(b->field);
}

static void batch_release(Batch* b) {
  for (int i = 0; i < b->work.nbound; i++) bound_release(b->work.bound + i);
  PyMem_Free(b->work.bound);
  PyMem_Free(b->work.models);
  PyMem_Free(b->work.datas);
  if (b->state.obj) PyBuffer_Release(&b->state);
  if (b->seconds.obj) PyBuffer_Release(&b->seconds);
  Py_XDECREF(b->models);
  Py_XDECREF(b->datas);
  PyMem_Free(b);
}

static void batch_free(PyObject* capsule) { batch_release(PyCapsule_GetPointer(capsule, BATCH)); }

// Documented functions that may follow every call: those that compute fields and leave the state
// alone.
static const struct {
  const char* name;
  void (*function)(const mjModel* m, mjData* d);
} followers[] = {{"mj_step1", mj_step1},
                 {"mj_forward", mj_forward},
                 {"mj_kinematics", mj_kinematics},
                 {"mj_comPos", mj_comPos},
                 {"mj_comVel", mj_comVel},
                 {"mj_subtreeVel", mj_subtreeVel},
                 {"mj_rnePostConstraint", mj_rnePostConstraint},
                 {"mj_energyPos", mj_energyPos},
                 {"mj_energyVel", mj_energyVel},
                 {"mj_sensorPos", mj_sensorPos},
                 {"mj_sensorVel", mj_sensorVel},
                 {"mj_sensorAcc", mj_sensorAcc}};

static bool batch_after(Work* w, PyObject* names) {
  int most = (int)(sizeof w->after / sizeof *w->after);
  Py_ssize_t count = PyTuple_Size(names);
  if (count > most) {
    PyErr_Format(PyExc_ValueError, "Batch: after takes %d functions at most, found %zd", most,
                 count);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* name = PyTuple_GetItem(names, i);
    size_t k = 0, n = sizeof followers / sizeof *followers;
    while (k < n &&
           !(PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, followers[k].name)))
      k++;
    if (k == n) {
      char names_of[400] = "";
      for (size_t j = 0; j < n; j++) {
        size_t at = strlen(names_of);
        snprintf(names_of + at, sizeof names_of - at, "%s%s", j ? ", " : "", followers[j].name);
      }
      PyErr_Format(PyExc_ValueError,
                   "Batch: after names functions that compute fields (%s), not %R", names_of, name);
      return false;
    }
    w->after[w->nafter++] = followers[k].function;
  }
  return true;
}

static PyObject* batch(PyObject* self, PyObject* args) {
  PyObject *models, *datas, *state, *after, *seconds;
  double limit;
  if (!PyArg_ParseTuple(args, "O!O!OO!Od", &PyTuple_Type, &models, &PyTuple_Type, &datas, &state,
                        &PyTuple_Type, &after, &seconds, &limit))
    return NULL;
  Batch* b = PyMem_Calloc(1, sizeof *b);
  if (!b) return PyErr_NoMemory();
  Work* w = &b->work;
  w->run = each_row;
  w->limit = limit;
  if (!batch_after(w, after)) return PyMem_Free(b), NULL;
  b->models = Py_NewRef(models);
  b->datas = Py_NewRef(datas);
  w->models = pointers(models, INFO_mjModel, &w->nmodel);
  w->datas = w->models ? pointers(datas, INFO_mjData, &w->ndata) : NULL;
  if (!w->datas) return batch_release(b), NULL;
  w->rows = (int)PyObject_Length(state);
  if (w->nmodel < 1 || w->ndata < 1 || (w->nmodel > 1 && w->nmodel != w->rows)) {
    PyErr_SetString(PyExc_ValueError, "one model or one for each row, and at least one data");
    return batch_release(b), NULL;
  }
  w->nstate = mj_stateSize(w->models[0], mjSTATE_INTEGRATION);
  if (!numbers(state, &b->state, "state", (Py_ssize_t)w->rows * w->nstate, 1, &w->state) ||
      !numbers(seconds, &b->seconds, "seconds", w->rows, 1, &w->seconds))
    return batch_release(b), NULL;
  PyObject* capsule = PyCapsule_New(b, BATCH, batch_free);
  if (!capsule) batch_release(b);
  return capsule;
}

static bool bound_take(const Batch* batch, const char* name, PyObject* array, Bound* b) {
  const Work* w = &batch->work;
  if (PyObject_GetBuffer(array, &b->rows, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return false;
  b->field = PyMem_Calloc((size_t)w->ndata, sizeof *b->field);
  if (!b->field) PyErr_NoMemory();
  for (int k = 0; b->field && k < w->ndata; k++) {
    Py_ssize_t bytes = 0;
    b->field[k] = data_array((Object*)PyTuple_GetItem(batch->datas, k), name, &bytes);
    if (!b->field[k] && PyErr_Occurred()) break;
    b->bytes = (size_t)bytes;
  }
  if (!PyErr_Occurred() && b->rows.len != (Py_ssize_t)b->bytes * w->rows) {
    PyErr_Format(PyExc_ValueError, "%s of %d rows has %zd bytes, not %zd", name, w->rows,
                 (Py_ssize_t)b->bytes * w->rows, b->rows.len);
  }
  if (!PyErr_Occurred()) return true;
  bound_release(b);
  return false;
}

// Copies a field out now, and after every call from here on.
static PyObject* batch_bind(PyObject* self, PyObject* args) {
  PyObject *capsule, *array;
  const char* name;
  if (!PyArg_ParseTuple(args, "OsO", &capsule, &name, &array)) return NULL;
  Batch* b = PyCapsule_GetPointer(capsule, BATCH);
  if (!b) return NULL;
  Work* w = &b->work;
  Bound* all = PyMem_Realloc(w->bound, ((size_t)w->nbound + 1) * sizeof *all);
  if (!all) return PyErr_NoMemory();
  w->bound = all;
  if (!bound_take(b, name, array, all + w->nbound)) return NULL;
  Work look = *w;
  look.what = EACH_LOOK;
  look.bound = all + w->nbound++;
  look.nbound = 1;
  return work_do(&look, w->ndata);
}

static PyObject* each(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count != 4) return PyErr_Format(PyExc_TypeError, "_each takes 4 arguments, not %zd", count);
  const Batch* b = PyCapsule_GetPointer(args[0], BATCH);
  if (!b) return NULL;
  Work w = b->work;
  w.what = (int)PyLong_AsLong(args[1]);
  w.nstep = (int)PyLong_AsLong(args[2]);
  if (PyErr_Occurred()) return NULL;
  if (args[3] == Py_None) return work_do(&w, w.ndata);
  Py_buffer choice;
  if (PyObject_GetBuffer(args[3], &choice, PyBUF_C_CONTIGUOUS) < 0) return NULL;
  PyObject* result = NULL;
  w.mask = choice.buf;
  if (choice.len == w.rows)
    result = work_do(&w, w.ndata);
  else
    PyErr_SetString(PyExc_ValueError, "a mask has an entry for each row");
  PyBuffer_Release(&choice);
  return result;
}

PyMethodDef pool_methods[] = {
    {"_rollout", rollout, METH_VARARGS,
     "Roll out rows on a thread per data; the rows that went bad, with the reason."},
    {"_batch", batch, METH_VARARGS,
     "What _each works on: a model or one for each row, a data for each thread, rows of states."},
    {"_batch_bind", batch_bind, METH_VARARGS,
     "Copy a field of all rows to an array, now and after every call."},
    {"_each", (PyCFunction)(void (*)(void))each, METH_FASTCALL,
     "Step (0), compute (1) or reset (2) the rows of a batch, all or those of a mask, and copy "
     "bound fields out; the rows that went bad, with the reason."},
    {NULL, NULL, 0, NULL}};
