// A glTF file while it is made: lists of the JSON document, and the block of numbers (gltf.c).
#ifndef SINEW_DRAW_GLTF_H_
#define SINEW_DRAW_GLTF_H_

#include "draw/draw.h"

enum {
  snGLB_VIEW = 0,
  snGLB_ACCESSOR,
  snGLB_MESH,
  snGLB_MATERIAL,
  snGLB_IMAGE,
  snGLB_TEXTURE,
  snGLB_CAMERA,
  snGLB_NODE,
  snGLB_SAMPLER,
  snGLB_CHANNEL,
  snGLB_PARTS
};

typedef struct snGlbPart_ {
  char* text;
  size_t size, room;
  int count;
} snGlbPart;

typedef struct snGlb_ {
  snGlbPart part[snGLB_PARTS];
  unsigned char* bytes;
  size_t bytes_size, bytes_room;
  bool failed;  // memory was short: the file is not written
} snGlb;

// A new entry of a list, and its index; more text of the last entry.
int glb_add(snGlb* g, int part, const char* format, ...) __attribute__((format(printf, 3, 4)));
void glb_more(snGlb* g, int part, const char* format, ...) __attribute__((format(printf, 3, 4)));
void glb_name(snGlb* g, int part, const char* name);  // a quoted string

// The entries that were written before the first one, behind it; their memory is freed.
void glb_rest(snGlb* g, int part, snGlbPart* others);

// Numbers as a view (an image) or an accessor; its index. Targets: what the view is for, 0:
// nothing.
int glb_view(snGlb* g, const void* data, size_t bytes, int target);
int glb_floats(snGlb* g, const float* data, int count, int width, bool vertices, bool bounds);
int glb_indices(snGlb* g, const uint32_t* data, int count);

bool glb_write(snGlb* g, const char* path, char* error, int error_sz);  // error is not NULL
void glb_free(snGlb* g);

#endif
