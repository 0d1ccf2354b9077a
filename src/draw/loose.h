// Surfaces that are made for one picture: skins, flexes, lines.
#ifndef SINEW_DRAW_LOOSE_H_
#define SINEW_DRAW_LOOSE_H_

#include "draw/frame.h"

// A surface of the frame, freed before the next picture; NULL when memory is short.
snSurface* loose_add(snFrame* frame, int nvert, int nface, int nnormal, int ntexcoord);

// The faces of flex f as the scene has them, and a skin; in the world's frame. A surface without
// faces when there is nothing to draw.
snSurface* loose_flex(snFrame* frame, const mjvScene* scene, int flex, bool texcoord);
snSurface* loose_skin(snFrame* frame, const snOrder* order, int skin, bool texcoord);

// Lines of so many pixels between pairs of points (6 numbers each), turned to the eye.
snSurface* loose_lines(snFrame* frame, const snOrder* order, const float eye[3],
                       const float* points, int count, float width, bool whole);

#endif
