// Solvers of hard contact (sinew/solver.h), for sinew/solver.py.
#include <sinew/solver.h>

#include "binding.h"

static bool both(PyObject* model, PyObject* data, mjModel** m, mjData** d) {
  return argument_both("solver", model, data, m, d);
}

static PyObject* names(PyObject* self, PyObject* ignored) {
  int n = 0;
  while (sn_solverName(n)) n++;
  PyObject* all = PyTuple_New(n);
  for (int i = 0; all && i < n; i++)
    PyTuple_SetItem(all, i, PyUnicode_FromString(sn_solverName(i)));
  return all;
}

static PyObject* set(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  const char* name;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOz", &model, &data, &name) || !both(model, data, &m, &d))
    return NULL;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) sn_setSolver(m, d, name);
  if (!guard_leave(&g)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* get(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OO", &model, &data) || !both(model, data, &m, &d)) return NULL;
  return PyUnicode_FromString(sn_getSolver(m, d));
}

static bool put(PyObject* dict, const char* name, double value) {
  PyObject* number = PyFloat_FromDouble(value);
  bool good = number && PyDict_SetItemString(dict, name, number) == 0;
  Py_XDECREF(number);
  return good;
}

static PyObject* settings(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  mjModel* m;
  mjData* d;
  snSolverSettings all;
  if (!PyArg_ParseTuple(args, "OO", &model, &data) || !both(model, data, &m, &d)) return NULL;
  if (!sn_getSettings(m, d, &all)) Py_RETURN_NONE;
  PyObject* dict = PyDict_New();
  for (int i = 0; dict && sn_settingName(i); i++) {
    if (!put(dict, sn_settingName(i), sn_settingValue(&all, i))) Py_CLEAR(dict);
  }
  return dict;
}

static PyObject* setting(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  const char* name;
  double value;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOsd", &model, &data, &name, &value) || !both(model, data, &m, &d)) {
    return NULL;
  }
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) sn_setSetting(m, d, name, value);
  if (!guard_leave(&g)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* report(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  mjModel* m;
  mjData* d;
  snSolverReport all;
  if (!PyArg_ParseTuple(args, "OO", &model, &data) || !both(model, data, &m, &d)) return NULL;
  if (!sn_getReport(m, d, &all)) Py_RETURN_NONE;
  PyObject* dict = PyDict_New();
  for (int i = 0; dict && sn_reportName(i); i++) {
    if (!put(dict, sn_reportName(i), sn_reportValue(&all, i))) Py_CLEAR(dict);
  }
  return dict;
}

static PyObject* clear(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OO", &model, &data) || !both(model, data, &m, &d)) return NULL;
  sn_clearCounts(m, d);
  Py_RETURN_NONE;
}

// With a name: set. The law that holds, None when d steps softly, in any case.
static PyObject* impact(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  const char* name;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOz", &model, &data, &name) || !both(model, data, &m, &d))
    return NULL;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place) && name) sn_setImpact(m, d, name);
  if (!guard_leave(&g)) return NULL;
  const char* law = sn_getImpact(m, d);
  if (!law) Py_RETURN_NONE;
  return PyUnicode_FromString(law);
}

// With a value: set. The restitution that holds, in any case.
static PyObject* restitution(PyObject* self, PyObject* args) {
  PyObject *model, *data, *value;
  int geom;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOiO", &model, &data, &geom, &value) || !both(model, data, &m, &d)) {
    return NULL;
  }
  double e = value == Py_None ? 0 : PyFloat_AsDouble(value);
  if (PyErr_Occurred()) return NULL;
  volatile double now = 0;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) {
    if (value != Py_None) sn_setRestitution(m, d, geom, e);
    now = sn_getRestitution(m, d, geom);
  }
  if (!guard_leave(&g)) return NULL;
  return PyFloat_FromDouble(now);
}

PyMethodDef solver_methods[] = {
    {"_solver_names", names, METH_NOARGS, "Names of the solvers for hard contact."},
    {"_solver_set", set, METH_VARARGS, "Choose a solver by name, 'soft', or None for the model's."},
    {"_solver_get", get, METH_VARARGS, "Name of the solver that steps the data, or 'soft'."},
    {"_solver_settings", settings, METH_VARARGS, "Settings by name, None when soft."},
    {"_solver_setting", setting, METH_VARARGS, "Change one setting."},
    {"_solver_report", report, METH_VARARGS, "The report of the last step, None when it was soft."},
    {"_solver_clear", clear, METH_VARARGS, "Clear the counts of the report."},
    {"_solver_impact", impact, METH_VARARGS, "Impact law, set unless None."},
    {"_solver_restitution", restitution, METH_VARARGS, "Restitution of a geom, set unless None."},
    {NULL, NULL, 0, NULL}};
