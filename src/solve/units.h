// Rows that go together, and the dofs they touch. Private to the room.
#ifndef SINEW_SOLVE_UNITS_H_
#define SINEW_SOLVE_UNITS_H_

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

#endif
