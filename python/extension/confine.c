// What a model may read (sinew/confine.h) and how much it may ask for (sinew/budget.h), the
// version, and the sinew command.
#include <sinew/budget.h>
#include <sinew/confine.h>
#include <sinew/version.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

enum { ROOM = 4096 };

bool confine_begin(const char* call, PyObject* option, const char* path, char before[4096]) {
  const char* now = sn_getConfine();
  snprintf(before, ROOM, "%s", now ? now : "");
  if (!option || option == Py_False || option == Py_None) return true;
  PyObject* bytes = NULL;
  if (option == Py_True) {
    const char* slash = path ? strrchr(path, '/') : NULL;
    bytes = slash ? PyBytes_FromStringAndSize(path, slash - path + 1) : PyBytes_FromString(".");
    if (!bytes) return false;
  } else if (!PyUnicode_FSConverter(option, &bytes)) {
    return argument_refuse(PyExc_TypeError, call, "confine", "True, False or a folder", option);
  }
  const char* folder = PyBytes_AsString(bytes);
  bool done = folder && sn_confine(folder);
  if (folder && !done) {
    PyErr_Format(PyExc_ValueError, "%s: argument confine: there is no folder '%s'", call, folder);
  }
  Py_DECREF(bytes);
  return done;
}

void confine_end(const char before[4096]) { sn_confine(before[0] ? before : NULL); }

static PyObject* confine(PyObject* self, PyObject* folder) {
  const char* now = sn_getConfine();
  PyObject* before = now ? PyUnicode_DecodeFSDefault(now) : Py_NewRef(Py_None);
  char kept[ROOM];
  if (folder == Py_None) {
    sn_confine(NULL);
  } else if (before && !confine_begin("confined", folder, NULL, kept)) {
    Py_CLEAR(before);
  }
  return before;
}

// Zero leaves a number as it is; the two that hold from now on.
static PyObject* budget(PyObject* self, PyObject* arguments) {
  Py_ssize_t elements, bytes;
  if (!PyArg_ParseTuple(arguments, "nn", &elements, &bytes)) return NULL;
  sn_setBudget((size_t)elements, (size_t)bytes);
  size_t now[2];
  sn_getBudget(&now[0], &now[1]);
  return Py_BuildValue("nn", (Py_ssize_t)now[0], (Py_ssize_t)now[1]);
}

static PyObject* version(PyObject* self, PyObject* ignored) {
  return PyUnicode_FromString(sn_version());
}

static PyObject* say(PyObject* self, PyObject* value) { return described(value); }

// apps/sinew.c without its main
int sinew_main(int argc, char** argv);

static PyObject* command(PyObject* self, PyObject* arguments) {
  PyObject* list = PySequence_List(arguments);
  Py_ssize_t n = list ? PyList_Size(list) : 0, i = 0;
  char** argv = list ? PyMem_Calloc((size_t)n + 2, sizeof *argv) : NULL;
  PyObject* held = argv ? PyList_New(0) : NULL;
  for (; held && i < n; i++) {
    PyObject* bytes = NULL;
    if (!PyUnicode_FSConverter(PyList_GetItem(list, i), &bytes)) break;
    argv[i] = PyBytes_AsString(bytes);
    int kept = PyList_Append(held, bytes);
    Py_DECREF(bytes);
    if (kept < 0) break;
  }
  PyObject* result = NULL;
  if (held && i == n) {
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = sinew_main((int)n, argv);
    Py_END_ALLOW_THREADS;
    result = PyLong_FromLong(status);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  Py_XDECREF(held);
  PyMem_Free(argv);
  Py_XDECREF(list);
  return result;
}

PyMethodDef confine_methods[] = {
    {"_confine", confine, METH_O, "Confine reading on this thread to a folder; the one before."},
    {"_budget", budget, METH_VARARGS, "Set what a model may ask for, elements and bytes."},
    {"_version", version, METH_NOARGS, "The version of Sinew."},
    {"_described", say, METH_O, "A value in few words, for messages."},
    {"_command", command, METH_O, "Run the sinew command; its exit code."},
    {NULL, NULL, 0, NULL}};
