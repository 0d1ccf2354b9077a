// From a touch to a contact: parameters of the pair, frame, a place in the arena. Private.
#ifndef SINEW_COLLIDE_CONTACT_H_
#define SINEW_COLLIDE_CONTACT_H_

#include "collide/narrow.h"

// What a contact takes from its pair. The numbers up to mu stand as they do in mjContact.
typedef struct snContactParam_ {
  double includemargin;  // margin - gap
  double friction[5];
  double solref[mjNREF];
  double solreffriction[mjNREF];
  double solimp[mjNIMP];
  double mu;  // 0 until rows are made
  double margin;
  int condim;
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

// Who takes part on each side of a contact; -1 where there is none.
typedef struct snParts_ {
  int geom[2], flex[2], elem[2], vert[2];
} snParts;

// A contact for each touch of the list, in the arena; false when there is no memory (the documented
// warning is raised).
bool contact_add(mjData* d, const snTouchList* list, const snContactParam* p, const snParts* parts);

#endif
