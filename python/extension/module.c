// The module: types, functions, errors, string tables.
#include "binding.h"

PyMethodDef* functions_table(void);

static PyObject* strings(PyObject* self, PyObject* ignored) {
  PyObject* all = PyDict_New();
  if (!all) return NULL;
#define TABLE(name, count)                                                \
  do {                                                                    \
    PyObject* list = PyTuple_New(count);                                  \
    for (int i = 0; list && i < count; i++) {                             \
      PyTuple_SetItem(list, i, PyUnicode_FromString(name[i]));            \
    }                                                                     \
    if (!list || PyDict_SetItemString(all, #name, list) < 0) return NULL; \
    Py_DECREF(list);                                                      \
  } while (0)
#define TABLE3(name, count)                                                                 \
  do {                                                                                      \
    PyObject* list = PyTuple_New(count);                                                    \
    for (int i = 0; list && i < count; i++) {                                               \
      PyTuple_SetItem(list, i, Py_BuildValue("(sss)", name[i][0], name[i][1], name[i][2])); \
    }                                                                                       \
    if (!list || PyDict_SetItemString(all, #name, list) < 0) return NULL;                   \
    Py_DECREF(list);                                                                        \
  } while (0)
  TABLE(mjDISABLESTRING, mjNDISABLE);
  TABLE(mjENABLESTRING, mjNENABLE);
  TABLE(mjTIMERSTRING, mjNTIMER);
  TABLE(mjLABELSTRING, mjNLABEL);
  TABLE(mjFRAMESTRING, mjNFRAME);
  TABLE3(mjVISSTRING, mjNVISFLAG);
  TABLE3(mjRNDSTRING, mjNRNDFLAG);
  return all;
}

// A kind of enum.EnumType whose attributes are looked up as those of plain classes. The one of
// CPython 3.11 has a __getattr__, never needed here, that makes every look-up of a member slow.
static PyObject* enum_type(PyObject* self, PyObject* base) {
  PyType_Slot slots[] = {{Py_tp_getattro, PyType_GetSlot(&PyType_Type, Py_tp_getattro)}, {0, NULL}};
  PyType_Spec spec = {"sinew._enum.EnumType", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                      slots};
  PyObject* bases = PyTuple_Pack(1, base);
  PyObject* type = bases ? PyType_FromSpecWithBases(&spec, bases) : NULL;
  Py_XDECREF(bases);
  return type;
}

static PyMethodDef own_methods[] = {
    {"_enum_type", enum_type, METH_O, "A kind of the enum type with quick look-up of members."},
    {"_realloc_con_efc", (PyCFunction)(void (*)(void))py_realloc_con_efc,
     METH_FASTCALL | METH_KEYWORDS, "Make room for contacts and rows that come from elsewhere."},
    {"_spec_is_vector", py_spec_is_vector, METH_VARARGS,
     "Whether a field of an element is a vector, whose length may change."},
    {"_strings", strings, METH_NOARGS, "The string tables of the interface."},
    {NULL, NULL, 0, NULL}};

PyMODINIT_FUNC PyInit__sinew(void) {
  static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "sinew._sinew",
                                          .m_size = -1,
                                          .m_doc = "The engine: structs and functions."};
  PyObject* module = PyModule_Create(&definition);
  if (!module) return NULL;
  fatal_error =
      PyErr_NewExceptionWithDoc("sinew.FatalError", "The engine refused a call.", NULL, NULL);
  unexpected_error = PyErr_NewExceptionWithDoc("sinew.UnexpectedError",
                                               "A callback gave what it may not.", NULL, NULL);
  if (!fatal_error || !unexpected_error ||
      PyModule_AddObjectRef(module, "FatalError", fatal_error) < 0 ||
      PyModule_AddObjectRef(module, "UnexpectedError", unexpected_error) < 0 ||
      !named_init(module) || !objects_init(module) ||
      PyModule_AddFunctions(module, functions_table()) < 0 ||
      PyModule_AddFunctions(module, own_methods) < 0 ||
      PyModule_AddFunctions(module, callback_methods) < 0 ||
      PyModule_AddFunctions(module, pool_methods) < 0 ||
      PyModule_AddFunctions(module, picture_methods) < 0 ||
      PyModule_AddFunctions(module, confine_methods) < 0 ||
      PyModule_AddFunctions(module, derive_methods) < 0 ||
      PyModule_AddFunctions(module, control_methods) < 0 ||
      PyModule_AddFunctions(module, solver_methods) < 0 ||
      PyModule_AddFunctions(module, hold_methods) < 0 || !spec_fields_init(module) ||
      !spec_init(module)) {
    Py_DECREF(module);
    return NULL;
  }
  // the first-party plugins have their slots from the start, as those of the released package
  mjp_getPlugin("mujoco.pid", NULL);
  return module;
}
