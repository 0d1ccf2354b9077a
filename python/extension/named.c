// Named access: model.body("torso"), data.joint(0).qpos.
#include <string.h>

#include "binding.h"

// How the part of a field that belongs to an object is found.
typedef enum {
  ROW,
  OF_QPOS,
  OF_DOFS,
  OF_NUMERIC,
  OF_TUPLE,
  OF_HFIELD,
  OF_TEXTURE,
  OF_SENSOR,
  OF_MOMENT,
  OF_ACT
} Mode;

typedef struct Part_ {
  const char* name;
  int field;
  Mode mode;
} Part;

typedef struct Kind_ {
  const char* name;
  const char* alias;
  int objtype;
  int size;  // offset of the number of them in mjModel
  int data;
  const Part* parts;
  int count;
  PyObject* index;  // name -> number of the part
} Kind;

// Holds the Handle, not the object it came from: that one keeps its views, and nothing may go in
// circles. No field that it shows lives in the arena, so its arrays are made once.
typedef struct Named_ {
  PyObject_HEAD PyObject* owner;
  char* p;  // the struct
  const mjModel* m;
  const Info* info;
  const Kind* kind;
  int id;
  PyObject** cache;  // one per part
} Named;

static PyTypeObject* named_type;
static PyObject* named_find(Object* parent, Kind* kind, PyObject* const* a, Py_ssize_t n,
                            PyObject* names);

#define NAMED(number, struct)                                                       \
  static PyObject* named_##number(PyObject* self, PyObject* const* a, Py_ssize_t n, \
                                  PyObject* names) {                                \
    return named_find((Object*)self, &kinds[number], a, n, names);                  \
  }
#include "named.inc"

enum { KINDS = sizeof kinds / sizeof *kinds };
_Static_assert((int)KINDS <= (int)VIEW_KINDS, "more kinds of views than room");

PyMethodDef* named_methods(bool data) { return data ? named_mjData : named_mjModel; }

static PyObject* named_make(Object* parent, const Kind* kind, int id) {
  Named* v = PyObject_New(Named, named_type);
  if (!v) return NULL;
  Py_INCREF(parent->owner);
  v->owner = parent->owner;
  v->p = parent->p;
  v->m = parent->m;
  v->info = parent->info;
  v->kind = kind;
  v->id = id;
  v->cache = PyMem_Calloc((size_t)kind->count, sizeof *v->cache);
  if (!v->cache) {
    Py_DECREF((PyObject*)v);
    return PyErr_NoMemory();
  }
  return (PyObject*)v;
}

// The view of an id, made once for an object; `name` is remembered as another way to it.
static PyObject* named_view(Object* parent, Kind* kind, int id, PyObject* name) {
  PyObject* views = parent->views[kind - kinds];
  PyObject* key = PyLong_FromLong(id);
  PyObject* view = key ? PyDict_GetItemWithError(views, key) : NULL;
  Py_XINCREF(view);
  if (key && !view && !PyErr_Occurred()) {
    view = named_make(parent, kind, id);
    if (view && PyDict_SetItem(views, key, view) < 0) Py_CLEAR(view);
  }
  if (view && name && PyDict_SetItem(views, name, view) < 0) Py_CLEAR(view);
  Py_XDECREF(key);
  return view;
}

static int kind_count(const Object* o, const Kind* kind) {
  return *(const int*)((const char*)o->m + kind->size);
}

static PyObject* valid_names(const Object* o, const Kind* kind) {
  PyObject* list = PyList_New(0);
  int n = kind_count(o, kind);
  for (int i = 0; list && i < n; i++) {
    const char* name = mj_id2name(o->m, kind->objtype, i);
    if (!name || !*name) continue;
    PyObject* text = PyUnicode_FromString(name);
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  if (list) PyList_Sort(list);
  return list;
}

static PyObject* named_find(Object* parent, Kind* kind, PyObject* const* a, Py_ssize_t n,
                            PyObject* names) {
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  if (!parent->p)
    return PyErr_Format(PyExc_ValueError, "this %s was never made", parent->info->name);
  if (n + named > 1) return PyErr_Format(PyExc_TypeError, "%s takes a name or an id", kind->name);
  PyObject* key = n + named ? a[0] : NULL;
  bool text = key && PyUnicode_Check(key);
  PyObject** views = &parent->views[kind - kinds];
  if (!*views && !(*views = PyDict_New())) return NULL;
  if (text || (key && PyLong_Check(key))) {
    PyObject* known = PyDict_GetItemWithError(*views, key);
    if (known) return Py_INCREF(known), known;
    if (PyErr_Occurred()) return NULL;
  }
  if (key && !text) {
    PyObject* whole = PyNumber_Index(key);
    if (!whole) {
      argument_refuse(PyExc_TypeError, kind->name, "name", "a name or a whole number", key);
      return NULL;
    }
    long id = PyLong_AsLong(whole);
    Py_DECREF(whole);
    if (id == -1 && PyErr_Occurred()) return NULL;
    int count = kind_count(parent, kind);
    if (id < 0 || id >= count) {
      return PyErr_Format(PyExc_IndexError, "Invalid index %ld. Valid indices from 0 to %d", id,
                          count - 1);
    }
    return named_view(parent, kind, (int)id, NULL);
  }
  const char* name = key ? PyUnicode_AsUTF8AndSize(key, NULL) : "";
  if (!name) return NULL;
  int id = mj_name2id(parent->m, kind->objtype, name);
  if (id >= 0) return named_view(parent, kind, id, key);
  PyObject* valid = valid_names(parent, kind);
  if (!valid) return NULL;
  PyErr_Format(PyExc_KeyError, "Invalid name '%s'. Valid names: %R", name, valid);
  Py_DECREF(valid);
  return NULL;
}

static void named_free(PyObject* self) {
  Named* v = (Named*)self;
  for (int i = 0; v->cache && i < v->kind->count; i++) Py_XDECREF(v->cache[i]);
  PyMem_Free(v->cache);
  Py_XDECREF(v->owner);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

// first element and number of elements of the part
static void part_range(const Named* v, Mode mode, Py_ssize_t* from, Py_ssize_t* count) {
  static const int qpos_count[] = {7, 4, 1, 1}, dof_count[] = {6, 3, 1, 1};
  const mjModel* m = v->m;
  int i = v->id;
  *from = i;
  *count = 1;
  switch (mode) {
    case OF_QPOS:
      *from = m->jnt_qposadr[i];
      *count = qpos_count[m->jnt_type[i]];
      break;
    case OF_DOFS:
      *from = m->jnt_dofadr[i];
      *count = dof_count[m->jnt_type[i]];
      break;
    case OF_NUMERIC:
      *from = m->numeric_adr[i];
      *count = m->numeric_size[i];
      break;
    case OF_TUPLE:
      *from = m->tuple_adr[i];
      *count = m->tuple_size[i];
      break;
    case OF_HFIELD:
      *from = m->hfield_adr[i];
      *count = (Py_ssize_t)m->hfield_nrow[i] * m->hfield_ncol[i];
      break;
    case OF_TEXTURE:
      *from = m->tex_adr[i];
      *count = (Py_ssize_t)m->tex_height[i] * m->tex_width[i] * m->tex_nchannel[i];
      break;
    case OF_SENSOR:
      *from = m->sensor_adr[i];
      *count = m->sensor_dim[i];
      break;
    case OF_ACT:
      *from = m->actuator_actadr[i];
      *count = m->actuator_actnum[i];
      if (*from < 0) *from = *count = 0;
      break;
    case OF_MOMENT: {
      const mjData* d = (const mjData*)v->p;
      *from = d->moment_rowadr[i];
      *count = d->moment_rownnz[i];
      break;
    }
    default:
      break;
  }
}

static PyObject* part_make(const Named* v, const Part* part) {
  const Field* f = &v->info->fields[part->field];
  Py_ssize_t from, count, shape[3], columns = 1;
  part_range(v, part->mode, &from, &count);
  if (f->ndim == 2) {
    const Dim* dim = &f->dim[1];
    columns =
        dim->factor *
        (dim->base == MODEL ? (Py_ssize_t) * (const int*)((const char*)v->m + dim->offset) : 1);
  }
  int ndim = 1;
  shape[0] = count;
  if (part->mode == ROW && f->ndim == 2) {
    shape[0] = columns;
  } else if (f->ndim == 2) {
    ndim = 2;
    shape[1] = columns;
  } else if (part->mode == OF_HFIELD) {
    ndim = 2;
    shape[0] = v->m->hfield_nrow[v->id];
    shape[1] = v->m->hfield_ncol[v->id];
  } else if (part->mode == OF_TEXTURE) {
    ndim = 3;
    shape[0] = v->m->tex_height[v->id];
    shape[1] = v->m->tex_width[v->id];
    shape[2] = v->m->tex_nchannel[v->id];
  }
  char* array = *(char**)(v->p + f->offset);
  if (array) array += from * columns * type_size(f->type);
  return array_over(v->owner, array, f->type, ndim, shape, NULL);
}

static PyObject* part_get(const Named* v, const Part* part) {
  if (part->mode == OF_MOMENT) return part_make(v, part);  // its length changes
  PyObject** cached = &v->cache[part - v->kind->parts];
  if (!*cached && !(*cached = part_make(v, part))) return NULL;
  Py_INCREF(*cached);
  return *cached;
}

static const Part* part_find(const Named* v, PyObject* name) {
  PyObject* number = PyDict_GetItemWithError(v->kind->index, name);
  return number ? &v->kind->parts[PyLong_AsLong(number)] : NULL;
}

static PyObject* named_getattr(PyObject* self, PyObject* name) {
  const Part* part = part_find((Named*)self, name);
  return part ? part_get((Named*)self, part) : PyObject_GenericGetAttr(self, name);
}

static int named_setattr(PyObject* self, PyObject* name, PyObject* value) {
  const Part* part = value ? part_find((Named*)self, name) : NULL;
  if (!part) return PyObject_GenericSetAttr(self, name, value);
  return array_assign(part_get((Named*)self, part), value, ((Named*)self)->kind->name, part->name);
}

static PyObject* named_id(PyObject* self, void* closure) {
  return PyLong_FromLong(((Named*)self)->id);
}

static PyObject* named_name(PyObject* self, void* closure) {
  Named* v = (Named*)self;
  const char* name = mj_id2name(v->m, v->kind->objtype, v->id);
  return PyUnicode_FromString(name ? name : "");
}

static PyObject* named_dir(PyObject* self, PyObject* ignored) {
  Named* v = (Named*)self;
  PyObject* list = Py_BuildValue("[ss]", "id", "name");
  for (int i = 0; list && i < v->kind->count; i++) {
    PyObject* name = PyUnicode_FromString(v->kind->parts[i].name);
    if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject* named_repr(PyObject* self) {
  Named* v = (Named*)self;
  PyObject* fields = PyDict_New();
  PyObject *id = named_id(self, NULL), *name = named_name(self, NULL);
  if (!fields || !id || !name || PyDict_SetItemString(fields, "id", id) < 0 ||
      PyDict_SetItemString(fields, "name", name) < 0) {
    Py_CLEAR(fields);
  }
  Py_XDECREF(id);
  Py_XDECREF(name);
  for (int i = 0; fields && i < v->kind->count; i++) {
    PyObject* value = part_get(v, &v->kind->parts[i]);
    if (!value || PyDict_SetItemString(fields, v->kind->parts[i].name, value) < 0) Py_CLEAR(fields);
    Py_XDECREF(value);
  }
  const char* kind = strcmp(v->kind->name, "key") ? v->kind->name : "keyframe";
  return repr_of(PyUnicode_FromFormat("_%s%c%sViews", v->info->name, kind[0] - 'a' + 'A', kind + 1),
                 fields);
}

bool named_init(PyObject* module) {
  static PyGetSetDef attributes[] = {{"id", named_id, NULL, "its number", NULL},
                                     {"name", named_name, NULL, "its name", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
  static PyMethodDef methods[] = {{"__dir__", named_dir, METH_NOARGS, "Names of its fields."},
                                  {NULL, NULL, 0, NULL}};
  PyType_Slot slots[] = {{Py_tp_dealloc, named_free},
                         {Py_tp_getattro, named_getattr},
                         {Py_tp_setattro, named_setattr},
                         {Py_tp_repr, named_repr},
                         {Py_tp_getset, attributes},
                         {Py_tp_methods, methods},
                         {Py_tp_doc, "What a model or its data has of one object."},
                         {0, NULL}};
  PyType_Spec spec = {"sinew.Named", sizeof(Named), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  named_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!named_type || PyModule_AddObjectRef(module, "Named", (PyObject*)named_type) < 0)
    return false;
  for (int k = 0; k < KINDS; k++) {
    kinds[k].index = PyDict_New();
    for (int i = 0; kinds[k].index && i < kinds[k].count; i++) {
      PyObject* number = PyLong_FromLong(i);
      if (!number || PyDict_SetItemString(kinds[k].index, kinds[k].parts[i].name, number) < 0)
        return false;
      Py_DECREF(number);
    }
    if (!kinds[k].index) return false;
  }
  return true;
}
