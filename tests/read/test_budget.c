// Small files that ask for too much memory or time: refused at once, by a budget that the error
// names and a program may raise; within the budget, time is proportional to size.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sinew/budget.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "random.h"

static char error[1000];

static mjModel* load(const char* text) {
  mjSpec* s = mj_parseXMLString(text, NULL, error, sizeof error);
  if (!s) return NULL;
  mjModel* m = mj_compile(s, NULL);
  snprintf(error, sizeof error, "%s", mjs_getError(s));
  mj_deleteSpec(s);
  return m;
}

#define WORLD(text) "<mujoco><worldbody>" text "</worldbody></mujoco>"

static void refused_at_once(void** state) {
  static const char* const kBombs[] = {
      WORLD("<replicate count='1000000'><geom size='1'/></replicate>"),
      WORLD("<replicate count='1000'><replicate count='1000'><replicate count='1000'/></replicate>"
            "</replicate>"),
      WORLD("<replicate count='30000'><body name='b'><flexcomp name='f' type='grid' count='4 4 1' "
            "dim='2' "
            "spacing='1 1 1'/></body></replicate>"),
      WORLD("<flexcomp name='f' type='grid' count='1000000 1 1' dim='1' spacing='1 1 1'/>"),
      "<mujoco><asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 "
      "1'/></asset></mujoco>",
      "<mujoco><size nuserdata='2000000000'/></mujoco>",
      "<mujoco><size nuser_body='2000000000'/></mujoco>",
      "<mujoco><sensor><user dim='2000000000'/></sensor></mujoco>",
  };
  for (size_t i = 0; i < sizeof kBombs / sizeof *kBombs; i++) {
    double start = clock_us();
    assert_null(load(kBombs[i]));
    if (!strstr(error, "budget")) fail_msg("%s: %s", kBombs[i], error);
    assert_non_null(strstr(error, "sn_setBudget"));
    assert_true(clock_us() - start < 60e6);  // a moment, on a machine that is at rest
  }
  // sizes beyond an int have no budget to raise
  assert_null(load("<mujoco><size nkey='2000000000'/></mujoco>"));
  assert_true(error[0]);
}

// Length ranges are found by simulation, for as long as the model says.
static void length_ranges_end(void** state) {
  static const char* const kRanges[] = {"inttotal='1e300'", "timestep='1e-12'", "inttotal='1e12'"};
  for (int i = 0; i < 3; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><compiler><lengthrange %s/></compiler><worldbody><body><joint name='j' "
             "limited='true' range='-1 1'/><geom size='.1'/></body></worldbody><actuator><muscle "
             "joint='j'/></actuator></mujoco>",
             kRanges[i]);
    double start = clock_us();
    assert_null(load(text));
    assert_non_null(strstr(error, "steps"));
    assert_true(clock_us() - start < 60e6);
  }
}

static void budget_is_raised_and_lowered(void** state) {
  size_t elements, bytes;
  sn_getBudget(&elements, &bytes);
  const char* text = WORLD("<replicate count='100'><geom size='1'/></replicate>");
  sn_setBudget(150, 0);
  assert_null(load(text));
  assert_non_null(strstr(error, "150"));
  assert_non_null(strstr(error, "line") || strstr(error, ":1:"));
  sn_setBudget(1000, 0);
  mjModel* m = load(text);
  assert_non_null(m);
  mj_deleteModel(m);
  sn_setBudget(0, 1000);
  assert_null(load(text));
  assert_non_null(strstr(error, "bytes"));
  sn_setBudget(elements, bytes);
  // elements that a program adds one by one are counted as well
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  sn_setBudget(100, 0);
  int n = 0;
  while (n < 200 && mjs_addGeom(world, NULL)) n++;
  assert_true(n > 50 && n < 100);
  assert_non_null(strstr(mjs_getError(s), "budget"));
  sn_setBudget(elements, bytes);
  assert_non_null(mjs_addGeom(world, NULL));
  mj_deleteSpec(s);
}

// 16 times as many take about 16 times as long, and not 256 times: CPU time, the least of several.
static void in_proportion(void** state) {
  static const char* const kForms[] = {
      WORLD("<replicate count='%d' offset='1 0 0'><geom size='.1'/></replicate>"),
      WORLD("<replicate count='%d'><body><site name='s'/><geom size='.1'/></body></replicate>"
            "</worldbody><sensor><framepos objtype='site' objname='s'/></sensor><worldbody>"),
  };
  for (size_t k = 0; k < sizeof kForms / sizeof *kForms; k++) {
    double time[2];
    for (int i = 0; i < 2; i++) {
      char text[1000];
      snprintf(text, sizeof text, kForms[k], (i ? 32000 : 2000) / kTrialShare);
      time[i] = 1e30;
      for (int repeat = 0; repeat < (i ? 2 : 5); repeat++) {
        clock_t start = clock();
        mjModel* m = load(text);
        if (!m) fail_msg("%s", error);
        mj_deleteModel(m);
        double took = (double)(clock() - start);
        if (took < time[i]) time[i] = took;
      }
    }
    if (time[1] > 128 * time[0]) fail_msg("form %zu: %g us, then %g us", k, time[0], time[1]);
  }
}

// Many of one name, and a walk through many.
static void lists_are_walked_once(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  enum { N = 50000 / kTrialShare };
  double start = clock_us();
  for (int i = 0; i < N; i++) mjs_setName(mjs_addGeom(world, NULL)->element, "same");
  int n = 0;
  for (mjsElement* e = mjs_firstChild(world, mjOBJ_GEOM, 1); e; e = mjs_nextChild(world, e, 1)) n++;
  assert_int_equal(n, N);
  n = 0;
  for (mjsElement* e = mjs_firstElement(s, mjOBJ_GEOM); e; e = mjs_nextElement(s, e)) n++;
  assert_int_equal(n, N);
  mj_deleteSpec(s);
  assert_true(clock_us() - start < 60e6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refused_at_once),
      cmocka_unit_test(length_ranges_end),
      cmocka_unit_test(budget_is_raised_and_lowered),
      cmocka_unit_test(in_proportion),
      cmocka_unit_test(lists_are_walked_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
