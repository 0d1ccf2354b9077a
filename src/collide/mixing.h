// Contact parameters of two geoms, cached by kind. Private to the room.
//
// Geoms of one kind have equal parameters. A model has many geoms and few kinds, so the mixed
// parameters of two kinds are kept. In the first contact of a step the model's arrays are compared
// with a copy; a difference empties the cache.
#ifndef SINEW_COLLIDE_MIXING_H_
#define SINEW_COLLIDE_MIXING_H_

#include "collide/contact.h"

enum { kContactKinds = 16, kContactMixes = 64 };

typedef struct snContactMixes_ {
  int64_t structure;  // value of snSnapshot.made for which kinds were determined
  int64_t compared;   // the step in which the arrays were last compared
  bool valid;         // kinds and parameters below belong to `copy`
  char* copy;         // copy of the model's arrays
  int* kind;          // kind of each geom; -1: undetermined, kContactKinds: no kind left
  int ngeom, nkind;
  int sample[kContactKinds];    // a geom of each kind
  unsigned key[kContactMixes];  // 0: empty, else 1 + kContactKinds kind1 + kind2
  snContactParam param[kContactMixes];
} snContactMixes;

// Compare the model's arrays with the copy. `structure` changes with geom_condim and geom_priority,
// `step` counts steps.
void mixing_refresh(snContactMixes* mixes, const mjModel* m, int64_t structure, int64_t step);
void mixing_free(snContactMixes* mixes);

// Mix the parameters of two geoms; `scratch` holds the result when it cannot be cached.
const snContactParam* mixing_make(snContactMixes* mixes, const mjModel* m, int geom1, int geom2,
                                  snContactParam* scratch);

SN_INLINE unsigned mixing_slot(unsigned kind1, unsigned kind2) {
  return (5 * kind1 + kind2) % kContactMixes;
}

// Parameters of two geoms, from the cache or mixed.
SN_INLINE const snContactParam* mixing_find(snContactMixes* mixes, const mjModel* m,
                                            int64_t structure, int64_t step, int geom1, int geom2,
                                            snContactParam* scratch) {
  if (mixes->compared != step) mixing_refresh(mixes, m, structure, step);
  if (mixes->valid && !(m->opt.enableflags & mjENBL_OVERRIDE)) {
    unsigned k1 = (unsigned)mixes->kind[geom1], k2 = (unsigned)mixes->kind[geom2];
    unsigned slot = mixing_slot(k1, k2);
    bool known = k1 < kContactKinds && k2 < kContactKinds;
    if (known && mixes->key[slot] == 1 + k1 * kContactKinds + k2) return mixes->param + slot;
  }
  return mixing_make(mixes, m, geom1, geom2, scratch);
}

#endif
