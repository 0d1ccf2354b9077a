// Python functions as callbacks of the engine. A callback that raises ends the call into the
// engine, and its exception comes out of that call.
#include <stdio.h>
#include <string.h>

#include "binding.h"

enum {
  PASSIVE,
  CONTROL,
  CONTACTFILTER,
  SENSOR,
  TIME,
  ACT_DYN,
  ACT_GAIN,
  ACT_BIAS,
  USER_WARNING,
  CALLBACKS
};
static const char* const names[CALLBACKS] = {"mjcb_passive",  "mjcb_control",  "mjcb_contactfilter",
                                             "mjcb_sensor",   "mjcb_time",     "mjcb_act_dyn",
                                             "mjcb_act_gain", "mjcb_act_bias", "mju_user_warning"};
static PyObject* callbacks[CALLBACKS];

// An object over a struct that no object of Python's stands for, for the time of a call.
static PyObject* wrap(int number, void* p, const mjModel* m, PyObject* model) {
  PyObject* handle = handle_new(p, NULL, NULL);
  if (!handle) return NULL;
  Object* o = object_new(types[number], info_of(number), p, handle);
  Py_DECREF(handle);
  if (!o) return NULL;
  o->m = m;
  Py_XINCREF(model);
  o->model = model;
  return (PyObject*)o;
}

// Calls a callback with model, data (when d is given) and up to two numbers.
static double call(int which, const mjModel* m, const mjData* d, int count, int a, int b) {
  bool waited = !guard_is_quiet();
  PyGILState_STATE state = PyGILState_Ensure();
  double value = 0;
  PyObject* result = NULL;
  PyObject* function = callbacks[which];
  if (!function) return PyGILState_Release(state), 0;
  Py_INCREF(function);
  if (!d) {
    result = PyObject_CallNoArgs(function);
  } else {
    PyObject* model = object_registered(m);
    if (!model && !PyErr_Occurred()) model = wrap(INFO_mjModel, (void*)m, m, NULL);
    PyObject* data = model ? object_registered(d) : NULL;
    if (model && !data && !PyErr_Occurred()) data = wrap(INFO_mjData, (void*)d, m, model);
    if (data && count == 0)
      result = PyObject_CallFunctionObjArgs(function, model, data, NULL);
    else if (data && count == 1)
      result = PyObject_CallFunction(function, "OOi", model, data, a);
    else if (data)
      result = PyObject_CallFunction(function, "OOii", model, data, a, b);
    Py_XDECREF(data);
    Py_XDECREF(model);
  }
  Py_DECREF(function);
  bool good = result != NULL;
  bool wants = which == CONTACTFILTER || which == TIME || which == ACT_DYN || which == ACT_GAIN ||
               which == ACT_BIAS;
  if (good && wants) {
    value = PyFloat_AsDouble(result);
    if (value == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "%s callback did not return a number", names[which]);
      good = false;
    }
  }
  Py_XDECREF(result);
  if (good) {
    PyGILState_Release(state);
    return value;
  }
  if (waited) {  // the exception waits in the thread's state
    PyGILState_Release(state);
    guard_raise();
  }
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyObject* text = error ? PyObject_Str(error) : NULL;
  char message[512];
  const char* utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  snprintf(message, sizeof message, "%s: %s", names[which],
           utf8 ? utf8 : "the callback raised an exception");
  Py_XDECREF(text), Py_XDECREF(type), Py_XDECREF(error), Py_XDECREF(trace);
  PyGILState_Release(state);
  mju_error("%s", message);
  return 0;
}

static void on_passive(const mjModel* m, mjData* d) { call(PASSIVE, m, d, 0, 0, 0); }
static void on_control(const mjModel* m, mjData* d) { call(CONTROL, m, d, 0, 0, 0); }
static int on_contactfilter(const mjModel* m, mjData* d, int a, int b) {
  return (int)call(CONTACTFILTER, m, d, 2, a, b);
}
static void on_sensor(const mjModel* m, mjData* d, int stage) { call(SENSOR, m, d, 1, stage, 0); }
static mjtNum on_time(void) { return call(TIME, NULL, NULL, 0, 0, 0); }
static mjtNum on_act_dyn(const mjModel* m, const mjData* d, int id) {
  return call(ACT_DYN, m, d, 1, id, 0);
}
static mjtNum on_act_gain(const mjModel* m, const mjData* d, int id) {
  return call(ACT_GAIN, m, d, 1, id, 0);
}
static mjtNum on_act_bias(const mjModel* m, const mjData* d, int id) {
  return call(ACT_BIAS, m, d, 1, id, 0);
}

static void on_warning(const char* message) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* function = callbacks[USER_WARNING];
  PyObject* result = function ? PyObject_CallFunction(function, "s", message) : NULL;
  if (function && !result) PyErr_WriteUnraisable(function);
  Py_XDECREF(result);
  PyGILState_Release(state);
}

static PyObject* set(int which, PyObject* value) {
  if (value != Py_None && !PyCallable_Check(value)) {
    return PyErr_Format(PyExc_TypeError, "callback is not an Optional[Callable]");
  }
  PyObject* old = callbacks[which];
  callbacks[which] = value == Py_None ? NULL : value;
  Py_XINCREF(callbacks[which]);
  bool on = value != Py_None;
#define PLACE(variable, function) variable = on ? function : NULL
  switch (which) {
    case PASSIVE:
      PLACE(mjcb_passive, on_passive);
      break;
    case CONTROL:
      PLACE(mjcb_control, on_control);
      break;
    case CONTACTFILTER:
      PLACE(mjcb_contactfilter, on_contactfilter);
      break;
    case SENSOR:
      PLACE(mjcb_sensor, on_sensor);
      break;
    case TIME:
      PLACE(mjcb_time, on_time);
      break;
    case ACT_DYN:
      PLACE(mjcb_act_dyn, on_act_dyn);
      break;
    case ACT_GAIN:
      PLACE(mjcb_act_gain, on_act_gain);
      break;
    case ACT_BIAS:
      PLACE(mjcb_act_bias, on_act_bias);
      break;
    case USER_WARNING:
      PLACE(mju_user_warning, on_warning);
      break;
  }
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

static PyObject* get(int which) {
  PyObject* value = callbacks[which] ? callbacks[which] : Py_None;
  Py_INCREF(value);
  return value;
}

#define BOTH(which, name)                                                                    \
  static PyObject* set_##name(PyObject* self, PyObject* value) { return set(which, value); } \
  static PyObject* get_##name(PyObject* self, PyObject* ignored) { return get(which); }
BOTH(PASSIVE, mjcb_passive)
BOTH(CONTROL, mjcb_control)
BOTH(CONTACTFILTER, mjcb_contactfilter)
BOTH(SENSOR, mjcb_sensor)
BOTH(TIME, mjcb_time)
BOTH(ACT_DYN, mjcb_act_dyn)
BOTH(ACT_GAIN, mjcb_act_gain)
BOTH(ACT_BIAS, mjcb_act_bias)
BOTH(USER_WARNING, mju_user_warning)

#define ENTRY(name)                                                                   \
  {"set_" #name, set_##name, METH_O, "Set " #name ": a function, or None."}, {        \
    "get_" #name, get_##name, METH_NOARGS, "The function that is " #name ", or None." \
  }
PyMethodDef callback_methods[] = {
    ENTRY(mjcb_passive),     ENTRY(mjcb_control),  ENTRY(mjcb_contactfilter), ENTRY(mjcb_sensor),
    ENTRY(mjcb_time),        ENTRY(mjcb_act_dyn),  ENTRY(mjcb_act_gain),      ENTRY(mjcb_act_bias),
    ENTRY(mju_user_warning), {NULL, NULL, 0, NULL}};
