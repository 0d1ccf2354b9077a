// Lookups in textures, eight at a time: between the four texels around a point, and between the two
// sizes whose texels are nearest to a pixel's. Neighbours share one level.
//
// A row of texels has one more at its end where the texture repeats: the first again. A cube's face
// has a rim of the texels that lie beside it on other faces. So two neighbours always lie side by
// side.
#ifndef SINEW_DRAW_TEXTURE_H_
#define SINEW_DRAW_TEXTURE_H_

#include "draw/assets.h"
#include "draw/lanes8.h"

// Most of what is drawn on floors has one colour over many pixels. So each level has counts of its
// squares of 4 x 4 texels that are not of one colour, or not of that of the square to the right or
// above; summed from the first square on, so that four of them say how many there are in a
// rectangle.

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
// OpenGL's cube maps have them. No direction is the first texel of the face of +z.
SN_INLINE void look_cube(snLook* look, sn8f x, sn8f y, sn8f z) {
  const sn8f zero = sn8f_set1(0);
  sn8f ax = sn8f_abs(x), ay = sn8f_abs(y), az = sn8f_abs(z);
  sn8f most = sn8f_max(sn8f_max(ax, ay), az);
  sn8i on_x = (ax >= ay) & (ax >= az) & (most > zero), on_y = ~on_x & (ay >= az) & (most > zero);
  sn8i back_x = ~(x >= zero), back_y = ~(y >= zero), back_z = ~(z >= zero);
  sn8f u = sn8f_select(on_x, sn8f_select(back_x, z, -z), sn8f_select(on_y, x, x));
  u = sn8f_select(~(on_x | on_y) & back_z, -x, u);
  sn8f v = sn8f_select(on_y, sn8f_select(back_y, -z, z), -y);
  sn8i face = sn8i_select(on_x, -back_x, sn8i_select(on_y, 2 - back_y, 4 - back_z));
  sn8f inverse = 0.5f / sn8f_select(most > zero, most, sn8f_set1(1));
  sn8f half = sn8f_select(most > zero, sn8f_set1(0.5f), zero);
  look->u = sn8f_clamp(u * inverse + half);
  look->v = sn8f_clamp(v * inverse + half);
  look->face = face;
}

// a + (b - a) share / 256 in bytes that lie two to a lane, in halves of 16 bits: with share from 0
// to 256 the sum fits 16 bits without a sign.
typedef unsigned short sn16u __attribute__((vector_size(32)));
SN_INLINE sn8i bytes_mix(sn8i a, sn8i b, sn8i share) {
  sn16u s = (sn16u)share;
  return (sn8i)(((sn16u)a * (256 - s) + (sn16u)b * s + 128) >> 8);
}

// Red and blue, green and alpha of eight texels.
typedef struct snTexels_ {
  sn8i even, odd;
} snTexels;

SN_INLINE snTexels texels_mix(snTexels a, snTexels b, sn8i share) {
  return (snTexels){bytes_mix(a.even, b.even, share), bytes_mix(a.odd, b.odd, share)};
}

SN_INLINE snTexels texels_split(sn8i rgba) {
  return (snTexels){rgba & 0xFF00FF, rgba >> 8 & 0xFF00FF};
}

// Two neighbours from each of eight places: the first and the second of each.
SN_INLINE long long texels_pair(const uint32_t* texel) {
  long long pair;
  memcpy(&pair, texel, sizeof pair);
  return pair;
}
SN_INLINE void texels_pairs(const uint32_t* texel, sn8i at, sn8i* first, sn8i* second) {
#ifdef __AVX2__
  const long long* pairs = (const long long*)(const void*)texel;
  sn4i low = (sn4i)_mm256_i32gather_epi64(pairs, _mm256_castsi256_si128((__m256i)at), 4);
  sn4i high = (sn4i)_mm256_i32gather_epi64(pairs, _mm256_extracti128_si256((__m256i)at, 1), 4);
#else
  sn4i low = {texels_pair(texel + at[0]), texels_pair(texel + at[1]), texels_pair(texel + at[2]),
              texels_pair(texel + at[3])};
  sn4i high = {texels_pair(texel + at[4]), texels_pair(texel + at[5]), texels_pair(texel + at[6]),
               texels_pair(texel + at[7])};
#endif
  *first = __builtin_shufflevector((sn8i)low, (sn8i)high, 0, 2, 4, 6, 8, 10, 12, 14);
  *second = __builtin_shufflevector((sn8i)low, (sn8i)high, 1, 3, 5, 7, 9, 11, 13, 15);
}

enum { snSQUARE = 4 };  // texels along a side of a square

SN_INLINE int squares_along(int texels) { return (texels + snSQUARE - 1) / snSQUARE; }

// Points of a face, from low to high.
typedef struct snLookBox_ {
  float low[2], high[2];
  int face;
} snLookBox;

// The box of points of a repeated texture, of which the first lies on its first copy; of a cube, all
// of whose points lie on one face. False when it has none.
SN_INLINE bool box_flat(snLookBox* box, const float* u, const float* v, int count) {
  const float* at[2] = {u, v};
  box->face = 0;
  for (int k = 0; k < 2; k++) {
    float low = at[k][0], high = low;
    for (int i = 1; i < count; i++) {
      if (at[k][i] < low) low = at[k][i];
      if (at[k][i] > high) high = at[k][i];
    }
    if (!(low > -1e4f && high < 1e4f)) return false;
    float first = (float)((int)low - ((float)(int)low > low));
    float rounding = 1e-6f * (fabsf(low) + fabsf(high));
    box->low[k] = low - first - rounding;
    box->high[k] = high - first + rounding;
  }
  return true;
}
SN_INLINE bool box_cube(snLookBox* box, const snLook* look, int count) {
  float u[8], v[8];
  sn8f_store(u, look->u);
  sn8f_store(v, look->v);
  for (int i = 1; i < count; i++) {
    if (look->face[i] != look->face[0]) return false;
  }
  if (!box_flat(box, u, v, count)) return false;
  box->face = look->face[0];
  return true;
}

// Whether a level has one colour around all points of a box, and `margin` texels more; that colour.
SN_INLINE bool level_even(const snTexture* t, int level, const snLookBox* box, float margin,
                          uint32_t* texel) {
  const int size[2] = {t->wide[level], t->high[level]};
  const size_t row = (size_t)squares_along(size[0]) + 1, rows = (size_t)squares_along(size[1]) + 1;
  bool repeat = t->type == mjTEXTURE_2D;
  const snSquares* sum = t->squares[level] + (size_t)box->face * row * rows;
  size_t from[2], end[2];
  bool all = repeat && sum[row * rows - 1].uneven == 0;
  for (int k = 0; k < 2; k++) {
    float scale = (float)size[k], low = box->low[k] * scale - margin - 0.5f,
          high = box->high[k] * scale + margin + 0.5f;
    bool inside = low >= 0 && high < scale;
    if (!inside && !all) return false;
    from[k] = inside ? (unsigned)low / snSQUARE : 0;
    end[k] = inside ? (unsigned)high / snSQUARE + 1 : 1;
  }
  SN_ASSERT(end[0] < row && end[1] < rows);
  const snSquares *below = sum + from[1] * row, *above = sum + end[1] * row;
  *texel = below[from[0]].texel;
  return (above[end[0]].uneven - above[from[0]].uneven) ==
             (below[end[0]].uneven - below[from[0]].uneven) ||
         all;
}

// 256 times a share from 0 to 1, in both halves of a lane.
SN_INLINE sn8i share_256(sn8f share) {
  sn8i whole = __builtin_convertvector(share * 256.0f + 0.5f, sn8i);
  return whole | whole << 16;
}

// One level: between the texels of the row below and of the row above.
SN_INLINE snTexels level_look(const snTexture* t, int level, const snLook* look, bool repeat) {
  int w = t->wide[level], h = t->high[level];
  sn8f x = look->u * (float)w - 0.5f, y = look->v * (float)h - 0.5f;
  sn8i column = sn8f_floor(x), row = sn8f_floor(y), next = row + 1;
  sn8i right = share_256(x - __builtin_convertvector(column, sn8f));
  sn8i up = share_256(y - __builtin_convertvector(row, sn8f));
  sn8i first, a, b, c, d;
  if (repeat) {
    column += w & (column < 0);
    row += h & (row < 0);
    first = row * (w + 1) + column;
    next = (next & (next < h)) * (w + 1) + column;
  } else {
    first = (look->face * (h + 2) + row + 1) * (w + 2) + column + 1;
    next = first + (w + 2);
  }
  texels_pairs(t->texel[level], first, &a, &b);
  texels_pairs(t->texel[level], next, &c, &d);
  return texels_mix(texels_mix(texels_split(a), texels_split(b), right),
                    texels_mix(texels_split(c), texels_split(d), right), up);
}

// Within this distance of a level the level alone is looked at; the mean of two goes from one to
// the other in the rest of the way.
#define snSNAP 0.2f

// The size that is looked at, and how much of the next smaller one is mixed in.
typedef struct snLevelMix_ {
  int whole, share;  // in 1/256
} snLevelMix;

SN_INLINE snLevelMix level_mix(const snTexture* t, float level) {
  float last = (float)(t->levels - 1), at = level < last ? level : last;
  int whole = (int)(at + snSNAP);
  float share = (at - (float)whole - snSNAP) * (1 / (1 - 2 * snSNAP));
  return (snLevelMix){whole, share > 0 ? (int)(share * 256.0f + 0.5f) : 0};
}

// Channels in [0, 1], at one level for all lanes.
SN_INLINE void texel_look(const snTexture* t, const snLook* look, bool repeat, snLevelMix mix,
                          sn8f channel[4]) {
  snTexels texels = level_look(t, mix.whole, look, repeat);
  if (mix.share) {
    snTexels smaller = level_look(t, mix.whole + 1, look, repeat);
    texels = texels_mix(texels, smaller, sn8i_set1(mix.share | mix.share << 16));
  }
  channel[0] = __builtin_convertvector(texels.even & 255, sn8f) * (1.0f / 255);
  channel[1] = __builtin_convertvector(texels.odd & 255, sn8f) * (1.0f / 255);
  channel[2] = __builtin_convertvector(texels.even >> 16 & 255, sn8f) * (1.0f / 255);
  channel[3] = __builtin_convertvector(texels.odd >> 16 & 255, sn8f) * (1.0f / 255);
}

#endif
