// mj_warning: counted every time, reported the first time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/data.h"

static int heard;
static char last[1024];
static void on_warning(const char* text) {
  heard++;
  snprintf(last, sizeof last, "%s", text);
}
static void on_error(const char* text) { snprintf(last, sizeof last, "%s", text); }

static void test_counted_and_said_once(void** state) {
  static mjData d;  // mj_warning touches the public part alone
  d.time = 0.25;
  heard = 0;
  for (int i = 0; i < 3; i++) mj_warning(&d, mjWARN_BADQACC, 7 + i);
  assert_int_equal(d.warning[mjWARN_BADQACC].number, 3);
  assert_int_equal(d.warning[mjWARN_BADQACC].lastinfo, 9);
  assert_int_equal(heard, 1);
  assert_non_null(strstr(last, "QACC"));
  assert_non_null(strstr(last, "7"));
  assert_non_null(strstr(last, "Time = 0.2500"));
  mj_warning(&d, mjWARN_INERTIA, 1);
  assert_int_equal(heard, 2);
}

static void test_unknown(void** state) {
  static mjData d;
  heard = 0;
  mj_warning(&d, mjNWARNING, 0);
  assert_int_equal(heard, 0);
  assert_non_null(strstr(last, "mj_warning"));
}

int main(void) {
  mju_user_warning = on_warning;
  mju_user_error = on_error;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counted_and_said_once),
      cmocka_unit_test(test_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
