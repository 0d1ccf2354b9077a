// Binary models: saving and loading gives the same model, and damaged files are refused or valid.
#include <unistd.h>

#include "model/fixture.h"

static unsigned char* saved(const mjModel* m, int* size) {
  *size = mj_sizeModel(m);
  unsigned char* file = memory_alloc((size_t)*size);
  mj_saveModel(m, NULL, file, *size);
  return file;
}

static void comes_back(void** state) {
  fixture_listen();
  mjModel* m = fixture_model(12);
  m->opt.gravity[1] = 0.1;
  m->vis.rgba.fog[2] = 0.5f;
  m->stat.extent = 7;
  int size;
  unsigned char* file = saved(m, &size);
  snFault fault = {0};
  mjModel* back = model_read(file, (size_t)size, &fault);
  assert_non_null(back);
  assert_memory_equal(&back->opt, &m->opt, sizeof m->opt);
  assert_memory_equal(&back->vis, &m->vis, sizeof m->vis);
  assert_memory_equal(&back->stat, &m->stat, sizeof m->stat);
  assert_true(back->signature == 0 && back->narena == m->narena);
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = &schema_model[i];
    size_t bytes = schema_bytes(f, m, NULL);
    if (bytes) assert_memory_equal(schema_array(back, f), schema_array(m, f), bytes);
  }
  mj_deleteModel(back);
  // from a buffer in the virtual file system, and from disk
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  assert_int_equal(mj_addBufferVFS(&vfs, "m.mjb", file, size), 0);
  back = mj_loadModel("m.mjb", &vfs);
  assert_non_null(back);
  mj_deleteModel(back);
  mj_deleteVFS(&vfs);
  char path[] = "/tmp/sinew_mjb_XXXXXX";
  close(mkstemp(path));
  mj_saveModel(m, path, NULL, 0);
  back = mj_loadModel(path, NULL);
  assert_non_null(back);
  mj_deleteModel(back);
  unlink(path);
  assert_null(mj_loadModel(path, NULL));
  assert_non_null(strstr(fixture_warning, path));
  assert_int_equal(fixture_errors, 0);
  mj_saveModel(m, NULL, file, 10);
  assert_int_equal(fixture_errors, 1);
  mj_saveModel(m, "/nowhere/m.mjb", NULL, 0);
  assert_non_null(strstr(fixture_warning, "/nowhere/m.mjb"));
  memory_free(file);
  mj_deleteModel(m);
}

static void refuses_truncated_and_foreign_files(void** state) {
  mjModel* m = fixture_model(6);
  int size;
  unsigned char* file = saved(m, &size);
  for (int n = 0; n < size; n += n < 100 ? 1 : 101) {
    unsigned char* part = memory_alloc((size_t)n);
    memcpy(part, file, (size_t)n);
    snFault fault = {0};
    assert_null(model_read(part, (size_t)n, &fault));
    assert_true(fault.raised);
    memory_free(part);
  }
  for (int i = 0; i < 20 + 2 * 4; i++) {  // the header, nq and nv
    file[i] ^= 1;
    snFault fault = {0};
    assert_null(model_read(file, (size_t)size, &fault));
    assert_true(fault.raised);
    file[i] ^= 1;
  }
  memory_free(file);
  mj_deleteModel(m);
}

// Changed bytes: refused, or a model that can be used.
static void survives_hostile_files(void** state) {
  fixture_listen();
  mjModel* m = fixture_model(9);
  int size;
  unsigned char* file = saved(m, &size);
  unsigned char* bad = memory_alloc((size_t)size);
  uint64_t random = 88172645463325252ULL;
  int refused = 0, accepted = 0;
  for (int round = 0; round < 4000; round++) {
    memcpy(bad, file, (size_t)size);
    int changes = 1 + round % 3;
    for (int k = 0; k < changes; k++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      size_t at = random % (uint64_t)size;
      bad[at] = (unsigned char)(random >> 32);
      if (random & 1) bad[at] = 0xff;
    }
    snFault fault = {0};
    mjModel* got = model_read(bad, (size_t)size, &fault);
    assert_true(got || fault.raised);
    got ? accepted++ : refused++;
    mj_deleteModel(got);
  }
  assert_true(refused > 100 && accepted > 100);
  memory_free(bad);
  memory_free(file);
  mj_deleteModel(m);
}

static void names_what_is_wrong(void** state) {
  mjModel* m = fixture_model(9);
  struct {
    int* value;
    int bad;
    const char* says;
  } cases[] = {
      {&m->body_parentid[5], 7, "body_parentid[5]"},
      {&m->geom_bodyid[2], 99, "geom_bodyid[2]"},
      {&m->dof_parentid[3], 3, "dof_parentid[3]"},
      {&m->jnt_qposadr[1], -4, "jnt_qposadr[1]"},
      {&m->body_jntnum[2], 50, "body_jntadr[2]"},
      {&m->eq_obj1id[1], 100, "eq_obj1id[1]"},
      {&m->actuator_trnid[0], -1, "actuator_trnid"},
      {&m->name_bodyadr[0], 5000, "name_bodyadr[0]"},
      {&m->nM, 3, "nM"},
      {&m->geom_dataid[0], 4, "geom_dataid[0]"},
      {&m->jnt_type[0], 17, "jnt_type[0]"},
      {&m->dof_Madr[4], 0, "dof_Madr[4]"},
  };
  snFault fault = {0};
  assert_true(model_validate(m, &fault));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int good = *cases[i].value;
    *cases[i].value = cases[i].bad;
    fault = (snFault){0};
    assert_false(model_validate(m, &fault));
    assert_non_null(strstr(fault.text, cases[i].says));
    *cases[i].value = good;
  }
  mj_deleteModel(m);
}

static void survives_no_memory(void** state) {
  fixture_listen();
  mjModel* m = fixture_model(6);
  int size;
  unsigned char* file = saved(m, &size);
  bool done = false;
  for (int n = 1; !done && n < 100; n++) {
    snFault fault = {0};
    memory_fail_at(n);
    mjModel* back = model_read(file, (size_t)size, &fault);
    memory_fail_at(0);
    assert_true(fault.raised == !back);
    done = back != NULL;
    mj_deleteModel(back);
  }
  assert_true(done);
  memory_free(file);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comes_back),
      cmocka_unit_test(refuses_truncated_and_foreign_files),
      cmocka_unit_test(survives_hostile_files),
      cmocka_unit_test(names_what_is_wrong),
      cmocka_unit_test(survives_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
