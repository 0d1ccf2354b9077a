// What the room keeps in mjData between steps: the structure of the broad phase, scratch memory,
// and proofs of separation. Contacts are the same with an empty cache.
#ifndef SINEW_COLLIDE_CACHE_H_
#define SINEW_COLLIDE_CACHE_H_

#include "collide/box_box.h"
#include "collide/broad.h"
#include "collide/flex_pairs.h"
#include "collide/mixing.h"

// Separating axes by geom pair: a hash table with linear probing, at most half full.
typedef struct snPairCache_ {
  uint64_t* key;  // 0: free, else 1 + (g1 << 32 | g2)
  snAxis* axis;
  int capacity, n;
} snPairCache;

// A batch of box pairs taken from the awake pairs ahead of their turn: box_box.c computes four
// pairs side by side in little more time than one.
enum { kBoxesAhead = 32 };

typedef struct snBoxBatch_ {
  int n, next;  // box pairs in the batch, and the next one to turn into contacts
  snBoxPair pair[kBoxesAhead];
  snBoxFound found[kBoxesAhead];
  snTouch touch[kBoxesAhead * kBoxTouches];
} snBoxBatch;

// The axes that spheres in a grid touch along (touching.c), of the step that they were made in.
typedef struct snTouchAxes_ {
  int64_t step;
  double axes[9];
} snTouchAxes;

typedef struct snCollide_ {
  snBroad broad;
  snTouchAxes touching;
  snTouchList touches;
  snBoxBatch boxes;
  snPairCache pairs;
  snContactMixes mixes;
  snElementLists elements;       // of flexes
  mjContact user[mjMAXCONPAIR];  // scratch for colliders of the user
} snCollide;

// The room's cache of d, made on first use; NULL when there is no memory.
snCollide* collide_cache(mjData* d);

// The shape of a geom at its current pose.
snShape shape_geom(const mjModel* m, const mjData* d, int geom);

// The axis of a pair, unknown for a new one; NULL when out of memory, which costs only time.
snAxis* pair_axis(snPairCache* cache, int g1, int g2);
void pair_cache_free(snPairCache* cache);

// Does the released sweep over bodies part the bodies of these geoms, which touch to single
// precision? `step` is that of the broad phase (touching.c).
bool touching_apart(const mjModel* m, const mjData* d, snTouchAxes* t, int64_t step, int g1,
                    int g2);

// The parts of that sweep (touching.c): its axes; the interval of a body, or of flex `item - nbody`,
// along one; are two intervals apart, that of the lower item first?
void released_axes(const mjModel* m, const mjData* d, double axes[9]);
void released_interval(const mjModel* m, const mjData* d, int item, const double axis[3],
                       double end[2]);
bool released_apart(int axis, const double a[2], const double b[2]);

// Distance of the bounding spheres of two geoms beyond the margin; a plane is a half space.
double spheres_gap(const mjModel* m, const mjData* d, int g1, int g2, double margin);

// All touches of two geoms within the margin; geom_type[g1] <= geom_type[g2]. None when the pair
// has no collider. `memory` may be NULL.
void collide_geoms(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                   double margin, snAxis* memory);

// Is the collider of these types a closed formula of poses and sizes?
bool collide_is_direct(int type1, int type2);
void collide_direct(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                    double margin);

// Does the collider of these types use a remembered axis?
bool collide_remembers(int type1, int type2);

// The engine's own entry of mjCOLLISIONFUNC.
mjfCollision collide_default(int type1, int type2);

#endif
