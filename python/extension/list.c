// Lists of structs: contacts, statistics, scene geoms. An element is an object over the struct, a
// field of the list an array over that field of all of them.
#include "binding.h"

#include <string.h>

typedef struct List_ {
  PyObject_HEAD PyObject* owner;
  char* p;
  Py_ssize_t count, step;  // elements, elements between two of them
  const Info* info;
  char** place;       // where the engine keeps the array, when it moves
  const int* number;  // and how many there are
} List;

static PyTypeObject* list_type;

static void list_sync(List* l) {
  if (!l->place) return;
  l->p = *l->place;
  l->count = l->p ? *l->number : 0;
}

PyObject* list_new(PyObject* owner, void* p, Py_ssize_t count, Py_ssize_t step, const Info* info) {
  List* l = PyObject_New(List, list_type);
  if (!l) return NULL;
  Py_INCREF(owner);
  l->owner = owner;
  l->p = p;
  l->count = count;
  l->step = step;
  l->info = info;
  l->place = NULL;
  return (PyObject*)l;
}

PyObject* list_that_moves(PyObject* owner, char** place, const int* number, const Info* info) {
  PyObject* list = list_new(owner, NULL, 0, 1, info);
  if (!list) return NULL;
  ((List*)list)->place = place;
  ((List*)list)->number = number;
  return list;
}

static void list_free(PyObject* self) {
  Py_XDECREF(((List*)self)->owner);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static Py_ssize_t list_length(PyObject* self) {
  list_sync((List*)self);
  return ((List*)self)->count;
}

static PyObject* list_item(PyObject* self, Py_ssize_t i) {
  List* l = (List*)self;
  list_sync(l);
  if (i < 0 || i >= l->count) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of range for a list of %zd", i, l->count);
    return NULL;
  }
  return (PyObject*)object_new(types[l->info->number], l->info, l->p + i * l->step * l->info->size,
                               l->owner);
}

static PyObject* list_subscript(PyObject* self, PyObject* key) {
  List* l = (List*)self;
  list_sync(l);
  if (PySlice_Check(key)) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0) return NULL;
    Py_ssize_t n = PySlice_AdjustIndices(l->count, &start, &stop, step);
    return list_new(l->owner, l->p + start * l->step * l->info->size, n, l->step * step, l->info);
  }
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return NULL;
  return list_item(self, i < 0 ? i + l->count : i);
}

static const Field* list_field(List* l, PyObject* name) {
  const char* text = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!text) return PyErr_Clear(), NULL;
  for (int i = 0; i < l->info->count; i++) {
    if (!strcmp(l->info->fields[i].name, text)) return &l->info->fields[i];
  }
  return NULL;
}

// A field of all elements as one array.
static PyObject* list_array(List* l, const Field* f) {
  list_sync(l);
  if (f->kind == SCALAR || f->kind == INLINE) {
    Py_ssize_t shape[3] = {l->count}, strides[3] = {l->info->size * l->step};
    Py_ssize_t step = type_size(f->type);
    for (int i = f->ndim; i > 0; i--) {
      shape[i] = f->dim[i - 1].factor;
      strides[i] = step;
      step *= shape[i];
    }
    return array_over(l->owner, l->count ? l->p + f->offset : NULL, f->type, f->ndim + 1, shape,
                      strides);
  }
  if (f->kind == STRING) {
    PyObject* texts = PyList_New(l->count);
    for (Py_ssize_t i = 0; texts && i < l->count; i++) {
      PyObject* text = string_of(l->p + i * l->step * l->info->size + f->offset, f->dim[0].factor);
      if (!text)
        Py_CLEAR(texts);
      else
        PyList_SetItem(texts, i, text);
    }
    return texts;
  }
  PyErr_Format(PyExc_AttributeError, "%s has no array of %s", l->info->name, f->name);
  return NULL;
}

static PyObject* list_getattr(PyObject* self, PyObject* name) {
  const Field* f = list_field((List*)self, name);
  return f ? list_array((List*)self, f) : PyObject_GenericGetAttr(self, name);
}

static int list_setattr(PyObject* self, PyObject* name, PyObject* value) {
  const Field* f = value ? list_field((List*)self, name) : NULL;
  if (!f) return PyObject_GenericSetAttr(self, name, value);
  return array_assign(list_array((List*)self, f), value, ((List*)self)->info->name, f->name);
}

static PyObject* list_repr(PyObject* self) {
  List* l = (List*)self;
  list_sync(l);
  PyObject* fields = PyDict_New();
  for (int i = 0; fields && i < l->info->count; i++) {
    const Field* f = &l->info->fields[i];
    if (f->kind != SCALAR && f->kind != INLINE) continue;
    PyObject* array = list_array(l, f);
    if (!array || PyDict_SetItemString(fields, f->name, array) < 0) Py_CLEAR(fields);
    Py_XDECREF(array);
  }
  return repr_of(PyUnicode_FromFormat("_%sList", l->info->name), fields);
}

static PyObject* list_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(a) != Py_TYPE(b) ||
      ((List*)a)->info != ((List*)b)->info) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  List *x = (List*)a, *y = (List*)b;
  list_sync(x);
  list_sync(y);
  bool same = x->count == y->count;
  for (Py_ssize_t i = 0; same && i < x->count; i++) {
    PyObject *p = list_item(a, i), *q = list_item(b, i);
    int equal = p && q ? PyObject_RichCompareBool(p, q, Py_EQ) : -1;
    Py_XDECREF(p);
    Py_XDECREF(q);
    if (equal < 0) return NULL;
    same = equal;
  }
  return PyBool_FromLong(same == (op == Py_EQ));
}

bool list_init(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_dealloc, list_free},
                         {Py_sq_length, list_length},
                         {Py_sq_item, list_item},
                         {Py_mp_subscript, list_subscript},
                         {Py_mp_length, list_length},
                         {Py_tp_getattro, list_getattr},
                         {Py_tp_setattro, list_setattr},
                         {Py_tp_repr, list_repr},
                         {Py_tp_richcompare, list_compare},
                         {Py_tp_doc, "Structs in a row; a field of it is an array of all."},
                         {0, NULL}};
  PyType_Spec spec = {"sinew.StructList", sizeof(List), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  list_type = (PyTypeObject*)PyType_FromSpec(&spec);
  return list_type && PyModule_AddObjectRef(module, "StructList", (PyObject*)list_type) == 0;
}
