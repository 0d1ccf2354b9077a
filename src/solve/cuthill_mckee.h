// The order of trees within a part. Private to the room.
#ifndef SINEW_SOLVE_CUTHILL_MCKEE_H_
#define SINEW_SOLVE_CUTHILL_MCKEE_H_

#include "solve/row_units.h"

// Parts with fewer trees or dofs are left as they are.
enum { ORDER_TREES = 4, ORDER_DOFS = 48 };

// Trees by part, those of part p at list[first[p] .. first[p+1]): put in an order that keeps the
// Hessian narrow where that pays; `changed` says whether it did. Units by part are given in the
// same way. False without memory.
bool order_trees(const mjModel* m, mjData* d, const snUnits* u, const int* unit_first,
                 const int* unit, int nparts, const int* first, int* list, bool* changed);

#endif
