// Mirrors: planes and upper faces of boxes whose material has a reflectance.
//
// What a mirror shows is the scene reflected at its plane, seen by the same camera, without the sky
// and what lies behind the mirror, and without shadows, as in the released pictures; the
// reflectance times that is added to the colour of the mirror. Mirrors in mirrors show their own
// colour.
#ifndef SINEW_DRAW_MIRROR_H_
#define SINEW_DRAW_MIRROR_H_

#include "draw/frame.h"

// Find the mirrors of a scene and draw their images; false when memory is short.
bool mirror_draw(snFrame* frame, const snPass* view, const snOrder* order);

#endif
