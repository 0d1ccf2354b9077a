// What a model asks for stays with it: attached with a prefix, replicated, saved as MJCF and as a
// binary model; anchors and sleepers go with states, copies, resets and keyframes.
#include <sinew/sleep.h>
#include <stdbool.h>

#include "scene.h"

static mjSpec* parse(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  if (!spec) fail_msg("%s", error);
  return spec;
}

static mjModel* compiled(mjSpec* spec) {
  mjModel* m = mj_compile(spec, NULL);
  if (!m) fail_msg("%s", mjs_getError(spec));
  return m;
}

#define BALL(name, height) \
  "<body pos='0 0 " height "'><freejoint/><geom name='" name "' size='.1' mass='1'/></body>"
#define TUPLE(geom, prm)                                                               \
  "<tuple name='sinew:stiffness'><element objtype='geom' objname='" geom "' prm='" prm \
  "'/></"                                                                              \
  "tuple>"

// A ball of 1 kg rests 9.81 / k deep.
static void rests(const mjModel* m, const char* geom, double k) {
  mjData* d = mj_makeData(m);
  int body = m->geom_bodyid[mj_name2id(m, mjOBJ_GEOM, geom)];
  for (int i = 0; i < 6000; i++) mj_step(m, d);
  double depth = .1 - d->xpos[3 * body + 2];
  if (!(fabs(depth * k / 9.81 - 1) < .02)) fail_msg("%s: %g m deep", geom, depth);
  mj_deleteData(d);
}

static void test_attached(void** state) {
  (void)state;
  mjSpec* parent = parse("<mujoco><option timestep='.002'/><custom>" TUPLE(
      "own", "2000") "</custom><worldbody>"
                     "<geom type='plane' size='9 9 1'/>" BALL(
                         "own", ".1") "<frame name='place' pos='1 0 0'/></worldbody></mujoco>");
  mjSpec* child = parse(
      "<mujoco><custom><text name='sinew:friction' data='stick'/><text name='sinew:sleep' "
      "data='off'/>" TUPLE("ball", "1000") "</custom><worldbody>" BALL(
          "ball", ".1") "</worldbody></mujoco>");
  mjsElement* place = mjs_findElement(parent, mjOBJ_FRAME, "place");
  assert_non_null(mjs_attach(place, child->element, "left/", ""));
  mjModel* m = compiled(parent);
  assert_int_equal(m->nplugin, 1);  // the state of friction that holds
  rests(m, "own", 2000);
  rests(m, "left/ball", 1000);
  mj_deleteModel(m);

  // once more, and with another text that says something else
  mjSpec* other = parse(
      "<mujoco><custom><text name='sinew:friction' data='soft'/></custom>"
      "<worldbody>" BALL("ball", ".1") "</worldbody></mujoco>");
  assert_non_null(mjs_attach(place, other->element, "right/", ""));
  assert_null(mj_compile(parent, NULL));
  if (!strstr(mjs_getError(parent), "expected the same")) fail_msg("%s", mjs_getError(parent));
  mj_deleteSpec(other);
  mj_deleteSpec(child);
  mj_deleteSpec(parent);
}

static void test_replicated(void** state) {
  (void)state;
  mjModel* m = scene_model("<mujoco><option timestep='.002'/><custom>" TUPLE(
      "ball", "1000") "</custom><worldbody>"
                      "<geom type='plane' size='9 9 1'/><replicate count='3' offset='1 0 0'>" BALL(
                          "ball", ".1") "</replicate></worldbody></mujoco>");
  rests(m, "ball0", 1000);
  rests(m, "ball2", 1000);
  mj_deleteModel(m);
  // a name that only looks like one of ours is still refused
  scene_refused(
      "<mujoco><custom><tuple name='sinew:stiffnes'><element objtype='geom' "
      "objname='g' prm='5'/></tuple></custom><worldbody><geom name='g' size='1'/>"
      "</worldbody></mujoco>",
      "unknown");
  scene_refused(
      "<mujoco><custom><tuple name='sinew:stiffnesses'><element objtype='geom' "
      "objname='g' prm='5'/></tuple></custom><worldbody><geom name='g' size='1'/>"
      "</worldbody></mujoco>",
      "unknown");
}

#define SLOPE                                                                                      \
  "<mujoco><custom><text name='sinew:friction' data='stick'/><text name='sinew:sleep' data='on'/>" \
  "</custom><worldbody><geom type='plane' size='5 5 .1' euler='0 20 0'/>"                          \
  "<body name='box' pos='.0342 0 .094' euler='0 20 0'><freejoint/><geom type='box' "               \
  "size='.1 .1 .1' mass='1'/></body></worldbody>"                                                  \
  "<keyframe><key qpos='.0342 0 .094 .9848 0 .1736 0'/></keyframe></mujoco>"

static bool same(const mjModel* m, const mjData* a, const mjData* b) {
  return !memcmp(a->qpos, b->qpos, sizeof(mjtNum) * (size_t)m->nq) &&
         !memcmp(a->qvel, b->qvel, sizeof(mjtNum) * (size_t)m->nv) &&
         !memcmp(a->plugin_state, b->plugin_state, sizeof(mjtNum) * (size_t)m->npluginstate);
}

// From the same state on: the same bits.
static void go_on(const mjModel* m, mjData* a, mjData* b, const char* what) {
  mju_copy(b->qacc_warmstart, a->qacc_warmstart, m->nv);
  for (int i = 0; i < 50; i++) {
    mj_step(m, a);
    mj_step(m, b);
    if (!same(m, a, b)) fail_msg("%s: step %d differs", what, i);
  }
}

static void test_saved(void** state) {
  (void)state;
  mjSpec* spec = parse(SLOPE);
  mjModel* m = compiled(spec);
  char error[1000] = "", *xml = malloc(100000);
  assert_non_null(xml);
  assert_int_equal(mj_saveXMLString(spec, xml, 100000, error, sizeof error), 0);
  mjModel* again = scene_model(xml);
  int size = mj_sizeModel(m);
  void* buffer = malloc((size_t)size);
  assert_non_null(buffer);
  mj_saveModel(m, NULL, buffer, size);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  assert_int_equal(mj_addBufferVFS(&vfs, "slope.mjb", buffer, size), 0);
  mjModel* loaded = mj_loadModel("slope.mjb", &vfs);
  assert_non_null(loaded);
  mjData *d = mj_makeData(m), *other = mj_makeData(again), *third = mj_makeData(loaded);
  for (int i = 0; i < 600; i++) {
    mj_step(m, d);
    mj_step(again, other);
    mj_step(loaded, third);
  }
  assert_true(same(m, d, other) && same(m, d, third));
  assert_true(sn_asleep(m, d, 1) && sn_asleep(loaded, third, 1));
  mj_deleteData(third), mj_deleteData(other), mj_deleteData(d);
  mj_deleteModel(loaded), mj_deleteModel(again), mj_deleteModel(m);
  mj_deleteVFS(&vfs);
  mj_deleteSpec(spec);
  free(buffer), free(xml);
}

static void test_states(void** state) {
  (void)state;
  mjModel* m = scene_model(SLOPE);
  mjData *d = mj_makeData(m), *fresh = mj_makeData(m), *copy = mj_makeData(m);
  for (int i = 0; i < 40; i++) mj_step(m, d);  // stuck, awake
  for (int asleep = 0; asleep < 2; asleep++) {
    int size = mj_stateSize(m, mjSTATE_FULLPHYSICS);
    mjtNum* vector = malloc(sizeof(mjtNum) * (size_t)size);
    assert_non_null(vector);
    mj_getState(m, d, vector, mjSTATE_FULLPHYSICS);
    mj_setState(m, fresh, vector, mjSTATE_FULLPHYSICS);
    mj_copyData(copy, m, d);
    assert_int_equal(sn_asleep(m, d, 1), asleep);
    go_on(m, d, fresh, "mj_setState");
    mj_setState(m, d, vector, mjSTATE_FULLPHYSICS);
    go_on(m, d, copy, "mj_copyData");
    free(vector);
    for (int i = 0; i < 600; i++) mj_step(m, d);
  }
  // a keyframe and a reset know neither anchors nor sleepers
  assert_true(sn_asleep(m, d, 1));
  mj_resetDataKeyframe(m, d, 0);
  assert_false(sn_asleep(m, d, 1));
  assert_true(d->plugin_state[m->plugin_stateadr[0]] == 0);
  mjData* first = mj_makeData(m);
  mj_resetDataKeyframe(m, first, 0);
  go_on(m, d, first, "keyframe");
  mj_deleteData(first), mj_deleteData(copy), mj_deleteData(fresh), mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attached),
      cmocka_unit_test(test_replicated),
      cmocka_unit_test(test_saved),
      cmocka_unit_test(test_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
