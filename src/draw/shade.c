// Shading: for each tile visibility, then colours of its pixels.
#include "draw/shade.h"

#include "draw/raster.h"

enum { snTILE_SAMPLES = snTILE_W * snTILE_H * snSAMPLES };

size_t shade_scratch_bytes(void) { return (size_t)snTILE_SAMPLES * (4 + 4); }

typedef struct snShading_ {
  snFrame* frame;
  const snPass* pass;
  const snOrder* order;
} snShading;

static void tile_start(snTile* tile, const snPass* pass, snWorker* worker, int index) {
  *tile = (snTile){.x0 = index % pass->tiles_x * snTILE_W,
                   .y0 = index / pass->tiles_x * snTILE_H,
                   .pattern = pattern_of(pass->samples)};
  tile->width = pass->width - tile->x0 < snTILE_W ? pass->width - tile->x0 : snTILE_W;
  tile->height = pass->height - tile->y0 < snTILE_H ? pass->height - tile->y0 : snTILE_H;
  tile->stride = snTILE_W * tile->pattern->samples;
  tile->depth = worker->scratch;
  tile->id = (uint32_t*)(tile->depth + snTILE_SAMPLES);
  memset(tile->depth, 0, (size_t)tile->stride * snTILE_H * sizeof(float));
  memset(tile->id, 0xFF, (size_t)tile->stride * snTILE_H * sizeof(uint32_t));
}

static void tile_job(void* context, int index, int worker) {
  snShading* s = context;
  const snOrder* order = s->order;
  snTile tile;
  tile_start(&tile, s->pass, &s->frame->worker[worker], index);
  snCursor cursor;
  uint32_t id;
  cursor_start(&cursor, s->frame, index);
  while (cursor_next(&cursor, &id)) raster_triangle(&tile, frame_triangle(s->frame, id), id);
  int samples = tile.pattern->samples;
  for (int y = 0; y < tile.height; y++) {
    int py = order->viewport.bottom + tile.y0 + y;
    if (py < 0 || py >= order->buffer->height) continue;
    for (int x = 0; x < tile.width; x++) {
      int px = order->viewport.left + tile.x0 + x;
      if (px < 0 || px >= order->buffer->width) continue;
      size_t to = (size_t)py * (size_t)order->buffer->width + (size_t)px;
      size_t at = (size_t)y * (size_t)tile.stride + (size_t)(x * samples);
      float sum[3] = {0, 0, 0};
      for (int k = 0; k < samples; k++) {
        if (tile.id[at + k] == snNOTHING) continue;
        const snPart* part = &s->frame->part[frame_triangle(s->frame, tile.id[at + k])->part];
        for (int c = 0; c < 3; c++) sum[c] += part->rgba[c] * 255.0f / (float)samples;
      }
      for (int c = 0; c < 3; c++) order->buffer->rgba[4 * to + c] = (unsigned char)(sum[c] + 0.5f);
      order->buffer->rgba[4 * to + 3] = 255;
      order->buffer->depth[to] = tile.depth[at];
      if (order->object) {
        order->object[to] =
            tile.id[at] == snNOTHING
                ? -1
                : s->frame->part[frame_triangle(s->frame, tile.id[at])->part].geom;
      }
    }
  }
}

void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order) {
  snShading s = {frame, pass, order};
  frame_parallel(frame, pass->tiles_x * pass->tiles_y, tile_job, &s);
}
