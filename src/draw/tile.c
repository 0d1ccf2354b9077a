// A tile: visibility of opaque parts, their colours, transparent parts over them, resolved pixels.
//
// Colours are made for squares of eight by eight pixels. Where all samples of a square see one
// triangle its rows are shaded at once; otherwise each triangle that is seen in it is shaded at its
// pixels, eight at a time, and a pixel is the mean of its samples. Samples have colours of their own only in tiles with transparent parts.
#include "draw/passes.h"

#include "draw/shade.h"
#include "draw/sky.h"

typedef struct snShading_ {
  snFrame* frame;
  const snPass* pass;
  const snOrder* order;
} snShading;

static size_t lit_size(int shadows) {
  return sizeof(snLit) + (size_t)(1 + shadows) * sizeof(snPlaneSlope);
}

static size_t patch_size(int shadows) {
  return sizeof(snPatch) + 2 * (size_t)(1 + shadows) * sizeof(snPlaneSlope);
}

static size_t corner_size(int shadows) {
  return sizeof(snCornerBlock) + (size_t)(1 + shadows) * 24 * sizeof(float);
}

// scratch: depth, id, colour of every sample; the caches of the shader
size_t shade_scratch_bytes(void) {
  return (size_t)snTILE_SAMPLES * 12 + snLITS * lit_size(snUSUAL) +
         snPATCHES * patch_size(snUSUAL) + snCORNERS * corner_size(snUSUAL) +
         snFLATS * sizeof(snFlat);
}

// As many as fit where there is room for `most` of the usual size; a power of two.
static uint32_t cache_count(uint32_t most, size_t usual, size_t size) {
  uint32_t count = most;
  while (count > 1 && count * size > most * usual) count /= 2;
  return count;
}

static void tile_start(snTile* tile, snShader* shader, const snPass* pass, snWorker* worker,
                       int index, bool ids) {
  *tile = (snTile){.x0 = index % pass->tiles_x * snTILE_W,
                   .y0 = index / pass->tiles_x * snTILE_H,
                   .pattern = pattern_of(pass->samples)};
  tile->width = pass->width - tile->x0 < snTILE_W ? pass->width - tile->x0 : snTILE_W;
  tile->height = pass->height - tile->y0 < snTILE_H ? pass->height - tile->y0 : snTILE_H;
  tile->stride = snTILE_W * tile->pattern->samples;
  tile->depth = worker->scratch;
  uint32_t* id = (uint32_t*)(tile->depth + snTILE_SAMPLES);
  tile->colour = id + snTILE_SAMPLES;
  shader->lit_bytes = lit_size(shader->shadows);
  shader->patch_bytes = patch_size(shader->shadows);
  shader->lits = cache_count(snLITS, lit_size(snUSUAL), shader->lit_bytes);
  shader->patches = cache_count(snPATCHES, patch_size(snUSUAL), shader->patch_bytes);
  shader->corner_bytes = corner_size(shader->shadows);
  shader->corners = cache_count(snCORNERS, corner_size(snUSUAL), shader->corner_bytes);
  shader->lit = (char*)(tile->colour + snTILE_SAMPLES);
  shader->patch = shader->lit + snLITS * lit_size(snUSUAL);
  shader->corner = shader->patch + snPATCHES * patch_size(snUSUAL);
  shader->flat = (snFlat*)(shader->corner + snCORNERS * corner_size(snUSUAL));
  shader->tile = tile;
  SN_ASSERT(tile->stride * snTILE_H <= snTILE_SAMPLES);
  SN_ASSERT((shader->lits & (shader->lits - 1)) == 0 &&
            (shader->patches & (shader->patches - 1)) == 0);
  SN_ASSERT((char*)(shader->flat + snFLATS) <= (char*)worker->scratch + shade_scratch_bytes());
  size_t samples = (size_t)tile->stride * (size_t)tile->height;
  memset(tile->depth, 0, samples * sizeof(float));
  if (!ids) return;
  tile->id = id;
  memset(tile->id, 0xFF, samples * sizeof(uint32_t));
  for (uint32_t i = 0; i < shader->lits; i++) {
    ((snLit*)(shader->lit + i * shader->lit_bytes))->id = snNOTHING;
  }
  for (uint32_t i = 0; i < shader->patches; i++) {
    ((snPatch*)(shader->patch + i * shader->patch_bytes))->id = snNOTHING;
  }
  for (uint32_t i = 0; i < shader->corners; i++) {
    ((snCornerBlock*)(shader->corner + i * shader->corner_bytes))->part = NULL;
  }
  memset(shader->flat, 0xFF, snFLATS * sizeof(snFlat));
}

// ---- colours as bytes

static inline uint32_t colour_pack(sn4f c) {
  sn4x v = __builtin_convertvector(c * 255.0f + 0.5f, sn4x);
  return (uint32_t)v[0] | (uint32_t)v[1] << 8 | (uint32_t)v[2] << 16 | (uint32_t)v[3] << 24;
}

static inline sn4f colour_unpack(uint32_t v) {
  sn4x c = {(int)(v & 255), (int)(v >> 8 & 255), (int)(v >> 16 & 255), (int)(v >> 24)};
  return __builtin_convertvector(c, sn4f) * (1.0f / 255);
}

// ids as colours: the number plus one, lowest byte in red; or colours far from each other, points
// of a Halton sequence
static uint32_t segment_colour(const snShader* s, uint32_t id) {
  int segment = s->frame->part[frame_triangle(s->frame, id)->part].segment;
  if (s->order->scene->flags[mjRND_IDCOLOR]) return ((uint32_t)segment + 1) | 0xFF000000u;
  sn4f c = {(float)mju_Halton(segment + 10, 2), (float)mju_Halton(segment + 10, 3),
            (float)mju_Halton(segment + 10, 5), 0};
  c = 0.1f + 0.8f * c;
  c[3] = 1;
  return colour_pack(c);
}

// ---- squares of eight by eight pixels

// Colours of what a triangle, or nothing, shows at the pixels of a square whose bits are set, eight
// of them in a row.
static void square_colour(snShader* s, uint32_t id, int x, int y, uint64_t bits, int row,
                          uint32_t rgba[64]) {
  uint32_t colour = 0;
  bool even = true;
  if (s->order->scene->flags[mjRND_SEGMENT]) {
    colour = id == snNOTHING ? 0xFF000000u : segment_colour(s, id);
  } else if (id == snNOTHING) {  // a mirror adds nothing there
    even = s->pass->image;
  } else {
    even = flat_is(s, id) && (colour = flat_find(s, id, x, y + row));
  }
  if (even) {
    sn8i all = sn8i_set1((int)colour);
    for (int i = 8 * row; i < 64; i += 8) sn8i_store((int*)rgba + i, all);
    return;
  }
  const snLit* lit = id == snNOTHING ? NULL : lit_find(s, id, x, y + row);
  snLevelMix mix = lit ? (snLevelMix){0, 0} : sky_square(s, x, y);
  while (bits) {
    snPixelGroup group;
    int count = 0;
    for (; bits && count < 8; bits &= bits - 1) {
      group.at[count++] = (unsigned char)__builtin_ctzll(bits);
    }
    for (int i = count; i < 8; i++) group.at[i] = group.at[0];
    group.bits = (1 << count) - 1;
    if (lit) {
      shade_group(s, lit, x, y, &group);
    } else {
      sky_group(s, x, y, mix, &group);
    }
    for (int i = 0; i < count; i++) rgba[group.at[i]] = group.rgba[i];
  }
}

// The samples of eight pixels that see a triangle, as bits. One sample: a bit per pixel, four: a
// nibble.
SN_INLINE uint32_t same_samples(const uint32_t* ids, int samples, uint32_t id) {
  uint32_t bits = 0;
  for (int k = 0; k < samples; k++) {
    sn8i lanes = sn8i_load((const int*)ids + 8 * k);
    bits |= (uint32_t)sn8i_bits(lanes == (int)id) << 8 * k;
  }
  return bits;
}

// A bit for each of eight nibbles that is not zero. Of four bits at 4 i the product has bit 12 + i.
static inline int nibbles(uint32_t v) {
  v |= v >> 2;
  v = (v | v >> 1) & 0x11111111u;
  return (int)(((v & 0xFFFF) * 0x1248 >> 12 & 15) | ((v >> 16) * 0x1248 >> 12 & 15) << 4);
}

// Number of bits in each nibble, a lane each.
SN_INLINE sn8i nibble_counts(uint32_t v) {
  const sn8i shift = {0, 4, 8, 12, 16, 20, 24, 28};
  v -= v >> 1 & 0x55555555u;
  v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
  return sn8i_set1((int)v) >> shift & 7;
}

// Mean of four samples: sums of red and blue, and of green and alpha.
typedef struct snSampleSums_ {
  sn8i even, odd;
} snSampleSums;

SN_INLINE void sums_add(snSampleSums* sums, const uint32_t* rgba, sn8i count) {
  sn8i all = sn8i_load((const int*)rgba);
  sums->even += (all & 0xFF00FF) * count;
  sums->odd += (all >> 8 & 0xFF00FF) * count;
}

SN_INLINE void sums_mean(const snSampleSums* sums, uint32_t* rgba) {
  sn8i even = (sums->even + 0x20002) >> 2 & 0xFF00FF, odd = (sums->odd + 0x20002) >> 2 & 0xFF00FF;
  sn8i_store((int*)rgba, even | odd << 8);
}

// Samples of the eight pixels from (x, y) that lie in the tile.
static inline uint32_t group_samples(const snTile* tile, int x) {
  int count = (tile->width - x < 8 ? tile->width - x : 8) * tile->pattern->samples;
  int all = 8 * tile->pattern->samples;
  return all == count && all == 32 ? 0xFFFFFFFFu : (1u << count) - 1;
}

// Samples of a square that see one triangle, row by row from `from` to before `end`.
typedef struct snSeen_ {
  uint32_t id, same[8];
  int from, end;
  uint64_t bits;  // the pixels
} snSeen;

// The triangle that the first of the samples that are left in row `row` sees; a triangle ends where
// its box does.
SN_INLINE void square_seen(const snShader* s, int x, int y, int rows, int row, uint32_t left[8],
                           int samples, snSeen* seen) {
  const snTile* tile = s->tile;
  const uint32_t* ids = tile->id + (size_t)(y + row) * (size_t)tile->stride + (size_t)(x * samples);
  SN_ASSERT(left[row]);
  seen->id = ids[__builtin_ctz(left[row])];
  seen->from = row, seen->end = rows, seen->bits = 0;
  if (seen->id != snNOTHING) {
    int high = frame_triangle(s->frame, seen->id)->high[1] - tile->y0 - y + 1;
    if (high < rows) seen->end = high;
  }
  SN_ASSERT(seen->end > row);
  for (int r = row; r < seen->end; r++, ids += tile->stride) {
    uint32_t same = same_samples(ids, samples, seen->id) & left[r];
    seen->same[r] = same;
    left[r] &= ~same;
    seen->bits |= (uint64_t)(unsigned)(samples == 1 ? (int)same : nibbles(same)) << 8 * r;
  }
}

// A square of eight by `rows` pixels, resolved; or, where `rgba` is NULL, the colours of all of its
// samples, for transparent parts to be mixed over them.
SN_INLINE void square_resolve(snShader* s, int x, int y, int rows, int samples,
                              uint32_t (*rgba)[8]) {
  const snTile* tile = s->tile;
  uint32_t left[8], colour[64];
  snSampleSums sums[8];
  snSeen seen;
  for (int r = 0; r < rows; r++) left[r] = group_samples(tile, x);
  memset(sums, 0, sizeof sums);
  for (int row = 0; row < rows; row += !left[row]) {
    if (!left[row]) continue;
    square_seen(s, x, y, rows, row, left, samples, &seen);
    square_colour(s, seen.id, x, y, seen.bits, row, colour);
    for (int r = seen.from; r < seen.end; r++) {
      uint32_t same = seen.same[r];
      if (!same) continue;
      if (!rgba) {
        size_t at = (size_t)(y + r) * (size_t)tile->stride + (size_t)(x * samples);
        for (; same; same &= same - 1) {
          int k = __builtin_ctz(same);
          tile->colour[at + (size_t)k] = colour[8 * r + k / samples];
        }
      } else if (samples == 1) {
        sn8i before = sn8i_load((const int*)rgba[r]), own = sn8i_load((const int*)colour + 8 * r);
        sn8i_store((int*)rgba[r], sn8i_select(sn8i_from_bits((int)same), own, before));
      } else {
        sums_add(&sums[r], colour + 8 * r, nibble_counts(same));
      }
    }
  }
  for (int r = 0; r < rows && rgba && samples > 1; r++) sums_mean(&sums[r], rgba[r]);
}

SN_KERNEL
static void square_pixels(snShader* s, int x, int y, int rows, uint32_t (*rgba)[8]) {
  if (s->tile->pattern->samples == 1) {
    square_resolve(s, x, y, rows, 1, rgba);
  } else {
    square_resolve(s, x, y, rows, snSAMPLES, rgba);
  }
}

// Colours of all samples of a tile.
static void tile_samples(snShader* s, const snTile* tile) {
  for (int y = 0; y < tile->height; y += 8) {
    int rows = tile->height - y < 8 ? tile->height - y : 8;
    for (int x = 0; x < tile->width; x += 8) square_pixels(s, x, y, rows, NULL);
  }
}

static void samples_resolve(const snTile* tile, int x, int y, uint32_t* rgba) {
  int samples = tile->pattern->samples;
  const uint32_t* colour = tile->colour + (size_t)y * (size_t)tile->stride + (size_t)(x * samples);
  for (int i = 0; i < 8; i++, colour += samples) {
    rgba[i] = colour[0];
    if (samples == 1) continue;
    uint32_t even = 0x20002, odd = 0x20002;
    for (int k = 0; k < 4; k++) even += colour[k] & 0xFF00FF, odd += colour[k] >> 8 & 0xFF00FF;
    rgba[i] = (even >> 2 & 0xFF00FF) | (odd >> 2 & 0xFF00FF) << 8;
  }
}

// ---- transparent parts

typedef struct snGlass_ {
  snShader* shader;
  const snLit* lit;
  bool additive;
} snGlass;

static void glass_span(void* context, const snSpan* span) {
  snGlass* g = context;
  const snTile* tile = g->shader->tile;
  int samples = tile->pattern->samples, mask = sn8i_bits(span->mask);
  int pixels = samples == 1 ? mask : nibbles((uint32_t)mask);
  int inside = tile->width - span->x;
  if (inside < 8) pixels &= (1 << inside) - 1;
  if (!pixels) return;
  uint32_t* colour =
      tile->colour + (size_t)span->y * (size_t)tile->stride + (size_t)(span->x * samples);
  snPixelGroup group = {.at = {0, 1, 2, 3, 4, 5, 6, 7}, .bits = pixels};
  shade_group(g->shader, g->lit, span->x, span->y, &group);
  for (; mask; mask &= mask - 1) {
    int k = __builtin_ctz((unsigned)mask), p = k / samples;
    sn4f over = {group.channel[0][p], group.channel[1][p], group.channel[2][p], 0};
    sn4f under = colour_unpack(colour[k]);
    float alpha = group.channel[3][p];
    sn4f mixed = g->additive ? under + alpha * over : under + alpha * (over - under);
    mixed = sn4f_clamp(mixed);
    mixed[3] = 1;
    colour[k] = colour_pack(mixed);
  }
}

// ---- the tile

// Eight pixels, of which those inside the viewport and the buffer are kept.
SN_INLINE void group_write(const snShading* s, const snTile* tile, int x, int y,
                           const uint32_t rgba[8]) {
  const snOrder* order = s->order;
  const snBuffer* buffer = order->buffer;
  int px = order->viewport.left + tile->x0 + x, py = order->viewport.bottom + tile->y0 + y;
  int from = px < 0 ? -px : 0, end = tile->width - x < 8 ? tile->width - x : 8;
  if (end > buffer->width - px) end = buffer->width - px;
  if (py < 0 || py >= buffer->height || from >= end) return;
  size_t to = (size_t)py * (size_t)buffer->width + (size_t)(px + from);
  size_t step = (size_t)tile->pattern->samples;
  size_t at = (size_t)y * (size_t)tile->stride + (size_t)(x + from) * step;
  size_t count = (size_t)(end - from);
  if (order->colour) {
    if (count == 8) {
      memcpy(buffer->rgba + 4 * to, rgba, 32);
    } else {
      memcpy(buffer->rgba + 4 * to, rgba + from, 4 * count);
    }
  }
  if (order->depth && step == 1 && count == 8) {
    memcpy(buffer->depth + to, tile->depth + at, 32);
  } else if (order->depth) {
    for (size_t i = 0; i < count; i++) buffer->depth[to + i] = tile->depth[at + i * step];
  }
  for (size_t i = 0; order->object && i < count; i++) {
    uint32_t id = tile->id[at + i * step];
    order->object[to + i] =
        id == snNOTHING ? -1 : s->frame->part[frame_triangle(s->frame, id)->part].geom;
  }
}

// Whether all samples of eight by `rows` pixels see one triangle.
SN_INLINE bool block_whole(const snTile* tile, int x, int y, int rows) {
  int samples = tile->pattern->samples;
  size_t stride = (size_t)tile->stride;
  const int* id = (const int*)tile->id + (size_t)y * stride + (size_t)(x * samples);
  sn8i other = sn8i_set1(0);
  for (int r = 0; r < rows; r++) {
    for (int k = 0; k < samples; k++) other |= sn8i_load(id + (size_t)r * stride + 8 * k) ^ *id;
    if (sn8i_bits(other != 0)) return false;
  }
  return true;
}

// Whether colours alone are asked for and all of a square lies in the viewport and the buffer.
SN_INLINE bool square_inside(const snShading* s, const snTile* tile, int x, int y) {
  const snOrder* order = s->order;
  int px = order->viewport.left + tile->x0 + x, py = order->viewport.bottom + tile->y0 + y;
  return order->colour && !order->depth && !order->object && x + 8 <= tile->width &&
         y + 8 <= tile->height && px >= 0 && py >= 0 && px + 8 <= order->buffer->width &&
         py + 8 <= order->buffer->height;
}

// A square, to the buffer.
SN_KERNEL
static void block_write(const snShading* s, snShader* shader, const snTile* tile, int x, int y,
                        bool sampled) {
  int rows = tile->height - y < 8 ? tile->height - y : 8;
  bool colour = s->order->colour;
  uint32_t rgba[8][8];
  const uint32_t* id = colour ? tile->id + (size_t)y * (size_t)tile->stride : NULL;
  id = colour ? id + (size_t)(x * tile->pattern->samples) : NULL;
  bool done = colour && !sampled && *id != snNOTHING && tile->width - x >= 8 &&
              !s->order->scene->flags[mjRND_SEGMENT] && block_whole(tile, x, y, rows);
  if (done) shade_block(shader, lit_find(shader, *id, x, y), x, y, rows, rgba);
  if (!done) memset(rgba, 0, sizeof rgba);
  if (colour && !sampled && !done) square_pixels(shader, x, y, rows, rgba);
  if (square_inside(s, tile, x, y)) {
    const snBuffer* buffer = s->order->buffer;
    size_t px = (size_t)(s->order->viewport.left + tile->x0 + x);
    size_t py = (size_t)(s->order->viewport.bottom + tile->y0 + y), wide = (size_t)buffer->width;
    for (int r = 0; r < 8; r++) {
      if (sampled) samples_resolve(tile, x, y + r, rgba[r]);
      sn8i all = sn8i_load((const int*)rgba[r]) | (int)0xFF000000u;
      memcpy(buffer->rgba + 4 * ((py + (size_t)r) * wide + px), &all, sizeof all);
    }
    return;
  }
  for (int r = 0; r < rows; r++) {
    if (sampled) samples_resolve(tile, x, y + r, rgba[r]);
    for (int i = 0; i < 8; i++) rgba[r][i] |= 0xFF000000u;
    group_write(s, tile, x, y + r, rgba[r]);
  }
}

// The depth of the sky's tower, below, where rays are parallel.
static void tile_wall_depth(const snShader* s, const snTile* tile) {
  const snPass* pass = s->pass;
  const sn8f steps = {0, 1, 2, 3, 4, 5, 6, 7};
  const int samples = tile->pattern->samples;
  float first[2] = {(float)tile->pattern->x[0] / snSUB, (float)tile->pattern->y[0] / snSUB};
  for (int y = 0; y < tile->height; y++) {
    for (int x = 0; x < tile->width; x += 8) {
      sn8f ray[3], px = (float)(tile->x0 + x) + first[0] + steps;
      sky_wall(s, px, sn8f_set1((float)(tile->y0 + y) + first[1]), ray);
      sn8f along =
          (ray[0] * pass->forward[0] + ray[1] * pass->forward[1]) + ray[2] * pass->forward[2];
      sn8f depth = (pass->far - along) * (1 / (pass->far - pass->near));
      float* at = tile->depth + (size_t)y * (size_t)tile->stride + (size_t)(x * samples);
      for (int i = 0; i < 8 && x + i < tile->width; i++, at += samples) {
        if (depth[i] > *at) *at = depth[i];
      }
    }
  }
}

// Inverse distance along the view at which a ray meets the haze of a plane (sky.h); 0: it does not.
// `flat` is the ray's length along the plane: with r = H R / (H + slope R h), where slope is that of
// the ray, the distance is r / flat.
static float haze_near(const snShader* s, const snHorizon* plane, const float ray[3], float flat) {
  const float *n = plane->normal, haze = s->order->assets->vis.map.haze;
  float radius = snHAZE_RADIUS * s->pass->far, height = plane->height;
  float down = -((n[0] * ray[0] + n[1] * ray[1]) + n[2] * ray[2]);
  bool met = haze > 0 && height > 0 && down >= 0 && down * radius * (1 - haze) <= flat * height;
  return met ? (flat * height + down * radius * haze) / (height * radius) : 0;
}

// The sky as programs read its depth: the wall of a tower around the eye, round as the model's
// slices are, as wide and high as things are seen, and before it the haze, a cone with as many
// sides. What is farther has its depth. With w the
// distance along the view at which a ray meets the sides, whose normals are n_k:
//   w = R cos(pi / slices) / max_k(n_k . ray), at most R / |ray_z|, depth n (f - w) / (w (f - n))
static void tile_sky_depth(const snShader* s, const snTile* tile) {
  const snPass* pass = s->pass;
  if (pass->orthographic) {
    tile_wall_depth(s, tile);
    return;
  }
  int samples = tile->pattern->samples, sides = s->sides;
  const float(*normal)[2] = s->side;
  float radius = snHAZE_RADIUS * pass->far, wall;
  wall = radius * (float)sn_cos(mjPI / sides);
  float scale = pass->near / (pass->far - pass->near);
  bool haze = s->order->scene->flags[mjRND_HAZE];
  float first[2] = {(float)tile->pattern->x[0] / snSUB, (float)tile->pattern->y[0] / snSUB};
  for (int y = 0; y < tile->height; y++) {
    for (int x = 0; x < tile->width; x++) {
      float ray[3], most = 0, px = (float)(tile->x0 + x) + first[0],
                    py = (float)(tile->y0 + y) + first[1];
      for (int k = 0; k < 3; k++) {
        const float* m = pass->inverse + 3 * k;
        ray[k] = (m[0] * px + m[1] * py) + m[2];
      }
      for (int k = 0; k < sides; k++) {
        float along = normal[k][0] * ray[0] + normal[k][1] * ray[1];
        if (along > most) most = along;
      }
      float near = most / wall, cap = fabsf(ray[2]) / radius;  // inverse distances
      if (cap > near) near = cap;
      for (int k = 0; haze && k < s->nendless; k++) {
        float met = haze_near(s, &s->endless[k], ray, most * radius / wall);
        if (met > near) near = met;
      }
      float depth = (pass->far * near - 1) * scale;
      float* at = tile->depth + (size_t)y * (size_t)tile->stride + (size_t)(x * samples);
      if (depth > *at) *at = depth;
    }
  }
}

static void tile_write(const snShading* s, snShader* shader, const snTile* tile, bool sampled) {
  for (int y = 0; y < tile->height; y += 8) {
    for (int x = 0; x < tile->width; x += 8) block_write(s, shader, tile, x, y, sampled);
  }
}

static void shader_sides(snShader* shader, int slices) {
  shader->sides = slices < 3 || slices > snSIDES ? snSIDES : slices;
  for (int k = 0; k < shader->sides; k++) {
    double sine, cosine;
    sn_sincos(mjPI * (2 * k + 1) / shader->sides, &sine, &cosine);
    shader->side[k][0] = (float)cosine, shader->side[k][1] = (float)sine;
  }
}

// Planes without an end, as their haze needs them.
static void shader_horizons(snShader* shader, const snFrame* frame, const snPass* pass) {
  for (int i = pass->first; i < pass->first + pass->count; i++) {
    const snDrawPart* part = &frame->part[i];
    bool known = false;  // glass is drawn twice
    for (int k = 0; k < shader->nendless; k++) known |= shader->endless[k].part->geom == part->geom;
    if (!part->infinite || known || shader->nendless == snENDLESS) continue;
    snHorizon* plane = &shader->endless[shader->nendless++];
    float square = 0;
    plane->part = part;
    plane->height = 0;
    for (int k = 0; k < 3; k++) {
      plane->normal[k] = part->normal[3 * k + 2];
      square += plane->normal[k] * plane->normal[k];
    }
    float inverse = square > 0 ? 1 / sqrtf(square) : 0;
    for (int k = 0; k < 3; k++) {
      plane->normal[k] *= inverse;
      plane->height += plane->normal[k] * (pass->eye[k] - part->pos[k]);
    }
  }
}

// A tile of a mirror's image in which there is nothing.
static bool tile_empty(const snShading* s, int index) {
  bool empty = s->pass->image;
  for (int i = 0; i < s->frame->threads; i++) empty = empty && !s->frame->worker[i].head[index];
  if (!empty) return false;
  const snBuffer* buffer = s->order->buffer;
  int x = index % s->pass->tiles_x * snTILE_W, y = index / s->pass->tiles_x * snTILE_H;
  size_t count = (size_t)(buffer->width - x < snTILE_W ? buffer->width - x : snTILE_W);
  for (int end = y + snTILE_H; y < end && y < buffer->height; y++) {
    memset(buffer->rgba + 4 * ((size_t)y * (size_t)buffer->width + (size_t)x), 0, 4 * count);
  }
  return true;
}

static void tile_job(void* context, int index, int worker) {
  snShading* s = context;
  const snOrder* order = s->order;
  if (tile_empty(s, index)) return;
  snTile tile;
  snShader shader = {.frame = s->frame, .pass = s->pass, .order = order};
  const snAssets* assets = order->assets;
  if (!s->pass->image && order->scene->flags[mjRND_SKYBOX] && assets->skybox >= 0 &&
      assets->texture[assets->skybox].levels) {
    shader.sky = &assets->texture[assets->skybox];
  }
  for (int i = 0; i < s->frame->nlamp; i++) shader.shadows += s->frame->lamp[i].shadow;
  shader.share = 1.0f / (float)(1 + shader.shadows);
  if (order->colour) shader_horizons(&shader, s->frame, s->pass);
  if (shader.sky && (order->depth || s->pass->orthographic)) {
    shader_sides(&shader, assets->vis.quality.numslices);
  }
  shader.clear = snHAZE_RADIUS * s->pass->far * (1 - assets->vis.map.haze);
  tile_start(&tile, &shader, s->pass, &s->frame->worker[worker], index,
             order->colour || order->object);
  if (order->scene->flags[mjRND_FOG]) shader.flat = NULL;
  snCursor cursor;
  uint32_t id;
  bool sampled = false;
  snGlass glass = {&shader, NULL, order->scene->flags[mjRND_ADDITIVE]};
  cursor_start(&cursor, s->frame, index);
  // transparent parts come after all others
  for (id = raster_opaque(&tile, &cursor); order->colour && id != snNOTHING;) {
    if (!sampled) tile_samples(&shader, &tile);
    sampled = true;
    glass.lit = lit_find(&shader, id, 0, tile.height);
    raster_spans(&tile, frame_triangle(s->frame, id), glass_span, &glass);
    if (!cursor_next(&cursor, &id)) break;
  }
  bool segment = order->scene->flags[mjRND_SEGMENT];
  if (shader.sky && order->colour && order->depth && !segment) tile_sky_depth(&shader, &tile);
  tile_write(s, &shader, &tile, sampled);
}

void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order) {
  snShading s = {frame, pass, order};
  frame_parallel(frame, pass->tiles_x * pass->tiles_y, tile_job, &s);
}
