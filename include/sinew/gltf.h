// A model and its motion as one animated glTF file (.glb), which browsers, Blender and picture
// viewers of most systems open.
//
//   double state[STEPS][size];  // each row by mj_getState(m, d, row, mjSTATE_INTEGRATION)
//   snGltf options = {.rate = 30};
//   sn_saveGltf(m, state[0], STEPS, mjSTATE_INTEGRATION, &options, "run.glb", error, sizeof error);
//
// The file has a node for each body that moves, with its name, and the geoms and sites that the
// default view shows (groups 0 to 2), with colours, and textures where surfaces have coordinates of
// their own (meshes, planes); other textured surfaces have the mean colour of their texture. Fixed
// cameras of the model are there too. Tendons, skins, flexes and lights are not. Lengths are
// metres; the root turns z up into the y up of glTF.
#ifndef SINEW_GLTF_H_
#define SINEW_GLTF_H_

#include <mujoco/mujoco.h>

#if defined(__cplusplus)
extern "C" {
#endif

// How a motion is written.
typedef struct snGltf_ {
  double rate;  // poses a second at most; 0: one for each state
} snGltf;

// `nstate` rows of mj_stateSize(m, spec) numbers; spec has to contain time and qpos. Without
// states: the model as it is at first, at rest. Options may be NULL. Returns 1, or 0 with a message
// in `error`.
MJAPI int sn_saveGltf(const mjModel* m, const mjtNum* state, int nstate, int spec,
                      const snGltf* options, const char* path, char* error, int error_sz);

#if defined(__cplusplus)
}
#endif
#endif
