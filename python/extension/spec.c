#include "binding.h"
bool spec_init(PyObject* module) { return true; }
