// Fields that only a spec has: texts, vectors, references to other structs. Texts, characters and
// numbers in vectors can be set one by one; lists of vectors are read as copies and set as a whole.
#include <string.h>

#include "binding.h"
#include "spec/spec.h"

// ---- vectors of texts, characters or bytes, seen through the struct that holds them

typedef struct Vector_ {
  PyObject_HEAD PyObject* owner;
  void* p;         // the container, or the characters
  int room;        // of characters
  FieldKind kind;  // TEXTS, BYTES or STRING
} Vector;

static PyTypeObject *texts_type, *bytes_type, *characters_type;

static PyObject* vector_new(PyTypeObject* type, PyObject* owner, void* p, int room,
                            FieldKind kind) {
  Vector* v = PyObject_New(Vector, type);
  if (!v) return NULL;
  Py_XINCREF(owner);
  v->owner = owner;
  v->p = p;
  v->room = room;
  v->kind = kind;
  return (PyObject*)v;
}

PyObject* characters_new(PyObject* owner, char* p, int room) {
  return vector_new(characters_type, owner, p, room, STRING);
}

static void vector_free(PyObject* self) {
  Py_XDECREF(((Vector*)self)->owner);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static Py_ssize_t vector_length(PyObject* self) {
  const Vector* v = (Vector*)self;
  return v->kind == TEXTS ? strings_count(v->p) : v->kind == BYTES ? bytes_count(v->p) : v->room;
}

static bool vector_has(PyObject* self, Py_ssize_t i) {
  if (i >= 0 && i < vector_length(self)) return true;
  PyErr_SetString(PyExc_IndexError, "Index out of range.");
  return false;
}

static PyObject* vector_item(PyObject* self, Py_ssize_t i) {
  const Vector* v = (Vector*)self;
  if (!vector_has(self, i)) return NULL;
  if (v->kind == TEXTS) return text_or_none(strings_at(v->p, (int)i));
  if (v->kind == BYTES) return PyLong_FromLong(bytes_data(v->p)[i]);
  return PyUnicode_DecodeUTF8((const char*)v->p + i, 1, "replace");
}

// Numbers from the end are refused, as by the released package.
static PyObject* vector_get(PyObject* self, PyObject* key) {
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  return i == -1 && PyErr_Occurred() ? NULL : vector_item(self, i);
}

static int vector_set(PyObject* self, PyObject* key, PyObject* value) {
  const Vector* v = (Vector*)self;
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if ((i == -1 && PyErr_Occurred()) || !vector_has(self, i)) return -1;
  if (!value) return PyErr_SetString(PyExc_TypeError, "elements cannot be deleted"), -1;
  if (v->kind == BYTES) return scalar_set(bytes_data(v->p) + i, 'B', value);
  Py_ssize_t n;
  const char* text = PyUnicode_AsUTF8AndSize(value, &n);
  if (!text) return -1;
  if (v->kind == TEXTS) return mjs_setInStringVec(v->p, (int)i, text) ? 0 : (PyErr_NoMemory(), -1);
  if (n != 1) return PyErr_SetString(PyExc_ValueError, "expected one character"), -1;
  ((char*)v->p)[i] = text[0];
  return 0;
}

static PyObject* vector_plain(PyObject* self) {
  const Vector* v = (Vector*)self;
  if (v->kind == STRING) return string_of(v->p, v->room);
  if (v->kind == BYTES) {
    return PyBytes_FromStringAndSize((char*)bytes_data(v->p), bytes_count(v->p));
  }
  return PySequence_List(self);
}

static PyObject* vector_repr(PyObject* self) {
  PyObject* plain = vector_plain(self);
  PyObject* text = plain ? PyObject_Repr(plain) : NULL;
  Py_XDECREF(plain);
  return text;
}

// Equal to any sequence with the same elements; characters also to a text, bytes to bytes.
static PyObject* vector_compare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  PyObject *x = vector_plain(a), *y = NULL;
  if (x && (PyUnicode_Check(b) || PyBytes_Check(b))) {
    Py_INCREF(b);
    y = b;
  } else if (x && PySequence_Check(b)) {
    Py_DECREF(x);
    x = PySequence_List(a);
    y = PySequence_List(b);
  }
  int same = x && y ? PyObject_RichCompareBool(x, y, Py_EQ) : -1;
  bool wrong = !x || PyErr_Occurred();
  Py_XDECREF(x);
  Py_XDECREF(y);
  if (wrong) return NULL;
  if (same < 0) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong(same == (op == Py_EQ));
}

static PyTypeObject* vector_type(PyObject* module, const char* name, const char* doc) {
  PyType_Slot slots[] = {{Py_tp_dealloc, vector_free},
                         {Py_sq_length, vector_length},
                         {Py_sq_item, vector_item},
                         {Py_mp_length, vector_length},
                         {Py_mp_subscript, vector_get},
                         {Py_mp_ass_subscript, vector_set},
                         {Py_tp_repr, vector_repr},
                         {Py_tp_str, vector_repr},
                         {Py_tp_richcompare, vector_compare},
                         {Py_tp_hash, PyObject_HashNotImplemented},
                         {Py_tp_doc, (void*)doc},
                         {0, NULL}};
  PyType_Spec spec = {name, sizeof(Vector), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObjectRef(module, strchr(name, '.') + 1, type) < 0) return NULL;
  return (PyTypeObject*)type;
}

bool spec_fields_init(PyObject* module) {
  texts_type = vector_type(module, "sinew.MjStringVec", "Texts of a field of a spec.");
  bytes_type = vector_type(module, "sinew.MjByteVec", "Bytes of a field of a spec.");
  characters_type = vector_type(module, "sinew.MjCharVec", "Characters of a field of a spec.");
  return texts_type && bytes_type && characters_type;
}

// ---- numbers

static const char* number_type(FieldKind kind) {
  return kind == DOUBLES ? "float64" : kind == INTS || kind == INTLISTS ? "int32" : "float32";
}

// An array over the numbers themselves, for fields of one vector. The block stays in memory as long
// as the array, whatever becomes of the vector (vec_pin).
static PyObject* numbers_view(Object* o, snSpecVec* v, FieldKind kind) {
  char type = kind == DOUBLES ? 'd' : kind == INTS ? 'i' : 'f';
  Py_ssize_t n = (v->end - v->begin) / type_size(type);
  if (!n) return array_over(o->owner, NULL, type, 1, &n, NULL);
  if (!vec_pin(v)) return PyErr_NoMemory();
  PyObject* handle = handle_new(v->begin, vec_unpin, o->owner);
  if (!handle) return vec_unpin(v->begin), NULL;
  PyObject* array = array_over(handle, v->begin, type, 1, &n, NULL);
  Py_DECREF(handle);
  return array;
}

static PyObject* numbers_copy(const snSpecVec* v, FieldKind kind) {
  PyObject* bytes = PyBytes_FromStringAndSize(v->begin, v->end - v->begin);
  PyObject* numpy = bytes ? PyImport_ImportModule("numpy") : NULL;
  PyObject* array =
      numpy ? PyObject_CallMethod(numpy, "frombuffer", "Os", bytes, number_type(kind)) : NULL;
  Py_XDECREF(numpy);
  Py_XDECREF(bytes);
  return array;
}

PyObject* spec_field(Object* o, const Field* f) {
  void* value = *(void**)((char*)o->p + f->offset);
  if (f->kind == REFERENCE) return struct_wrap(f->nested->number, value, o->owner);
  if (!value) return PyErr_Format(PyExc_ValueError, "%s.%s was never made", o->info->name, f->name);
  switch (f->kind) {
    case TEXT:
      return text_or_none(mjs_getString(value));
    case TEXTS:
      return vector_new(texts_type, o->owner, value, 0, TEXTS);
    case BYTES:
      return vector_new(bytes_type, o->owner, value, 0, BYTES);
    case DOUBLES:
    case FLOATS:
    case INTS:
      return numbers_view(o, value, f->kind);
    default: {  // INTLISTS, FLOATLISTS
      int n = vecs_count(value);
      PyObject* rows = PyList_New(n);
      for (int i = 0; rows && i < n; i++) {
        PyObject* array = numbers_copy(vecs_at(value, i), f->kind);
        PyObject* row = array ? PyObject_CallMethod(array, "tolist", NULL) : NULL;
        Py_XDECREF(array);
        if (!row)
          Py_CLEAR(rows);
        else
          PyList_SetItem(rows, i, row);
      }
      return rows;
    }
  }
}

// ---- setting

static int texts_set(void* to, PyObject* value) {
  if (PyUnicode_Check(value)) {
    return PyErr_SetString(PyExc_TypeError, "expected a sequence of texts, found one text"), -1;
  }
  PyObject* list = PySequence_List(value);
  if (!list) return -1;
  // all texts are read before the first is set
  Py_ssize_t n = PyList_Size(list), i = 0;
  while (i < n && PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL)) i++;
  if (i == n) {
    mjs_setStringVec(to, "");
    for (i = 0; i < n; i++) {
      mjs_appendString(to, PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL));
    }
  }
  Py_DECREF(list);
  return PyErr_Occurred() ? -1 : 0;
}

static bool numbers_read(PyObject* value, FieldKind kind, Py_buffer* buffer) {
  if (PyUnicode_Check(value)) {
    return PyErr_SetString(PyExc_TypeError, "expected numbers, found a text"), false;
  }
  PyObject* array = kind == BYTES && PyObject_CheckBuffer(value)
                        ? (Py_INCREF(value), value)
                        : PyObject_CallFunction(numpy_contiguous, "Os", value,
                                                kind == BYTES ? "uint8" : number_type(kind));
  bool read = array && PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS) == 0;
  Py_XDECREF(array);  // the buffer holds it
  return read;
}

static int numbers_set(void* to, FieldKind kind, PyObject* value) {
  Py_buffer buffer;
  if (!numbers_read(value, kind, &buffer)) return -1;
  int bytes = (int)buffer.len;
  if (kind == DOUBLES)
    mjs_setDouble(to, buffer.buf, bytes / 8);
  else if (kind == FLOATS)
    mjs_setFloat(to, buffer.buf, bytes / 4);
  else if (kind == INTS)
    mjs_setInt(to, buffer.buf, bytes / 4);
  else
    mjs_setBuffer(to, buffer.buf, bytes);
  PyBuffer_Release(&buffer);
  return 0;
}

static int rows_set(void* to, FieldKind kind, PyObject* value) {
  PyObject* rows = PySequence_List(value);
  if (!rows) return -1;
  snSpecVec* all = to;
  for (int i = 0; i < vecs_count(all); i++) vec_free(vecs_at(all, i));
  all->end = all->begin;
  int result = 0;
  for (Py_ssize_t i = 0; i < PyList_Size(rows) && result == 0; i++) {
    Py_buffer buffer;
    if (!numbers_read(PyList_GetItem(rows, i), kind, &buffer)) {
      result = -1;
      break;
    }
    int n = (int)(buffer.len / 4);
    if (kind == INTLISTS)
      mjs_appendIntVec(to, buffer.buf, n);
    else
      mjs_appendFloatVec(to, buffer.buf, n);
    PyBuffer_Release(&buffer);
  }
  Py_DECREF(rows);
  return result;
}

const char* text_of(PyObject* value, const char* of, const char* name) {
  if (PyUnicode_Check(value)) return PyUnicode_AsUTF8AndSize(value, NULL);
  PyObject* found = described(value);
  if (found) PyErr_Format(PyExc_TypeError, "%s.%s: expected a string, found %U", of, name, found);
  Py_XDECREF(found);
  return NULL;
}

PyObject* py_spec_is_vector(PyObject* self, PyObject* args) {
  PyObject* value;
  const char* name;
  if (!PyArg_ParseTuple(args, "Os", &value, &name)) return NULL;
  for (int k = 0; k < INFO_COUNT; k++) {
    if (!PyType_IsSubtype(Py_TYPE(value), types[k])) continue;
    const Info* info = info_of(k);
    for (int i = 0; i < info->count; i++) {
      const Field* f = &info->fields[i];
      if (!strcmp(f->name, name)) {
        return PyBool_FromLong(f->kind == DOUBLES || f->kind == FLOATS || f->kind == INTS);
      }
    }
  }
  Py_RETURN_FALSE;
}

int spec_field_set(Object* o, const Field* f, PyObject* value) {
  void* to = *(void**)((char*)o->p + f->offset);
  switch (f->kind) {
    case REFERENCE:
      PyErr_Format(PyExc_AttributeError, "%s.%s cannot be set", o->info->name, f->name);
      return -1;
    case TEXT: {
      const char* text = text_of(value, o->info->name, f->name);
      if (!text) return -1;
      mjs_setString(to, text);
      return 0;
    }
    case TEXTS:
      return texts_set(to, value);
    case INTLISTS:
    case FLOATLISTS:
      return rows_set(to, f->kind, value);
    default:
      return numbers_set(to, f->kind, value);
  }
}
