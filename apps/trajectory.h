// A recorded motion: one row per step, kept in memory, written and read as CSV or NPZ.
#ifndef SINEW_APPS_TRAJECTORY_H_
#define SINEW_APPS_TRAJECTORY_H_

#include <mujoco/mujoco.h>
#include <stdbool.h>

// Fields of a row, in this order: time, qpos, qvel, act, ctrl, qacc, force. force is the net
// applied force in joint coordinates, actuation included: what inverse dynamics has to find.
enum { TRAJECTORY_FIELDS = 7 };

typedef struct Trajectory_ {
  const mjModel* model;
  int size[TRAJECTORY_FIELDS];
  int width;
  long rows, room;
  double* data;
} Trajectory;

extern const char* const trajectory_name[TRAJECTORY_FIELDS];

void trajectory_init(Trajectory* t, const mjModel* m);
void trajectory_free(Trajectory* t);
double* trajectory_add(Trajectory* t);  // a new row, or NULL
const double* trajectory_field(const Trajectory* t, long row, int field);

// By the extension: .npz, otherwise CSV. False after a message on stderr.
bool trajectory_write(const Trajectory* t, const char* path);
bool trajectory_read(Trajectory* t, const char* path);

// Does a path end in .npz?
bool is_npz(const char* path);

#endif
