// Engine plugins: the registry, resource providers, and the plugins that come with the library.
//
// The room takes plugin descriptions (mjpPlugin) and resource providers from programs and shared
// libraries, and gives lookup by name and by slot. Registration may happen at any time and on any
// thread; a registered entry never moves or changes, so lookups take no lock (registry.h). The same
// plugin may be registered twice; another plugin of the same name is an error.
//
// First-party plugins implement the documented interface and the released attributes, one file
// each. They get their slots on first use, after those that a program registered before.
//
//   plugin.c        mjp_registerPlugin, mjp_getPlugin, configuration, plugin libraries
//   provider.c      mjp_registerResourceProvider and lookup
//   registry.c      append-only tables
//   config.c        settings of instances to numbers
//   cable.c         mujoco.elasticity.cable       shell.c       mujoco.elasticity.shell
//   pid.c           mujoco.pid                    touch_grid.c  mujoco.sensor.touch_grid
//   friction.c      sinew.friction: state of friction that holds
//   sdf_*.c         mujoco.sdf.*: signed distance fields; sdf_shape.c: shared parts
//   sleep.c         sinew.sleep: state of bodies that sleep
//   sdf_mesh.c      mujoco.sdf.sdflib: the field of a mesh, from mesh_field.c (an octree of
//                   tricubic polynomials) and mesh_nearest.c (exact distance)
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
extern const mjpPlugin plugin_sleep;

// Instances that only keep state: a reset clears it, and no stage computes anything.
void builtin_reset(const mjModel* m, mjtNum* state, void* data, int instance);
void builtin_compute(const mjModel* m, mjData* d, int instance, int capability);

// In the order of their slots; NULL after the last.
const mjpPlugin* first_party_at(int i);

// By name, case ignored; NULL: not found.
const mjpPlugin* first_party_find(const char* name);

#endif
