// Contact patches of flat shapes. Private to the room.
#ifndef SINEW_COLLIDE_PATCH_H_
#define SINEW_COLLIDE_PATCH_H_

#include "collide/gjk.h"

// Contacts at the corners of the intersection of the touching features, after gjk_distance. False
// when the shapes touch at a point only.
bool collide_patch(snTouchList* list, const snGjk* g);

// The same with points all around that have a depth of their own, also of cylinders and capsules
// that lie on a face, from the deepest touch of the shapes. False when that touch is one beside
// them.
bool collide_lying(snTouchList* list, const snShape* a, const snShape* b, double margin,
                   const snTouch* deepest);

#endif
