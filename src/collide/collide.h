// Collision: from posed geoms to contacts. The rooms above call the documented functions
// (mj_collision, mj_geomDistance, mj_ray ...); this header holds what those do not cover.
#ifndef SINEW_COLLIDE_COLLIDE_H_
#define SINEW_COLLIDE_COLLIDE_H_

#include "data/data.h"

// Complete a contact frame: the x axis is given and made unit; the y axis is the given one made
// orthogonal, or, when it is shorter than 1/2, the world axis y (z when x leans to y by 1/2 or
// more) made orthogonal; z = x cross y.
void collide_frame(mjtNum frame[9]);

#endif
