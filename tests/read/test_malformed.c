// Every model of malformed.txt is refused, and the message says what is wrong and where.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* read_file(const char* path) {
  FILE* f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  long n = ftell(f);
  rewind(f);
  char* text = malloc(n + 1);
  assert_int_equal(fread(text, 1, n, f), n);
  text[n] = 0;
  fclose(f);
  return text;
}

// NULL when the text is accepted, else the message.
static const char* refusal(const char* xml) {
  static char error[2048];
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) return error;
  mjModel* m = mj_compile(spec, NULL);
  snprintf(error, sizeof(error), "%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  if (!m) return error;
  mj_deleteModel(m);
  return NULL;
}

static int check(char* expected, char* xml) {
  const char* message = refusal(xml);
  if (!message) {
    print_message("accepted, though it should not be:\n%s\n", xml);
    return 1;
  }
  for (char* part = expected; part;) {
    char* next = strstr(part, " | ");
    if (next) *next = 0;
    if (!strstr(message, part)) {
      print_message("message '%s'\n  lacks '%s' for\n%s\n", message, part, xml);
      return 1;
    }
    part = next ? next + 3 : NULL;
  }
  return 0;
}

static void malformed(void** state) {
  char* text = read_file("tests/read/malformed.txt");
  if (!text) text = read_file("malformed.txt");
  assert_non_null(text);
  int cases = 0, wrong = 0;
  for (char *at = strstr(text, "\n== "), *next; at; at = next) {
    char* line = strchr(at + 1, '\n');
    assert_non_null(line);
    next = strstr(line, "\n== ");
    char* expected = strndup(at + 4, line - at - 4);
    char* xml = next == line ? strdup("")
                : next       ? strndup(line + 1, next - line - 1)
                             : strdup(line + 1);
    wrong += check(expected, xml);
    cases++;
    free(expected);
    free(xml);
  }
  free(text);
  assert_true(cases >= 150);
  assert_int_equal(wrong, 0);
}

// The place is that of the attribute, not of the element.
static void places(void** state) {
  const char* message = refusal(
      "<mujoco>\n  <worldbody>\n    <geom size=\"1\"\n      rgba=\"1 0\"/>\n  "
      "</worldbody>\n</mujoco>");
  assert_non_null(message);
  assert_non_null(strstr(
      message, ":4:7: element 'geom', attribute 'rgba': found 2 values, expected 4 numbers"));
  message = refusal("<mujoco>\n  <worldbody>\n <geo/>\n  </worldbody>\n</mujoco>");
  assert_non_null(strstr(message,
                         ":3:2: element 'geo': Schema violation: unrecognized element inside "
                         "'worldbody'; did you mean 'geom'?"));
}

static void limits(void** state) {
  // deeper than any model
  enum { kDepth = 600 };
  char* xml = malloc(64 + kDepth * 20);
  strcpy(xml, "<mujoco><worldbody>");
  for (int i = 0; i < kDepth; i++) strcat(xml, "<body>");
  for (int i = 0; i < kDepth; i++) strcat(xml, "</body>");
  strcat(xml, "</worldbody></mujoco>");
  const char* message = refusal(xml);
  assert_non_null(message);
  assert_non_null(strstr(message, "nested deeper"));
  free(xml);
  // entities that grow are refused with the declaration they need
  message = refusal(
      "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>"
      "<mujoco model=\"&b;\"/>");
  assert_non_null(message);
  assert_non_null(strstr(message, "DOCTYPE"));
  message = refusal("<!DOCTYPE mujoco><mujoco/>");
  assert_non_null(strstr(message, "DOCTYPE"));
}

// What models in the wild do and strict XML forbids.
static void lenient(void** state) {
  assert_null(refusal("<mujoco><!-- a -- b --><worldbody/></mujoco>"));
  assert_null(refusal("\n<?xml version=\"1.0\" encoding=\"utf8\"?>\n<mujoco/>"));
  assert_null(refusal("<mujoco model=\"bread & butter\"/>"));
  assert_null(refusal("\xef\xbb\xbf<mujoco/>"));
  assert_null(refusal("<mujoco>text is not used</mujoco>"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(malformed), cmocka_unit_test(places),
                                     cmocka_unit_test(limits), cmocka_unit_test(lenient)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
