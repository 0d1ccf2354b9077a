// Derivatives of the step (sinew/derive.h), for sinew/derive.py, and the geometry of dynamics
// (sinew/geometry.h), for sinew/geometry.py.
#include <sinew/derive.h>
#include <sinew/geometry.h>
#include <string.h>

#include "pool.h"

static bool both(PyObject* model, PyObject* data, mjModel** m, mjData** d) {
  return argument_both("derive", model, data, m, d);
}

bool arrays_add(Arrays* a, PyObject* value, Py_ssize_t expected, bool written) {
  int i = a->count;
  a->p[i] = NULL;
  a->buffer[i].obj = NULL;
  if (value != Py_None) {
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (written ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(value, &a->buffer[i], flags) < 0) return false;
    const char* format = a->buffer[i].format;
    if (!format || strcmp(format, "d") || a->buffer[i].len != 8 * expected) {
      PyErr_Format(PyExc_ValueError, "array %d has %zd bytes of '%s', expected %zd numbers", i,
                   a->buffer[i].len, format ? format : "B", expected);
      PyBuffer_Release(&a->buffer[i]);
      return false;
    }
    a->p[i] = a->buffer[i].buf;
  }
  a->count++;
  return true;
}

void arrays_release(Arrays* a) {
  for (int i = 0; i < a->count; i++) {
    if (a->buffer[i].obj) PyBuffer_Release(&a->buffer[i]);
  }
}

static PyObject* report_dict(const snDeriveReport* r) {
  static const char* const kinds[] = {"none", "row", "contact", "muscle"};
  return Py_BuildValue("{s:O,s:d,s:d,s:s,s:i,s:i,s:s,s:s,s:s}", "whole",
                       r->whole ? Py_True : Py_False, "residual", r->residual, "nearest",
                       r->nearest, "nearest_kind", kinds[r->nearest_kind], "nearest_id",
                       r->nearest_id, "raised", r->raised, "differenced", r->differenced,
                       "unsupported", r->unsupported, "noted", r->noted);
}

// Sizes that the arrays have.
typedef struct Sizes_ {
  Py_ssize_t nv, nx, nu, ns;
} Sizes;

static Sizes sizes_of(const mjModel* m) {
  return (Sizes){m->nv, 2 * (Py_ssize_t)m->nv + m->na, m->nu, m->nsensordata};
}

// Call `expression` under guard, and make its result.
#define GUARDED_TO(d, expression, made)      \
  do {                                       \
    Guard g;                                 \
    guard_enter(&g, d, 1);                   \
    if (!SYSTEM_SETJMP(g.place)) expression; \
    if (guard_leave(&g)) result = made;      \
  } while (0)
#define GUARDED(d, expression) GUARDED_TO(d, expression, report_dict(&report))

static PyObject* transition(PyObject* self, PyObject* args) {
  PyObject *model, *data, *o[4];
  PyObject* volatile result = NULL;
  mjModel* m;
  mjData* d;
  snDeriveReport report;
  if (!PyArg_ParseTuple(args, "OOOOOO", &model, &data, &o[0], &o[1], &o[2], &o[3]) ||
      !both(model, data, &m, &d)) {
    return NULL;
  }
  Sizes s = sizes_of(m);
  Arrays a = {.count = 0};
  if (arrays_add(&a, o[0], s.nx * s.nx, true) && arrays_add(&a, o[1], s.nx * s.nu, true) &&
      arrays_add(&a, o[2], s.ns * s.nx, true) && arrays_add(&a, o[3], s.ns * s.nu, true)) {
    GUARDED(d, sn_transition(m, d, a.p[0], a.p[1], a.p[2], a.p[3], &report));
  }
  arrays_release(&a);
  return result;
}

static PyObject* forward(PyObject* self, PyObject* args) {
  PyObject *model, *data, *o[5];
  PyObject* volatile result = NULL;
  mjModel* m;
  mjData* d;
  snDeriveReport report;
  if (!PyArg_ParseTuple(args, "OOOOOOO", &model, &data, &o[0], &o[1], &o[2], &o[3], &o[4]) ||
      !both(model, data, &m, &d)) {
    return NULL;
  }
  Sizes s = sizes_of(m);
  Arrays a = {.count = 0};
  if (arrays_add(&a, o[0], s.nv * s.nv, true) && arrays_add(&a, o[1], s.nv * s.nv, true) &&
      arrays_add(&a, o[2], s.nv * m->na, true) && arrays_add(&a, o[3], s.nv * s.nu, true) &&
      arrays_add(&a, o[4], s.nv * s.nv, true)) {
    GUARDED(d, sn_forwardDerivative(m, d, a.p[0], a.p[1], a.p[2], a.p[3], a.p[4], &report));
  }
  arrays_release(&a);
  return result;
}

static PyObject* inverse(PyObject* self, PyObject* args) {
  PyObject *model, *data, *o[4];
  PyObject* volatile result = NULL;
  int actuation;
  mjModel* m;
  mjData* d;
  snDeriveReport report;
  if (!PyArg_ParseTuple(args, "OOpOOOO", &model, &data, &actuation, &o[0], &o[1], &o[2], &o[3]) ||
      !both(model, data, &m, &d)) {
    return NULL;
  }
  Sizes s = sizes_of(m);
  Arrays a = {.count = 0};
  if (arrays_add(&a, o[0], s.nv * s.nv, true) && arrays_add(&a, o[1], s.nv * s.nv, true) &&
      arrays_add(&a, o[2], s.nv * s.nv, true) && arrays_add(&a, o[3], s.nv * m->nM, true)) {
    GUARDED(
        d, sn_inverseDerivative(m, d, (mjtByte)actuation, a.p[0], a.p[1], a.p[2], a.p[3], &report));
  }
  arrays_release(&a);
  return result;
}

// vjp: (g, gx, gu); jvp: (dx, du, dxnext)
static PyObject* product(PyObject* args, bool reverse) {
  PyObject *model, *data, *o[3];
  PyObject* volatile result = NULL;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOOOO", &model, &data, &o[0], &o[1], &o[2]) ||
      !both(model, data, &m, &d)) {
    return NULL;
  }
  Sizes s = sizes_of(m);
  Arrays a = {.count = 0};
  if (arrays_add(&a, o[0], s.nx, false) && arrays_add(&a, o[1], reverse ? s.nx : s.nu, reverse) &&
      arrays_add(&a, o[2], reverse ? s.nu : s.nx, true)) {
    if (reverse)
      GUARDED_TO(d, sn_vjp(m, d, a.p[0], a.p[1], a.p[2], NULL), Py_NewRef(Py_None));
    else
      GUARDED_TO(d, sn_jvp(m, d, a.p[0], a.p[1], a.p[2], NULL), Py_NewRef(Py_None));
  }
  arrays_release(&a);
  return result;
}

static PyObject* vjp(PyObject* self, PyObject* args) { return product(args, true); }
static PyObject* jvp(PyObject* self, PyObject* args) { return product(args, false); }

// By applied forces, applied wrenches and mocap poses: the columns, or with gnext their products.
static PyObject* by_inputs(PyObject* args, bool reverse) {
  PyObject *model, *data, *gnext = Py_None, *o[3];
  PyObject* volatile result = NULL;
  mjModel* m;
  mjData* d;
  snDeriveReport report;
  bool parsed = reverse
                    ? PyArg_ParseTuple(args, "OOOOOO", &model, &data, &gnext, &o[0], &o[1], &o[2])
                    : PyArg_ParseTuple(args, "OOOOO", &model, &data, &o[0], &o[1], &o[2]);
  if (!parsed || !both(model, data, &m, &d)) return NULL;
  Sizes s = sizes_of(m);
  Py_ssize_t rows = reverse ? 1 : s.nx;
  Arrays a = {.count = 0};
  if (arrays_add(&a, gnext, s.nx, false) && arrays_add(&a, o[0], rows * s.nv, true) &&
      arrays_add(&a, o[1], rows * 6 * m->nbody, true) &&
      arrays_add(&a, o[2], rows * 6 * m->nmocap, true)) {
    if (reverse)
      GUARDED(d, sn_vjpInput(m, d, a.p[0], a.p[1], a.p[2], a.p[3], &report));
    else
      GUARDED(d, sn_transitionInput(m, d, a.p[1], a.p[2], a.p[3], &report));
  }
  arrays_release(&a);
  return result;
}

static PyObject* inputs(PyObject* self, PyObject* args) { return by_inputs(args, false); }
static PyObject* vjp_inputs(PyObject* self, PyObject* args) { return by_inputs(args, true); }

static PyObject* rollout(PyObject* self, PyObject* args) {
  PyObject *model, *data, *o[4];
  PyObject* volatile result = NULL;
  int nstep;
  mjModel* m;
  mjData* d;
  snDeriveReport report;
  if (!PyArg_ParseTuple(args, "OOiOOOO", &model, &data, &nstep, &o[0], &o[1], &o[2], &o[3]) ||
      !both(model, data, &m, &d)) {
    return NULL;
  }
  Sizes s = sizes_of(m);
  Arrays a = {.count = 0};
  if (arrays_add(&a, o[0], nstep * s.nu, false) && arrays_add(&a, o[1], nstep * s.nx, false) &&
      arrays_add(&a, o[2], s.nx, true) && arrays_add(&a, o[3], nstep * s.nu, true)) {
    GUARDED(d, sn_rolloutVjp(m, d, nstep, a.p[0], a.p[1], a.p[2], a.p[3], &report));
  }
  arrays_release(&a);
  return result;
}

// Parameters: a sequence of (field, object or None, number).
static snParameter* parameters_read(const mjModel* m, mjData* d, PyObject* list, Py_ssize_t* n) {
  PyObject* all = PySequence_Tuple(list);
  if (!all) return NULL;
  *n = PyTuple_Size(all);
  snParameter* p = PyMem_Calloc((size_t)*n + 1, sizeof *p);
  bool good = p != NULL;
  for (Py_ssize_t i = 0; i < *n && good; i++) {
    const char *field, *object;
    int k;
    good = PyArg_ParseTuple(PyTuple_GetItem(all, i), "szi", &field, &object, &k);
    if (!good) break;
    Guard g;
    guard_enter(&g, d, 0);
    if (!SYSTEM_SETJMP(g.place)) sn_parameter(m, field, object, k, p + i);
    good = guard_leave(&g);
  }
  Py_DECREF(all);
  if (!good) {
    PyMem_Free(p);
    return NULL;
  }
  return p;
}

static PyObject* by(PyObject* self, PyObject* args) {
  PyObject *model, *data, *list, *out;
  PyObject* volatile result = NULL;
  int constants;
  Py_ssize_t n;
  mjModel* m;
  mjData* d;
  snDeriveReport report;
  if (!PyArg_ParseTuple(args, "OOOpO", &model, &data, &list, &constants, &out) ||
      !both(model, data, &m, &d)) {
    return NULL;
  }
  snParameter* p = parameters_read(m, d, list, &n);
  if (!p) return NULL;
  Arrays a = {.count = 0};
  if (arrays_add(&a, out, sizes_of(m).nx * n, true)) {
    GUARDED(d, sn_transitionBy(m, d, p, (int)n, constants, a.p[0], &report));
  }
  arrays_release(&a);
  PyMem_Free(p);
  return result;
}

// Columns by pairs of changed models.
static PyObject* over(PyObject* self, PyObject* args) {
  PyObject *model, *data, *low, *high, *width, *work, *out;
  PyObject* volatile result = NULL;
  mjModel* m;
  mjData *d, *w;
  snDeriveReport report;
  if (!PyArg_ParseTuple(args, "OOO!O!OOO", &model, &data, &PyTuple_Type, &low, &PyTuple_Type, &high,
                        &width, &work, &out) ||
      !both(model, data, &m, &d) || !(w = argument_pointer("derive", "work", work, INFO_mjData))) {
    return NULL;
  }
  Py_ssize_t n = PyTuple_Size(low);
  if (PyTuple_Size(high) != n) {
    PyErr_Format(PyExc_ValueError, "derive: %zd and %zd models, expected pairs", n,
                 PyTuple_Size(high));
    return NULL;
  }
  const mjModel** models = PyMem_Calloc(2 * (size_t)n + 1, sizeof *models);
  bool good = models != NULL;
  for (Py_ssize_t i = 0; i < 2 * n && good; i++) {
    PyObject* one = PyTuple_GetItem(i < n ? low : high, i % n);
    good = (models[i] = argument_pointer("derive", "models", one, INFO_mjModel)) != NULL;
  }
  Arrays a = {.count = 0};
  if (good && arrays_add(&a, width, n, false) && arrays_add(&a, out, sizes_of(m).nx * n, true)) {
    GUARDED(d, sn_transitionOver(m, d, models, models + n, a.p[0], (int)n, w, a.p[1], &report));
  }
  arrays_release(&a);
  PyMem_Free(models);
  return result;
}

// Places of numbers in their arrays.
static PyObject* places(PyObject* self, PyObject* args) {
  PyObject *model, *data, *list, *result = NULL;
  Py_ssize_t n;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOO", &model, &data, &list) || !both(model, data, &m, &d)) {
    return NULL;
  }
  snParameter* p = parameters_read(m, d, list, &n);
  if (!p) return NULL;
  result = PyTuple_New(n);
  for (Py_ssize_t i = 0; result && i < n; i++) {
    PyTuple_SetItem(result, i, PyLong_FromSize_t(p[i].index));
  }
  PyMem_Free(p);
  return result;
}

// ---- rows of a batch

// Where A, B, C, D of a row go.
static void rows_of(const Arrays* a, Sizes s, int row, mjtNum* to[4]) {
  const Py_ssize_t size[4] = {s.nx * s.nx, s.nx * s.nu, s.ns * s.nx, s.ns * s.nu};
  for (int k = 0; k < 4; k++) to[k] = a->p[k] ? a->p[k] + row * size[k] : NULL;
}

static void transition_row(Work* w, int row, int worker) {
  const Arrays* a = w->more;
  mjModel* m = w->models[w->nmodel > 1 ? row : 0];
  mjData* d = w->datas[worker];
  Sizes s = sizes_of(m);
  mj_setState(m, d, w->state + (size_t)row * (size_t)w->nstate, mjSTATE_INTEGRATION);
  mjtNum* to[4];
  rows_of(a, s, row, to);
  sn_transition(m, d, to[0], to[1], to[2], to[3], NULL);
}

static void vjp_row(Work* w, int row, int worker) {
  const Arrays* a = w->more;
  mjModel* m = w->models[w->nmodel > 1 ? row : 0];
  mjData* d = w->datas[worker];
  Sizes s = sizes_of(m);
  mj_setState(m, d, w->state + (size_t)row * (size_t)w->nstate, mjSTATE_INTEGRATION);
  sn_vjp(m, d, a->p[0] + row * s.nx, a->p[1] + row * s.nx, a->p[2] + row * s.nu, NULL);
}

// The same by differences of the step.
static void differences_row(Work* w, int row, int worker) {
  const Arrays* a = w->more;
  mjModel* m = w->models[w->nmodel > 1 ? row : 0];
  mjData* d = w->datas[worker];
  Sizes s = sizes_of(m);
  mj_setState(m, d, w->state + (size_t)row * (size_t)w->nstate, mjSTATE_INTEGRATION);
  mjtNum* to[4];
  rows_of(a, s, row, to);
  mjd_transitionFD(m, d, 1e-6, 0, to[0], to[1], to[2], to[3]);
}

static PyObject* batch(PyObject* args, bool reverse, void (*run)(Work*, int, int)) {
  PyObject *capsule, *o[4] = {Py_None, Py_None, Py_None, Py_None}, *result = NULL;
  bool read = reverse ? PyArg_ParseTuple(args, "OOOO", &capsule, &o[0], &o[1], &o[2])
                      : PyArg_ParseTuple(args, "OOOOO", &capsule, &o[0], &o[1], &o[2], &o[3]);
  const Batch* b = read ? PyCapsule_GetPointer(capsule, BATCH) : NULL;
  if (!b) return NULL;
  Work w = b->work;
  Sizes s = sizes_of(w.models[0]);
  Arrays a = {.count = 0};
  w.more = &a;
  w.run = run;
  bool good = reverse ? arrays_add(&a, o[0], w.rows * s.nx, false) &&
                            arrays_add(&a, o[1], w.rows * s.nx, true) &&
                            arrays_add(&a, o[2], w.rows * s.nu, true)
                      : arrays_add(&a, o[0], w.rows * s.nx * s.nx, true) &&
                            arrays_add(&a, o[1], w.rows * s.nx * s.nu, true) &&
                            arrays_add(&a, o[2], w.rows * s.ns * s.nx, true) &&
                            arrays_add(&a, o[3], w.rows * s.ns * s.nu, true);
  if (good) result = work_do(&w, w.ndata);
  arrays_release(&a);
  return result;
}

static PyObject* batch_transition(PyObject* self, PyObject* args) {
  return batch(args, false, transition_row);
}
static PyObject* batch_differences(PyObject* self, PyObject* args) {
  return batch(args, false, differences_row);
}
static PyObject* batch_vjp(PyObject* self, PyObject* args) { return batch(args, true, vjp_row); }

// ---- geometry

static PyObject* christoffel(PyObject* self, PyObject* args) {
  PyObject *model, *data, *gamma;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOO", &model, &data, &gamma) || !both(model, data, &m, &d)) {
    return NULL;
  }
  Py_ssize_t nv = m->nv;
  Arrays a = {.count = 0};
  bool good = arrays_add(&a, gamma, nv * nv * nv, true);
  if (good) {
    Guard g;
    guard_enter(&g, d, 0);
    if (!SYSTEM_SETJMP(g.place)) sn_christoffel(m, d, a.p[0]);
    good = guard_leave(&g);
  }
  arrays_release(&a);
  return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject* hamiltonian(PyObject* self, PyObject* args) {
  PyObject *model, *data, *o[3];
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOOOO", &model, &data, &o[0], &o[1], &o[2]) ||
      !both(model, data, &m, &d)) {
    return NULL;
  }
  volatile mjtNum energy = 0;
  Arrays a = {.count = 0};
  bool good = arrays_add(&a, o[0], m->nv, false) && arrays_add(&a, o[1], m->nv, true) &&
              arrays_add(&a, o[2], m->nv, true);
  if (good) {
    Guard g;
    guard_enter(&g, d, 0);
    if (!SYSTEM_SETJMP(g.place)) energy = sn_hamiltonian(m, d, a.p[0], a.p[1], a.p[2]);
    good = guard_leave(&g);
  }
  arrays_release(&a);
  return good ? PyFloat_FromDouble(energy) : NULL;
}

static PyObject* geodesic(PyObject* self, PyObject* args) {
  PyObject *model, *data;
  double time;
  int steps;
  mjModel* m;
  mjData* d;
  if (!PyArg_ParseTuple(args, "OOdi", &model, &data, &time, &steps) || !both(model, data, &m, &d)) {
    return NULL;
  }
  volatile mjtNum length = 0;
  Guard g;
  guard_enter(&g, d, 0);
  if (!SYSTEM_SETJMP(g.place)) length = sn_geodesic(m, d, time, steps);
  return guard_leave(&g) ? PyFloat_FromDouble(length) : NULL;
}

PyMethodDef derive_methods[] = {
    {"_geometry_christoffel", christoffel, METH_VARARGS, "Christoffel symbols into an array."},
    {"_geometry_hamiltonian", hamiltonian, METH_VARARGS,
     "The Hamiltonian; Hamilton's equations into arrays."},
    {"_geometry_geodesic", geodesic, METH_VARARGS, "Along the geodesic; its length."},
    {"_derive_transition", transition, METH_VARARGS,
     "A, B, C, D of a step into arrays; the report."},
    {"_derive_forward", forward, METH_VARARGS, "Derivatives of qacc into arrays; the report."},
    {"_derive_inverse", inverse, METH_VARARGS,
     "Derivatives of qfrc_inverse into arrays; the report."},
    {"_derive_vjp", vjp, METH_VARARGS, "Reverse mode."},
    {"_derive_jvp", jvp, METH_VARARGS, "Forward mode."},
    {"_derive_inputs", inputs, METH_VARARGS,
     "Derivatives by applied forces, wrenches and mocap poses; the report."},
    {"_derive_vjp_inputs", vjp_inputs, METH_VARARGS, "The same in reverse; the report."},
    {"_derive_rollout", rollout, METH_VARARGS, "Reverse mode over a trajectory; the report."},
    {"_derive_by", by, METH_VARARGS, "Derivatives by numbers of the model; the report."},
    {"_derive_over", over, METH_VARARGS, "Derivatives by changed models; the report."},
    {"_derive_places", places, METH_VARARGS, "Places of numbers of the model in their arrays."},
    {"_batch_transition", batch_transition, METH_VARARGS, "A, B, C, D of all rows; the bad rows."},
    {"_batch_differences", batch_differences, METH_VARARGS,
     "The same by mjd_transitionFD, forward with a width of 1e-6."},
    {"_batch_vjp", batch_vjp, METH_VARARGS, "Reverse mode of all rows; the bad rows."},
    {NULL, NULL, 0, NULL}};
