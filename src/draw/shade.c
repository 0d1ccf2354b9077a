// Shading eight pixels of a square that see one triangle: colours of its corners are interpolated;
// shadows, texture, mirror, fog and haze applied.
#include "draw/passes.h"

#include "draw/shade.h"

#include "draw/shadow.h"
#include "draw/sky.h"

SN_INLINE sn8f slope_at(const snPlaneSlope* slope, int c, sn8f x, sn8f y) {
  return (x * slope->v[0][c] + y * slope->v[1][c]) + slope->v[2][c];
}

// The bit in the middle of those that are set.
SN_INLINE int bits_middle(int bits) {
  for (int skip = __builtin_popcount((unsigned)bits) / 2; skip; skip--) bits &= bits - 1;
  return __builtin_ctz((unsigned)bits);
}

// ---- light

// Places in cells, from 0 to 1; cells at the rim are narrower.
SN_INLINE sn8f cell_place(sn8f at, sn8i index, float rim) {
  sn8f low = __builtin_convertvector(index, sn8f), high = low + 1, end = sn8f_set1(rim);
  if (!sn8i_any((high > end) | (low < -end))) return at - low;
  high = sn8f_min(high, end);
  low = sn8f_max(low, -end);
  sn8i some = high > low;
  sn8f wide = sn8f_select(some, high - low, sn8f_set1(1));
  return sn8f_select(some, sn8f_clamp((at - low) / wide), sn8f_set1(0));
}

// Light of eight pixels: linear functions of pixels, one for each light, times `scale`. The lanes
// of a plane may lie in several cells; those after the first are masked.
typedef struct snLightAt_ {
  sn8f x, y, scale;
  int count;
  const snPlaneSlope* slope[8];
  sn8i mask[8];
} snLightAt;

SN_INLINE void light_at(const snLightAt* at, int l, sn8f light[3]) {
  for (int c = 0; c < 3; c++) light[c] = slope_at(at->slope[0] + l, c, at->x, at->y) * at->scale;
  for (int k = 1; k < at->count; k++) {
    for (int c = 0; c < 3; c++) {
      sn8f value = slope_at(at->slope[k] + l, c, at->x, at->y) * at->scale;
      light[c] = sn8f_select(at->mask[k], value, light[c]);
    }
  }
}

// Cells in which points of a plane lie, and whether in the upper half.
typedef struct snCells_ {
  sn8i index[2], upper;
} snCells;

SN_INLINE void cells_find(const snDrawPart* part, const sn8f map[4], snCells* cells) {
  sn8f place[2];
  for (int k = 0; k < 2; k++) {
    sn8f at = map[2 + k] * part->rim[k];
    at = sn8f_select(sn8f_abs(at) < 1e6f, at, sn8f_set1(0));
    cells->index[k] = sn8f_floor(at);
    place[k] = cell_place(at, cells->index[k], part->rim[k]);
  }
  cells->upper = place[0] + place[1] > 1;
}

// Each lane of a plane lies in a half of a cell, whose corners are lit.
SN_INLINE void plane_cells(snShader* s, const snLit* lit, const sn8f map[4], int bits,
                           snLightAt* light) {
  snCells cells;
  cells_find(lit->part, map, &cells);
  int cell[2][8], high_bits = sn8i_bits(cells.upper);
  for (int k = 0; k < 2; k++) sn8i_store(cell[k], cells.index[k]);
  light->count = 0;
  while (bits) {
    int lane = __builtin_ctz((unsigned)bits), i = cell[0][lane], j = cell[1][lane];
    int half = high_bits >> lane & 1, k = light->count++;
    sn8i same = half ? cells.upper : ~cells.upper;
    light->mask[k] = (cells.index[0] == i) & (cells.index[1] == j) & same;
    light->slope[k] = patch_find(s, lit, i, j)->colour + half * (1 + s->shadows);
    bits &= ~sn8i_bits(light->mask[k]);
  }
}

// What the lights of shadow maps add where they reach; in mirrors and on transparent parts, where no
// shadows are seen, everywhere.
SN_INLINE void shadow_light(const snShader* s, const snDrawPart* part, const snLightAt* at,
                            const sn8f world[3], int bits, sn8f sum[3]) {
  bool shaded = !s->pass->image && !part->transparent;
  float twice = s->pass->wire > 0 ? 2 : 1;  // an edge of two faces has it from both
  for (int l = 1; l <= s->shadows; l++) {
    sn8f add[3];
    light_at(at, l, add);
    for (int c = 0; c < 3; c++) add[c] = sn8f_clamp(add[c] * twice);
    int lit = bits & sn8i_bits(add[0] + add[1] + add[2] >= 2e-3f);
    if (lit && shaded) lit = shadow_lit(&s->frame->shadow[l - 1], world, lit);
    if (!lit) continue;
    sn8i mask = sn8i_from_bits(lit);
    for (int c = 0; c < 3; c++) sum[c] += (sn8f)((sn8i)add[c] & mask);
  }
}

// ---- texture

// Levels at two places of a triangle.
SN_INLINE void levels_near(const snLit* lit, float x, float y, float above, snLevelMix mix[2]) {
  sn8f v[3][3], sum[3], px = sn8f_set1(x), py = {y, y + above, y, y, y, y, y, y};
  sn8i levels[2];
  for (int c = 0; c < 3; c++) {
    sum[c] = sn8f_set1(lit->sum[c]);
    for (int k = 0; k < 3; k++) v[c][k] = sn8f_set1(lit->map.v[c][k]);
  }
  texture_levels(lit->part, v, sum, px, py, levels);
  for (int i = 0; i < 2; i++) mix[i] = level_mix(levels, i);
}

// The third coordinate of a direction; a plane has none.
SN_INLINE sn8f cube_height(const snLit* lit, const sn8f map[4]) {
  return lit->part->cell[0] > 0 ? sn8f_set1(0) : map[2];
}

// Whether the texture has one colour in a block of rows, whose corners are at `map` in its first four
// lanes: what is between them is looked at between them.
SN_INLINE bool block_even(const snLit* lit, const sn8f map[4], const snLevelMix mix[2],
                          uint32_t* texel) {
  const snTexture* t = lit->part->texture;
  snLookBox box;
  bool some;
  if (lit->part->mapping == snMAP_CUBE) {
    snLook look;
    look_cube(&look, map[0], map[1], cube_height(lit, map));
    some = box_cube(&box, &look);
  } else {
    some = box_flat(&box, map[0], map[1]);
  }
  if (!some) return false;
  int looked = -1;
  for (int i = 0; i < 2; i++) {
    for (int k = mix[i].whole; k <= mix[i].whole + (mix[i].share > 0); k++) {
      uint32_t own;
      if (k <= looked) continue;
      if (!level_even(t, k, &box, 0.1f, &own) || (looked >= 0 && own != *texel)) return false;
      *texel = own;
      looked = k;
    }
  }
  return true;
}

SN_INLINE snTexels texture_look(const snLit* lit, const sn8f map[4], snLevelMix mix, bool cube) {
  snLook look;
  if (cube) {
    look_cube(&look, map[0], map[1], cube_height(lit, map));
  } else {
    look_flat(&look, map[0], map[1]);
  }
  return texel_look(lit->part->texture, &look, !cube, mix);
}

// ---- what lies over it

// Pixels (x, y) of the tile; lanes beyond the picture have the last of its row.
SN_INLINE void mirror_over(const snShader* s, const snDrawPart* part, sn8f x, sn8f y,
                           sn8f channel[3]) {
  const snBuffer* image = &s->frame->mirror[part->mirror].image;
  sn8i px = __builtin_convertvector(x, sn8i) + s->tile->x0;
  sn8i py = __builtin_convertvector(y, sn8i) + s->tile->y0;
  px = sn8i_min(px, sn8i_set1(image->width - 1));
  sn8i all = sn8i_gather((const int*)(const void*)image->rgba, py * image->width + px);
  for (int c = 0; c < 3; c++) {
    sn8f value = __builtin_convertvector(all >> 8 * c & 255, sn8f);
    channel[c] = sn8f_clamp(channel[c]) + value * (part->reflectance / (255 * s->share));
  }
}

SN_INLINE void fog_over(const snShader* s, const sn8f world[3], sn8f channel[3]) {
  const snStyle* style = &s->order->style;
  const float *ahead = s->pass->forward, *eye = s->pass->eye;
  sn8f depth = (ahead[0] * (world[0] - eye[0]) + ahead[1] * (world[1] - eye[1])) +
               ahead[2] * (world[2] - eye[2]);
  sn8f f = sn8f_clamp((depth - style->fog_start) / (style->fog_end - style->fog_start));
  for (int c = 0; c < 3; c++) {
    channel[c] = sn8f_clamp(channel[c] + f * (style->fog[c] - channel[c]));
  }
}

SN_INLINE void group_store(uint32_t out[8], const sn8f channel[4]) {
  sn8i rgba = sn8i_set1(0);
  for (int c = 0; c < 4; c++) {
    rgba |= __builtin_convertvector(channel[c] * 255.0f + 0.5f, sn8i) << 8 * c;
  }
  sn8i_store((int*)out, rgba);
}

// ---- the pixels

// Light at a point of a tile, in red, green and blue.
SN_INLINE sn4f slope_point(const snPlaneSlope* slope, float x, float y, float inverse) {
  sn4f right = sn4f_load(slope->v[0]), up = sn4f_load(slope->v[1]), at = sn4f_load(slope->v[2]);
  return ((x * right + y * up) + at) * inverse;
}

// The corners of a block of rows, in four lanes, and its middle in the others: what the texture or
// the plane needs there.
typedef struct snSquareCorners_ {
  sn8f x, y, inverse, map[4];
} snSquareCorners;

// False when the horizon of the triangle's plane crosses the block.
SN_INLINE bool corners_make(snSquareCorners* corners, const snLit* lit, float x, float y,
                            int rows) {
  const sn8f right = {0, 7, 0, 7, 3.5f, 3.5f, 3.5f, 3.5f};
  const sn8f above = {0, 0, 1, 1, 0.5f, 0.5f, 0.5f, 0.5f};
  sn8f fx = x + right, fy = y + above * (float)(rows - 1);
  sn8f below = (fx * lit->sum[0] + fy * lit->sum[1]) + lit->sum[2];
  int positive = sn8i_bits(below > 1e-12f), negative = sn8i_bits(below < -1e-12f);
  if (positive != 255 && negative != 255) return false;
  corners->x = fx, corners->y = fy, corners->inverse = 1 / below;
  for (int k = 0; k < 4; k++) corners->map[k] = slope_at(&lit->map, k, fx, fy) * corners->inverse;
  return true;
}

// Half a cell of a plane in which a lane lies.
SN_INLINE const snPlaneSlope* lane_cell(snShader* s, const snLit* lit, const snCells* cells,
                                        int lane) {
  const snPatch* patch = patch_find(s, lit, cells->index[0][lane], cells->index[1][lane]);
  return patch->colour + (cells->upper[lane] ? 1 + s->shadows : 0);
}

// The lights of a block of a plane when one half of a cell, the one in the middle of the block, has
// them: all of the block lies in it, or its light, continued to the block's corners, is that of the
// cells there within half of a byte's step, once the texture is laid over it. NULL otherwise.
// Corners in a triangle have all of the block in it.
SN_INLINE const snPlaneSlope* block_cell(snShader* s, const snLit* lit,
                                         const snSquareCorners* corners) {
  const sn8f fx = corners->x, fy = corners->y, inverse = corners->inverse;
  snCells cells;
  cells_find(lit->part, corners->map, &cells);
  int i = cells.index[0][4], j = cells.index[1][4], upper = cells.upper[4];
  int same = sn8i_bits((cells.index[0] == i) & (cells.index[1] == j) & (cells.upper == upper));
  sn4f corner[4][1 + snPASSLIGHTS];
  for (int k = 0; k < 4; k++) {
    const snPlaneSlope* own = same >> k & 1 ? NULL : lane_cell(s, lit, &cells, k);
    for (int l = 0; own && l <= s->shadows; l++) {
      corner[k][l] = slope_point(own + l, fx[k], fy[k], inverse[k]);
    }
  }
  const snPlaneSlope* middle = lane_cell(s, lit, &cells, 4);
  float most = 0.5f / (float)(lit->part->texture ? lit->part->texture->most : 255);
  for (int k = 0; k < 4; k++) {
    for (int l = 0; !(same >> k & 1) && l <= s->shadows; l++) {
      sn4f off = slope_point(middle + l, fx[k], fy[k], inverse[k]) - corner[k][l];
      if (sn4x_bits((off > most) | (off < -most)) & 7) return NULL;
    }
  }
  return middle;
}

// Numerators of values at a row's pixels. They change by a constant from row to row.
typedef struct snRowValue_ {
  sn8f at;
  float up;
} snRowValue;

SN_INLINE snRowValue row_value(const snPlaneSlope* slope, int c, sn8f x, sn8f y) {
  return (snRowValue){slope_at(slope, c, x, y), slope->v[1][c]};
}

// Rows of eight pixels of a triangle, one above the other, and what is known of all of them: the light
// of one cell, a level of the texture for four rows each, or its one colour.
typedef struct snPixelRows_ {
  int count;
  sn8f x, y, below;  // places of the first row, and what values are divided by there
  snRowValue light[3], map[4];
  snLevelMix mix[2];
  uint32_t texel;
} snPixelRows;

// Places where a row's triangle has no weight have no light.
SN_INLINE sn8f row_inverse(sn8f below) {
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  sn8i some = below != zero;
  return sn8f_select(some, one / sn8f_select(some, below, one), zero);
}

// Opaque rows on which nothing but light and texture lies; their alpha is not asked for. `mapping`
// is that of the texture to look at, snMAP_NONE where it has one colour. `cells`: their lights lie in
// several cells of a plane.
SN_INLINE void rows_plain(snShader* s, const snLit* lit, const snPixelRows* rows, snLightAt* light,
                          snMapping mapping, bool cells, int bits, uint32_t (*rgba)[8]) {
  sn8f below = rows->below, value[3], map[4], byte[3];
  int first = mapping == snMAP_NONE ? 2 : 0, maps = cells ? 4 : mapping == snMAP_CUBE ? 3 : 2;
  for (int c = 0; c < 3; c++) {
    if (!cells) value[c] = rows->light[c].at;
    byte[c] = sn8f_set1((float)(rows->texel >> 8 * c & 255));
  }
  for (int k = first; k < maps; k++) map[k] = rows->map[k].at;
  for (int r = 0; r < rows->count; r++) {
    sn8f inverse = row_inverse(below), at[4];
    for (int k = first; k < maps; k++) at[k] = map[k] * inverse, map[k] += rows->map[k].up;
    if (mapping != snMAP_NONE) {
      snTexels texels = texture_look(lit, at, rows->mix[r > 3], mapping == snMAP_CUBE);
      for (int c = 0; c < 3; c++) byte[c] = texels_channel(texels, c);
    }
    sn8f colour[3];
    if (cells) {
      light->y = rows->y + (float)r, light->scale = inverse;
      plane_cells(s, lit, at, bits, light);
      light_at(light, 0, colour);
    }
    sn8i all = sn8i_set1(0);
    for (int c = 0; c < 3; c++) {
      if (!cells) colour[c] = value[c] * inverse, value[c] += rows->light[c].up;
      colour[c] = sn8f_clamp(colour[c]);
      if (s->pass->image) colour[c] *= s->share;
      all |= __builtin_convertvector(colour[c] * byte[c] + 0.5f, sn8i) << 8 * c;
    }
    sn8i_store((int*)rgba[r], all);
    below += lit->sum[1];
  }
}

// Rows with all that may lie on them. `cells`: their lights lie in several cells of a plane.
// `channel` takes the colours of one row before they are rounded; NULL: not asked for.
SN_INLINE void rows_full(snShader* s, const snLit* lit, snPixelRows* rows, snLightAt* light,
                         bool cells, bool textured, bool hazy, int bits, uint32_t (*rgba)[8],
                         float (*channel)[8]) {
  const snDrawPart* part = lit->part;
  bool fog = s->order->scene->flags[mjRND_FOG], placed = s->shadows || fog || hazy;
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  sn8f below = rows->below, texel[4];
  for (int c = 0; c < 4; c++) {
    texel[c] = sn8f_set1((float)(rows->texel >> 8 * c & 255) * (1.0f / 255));
  }
  int maps = cells ? 4 : !textured ? 0 : 3;
  for (int r = 0; r < rows->count; r++) {
    sn8f sum[4], at[4] = {zero, zero, zero, zero}, world[3] = {zero, zero, zero};
    sn8f inverse = row_inverse(below);
    below += lit->sum[1];
    for (int k = 0; k < maps; k++) {
      at[k] = rows->map[k].at * inverse;
      rows->map[k].at += rows->map[k].up;
    }
    light->y = rows->y + (float)r, light->scale = inverse;
    if (cells) {
      plane_cells(s, lit, at, bits, light);
      light_at(light, 0, sum);
      for (int c = 0; c < 3; c++) sum[c] = sn8f_clamp(sum[c]);
    } else {
      for (int c = 0; c < 3; c++) {
        sum[c] = sn8f_clamp(rows->light[c].at * inverse);
        rows->light[c].at += rows->light[c].up;
      }
    }
    sum[3] = sn8f_set1(part->rgba[3]);
    for (int k = 0; k < 3 && placed; k++) {
      world[k] = slope_at(&lit->world, k, rows->x, light->y) * inverse;
    }
    int lights = bits;
    if (textured) {
      snTexels texels = texture_look(lit, at, rows->mix[r > 3], part->mapping == snMAP_CUBE);
      for (int c = 0; c < 4; c++) texel[c] = texels_channel(texels, c) * (1.0f / 255);
    }
    // where a texture of an opaque part is not opaque, lights that cast shadows add nothing
    if (part->veil && !s->pass->image) lights &= sn8i_bits(texel[3] > 0.99f);
    if (s->shadows) shadow_light(s, part, light, world, lights, sum);
    for (int c = 0; c < 4 && part->texture; c++) sum[c] *= texel[c];
    if (lit->mirror) mirror_over(s, part, rows->x, light->y, sum);
    for (int c = 0; c < 3 && s->pass->image; c++) sum[c] *= s->share;
    for (int c = 0; c < 4; c++) sum[c] = sn8f_min(sum[c], one);
    if (fog) fog_over(s, world, sum);
    if (hazy && !fog) haze_plane(s, part, world, bits, sum);
    for (int c = 0; c < 4 && channel; c++) sn8f_store(channel[c], sum[c]);
    group_store(rgba[r], sum);
  }
}

// Whether haze may lie in a block of rows of an endless plane: along a line in the picture the
// distance from the eye has no largest value but at the line's ends.
SN_INLINE bool corners_hazy(const snShader* s, const snLit* lit, const snSquareCorners* corners) {
  sn8f ray[3];
  for (int k = 0; k < 3; k++) {
    ray[k] = slope_at(&lit->world, k, corners->x, corners->y) * corners->inverse - s->pass->eye[k];
  }
  return sn8i_any(~(sn8f_dot3(ray, ray) < 0.99f * s->clear * s->clear));
}

// Eight pixels (x, y), of which those whose bits are set see the triangle, and those above them, in
// all `count` rows; more than one are the rows of a square from (x, y) on.
SN_INLINE void shade_rows(snShader* s, const snLit* lit, sn8f x, sn8f y, int count, int bits,
                          uint32_t (*rgba)[8], float (*channel)[8]) {
  const snDrawPart* part = lit->part;
  bool plane = part->cell[0] > 0, square = false, textured = part->texture, hazy = lit->hazy;
  snPixelRows rows = {.count = count, .x = x, .y = y, .texel = 0xFFFFFFFFu};
  snLightAt light;
  light.x = x, light.count = 1, light.slope[0] = lit->colour;
  if (textured && lit->steady) {
    rows.mix[0] = rows.mix[1] = lit->mix;
  } else if (textured) {
    int lane = bits_middle(bits);
    levels_near(lit, x[lane], y[lane], count > 4 ? 4 : 0, rows.mix);
  }
  if (count > 1 && (plane || textured)) {
    snSquareCorners corners;
    square = corners_make(&corners, lit, x[0], y[0], count);
    if (square && textured) textured = !block_even(lit, corners.map, rows.mix, &rows.texel);
    if (square && plane) light.slope[0] = block_cell(s, lit, &corners);
    if (square && hazy) hazy = corners_hazy(s, lit, &corners);
  }
  bool cells = plane && (!square || !light.slope[0]);
  rows.below = (x * lit->sum[0] + y * lit->sum[1]) + lit->sum[2];
  for (int c = 0; c < 3 && !cells; c++) rows.light[c] = row_value(light.slope[0], c, x, y);
  for (int k = 0; k < 4 && (textured || cells); k++) rows.map[k] = row_value(&lit->map, k, x, y);
  bool bare = !s->shadows && !hazy && !lit->mirror && !s->order->scene->flags[mjRND_FOG];
  bool cube = part->mapping == snMAP_CUBE;
  if (!bare || channel || (cells && cube)) {
    rows_full(s, lit, &rows, &light, cells, textured, hazy, bits, rgba, channel);
  } else if (!textured && !cells) {
    rows_plain(s, lit, &rows, &light, snMAP_NONE, false, bits, rgba);
  } else if (!textured) {
    rows_plain(s, lit, &rows, &light, snMAP_NONE, true, bits, rgba);
  } else if (cells) {
    rows_plain(s, lit, &rows, &light, snMAP_COORDINATES, true, bits, rgba);
  } else if (cube) {
    rows_plain(s, lit, &rows, &light, snMAP_CUBE, false, bits, rgba);
  } else {
    rows_plain(s, lit, &rows, &light, snMAP_COORDINATES, false, bits, rgba);
  }
}

// Places of a group in its square.
SN_INLINE void group_places(const snPixelGroup* group, int x, int y, sn8f* fx, sn8f* fy) {
  sn8b bytes;
  memcpy(&bytes, group->at, sizeof bytes);
  sn8i at = __builtin_convertvector(bytes, sn8i);
  *fx = __builtin_convertvector((at & 7) + x, sn8f);
  *fy = __builtin_convertvector((at >> 3) + y, sn8f);
}

SN_KERNEL
void shade_group(snShader* s, const snLit* lit, int x, int y, snPixelGroup* group) {
  sn8f fx, fy;
  group_places(group, x, y, &fx, &fy);
  bool opaque = !lit->part->transparent;
  shade_rows(s, lit, fx, fy, 1, group->bits, &group->rgba, opaque ? NULL : group->channel);
}

SN_KERNEL
void shade_block(snShader* s, const snLit* lit, int x, int y, int rows, uint32_t rgba[8][8]) {
  const sn8f steps = {0, 1, 2, 3, 4, 5, 6, 7};
  shade_rows(s, lit, (float)x + steps, sn8f_set1((float)y), rows, 255, rgba, NULL);
}

// Directions through the centres of pixels, not of unit length.
SN_INLINE void sky_rays(const snShader* s, sn8f px, sn8f py, sn8f ray[3]) {
  px += 0.5f, py += 0.5f;
  for (int k = 0; k < 3; k++) {
    const float* m = s->pass->inverse + 3 * k;
    ray[k] = (m[0] * px + m[1] * py) + m[2];
  }
  if (s->pass->orthographic) sky_wall(s, px, py, ray);
}

snLevelMix sky_square(const snShader* s, int x, int y) {
  sn8f ray[3];
  if (!s->sky) return (snLevelMix){0, 0};
  sky_rays(s, sn8f_set1((float)(s->tile->x0 + x + 4)), sn8f_set1((float)(s->tile->y0 + y + 4)),
           ray);
  return sky_level(s, ray);
}

SN_KERNEL
void sky_group(const snShader* s, int x, int y, snLevelMix mix, snPixelGroup* group) {
  const mjtByte* flags = s->order->scene->flags;
  sn8f sum[4] = {{0}, {0}, {0}, sn8f_set1(1)};
  if (flags[mjRND_FOG] && s->sky) {
    for (int c = 0; c < 3; c++) sum[c] = sn8f_clamp(sn8f_set1(s->order->style.fog[c]));
  } else if (s->sky) {
    sn8f ray[3], px, py;
    group_places(group, s->tile->x0 + x, s->tile->y0 + y, &px, &py);
    sky_rays(s, px, py, ray);
    snTexels texels = sky_texels(s, ray, mix);
    if (!flags[mjRND_HAZE] || !s->nendless) {
      sn8i_store((int*)group->rgba, texels.even | texels.odd << 8);
      return;
    }
    for (int c = 0; c < 3; c++) sum[c] = texels_channel(texels, c) * (1.0f / 255);
    for (int i = 0; i < s->nendless; i++) {
      haze_over(s, &s->endless[i], ray, sn8i_set1(-1), sum);
    }
  }
  group_store(group->rgba, sum);
}
