// Surfaces that are made for one picture: skins and flexes deform from step to step, and lines have
// no surface in the assets.
#include "draw/loose.h"

// Surfaces are pointed to by parts, so the list of them must not move: blocks of pointers.
snSurface* loose_add(snFrame* frame, int nvert, int nface, int nnormal, int ntexcoord) {
  if (frame->nloose == frame->loose_room) {
    size_t room = frame->loose_room ? 2 * frame->loose_room : 16;
    snSurface** loose =
        memory_resize(frame->loose, frame->loose_room * sizeof *loose, room * sizeof *loose);
    if (!loose) return NULL;
    frame->loose = loose;
    frame->loose_room = room;
  }
  snSurface* surface = memory_alloc_zero(sizeof(snSurface));
  if (!surface || !surface_make(surface, nvert, nface, nnormal, ntexcoord)) {
    memory_free(surface);
    return NULL;
  }
  frame->loose[frame->nloose++] = surface;
  return surface;
}

void loose_free(snFrame* frame) {
  for (size_t i = 0; i < frame->nloose; i++) {
    surface_free(frame->loose[i]);
    memory_free(frame->loose[i]);
  }
  frame->nloose = 0;
}

static void loose_vertex(snSurface* s, int i, const float v[3]) {
  s->x[i] = v[0], s->y[i] = v[1], s->z[i] = v[2];
}

// Every corner is a vertex of its own.
snSurface* loose_flex(snFrame* frame, const mjvScene* scene, int flex, bool texcoord) {
  int nface = scene->flexfaceused[flex];
  if (nface < 0 || nface > scene->flexfacenum[flex]) nface = 0;
  snSurface* s = loose_add(frame, 3 * nface, nface, 3 * nface, texcoord ? 3 * nface : 0);
  if (!s || !nface) return s;
  size_t first = (size_t)scene->flexfaceadr[flex];
  for (int i = 0; i < 3 * nface; i++) {
    loose_vertex(s, i, scene->flexface + 9 * first + 3 * (size_t)i);
    s->face[i] = ((int*)s->facenormal)[i] = i;
    if (texcoord) ((int*)s->facetexcoord)[i] = i;
  }
  memcpy((float*)s->normal, scene->flexnormal + 9 * first, 9 * (size_t)nface * sizeof(float));
  if (texcoord) {
    memcpy((float*)s->texcoord, scene->flextexcoord + 6 * first, 6 * (size_t)nface * sizeof(float));
  }
  surface_bounds(s);
  return s;
}

snSurface* loose_skin(snFrame* frame, const snOrder* order, int skin, bool texcoord) {
  const snAssets* a = order->assets;
  const mjvScene* scene = order->scene;
  int nvert = scene->skinvertnum[skin], nface = a->skin_facenum[skin];
  snSurface* s = loose_add(frame, nvert, nface, nvert, texcoord ? nvert : 0);
  if (!s) return NULL;
  size_t adr = 3 * (size_t)scene->skinvertadr[skin], faces = 3 * (size_t)nface * sizeof(int);
  const int* face = a->skin_face + 3 * (size_t)a->skin_faceadr[skin];
  for (int i = 0; i < nvert; i++) loose_vertex(s, i, scene->skinvert + adr + 3 * (size_t)i);
  memcpy((float*)s->normal, scene->skinnormal + adr, 3 * (size_t)nvert * sizeof(float));
  memcpy(s->face, face, faces);
  memcpy((int*)s->facenormal, face, faces);
  if (texcoord) {
    memcpy((float*)s->texcoord, a->skin_texcoord + 2 * (size_t)a->skin_texcoordadr[skin],
           2 * (size_t)nvert * sizeof(float));
    memcpy((int*)s->facetexcoord, face, faces);
  }
  surface_bounds(s);
  return s;
}

// Half the width of a line at a point: pixels times the size of a pixel there.
static float line_half(const snOrder* order, const float point[3], float width) {
  const mjvGLCamera* camera = &order->scene->camera[0];
  float pixel = (camera->frustum_top - camera->frustum_bottom) / (float)order->viewport.height;
  if (!camera->orthographic) {
    float depth = 0;
    for (int k = 0; k < 3; k++) depth += camera->forward[k] * (point[k] - camera->pos[k]);
    pixel *= fabsf(depth) / camera->frustum_near;
  }
  return 0.5f * width * pixel;
}

// A direction in the plane of the picture, at unit length: a line has one depth across it.
static void line_flatten(const snOrder* order, double side[3]) {
  double ahead[3];
  for (int k = 0; k < 3; k++) ahead[k] = order->scene->camera[0].forward[k];
  mju_addToScl3(side, ahead, -mju_dot3(side, ahead));
  mju_normalize3(side);
}

// Lines without samples are as wide along one of the picture's axes as they are asked for: the share
// of that across a line; `side` points across it.
static float line_share(const snOrder* order, const double side[3]) {
  double up[3];
  for (int k = 0; k < 3; k++) up[k] = order->scene->camera[0].up[k];
  double y = fabs(mju_dot3(side, up)), x = sqrt(sn_max(1 - y * y, 0));
  return (float)sn_max(x, y);
}

snSurface* loose_lines(snFrame* frame, const snOrder* order, const float eye[3],
                       const float* points, int count, float width, bool whole) {
  snSurface* s = loose_add(frame, 4 * count, 2 * count, 0, 0);
  if (!s) return NULL;
  for (int i = 0; i < count; i++) {
    const float *a = points + 6 * i, *b = a + 3;
    double along[3], to[3], side[3];
    for (int k = 0; k < 3; k++) along[k] = (double)b[k] - a[k], to[k] = (double)eye[k] - a[k];
    mju_cross(side, along, to);
    line_flatten(order, side);
    float share = whole ? line_share(order, side) : 1;
    float half[2] = {share * line_half(order, a, width), share * line_half(order, b, width)};
    for (int k = 0; k < 4; k++) {
      const float* end = k < 2 ? a : b;
      float out = (k == 0 || k == 3 ? -1 : 1) * half[k / 2], v[3];
      for (int c = 0; c < 3; c++) v[c] = end[c] + out * (float)side[c];
      loose_vertex(s, 4 * i + k, v);
    }
    int corner[6] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3};
    memcpy(s->face + 6 * i, corner, sizeof corner);
  }
  surface_bounds(s);
  return s;
}
