// Steps of texture_build.
#ifndef SINEW_COMPILE_TEXTURE_H_
#define SINEW_COMPILE_TEXTURE_H_

#include "compile/asset.h"

bool texture_allocate(snTexture* texture, int64_t width, int64_t height, int nchannel,
                      snFault* fault);
// 3 bytes a pixel, all of one colour.
void texture_flat(mjtByte* image, int width, int height, const double rgb[3]);
// Gradient, checker or flat, with marks.
bool texture_procedural(snTexture* texture, const mjsTexture* s, snFault* fault);

#endif
