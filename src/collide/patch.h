// Contact patches of flat shapes. Private to the room.
#ifndef SINEW_COLLIDE_PATCH_H_
#define SINEW_COLLIDE_PATCH_H_

#include "collide/gjk.h"

// Contacts at the corners of the intersection of the touching features, after gjk_distance. False
// when the shapes touch at a point only.
bool collide_patch(snTouchList* list, const snGjk* g);

#endif
