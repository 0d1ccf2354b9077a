// Light at a vertex, as the fixed functions of OpenGL compute it.
#ifndef SINEW_DRAW_LIGHT_H_
#define SINEW_DRAW_LIGHT_H_

#include "draw/frame.h"

// x^p for x in [0, 1], within 1e-5
float light_power(float x, float p);

// Colours of one vertex: out[0] of emission and of all lights without shadow, then one for each
// light with a shadow map, in their order; each is clamped to [0, 1]. `normal` has unit length.
void light_vertex(const snFrame* frame, const snPass* pass, const snPart* part, const float pos[3],
                  const float normal[3], sn4f* out);

#endif
