// Pictures of the rows of a batch: a renderer and a scene for each worker, the model's meshes and
// textures shared. A row is put in the worker's data and computed, so that its pixels depend on
// nothing but its state and model.
#include <sinew/draw.h>
#include <sinew/film.h>
#include <sinew/gltf.h>
#include <string.h>

#include "pool.h"
#pragma GCC diagnostic ignored "-Wclobbered"

typedef struct Renderers_ {
  int count;
  int width, height;
  snRenderer** renderer;
  mjvScene* scene;
} Renderers;

static const char RENDERERS[] = "sinew.renderers";

static void renderers_release(Renderers* r) {
  for (int i = 0; i < r->count; i++) {
    if (r->renderer) sn_freeRenderer(r->renderer[i]);
    if (r->scene) mjv_freeScene(r->scene + i);
  }
  PyMem_Free(r->renderer);
  PyMem_Free(r->scene);
  PyMem_Free(r);
}

static void renderers_free(PyObject* capsule) {
  renderers_release(PyCapsule_GetPointer(capsule, RENDERERS));
}

static PyObject* renderers(PyObject* self, PyObject* args) {
  PyObject* capsule;
  int width, height, samples, maxgeom;
  if (!PyArg_ParseTuple(args, "Oiiii", &capsule, &width, &height, &samples, &maxgeom)) return NULL;
  const Batch* b = PyCapsule_GetPointer(capsule, BATCH);
  Renderers* r = b ? PyMem_Calloc(1, sizeof *r) : NULL;
  if (!r) return b ? PyErr_NoMemory() : NULL;
  const mjModel* m = b->work.models[0];
  *r = (Renderers){b->work.ndata, width, height, NULL, NULL};
  r->renderer = PyMem_Calloc((size_t)r->count, sizeof *r->renderer);
  r->scene = PyMem_Calloc((size_t)r->count, sizeof *r->scene);
  if (!r->renderer || !r->scene) return renderers_release(r), PyErr_NoMemory();
  for (int i = 0; i < r->count; i++) mjv_defaultScene(r->scene + i);
  Guard g;
  guard_enter(&g, NULL, 0);
  if (!SYSTEM_SETJMP(g.place)) {
    for (int i = 0; i < r->count; i++) {
      mjv_makeScene(m, r->scene + i, maxgeom);
      r->renderer[i] =
          i ? sn_shareRenderer(r->renderer[0], 1) : sn_makeRenderer(m, width, height, samples, 1);
    }
  }
  if (!guard_leave(&g)) return renderers_release(r), NULL;
  PyObject* result = PyCapsule_New(r, RENDERERS, renderers_free);
  if (!result) renderers_release(r);
  return result;
}

typedef struct Order_ {
  const Renderers* renderers;
  const mjvCamera* camera;
  const mjvOption* option;
  Py_buffer rgb, depth, segmentation, mask;
} Order;

static void render_row(Work* w, int row, int worker) {
  const Order* o = w->more;
  const Renderers* r = o->renderers;
  if (w->mask && !w->mask[row]) return;
  const mjModel* m = w->models[w->nmodel > 1 ? row : 0];
  mjData* d = w->datas[worker];
  mj_setState(m, d, w->state + (size_t)row * w->nstate, mjSTATE_INTEGRATION);
  mj_forward(m, d);
  mjvCamera camera = *o->camera;
  mjv_updateScene(m, d, o->option, NULL, &camera, mjCAT_ALL, r->scene + worker);
  size_t pixels = (size_t)r->width * (size_t)r->height, at = (size_t)row * pixels;
  sn_drawScene(r->renderer[worker], r->scene + worker,
               o->rgb.obj ? (unsigned char*)o->rgb.buf + 3 * at : NULL,
               o->depth.obj ? (float*)o->depth.buf + at : NULL,
               o->segmentation.obj ? (int*)o->segmentation.buf + 2 * at : NULL);
}

// An array of so many bytes, or None.
static bool take(PyObject* value, Py_buffer* buffer, const char* name, Py_ssize_t bytes) {
  buffer->obj = NULL;
  if (value == Py_None) return true;
  if (PyObject_GetBuffer(value, buffer, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
    buffer->obj = NULL;
    return false;
  }
  if (buffer->len == bytes) return true;
  PyErr_Format(PyExc_ValueError, "%s: expected %zd bytes, found %zd", name, bytes, buffer->len);
  return false;
}

static PyObject* batch_render(PyObject* self, PyObject* args) {
  PyObject *capsule, *made, *camera, *option, *rgb, *depth, *segmentation, *mask;
  if (!PyArg_ParseTuple(args, "OOOOOOOO", &capsule, &made, &camera, &option, &rgb, &depth,
                        &segmentation, &mask)) {
    return NULL;
  }
  const Batch* b = PyCapsule_GetPointer(capsule, BATCH);
  const Renderers* r = b ? PyCapsule_GetPointer(made, RENDERERS) : NULL;
  Order o = {.renderers = r};
  if (!r || !(o.camera = object_pointer(camera, INFO_mjvCamera)) ||
      !(o.option = object_pointer(option, INFO_mjvOption))) {
    return NULL;
  }
  Work w = b->work;
  w.run = render_row;
  w.more = &o;
  PyObject* result = NULL;
  Py_ssize_t pixels = (Py_ssize_t)r->width * r->height * w.rows;
  if (take(rgb, &o.rgb, "rgb", 3 * pixels) && take(depth, &o.depth, "depth", 4 * pixels) &&
      take(segmentation, &o.segmentation, "segmentation", 8 * pixels) &&
      take(mask, &o.mask, "mask", w.rows)) {
    w.mask = o.mask.obj ? o.mask.buf : NULL;
    result = work_do(&w, w.ndata < r->count ? w.ndata : r->count);
  }
  Py_buffer* all[] = {&o.rgb, &o.depth, &o.segmentation, &o.mask};
  for (int i = 0; i < 4; i++) {
    if (all[i]->obj) PyBuffer_Release(all[i]);
  }
  return result;
}

static PyObject* draw(PyObject* self, PyObject* args) {
  PyObject *rect, *scene, *context, *rgb, *depth, *segmentation;
  if (!PyArg_ParseTuple(args, "OOOOOO", &rect, &scene, &context, &rgb, &depth, &segmentation))
    return NULL;
  const mjrRect* r = object_pointer(rect, INFO_mjrRect);
  const mjvScene* s = r ? object_pointer(scene, INFO_mjvScene) : NULL;
  const mjrContext* c = s ? object_pointer(context, INFO_mjrContext) : NULL;
  if (!c) return NULL;
  Py_buffer b[3] = {{.obj = NULL}, {.obj = NULL}, {.obj = NULL}};
  Py_ssize_t pixels = (Py_ssize_t)r->width * r->height;
  bool good = take(rgb, &b[0], "rgb", 3 * pixels) && take(depth, &b[1], "depth", 4 * pixels) &&
              take(segmentation, &b[2], "segmentation", 8 * pixels);
  if (good) {
    Guard g;
    guard_enter(&g, NULL, 1);
    if (!SYSTEM_SETJMP(g.place)) {
      sn_drawContext(*r, s, c, b[0].obj ? b[0].buf : NULL, b[1].obj ? b[1].buf : NULL,
                     b[2].obj ? b[2].buf : NULL);
    }
    good = guard_leave(&g);
  }
  for (int i = 0; i < 3; i++) {
    if (b[i].obj) PyBuffer_Release(&b[i]);
  }
  if (!good) return NULL;
  Py_RETURN_NONE;
}

// PNG or animated PNG of pictures that follow one another in one array.
static PyObject* film(PyObject* self, PyObject* args) {
  PyObject* array;
  int count, width, height;
  double rate;
  if (!PyArg_ParseTuple(args, "Oiiid", &array, &count, &width, &height, &rate)) return NULL;
  Py_buffer pictures;
  if (PyObject_GetBuffer(array, &pictures, PyBUF_C_CONTIGUOUS) < 0) return NULL;
  PyObject* bytes = NULL;
  snFilm* volatile made = NULL;
  volatile size_t size = 0;
  Py_ssize_t picture = 3 * (Py_ssize_t)width * height;
  if (count < 1 || pictures.len != count * picture) {
    PyErr_Format(PyExc_ValueError, "%d pictures of %d x %d need %zd bytes, found %zd", count, width,
                 height, count * picture, pictures.len);
  } else {
    Guard g;
    guard_enter(&g, NULL, 1);
    if (!SYSTEM_SETJMP(g.place)) {
      made = sn_makeFilm(width, height, rate);
      for (int i = 0; i < count; i++) {
        sn_addPicture(made, (const unsigned char*)pictures.buf + i * picture);
      }
      size = sn_filmBytes(made, NULL, 0);
    }
    if (guard_leave(&g) && (bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size))) {
      sn_filmBytes(made, (unsigned char*)PyBytes_AsString(bytes), size);
    }
  }
  sn_freeFilm(made);
  PyBuffer_Release(&pictures);
  return bytes;
}

// A model and states (rows of the set `spec`) as a glTF file.
static PyObject* gltf(PyObject* self, PyObject* args) {
  PyObject *model, *array;
  int spec;
  snGltf options;
  const char* path;
  if (!PyArg_ParseTuple(args, "OOids", &model, &array, &spec, &options.rate, &path)) return NULL;
  const mjModel* m = argument_pointer("save_glb", "model", model, INFO_mjModel);
  Py_buffer states;
  if (!m || PyObject_GetBuffer(array, &states, PyBUF_C_CONTIGUOUS) < 0) return NULL;
  char error[1000] = "";
  volatile int good = 0, row = 8 * mj_stateSize(m, (unsigned)spec);
  Guard g;
  guard_enter(&g, NULL, 1);
  if (!SYSTEM_SETJMP(g.place)) {
    good = sn_saveGltf(m, states.buf, row > 0 ? (int)(states.len / row) : 0, spec, &options, path,
                       error, sizeof error);
  }
  bool left = guard_leave(&g);
  PyBuffer_Release(&states);
  if (!left) return NULL;
  if (!good) return PyErr_Format(PyExc_ValueError, "%s", error);
  Py_RETURN_NONE;
}

PyMethodDef picture_methods[] = {
    {"_gltf", gltf, METH_VARARGS,
     "A model and its states as a glTF file: model, states, spec, rate, path."},
    {"_film", film, METH_VARARGS, "PNG (one picture) or animated PNG of pictures in one array."},
    {"_draw", draw, METH_VARARGS,
     "Draw a scene with a context into arrays, each of which may be None."},
    {"_renderers", renderers, METH_VARARGS,
     "Renderers for the workers of a batch: width, height, samples, most geoms of a scene."},
    {"_batch_render", batch_render, METH_VARARGS,
     "Draw all rows of a batch, or those of a mask, into arrays; the rows that went bad."},
    {NULL, NULL, 0, NULL}};
