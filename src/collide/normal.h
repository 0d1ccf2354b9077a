// Normals of contacts on curved shapes. Private to the room.
#ifndef SINEW_COLLIDE_NORMAL_H_
#define SINEW_COLLIDE_NORMAL_H_

#include "collide/narrow.h"

// The outward normal of a curved shape beside `pos`, given the one that the search found; zero
// where the shape has none of its own.
snVec normal_curved(const snShape* shape, snVec pos, snVec normal);

#endif
