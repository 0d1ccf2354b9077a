// Binary glTF 2.0: a JSON document and a block of numbers in one file. The document grows part by
// part (accessors, meshes, nodes ...), each a list; gltf_scene.c says what is in them.
#include "draw/gltf.h"

#include <errno.h>
#include <sinew/version.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/system.h"

// ---- growing memory

static void* grow(snGlb* g, void* data, size_t* room, size_t need) {
  if (need <= *room || g->failed) return data;
  size_t more = *room ? 2 * *room : 4096;
  if (more < need) more = need;
  void* larger = memory_resize(data, *room, more);
  if (!larger) {
    g->failed = true;
    return data;
  }
  *room = more;
  return larger;
}

static void part_text(snGlb* g, snGlbPart* part, const char* text, size_t size) {
  part->text = grow(g, part->text, &part->room, part->size + size + 1);
  if (g->failed) return;
  memcpy(part->text + part->size, text, size);
  part->size += size;
}

static void part_print(snGlb* g, snGlbPart* part, const char* format, va_list list) {
  char text[1000];
  int size = vsnprintf(text, sizeof text, format, list);
  if (size < 0 || size >= (int)sizeof text) {
    g->failed = true;
  } else {
    part_text(g, part, text, (size_t)size);
  }
}

void glb_more(snGlb* g, int part, const char* format, ...) {
  va_list list;
  va_start(list, format);
  part_print(g, &g->part[part], format, list);
  va_end(list);
}

int glb_add(snGlb* g, int part, const char* format, ...) {
  va_list list;
  va_start(list, format);
  if (g->part[part].count) part_text(g, &g->part[part], ",\n", 2);
  part_print(g, &g->part[part], format, list);
  va_end(list);
  return g->part[part].count++;
}

void glb_rest(snGlb* g, int part, snGlbPart* others) {
  part_text(g, &g->part[part], others->text, others->size);
  g->part[part].count = others->count;
  memory_free(others->text);
}

// Quotes, backslashes and control characters have escapes; bytes that are no ASCII stay, as names
// in models are UTF-8.
void glb_name(snGlb* g, int part, const char* name) {
  part_text(g, &g->part[part], "\"", 1);
  for (; *name; name++) {
    char text[8];
    unsigned char c = (unsigned char)*name;
    int size = c < 32                  ? snprintf(text, sizeof text, "\\u%04x", c)
               : c == '"' || c == '\\' ? snprintf(text, sizeof text, "\\%c", c)
                                       : snprintf(text, sizeof text, "%c", c);
    part_text(g, &g->part[part], text, (size_t)size);
  }
  part_text(g, &g->part[part], "\"", 1);
}

int glb_view(snGlb* g, const void* data, size_t bytes, int target) {
  size_t at = (g->bytes_size + 3) / 4 * 4;
  g->bytes = grow(g, g->bytes, &g->bytes_room, at + bytes);
  if (g->failed) return 0;
  SN_ASSERT(at + bytes <= g->bytes_room && at - g->bytes_size < 4);
  memset(g->bytes + g->bytes_size, 0, at - g->bytes_size);
  memcpy(g->bytes + at, data, bytes);
  g->bytes_size = at + bytes;
  int view =
      glb_add(g, snGLB_VIEW, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", at, bytes);
  if (target) glb_more(g, snGLB_VIEW, ",\"target\":%d", target);
  glb_more(g, snGLB_VIEW, "}");
  return view;
}

enum { snFLOAT = 5126, snUINT = 5125, snVERTICES = 34962, snINDICES = 34963 };

// Accessors of positions and times have to say their bounds.
int glb_floats(snGlb* g, const float* data, int count, int width, bool vertices, bool bounds) {
  static const char* const type[5] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  int view =
      glb_view(g, data, sizeof(float) * (size_t)count * (size_t)width, vertices ? snVERTICES : 0);
  int made = glb_add(g, snGLB_ACCESSOR,
                     "{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"", view,
                     snFLOAT, count, type[width]);
  for (int end = 0; bounds && end < 2; end++) {
    glb_more(g, snGLB_ACCESSOR, ",\"%s\":[", end ? "max" : "min");
    for (int k = 0; k < width; k++) {
      float best = data[k];
      for (int i = 1; i < count; i++) {
        float v = data[(size_t)i * (size_t)width + (size_t)k];
        if (end ? v > best : v < best) best = v;
      }
      glb_more(g, snGLB_ACCESSOR, "%s%.9g", k ? "," : "", best);
    }
    glb_more(g, snGLB_ACCESSOR, "]");
  }
  glb_more(g, snGLB_ACCESSOR, "}");
  return made;
}

int glb_indices(snGlb* g, const uint32_t* data, int count) {
  int view = glb_view(g, data, sizeof(uint32_t) * (size_t)count, snINDICES);
  return glb_add(g, snGLB_ACCESSOR,
                 "{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\"}", view,
                 snUINT, count);
}

// ---- the file

void glb_free(snGlb* g) {
  for (int i = 0; i < snGLB_PARTS; i++) memory_free(g->part[i].text);
  memory_free(g->bytes);
}

static void put32(FILE* f, size_t value) {
  unsigned char b[4];
  for (int i = 0; i < 4; i++) b[i] = (unsigned char)(value >> 8 * i);
  fwrite(b, 1, 4, f);
}

// The document: parts that are empty are left out, as glTF asks.
static void document(snGlb* g, snGlbPart* to) {
  static const char* const key[snGLB_PARTS] = {
      [snGLB_VIEW] = "bufferViews",   [snGLB_ACCESSOR] = "accessors", [snGLB_MESH] = "meshes",
      [snGLB_MATERIAL] = "materials", [snGLB_IMAGE] = "images",       [snGLB_TEXTURE] = "textures",
      [snGLB_CAMERA] = "cameras",     [snGLB_NODE] = "nodes"};
  char text[200];
#define PUT(string) part_text(g, to, string, strlen(string))
  PUT("{\"asset\":{\"version\":\"2.0\",\"generator\":\"Sinew " SN_VERSION
      "\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}]");
  if (g->bytes_size) {
    snprintf(text, sizeof text, ",\"buffers\":[{\"byteLength\":%zu}]", g->bytes_size);
    PUT(text);
  }
  for (int i = 0; i < snGLB_PARTS; i++) {
    if (!key[i] || !g->part[i].count) continue;
    snprintf(text, sizeof text, ",\n\"%s\":[\n", key[i]);
    PUT(text);
    part_text(g, to, g->part[i].text, g->part[i].size);
    PUT("]");
  }
  if (g->part[snGLB_CHANNEL].count) {
    PUT(",\n\"animations\":[{\"name\":\"motion\",\"channels\":[\n");
    part_text(g, to, g->part[snGLB_CHANNEL].text, g->part[snGLB_CHANNEL].size);
    PUT("],\"samplers\":[\n");
    part_text(g, to, g->part[snGLB_SAMPLER].text, g->part[snGLB_SAMPLER].size);
    PUT("]}]");
  }
  PUT("}");
  while (to->size % 4 && !g->failed) PUT(" ");
#undef PUT
}

// Header, then two chunks whose lengths are multiples of four: JSON, numbers.
bool glb_write(snGlb* g, const char* path, char* error, int error_sz) {
  snGlbPart text = {0};
  document(g, &text);
  size_t bytes = (g->bytes_size + 3) / 4 * 4, total = 12 + 8 + text.size + (bytes ? 8 + bytes : 0);
  bool good = !g->failed && total <= UINT32_MAX;
  if (!good) {
    snprintf(error, (size_t)error_sz, "%s: %s", path,
             g->failed ? "no memory" : "larger than 4 GB, which glTF does not allow");
  } else {
    FILE* f = system_create(path);
    if (f) {
      fwrite("glTF", 1, 4, f), put32(f, 2), put32(f, total);
      put32(f, text.size), fwrite("JSON", 1, 4, f), fwrite(text.text, 1, text.size, f);
      if (bytes) {
        put32(f, bytes), fwrite("BIN", 1, 4, f), fwrite(g->bytes, 1, g->bytes_size, f);
        fwrite("\0\0\0", 1, bytes - g->bytes_size, f);
      }
      good = !ferror(f);
      good = !fclose(f) && good;
    }
    if (!f || !good) {
      snprintf(error, (size_t)error_sz, "%s: cannot be written: %s", path, strerror(errno));
      good = false;
    }
  }
  memory_free(text.text);
  return good;
}
