// MjModel and MjData: loaded, made, copied, pickled.
#include <stdio.h>
#include <string.h>

#include "binding.h"
#include "data/data.h"
#pragma GCC diagnostic ignored "-Wclobbered"

static void model_release(void* p) { mj_deleteModel(p); }
static void data_release(void* p) { mj_deleteData(p); }

static bool model_fill(Object* o, mjModel* m) {
  PyObject* handle = handle_new(m, model_release, NULL);
  if (!handle) return mj_deleteModel(m), false;
  o->owner = handle;
  o->p = m;
  o->m = m;
  object_register(o);
  return true;
}

Object* model_wrap(mjModel* m) {
  Object* o = object_new(types[INFO_mjModel], info_of(INFO_mjModel), NULL, NULL);
  if (!o) return mj_deleteModel(m), NULL;
  if (!model_fill(o, m)) Py_CLEAR(o);
  return o;
}

int model_construct(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (((Object*)self)->p) return 0;
  PyErr_SetString(PyExc_TypeError,
                  "a model is made by MjModel.from_xml_path, from_xml_string, from_binary_path or "
                  "MjSpec.compile");
  return -1;
}

static bool data_fill(Object* o, mjData* d, Object* model) {
  PyObject* handle = handle_new(d, data_release, model->owner);
  if (!handle) return mj_deleteData(d), false;
  o->owner = handle;
  o->p = d;
  ((snData*)d)->stack.keep = true;  // arrays of the arena may be held when it moves
  o->m = model->p;
  o->model = (PyObject*)model;
  Py_INCREF(o->model);
  object_register(o);
  return true;
}

int data_construct(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", NULL};
  Object* o = (Object*)self;
  PyObject* model;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:MjData", names, &model)) return -1;
  mjModel* m = argument_pointer("MjData", "model", model, INFO_mjModel);
  if (!m) return -1;
  if (o->p) {
    PyErr_SetString(PyExc_ValueError, "this MjData is made already");
    return -1;
  }
  mjData* volatile d = NULL;
  Guard g;
  guard_enter(&g, NULL, 1);
  if (!SYSTEM_SETJMP(g.place)) d = mj_makeData(m);
  if (!guard_leave(&g)) return -1;
  if (!d) return PyErr_NoMemory(), -1;
  return data_fill(o, d, (Object*)model) ? 0 : -1;
}

// ---- loading

static bool vfs_fill(mjVFS* vfs, PyObject* assets, const char* call) {
  if (assets == Py_None) return true;
  PyObject* items = PyMapping_Check(assets) ? PyMapping_Items(assets) : NULL;
  if (!items) {
    return argument_refuse(PyExc_TypeError, call, "assets", "a dict of file names and bytes",
                           assets);
  }
  // files are looked up without their folders: two of one name would be one
  PyObject* seen = PySet_New(NULL);
  bool good = seen != NULL;
  for (Py_ssize_t i = 0; good && i < PyList_Size(items); i++) {
    PyObject* item = PyList_GetItem(items, i);
    const char* name = PyUnicode_Check(PyTuple_GetItem(item, 0))
                           ? PyUnicode_AsUTF8AndSize(PyTuple_GetItem(item, 0), NULL)
                           : NULL;
    if (!name) {
      good = argument_refuse(PyExc_TypeError, call, "assets", "names of files as keys",
                             PyTuple_GetItem(item, 0));
      break;
    }
    Py_buffer buffer;
    PyObject* content = PyTuple_GetItem(item, 1);
    PyObject* encoded = PyUnicode_Check(content) ? PyUnicode_AsUTF8String(content) : NULL;
    const char* slash = name ? strrchr(name, '/') : NULL;
    PyObject* base = name ? PyUnicode_FromString(slash ? slash + 1 : name) : NULL;
    int repeated = base ? PySet_Contains(seen, base) : -1;
    if (repeated == 0 && PySet_Add(seen, base) < 0) repeated = -1;
    Py_XDECREF(base);
    if (repeated) {
      good = false;
      if (repeated > 0) PyErr_Format(PyExc_ValueError, "Repeated file name in assets: %s", name);
    } else if (PyObject_GetBuffer(encoded ? encoded : content, &buffer, PyBUF_C_CONTIGUOUS) < 0) {
      good = argument_refuse(PyExc_TypeError, call, "assets", "bytes or text as values", content);
    } else {
      int code = mj_addBufferVFS(vfs, name, buffer.buf, (int)buffer.len);
      PyBuffer_Release(&buffer);
      if (code) {
        good = false;
        PyErr_Format(PyExc_ValueError,
                     code == 2 ? "Repeated file name in assets: %s" : "asset %s could not be added",
                     name);
      }
    }
    Py_XDECREF(encoded);
  }
  Py_DECREF(items);
  Py_XDECREF(seen);
  return good;
}

typedef enum { XML_PATH, XML_TEXT, BINARY } Source;

static PyObject* load(PyObject* args, PyObject* kwargs, Source source) {
  static char* names[] = {"filename", "assets", "confine", NULL};
  static char* names_text[] = {"xml", "assets", "confine", NULL};
  static const char* const formats[] = {"O|O$O:from_xml_path", "O|O$O:from_xml_string",
                                        "O|O$O:from_binary_path"};
  static const char* const calls[] = {"MjModel.from_xml_path", "MjModel.from_xml_string",
                                      "MjModel.from_binary_path"};
  const char* call = calls[source];
  PyObject *what, *assets = Py_None, *confine = Py_False, *bytes = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, formats[source],
                                   source == XML_TEXT ? names_text : names, &what, &assets,
                                   &confine))
    return NULL;
  if (source == XML_TEXT) {
    if (PyBytes_Check(what)) {
      bytes = what;
      Py_INCREF(bytes);
    } else if (PyUnicode_Check(what)) {
      bytes = PyUnicode_AsUTF8String(what);
    } else {
      argument_refuse(PyExc_TypeError, call, "xml", "text", what);
    }
    if (!bytes) return NULL;
  } else if (!PyUnicode_FSConverter(what, &bytes)) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      argument_refuse(PyExc_TypeError, call, "filename", "a path", what);
    }
    return NULL;
  }
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mjModel* volatile m = NULL;
  char error[1024] = "";
  char before[4096];
  bool good = vfs_fill(&vfs, assets, call);
  const char* file = PyBytes_AsString(bytes);
  bool confined = good && confine_begin(call, confine, source == XML_TEXT ? NULL : file, before);
  good = good && confined;
  char name[64] = "model.xml";
  if (good && source == XML_TEXT) {
    int code, number = 0;
    // a name of its own beside the assets
    while ((code = mj_addBufferVFS(&vfs, name, file, (int)PyBytes_Size(bytes))) == 2)
      snprintf(name, sizeof name, "model%d.xml", ++number);
    if (code) {
      good = false;
      PyErr_SetString(PyExc_ValueError, "the model's text could not be added to its assets");
    }
    file = name;
  }
  if (good) {
    Guard g;
    guard_enter(&g, NULL, 1);
    if (!SYSTEM_SETJMP(g.place)) {
      m = source == BINARY ? mj_loadModel(file, &vfs) : mj_loadXML(file, &vfs, error, sizeof error);
    }
    if (!guard_leave(&g)) {
      good = false;
      // what the file did is a ValueError however it was found
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      PyErr_Format(PyExc_ValueError, "%s", g.text);
      Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
    } else if (!m) {
      good = false;
      PyErr_Format(PyExc_ValueError, "%s", error[0] ? error : "the model could not be loaded");
    }
  }
  if (confined) confine_end(before);
  mj_deleteVFS(&vfs);
  PyObject* result = good ? (PyObject*)model_wrap(m) : NULL;
  Py_DECREF(bytes);
  return result;
}

static PyObject* from_xml_path(PyObject* self, PyObject* args, PyObject* kwargs) {
  return load(args, kwargs, XML_PATH);
}
static PyObject* from_xml_string(PyObject* self, PyObject* args, PyObject* kwargs) {
  return load(args, kwargs, XML_TEXT);
}
static PyObject* from_binary_path(PyObject* self, PyObject* args, PyObject* kwargs) {
  return load(args, kwargs, BINARY);
}

// ---- copying

static PyObject* model_copy(PyObject* self, PyObject* ignored) {
  mjModel* m = object_pointer(self, INFO_mjModel);
  if (!m) return NULL;
  mjModel* volatile copy = NULL;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) copy = mj_copyModel(NULL, m);
  if (!guard_leave(&g)) return NULL;
  return copy ? (PyObject*)model_wrap(copy) : PyErr_NoMemory();
}

static PyObject* data_copy_with(Object* o, Object* model) {
  mjData* volatile copy = NULL;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) copy = mj_copyData(NULL, model->p, o->p);
  if (!guard_leave(&g)) return NULL;
  if (!copy) return PyErr_NoMemory();
  Object* result = object_new(types[INFO_mjData], o->info, NULL, NULL);
  if (!result) return mj_deleteData(copy), NULL;
  if (!data_fill(result, copy, model)) Py_CLEAR(result);
  return (PyObject*)result;
}

static PyObject* data_copy(PyObject* self, PyObject* ignored) {
  if (!object_pointer(self, INFO_mjData)) return NULL;
  return data_copy_with((Object*)self, (Object*)((Object*)self)->model);
}

static PyObject* data_deepcopy(PyObject* self, PyObject* memo) {
  if (!object_pointer(self, INFO_mjData)) return NULL;
  PyObject* copy = PyImport_ImportModule("copy");
  PyObject* model =
      copy ? PyObject_CallMethod(copy, "deepcopy", "OO", ((Object*)self)->model, memo) : NULL;
  Py_XDECREF(copy);
  if (!model) return NULL;
  PyObject* result = data_copy_with((Object*)self, (Object*)model);
  Py_DECREF(model);
  return result;
}

// ---- pickling: a model as its binary file; data as struct, buffer and used part of the arena

static PyObject* model_reduce(PyObject* self, PyObject* ignored) {
  mjModel* m = object_pointer(self, INFO_mjModel);
  if (!m) return NULL;
  int size = mj_sizeModel(m);
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, size);
  PyObject* maker = PyObject_GetAttrString((PyObject*)types[INFO_mjModel], "_from_bytes");
  if (!bytes || !maker) return Py_XDECREF(bytes), Py_XDECREF(maker), NULL;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) mj_saveModel(m, NULL, PyBytes_AsString(bytes), size);
  if (!guard_leave(&g)) return Py_DECREF(bytes), Py_DECREF(maker), NULL;
  return Py_BuildValue("N(N)", maker, bytes);
}

static PyObject* model_from_bytes(PyObject* self, PyObject* bytes) {
  char* content;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes, &content, &size) < 0) return NULL;
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mjModel* volatile m = NULL;
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place) && !mj_addBufferVFS(&vfs, "model.mjb", content, (int)size))
    m = mj_loadModel("model.mjb", &vfs);
  bool good = guard_leave(&g);
  mj_deleteVFS(&vfs);
  if (good && !m) PyErr_SetString(PyExc_ValueError, "these bytes are no model");
  return m ? (PyObject*)model_wrap(m) : NULL;
}

static PyObject* data_reduce(PyObject* self, PyObject* ignored) {
  Object* o = (Object*)self;
  mjData* d = object_pointer(self, INFO_mjData);
  if (!d) return NULL;
  size_t size = sizeof *d + d->nbuffer + d->parena;
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  PyObject* maker = PyObject_GetAttrString((PyObject*)types[INFO_mjData], "_from_bytes");
  if (!bytes || !maker) return Py_XDECREF(bytes), Py_XDECREF(maker), NULL;
  char* at = PyBytes_AsString(bytes);
  memcpy(at, d, sizeof *d);
  memcpy(at + sizeof *d, d->buffer, d->nbuffer);
  if (d->parena) memcpy(at + sizeof *d + d->nbuffer, d->arena, d->parena);
  return Py_BuildValue("N(ON)", maker, o->model, bytes);
}

static PyObject* data_from_bytes(PyObject* self, PyObject* args) {
  PyObject *model, *bytes;
  if (!PyArg_ParseTuple(args, "OS", &model, &bytes)) return NULL;
  PyObject* made = PyObject_CallFunctionObjArgs((PyObject*)types[INFO_mjData], model, NULL);
  if (!made) return NULL;
  Object* o = (Object*)made;
  mjData* d = o->p;
  char* content = PyBytes_AsString(bytes);
  size_t size = (size_t)PyBytes_Size(bytes);
  mjData from;
  if (size >= sizeof from) memcpy(&from, content, sizeof from);
  if (size < sizeof from || from.nbuffer != d->nbuffer ||
      size != sizeof from + from.nbuffer + from.parena || from.nefc < 0 || from.ncon < 0 ||
      (size_t)from.nefc * sizeof(mjtNum) > from.parena ||
      (size_t)from.ncon * sizeof(mjContact) > from.parena) {
    Py_DECREF(made);
    return PyErr_Format(PyExc_ValueError, "these bytes are no data of this model");
  }
  uintptr_t* plugin_data = d->plugin_data;
  size_t kept = (size_t)o->m->nplugin * sizeof *plugin_data;
  void* plugins = kept ? PyMem_Malloc(kept) : NULL;
  if (plugins) memcpy(plugins, plugin_data, kept);  // those of the other process mean nothing here
  memcpy(d->buffer, content + sizeof from, from.nbuffer);
  if (plugins) memcpy(plugin_data, plugins, kept);
  PyMem_Free(plugins);
  char* arena = NULL;
  if (from.parena) {
    data_arena_clear(d);
    arena = data_arena_alloc(d, from.parena, 64);
    if (!arena) return Py_DECREF(made), PyErr_NoMemory();
    memcpy(arena, content + sizeof from + from.nbuffer, from.parena);
  }
  static const char* const own[] = {"narena", "nbuffer",    "pstack", "pbase",
                                    "parena", "threadpool", NULL};
  for (int i = 0; i < o->info->count; i++) {
    const Field* f = &o->info->fields[i];
    bool skip = false;
    for (int k = 0; own[k]; k++) skip |= !strcmp(own[k], f->name);
    char *to = (char*)d + f->offset, *source = (char*)&from + f->offset;
    Py_ssize_t n = 1;
    for (int k = 0; k < f->ndim; k++) n *= f->dim[k].factor;
    if (f->kind == POINTER || f->kind == LIST) {
      uintptr_t old = *(uintptr_t*)source - (uintptr_t)from.arena;
      if (*(uintptr_t*)source >= (uintptr_t)from.arena && old < from.parena)
        *(char**)to = arena + old;
      else if (f->dim[0].base == DATA)
        *(char**)to = f->kind == LIST ? d->arena : NULL;
    } else if (!skip) {
      memcpy(to, source, (size_t)(n * (f->kind == STRUCTS ? f->nested->size : type_size(f->type))));
    }
  }
  // rows that the arrays of the arena hold: a step asks for it
  ((snData*)d)->room = d->efc_type ? d->nefc : 0;
  return made;
}

PyMethodDef model_methods[] = {
    {"from_xml_path", (PyCFunction)(void (*)(void))from_xml_path,
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "from_xml_path(filename, assets=None, *, confine=False)\n--\n\n"
     "A model from an MJCF or URDF file, looked for among the assets first. With confine=True the "
     "model reads no file outside its folder; confine may name another folder."},
    {"from_xml_string", (PyCFunction)(void (*)(void))from_xml_string,
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "from_xml_string(xml, assets=None, *, confine=False)\n--\n\n"
     "A model from MJCF or URDF text; assets are files by name. With confine=True the model reads "
     "no file outside the current folder; confine may name another."},
    {"from_binary_path", (PyCFunction)(void (*)(void))from_binary_path,
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "from_binary_path(filename, assets=None, *, confine=False)\n--\n\n"
     "A model from a file written by mj_saveModel."},
    {"_from_bytes", model_from_bytes, METH_O | METH_STATIC, "A pickled model."},
    {"__copy__", model_copy, METH_NOARGS, "A copy of the model."},
    {"__deepcopy__", model_copy, METH_O, "A copy of the model."},
    {"__reduce__", model_reduce, METH_NOARGS, "For pickle."},
    {NULL, NULL, 0, NULL}};

PyMethodDef data_methods[] = {
    {"_from_bytes", data_from_bytes, METH_VARARGS | METH_STATIC, "Pickled data."},
    {"__copy__", data_copy, METH_NOARGS, "A copy of the data, of the same model."},
    {"__deepcopy__", data_deepcopy, METH_O, "A copy of the data and of its model."},
    {"__reduce__", data_reduce, METH_NOARGS, "For pickle."},
    {NULL, NULL, 0, NULL}};
