// What holds: sleep (sinew/sleep.h), for sinew/holding.py.
#include <sinew/sleep.h>

#include "binding.h"

static bool both(PyObject* model, PyObject* data, mjModel** m, mjData** d) {
  return argument_both("holding", model, data, m, d);
}

// Is a body asleep?
static PyObject* asleep(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  int body;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOi", &model, &data, &body) || !both(model, data, &m, &d)) {
    return NULL;
  }
  volatile int sleeps = 0;
  Guard g;
  guard_enter(&g, d, 0);
  if (!_setjmp(g.place)) sleeps = sn_asleep(m, d, body);
  if (!guard_leave(&g)) return NULL;
  return PyBool_FromLong(sleeps);
}

static PyObject* wake(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  int body;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOi", &model, &data, &body) || !both(model, data, &m, &d)) {
    return NULL;
  }
  Guard g;
  guard_enter(&g, d, 0);
  if (!_setjmp(g.place)) sn_wake(m, d, body);
  if (!guard_leave(&g)) return NULL;
  Py_RETURN_NONE;
}

PyMethodDef hold_methods[] = {
    {"_hold_asleep", asleep, METH_VARARGS, "Is a body asleep?"},
    {"_hold_wake", wake, METH_VARARGS, "Wake a body and all that sleep with it; -1: everyone."},
    {NULL, NULL, 0, NULL}};
