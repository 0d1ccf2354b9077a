// Edge functions and depth, eight samples at a time.
//
// The edge from vertex i to j has E(p) = (xj - xi)(py - yi) - (yj - yi)(px - xi), positive to its
// left; a sample is inside a counterclockwise triangle when all three are positive, or zero on an
// edge that owns its points: a left edge (downward) or a top edge (horizontal, to the left). All
// coordinates are integers, so neighbours that share an edge never both take a sample and never
// leave one. Small triangles fit 32 bits; of larger ones 256th parts do (raster_rows).
//
// Depth is linear over the picture: d = d0 + dx (px - x0) + dy (py - y0).
#include "draw/passes.h"

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

// Sum of |dx| and |dy| of an edge up to which dx py - dy px of eight lanes fits 32 bits.
enum { snREACH_ROWS = 1 << 20 };

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
  SN_ASSERT(e->low[0] >= 0 && e->low[0] + lanes <= snTILE_W);
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
  SN_ASSERT(at + 8 <= (size_t)tile->stride * snTILE_H);
  sn8f before = sn8f_load(tile->depth + at);
  mask &= depth >= before;
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

// The lanes of the box's first row: E at each sample.
SN_INLINE sn8i edge_lanes(const snEdges* e, const snTile* tile, int i) {
  sn8i px = sn8i_load(tile->pattern->x), py = sn8i_load(tile->pattern->y);
  int left = (tile->x0 + e->low[0]) * snSUB, bottom = (tile->y0 + e->low[1]) * snSUB;
  int corner = e->dx[i] * (bottom - e->y[i]) - e->dy[i] * (left - e->x[i]) + e->bias[i];
  return (corner + e->dx[i] * py) - e->dy[i] * px;
}

// Depths of the box's first lanes; from the corner of the box small numbers lose no digits.
SN_INLINE sn8f depth_lanes(const snEdges* e, const snTile* tile) {
  double left = (tile->x0 + e->low[0]) * snSUB, bottom = (tile->y0 + e->low[1]) * snSUB;
  float corner = (float)(e->depth0 + ((double)e->depth_x * (left - e->x[0]) +
                                      (double)e->depth_y * (bottom - e->y[0])));
  sn8f px = __builtin_convertvector(sn8i_load(tile->pattern->x), sn8f);
  sn8f py = __builtin_convertvector(sn8i_load(tile->pattern->y), sn8f);
  return corner + (e->depth_x * px + e->depth_y * py);
}

// All other triangles, row by row. From pixel to pixel E changes by multiples of 256, so that
//   E >= 0  where  floor(E0 / 256) - i dy + j dx >= 0
// i pixels right of and j above the first: integers of 32 bits, for an edge that crosses the box
// has no value in it beyond (8 + snTILE_W) |dy| + snTILE_H |dx| < 2^31. Edges that do not cross the
// groups of lanes over the box are left out.
typedef struct snSpans_ {
  int edges;
  int dx[3], dy[3];
  sn8i first[3];                      // floor(E0 / 256)
  int from[snTILE_H], end[snTILE_H];  // pixels of each row that may be inside, from the box's left
} snSpans;

// False when the box lies outside of an edge.
SN_INLINE bool rows_edge(snSpans* rows, const snEdges* e, const snTile* tile, int i) {
  long long dx = e->dx[i], dy = e->dy[i];
  long long left = (long long)(tile->x0 + e->low[0]) * snSUB - e->x[i];
  long long bottom = (long long)(tile->y0 + e->low[1]) * snSUB - e->y[i];
  int lanes = tile->pattern->pixels;  // the last group reaches beyond the box
  long long wide = (long long)((e->high[0] - e->low[0] + lanes) / lanes * lanes) * snSUB;
  long long high = (long long)(e->high[1] - e->low[1] + 1) * snSUB;
  long long corner = dx * bottom - dy * left + e->bias[i];
  long long most = corner + (dx > 0 ? dx * high : 0) - (dy < 0 ? dy * wide : 0);
  long long least = corner + (dx < 0 ? dx * high : 0) - (dy > 0 ? dy * wide : 0);
  if (most < 0) return false;
  if (least >= 0) return true;
  int k = rows->edges++;
  rows->dx[k] = e->dx[i], rows->dy[k] = e->dy[i];
  if (llabs(dx) + llabs(dy) <= snREACH_ROWS) {
    sn8i px = sn8i_load(tile->pattern->x), py = sn8i_load(tile->pattern->y);
    int whole = (int)(corner >> 8), rest = (int)(corner & 255);
    rows->first[k] = whole + (((rest + e->dx[i] * py) - e->dy[i] * px) >> 8);
    return true;
  }
  for (int lane = 0; lane < 8; lane++) {
    long long there = dx * tile->pattern->y[lane] - dy * tile->pattern->x[lane];
    rows->first[k][lane] = (int)((corner + there) >> 8);
  }
  return true;
}

// Edges of a small triangle: three of them, whether or not they cross the box.
SN_INLINE bool rows_make(snSpans* rows, const snEdges* e, const snTile* tile) {
  rows->edges = 0;
  if (e->small) {
    for (int i = 0; i < 3; i++) {
      rows->first[i] = edge_lanes(e, tile, i) >> 8;
      rows->dx[i] = e->dx[i], rows->dy[i] = e->dy[i];
    }
    rows->edges = 3;
    return true;
  }
  for (int i = 0; i < 3; i++) {
    if (!rows_edge(rows, e, tile, i)) return false;
  }
  for (int k = rows->edges; k < 3; k++) {
    rows->dx[k] = rows->dy[k] = 0;
    rows->first[k] = sn8i_set1(0);
  }
  return true;
}

// Pixels of each row between the edges, and bits of the rows that have any. E = q + j dx - i dy
// changes its sign at i = (q + j dx) / dy. The first lane is the sample; of four samples the others
// lie up to 1/2 and 3/4 pixel from it. Floats, with a slack for what they lose: the test of lanes
// is exact.
SN_INLINE uint32_t rows_spans(snSpans* rows, const snEdges* e, int samples) {
  const sn8f steps = {0, 1, 2, 3, 4, 5, 6, 7};
  const int step = 8 / samples, count = e->high[1] - e->low[1] + 1;
  float wide = (float)(e->high[0] - e->low[0]), slope[3], start[3], slack[3];
  for (int k = 0; k < rows->edges; k++) {
    float q = (float)rows->first[k][0], dx = (float)rows->dx[k], dy = (float)rows->dy[k];
    float inverse = dy != 0 ? 1 / dy : 0;
    slope[k] = dx * inverse;
    start[k] = q * inverse;
    slack[k] = 0.01f + fabsf(inverse) + (fabsf(q * inverse) + snTILE_H * fabsf(slope[k])) * 2.4e-7f;
    if (samples > 1) slack[k] += 0.5f + 0.75f * fabsf(slope[k]);
  }
  uint32_t some = 0;
  for (int y = 0; y < count; y += 8) {
    sn8f from = sn8f_set1(0), end = sn8f_set1(wide), row = (float)y + steps;
    for (int k = 0; k < rows->edges; k++) {
      sn8f at = start[k] + slope[k] * row;
      if (rows->dy[k] < 0) from = sn8f_max(from, at - slack[k]);
      if (rows->dy[k] > 0) end = sn8f_min(end, at + slack[k]);
    }
    from = sn8f_min(from, sn8f_set1(2 * snTILE_W));
    end = sn8f_max(end, sn8f_set1(-1));
    sn8i first = -sn8f_floor(-from), last = __builtin_convertvector(end, sn8i);
    some |= (uint32_t)sn8i_bits((first <= last) & (end >= 0)) << y;
    sn8i_store(rows->from + y, first & -step);
    sn8i_store(rows->end + y, last);
  }
  return some & (0xFFFFFFFFu >> (32 - count));
}

SN_INLINE void raster_rows(const snEdges* e, const snSink* sink, int what, int samples) {
  const snTile* tile = sink->tile;
  const int step = 8 / samples;
  snSpans rows;
  if (!rows_make(&rows, e, tile)) return;
  sn8f depth = depth_lanes(e, tile);
  float depth_up = e->depth_y * snSUB, depth_right = e->depth_x * snSUB;
  for (uint32_t left = rows_spans(&rows, e, samples); left; left &= left - 1) {
    int j = __builtin_ctz(left), i = rows.from[j], end = rows.end[j];
    sn8f row = depth + (float)j * depth_up;
    sn8i at[3];
    for (int k = 0; k < 3; k++) at[k] = rows.first[k] + (j * rows.dx[k] - i * rows.dy[k]);
    for (; i <= end; i += step) {
      sn8i mask = (at[0] | at[1] | at[2]) >= 0;
      if (sn8i_any(mask)) {
        sink_lanes(sink, e->low[0] + i, e->low[1] + j, mask, row + (float)i * depth_right, what);
      }
      for (int k = 0; k < 3; k++) at[k] -= step * rows.dy[k];
    }
  }
}

// Eight triangles made ready at once, a lane each: their boxes and, for those that are narrow
// (small, in a box that one group of lanes covers), edge functions and depth at the box's corner.
typedef struct snSetup_ {
  int x[8], y[8], rows[8];
  int corner[3][8], dx[3][8], dy[3][8];  // E at the corner, with the bias
  float depth[8], depth_x[8], depth_y[8];
  int narrow, empty;  // bits
} snSetup;

// Words of four bytes, `word` to `word` + 3, of eight triangles.
SN_INLINE void triangles_words(const snTriangle* const t[8], int word, sn8i out[4]) {
  sn4x v[8];
  for (int i = 0; i < 8; i++) memcpy(&v[i], (const char*)t[i] + 4 * word, sizeof v[i]);
  sn4x_columns(v, out);
}

// The boxes, as edges_make has them; lanes of those that are narrow.
SN_INLINE sn8i setup_boxes(snSetup* setup, const snTile* tile, const snTriangle* const t[8],
                           int lanes, sn8i* left, sn8i* bottom) {
  sn8i word[4];
  triangles_words(t, 9, word);  // low and high, then part and face
  sn8i low_x = (word[0] << 16 >> 16) - tile->x0, low_y = (word[0] >> 16) - tile->y0;
  sn8i high_x = (word[1] << 16 >> 16) - tile->x0, high_y = (word[1] >> 16) - tile->y0;
  sn8i small = (high_x - low_x <= snREACH) & (high_y - low_y <= snREACH);
  low_x = sn8i_max(low_x, sn8i_set1(0));
  low_y = sn8i_max(low_y, sn8i_set1(0));
  high_x = sn8i_min(high_x, sn8i_set1(tile->width - 1));
  high_y = sn8i_min(high_y, sn8i_set1(tile->height - 1));
  sn8i narrow = small & (high_x < low_x + lanes);
  low_x = sn8i_min(low_x, sn8i_set1(snTILE_W - lanes));
  setup->empty = sn8i_bits((low_x > high_x) | (low_y > high_y));
  setup->narrow = sn8i_bits(narrow);
  sn8i_store(setup->x, low_x);
  sn8i_store(setup->y, low_y);
  sn8i_store(setup->rows, high_y - low_y + 1);
  *left = (low_x + tile->x0) * snSUB;
  *bottom = (low_y + tile->y0) * snSUB;
  return narrow;
}

// Edges and depth; those of triangles that are not narrow, which 32 bits may not hold, are zero.
SN_INLINE void setup_make(snSetup* setup, const snTile* tile, const snTriangle* const t[8],
                          int lanes) {
  sn8i xy[8], other[4], dx[3], dy[3], left, bottom;
  sn8i narrow = setup_boxes(setup, tile, t, lanes, &left, &bottom);
  triangles_words(t, 0, xy);
  triangles_words(t, 4, xy + 4);
  triangles_words(t, 6, other);
  const sn8i *x = xy, *y = xy + 3;
  sn8f d0 = (sn8f)other[0], d1 = (sn8f)other[1] - d0, d2 = (sn8f)other[2] - d0;
  for (int i = 0; i < 3; i++) {
    int j = i == 2 ? 0 : i + 1;
    dx[i] = (x[j] - x[i]) & narrow, dy[i] = (y[j] - y[i]) & narrow;
    sn8i owned = (dy[i] < 0) | ((dy[i] == 0) & (dx[i] < 0));
    sn8i_store(setup->corner[i], dx[i] * (bottom - y[i]) - dy[i] * (left - x[i]) + ~owned);
    sn8i_store(setup->dx[i], dx[i]);
    sn8i_store(setup->dy[i], dy[i]);
  }
  sn8f x1 = __builtin_convertvector(dx[0], sn8f), y1 = __builtin_convertvector(dy[0], sn8f);
  sn8f x2 = __builtin_convertvector(-dx[2], sn8f), y2 = __builtin_convertvector(-dy[2], sn8f);
  sn8i area = (dx[0] * dy[1] - dy[0] * dx[1]) | (~narrow & 1);
  sn8f inverse = 1 / __builtin_convertvector(area, sn8f);
  sn8f depth_x = (d1 * y2 - d2 * y1) * inverse, depth_y = (d2 * x1 - d1 * x2) * inverse;
  if (!tile->id) d0 -= tile->slope * snSUB * (sn8f_abs(depth_x) + sn8f_abs(depth_y));
  sn8f_store(setup->depth_x, depth_x);
  sn8f_store(setup->depth_y, depth_y);
  for (int half = 0; half < 2; half++) {
    sn4 along = sn8f_half(depth_x, half) * sn8i_half(left - x[0], half) +
                sn8f_half(depth_y, half) * sn8i_half(bottom - y[0], half);
    sn4f_store(setup->depth + 4 * half, __builtin_convertvector(sn8f_half(d0, half) + along, sn4f));
  }
}

// A narrow triangle: no branch but the loop's.
SN_INLINE void raster_narrow(const snSetup* setup, int k, const snTile* tile, uint32_t name,
                             int what, int samples) {
  sn8i px = sn8i_load(tile->pattern->x), py = sn8i_load(tile->pattern->y);
  float depth_up = setup->depth_y[k] * snSUB;
  sn8f depth = setup->depth[k] + (setup->depth_x[k] * __builtin_convertvector(px, sn8f) +
                                  setup->depth_y[k] * __builtin_convertvector(py, sn8f));
  size_t at = (size_t)setup->y[k] * (size_t)tile->stride + (size_t)(setup->x[k] * samples);
  sn8i row[3], up[3], id = sn8i_set1((int)name);
  for (int i = 0; i < 3; i++) {
    row[i] = (setup->corner[i][k] + setup->dx[i][k] * py) - setup->dy[i][k] * px;
    up[i] = sn8i_set1(setup->dx[i][k] * snSUB);
  }
  for (int left = setup->rows[k]; left > 0; left--, at += (size_t)tile->stride) {
    SN_ASSERT(at + 8 <= (size_t)tile->stride * snTILE_H);
    sn8f before = sn8f_load(tile->depth + at);
    sn8i mask = ((row[0] | row[1] | row[2]) >= 0) & (depth >= before);
    sn8f_store(tile->depth + at, sn8f_select(mask, depth, before));
    if (what == 1) {
      sn8i ids = sn8i_load((const int*)tile->id + at);
      sn8i_store((int*)tile->id + at, sn8i_select(mask, id, ids));
    }
    for (int i = 0; i < 3; i++) row[i] += up[i];
    depth += depth_up;
  }
}

// Eight triangles, or fewer, in their order.
SN_INLINE void raster_eight(const snTile* tile, const snTriangle* triangle[8], const uint32_t id[8],
                            int count, int what, int samples) {
  snSetup setup;
  for (int i = count; i < 8; i++) triangle[i] = triangle[0];
  setup_make(&setup, tile, triangle, 8 / samples);
  for (int i = 0; i < count; i++) {
    if (setup.empty >> i & 1) continue;
    if (setup.narrow >> i & 1) {
      raster_narrow(&setup, i, tile, id[i], what, samples);
      continue;
    }
    snEdges e;
    snSink sink = {tile, id[i], NULL, NULL};
    if (edges_make(&e, tile, triangle[i], 8 / samples)) raster_rows(&e, &sink, what, samples);
  }
}

// The loop for one kind of tile.
SN_INLINE uint32_t raster_kind(const snTile* tile, snCursor* cursor, int what, int samples) {
  const snTriangle* triangle[8];
  uint32_t id[8], stop = snNOTHING;
  int count = 0;
  while (stop == snNOTHING && cursor_next(cursor, &id[count])) {
    triangle[count] = frame_triangle(cursor->frame, id[count]);
    if (what == 1 && cursor->frame->part[triangle[count]->part].transparent) {
      stop = id[count];
    } else if (++count == 8) {
      raster_eight(tile, triangle, id, count, what, samples);
      count = 0;
    }
  }
  if (count) raster_eight(tile, triangle, id, count, what, samples);
  return stop;
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
  if (tile->pattern->samples == 1) {
    raster_rows(&e, &sink, 2, 1);
  } else {
    raster_rows(&e, &sink, 2, snSAMPLES);
  }
}

// ---- depth alone

typedef struct snDepths_ {
  snFrame* frame;
  const snPass* pass;
  snShadow* map;
} snDepths;

static void depths_tile(void* context, int index, int worker) {
  snDepths* s = context;
  snTile tile = {.x0 = index % s->pass->tiles_x * snTILE_W,
                 .y0 = index / s->pass->tiles_x * snTILE_H,
                 .pattern = pattern_of(1),
                 .stride = s->map->stride,
                 .slope = 1};
  tile.width = s->pass->width - tile.x0 < snTILE_W ? s->pass->width - tile.x0 : snTILE_W;
  tile.height = s->pass->height - tile.y0 < snTILE_H ? s->pass->height - tile.y0 : snTILE_H;
  tile.depth = s->map->depth + (size_t)tile.y0 * (size_t)tile.stride + (size_t)tile.x0;
  for (int y = 0; y < tile.height; y++) {
    memset(tile.depth + (size_t)y * (size_t)tile.stride, 0, snTILE_W * sizeof(float));
  }
  snCursor cursor;
  cursor_start(&cursor, s->frame, index);
  raster_opaque(&tile, &cursor);
}

void raster_depths(snFrame* frame, const snPass* pass, snShadow* map) {
  snDepths s = {frame, pass, map};
  frame_parallel(frame, pass->tiles_x * pass->tiles_y, depths_tile, &s);
}
