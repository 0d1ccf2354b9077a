// Lists of pairs of flex elements that may meet, kept between steps. Private to the room.
#ifndef SINEW_COLLIDE_FLEX_PAIRS_H_
#define SINEW_COLLIDE_FLEX_PAIRS_H_

#include "collide/convex.h"

typedef struct snElementPair_ {
  int elem1, elem2;  // of the first and of the second flex
  snAxis memory;
} snElementPair;

// The pairs of elements of two flexes, or of one, that may meet while no element leaves its
// enlarged box. A pair that is not listed is apart, so the list changes no result.
typedef struct snElementPairs_ {
  // what the list was made from
  const mjModel* model;
  int flex[2], layers[2];
  double reach;

  snElementPair* pair;
  int n, capacity;
  bool known;   // the list is valid
  int* active;  // active elements of both flexes, by index in the model
  int nactive;
  double* wide;    // nactive x 8: enlarged boxes; low (4), high (4)
  double room;     // enlargement, in units of the mean half size
  int age;         // age in steps
  double mean[3];  // mean of the centers then: a common motion of one flex changes no pair
} snElementPairs;

// All lists, in the order in which flexes are paired in a step.
typedef struct snElementLists_ {
  snElementPairs* list;
  int n, next;
  uint64_t* key;  // scratch: pairs (elem1 << 32 | elem2), and as much again for sorting
  int capacity;
} snElementLists;

// The list of two flexes for this step, pairs sorted by elements; NULL when out of memory. Elements
// whose boxes are farther apart than `reach` do not meet.
snElementPairs* element_pairs(const mjModel* m, mjData* d, snElementLists* lists, int flex1,
                              int flex2, double reach);
// The order in which the hierarchies of the flexes come to n pairs of the list: turn[k] is an index
// into `pair`, or -1 - index where the second element comes first. False when out of memory or
// without hierarchies.
bool element_order(const mjModel* m, mjData* d, const snElementPairs* p, const int* pair, int n,
                   int* turn);
void element_lists_free(snElementLists* lists);

bool element_active(const mjModel* m, int flex, int element);

#endif
