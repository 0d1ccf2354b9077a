// Lookups in textures.
#ifndef SINEW_DRAW_TEXTURE_H_
#define SINEW_DRAW_TEXTURE_H_

#include "draw/assets.h"
#include "draw/lanes8.h"

// RGBA in [0, 1] of a repeated texture, between its sizes at `level` (0: the largest).
sn4f texel_flat(const snTexture* texture, float u, float v, float level);

// The same of a cube, in a direction of any length.
sn4f texel_cube(const snTexture* texture, const float direction[3], float level);

// log2 of the square root: the level at which a texel covers a pixel whose side is so many texels.
float texel_level(float square);

#endif
