// The functions of the interface: generated ones, and those that Python calls in another way.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "binding.h"
#include "data/data.h"
#pragma GCC diagnostic ignored "-Wclobbered"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Without a clock of the program's the timer of the step runs, and no other: it costs two looks at
// a clock in a call.
static PyObject* py_mj_step(PyObject* self, PyObject* const* a, Py_ssize_t n, PyObject* k) {
  static const Argument arguments[] = {{A_STRUCT, INFO_mjModel, 0, 0, "m"},
                                       {A_STRUCT, INFO_mjData, 0, 0, "d"},
                                       {A_WHOLE, 0, 0, 0, "nstep"}};
  static const Signature all = {"mj_step", 3, arguments}, one = {"mj_step", 2, arguments};
  Value v[3];
  bool many = n + (k ? PyTuple_Size(k) : 0) > 2;
  if (!arguments_read(many ? &all : &one, a, n, k, v)) return NULL;
  const mjModel* m = v[0].p;
  mjData* d = v[1].p;
  long long count = many ? v[2].whole : 1;
  if (count < 0) {
    return PyErr_Format(PyExc_ValueError, "mj_step: argument nstep: expected 0 or more, found %lld",
                        count);
  }
  // many steps let signals through ten times a second: Ctrl-C
  volatile long long done = 0;
  do {
    Guard g;
    guard_enter(&g, d, 1);
    double start = mjcb_time && !many ? 0 : seconds();
    if (!SYSTEM_SETJMP(g.place)) {
      for (; done < count && (!many || seconds() < start + 0.1); done++) mj_step(m, d);
    }
    if (!mjcb_time) d->timer[mjTIMER_STEP].duration += seconds() - start;
    if (!guard_leave(&g) || (done < count && PyErr_CheckSignals() < 0)) return NULL;
  } while (done < count);
  Py_RETURN_NONE;
}

static PyObject* py_mj_saveLastXML(PyObject* self, PyObject* const* a, Py_ssize_t n, PyObject* k) {
  static const Argument arguments[] = {{A_TEXT, 0, 0, 0, "filename"},
                                       {A_STRUCT, INFO_mjModel, 0, 0, "m"}};
  static const Signature signature = {"mj_saveLastXML", 2, arguments};
  Value v[2];
  if (!arguments_read(&signature, a, n, k, v)) return NULL;
  char error[1024] = "";
  volatile int done = 0;
  Guard g;
  guard_enter(&g, NULL, 1);
  if (!SYSTEM_SETJMP(g.place)) done = mj_saveLastXML(v[0].p, v[1].p, error, sizeof error);
  bool good = guard_leave(&g);
  arguments_release(&signature, v);
  if (!good) return NULL;
  if (!done) {
    PyErr_SetString(fatal_error,
                    error[0] ? error : "mj_saveLastXML: the file could not be written");
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject* py_mj_saveModel(PyObject* self, PyObject* const* a, Py_ssize_t n, PyObject* k) {
  static const Argument arguments[] = {{A_STRUCT, INFO_mjModel, 0, 0, "m"}};
  static const Signature signature = {"mj_saveModel", 1, arguments};
  PyObject* given[3] = {n > 0 ? a[0] : NULL, n > 1 ? a[1] : Py_None, n > 2 ? a[2] : Py_None};
  static const char* const names[3] = {"m", "filename", "buffer"};
  for (Py_ssize_t i = 0; k && i < PyTuple_Size(k); i++) {
    int at = 0;
    while (at < 3 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(k, i), names[at]) != 0) at++;
    if (at == 3)
      return PyErr_Format(PyExc_TypeError, "mj_saveModel: argument %R is unknown",
                          PyTuple_GetItem(k, i));
    given[at] = a[n + i];
  }
  Value v[1];
  if (!arguments_read(&signature, given, given[0] ? 1 : 0, NULL, v)) return NULL;
  PyObject* name = NULL;
  Py_buffer buffer = {.obj = NULL};
  if (given[1] != Py_None && !PyUnicode_FSConverter(given[1], &name)) return NULL;
  if (given[2] != Py_None &&
      PyObject_GetBuffer(given[2], &buffer, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
    Py_XDECREF(name);
    return NULL;
  }
  Guard g;
  guard_enter(&g, NULL, 1);
  if (!SYSTEM_SETJMP(g.place))
    mj_saveModel(v[0].p, name ? PyBytes_AsString(name) : NULL, buffer.obj ? buffer.buf : NULL,
                 buffer.obj ? (int)buffer.len : 0);
  bool good = guard_leave(&g);
  Py_XDECREF(name);
  if (buffer.obj) PyBuffer_Release(&buffer);
  if (!good) return NULL;
  Py_RETURN_NONE;
}

static PyObject* py_mj_setLengthRange(PyObject* self, PyObject* const* a, Py_ssize_t n,
                                      PyObject* k) {
  static const Argument arguments[] = {{A_STRUCT, INFO_mjModel, 0, 0, "m"},
                                       {A_STRUCT, INFO_mjData, 0, 0, "d"},
                                       {A_WHOLE, 0, 0, 0, "index"},
                                       {A_STRUCT, INFO_mjLROpt, 0, 0, "opt"}};
  static const Signature signature = {"mj_setLengthRange", 4, arguments};
  Value v[4];
  if (!arguments_read(&signature, a, n, k, v)) return NULL;
  char error[1024] = "";
  volatile int done = 0;
  Guard g;
  guard_enter(&g, v[1].p, 1);
  if (!SYSTEM_SETJMP(g.place))
    done = mj_setLengthRange(v[0].p, v[1].p, (int)v[2].whole, v[3].p, error, sizeof error);
  if (!guard_leave(&g)) return NULL;
  if (!done) return PyErr_SetString(fatal_error, error), NULL;
  Py_RETURN_NONE;
}

static PyObject* py_mj_printSchema(PyObject* self, PyObject* const* a, Py_ssize_t n, PyObject* k) {
  static const Argument arguments[] = {{A_WHOLE, 0, 0, 0, "flg_html"},
                                       {A_WHOLE, 0, 0, 0, "flg_pad"}};
  static const Signature signature = {"mj_printSchema", 2, arguments};
  Value v[2];
  if (!arguments_read(&signature, a, n, k, v)) return NULL;
  enum { ROOM = 1 << 20 };
  char* text = PyMem_Calloc(1, ROOM);
  if (!text) return PyErr_NoMemory();
  volatile int length = 0;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place))
    length = mj_printSchema(NULL, text, ROOM, (int)v[0].whole, (int)v[1].whole);
  PyObject* result = guard_leave(&g) ? string_of(text, length < ROOM ? ROOM : ROOM) : NULL;
  PyMem_Free(text);
  return result;
}

static PyObject* py_mj_loadAllPluginLibraries(PyObject* self, PyObject* const* a, Py_ssize_t n,
                                              PyObject* k) {
  static const Argument arguments[] = {{A_TEXT, 0, 0, 0, "directory"}};
  static const Signature signature = {"mj_loadAllPluginLibraries", 1, arguments};
  Value v[1];
  if (!arguments_read(&signature, a, n, k, v)) return NULL;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) mj_loadAllPluginLibraries(v[0].p, NULL);
  bool good = guard_leave(&g);
  arguments_release(&signature, v);
  if (!good) return NULL;
  Py_RETURN_NONE;
}

static PyObject* py_mju_standardNormal(PyObject* self, PyObject* const* a, Py_ssize_t n,
                                       PyObject* k) {
  static const Argument arguments[] = {{A_ARRAY, 'd', OPTIONAL | WRITES, 1, "num2"}};
  static const Signature signature = {"mju_standardNormal", 1, arguments};
  Value v[1];
  PyObject* number =
      n == 1 && PyFloat_Check(a[0]) ? Py_None : NULL;  // a plain number cannot be filled in
  if (!arguments_read(&signature, number ? &number : a, n, k, v)) return NULL;
  mjtNum result = mju_standardNormal(v[0].p);
  arguments_release(&signature, v);
  return PyFloat_FromDouble(result);
}

// One rectangle: that is what Python has.
static PyObject* py_mjr_findRect(PyObject* self, PyObject* const* a, Py_ssize_t n, PyObject* k) {
  static const Argument arguments[] = {{A_WHOLE, 0, 0, 0, "x"},
                                       {A_WHOLE, 0, 0, 0, "y"},
                                       {A_WHOLE, 0, 0, 0, "nrect"},
                                       {A_STRUCT, INFO_mjrRect, 0, 0, "rect"}};
  static const Signature signature = {"mjr_findRect", 4, arguments};
  Value v[4];
  if (!arguments_read(&signature, a, n, k, v)) return NULL;
  if (v[2].whole < 0 || v[2].whole > 1) {
    return PyErr_Format(PyExc_ValueError, "mjr_findRect: nrect is %lld, one rectangle is given",
                        v[2].whole);
  }
  return PyLong_FromLong(mjr_findRect((int)v[0].whole, (int)v[1].whole, (int)v[2].whole, v[3].p));
}

static Py_ssize_t pixel_count(mjrRect r) {
  return r.width > 0 && r.height > 0 ? (Py_ssize_t)r.width * r.height : 0;
}

// The released package's way to make room for contacts and rows that come from elsewhere.
PyObject* py_realloc_con_efc(PyObject* self, PyObject* const* a, Py_ssize_t n, PyObject* k) {
  static const Argument arguments[] = {{A_STRUCT, INFO_mjData, 0, 0, "d"},
                                       {A_WHOLE, 0, 0, 0, "ncon"},
                                       {A_WHOLE, 0, 0, 0, "nefc"},
                                       {A_WHOLE, 0, 0, 0, "nJ"}};
  static const Signature all = {"_realloc_con_efc", 4, arguments},
                         some = {"_realloc_con_efc", 3, arguments};
  Value v[4];
  bool entries = n + (k ? PyTuple_Size(k) : 0) > 3;
  if (!arguments_read(entries ? &all : &some, a, n, k, v)) return NULL;
  mjData* d = v[0].p;
  long long nefc = v[2].whole, nJ = entries ? v[3].whole : nefc * ((snData*)d)->model->nv;
  if (v[1].whole > INT_MAX || nefc > INT_MAX || nJ > INT_MAX ||
      !data_arena_shape(d, (int)v[1].whole, (int)nefc, (int)nJ)) {
    data_arena_clear(d);
    return PyErr_SetString(fatal_error, "insufficient arena memory available"), NULL;
  }
  Py_RETURN_NONE;
}

#include "functions.inc"

PyMethodDef* functions_table(void);
PyMethodDef* functions_table(void) { return functions; }
