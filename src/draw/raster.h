// Visibility in one tile: which triangle each sample sees, and how far away.
#ifndef SINEW_DRAW_RASTER_H_
#define SINEW_DRAW_RASTER_H_

#include "draw/frame.h"

// Places of samples in a pixel, in 1/256: rows of eight lanes that repeat for neighbouring pixels.
typedef struct snSamplePattern_ {
  int samples, pixels;  // per pixel; pixels per eight lanes
  int first;            // least place of a sample, in x and in y; snSUB - first is the largest
  int x[8], y[8];       // of each lane, from the corner of the first pixel
} snSamplePattern;

const snSamplePattern* pattern_of(int samples);

// The samples of a tile, row by row; those of a pixel are neighbours.
typedef struct snTile_ {
  int x0, y0, width, height;  // in the picture
  const snSamplePattern* pattern;
  int stride;        // samples in a row of the tile: snTILE_W * samples
  float* depth;      // reversed: larger is nearer
  uint32_t* id;      // triangle; snNOTHING: background. NULL: depth alone
  float slope;       // depth alone: steep triangles are pushed away by so many pixels of slope
  uint32_t* colour;  // RGBA of every sample
} snTile;

#define snNOTHING 0xFFFFFFFFu

// A span of eight lanes that a triangle covers and that lie before what was there.
typedef struct snSpan_ {
  int x, y;   // first pixel in the tile
  sn8i mask;  // lanes
  sn8f depth;
} snSpan;

// Draw the triangles of a tile, in order, up to the first of a transparent part: depth and id of
// the samples that they cover and do not lie behind; of two at one depth the later is seen, as in
// the released pictures. Returns that first one, or snNOTHING at the end. Depth alone: all of them
// are drawn, one sample a pixel.
uint32_t raster_opaque(const snTile* tile, snCursor* cursor);

// One triangle without writing: spans of samples that a transparent triangle would change. The
// function is called in rows from the bottom up.
typedef void (*snSpanFunction)(void* context, const snSpan* span);
void raster_spans(const snTile* tile, const snTriangle* triangle, snSpanFunction function,
                  void* context);

// Draw the triangles of a pass into a shadow map, over threads.
void raster_depths(snFrame* frame, const snPass* pass, snShadow* map);

#endif
