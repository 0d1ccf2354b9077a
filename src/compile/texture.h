// Steps of texture_build.
#ifndef SINEW_COMPILE_TEXTURE_H_
#define SINEW_COMPILE_TEXTURE_H_

#include "compile/asset.h"

bool texture_allocate(snTexture* texture, int64_t width, int64_t height, int nchannel,
                      snFault* fault);
// All of one colour; of one channel it is red, as in images, the fourth is opaque.
void texture_flat(mjtByte* image, int width, int height, int nchannel, const double rgb[3]);
// Gradient, checker or flat, with marks.
bool texture_procedural(snTexture* texture, const mjsTexture* s, snFault* fault);

#endif
