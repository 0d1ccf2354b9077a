// Shadow maps: depth as a light sees it.
#ifndef SINEW_DRAW_SHADOW_H_
#define SINEW_DRAW_SHADOW_H_

#include "draw/frame.h"

// Share of light s that reaches a point, from 0 to 1.
float shadow_share(const snFrame* frame, int s, const float world[3]);

#endif
