// From the visibility of a tile to its pixels.
//
// For every pixel the triangles that its samples see are shaded once each, at the pixel's centre.
// What a triangle needs for that (barycentric rows, lit corners, texture coordinates) is made when
// a tile first meets it and kept in a small cache of the thread.
#ifndef SINEW_DRAW_SHADE_H_
#define SINEW_DRAW_SHADE_H_

#include "draw/frame.h"
#include "draw/raster.h"
#include "draw/shadow.h"

enum {
  snTILE_SAMPLES = snTILE_W * snTILE_H * snSAMPLES,
  snLITS = 64,   // triangles in a thread's cache
  snCELLS = 64,  // corners of plane cells in a thread's cache
};

// A linear function of a tile's pixels: x v[0] + y v[1] + v[2].
typedef struct snSlope_ {
  sn4f v[3];
} snSlope;

// A triangle ready for shading. With the weights of its corners e_k = row_k . (x, y, 1), anything
// given at corners is sum(e_k value_k) / sum(e_k) at a pixel: a ratio of two linear functions.
typedef struct snLit_ {
  uint32_t id;
  const snPart* part;
  float local[3][3];                 // corners on the surface
  float sum[3];                      // below
  snSlope world;                     // above: point in the world
  snSlope map;                       // above: u and v; a cube's direction; a plane's x and y
  snSlope colour[1 + snPASSLIGHTS];  // above: light, as light_vertex has it
} snLit;

typedef struct snCell_ {  // lit corner of a plane's cell
  const snPart* part;
  int i, j;
  sn4f colour[1 + snPASSLIGHTS];
} snCell;

typedef struct snPatch_ {  // half of a cell: light as a linear function of the place in it
  const snPart* part;
  int i, j;
  bool upper;
  sn4f base[1 + snPASSLIGHTS], right[1 + snPASSLIGHTS], up[1 + snPASSLIGHTS];
} snPatch;

// What shading knows of the pass; one per thread.
typedef struct snShader_ {
  const snFrame* frame;
  const snPass* pass;
  const snOrder* order;
  const snTile* tile;
  const snTexture* sky;      // NULL: none
  int shadows;               // number of lights with a shadow map
  snLit* lit;                // snLITS
  snCell* cell;              // snCELLS
  snPatch patch;             // the one last used
  const snPart* endless[4];  // planes without an end, which have haze
  int nendless;
} snShader;

size_t shade_scratch_bytes(void);  // scratch memory of one thread

// Draw all tiles of a pass into the order's buffer.
void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order);

// The triangle in the cache, made when it is not there.
const snLit* lit_find(snShader* shader, uint32_t id);

// Colour of the triangle at pixel (x, y) of the tile, from 0 to 1.
sn4f shade_pixel(snShader* shader, const snLit* lit, int x, int y);

// Colour behind everything.
sn4f sky_pixel(const snShader* shader, int x, int y);

// Haze and sky over a point of an endless plane.
sn4f haze_plane(const snShader* shader, const snPart* plane, const float world[3], sn4f colour);

#endif
