// Arguments of functions, and the way back from an error inside the engine.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"
#include "data/data.h"
#include "dual/dual.h"

// ---- guards

void (*_mjPRIVATE__get_tls_error_fn(void))(const char*);
void _mjPRIVATE__set_tls_error_fn(void (*handler)(const char*));

static _Thread_local Guard* guard_top;

// A derivative that does not come to its end leaves no tape behind.
static _Noreturn void guard_jump(Guard* g) {
  tape_release(g->tape);
  longjmp(g->place, 1);
}

static void guard_error(const char* message) {
  Guard* g = guard_top;
  if (!g) return;
  g->failed = true;
  snprintf(g->text, sizeof g->text, "%s", message);
  guard_jump(g);
}

bool guard_is_quiet(void) { return !guard_top || guard_top->quiet; }

_Noreturn void guard_raise(void) {
  Guard* g = guard_top;
  g->failed = g->raised = true;
  guard_jump(g);
}

// ---- data in use: calls that run without the lock of the interpreter are listed, with the lock
// held

static Guard* running;

bool data_idle(const char* function, const mjData* d) {
  for (const Guard* g = running; g; g = g->running) {
    if (g->d == d && g->owner != PyThread_get_thread_ident()) {
      PyErr_Format(PyExc_RuntimeError,
                   "%s: another thread works in this MjData: give each thread its own", function);
      return false;
    }
  }
  return true;
}

static void running_add(Guard* g) {
  g->owner = PyThread_get_thread_ident();
  g->running = running;
  running = g;
}

static void running_remove(const Guard* g) {
  Guard** at = &running;
  while (*at != g) at = &(*at)->running;
  *at = g->running;
}

void guard_enter(Guard* g, mjData* d, int release) {
  g->outer = guard_top;
  g->tape = tape_mark();
  g->handler = _mjPRIVATE__get_tls_error_fn();
  g->d = d;
  g->empty_stack = d && d->pbase == 0 && d->pstack == 0;
  g->failed = g->raised = g->quiet = false;
  guard_top = g;
  _mjPRIVATE__set_tls_error_fn(guard_error);
  if (release) running_add(g);
  g->thread = release ? PyEval_SaveThread() : NULL;
}

bool guard_leave_quiet(Guard* g) {
  guard_top = g->outer;
  _mjPRIVATE__set_tls_error_fn(g->handler);
  if (g->failed && g->empty_stack) stack_clear(g->d);
  return !g->failed;
}

bool guard_leave(Guard* g) {
  if (g->thread) {
    PyEval_RestoreThread(g->thread);
    running_remove(g);
  }
  if (guard_leave_quiet(g)) return true;
  if (!g->raised) PyErr_SetString(fatal_error, g->text);
  return false;
}

// ---- arguments

static const char* type_name(int type) {
  switch (type) {
    case 'd':
      return "float64";
    case 'f':
      return "float32";
    case 'i':
      return "int32";
    case 'B':
      return "uint8";
    default:
      return "?";
  }
}

static bool format_is(const char* format, Py_ssize_t size, int type) {
  if (!format) return type == 'B';
  if (*format == '@' || *format == '=' || *format == '<') format++;
  if (format[0] == 0 || format[1] != 0) return false;
  switch (type) {
    case 'i':
      return (*format == 'i' || *format == 'l') && size == 4;
    case 'B':
      return *format == 'B' || *format == '?' || *format == 'b';
    default:
      return *format == type;
  }
}

static bool argument_wrong(const Signature* s, int i, PyObject* value, const char* expected) {
  return argument_refuse(PyExc_TypeError, s->name, s->arguments[i].name, expected, value);
}

static bool count_good(const Signature* s, int i, const Value* v) {
  const Argument* a = &s->arguments[i];
  if (!a->fixed || v->count == a->fixed) return true;
  PyErr_Format(PyExc_TypeError, "%s: argument %s: expected %d elements, found %zd", s->name,
               a->name, a->fixed, v->count);
  return false;
}

static bool array_wrong(const Signature* s, int i, PyObject* value) {
  const Argument* a = &s->arguments[i];
  char expected[96];
  snprintf(expected, sizeof expected, "%s contiguous array of %s",
           a->flags & WRITES ? "a writable" : "a", type_name(a->type));
  return argument_wrong(s, i, value, expected);
}

// A short list or tuple of Python's own numbers, copied.
static bool list_read(PyObject* value, Value* v) {
  bool list = PyList_Check(value);
  if (!list && !PyTuple_Check(value)) return false;
  Py_ssize_t n = list ? PyList_Size(value) : PyTuple_Size(value);
  if (n > VALUE_LIST) return false;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject* item = list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i);
    if (!PyFloat_Check(item) && !PyLong_Check(item)) return false;
    v->list[i] = PyFloat_AsDouble(item);
    if (v->list[i] == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
  }
  v->buffer.obj = NULL;
  v->p = v->list;
  v->count = v->rows = n;
  v->columns = n ? 1 : 0;
  return true;
}

static bool array_read(const Signature* s, int i, PyObject* value, Value* v) {
  const Argument* a = &s->arguments[i];
  bool writes = a->flags & WRITES;
  if (!writes && a->type == 'd' && list_read(value, v)) return count_good(s, i, v);
  int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writes ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(value, &v->buffer, flags) < 0 ||
      !format_is(v->buffer.format, v->buffer.itemsize, a->type)) {
    bool failed = PyErr_Occurred();
    if (!failed) PyBuffer_Release(&v->buffer);
    v->buffer.obj = NULL;
    if (failed && PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
    PyErr_Clear();
    if (writes) return array_wrong(s, i, value);
    // what is only read may be anything that numpy makes such an array of
    PyObject* array = PyObject_CallFunction(numpy_contiguous, "Os", value, type_name(a->type));
    if (!array) return array_wrong(s, i, value);
    v->held = array;
    if (PyObject_GetBuffer(array, &v->buffer, flags) < 0) {
      v->buffer.obj = NULL;
      return array_wrong(s, i, value);
    }
  }
  v->p = v->buffer.buf;
  v->count = v->buffer.len / v->buffer.itemsize;
  v->rows = v->buffer.ndim > 0 ? v->buffer.shape[0] : 1;
  v->columns = v->rows ? v->count / v->rows : (v->buffer.ndim > 1 ? v->buffer.shape[1] : 0);
  return count_good(s, i, v);
}

// Does the number fit the type that the C function takes?
static bool whole_fits(const Signature* s, int i, PyObject* value, long long x) {
  long long low = INT_MIN, high = INT_MAX;
  switch (s->arguments[i].type) {
    case 'B':
      low = 0, high = UCHAR_MAX;
      break;
    case 'I':
      low = 0, high = UINT_MAX;
      break;
    case 'L':
      low = 0, high = LLONG_MAX;
      break;
    case 0:
      return true;
  }
  if (x >= low && x <= high) return true;
  char expected[80];
  snprintf(expected, sizeof expected, "a whole number from %lld to %lld", low, high);
  return argument_wrong(s, i, value, expected);
}

static bool argument_read(const Signature* s, int i, PyObject* value, Value* v) {
  const Argument* a = &s->arguments[i];
  switch (a->kind) {
    case A_STRUCT: {
      if (value == Py_None && (a->flags & OPTIONAL)) return true;
      PyTypeObject* type = types[a->type];
      if (Py_TYPE(value) != type && !PyType_IsSubtype(Py_TYPE(value), type)) {
        return argument_wrong(s, i, value, info_of(a->type)->name);
      }
      v->p = ((Object*)value)->p;
      if (!v->p) return argument_wrong(s, i, value, "an object that was made");
      return a->type != INFO_mjData || data_idle(s->name, v->p);
    }
    case A_ARRAY:
      if (value == Py_None && (a->flags & OPTIONAL)) return true;
      return array_read(s, i, value, v);
    case A_TEXT: {
      v->held = PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value)
                : PyBytes_Check(value) ? value
                                       : NULL;
      if (v->held == value) Py_INCREF(value);
      if (!v->held) return argument_wrong(s, i, value, "text");
      v->p = PyBytes_AsString(v->held);
      return true;
    }
    case A_REAL:
      v->real = PyFloat_AsDouble(value);
      if (v->real == -1 && PyErr_Occurred()) return argument_wrong(s, i, value, "a number");
      return true;
    case A_WHOLE: {
      PyObject* whole = PyNumber_Index(value);
      if (!whole) return argument_wrong(s, i, value, "a whole number");
      v->whole = PyLong_AsLongLong(whole);
      Py_DECREF(whole);
      if (v->whole == -1 && PyErr_Occurred()) return argument_wrong(s, i, value, "a whole number");
      return whole_fits(s, i, value, v->whole);
    }
  }
  return false;
}

void arguments_release(const Signature* s, Value* v) {
  for (int i = 0; i < s->count; i++) {
    if (s->arguments[i].kind == A_ARRAY && v[i].buffer.obj) PyBuffer_Release(&v[i].buffer);
    if (v[i].held) Py_DECREF(v[i].held);
  }
}

bool arguments_read(const Signature* s, PyObject* const* a, Py_ssize_t n, PyObject* names,
                    Value* v) {
  PyObject* given[24] = {NULL};
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  if (n + named > s->count) {
    PyErr_Format(PyExc_TypeError, "%s takes %d arguments, found %zd", s->name, s->count, n + named);
    return false;
  }
  for (Py_ssize_t i = 0; i < n; i++) given[i] = a[i];
  for (Py_ssize_t k = 0; k < named; k++) {
    PyObject* name = PyTuple_GetItem(names, k);
    int i = 0;
    while (i < s->count && PyUnicode_CompareWithASCIIString(name, s->arguments[i].name) != 0) i++;
    if (i == s->count || given[i]) {
      PyErr_Format(PyExc_TypeError, "%s: argument %R is %s", s->name, name,
                   i == s->count ? "unknown" : "given twice");
      return false;
    }
    given[i] = a[n + k];
  }
  for (int i = 0; i < s->count; i++) {
    v[i].p = NULL;
    v[i].held = NULL;
    v[i].count = v[i].rows = v[i].columns = 0;
    v[i].buffer.obj = NULL;
  }
  for (int i = 0; i < s->count; i++) {
    bool good = given[i] && argument_read(s, i, given[i], &v[i]);
    if (!good) {
      if (!given[i])
        PyErr_Format(PyExc_TypeError, "%s: argument %s is missing", s->name, s->arguments[i].name);
      arguments_release(s, v);
      return false;
    }
  }
  return true;
}

Py_ssize_t state_size(const mjModel* m, unsigned spec) {
  volatile int size = -1;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) size = mj_stateSize(m, spec);
  return guard_leave(&g) ? size : -1;
}

bool argument_size(const Signature* s, Value* v, int i, Py_ssize_t expected) {
  if (expected < 0) {
    if (!PyErr_Occurred()) {
      PyErr_Format(PyExc_ValueError, "%s: argument %s would have %zd elements", s->name,
                   s->arguments[i].name, expected);
    }
    return arguments_release(s, v), false;
  }
  if (!v[i].p || v[i].count == expected) return true;
  PyErr_Format(PyExc_TypeError, "%s: argument %s: expected %zd elements, found %zd", s->name,
               s->arguments[i].name, expected, v[i].count);
  arguments_release(s, v);
  return false;
}

// Rows and columns of an array of two dimensions; one of another number is taken as it lies.
bool argument_shape(const Signature* s, Value* v, int i, Py_ssize_t rows, Py_ssize_t columns) {
  if (!argument_size(s, v, i, rows * columns)) return false;
  const Py_buffer* b = &v[i].buffer;
  if (!v[i].p || !b->obj || b->ndim != 2 || (b->shape[0] == rows && b->shape[1] == columns))
    return true;
  PyErr_Format(PyExc_TypeError, "%s: argument %s: expected shape (%zd, %zd), found (%zd, %zd)",
               s->name, s->arguments[i].name, rows, columns, b->shape[0], b->shape[1]);
  arguments_release(s, v);
  return false;
}

bool argument_rows(const Signature* s, Value* v, int rownnz, int rowadr, int colind,
                   const mjModel* m, const mjData* d) {
  const int *num = v[rownnz].p, *adr = v[rowadr].p, *col = v[colind].p;
  if (!num || !adr || !col) return true;  // the function says what it needs
  Py_ssize_t rows = v[rownnz].count < v[rowadr].count ? v[rownnz].count : v[rowadr].count;
  for (Py_ssize_t i = 0; i < rows; i++) {
    long long n = num[i], at = adr[i], room = v[colind].count;
    bool good = n >= 0 && at >= 0 && at + n <= room;
    if (good && m) {
      // columns of M that the row lacks come in
      for (int k = d->M_rowadr[i]; k < d->M_rowadr[i] + d->M_rownnz[i]; k++) {
        bool there = false;
        for (int c = 0; c < num[i] && !there; c++) there = col[at + c] == d->M_colind[k];
        n += !there;
      }
      good = at + n <= room;
    }
    if (!good) {
      PyErr_Format(PyExc_ValueError,
                   "%s: row %zd has %lld elements from %lld on, of %lld there are", s->name, i, n,
                   at, room);
      arguments_release(s, v);
      return false;
    }
  }
  return true;
}

bool argument_state(const Signature* s, Value* v, int i, Py_ssize_t expected) {
  if (expected < 0) return arguments_release(s, v), false;
  if (v[i].count == expected) return true;
  // programs compare the message itself with these words; the numbers go into a note
  PyErr_SetString(PyExc_TypeError, "state size should equal mj_stateSize(m, spec)");
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject* note = PyUnicode_FromFormat("%s: argument %s: expected %zd elements, found %zd",
                                        s->name, s->arguments[i].name, expected, v[i].count);
  PyObject* noted = note ? PyObject_CallMethod(value, "add_note", "O", note) : NULL;
  Py_XDECREF(noted);
  Py_XDECREF(note);
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  arguments_release(s, v);
  return false;
}
