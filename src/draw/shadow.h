// Shadow maps: depth as a light sees it.
//
// A directional light looks along its direction from its position, at a square of twice the
// context's shadowClip; a spot looks into a square pyramid whose half angle is its cutoff times
// shadowScale. What lies outside is lit. Only the part of that square in which something casts a
// shadow is drawn, at a size that follows the picture (or the model's shadowsize, when it sets
// one), so a small picture has a small map. Shadows have hard edges: the four texels around a point
// vote.
#ifndef SINEW_DRAW_SHADOW_H_
#define SINEW_DRAW_SHADOW_H_

#include "draw/frame.h"

// Draw the maps of all lights that have one, for a picture seen as in `view`; false when memory is
// short.
bool shadow_draw(snFrame* frame, const snPass* view, const snOrder* order);

// Bits of those lanes of `bits` that the light of a map reaches. Around each point lie four texels;
// the share of those that are not nearer to the light, by their weights, is at least a half. Beyond
// the map there is light.
SN_INLINE int shadow_lit(const snShadow* map, const sn8f world[3], int bits) {
  if (map->empty) return bits;
  const float* m = map->matrix;
  sn8f v[4];
  for (int r = 0; r < 4; r++, m += 4) {
    v[r] = ((m[0] * world[0] + m[1] * world[1]) + m[2] * world[2]) + m[3];
  }
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  sn8i inside = v[3] > zero;
  sn8f inverse = 1 / sn8f_select(inside, v[3], one);
  sn8f x = v[0] * inverse - 0.5f, y = v[1] * inverse - 0.5f;
  inside &= (x > -1) & (y > -1) & (x < (float)map->width) & (y < (float)map->height);
  x = sn8f_select(inside, x, zero) + 1;
  y = sn8f_select(inside, y, zero) + 1;
  sn8i column = __builtin_convertvector(x, sn8i), row = __builtin_convertvector(y, sn8i);
  int at[8], stride = map->stride, lit = bits & ~sn8i_bits(inside);
  float fx[8], fy[8], depth[8];
  sn8i_store(at, (row - 1) * stride + (column - 1));
  sn8f_store(fx, x - __builtin_convertvector(column, sn8f));
  sn8f_store(fy, y - __builtin_convertvector(row, sn8f));
  sn8f_store(depth, v[2] * inverse * map->grow + map->lift);
  for (bits &= ~lit; bits; bits &= bits - 1) {
    int i = __builtin_ctz((unsigned)bits);
    const float* p = map->depth + at[i];
    sn4f near = {p[0], p[1], p[stride], p[stride + 1]};
    int held = sn4x_bits(near > depth[i]);
    if (!held) {
      lit |= 1 << i;
    } else if (held != 15) {
      float a = held & 1 ? 0 : 1 - fx[i], b = held & 2 ? 0 : fx[i];
      float c = held & 4 ? 0 : 1 - fx[i], d = held & 8 ? 0 : fx[i];
      if ((1 - fy[i]) * (a + b) + fy[i] * (c + d) >= 0.5f) lit |= 1 << i;
    }
  }
  return lit;
}

#endif
