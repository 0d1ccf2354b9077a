// Textures: smaller sizes, and lookups between texels and sizes.
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
    t->texel[0][i] = texel_pack(c);
  }
}

// Where the texels of a smaller size look in the larger one: between two neighbours. For even sizes
// that is the mean of two; odd ones are stretched evenly over it.
static void halve_place(int i, int to, int from, int at[2], float* share) {
  float x = ((float)i + 0.5f) * (float)from / (float)to - 0.5f;
  int low = (int)(x > 0 ? x : 0);
  at[0] = low;
  at[1] = low + 1 < from ? low + 1 : low;
  *share = x > 0 ? x - (float)low : 0;
}

static void texture_halve(const snTexture* t, int level) {
  int w = t->wide[level], h = t->high[level], from_w = t->wide[level - 1],
      from_h = t->high[level - 1];
  for (int face = 0; face < t->faces; face++) {
    const uint32_t* from = t->texel[level - 1] + (size_t)face * (size_t)from_w * (size_t)from_h;
    uint32_t* to = t->texel[level] + (size_t)face * (size_t)w * (size_t)h;
    for (int y = 0; y < h; y++) {
      int row[2];
      float fy;
      halve_place(y, h, from_h, row, &fy);
      for (int x = 0; x < w; x++) {
        int column[2];
        float fx;
        halve_place(x, w, from_w, column, &fx);
        sn4f mean = mix4(from + (size_t)row[0] * (size_t)from_w,
                         from + (size_t)row[1] * (size_t)from_w, column[0], column[1], fx, fy);
        sn4x whole = __builtin_convertvector(mean + 0.5f, sn4x);
        int c[4] = {whole[0], whole[1], whole[2], whole[3]};
        to[y * w + x] = texel_pack(c);
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
    total += (size_t)t->faces * (size_t)w * (size_t)h;
    levels++;
    if ((w == 1 && h == 1) || levels == snLEVELS) break;
    w = w > 1 ? w / 2 : 1;
    h = h > 1 ? h / 2 : 1;
  }
  uint32_t* block = memory_alloc(total * sizeof(uint32_t));
  if (!block) return false;
  for (int i = 0; i < levels; i++) {
    t->texel[i] = block;
    block += (size_t)t->faces * (size_t)t->wide[i] * (size_t)t->high[i];
  }
  texture_convert(t);
  for (int i = 1; i < levels; i++) texture_halve(t, i);
  t->levels = levels;
  return true;
}

// ---- lookups

static inline int floor_int(float x) {
  int i = (int)x;
  return i - ((float)i > x);
}

// index in [0, n) of a repeated texture, from at most one repetition away
static inline int wrap(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

static sn4f level_repeat(const snTexture* t, int level, float u, float v) {
  int w = t->wide[level], h = t->high[level];
  float x = u * (float)w - 0.5f, y = v * (float)h - 0.5f;
  int ix = floor_int(x), iy = floor_int(y);
  float fx = x - (float)ix, fy = y - (float)iy;
  int x0 = wrap(ix, w), y0 = wrap(iy, h), x1 = x0 + 1 == w ? 0 : x0 + 1,
      y1 = y0 + 1 == h ? 0 : y0 + 1;
  const uint32_t* texel = t->texel[level];
  return mix4(texel + (size_t)y0 * (size_t)w, texel + (size_t)y1 * (size_t)w, x0, x1, fx, fy);
}

static inline int limit(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static sn4f level_clamp(const snTexture* t, int level, int face, float u, float v) {
  int w = t->wide[level], h = t->high[level];
  float x = u * (float)w - 0.5f, y = v * (float)h - 0.5f;
  int ix = floor_int(x), iy = floor_int(y);
  float fx = x - (float)ix, fy = y - (float)iy;
  const uint32_t* texel = t->texel[level] + (size_t)face * (size_t)w * (size_t)h;
  return mix4(texel + (size_t)limit(iy, h) * (size_t)w,
              texel + (size_t)limit(iy + 1, h) * (size_t)w, limit(ix, w), limit(ix + 1, w), fx, fy);
}

// Level between two sizes; -1 from the largest on.
static inline int level_split(const snTexture* t, float level, float* part) {
  if (!(level > 0)) {
    *part = 0;
    return 0;
  }
  int low = (int)level;
  if (low >= t->levels - 1) {
    *part = 0;
    return t->levels - 1;
  }
  *part = level - (float)low;
  return low;
}

sn4f texel_flat(const snTexture* t, float u, float v, float level) {
  // far from 0 a float has no digits left between texels: nothing is seen of them either
  if (!(u > -1e6f && u < 1e6f && v > -1e6f && v < 1e6f)) u = v = 0;
  u -= (float)floor_int(u);
  v -= (float)floor_int(v);
  float part;
  int low = level_split(t, level, &part);
  sn4f colour = level_repeat(t, low, u, v);
  if (part > 0) colour += part * (level_repeat(t, low + 1, u, v) - colour);
  return colour * (1.0f / 255);
}

// The face is that of the largest coordinate; s and t on it as OpenGL's cube maps have them.
static int cube_face(const float d[3], float* u, float* v) {
  float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]);
  float s, t, m;
  int face;
  if (ax >= ay && ax >= az) {
    face = d[0] >= 0 ? 0 : 1;
    m = ax, s = d[0] >= 0 ? -d[2] : d[2], t = -d[1];
  } else if (ay >= az) {
    face = d[1] >= 0 ? 2 : 3;
    m = ay, s = d[0], t = d[1] >= 0 ? d[2] : -d[2];
  } else {
    face = d[2] >= 0 ? 4 : 5;
    m = az, s = d[2] >= 0 ? d[0] : -d[0], t = -d[1];
  }
  float inverse = m > 0 ? 0.5f / m : 0;
  *u = s * inverse + 0.5f;
  *v = t * inverse + 0.5f;
  return face;
}

sn4f texel_cube(const snTexture* t, const float direction[3], float level) {
  float u, v, part;
  int face = cube_face(direction, &u, &v);
  if (t->faces == 1) face = 0;
  int low = level_split(t, level, &part);
  sn4f colour = level_clamp(t, low, face, u, v);
  if (part > 0) colour += part * (level_clamp(t, low + 1, face, u, v) - colour);
  return colour * (1.0f / 255);
}

// log2 by the exponent and a quadratic of the mantissa, within 0.01
float texel_level(float square) {
  uint32_t bits;
  if (!(square > 1e-30f)) return 0;
  memcpy(&bits, &square, sizeof bits);
  int exponent = (int)(bits >> 23) - 127;
  bits = (bits & 0x7FFFFF) | 0x3F800000;
  float m;
  memcpy(&m, &bits, sizeof m);
  return 0.5f * ((float)exponent + (m - 1) * (1.33333f - 0.33333f * (m - 1)));
}
