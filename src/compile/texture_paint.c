// Procedural textures: flat, checker, gradient; marks on edges, cross or random.
//
// Pixels equal the released ones, including the sequence of random marks and the wrap-around of
// colors beyond [0, 1]. Sky boxes are large, so gradients are computed by rows in SIMD lanes.
#include <math.h>
#include <string.h>

#include "base/lanes_asin.h"
#include "compile/texture.h"

// Random marks use the 64-bit Mersenne twister of Matsumoto and Nishimura, as released

enum { kTwister = 312, kMiddle = 156 };
typedef struct snTwister_ {
  uint64_t state[kTwister], out[kTwister];
  int at;
} snTwister;

static void twister_seed(snTwister* t, uint64_t seed) {
  t->state[0] = seed;
  for (int i = 1; i < kTwister; i++) {
    uint64_t last = t->state[i - 1];
    t->state[i] = 6364136223846793005u * (last ^ last >> 62) + (uint64_t)i;
  }
  t->at = kTwister;
}

SN_INLINE uint64_t twisted(uint64_t high, uint64_t low, uint64_t other) {
  uint64_t x = (high & 0xFFFFFFFF80000000u) | (low & 0x7FFFFFFFu);
  return other ^ x >> 1 ^ ((0 - (x & 1)) & 0xB5026F5AA96619E9u);
}

// Generates the next block of numbers at once, by SIMD lanes.
SN_KERNEL static void twister_turn(snTwister* t) {
  uint64_t* s = t->state;
  for (int i = 0; i < kMiddle; i++) s[i] = twisted(s[i], s[i + 1], s[i + kMiddle]);
  for (int i = kMiddle; i < kTwister - 1; i++) s[i] = twisted(s[i], s[i + 1], s[i - kMiddle]);
  s[kTwister - 1] = twisted(s[kTwister - 1], s[0], s[kMiddle - 1]);
  for (int i = 0; i < kTwister; i++) {
    uint64_t x = s[i];
    x ^= x >> 29 & 0x5555555555555555u;
    x ^= x << 17 & 0x71D67FFFEDA60000u;
    x ^= x << 37 & 0xFFF7EEE000000000u;
    t->out[i] = x ^ x >> 43;
  }
  t->at = 0;
}

SN_INLINE uint64_t twister_next(snTwister* t) {
  if (t->at == kTwister) twister_turn(t);
  return t->out[t->at++];
}

static bool twister_below(uint64_t x, double share) {
  return (double)x / 18446744073709551616.0 < share;
}

// The largest number below which a fraction in [0, 1] of all numbers lies; at least one does.
static uint64_t twister_last(double share) {
  uint64_t last = 0;
  for (int bit = 63; bit >= 0; bit--) {
    uint64_t more = last | (uint64_t)1 << bit;
    if (twister_below(more, share)) last = more;
  }
  return last;
}

// ---- colours

// Colors outside of [0, 1] wrap around as released; NaN becomes black.
static mjtByte to_byte(double x) {
  double level = 255 * x;
  return fabs(level) < 0x1p31 ? (mjtByte)(int)level : 0;
}

static void to_bytes(mjtByte out[3], const double rgb[3]) {
  for (int k = 0; k < 3; k++) out[k] = to_byte(rgb[k]);
}

// Copies the first row to all others.
static void repeat_row(mjtByte* image, size_t row, int rows) {
  for (int r = 1; r < rows; r++) memcpy(image + (size_t)r * row, image, row);
}

void texture_flat(mjtByte* image, int width, int height, int nchannel, const double rgb[3]) {
  mjtByte colour[4] = {0, 0, 0, 255};
  to_bytes(colour, rgb);
  for (int c = 0; c < width; c++) memcpy(image + nchannel * c, colour, (size_t)nchannel);
  repeat_row(image, (size_t)nchannel * (size_t)width, height);
}

static void paint_checker(mjtByte* image, int width, int height, const double rgb1[3],
                          const double rgb2[3]) {
  mjtByte colour[2][3];
  to_bytes(colour[0], rgb1);
  to_bytes(colour[1], rgb2);
  size_t row = 3 * (size_t)width;
  for (int lower = 0; lower < 2; lower++) {
    mjtByte* first = image + (size_t)(lower ? height / 2 : 0) * row;
    for (int c = 0; c < width; c++) memcpy(first + 3 * c, colour[lower ^ (c >= width / 2)], 3);
    repeat_row(first, row, lower ? height - height / 2 : height / 2);
  }
}

// ---- gradients
// A pixel at u in [-1, 1] is w rgb1 + (1 - w) rgb2 with w = (1 + s(u)) / 2, where s runs from -1 to
// 1 with slope sqrt(2) at 0. s(u) is computed by rows, so that SIMD lanes share the square roots.

SN_INLINE sn4 sigmoid(sn4 u) { return 1.4142135623730951 * u / sn4_sqrt(1 + u * u); }

static void paint_row(mjtByte* out, int width, const double* s, double sign,
                      const mjsTexture* texture) {
  const double *rgb1 = texture->rgb1, *rgb2 = texture->rgb2;
  for (int c = 0; c < width; c++) {
    double weight = 0.5 * (1 + sign * s[c]);
    for (int k = 0; k < 3; k++) out[3 * c + k] = to_byte(weight * rgb1[k] + (1 - weight) * rgb2[k]);
  }
}

// pixel i of n over [-1, 1]; NaN for a single pixel, which becomes black, as released
static double across(int i, int n) { return 2.0 * i / (n - 1) - 1; }

SN_KERNEL static void radial_row(double* s, const double* x, double y, int width) {
  for (int c = 0; c < width; c += 4) {
    sn4 at = sn4_load(x + c);
    sn4 radius = sn4_sqrt(at * at + y * y);
    radius = sn4_select(radius > 1, sn4_set1(1), radius);  // NaN stays NaN
    sn4_store(s + c, sigmoid(1 - 2 * radius));
  }
}

// Elevation above the horizon, in units of a right angle: for a side, whose rows go from -1 to 1,
// or for the top, which lies at 1 above the eye.
SN_KERNEL static void elevation_row(double* s, const double* x, double y, double rise, int width) {
  for (int c = 0; c < width; c += 4) {
    sn4 at = sn4_load(x + c);
    sn4_store(s + c, sigmoid(sn4_asin(rise / sn4_sqrt(1 + at * at + y * y)) / (0.5 * mjPI)));
  }
}

// Around the center of the image. Scratch holds two rows and 8 more numbers.
static void paint_radial(mjtByte* image, int width, int height, const mjsTexture* texture,
                         double* scratch) {
  double *x = scratch, *s = scratch + width + 4;
  for (int c = 0; c < width + 4; c++) x[c] = across(c, width);
  for (int r = 0; r < height; r++) {
    radial_row(s, x, across(r, height), width);
    paint_row(image + 3 * (size_t)r * (size_t)width, width, s, 1, texture);
  }
}

// The four sides are equal, and the bottom mirrors the top.
static void paint_sky(mjtByte* image, int width, const mjsTexture* texture, double* scratch) {
  double *x = scratch, *s = scratch + width + 4;
  size_t row = 3 * (size_t)width, side = row * (size_t)width;
  for (int c = 0; c < width + 4; c++) x[c] = across(c, width);
  for (int r = 0; r < width; r++) {
    double y = -across(r, width);
    mjtByte* at = image + (size_t)r * row;
    elevation_row(s, x, y, y, width);
    paint_row(at, width, s, 1, texture);
    elevation_row(s, x, y, 1, width);
    paint_row(at + 2 * side, width, s, 1, texture);
    paint_row(at + 3 * side, width, s, -1, texture);
  }
  static const int like[3] = {1, 4, 5};
  for (int i = 0; i < 3; i++) memcpy(image + (size_t)like[i] * side, image, side);
}

static void paint_mark(mjtByte* image, int width, int height, const mjsTexture* s,
                       snTwister* twister) {
  mjtByte colour[3];
  to_bytes(colour, s->markrgb);
  bool some = twister_below(0, s->random);
  uint64_t last = some ? twister_last(s->random) : 0;
  for (int r = 0; r < height; r++) {
    mjtByte* row = image + 3 * (size_t)r * (size_t)width;
    for (int c = 0; c < width; c++) {
      bool mark = false;
      if (s->mark == mjMARK_EDGE) mark = r == 0 || c == 0 || r == height - 1 || c == width - 1;
      if (s->mark == mjMARK_CROSS) mark = r == height / 2 || c == width / 2;
      if (s->mark == mjMARK_RANDOM) mark = twister_next(twister) <= last && some;
      if (mark) memcpy(row + 3 * c, colour, 3);
    }
  }
}

bool texture_procedural(snTextureImage* texture, const mjsTexture* s, snFault* fault) {
  bool cube = s->type != mjTEXTURE_2D;
  // pixels are painted with 3 bytes; further channels stay zero, as released
  if (s->nchannel < 3 || s->nchannel > 4) {
    return fault_raise(fault, "a builtin texture has 3 or 4 channels, not %d", s->nchannel);
  }
  if (s->width < 1) return fault_raise(fault, "Invalid width of builtin texture");
  if (!cube && s->height < 1) return fault_raise(fault, "Invalid height of builtin texture");
  if (s->builtin < mjBUILTIN_GRADIENT || s->builtin > mjBUILTIN_FLAT) {
    return fault_raise(fault, "unknown builtin texture %d", s->builtin);
  }
  int sides = cube ? 6 : 1, height = cube ? s->width : s->height;
  if (!texture_allocate(texture, s->width, (int64_t)sides * height, s->nchannel, fault))
    return false;
  if (s->builtin == mjBUILTIN_GRADIENT) {
    double* scratch = memory_alloc(2 * ((size_t)s->width + 4) * sizeof(double));
    if (!scratch) return fault_raise(fault, "no memory for a texture");
    if (cube) {
      paint_sky(texture->data, s->width, s, scratch);
    } else {
      paint_radial(texture->data, s->width, height, s, scratch);
    }
    memory_free(scratch);
  }
  snTwister twister;
  twister_seed(&twister, 42);
  for (int i = 0; i < sides; i++) {
    mjtByte* image = texture->data + 3 * (size_t)i * (size_t)s->width * (size_t)height;
    bool swap = i >= 4;  // so that colors alternate across the edges of the cube
    if (s->builtin == mjBUILTIN_CHECKER) {
      paint_checker(image, s->width, height, swap ? s->rgb2 : s->rgb1, swap ? s->rgb1 : s->rgb2);
    }
    if (s->builtin == mjBUILTIN_FLAT) {
      texture_flat(image, s->width, height, 3, i == 3 ? s->rgb2 : s->rgb1);
    }
    if (s->mark != mjMARK_NONE) paint_mark(image, s->width, height, s, &twister);
  }
  return true;
}
