// mjModel: allocated, looked up by name, copied; every allocation fails once.
#include "model/fixture.h"

static void has_names(void** state) {
  mjModel* m = fixture_model(20);
  for (int b = 0; b < m->nbody; b++) {
    const char* name = mj_id2name(m, mjOBJ_BODY, b);
    assert_non_null(name);
    assert_int_equal(mj_name2id(m, mjOBJ_BODY, name), b);
    assert_int_equal(mj_name2id(m, mjOBJ_XBODY, name), b);
  }
  assert_int_equal(mj_name2id(m, mjOBJ_BODY, "body99"), -1);
  assert_int_equal(mj_name2id(m, mjOBJ_GEOM, "body3"), -1);
  assert_int_equal(mj_name2id(m, 99, "body3"), -1);
  assert_null(mj_id2name(m, mjOBJ_GEOM, 0));
  assert_null(mj_id2name(m, mjOBJ_BODY, -1));
  assert_null(mj_id2name(m, mjOBJ_BODY, m->nbody));
  mj_deleteModel(m);
}

static void assert_same_model(const mjModel* a, const mjModel* b) {
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = &schema_model[i];
    size_t bytes = schema_bytes(f, a, NULL);
    assert_int_equal(bytes, schema_bytes(f, b, NULL));
    if (bytes) assert_memory_equal(schema_array(a, f), schema_array(b, f), bytes);
  }
  assert_memory_equal(&a->opt, &b->opt, sizeof a->opt);
  assert_memory_equal(&a->stat, &b->stat, sizeof a->stat);
}

static void copies(void** state) {
  fixture_listen();
  mjModel *m = fixture_model(12), *other = fixture_model(13);
  m->opt.timestep = 0.5;
  m->signature = 7;
  mjModel* copy = mj_copyModel(NULL, m);
  assert_same_model(copy, m);
  assert_int_equal(copy->signature, 7);
  m->body_mass[3] = 5;
  assert_ptr_equal(mj_copyModel(copy, m), copy);
  assert_same_model(copy, m);
  assert_null(mj_copyModel(other, m));
  assert_non_null(strstr(fixture_error, "sizes"));
  assert_null(mj_copyModel(NULL, NULL));
  mj_deleteModel(copy);
  mj_deleteModel(other);
  mj_deleteModel(m);
  mj_deleteModel(NULL);
}

static void refuses_bad_sizes(void** state) {
  snFault fault = {0};
  mjModel sizes = {.nbody = -1};
  assert_null(model_alloc(&sizes, &fault));
  assert_non_null(strstr(fault.text, "nbody"));
  fault = (snFault){0};
  sizes = (mjModel){.nkey = INT32_MAX, .nq = INT32_MAX, .nmocap = INT32_MAX};
  assert_null(model_alloc(&sizes, &fault));
  assert_true(fault.raised);
}

// The n-th allocation fails, for every n: an error comes back and nothing is lost (the leak check
// is the sanitizer's).
static void survives_no_memory(void** state) {
  fixture_listen();
  mjModel* m = fixture_model(8);
  bool done = false;
  for (int n = 1; !done && n < 100; n++) {
    fixture_errors = 0;
    memory_fail_at(n);
    mjModel* copy = mj_copyModel(NULL, m);
    memory_fail_at(0);
    assert_int_equal(fixture_errors, copy ? 0 : 1);
    done = copy != NULL;
    mj_deleteModel(copy);
  }
  assert_true(done);
  // into a destination: it stays whole enough to be copied to again
  mjModel* copy = mj_copyModel(NULL, m);
  done = false;
  for (int n = 1; !done && n < 100; n++) {
    memory_fail_at(n);
    done = mj_copyModel(copy, m) != NULL;
    memory_fail_at(0);
  }
  assert_true(done);
  assert_same_model(copy, m);
  mj_deleteModel(copy);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_names),
      cmocka_unit_test(copies),
      cmocka_unit_test(refuses_bad_sizes),
      cmocka_unit_test(survives_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
