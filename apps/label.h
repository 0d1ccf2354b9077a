// Names of the numbers of a state in tables: "qpos:elbow", "qvel:root:wz".
#ifndef SINEW_APPS_LABEL_H_
#define SINEW_APPS_LABEL_H_

#include <mujoco/mujoco.h>
#include <stdio.h>

enum { LABEL_ROOM = 600 };

// Component k of a field: qpos, qvel, qacc, force, act, ctrl, or dq, which has one per dof.
// "qpos_3" where there is no name.
void label_component(const mjModel* m, const char* field, int k, char text[LABEL_ROOM]);

// A cell of a CSV file, quoted where needed.
void label_write(const char* text, FILE* f);

#endif
