// The thirteen systems of the benchmark of dual solvers, as MJCF text (systems.c): shapes of our
// own with the published numbers of bodies, joints, dofs, constraints and mass ratios.
#ifndef SINEW_APPS_SYSTEMS_H_
#define SINEW_APPS_SYSTEMS_H_

#include <stddef.h>

enum { kSystems = 13 };

// How total and passive dofs of a row are counted.
typedef enum Counting_ {
  kMobility,  // total: 6 bodies - rank J; passive: of joints, or total less actuated with loops
  kTree,      // total: 6 bodies - rank J; passive: total less actuated
  kJoints     // total: dofs of all joints and of a free base; passive: total less actuated
} Counting;

typedef struct System_ {
  const char* name;
  int fixed;  // to the world
  int bodies, joints, total, passive, actuated, constraints;
  double mass_ratio;
  int counting;
} System;

// The table as published. docs/solvers-benchmark.md names the two cells that contradict their own
// row.
extern const System systems[kSystems];

int system_find(const char* name);  // -1 when there is none

// MJCF of a system: its length, or -1 when the buffer is too small.
int system_text(int id, char* text, size_t room);

#endif
