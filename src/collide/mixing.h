// Contact parameters of two geoms, kept by kind. Private to the room.
//
// Geoms of one kind have the same parameters, and what two kinds mix to is kept: geoms are many,
// kinds few. The numbers that parameters come from are compared with a copy once in a step, when
// there is a contact; a change forgets what was kept.
#ifndef SINEW_COLLIDE_MIXING_H_
#define SINEW_COLLIDE_MIXING_H_

#include "collide/contact.h"

enum { kContactKinds = 16, kContactMixes = 64 };

typedef struct snContactMixes_ {
  int64_t structure;  // the snapshot of the broad phase that kinds were told apart under
  int64_t compared;   // the step at which numbers were last compared
  bool valid;         // what follows is of these numbers
  char* copy;         // of the numbers
  int* kind;          // of geoms; -1: not known yet, kContactKinds: one too many
  int ngeom, nkind;
  int sample[kContactKinds];    // a geom of that kind
  unsigned key[kContactMixes];  // 0: free, else 1 + the two kinds
  snContactParam param[kContactMixes];
} snContactMixes;

// Compare the numbers. `structure` changes with geom_condim and geom_priority, `step` counts steps.
void mixing_refresh(snContactMixes* mixes, const mjModel* m, int64_t structure, int64_t step);
void mixing_free(snContactMixes* mixes);

// Mix the kinds of two geoms; `scratch` is for what cannot be kept.
const snContactParam* mixing_make(snContactMixes* mixes, const mjModel* m, int geom1, int geom2,
                                  snContactParam* scratch);

SN_INLINE unsigned mixing_slot(unsigned kind1, unsigned kind2) {
  return (5 * kind1 + kind2) % kContactMixes;
}

// Parameters of two geoms, kept or mixed anew.
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
