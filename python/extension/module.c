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

static PyMethodDef own_methods[] = {
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
      PyModule_AddFunctions(module, solver_methods) < 0 || !spec_fields_init(module) ||
      !spec_init(module)) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
