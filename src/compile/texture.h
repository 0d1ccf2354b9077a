// Shared by texture.c and texture_paint.c.
#ifndef SINEW_COMPILE_TEXTURE_H_
#define SINEW_COMPILE_TEXTURE_H_

#include "compile/asset.h"

bool texture_allocate(snTextureImage* texture, int64_t width, int64_t height, int nchannel,
                      snFault* fault);
// A uniform color: one channel takes red, as for images; a fourth channel is opaque.
void texture_flat(mjtByte* image, int width, int height, int nchannel, const double rgb[3]);
// Gradient, checker or flat, with marks.
bool texture_procedural(snTextureImage* texture, const mjsTexture* s, snFault* fault);

#endif
