// From the visibility of a tile to its pixels.
//
// For every pixel the triangles that its samples see are shaded once each, at the pixel's centre.
// A tile is walked in squares of eight by eight pixels; those that see one triangle are shaded eight
// at a time, wherever they lie in the square. What a triangle
// needs for that (barycentric rows, lit corners, texture coordinates) is made when a tile first
// meets it and kept in a small cache of the thread (lit.c). The arithmetic of eight pixels is in
// shade.c, with textures (texture.h), shadows (shadow.h) and the sky (sky.h) inlined; tile.c walks
// over the tile.
#ifndef SINEW_DRAW_SHADE_H_
#define SINEW_DRAW_SHADE_H_

#include "draw/frame.h"
#include "draw/raster.h"
#include "draw/texture.h"

enum {
  snTILE_SAMPLES = snTILE_W * snTILE_H * snSAMPLES,
  snLITS = 256,    // most triangles in a thread's cache
  snPATCHES = 32,  // most cells of planes in a thread's cache
  snUSUAL = 8,     // lights with shadows for which there is room for so many
  snENDLESS = 8,   // planes without an end that have haze
  snCORNERS = 16,  // most blocks of corners in a thread's cache
  snSIDES = 64,    // most sides of the sky's tower
  snFLATS = 1024,  // small triangles in a thread's cache; a power of two
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
  bool steady;  // small enough for one level of its texture, that of its middle
  snLevelMix mix;
  const snDrawPart* part;
  float sum[3];           // below
  snPlaneSlope world;     // above: point in the world
  snPlaneSlope map;       // above: u and v; a cube's direction; a plane's x and y
  snPlaneSlope colour[];  // above: light, as light_corners has it
} snLit;

// A cell of a plane as a triangle shows it: light in its lower and in its upper half, as the
// triangle's other values are given.
typedef struct snPatch_ {
  uint32_t id;  // the triangle; snNOTHING: none
  int i, j;
  snPlaneSlope colour[];  // of all lights below, then of all above
} snPatch;

// Light at 4 x 2 corners of a plane's cells, the first at (4 i, 2 j), that are lit at once.
typedef struct snCornerBlock_ {
  const snDrawPart* part;  // NULL: none
  int i, j;
  float light[][3][8];  // of each light, colour by colour
} snCornerBlock;

typedef struct snFlat_ {  // a small triangle and its colour (flat.c)
  uint32_t id, rgba;
} snFlat;

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
  const snTexture* sky;  // NULL: none
  int shadows;           // number of lights with a shadow map
  float share;  // of a mirror's image: a sum of lights beyond 1 is kept, in bytes, times this
  float clear;  // within this distance endless planes have no haze
  char *lit, *patch, *corner;                   // caches
  size_t lit_bytes, patch_bytes, corner_bytes;  // of one in them
  uint32_t lits, patches, corners;              // how many; powers of two
  snFlat* flat;  // cache of small triangles; NULL: none has one colour
  snHorizon endless[snENDLESS];
  float side[snSIDES][2];  // which way the sides of the sky's tower look
  int sides;
  int nendless;
} snShader;

// Eight pixels of a square of eight by eight.
typedef struct snPixelGroup_ {
  unsigned char at[8];  // where they lie: row times eight plus column
  int bits;             // which of them count; at least one
  uint32_t rgba[8];     // bytes: red lowest
  float channel[4][8];  // of a transparent part: the same before rounding
} snPixelGroup;

size_t shade_scratch_bytes(void);  // scratch memory of one thread

// Levels of a part's texture at eight places (x, y), where the values v and the sum of weights are
// those of the places' triangles, as snLit has them: v[c][k] and sum[c]. With u = U/S, both linear:
// du/dx = (U_x - u S_x) / S. The level follows the longer side of a pixel's footprint, in texels, at
// one pixel that stands for its neighbours.
SN_INLINE void texture_levels(const snDrawPart* part, const sn8f v[3][3], const sn8f sum[3], sn8f x,
                              sn8f y, sn8i mix[2]) {
  const snTexture* t = part->texture;
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  bool cube = part->mapping == snMAP_CUBE;
  int count = cube && !(part->cell[0] > 0) ? 3 : 2;  // a plane has no third coordinate
  sn8f below = (x * sum[0] + y * sum[1]) + sum[2];
  sn8i some = below != zero;
  sn8f inverse = (sn8f)((sn8i)(one / sn8f_select(some, below, one)) & some);
  sn8f map[3] = {zero, zero, zero}, right[3] = {zero, zero, zero}, up[3] = {zero, zero, zero};
  for (int k = 0; k < count; k++) {
    map[k] = ((x * v[0][k] + y * v[1][k]) + v[2][k]) * inverse;
    right[k] = (v[0][k] - map[k] * sum[0]) * inverse;
    up[k] = (v[1][k] - map[k] * sum[1]) * inverse;
  }
  sn8f wide = sn8f_set1((float)t->wide[0]), high = sn8f_set1((float)t->high[0]);
  if (cube) {
    // on a face of the cube, coordinates over the largest one: d(a/m) = (da - (a/m) dm) / m
    sn8f most = map[0], most_right = right[0], most_up = up[0];
    for (int k = 1; k < 3; k++) {
      sn8i larger = sn8f_abs(map[k]) > sn8f_abs(most);
      most = sn8f_select(larger, map[k], most);
      most_right = sn8f_select(larger, right[k], most_right);
      most_up = sn8f_select(larger, up[k], most_up);
    }
    sn8i known = most != zero;
    sn8f over = (sn8f)((sn8i)(one / sn8f_select(known, most, one)) & known);
    for (int k = 0; k < 3; k++) {
      right[k] -= map[k] * (most_right * over);
      up[k] -= map[k] * (most_up * over);
    }
    wide = high = 0.5f * wide * over;
  }
  sn8f a = (right[0] * wide) * (right[0] * wide) + (right[1] * high) * (right[1] * high);
  sn8f b = (up[0] * wide) * (up[0] * wide) + (up[1] * high) * (up[1] * high);
  if (cube) a += (right[2] * wide) * (right[2] * wide), b += (up[2] * wide) * (up[2] * wide);
  levels_mix(t, sn8f_max(a, b), mix);
}

// Lanes of `count` ids that are not as those before them, as bits; the first is.
SN_INLINE uint32_t ids_fresh(const uint32_t* ids, int count) {
  uint32_t bits = 0;
  for (int k = 0; k < count; k += 8) {
    sn8i own = sn8i_load((const int*)ids + k), before = sn8i_load((const int*)ids + k - 1);
    bits |= (uint32_t)sn8i_bits((own != before) & (own != (int)snNOTHING)) << k;
  }
  if (*ids != snNOTHING) bits |= 1;
  return count < 32 ? bits & ((1u << count) - 1) : bits;
}

// Draw all tiles of a pass into the order's buffer.
void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order);

// The triangle in the cache, made when it is not there, along with others that are seen beside it,
// from (x, y) of the tile on.
const snLit* lit_find(snShader* shader, uint32_t id, int x, int y);

// The cell (i, j) of a plane in the cache, made when it is not there.
void patch_make(snShader* shader, snPatch* patch, const snLit* lit, int i, int j);
static inline const snPatch* patch_find(snShader* s, const snLit* lit, int i, int j) {
  uint32_t place = (lit->id + (unsigned)i * 5 + (unsigned)j * 3) & (s->patches - 1);
  snPatch* patch = (snPatch*)(s->patch + place * s->patch_bytes);
  if (patch->id != lit->id || patch->i != i || patch->j != j) patch_make(s, patch, lit, i, j);
  return patch;
}

// A triangle within two by two pixels may have one colour: the light in its middle.
static inline bool flat_is(const snShader* s, uint32_t id) {
  if (!s->flat) return false;
  const snTriangle* t = frame_triangle(s->frame, id);
  return t->high[0] - t->low[0] <= 1 && t->high[1] - t->low[1] <= 1 &&
         s->frame->part[t->part].smooth;
}

// That colour. Triangles that are seen beside it, from (x, y) of the tile on, are lit along with
// it.
uint32_t flat_make(snShader* shader, uint32_t id, int x, int y);
static inline uint32_t flat_find(snShader* s, uint32_t id, int x, int y) {
  const snFlat* flat = &s->flat[id & (snFLATS - 1)];
  return flat->id == id ? flat->rgba : flat_make(s, id, x, y);
}

// Colours of the triangle at pixels of the square from (x, y) of the tile on.
void shade_group(snShader* shader, const snLit* lit, int x, int y, snPixelGroup* group);

// The same of rows of eight pixels, `rows` of them from (x, y) on, all of which see the triangle.
void shade_block(snShader* shader, const snLit* lit, int x, int y, int rows, uint32_t rgba[8][8]);

// Colours behind everything; all of a square has one level of the sky's texture.
snLevelMix sky_square(const snShader* shader, int x, int y);
void sky_group(const snShader* shader, int x, int y, snLevelMix mix, snPixelGroup* group);

#endif
