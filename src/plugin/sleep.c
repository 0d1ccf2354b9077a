// sinew.sleep: the state of bodies that sleep (hold/sleep.c).
//
// The compiler gives a model that asks for sleep one instance, behind those of its elements. Its
// plugin_state has who sleeps; resets wake everyone. The step itself moves it on, behind everything
// that changes positions.
#include <string.h>

#include "plugin/first_party.h"
#include "hold/hold.h"

static int sleep_numbers(const mjModel* m, int instance) {
  (void)instance;
  return sleep_state_size(m);
}

const mjpPlugin plugin_sleep = {
    .name = sleep_plugin_name,
    .capabilityflags = mjPLUGIN_PASSIVE,
    .nstate = sleep_numbers,
    .reset = builtin_reset,
    .compute = builtin_compute,
};
