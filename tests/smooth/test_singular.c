// A singular mass matrix: the documented warning, and finite results.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <mujoco/mujoco.h>

static int heard;
static void on_warning(const char* text) { heard++; }

static void test_massless(void** state) {
  const char* xml =
      "<mujoco><worldbody><body><joint/><geom size='.1'/>"
      "<body pos='0 0 1'><joint/><geom size='.1'/></body></body></worldbody></mujoco>";
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  assert_non_null(spec);
  mjModel* m = mj_compile(spec, NULL);
  assert_non_null(m);
  mjData* d = mj_makeData(m);
  for (int b = 1; b < m->nbody; b++) {
    m->body_mass[b] = 0;
    for (int k = 0; k < 3; k++) m->body_inertia[3 * b + k] = 0;
  }
  heard = 0;
  mj_forward(m, d);
  assert_int_equal(heard, 1);
  assert_int_equal(d->warning[mjWARN_INERTIA].number, 1);
  assert_in_range(d->warning[mjWARN_INERTIA].lastinfo, 0, m->nv - 1);
  for (int i = 0; i < m->nv; i++) assert_true(isfinite(d->qacc[i]));
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

int main(void) {
  mju_user_warning = on_warning;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_massless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
