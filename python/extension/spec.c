// MjSpec: what Python needs of the editable model. Methods are put together in sinew/_spec.py from
// these few functions. An element holds its spec; after spec.delete(element) the element is empty.
#include "binding.h"

#include <string.h>

#include "spec/spec.h"
#pragma GCC diagnostic ignored "-Wclobbered"

static void spec_release(void* p) { mj_deleteSpec(p); }

// Deleted elements stay in memory until the spec goes: Python may still hold objects and arrays
// over them.
static PyObject* spec_handle(mjSpec* s) {
  if (!s) return PyErr_NoMemory();
  spec_of(s)->keeps = true;
  PyObject* handle = handle_new(s, spec_release, NULL);
  if (!handle) mj_deleteSpec(s);
  return handle;
}

static PyObject* spec_wrap(mjSpec* s) {
  PyObject* handle = spec_handle(s);
  PyObject* o = handle ? struct_wrap(INFO_mjSpec, s, handle) : NULL;
  Py_XDECREF(handle);
  return o;
}

// One object for a struct of a spec, as long as anyone holds it.
PyObject* struct_wrap(int number, void* p, PyObject* owner) {
  if (!p) Py_RETURN_NONE;
  PyObject* known = object_registered(p);
  if (known && ((Object*)known)->info->number == number) return known;
  Py_XDECREF(known);
  if (PyErr_Occurred()) return NULL;
  Object* o = object_new(types[number], info_of(number), p, owner);
  if (o && !known) object_register(o);
  return (PyObject*)o;
}

static PyObject* element_wrap(mjsElement* e, PyObject* owner) {
  if (!e) Py_RETURN_NONE;
#define AS(type, name) \
  case type:           \
    return struct_wrap(INFO_mjs##name, mjs_as##name(e), owner)
  switch (e->elemtype) {
    AS(mjOBJ_BODY, Body);
    AS(mjOBJ_GEOM, Geom);
    AS(mjOBJ_JOINT, Joint);
    AS(mjOBJ_SITE, Site);
    AS(mjOBJ_CAMERA, Camera);
    AS(mjOBJ_LIGHT, Light);
    AS(mjOBJ_FRAME, Frame);
    AS(mjOBJ_ACTUATOR, Actuator);
    AS(mjOBJ_SENSOR, Sensor);
    AS(mjOBJ_FLEX, Flex);
    AS(mjOBJ_PAIR, Pair);
    AS(mjOBJ_EQUALITY, Equality);
    AS(mjOBJ_EXCLUDE, Exclude);
    AS(mjOBJ_TENDON, Tendon);
    AS(mjOBJ_NUMERIC, Numeric);
    AS(mjOBJ_TEXT, Text);
    AS(mjOBJ_TUPLE, Tuple);
    AS(mjOBJ_KEY, Key);
    AS(mjOBJ_MESH, Mesh);
    AS(mjOBJ_HFIELD, HField);
    AS(mjOBJ_SKIN, Skin);
    AS(mjOBJ_TEXTURE, Texture);
    AS(mjOBJ_MATERIAL, Material);
    AS(mjOBJ_PLUGIN, Plugin);
    default:
      Py_RETURN_NONE;
  }
}

// Every struct of a spec begins with its element, but for these.
static bool has_element(const Info* info) {
  return info->number == INFO_mjSpec || (info->name[2] == 's' && info->number != INFO_mjsCompiler &&
                                         info->number != INFO_mjsOrientation);
}

bool spec_is_deleted(const Object* o) {
  if (!o->p || !has_element(o->info)) return false;
  const mjsElement* e = *(mjsElement**)o->p;
  return e && element_of(e)->deleted;
}

static mjsElement* element_behind(PyObject* value) {
  Object* o = (Object*)value;
  for (int i = 0; i < INFO_COUNT; i++) {
    if (!has_element(info_of(i)) || !PyType_IsSubtype(Py_TYPE(value), types[i])) continue;
    if (!o->p || spec_is_deleted(o)) {
      return PyErr_Format(PyExc_ValueError, "this %s was deleted", o->info->name), NULL;
    }
    return *(mjsElement**)o->p;
  }
  PyObject* found = described(value);
  if (found) PyErr_Format(PyExc_TypeError, "expected an element of a spec, found %U", found);
  Py_XDECREF(found);
  return NULL;
}

// ---- functions for _spec.py

// Runs a call under a guard; on failure leaves with the exception.
#define GUARDED(call)                   \
  do {                                  \
    Guard g_;                           \
    guard_enter(&g_, NULL, 0);          \
    if (!SYSTEM_SETJMP(g_.place)) call; \
    if (!guard_leave(&g_)) return NULL; \
  } while (0)

int spec_construct(PyObject* self, PyObject* args, PyObject* kwargs) {
  Object* o = (Object*)self;
  if ((args && PyTuple_Size(args)) || (kwargs && PyDict_Size(kwargs))) {
    PyErr_SetString(PyExc_TypeError,
                    "MjSpec() takes no arguments; use MjSpec.from_file or from_string");
    return -1;
  }
  mjSpec* s = mj_makeSpec();
  o->owner = spec_handle(s);
  if (!o->owner) return -1;
  o->p = s;
  object_register(o);
  return 0;
}

static bool vfs_from(mjVFS* vfs, PyObject* files) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (files != Py_None && PyDict_Next(files, &at, &key, &value)) {
    const char* name = PyUnicode_AsUTF8AndSize(key, NULL);
    PyObject* bytes =
        PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value) : PyObject_Bytes(value);
    if (!name || !bytes) return Py_XDECREF(bytes), false;
    int code = mj_addBufferVFS(vfs, name, PyBytes_AsString(bytes), (int)PyBytes_Size(bytes));
    Py_DECREF(bytes);
    if (code)
      return PyErr_Format(
                 PyExc_ValueError,
                 code == 2 ? "Repeated file name in assets: %s" : "asset %s could not be added",
                 name),
             false;
  }
  return true;
}

static PyObject* spec_parse(PyObject* self, PyObject* args) {
  int text;
  const char* source;
  PyObject *files, *confine = Py_False;
  char before[4096];
  if (!PyArg_ParseTuple(args, "psO|O", &text, &source, &files, &confine)) return NULL;
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  char error[1024] = "";
  mjSpec* volatile s = NULL;
  bool good = vfs_from(&vfs, files);
  bool confined = good && confine_begin(text ? "MjSpec.from_string" : "MjSpec.from_file", confine,
                                        text ? NULL : source, before);
  good = good && confined;
  if (good) {
    Guard g;
    guard_enter(&g, NULL, 1);
    if (!SYSTEM_SETJMP(g.place))
      s = text ? mj_parseXMLString(source, &vfs, error, sizeof error)
               : mj_parseXML(source, &vfs, error, sizeof error);
    good = guard_leave(&g);
    if (good && !s)
      PyErr_SetString(PyExc_ValueError, error[0] ? error : "the model could not be read");
  }
  if (confined) confine_end(before);
  mj_deleteVFS(&vfs);
  return s ? spec_wrap(s) : NULL;
}

static PyObject* spec_compile(PyObject* self, PyObject* args) {
  PyObject *spec, *files, *model, *data;
  if (!PyArg_ParseTuple(args, "OOOO", &spec, &files, &model, &data)) return NULL;
  mjSpec* s = object_pointer(spec, INFO_mjSpec);
  if (!s) return NULL;
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  PyObject* result = NULL;
  mjModel* volatile m = NULL;
  bool good = vfs_from(&vfs, files);
  PyObject* copy = NULL;  // the data to go on with
  if (good && data != Py_None) {
    m = mj_copyModel(NULL, object_pointer(model, INFO_mjModel));
    Object* wrapped = m ? model_wrap(m) : NULL;
    copy = wrapped ? PyObject_CallMethod(data, "__copy__", NULL) : NULL;
    if (copy) {
      volatile int code = -1;
      Guard g;
      guard_enter(&g, NULL, 1);
      if (!SYSTEM_SETJMP(g.place)) code = mj_recompile(s, &vfs, m, ((Object*)copy)->p);
      good = guard_leave(&g);
      if (good && code) PyErr_Format(PyExc_ValueError, "%s", mjs_getError(s));
      // the data is of the new model from here on
      Object* d = (Object*)copy;
      Py_XDECREF(d->model);
      d->model = (PyObject*)wrapped;
      Py_INCREF(d->model);
      d->m = m;
      Handle* handle = (Handle*)d->owner;
      Py_XDECREF(handle->keep);
      handle->keep = wrapped->owner;
      Py_INCREF(handle->keep);
      if (good && !code) result = Py_BuildValue("OO", (PyObject*)wrapped, copy);
      Py_DECREF(copy);
    }
    Py_XDECREF((PyObject*)wrapped);
  } else if (good) {
    Guard g;
    guard_enter(&g, NULL, 1);
    if (!SYSTEM_SETJMP(g.place)) m = mj_compile(s, &vfs);
    good = guard_leave(&g);
    if (good && !m) PyErr_Format(PyExc_ValueError, "%s", mjs_getError(s));
    if (m) result = (PyObject*)model_wrap(m);
  }
  mj_deleteVFS(&vfs);
  return result;
}

static PyObject* spec_xml(PyObject* self, PyObject* spec) {
  mjSpec* s = object_pointer(spec, INFO_mjSpec);
  if (!s) return NULL;
  char error[1024] = "";
  for (int room = 1 << 16;;) {
    char* text = PyMem_Malloc((size_t)room);
    if (!text) return PyErr_NoMemory();
    volatile int code = -1;
    Guard g;
    guard_enter(&g, NULL, 0);
    if (!SYSTEM_SETJMP(g.place)) code = mj_saveXMLString(s, text, room, error, sizeof error);
    PyObject* result = NULL;
    bool good = guard_leave(&g);
    if (good && code == 0) result = text_or_none(text);
    PyMem_Free(text);
    if (!good || result || PyErr_Occurred()) return result;
    if (code < 0 || code <= room)
      return PyErr_SetString(fatal_error, error[0] ? error : "the spec could not be written"), NULL;
    room = code + 1;
  }
}

static PyObject* spec_duplicate(PyObject* self, PyObject* spec) {
  mjSpec* s = object_pointer(spec, INFO_mjSpec);
  if (!s) return NULL;
  mjSpec* volatile copy = NULL;
  GUARDED(copy = mj_copySpec(s));
  return spec_wrap(copy);
}

static PyObject* spec_add(PyObject* self, PyObject* args) {
  PyObject *parent, *with;
  const char* kind;
  if (!PyArg_ParseTuple(args, "OsO", &parent, &kind, &with)) return NULL;
  PyObject* owner = ((Object*)parent)->owner;
  bool frame = with != Py_None && !strcmp(kind, "frame");
  void* def =
      with == Py_None ? NULL : object_pointer(with, frame ? INFO_mjsFrame : INFO_mjsDefault);
  if (with != Py_None && !def) return NULL;
  void* volatile made = NULL;
  int number = -1;
#define MAKE(name, type, call) \
  if (!strcmp(kind, name)) {   \
    number = INFO_mjs##type;   \
    GUARDED(made = call);      \
  }
  if (PyType_IsSubtype(Py_TYPE(parent), types[INFO_mjsBody])) {
    mjsBody* b = object_pointer(parent, INFO_mjsBody);
    if (!b) return NULL;
    MAKE("body", Body, mjs_addBody(b, def))
    MAKE("geom", Geom, mjs_addGeom(b, def))
    MAKE("joint", Joint, mjs_addJoint(b, def))
    MAKE("freejoint", Joint, mjs_addFreeJoint(b))
    MAKE("site", Site, mjs_addSite(b, def))
    MAKE("camera", Camera, mjs_addCamera(b, def))
    MAKE("light", Light, mjs_addLight(b, def))
    MAKE("frame", Frame, mjs_addFrame(b, def))
  } else {
    mjSpec* s = object_pointer(parent, INFO_mjSpec);
    if (!s) return NULL;
    MAKE("actuator", Actuator, mjs_addActuator(s, def))
    MAKE("sensor", Sensor, mjs_addSensor(s))
    MAKE("flex", Flex, mjs_addFlex(s))
    MAKE("pair", Pair, mjs_addPair(s, def))
    MAKE("exclude", Exclude, mjs_addExclude(s))
    MAKE("equality", Equality, mjs_addEquality(s, def))
    MAKE("tendon", Tendon, mjs_addTendon(s, def))
    MAKE("numeric", Numeric, mjs_addNumeric(s))
    MAKE("text", Text, mjs_addText(s))
    MAKE("tuple", Tuple, mjs_addTuple(s))
    MAKE("key", Key, mjs_addKey(s))
    MAKE("plugin", Plugin, mjs_addPlugin(s))
    MAKE("mesh", Mesh, mjs_addMesh(s, def))
    MAKE("hfield", HField, mjs_addHField(s))
    MAKE("skin", Skin, mjs_addSkin(s))
    MAKE("texture", Texture, mjs_addTexture(s))
    MAKE("material", Material, mjs_addMaterial(s, def))
  }
  if (number < 0) return PyErr_Format(PyExc_TypeError, "a %s cannot be added here", kind);
  if (!made) return PyErr_Format(PyExc_ValueError, "the %s could not be added", kind);
  return struct_wrap(number, made, owner);
}

static PyObject* spec_default(PyObject* self, PyObject* args) {
  PyObject *spec, *parent = Py_None;
  const char* name = NULL;
  int add = 0;
  if (!PyArg_ParseTuple(args, "O|zpO", &spec, &name, &add, &parent)) return NULL;
  mjSpec* s = object_pointer(spec, INFO_mjSpec);
  mjsDefault* above = parent == Py_None ? NULL : object_pointer(parent, INFO_mjsDefault);
  if (!s || (parent != Py_None && !above)) return NULL;
  mjsDefault* volatile found = NULL;
  GUARDED(found = add    ? mjs_addDefault(s, name, above)
                  : name ? mjs_findDefault(s, name)
                         : mjs_getSpecDefault(s));
  if (add && !found)
    return PyErr_Format(PyExc_ValueError, "the default class %s could not be added", name);
  return struct_wrap(INFO_mjsDefault, found, ((Object*)spec)->owner);
}

static PyObject* spec_list(PyObject* self, PyObject* args) {
  PyObject* parent;
  int type, recurse = 0;
  if (!PyArg_ParseTuple(args, "Oi|p", &parent, &type, &recurse)) return NULL;
  if (!element_behind(parent)) return NULL;
  Object* o = (Object*)parent;
  bool body = o->info->number == INFO_mjsBody;
  PyObject* list = PyList_New(0);
  mjsElement* e = body ? mjs_firstChild(o->p, type, recurse) : mjs_firstElement(o->p, type);
  while (list && e) {
    PyObject* item = element_wrap(e, o->owner);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
    e = body ? mjs_nextChild(o->p, e, recurse) : mjs_nextElement(o->p, e);
  }
  return list;
}

static PyObject* spec_lookup(PyObject* self, PyObject* args) {
  PyObject* spec;
  int type;
  const char* name;
  if (!PyArg_ParseTuple(args, "Ois", &spec, &type, &name)) return NULL;
  Object* o = (Object*)spec;
  if (!element_behind(spec)) return NULL;
  if (o->info->number == INFO_mjsBody)
    return struct_wrap(INFO_mjsBody, mjs_findChild(o->p, name), o->owner);
  if (type == mjOBJ_FRAME) return struct_wrap(INFO_mjsFrame, mjs_findFrame(o->p, name), o->owner);
  return element_wrap(mjs_findElement(o->p, type, name), o->owner);
}

static PyObject* element_get(PyObject* self, PyObject* args) {
  PyObject* value;
  const char* what;
  if (!PyArg_ParseTuple(args, "Os", &value, &what)) return NULL;
  mjsElement* e = element_behind(value);
  PyObject* owner = ((Object*)value)->owner;
  if (!e) return NULL;
  if (!strcmp(what, "name")) {
    mjString* name = mjs_getName(e);
    return text_or_none(name ? mjs_getString(name) : "");
  }
  if (!strcmp(what, "id")) return PyLong_FromLong(mjs_getId(e));
  if (!strcmp(what, "signature")) {
    return PyLong_FromUnsignedLongLong(mjs_getSpec(e)->element->signature);
  }
  if (!strcmp(what, "parent")) return struct_wrap(INFO_mjsBody, mjs_getParent(e), owner);
  if (!strcmp(what, "frame")) return struct_wrap(INFO_mjsFrame, mjs_getFrame(e), owner);
  if (!strcmp(what, "default")) return struct_wrap(INFO_mjsDefault, mjs_getDefault(e), owner);
  return PyErr_Format(PyExc_AttributeError, "%s", what);
}

static PyObject* element_set(PyObject* self, PyObject* args) {
  PyObject *value, *to;
  const char* what;
  if (!PyArg_ParseTuple(args, "OsO", &value, &what, &to)) return NULL;
  mjsElement* e = element_behind(value);
  if (!e) return NULL;
  volatile int code = 0;
  if (!strcmp(what, "name")) {
    const char* name = text_of(to, ((Object*)value)->info->name, what);
    if (!name) return NULL;
    GUARDED(code = mjs_setName(e, name));
  } else if (!strcmp(what, "frame")) {
    mjsFrame* frame = object_pointer(to, INFO_mjsFrame);
    if (!frame) return NULL;
    GUARDED(code = mjs_setFrame(e, frame));
  } else {
    mjsDefault* def = object_pointer(to, INFO_mjsDefault);
    if (!def) return NULL;
    GUARDED(mjs_setDefault(e, def));
  }
  if (code) return PyErr_Format(PyExc_ValueError, "%s", mjs_getError(mjs_getSpec(e)));
  Py_RETURN_NONE;
}

static PyObject* spec_delete(PyObject* self, PyObject* args) {
  PyObject *spec, *value;
  if (!PyArg_ParseTuple(args, "OO", &spec, &value)) return NULL;
  mjSpec* s = object_pointer(spec, INFO_mjSpec);
  mjsElement* e = s ? element_behind(value) : NULL;
  if (!e) return NULL;
  volatile int code = 0;
  GUARDED(code = mjs_delete(s, e));
  if (code) return PyErr_Format(PyExc_ValueError, "%s", mjs_getError(s));
  Py_RETURN_NONE;
}

static PyObject* spec_attach(PyObject* self, PyObject* args) {
  PyObject *parent, *child;
  const char *prefix, *suffix;
  if (!PyArg_ParseTuple(args, "OOss", &parent, &child, &prefix, &suffix)) return NULL;
  mjsElement *p = element_behind(parent), *c = p ? element_behind(child) : NULL;
  if (!c) return NULL;
  mjsElement* volatile made = NULL;
  // what is attached moves: whoever holds the spec it came from holds this one too
  Handle* from = (Handle*)((Object*)child)->owner;
  PyObject* into = ((Object*)parent)->owner;
  if ((PyObject*)from != into) {
    PyObject* both = from->keep ? PyTuple_Pack(2, from->keep, into) : (Py_INCREF(into), into);
    if (!both) return NULL;
    Py_XDECREF(from->keep);
    from->keep = both;
  }
  GUARDED(made = mjs_attach(p, c, prefix, suffix));
  if (!made) return PyErr_Format(PyExc_ValueError, "%s", mjs_getError(mjs_getSpec(p)));
  return element_wrap(made, ((Object*)parent)->owner);
}

static PyObject* spec_owner(PyObject* self, PyObject* value) {
  mjsElement* e = element_behind(value);
  return e ? struct_wrap(INFO_mjSpec, mjs_getSpec(e), ((Object*)value)->owner) : NULL;
}

static PyObject* body_to_frame(PyObject* self, PyObject* body) {
  mjsBody* b = object_pointer(body, INFO_mjsBody);
  if (!b) return NULL;
  mjsFrame* volatile frame = NULL;
  GUARDED(frame = mjs_bodyToFrame(&b));
  if (!frame) return PyErr_Format(PyExc_ValueError, "this body cannot become a frame");
  return struct_wrap(INFO_mjsFrame, frame, ((Object*)body)->owner);
}

static PyObject* actuator_set(PyObject* self, PyObject* args) {
  PyObject *value, *numbers;
  const char* what;
  if (!PyArg_ParseTuple(args, "OsO!", &value, &what, &PyList_Type, &numbers)) return NULL;
  mjsActuator* a = object_pointer(value, INFO_mjsActuator);
  if (!a) return NULL;
  double x[16] = {0};
  for (Py_ssize_t i = 0; i < PyList_Size(numbers) && i < 16; i++) {
    x[i] = PyFloat_AsDouble(PyList_GetItem(numbers, i));
    if (PyErr_Occurred()) return NULL;
  }
  const char* volatile wrong = NULL;
#define OPTION(i) (x[i] < 0 ? NULL : &x[i])
  if (!strcmp(what, "motor"))
    GUARDED(wrong = mjs_setToMotor(a));
  else if (!strcmp(what, "position"))
    GUARDED(wrong = mjs_setToPosition(a, x[0], OPTION(1), OPTION(2), OPTION(3), x[4]));
  else if (!strcmp(what, "intvelocity"))
    GUARDED(wrong = mjs_setToIntVelocity(a, x[0], OPTION(1), OPTION(2), OPTION(3), x[4]));
  else if (!strcmp(what, "velocity"))
    GUARDED(wrong = mjs_setToVelocity(a, x[0]));
  else if (!strcmp(what, "damper"))
    GUARDED(wrong = mjs_setToDamper(a, x[0]));
  else if (!strcmp(what, "cylinder"))
    GUARDED(wrong = mjs_setToCylinder(a, x[0], x[1], x[2], x[3]));
  else if (!strcmp(what, "muscle"))
    GUARDED(wrong = mjs_setToMuscle(a, x, x[2], x + 3, x[5], x[6], x[7], x[8], x[9], x[10], x[11]));
  else
    GUARDED(wrong = mjs_setToAdhesion(a, x[0]));
  if (wrong && *wrong) return PyErr_Format(PyExc_ValueError, "%s", wrong);
  Py_RETURN_NONE;
}

static PyObject* tendon_wrap(PyObject* self, PyObject* args) {
  PyObject* value;
  const char *what, *name, *side;
  double number;
  if (!PyArg_ParseTuple(args, "Osssd", &value, &what, &name, &side, &number)) return NULL;
  mjsTendon* t = object_pointer(value, INFO_mjsTendon);
  if (!t) return NULL;
  mjsWrap* volatile wrap = NULL;
  if (!strcmp(what, "site"))
    GUARDED(wrap = mjs_wrapSite(t, name));
  else if (!strcmp(what, "geom"))
    GUARDED(wrap = mjs_wrapGeom(t, name, side));
  else if (!strcmp(what, "joint"))
    GUARDED(wrap = mjs_wrapJoint(t, name, number));
  else
    GUARDED(wrap = mjs_wrapPulley(t, number));
  return struct_wrap(INFO_mjsWrap, wrap, ((Object*)value)->owner);
}

static PyObject* spec_plugin(PyObject* self, PyObject* args) {
  PyObject* spec;
  const char* name;
  if (!PyArg_ParseTuple(args, "Os", &spec, &name)) return NULL;
  mjSpec* s = object_pointer(spec, INFO_mjSpec);
  if (!s) return NULL;
  volatile int code = 0;
  GUARDED(code = mjs_activatePlugin(s, name));
  if (code) return PyErr_Format(PyExc_ValueError, "the plugin %s is not there", name);
  Py_RETURN_NONE;
}

static PyObject* spec_orient(PyObject* self, PyObject* args) {
  int degree;
  const char* sequence;
  PyObject* value;
  if (!PyArg_ParseTuple(args, "psO", &degree, &sequence, &value)) return NULL;
  mjsOrientation* o = object_pointer(value, INFO_mjsOrientation);
  if (!o) return NULL;
  double quat[4] = {1, 0, 0, 0};
  const char* volatile wrong = NULL;
  GUARDED(wrong = mjs_resolveOrientation(quat, (mjtByte)degree, sequence, o));
  if (wrong && *wrong) return PyErr_Format(PyExc_ValueError, "%s", wrong);
  return Py_BuildValue("[dddd]", quat[0], quat[1], quat[2], quat[3]);
}

static PyObject* spec_extra(PyObject* self, PyObject* spec) {
  if (!object_pointer(spec, INFO_mjSpec)) return NULL;
  Handle* handle = (Handle*)((Object*)spec)->owner;
  if (!handle->extra) handle->extra = PyDict_New();
  Py_XINCREF(handle->extra);
  return handle->extra;
}

static PyObject* spec_deepcopy(PyObject* self, PyObject* args) {
  PyObject* spec;
  int deep;
  if (!PyArg_ParseTuple(args, "Op", &spec, &deep)) return NULL;
  mjSpec* s = object_pointer(spec, INFO_mjSpec);
  if (!s) return NULL;
  mjs_setDeepCopy(s, deep);
  Py_RETURN_NONE;
}

// The settings of a plugin instance as a dict; with a second argument it is set first.
static PyObject* plugin_config(PyObject* self, PyObject* args) {
  PyObject *value, *dict = NULL;
  if (!PyArg_ParseTuple(args, "O|O!", &value, &PyDict_Type, &dict)) return NULL;
  mjsPlugin* plugin = object_pointer(value, INFO_mjsPlugin);
  if (!plugin) return NULL;
  const snElement* e = plugin->element ? element_of(plugin->element) : NULL;
  PyObject *key, *text;
  Py_ssize_t at = 0;
  if (dict) {
    GUARDED(mjs_setPluginAttributes(plugin, NULL));
    while (PyDict_Next(dict, &at, &key, &text)) {
      const char* name = PyUnicode_AsUTF8AndSize(key, NULL);
      const char* setting = name ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
      if (!setting) return NULL;
      if (!plugin_set_attribute(plugin, name, setting)) return PyErr_NoMemory();
    }
  }
  PyObject* all = PyDict_New();
  for (int i = 0; all && e && i < e->nattribute; i++) {
    text = text_or_none(string_text(&e->attribute[i].value));
    if (!text || PyDict_SetItemString(all, string_text(&e->attribute[i].key), text) < 0)
      Py_CLEAR(all);
    Py_XDECREF(text);
  }
  return all;
}

static PyMethodDef methods[] = {
    {"_spec_parse", spec_parse, METH_VARARGS, "(is text, source, files): a spec."},
    {"_spec_compile", spec_compile, METH_VARARGS,
     "(spec, files, model, data): a model, or both anew."},
    {"_spec_xml", spec_xml, METH_O, "The spec as MJCF."},
    {"_spec_copy", spec_duplicate, METH_O, "A copy."},
    {"_spec_add", spec_add, METH_VARARGS, "(parent, kind, default or frame): a new element."},
    {"_spec_default", spec_default, METH_VARARGS, "(spec, name, add, parent): a default class."},
    {"_spec_list", spec_list, METH_VARARGS, "(spec or body, type, recurse): elements."},
    {"_spec_find", spec_lookup, METH_VARARGS, "(spec or body, type, name): an element or None."},
    {"_spec_delete", spec_delete, METH_VARARGS, "(spec, element)"},
    {"_spec_attach", spec_attach, METH_VARARGS,
     "(parent, child, prefix, suffix): what was attached."},
    {"_spec_owner", spec_owner, METH_O, "The spec of an element."},
    {"_spec_plugin", spec_plugin, METH_VARARGS, "(spec, name)"},
    {"_spec_extra", spec_extra, METH_O, "What Python adds to a spec."},
    {"_spec_deepcopy", spec_deepcopy, METH_VARARGS, "(spec, whether attaching copies)"},
    {"_plugin_config", plugin_config, METH_VARARGS, "(plugin, dict): its settings."},
    {"_spec_orient", spec_orient, METH_VARARGS, "(degree, sequence, orientation): a quaternion."},
    {"_element_get", element_get, METH_VARARGS, "(element, what)"},
    {"_element_set", element_set, METH_VARARGS, "(element, what, value)"},
    {"_body_to_frame", body_to_frame, METH_O, "The body as a frame."},
    {"_actuator_set", actuator_set, METH_VARARGS, "(actuator, kind, numbers)"},
    {"_tendon_wrap", tendon_wrap, METH_VARARGS, "(tendon, kind, name, side, number)"},
    {NULL, NULL, 0, NULL}};

bool spec_init(PyObject* module) { return PyModule_AddFunctions(module, methods) == 0; }
