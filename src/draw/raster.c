// Edge functions and depth, eight samples at a time.
//
// The edge from vertex i to j has E(p) = (xj - xi)(py - yi) - (yj - yi)(px - xi), positive to its
// left; a sample is inside a counterclockwise triangle when all three are positive, or zero on an
// edge that owns its points: a left edge (downward) or a top edge (horizontal, to the left). All
// coordinates are integers, so neighbours that share an edge never both take a sample and never
// leave one. Small triangles fit 32 bits; large ones use doubles, which hold these integers
// exactly.
//
// Depth is linear over the picture: d = d0 + dx (px - x0) + dy (py - y0).
#include "draw/raster.h"

const snSamplePattern* pattern_of(int samples) {
  static const snSamplePattern one = {1,
                                      8,
                                      128,
                                      {128, 384, 640, 896, 1152, 1408, 1664, 1920},
                                      {128, 128, 128, 128, 128, 128, 128, 128}};
  static const snSamplePattern four = {
      4, 2, 32, {96, 224, 32, 160, 352, 480, 288, 416}, {32, 96, 160, 224, 32, 96, 160, 224}};
  return samples > 1 ? &four : &one;
}

typedef struct snEdges_ {
  int dx[3], dy[3];                // along the edges
  int x[3], y[3];                  // their first vertices
  int bias[3];                     // -1 for edges that do not own their points
  float depth0, depth_x, depth_y;  // depth at the first vertex; per 1/256 pixel
  int low[2], high[2];             // pixels of the tile that may be covered, inclusive
  bool small;
} snEdges;

// Pixels between samples of the ends of a triangle whose edge functions fit 32 bits.
enum { snREACH = 30 };

SN_INLINE bool edges_make(snEdges* e, const snTile* tile, const snTriangle* t, int lanes) {
  e->low[0] = t->low[0] - tile->x0, e->high[0] = t->high[0] - tile->x0;
  e->low[1] = t->low[1] - tile->y0, e->high[1] = t->high[1] - tile->y0;
  e->small = e->high[0] - e->low[0] <= snREACH && e->high[1] - e->low[1] <= snREACH;
  if (e->low[0] < 0) e->low[0] = 0;
  if (e->low[1] < 0) e->low[1] = 0;
  if (e->high[0] >= tile->width) e->high[0] = tile->width - 1;
  if (e->high[1] >= tile->height) e->high[1] = tile->height - 1;
  if (e->low[0] > e->high[0] || e->low[1] > e->high[1]) return false;
  // eight lanes stay in the tile's row: a box of one group begins anywhere, several in step
  if (e->high[0] >= e->low[0] + lanes) {
    e->low[0] &= -lanes;
  } else if (e->low[0] > snTILE_W - lanes) {
    e->low[0] = snTILE_W - lanes;
  }
  for (int i = 0; i < 3; i++) {
    int j = i == 2 ? 0 : i + 1;
    e->x[i] = t->x[i], e->y[i] = t->y[i];
    e->dx[i] = t->x[j] - t->x[i], e->dy[i] = t->y[j] - t->y[i];
    e->bias[i] = e->dy[i] < 0 || (e->dy[i] == 0 && e->dx[i] < 0) ? 0 : -1;
  }
  float d1 = t->depth[1] - t->depth[0], d2 = t->depth[2] - t->depth[0];
  float x1 = (float)e->dx[0], y1 = (float)e->dy[0], x2 = (float)-e->dx[2], y2 = (float)-e->dy[2];
  if (e->small) {  // the area is exact in 32 bits; floats do for the rest
    float inverse = 1 / (float)(e->dx[0] * e->dy[1] - e->dy[0] * e->dx[1]);
    e->depth_x = (d1 * y2 - d2 * y1) * inverse;
    e->depth_y = (d2 * x1 - d1 * x2) * inverse;
  } else {
    double inverse = 1 / ((double)e->dx[0] * e->dy[1] - (double)e->dy[0] * e->dx[1]);
    e->depth_x = (float)(((double)d1 * y2 - (double)d2 * y1) * inverse);
    e->depth_y = (float)(((double)d2 * x1 - (double)d1 * x2) * inverse);
  }
  e->depth0 = t->depth[0];
  if (!tile->id) e->depth0 -= tile->slope * snSUB * (fabsf(e->depth_x) + fabsf(e->depth_y));
  return true;
}

// What happens to the lanes that are covered; inlined, so that each use has its own loop.
typedef struct snSink_ {
  const snTile* tile;
  uint32_t id;
  snSpanFunction function;
  void* context;
} snSink;

SN_INLINE void sink_lanes(const snSink* sink, int x, int y, sn8i mask, sn8f depth, int what) {
  const snTile* tile = sink->tile;
  size_t at = (size_t)y * (size_t)tile->stride + (size_t)(x * tile->pattern->samples);
  sn8f before = sn8f_load(tile->depth + at);
  mask &= depth > before;
  if (!sn8i_any(mask)) return;
  if (what == 2) {
    snSpan span = {x, y, mask, depth};
    sink->function(sink->context, &span);
    return;
  }
  sn8f_store(tile->depth + at, sn8f_select(mask, depth, before));
  if (what == 1) {
    sn8i ids = sn8i_load((const int*)tile->id + at);
    sn8i_store((int*)tile->id + at, sn8i_select(mask, sn8i_set1((int)sink->id), ids));
  }
}

SN_INLINE void raster_small(const snEdges* e, const snSink* sink, int what, int samples) {
  const snTile* tile = sink->tile;
  sn8i px = sn8i_load(tile->pattern->x), py = sn8i_load(tile->pattern->y);
  int left = (tile->x0 + e->low[0]) * snSUB, bottom = (tile->y0 + e->low[1]) * snSUB;
  const int step = 8 / samples;
  sn8i row[3];
  for (int i = 0; i < 3; i++) {
    int corner = e->dx[i] * (bottom - e->y[i]) - e->dy[i] * (left - e->x[i]) + e->bias[i];
    row[i] = (corner + e->dx[i] * py) - e->dy[i] * px;
  }
  // depths from the corner of the box: small numbers lose no digits
  float depth_x = e->depth_x, depth_y = e->depth_y;
  float corner =
      e->depth0 + (depth_x * (float)(left - e->x[0]) + depth_y * (float)(bottom - e->y[0]));
  sn8f depth_row = corner + (depth_x * __builtin_convertvector(px, sn8f) +
                             depth_y * __builtin_convertvector(py, sn8f));
  float depth_up = depth_y * snSUB, depth_right = depth_x * (float)(snSUB * step);
  if (what != 2 && e->high[0] < e->low[0] + step) {  // one group wide: no branch but the loop's
    size_t at = (size_t)e->low[1] * (size_t)tile->stride + (size_t)(e->low[0] * samples);
    sn8i up[3], edge = row[0] | row[1] | row[2];
    for (int i = 0; i < 3; i++) up[i] = sn8i_set1(e->dx[i] * snSUB);
    for (int y = e->low[1]; y <= e->high[1]; y++, at += (size_t)tile->stride) {
      sn8f before = sn8f_load(tile->depth + at);
      sn8i mask = (edge >= 0) & (depth_row > before);
      sn8f_store(tile->depth + at, sn8f_select(mask, depth_row, before));
      if (what == 1) {
        sn8i ids = sn8i_load((const int*)tile->id + at);
        sn8i_store((int*)tile->id + at, sn8i_select(mask, sn8i_set1((int)sink->id), ids));
      }
      for (int i = 0; i < 3; i++) row[i] += up[i];
      edge = row[0] | row[1] | row[2];
      depth_row += depth_up;
    }
    return;
  }
  for (int y = e->low[1], up = 0; y <= e->high[1]; y++, up++) {
    sn8i e0 = row[0], e1 = row[1], e2 = row[2];
    sn8f base = depth_row + (float)up * depth_up;
    for (int x = e->low[0], right = 0; x <= e->high[0]; x += step, right++) {
      sn8i outside = e0 | e1 | e2;
      sn8i mask = outside >= 0;
      if (sn8i_any(mask)) sink_lanes(sink, x, y, mask, base + (float)right * depth_right, what);
      e0 -= e->dy[0] * (snSUB * step);
      e1 -= e->dy[1] * (snSUB * step);
      e2 -= e->dy[2] * (snSUB * step);
    }
    for (int i = 0; i < 3; i++) row[i] += e->dx[i] * snSUB;
  }
}

// The edges that cross a block of 8 x 8 pixels, seen from its corner. There |E| is at most the sum
// of |dx| and |dy| times the block's side, so edges up to 2048 pixels fit 32 bits.
typedef struct snBlock_ {
  int x, y;  // in the tile
  int edges;
  bool wide;                       // an edge does not fit 32 bits
  double corner[3], dx[3], dy[3];  // E at the corner; along the edge
} snBlock;

// Eight blocks side by side: bits of those outside the triangle, and per edge of those it crosses.
// E is linear, so its extremes over a block lie at fixed corners.
typedef struct snBlocks_ {
  double first[3];  // E at the corner of the first
  int outside, crossed[3];
} snBlocks;

enum { snBLOCK = 8 };

SN_INLINE int sn4i_bits(sn4i m) {
  return sn4x_bits(__builtin_shufflevector((sn8i)m, (sn8i)m, 1, 3, 5, 7));
}

SN_INLINE void blocks_find(snBlocks* blocks, const snEdges* e, int left, int bottom) {
  const double side = snBLOCK * snSUB;
  const sn4 steps = {0, side, 2 * side, 3 * side};
  blocks->outside = 0;
  for (int i = 0; i < 3; i++) {
    double dx = e->dx[i], dy = e->dy[i];
    double first = dx * ((double)bottom - e->y[i]) - dy * ((double)left - e->x[i]) + e->bias[i];
    double high = (dx > 0 ? dx * side : 0) + (dy < 0 ? -dy * side : 0);
    double low = (dx < 0 ? dx * side : 0) + (dy > 0 ? -dy * side : 0);
    sn4 near = first - dy * steps, far = near - dy * (4 * side);
    blocks->first[i] = first;
    blocks->outside |= sn4i_bits(near + high < 0) | sn4i_bits(far + high < 0) << 4;
    blocks->crossed[i] = sn4i_bits(near + low < 0) | sn4i_bits(far + low < 0) << 4;
  }
}

SN_INLINE void block_make(snBlock* block, const snBlocks* blocks, const snEdges* e, int index) {
  block->edges = 0;
  block->wide = false;
  for (int i = 0; i < 3; i++) {
    if (!(blocks->crossed[i] >> index & 1)) continue;
    int k = block->edges++;
    double dx = e->dx[i], dy = e->dy[i];
    block->dx[k] = dx, block->dy[k] = dy;
    block->corner[k] = blocks->first[i] - dy * (snBLOCK * snSUB * index);
    block->wide = block->wide || fabs(dx) + fabs(dy) > 524288;
  }
}

// Lanes of a row of samples that are inside; in doubles, four at a time.
SN_INLINE sn8i block_wide(const snBlock* block, const snSamplePattern* pattern, int ox, int oy) {
  sn8i mask = sn8i_set1(-1);
  for (int k = 0; k < block->edges; k++) {
    for (int lane = 0; lane < 8; lane++) {
      double at = block->corner[k] + block->dx[k] * (oy + pattern->y[lane]) -
                  block->dy[k] * (ox + pattern->x[lane]);
      if (at < 0) mask[lane] = 0;
    }
  }
  return mask;
}

// A block within the triangle: depth alone decides.
SN_INLINE void block_whole(const snEdges* e, const snSink* sink, const snBlock* block, int top,
                           int right, sn8f corner, int what) {
  int step = sink->tile->pattern->pixels;
  for (int y = block->y; y <= top; y++) {
    for (int x = block->x; x <= right; x += step) {
      float there = (float)((x - block->x) * snSUB) * e->depth_x +
                    (float)((y - block->y) * snSUB) * e->depth_y;
      sink_lanes(sink, x, y, sn8i_set1(-1), corner + there, what);
    }
  }
}

// One sample per pixel: a row of the block is eight lanes, and there is no branch but the loop's.
SN_INLINE void block_rows(const snEdges* e, const snSink* sink, const snBlock* block, int top,
                          const sn8i first[3], const sn8i up[3], sn8f corner, int what) {
  const snTile* tile = sink->tile;
  sn8i lane[3] = {first[0], first[1], first[2]}, id = sn8i_set1((int)sink->id);
  size_t at = (size_t)block->y * (size_t)tile->stride + (size_t)block->x;
  float step = snSUB * e->depth_y;
  for (int y = block->y; y <= top; y++, at += (size_t)tile->stride) {
    sn8f before = sn8f_load(tile->depth + at);
    sn8i mask = ((lane[0] | lane[1] | lane[2]) >= 0) & (corner > before);
    sn8f_store(tile->depth + at, sn8f_select(mask, corner, before));
    if (what == 1) {
      sn8i ids = sn8i_load((const int*)tile->id + at);
      sn8i_store((int*)tile->id + at, sn8i_select(mask, id, ids));
    }
    for (int k = 0; k < 3; k++) lane[k] += up[k];
    corner += step;
  }
}

SN_INLINE void block_crossed(const snEdges* e, const snSink* sink, const snBlock* block, int top,
                             int right, sn8f corner, int what) {
  const snSamplePattern* pattern = sink->tile->pattern;
  sn8i px = sn8i_load(pattern->x), py = sn8i_load(pattern->y), lane[3], up[3], along[3];
  for (int k = 0; k < 3; k++) {
    bool used = k < block->edges && !block->wide;
    int dx = used ? (int)block->dx[k] : 0, dy = used ? (int)block->dy[k] : 0;
    lane[k] = (used ? (int)block->corner[k] : 0) + dx * py - dy * px;
    up[k] = sn8i_set1(dx * snSUB);
    along[k] = sn8i_set1(dy * snSUB * pattern->pixels);
  }
  if (what != 2 && pattern->samples == 1 && !block->wide) {
    block_rows(e, sink, block, top, lane, up, corner, what);
    return;
  }
  for (int y = block->y; y <= top; y++) {
    sn8i at[3] = {lane[0], lane[1], lane[2]};
    sn8f row = corner + (float)((y - block->y) * snSUB) * e->depth_y;
    for (int x = block->x; x <= right; x += pattern->pixels) {
      int ox = (x - block->x) * snSUB, oy = (y - block->y) * snSUB;
      sn8i mask = (at[0] | at[1] | at[2]) >= 0;
      if (__builtin_expect(block->wide, 0)) mask = block_wide(block, pattern, ox, oy);
      if (sn8i_any(mask)) sink_lanes(sink, x, y, mask, row + (float)ox * e->depth_x, what);
      for (int k = 0; k < 3; k++) at[k] -= along[k];
    }
    for (int k = 0; k < 3; k++) lane[k] += up[k];
  }
}

SN_INLINE void raster_large(const snEdges* e, const snSink* sink, int what) {
  const snTile* tile = sink->tile;
  sn8f px = __builtin_convertvector(sn8i_load(tile->pattern->x), sn8f);
  sn8f py = __builtin_convertvector(sn8i_load(tile->pattern->y), sn8f);
  sn8f lanes = e->depth_x * px + e->depth_y * py;
  int reach = (2 << e->high[0] / snBLOCK) - (1 << e->low[0] / snBLOCK);
  for (int by = e->low[1] & -snBLOCK; by <= e->high[1]; by += snBLOCK) {
    int bottom = (tile->y0 + by) * snSUB;
    snBlocks blocks;
    blocks_find(&blocks, e, tile->x0 * snSUB, bottom);
    for (int left = reach & ~blocks.outside; left; left &= left - 1) {
      int index = __builtin_ctz((unsigned)left);
      snBlock block = {.x = index * snBLOCK, .y = by};
      block_make(&block, &blocks, e, index);
      double from = (double)((tile->x0 + block.x) * snSUB) - e->x[0];
      sn8f corner = (float)(e->depth0 + ((double)e->depth_x * from +
                                         (double)e->depth_y * ((double)bottom - e->y[0]))) +
                    lanes;
      int top = by + 7 < tile->height - 1 ? by + 7 : tile->height - 1;
      int right = block.x + 7 < tile->width - 1 ? block.x + 7 : tile->width - 1;
      if (block.edges) {
        block_crossed(e, sink, &block, top, right, corner, what);
      } else {
        block_whole(e, sink, &block, top, right, corner, what);
      }
    }
  }
}

SN_INLINE void raster_one(const snTile* tile, const snTriangle* triangle, uint32_t id, int what,
                          int samples) {
  snEdges e;
  if (!edges_make(&e, tile, triangle, 8 / samples)) return;
  snSink sink = {tile, id, NULL, NULL};
  if (e.small) {
    raster_small(&e, &sink, what, samples);
  } else {
    raster_large(&e, &sink, what);
  }
}

// The loop for one kind of tile.
SN_INLINE uint32_t raster_kind(const snTile* tile, snCursor* cursor, int what, int samples) {
  uint32_t id;
  while (cursor_next(cursor, &id)) {
    const snTriangle* triangle = frame_triangle(cursor->frame, id);
    if (what == 1 && cursor->frame->part[triangle->part].transparent) return id;
    raster_one(tile, triangle, id, what, samples);
  }
  return snNOTHING;
}

SN_KERNEL uint32_t raster_opaque(const snTile* tile, snCursor* cursor) {
  if (!tile->id) return raster_kind(tile, cursor, 0, 1);
  return tile->pattern->samples == 1 ? raster_kind(tile, cursor, 1, 1)
                                     : raster_kind(tile, cursor, 1, snSAMPLES);
}

SN_KERNEL void raster_spans(const snTile* tile, const snTriangle* triangle, snSpanFunction function,
                            void* context) {
  snEdges e;
  if (!edges_make(&e, tile, triangle, tile->pattern->pixels)) return;
  snSink sink = {tile, 0, function, context};
  if (!e.small) {
    raster_large(&e, &sink, 2);
  } else if (tile->pattern->samples == 1) {
    raster_small(&e, &sink, 2, 1);
  } else {
    raster_small(&e, &sink, 2, snSAMPLES);
  }
}
