// The virtual file system, and the lookup of files that a model names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/model.h"
#include "model/resource.h"

static void joins_paths(void** state) {
  static const char* const cases[][3] = {
      {NULL, "a.xml", "a.xml"},          {"", "./a.xml", "a.xml"},
      {"d", "a.xml", "d/a.xml"},         {"d/", "a.xml", "d/a.xml"},
      {"d", "/a.xml", "/a.xml"},         {"d/e", "../a.xml", "d/a.xml"},
      {"..", "../a.xml", "../../a.xml"}, {"/d", "../../a.xml", "/a.xml"},
      {"d//e", "a.xml", "d/e/a.xml"},    {"d", "p:b", "p:b"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char* path = resource_join(cases[i][0], cases[i][1]);
    assert_string_equal(path, cases[i][2]);
    memory_free(path);
  }
}

static void names_paths_from_folders(void** state) {
  // folder, path, name from there (NULL: none but the full path)
  static const char* const cases[][3] = {
      {"a/c", "a/b/file", "../b/file"},
      {"a", "a/file", "file"},
      {"", "b/file", "b/file"},
      {".", "b/file", "b/file"},
      {"a", "file", "../file"},
      {"a/b/c", "file", "../../../file"},
      {"/x/y", "/x/z/f", "../z/f"},
      {"/x/y", "/x/y/f", "f"},
      {"/x/y/", "/x/y/f", "f"},
      {"/x/y", "/x/yz/f", "../yz/f"},
      {"/x", "/z/f", NULL},
      {"/", "/f", NULL},
      {"../a", "b/f", NULL},
      {"a", "../b/f", "../../b/f"},
      {"../a", "../a/f", "f"},
      {"../a", "../b/f", "../b/f"},
      {"/x", "f", NULL},
      {"x", "/f", NULL},
      {"/x/./y/../z", "/x/z/w/f", "w/f"},
      {"p:x", "p:x/f", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char* name = resource_relative(cases[i][0], cases[i][1]);
    if (cases[i][2] ? !name || strcmp(name, cases[i][2]) : name != NULL) {
      fail_msg("'%s' from '%s' is '%s'", cases[i][1], cases[i][0], name ? name : "(none)");
    }
    memory_free(name);
  }
}

static void keeps_buffers(void** state) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  assert_int_equal(mj_addBufferVFS(&vfs, "d/x.xml", "abc", 3), 0);
  assert_int_equal(mj_addBufferVFS(&vfs, "d/./x.xml", "abc", 3), 2);
  assert_int_equal(mj_addBufferVFS(&vfs, "D/X.xml", "ABC", 3), 0);
  assert_int_equal(mj_addBufferVFS(&vfs, "empty", NULL, 0), 0);
  assert_int_equal(mj_addBufferVFS(&vfs, "bad", NULL, 1), -1);
  assert_int_equal(mj_addBufferVFS(&vfs, "bad", "x", -1), -1);
  snResource r;
  snFault fault = {0};
  assert_true(resource_open(&r, &vfs, NULL, "e/../d/x.xml", 10, &fault));
  assert_int_equal(r.bytes, 3);
  assert_memory_equal(r.data, "abc", 4);
  assert_string_equal(r.path, "d/x.xml");
  resource_close(&r);
  assert_false(resource_open(&r, &vfs, NULL, "d/x.xml", 2, &fault));
  assert_non_null(strstr(fault.text, "3 bytes"));
  assert_true(resource_open(&r, &vfs, NULL, "empty", 10, &fault));
  assert_int_equal(r.bytes, 0);
  resource_close(&r);
  assert_int_equal(mj_deleteFileVFS(&vfs, "d/x.xml"), 0);
  assert_int_equal(mj_deleteFileVFS(&vfs, "d/x.xml"), -1);
  mj_deleteVFS(&vfs);
}

// The model's folder is tried last but one, the bare name last.
static void finds_files_by_name(void** state) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "part.xml", "1", 1);
  mj_addBufferVFS(&vfs, "dir/part.xml", "2", 1);
  mj_addBufferVFS(&vfs, "dir/other.xml", "3", 1);
  static const char* const cases[][3] = {
      {"dir", "part.xml", "1"}, {"dir", "other.xml", "3"},   {"x", "PART.XML", "1"},
      {"x", "y/part.xml", "1"}, {NULL, "dir/part.xml", "2"}, {"dir", "../part.xml", "1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snResource r;
    snFault fault = {0};
    assert_true(resource_open(&r, &vfs, cases[i][0], cases[i][1], 10, &fault));
    assert_string_equal(r.data, cases[i][2]);
    resource_close(&r);
  }
  mj_deleteVFS(&vfs);
}

static void reads_disk(void** state) {
  char dir[] = "/tmp/sinew_vfs_XXXXXX", path[64];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/File.xml", dir);
  FILE* file = fopen(path, "w");
  fputs("hello", file);
  fclose(file);
  snResource r;
  snFault fault = {0};
  assert_true(resource_open(&r, NULL, dir, "File.xml", 100, &fault));
  assert_string_equal(r.data, "hello");
  resource_close(&r);
  assert_false(resource_open(&r, NULL, dir, "none.xml", 100, &fault));
  assert_non_null(strstr(fault.text, "none.xml"));
  fault = (snFault){0};
  assert_false(resource_open(&r, NULL, NULL, dir, 100, &fault));
  assert_non_null(strstr(fault.text, "regular"));
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  assert_int_equal(mj_addFileVFS(&vfs, dir, "File.xml"), 0);
  assert_int_equal(mj_addFileVFS(&vfs, dir, "file.xml"), 2);
  assert_int_equal(mj_addFileVFS(&vfs, dir, "none.xml"), -1);
  unlink(path);
  assert_true(resource_open(&r, &vfs, "/anywhere", "File.xml", 100, &fault));
  resource_close(&r);
  mj_deleteVFS(&vfs);
  rmdir(dir);
}

static void survives_no_memory(void** state) {
  for (int n = 1; n < 40; n++) {
    mjVFS vfs = {0};
    memory_fail_at(n);
    mj_defaultVFS(&vfs);
    int added = mj_addBufferVFS(&vfs, "d/a", "text", 4);
    snResource r;
    snFault fault = {0};
    if (resource_open(&r, &vfs, "d", "a", 10, &fault)) {
      assert_int_equal(added, 0);
      resource_close(&r);
    }
    memory_fail_at(0);
    mj_deleteVFS(&vfs);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joins_paths),   cmocka_unit_test(names_paths_from_folders),
      cmocka_unit_test(keeps_buffers), cmocka_unit_test(finds_files_by_name),
      cmocka_unit_test(reads_disk),    cmocka_unit_test(survives_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
