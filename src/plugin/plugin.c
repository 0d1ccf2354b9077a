// Engine plugins: registration, lookup by name or slot, configuration of instances, and shared
// libraries.
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/system.h"
#include "plugin/first_party.h"
#include "plugin/registry.h"

static snRegistry plugins = {.entry_size = sizeof(mjpPlugin)};
static pthread_mutex_t plugins_lock = PTHREAD_MUTEX_INITIALIZER;

void mjp_defaultPlugin(mjpPlugin* plugin) { memset(plugin, 0, sizeof *plugin); }

int mjp_pluginCount(void) { return registry_count(&plugins); }

const mjpPlugin* mjp_getPluginAtSlot(int slot) { return registry_at(&plugins, slot); }

static bool text_same(const char* a, const char* b) { return !strcasecmp(a ? a : "", b ? b : ""); }

// Names are compared without case.
static const mjpPlugin* plugin_find(const char* name, int* slot) {
  int count = registry_count(&plugins);
  for (int i = 0; i < count; i++) {
    const mjpPlugin* plugin = registry_at(&plugins, i);
    if (text_same(plugin->name, name)) {
      if (slot) *slot = i;
      return plugin;
    }
  }
  if (slot) *slot = -1;
  return NULL;
}

// Attributes, capabilities and stage: all that a model depends on.
static bool plugin_same_interface(const mjpPlugin* a, const mjpPlugin* b) {
  if (!text_same(a->name, b->name) || a->nattribute != b->nattribute) return false;
  for (int i = 0; i < a->nattribute; i++) {
    if (!text_same(a->attributes[i], b->attributes[i])) return false;
  }
  return a->capabilityflags == b->capabilityflags && a->needstage == b->needstage;
}

// Field by field, because padding is undefined.
static bool plugin_same(const mjpPlugin* a, const mjpPlugin* b) {
  return plugin_same_interface(a, b) && a->nstate == b->nstate &&
         a->nsensordata == b->nsensordata && a->init == b->init && a->destroy == b->destroy &&
         a->copy == b->copy && a->reset == b->reset && a->compute == b->compute &&
         a->advance == b->advance && a->visualize == b->visualize &&
         a->actuator_act_dot == b->actuator_act_dot && a->sdf_distance == b->sdf_distance &&
         a->sdf_gradient == b->sdf_gradient && a->sdf_staticdistance == b->sdf_staticdistance &&
         a->sdf_attribute == b->sdf_attribute && a->sdf_aabb == b->sdf_aabb;
}

// May `plugin` be registered although `known` has its name? A first-party plugin that models may
// already use keeps its slot when a library registers another implementation of it.
static bool plugin_agrees(const mjpPlugin* known, const mjpPlugin* plugin) {
  const mjpPlugin* own = first_party_find(known->name);
  if (own && plugin_same(known, own)) return plugin_same_interface(known, plugin);
  return plugin_same(known, plugin);
}

enum { kLongestName = 1024, kLongestAttribute = 255 };

// Why a plugin cannot be registered; NULL: it can. A plugin without capabilities is allowed;
// elements that need a capability report it.
static const char* plugin_fault(const mjpPlugin* plugin) {
  if (!plugin || !plugin->name) return "plugin->name is a null pointer";
  if (!plugin->name[0]) return "plugin->name is an empty string";
  if (strlen(plugin->name) >= kLongestName) return "plugin->name is longer than 1023 characters";
  if (plugin->nattribute < 0) return "plugin->nattribute is negative";
  if (plugin->nattribute && !plugin->attributes) return "plugin->attributes is a null pointer";
  for (int i = 0; i < plugin->nattribute; i++) {
    if (!plugin->attributes[i]) return "a plugin attribute is a null pointer";
    if (strlen(plugin->attributes[i]) > kLongestAttribute) {
      return "a plugin attribute is longer than 255 characters";
    }
  }
  return NULL;
}

// The registered copy owns its strings. On failure everything allocated here is freed.
static int plugin_add(const mjpPlugin* plugin) {
  mjpPlugin copy = *plugin;
  const char** attributes = NULL;
  int made = 0;
  copy.name = registry_text(plugin->name);
  if (plugin->nattribute) {
    attributes = memory_alloc((size_t)plugin->nattribute * sizeof *attributes);
    for (; attributes && made < plugin->nattribute; made++) {
      attributes[made] = registry_text(plugin->attributes[made]);
      if (!attributes[made]) break;
    }
  }
  copy.attributes = attributes;
  int slot = -1;
  if (copy.name && made == plugin->nattribute) slot = registry_add(&plugins, &copy);
  if (slot < 0) {
    while (made > 0) memory_free((void*)attributes[--made]);
    memory_free(attributes);
    memory_free((void*)copy.name);
  }
  return slot;
}

int mjp_registerPlugin(const mjpPlugin* plugin) {
  const char* fault = plugin_fault(plugin);
  if (fault) {
    mju_error("mjp_registerPlugin: %s", fault);
    return -1;
  }
  int slot;
  pthread_mutex_lock(&plugins_lock);
  const mjpPlugin* known = plugin_find(plugin->name, &slot);
  bool clash = known && !plugin_agrees(known, plugin);
  if (!known) slot = plugin_add(plugin);
  pthread_mutex_unlock(&plugins_lock);
  if (clash) {
    mju_error("mjp_registerPlugin: plugin '%s' is already registered", plugin->name);
    return -1;
  }
  if (slot < 0) mju_error("mjp_registerPlugin: no memory for plugin '%s'", plugin->name);
  return slot;
}

// First-party plugins get their slots, all together, on the first lookup, so that a library loaded
// before can register its own.
const mjpPlugin* mjp_getPlugin(const char* name, int* slot) {
  if (slot) *slot = -1;
  if (!name) return NULL;
  const mjpPlugin *plugin = plugin_find(name, slot), *own;
  if (plugin || !first_party_find(name)) return plugin;
  for (int i = 0; (own = first_party_at(i)); i++) {
    if (!plugin_find(own->name, NULL)) mjp_registerPlugin(own);
  }
  return plugin_find(name, slot);
}

// ---- settings of instances

// plugin_attr holds the values of an instance's attributes in the order of the plugin's
// declaration, each zero-terminated.
const char* mj_getPluginConfig(const mjModel* m, int plugin_id, const char* attrib) {
  if (plugin_id < 0 || plugin_id >= m->nplugin || !attrib) return NULL;
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[plugin_id]);
  if (!plugin) return NULL;
  const char* value = m->plugin_attr + m->plugin_attradr[plugin_id];
  for (int i = 0; i < plugin->nattribute; i++) {
    if (!strcmp(plugin->attributes[i], attrib)) return value;
    value += strlen(value) + 1;
  }
  return NULL;
}

// ---- libraries

// Plugin libraries may be linked to "libsinew.so", the name of this library without version.
static void know_own_name(void) { system_alias("libsinew.so"); }

void mj_loadPluginLibrary(const char* path) {
  // the library registers its plugins in its constructor, and stays loaded
  know_own_name();
  if (!system_load(path)) {
    mju_error("Error loading plugin library '%s': %s", path, system_load_error());
  }
}

static bool plugin_is_library(const char* name) {
  size_t length = strlen(name), tail = strlen(system_library_ending);
  return length > tail && !strcmp(name + length - tail, system_library_ending);
}

typedef struct snPluginFolder_ {
  const char* path;
  mjfPluginLibraryLoadCallback loaded;
} snPluginFolder;

static void plugin_visit(void* context, const char* name) {
  const snPluginFolder* folder = context;
  if (!plugin_is_library(name)) return;
  size_t bytes = strlen(folder->path) + strlen(name) + 2;
  char* path = memory_alloc(bytes);
  if (!path) return;
  snprintf(path, bytes, "%s/%s", folder->path, name);
  int first = mjp_pluginCount();
  if (!system_load(path)) {
    mju_warning("plugin library '%s' cannot be loaded: %s", path, system_load_error());
  } else if (folder->loaded) {
    int added = mjp_pluginCount() - first;
    folder->loaded(path, added ? first : -1, added);
  }
  memory_free(path);
}

void mj_loadAllPluginLibraries(const char* directory, mjfPluginLibraryLoadCallback callback) {
  know_own_name();
  system_list(directory, plugin_visit, &(snPluginFolder){directory, callback});
}
