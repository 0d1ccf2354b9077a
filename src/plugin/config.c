// Settings of first-party plugins: text to numbers, with warnings that name instance and attribute.
#include "plugin/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

static const char kSpace[] = " \t\r\n\f\v";

const char* config_text(const mjModel* m, int instance, const char* key) {
  const char* text = mj_getPluginConfig(m, instance, key);
  return text && text[strspn(text, kSpace)] ? text : NULL;
}

int config_parse(const char* text, int count, double* value) {
  int found = 0;
  for (;;) {
    text += strspn(text, kSpace);
    if (!*text) return found;
    char* end;
    double number = system_double(text, &end);
    if (end == text || isnan(number) || (*end && !strchr(kSpace, *end))) return -1;
    if (found == count) return -1;
    value[found++] = number;
    text = end;
  }
}

static bool config_fault(const mjModel* m, int instance, const char* key, const char* expected) {
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[instance]);
  const char* name = mj_id2name(m, mjOBJ_PLUGIN, instance);
  mju_warning("%s: instance '%s': %s=\"%.80s\"; expected %s", plugin ? plugin->name : "plugin",
              name ? name : "", key, mj_getPluginConfig(m, instance, key), expected);
  return false;
}

bool config_numbers(const mjModel* m, int instance, const char* key, int count, double* value) {
  const char* text = config_text(m, instance, key);
  double read[8] = {0};
  if (!text) return true;
  if (config_parse(text, count, read) != count) {
    const char* kExpected[] = {"", "one number", "two numbers", "three numbers"};
    return config_fault(m, instance, key, count < 4 ? kExpected[count] : "numbers");
  }
  memcpy(value, read, (size_t)count * sizeof *value);
  return true;
}

bool config_number(const mjModel* m, int instance, const char* key, double least, double* value) {
  if (!config_numbers(m, instance, key, 1, value)) return false;
  if (*value >= least) return true;
  return config_fault(m, instance, key, "a number that is not negative");
}

void* config_instance(mjData* d, int instance, size_t bytes) {
  void* made = memory_alloc_zero(bytes);
  if (!made) mju_warning("plugin instance %d: no memory", instance);
  d->plugin_data[instance] = (uintptr_t)made;
  return made;
}

void config_destroy(mjData* d, int instance) {
  memory_free((void*)d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}

int config_no_state(const mjModel* m, int instance) { return 0; }
