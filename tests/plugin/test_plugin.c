// Registration of plugins and resource providers: lookup, conflicts, plugin libraries.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

static char heard[1024];
static int errors, warnings;
static void on_error(const char* text) {
  snprintf(heard, sizeof heard, "%s", text);
  errors++;
}
static void on_warning(const char* text) {
  snprintf(heard, sizeof heard, "%s", text);
  warnings++;
}

static int no_state(const mjModel* m, int instance) { return 0; }
static int other_state(const mjModel* m, int instance) { return 1; }

static void test_register(void** state) {
  char name[32];
  const char* attributes[] = {"gain", "bias"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = name;
  plugin.nattribute = 2;
  plugin.attributes = attributes;
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  plugin.nstate = no_state;
  int before = mjp_pluginCount();
  for (int i = 0; i < 100; i++) {  // past the first blocks of the registry
    snprintf(name, sizeof name, "test.plugin%d", i);
    assert_int_equal(mjp_registerPlugin(&plugin), before + i);
    assert_int_equal(mjp_registerPlugin(&plugin), before + i);  // again is the same
  }
  assert_int_equal(mjp_pluginCount(), before + 100);
  int slot;
  const mjpPlugin* found = mjp_getPlugin("test.plugin57", &slot);
  assert_non_null(found);
  assert_int_equal(slot, before + 57);
  assert_ptr_equal(found, mjp_getPluginAtSlot(slot));
  assert_string_equal(found->attributes[1], "bias");
  assert_ptr_not_equal(found->name, name);  // text is copied
  assert_null(mjp_getPlugin("test.none", &slot));
  assert_int_equal(slot, -1);
  assert_null(mjp_getPluginAtSlot(-1));
  assert_null(mjp_getPluginAtSlot(before + 100));

  errors = 0;
  plugin.nstate = other_state;
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  assert_int_equal(errors, 1);
  assert_non_null(strstr(heard, "test.plugin99"));
  plugin.name = "";
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  assert_int_equal(errors, 2);
}

// What the released engine registers and refuses.
static void test_accepted(void** state) {
  static char longest[1200];
  const char* attributes[] = {"a", ""};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  errors = 0;
  plugin.name = "test.nothing";  // no capability, no function
  int slot = mjp_registerPlugin(&plugin);
  assert_true(slot >= 0);
  plugin.name = "TEST.nothing";  // names do not differ by case alone
  assert_int_equal(mjp_registerPlugin(&plugin), slot);
  assert_ptr_equal(mjp_getPlugin("Test.Nothing", NULL), mjp_getPluginAtSlot(slot));
  plugin.name = "test.sensor";  // a sensor that never says how many readings it has
  plugin.capabilityflags = mjPLUGIN_SENSOR;
  assert_int_equal(mjp_registerPlugin(&plugin), slot + 1);
  plugin.name = "test.attributes";
  plugin.attributes = attributes;
  plugin.nattribute = 2;
  assert_int_equal(mjp_registerPlugin(&plugin), slot + 2);
  assert_int_equal(errors, 0);

  memset(longest, 'a', sizeof longest - 1);
  plugin.name = longest;
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  plugin.name = "test.negative";
  plugin.nattribute = -1;
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  plugin.nattribute = 2;
  attributes[1] = longest;
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  attributes[1] = NULL;
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  plugin.attributes = NULL;
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  plugin.name = NULL;
  assert_int_equal(mjp_registerPlugin(&plugin), -1);
  assert_int_equal(mjp_registerPlugin(NULL), -1);
  assert_int_equal(errors, 7);
}

// First-party plugins get their slots, in the released order, when one is asked for. A library that
// came before keeps its own; one that comes later finds ours; another interface is refused.
static void test_first_party(void** state) {
  static const char* const kAttributes[] = {"kp", "ki", "kd", "imax", "slewmax"};
  mjpPlugin cable = {.name = "mujoco.elasticity.cable", .nstate = no_state};
  int before = mjp_registerPlugin(&cable) + 1, slot;
  assert_int_equal(mjp_pluginCount(), before);
  const mjpPlugin* pid = mjp_getPlugin("mujoco.pid", &slot);
  assert_non_null(pid);
  assert_int_equal(slot, before);
  assert_int_equal(mjp_pluginCount(), before + 11);
  assert_string_equal(mjp_getPluginAtSlot(before + 1)->name, "mujoco.sensor.touch_grid");
  assert_string_equal(mjp_getPluginAtSlot(before + 8)->name, "mujoco.sdf.sdflib");
  assert_string_equal(mjp_getPluginAtSlot(before + 9)->name, "sinew.friction");
  assert_string_equal(mjp_getPluginAtSlot(before + 10)->name, "sinew.sleep");
  assert_ptr_equal(mjp_getPlugin("mujoco.elasticity.cable", NULL)->nstate, no_state);
  assert_ptr_equal(mjp_getPlugin("mujoco.pid", NULL), pid);

  mjpPlugin other = {.name = "mujoco.pid", .nattribute = 5, .attributes = kAttributes};
  other.capabilityflags = mjPLUGIN_ACTUATOR;
  other.nstate = other_state;
  errors = 0;
  assert_int_equal(mjp_registerPlugin(&other), slot);
  assert_ptr_equal(mjp_getPluginAtSlot(slot)->compute, pid->compute);
  other.nattribute = 4;
  assert_int_equal(mjp_registerPlugin(&other), -1);
  assert_int_equal(errors, 1);
}

static void test_out_of_memory(void** state) {
  const char* attributes[] = {"a", "b", "c"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "test.memory";
  plugin.nattribute = 3;
  plugin.attributes = attributes;
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  plugin.nstate = no_state;
  int before = mjp_pluginCount();
  for (int n = 1; n <= 5; n++) {
    errors = 0;
    memory_fail_at(n);
    assert_int_equal(mjp_registerPlugin(&plugin), -1);
    memory_fail_at(0);
    assert_int_equal(errors, 1);
    assert_int_equal(mjp_pluginCount(), before);
  }
  assert_int_equal(mjp_registerPlugin(&plugin), before);
}

static int open_none(mjResource* r) { return 0; }
static int read_none(mjResource* r, const void** b) { return -1; }
static void close_none(mjResource* r) {}

static void test_providers(void** state) {
  mjpResourceProvider provider;
  mjp_defaultResourceProvider(&provider);
  provider.prefix = "store";
  warnings = 0;
  assert_int_equal(mjp_registerResourceProvider(&provider), -1);  // no functions
  assert_int_equal(warnings, 1);
  provider.open = open_none;
  provider.read = read_none;
  provider.close = close_none;
  int slot = mjp_registerResourceProvider(&provider);
  assert_true(slot > 0);
  assert_int_equal(mjp_registerResourceProvider(&provider), slot);
  assert_string_equal(mjp_getResourceProviderAtSlot(slot)->prefix, "store");
  assert_ptr_equal(mjp_getResourceProvider("STORE:file.xml"), mjp_getResourceProviderAtSlot(slot));
  assert_null(mjp_getResourceProvider("stores:file.xml"));
  assert_null(mjp_getResourceProvider("file.xml"));
  provider.prefix = "9bad";
  assert_int_equal(mjp_registerResourceProvider(&provider), -1);
  assert_int_equal(warnings, 2);
}

static void test_missing_library(void** state) {
  errors = 0;
  mj_loadPluginLibrary("/nowhere/libnone.so");
  assert_int_equal(errors, 1);
  assert_non_null(strstr(heard, "/nowhere/libnone.so"));
}

int main(void) {
  mju_user_error = on_error;
  mju_user_warning = on_warning;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_register),    cmocka_unit_test(test_accepted),
      cmocka_unit_test(test_first_party), cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_providers),   cmocka_unit_test(test_missing_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
