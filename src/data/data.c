// Allocation, copy, reset and deletion of mjData, and of the plugin instances that belong to it.
//
// All of it walks the schema (schema.c). A reset touches only what was written: statistics know how
// far they were filled, and sparsity patterns are copied from the model. A copy between data of the
// same layout is a few memcpy; pointers into buffer and arena keep their offsets.
#include "data/data.h"

#include <stdio.h>

// Slots of the plugins whose instances the data has, behind its buffer: a program may write to
// mjData.plugin, and no plugin is given the instance of another.
static int* plugin_slots(const mjData* d) {
  return (int*)((char*)d->buffer + (d->nbuffer + sizeof(int) - 1) / sizeof(int) * sizeof(int));
}

// Sets the array pointers into the buffer unless d is NULL; returns the bytes of all arrays.
static size_t data_layout(const mjModel* m, mjData* d) {
  size_t at = 0;
  for (int i = 0; i < schema_data_buffer; i++) {
    const snField* f = &schema_data[i];
    size_t bytes = schema_bytes(f, m, NULL);
    at = schema_place(at, bytes);
    if (d) *schema_pointer(d, f) = (char*)d->buffer + at;
    at += bytes;
  }
  return at;
}

static mjData* data_alloc(const mjModel* m) {
  snData* tail = memory_alloc_zero(sizeof(snData));
  if (!tail) return NULL;
  mjData* d = &tail->d;
  tail->model = m;
  tail->layout = watch_layout(m);
  tail->nbody = m->nbody;
  tail->whole = (snBodyRun){.body_end = m->nbody,
                            .jnt_end = m->njnt,
                            .dof_end = m->nv,
                            .geom_end = m->ngeom,
                            .site_end = m->nsite};
  d->nbuffer = data_layout(m, NULL);
  d->buffer = memory_alloc_zero(d->nbuffer + (1 + (size_t)m->nplugin) * sizeof(int));
  if (!d->buffer || !arena_make(d, m->narena)) {
    memory_free(d->buffer);
    memory_free(tail);
    return NULL;
  }
  data_layout(m, d);
  SN_ASSERT((uintptr_t)d->buffer % 64 == 0);
  d->nplugin = m->nplugin;
  for (int i = 0; i < m->nplugin; i++) d->plugin[i] = plugin_slots(d)[i] = m->plugin[i];
  return d;
}

// ---- plugins: instances belong to the data

static const mjpPlugin* plugin_of(const mjData* d, int i) {
  int slot = plugin_slots(d)[i];
  const mjpPlugin* plugin = mjp_getPluginAtSlot(slot);
  if (!plugin) mju_error("plugin instance %d: no plugin at slot %d", i, slot);
  return plugin;
}

// Destroys the first `count` instances.
static void plugins_destroy(mjData* d, int count) {
  for (int i = 0; i < count; i++) {
    const mjpPlugin* plugin = plugin_of(d, i);
    if (plugin && plugin->destroy) plugin->destroy(d, i);
  }
}

// A plugin explains by a warning why it refuses an instance; that warning becomes part of the
// error. Other warnings are delivered as usual.
static _Thread_local char init_warning[512];
static void init_warned(const char* text) {
  snprintf(init_warning, sizeof init_warning, "%s", text);
}

static int plugin_init(const mjModel* m, mjData* d, int i, const mjpPlugin* plugin) {
  init_warning[0] = 0;
  if (!plugin->init) return 0;
  snHandler before = _mjPRIVATE__get_tls_warning_fn();
  _mjPRIVATE__set_tls_warning_fn(init_warned);
  int result = plugin->init(m, d, i);
  _mjPRIVATE__set_tls_warning_fn(before);
  if (result >= 0 && init_warning[0]) mju_warning("%s", init_warning);
  return result;
}

// Creates all instances or none.
static bool plugins_init(const mjModel* m, mjData* d, snFault* fault) {
  for (int i = 0; i < d->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(d->plugin[i]);
    if (!plugin) {
      plugins_destroy(d, i);
      return fault_raise(fault, "plugin instance %d: no plugin at slot %d", i, d->plugin[i]);
    }
    if (plugin_init(m, d, i, plugin) < 0) {
      plugins_destroy(d, i);
      return fault_raise(fault, "plugin '%s' could not make instance %d%s%s", plugin->name, i,
                         init_warning[0] ? ": " : "", init_warning);
    }
  }
  return true;
}

// ---- make and delete

static void data_free(mjData* d) {
  snData* tail = (snData*)d;
  for (int i = 0; i < snNROOM; i++) {
    if (tail->cache[i].block && tail->cache[i].free) tail->cache[i].free(tail->cache[i].block);
  }
  workers_free(d);
  arena_free(d);
  memory_free(tail->good);
  memory_free(d->buffer);
  memory_free(tail);
}

static const char kNoMemory[] = "no memory";

static mjData* data_begin(const mjModel* m, snFault* fault) {
  mjData* d = data_alloc(m);
  if (!d) {
    fault_raise(fault, "%s", kNoMemory);
  } else if (!plugins_init(m, d, fault)) {
    data_free(d);
    d = NULL;
  }
  return d;
}

mjData* data_make(const mjModel* m, snFault* fault) {
  mjData* d = data_begin(m, fault);
  if (d) mj_resetData(m, d);
  return d;
}

mjData* mj_makeData(const mjModel* m) {
  if (!m) {
    mju_error("mj_makeData: model is NULL");
    return NULL;
  }
  snFault fault = {0};
  mjData* d = data_make(m, &fault);
  if (!d && !strcmp(fault.text, kNoMemory)) {
    mju_warning("mj_makeData: %s", fault.text);
  } else if (!d) {
    mju_error("mj_makeData: %s", fault.text);
  }
  return d;
}

void mj_deleteData(mjData* d) {
  if (!d) return;
  plugins_destroy(d, d->nplugin);
  data_free(d);
}

// ---- reset

static bool stat_written(const mjSolverStat* s) {
  static const mjSolverStat blank = {0};
  return memcmp(s, &blank, sizeof blank) != 0;
}

// Statistics fill rows of fixed length from the front: only the written part is cleared.
static void reset_solver_statistics(mjData* d) {
  for (int island = 0; island < mjNISLAND; island++) {
    mjSolverStat* row = d->solver + island * mjNSOLVER;
    for (int k = 0; k < mjNSOLVER; k++) {
      if (k >= d->solver_niter[island] && !stat_written(&row[k])) break;
      memset(&row[k], 0, sizeof row[k]);
    }
  }
  memset(d->solver_niter, 0, sizeof d->solver_niter);
  memset(d->solver_nnz, 0, sizeof d->solver_nnz);
  memset(d->solver_fwdinv, 0, sizeof d->solver_fwdinv);
}

static void reset_header(const mjModel* m, mjData* d) {
  data_arena_clear(d);
  ((snData*)d)->awake = NULL;
  ((snData*)d)->posed = false;
  d->maxuse_stack = d->maxuse_arena = 0;
  d->maxuse_con = d->maxuse_efc = 0;
  memset(d->maxuse_threadstack, 0, sizeof d->maxuse_threadstack);
  reset_solver_statistics(d);
  memset(d->warning, 0, sizeof d->warning);
  memset(((snData*)d)->warned, 0, sizeof((snData*)d)->warned);
  memset(d->timer, 0, sizeof d->timer);
  d->time = 0;
  d->energy[0] = d->energy[1] = 0;
  d->signature = m->signature;
}

// Values that do not start at zero.
static void reset_values(const mjModel* m, mjData* d) {
  if (m->nq) memcpy(d->qpos, m->qpos0, (size_t)m->nq * sizeof(mjtNum));
  if (m->neq) memcpy(d->eq_active, m->eq_active0, (size_t)m->neq);
  pattern_copy(m, d);
  if (!m->nmocap) return;
  for (int b = 0; b < m->nbody; b++) {
    int i = m->body_mocapid[b];
    if (i < 0) continue;
    memcpy(d->mocap_pos + 3 * i, m->body_pos + 3 * b, 3 * sizeof(mjtNum));
    memcpy(d->mocap_quat + 4 * i, m->body_quat + 4 * b, 4 * sizeof(mjtNum));
    mju_normalize4(d->mocap_quat + 4 * i);
  }
}

// Inputs and outputs, first in the buffer, are set to zero; computed arrays behind them to `value`.
// plugin_data between the two survives a reset; plugins initialize their own state.
static void reset_buffer(const mjModel* m, mjData* d, int value) {
  char* first = d->buffer;
  char* instances = (char*)d->plugin;
  char* behind = (char*)(d->plugin_data + d->nplugin);
  memset(first, 0, (size_t)(instances - first));
  memset(behind, value, (size_t)(first + d->nbuffer - behind));
  for (int i = 0; i < d->nplugin; i++) {
    const mjpPlugin* plugin = plugin_of(d, i);
    if (!plugin || !plugin->reset) continue;
    int adr = m->plugin_stateadr[i];
    mjtNum* state = d->plugin_state ? d->plugin_state + adr : NULL;
    plugin->reset(m, state, (void*)d->plugin_data[i], i);
  }
}

void data_reset_state(const mjModel* m, mjData* d) {
  reset_header(m, d);
  reset_buffer(m, d, 0);
  reset_values(m, d);
}

void mj_resetData(const mjModel* m, mjData* d) {
  stack_clear(d);
  ((snData*)d)->vigil = 0;
  data_reset_state(m, d);
}

// Computed arrays hold debug_value until their stage has run. Exceptions start at zero: indices,
// because a stage that runs too early may follow them, and qM, which composite inertias are added
// to.
void mj_resetDataDebug(const mjModel* m, mjData* d, unsigned char debug_value) {
  stack_clear(d);
  ((snData*)d)->vigil = 0;
  reset_header(m, d);
  reset_buffer(m, d, debug_value);
  for (int i = 0; i < schema_data_buffer; i++) {
    const snField* f = &schema_data[i];
    size_t bytes = f->type == snTYPE_int ? schema_bytes(f, m, NULL) : 0;
    if (bytes) memset(*schema_pointer(d, f), 0, bytes);
  }
  if (m->nM) memset(d->qM, 0, (size_t)m->nM * sizeof(mjtNum));
  reset_values(m, d);
}

void mj_resetDataKeyframe(const mjModel* m, mjData* d, int key) {
  mj_resetData(m, d);
  if (key < 0 || key >= m->nkey) return;
  d->time = m->key_time[key];
  memcpy(d->qpos, m->key_qpos + key * m->nq, (size_t)m->nq * sizeof(mjtNum));
  memcpy(d->qvel, m->key_qvel + key * m->nv, (size_t)m->nv * sizeof(mjtNum));
  memcpy(d->act, m->key_act + key * m->na, (size_t)m->na * sizeof(mjtNum));
  memcpy(d->mocap_pos, m->key_mpos + key * 3 * m->nmocap, 3 * (size_t)m->nmocap * sizeof(mjtNum));
  memcpy(d->mocap_quat, m->key_mquat + key * 4 * m->nmocap, 4 * (size_t)m->nmocap * sizeof(mjtNum));
  memcpy(d->ctrl, m->key_ctrl + key * m->nu, (size_t)m->nu * sizeof(mjtNum));
}

// ---- copy

// Statistics fill rows of fixed length from the front; the rest is zero in both.
static void copy_solver_statistics(mjData* d, const mjData* src) {
  for (int island = 0; island < mjNISLAND; island++) {
    mjSolverStat* to = d->solver + island * mjNSOLVER;
    const mjSolverStat* from = src->solver + island * mjNSOLVER;
    for (int k = 0; k < mjNSOLVER; k++) {
      bool written = k < src->solver_niter[island] || k < d->solver_niter[island] ||
                     stat_written(&from[k]) || stat_written(&to[k]);
      if (!written) break;
      to[k] = from[k];
    }
  }
}

// Copies the scalar members, except those that belong to the destination: everything in front of
// maxuse_stack, pointers and the thread pool.
static void copy_members(mjData* d, const mjData* src) {
  copy_solver_statistics(d, src);
  size_t first = offsetof(mjData, maxuse_stack), solver = offsetof(mjData, solver);
  size_t behind = offsetof(mjData, solver_niter), pointers = offsetof(mjData, buffer);
  memcpy((char*)d + first, (const char*)src + first, solver - first);
  memcpy((char*)d + behind, (const char*)src + behind, pointers - behind);
  d->signature = src->signature;
}

// Data of this library for the same sizes has its arrays at the same offsets.
static bool same_layout(const mjData* a, const mjData* b) {
  if (a->nbuffer != b->nbuffer) return false;
  for (int i = 0; i < schema_data_buffer; i++) {
    ptrdiff_t in_a = (const char*)schema_array(a, &schema_data[i]) - (const char*)a->buffer;
    ptrdiff_t in_b = (const char*)schema_array(b, &schema_data[i]) - (const char*)b->buffer;
    if (in_a != in_b) return false;
  }
  return true;
}

static void copy_buffer(const mjModel* m, mjData* d, const mjData* src) {
  if (!d->nplugin && same_layout(d, src)) {
    memcpy(d->buffer, src->buffer, d->nbuffer);
    return;
  }
  for (int i = 0; i < schema_data_buffer; i++) {
    const snField* f = &schema_data[i];
    size_t bytes = schema_bytes(f, m, d);
    if (bytes && f->type != snTYPE_uintptr_t) {
      memcpy(*schema_pointer(d, f), schema_array(src, f), bytes);
    }
  }
}

// The form of existing rows, inferred from public fields. Where dense and sparse rows have the same
// number of entries, both forms read alike.
static int rows_form(const mjModel* m, const mjData* d) {
  bool elliptic = model_elliptic(m), now = data_row_form(m) == row_form(true, elliptic);
  bool sparse = (long long)d->nefc * m->nv == d->nJ ? now : true;
  for (int i = 0; i < d->nefc; i++) {
    if (d->efc_type[i] == mjCNSTR_CONTACT_PYRAMIDAL) elliptic = false;
    if (d->efc_type[i] == mjCNSTR_CONTACT_ELLIPTIC) elliptic = true;
  }
  return row_form(sparse, elliptic);
}

// Contacts and rows: the used arena is copied as a whole, pointers keep their offsets.
static bool copy_arena(mjData* d, const mjData* src) {
  data_arena_clear(d);
  snData* tail = (snData*)d;
  tail->room = src->nefc, tail->room_J = src->nJ, tail->room_A = src->nA;
  tail->rows = rows_form(tail->model, src);
  if (!src->parena) return true;
  if (!data_arena_alloc(d, src->parena, 64)) return false;
  memcpy(d->arena, src->arena, src->parena);
  for (int i = schema_data_buffer; i < schema_data_count; i++) {
    const snField* f = &schema_data[i];
    const char* array = schema_array(src, f);
    *schema_pointer(d, f) = array ? (char*)d->arena + (array - (const char*)src->arena) : NULL;
  }
  return true;
}

// Reads only the public part of src, which may belong to another library with the same layout.
mjData* mj_copyData(mjData* dest, const mjModel* m, const mjData* src) {
  if (!m || !src) {
    mju_error("mj_copyData: %s is NULL", m ? "source data" : "model");
    return NULL;
  }
  if (src->pstack) {
    mju_error("mj_copyData: the stack of the source is in use");
    return NULL;
  }
  mjData* d = dest;
  if (d && ((snData*)d)->model != m && d->nbuffer != data_layout(m, NULL)) {
    mju_error("mj_copyData: the destination was made for another model");
    return NULL;
  }
  snFault fault = {0};
  if (!d) d = data_begin(m, &fault);
  if (d && !copy_arena(d, src)) {
    fault_raise(&fault, "no memory");
    if (d != dest) mj_deleteData(d);
    d = NULL;
  }
  if (!d) {
    mju_error("mj_copyData: %s", fault.text);
    return NULL;
  }
  copy_members(d, src);
  copy_buffer(m, d, src);
  ((snData*)d)->posed = false;
  for (int i = 0; i < d->nplugin; i++) {
    const mjpPlugin* plugin = plugin_of(d, i);
    if (plugin && plugin->copy) plugin->copy(d, m, src, i);
  }
  return d;
}

// Like mj_copyData; arrays that a scene does not need are copied too.
mjData* mjv_copyData(mjData* dest, const mjModel* m, const mjData* src) {
  return mj_copyData(dest, m, src);
}
