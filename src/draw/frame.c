// One picture: the threads, the camera's matrix, the passes in their order (shadow maps, mirrors,
// the view), and the renderers of include/sinew/draw.h.
//
// Threads share the tiles. Each tile is drawn by one thread from lists in a fixed
// order, so a picture has the same bits with any number of threads.
#include "draw/frame.h"

#include "draw/mirror.h"
#include "draw/shade.h"
#include "draw/shadow.h"
#include "entry/guard.h"

// ---- threads

typedef struct snJobs_ {
  snJobFunction function;
  void* context;
  int count, next;
} snJobs;

typedef struct snRunner_ {
  mjTask task;
  snJobs* jobs;
  int worker;
} snRunner;

static void* jobs_run(void* argument) {
  snRunner* runner = argument;
  snJobs* jobs = runner->jobs;
  for (;;) {
    int index = __atomic_fetch_add(&jobs->next, 1, __ATOMIC_RELAXED);
    if (index >= jobs->count) return NULL;
    jobs->function(jobs->context, index, runner->worker);
  }
}

void frame_parallel(snFrame* frame, int count, snJobFunction function, void* context) {
  snJobs jobs = {function, context, count, 0};
  snRunner runner[snTHREADS];
  int helpers = frame->pool && count > 1 ? frame->threads - 1 : 0;
  for (int i = 0; i <= helpers; i++) {
    runner[i].jobs = &jobs;
    runner[i].worker = i;
    if (!i) continue;
    mju_defaultTask(&runner[i].task);
    runner[i].task.func = jobs_run;
    runner[i].task.args = &runner[i];
    mju_threadPoolEnqueue(frame->pool, &runner[i].task);
  }
  jobs_run(&runner[0]);
  for (int i = 1; i <= helpers; i++) mju_taskJoin(&runner[i].task);
}

// ---- memory

int frame_samples(int samples) { return samples > 0 ? snSAMPLES : 1; }

snFrame* frame_make(int threads) {
  snFrame* frame = memory_alloc_zero(sizeof(snFrame));
  if (!frame) return NULL;
  frame->threads = threads < 1 ? 1 : threads > snTHREADS ? snTHREADS : threads;
  bool ok = true;
  for (int i = 0; ok && i < frame->threads; i++) {
    frame->worker[i].scratch_bytes = shade_scratch_bytes();
    frame->worker[i].scratch = memory_alloc(frame->worker[i].scratch_bytes);
    ok = frame->worker[i].scratch != NULL;
  }
  if (ok && frame->threads > 1) {
    frame->pool = mju_threadPoolCreate((size_t)(frame->threads - 1));
    ok = frame->pool != NULL;
  }
  if (ok) return frame;
  frame_free(frame);
  return NULL;
}

void frame_free(snFrame* frame) {
  if (!frame) return;
  mju_threadPoolDestroy(frame->pool);
  for (int i = 0; i < frame->threads; i++) {
    snWorker* w = &frame->worker[i];
    void* blocks[] = {w->triangle, w->job, w->chunk, w->head, w->scratch};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) memory_free(blocks[k]);
  }
  loose_free(frame);
  for (int i = 0; i < snPASSLIGHTS; i++) {
    memory_free(frame->shadow[i].block);
    memory_free(frame->shadow[i].key);
  }
  for (int i = 0; i < snMIRRORS; i++) buffer_free(&frame->mirror[i].image);
  void* blocks[] = {frame->part, frame->vertex, frame->loose};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) memory_free(blocks[k]);
  memory_free(frame);
}

size_t frame_bytes(const snFrame* frame) {
  size_t bytes = sizeof *frame + frame->part_room * sizeof(snDrawPart) + frame->vertex_room * 16;
  for (int i = 0; i < frame->threads; i++) {
    const snWorker* w = &frame->worker[i];
    bytes += w->triangle_room * (sizeof(snTriangle) + 4) + w->chunk_room * sizeof(snChunk) +
             w->tile_room * 8 + w->scratch_bytes;
  }
  for (int i = 0; i < snMIRRORS; i++) {
    bytes += 8 * (size_t)frame->mirror[i].image.width * (size_t)frame->mirror[i].image.height;
  }
  for (int i = 0; i < snPASSLIGHTS; i++) {
    bytes += frame->shadow[i].room * sizeof(float) + frame->shadow[i].key_room;
  }
  return bytes;
}

// ---- the camera

static void normalize3(float v[3]) {
  float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (!(length > 0)) return;
  for (int i = 0; i < 3; i++) v[i] /= length;
}

static void cross3(float r[3], const float a[3], const float b[3]) {
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}

// With x to the right, y up and z = w the distance along the view, and the near rectangle
// [left, right] x [bottom, top] at n (the same anywhere for a parallel projection):
//   pixel x = width (x n / w - left) / (right - left)
//   depth   = n (f - w) / (w (f - n)), or (f - w) / (f - n) in parallel
static bool camera_pass(snPass* pass, const mjvGLCamera* camera, int width, int height) {
  float right[3], up[3], forward[3];
  memcpy(forward, camera->forward, sizeof forward);
  normalize3(forward);
  cross3(right, forward, camera->up);
  normalize3(right);
  cross3(up, right, forward);
  double n = camera->frustum_near, f = camera->frustum_far;
  double bottom = camera->frustum_bottom, top = camera->frustum_top;
  double half =
      camera->frustum_width ? (double)camera->frustum_width : 0.5 * width / height * (top - bottom);
  double left_edge = camera->frustum_center - half, right_edge = camera->frustum_center + half;
  if (!(f > n && f < 1e30 && top > bottom && half > 0 && (camera->orthographic || n > 0)))
    return false;
  for (int i = 0; i < 3; i++) {
    if (!(fabsf(camera->pos[i]) < 1e30f && fabsf(right[i]) <= 2 && fabsf(up[i]) <= 2)) return false;
  }
  pass->orthographic = camera->orthographic;
  pass->near = (float)n;
  pass->far = (float)f;
  memcpy(pass->eye, camera->pos, sizeof pass->eye);
  memcpy(pass->forward, forward, sizeof pass->forward);
  pass->width = width;
  pass->height = height;
  double sx = width / (right_edge - left_edge), sy = height / (top - bottom);
  double ex = 0, ey = 0, ez = 0;
  for (int i = 0; i < 3; i++) {
    ex -= (double)right[i] * camera->pos[i];
    ey -= (double)up[i] * camera->pos[i];
    ez -= (double)forward[i] * camera->pos[i];
  }
  double eye[3][4] = {{right[0], right[1], right[2], ex},
                      {up[0], up[1], up[2], ey},
                      {forward[0], forward[1], forward[2], ez}};
  for (int c = 0; c < 4; c++) {
    double one = c == 3, w = eye[2][c];
    if (camera->orthographic) {
      pass->matrix[c] = (float)(sx * (eye[0][c] - left_edge * one));
      pass->matrix[4 + c] = (float)(sy * (eye[1][c] - bottom * one));
      pass->matrix[8 + c] = (float)((f * one - w) / (f - n));
      pass->matrix[12 + c] = (float)one;
    } else {
      pass->matrix[c] = (float)(sx * (n * eye[0][c] - left_edge * w));
      pass->matrix[4 + c] = (float)(sy * (n * eye[1][c] - bottom * w));
      pass->matrix[8 + c] = (float)(n * (f * one - w) / (f - n));
      pass->matrix[12 + c] = (float)w;
    }
  }
  for (int k = 0; k < 3; k++) {
    double along = camera->orthographic ? 0 : 1 / n;
    pass->inverse[3 * k] = (float)(right[k] * along / sx);
    pass->inverse[3 * k + 1] = (float)(up[k] * along / sy);
    pass->inverse[3 * k + 2] =
        (float)(forward[k] + along * (right[k] * left_edge + up[k] * bottom));
  }
  for (int i = 0; i < 16; i++) {
    if (!(fabsf(pass->matrix[i]) < 1e30f)) return false;
  }
  return true;
}

// ---- the picture

bool frame_pass(snFrame* frame, snPass* pass, const snOrder* order, bool solid) {
  if (!collect_parts(frame, order, pass->eye, solid)) return false;
  pass->first = 0;
  pass->count = (int)frame->npart;
  if (!geometry_run(frame, pass)) return false;
  shade_pass(frame, pass, order);
  return true;
}

// A camera that sees nothing (a frustum without volume, numbers that are none) leaves the viewport
// black and far away.
static void frame_clear(const snOrder* order) {
  const snBuffer* buffer = order->buffer;
  for (int y = 0; y < buffer->height; y++) {
    if (y < order->viewport.bottom || y - order->viewport.bottom >= order->viewport.height)
      continue;
    for (int x = 0; x < buffer->width; x++) {
      if (x < order->viewport.left || x - order->viewport.left >= order->viewport.width) continue;
      size_t at = (size_t)y * (size_t)buffer->width + (size_t)x;
      memset(buffer->rgba + 4 * at, 0, 4);
      buffer->depth[at] = 0;
      if (order->object) order->object[at] = -1;
    }
  }
}

// Depth and segmentation are seen at the centres of pixels; colours with all samples. Where both
// are asked for they are two passes, unless the caller takes the depth of the first sample.
bool frame_draw(snFrame* frame, const snOrder* order) {
  const mjvScene* scene = order->scene;
  mjvGLCamera camera = order->eye < 0 ? mjv_averageCamera(&scene->camera[0], &scene->camera[1])
                                      : scene->camera[order->eye];
  camera.orthographic = scene->camera[0].orthographic;
  snPass pass = {.samples = order->style.samples, .cull = scene->flags[mjRND_CULL_FACE]};
  if (scene->flags[mjRND_WIREFRAME])
    pass.wire = order->style.line_width > 1 ? order->style.line_width : 1;
  loose_free(frame);
  frame->nmirror = 0;
  bool seen = order->viewport.width > 0 && order->viewport.height > 0 &&
              camera_pass(&pass, &camera, order->viewport.width, order->viewport.height);
  if (!seen) {
    frame_clear(order);
    return true;
  }
  collect_lamps(frame, order);
  if (order->colour && order->assets->skybox >= 0) {
    pthread_mutex_t* mutex = &((snAssets*)order->assets)->mutex;
    pthread_mutex_lock(mutex);
    texture_prepare(&order->assets->texture[order->assets->skybox]);
    pthread_mutex_unlock(mutex);
  }
  bool segment = scene->flags[mjRND_SEGMENT];
  if (order->exact || !order->colour || segment) {
    snOrder exact = *order;
    exact.colour = order->colour && segment;
    pass.samples = 1;
    if (!frame_pass(frame, &pass, &exact, true)) return false;
    if (!order->colour || segment) return true;
    pass.samples = order->style.samples;
  }
  snOrder colours = *order;
  colours.depth = order->depth && !order->exact;
  colours.object = NULL;
  if (!shadow_draw(frame, &pass, &colours) || !mirror_draw(frame, &pass, &colours)) return false;
  return frame_pass(frame, &pass, &colours, false);
}

// ---- a scene in a room

// With enabletransform a point p of the scene lies at scale R p + translate in the room, where the
// cameras are. The same is seen when the cameras are brought into the scene; lengths along the view
// shrink by the scale with them. `room` takes the scene as it is drawn.
static const mjvScene* room_scene(const mjvScene* scn, mjvScene* room) {
  if (!scn->enabletransform || !(scn->scale > 0)) return scn;
  *room = *scn;
  double back[4] = {scn->rotate[0], -scn->rotate[1], -scn->rotate[2], -scn->rotate[3]};
  float inverse = 1 / scn->scale;
  mju_normalize4(back);
  for (int i = 0; i < 2; i++) {
    mjvGLCamera* camera = &room->camera[i];
    double pos[3], forward[3], up[3];
    for (int k = 0; k < 3; k++) {
      pos[k] = ((double)camera->pos[k] - scn->translate[k]) * inverse;
      forward[k] = camera->forward[k], up[k] = camera->up[k];
    }
    mju_rotVecQuat(pos, pos, back);
    mju_rotVecQuat(forward, forward, back);
    mju_rotVecQuat(up, up, back);
    for (int k = 0; k < 3; k++) {
      camera->pos[k] = (float)pos[k];
      camera->forward[k] = (float)forward[k], camera->up[k] = (float)up[k];
    }
    float* lengths[] = {&camera->frustum_center, &camera->frustum_width, &camera->frustum_bottom,
                        &camera->frustum_top,    &camera->frustum_near,  &camera->frustum_far};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) *lengths[k] *= inverse;
  }
  for (int i = 0; i < room->nlight && i < mjMAXLIGHT; i++) {
    room->lights[i].attenuation[1] *= scn->scale;
    room->lights[i].attenuation[2] *= scn->scale * scn->scale;
  }
  return room;
}

// ---- the documented way in

// A frame of the scene's colour around the viewport.
static void render_frame(const mjvScene* scn, mjrRect v, snBuffer* buffer) {
  int w = scn->framewidth;
  if (w <= 0 || w > snPICTURE) return;
  float rgba[4] = {scn->framergb[0], scn->framergb[1], scn->framergb[2], 1};
  mjrRect side[4] = {{v.left, v.bottom, v.width, w},
                     {v.left, v.bottom + v.height - w, v.width, w},
                     {v.left, v.bottom, w, v.height},
                     {v.left + v.width - w, v.bottom, w, v.height}};
  for (int i = 0; i < 4; i++) canvas_rectangle(buffer, v, side[i], rgba);
}

static snOrder context_order(snContext* context, const mjrContext* con, mjrRect viewport,
                             const mjvScene* scn) {
  int aux = context->current_aux;
  return (snOrder){.assets = context->assets,
                   .scene = scn,
                   .style = {con->lineWidth,
                             con->shadowClip,
                             con->shadowScale,
                             con->fogStart,
                             con->fogEnd,
                             {con->fogRGBA[0], con->fogRGBA[1], con->fogRGBA[2], con->fogRGBA[3]},
                             con->shadowSize,
                             frame_samples(aux < 0 ? con->offSamples : con->auxSamples[aux])},
                   .buffer = context_buffer(context),
                   .viewport = viewport,
                   .eye = -1,
                   .colour = true,
                   .depth = true};
}

void mjr_render(mjrRect viewport, mjvScene* scn, const mjrContext* con) {
  snContext* context = context_of(con, "mjr_render");
  if (!context || !draw_given(scn, "scn", "mjr_render")) return;
  mjvScene room;
  const mjvScene* drawn = room_scene(scn, &room);
  snOrder order = context_order(context, con, viewport, drawn);
  context->view = viewport;
  bool ok;
  if (scn->stereo != mjSTEREO_NONE) {  // the left eye's picture in the left half
    order.viewport.width = viewport.width / 2;
    order.eye = 0;
    ok = frame_draw(context->frame, &order);
    order.viewport.left += order.viewport.width;
    order.eye = 1;
    ok = ok && frame_draw(context->frame, &order);
  } else {
    ok = frame_draw(context->frame, &order);
  }
  if (!ok) mju_error("mjr_render: no memory for the picture");
  overlay_labels(order.buffer, viewport, drawn, con->fontScale);
  render_frame(scn, viewport, order.buffer);
}

// ---- renderers

struct snRenderer_ {
  snAssets* assets;
  snFrame* frame;
  snBuffer buffer;
  int* object;
  int samples;
};

static snRenderer* renderer_make(snAssets* assets, int width, int height, int samples,
                                 int threads) {
  snRenderer* r = memory_alloc_zero(sizeof(snRenderer));
  if (r) {
    r->assets = assets;
    r->samples = samples;
    r->frame = frame_make(threads);
    r->object = memory_alloc((size_t)width * (size_t)height * sizeof(int));
  }
  if (r && r->assets && r->frame && r->object && buffer_make(&r->buffer, width, height)) return r;
  if (r) {
    sn_freeRenderer(r);
  } else {
    assets_release(assets);
  }
  mju_error("sn_makeRenderer: no memory for a renderer of %d x %d pixels", width, height);
  return NULL;
}

snRenderer* sn_makeRenderer(const mjModel* m, int width, int height, int samples, int threads) {
  if (!guard_assets("sn_makeRenderer", m)) return NULL;
  if (width < 1 || height < 1 || width > snPICTURE || height > snPICTURE) {
    mju_error("sn_makeRenderer: a picture of %d x %d pixels, expected from 1 to %d each way", width,
              height, snPICTURE);
    return NULL;
  }
  for (int i = 0; i < m->ntex; i++) {
    if (!texture_check(m, i, "sn_makeRenderer")) return NULL;
  }
  if (samples != 1) samples = frame_samples(samples ? samples : m->vis.quality.offsamples);
  return renderer_make(assets_make(m), width, height, samples, threads);
}

snRenderer* sn_shareRenderer(const snRenderer* r, int threads) {
  if (!draw_given(r, "renderer", "sn_shareRenderer")) return NULL;
  return renderer_make(assets_share(r->assets), r->buffer.width, r->buffer.height, r->samples,
                       threads);
}

void sn_freeRenderer(snRenderer* r) {
  if (!r) return;
  frame_free(r->frame);
  assets_release(r->assets);
  buffer_free(&r->buffer);
  memory_free(r->object);
  memory_free(r);
}

size_t sn_rendererBytes(const snRenderer* r) {
  if (!r) return 0;
  return sizeof *r + r->assets->bytes + frame_bytes(r->frame) +
         12 * (size_t)r->buffer.width * (size_t)r->buffer.height;
}

// d = n (f - w) / (w (f - n)) solved for w: f n / (n + d (f - n)); the far plane where nothing was
// drawn. In parallel f - d (f - n).
static void row_metres(const mjvGLCamera* camera, const float* from, int width, float* to) {
  float n = camera->frustum_near, f = camera->frustum_far;
  if (camera->orthographic) {
    for (int x = 0; x < width; x++) to[x] = f - from[x] * (f - n);
  } else {
    for (int x = 0; x < width; x++) to[x] = f * n / (n + from[x] * (f - n));
  }
}

// Four bytes a pixel become three, four pixels at a time: of each sixteen bytes that are written the
// last four are written again, so behind the last pixels single ones follow.
typedef unsigned char sn16b __attribute__((vector_size(16)));
static void row_rgb(const unsigned char* from, int width, unsigned char* to) {
  int x = 0;
  for (; x + 6 <= width; x += 4) {
    sn16b v;
    memcpy(&v, from + 4 * x, sizeof v);
    v = __builtin_shufflevector(v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    memcpy(to + 3 * x, &v, sizeof v);
  }
  for (; x < width; x++) memcpy(to + 3 * x, from + 4 * x, 3);
}

// From a buffer to arrays that begin with the top row.
static void picture_read(const snBuffer* buffer, const int* object, mjrRect viewport,
                         const mjvScene* scn, unsigned char* rgb, float* depth, int* segmentation) {
  int width = viewport.width, height = viewport.height;
  for (int y = 0; y < height; y++) {
    size_t from =
        (size_t)(viewport.bottom + height - 1 - y) * (size_t)buffer->width + (size_t)viewport.left;
    size_t to = (size_t)y * (size_t)width;
    if (rgb) row_rgb(buffer->rgba + 4 * from, width, rgb + 3 * to);
    if (depth) row_metres(&scn->camera[0], buffer->depth + from, width, depth + to);
    for (int x = 0; segmentation && x < width; x++) {
      int geom = object[from + (size_t)x];
      int* id = segmentation + 2 * (to + (size_t)x);
      id[0] = geom < 0 ? -1 : scn->geoms[geom].objid;
      id[1] = geom < 0 ? -1 : scn->geoms[geom].objtype;
    }
  }
}

int sn_drawScene(snRenderer* r, const mjvScene* scn, unsigned char* rgb, float* depth,
                 int* segmentation) {
  if (!draw_given(r, "renderer", "sn_drawScene") || !draw_given(scn, "scn", "sn_drawScene")) {
    return 0;
  }
  const mjVisual* vis = &r->assets->vis;
  float extent = r->assets->extent;
  mjvScene room;
  snOrder order = {
      .assets = r->assets,
      .scene = room_scene(scn, &room),
      .style = {vis->global.linewidth,
                vis->map.shadowclip * extent,
                vis->map.shadowscale,
                vis->map.fogstart * extent,
                vis->map.fogend * extent,
                {vis->rgba.fog[0], vis->rgba.fog[1], vis->rgba.fog[2], vis->rgba.fog[3]},
                vis->quality.shadowsize,
                r->samples},
      .buffer = &r->buffer,
      .viewport = {0, 0, r->buffer.width, r->buffer.height},
      .eye = -1,
      .colour = rgb != NULL,
      .depth = depth != NULL,
      .object = segmentation ? r->object : NULL,
      .exact = segmentation || depth};
  if (!frame_draw(r->frame, &order)) {
    mju_error("sn_drawScene: no memory for the picture");
    return 0;
  }
  if (rgb) overlay_labels(&r->buffer, order.viewport, order.scene, mjFONTSCALE_150);
  picture_read(&r->buffer, r->object, order.viewport, scn, rgb, depth, segmentation);
  return 1;
}

int sn_drawContext(mjrRect viewport, const mjvScene* scn, const mjrContext* con, unsigned char* rgb,
                   float* depth, int* segmentation) {
  snContext* context = context_of(con, "sn_drawContext");
  if (!context || !draw_given(scn, "scn", "sn_drawContext")) return 0;
  mjvScene room;
  snOrder order = context_order(context, con, viewport, room_scene(scn, &room));
  if (viewport.left < 0 || viewport.bottom < 0 || viewport.width < 1 || viewport.height < 1 ||
      viewport.width > order.buffer->width - viewport.left ||
      viewport.height > order.buffer->height - viewport.bottom) {
    mju_error("sn_drawContext: a viewport of %d x %d at %d, %d is not inside the buffer of %d x %d",
              viewport.width, viewport.height, viewport.left, viewport.bottom, order.buffer->width,
              order.buffer->height);
    return 0;
  }
  size_t pixels = (size_t)order.buffer->width * (size_t)order.buffer->height;
  int* object = segmentation ? memory_alloc(pixels * sizeof(int)) : NULL;
  order.colour = rgb != NULL;
  order.depth = depth != NULL;
  order.object = object;
  order.exact = depth || segmentation;
  bool ok = (object || !segmentation) && frame_draw(context->frame, &order);
  if (ok) {
    if (rgb) overlay_labels(order.buffer, viewport, order.scene, con->fontScale);
    picture_read(order.buffer, object, viewport, scn, rgb, depth, segmentation);
  }
  memory_free(object);
  if (!ok) mju_error("sn_drawContext: no memory for the picture");
  return ok;
}
