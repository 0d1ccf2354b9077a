// The thirteen systems of the benchmark of dual solvers, as MJCF text (systems.c): shapes of our
// own with the published numbers of bodies, joints, dofs, constraints and mass ratios.
#ifndef SINEW_APPS_SYSTEMS_H_
#define SINEW_APPS_SYSTEMS_H_

#include <sinew/maximal.h>
#include <stdbool.h>
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
  double mass_ratio;  // heaviest over lightest moving body
  int counting;
  double joined_ratio;  // of moving bodies that a joint holds together; counted, not published
} System;

// The table as published. docs/solvers-benchmark.md names the two cells that contradict their own
// row.
extern const System systems[kSystems];

int system_find(const char* name);  // -1 when there is none

// MJCF of a system: its length, or -1 when the buffer is too small.
int system_text(int id, char* text, size_t room);

// The model of a system, and its maximal coordinates with a solver; NULL after a message on stderr.
mjModel* system_model(int id);
snMaximal* system_make(const mjModel* m, const char* solver);

// The same numbers counted from the model; false after a message on stderr.
bool system_count(int id, const mjModel* m, System* counted);

#endif
