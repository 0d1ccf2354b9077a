// What the room keeps in mjData between steps: structure, scratch memory, proofs of separation.
#ifndef SINEW_COLLIDE_CACHE_H_
#define SINEW_COLLIDE_CACHE_H_

#include "collide/box_box.h"
#include "collide/broad.h"
#include "collide/flex_pairs.h"
#include "collide/mixing.h"

// What geom pairs remember, by hash of the pair; linear probing, at most half full.
typedef struct snPairCache_ {
  uint64_t* key;  // 0: free, else 1 + (g1 << 32 | g2)
  snAxis* axis;
  int capacity, n;
} snPairCache;

// The next pairs of boxes among the pairs to look at in a step, touched ahead of their turn: four
// take little longer than one.
enum { kBoxesAhead = 32 };

typedef struct snBoxBatch_ {
  int n, next;  // pairs of boxes found, and whose turn it is
  snBoxPair pair[kBoxesAhead];
  snBoxFound found[kBoxesAhead];
  snTouch touch[kBoxesAhead * kBoxTouches];
} snBoxBatch;

typedef struct snCollide_ {
  snBroad broad;
  snTouchList touches;
  snBoxBatch boxes;
  snPairCache pairs;
  snContactMixes mixes;
  snElementLists elements;       // of flexes
  mjContact user[mjMAXCONPAIR];  // filled by colliders of the user
} snCollide;

// The room's cache of d, made on first use; NULL when there is no memory.
snCollide* collide_cache(mjData* d);

// The shape of a geom at its current pose.
snShape shape_geom(const mjModel* m, const mjData* d, int geom);

// What the pair remembers; NULL when there is no memory, which costs time and nothing else.
snAxis* pair_axis(snPairCache* cache, int g1, int g2);
void pair_cache_free(snPairCache* cache);

// All touches of two geoms within the margin, geom_type[g1] <= geom_type[g2]. Nothing when the pair
// has no collider. `memory` may be NULL.
void collide_geoms(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                   double margin, snAxis* memory);

// Does a formula that needs no more than pose and size tell the touches of this pair of types?
bool collide_is_direct(int type1, int type2);
void collide_direct(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                    double margin);

// Is a pair of these types helped by what it remembers?
bool collide_remembers(int type1, int type2);

// mjCOLLISIONFUNC as the engine sets it.
mjfCollision collide_default(int type1, int type2);

#endif
