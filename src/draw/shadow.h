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
  int stride = map->stride, outside = ~sn8i_bits(inside);
  sn8i at = (row - 1) * stride + (column - 1);
  sn8f right = x - __builtin_convertvector(column, sn8f);
  sn8f up = y - __builtin_convertvector(row, sn8f), left = one - right;
  sn8f depth = v[2] * inverse * map->grow + map->lift;
  const float *low = map->depth, *high = map->depth + stride;
  sn8f a = (sn8f)((sn8i)left & ~(sn8f_gather(low, at) > depth));
  sn8f b = (sn8f)((sn8i)right & ~(sn8f_gather(low + 1, at) > depth));
  sn8f c = (sn8f)((sn8i)left & ~(sn8f_gather(high, at) > depth));
  sn8f d = (sn8f)((sn8i)right & ~(sn8f_gather(high + 1, at) > depth));
  return bits & (outside | sn8i_bits((one - up) * (a + b) + up * (c + d) >= 0.5f));
}

#endif
