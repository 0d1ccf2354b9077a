// Light at points of surfaces, as the fixed functions of OpenGL compute it at vertices.
#ifndef SINEW_DRAW_LIGHT_H_
#define SINEW_DRAW_LIGHT_H_

#include "draw/frame.h"

// Colours of eight points of one part, a lane each: out[0] of emission and of all lights without
// shadow, then one for each light with a shadow map, in their order; red, green, blue, each clamped
// to [0, 1]. `normal` has unit length.
void light_points(const snFrame* frame, const snPass* pass, const snDrawPart* part,
                  const sn8f pos[3], const sn8f normal[3], sn8f out[1 + snPASSLIGHTS][3]);

#endif
