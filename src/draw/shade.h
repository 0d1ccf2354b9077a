// From the visibility of a tile to its pixels.
#ifndef SINEW_DRAW_SHADE_H_
#define SINEW_DRAW_SHADE_H_

#include "draw/frame.h"

size_t shade_scratch_bytes(void);  // scratch memory of one thread

// Draw all tiles of a pass into the order's buffer.
void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order);

#endif
