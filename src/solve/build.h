// From mjData to the convex problem and back. Private to the room.
#ifndef SINEW_SOLVE_BUILD_H_
#define SINEW_SOLVE_BUILD_H_

#include "solve/row_units.h"

// Which dofs and rows of the system a part is made of.
typedef struct snSubsystem_ {
  int* dof;    // (nv of the part) NULL for all
  int* row;    // (nefc of the part) NULL for all
  int* local;  // (nv of the system) index in the part
} snSubsystem;

// A problem with the options of the model and nothing else.
snProblem build_blank(const mjModel* m, mjData* d);

// The whole system, with its vectors in place in mjData and without rows of J: for solvers that
// read efc_J themselves.
void build_system(const mjModel* m, mjData* d, snProblem* p);
// The same with the rows of J as one block over all columns, or as blocks by their units.
bool build_dense(const mjModel* m, mjData* d, snProblem* p);
bool build_sparse(const snRowReader* rd, const snUnits* u, snProblem* p);
// One part of it, gathered to arrays of its own; `part->local` is given. All of these return false
// without memory.
bool build_part(const snRowReader* rd, const snUnits* u, const snSorted* sorted, int id,
                snSubsystem* part, snProblem* p);

// The units of its stopping test: by the mean inertia of the model for a system and for parts of
// it, by that of its own dofs for a documented island, as statistics of the released engine show.
void build_units(const mjModel* m, snProblem* p, bool island);

// What forces and velocities say of a part that was built before.
void build_renew(const mjData* d, const snSubsystem* part, const snProblem* p);
// The result of a part to mjData.
void build_scatter(mjData* d, const snSubsystem* part, const snProblem* p);

#endif
