// Shadow maps: depth as a light sees it.
//
// A directional light looks along its direction from its position, at a square of twice the
// context's shadowClip; a spot looks into a square pyramid whose half angle is its cutoff times
// shadowScale. What lies outside is lit. Only the part of that square in which something casts a
// shadow is drawn, at a size that follows the picture (or the model's shadowsize, when it sets
// one), so a small picture has a small map. Shadows have hard edges: the four texels around a point
// vote.
#ifndef SINEW_DRAW_SHADOW_H_
#define SINEW_DRAW_SHADOW_H_

#include "draw/frame.h"

// Draw the maps of all lights that have one, for a picture seen as in `view`; false when memory is
// short.
bool shadow_draw(snFrame* frame, const snPass* view, const snOrder* order);

// Share of the light of map s that reaches a point: 0 or 1.
float shadow_share(const snFrame* frame, int s, const float world[3]);

#endif
