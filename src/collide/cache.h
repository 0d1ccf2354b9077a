// What the room keeps in mjData between steps: structure, scratch memory, proofs of separation.
#ifndef SINEW_COLLIDE_CACHE_H_
#define SINEW_COLLIDE_CACHE_H_

#include "collide/broad.h"
#include "collide/contact.h"

typedef struct snCollide_ {
  snBroad broad;
  snTouchList touches;
  mjContact user[mjMAXCONPAIR];  // filled by colliders of the user
} snCollide;

// The room's cache of d, made on first use; NULL when there is no memory.
snCollide* collide_cache(mjData* d);

// The shape of a geom at its current pose.
snShape shape_geom(const mjModel* m, const mjData* d, int geom);

// All touches of two geoms within the margin, geom_type[g1] <= geom_type[g2]. Nothing when the pair
// has no collider.
void collide_geoms(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                   double margin);

// mjCOLLISIONFUNC as the engine sets it.
mjfCollision collide_default(int type1, int type2);

#endif
