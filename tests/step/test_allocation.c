// A motion repeated after a reset allocates nothing, because sizes have settled, and gives the same
// bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <stdio.h>

#include "data/data.h"

static const char model[] =
    "<mujoco><option integrator='%s' solver='%s' cone='%s'/><worldbody>"
    "<geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/>"
    " <body pos='.2 0 0'><joint name='j' range='-30 30' limited='true'/>"
    "  <geom type='capsule' size='.05 .1'/></body></body>"
    "<body pos='.1 0 .8'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body pos='0 .1 1.3'><freejoint/><geom type='ellipsoid' size='.1 .15 .1'/></body>"
    "<body pos='0 0 1.8'><freejoint/><geom size='.1'/></body>"
    "</worldbody><actuator><motor joint='j'/></actuator></mujoco>";

static void check(const char* integrator, const char* solver, const char* cone) {
  char text[2048], error[500] = "";
  int size = snprintf(text, sizeof text, model, integrator, solver, cone);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "m.xml", text, size);
  mjModel* m = mj_loadXML("m.xml", &vfs, error, sizeof error);
  if (!m) fail_msg("%s", error);
  m->narena = 1 << 10;  // far too small: it grows on the way
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 500; i++) mj_step(m, d);
  assert_true(d->ncon > 0);
  mjtNum qpos[64];
  assert_true(m->nq <= 64);
  memcpy(qpos, d->qpos, (size_t)m->nq * sizeof(mjtNum));
  mj_resetData(m, d);
  long before = memory_count();
  for (int i = 0; i < 500; i++) mj_step(m, d);
  assert_int_equal(memory_count(), before);
  assert_memory_equal(qpos, d->qpos, (size_t)m->nq * sizeof(mjtNum));
  for (int i = 0; i < mjNWARNING; i++) assert_int_equal(d->warning[i].number, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteVFS(&vfs);
}

static void steps_allocate_nothing(void** state) {
  check("Euler", "Newton", "pyramidal");
  check("implicitfast", "Newton", "elliptic");
  check("RK4", "CG", "elliptic");
  check("implicit", "PGS", "pyramidal");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_allocate_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
