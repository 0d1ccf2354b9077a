// From a touch to a contact: parameters of the pair, frame, a place in the arena. Private.
#ifndef SINEW_COLLIDE_CONTACT_H_
#define SINEW_COLLIDE_CONTACT_H_

#include "collide/narrow.h"

// What a contact takes from its pair.
typedef struct snContactParam_ {
  int condim;
  double margin, gap;
  double friction[5];
  double solref[mjNREF];
  double solreffriction[mjNREF];
  double solimp[mjNIMP];
} snContactParam;

// The margin of two geoms, or of explicit pair `pair` when it is not negative.
double contact_margin(const mjModel* m, int pair, int geom1, int geom2);

// One side of a contact: what geoms and flexes share.
typedef struct snContactSide_ {
  int condim, priority;
  double margin, gap, solmix;
  const double* friction;
  const double* solref;
  const double* solimp;
} snContactSide;

snContactSide contact_side_geom(const mjModel* m, int geom);
snContactSide contact_side_flex(const mjModel* m, int flex);
void contact_mix(const mjModel* m, snContactParam* p, snContactSide a, snContactSide b);
void contact_param_geoms(const mjModel* m, snContactParam* p, int geom1, int geom2);
void contact_param_pair(const mjModel* m, snContactParam* p, int pair);

// Append `n` contacts to the arena; false when there is no memory (the documented warning is
// raised). The contacts are zeroed, with all ids -1; frames, distances and ids are the caller's.
mjContact* contact_append(const mjModel* m, mjData* d, int n);

// Set the parameters, exclude flag and frame of a contact whose dist and first axis are given.
void contact_finish(mjContact* con, const snContactParam* p);

#endif
