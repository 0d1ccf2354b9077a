// mjData: made, reset, copied; arena and stack grow and keep their contents.
#include "data/data.h"
#include "model/fixture.h"

static void starts_from_the_model(void** state) {
  mjModel* m = fixture_model(10);
  mjData* d = mj_makeData(m);
  assert_memory_equal(d->qpos, m->qpos0, (size_t)m->nq * sizeof(mjtNum));
  assert_true(d->mocap_pos[0] == 1 && d->mocap_quat[0] == 1);
  assert_int_equal(d->eq_active[0], 1);
  assert_int_equal(d->eq_active[1], 0);
  assert_int_equal(d->M_rowadr[m->nv - 1] + d->M_rownnz[m->nv - 1], m->nC);
  assert_int_equal(d->D_rowadr[m->nv - 1] + d->D_rownnz[m->nv - 1], m->nD);
  assert_int_equal(d->B_rowadr[m->nbody - 1] + d->B_rownnz[m->nbody - 1], m->nB);
  d->qvel[0] = d->xpos[4] = d->time = 3;
  d->solver_niter[1] = 2;
  d->solver[mjNSOLVER + 1].improvement = d->solver[mjNSOLVER + 2].gradient = 1;
  d->warning[2].number = 1;
  mj_markStack(d);
  mj_stackAllocNum(d, 10);
  mj_resetData(m, d);
  assert_true(d->qvel[0] == 0 && d->xpos[4] == 0 && d->time == 0);
  assert_true(d->solver[mjNSOLVER + 1].improvement == 0);
  assert_true(d->solver[mjNSOLVER + 2].gradient == 0);
  assert_int_equal(d->warning[2].number, 0);
  assert_int_equal(d->pstack, 0);
  assert_int_equal(d->pbase, 0);
  // also what was taken without a frame is given back
  mjtNum* first = mj_stackAllocNum(d, 4);
  mj_resetData(m, d);
  assert_ptr_equal(mj_stackAllocNum(d, 4), first);
  mj_resetDataKeyframe(m, d, 1);
  assert_true(d->qpos[2] == 3 && d->time == 2);
  mj_resetDataDebug(m, d, 0xff);
  assert_true(d->qpos[3] == 1 && d->xpos[0] != d->xpos[0]);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// The pointers into the arena stand side by side, so that they are cleared at one go.
static void arena_pointers_are_together(void** state) {
  for (int i = schema_data_buffer + 1; i < schema_data_count; i++) {
    assert_int_equal(schema_data[i].offset, schema_data[i - 1].offset + (int)sizeof(void*));
  }
}

// What lives on the stack stays where it is and keeps its contents, whatever grows.
static void stack_goes_on(void** state) {
  mjModel* m = fixture_model(10);
  m->narena = 4096;
  mjData* d = mj_makeData(m);
  mj_markStack(d);
  enum { N = 400 };
  unsigned char* block[N];
  size_t bytes[N];
  for (int i = 0; i < N; i++) {
    bytes[i] = (size_t)(1 + (i * 37) % 3000);
    if (i % 10 == 0) mj_markStack(d);
    block[i] = mj_stackAllocByte(d, bytes[i], (size_t)1 << i % 7);
    assert_int_equal((uintptr_t)block[i] % ((size_t)1 << i % 7), 0);
    memset(block[i], i, bytes[i]);
    if (i % 50 == 7) {
      char* room = data_arena_alloc(d, 5000, 64);
      memset(room, i, 5000);
    }
  }
  for (int i = 0; i < N; i++) {
    for (size_t k = 0; k < bytes[i]; k++) assert_int_equal(block[i][k], (unsigned char)i);
  }
  assert_true(d->maxuse_stack >= d->pstack && d->maxuse_arena >= d->pstack + d->parena);
  for (int i = 0; i < N / 10; i++) mj_freeStack(d);
  assert_true(d->pstack > 0);
  mj_freeStack(d);
  assert_int_equal(d->pstack, 0);
  // once sizes have settled nothing is allocated
  for (int round = 0; round < 4; round++) {
    data_arena_clear(d);
    long before = memory_count();
    mj_markStack(d);
    mj_stackAllocByte(d, 300000, 8);
    data_arena_alloc(d, 30000, 64);
    mj_stackAllocByte(d, 300000, 8);
    mj_freeStack(d);
    if (round > 1) assert_int_equal(memory_count(), before);
  }
  mj_freeStack(d);
  assert_null(mj_stackAllocNum(d, 0));
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Scratch lies beyond what is on the stack, counts as used, and is there whatever its size.
static void scratch_leaves_the_stack_alone(void** state) {
  mjModel* m = fixture_model(10);
  m->narena = 4096;
  mjData* d = mj_makeData(m);
  for (size_t count = 1; count < 100000; count *= 7) {
    mj_markStack(d);
    int* held = mj_stackAllocInt(d, 30);
    for (int i = 0; i < 30; i++) held[i] = i;
    for (int round = 0; round < 3; round++) {
      size_t before = d->pstack;
      mjtNum* scratch = data_scratch(d, count);
      assert_non_null(scratch);
      assert_int_equal((uintptr_t)scratch % 32, 0);
      for (size_t i = 0; i < count; i++) scratch[i] = -1;
      assert_int_equal(d->pstack, before);
      assert_true(d->maxuse_stack >= before + count * sizeof(mjtNum));
    }
    for (int i = 0; i < 30; i++) assert_int_equal(held[i], i);
    mj_freeStack(d);
    assert_int_equal(d->pstack, 0);
    data_arena_clear(d);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void arena_moves_with_its_pointers(void** state) {
  mjModel* m = fixture_model(10);
  m->narena = 2048;
  mjData* d = mj_makeData(m);
  mj_markStack(d);
  int* kept = mj_stackAllocInt(d, 50);
  kept[49] = 49;
  d->contact = data_arena_alloc(d, 3 * sizeof(mjContact), 8);
  d->ncon = 3;
  for (int i = 0; i < 3; i++) d->contact[i].dist = i;
  char* old = d->arena;
  d->efc_force = data_arena_alloc(d, 100000 * sizeof(mjtNum), 64);
  assert_ptr_not_equal(d->arena, old);
  assert_true(d->contact[2].dist == 2);
  assert_true((char*)d->contact >= (char*)d->arena &&
              (char*)d->contact < (char*)d->arena + d->narena);
  int* second = mj_stackAllocInt(d, 5000);
  second[0] = second[4999] = 1;
  assert_int_equal(kept[49], 49);
  mj_freeStack(d);
  data_arena_keep_contacts(d);
  assert_null(d->efc_force);
  assert_int_equal(d->ncon, 3);
  assert_true(d->contact[1].dist == 1);
  data_arena_clear(d);
  assert_ptr_equal(d->contact, d->arena);  // where the next contact will be
  assert_int_equal(d->parena, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void copies(void** state) {
  fixture_listen();
  mjModel *m = fixture_model(10), *other = fixture_model(11);
  mjData* d = mj_makeData(m);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = i;
  d->contact = data_arena_alloc(d, sizeof(mjContact), 8);
  d->ncon = 1;
  d->contact->dist = 0.25;
  d->time = 2;
  mjData* copy = mj_copyData(NULL, m, d);
  assert_true(copy->qvel[3] == 3 && copy->time == 2 && copy->contact->dist == 0.25);
  assert_ptr_not_equal(copy->contact, d->contact);
  d->qvel[3] = 5;
  assert_ptr_equal(mj_copyData(copy, m, d), copy);
  assert_true(copy->qvel[3] == 5);
  mj_markStack(d);
  assert_null(mj_copyData(copy, m, d));
  assert_non_null(strstr(fixture_error, "stack"));
  mj_freeStack(d);
  mjData* wrong = mj_makeData(other);
  assert_null(mj_copyData(wrong, m, d));
  mj_deleteData(wrong);
  mj_deleteData(copy);
  mj_deleteData(d);
  mj_deleteModel(other);
  mj_deleteModel(m);
}

static void survives_no_memory(void** state) {
  fixture_listen();
  mjModel* m = fixture_model(8);
  mjData* source = mj_makeData(m);
  bool done = false;
  for (int n = 1; !done && n < 100; n++) {
    fixture_errors = 0;
    fixture_warning[0] = 0;
    memory_fail_at(n);
    mjData* d = mj_makeData(m);
    mjData* copy = d ? mj_copyData(NULL, m, source) : NULL;
    memory_fail_at(0);
    done = d && copy;
    // data that cannot be made is a warning, a copy an error
    if (d) assert_int_equal(fixture_errors, done ? 0 : 1);
    if (!d) assert_non_null(strstr(fixture_warning, "mj_makeData: no memory"));
    mj_deleteData(d);
    mj_deleteData(copy);
  }
  assert_true(done);
  // growth: NULL comes back and what was there stays
  done = false;
  for (int n = 1; !done && n < 100; n++) {
    mjData* d = mj_makeData(m);
    mj_markStack(d);
    int* kept = mj_stackAllocInt(d, 3);
    kept[2] = 2;
    memory_fail_at(n);
    void* stack = mj_stackAllocByte(d, (size_t)1 << 20, 8);
    void* arena = data_arena_alloc(d, (size_t)1 << 20, 8);
    memory_fail_at(0);
    assert_int_equal(kept[2], 2);
    done = stack && arena;
    mj_freeStack(d);
    mj_resetData(m, d);
    mj_deleteData(d);
  }
  assert_true(done);
  mj_deleteData(source);
  mj_deleteModel(m);
}

// Each worker of a bound pool has its own stack; outside of the pool the data's own is used.
static void workers_have_their_own_stacks(void** state) {
  fixture_listen();
  mjModel* m = fixture_model(5);
  mjData* d = mj_makeData(m);
  mjThreadPool pool = {.nworker = 2};
  mju_bindThreadPool(d, &pool);
  mju_bindThreadPool(d, &pool);
  assert_non_null(strstr(fixture_error, "already"));
  int* block[3];
  for (thread_worker = 0; thread_worker < 3; thread_worker++) {
    mj_markStack(d);
    block[thread_worker] = mj_stackAllocInt(d, 1000);
    for (int k = 0; k < 1000; k++) block[thread_worker][k] = thread_worker;
  }
  assert_true(d->pstack < 2 * 4096);
  for (thread_worker = 0; thread_worker < 3; thread_worker++) {
    for (int k = 0; k < 1000; k++) assert_int_equal(block[thread_worker][k], thread_worker);
    mj_freeStack(d);
    assert_int_equal(d->pstack, 0);
  }
  assert_true(d->maxuse_threadstack[0] >= 4000 && d->maxuse_threadstack[1] >= 4000);
  thread_worker = 0;
  mj_deleteData(d);
  for (int n = 1; n < 8; n++) {
    d = mj_makeData(m);
    fixture_errors = 0;
    memory_fail_at(n);
    mju_bindThreadPool(d, &pool);
    memory_fail_at(0);
    assert_int_equal(fixture_errors, d->threadpool ? 0 : 1);
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}

// A pool belongs to the data it was given to: copies neither take it along nor take it away.
static void copies_leave_the_pool(void** state) {
  mjModel* m = fixture_model(6);
  mjData *bound = mj_makeData(m), *plain = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(2);
  mju_bindThreadPool(bound, pool);
  mjData* copy = mj_copyData(NULL, m, bound);
  assert_true(copy && !copy->threadpool);
  mj_copyData(bound, m, plain);
  assert_true(bound->threadpool == (uintptr_t)pool);
  mj_deleteData(copy);
  mj_deleteData(plain);
  mj_deleteData(bound);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_from_the_model),
      cmocka_unit_test(arena_pointers_are_together),
      cmocka_unit_test(stack_goes_on),
      cmocka_unit_test(scratch_leaves_the_stack_alone),
      cmocka_unit_test(arena_moves_with_its_pointers),
      cmocka_unit_test(copies),
      cmocka_unit_test(survives_no_memory),
      cmocka_unit_test(workers_have_their_own_stacks),
      cmocka_unit_test(copies_leave_the_pool),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
