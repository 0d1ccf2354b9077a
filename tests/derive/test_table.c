// Every value of the documented enumerations has an entry in the table of derivatives, and
// docs/derive-table.md shows the table. SINEW_WRITE=1 writes that page.
#include <ctype.h>
#include <stdbool.h>
#include <sinew/derive.h>
#include <sinew/solver.h>

#include "scene.h"

static const char* const kWords[snNHOW] = {"exact", "differenced", "unsupported"};

// part, enumeration in mjmodel.h; those without a number of their own follow the one before
static const char* const kParts[][2] = {
    {"joint", "mjtJoint"},      {"integrator", "mjtIntegrator"}, {"solver", "mjtSolver"},
    {"cone", "mjtCone"},        {"equality", "mjtEq"},           {"wrap", "mjtWrap"},
    {"transmission", "mjtTrn"}, {"dynamics", "mjtDyn"},          {"gain", "mjtGain"},
    {"bias", "mjtBias"},        {"sensor", "mjtSensor"},         {"row", "mjtConstraint"},
};

static char* file_text(const char* path) {
  FILE* f = fopen(path, "rb");
  if (!f) fail_msg("%s is not there", path);
  char* text = calloc(1, 1 << 20);
  assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
  fclose(f);
  return text;
}

static char* page;

static void put(const char* part, const char* name, int how) {
  if (how < 0) fail_msg("%s %s has no entry in src/derive/table.c", part, name);
  assert_true(how < snNHOW);
  size_t used = strlen(page);
  snprintf(page + used, (1 << 20) - used, "| %s | %s | %s |\n", part, name, kWords[how]);
}

// The names between the braces of an enumeration.
static int enumeration(const char* text, const char* part, const char* type) {
  char head[64];
  snprintf(head, sizeof head, "typedef enum %s_ {", type);
  const char* at = strstr(text, head);
  if (!at) return 0;
  at = strchr(at, '{') + 1;
  int value = 0, count = 0;
  while (*at && *at != '}') {
    if (at[0] == '/' && at[1] == '/') {
      while (*at && *at != '\n') at++;
      continue;
    }
    if (!isalpha((unsigned char)*at)) {
      at++;
      continue;
    }
    char name[64];
    int n = 0;
    while (isalnum((unsigned char)*at) || *at == '_') {
      if (n < 63) name[n++] = *at;
      at++;
    }
    name[n] = 0;
    while (isspace((unsigned char)*at)) at++;
    if (*at == '=') value = atoi(at + 1);
    while (*at && *at != ',' && *at != '}' && *at != '/') at++;
    bool limit = !strncmp(name, "mjN", 3);
    // an undefined transmission compiles to no model
    if (!limit && strcmp(name, "mjTRN_UNDEFINED")) {
      put(part, name, sn_deriveHow(part, value));
      count++;
    }
    value++;
  }
  return count;
}

static void every_value_has_an_entry(void** state) {
  char* text = file_text("include/mujoco/mjmodel.h");
  char* data = file_text("include/mujoco/mjdata.h");
  page = calloc(1, 1 << 20);
  strcpy(page,
         "# How every part is differentiated\n\nWritten by tests/derive/test_table.c from "
         "src/derive/table.c. docs/derive.md says what the words mean.\n\n| part | value | "
         "derivative |\n|---|---|---|\n");
  for (size_t i = 0; i < sizeof kParts / sizeof *kParts; i++) {
    int count = enumeration(text, kParts[i][0], kParts[i][1]);
    if (!count) count = enumeration(data, kParts[i][0], kParts[i][1]);
    if (count < 2) fail_msg("enumeration %s was not found", kParts[i][1]);
  }
  for (int i = 0; sn_solverName(i); i++) {
    put("hard solver", sn_solverName(i), sn_deriveHow("hard solver", i));
  }
  put("coordinates", "minimal", sn_deriveHow("coordinates", 0));
  put("coordinates", "maximal", sn_deriveHow("coordinates", 1));
  static const int dims[] = {1, 3, 4, 6};
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", dims[i]);
    put("condim", name, sn_deriveHow("condim", dims[i]));
  }
  static const char* const geom[mjNGEOMTYPES] = {
      "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"};
  for (int a = 0; a < mjNGEOMTYPES; a++) {
    for (int b = a; b < mjNGEOMTYPES; b++) {
      char name[64];
      assert_non_null(geom[b]);
      snprintf(name, sizeof name, "%s, %s", geom[a], geom[b]);
      put("pair", name, sn_derivePair(a, b));
      assert_int_equal(sn_derivePair(a, b), sn_derivePair(b, a));
      // what collides has a derivative
      if (mjCOLLISIONFUNC[a][b]) assert_true(sn_derivePair(a, b) != snHOW_UNSUPPORTED);
    }
  }
  if (getenv("SINEW_WRITE")) {
    FILE* f = fopen("docs/derive-table.md", "w");
    fputs(page, f);
    fclose(f);
  }
  char* shown = file_text("docs/derive-table.md");
  assert_string_equal(shown, page);
  free(shown);
  free(page);
  free(text);
  free(data);
}

static void unknown_parts_have_none(void** state) {
  assert_int_equal(sn_deriveHow("jiont", 0), -1);
  assert_int_equal(sn_deriveHow("joint", 4), -1);
  assert_int_equal(sn_deriveHow("joint", -1), -1);
  assert_int_equal(sn_deriveHow("joint", 1000), -1);
  assert_int_equal(sn_deriveHow("hard solver", 60), -1);
  assert_int_equal(sn_deriveHow("coordinates", 2), -1);
  assert_int_equal(sn_deriveHow(NULL, 0), -1);
  assert_int_equal(sn_derivePair(-1, 3), -1);
  assert_int_equal(sn_derivePair(3, mjNGEOMTYPES), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_has_an_entry),
                                     cmocka_unit_test(unknown_parts_have_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
