// Geometry: vertices of parts are projected, triangles are culled and clipped, and what is left is
// listed by the tiles it touches.
//
// Vertices are projected eight at a time and rounded to 1/256 pixel, the grid on which raster.c
// computes exactly. Triangles within a guard band need no clipping; others are clipped in double
// precision against the near plane and the band. Every worker has lists of its own, which tiles
// read in the order of parts.
#include "draw/passes.h"

#include "draw/frame.h"

enum {  // where a vertex lies
  snLEFT = 1,
  snRIGHT = 2,
  snBELOW = 4,
  snABOVE = 8,
  snNEAR = 16,     // before the near plane, or behind the eye
  snFAR = 32,      // beyond the far plane
  snGUARDED = 64,  // outside the guard band, or NaN
  snCUT = 128,     // behind the plane that cuts the pass
};

// world to pass after vertex to world, as rows
static void part_matrix(const snDrawPart* part, const float world[16], float m[16]) {
  for (int r = 0; r < 4; r++) {
    const float* w = world + 4 * r;
    for (int c = 0; c < 3; c++) {
      m[4 * r + c] = w[0] * part->mat[c] + w[1] * part->mat[3 + c] + w[2] * part->mat[6 + c];
    }
    m[4 * r + 3] = w[0] * part->pos[0] + w[1] * part->pos[1] + w[2] * part->pos[2] + w[3];
  }
}

typedef struct snGeometry_ {
  snFrame* frame;
  const snPass* pass;
  const uint32_t* job;  // 2 per job: part, first face
} snGeometry;

// ---- vertices

SN_INLINE sn8f row_times(const float* row, sn8f x, sn8f y, sn8f z) {
  return ((row[0] * x + row[1] * y) + row[2] * z) + row[3];
}

// nearest step of 1/256 pixel, halves upward; arguments are within the guard band
SN_INLINE sn8i snap(sn8f v) {
  sn8f t = v * (float)snSUB + 0.5f;
  sn8i whole = __builtin_convertvector(t, sn8i);
  return whole + (__builtin_convertvector(whole, sn8f) > t);
}

// Rows of four values for eight vertices become eight vertices of four values.
SN_INLINE void vertices_store(snVertex* to, sn8i x, sn8i y, sn8i flag, sn8i depth) {
  sn8i xy_low = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13);
  sn8i xy_high = __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
  sn8i fd_low = __builtin_shufflevector(flag, depth, 0, 8, 1, 9, 4, 12, 5, 13);
  sn8i fd_high = __builtin_shufflevector(flag, depth, 2, 10, 3, 11, 6, 14, 7, 15);
  sn8i v04 = __builtin_shufflevector(xy_low, fd_low, 0, 1, 8, 9, 4, 5, 12, 13);
  sn8i v15 = __builtin_shufflevector(xy_low, fd_low, 2, 3, 10, 11, 6, 7, 14, 15);
  sn8i v26 = __builtin_shufflevector(xy_high, fd_high, 0, 1, 8, 9, 4, 5, 12, 13);
  sn8i v37 = __builtin_shufflevector(xy_high, fd_high, 2, 3, 10, 11, 6, 7, 14, 15);
  sn8i_store((int*)to, __builtin_shufflevector(v04, v15, 0, 1, 2, 3, 8, 9, 10, 11));
  sn8i_store((int*)(to + 2), __builtin_shufflevector(v26, v37, 0, 1, 2, 3, 8, 9, 10, 11));
  sn8i_store((int*)(to + 4), __builtin_shufflevector(v04, v15, 4, 5, 6, 7, 12, 13, 14, 15));
  sn8i_store((int*)(to + 6), __builtin_shufflevector(v26, v37, 4, 5, 6, 7, 12, 13, 14, 15));
}

SN_KERNEL
static void vertices_transform(const snSurface* s, const float m[16], float width, float height,
                               snVertex* to) {
  const sn8f zero = sn8f_set1(0), guard = sn8f_set1(snGUARD);
  for (int i = 0; i < s->nvert; i += 8) {
    sn8f x = sn8f_load(s->x + i), y = sn8f_load(s->y + i), z = sn8f_load(s->z + i);
    sn8f X = row_times(m, x, y, z), Y = row_times(m + 4, x, y, z);
    sn8f Z = row_times(m + 8, x, y, z), W = row_times(m + 12, x, y, z);
    sn8i flag = ((X < zero) & snLEFT) | ((X > width * W) & snRIGHT) | ((Y < zero) & snBELOW) |
                ((Y > height * W) & snABOVE) | (~(Z <= W) & snNEAR) | ((Z < zero) & snFAR);
    sn8i ahead = W > zero;
    sn8f inverse = 1.0f / sn8f_select(ahead, W, sn8f_set1(1));
    sn8f px = X * inverse, py = Y * inverse;
    sn8i inside = ahead & (px < guard) & (px > -guard) & (py < guard) & (py > -guard);
    flag |= ~inside & snGUARDED;
    vertices_store(to + i, snap(sn8f_select(inside, px, zero)), snap(sn8f_select(inside, py, zero)),
                   flag, (sn8i)(Z * inverse));
  }
}

// The plane that cuts the pass, for the part's own coordinates.
static void part_cut(const snDrawPart* part, const float plane[4], float cut[4]) {
  for (int c = 0; c < 3; c++) {
    cut[c] = plane[0] * part->mat[c] + plane[1] * part->mat[3 + c] + plane[2] * part->mat[6 + c];
  }
  cut[3] = plane[0] * part->pos[0] + plane[1] * part->pos[1] + plane[2] * part->pos[2] + plane[3];
}

static void vertices_cut(const snDrawPart* part, const float plane[4], snVertex* vertex) {
  const snSurface* s = part->surface;
  float cut[4];
  part_cut(part, plane, cut);
  for (int i = 0; i < s->nvert; i++) {
    float side = cut[0] * s->x[i] + cut[1] * s->y[i] + cut[2] * s->z[i] + cut[3];
    if (!(side >= 0)) vertex[i].flag |= snCUT;
  }
}

static void vertices_job(void* context, int index, int worker) {
  snGeometry* g = context;
  const snDrawPart* part = &g->frame->part[g->pass->first + index];
  float m[16];
  if (part->vertex0 < 0) return;
  part_matrix(part, g->pass->matrix, m);
  snVertex* vertex = g->frame->vertex + part->vertex0;
  vertices_transform(part->surface, m, (float)g->pass->width, (float)g->pass->height, vertex);
  if (g->pass->cut) vertices_cut(part, g->pass->cut_plane, vertex);
}

// ---- lists of tiles

static void* worker_grow(void* block, size_t* room, size_t size, bool* failed) {
  size_t more = *room ? 2 * *room : 256;
  void* bigger = memory_resize(block, *room * size, more * size);
  if (!bigger) {
    *failed = true;
    return block;
  }
  *room = more;
  return bigger;
}

// Room for one more triangle.
static bool triangles_grow(snWorker* w) {
  size_t room = w->triangle_room;
  w->triangle = worker_grow(w->triangle, &w->triangle_room, sizeof(snTriangle), &w->failed);
  if (!w->failed) w->job = worker_grow(w->job, &room, sizeof(uint32_t), &w->failed);
  if (w->failed && w->triangle_room > room) w->triangle_room = room;  // as long as the shorter one
  if (w->triangle_room > 0xFFFFFFF) w->failed = true;                 // ids have 28 bits
  return !w->failed;
}

static inline void tile_add(snWorker* w, int tile, uint32_t triangle) {
  uint32_t at = w->tail[tile];
  if (!at || w->chunk[at - 1].count == 62) {
    if (w->nchunk == w->chunk_room) {
      w->chunk = worker_grow(w->chunk, &w->chunk_room, sizeof(snChunk), &w->failed);
      if (w->failed) return;
    }
    uint32_t fresh = (uint32_t)++w->nchunk;
    w->chunk[fresh - 1].next = w->chunk[fresh - 1].count = 0;
    if (at) {
      w->chunk[at - 1].next = fresh;
    } else {
      w->head[tile] = fresh;
    }
    w->tail[tile] = at = fresh;
  }
  snChunk* chunk = &w->chunk[at - 1];
  SN_ASSERT(chunk->count < 62);
  chunk->triangle[chunk->count++] = triangle;
}

void cursor_start(snCursor* cursor, const snFrame* frame, int tile) {
  cursor->frame = frame;
  for (int i = 0; i < frame->threads; i++) {
    cursor->chunk[i] = frame->worker[i].head[tile];
    cursor->at[i] = 0;
  }
}

// ---- triangles

SN_INLINE sn4x min4(sn4x a, sn4x b) { return (a & (a < b)) | (b & ~(a < b)); }
SN_INLINE sn4x max4(sn4x a, sn4x b) { return (a & (a > b)) | (b & ~(a > b)); }

SN_INLINE sn4x vertex_load(const snVertex* v) {
  sn4x lanes;
  memcpy(&lanes, v, sizeof lanes);
  return lanes;
}

// Whether a tile lies beyond one edge of a counterclockwise triangle: there the edge's function
// (raster.c) is largest at one corner of the tile.
static bool tile_outside(const snTriangle* t, int tx, int ty) {
  const int wide = snTILE_W * snSUB, high = snTILE_H * snSUB;
  for (int i = 0; i < 3; i++) {
    int j = i == 2 ? 0 : i + 1;
    long long dx = t->x[j] - t->x[i], dy = t->y[j] - t->y[i];
    long long x = tx * wide + (dy < 0 ? wide : 0), y = ty * high + (dx > 0 ? high : 0);
    if (dx * (y - t->y[i]) - dy * (x - t->x[i]) < 0) return true;
  }
  return false;
}

// One counterclockwise triangle on the lists of the tiles that it touches.
SN_INLINE void triangle_list(snGeometry* g, snWorker* w, uint32_t job, const int x[3],
                             const int y[3], const float depth[3], sn4x low, sn4x high,
                             uint32_t part, uint32_t face) {
  const snPass* pass = g->pass;
  int low_x = low[0], low_y = low[1], high_x = high[0], high_y = high[1];
  if (high_x < 0 || high_y < 0) return;
  int tx0 = low_x < 0 ? 0 : low_x / (snSUB * snTILE_W), tx1 = high_x / (snSUB * snTILE_W);
  int ty0 = low_y < 0 ? 0 : low_y / (snSUB * snTILE_H), ty1 = high_y / (snSUB * snTILE_H);
  if (tx1 >= pass->tiles_x) tx1 = pass->tiles_x - 1;
  if (ty1 >= pass->tiles_y) ty1 = pass->tiles_y - 1;
  if (tx0 > tx1 || ty0 > ty1) return;
  if (w->ntriangle == w->triangle_room && !triangles_grow(w)) return;
  uint32_t id = (uint32_t)w->ntriangle++;
  snTriangle* t = &w->triangle[id];
  for (int k = 0; k < 3; k++) t->x[k] = x[k], t->y[k] = y[k], t->depth[k] = depth[k];
  // vertices lie in the guard band, so pixels fit 16 bits
  int first = pass->samples > 1 ? snSUB / 8 : snSUB / 2, last = snSUB - first;
  sn4x from = (low - last + (snSUB - 1)) >> 8, to = (high - first) >> 8;
  for (int k = 0; k < 2; k++) t->low[k] = (short)from[k], t->high[k] = (short)to[k];
  t->part = part, t->face = face;
  w->job[id] = job;
  bool several = tx1 > tx0 && ty1 > ty0;
  for (int ty = ty0; ty <= ty1; ty++) {
    for (int tx = tx0; tx <= tx1; tx++) {
      if (several && tile_outside(t, tx, ty)) continue;
      tile_add(w, ty * pass->tiles_x + tx, id);
    }
  }
}

// An edge as a strip of the line's width, two triangles.
static void edge_list(snGeometry* g, snWorker* w, uint32_t job, const int x[2], const int y[2],
                      const float depth[2], uint32_t part, uint32_t face) {
  double dx = x[1] - x[0], dy = y[1] - y[0], length = sqrt(dx * dx + dy * dy);
  if (!(length > 0)) return;
  double half = 0.5 * g->pass->wire * snSUB / length;
  int ox = (int)floor(-dy * half + 0.5), oy = (int)floor(dx * half + 0.5);
  int cx[4] = {x[0] - ox, x[1] - ox, x[1] + ox, x[0] + ox};
  int cy[4] = {y[0] - oy, y[1] - oy, y[1] + oy, y[0] + oy};
  float cd[4] = {depth[0], depth[1], depth[1], depth[0]};
  for (int k = 1; k < 3; k++) {
    int tx[3] = {cx[0], cx[k], cx[k + 1]}, ty[3] = {cy[0], cy[k], cy[k + 1]};
    float td[3] = {cd[0], cd[k], cd[k + 1]};
    long long area =
        (long long)(tx[1] - tx[0]) * (ty[2] - ty[0]) - (long long)(tx[2] - tx[0]) * (ty[1] - ty[0]);
    sn4x a0 = {tx[0], ty[0], 0, 0}, a1 = {tx[1], ty[1], 0, 0}, a2 = {tx[2], ty[2], 0, 0};
    if (area > 0) {
      triangle_list(g, w, job, tx, ty, td, min4(a0, min4(a1, a2)), max4(a0, max4(a1, a2)), part,
                    face);
    }
  }
}

// The edge of a face that is a quad's diagonal, or -1. Quads are the triangles (i, j, l), (j, k,
// l).
static int face_diagonal(const snSurface* s, uint32_t face) {
  if (!s->quads) return -1;
  const int *v = s->face + 3 * face, *next = v + 3, *before = v - 3;
  if (face + 1 < (uint32_t)s->nface && next[0] == v[1] && next[2] == v[2]) return 1;
  if (face > 0 && before[1] == v[0] && before[2] == v[2]) return 2;
  return -1;
}

// Three vertices in the guard band, and the box around them.
static void triangle_emit(snGeometry* g, snWorker* w, uint32_t job, const int x[3], const int y[3],
                          const float depth[3], sn4x low, sn4x high, uint32_t part, uint32_t face,
                          int cull) {
  long long area =
      (long long)(x[1] - x[0]) * (y[2] - y[0]) - (long long)(x[2] - x[0]) * (y[1] - y[0]);
  if (area == 0 || (cull > 0 && area < 0) || (cull < 0 && area > 0)) return;
  if (g->pass->wire > 0 && !g->frame->part[part].unlit) {
    int diagonal = face_diagonal(g->frame->part[part].surface, face);
    for (int k = 0; k < 3; k++) {
      if (k == diagonal) continue;
      int n = k == 2 ? 0 : k + 1, ex[2] = {x[k], x[n]}, ey[2] = {y[k], y[n]};
      float ed[2] = {depth[k], depth[n]};
      edge_list(g, w, job, ex, ey, ed, part, face);
    }
    return;
  }
  // counterclockwise for the rasterizer; the face's own order is kept for shading by `face`
  int b = area > 0 ? 1 : 2, c = 3 - b;
  int tx[3] = {x[0], x[b], x[c]}, ty[3] = {y[0], y[b], y[c]};
  float td[3] = {depth[0], depth[b], depth[c]};
  triangle_list(g, w, job, tx, ty, td, low, high, part, face);
}

// ---- clipping: in double, against the near plane and the guard band

typedef struct snCorner_ {
  double v[5];  // X, Y, Z, W, distance in front of the plane that cuts the pass
} snCorner;

// inside is where a . v >= 0
static int clip_plane(const snCorner* in, int count, snCorner* out, const double a[5]) {
  int made = 0;
  for (int i = 0; i < count; i++) {
    const snCorner *p = &in[i], *q = &in[(i + 1) % count];
    double dp = 0, dq = 0;
    for (int k = 0; k < 5; k++) dp += a[k] * p->v[k], dq += a[k] * q->v[k];
    if (dp >= 0) out[made++] = *p;
    if ((dp >= 0) != (dq >= 0)) {
      double t = dp / (dp - dq);
      for (int k = 0; k < 5; k++) out[made].v[k] = p->v[k] + t * (q->v[k] - p->v[k]);
      made++;
    }
  }
  return made;
}

// A point of a part; false when it is NaN.
static bool corner_make(snCorner* corner, const float m[16], const float cut[4], double x, double y,
                        double z) {
  for (int r = 0; r < 5; r++) {
    const float* row = r < 4 ? m + 4 * r : cut;
    corner->v[r] = (double)row[0] * x + (double)row[1] * y + (double)row[2] * z + (double)row[3];
    if (r < 4 && !(fabs(corner->v[r]) < 1e30)) return false;
  }
  return true;
}

// What is left of a line or a polygon, in 1/256 pixel; the number of its corners.
static int corners_clip(const snPass* pass, snCorner a[12], int count, int x[12], int y[12],
                        float depth[12]) {
  snCorner b[12];
  double edge = snGUARD - 1;
  double plane[6][5] = {{0, 0, -1, 1, 0},   {1, 0, 0, edge, 0},  {-1, 0, 0, edge, 0},
                        {0, 1, 0, edge, 0}, {0, -1, 0, edge, 0}, {0, 0, 0, 0, 1}};
  bool line = count == 2;
  for (int p = 0; p < (pass->cut ? 6 : 5) && count >= 2; p++) {
    count = clip_plane(a, count, b, plane[p]);
    if (line && count > 2) count = 2;  // a crossing is found there and back
    memcpy(a, b, 12 * sizeof *a);
  }
  for (int i = 0; i < count; i++) {
    double W = a[i].v[3];
    if (!(W > 0)) return 0;
    double px = a[i].v[0] / W, py = a[i].v[1] / W;
    if (!(fabs(px) <= snGUARD && fabs(py) <= snGUARD)) return 0;
    x[i] = (int)floor(px * snSUB + 0.5);
    y[i] = (int)floor(py * snSUB + 0.5);
    depth[i] = (float)(a[i].v[2] / W);
  }
  return count;
}

// The sides of a plane's cells, each a line from end to end: at whole numbers of cells from the
// middle, and at the rim.
static void cells_list(snGeometry* g, snWorker* w, uint32_t job, const snDrawPart* part,
                       const float m[16], uint32_t part_id) {
  float cut[4] = {0, 0, 0, 1};
  if (g->pass->cut) part_cut(part, g->pass->cut_plane, cut);
  for (int axis = 0; axis < 2; axis++) {
    double rim = part->rim[axis];
    if (!(rim > 0 && rim < 1000)) continue;
    for (int line = (int)floor(-rim); line <= (int)ceil(rim); line++) {
      double at = sn_max(-1, sn_min(line / rim, 1));
      snCorner a[12];
      int x[12], y[12];
      float depth[12];
      bool good = true;
      for (int end = 0; end < 2; end++) {
        double along = end ? 1 : -1;
        good = good && corner_make(&a[end], m, cut, axis ? along : at, axis ? at : along, 0);
      }
      if (!good || corners_clip(g->pass, a, 2, x, y, depth) < 2) continue;
      edge_list(g, w, job, x, y, depth, part_id, 0);
    }
  }
}

static void triangle_clip(snGeometry* g, snWorker* w, uint32_t job, const snDrawPart* part,
                          const float m[16], uint32_t part_id, uint32_t face, int cull) {
  const snSurface* s = part->surface;
  snCorner a[12];
  float cut[4] = {0, 0, 0, 1};
  if (g->pass->cut) part_cut(part, g->pass->cut_plane, cut);
  for (int k = 0; k < 3; k++) {
    int i = s->face[3 * face + (uint32_t)k];
    if (!corner_make(&a[k], m, cut, s->x[i], s->y[i], s->z[i])) return;
  }
  int x[12], y[12];
  float depth[12];
  int count = corners_clip(g->pass, a, 3, x, y, depth);
  for (int i = 1; i + 1 < count; i++) {
    int tx[3] = {x[0], x[i], x[i + 1]}, ty[3] = {y[0], y[i], y[i + 1]};
    float td[3] = {depth[0], depth[i], depth[i + 1]};
    sn4x a0 = {tx[0], ty[0], 0, 0}, a1 = {tx[1], ty[1], 0, 0}, a2 = {tx[2], ty[2], 0, 0};
    triangle_emit(g, w, job, tx, ty, td, min4(a0, min4(a1, a2)), max4(a0, max4(a1, a2)), part_id,
                  face, cull);
  }
}

// Corners of eight faces, a lane each.
typedef struct snFaceLanes_ {
  sn8i x[3], y[3], flag[3];
} snFaceLanes;

// The vertices at eight places, coordinate by coordinate.
SN_INLINE void vertices_load(const snVertex* vertex, const int at[8], sn8i* x, sn8i* y,
                             sn8i* flag) {
  sn4x v[8];
  sn8i column[4];
  for (int i = 0; i < 8; i++) v[i] = vertex_load(vertex + at[i]);
  sn4x_columns(v, column);
  *x = column[0], *y = column[1], *flag = column[2];
}

// Bits of the faces that show their front, and of those that show their back, by the sign of the
// area. Differences of places have 25 bits, so doubles are exact.
SN_INLINE void faces_turn(const snFaceLanes* f, int* front, int* back) {
  sn8i ux = f->x[1] - f->x[0], uy = f->y[1] - f->y[0];
  sn8i vx = f->x[2] - f->x[0], vy = f->y[2] - f->y[0];
  *front = *back = 0;
  for (int half = 0; half < 2; half++) {
    sn4 area =
        sn8i_half(ux, half) * sn8i_half(vy, half) - sn8i_half(vx, half) * sn8i_half(uy, half);
    sn4x ahead = __builtin_convertvector(area > 0, sn4x),
         away = __builtin_convertvector(area < 0, sn4x);
    *front |= sn4x_bits(ahead) << 4 * half;
    *back |= sn4x_bits(away) << 4 * half;
  }
}

SN_INLINE sn8i min3(const sn8i v[3]) { return sn8i_min(sn8i_min(v[0], v[1]), v[2]); }
SN_INLINE sn8i max3(const sn8i v[3]) { return sn8i_max(sn8i_max(v[0], v[1]), v[2]); }

// Of eight faces: bits of those to be clipped, and of those to be drawn as they are. Samples lie at
// odd multiples of an eighth of a pixel in x and in y (one sample: of a half): a triangle between
// two neighbouring lines of samples covers none.
typedef struct snFaceOrder_ {
  int clip, draw, front;
} snFaceOrder;

SN_INLINE snFaceOrder faces_sort(const snFaceLanes* f, int cull, int step) {
  const int hidden = snLEFT | snRIGHT | snBELOW | snABOVE | snNEAR | snFAR | snCUT;
  sn8i all = f->flag[0] & f->flag[1] & f->flag[2], any = f->flag[0] | f->flag[1] | f->flag[2];
  int seen = sn8i_bits((all & hidden) == 0), back;
  int cut = sn8i_bits((any & (snNEAR | snGUARDED | snCUT)) != 0);
  snFaceOrder sorted = {.clip = seen & cut};
  int first = step / 2;
  sn8i none = ((min3(f->x) - first + (step - 1)) & -step) > max3(f->x) - first;
  none |= ((min3(f->y) - first + (step - 1)) & -step) > max3(f->y) - first;
  faces_turn(f, &sorted.front, &back);
  int turned = cull > 0 ? sorted.front : cull < 0 ? back : sorted.front | back;
  sorted.draw = seen & ~cut & turned & ~sn8i_bits(none);
  return sorted;
}

// A face that needs no clipping, in the guard band.
SN_INLINE void face_list(snGeometry* g, snWorker* w, uint32_t job, const snVertex* vertex,
                         const int* v, bool front, uint32_t part, uint32_t face) {
  // counterclockwise for the rasterizer; the face's own order is kept for shading by `face`
  sn4x p = vertex_load(vertex + v[0]), q = vertex_load(vertex + v[1]),
       r = vertex_load(vertex + v[2]);
  const snVertex *a = vertex + v[0], *b = vertex + v[front ? 1 : 2], *c = vertex + v[front ? 2 : 1];
  int x[3] = {a->x, b->x, c->x}, y[3] = {a->y, b->y, c->y};
  float depth[3] = {a->depth, b->depth, c->depth};
  triangle_list(g, w, job, x, y, depth, min4(p, min4(q, r)), max4(p, max4(q, r)), part, face);
}

// Faces as lines; those that leave the guard band or cross the near plane are clipped.
static void faces_wire(snGeometry* g, snWorker* w, uint32_t job, const snDrawPart* part,
                       const float m[16], uint32_t part_id, uint32_t first, uint32_t end) {
  int cull = part->two_sided ? 0 : g->pass->cull;
  const snVertex* vertex = g->frame->vertex + part->vertex0;
  for (uint32_t f = first; f < end && !w->failed; f++) {
    const int* v = part->surface->face + 3 * f;
    sn4x p = vertex_load(vertex + v[0]), q = vertex_load(vertex + v[1]),
         r = vertex_load(vertex + v[2]);
    int all = (p & q & r)[2], any = (p | q | r)[2];
    if (all & (snLEFT | snRIGHT | snBELOW | snABOVE | snNEAR | snFAR | snCUT)) continue;
    if (any & (snNEAR | snGUARDED | snCUT)) {
      triangle_clip(g, w, job, part, m, part_id, f, cull);
      continue;
    }
    int x[3] = {p[0], q[0], r[0]}, y[3] = {p[1], q[1], r[1]};
    float depth[3] = {vertex[v[0]].depth, vertex[v[1]].depth, vertex[v[2]].depth};
    triangle_emit(g, w, job, x, y, depth, min4(p, min4(q, r)), max4(p, max4(q, r)), part_id, f,
                  cull);
  }
}

SN_KERNEL
static void faces_eight(snGeometry* g, snWorker* w, uint32_t job, const snDrawPart* part,
                        const float m[16], uint32_t part_id, uint32_t first, uint32_t end) {
  int cull = part->two_sided ? 0 : g->pass->cull, step = g->pass->samples > 1 ? snSUB / 4 : snSUB;
  const snVertex* vertex = g->frame->vertex + part->vertex0;
  for (uint32_t f = first; f < end && !w->failed; f += 8) {
    const int* v = part->surface->face + 3 * f;
    int count = end - f < 8 ? (int)(end - f) : 8;
    snFaceLanes faces;
    for (int k = 0; k < 3; k++) {
      int at[8];
      for (int i = 0; i < 8; i++) at[i] = v[3 * (i < count ? i : 0) + k];
      vertices_load(vertex, at, &faces.x[k], &faces.y[k], &faces.flag[k]);
    }
    snFaceOrder sorted = faces_sort(&faces, cull, step);
    for (int left = (sorted.clip | sorted.draw) & ((1 << count) - 1); left; left &= left - 1) {
      int i = __builtin_ctz((unsigned)left);
      uint32_t face = f + (uint32_t)i;
      if (sorted.clip >> i & 1) {
        triangle_clip(g, w, job, part, m, part_id, face, cull);
      } else {
        face_list(g, w, job, vertex, v + 3 * i, sorted.front >> i & 1, part_id, face);
      }
    }
  }
}

static void faces_job(void* context, int index, int worker) {
  snGeometry* g = context;
  snFrame* frame = g->frame;
  snWorker* w = &frame->worker[worker];
  uint32_t part_id = g->job[2 * index], first = g->job[2 * index + 1], job = (uint32_t)index;
  const snDrawPart* part = &frame->part[part_id];
  uint32_t end = (uint32_t)part->surface->nface;
  if (end > first + snJOB) end = first + snJOB;
  float m[16];
  part_matrix(part, g->pass->matrix, m);
  if (!(g->pass->wire > 0)) {
    faces_eight(g, w, job, part, m, part_id, first, end);
  } else if (part->cell[0] > 0) {
    cells_list(g, w, job, part, m, part_id);
  } else {
    faces_wire(g, w, job, part, m, part_id, first, end);
  }
}

// ---- all of it

// A part whose box lies outside one side of the view is left out.
static bool part_outside(const snDrawPart* part, const snPass* pass) {
  float m[16];
  const snSurface* s = part->surface;
  part_matrix(part, pass->matrix, m);
  int all = snLEFT | snRIGHT | snBELOW | snABOVE | snNEAR | snFAR;
  for (int corner = 0; corner < 8 && all; corner++) {
    float p[3], v[4];
    for (int c = 0; c < 3; c++) p[c] = corner >> c & 1 ? s->high[c] : s->low[c];
    for (int r = 0; r < 4; r++) {
      v[r] = m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
    }
    float slack = 1e-3f * (fabsf(v[3]) + 1);
    int flag = (v[0] < -slack) * snLEFT | (v[0] > (float)pass->width * v[3] + slack) * snRIGHT |
               (v[1] < -slack) * snBELOW | (v[1] > (float)pass->height * v[3] + slack) * snABOVE |
               (v[2] > v[3] + slack) * snNEAR | (v[2] < -slack) * snFAR;
    all &= flag;
  }
  return all != 0;
}

static bool vertices_room(snFrame* frame, size_t need) {
  if (need <= frame->vertex_room) return true;
  size_t room = need + need / 2;
  memory_free(frame->vertex);
  frame->vertex = memory_alloc(room * sizeof(snVertex));
  frame->vertex_room = frame->vertex ? room : 0;
  return frame->vertex_room != 0;
}

static bool workers_reset(snFrame* frame, const snPass* pass) {
  size_t tiles = (size_t)pass->tiles_x * (size_t)pass->tiles_y;
  for (int i = 0; i < frame->threads; i++) {
    snWorker* w = &frame->worker[i];
    w->ntriangle = w->nchunk = 0;
    w->failed = false;
    if (tiles > w->tile_room) {
      memory_free(w->head);
      w->head = memory_alloc(2 * tiles * sizeof(uint32_t));
      w->tile_room = w->head ? tiles : 0;
    }
    if (!w->head) return false;
    w->tail = w->head + tiles;
    memset(w->head, 0, 2 * tiles * sizeof(uint32_t));
  }
  return true;
}

bool geometry_run(snFrame* frame, snPass* pass) {
  pass->tiles_x = (pass->width + snTILE_W - 1) / snTILE_W;
  pass->tiles_y = (pass->height + snTILE_H - 1) / snTILE_H;
  size_t vertices = 0, jobs = 0;
  for (int i = pass->first; i < pass->first + pass->count; i++) {
    snDrawPart* part = &frame->part[i];
    part->vertex0 = -1;
    if (!part->surface->nface || (pass->image && part->geom == pass->without)) continue;
    if (part_outside(part, pass)) continue;
    part->vertex0 = (int)vertices;
    vertices += ((size_t)part->surface->nvert + 7) / 8 * 8;
    jobs += ((size_t)part->surface->nface + snJOB - 1) / snJOB;
  }
  uint32_t* job = memory_alloc((2 * jobs + 1) * sizeof(uint32_t));
  bool ok = job && vertices < INT32_MAX && vertices_room(frame, vertices + 8) &&
            workers_reset(frame, pass);
  if (ok) {
    size_t at = 0;
    for (int i = pass->first; i < pass->first + pass->count; i++) {
      const snDrawPart* part = &frame->part[i];
      if (part->vertex0 < 0) continue;
      for (int f = 0; f < part->surface->nface; f += snJOB) {
        job[at++] = (uint32_t)i;
        job[at++] = (uint32_t)f;
      }
    }
    SN_ASSERT(at == 2 * jobs);
    snGeometry g = {frame, pass, job};
    frame_parallel(frame, pass->count, vertices_job, &g);
    frame_parallel(frame, (int)jobs, faces_job, &g);
    for (int i = 0; i < frame->threads; i++) ok = ok && !frame->worker[i].failed;
  }
  memory_free(job);
  return ok;
}
