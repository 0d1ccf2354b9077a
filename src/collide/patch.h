// Contact patches of flat shapes. Private to the room.
#ifndef SINEW_COLLIDE_PATCH_H_
#define SINEW_COLLIDE_PATCH_H_

#include "collide/gjk.h"

// Contacts at the corners of the common part of the touching faces, after gjk_distance. False when
// there is no such part: the pair touches at a point.
bool collide_patch(snTouchList* list, const snGjk* g);

#endif
