// Flexes: their elements against geoms, each other and themselves. Private to the room.
#ifndef SINEW_COLLIDE_FLEX_H_
#define SINEW_COLLIDE_FLEX_H_

#include "collide/cache.h"

// Contacts of the geoms of a body with a flex, of two flexes, and of a flex with itself. False when
// out of memory.
bool collide_body_flex(const mjModel* m, mjData* d, snCollide* c, int body, int flex);
bool collide_flex_flex(const mjModel* m, mjData* d, snCollide* c, int flex1, int flex2);
bool collide_flex_self(const mjModel* m, mjData* d, snCollide* c, int flex);

#endif
