// Memory of the engine as Python sees it: handles that own it, blocks that numpy looks at, text and
// numbers in it.
#include "binding.h"

#include <string.h>

PyObject *numpy_asarray, *numpy_contiguous;
static PyObject* numpy_empty;
static PyTypeObject *handle_type, *block_type;

// ---- handles

PyObject* handle_new(void* p, void (*release)(void*), PyObject* keep) {
  Handle* h = PyObject_New(Handle, handle_type);
  if (!h) return NULL;
  h->p = p;
  h->free = release;
  Py_XINCREF(keep);
  h->keep = keep;
  h->extra = NULL;
  return (PyObject*)h;
}

static void handle_free(PyObject* self) {
  Handle* h = (Handle*)self;
  if (h->free && h->p) h->free(h->p);
  Py_XDECREF(h->keep);
  Py_XDECREF(h->extra);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

// ---- blocks

typedef struct Block_ {
  PyObject_HEAD PyObject* owner;
  void* p;
  char format[12];
  int ndim;
  Py_ssize_t size, shape[3], strides[3];
} Block;

static int block_buffer(PyObject* self, Py_buffer* view, int flags) {
  Block* b = (Block*)self;
  view->obj = self;
  Py_INCREF(self);
  view->buf = b->p;
  view->itemsize = b->size;
  view->len = b->size;
  for (int i = 0; i < b->ndim; i++) view->len *= b->shape[i];
  view->readonly = 0;
  view->ndim = b->ndim;
  view->format = flags & PyBUF_FORMAT ? b->format : NULL;
  view->shape = b->shape;
  view->strides = b->strides;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

static void block_free(PyObject* self) {
  Py_XDECREF(((Block*)self)->owner);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

// The letter of a type in a buffer's format, where long may have four bytes.
static char buffer_letter(char type) {
  if (sizeof(long) == 8) return type;
  return type == 'l' ? 'q' : type == 'L' ? 'Q' : type;
}

Py_ssize_t type_size(char type) {
  switch (type) {
    case 'd':
    case 'L':
    case 'l':
      return 8;
    case 'f':
    case 'i':
    case 'I':
      return 4;
    default:
      return 1;
  }
}

PyObject* array_make(PyObject* owner, void* p, char type, Py_ssize_t text, int ndim,
                     const Py_ssize_t* shape, const Py_ssize_t* strides) {
  static double nothing[1];
  if (!p && !text) {  // no rows: an array of its own
    PyObject* rest = PyTuple_New(ndim);
    for (int i = 0; rest && i < ndim; i++)
      PyTuple_SetItem(rest, i, PyLong_FromSsize_t(i ? shape[i] : 0));
    PyObject* array =
        rest ? PyObject_CallFunction(numpy_empty, "OC", rest, (int)buffer_letter(type)) : NULL;
    Py_XDECREF(rest);
    return array;
  }
  Block* b = PyObject_New(Block, block_type);
  if (!b) return NULL;
  Py_INCREF(owner);
  b->owner = owner;
  b->p = p ? p : nothing;
  if (text)
    PyOS_snprintf(b->format, sizeof b->format, "%ds", (int)text);
  else
    PyOS_snprintf(b->format, sizeof b->format, "%c", buffer_letter(type));
  b->ndim = ndim;
  b->size = text ? text : type_size(type);
  Py_ssize_t step = b->size;
  for (int i = ndim - 1; i >= 0; i--) {
    b->shape[i] = p ? shape[i] : (i ? shape[i] : 0);
    b->strides[i] = strides ? strides[i] : step;
    step *= shape[i];
  }
  PyObject* array = PyObject_CallFunctionObjArgs(numpy_asarray, (PyObject*)b, NULL);
  Py_DECREF(b);
  return array;
}

PyObject* array_over(PyObject* owner, void* p, char type, int ndim, const Py_ssize_t* shape,
                     const Py_ssize_t* strides) {
  return array_make(owner, p, type, 0, ndim, shape, strides);
}

// ---- text

PyObject* string_of(const char* text, Py_ssize_t room) {
  Py_ssize_t n = 0;
  while (n < room && text[n]) n++;
  return PyUnicode_DecodeUTF8(text, n, "replace");
}

PyObject* text_or_none(const char* text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

// Fields in order of their names; lines of a struct inside a struct are set in.
PyObject* repr_of(PyObject* title, PyObject* fields) {
  PyObject* names = fields ? PyDict_Keys(fields) : NULL;
  PyObject* text = names && PyList_Sort(names) == 0 ? PyUnicode_FromFormat("<%U", title) : NULL;
  for (Py_ssize_t i = 0; text && i < PyList_Size(names); i++) {
    PyObject* name = PyList_GetItem(names, i);
    PyObject* shown = PyObject_Repr(PyDict_GetItem(fields, name));
    if (shown && PyUnicode_ReadChar(shown, 0) == '<') {
      PyObject* inner = PyObject_CallMethod(shown, "replace", "ss", "\n", "\n  ");
      Py_DECREF(shown);
      shown = inner;
    }
    PyObject* more = shown ? PyUnicode_FromFormat("%U\n  %U: %U", text, name, shown) : NULL;
    Py_XDECREF(shown);
    Py_DECREF(text);
    text = more;
  }
  PyObject* all = text ? PyUnicode_FromFormat("%U\n>", text) : NULL;
  Py_XDECREF(text);
  Py_XDECREF(names);
  Py_XDECREF(fields);
  Py_XDECREF(title);
  return all;
}

int chars_set(char* at, int room, PyObject* value, const char* name) {
  if (PyList_Check(value) || PyTuple_Check(value)) {  // of characters
    PyObject* nothing = PyUnicode_FromString("");
    PyObject* joined = nothing ? PyUnicode_Join(nothing, value) : NULL;
    Py_XDECREF(nothing);
    int result = joined ? chars_set(at, room, joined, name) : -1;
    Py_XDECREF(joined);
    return result;
  }
  Py_ssize_t n;
  const char* text = PyUnicode_AsUTF8AndSize(value, &n);
  if (!text) return -1;
  if (n > room) {
    PyErr_Format(PyExc_ValueError, "%s has room for %d characters, found %zd", name, room, n);
    return -1;
  }
  memset(at, 0, (size_t)room);
  memcpy(at, text, (size_t)n);
  return 0;
}

// ---- scalars

PyObject* scalar_get(const void* at, char type) {
  switch (type) {
    case 'd':
      return PyFloat_FromDouble(*(const double*)at);
    case 'f':
      return PyFloat_FromDouble(*(const float*)at);
    case 'i':
      return PyLong_FromLong(*(const int*)at);
    case 'I':
      return PyLong_FromUnsignedLong(*(const unsigned*)at);
    case 'L':
      return PyLong_FromUnsignedLongLong(*(const uint64_t*)at);
    case 'l':
      return PyLong_FromLongLong(*(const int64_t*)at);
    default:
      return PyLong_FromLong(*(const unsigned char*)at);
  }
}

int scalar_set(void* at, char type, PyObject* value) {
  if (type == 'd' || type == 'f') {
    double x = PyFloat_AsDouble(value);
    if (x == -1 && PyErr_Occurred()) return -1;
    if (type == 'd')
      *(double*)at = x;
    else
      *(float*)at = (float)x;
    return 0;
  }
  PyObject* whole = PyNumber_Index(value);
  if (!whole) return -1;
  long long x =
      type == 'L' ? (long long)PyLong_AsUnsignedLongLong(whole) : PyLong_AsLongLong(whole);
  Py_DECREF(whole);
  if (PyErr_Occurred()) return -1;
  if ((type == 'i' && x != (int)x) || (type == 'B' && x != (unsigned char)x)) {
    PyErr_Format(PyExc_OverflowError, "%lld does not fit", x);
    return -1;
  }
  switch (type) {
    case 'i':
      *(int*)at = (int)x;
      break;
    case 'I':
      *(unsigned*)at = (unsigned)x;
      break;
    case 'L':
      *(uint64_t*)at = (uint64_t)x;
      break;
    case 'l':
      *(int64_t*)at = x;
      break;
    default:
      *(unsigned char*)at = (unsigned char)x;
  }
  return 0;
}

bool memory_init(void) {
  PyType_Slot handle_slots[] = {{Py_tp_dealloc, handle_free}, {0, NULL}};
  PyType_Spec handle_spec = {"sinew._sinew.Handle", sizeof(Handle), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, handle_slots};
  PyType_Slot block_slots[] = {
      {Py_tp_dealloc, block_free}, {Py_bf_getbuffer, block_buffer}, {0, NULL}};
  PyType_Spec block_spec = {"sinew._sinew.Block", sizeof(Block), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, block_slots};
  handle_type = (PyTypeObject*)PyType_FromSpec(&handle_spec);
  block_type = (PyTypeObject*)PyType_FromSpec(&block_spec);
  if (!handle_type || !block_type) return false;
  PyObject* numpy = PyImport_ImportModule("numpy");
  if (!numpy) return false;
  numpy_asarray = PyObject_GetAttrString(numpy, "asarray");
  numpy_contiguous = PyObject_GetAttrString(numpy, "ascontiguousarray");
  numpy_empty = PyObject_GetAttrString(numpy, "empty");
  Py_DECREF(numpy);
  return numpy_asarray && numpy_contiguous && numpy_empty;
}
