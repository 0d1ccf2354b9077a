// Engine plugins: registered once per process, found by name or slot, loaded from libraries.
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "plugin/registry.h"

static snRegistry plugins = {.entry_size = sizeof(mjpPlugin)};
static pthread_mutex_t plugins_lock = PTHREAD_MUTEX_INITIALIZER;

void mjp_defaultPlugin(mjpPlugin* plugin) { memset(plugin, 0, sizeof *plugin); }

int mjp_pluginCount(void) { return registry_count(&plugins); }

const mjpPlugin* mjp_getPluginAtSlot(int slot) { return registry_at(&plugins, slot); }

const mjpPlugin* mjp_getPlugin(const char* name, int* slot) {
  int count = name ? registry_count(&plugins) : 0;
  for (int i = 0; i < count; i++) {
    const mjpPlugin* plugin = registry_at(&plugins, i);
    if (!strcmp(plugin->name, name)) {
      if (slot) *slot = i;
      return plugin;
    }
  }
  if (slot) *slot = -1;
  return NULL;
}

// Same name, settings, capabilities and functions.
static bool plugin_same(const mjpPlugin* a, const mjpPlugin* b) {
  if (strcmp(a->name, b->name) || a->nattribute != b->nattribute) return false;
  for (int i = 0; i < a->nattribute; i++) {
    if (strcmp(a->attributes[i], b->attributes[i])) return false;
  }
  mjpPlugin x = *a, y = *b;
  x.name = y.name = NULL;
  x.attributes = y.attributes = NULL;
  // every field behind capabilityflags is an int or a pointer; fields are compared one by one
  // because of padding
  return x.capabilityflags == y.capabilityflags && x.needstage == y.needstage &&
         x.nstate == y.nstate && x.nsensordata == y.nsensordata && x.init == y.init &&
         x.destroy == y.destroy && x.copy == y.copy && x.reset == y.reset &&
         x.compute == y.compute && x.advance == y.advance && x.visualize == y.visualize &&
         x.actuator_act_dot == y.actuator_act_dot && x.sdf_distance == y.sdf_distance &&
         x.sdf_gradient == y.sdf_gradient && x.sdf_staticdistance == y.sdf_staticdistance &&
         x.sdf_attribute == y.sdf_attribute && x.sdf_aabb == y.sdf_aabb;
}

// What is wrong with a plugin that wants to be registered; NULL: nothing.
static const char* plugin_fault(const mjpPlugin* plugin) {
  if (!plugin || !plugin->name || !plugin->name[0]) return "plugin has no name";
  if (plugin->nattribute < 0 || (plugin->nattribute > 0 && !plugin->attributes)) {
    return "plugin attributes are missing";
  }
  for (int i = 0; i < plugin->nattribute; i++) {
    if (!plugin->attributes[i] || !plugin->attributes[i][0]) return "plugin attribute has no name";
  }
  if (!plugin->capabilityflags) return "plugin has no capability";
  if ((plugin->capabilityflags & mjPLUGIN_SENSOR) && !plugin->nsensordata) {
    return "sensor plugin has no nsensordata function";
  }
  return NULL;
}

// The registered copy owns its text. On failure everything made here is freed.
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
  bool clash = false;
  pthread_mutex_lock(&plugins_lock);
  const mjpPlugin* known = mjp_getPlugin(plugin->name, &slot);
  if (known) {
    clash = !plugin_same(known, plugin);
  } else {
    slot = plugin_add(plugin);
  }
  pthread_mutex_unlock(&plugins_lock);
  if (clash) {
    mju_error("mjp_registerPlugin: another plugin named '%s' is registered", plugin->name);
    return -1;
  }
  if (slot < 0) mju_error("mjp_registerPlugin: no memory for plugin '%s'", plugin->name);
  return slot;
}

// ---- settings of instances

// plugin_attr holds the values of an instance's settings in the order of the plugin's attributes,
// each closed by zero.
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

// Plugin libraries may be linked to "libsinew.so", this library's name without its version. The
// loader knows a library by its soname and by names it was opened by: the name is made known, by
// the file beside this one ($ORIGIN), without loading anything.
static void know_own_name(void) { dlopen("libsinew.so", RTLD_LAZY | RTLD_NOLOAD); }

void mj_loadPluginLibrary(const char* path) {
  // the library registers its plugins as it is loaded, and stays loaded
  know_own_name();
  if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    mju_error("Error loading plugin library '%s': %s", path, dlerror());
  }
}

static bool plugin_is_library(const char* name) {
  size_t length = strlen(name);
#ifdef __APPLE__
  const char* ending = ".dylib";
#else
  const char* ending = ".so";
#endif
  size_t tail = strlen(ending);
  return length > tail && !strcmp(name + length - tail, ending);
}

void mj_loadAllPluginLibraries(const char* directory, mjfPluginLibraryLoadCallback callback) {
  struct dirent** entry;
  int count = scandir(directory, &entry, NULL, alphasort);
  if (count < 0) return;
  know_own_name();
  for (int i = 0; i < count; i++) {
    if (plugin_is_library(entry[i]->d_name)) {
      size_t bytes = strlen(directory) + strlen(entry[i]->d_name) + 2;
      char* path = memory_alloc(bytes);
      if (path) {
        strcpy(path, directory);
        strcat(path, "/");
        strcat(path, entry[i]->d_name);
        int first = mjp_pluginCount();
        if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
          mju_warning("plugin library '%s' cannot be loaded: %s", path, dlerror());
        } else if (callback) {
          int added = mjp_pluginCount() - first;
          callback(path, added ? first : -1, added);
        }
        memory_free(path);
      }
    }
    free(entry[i]);
  }
  free(entry);
}
