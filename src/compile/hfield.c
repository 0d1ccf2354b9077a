// Height fields: elevations from PNG, from the binary format or inline, normalized to [0, 1].
#include <math.h>
#include <string.h>

#include "compile/compile.h"
#include "model/resource.h"

void hfield_free(snHField* hfield) {
  memory_free(hfield->data);
  memset(hfield, 0, sizeof *hfield);
}

// Rows of images run top down, rows of height fields bottom up.
static bool read_png(snHField* hfield, const snFile* file, snFault* fault) {
  snImage image;
  if (!png_read(&image, file, 1, fault)) return false;
  size_t width = (size_t)image.width, height = (size_t)image.height;
  hfield->data = memory_alloc(width * height * sizeof(float));
  if (!hfield->data) {
    image_free(&image);
    return fault_raise(fault, "could not allocate buffers in hfield");
  }
  for (size_t r = 0; r < height; r++) {
    for (size_t c = 0; c < width; c++) {
      hfield->data[(height - 1 - r) * width + c] = image.data[r * width + c];
    }
  }
  hfield->nrow = image.height;
  hfield->ncol = image.width;
  image_free(&image);
  return true;
}

static bool read_file(snHField* hfield, const snFile* file, snFault* fault) {
  bool typed = file->content_type && *file->content_type;
  if (typed && !resource_is_type(file->content_type, "image/png") &&
      !resource_is_type(file->content_type, "image/vnd.mujoco.hfield")) {
    return fault_raise(fault, "unsupported content type: '%s'", file->content_type);
  }
  bool png =
      typed ? resource_is_type(file->content_type, "image/png") : file_has_extension(file, ".png");
  return png ? read_png(hfield, file, fault) : hfield_file_read(hfield, file, fault);
}

static bool read_inline(snHField* hfield, const mjsHField* source, const float* userdata, int n,
                        snFault* fault) {
  if (source->nrow < 1 || source->ncol < 1 || !n) return fault_raise(fault, "hfield not specified");
  size_t size = (size_t)source->nrow * (size_t)source->ncol;
  if ((size_t)n != size) {
    return fault_raise(fault, "elevation data length must match nrow*ncol");
  }
  hfield->data = memory_alloc_zero(size * sizeof(float));
  if (!hfield->data) return fault_raise(fault, "could not allocate buffers in hfield");
  memcpy(hfield->data, userdata, size * sizeof(float));
  hfield->nrow = source->nrow;
  hfield->ncol = source->ncol;
  return true;
}

static bool normalize(snHField* hfield, const char* name, snFault* fault) {
  size_t n = (size_t)hfield->nrow * (size_t)hfield->ncol;
  float low = hfield->data[0], high = hfield->data[0];
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(hfield->data[i])) {
      return fault_raise(fault, "elevation %zu of hfield '%s' is not finite", i, name);
    }
    low = fminf(low, hfield->data[i]);
    high = fmaxf(high, hfield->data[i]);
  }
  float range = high - low;
  for (size_t i = 0; i < n; i++) {
    hfield->data[i] -= low;
    if (range > mjMINVAL) hfield->data[i] /= range;
  }
  return true;
}

bool hfield_build(snHField* hfield, const char* name, const mjsHField* source, const snFile* file,
                  const float* userdata, int n, snFault* fault) {
  memset(hfield, 0, sizeof *hfield);
  for (int k = 0; k < 4; k++) {
    if (!(source->size[k] > 0)) {
      return fault_raise(fault, "size parameter is not positive in hfield '%s'", name);
    }
  }
  bool filed = file && file->bytes;
  if (!(filed ? read_file(hfield, file, fault) : read_inline(hfield, source, userdata, n, fault)) ||
      !normalize(hfield, name, fault)) {
    hfield_free(hfield);
    return false;
  }
  return true;
}

int hfield_mark(const float* data, int n) {
  return (int)(hash_bytes(data, (size_t)n * sizeof *data, 0) & 0x7fffffff);
}
