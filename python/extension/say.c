// Words for messages: what was given, in short. Numbers of arrays are never printed.
#include "binding.h"

enum { SHORT = 60 };

static PyObject* shortened(PyObject* text) {
  if (!text || PyUnicode_GetLength(text) <= SHORT) return text;
  PyObject* start = PyUnicode_Substring(text, 0, SHORT);
  PyObject* result = start ? PyUnicode_FromFormat("%U...", start) : NULL;
  Py_XDECREF(start);
  Py_DECREF(text);
  return result;
}

static bool flag_is_off(PyObject* flags, const char* name) {
  PyObject* flag = flags ? PyObject_GetAttrString(flags, name) : NULL;
  bool off = flag && PyObject_IsTrue(flag) == 0;
  Py_XDECREF(flag);
  return off;
}

// NULL without an exception: not an array.
static PyObject* array_described(PyObject* value) {
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  PyObject* shape = dtype ? PyObject_GetAttrString(value, "shape") : NULL;
  PyObject* flags = shape ? PyObject_GetAttrString(value, "flags") : NULL;
  PyErr_Clear();
  PyObject* text = NULL;
  if (dtype && shape) {
    text = shortened(PyUnicode_FromFormat("%S", dtype));
    PyObject* name = text;
    const char* laid = flag_is_off(flags, "c_contiguous") ? ", not contiguous" : "";
    const char* open = flag_is_off(flags, "writeable") ? ", read-only" : "";
    text = name ? PyUnicode_FromFormat("an array of %U with shape %S%s%s", name, shape, laid, open)
                : NULL;
    Py_XDECREF(name);
  }
  PyErr_Clear();
  Py_XDECREF(dtype);
  Py_XDECREF(shape);
  Py_XDECREF(flags);
  return text;
}

PyObject* described(PyObject* value) {
  PyObject* array = PyType_Check(value) ? NULL : array_described(value);
  if (array) return array;
  if (value == Py_None || PyUnicode_Check(value) || PyBytes_Check(value) || PyLong_Check(value) ||
      PyFloat_Check(value) || PyType_Check(value)) {
    return shortened(PyObject_Repr(value));
  }
  PyObject* type = (PyObject*)Py_TYPE(value);
  PyObject* module = PyObject_GetAttrString(type, "__module__");
  PyObject* name = PyObject_GetAttrString(type, "__qualname__");
  PyObject* text = NULL;
  if (module && name) {
    Py_ssize_t n = PyList_Check(value) || PyTuple_Check(value) ? PySequence_Size(value) : -1;
    if (n >= 0) {
      text = PyUnicode_FromFormat("a %U of %zd", name, n);
    } else if (PyUnicode_CompareWithASCIIString(module, "builtins") == 0) {
      text = PyUnicode_FromFormat("an object of type %U", name);
    } else {
      text = PyUnicode_FromFormat("an object of type %U.%U", module, name);
    }
  }
  Py_XDECREF(module);
  Py_XDECREF(name);
  if (!text) PyErr_Clear();
  return text ? text : PyUnicode_FromString("something else");
}

void error_prefix(const char* of, const char* field) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_OverflowError)) {
    return;
  }
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject* said = PyObject_Str(value);
  PyObject* name = PyUnicode_FromFormat("%s.%s", of, field);
  int there = said && name ? PyUnicode_Contains(said, name) : -1;
  if (there == 0) {
    PyErr_Format(type, "%U: %U", name, said);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  } else {
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(said);
  Py_XDECREF(name);
}

bool argument_refuse(PyObject* kind, const char* call, const char* argument, const char* expected,
                     PyObject* value) {
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
  PyErr_Clear();
  PyObject* found = described(value);
  if (found) {
    PyErr_Format(kind, "%s: argument %s: expected %s, found %U", call, argument, expected, found);
  }
  Py_XDECREF(found);
  return false;
}

// An assignment that numpy refused, in words that name the field and both arrays.
static void assignment_refuse(PyObject* array, PyObject* value, const char* of, const char* field,
                              PyObject* kind) {
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) return;
  PyErr_Clear();
  PyObject *wanted = array_described(array), *found = described(value);
  if (wanted && found) {
    PyErr_Format(kind, "%s.%s: expected numbers for %U, found %U", of, field, wanted, found);
  } else if (!PyErr_Occurred()) {
    PyErr_Format(kind, "%s.%s: cannot be set to this", of, field);
  }
  Py_XDECREF(wanted);
  Py_XDECREF(found);
}

static bool is_complex(PyObject* value) {
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  PyObject* kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
  bool is = (kind && PyUnicode_Check(kind) && !PyUnicode_CompareWithASCIIString(kind, "c")) ||
            PyComplex_Check(value);
  PyErr_Clear();
  Py_XDECREF(dtype);
  Py_XDECREF(kind);
  return is;
}

int array_assign(PyObject* array, PyObject* value, const char* of, const char* field) {
  if (!array) return -1;
  int result = -1;
  if (is_complex(value)) {
    // numpy would drop the imaginary parts
    assignment_refuse(array, value, of, field, PyExc_TypeError);
  } else if ((result = PyObject_SetItem(array, Py_Ellipsis, value)) < 0) {
    if (PyErr_ExceptionMatches(PyExc_ValueError)) {
      assignment_refuse(array, value, of, field, PyExc_ValueError);
    } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      assignment_refuse(array, value, of, field, PyExc_TypeError);
    } else {
      error_prefix(of, field);
    }
  }
  Py_DECREF(array);
  return result;
}
