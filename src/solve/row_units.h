// Rows that go together, and the dofs they touch. Private to the room.
#ifndef SINEW_SOLVE_ROW_UNITS_H_
#define SINEW_SOLVE_ROW_UNITS_H_

#include "solve/problem.h"

typedef struct snRowReader_ {
  const mjModel* m;
  const mjData* d;
  bool sparse;
  unsigned char* side;  // scratch (nv)
} snRowReader;

// All units of the system with their columns: read once, shared out to the parts.
typedef struct snUnits_ {
  int n;
  int *row, *nrow;  // (n)
  int* first;       // (n + 1) into col
  int* col;
  int* part;  // (n) which part it belongs to
} snUnits;

// False without memory.
bool units_read(const snRowReader* rd, snUnits* u);

// ---- parts (components.c)
// Which part each tree belongs to, -1 for trees without rows; parts count from the first tree.
// Returns how many, -1 without memory.
int parts_find(const mjModel* m, mjData* d, snUnits* u, int* tree_part);

// Dofs and units sorted by part, each keeping its order.
typedef struct snSorted_ {
  int *dof_first, *dof;    // (nparts + 1), (nv)
  int *unit_first, *unit;  // (nparts + 1), (units)
} snSorted;

// Dofs and units by part. With Newton's method trees may be reordered; `changed` says so.
// False without memory.
bool parts_sort(const mjModel* m, mjData* d, const snUnits* u, const int* tree_part, int nparts,
                snSorted* s, bool* changed);

#endif
