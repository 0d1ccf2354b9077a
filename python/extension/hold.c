// What holds: sleep (sinew/sleep.h) and certificates of steps (sinew/certificate.h), for
// sinew/holding.py.
#include <sinew/certificate.h>
#include <sinew/sleep.h>
#include <sinew/warning.h>
#include <stdio.h>

#include "binding.h"

static bool both(PyObject* model, PyObject* data, mjModel** m, mjData** d) {
  return argument_both("holding", model, data, m, d);
}

// `what` of a body: model, data and its number are the arguments. -1 after an exception.
static int of_body(PyObject* args, int (*what)(const mjModel*, mjData*, int)) {
  PyObject *model, *data;
  int body;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOi", &model, &data, &body) || !both(model, data, &m, &d)) return -1;
  volatile int answer = 0;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) answer = what(m, d, body);
  return guard_leave(&g) ? answer : -1;
}

static int ask_asleep(const mjModel* m, mjData* d, int body) { return sn_asleep(m, d, body); }

static int do_wake(const mjModel* m, mjData* d, int body) {
  sn_wake(m, d, body);
  return 0;
}

static PyObject* asleep(PyObject* self, PyObject* args) {
  int sleeps = of_body(args, ask_asleep);
  return sleeps < 0 ? NULL : PyBool_FromLong(sleeps);
}

static PyObject* wake(PyObject* self, PyObject* args) {
  if (of_body(args, do_wake) < 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* certify(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  int on;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOp", &model, &data, &on) || !both(model, data, &m, &d)) return NULL;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) sn_certify(m, d, on);
  if (!guard_leave(&g)) return NULL;
  Py_RETURN_NONE;
}

// Takes the reference to `value`.
static bool put(PyObject* dict, const char* name, PyObject* value) {
  bool good = value && PyDict_SetItemString(dict, name, value) == 0;
  Py_XDECREF(value);
  return good;
}

// A dict, None when there is none. Objects are there by id, and by name under `..._name`.
static PyObject* certificate(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  mjModel* m;
  mjData* d;
  snCertificate c;
  if (!PyArg_ParseTuple(args, "OO", &model, &data) || !both(model, data, &m, &d)) return NULL;
  volatile int there = 0;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) there = sn_getCertificate(m, d, &c);
  if (!guard_leave(&g)) return NULL;
  if (!there) Py_RETURN_NONE;
  PyObject* dict = PyDict_New();
  for (int i = 0; dict && sn_certificateName(i); i++) {
    const char* name = sn_certificateName(i);
    int object = sn_certificateObject(i);
    mjtNum value = sn_certificateValue(&c, i);
    bool good;
    if (object == mjOBJ_UNKNOWN) {
      good = put(dict, name, PyFloat_FromDouble(value));
    } else {
      char key[64];
      const char* text = value < 0 ? NULL : mj_id2name(m, object, (int)value);
      snprintf(key, sizeof key, "%s_name", name);
      good = put(dict, name, PyLong_FromLong((long)value)) &&
             put(dict, key, PyUnicode_FromString(text ? text : ""));
    }
    if (!good) Py_CLEAR(dict);
  }
  return dict;
}

// A dict of counts by name.
static PyObject* warnings(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  mjModel* m;
  mjData* d;
  int count[snNWARNING] = {0};
  if (!PyArg_ParseTuple(args, "OO", &model, &data) || !both(model, data, &m, &d)) return NULL;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) {
    for (int i = 0; i < snNWARNING; i++) count[i] = sn_warningCount(m, d, i);
  }
  if (!guard_leave(&g)) return NULL;
  PyObject* dict = PyDict_New();
  for (int i = 0; dict && i < snNWARNING; i++) {
    if (!put(dict, sn_warningName(i), PyLong_FromLong(count[i]))) Py_CLEAR(dict);
  }
  return dict;
}

PyMethodDef hold_methods[] = {
    {"_hold_warnings", warnings, METH_VARARGS, "Counts of warnings beyond the documented ones."},
    {"_hold_certify", certify, METH_VARARGS, "Certificates of this data's steps, or none."},
    {"_hold_certificate", certificate, METH_VARARGS, "The certificate of the last step, or None."},
    {"_hold_asleep", asleep, METH_VARARGS, "Is a body asleep?"},
    {"_hold_wake", wake, METH_VARARGS, "Wake a body and all that sleep with it; -1: everyone."},
    {NULL, NULL, 0, NULL}};
