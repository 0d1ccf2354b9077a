// Many simulations of one model on threads. Each simulation is one task from beginning to end, so
// results do not depend on how many threads there are.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "binding.h"
#pragma GCC diagnostic ignored "-Wclobbered"

// A field of mjData and the array that has it for all rows.
typedef struct Bound_ {
  Py_buffer rows;
  char** field;  // by worker
  size_t bytes;
} Bound;

typedef struct Work_ {
  // what there is to do
  void (*run)(struct Work_* work, int row, int worker);
  int rows;
  // models by row, or one for all; data by worker
  mjModel** models;
  int nmodel;
  mjData** datas;
  int ndata;
  int nstep, what;
  unsigned control_spec;
  int nstate, ncontrol;
  const mjtNum *state0, *warmstart0, *control;
  mjtNum *state, *sensordata;
  const unsigned char* mask;
  Bound* bound;  // fields that are copied out
  int nbound;
  char (*text)[160];  // by row; empty when all is well
  struct Share_* share;
  int nshare;
} Work;

// The rows of a worker that nobody has taken: [from, to) as from << 32 | to. It takes them from the
// front, in every call the same ones, so that they are in its cache; who has none left takes from
// the back of the others'. In a line of its own: all threads write it.
typedef struct Share_ {
  _Alignas(64) atomic_uint_fast64_t rows;
} Share;

static void run_guarded(Work* w, int row, int worker, mjData* d) {
  Guard g;
  guard_enter(&g, d, 0);
  g.quiet = true;
  if (!_setjmp(g.place)) w->run(w, row, worker);
  if (!guard_leave_quiet(&g)) snprintf(w->text[row], sizeof *w->text, "%.150s", g.text);
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

static void work_rows(Work* w, int worker) {
  for (int k = 0; k < w->nshare; k++) {
    bool back = k > 0;
    int row;
    while ((row = share_take(w->share + (worker + k) % w->nshare, back)) >= 0) {
      run_guarded(w, row, worker, w->datas[worker]);
    }
  }
}

// ---- threads: made when they are first needed, then they wait for the next work
// Batches are stepped in loops, call after call, and to wake takes longer than several small steps.
// So a thread looks for the next work before it sleeps: for PATIENCE microseconds if that would
// have been enough the last time, otherwise (a policy thinks, nobody calls) only shortly.

enum { MOST = 256, PATIENCE = 100, SHORTLY = 5 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  int threads;         // that were made, numbered from 1
  int wanted;          // of them, for this work
  atomic_int running;  // of them, still at it
  atomic_ulong round;
  bool busy;
  Work* work;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void look_again(void) {
#if defined(__x86_64__)
  for (int i = 0; i < 4; i++) __builtin_ia32_pause();
#endif
}

static void* pool_main(void* argument) {
  int number = (int)(size_t)argument;
  unsigned long seen = 0;
  double patience = PATIENCE;
  for (;;) {
    double begin = microseconds();
    while (atomic_load(&pool.round) == seen && microseconds() < begin + patience) look_again();
    pthread_mutex_lock(&pool.lock);
    while (pool.round == seen || number > pool.wanted) {
      seen = pool.round;
      pthread_cond_wait(&pool.wake, &pool.lock);
    }
    seen = pool.round;
    Work* work = pool.work;
    pthread_mutex_unlock(&pool.lock);
    patience = microseconds() < begin + PATIENCE ? PATIENCE : SHORTLY;
    work_rows(work, number);
    pthread_mutex_lock(&pool.lock);
    if (--pool.running == 0) pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.lock);
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
    if (pthread_create(&thread, NULL, pool_main, (void*)(size_t)(pool.threads + 1)) != 0) return;
    pthread_detach(thread);
    pool.threads++;
  }
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
  pthread_mutex_lock(&pool.lock);
  bool mine = !pool.busy && nthread > 1;
  if (mine) {
    pool_grow(nthread - 1);
    pool.busy = true;
    pool.work = w;
    pool.wanted = pool.running = nthread - 1 < pool.threads ? nthread - 1 : pool.threads;
    pool.round++;
    pthread_cond_broadcast(&pool.wake);
  }
  pthread_mutex_unlock(&pool.lock);
  work_rows(w, 0);
  if (!mine) return;
  double begin = microseconds();
  while (atomic_load(&pool.running) && microseconds() < begin + PATIENCE) look_again();
  pthread_mutex_lock(&pool.lock);
  while (pool.running) pthread_cond_wait(&pool.done, &pool.lock);
  pool.busy = false;
  pthread_mutex_unlock(&pool.lock);
}

// ---- rollout

static bool warned_bad(const mjData* d) {
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
  for (int t = 0; t < nstep; t++) {
    size_t at = (size_t)row * nstep + t;
    if (warned_bad(d)) {
      // the rest of a row that went bad repeats its last good state
      size_t last = at - 1;
      if (!w->text[row][0])
        snprintf(w->text[row], sizeof *w->text, "bad numbers at step %d", t - 1);
      if (w->state) mju_copy(w->state + at * w->nstate, w->state + last * w->nstate, w->nstate);
      if (w->sensordata) mju_copy(w->sensordata + at * ns, w->sensordata + last * ns, ns);
      continue;
    }
    if (w->control) mj_setState(m, d, w->control + at * w->ncontrol, w->control_spec);
    mj_step(m, d);
    if (w->state) mj_getState(m, d, w->state + at * w->nstate, mjSTATE_FULLPHYSICS);
    if (w->sensordata) mju_copy(w->sensordata + at * ns, d->sensordata, ns);
  }
  if (warned_bad(d) && !w->text[row][0])
    snprintf(w->text[row], sizeof *w->text, "bad numbers at step %d", nstep - 1);
}

// ---- batch: a row is its state; a worker's data takes it, works and gives it back

enum { EACH_STEP, EACH_FORWARD, EACH_RESET, EACH_LOOK };

static void each_row(Work* w, int row, int worker) {
  if (w->mask && !w->mask[row]) return;
  const mjModel* m = w->models[w->nmodel > 1 ? row : 0];
  mjData* d = w->datas[worker];
  mjtNum* state = w->state + (size_t)row * w->nstate;
  for (int i = 0; i < mjNWARNING; i++) d->warning[i].number = 0;
  if (w->what == EACH_RESET) {
    mj_resetData(m, d);
    mj_getState(m, d, state, mjSTATE_INTEGRATION);
    if (w->nbound) mj_forward(m, d);
  } else {
    mj_setState(m, d, state, mjSTATE_INTEGRATION);
    if (w->what != EACH_STEP) mj_forward(m, d);
    for (int i = 0; i < w->nstep; i++) mj_step(m, d);
    if (w->what != EACH_LOOK) mj_getState(m, d, state, mjSTATE_INTEGRATION);
    if (warned_bad(d))
      snprintf(w->text[row], sizeof *w->text, "bad numbers: the simulation was reset");
  }
  for (int i = 0; i < w->nbound; i++) {
    const Bound* b = w->bound + i;
    memcpy((char*)b->rows.buf + (size_t)row * b->bytes, b->field[worker], b->bytes);
  }
}

// ---- from Python

static void* pointers(PyObject* list, int number, int* count) {
  *count = (int)PyList_Size(list);
  if (*count < 0) return NULL;
  void** all = PyMem_Calloc((size_t)*count + 1, sizeof *all);
  if (!all) return PyErr_NoMemory();
  for (int i = 0; i < *count; i++) {
    all[i] = object_pointer(PyList_GetItem(list, i), number);
    if (!all[i]) return PyMem_Free(all), NULL;
  }
  return all;
}

static PyObject* work_do(Work* w, int nthread) {
  w->text = PyMem_Calloc((size_t)w->rows + 1, sizeof *w->text);
  if (!w->text) return PyErr_NoMemory();
  PyThreadState* thread = PyEval_SaveThread();
  work_run(w, nthread);
  PyEval_RestoreThread(thread);
  PyObject* bad = PyErr_Occurred() ? NULL : PyList_New(0);
  for (int i = 0; bad && i < w->rows; i++) {
    if (!w->text[i][0]) continue;
    PyObject* entry = Py_BuildValue("(is)", i, w->text[i]);
    if (!entry || PyList_Append(bad, entry) < 0) Py_CLEAR(bad);
    Py_XDECREF(entry);
  }
  PyMem_Free(w->text);
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
  if (!PyArg_ParseTuple(args, "O!O!iiIOOOOO", &PyList_Type, &models, &PyList_Type, &datas, &w.rows,
                        &w.nstep, &w.control_spec, &state0, &warmstart0, &control, &state,
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

static void bound_release(Work* w) {
  for (int i = 0; i < w->nbound; i++) {
    PyBuffer_Release(&w->bound[i].rows);
    PyMem_Free(w->bound[i].field);
  }
  PyMem_Free(w->bound);
}

// Pairs of a field's name and the array that has a row of it for each simulation.
static bool bound_take(Work* w, PyObject* datas, PyObject* fields) {
  Py_ssize_t count = PyList_Size(fields);
  w->bound = PyMem_Calloc((size_t)count + 1, sizeof *w->bound);
  if (!w->bound) return PyErr_NoMemory(), false;
  for (Py_ssize_t i = 0; i < count; i++) {
    const char* name;
    PyObject* array;
    Bound* b = w->bound + i;
    if (!PyArg_ParseTuple(PyList_GetItem(fields, i), "sO", &name, &array) ||
        PyObject_GetBuffer(array, &b->rows, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0)
      return false;
    w->nbound++;
    b->field = PyMem_Calloc((size_t)w->ndata, sizeof *b->field);
    if (!b->field) return PyErr_NoMemory(), false;
    for (int k = 0; k < w->ndata; k++) {
      Py_ssize_t bytes = 0;
      b->field[k] = data_array((Object*)PyList_GetItem(datas, k), name, &bytes);
      if (!b->field[k] && PyErr_Occurred()) return false;
      b->bytes = (size_t)bytes;
    }
    if (b->rows.len != (Py_ssize_t)b->bytes * w->rows) {
      PyErr_Format(PyExc_ValueError, "%s of %d rows has %zd bytes, not %zd", name, w->rows,
                   (Py_ssize_t)b->bytes * w->rows, b->rows.len);
      return false;
    }
  }
  return true;
}

static PyObject* each(PyObject* self, PyObject* args) {
  PyObject *models, *datas, *state, *fields, *mask;
  Work w = {.run = each_row};
  if (!PyArg_ParseTuple(args, "O!O!iiOO!O", &PyList_Type, &models, &PyList_Type, &datas, &w.nstep,
                        &w.what, &state, &PyList_Type, &fields, &mask))
    return NULL;
  PyObject* result = NULL;
  Py_buffer choice = {.obj = NULL}, rows = {.obj = NULL};
  w.models = pointers(models, INFO_mjModel, &w.nmodel);
  w.datas = w.models ? pointers(datas, INFO_mjData, &w.ndata) : NULL;
  if (w.datas && (w.nmodel < 1 || w.ndata < 1)) {
    PyErr_SetString(PyExc_ValueError, "one model or one for each row, and at least one data");
  } else if (w.datas &&
             (mask == Py_None || PyObject_GetBuffer(mask, &choice, PyBUF_C_CONTIGUOUS) == 0)) {
    w.nstate = mj_stateSize(w.models[0], mjSTATE_INTEGRATION);
    w.rows = (int)PyObject_Length(state);
    w.mask = choice.buf;
    if (w.rows >= 0 && numbers(state, &rows, "state", (Py_ssize_t)w.rows * w.nstate, 1, &w.state) &&
        bound_take(&w, datas, fields)) {
      if ((w.nmodel > 1 && w.nmodel != w.rows) || (choice.obj && choice.len != w.rows)) {
        PyErr_SetString(PyExc_ValueError,
                        "one model or one for each row, a mask with an entry for each row");
      } else {
        result = work_do(&w, w.ndata);
      }
    }
    bound_release(&w);
  }
  if (choice.obj) PyBuffer_Release(&choice);
  if (rows.obj) PyBuffer_Release(&rows);
  PyMem_Free(w.models);
  PyMem_Free(w.datas);
  return result;
}

PyMethodDef pool_methods[] = {
    {"_rollout", rollout, METH_VARARGS,
     "Roll out rows on a thread per data; the rows that went bad, with the reason."},
    {"_each", each, METH_VARARGS,
     "Step (0), compute (1), reset (2) or look at (3) rows of states on a thread per data, and "
     "copy "
     "fields out; the rows that went bad, with the reason."},
    {NULL, NULL, 0, NULL}};
