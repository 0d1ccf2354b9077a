// Lookups in textures, eight at a time: between the four texels around a point, and between the two
// sizes whose texels are nearest to a pixel's. Neighbours share one level.
//
// A row of texels has one more at its end: the first again where the texture repeats, the last
// again on a cube's face. So two neighbours always lie side by side.
#ifndef SINEW_DRAW_TEXTURE_H_
#define SINEW_DRAW_TEXTURE_H_

#include "draw/assets.h"
#include "draw/lanes8.h"

// Where eight points look: on a face, coordinates in [0, 1].
typedef struct snLook_ {
  sn8f u, v;
  sn8i face;
} snLook;

// log2 of the square root, within 0.01: the level at which a texel covers a pixel whose side is so
// many texels; 0 where texels are larger than pixels. By the exponent and a quadratic of the
// mantissa.
SN_INLINE float texel_level(float square) {
  uint32_t bits;
  if (!(square > 1 && square < 1e30f)) return 0;
  memcpy(&bits, &square, sizeof bits);
  float exponent = (float)((int)(bits >> 23) - 127), m;
  bits = (bits & 0x7FFFFF) | 0x3F800000;
  memcpy(&m, &bits, sizeof m);
  m -= 1;
  return 0.5f * (exponent + m * (1.33333f - 0.33333f * m));
}

// A repeated texture. Far from 0 a float has no digits left between texels: nothing is seen of them
// either.
SN_INLINE void look_flat(snLook* look, sn8f u, sn8f v) {
  sn8i near = (u > -1e6f) & (u < 1e6f) & (v > -1e6f) & (v < 1e6f);
  u = sn8f_select(near, u, sn8f_set1(0));
  v = sn8f_select(near, v, sn8f_set1(0));
  look->u = u - __builtin_convertvector(sn8f_floor(u), sn8f);
  look->v = v - __builtin_convertvector(sn8f_floor(v), sn8f);
  look->face = sn8i_set1(0);
}

// A cube in a direction of any length. The face is that of the largest coordinate; s and t on it as
// OpenGL's cube maps have them.
SN_INLINE void look_cube(snLook* look, const snTexture* t, sn8f x, sn8f y, sn8f z) {
  const sn8f zero = sn8f_set1(0);
  sn8f ax = sn8f_abs(x), ay = sn8f_abs(y), az = sn8f_abs(z);
  sn8i on_x = (ax >= ay) & (ax >= az), on_y = ~on_x & (ay >= az);
  sn8i back_x = ~(x >= zero), back_y = ~(y >= zero), back_z = ~(z >= zero);
  sn8f u = sn8f_select(on_x, sn8f_select(back_x, z, -z), sn8f_select(on_y, x, x));
  u = sn8f_select(~(on_x | on_y) & back_z, -x, u);
  sn8f v = sn8f_select(on_y, sn8f_select(back_y, -z, z), -y);
  sn8f most = sn8f_select(on_x, ax, sn8f_select(on_y, ay, az));
  sn8i face = sn8i_select(on_x, -back_x, sn8i_select(on_y, 2 - back_y, 4 - back_z));
  sn8f inverse = 0.5f / sn8f_select(most > zero, most, sn8f_set1(1));
  look->u = sn8f_clamp(u * inverse + 0.5f);
  look->v = sn8f_clamp(v * inverse + 0.5f);
  look->face = t->faces == 1 ? sn8i_set1(0) : face;
}

// Places in one level: texels of the lower and the upper row, and how far between them.
typedef struct snTexelPlaces_ {
  int low[8], high[8];
  float x[8], y[8];
} snTexelPlaces;

SN_INLINE void places_find(snTexelPlaces* places, const snTexture* t, int level, const snLook* look,
                           bool repeat) {
  int w = t->wide[level], h = t->high[level];
  sn8f x = look->u * (float)w - 0.5f, y = look->v * (float)h - 0.5f;
  if (!repeat) {
    x = sn8f_min(sn8f_max(x, sn8f_set1(0)), sn8f_set1((float)(w - 1)));
    y = sn8f_min(sn8f_max(y, sn8f_set1(0)), sn8f_set1((float)(h - 1)));
  }
  sn8i column = sn8f_floor(x), row = sn8f_floor(y);
  sn8f_store(places->x, x - __builtin_convertvector(column, sn8f));
  sn8f_store(places->y, y - __builtin_convertvector(row, sn8f));
  sn8i next = row + 1;
  if (repeat) {
    column += w & (column < 0);
    row += h & (row < 0);
  }
  next = repeat ? next & (next < h) : sn8i_select(next < h, next, row);
  sn8i first = look->face * h;
  sn8i_store(places->low, (row + first) * (w + 1) + column);
  sn8i_store(places->high, (next + first) * (w + 1) + column);
}

typedef char sn16b __attribute__((vector_size(16)));
typedef short sn8h __attribute__((vector_size(16)));

// Channels of a texel, from 0 to 255. Compilers make this of bytes one by one unless they are told
// how bytes become lanes.
SN_INLINE sn4f texel_read(const uint32_t* texel) {
  sn4x first = {(int)*texel};
#if defined(__SSE4_1__) && !defined(__clang__)
  return __builtin_convertvector((sn4x)__builtin_ia32_pmovzxbd128((sn16b)first), sn4f);
#else
  const sn16b none = {0};
  sn16b bytes = __builtin_shufflevector((sn16b)first, none, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                        21, 6, 22, 7, 23);
  sn8h halves = __builtin_shufflevector((sn8h)bytes, (sn8h)none, 0, 8, 1, 9, 2, 10, 3, 11);
  return __builtin_convertvector((sn4x)halves, sn4f);
#endif
}

// Often all four are one colour: checkers, flat parts of pictures.
SN_INLINE sn4f texel_mix(const uint32_t* texel, const snTexelPlaces* places, int i) {
  const uint32_t *low = texel + places->low[i], *high = texel + places->high[i];
  if (!((low[0] ^ low[1]) | (low[0] ^ high[0]) | (low[0] ^ high[1]))) return texel_read(low);
  sn4f a = texel_read(low), b = texel_read(low + 1);
  sn4f c = texel_read(high), d = texel_read(high + 1);
  float fx = places->x[i];
  sn4f below = a + fx * (b - a), above = c + fx * (d - c);
  return below + places->y[i] * (above - below);
}

// Within this distance of a level the level alone is looked at; the mean of two goes from one to
// the other in the rest of the way.
#define snSNAP 0.2f

// Channels in [0, 1] of the lanes whose bits are set, at one level for all; the others have any
// value.
SN_INLINE void texel_look(const snTexture* t, const snLook* look, bool repeat, float level,
                          int bits, sn8f channel[4]) {
  const sn4f none = {0, 0, 0, 0};
  sn4f colour[8] = {none, none, none, none, none, none, none, none};
  float last = (float)(t->levels - 1), at = level < last ? level : last;
  int whole = (int)(at + snSNAP);
  float share = (at - (float)whole - snSNAP) * (1 / (1 - 2 * snSNAP));
  snTexelPlaces large, small;
  places_find(&large, t, whole, look, repeat);
  if (share > 0) {
    places_find(&small, t, whole + 1, look, repeat);
    for (; bits; bits &= bits - 1) {
      int i = __builtin_ctz((unsigned)bits);
      sn4f near = texel_mix(t->texel[whole], &large, i);
      sn4f far = texel_mix(t->texel[whole + 1], &small, i);
      colour[i] = near + share * (far - near);
    }
  } else {
    for (; bits; bits &= bits - 1) {
      int i = __builtin_ctz((unsigned)bits);
      colour[i] = texel_mix(t->texel[whole], &large, i);
    }
  }
  sn8f_channels(colour, channel);
  for (int c = 0; c < 4; c++) channel[c] *= 1.0f / 255;
}

#endif
