// Normals of contacts on curved shapes. Private to the room.
#ifndef SINEW_COLLIDE_CURVED_NORMAL_H_
#define SINEW_COLLIDE_CURVED_NORMAL_H_

#include "collide/narrow.h"

// The outward normal of a curved shape at the point nearest to `pos`, starting from the normal that
// a search found; zero for shapes without curved surface and for the caps of cylinders.
snVec normal_curved(const snShape* shape, snVec pos, snVec normal);

#endif
