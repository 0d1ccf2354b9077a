// Every allocation of the broad phase fails once: contacts of that step are dropped with the
// documented warning, and the next step has the contacts of data that never lacked memory.
#include "base/base.h"
#include "scene.h"

static int warnings;
static void listen(const char* message) {
  (void)message;
  warnings++;
}

// Layers of balls with a pair and an exclude: all pairs of few bodies, a sweep of many.
static mjModel* make_pile(int bodies) {
  static char xml[100000];
  int at = snprintf(xml, sizeof xml,
                    "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/>");
  for (int i = 0; i < bodies; i++) {
    at +=
        snprintf(xml + at, sizeof xml - (size_t)at,
                 "<body name='b%d' pos='%g %g %g'><freejoint/><geom name='g%d' size='.1'/></body>",
                 i, 0.19 * (i % 5), 0.19 * (i / 5 % 5), 0.09 + 0.19 * (i / 25), i);
  }
  snprintf(xml + at, sizeof xml - (size_t)at,
           "</worldbody><contact><pair geom1='g0' geom2='g1'/><exclude body1='b1' body2='b2'/>"
           "</contact></mujoco>");
  return scene_model(xml);
}

static void check(int bodies) {
  mjModel* m = make_pile(bodies);
  mjData* expected = mj_makeData(m);
  mj_kinematics(m, expected);
  mj_collision(m, expected);
  assert_true(expected->ncon > bodies);
  int failed = 0;
  for (int n = 1;; n++) {
    mjData* d = mj_makeData(m);
    mj_kinematics(m, d);
    warnings = 0;
    memory_fail_at(n);
    mj_collision(m, d);
    memory_fail_at(0);
    bool complete = d->ncon == expected->ncon;
    if (!complete) {
      failed++;
      assert_true(warnings > 0);
      assert_true(d->warning[mjWARN_CONTACTFULL].number > 0);
    }
    mj_collision(m, d);
    assert_int_equal(d->ncon, expected->ncon);
    for (int c = 0; c < d->ncon; c++) {
      assert_memory_equal(d->contact[c].geom, expected->contact[c].geom, 2 * sizeof(int));
      assert_true(d->contact[c].dist == expected->contact[c].dist);
    }
    mj_deleteData(d);
    if (complete && n > 64) break;
  }
  assert_true(failed > 3);
  mj_deleteData(expected);
  mj_deleteModel(m);
}

static void contacts_come_back(void** state) {
  (void)state;
  mju_user_warning = listen;
  check(30);
  check(120);
  mju_user_warning = NULL;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_come_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
