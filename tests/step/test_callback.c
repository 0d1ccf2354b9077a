// Callbacks of one model: called in place of the global ones, with their user pointer; copies have
// none of their own.
#include <sinew/callback.h>

#include "scene.h"

static const char* XML =
    "<mujoco><option timestep='0.001'/><worldbody>"
    "  <geom name='floor' type='plane' size='1 1 1'/>"
    "  <body pos='0 0 0.09'><freejoint/><geom name='ball' size='0.1'/></body>"
    "  <body pos='1 0 1'><joint name='j'/><geom size='0.1' pos='0 0.2 0' contype='0' "
    "conaffinity='0'/>"
    "  </body></worldbody>"
    "<actuator><general joint='j' dyntype='user' actdim='1' gaintype='user' "
    "biastype='user'/></actuator>"
    "<sensor><user dim='1' needstage='acc' datatype='real' noise='0'/></sensor></mujoco>";

typedef struct Calls_ {
  int passive, control, filter, sensor, dyn, gain, bias;
} Calls;

static Calls global;

static void on_passive(const mjModel* m, mjData* d, void* user) {
  ((Calls*)user)->passive++;
  d->qfrc_passive[m->nv - 1] += 1;
}
static void on_control(const mjModel* m, mjData* d, void* user) { ((Calls*)user)->control++; }
static int on_filter(const mjModel* m, mjData* d, int g1, int g2, void* user) {
  ((Calls*)user)->filter++;
  return 1;
}
static void on_sensor(const mjModel* m, mjData* d, int stage, void* user) {
  ((Calls*)user)->sensor++;
  d->sensordata[0] = 3;
}
static mjtNum on_dyn(const mjModel* m, const mjData* d, int id, void* user) {
  ((Calls*)user)->dyn++;
  return 7;
}
static mjtNum on_gain(const mjModel* m, const mjData* d, int id, void* user) {
  ((Calls*)user)->gain++;
  return 2;
}
static mjtNum on_bias(const mjModel* m, const mjData* d, int id, void* user) {
  ((Calls*)user)->bias++;
  return 5;
}

static void global_passive(const mjModel* m, mjData* d) { global.passive++; }
static void global_control(const mjModel* m, mjData* d) { global.control++; }
static int global_filter(const mjModel* m, mjData* d, int g1, int g2) {
  global.filter++;
  return 0;
}
static void global_sensor(const mjModel* m, mjData* d, int stage) { global.sensor++; }
static mjtNum global_dyn(const mjModel* m, const mjData* d, int id) { return global.dyn++, 1; }
static mjtNum global_gain(const mjModel* m, const mjData* d, int id) { return global.gain++, 1; }
static mjtNum global_bias(const mjModel* m, const mjData* d, int id) { return global.bias++, 0; }

static void set_globals(void) {
  memset(&global, 0, sizeof global);
  mjcb_passive = global_passive, mjcb_control = global_control;
  mjcb_contactfilter = global_filter, mjcb_sensor = global_sensor;
  mjcb_act_dyn = global_dyn, mjcb_act_gain = global_gain, mjcb_act_bias = global_bias;
}

static void set_own(mjModel* m, void* user) {
  sn_setPassive(m, on_passive, user);
  sn_setControl(m, on_control, user);
  sn_setContactFilter(m, on_filter, user);
  sn_setSensor(m, on_sensor, user);
  sn_setActDyn(m, on_dyn, user);
  sn_setActGain(m, on_gain, user);
  sn_setActBias(m, on_bias, user);
}

static void assert_each_once(const Calls* c) {
  assert_int_equal(c->passive, 1);
  assert_int_equal(c->control, 1);
  assert_int_equal(c->filter, 1);
  assert_int_equal(c->sensor, 1);
  assert_int_equal(c->dyn, 1);
  assert_int_equal(c->gain, 1);
  assert_int_equal(c->bias, 1);
}

static void in_place_of_globals(void** state) {
  mjModel* m = scene_model(XML);
  mjModel* other = mj_copyModel(NULL, m);
  mjData *d = mj_makeData(m), *e = mj_makeData(other);
  Calls own = {0}, untouched = {0};
  set_globals();
  set_own(m, &own);

  mj_forward(m, d);
  assert_each_once(&own);
  assert_memory_equal(&global, &untouched, sizeof global);
  assert_int_equal(d->ncon, 0);
  assert_true(d->sensordata[0] == 3);
  assert_true(d->act_dot[0] == 7);
  assert_true(d->actuator_force[0] == 5);  // gain 2 times activation 0, plus bias 5
  assert_true(d->qfrc_passive[m->nv - 1] == 1);

  // a copy has none: the globals hold, and the filter lets the contact through
  mj_forward(other, e);
  assert_each_once(&own);
  assert_each_once(&global);
  assert_int_equal(e->ncon, 1);

  // taken away, the globals hold again, with the same mjData
  set_own(m, &own);
  sn_setContactFilter(m, NULL, NULL);
  mj_forward(m, d);
  assert_int_equal(own.filter, 1);
  assert_int_equal(global.filter, 2);
  assert_int_equal(d->ncon, 1);

  mj_resetCallbacks();
  mj_deleteData(d), mj_deleteData(e);
  mj_deleteModel(m), mj_deleteModel(other);
}

static void are_handed_on(void** state) {
  mjModel* m = scene_model(XML);
  mjModel* copy = mj_copyModel(NULL, m);
  mjData* d = mj_makeData(copy);
  Calls own = {0};
  sn_copyCallbacks(copy, m);  // none to none
  set_own(m, &own);
  sn_copyCallbacks(copy, m);
  mj_forward(copy, d);
  assert_each_once(&own);

  // into a model that has some: they are gone
  mjModel* bare = mj_copyModel(NULL, m);
  sn_copyCallbacks(copy, bare);
  mj_forward(copy, d);
  assert_each_once(&own);
  mj_deleteData(d);
  mj_deleteModel(m), mj_deleteModel(copy), mj_deleteModel(bare);
}

static void survive_recompile(void** state) {
  mjSpec* spec = mj_parseXMLString(XML, NULL, NULL, 0);
  mjModel* m = mj_compile(spec, NULL);
  mjData* d = mj_makeData(m);
  Calls own = {0};
  set_own(m, &own);
  assert_int_equal(mj_recompile(spec, NULL, m, d), 0);
  own = (Calls){0};
  mj_forward(m, d);
  assert_each_once(&own);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

// Every evaluation of Runge-Kutta shows a callback the cameras and energies of its own state.
static mjtNum seen[4];
static int nseen;
static void look(const mjModel* m, mjData* d, void* user) {
  mjtNum off = mju_dist3(d->cam_xpos, d->xpos + 3);
  mjtNum height = -m->opt.gravity[2] * m->body_mass[1] * d->xipos[5];
  assert_true(nseen < 4);
  seen[nseen++] = off + fabs(d->energy[0] - height);
}

static void see_all_stages(void** unused) {
  mjModel* m = scene_model(
      "<mujoco><option integrator='RK4'><flag energy='enable'/></option><worldbody>"
      "<body pos='0 0 1'><freejoint/><geom size='0.1'/><camera/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  d->qvel[0] = 10;
  sn_setControl(m, look, NULL);
  mj_step(m, d);
  assert_int_equal(nseen, 4);
  for (int i = 0; i < 4; i++) assert_true(seen[i] < 1e-12);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_place_of_globals),
      cmocka_unit_test(are_handed_on),
      cmocka_unit_test(survive_recompile),
      cmocka_unit_test(see_all_stages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
