// A plugin defined in the test: which functions call it, when, and what becomes of its state.
#include "../scene.h"
#include "base/base.h"

static char calls[4096];  // one letter per call and the instance's number
static int alive;         // instances made and not destroyed
static int refuse = -1;   // the instance whose init fails
static char heard[1024];
static int errors;

static void on_error(const char* text) {
  snprintf(heard, sizeof heard, "%s", text);
  errors++;
}

static void note(char what, int instance) {
  size_t n = strlen(calls);
  if (n + 3 < sizeof calls) snprintf(calls + n, sizeof calls - n, "%c%d", what, instance);
}

static int count_states(const mjModel* m, int i) {
  return atoi(mj_getPluginConfig(m, i, "states"));
}
static int count_readings(const mjModel* m, int i, int sensor) { return 2; }

static int make(const mjModel* m, mjData* d, int i) {
  note('i', i);
  if (i == refuse) return -1;
  d->plugin_data[i] = (uintptr_t)calloc(1, sizeof(double));
  alive++;
  return 0;
}

static void destroy(mjData* d, int i) {
  note('d', i);
  free((void*)d->plugin_data[i]);
  alive--;
}

static void copy(mjData* to, const mjModel* m, const mjData* from, int i) {
  note('c', i);
  assert_true(to->plugin_data[i] != from->plugin_data[i]);
  *(double*)to->plugin_data[i] = *(const double*)from->plugin_data[i];
}

static void reset(const mjModel* m, mjtNum* state, void* data, int i) {
  note('r', i);
  for (int k = 0; k < m->plugin_statenum[i]; k++) {
    assert_true(state[k] == 0);
    state[k] = 1;
  }
  *(double*)data = 0;
}

static void compute(const mjModel* m, mjData* d, int i, int capability) {
  note(capability == mjPLUGIN_ACTUATOR ? 'A' : capability == mjPLUGIN_SENSOR ? 'S' : 'P', i);
  const mjtNum* state = d->plugin_state + m->plugin_stateadr[i];
  for (int a = 0; capability == mjPLUGIN_ACTUATOR && a < m->nu; a++) {
    if (m->actuator_plugin[a] == i) d->actuator_force[a] = state[0] + d->act[m->actuator_actadr[a]];
  }
  for (int s = 0; capability == mjPLUGIN_SENSOR && s < m->nsensor; s++) {
    if (m->sensor_plugin[s] == i) d->sensordata[m->sensor_adr[s] + 1] = 10 * state[0];
  }
  if (capability == mjPLUGIN_PASSIVE) d->qfrc_passive[0] -= 0.5;
}

static void advance(const mjModel* m, mjData* d, int i) {
  note('a', i);
  for (int k = 0; k < m->plugin_statenum[i]; k++)
    d->plugin_state[m->plugin_stateadr[i] + k] += 0.25;
}

static void rate(const mjModel* m, mjData* d, int i) {
  note('t', i);
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_plugin[a] == i) d->act_dot[m->actuator_actadr[a]] = 3;
  }
}

static const char kModel[] =
    "<mujoco><extension><plugin plugin='test.all'><instance name='x'>"
    "<config key='states' value='2'/></instance></plugin></extension>"
    "<option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide'/>"
    "<geom size='.1' mass='1'/><plugin plugin='test.all'><config key='states' value='0'/></plugin>"
    "</body></worldbody>"
    "<actuator><plugin joint='j' instance='x' dyntype='integrator' actdim='2'/></actuator>"
    "<sensor><plugin instance='x' cutoff='12'/></sensor></mujoco>";

static void test_layout(void** state) {
  mjModel* m = scene_model(kModel);
  assert_int_equal(m->nplugin, 2);
  assert_int_equal(m->npluginstate, 2);
  assert_int_equal(m->plugin_statenum[0], 2);
  assert_int_equal(m->plugin_stateadr[1], 2);
  assert_int_equal(m->na, 2);
  assert_int_equal(m->actuator_plugin[0], 0);
  assert_int_equal(m->body_plugin[1], 1);
  assert_int_equal(m->sensor_dim[0], 2);
  assert_int_equal(m->sensor_needstage[0], mjSTAGE_VEL);
  assert_string_equal(mj_getPluginConfig(m, 0, "states"), "2");
  assert_string_equal(mj_getPluginConfig(m, 1, "spare"), "");
  assert_null(mj_getPluginConfig(m, 0, "none"));
  assert_int_equal(alive, 0);  // the compiler leaves nothing behind
  mj_deleteModel(m);
}

static void test_calls(void** state) {
  mjModel* m = scene_model(kModel);
  calls[0] = 0;
  mjData* d = mj_makeData(m);
  assert_string_equal(calls, "i0i1r0r1");
  calls[0] = 0;
  d->ctrl[0] = 5;
  mj_step(m, d);
  assert_string_equal(calls, "P0P1S0S1t0t1A0A1a0a1");
  assert_float_equal(d->actuator_force[0], 1, 0);         // state 1, activation 0
  assert_float_equal(d->qfrc_passive[0], -1, 0);          // both instances add
  assert_float_equal(d->act[0], 3 * m->opt.timestep, 0);  // the plugin's activation
  assert_float_equal(d->act[1], 5 * m->opt.timestep, 0);  // dyntype's stands behind it
  assert_float_equal(d->sensordata[1], 10, 0);
  assert_float_equal(d->plugin_state[0], 1.25, 0);
  mj_step(m, d);
  assert_float_equal(d->sensordata[1], 12, 0);  // cut off

  calls[0] = 0;
  mjData* twin = mj_copyData(NULL, m, d);
  assert_string_equal(calls, "i0i1c0c1");
  assert_float_equal(twin->plugin_state[1], 1.5, 0);
  mj_copyData(twin, m, d);
  assert_string_equal(calls, "i0i1c0c1c0c1");

  calls[0] = 0;
  mj_deleteData(twin);
  assert_string_equal(calls, "d0d1");
  calls[0] = 0;
  mj_resetData(m, d);
  assert_string_equal(calls, "r0r1");
  assert_float_equal(d->plugin_state[0], 1, 0);
  mj_deleteData(d);
  assert_int_equal(alive, 0);
  mj_deleteModel(m);
}

static void test_state(void** state) {
  mjModel* m = scene_model(kModel);
  mjData* d = mj_makeData(m);
  int n = mj_stateSize(m, mjSTATE_INTEGRATION);
  assert_int_equal(mj_stateSize(m, mjSTATE_PLUGIN), 2);
  mjtNum saved[64], first[2], plugin[2];
  assert_true(n <= 64);
  for (int i = 0; i < 5; i++) mj_step(m, d);
  mj_getState(m, d, saved, mjSTATE_INTEGRATION);
  mj_getState(m, d, plugin, mjSTATE_PLUGIN);
  assert_float_equal(plugin[1], 2.25, 0);
  for (int i = 0; i < 5; i++) mj_step(m, d);
  first[0] = d->qpos[0], first[1] = d->plugin_state[1];
  mj_setState(m, d, saved, mjSTATE_INTEGRATION);
  for (int i = 0; i < 5; i++) mj_step(m, d);
  assert_true(d->qpos[0] == first[0] && d->plugin_state[1] == first[1]);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A refusal undoes what was made before it, in the compiler and in mj_makeData.
static void test_refusal(void** state) {
  mjModel* m = scene_model(kModel);
  for (refuse = 0; refuse < 2; refuse++) {
    errors = 0;
    assert_null(mj_makeData(m));
    assert_int_equal(errors, 1);
    assert_non_null(strstr(heard, "test.all"));
    assert_int_equal(alive, 0);
    char error[500] = "";
    mjSpec* spec = mj_parseXMLString(kModel, NULL, error, sizeof error);
    assert_non_null(spec);
    assert_null(mj_compile(spec, NULL));
    assert_non_null(strstr(mjs_getError(spec), "test.all"));
    assert_int_equal(errors, 1);  // the compiler reports, it raises nothing
    assert_int_equal(alive, 0);
    mj_deleteSpec(spec);
  }
  refuse = -1;
  mj_deleteModel(m);
}

static void test_no_memory(void** state) {
  mjModel* m = scene_model(kModel);
  mjData* d = mj_makeData(m);
  for (int n = 1; n < 50; n++) {
    memory_fail_at(n);
    mjData* made = n % 2 ? mj_makeData(m) : mj_copyData(NULL, m, d);
    memory_fail_at(0);
    assert_int_equal(alive, made ? 4 : 2);
    mj_deleteData(made);
  }
  mj_deleteData(d);
  assert_int_equal(alive, 0);
  mj_deleteModel(m);
}

static void fails(const char* xml, const char* expected) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  if (spec) {
    assert_null(mj_compile(spec, NULL));
    snprintf(error, sizeof error, "%s", mjs_getError(spec));
    mj_deleteSpec(spec);
  }
  if (!strstr(error, expected)) fail_msg("expected '%s', got '%s'", expected, error);
}

static void test_mistakes(void** state) {
#define BODY "<worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
#define DECLARED "<extension><plugin plugin='test.all'/></extension>"
  fails("<mujoco><extension><plugin plugin='test.none'/></extension></mujoco>", "test.none");
  fails("<mujoco>" BODY "<actuator><plugin joint='j' plugin='test.all'/></actuator></mujoco>",
        "not declared");
  fails("<mujoco>" DECLARED BODY "<actuator><plugin joint='j'/></actuator></mujoco>", "neither");
  fails("<mujoco>" DECLARED BODY "<actuator><plugin joint='j' instance='y'/></actuator></mujoco>",
        "'y'");
  fails("<mujoco>" DECLARED BODY
        "<actuator><plugin joint='j' plugin='test.all'>"
        "<config key='colour' value='1'/></plugin></actuator></mujoco>",
        "colour");
  fails("<mujoco>" DECLARED
        "<worldbody><geom size='1'><plugin plugin='test.all'/></geom></worldbody>"
        "</mujoco>",
        "does not support");
}

int main(void) {
  mju_user_error = on_error;
  static const char* settings[] = {"states", "spare"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "test.all";
  plugin.nattribute = 2;
  plugin.attributes = settings;
  plugin.capabilityflags = mjPLUGIN_ACTUATOR | mjPLUGIN_SENSOR | mjPLUGIN_PASSIVE;
  plugin.needstage = mjSTAGE_VEL;
  plugin.nstate = count_states;
  plugin.nsensordata = count_readings;
  plugin.init = make;
  plugin.destroy = destroy;
  plugin.copy = copy;
  plugin.reset = reset;
  plugin.compute = compute;
  plugin.advance = advance;
  plugin.actuator_act_dot = rate;
  mjp_registerPlugin(&plugin);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layout),    cmocka_unit_test(test_calls),
      cmocka_unit_test(test_state),     cmocka_unit_test(test_refusal),
      cmocka_unit_test(test_no_memory), cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
