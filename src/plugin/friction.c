// sinew.friction: the state of friction that holds (constrain/anchor.c).
//
// The compiler gives a model with the text "sinew:friction" = "stick" one instance, behind all
// others. Its plugin_state has the anchors; resets clear them, integration moves them on.
#include <string.h>

#include "constrain/constrain.h"
#include "plugin/first_party.h"

static int friction_state(const mjModel* m, int instance) {
  (void)instance;
  return anchor_state_size(m);
}

void builtin_reset(const mjModel* m, mjtNum* state, void* data, int instance) {
  (void)data;
  memset(state, 0, sizeof(mjtNum) * (size_t)m->plugin_statenum[instance]);
}

void builtin_compute(const mjModel* m, mjData* d, int instance, int capability) {
  (void)m, (void)d, (void)instance, (void)capability;
}

const mjpPlugin plugin_friction = {
    .name = anchor_plugin_name,
    .capabilityflags = mjPLUGIN_PASSIVE,
    .nstate = friction_state,
    .reset = builtin_reset,
    .compute = builtin_compute,
    .advance = anchor_advance,
};
