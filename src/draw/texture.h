// Lookups in textures, eight at a time: between the four texels around a point, and between the two
// sizes whose texels are nearest to a pixel's. Neighbours share one level.
//
// Around a face lies a rim of the texels beside it: of a repeated texture those of its other end, of
// a cube those of other faces. So two neighbours always lie side by side, and row by row.
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

// A repeated texture. Far from 0 a float has no digits left between texels: nothing is seen of them
// either.
SN_INLINE void look_flat(snLook* look, sn8f u, sn8f v) {
  sn8i near = (sn8f_abs(u) < 1e6f) & (sn8f_abs(v) < 1e6f);
  u = (sn8f)((sn8i)u & near);
  v = (sn8f)((sn8i)v & near);
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
  __m256i places = (__m256i)__builtin_shufflevector(at, at, 0, 1, 4, 5, 2, 3, 6, 7);
  sn4i outer = (sn4i)_mm256_i32gather_epi64(pairs, _mm256_castsi256_si128(places), 4);
  sn4i inner = (sn4i)_mm256_i32gather_epi64(pairs, _mm256_extracti128_si256(places, 1), 4);
#else
  sn4i outer = {texels_pair(texel + at[0]), texels_pair(texel + at[1]), texels_pair(texel + at[4]),
                texels_pair(texel + at[5])};
  sn4i inner = {texels_pair(texel + at[2]), texels_pair(texel + at[3]), texels_pair(texel + at[6]),
                texels_pair(texel + at[7])};
#endif
  // as floats, whose shuffles take two sources
  *first = (sn8i)__builtin_shufflevector((sn8f)outer, (sn8f)inner, 0, 2, 8, 10, 4, 6, 12, 14);
  *second = (sn8i)__builtin_shufflevector((sn8f)outer, (sn8f)inner, 1, 3, 9, 11, 5, 7, 13, 15);
}

enum { snSQUARE = 4 };  // texels along a side of a square

SN_INLINE int squares_along(int texels) { return (texels + snSQUARE - 1) / snSQUARE; }

// The box around points of a face: least u and v, largest u and v.
typedef struct snLookBox_ {
  sn4f edge;
  int face;
} snLookBox;

// The box of four points of a repeated texture, of which the least lies on its first copy; of a cube,
// all of whose points lie on one face. False when it has none.
SN_INLINE bool box_flat(snLookBox* box, sn8f u, sn8f v) {
  sn4f a = __builtin_shufflevector(u, v, 0, 8, 1, 9),
       b = __builtin_shufflevector(u, v, 2, 10, 3, 11);
  sn4f low = sn4f_min(a, b), high = sn4f_max(a, b);
  low = sn4f_min(low, __builtin_shufflevector(low, low, 2, 3, 0, 1));
  high = sn4f_max(high, __builtin_shufflevector(high, high, 2, 3, 0, 1));
  const sn4x sign = {1, 1, -1, -1}, absolute = {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF};
  if (sn4x_bits((low > -1e4f) & (high < 1e4f)) != 15) return false;
  sn4x whole = __builtin_convertvector(low, sn4x);
  whole += __builtin_convertvector(whole, sn4f) > low;
  sn4f rounding = 1e-6f * ((sn4f)((sn4x)low & absolute) + (sn4f)((sn4x)high & absolute));
  box->edge = __builtin_shufflevector(low, high, 0, 1, 4, 5) -
              __builtin_convertvector(whole, sn4f) - rounding * __builtin_convertvector(sign, sn4f);
  box->face = 0;
  return true;
}
SN_INLINE bool box_cube(snLookBox* box, const snLook* look) {
  sn8i face = look->face;
  if (sn8i_bits(face != face[0]) & 15) return false;
  if (!box_flat(box, look->u, look->v)) return false;
  box->face = face[0];
  return true;
}

// Whether a level has one colour around all points of a box, and `margin` texels more; that colour.
SN_INLINE bool level_even(const snTexture* t, int level, const snLookBox* box, float margin,
                          uint32_t* texel) {
  const float w = (float)t->wide[level], h = (float)t->high[level], more = margin + 0.5f;
  const size_t row = (size_t)squares_along(t->wide[level]) + 1;
  const size_t rows = (size_t)squares_along(t->high[level]) + 1;
  const snSquares* sum = t->squares[level] + (size_t)box->face * row * rows;
  sn4f size = {w, h, w, h}, at = box->edge * size + (sn4f){-more, -more, more, more};
  if (sn4x_bits((at >= 0) & (at < size)) != 15) {
    *texel = sum->texel;
    return t->type == mjTEXTURE_2D && sum[row * rows - 1].uneven == 0;
  }
  sn4x square = __builtin_convertvector(at, sn4x) / snSQUARE;
  size_t left = (size_t)square[0], right = (size_t)square[2] + 1;
  const snSquares *below = sum + (size_t)square[1] * row,
                  *above = sum + (size_t)(square[3] + 1) * row;
  SN_ASSERT(right < row && (size_t)square[3] + 1 < rows);
  *texel = below[left].texel;
  return above[right].uneven - above[left].uneven == below[right].uneven - below[left].uneven;
}

// Places along a side of so many texels, in 1/256 texel from the middle of the rim's: whole texels in
// the upper bits, and how much of the next one is mixed in.
SN_INLINE sn8i level_place(sn8f at, int texels) {
  return __builtin_convertvector(at * (float)(texels * 256) + 128.5f, sn8i);
}

// That share in both halves of a lane.
SN_INLINE sn8i place_share(sn8i place) {
  sn8i share = place & 255;
  return share | share << 16;
}

// One level: between the texels of the row below and of the row above.
SN_INLINE snTexels level_look(const snTexture* t, int level, const snLook* look, bool repeat) {
  int w = t->wide[level], h = t->high[level], pitch = w + 2;
  sn8i x = level_place(look->u, w), y = level_place(look->v, h), row = y >> 8;
  if (!repeat) row += look->face * (h + 2);
  sn8i at = row * pitch + (x >> 8), a, b, c, d;
  texels_pairs(t->texel[level], at, &a, &b);
  texels_pairs(t->texel[level] + pitch, at, &c, &d);
  sn8i right = place_share(x), up = place_share(y);
  return texels_mix(texels_mix(texels_split(a), texels_split(b), right),
                    texels_mix(texels_split(c), texels_split(d), right), up);
}

// Within this distance of a level the level alone is looked at; the mean of two goes from one to
// the other in the rest of the way.
#define snSNAP 0.2f

SN_INLINE snLevelMix level_mix(const sn8i mix[2], int lane) {
  return (snLevelMix){mix[0][lane], mix[1][lane]};
}

// Levels at which a texel covers a pixel whose side is so many texels, from the square of that: log2
// of the root, within 0.01, by the exponent and a quadratic of the mantissa; 0 where texels are
// larger than pixels.
SN_INLINE void levels_mix(const snTexture* t, sn8f square, sn8i mix[2]) {
  const sn8f last = sn8f_set1((float)(t->levels - 1));
  sn8i smaller = (square > 1) & (square < 1e30f);
  sn8f exponent = __builtin_convertvector(((sn8i)square >> 23) - 127, sn8f);
  sn8f m = (sn8f)(((sn8i)square & 0x7FFFFF) | 0x3F800000) - 1;
  sn8f level = 0.5f * (exponent + m * (1.33333f - 0.33333f * m));
  level = (sn8f)((sn8i)sn8f_min(level, last) & smaller);
  mix[0] = __builtin_convertvector(level + snSNAP, sn8i);
  sn8f share = (level - __builtin_convertvector(mix[0], sn8f) - snSNAP) * (1 / (1 - 2 * snSNAP));
  mix[1] = __builtin_convertvector(sn8f_max(share, sn8f_set1(0)) * 256.0f + 0.5f, sn8i);
}

// Eight texels, at one level.
SN_INLINE snTexels texel_look(const snTexture* t, const snLook* look, bool repeat, snLevelMix mix) {
  snTexels texels = level_look(t, mix.whole, look, repeat);
  if (!mix.share) return texels;
  snTexels smaller = level_look(t, mix.whole + 1, look, repeat);
  return texels_mix(texels, smaller, sn8i_set1(mix.share | mix.share << 16));
}

// One channel of texels, from 0 to 255.
SN_INLINE sn8f texels_channel(snTexels texels, int c) {
  sn8i pair = c & 1 ? texels.odd : texels.even;
  return __builtin_convertvector(c & 2 ? pair >> 16 : pair & 255, sn8f);
}

#endif
