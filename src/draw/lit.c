// Triangles and cells of planes, made ready for shading: corners are lit, values given at corners
// become linear functions of the tile's pixels. The corners are lanes.
#include "draw/passes.h"

#include "draw/corners.h"
#include "draw/light.h"
#include "draw/shade.h"

// ---- triangles

// Up to eight triangles of one part, a lane each: which way their corners look, what the texture
// needs there, and where they lie. `row` holds the rows of their inverse matrices (lits_rows).
typedef struct snLits_ {
  snLit* lit[8];
  int count;
  snTriangleCorners corner;
  float map[3][4][8];
  sn8f world[3][3], row[3][3];
} snLits;

// Rows of the inverse of [X0 X1 X2; Y0 Y1 Y2; W0 W1 W2], up to a factor: the cross products of its
// columns, row[c][k] for corner k. Pixels count from the tile's corner, at their centres. Large
// planes need doubles.
SN_INLINE void lits_rows(const snShader* s, snLits* lits) {
  const double ox = s->tile->x0 + 0.5, oy = s->tile->y0 + 0.5;
  const sn4 zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  const float* m = s->pass->matrix;
  float row[3][3][8];
  for (int half = 0; half < 2; half++) {
    sn4 v[3][3], r[3][3], scale = zero;  // coordinate, corner
    for (int k = 0; k < 3; k++) {
      sn4 w[3], p[4];
      for (int c = 0; c < 3; c++) w[c] = sn8f_half(lits->world[k][c], half);
      for (int i = 0; i < 4; i++) {
        p[i] = (((double)m[4 * i] * w[0] + (double)m[4 * i + 1] * w[1]) +
                (double)m[4 * i + 2] * w[2]) +
               (double)m[4 * i + 3];
      }
      v[0][k] = p[0] - ox * p[3], v[1][k] = p[1] - oy * p[3], v[2][k] = p[3];
    }
    for (int c = 0; c < 3; c++) {
      int i = (c + 1) % 3, j = (c + 2) % 3;
      for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        r[c][k] = v[i][a] * v[j][b] - v[j][a] * v[i][b];
        scale = sn4_max(sn4_abs(r[c][k]), scale);
      }
    }
    sn4 inverse = 1 / sn4_select(scale > zero, scale, one);
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < 3; k++) {
        sn4f_store(row[c][k] + 4 * half, __builtin_convertvector(r[c][k] * inverse, sn4f));
      }
    }
  }
  for (int c = 0; c < 3; c++) {
    for (int k = 0; k < 3; k++) lits->row[c][k] = sn8f_load(row[c][k]);
  }
}

// A value of four parts given at the corners, as linear functions of pixels that lie `at` bytes into
// each triangle.
SN_INLINE void lits_slope(const snLits* lits, size_t at, const sn8f value[3][4]) {
  for (int c = 0; c < 3; c++) {
    const sn8f* row = lits->row[c];
    sn8f column[4];
    sn4f place[8];
    for (int i = 0; i < 4; i++) {
      column[i] = (row[0] * value[0][i] + row[1] * value[1][i]) + row[2] * value[2][i];
    }
    sn8f_rows(column, place);
    for (int i = 0; i < lits->count; i++) {
      snPlaneSlope* slope = (snPlaneSlope*)((char*)lits->lit[i] + at);
      sn4f_store(slope->v[c], place[i]);
    }
  }
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

// Levels of the texture in the middles of triangles; those within eight by eight pixels have one.
SN_INLINE void lits_levels(const snShader* s, const uint32_t found[8], const sn8f sum[3],
                           snLits* lits) {
  const snDrawPart* part = lits->lit[0]->part;
  float place[2][8] = {{0}};
  sn8f v[3][3];
  sn8i mix[2];
  for (int i = 0; i < lits->count; i++) {
    const snTriangle* t = frame_triangle(s->frame, found[i]);
    lits->lit[i]->steady = t->high[0] - t->low[0] < 8 && t->high[1] - t->low[1] < 8;
    place[0][i] = (float)(t->x[0] + t->x[1] + t->x[2]) * (1.0f / (3 * snSUB));
    place[1][i] = (float)(t->y[0] + t->y[1] + t->y[2]) * (1.0f / (3 * snSUB));
  }
  for (int c = 0; c < 3; c++) {
    const sn8f* row = lits->row[c];
    for (int k = 0; k < 3; k++) {
      v[c][k] = (row[0] * sn8f_load(lits->map[0][k]) + row[1] * sn8f_load(lits->map[1][k])) +
                row[2] * sn8f_load(lits->map[2][k]);
    }
  }
  sn8f x = sn8f_load(place[0]) - ((float)s->tile->x0 + 0.5f);
  sn8f y = sn8f_load(place[1]) - ((float)s->tile->y0 + 0.5f);
  texture_levels(part, v, sum, x, y, mix);
  for (int i = 0; i < lits->count; i++) lits->lit[i]->mix = level_mix(mix, i);
}

// All of the triangles but their light.
static void lits_place(snShader* s, const uint32_t found[8], snLits* lits) {
  const snDrawPart* part = &s->frame->part[frame_triangle(s->frame, found[0])->part];
  const sn8f zero = sn8f_set1(0);
  bool map = part->mapping || part->cell[0];
  for (int lane = 0; lane < 8; lane++) {
    uint32_t face = frame_triangle(s->frame, found[lane < lits->count ? lane : 0])->face;
    corners_load(part->surface, face, lane, &lits->corner);
    for (int k = 0; k < 3 && map; k++) {
      const float(*v)[8] = lits->corner.pos[k];
      sn4f value = corner_map(part, face, k, (float[3]){v[0][lane], v[1][lane], v[2][lane]});
      for (int c = 0; c < 4; c++) lits->map[k][c][lane] = value[c];
    }
  }
  sn8f world[3][4], values[3][4];
  for (int k = 0; k < 3; k++) {
    sn8f local[3];
    for (int c = 0; c < 3; c++) local[c] = sn8f_load(lits->corner.pos[k][c]);
    world_point(part, local, lits->world[k]);
    for (int c = 0; c < 3; c++) world[k][c] = lits->world[k][c];
    world[k][3] = zero;
    for (int c = 0; c < 4 && map; c++) values[k][c] = sn8f_load(lits->map[k][c]);
  }
  lits_rows(s, lits);
  lits_slope(lits, offsetof(snLit, world), world);
  if (map) lits_slope(lits, offsetof(snLit, map), values);
  sn8f sum[3];
  for (int c = 0; c < 3; c++) sum[c] = (lits->row[c][0] + lits->row[c][1]) + lits->row[c][2];
  for (int i = 0; i < lits->count; i++) {
    snLit* lit = lits->lit[i];
    lit->id = found[i];
    lit->part = part;
    for (int c = 0; c < 3; c++) lit->sum[c] = sum[c][i];
    // of a box the upper face alone: all corners at one height
    float high[3];
    for (int k = 0; k < 3; k++) high[k] = lits->corner.pos[k][2][i];
    bool upper = high[0] > 0 && high[0] == high[1] && high[0] == high[2];
    lit->mirror = part->mirror >= 0 && (part->cell[0] || upper);
    lit->hazy = lit_hazy(s, lit);
  }
  if (part->texture) lits_levels(s, found, sum, lits);
}

SN_INLINE snLit* lit_slot(const snShader* s, uint32_t id) {
  return (snLit*)(s->lit + (id & (s->lits - 1)) * s->lit_bytes);
}

enum { snLIT_AHEAD = 8 };  // rows of pixels looked through

// Up to eight triangles of one part that are not in the cache: the one that is needed, and others
// that are seen near it. Each takes its place in the cache at once, which none takes from another.
static int lits_gather(snShader* s, uint32_t id, int x, int y, uint32_t found[8]) {
  const snTile* tile = s->tile;
  uint32_t part = frame_triangle(s->frame, id)->part, taken = s->lits - 1;
  int count = 1, end = (tile->width - x < 8 ? tile->width - x : 8) * tile->pattern->samples;
  found[0] = id;
  lit_slot(s, id)->id = id;
  if (s->frame->part[part].cell[0] > 0) return 1;
  for (int row = y; row < y + snLIT_AHEAD && row < tile->height; row++) {
    const uint32_t* ids = tile->id + (size_t)row * (size_t)tile->stride;
    ids += (size_t)(x * tile->pattern->samples);
    for (uint32_t left = ids_fresh(ids, end); left && count < 8; left &= left - 1) {
      uint32_t other = ids[__builtin_ctz(left)];
      bool mine = lit_slot(s, other)->id != other && frame_triangle(s->frame, other)->part == part;
      for (int i = 0; i < count; i++) mine = mine && ((found[i] ^ other) & taken);
      if (!mine || flat_is(s, other)) continue;
      lit_slot(s, other)->id = other;
      found[count++] = other;
    }
  }
  return count;
}

// Light of the corners. A normal that leans too far from its face gives way to the face's.
static void lits_light(const snShader* s, const snLits* lits) {
  const snDrawPart* part = lits->lit[0]->part;
  const snSurface* surface = part->surface;
  sn8f flat[3], square, light[3][1 + snPASSLIGHTS][3];
  corners_flat(&lits->corner, flat);
  square = sn8f_dot3(flat, flat) * (snCREASE * snCREASE);
  for (int k = 0; k < 3; k++) {
    sn8f own[3], normal[3];
    for (int c = 0; c < 3; c++)
      own[c] = surface->normal ? sn8f_load(lits->corner.normal[k][c]) : flat[c];
    if (surface->normal && surface->crease) {
      sn8f along = sn8f_dot3(own, flat);
      sn8i leans = (along < sn8f_set1(0)) | (along * along < square);
      for (int c = 0; c < 3; c++) own[c] = sn8f_select(leans, flat[c], own[c]);
    }
    world_normal(part, own, normal);
    light_points(s->frame, s->pass, part, lits->world[k], normal, light[k]);
  }
  for (int l = 0; l <= s->shadows; l++) {
    sn8f value[3][4];
    for (int k = 0; k < 3; k++) {
      for (int c = 0; c < 3; c++) value[k][c] = light[k][l][c];
      value[k][3] = sn8f_set1(0);
    }
    lits_slope(lits, offsetof(snLit, colour) + (size_t)l * sizeof(snPlaneSlope), value);
  }
}

SN_KERNEL
static void lit_make(snShader* s, uint32_t id, int x, int y) {
  uint32_t found[8];
  snLits lits;
  lits.count = lits_gather(s, id, x, y, found);
  for (int i = 0; i < lits.count; i++) lits.lit[i] = lit_slot(s, found[i]);
  lits_place(s, found, &lits);
  if (lits.lit[0]->part->cell[0] > 0) return;
  lits_light(s, &lits);
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
  const sn8f upward[3] = {zero, zero, sn8f_set1(1)};
  for (int k = 0; k < 2; k++) {
    sn8f half = sn8f_set1(part->half[k]);
    at[k] = sn8f_max(sn8f_min(at[k] * part->cell[k], half), -half) / half;
  }
  world_point(part, (sn8f[3]){at[0], at[1], zero}, pos);
  world_normal(part, upward, normal);
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
