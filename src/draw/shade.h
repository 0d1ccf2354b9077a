// From the visibility of a tile to its pixels.
//
// For every pixel the triangles that its samples see are shaded once each, at the pixel's centre,
// eight neighbouring pixels at a time: lanes that see another triangle are masked. What a triangle
// needs for that (barycentric rows, lit corners, texture coordinates) is made when a tile first
// meets it and kept in a small cache of the thread (lit.c). The arithmetic of eight pixels is in
// shade.c, with textures (texture.h), shadows (shadow.h) and the sky (sky.h) inlined; tile.c walks
// over the tile.
#ifndef SINEW_DRAW_SHADE_H_
#define SINEW_DRAW_SHADE_H_

#include "draw/frame.h"
#include "draw/raster.h"

enum {
  snTILE_SAMPLES = snTILE_W * snTILE_H * snSAMPLES,
  snLITS = 256,    // most triangles in a thread's cache
  snPATCHES = 32,  // most cells of planes in a thread's cache
  snUSUAL = 8,     // lights with shadows for which there is room for so many
  snENDLESS = 8,   // planes without an end that have haze
};

// Radius within which the haze is full, as a share of the distance of the far plane; things beyond
// it are behind the sky.
#define snHAZE_RADIUS 0.7f

// A linear function of a tile's pixels, four values: x v[0] + y v[1] + v[2].
typedef struct snPlaneSlope_ {
  float v[3][4];
} snPlaneSlope;

// A triangle ready for shading. With the weights of its corners e_k = row_k . (x, y, 1), anything
// given at corners is sum(e_k value_k) / sum(e_k) at a pixel: a ratio of two linear functions.
typedef struct snLit_ {
  uint32_t id;
  bool mirror;  // shows the mirror's image
  bool hazy;    // reaches into the haze
  const snDrawPart* part;
  float sum[3];           // below
  snPlaneSlope world;     // above: point in the world
  snPlaneSlope map;       // above: u and v; a cube's direction; a plane's x and y
  snPlaneSlope colour[];  // above: light, as light_corners has it
} snLit;

// A cell of a plane: for its lower and its upper half light as a linear function of the place in
// it, base + f right + g up with f and g from 0 to 1.
typedef struct snPatch_ {
  const snDrawPart* part;
  int i, j;
  snPlaneSlope colour[];  // of all lights below, then of all above
} snPatch;

typedef struct snHorizon_ {  // an endless plane as its haze needs it
  const snDrawPart* part;
  float normal[3];  // unit length
  float height;     // of the eye
} snHorizon;

// What shading knows of the pass; one per thread.
typedef struct snShader_ {
  const snFrame* frame;
  const snPass* pass;
  const snOrder* order;
  const snTile* tile;
  const snTexture* sky;           // NULL: none
  int shadows;                    // number of lights with a shadow map
  float clear;                    // within this distance endless planes have no haze
  char *lit, *patch;              // caches
  size_t lit_bytes, patch_bytes;  // of one in them
  uint32_t lits, patches;         // how many; powers of two
  snHorizon endless[snENDLESS];
  int nendless;
} snShader;

// Eight pixels of a row.
typedef struct snPixelGroup_ {
  uint32_t rgba[8];     // bytes: red lowest
  float channel[4][8];  // of a transparent part: the same before rounding
} snPixelGroup;

size_t shade_scratch_bytes(void);  // scratch memory of one thread

// Draw all tiles of a pass into the order's buffer.
void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order);

// The triangle in the cache, made when it is not there.
const snLit* lit_find(snShader* shader, uint32_t id);

// The cell (i, j) of a plane in the cache, made when it is not there.
void patch_make(snShader* shader, snPatch* patch, const snDrawPart* part, int i, int j);
static inline const snPatch* patch_find(snShader* s, const snDrawPart* part, int i, int j) {
  uint32_t place = ((unsigned)i * 5 + (unsigned)j * 3) & (s->patches - 1);
  snPatch* patch = (snPatch*)(s->patch + place * s->patch_bytes);
  if (patch->part != part || patch->i != i || patch->j != j) patch_make(s, patch, part, i, j);
  return patch;
}

// Colours of the triangle at the pixels x to x + 7 of row y of the tile whose bits are set.
void shade_group(snShader* shader, const snLit* lit, int x, int y, int bits, snPixelGroup* out);

// Colours behind everything.
void sky_group(const snShader* shader, int x, int y, int bits, snPixelGroup* out);

#endif
