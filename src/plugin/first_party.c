// The table of first-party plugins.
#include "plugin/first_party.h"

#include <strings.h>

const mjpPlugin* first_party_find(const char* name) {
  static const mjpPlugin* const kPlugin[] = {
      &plugin_pid,      &plugin_cable,   &plugin_touch_grid, &plugin_sdf_bolt, &plugin_sdf_bowl,
      &plugin_sdf_gear, &plugin_sdf_nut, &plugin_sdf_torus,  &plugin_sdf_mesh, &plugin_shell,
  };
  for (size_t i = 0; i < sizeof kPlugin / sizeof *kPlugin; i++) {
    if (!strcasecmp(kPlugin[i]->name, name)) return kPlugin[i];
  }
  return NULL;
}
