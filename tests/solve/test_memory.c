// Every stack allocation of a solver fails once: the solver reports it once, the motion is the
// unconstrained one, and the next call gives the usual result.
#include "scene.h"
#include "data/data.h"

static const char kScene[] =
    "<mujoco><option solver='%s' cone='%s' jacobian='%s'/>"
    "<worldbody><geom type='plane' size='5 5 1'/>"
    "  <body pos='0 0 .09'><freejoint/><geom type='box' size='.2 .3 .1'/>"
    "    <body pos='.3 0 0'><joint name='a' axis='0 1 0' frictionloss='.4'/>"
    "      <geom type='capsule' size='.05' fromto='0 0 0 .4 0 -.1'/></body></body>"
    "  <body pos='1 1 .09'>%s<geom size='.1'/></body>"
    "</worldbody></mujoco>";

static int errors;
static void listen(const char* message) { errors++; }

// Leave `room` bytes and let the next block of memory fail.
static void narrow(mjData* d, size_t room) {
  const snStack* s = &((snData*)d)->stack;
  mj_markStack(d);
  size_t left = s->top - s->limit;
  assert_true(left > room + 4096);
  mj_stackAllocByte(d, left - room - 1024, 8);
  assert_true(s->top - s->limit <= room + 1024);
  memory_fail_at(1);
}

// Ready for mj_fwdConstraint, with no block of memory to spare.
static mjData* ready(const mjModel* m) {
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mj_fwdAcceleration(m, d);
  mju_zero(d->qacc_warmstart, m->nv);
  return d;
}

static void check(const char* solver, const char* cone, const char* jacobian, const char* joint) {
  char xml[2000];
  snprintf(xml, sizeof xml, kScene, solver, cone, jacobian, joint);
  mjModel* m = scene_model(xml);
  mjData* d = ready(m);
  mjtNum qacc[32];
  assert_true(m->nv <= 32 && d->nefc > 8);
  mj_fwdConstraint(m, d);
  mju_copy(qacc, d->qacc, m->nv);
  mj_deleteData(d);
  int failed = 0;
  bool done = false;
  for (size_t room = 0; !done && room < 1 << 20; room += 256) {
    d = ready(m);
    errors = 0;
    narrow(d, room);
    mj_fwdConstraint(m, d);
    memory_fail_at(0);
    mj_freeStack(d);
    done = errors == 0;
    size_t size = sizeof(mjtNum) * (size_t)m->nv;
    if (!done) assert_int_equal(errors, 1);
    if (!done && memcmp(qacc, d->qacc, size)) {
      failed++;
      for (int i = 0; i < m->nv; i++) assert_true(d->qacc[i] == d->qacc_smooth[i]);
      for (int i = 0; i < m->nv; i++) assert_true(d->qfrc_constraint[i] == 0);
      for (int i = 0; i < d->nefc; i++) assert_true(d->efc_force[i] == 0);
    }
    mju_zero(d->qacc_warmstart, m->nv);
    mj_fwdConstraint(m, d);
    assert_memory_equal(qacc, d->qacc, size);
    mj_deleteData(d);
  }
  assert_true(done);
  assert_true(failed > 3);
  mj_deleteModel(m);
}

static void unconstrained_without_memory(void** state) {
  static const char* const solver[] = {"Newton", "CG"};
  static const char* const cone[] = {"pyramidal", "elliptic"};
  static const char* const jacobian[] = {"dense", "sparse"};
  static const char* const joint[] = {"", "<freejoint/>"};
  mju_user_error = listen;
  for (int i = 0; i < 16; i++) {
    check(solver[i & 1], cone[i >> 1 & 1], jacobian[i >> 2 & 1], joint[i >> 3 & 1]);
  }
  mju_user_error = NULL;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(unconstrained_without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
