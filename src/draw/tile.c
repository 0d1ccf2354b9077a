// A tile: visibility of opaque parts, their colours, transparent parts over them, resolved pixels.
#include "draw/shade.h"

typedef struct snShading_ {
  snFrame* frame;
  const snPass* pass;
  const snOrder* order;
} snShading;

// scratch: depth, id, colour of every sample; the caches of the shader
size_t shade_scratch_bytes(void) {
  return (size_t)snTILE_SAMPLES * 12 + snLITS * sizeof(snLit) + snCELLS * sizeof(snCell);
}

static void tile_start(snTile* tile, snShader* shader, const snPass* pass, snWorker* worker,
                       int index) {
  *tile = (snTile){.x0 = index % pass->tiles_x * snTILE_W,
                   .y0 = index / pass->tiles_x * snTILE_H,
                   .pattern = pattern_of(pass->samples)};
  tile->width = pass->width - tile->x0 < snTILE_W ? pass->width - tile->x0 : snTILE_W;
  tile->height = pass->height - tile->y0 < snTILE_H ? pass->height - tile->y0 : snTILE_H;
  tile->stride = snTILE_W * tile->pattern->samples;
  tile->depth = worker->scratch;
  tile->id = (uint32_t*)(tile->depth + snTILE_SAMPLES);
  tile->colour = tile->id + snTILE_SAMPLES;
  shader->lit = (snLit*)(tile->colour + snTILE_SAMPLES);
  shader->cell = (snCell*)(shader->lit + snLITS);
  shader->tile = tile;
  memset(tile->depth, 0, (size_t)tile->stride * snTILE_H * sizeof(float));
  memset(tile->id, 0xFF, (size_t)tile->stride * snTILE_H * sizeof(uint32_t));
  for (int i = 0; i < snLITS; i++) shader->lit[i].id = snNOTHING;
  for (int i = 0; i < snCELLS; i++) shader->cell[i].part = NULL;
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

// ids as colours: the number plus one, lowest byte in red; or colours far from each other
static sn4f segment_colour(const snShader* s, uint32_t id) {
  int segment = s->frame->part[frame_triangle(s->frame, id)->part].segment;
  if (s->order->scene->flags[mjRND_IDCOLOR]) {
    unsigned v = (unsigned)segment + 1;
    sn4f c = {(float)(v & 255), (float)(v >> 8 & 255), (float)(v >> 16 & 255), 255};
    return c * (1.0f / 255);
  }
  sn4f c = {(float)mju_Halton(segment + 1, 7), (float)mju_Halton(segment + 1, 3),
            (float)mju_Halton(segment + 1, 5), 1};
  return c;
}

static sn4f pixel_colour(snShader* s, uint32_t id, int x, int y) {
  if (s->order->scene->flags[mjRND_SEGMENT]) {
    return id == snNOTHING ? (sn4f){0, 0, 0, 1} : segment_colour(s, id);
  }
  if (id == snNOTHING) return sky_pixel(s, x, y);
  return shade_pixel(s, lit_find(s, id), x, y);
}

// Colours of the samples of one pixel; samples that see the same triangle share one.
static void pixel_samples(snShader* s, int x, int y, uint32_t* colour) {
  int samples = s->tile->pattern->samples;
  const uint32_t* id = s->tile->id + (size_t)y * (size_t)s->tile->stride + (size_t)(x * samples);
  if (samples == 4 && id[0] == id[1] && id[0] == id[2] && id[0] == id[3]) {
    colour[0] = colour[1] = colour[2] = colour[3] = colour_pack(pixel_colour(s, id[0], x, y));
    return;
  }
  for (int k = 0; k < samples; k++) {
    int same = 0;
    while (same < k && id[same] != id[k]) same++;
    colour[k] = same < k ? colour[same] : colour_pack(pixel_colour(s, id[k], x, y));
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
  snShader* s = g->shader;
  const snTile* tile = s->tile;
  int samples = tile->pattern->samples;
  uint32_t* colour =
      tile->colour + (size_t)span->y * (size_t)tile->stride + (size_t)(span->x * samples);
  for (int p = 0; p < tile->pattern->pixels; p++) {
    int any = 0;
    for (int k = 0; k < samples; k++) any |= span->mask[p * samples + k];
    if (!any || span->x + p >= tile->width) continue;
    sn4f over = shade_pixel(s, g->lit, span->x + p, span->y);
    float alpha = over[3];
    for (int k = p * samples; k < (p + 1) * samples; k++) {
      if (!span->mask[k]) continue;
      sn4f under = colour_unpack(colour[k]);
      sn4f mixed = g->additive ? under + alpha * over : under + alpha * (over - under);
      mixed = sn4f_clamp(mixed);
      mixed[3] = 1;
      colour[k] = colour_pack(mixed);
    }
  }
}

// ---- the tile

static void tile_write(const snShading* s, const snTile* tile, int x, int y, uint32_t rgba) {
  const snOrder* order = s->order;
  int px = order->viewport.left + tile->x0 + x, py = order->viewport.bottom + tile->y0 + y;
  if (px < 0 || py < 0 || px >= order->buffer->width || py >= order->buffer->height) return;
  size_t to = (size_t)py * (size_t)order->buffer->width + (size_t)px;
  size_t at = (size_t)y * (size_t)tile->stride + (size_t)(x * tile->pattern->samples);
  if (order->colour) {
    rgba |= 0xFF000000u;
    unsigned char pixel[4] = {(unsigned char)rgba, (unsigned char)(rgba >> 8),
                              (unsigned char)(rgba >> 16), (unsigned char)(rgba >> 24)};
    memcpy(order->buffer->rgba + 4 * to, pixel, sizeof pixel);
  }
  if (order->depth) order->buffer->depth[to] = tile->depth[at];
  if (order->object) {
    uint32_t id = tile->id[at];
    order->object[to] =
        id == snNOTHING ? -1 : s->frame->part[frame_triangle(s->frame, id)->part].geom;
  }
}

static uint32_t pixel_resolve(const uint32_t* colour, int samples) {
  if (samples == 1) return colour[0];
  if (colour[0] == colour[1] && colour[0] == colour[2] && colour[0] == colour[3]) return colour[0];
  uint32_t rgba = 0;
  for (int c = 0; c < 32; c += 8) {
    uint32_t sum = 0;
    for (int k = 0; k < 4; k++) sum += colour[k] >> c & 255;
    rgba |= (sum + 2) / 4 << c;
  }
  return rgba;
}

static void tile_opaque_colours(snShader* s, const snTile* tile) {
  int samples = tile->pattern->samples;
  for (int y = 0; y < tile->height; y++) {
    for (int x = 0; x < tile->width; x++) {
      pixel_samples(s, x, y,
                    tile->colour + (size_t)y * (size_t)tile->stride + (size_t)(x * samples));
    }
  }
}

static void tile_job(void* context, int index, int worker) {
  snShading* s = context;
  const snOrder* order = s->order;
  snTile tile;
  snShader shader = {.frame = s->frame, .pass = s->pass, .order = order};
  const snAssets* assets = order->assets;
  if (!s->pass->image && order->scene->flags[mjRND_SKYBOX] && assets->skybox >= 0 &&
      assets->texture[assets->skybox].levels) {
    shader.sky = &assets->texture[assets->skybox];
  }
  for (int i = 0; i < s->frame->nlamp; i++) shader.shadows += s->frame->lamp[i].shadow;
  for (int i = s->pass->first; i < s->pass->first + s->pass->count; i++) {
    const snPart* part = &s->frame->part[i];
    if (part->infinite && !part->transparent && shader.nendless < 4) {
      shader.endless[shader.nendless++] = part;
    }
  }
  tile_start(&tile, &shader, s->pass, &s->frame->worker[worker], index);
  snCursor cursor;
  uint32_t id;
  bool coloured = false;
  snGlass glass = {&shader, NULL, order->scene->flags[mjRND_ADDITIVE]};
  cursor_start(&cursor, s->frame, index);
  while (cursor_next(&cursor, &id)) {
    const snTriangle* triangle = frame_triangle(s->frame, id);
    if (!s->frame->part[triangle->part].transparent) {
      raster_triangle(&tile, triangle, id);
      continue;
    }
    if (!order->colour) continue;
    if (!coloured) tile_opaque_colours(&shader, &tile);
    coloured = true;
    glass.lit = lit_find(&shader, id);
    raster_spans(&tile, triangle, glass_span, &glass);
  }
  if (order->colour && !coloured) tile_opaque_colours(&shader, &tile);
  int samples = tile.pattern->samples;
  for (int y = 0; y < tile.height; y++) {
    for (int x = 0; x < tile.width; x++) {
      const uint32_t* colour =
          tile.colour + (size_t)y * (size_t)tile.stride + (size_t)(x * samples);
      tile_write(s, &tile, x, y, order->colour ? pixel_resolve(colour, samples) : 0);
    }
  }
}

void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order) {
  snShading s = {frame, pass, order};
  frame_parallel(frame, pass->tiles_x * pass->tiles_y, tile_job, &s);
}
