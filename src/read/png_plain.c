// Plain PNG images, as most textures are: 8 bits per sample, no palette, no interlacing. The data
// is inflated at once and each pixel is unfiltered in one SIMD register, in half the time of
// libpng. Anything unusual or malformed is left to libpng, which decodes it or reports the error.
#include <string.h>
#include <zlib.h>

#include "base/assert.h"
#include "model/formats.h"
#include "read/png_plain.h"

enum {
  kMaxSide = 32768,
  kPad = 8
};  // kPad: bytes that loading a pixel into a register may read beyond the row
static const size_t kMaxBytes = (size_t)1 << 30;

typedef unsigned char snByte8 __attribute__((vector_size(8)));
typedef short snShort8 __attribute__((vector_size(16)));

typedef struct snPlain_ {
  size_t width, height, channels, stride;  // stride: bytes of a filtered row, with its filter type
  unsigned char* row;                      // (height x stride) the inflated rows
  z_stream z;
  bool inflating, done, srgb, gamma;  // gamma: a gAMA chunk that may differ from sRGB
} snPlain;

static size_t read_big(const unsigned char* p) {
  return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

// ---- chunks
static bool read_header(snPlain* p, const unsigned char* data, size_t n) {
  static const size_t kChannels[7] = {1, 0, 3, 0, 2, 0, 4};
  if (n != 13 || p->width || data[8] != 8 || data[9] > 6 || data[10] || data[11] || data[12]) {
    return false;
  }
  p->width = read_big(data), p->height = read_big(data + 4);
  p->channels = kChannels[data[9]];
  if (!p->channels || !p->width || !p->height || p->width > kMaxSide || p->height > kMaxSide ||
      p->width * p->height > kMaxBytes / 4) {
    return false;
  }
  p->stride = 1 + p->width * p->channels;
  p->row = memory_alloc(p->height * p->stride + kPad);
  return p->row != NULL;
}

static bool read_data(snPlain* p, const unsigned char* data, size_t n) {
  if (!p->row || p->done) return false;
  if (!p->inflating) {
    if (inflateInit(&p->z) != Z_OK) return false;
    p->inflating = true;
    p->z.next_out = p->row;
    p->z.avail_out = (uInt)(p->height * p->stride);
  }
  p->z.next_in = (unsigned char*)data;
  p->z.avail_in = (uInt)n;
  int said = inflate(&p->z, Z_NO_FLUSH);
  p->done = said == Z_STREAM_END;
  return (p->done || said == Z_OK) && !p->z.avail_in && (!p->done || !p->z.avail_out);
}

// Chunks that do not affect the samples (text and the like); all others are left to libpng.
static bool is_idle(const unsigned char* type) {
  static const char kIdle[][5] = {"tEXt", "zTXt", "iTXt", "pHYs", "tIME", "bKGD", "eXIf", "iCCP"};
  for (size_t i = 0; i < sizeof kIdle / sizeof kIdle[0]; i++) {
    if (!memcmp(type, kIdle[i], 4)) return true;
  }
  return false;
}

static bool read_chunks(snPlain* p, const unsigned char* at, size_t left) {
  static const unsigned char kSignature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (left < 8 || memcmp(at, kSignature, 8)) return false;
  at += 8, left -= 8;
  while (left >= 12) {
    size_t n = read_big(at);
    const unsigned char *type = at + 4, *data = at + 8;
    if (n > left - 12 || crc32(0, type, (uInt)n + 4) != read_big(data + n)) return false;
    if (!memcmp(type, "IEND", 4)) return n == 0 && p->done && !(p->srgb && p->gamma);
    bool fine;
    if (!memcmp(type, "IHDR", 4)) {
      fine = read_header(p, data, n);
    } else if (!memcmp(type, "IDAT", 4)) {
      fine = read_data(p, data, n);
    } else if (!memcmp(type, "sRGB", 4)) {
      fine = p->row && !p->inflating && !p->srgb && n == 1 && data[0] < 4;
      p->srgb = true;
    } else if (!memcmp(type, "gAMA", 4)) {
      fine = p->row && n == 4;
      p->gamma = !fine || read_big(data) != 45455;
    } else if (!memcmp(type, "cHRM", 4)) {
      fine = p->row && n == 32;
      p->gamma = true;
    } else {
      fine = p->row && is_idle(type);
    }
    if (!fine) return false;
    at += 12 + n, left -= 12 + n;
  }
  return false;
}

// ---- filters
SN_INLINE snShort8 load_pixel(const unsigned char* p) {
  snByte8 x;
  memcpy(&x, p, sizeof x);
  return __builtin_convertvector(x, snShort8);
}

SN_INLINE snShort8 choose(snShort8 mask, snShort8 a, snShort8 b) {
  return (mask & a) | (~mask & b);
}

SN_INLINE snShort8 size_of(snShort8 x) { return choose(x < 0, -x, x); }

// Paeth predictor: of left a, above b and above left c the one nearest to a + b - c, ties in this
// order.
SN_INLINE snShort8 nearest(snShort8 a, snShort8 b, snShort8 c) {
  snShort8 da = b - c, db = a - c, dc = size_of(da + db);
  da = size_of(da), db = size_of(db);
  return choose((da <= db) & (da <= dc), a, choose(db <= dc, b, c));
}

// Adds the prediction of the filter to a row x of n bytes; `up` is the row above.
SN_INLINE void unfilter_pixels(unsigned char* x, const unsigned char* up, size_t n, size_t pixel,
                               int filter) {
  snShort8 a = {0}, c = {0};
  for (size_t i = 0; i < n; i += pixel) {
    snShort8 b = filter == 1 ? a : load_pixel(up + i);
    snShort8 guess = filter == 1 ? a : filter == 3 ? (a + b) >> 1 : nearest(a, b, c);
    a = (load_pixel(x + i) + guess) & 255;
    c = b;
    snByte8 bytes = __builtin_convertvector(a, snByte8);
    memcpy(x + i, &bytes, pixel);
  }
}

SN_INLINE void unfilter_row(unsigned char* x, const unsigned char* up, size_t n, size_t pixel,
                            int filter) {
  switch (filter) {
    case 1:
      unfilter_pixels(x, up, n, pixel, 1);
      break;
    case 2:
      for (size_t i = 0; i < n; i++) x[i] = (unsigned char)(x[i] + up[i]);
      break;
    case 3:
      unfilter_pixels(x, up, n, pixel, 3);
      break;
    case 4:
      unfilter_pixels(x, up, n, pixel, 4);
      break;
    default:
      break;
  }
}

static void unfilter(unsigned char* x, const unsigned char* up, size_t n, size_t pixel,
                     int filter) {
  switch (pixel) {
    case 1:
      unfilter_row(x, up, n, 1, filter);
      break;
    case 2:
      unfilter_row(x, up, n, 2, filter);
      break;
    case 3:
      unfilter_row(x, up, n, 3, filter);
      break;
    default:
      unfilter_row(x, up, n, 4, filter);
  }
}

// Converts `from` channels to `to`: gray is the first sample of a color, missing alpha is opaque.
static void convert_row(unsigned char* out, const unsigned char* in, size_t n, size_t from,
                        size_t to) {
  if (from == to) {
    memcpy(out, in, n * to);
  } else if (from == 4 && to == 3) {
    for (size_t i = 0; i < n; i++) memcpy(out + 3 * i, in + 4 * i, 3);
  } else {
    for (size_t i = 0; i < n; i++, in += from, out += to) {
      for (size_t k = 0; k < to && k < 3; k++) out[k] = in[from >= 3 ? k : 0];
      if (to == 4) out[3] = from == 2 ? in[1] : 255;
    }
  }
}

static bool write_rows(snPlain* p, unsigned char* out, size_t nchannel) {
  size_t n = p->stride - 1;
  SN_ASSERT(n == p->width * p->channels && p->channels >= 1 && p->channels <= 4);
  unsigned char* none = memory_alloc_zero(n + kPad);  // zeros: the row above the first
  const unsigned char* up = none;
  bool fine = none != NULL;
  for (size_t r = 0; fine && r < p->height; r++) {
    unsigned char* row = p->row + r * p->stride;
    fine = row[0] <= 4;
    unfilter(row + 1, up, n, p->channels, row[0]);
    convert_row(out + r * p->width * nchannel, row + 1, p->width, p->channels, nchannel);
    up = row + 1;
  }
  memory_free(none);
  return fine;
}

bool png_read_plain(snImage* image, const snFile* file, int nchannel) {
  snPlain p = {0};
  bool ok = read_chunks(&p, file->bytes, file->size);
  if (p.inflating) inflateEnd(&p.z);
  unsigned char* out = ok ? memory_alloc(p.width * p.height * (size_t)nchannel) : NULL;
  ok = out && write_rows(&p, out, (size_t)nchannel);
  memory_free(p.row);
  if (!ok) {
    memory_free(out);
    return false;
  }
  *image = (snImage){.data = out,
                     .width = (int)p.width,
                     .height = (int)p.height,
                     .nchannel = nchannel,
                     .srgb = p.srgb};
  return true;
}
