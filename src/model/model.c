// Allocation, copy and deletion of mjModel. All arrays lie in one buffer, in the order of the
// schema except that index arrays come first.
#include "base/assert.h"
#include "model/model.h"

// Sets the pointer of every array into the buffer; false when sizes are invalid.
static bool model_layout(mjModel* m, size_t* nbuffer, snFault* fault) {
  for (int i = 0; i < schema_size_count; i++) {
    int size = schema_int(m, schema_size[i].offset);
    // only njmax and nconmax may be negative: -1 means that the model does not set them
    if (size < 0 && strcmp(schema_size[i].name, "njmax") &&
        strcmp(schema_size[i].name, "nconmax")) {
      return fault_raise(fault, "model: %s is %d, expected 0 or more", schema_size[i].name, size);
    }
  }
  // index arrays first, so that one memcmp detects a change in any of them
  size_t at = 0;
  for (snWatched part = snWATCH_STEP; part <= snWATCH_NOT; part++) {
    int cursor = 0;
    for (int i = 0; i < schema_model_count; i++) {
      const snField* f = &schema_model[i];
      size_t count, bytes;
      if (watch_part(f, &cursor) != part) continue;
      if (__builtin_mul_overflow(schema_rows(f, m, NULL), schema_columns(f, m), &count) ||
          __builtin_mul_overflow(count, (size_t)f->width, &bytes) || bytes > SIZE_MAX / 4 ||
          at > SIZE_MAX / 4) {
        return fault_raise(fault, "model: %s is too large", f->name);
      }
      at = schema_place(at, bytes);
      *schema_pointer(m, f) = m->buffer ? (char*)m->buffer + at : NULL;
      at += bytes;
    }
  }
  SN_ASSERT(!m->buffer || at == (size_t)m->nbuffer);
  *nbuffer = at;
  return true;
}

bool model_buffer_size(const mjModel* sizes, size_t* nbuffer, snFault* fault) {
  mjModel m = *sizes;
  m.buffer = NULL;
  return model_layout(&m, nbuffer, fault);
}

static void model_copy_sizes(mjModel* to, const mjModel* from) {
  for (int i = 0; i < schema_size_count; i++) {
    memcpy((char*)to + schema_size[i].offset, (const char*)from + schema_size[i].offset,
           sizeof(int));
  }
  to->narena = from->narena;
}

mjModel* model_alloc(const mjModel* sizes, snFault* fault) {
  snModel* tail = memory_alloc_zero(sizeof(snModel));
  if (!tail) {
    fault_raise(fault, "model: no memory");
    return NULL;
  }
  mjModel* m = &tail->m;
  model_copy_sizes(m, sizes);
  size_t nbuffer;
  if (!model_layout(m, &nbuffer, fault)) {
    memory_free(tail);
    return NULL;
  }
  m->nbuffer = nbuffer;
  m->buffer = memory_alloc_zero(nbuffer);
  if (!m->buffer) {
    fault_raise(fault, "model: no memory for %zu bytes", nbuffer);
    memory_free(tail);
    return NULL;
  }
  SN_ASSERT((uintptr_t)m->buffer % 64 == 0);
  model_layout(m, &nbuffer, fault);
  mj_defaultOption(&m->opt);
  mj_defaultVisual(&m->vis);
  m->stat = (mjStatistic){.meaninertia = 1, .meanmass = 1, .meansize = 0.2, .extent = 2};
  return m;
}

static void model_drop_derived(snModel* tail) {
  if (tail->plan) plan_free(tail->plan);
  memory_free(tail->pattern);
  tail->plan = NULL;
  tail->pattern = NULL;
}

// The old plan is kept until the new one is complete.
bool model_finish(mjModel* m, snFault* fault) {
  names_map_fill(m);
  snPattern* pattern = pattern_make(m);
  if (!pattern) return fault_raise(fault, "model: no memory for its sparsity patterns");
  snPlan* plan = plan_make(m);
  if (!plan) {
    memory_free(pattern);
    return fault_raise(fault, "model: no memory for its plan");
  }
  snModel* tail = (snModel*)m;
  model_drop_derived(tail);
  tail->plan = plan;
  tail->pattern = pattern;
  return true;
}

bool model_watch(mjModel* m, snFault* fault) {
  snWatch* watch = watch_make(m);
  if (!watch) return fault_raise(fault, "model: no memory for the image of its indices");
  snPlan* plan = ((snModel*)m)->plan;
  memory_free(plan->watch);
  plan->watch = watch;
  return true;
}

void mj_deleteModel(mjModel* m) {
  if (!m) return;
  model_drop_derived((snModel*)m);
  memory_free(m->buffer);
  memory_free(((snModel*)m)->callbacks);
  if (((snModel*)m)->bare) {
    mju_free(m);
  } else {
    memory_free(m);
  }
}

static bool model_same_sizes(const mjModel* a, const mjModel* b) {
  for (int i = 0; i < schema_size_count; i++) {
    int offset = schema_size[i].offset;
    if (schema_int(a, offset) != schema_int(b, offset)) return false;
  }
  return true;
}

// Options and arrays; without `large` those arrays are left out that an abstract scene does not
// draw.
static void copy_content(mjModel* m, const mjModel* src, bool large) {
  static const char* const kLarge[] = {
      "mesh_vert",        "mesh_normal",       "mesh_texcoord", "mesh_face",
      "mesh_facenormal",  "mesh_facetexcoord", "mesh_graph",    "mesh_polynormal",
      "mesh_polyvertadr", "mesh_polyvertnum",  "mesh_polyvert", "mesh_polymapadr",
      "mesh_polymapnum",  "mesh_polymap",      "hfield_data",   "tex_data"};
  m->narena = src->narena;
  m->opt = src->opt;
  m->vis = src->vis;
  m->stat = src->stat;
  m->signature = src->signature;
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = &schema_model[i];
    size_t bytes = schema_bytes(f, m, NULL), k = 0, n = sizeof kLarge / sizeof kLarge[0];
    while (!large && k < n && strcmp(kLarge[k], f->name)) k++;
    if (bytes && (large || k == n)) memcpy(*schema_pointer(m, f), schema_array(src, f), bytes);
  }
}

// dest keeps its own meshes, height fields and textures.
void mjv_copyModel(mjModel* dest, const mjModel* src) {
  if (!dest || !src) {
    mju_error("mjv_copyModel: %s is NULL", dest ? "src" : "dest");
  } else if (!model_same_sizes(dest, src)) {
    mju_error("mjv_copyModel: destination and source have different sizes");
  } else {
    snFault fault = {0};
    copy_content(dest, src, false);
    if (!model_validate(dest, &fault) || !model_finish(dest, &fault) ||
        !model_watch(dest, &fault)) {
      mju_error("mjv_copyModel: %s", fault.text);
    }
  }
}

// Reads only the public part of src, which may belong to another library with the same layout.
mjModel* mj_copyModel(mjModel* dest, const mjModel* src) {
  if (!src) {
    mju_error("mj_copyModel: source model is NULL");
    return NULL;
  }
  snFault fault = {0};
  mjModel* m = dest;
  if (m && !model_same_sizes(m, src)) {
    mju_error("mj_copyModel: destination and source have different sizes");
    return NULL;
  }
  if (!m) m = model_alloc(src, &fault);
  if (m) {
    copy_content(m, src, true);
    if (model_finish(m, &fault) && model_watch(m, &fault)) return m;
  }
  // on failure a destination given by the caller keeps its old plan
  if (m && m != dest) mj_deleteModel(m);
  mju_error("mj_copyModel: %s", fault.text);
  return NULL;
}
