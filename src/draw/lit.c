// Triangles and cells of planes, made ready for shading: corners are lit, values given at corners
// become linear functions of the tile's pixels. The corners are lanes.
#include "draw/passes.h"

#include "draw/light.h"
#include "draw/shade.h"

// ---- triangles

// Twice the area of a face times its normal.
SN_INLINE void face_normal(const float v[3][3], float n[3]) {
  float a[3], b[3];
  for (int c = 0; c < 3; c++) a[c] = v[1][c] - v[0][c], b[c] = v[2][c] - v[0][c];
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
}

// Normals of the corners, in the surface's frame. A mesh's normal that leans more than 37 degrees
// from its face (cosine 4/5) gives way to the face's, so that sharp edges stay sharp.
SN_INLINE void corner_normals(const snSurface* surface, uint32_t face, const float v[3][3],
                              sn4f normal[3]) {
  float flat[3];
  face_normal(v, flat);
  float square = (flat[0] * flat[0] + flat[1] * flat[1]) + flat[2] * flat[2];
  const float* n[3] = {flat, flat, flat};
  for (int k = 0; surface->normal && k < 3; k++) {
    const float* own = surface->normal + 3 * surface->facenormal[3 * face + (uint32_t)k];
    float along = (own[0] * flat[0] + own[1] * flat[1]) + own[2] * flat[2];
    if (surface->crease && (along < 0 || along * along < 0.64f * square)) continue;
    n[k] = own;
  }
  for (int c = 0; c < 3; c++) normal[c] = (sn4f){n[0][c], n[1][c], n[2][c], n[2][c]};
}

// From the surface's frame to the world, at unit length.
SN_INLINE void world_normals(const snDrawPart* part, const sn4f n[3], sn4f normal[3]) {
  const sn4f zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  for (int r = 0; r < 3; r++) {
    const float* m = part->normal + 3 * r;
    normal[r] = (m[0] * n[0] + m[1] * n[1]) + m[2] * n[2];
  }
  sn4f square = (normal[0] * normal[0] + normal[1] * normal[1]) + normal[2] * normal[2];
  sn4x some = square > zero;
  sn4f inverse = sn4f_select(some, one / sn4f_sqrt(sn4f_select(some, square, one)), zero);
  for (int r = 0; r < 3; r++) normal[r] *= inverse;
}

// Rows of the inverse of [X0 X1 X2; Y0 Y1 Y2; W0 W1 W2], up to a factor: the cross products of its
// columns, out[c] with a lane for each corner. Pixels count from the tile's corner, at their
// centres. Large planes need doubles.
SN_INLINE void lit_rows(const snShader* s, const sn4f world[3], sn4f out[3]) {
  double ox = s->tile->x0 + 0.5, oy = s->tile->y0 + 0.5, scale = 0;
  sn4 p[4], w[3], row[3];
  for (int c = 0; c < 3; c++) w[c] = __builtin_convertvector(world[c], sn4);
  for (int r = 0; r < 4; r++) {
    const float* m = s->pass->matrix + 4 * r;
    p[r] = (((double)m[0] * w[0] + (double)m[1] * w[1]) + (double)m[2] * w[2]) + (double)m[3];
  }
  sn4 v[3] = {p[0] - ox * p[3], p[1] - oy * p[3], p[3]}, a[3], b[3];
  for (int c = 0; c < 3; c++) {
    a[c] = __builtin_shufflevector(v[c], v[c], 1, 2, 0, 3);
    b[c] = __builtin_shufflevector(v[c], v[c], 2, 0, 1, 3);
  }
  for (int c = 0; c < 3; c++) {
    int i = c == 2 ? 0 : c + 1, j = i == 2 ? 0 : i + 1;
    row[c] = a[i] * b[j] - a[j] * b[i];
    for (int k = 0; k < 3; k++) scale = sn_max(scale, fabs(row[c][k]));
  }
  double inverse = scale > 0 ? 1 / scale : 1;
  for (int c = 0; c < 3; c++) out[c] = __builtin_convertvector(row[c] * inverse, sn4f);
}

// Values of the corners, one vector each.
SN_INLINE void slope_make(snPlaneSlope* slope, const sn4f row[3], const sn4f value[3]) {
  for (int c = 0; c < 3; c++) {
    sn4f_store(slope->v[c], (row[c][0] * value[0] + row[c][1] * value[1]) + row[c][2] * value[2]);
  }
}

// The same of values with a lane for each corner.
SN_INLINE void slope_make_lanes(snPlaneSlope* slope, const sn4f row[3], const sn4f lanes[3]) {
  sn4f value[4] = {lanes[0], lanes[1], lanes[2], {0, 0, 0, 0}};
  sn4f_transpose(value);
  slope_make(slope, row, value);
}

// What the texture needs at a corner.
SN_INLINE sn4f corner_map(const snDrawPart* part, uint32_t face, int k, const float v[3]) {
  const snSurface* surface = part->surface;
  switch (part->mapping) {
    case snMAP_COORDINATES: {
      const float* uv = surface->texcoord + 2 * surface->facetexcoord[3 * face + (uint32_t)k];
      return (sn4f){uv[0], uv[1], v[0], v[1]};
    }
    case snMAP_PLANE:
      return (sn4f){part->map[0] * v[0] + part->map[1], part->map[2] * v[1] + part->map[3], v[0],
                    v[1]};
    case snMAP_CUBE:
      if (part->cell[0] > 0) {  // no third coordinate
        return (sn4f){part->map[0] * v[0] + part->map[4], part->map[1] * v[1] + part->map[5], v[0],
                      v[1]};
      }
      return (sn4f){part->map[0] * v[0], part->map[1] * v[1], part->map[2] * v[2] + part->map[3],
                    0};
    default:
      return (sn4f){0, 0, v[0], v[1]};
  }
}

// Where an endless plane is nearer than its haze begins at all corners of the tile, it is so in all
// of it: along a line in the picture the distance has one minimum and no other extreme.
static bool lit_hazy(const snShader* s, const snLit* lit) {
  if (!lit->part->infinite || !s->sky) return false;
  float clear = s->clear, side = 0;
  for (int corner = 0; corner < 4; corner++) {
    float x = corner & 1 ? snTILE_W : -1, y = corner & 2 ? snTILE_H : -1, square = 0;
    float below = (x * lit->sum[0] + y * lit->sum[1]) + lit->sum[2];
    if (corner && !(below * side > 0)) return true;  // the horizon crosses the tile
    side = below;
    float inverse = 1 / below;
    for (int k = 0; k < 3; k++) {
      const float(*v)[4] = lit->world.v;
      float ray = ((x * v[0][k] + y * v[1][k]) + v[2][k]) * inverse - s->pass->eye[k];
      square += ray * ray;
    }
    if (!(square < 0.99f * clear * clear)) return true;
  }
  return false;
}

// Where the corners of a triangle lie and which way they look, a lane for each.
typedef struct snLitCorners_ {
  sn4f pos[3], normal[3], row[3];
} snLitCorners;

// All of a triangle but its light.
SN_INLINE void lit_place(snShader* s, snLit* lit, uint32_t id, snLitCorners* corners) {
  const snTriangle* t = frame_triangle(s->frame, id);
  const snDrawPart* part = &s->frame->part[t->part];
  const snSurface* surface = part->surface;
  const int* index = surface->face + 3 * t->face;
  float v[3][3];
  for (int k = 0; k < 3; k++) {
    v[k][0] = surface->x[index[k]], v[k][1] = surface->y[index[k]], v[k][2] = surface->z[index[k]];
  }
  sn4f local[3], value[3], *world = corners->pos, *row = corners->row;
  for (int c = 0; c < 3; c++) local[c] = (sn4f){v[0][c], v[1][c], v[2][c], v[2][c]};
  for (int r = 0; r < 3; r++) {
    const float* m = part->mat + 3 * r;
    world[r] = part->pos[r] + ((m[0] * local[0] + m[1] * local[1]) + m[2] * local[2]);
  }
  lit->id = id;
  lit->part = part;
  // of a box the upper face alone: all corners at one height
  lit->mirror = part->mirror >= 0 &&
                (part->cell[0] || (v[0][2] > 0 && v[0][2] == v[1][2] && v[0][2] == v[2][2]));
  lit_rows(s, world, row);
  for (int c = 0; c < 3; c++) lit->sum[c] = (row[c][0] + row[c][1]) + row[c][2];
  slope_make_lanes(&lit->world, row, world);
  lit->hazy = lit_hazy(s, lit);
  if (part->mapping || part->cell[0]) {
    for (int k = 0; k < 3; k++) value[k] = corner_map(part, t->face, k, v[k]);
    slope_make(&lit->map, row, value);
  }
  if (part->cell[0]) return;
  sn4f normal[3];
  corner_normals(surface, t->face, v, normal);
  world_normals(part, normal, corners->normal);
}

SN_INLINE snLit* lit_slot(const snShader* s, uint32_t id) {
  return (snLit*)(s->lit + (id & (s->lits - 1)) * s->lit_bytes);
}

enum { snLIT_AHEAD = 8 };  // rows of pixels looked through

// Up to eight triangles of one part that are not in the cache: the one that is needed, and others
// that are seen near it. Each takes its place in the cache at once, which none takes from another.
static int lits_gather(snShader* s, uint32_t id, int x, int y, uint32_t found[8]) {
  const snTile* tile = s->tile;
  uint32_t part = frame_triangle(s->frame, id)->part, last = id, taken = s->lits - 1;
  int count = 1, end = (tile->width - x < 8 ? tile->width - x : 8) * tile->pattern->samples;
  found[0] = id;
  lit_slot(s, id)->id = id;
  if (s->frame->part[part].cell[0] > 0) return 1;
  for (int row = y; row < y + snLIT_AHEAD && row < tile->height; row++) {
    const uint32_t* ids = tile->id + (size_t)row * (size_t)tile->stride;
    ids += (size_t)(x * tile->pattern->samples);
    for (int k = 0; k < end && count < 8; k++) {
      if (ids[k] == last || ids[k] == snNOTHING) continue;
      last = ids[k];
      bool mine = lit_slot(s, last)->id != last && frame_triangle(s->frame, last)->part == part;
      for (int i = 0; i < count; i++) mine = mine && ((found[i] ^ last) & taken);
      if (!mine || flat_is(s, last)) continue;
      lit_slot(s, last)->id = last;
      found[count++] = last;
    }
  }
  return count;
}

// Light of the corners of up to eight triangles, a lane for each corner.
static void lits_light(const snShader* s, const uint32_t found[8], int count,
                       const snLitCorners corners[8]) {
  const snDrawPart* part = lit_slot(s, found[0])->part;
  sn4f value[1 + snPASSLIGHTS][24 + 7];  // corner by corner
  for (int first = 0; first < 3 * count; first += 8) {
    sn8f pos[3], normal[3], light[1 + snPASSLIGHTS][3];
    for (int lane = 0; lane < 8; lane++) {
      int at = first + lane < 3 * count ? first + lane : first, i = at / 3, k = at % 3;
      for (int c = 0; c < 3; c++) {
        pos[c][lane] = corners[i].pos[c][k], normal[c][lane] = corners[i].normal[c][k];
      }
    }
    light_points(s->frame, s->pass, part, pos, normal, light);
    for (int l = 0; l <= s->shadows; l++) {
      for (int lane = 0; lane < 8; lane++) {
        value[l][first + lane] = (sn4f){light[l][0][lane], light[l][1][lane], light[l][2][lane], 0};
      }
    }
  }
  for (int i = 0; i < count; i++) {
    snLit* lit = lit_slot(s, found[i]);
    for (int l = 0; l <= s->shadows; l++) {
      slope_make(&lit->colour[l], corners[i].row, value[l] + 3 * i);
    }
  }
}

SN_KERNEL
static void lit_make(snShader* s, uint32_t id, int x, int y) {
  uint32_t found[8];
  snLitCorners corners[8];
  int count = lits_gather(s, id, x, y, found);
  for (int i = 0; i < count; i++) lit_place(s, lit_slot(s, found[i]), found[i], &corners[i]);
  if (lit_slot(s, id)->part->cell[0] > 0) return;
  lits_light(s, found, count, corners);
}

const snLit* lit_find(snShader* s, uint32_t id, int x, int y) {
  const snLit* lit = lit_slot(s, id);
  if (lit->id != id) lit_make(s, id, x, y);
  return lit;
}

// ---- planes: light at the corners of a cell, mixed as in its two triangles

// The place along a side of a cell, from 0 to 1, as a linear function of pixels: with p from -1 to
// 1 over the plane, (p rim - low) / (high - low). Cells at the rim are narrower.
SN_INLINE void cell_slope(const snLit* lit, int k, int index, float slope[3]) {
  const snDrawPart* part = lit->part;
  float rim = part->rim[k], low = (float)index, high = low + 1;
  if (high > rim) high = rim;
  if (low < -rim) low = -rim;
  float inverse = high > low ? 1 / (high - low) : 0;
  for (int c = 0; c < 3; c++) {
    slope[c] = (lit->map.v[c][2 + k] * rim - low * lit->sum[c]) * inverse;
  }
}

// The block of corners that (i, j) is one of.
static const snCornerBlock* corners_find(snShader* s, const snDrawPart* part, int i, int j) {
  i >>= 2, j >>= 1;
  uint32_t place = ((unsigned)i * 5 + (unsigned)j * 3) & (s->corners - 1);
  snCornerBlock* block = (snCornerBlock*)(s->corner + place * s->corner_bytes);
  if (block->part == part && block->i == i && block->j == j) return block;
  const sn8f zero = sn8f_set1(0), along = {0, 1, 2, 3, 0, 1, 2, 3}, up = {0, 0, 0, 0, 1, 1, 1, 1};
  sn8f at[2] = {(float)(4 * i) + along, (float)(2 * j) + up}, pos[3], normal[3];
  sn8f light[1 + snPASSLIGHTS][3];
  sn4f upward[3] = {sn8f_low(zero), sn8f_low(zero), sn4f_set1(1)}, turned[3];
  for (int k = 0; k < 2; k++) {
    sn8f half = sn8f_set1(part->half[k]);
    at[k] = sn8f_max(sn8f_min(at[k] * part->cell[k], half), -half) / half;
  }
  world_normals(part, upward, turned);
  for (int r = 0; r < 3; r++) {
    const float* m = part->mat + 3 * r;
    pos[r] = part->pos[r] + (m[0] * at[0] + m[1] * at[1]);
    normal[r] = sn8f_twice(turned[r]);
  }
  light_points(s->frame, s->pass, part, pos, normal, light);
  block->part = part, block->i = i, block->j = j;
  for (int l = 0; l <= s->shadows; l++) {
    for (int c = 0; c < 3; c++) sn8f_store(block->light[l][c], light[l][c]);
  }
  return block;
}

// With f and g the place in the cell: c00 + f (c10 - c00) + g (c01 - c00) below its diagonal,
// c11 + (1-f)(c01 - c11) + (1-g)(c10 - c11) above. The lanes are c00, c10, c01, c11.
SN_KERNEL
void patch_make(snShader* s, snPatch* patch, const snLit* lit, int i, int j) {
  sn4f corner[4][1 + snPASSLIGHTS];
  for (int k = 0; k < 4; k++) {
    int ci = i + (k & 1), cj = j + (k >> 1), lane = (ci & 3) + 4 * (cj & 1);
    const snCornerBlock* block = corners_find(s, lit->part, ci, cj);
    for (int l = 0; l <= s->shadows; l++) {
      const float(*light)[8] = block->light[l];
      corner[k][l] = (sn4f){light[0][lane], light[1][lane], light[2][lane], 0};
    }
  }
  float f[3], g[3];
  cell_slope(lit, 0, i, f);
  cell_slope(lit, 1, j, g);
  patch->id = lit->id, patch->i = i, patch->j = j;
  for (int l = 0; l <= s->shadows; l++) {
    sn4f c[4] = {corner[0][l], corner[1][l], corner[2][l], corner[3][l]};
    sn4f upper = c[3] - (c[3] - c[2]) - (c[3] - c[1]);
    float(*low)[4] = patch->colour[l].v, (*high)[4] = patch->colour[1 + s->shadows + l].v;
    for (int k = 0; k < 3; k++) {
      sn4f_store(low[k], lit->sum[k] * c[0] + (f[k] * (c[1] - c[0]) + g[k] * (c[2] - c[0])));
      sn4f_store(high[k], lit->sum[k] * upper + (f[k] * (c[3] - c[2]) + g[k] * (c[3] - c[1])));
    }
  }
}
