// Textures as RGBA with mipmaps (texture.h has their layout in memory).
//
// Level k + 1 is level k resampled by bilinear interpolation to half the size, so
// that sizes that are no power of two need no padding. Interpolation reads neighbours without a
// test: around a repeated texture lie the texels of its other end, and around a face of a cube those
// of the faces beside it.
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

// Texels from row to row, and of a face, with the rim around it; its first own texel.
static size_t texture_pitch(const snTexture* t, int level) { return (size_t)t->wide[level] + 2; }
static size_t face_texels(const snTexture* t, int level) {
  return texture_pitch(t, level) * ((size_t)t->high[level] + 2);
}
static uint32_t* face_first(const snTexture* t, int level, size_t face) {
  return t->texel[level] + face * face_texels(t, level) + texture_pitch(t, level) + 1;
}

// 1 to 4 channels as RGBA: grey, grey and alpha, RGB, RGBA
static void texture_convert(snTexture* t) {
  size_t count = (size_t)t->width * (size_t)t->height;
  const unsigned char* from = t->data;
  size_t pitch = texture_pitch(t, 0), high = (size_t)t->high[0];
  t->most = 1;
  for (size_t i = 0; i < count; i++, from += t->channels) {
    int c[4] = {from[0], from[0], from[0], 255};
    if (t->channels >= 3) c[1] = from[1], c[2] = from[2];
    if (t->channels == 2) c[3] = from[1];
    if (t->channels == 4) c[3] = from[3];
    for (int k = 0; k < 3; k++) t->most = c[k] > t->most ? c[k] : t->most;
    size_t row = i / (size_t)t->width;
    face_first(t, 0, row / high)[row % high * pitch + i % (size_t)t->width] = texel_pack(c);
  }
}

// A cube of one picture shows it on all faces.
static void texture_repeat(const snTexture* t) {
  size_t face = face_texels(t, 0);
  if (t->type == mjTEXTURE_2D || t->height == 6 * t->width) return;
  for (size_t i = 1; i < (size_t)t->faces; i++) {
    memcpy(t->texel[0] + i * face, t->texel[0], face * sizeof(uint32_t));
  }
}

// The texel of a cube's level in a direction whose largest coordinate leads to another face; s and t
// as in look_cube.
static uint32_t cube_texel(const snTexture* t, int level, const double d[3]) {
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(d[k]) > fabs(d[axis])) axis = k;
  }
  bool back = d[axis] < 0;
  double u = axis ? d[0] : back ? d[2] : -d[2], v = axis == 1 ? d[2] : -d[1], most = fabs(d[axis]);
  if (axis == 1 && back) v = -v;
  if (axis == 2 && back) u = -u;
  int w = t->wide[level], h = t->high[level];
  int x = (int)((u / most + 1) / 2 * w), y = (int)((v / most + 1) / 2 * h);
  x = x < 0 ? 0 : x < w ? x : w - 1, y = y < 0 ? 0 : y < h ? y : h - 1;
  size_t at = (size_t)y * texture_pitch(t, level) + (size_t)x;
  return face_first(t, level, (size_t)(2 * axis + back))[at];
}

// The texel beside a face: in the direction of (x, y), a little over the edge.
static uint32_t cube_beside(const snTexture* t, int level, int face, int x, int y) {
  const double over = 1 + 1e-6;
  double u = (2 * x + 1.0) / t->wide[level] - 1, v = (2 * y + 1.0) / t->high[level] - 1;
  u = u > 1 ? over : u < -1 ? -over : u;
  v = v > 1 ? over : v < -1 ? -over : v;
  double d[6][3] = {{1, -v, -u}, {-1, -v, u}, {u, 1, v}, {u, -1, -v}, {u, -v, 1}, {-u, -v, -1}};
  return cube_texel(t, level, d[face]);
}

// The rim of a cube's face; a corner is the mean of the three texels that meet there.
static void cube_close(const snTexture* t, int level, int face) {
  int w = t->wide[level], h = t->high[level], pitch = (int)texture_pitch(t, level);
  uint32_t* first = face_first(t, level, (size_t)face);
  for (int x = 0; x < w; x++) {
    first[x - pitch] = cube_beside(t, level, face, x, -1);
    first[x + h * pitch] = cube_beside(t, level, face, x, h);
  }
  for (int y = 0; y < h; y++) {
    first[y * pitch - 1] = cube_beside(t, level, face, -1, y);
    first[y * pitch + w] = cube_beside(t, level, face, w, y);
  }
  for (int corner = 0; corner < 4; corner++) {
    int x = corner & 1 ? w - 1 : 0, y = corner & 2 ? h - 1 : 0;
    int beyond_x = corner & 1 ? w : -1, beyond_y = corner & 2 ? h : -1;
    sn4f sum = texel_unpack(first[y * pitch + x]) + texel_unpack(first[y * pitch + beyond_x]) +
               texel_unpack(first[beyond_y * pitch + x]);
    sn4x mean = __builtin_convertvector(sum / 3 + 0.5f, sn4x);
    int c[4] = {mean[0], mean[1], mean[2], mean[3]};
    first[beyond_y * pitch + beyond_x] = texel_pack(c);
  }
}

// The rim of a repeated texture.
static void flat_close(const snTexture* t, int level) {
  size_t w = (size_t)t->wide[level], h = (size_t)t->high[level], pitch = texture_pitch(t, level);
  uint32_t* rim = t->texel[level];
  for (size_t y = 1; y <= h; y++) {
    uint32_t* row = rim + y * pitch;
    row[0] = row[w];
    row[w + 1] = row[1];
  }
  memcpy(rim, rim + h * pitch, pitch * sizeof *rim);
  memcpy(rim + (h + 1) * pitch, rim + pitch, pitch * sizeof *rim);
}

// What lies around the texels of a level.
static void texture_close(const snTexture* t, int level) {
  if (t->type == mjTEXTURE_2D) {
    flat_close(t, level);
    return;
  }
  for (int face = 0; face < t->faces; face++) cube_close(t, level, face);
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
    size_t pitch = texture_pitch(t, level - 1), to_pitch = texture_pitch(t, level);
    const uint32_t* from = face_first(t, level - 1, (size_t)face);
    uint32_t* to = face_first(t, level, (size_t)face);
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
        to[(size_t)y * to_pitch + (size_t)x] = texel_pack(c);
      }
    }
  }
}

// Whether a square of texels is not of one colour, or not of that of its neighbours.
static bool square_uneven(const snTexture* t, int level, const uint32_t* first, int i, int j) {
  size_t pitch = texture_pitch(t, level);
  int x0 = snSQUARE * i, y0 = snSQUARE * j, w = t->wide[level], h = t->high[level];
  int x1 = x0 + snSQUARE < w ? x0 + snSQUARE + 1 : w, y1 = y0 + snSQUARE < h ? y0 + snSQUARE : h;
  uint32_t own = first[(size_t)y0 * pitch + (size_t)x0], other = 0;
  for (int y = y0; y < y1; y++) {
    const uint32_t* row = first + (size_t)y * pitch;
    for (int x = x0; x < x1; x++) other |= row[x] ^ own;
  }
  if (y1 < h) other |= first[(size_t)y1 * pitch + (size_t)x0] ^ own;
  return other != 0;
}

static void texture_sum(const snTexture* t, int level) {
  size_t wide = (size_t)squares_along(t->wide[level]), high = (size_t)squares_along(t->high[level]);
  size_t pitch = texture_pitch(t, level);
  for (int face = 0; face < t->faces; face++) {
    const uint32_t* first = face_first(t, level, (size_t)face);
    snSquares* sum = t->squares[level] + (size_t)face * (wide + 1) * (high + 1);
    memset(sum, 0, (wide + 1) * (high + 1) * sizeof *sum);
    for (size_t j = 0; j < high; j++) {
      snSquares *row = sum + j * (wide + 1), *above = row + wide + 1;
      uint32_t count = 0;
      for (size_t i = 0; i < wide; i++) {
        row[i].texel = first[snSQUARE * (j * pitch + i)];
        count += square_uneven(t, level, first, (int)i, (int)j);
        above[i + 1].uneven = row[i + 1].uneven + count;
      }
    }
  }
}

// Words of four bytes of the sums of a level.
static size_t square_words(const snTexture* t, int level) {
  size_t wide = (size_t)squares_along(t->wide[level]) + 1;
  return 2 * (size_t)t->faces * wide * ((size_t)squares_along(t->high[level]) + 1);
}

bool texture_prepare(snTexture* t) {
  if (t->levels) return true;
  if (!t->data) return false;
  bool cube = t->type != mjTEXTURE_2D;
  t->faces = cube ? 6 : 1;
  size_t total = 0;
  int levels = 0, w = t->width, h = cube && t->height == 6 * t->width ? t->width : t->height;
  for (;;) {
    t->wide[levels] = w;
    t->high[levels] = h;
    total += (size_t)t->faces * face_texels(t, levels) + square_words(t, levels);
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
    block += (size_t)t->faces * face_texels(t, i);
    t->squares[i] = (snSquares*)block;
    block += square_words(t, i);
  }
  texture_convert(t);
  texture_repeat(t);
  for (int i = 1; i < levels; i++) texture_halve(t, i);
  for (int i = 0; i < levels; i++) texture_close(t, i);
  for (int i = 0; i < levels; i++) texture_sum(t, i);
  t->levels = levels;
  return true;
}
