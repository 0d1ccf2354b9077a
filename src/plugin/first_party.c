// The table of first-party plugins.
#include "plugin/first_party.h"

#include <strings.h>

// In the order in which the released package loads its plugins, so that slots in binary models
// agree. The fourth exists only here.
static const mjpPlugin* const kPlugin[] = {
    &plugin_pid,       &plugin_cable,    &plugin_touch_grid, &plugin_shell,
    &plugin_sdf_bolt,  &plugin_sdf_bowl, &plugin_sdf_gear,   &plugin_sdf_nut,
    &plugin_sdf_torus, &plugin_sdf_mesh, &plugin_friction,   &plugin_sleep,
};

const mjpPlugin* first_party_at(int i) {
  return i >= 0 && i < (int)(sizeof kPlugin / sizeof *kPlugin) ? kPlugin[i] : NULL;
}

const mjpPlugin* first_party_find(const char* name) {
  const mjpPlugin* plugin;
  for (int i = 0; (plugin = first_party_at(i)); i++) {
    if (!strcasecmp(plugin->name, name)) break;
  }
  return plugin;
}
