// A table of what the bench reads and writes in an engine's structs, whatever their layout.
#ifndef SINEW_BENCH_ACCESS_H_
#define SINEW_BENCH_ACCESS_H_

#include <mujoco/mujoco.h>

enum { OPTION_SOLVER, OPTION_CONE, OPTION_INTEGRATOR, OPTION_JACOBIAN };
enum { SIZE_NU, SIZE_NV, SIZE_NA, SIZE_NSENSORDATA, SIZE_NCON, SIZE_NEFC };

typedef struct Access_ {
  // numbers in the state; with x it is read or, with write, set
  int (*state)(const mjModel* m, mjData* d, mjtNum* x, int write);
  void (*begin)(const mjModel* m, mjData* d);  // the posture of the first keyframe, if any
  void (*control)(const mjModel* m, mjData* d, int actuator, double u);
  void (*option)(mjModel* m, int which, int value);
  int (*size)(const mjModel* m, const mjData* d, int which);
  int version;
} Access;

#endif
