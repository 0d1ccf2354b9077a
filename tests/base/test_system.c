// base/system.h: files, numbers in any locale, texts in memory, libraries, child processes.
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// after the headers it needs
#include <cmocka.h>

#include "base/base.h"
#include "base/system.h"

static char folder[64];

static char* inside(const char* name) {
  static char path[4][128];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}

static int make_folder(void** state) {
  strcpy(folder, "/tmp/sinew-system-XXXXXX");
  return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void** state) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static void write_text(const char* path, const char* text) {
  FILE* file = system_create(path);
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void test_files(void** state) {
  write_text(inside("a"), "one\n");
  assert_true(system_readable(inside("a")));
  assert_false(system_readable(inside("b")));
  assert_int_equal(symlink(inside("a"), inside("link")), 0);
  char* resolved = system_resolve(inside("link"));
  assert_non_null(strstr(resolved, "/a"));
  int file = system_open(resolved);
  assert_true(file >= 0);
  assert_true(system_same_file(file, inside("link")));
  write_text(inside("c"), "");
  assert_false(system_same_file(file, inside("c")));
  close(file);
  free(resolved);
  assert_null(system_resolve(inside("b")));
  assert_int_equal(system_open(inside("b")), -1);
  assert_true(system_is_folder(folder));
  assert_false(system_is_folder(inside("a")));
  assert_true(system_make_folder(inside("sub")));
  assert_false(system_make_folder(inside("sub")));
}

static void test_append(void** state) {
  write_text(inside("log"), "one\n");
  FILE* log = system_append(inside("log"));
  assert_non_null(log);
  fputs("two\n", log);
  fclose(log);
  char text[16] = "";
  FILE* file = fopen(inside("log"), "r");
  assert_int_equal(fread(text, 1, sizeof text - 1, file), 8);
  fclose(file);
  assert_string_equal(text, "one\ntwo\n");
  // a link could lead to a file that must not change
  assert_int_equal(symlink(inside("log"), inside("loglink")), 0);
  assert_null(system_append(inside("loglink")));
  assert_int_equal(link(inside("log"), inside("second")), 0);
  assert_null(system_append(inside("log")));
}

static void test_writable(void** state) {
  assert_true(system_writable(inside("new")));
  assert_false(system_readable(inside("new")));
  write_text(inside("old"), "kept");
  assert_true(system_writable(inside("old")));
  char text[8] = "";
  FILE* file = fopen(inside("old"), "r");
  assert_int_equal(fread(text, 1, 7, file), 4);
  fclose(file);
  assert_false(system_writable(folder));
  assert_false(system_writable(inside("none/new")));
}

static void test_numbers(void** state) {
  char* end;
  // a locale with a comma, where the machine has one
  const char* comma = setlocale(LC_ALL, "de_DE.UTF-8");
  assert_true(system_double("1.5x", &end) == 1.5 && *end == 'x');
  assert_true(system_float("-2.25", &end) == -2.25f && !*end);
  snLocale locale = system_plain();
  char text[16];
  snprintf(text, sizeof text, "%g", 0.5);
  system_local(locale);
  assert_string_equal(text, "0.5");
  if (comma) {
    snprintf(text, sizeof text, "%g", 0.5);
    assert_string_equal(text, "0,5");
  }
  setlocale(LC_ALL, "C");
}

static void test_texts(void** state) {
  const char* text = "abcabd";
  assert_ptr_equal(system_seek(text, 6, "abd", 3), text + 3);
  assert_null(system_seek(text, 5, "abd", 3));
  snHeard heard;
  assert_true(system_sink(&heard));
  fprintf(heard.stream, "%d hulls", 3);
  char* said = system_said(&heard);
  assert_string_equal(said, "3 hulls");
  free(said);
  char date[64];
  system_date(date, sizeof date);
  assert_int_equal(strlen(date), 24);
  void* block = system_aligned(64, 128);
  assert_int_equal((uintptr_t)block % 64, 0);
  system_release(block);
}

static void count_name(void* context, const char* name) { *(int*)context += *name == 'l'; }

static void test_processes(void** state) {
  assert_true(system_cores() >= 1);
  char path[4096];
  assert_true(system_program(path, sizeof path));
  assert_non_null(strstr(path, "test_system"));
  assert_false(system_load(inside("none.so")));
  assert_non_null(strstr(system_load_error(), "none.so"));
  int n = 0;
  write_text(inside("later"), "");
  assert_true(system_list(folder, count_name, &n));
  assert_true(n >= 1);
  assert_false(system_list(inside("none"), count_name, &n));
  // what is written arrives; the child's end is told
  char command[160];
  snprintf(command, sizeof command, "cat > %s; exit $(cat %s)", inside("said"), inside("said"));
  for (int code = 0; code < 2; code++) {
    int end;
    long child = system_start((const char* const[]){"sh", "-c", command, NULL}, &end);
    assert_true(child > 0);
    assert_int_equal(write(end, code ? "1" : "0", 1), 1);
    close(end);
    assert_int_equal(system_wait(child), !code);
  }
  int end;
  assert_int_equal(system_start((const char* const[]){"sinew-no-such-program", NULL}, &end), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files),    cmocka_unit_test(test_append),
      cmocka_unit_test(test_writable), cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_texts),    cmocka_unit_test(test_processes),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
