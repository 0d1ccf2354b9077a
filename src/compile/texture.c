// Textures: from one image, from a grid of images, from six images, from inline pixels, or
// procedural (texture_paint.c). A cube is six square images stacked: right, left, up, down, front,
// back.
#include <string.h>

#include "compile/asset.h"
#include "compile/texture.h"
#include "model/resource.h"

enum { kMaxSide = 32768 };

void texture_free(snTextureImage* texture) {
  memory_free(texture->data);
  memset(texture, 0, sizeof *texture);
}

bool texture_allocate(snTextureImage* texture, int64_t width, int64_t height, int nchannel,
                      snFault* fault) {
  if (width < 1 || height < 1 || width > kMaxSide || height > 6 * kMaxSide ||
      width * height > (1 << 29) / nchannel) {
    return fault_raise(fault, "texture is too large: %lld x %lld", (long long)width,
                       (long long)height);
  }
  texture->width = (int)width;
  texture->height = (int)height;
  texture->nchannel = nchannel;
  texture->size = (size_t)(width * height * nchannel);
  texture->data = memory_alloc_zero(texture->size);
  return texture->data || fault_raise(fault, "no memory for a texture of %zu bytes", texture->size);
}

// ---- images from files

static void flip(snImage* image, bool horizontal, bool vertical) {
  size_t pixel = (size_t)image->nchannel, row = pixel * (size_t)image->width;
  for (int r = 0; horizontal && r < image->height; r++) {
    for (int a = 0, b = image->width - 1; a < b; a++, b--) {
      unsigned char *p = image->data + r * row + a * pixel, *q = image->data + r * row + b * pixel;
      for (size_t k = 0; k < pixel; k++) {
        unsigned char swap = p[k];
        p[k] = q[k];
        q[k] = swap;
      }
    }
  }
  for (int a = 0, b = image->height - 1; vertical && a < b; a++, b--) {
    for (size_t k = 0; k < row; k++) {
      unsigned char swap = image->data[a * row + k];
      image->data[a * row + k] = image->data[b * row + k];
      image->data[b * row + k] = swap;
    }
  }
}

// The custom format: width, height, then 3 bytes per pixel.
static bool read_custom(snImage* image, const snFile* file, int nchannel, snFault* fault) {
  int32_t size[2] = {0, 0};
  if (file->size >= sizeof size) memcpy(size, file->bytes, sizeof size);
  if (size[0] < 1 || size[1] < 1 || size[0] > kMaxSide || size[1] > kMaxSide || nchannel != 3 ||
      file->size != sizeof size + 3 * (size_t)size[0] * (size_t)size[1]) {
    return fault_raise(fault,
                       "Non-PNG texture, assuming custom binary file format, unexpected file "
                       "size in file '%s'",
                       file->name);
  }
  size_t bytes = file->size - sizeof size;
  image->data = memory_alloc(bytes);
  if (!image->data) return fault_raise(fault, "no memory for texture file '%s'", file->name);
  memcpy(image->data, (const char*)file->bytes + sizeof size, bytes);
  image->width = size[0];
  image->height = size[1];
  image->nchannel = 3;
  return true;
}

// KTX is stored undecoded, for the renderer, as one row of bytes.
static bool read_ktx(snImage* image, const snFile* file, int nchannel, snFault* fault) {
  if (file->size > (size_t)1 << 28) {
    return fault_raise(fault, "KTX file '%s' is too large", file->name);
  }
  image->data = memory_alloc_zero(file->size * (size_t)nchannel);
  if (!image->data) return fault_raise(fault, "no memory for texture file '%s'", file->name);
  memcpy(image->data, file->bytes, file->size);
  image->width = (int)file->size;
  image->height = 1;
  image->nchannel = nchannel;
  return true;
}

static bool read_image(snImage* image, const snFile* file, const mjsTexture* s, snFault* fault) {
  memset(image, 0, sizeof *image);
  const char* type = file->content_type ? file->content_type : "";
  if (!file->size) return fault_raise(fault, "texture file is empty: '%s'", file->name);
  if (*type && !resource_is_type(type, "image/png") && !resource_is_type(type, "image/ktx") &&
      !resource_is_type(type, "image/vnd.mujoco.texture")) {
    return fault_raise(fault, "unsupported content type: '%s'", type);
  }
  bool ok;
  if (*type ? resource_is_type(type, "image/png") : file_has_extension(file, ".png")) {
    ok = png_read(image, file, s->nchannel, fault);
  } else if (resource_is_type(type, "image/ktx")) {
    ok = read_ktx(image, file, s->nchannel, fault);
  } else {
    ok = read_custom(image, file, s->nchannel, fault);
  }
  if (ok) flip(image, s->hflip, s->vflip);
  return ok;
}

static void copy_cell(snTextureImage* texture, int side, const snImage* image, int row,
                      int column) {
  size_t pixel = (size_t)image->nchannel, width = pixel * (size_t)texture->width;
  for (int r = 0; r < texture->width; r++) {
    const unsigned char* from =
        image->data + ((size_t)(row * texture->width + r) * (size_t)image->width) * pixel +
        column * width;
    memcpy(texture->data + ((size_t)side * texture->width + r) * width, from, width);
  }
}

static int side_of(char letter) {
  const char* letters = "RLUDFB";
  const char* found = letter ? strchr(letters, letter) : NULL;
  return found ? (int)(found - letters) : -1;
}

static void fill_sides(snTextureImage* texture, const bool filled[6], const double rgb[3]) {
  int width = texture->width, n = texture->nchannel;
  size_t side = (size_t)n * (size_t)width * (size_t)width;
  for (int i = 0; i < 6; i++) {
    if (!filled[i]) texture_flat(texture->data + i * side, width, width, n, rgb);
  }
}

static bool cut_grid(snTextureImage* texture, const snImage* image, const mjsTexture* s,
                     const snFile* file, snFault* fault) {
  int rows = s->gridsize[0], columns = s->gridsize[1];
  if (rows < 1 || columns < 1 || rows > 12 || columns > 12 || rows * columns > 12) {
    return fault_raise(fault,
                       "gridsize must be two positive integers with a product of at most 12");
  }
  if (image->width % columns || image->height % rows ||
      image->width / columns != image->height / rows) {
    return fault_raise(fault, "PNG size must be integer multiple of gridsize in texture '%s'",
                       file->name);
  }
  int width = image->width / columns;
  if (rows == 1 && columns == 1) {
    if (!texture_allocate(texture, width, width, image->nchannel, fault)) return false;
    memcpy(texture->data, image->data, texture->size);
    return true;
  }
  if (!texture_allocate(texture, width, 6 * (int64_t)width, image->nchannel, fault)) return false;
  bool filled[6] = {false};
  for (int i = 0; i < rows * columns && s->gridlayout[i]; i++) {
    if (s->gridlayout[i] == '.') continue;
    int side = side_of(s->gridlayout[i]);
    if (side < 0) return fault_raise(fault, "gridlayout symbol is not among '.RLUDFB' in texture");
    copy_cell(texture, side, image, i / columns, i % columns);
    filled[side] = true;
  }
  fill_sides(texture, filled, s->rgb1);
  return true;
}

static bool build_file(snTextureImage* texture, const mjsTexture* s, const snFile* file,
                       snFault* fault) {
  snImage image;
  if (!read_image(&image, file, s, fault)) return false;
  bool ok;
  texture->colorspace = image.srgb ? mjCOLORSPACE_SRGB : mjCOLORSPACE_LINEAR;
  if (s->type == mjTEXTURE_2D) {
    texture->width = image.width;
    texture->height = image.height;
    texture->nchannel = image.nchannel;
    texture->size = (size_t)image.width * (size_t)image.height * (size_t)image.nchannel;
    texture->data = image.data;
    image.data = NULL;
    ok = true;
  } else {
    ok = cut_grid(texture, &image, s, file, fault);
  }
  image_free(&image);
  return ok;
}

static bool build_cube(snTextureImage* texture, const mjsTexture* s, const snFile cube[6],
                       snFault* fault) {
  bool filled[6] = {false};
  if (s->type == mjTEXTURE_2D) {
    return fault_raise(fault, "Cannot load 2D texture from separate files, texture");
  }
  texture->colorspace = mjCOLORSPACE_LINEAR;
  for (int i = 0; i < 6; i++) {
    if (!cube[i].bytes) continue;
    snImage image;
    if (!read_image(&image, &cube[i], s, fault)) return false;
    bool ok =
        image.width == image.height ||
        fault_raise(fault, "PNG must be square in cube or skybox texture: '%s'", cube[i].name);
    if (ok && !texture->data)
      ok = texture_allocate(texture, image.width, 6 * (int64_t)image.width, image.nchannel, fault);
    if (ok && image.width != texture->width) {
      ok = fault_raise(fault, "PNG file '%s' has incompatible size in texture: %d, expected %d",
                       cube[i].name, image.width, texture->width);
    }
    if (ok) {
      copy_cell(texture, i, &image, 0, 0);
      filled[i] = true;
      if (image.srgb) texture->colorspace = mjCOLORSPACE_SRGB;
    }
    image_free(&image);
    if (!ok) return false;
  }
  if (!texture->data) return fault_raise(fault, "no cubefiles_ defined in cube or skybox texture");
  fill_sides(texture, filled, s->rgb1);
  return true;
}

static bool build_data(snTextureImage* texture, const mjsTexture* s, const void* data, size_t size,
                       snFault* fault) {
  if (s->nchannel < 1 || s->nchannel > 4) {
    return fault_raise(fault, "Unsupported number of channels: %d", s->nchannel);
  }
  if (!texture_allocate(texture, s->width, s->height, s->nchannel, fault)) return false;
  if (texture->size != size) {
    return fault_raise(fault, "Texture buffer has incompatible size: %zu bytes, expected %zu", size,
                       texture->size);
  }
  memcpy(texture->data, data, size);
  return true;
}

bool texture_build(snTextureImage* texture, const char* name, const mjsTexture* source,
                   const snFile* file, const snFile cube[6], const void* data, size_t size,
                   snFault* fault) {
  memset(texture, 0, sizeof *texture);
  bool ok;
  if (source->builtin != mjBUILTIN_NONE) {
    ok = texture_procedural(texture, source, fault);
  } else if (data && size) {
    ok = build_data(texture, source, data, size, fault);
  } else if (file && file->bytes) {
    ok = build_file(texture, source, file, fault);
  } else {
    static const snFile none[6];
    ok = build_cube(texture, source, cube ? cube : none, fault);
  }
  if (ok && source->colorspace != mjCOLORSPACE_AUTO) texture->colorspace = source->colorspace;
  if (!ok) texture_free(texture);
  return ok;
}
