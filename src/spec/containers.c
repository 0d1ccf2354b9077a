// Strings and vectors of a spec, in the layout of libc++'s std::string and std::vector, and the
// documented functions that set and read them. Programs compiled for the released library read
// these containers directly, so layout, growth and the allocator (malloc) are part of the
// interface.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "spec/private.h"

// ---- strings
void string_init(snString* s) { memset(s, 0, sizeof *s); }

bool string_set(snString* s, const char* text, size_t size) {
  bool local = string_is_local(s);
  size_t room = local ? sizeof s->local.text : s->heap.capacity - 1;
  char* to = local ? s->local.text : s->heap.text;
  if (size >= room) {
    size_t capacity = (size + 16) & ~(size_t)15;  // even: its lowest bit is not its own
    char* block = memory_plain(capacity);
    if (!block) return false;
    if (size) memcpy(block, text, size);
    if (!local) free(to);
    s->heap.capacity = capacity | 1;
    s->heap.text = to = block;
    local = false;
  } else if (size) {
    memmove(to, text, size);
  }
  if (local) {
    s->local.twice_size = (unsigned char)(2 * size);
  } else {
    s->heap.size = size;
  }
  SN_ASSERT(string_is_local(s) == local && string_size(s) == size);
  to[size] = 0;
  return true;
}

void string_free(snString* s) {
  if (!string_is_local(s)) free(s->heap.text);
  string_init(s);
}

bool string_is(const mjString* s, const char* text) {
  return s && text && strcmp(string_text(s), text) == 0;
}

// ---- vectors
// Blocks that programs look at through Python. A C program has none: vectors then free directly.
typedef struct snPin_ {
  struct snPin_* next;
  void* block;
  int count;
  bool left;  // by its vector: the last unpin frees it
} snPin;

static snPin* pins;
static atomic_int npin;
static pthread_mutex_t pin_lock = PTHREAD_MUTEX_INITIALIZER;

static snPin** pin_find(const void* block) {
  snPin** at = &pins;
  while (*at && (*at)->block != block) at = &(*at)->next;
  return at;
}

bool vec_pin(const snSpecVec* v) {
  pthread_mutex_lock(&pin_lock);
  snPin* pin = *pin_find(v->begin);
  if (!pin && (pin = memory_alloc_zero(sizeof *pin))) {
    pin->block = v->begin;
    pin->next = pins;
    pins = pin;
    npin++;
  }
  if (pin) pin->count++;
  pthread_mutex_unlock(&pin_lock);
  return pin != NULL;
}

void vec_unpin(void* block) {
  pthread_mutex_lock(&pin_lock);
  snPin **at = pin_find(block), *pin = *at;
  if (pin && --pin->count == 0) {
    *at = pin->next;
    npin--;
    if (pin->left) free(block);
    memory_free(pin);
  }
  pthread_mutex_unlock(&pin_lock);
}

static void block_leave(void* block) {
  if (!block) return;
  snPin* pin = NULL;
  if (npin) {
    pthread_mutex_lock(&pin_lock);
    pin = *pin_find(block);
    if (pin) pin->left = true;
    pthread_mutex_unlock(&pin_lock);
  }
  if (!pin) free(block);
}

bool vec_set(snSpecVec* v, const void* data, size_t bytes) {
  if (bytes > (size_t)(v->limit - v->begin)) {
    char* block = memory_plain(bytes);
    if (!block) return false;
    block_leave(v->begin);
    v->begin = block;
    v->limit = block + bytes;
  }
  SN_ASSERT(bytes <= (size_t)(v->limit - v->begin));
  if (bytes) memmove(v->begin, data, bytes);
  v->end = bytes ? v->begin + bytes : v->begin;
  return true;
}

// Room for `bytes` more; contents are moved as plain bytes.
static bool vec_reserve(snSpecVec* v, size_t bytes) {
  size_t used = (size_t)(v->end - v->begin);
  if (bytes <= (size_t)(v->limit - v->end)) return true;
  size_t capacity = 2 * used + bytes;
  char* block = memory_plain(capacity);
  if (!block) return false;
  if (used) memcpy(block, v->begin, used);
  block_leave(v->begin);
  v->begin = block;
  v->end = block + used;
  v->limit = block + capacity;
  return true;
}

bool vec_append(snSpecVec* v, const void* data, size_t bytes) {
  if (!vec_reserve(v, bytes)) return false;
  if (bytes) memcpy(v->end, data, bytes);
  v->end += bytes;
  return true;
}

void vec_free(snSpecVec* v) {
  block_leave(v->begin);
  v->begin = v->end = v->limit = NULL;
}

bool strings_append(snSpecVec* v, const char* text) {
  if (!vec_reserve(v, sizeof(snString))) return false;
  snString* last = (snString*)v->end;
  string_init(last);
  if (!string_set(last, text, strlen(text))) return false;
  v->end += sizeof(snString);
  return true;
}

static void strings_clear(snSpecVec* v) {
  for (snString* s = (snString*)v->begin; (char*)s < v->end; s++) string_free(s);
  v->end = v->begin;
}

void strings_free(snSpecVec* v) {
  strings_clear(v);
  vec_free(v);
}

bool strings_copy(snSpecVec* to, const snSpecVec* from) {
  strings_clear(to);
  for (snString* s = (snString*)from->begin; (char*)s < from->end; s++) {
    if (!strings_append(to, string_text(s))) return false;
  }
  return true;
}

static void vecs_clear(snSpecVec* v) {
  for (snSpecVec* s = (snSpecVec*)v->begin; (char*)s < v->end; s++) vec_free(s);
  v->end = v->begin;
}

void vecs_free(snSpecVec* v) {
  vecs_clear(v);
  vec_free(v);
}

static bool vecs_append(snSpecVec* v, const void* data, size_t bytes) {
  snSpecVec inner = {0};
  if (!vec_set(&inner, data, bytes)) return false;
  if (!vec_append(v, &inner, sizeof inner)) {
    vec_free(&inner);
    return false;
  }
  return true;
}

bool vecs_copy(snSpecVec* to, const snSpecVec* from) {
  vecs_clear(to);
  for (snSpecVec* s = (snSpecVec*)from->begin; (char*)s < from->end; s++) {
    if (!vecs_append(to, s->begin, (size_t)(s->end - s->begin))) return false;
  }
  return true;
}

// ---- documented setters
static void check_memory(bool done, const char* who) {
  if (!done) mju_error("%s: out of memory", who);
}

static bool check_target(const void* dest, int size, const char* who) {
  if (dest && size >= 0) return true;
  mju_error(dest ? "%s: negative size %d" : "%s: no destination (size %d)", who, size);
  return false;
}

void mjs_setString(mjString* dest, const char* text) {
  if (!check_target(dest, 0, "mjs_setString")) return;
  if (!text) text = "";
  check_memory(string_set(dest, text, strlen(text)), "mjs_setString");
}

// Words separated by white space.
void mjs_setStringVec(mjStringVec* dest, const char* text) {
  if (!check_target(dest, 0, "mjs_setStringVec")) return;
  strings_clear(dest);
  const char* space = " \t\n\r\f\v";
  for (const char* p = text ? text : ""; *(p += strspn(p, space));) {
    size_t size = strcspn(p, space);
    snString word;
    string_init(&word);
    bool done = string_set(&word, p, size) && strings_append(dest, string_text(&word));
    string_free(&word);
    if (!done) {
      check_memory(false, "mjs_setStringVec");
      return;
    }
    p += size;
  }
}

mjtByte mjs_setInStringVec(mjStringVec* dest, int i, const char* text) {
  if (!check_target(dest, 0, "mjs_setInStringVec")) return 0;
  if (i < 0 || i >= strings_count(dest)) {
    mju_error("mjs_setInStringVec: index %d, the vector has %d strings", i, strings_count(dest));
    return 0;
  }
  return string_set((snString*)((snSpecVec*)dest)->begin + i, text, strlen(text));
}

void mjs_appendString(mjStringVec* dest, const char* text) {
  if (!check_target(dest, 0, "mjs_appendString")) return;
  check_memory(strings_append(dest, text ? text : ""), "mjs_appendString");
}

void mjs_setBuffer(mjByteVec* dest, const void* array, int size) {
  if (!check_target(dest, size, "mjs_setBuffer")) return;
  check_memory(vec_set(dest, array, (size_t)size), "mjs_setBuffer");
}

void mjs_setInt(mjIntVec* dest, const int* array, int size) {
  if (!check_target(dest, size, "mjs_setInt")) return;
  check_memory(vec_set(dest, array, (size_t)size * sizeof *array), "mjs_setInt");
}

void mjs_setFloat(mjFloatVec* dest, const float* array, int size) {
  if (!check_target(dest, size, "mjs_setFloat")) return;
  check_memory(vec_set(dest, array, (size_t)size * sizeof *array), "mjs_setFloat");
}

void mjs_setDouble(mjDoubleVec* dest, const double* array, int size) {
  if (!check_target(dest, size, "mjs_setDouble")) return;
  check_memory(vec_set(dest, array, (size_t)size * sizeof *array), "mjs_setDouble");
}

void mjs_appendIntVec(mjIntVecVec* dest, const int* array, int size) {
  if (!check_target(dest, size, "mjs_appendIntVec")) return;
  check_memory(vecs_append(dest, array, (size_t)size * sizeof *array), "mjs_appendIntVec");
}

void mjs_appendFloatVec(mjFloatVecVec* dest, const float* array, int size) {
  if (!check_target(dest, size, "mjs_appendFloatVec")) return;
  check_memory(vecs_append(dest, array, (size_t)size * sizeof *array), "mjs_appendFloatVec");
}

const char* mjs_getString(const mjString* source) { return source ? string_text(source) : NULL; }

const double* mjs_getDouble(const mjDoubleVec* source, int* size) {
  if (size) *size = doubles_count(source);
  return source ? doubles_data(source) : NULL;
}
