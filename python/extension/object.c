// Structs of the engine as Python objects: their fields are attributes.
#include "binding.h"

#include <string.h>
#include <structmember.h>

#include "base/base.h"

static void geom_default(void* geom) { mjv_initGeom(geom, mjGEOM_NONE, NULL, NULL, NULL, NULL); }

#include "fields.inc"

PyTypeObject* types[INFO_COUNT];
PyObject *fatal_error, *unexpected_error;

const Info* info_of(int number) { return infos[number]; }

// ---- structs

Object* object_new(PyTypeObject* type, const Info* info, void* p, PyObject* owner) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Object* o = (Object*)alloc(type, 0);
  if (!o) return NULL;
  o->info = info;
  o->p = p;
  Py_XINCREF(owner);
  o->owner = owner;
  o->cache = PyMem_Calloc((size_t)info->count, sizeof *o->cache);
  o->seen = info->number == INFO_mjData || info->number == INFO_mjvScene
                ? PyMem_Calloc((size_t)info->count, sizeof *o->seen)
                : NULL;
  bool named = info->number == INFO_mjModel || info->number == INFO_mjData;
  o->views = named ? PyMem_Calloc(VIEW_KINDS, sizeof *o->views) : NULL;
  if (!o->cache || (named && !o->views) ||
      ((info->number == INFO_mjData || info->number == INFO_mjvScene) && !o->seen)) {
    Py_DECREF(o);
    return (Object*)PyErr_NoMemory();
  }
  return o;
}

// Models and data by address, so that a callback is given the objects that its caller knows.
static PyObject* registry;

void object_register(Object* o) {
  PyObject *key = PyLong_FromVoidPtr(o->p), *value = PyLong_FromVoidPtr(o);
  if (key && value && PyDict_SetItem(registry, key, value) == 0) {
    o->registered = key;
  } else {
    PyErr_Clear();
    Py_XDECREF(key);
  }
  Py_XDECREF(value);
}

PyObject* object_registered(const void* p) {
  PyObject* key = PyLong_FromVoidPtr((void*)p);
  PyObject* value = key ? PyDict_GetItemWithError(registry, key) : NULL;
  PyObject* found = value ? PyLong_AsVoidPtr(value) : NULL;
  Py_XINCREF(found);
  Py_XDECREF(key);
  return found;
}

static void object_free(PyObject* self) {
  Object* o = (Object*)self;
  if (o->registered) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (PyDict_DelItem(registry, o->registered) < 0) PyErr_Clear();
    Py_DECREF(o->registered);
    PyErr_Restore(type, value, trace);
  }
  if (o->weak) PyObject_ClearWeakRefs(self);
  for (int i = 0; o->cache && i < o->info->count; i++) Py_XDECREF(o->cache[i]);
  PyMem_Free(o->cache);
  PyMem_Free(o->seen);
  for (int i = 0; o->views && i < VIEW_KINDS; i++) Py_XDECREF(o->views[i]);
  PyMem_Free(o->views);
  Py_XDECREF(o->owner);
  Py_XDECREF(o->model);
  PyTypeObject* type = Py_TYPE(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

// Elements of a scene's array: where the last flex or skin ends.
static Py_ssize_t scene_count(const mjvScene* s, const char* name) {
  int f = s->nflex - 1, k = s->nskin - 1;
  if (!strcmp(name, "skinvert") || !strcmp(name, "skinnormal")) {
    return k < 0 ? 0 : 3 * (Py_ssize_t)(s->skinvertadr[k] + s->skinvertnum[k]);
  }
  if (f < 0) return 0;
  if (!strcmp(name, "flexedge")) return 2 * (Py_ssize_t)(s->flexedgeadr[f] + s->flexedgenum[f]);
  if (!strcmp(name, "flexvert")) return 3 * (Py_ssize_t)(s->flexvertadr[f] + s->flexvertnum[f]);
  Py_ssize_t faces = 0;  // a flex without any has no address
  for (; f >= 0; f--) faces += s->flexfacenum[f];
  return (strcmp(name, "flextexcoord") ? 9 : 6) * faces;
}

static Py_ssize_t dim_of(const Object* o, const Field* f, int i) {
  Dim dim = f->dim[i];
  switch (dim.base) {
    case MODEL:
      return dim.factor * (Py_ssize_t) * (const int*)((const char*)o->m + dim.offset);
    case DATA:
    case OWN:
      return dim.factor * (Py_ssize_t) * (const int*)((const char*)o->p + dim.offset);
    case COUNTED:
      return scene_count(o->p, f->name);
    default:
      return dim.factor;
  }
}

static PyObject* field_make(Object* o, const Field* f) {
  char* at = (char*)o->p + f->offset;
  Py_ssize_t shape[2];
  for (int i = 0; i < f->ndim; i++) shape[i] = dim_of(o, f, i);
  switch (f->kind) {
    case INLINE:
      return array_over(o->owner, at, f->type, f->ndim, shape, NULL);
    case POINTER:
      return array_over(o->owner, *(void**)at, f->type, f->ndim, shape, NULL);
    case CHARS:
      return PyBytes_FromStringAndSize(*(char**)at, *(char**)at ? shape[0] : 0);
    case STRUCT:
      return (PyObject*)object_new(types[f->nested->number], f->nested, at, o->owner);
    case STRUCTS: {
      Py_ssize_t n = shape[0] * (f->ndim > 1 ? shape[1] : 1);
      return list_new(o->owner, at, n, 1, f->nested);
    }
    case LIST:
      return list_that_moves(o->owner, (char**)at, (const int*)((char*)o->p + f->dim[0].offset),
                             f->nested);
    case STRINGS:
      return array_make(o->owner, at, 0, shape[1], 1, shape, NULL);
    default:
      PyErr_Format(PyExc_NotImplementedError, "%s.%s is not there yet", o->info->name, f->name);
      return NULL;
  }
}

// A number as a member of its enum; as a number where the enum has no such member.
static PyObject* member_get(PyObject* number, const char* members) {
  PyObject* module = number ? PyImport_ImportModule("sinew._enums") : NULL;
  PyObject* type = module ? PyObject_GetAttrString(module, members) : NULL;
  PyObject* member = type ? PyObject_CallFunctionObjArgs(type, number, NULL) : NULL;
  Py_XDECREF(type);
  Py_XDECREF(module);
  if (!member && PyErr_ExceptionMatches(PyExc_ValueError)) {
    PyErr_Clear();
    return number;
  }
  Py_XDECREF(number);
  return member;
}

static inline PyObject* field_get(Object* o, const Field* f, int index) {
  char* at = (char*)o->p + f->offset;
  switch (f->kind) {
    case SCALAR:
      if (f->members) return member_get(scalar_get(at, f->type), f->members);
      return scalar_get(at, f->type);
    case STRING:
      if (o->info->number == INFO_mjsCompiler) {
        return characters_new(o->owner, at, f->dim[0].factor);
      }
      return string_of(at, f->dim[0].factor);
    default:
      break;
  }
  if (f->kind >= REFERENCE) return spec_field(o, f);
  PyObject* cached = o->cache[index];
  if (o->seen && f->kind == POINTER) {
    // arrays of the arena move and change their length
    void* p = *(void**)at;
    Py_ssize_t rows = dim_of(o, f, 0);
    if (cached && (o->seen[index].p != p || o->seen[index].rows != rows)) {
      o->cache[index] = NULL;
      Py_DECREF(cached);
      cached = NULL;
    }
    o->seen[index] = (Seen){p, rows};
  }
  if (!cached) {
    cached = field_make(o, f);
    if (!cached) return NULL;
    o->cache[index] = cached;
  }
  Py_INCREF(cached);
  return cached;
}

char* data_array(Object* data, const char* name, Py_ssize_t* bytes) {
  for (int i = 0; i < data->info->count; i++) {
    const Field* f = &data->info->fields[i];
    if (strcmp(f->name, name)) continue;
    bool array = f->kind == POINTER && f->dim[0].base == MODEL;
    if (!array && f->kind != SCALAR) break;
    *bytes = type_size(f->type);
    for (int k = 0; k < f->ndim; k++) *bytes *= dim_of(data, f, k);
    char* at = (char*)data->p + f->offset;
    return array ? *(char**)at : at;
  }
  PyErr_Format(PyExc_AttributeError, "MjData has no field %s of one size", name);
  return NULL;
}

PyObject* object_field(Object* o, int index) {
  return field_get(o, &o->info->fields[index], index);
}

static bool is_there(const Object* o) {
  if (o->p && !spec_is_deleted(o)) return true;
  PyErr_Format(PyExc_ValueError, "this %s was %s", o->info->name, o->p ? "deleted" : "never made");
  return false;
}

static PyObject* attribute_get(PyObject* self, void* closure) {
  Object* o = (Object*)self;
  const Field* f = closure;
  if (!is_there(o)) return NULL;
  return field_get(o, f, (int)(f - o->info->fields));
}

// Sizes that arrays are made by are the engine's to set.
static bool is_fixed(const Object* o, const Field* f) {
  if (f->kind != SCALAR) return false;
  switch (o->info->number) {
    case INFO_mjModel:
      return true;
    case INFO_mjData:
      return f->type != 'd' && strncmp(f->name, "maxuse", 6) != 0;
    case INFO_mjvScene:
      return !strcmp(f->name, "maxgeom") || !strcmp(f->name, "nflex") || !strcmp(f->name, "nskin");
    default:
      return false;
  }
}

// Counts of mjData may go down to what is there: rows that are not counted are not shown. Those of
// kinds of rows are no more than there are rows: MJX gives the rows it keeps room for.
static int count_set(const Object* o, const Field* f, PyObject* value) {
  static const char* const kCounts[] = {"ncon", "nefc", "nJ", "ne", "nf", "nl"};
  enum { NOWN = 3 };  // those that arrays are made by; the others are parts of nefc
  int i = 0;
  while (i < 6 && strcmp(f->name, kCounts[i])) i++;
  if (i == 6 || o->info->number != INFO_mjData) {
    PyErr_Format(PyExc_AttributeError, "%s.%s is read-only", o->info->name, f->name);
    return -1;
  }
  int* count = (int*)((char*)o->p + f->offset);
  int most = i < NOWN ? *count : ((const mjData*)o->p)->nefc;
  long wanted = PyLong_AsLong(value);
  if (wanted == -1 && PyErr_Occurred()) return -1;
  if (i >= NOWN && wanted > most) wanted = most;
  if (wanted < 0 || wanted > most) {
    PyErr_Format(PyExc_ValueError, "%s.%s: %d are there, %ld cannot be", o->info->name, f->name,
                 most, wanted);
    return -1;
  }
  *count = (int)wanted;
  return 0;
}

static int attribute_assign(PyObject* self, PyObject* value, void* closure) {
  Object* o = (Object*)self;
  const Field* f = closure;
  char* at = (char*)o->p + f->offset;
  if (!value) {
    PyErr_Format(PyExc_AttributeError, "%s.%s cannot be deleted", o->info->name, f->name);
    return -1;
  }
  if (!is_there(o)) return -1;
  if (is_fixed(o, f)) return count_set(o, f, value);
  if (f->kind >= REFERENCE) return spec_field_set(o, f, value);
  switch (f->kind) {
    case SCALAR:
      if (scalar_set(at, f->type, value) == 0) return 0;
      if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyObject* found = described(value);
        if (found) {
          PyErr_Format(PyExc_TypeError, "%s.%s: expected a number, found %U", o->info->name,
                       f->name, found);
        }
        Py_XDECREF(found);
      }
      return -1;
    case STRING:
      return chars_set(at, f->dim[0].factor, value, f->name);
    case INLINE:
    case POINTER:
      return array_assign(attribute_get(self, closure), value, o->info->name, f->name);
    case STRUCT: {
      void* source = object_pointer(value, f->nested->number);
      if (!source) return -1;
      memmove(at, source, (size_t)f->nested->size);
      return 0;
    }
    default:
      PyErr_Format(PyExc_AttributeError, "%s.%s cannot be set", o->info->name, f->name);
      return -1;
  }
}

// Errors of conversions say what was wrong with the value; the field comes before that.
static int attribute_set(PyObject* self, PyObject* value, void* closure) {
  if (attribute_assign(self, value, closure) == 0) return 0;
  error_prefix(((Object*)self)->info->name, ((const Field*)closure)->name);
  return -1;
}

void* object_pointer(PyObject* value, int number) {
  PyTypeObject* type = types[number];
  if (Py_TYPE(value) == type || PyType_IsSubtype(Py_TYPE(value), type)) {
    Object* o = (Object*)value;
    return is_there(o) ? o->p : NULL;
  }
  PyObject* found = described(value);
  if (found) PyErr_Format(PyExc_TypeError, "expected %s, found %U", infos[number]->name, found);
  Py_XDECREF(found);
  return NULL;
}

void* argument_pointer(const char* call, const char* argument, PyObject* value, int number) {
  if (PyType_IsSubtype(Py_TYPE(value), types[number])) return object_pointer(value, number);
  argument_refuse(PyExc_TypeError, call, argument, infos[number]->name, value);
  return NULL;
}

bool argument_both(const char* call, PyObject* model, PyObject* data, mjModel** m, mjData** d) {
  *m = argument_pointer(call, "model", model, INFO_mjModel);
  *d = *m ? argument_pointer(call, "data", data, INFO_mjData) : NULL;
  return *d != NULL;
}

static PyObject* plain_new(PyTypeObject* type, const Info* info, const void* source) {
  void* p = PyMem_Calloc(1, (size_t)info->size);
  if (!p) return PyErr_NoMemory();
  if (source)
    memcpy(p, source, (size_t)info->size);
  else if (info->make_default)
    info->make_default(p);
  PyObject* handle = handle_new(p, PyMem_Free, NULL);
  if (!handle) return PyMem_Free(p), NULL;
  Object* o = object_new(type, info, p, handle);
  Py_DECREF(handle);
  return (PyObject*)o;
}

PyObject* struct_copy_of(int number, const void* source) {
  return plain_new(types[number], infos[number], source);
}

static const Info* info_of_type(PyTypeObject* type) {
  for (int i = 0; i < INFO_COUNT; i++) {
    if (type == types[i] || PyType_IsSubtype(type, types[i])) return infos[i];
  }
  return NULL;
}

static void scene_free(void* p) {
  mjv_freeScene(p);
  PyMem_Free(p);
}

static void context_free(void* p) {
  mjr_freeContext(p);
  PyMem_Free(p);
}

// What is made here is empty: __init__ has the arguments, so that a class made from one of these
// may take others.
static PyObject* object_make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  const Info* info = info_of_type(type);
  if (info->number == INFO_mjModel || info->number == INFO_mjData || info->number == INFO_mjSpec) {
    return (PyObject*)object_new(type, info, NULL, NULL);
  }
  if (!strncmp(info->name, "Mjs", 3)) {
    return PyErr_Format(PyExc_TypeError, "a %s is made by its spec or body", info->name);
  }
  PyObject* made = plain_new(type, info, NULL);
  if (made && info->number == INFO_mjvScene) {
    ((Handle*)((Object*)made)->owner)->free = scene_free;
  }
  if (made && info->number == INFO_mjrContext) {
    ((Handle*)((Object*)made)->owner)->free = context_free;
  }
  return made;
}

static int scene_construct(Object* o, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", "maxgeom", NULL};
  PyObject* model = Py_None;
  int maxgeom = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Oi:MjvScene", names, &model, &maxgeom))
    return -1;
  if (model == Py_None) return 0;
  mjModel* m = argument_pointer("MjvScene", "model", model, INFO_mjModel);
  Guard g;
  if (!m) return -1;
  if (maxgeom < 0) {
    return PyErr_Format(PyExc_ValueError,
                        "MjvScene: argument maxgeom: expected 0 or more, found %d", maxgeom),
           -1;
  }
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) {
    mjv_freeScene(o->p);
    mjv_makeScene(m, o->p, maxgeom);
  }
  return guard_leave(&g) ? 0 : -1;
}

static int context_construct(Object* o, PyObject* args, PyObject* kwargs) {
  PyObject* model = Py_None;
  int fontscale = mjFONTSCALE_100;
  bool given = args && PyTuple_Size(args);
  if (kwargs && PyDict_Size(kwargs)) {
    PyErr_SetString(PyExc_TypeError, "MjrContext takes a model and a font scale, without names");
    return -1;
  }
  if (given && !PyArg_ParseTuple(args, "Oi:MjrContext", &model, &fontscale)) return -1;
  if (!given) return 0;
  mjModel* m = object_pointer(model, INFO_mjModel);
  if (!m) return -1;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) mjr_makeContext(m, o->p, fontscale);
  return guard_leave(&g) ? 0 : -1;
}

static PyObject* context_release(PyObject* self, PyObject* ignored) {
  mjr_freeContext(((Object*)self)->p);
  Py_RETURN_NONE;
}

static int object_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  Object* o = (Object*)self;
  if (o->info->number == INFO_mjvScene) return scene_construct(o, args, kwargs);
  if (o->info->number == INFO_mjrContext) return context_construct(o, args, kwargs);
  if (o->info->number == INFO_mjrRect) {
    static char* names[] = {"left", "bottom", "width", "height", NULL};
    mjrRect* r = o->p;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "iiii:MjrRect", names, &r->left, &r->bottom,
                                       &r->width, &r->height)
               ? 0
               : -1;
  }
  if ((args && PyTuple_Size(args)) || (kwargs && PyDict_Size(kwargs))) {
    PyErr_Format(PyExc_TypeError, "%s() takes no arguments", o->info->name);
    return -1;
  }
  return 0;
}

// A copy of a scene has arrays of its own, of memory that mjv_freeScene gives back.
static PyObject* scene_copy(const Object* o) {
  PyObject* made = object_make(types[INFO_mjvScene], NULL, NULL);
  if (!made) return NULL;
  char* p = ((Object*)made)->p;
  memcpy(p, o->p, sizeof(mjvScene));
  bool ok = true;
  for (int i = 0; i < o->info->count; i++) {
    const Field* f = &o->info->fields[i];
    if (f->kind != POINTER && f->kind != LIST) continue;
    void** to = (void**)(p + f->offset);
    const void* from = *to;
    // all geoms that there is room for, shown or not
    size_t bytes = f->kind == LIST ? (size_t)((mjvScene*)p)->maxgeom * (size_t)f->nested->size
                                   : (size_t)(dim_of(o, f, 0) * type_size(f->type));
    *to = from ? memory_alloc(bytes) : NULL;
    if (*to) memcpy(*to, from, bytes);
    ok = ok && (*to || !from);
  }
  if (!ok) Py_CLEAR(made);
  return ok ? made : PyErr_NoMemory();
}

static PyObject* object_copy(PyObject* self, PyObject* ignored) {
  Object* o = (Object*)self;
  if (o->info->number == INFO_mjvScene) return scene_copy(o);
  if (strncmp(o->info->name, "Mjs", 3) == 0) {
    PyErr_Format(PyExc_NotImplementedError, "copying %s is not there yet", o->info->name);
    return NULL;
  }
  return plain_new(types[o->info->number], o->info, o->p);
}

static PyObject* object_repr(PyObject* self) {
  Object* o = (Object*)self;
  if (o->info->number == INFO_mjModel || o->info->number == INFO_mjData || !o->p ||
      spec_is_deleted(o)) {
    return PyUnicode_FromFormat("<%s object at %p>", o->info->name, (void*)self);
  }
  PyObject* fields = PyDict_New();
  for (int i = 0; fields && i < o->info->count; i++) {
    PyObject* value = object_field(o, i);
    if (!value) PyErr_Clear();  // a container that was never made
    if (value && PyDict_SetItemString(fields, o->info->fields[i].name, value) < 0) Py_CLEAR(fields);
    Py_XDECREF(value);
  }
  PyObject* name = PyObject_GetAttrString((PyObject*)Py_TYPE(self), "__name__");
  return repr_of(name, fields);
}

static bool struct_equal(const Info* info, const char* a, const char* b) {
  for (int i = 0; i < info->count; i++) {
    const Field* f = &info->fields[i];
    Py_ssize_t n = 1;
    for (int k = 0; k < f->ndim; k++) n *= f->dim[k].factor;
    const char *x = a + f->offset, *y = b + f->offset;
    if (f->kind == STRUCT || f->kind == STRUCTS) {
      for (Py_ssize_t k = 0; k < n; k++) {
        if (!struct_equal(f->nested, x + k * f->nested->size, y + k * f->nested->size))
          return false;
      }
    } else if (f->type == 'd') {
      for (Py_ssize_t k = 0; k < n; k++) {
        if (((const double*)x)[k] != ((const double*)y)[k]) return false;
      }
    } else if (f->type == 'f') {
      for (Py_ssize_t k = 0; k < n; k++) {
        if (((const float*)x)[k] != ((const float*)y)[k]) return false;
      }
    } else if (memcmp(x, y, (size_t)(n * type_size(f->type)))) {
      return false;
    }
  }
  return true;
}

static PyObject* object_compare(PyObject* a, PyObject* b, int op) {
  Object *x = (Object*)a, *y = (Object*)b;
  if ((op != Py_EQ && op != Py_NE) || info_of_type(Py_TYPE(b)) != x->info) Py_RETURN_NOTIMPLEMENTED;
  bool by_value = x->info->number != INFO_mjModel && x->info->number != INFO_mjData &&
                  x->info->number != INFO_mjvScene && x->info->number != INFO_mjrContext &&
                  strncmp(x->info->name, "Mjs", 3) != 0 && x->info->number != INFO_mjSpec;
  bool same = x->p == y->p || (by_value && struct_equal(x->info, x->p, y->p));
  return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t object_hash(PyObject* self) {
  Object* o = (Object*)self;
  int n = o->info->number;
  if (n == INFO_mjModel || n == INFO_mjData || n == INFO_mjvScene || n == INFO_mjSpec ||
      n == INFO_mjrContext || strncmp(o->info->name, "Mjs", 3) == 0) {
    return (Py_hash_t)((uintptr_t)o->p >> 4);
  }
  return PyObject_HashNotImplemented(self);
}

static PyMethodDef copy_methods[] = {
    {"__copy__", object_copy, METH_NOARGS, "A copy of the numbers."},
    {"__deepcopy__", object_copy, METH_O, "A copy of the numbers."},
    {NULL, NULL, 0, NULL}};

// A context is one: what it stands for in the engine has one owner.
static PyMethodDef context_methods[] = {
    {"free", context_release, METH_NOARGS, "Give back what the context holds."},
    {NULL, NULL, 0, NULL}};

static PyMemberDef object_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Object, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyObject* model_address(PyObject* self, void* closure) {
  return PyLong_FromVoidPtr(((Object*)self)->p);
}

static PyObject* data_model(PyObject* self, void* closure) {
  PyObject* model = ((Object*)self)->model;
  if (!model) model = Py_None;
  Py_INCREF(model);
  return model;
}

static PyObject* model_sizes(PyObject* self, void* closure) {
  Object* o = (Object*)self;
  PyObject* list = PyList_New(0);
  for (int i = 0; list && i < o->info->count; i++) {
    const Field* f = &o->info->fields[i];
    if (f->kind != SCALAR || (f->type != 'i' && f->type != 'L')) continue;
    if (!strcmp(f->name, "signature")) continue;
    PyObject* value = scalar_get((char*)o->p + f->offset, f->type);
    if (!value || PyList_Append(list, value) < 0) Py_CLEAR(list);
    Py_XDECREF(value);
  }
  if (!list) return NULL;
  PyObject* array = PyObject_CallFunctionObjArgs(numpy_asarray, list, NULL);
  Py_DECREF(list);
  return array;
}

static bool type_make(PyObject* module, int number) {
  const Info* info = infos[number];
  bool model = number == INFO_mjModel, data = number == INFO_mjData;
  // live as long as the process, as the types do
  PyGetSetDef* attributes = PyMem_Calloc((size_t)info->count + 4, sizeof *attributes);
  char* name = PyMem_Malloc(strlen(info->name) + 8);
  PyMethodDef* methods = PyMem_Calloc(80, sizeof *methods);
  if (!attributes || !name || !methods) return false;
  strcpy(name, "sinew.");
  strcat(name, info->name);
  int n = 0;
  const char* doc = info->docs;
  for (int i = 0; i < info->count; i++, doc += strlen(doc) + 1) {
    const Field* f = &info->fields[i];
    attributes[n++] = (PyGetSetDef){f->name, attribute_get, attribute_set, doc, (void*)f};
  }
  if (model || data) {
    attributes[n++] = (PyGetSetDef){"_address", model_address, NULL, "address of the struct", NULL};
    if (model) attributes[n++] = (PyGetSetDef){"_sizes", model_sizes, NULL, "all sizes", NULL};
    if (data) attributes[n++] = (PyGetSetDef){"model", data_model, NULL, "its model", NULL};
  }
  if (number == INFO_mjSpec) {
    attributes[n++] = (PyGetSetDef){"_address", model_address, NULL, "address of the struct", NULL};
  }
  int count = 0;
  const PyMethodDef* sources[2] = {model                       ? model_methods
                                   : data                      ? data_methods
                                   : number == INFO_mjrContext ? context_methods
                                                               : copy_methods,
                                   model || data ? named_methods(data) : NULL};
  for (int s = 0; s < 2; s++) {
    for (const PyMethodDef* m = sources[s]; m && m->ml_name; m++) methods[count++] = *m;
  }
  initproc construct = model                   ? model_construct
                       : data                  ? data_construct
                       : number == INFO_mjSpec ? spec_construct
                                               : object_init;
  PyType_Slot slots[] = {{Py_tp_dealloc, object_free},
                         {Py_tp_new, object_make},
                         {Py_tp_init, construct},
                         {Py_tp_repr, object_repr},
                         {Py_tp_richcompare, object_compare},
                         {Py_tp_hash, object_hash},
                         {Py_tp_getset, attributes},
                         {Py_tp_methods, methods},
                         {Py_tp_members, object_members},
                         {Py_tp_doc, (void*)info->doc},
                         {0, NULL}};
  PyType_Spec spec = {name, sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) return false;
  types[number] = (PyTypeObject*)type;
  const char* dot = strchr(info->name, '.');
  if (dot) {  // a struct inside a struct is an attribute of its class
    PyObject* inner = PyUnicode_FromString(dot + 1);
    PyObject_SetAttrString(type, "__name__", inner);
    PyObject_SetAttrString(type, "__qualname__", inner);
    Py_XDECREF(inner);
    return true;
  }
  if (PyModule_AddObjectRef(module, info->name, type) < 0) return false;
  size_t length = strlen(info->name);
  for (int i = 0; i < number; i++) {
    if (!strncmp(infos[i]->name, info->name, length) && infos[i]->name[length] == '.') {
      if (PyObject_SetAttrString(type, infos[i]->name + length + 1, (PyObject*)types[i]) < 0)
        return false;
    }
  }
  return true;
}

bool objects_init(PyObject* module) {
  registry = PyDict_New();
  if (!registry) return false;
  if (!memory_init() || !list_init(module)) return false;
  for (int i = 0; i < INFO_COUNT; i++) {
    if (!type_make(module, i)) return false;
  }
  return true;
}
