// Work on the rows of a batch, over threads (pool.c).
#ifndef SINEW_PYTHON_POOL_H_
#define SINEW_PYTHON_POOL_H_

#include <pthread.h>
#include <stdatomic.h>

#include "binding.h"

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
  void (*after[4])(const mjModel* m, mjData* d);  // called before that
  int nafter;
  double* seconds;  // of processor time by row since its reset, where rows have a limit
  double limit;
  void* more;  // of the work itself
  struct Share_* share;
  int nshare;
  // Ctrl-C: the state of the caller's thread while others run Python, when the caller last looked
  // for signals, and whether one has raised
  PyThreadState* thread;
  double looked;
  atomic_bool stop;
  // rows that went bad, as they come
  pthread_mutex_t lock;
  struct Bad_* bad;
  int nbad;
} Work;

typedef struct Bad_ {
  int row;
  char text[156];
} Bad;

typedef struct Batch_ {
  Work work;
  PyObject *models, *datas;  // tuples: what the pointers in `work` belong to
  Py_buffer state, seconds;
} Batch;

extern const char BATCH[];  // name of the capsule of a Batch

// All rows on so many threads; a list of the rows that went bad, or NULL and an exception.
PyObject* work_do(Work* w, int nthread);

// For the work itself: asked between steps, on any worker; whether numbers of a step were bad; what
// went wrong with a row.
bool work_stopped(Work* w, int worker);
bool warned_bad(const mjData* d);
void work_bad(Work* w, int row, const char* text);

// Arrays of numbers, each of a known length or None.
enum { ARRAYS_MOST = 10 };

typedef struct Arrays_ {
  Py_buffer buffer[ARRAYS_MOST];
  mjtNum* p[ARRAYS_MOST];
  int count;
} Arrays;

bool arrays_add(Arrays* a, PyObject* value, Py_ssize_t expected, bool written);
void arrays_release(Arrays* a);

#endif
