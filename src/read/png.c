// PNG images as 8-bit samples, from memory, through libpng.
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "model/formats.h"

enum { kMaxSide = 32768 };
static const size_t kMaxBytes = (size_t)1 << 30;

typedef struct snPngInput_ {
  const unsigned char* at;
  size_t left;
  jmp_buf out;
  char said[200];
} snPngInput;

static void input_read(png_structp png, png_bytep to, png_size_t n) {
  snPngInput* input = png_get_io_ptr(png);
  if (n > input->left) png_error(png, "the file ends too early");
  memcpy(to, input->at, n);
  input->at += n;
  input->left -= n;
}

static void input_error(png_structp png, png_const_charp text) {
  snPngInput* input = png_get_error_ptr(png);
  size_t n = strlen(text);
  if (n >= sizeof input->said) n = sizeof input->said - 1;
  memcpy(input->said, text, n);
  input->said[n] = '\0';
  longjmp(input->out, 1);
}

static void input_warning(png_structp png, png_const_charp text) {}

void image_free(snImage* image) {
  memory_free(image->data);
  memset(image, 0, sizeof *image);
}

// Samples of `from` channels to `to` channels: grey is the first of a colour, missing alpha is
// full.
static void convert_channels(unsigned char* out, const unsigned char* in, size_t npixel, int from,
                             int to) {
  for (size_t i = 0; i < npixel; i++, in += from, out += to) {
    bool colour = from >= 3;
    for (int k = 0; k < to && k < 3; k++) out[k] = in[colour ? k : 0];
    if (to == 4) out[3] = from == 4 ? in[3] : from == 2 ? in[1] : 255;
  }
}

// Everything that may jump out is in here; what it allocates is held by the caller.
static bool decode(png_structp png, png_infop info, snPngInput* input, snImage* image,
                   unsigned char** raw, png_bytep** rows, int nchannel) {
  if (setjmp(input->out)) return false;
  png_set_user_limits(png, kMaxSide, kMaxSide);
  png_set_read_fn(png, input, input_read);
  png_read_info(png, info);
  png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
  image->srgb = png_get_valid(png, info, PNG_INFO_sRGB) != 0;
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  int channels = png_get_channels(png, info);
  if (channels < 1 || channels > 4 || png_get_bit_depth(png, info) != 8) {
    png_error(png, "unexpected number of channels");
  }
  size_t stride = png_get_rowbytes(png, info), npixel = (size_t)width * height;
  if (npixel > kMaxBytes / 4) png_error(png, "the image is too large");
  *raw = memory_alloc(stride * height);
  *rows = memory_alloc(height * sizeof(png_bytep));
  image->data = memory_alloc(npixel * (size_t)nchannel);
  if (!*raw || !*rows || !image->data) png_error(png, "no memory");
  for (png_uint_32 r = 0; r < height; r++) (*rows)[r] = *raw + r * stride;
  png_read_image(png, *rows);
  png_read_end(png, NULL);
  image->width = (int)width;
  image->height = (int)height;
  image->nchannel = nchannel;
  convert_channels(image->data, *raw, npixel, channels, nchannel);
  return true;
}

bool png_read(snImage* image, const snFile* file, int nchannel, snFault* fault) {
  memset(image, 0, sizeof *image);
  if (!file->size) return fault_raise(fault, "empty PNG file '%s'", file->name);
  if (nchannel != 1 && nchannel != 3 && nchannel != 4) {
    return fault_raise(fault, "Unsupported number of channels: %d", nchannel);
  }
  snPngInput input = {.at = file->bytes, .left = file->size};
  unsigned char* raw = NULL;
  png_bytep* rows = NULL;
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &input, input_error, input_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  bool ok = info && decode(png, info, &input, image, &raw, &rows, nchannel);
  png_destroy_read_struct(png ? &png : NULL, info ? &info : NULL, NULL);
  memory_free(raw);
  memory_free(rows);
  if (!ok) {
    image_free(image);
    return fault_raise(fault, "error decoding PNG file '%s': %s", file->name,
                       input.said[0] ? input.said : "no memory");
  }
  return true;
}
