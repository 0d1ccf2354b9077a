// From a touch to a contact: parameters of the pair, frame, memory in the arena. Private to the
// room.
#ifndef SINEW_COLLIDE_CONTACT_H_
#define SINEW_COLLIDE_CONTACT_H_

#include "collide/narrow.h"

// What a contact takes from its pair. The members up to mu have the order and size of those in
// mjContact, so that one SIMD copy moves them.
typedef struct snContactParam_ {
  double includemargin;  // margin - gap
  double friction[5];
  double solref[mjNREF];
  double solreffriction[mjNREF];
  double solimp[mjNIMP];
  double mu;  // 0 until constrain/ makes rows
  double margin;
  int condim;
} snContactParam;

// The margin of two geoms, or of explicit pair `pair` when it is not negative.
double contact_margin(const mjModel* m, int pair, int geom1, int geom2);

// One side of a contact: the parameters that geoms and flexes have in common.
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

// The geom, or the flex with its element or vertex, on each side of a contact; -1: none.
typedef struct snParts_ {
  int geom[2], flex[2], elem[2], vert[2];
} snParts;

// Append a contact for each touch of the list; false when out of memory, with the documented
// warning.
bool contact_add(mjData* d, const snTouchList* list, const snContactParam* p, const snParts* parts);

#endif
