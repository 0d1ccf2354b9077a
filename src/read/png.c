// PNG images from memory, as 8-bit samples: plain ones by png_plain.c, all others by libpng.
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "model/formats.h"
#include "read/png_plain.h"

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

// Requests the channels from libpng: missing alpha is opaque, gray becomes color. Gray from color,
// the first sample, is left to the caller.
static void set_channels(png_structp png, int nchannel) {
  if (nchannel < 4) png_set_strip_alpha(png);
  if (nchannel > 1) png_set_gray_to_rgb(png);
  if (nchannel == 4) png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
}

// Contains all calls that may longjmp; memory is owned by the caller.
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
  set_channels(png, nchannel);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  int channels = png_get_channels(png, info);
  if ((channels != nchannel && nchannel > 1) || png_get_bit_depth(png, info) != 8) {
    png_error(png, "unexpected number of channels");
  }
  size_t stride = png_get_rowbytes(png, info), npixel = (size_t)width * height;
  if (npixel > kMaxBytes / 4) png_error(png, "the image is too large");
  bool direct = channels == nchannel;
  *raw = direct ? NULL : memory_alloc(stride * height);
  *rows = memory_alloc(height * sizeof(png_bytep));
  image->data = memory_alloc(npixel * (size_t)nchannel);
  if ((!direct && !*raw) || !*rows || !image->data) png_error(png, "no memory");
  unsigned char* first = direct ? image->data : *raw;
  for (png_uint_32 r = 0; r < height; r++) (*rows)[r] = first + r * stride;
  png_read_image(png, *rows);
  png_read_end(png, NULL);
  image->width = (int)width;
  image->height = (int)height;
  image->nchannel = nchannel;
  for (size_t i = 0; !direct && i < npixel; i++) image->data[i] = (*raw)[i * (size_t)channels];
  return true;
}

bool png_read(snImage* image, const snFile* file, int nchannel, snFault* fault) {
  memset(image, 0, sizeof *image);
  if (!file->size) return fault_raise(fault, "empty PNG file '%s'", file->name);
  if (nchannel != 1 && nchannel != 3 && nchannel != 4) {
    return fault_raise(fault, "Unsupported number of channels: %d", nchannel);
  }
  if (png_read_plain(image, file, nchannel)) return true;
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
