// Pairs of flex elements that may meet, kept between steps. Private to the room.
#ifndef SINEW_COLLIDE_FLEX_PAIRS_H_
#define SINEW_COLLIDE_FLEX_PAIRS_H_

#include "collide/convex.h"

typedef struct snElementPair_ {
  int elem1, elem2;  // of the first and of the second flex
  snAxis memory;
} snElementPair;

// The elements of two flexes, or of one, that may meet as long as none leaves its wide box. What is
// not listed is apart, so the list changes no result.
typedef struct snElementPairs_ {
  // snapshot
  const mjModel* model;
  int flex[2], layers[2];
  double reach;

  snElementPair* pair;
  int n, capacity;
  bool known;   // is there a list
  int* active;  // elements of both flexes, counted through the model
  int nactive;
  double* wide;    // nactive x 8: bounds when the list was made and some room; low (4), high (4)
  double room;     // by which they were widened, in units of their mean half size
  int age;         // steps that the list has lasted
  double mean[3];  // of their centers then: what moves all of one flex changes no pair
} snElementPairs;

// All lists, in the order in which flexes are paired in a step.
typedef struct snElementLists_ {
  snElementPairs* list;
  int n, next;
  uint64_t* key;  // pairs on their way into a list, and as much room again to sort them
  int capacity;
} snElementLists;

// The list of two flexes for this step, whose pairs are sorted by elements; NULL when there is no
// memory. Elements whose boxes are farther apart than `reach` do not meet.
snElementPairs* element_pairs(const mjModel* m, mjData* d, snElementLists* lists, int flex1,
                              int flex2, double reach);
// The order in which n of its pairs come up in the trees of the flexes: their numbers in `pair`, or
// -1 less that number where the second element comes first. False without memory or trees.
bool element_order(const mjModel* m, mjData* d, const snElementPairs* p, const int* pair, int n,
                   int* turn);
void element_lists_free(snElementLists* lists);

bool element_active(const mjModel* m, int flex, int element);

#endif
