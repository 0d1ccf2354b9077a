// Shading eight pixels of a row that see one triangle: colours of its corners are interpolated;
// shadows, texture, mirror, fog and haze applied.
#include "draw/shade.h"

#include "draw/shadow.h"
#include "draw/sky.h"

SN_INLINE sn8f slope_at(const snPlaneSlope* slope, int c, sn8f x, sn8f y) {
  return (x * slope->v[0][c] + y * slope->v[1][c]) + slope->v[2][c];
}

SN_INLINE sn8f lanes_from(int x) {
  const sn8f steps = {0, 1, 2, 3, 4, 5, 6, 7};
  return (float)x + steps;
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

// Light of a plane: each lane lies in a cell, whose corners are lit. `px`, `py`: from -1 to 1 over
// the plane.
SN_INLINE void plane_light(snShader* s, const snDrawPart* part, sn8f px, sn8f py, int bits,
                           sn8f light[1 + snPASSLIGHTS][3]) {
  sn8f at[2] = {px * part->rim[0], py * part->rim[1]}, place[2];
  int cell[2][8];
  sn8i index[2];
  for (int k = 0; k < 2; k++) {
    at[k] = sn8f_select(sn8f_abs(at[k]) < 1e6f, at[k], sn8f_set1(0));
    index[k] = sn8f_floor(at[k]);
    sn8i_store(cell[k], index[k]);
    place[k] = cell_place(at[k], index[k], part->rim[k]);
  }
  sn8i upper = place[0] + place[1] > 1;
  int high_bits = sn8i_bits(upper);
  for (int left = bits; left;) {  // once for each half of a cell that the lanes need
    int lane = __builtin_ctz((unsigned)left), i = cell[0][lane], j = cell[1][lane];
    int half = high_bits >> lane & 1;
    sn8i same = (index[0] == i) & (index[1] == j) & (half ? upper : ~upper);
    const snPatch* patch = patch_find(s, part, i, j);
    for (int l = 0; l <= s->shadows; l++) {
      const snPlaneSlope* slope = &patch->colour[half * (1 + s->shadows) + l];
      for (int c = 0; c < 3; c++) {
        sn8f value = slope->v[0][c] + place[0] * slope->v[1][c] + place[1] * slope->v[2][c];
        light[l][c] = left == bits ? value : sn8f_select(same, value, light[l][c]);
      }
    }
    left &= ~sn8i_bits(same);
  }
}

// What the lights of shadow maps add where they reach.
SN_INLINE void shadow_light(const snShader* s, const sn8f world[3], int bits,
                            const sn8f light[1 + snPASSLIGHTS][3], sn8f sum[3]) {
  for (int l = 1; l <= s->shadows; l++) {
    sn8f add[3];
    for (int c = 0; c < 3; c++) add[c] = sn8f_clamp(light[l][c]);
    int lit = bits & sn8i_bits(add[0] + add[1] + add[2] >= 2e-3f);
    if (lit && !s->pass->image) lit = shadow_lit(&s->frame->shadow[l - 1], world, lit);
    if (!lit) continue;
    sn8i mask = sn8i_from_bits(lit);
    for (int c = 0; c < 3; c++) sum[c] += (sn8f)((sn8i)add[c] & mask);
  }
}

// ---- texture

// With u = U/S, both linear: du/dx = (U_x - u S_x) / S. The level follows the longer side of a
// pixel's footprint, in texels, at one pixel in the middle of those that are seen.
SN_INLINE float texture_level(const snLit* lit, int x, int y, int bits) {
  const snTexture* t = lit->part->texture;
  for (int skip = __builtin_popcount((unsigned)bits) / 2; skip; skip--) bits &= bits - 1;
  float fx = (float)(x + __builtin_ctz((unsigned)bits)), fy = (float)y;
  float below = (fx * lit->sum[0] + fy * lit->sum[1]) + lit->sum[2];
  float inverse = below != 0 ? 1 / below : 0;
  sn4f right = sn4f_load(lit->map.v[0]), up = sn4f_load(lit->map.v[1]);
  sn4f map = ((fx * right + fy * up) + sn4f_load(lit->map.v[2])) * inverse, texels;
  if (lit->part->mapping == snMAP_CUBE) {
    float most = fabsf(map[0]);
    if (fabsf(map[1]) > most) most = fabsf(map[1]);
    if (fabsf(map[2]) > most) most = fabsf(map[2]);
    float side = most > 0 ? 0.5f * (float)t->wide[0] / most : 0;
    texels = (sn4f){side, side, side, 0};
  } else {
    texels = (sn4f){(float)t->wide[0], (float)t->high[0], 0, 0};
  }
  right = (right - map * lit->sum[0]) * (texels * inverse);
  up = (up - map * lit->sum[1]) * (texels * inverse);
  right *= right, up *= up;
  float a = (right[0] + right[1]) + right[2], b = (up[0] + up[1]) + up[2];
  return texel_level(a > b ? a : b);
}

SN_INLINE void texture_over(const snLit* lit, const sn8f map[4], int x, int y, int bits,
                            sn8f channel[4]) {
  const snTexture* t = lit->part->texture;
  bool cube = lit->part->mapping == snMAP_CUBE;
  snLook look;
  sn8f texel[4];
  if (cube) {
    look_cube(&look, t, map[0], map[1], map[2]);
  } else {
    look_flat(&look, map[0], map[1]);
  }
  texel_look(t, &look, !cube, texture_level(lit, x, y, bits), bits, texel);
  for (int c = 0; c < 4; c++) channel[c] *= texel[c];
}

// ---- what lies over it

SN_INLINE void mirror_over(const snShader* s, const snDrawPart* part, int x, int y,
                           sn8f channel[3]) {
  const snBuffer* image = &s->frame->mirror[part->mirror].image;
  size_t px = (size_t)(s->tile->x0 + x), py = (size_t)(s->tile->y0 + y);
  int pixel[8] = {0}, count = image->width - (int)px < 8 ? image->width - (int)px : 8;
  memcpy(pixel, image->rgba + 4 * (py * (size_t)image->width + px), 4 * (size_t)count);
  sn8i all = sn8i_load(pixel);
  for (int c = 0; c < 3; c++) {
    sn8f value = __builtin_convertvector(all >> 8 * c & 255, sn8f);
    channel[c] = sn8f_clamp(channel[c]) + value * (part->reflectance / 255);
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

SN_INLINE void group_store(snPixelGroup* out, const sn8f channel[4]) {
  sn8i rgba = sn8i_set1(0);
  for (int c = 0; c < 4; c++) {
    rgba |= __builtin_convertvector(channel[c] * 255.0f + 0.5f, sn8i) << 8 * c;
  }
  sn8i_store((int*)out->rgba, rgba);
}

// ---- the pixels

SN_KERNEL
void shade_group(snShader* s, const snLit* lit, int x, int y, int bits, snPixelGroup* out) {
  const snDrawPart* part = lit->part;
  const mjtByte* flags = s->order->scene->flags;
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  sn8f fx = lanes_from(x), fy = sn8f_set1((float)y);
  sn8f below = (fx * lit->sum[0] + fy * lit->sum[1]) + lit->sum[2];
  sn8i some = below != zero;
  sn8f inverse = sn8f_select(some, one / sn8f_select(some, below, one), zero);
  bool plane = part->cell[0] > 0;
  sn8f light[1 + snPASSLIGHTS][3], sum[4], world[3] = {zero}, map[4] = {zero};
  if (s->shadows || flags[mjRND_FOG] || lit->hazy) {
    for (int k = 0; k < 3; k++) world[k] = slope_at(&lit->world, k, fx, fy) * inverse;
  }
  for (int k = 0; k < 4 && (part->mapping || plane); k++) {
    map[k] = slope_at(&lit->map, k, fx, fy) * inverse;
  }
  if (plane) {
    bool cube = part->mapping == snMAP_CUBE;
    plane_light(s, part, cube ? map[0] / part->map[0] : map[2],
                cube ? map[1] / part->map[1] : map[3], bits, light);
  } else {
    for (int l = 0; l <= s->shadows; l++) {
      for (int c = 0; c < 3; c++) light[l][c] = slope_at(&lit->colour[l], c, fx, fy) * inverse;
    }
  }
  for (int c = 0; c < 3; c++) sum[c] = s->shadows ? sn8f_clamp(light[0][c]) : light[0][c];
  sum[3] = sn8f_set1(part->rgba[3]);
  shadow_light(s, world, bits, light, sum);
  if (part->texture) texture_over(lit, map, x, y, bits, sum);
  if (lit->mirror) mirror_over(s, part, x, y, sum);
  for (int c = 0; c < 4; c++) sum[c] = sn8f_clamp(sum[c]);
  if (flags[mjRND_FOG]) fog_over(s, world, sum);
  if (lit->hazy) haze_plane(s, part, world, bits, sum);
  for (int c = 0; c < 4 && part->transparent; c++) sn8f_store(out->channel[c], sum[c]);
  group_store(out, sum);
}

SN_KERNEL
void sky_group(const snShader* s, int x, int y, int bits, snPixelGroup* out) {
  const mjtByte* flags = s->order->scene->flags;
  sn8f sum[4] = {{0}, {0}, {0}, sn8f_set1(1)};
  if (flags[mjRND_FOG]) {
    for (int c = 0; c < 3; c++) sum[c] = sn8f_clamp(sn8f_set1(s->order->style.fog[c]));
  } else if (s->sky) {
    // direction through the centre of a pixel, not of unit length
    sn8f ray[3], px = lanes_from(s->tile->x0 + x) + 0.5f;
    float py = (float)(s->tile->y0 + y) + 0.5f;
    for (int k = 0; k < 3; k++) {
      const float* m = s->pass->inverse + 3 * k;
      ray[k] = (m[0] * px + m[1] * py) + m[2];
    }
    sky_look(s, ray, bits, sum);
    sum[3] = sn8f_set1(1);
    for (int i = 0; flags[mjRND_HAZE] && i < s->nendless; i++) {
      haze_over(s, &s->endless[i], ray, sn8i_set1(-1), sum);
    }
  }
  group_store(out, sum);
}
