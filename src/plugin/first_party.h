// The plugins that come with the library, one file each.
#ifndef SINEW_PLUGIN_FIRST_PARTY_H_
#define SINEW_PLUGIN_FIRST_PARTY_H_

#include "base/base.h"

extern const mjpPlugin plugin_pid;
extern const mjpPlugin plugin_cable;
extern const mjpPlugin plugin_touch_grid;
extern const mjpPlugin plugin_sdf_bolt;
extern const mjpPlugin plugin_sdf_bowl;
extern const mjpPlugin plugin_sdf_gear;
extern const mjpPlugin plugin_sdf_nut;
extern const mjpPlugin plugin_sdf_torus;
extern const mjpPlugin plugin_sdf_mesh;
extern const mjpPlugin plugin_shell;
extern const mjpPlugin plugin_friction;

// In the order of their slots; NULL behind the last.
const mjpPlugin* first_party_at(int i);

// By name, without regard to case; NULL: there is none.
const mjpPlugin* first_party_find(const char* name);

#endif
