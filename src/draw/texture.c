// Textures as RGBA with mipmaps (texture.h has their layout in memory).
//
// Level k + 1 is level k resampled by bilinear interpolation to half the size, so
// that sizes that are no power of two need no padding. Each row ends with a copy of the texel that
// follows it under the texture's way of wrapping: interpolation reads two neighbours without a
// test.
#include "draw/texture.h"

static uint32_t texel_pack(const int c[4]) {
  return (uint32_t)c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
}

typedef unsigned char sn4b __attribute__((vector_size(4)));

static inline sn4f texel_unpack(uint32_t v) {
  sn4b bytes;
  memcpy(&bytes, &v, sizeof bytes);
  return __builtin_convertvector(__builtin_convertvector(bytes, sn4x), sn4f);
}

static inline sn4f mix4(const uint32_t* row0, const uint32_t* row1, int x0, int x1, float fx,
                        float fy) {
  sn4f a = texel_unpack(row0[x0]), b = texel_unpack(row0[x1]);
  sn4f c = texel_unpack(row1[x0]), d = texel_unpack(row1[x1]);
  sn4f low = a + fx * (b - a), high = c + fx * (d - c);
  return low + fy * (high - low);
}

// 1 to 4 channels as RGBA: grey, grey and alpha, RGB, RGBA
static void texture_convert(const snTexture* t) {
  size_t count = (size_t)t->width * (size_t)t->height;
  const unsigned char* from = t->data;
  for (size_t i = 0; i < count; i++, from += t->channels) {
    int c[4] = {from[0], from[0], from[0], 255};
    if (t->channels >= 3) c[1] = from[1], c[2] = from[2];
    if (t->channels == 2) c[3] = from[1];
    if (t->channels == 4) c[3] = from[3];
    size_t row = i / (size_t)t->width;
    t->texel[0][i + row] = texel_pack(c);  // one more at the end of each row
  }
}

// The texel after the end of each row.
static void texture_close(const snTexture* t, int level) {
  size_t wide = (size_t)t->wide[level], rows = (size_t)t->faces * (size_t)t->high[level];
  bool repeat = t->type == mjTEXTURE_2D;
  for (size_t y = 0; y < rows; y++) {
    uint32_t* row = t->texel[level] + y * (wide + 1);
    row[wide] = row[repeat ? 0 : wide - 1];
  }
}

// Where the texels of a smaller size look in the larger one: between two neighbours. For even sizes
// that is the mean of two; odd ones are stretched evenly over it.
static void halve_place(int i, int to, int from, int at[2], float* share) {
  float x = ((float)i + 0.5f) * (float)from / (float)to - 0.5f;
  int low = (int)(x > 0 ? x : 0);
  at[0] = low;
  at[1] = low + 1 < from ? low + 1 : low;
  SN_ASSERT(low < from);
  *share = x > 0 ? x - (float)low : 0;
}

static void texture_halve(const snTexture* t, int level) {
  int w = t->wide[level], h = t->high[level], from_w = t->wide[level - 1],
      from_h = t->high[level - 1];
  for (int face = 0; face < t->faces; face++) {
    size_t pitch = (size_t)from_w + 1;
    const uint32_t* from = t->texel[level - 1] + (size_t)face * pitch * (size_t)from_h;
    uint32_t* to = t->texel[level] + (size_t)face * ((size_t)w + 1) * (size_t)h;
    for (int y = 0; y < h; y++) {
      int row[2];
      float fy;
      halve_place(y, h, from_h, row, &fy);
      for (int x = 0; x < w; x++) {
        int column[2];
        float fx;
        halve_place(x, w, from_w, column, &fx);
        sn4f mean = mix4(from + (size_t)row[0] * pitch, from + (size_t)row[1] * pitch, column[0],
                         column[1], fx, fy);
        sn4x whole = __builtin_convertvector(mean + 0.5f, sn4x);
        int c[4] = {whole[0], whole[1], whole[2], whole[3]};
        to[(size_t)y * ((size_t)w + 1) + (size_t)x] = texel_pack(c);
      }
    }
  }
}

bool texture_prepare(snTexture* t) {
  if (t->levels) return true;
  if (!t->data) return false;
  bool cube = t->type != mjTEXTURE_2D;
  t->faces = cube && t->height == 6 * t->width ? 6 : 1;
  size_t total = 0;
  int levels = 0, w = t->width, h = t->height / t->faces;
  for (;;) {
    t->wide[levels] = w;
    t->high[levels] = h;
    total += (size_t)t->faces * ((size_t)w + 1) * (size_t)h;
    levels++;
    if ((w == 1 && h == 1) || levels == snLEVELS) break;
    w = w > 1 ? w / 2 : 1;
    h = h > 1 ? h / 2 : 1;
  }
  if (total > INT32_MAX) return false;  // lanes have indices of 32 bits
  uint32_t* block = memory_alloc(total * sizeof(uint32_t));
  if (!block) return false;
  for (int i = 0; i < levels; i++) {
    t->texel[i] = block;
    block += (size_t)t->faces * ((size_t)t->wide[i] + 1) * (size_t)t->high[i];
  }
  texture_convert(t);
  for (int i = 1; i < levels; i++) texture_halve(t, i);
  for (int i = 0; i < levels; i++) texture_close(t, i);
  t->levels = levels;
  return true;
}
