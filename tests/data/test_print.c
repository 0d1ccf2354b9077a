// Text dumps: numbers read back, invalid formats are replaced, files that cannot be written are
// reported.
#include <stdlib.h>
#include <unistd.h>

#include "data/data.h"
#include "model/fixture.h"

static char* contents(const char* path) {
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  static char text[1 << 20];
  size_t bytes = fread(text, 1, sizeof text - 1, file);
  text[bytes] = 0;
  fclose(file);
  return text;
}

static void prints(void** state) {
  fixture_listen();
  char path[] = "/tmp/sinew_print_XXXXXX";
  close(mkstemp(path));
  mjModel* m = fixture_model(7);
  m->body_mass[3] = 1234.5678901234567;
  mj_printFormattedModel(m, path, "%.17g");
  char* text = contents(path);
  assert_non_null(strstr(text, "BODY 3:\n  name                  body3"));
  assert_non_null(strstr(text, "1234.5678901234567"));
  assert_non_null(strstr(text, "\n  nbody               7\n"));
  mjData* d = mj_makeData(m);
  d->qvel[2] = 0.125;
  d->contact = data_arena_alloc(d, sizeof(mjContact), 8);
  memset(d->contact, 0, sizeof(mjContact));
  d->ncon = 1;
  d->contact->dist = 0.75;
  d->contact->efc_address = -1;
  mj_printFormattedData(m, d, path, "%.17g");
  text = contents(path);
  assert_non_null(strstr(text, "QVEL\n  0\n  0\n  0.125\n  0\n"));
  assert_non_null(strstr(text, "CONTACT\n  0:\n     dim           0\n"));
  assert_non_null(strstr(text, "\n     dist          0.75\n"));
  mj_printModel(m, path);
  mj_printData(m, d, path);
  assert_string_equal(fixture_warning, "");
  static const char* const bad[] = {"%s", "%d", "%g %g", "none", "%", "%*g", "%lf", "%n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    fixture_warning[0] = 0;
    mj_printFormattedModel(m, path, bad[i]);
    assert_non_null(strstr(fixture_warning, bad[i]));
    assert_non_null(strstr(contents(path), "\nBODY 6:\n"));
  }
  mj_printData(m, d, "/nowhere/data.txt");
  assert_non_null(strstr(fixture_warning, "/nowhere/data.txt"));
  mj_deleteData(d);
  mj_deleteModel(m);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(prints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
