// The n-th allocation fails, for every n: mj_makeData returns NULL or the call warns, nothing
// crashes, and the same data works once there is memory again.
#include "base/base.h"
#include "base/stack_fail.h"
#include "fuzz/everything.h"
#include "scene.h"

static void quiet(const char* text) { (void)text; }

typedef void (*Work)(mjModel* m, mjData* d);

static void step(mjModel* m, mjData* d) {
  for (int i = 0; i < 3; i++) mj_step(m, d);
}

static void inverse(mjModel* m, mjData* d) {
  mj_forward(m, d);
  mj_inverse(m, d);
}

static void derive(mjModel* m, mjData* d) {
  int n = 2 * m->nv + m->na;
  mjtNum* A = malloc(sizeof(mjtNum) * (size_t)n * (size_t)n);
  mjd_transitionFD(m, d, 1e-6, 1, A, NULL, NULL, NULL);
  free(A);
}

static void draw(mjModel* m, mjData* d) {
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  mjv_makeScene(m, &scn, 500);
  if (scn.maxgeom) mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  mjv_freeScene(&scn);
}

static void fails_at_every(Work work, int integrator, int solver, int cone) {
  mjModel* m = everything_model();
  m->opt.integrator = integrator;
  m->opt.solver = solver;
  m->opt.cone = cone;
  long needed = 0;
  for (long n = 0; n <= needed; n++) {
    long before = memory_count();
    memory_fail_at(n);
    mjData* d = mj_makeData(m);
    if (d) work(m, d);
    memory_fail_at(0);
    if (!n) needed = memory_count() - before;
    if (d) {
      mj_resetData(m, d);
      work(m, d);
      for (int i = 0; i < m->nv; i++) assert_true(isfinite(d->qacc[i]));
    }
    mj_deleteData(d);
  }
  assert_true(needed > 3);
  mj_deleteModel(m);
}

static void every_call_survives(void** state) {
  (void)state;
  mju_user_error = mju_user_warning = quiet;
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    fails_at_every(step, integrator, mjSOL_NEWTON, mjCONE_PYRAMIDAL);
  }
  for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
    fails_at_every(step, mjINT_EULER, solver, mjCONE_ELLIPTIC);
  }
  fails_at_every(inverse, mjINT_EULER, mjSOL_NEWTON, mjCONE_PYRAMIDAL);
  fails_at_every(derive, mjINT_IMPLICIT, mjSOL_NEWTON, mjCONE_PYRAMIDAL);
  fails_at_every(draw, mjINT_EULER, mjSOL_NEWTON, mjCONE_PYRAMIDAL);
}

static int errors;
static void count_errors(const char* text) {
  (void)text;
  errors++;
}

// Whichever allocation on the stack fails, it is told, and with memory the same data goes on.
static void fails_on_the_stack(Work work, mjModel* m) {
  mjData* d = mj_makeData(m);
  work(m, d);
  mj_resetData(m, d);
  long before = memory_stack_count();
  work(m, d);
  long needed = memory_stack_count() - before;
  mju_user_error = count_errors;
  for (long n = 1; n <= needed; n += 1 + n / 50) {
    if (getenv("SINEW_SHOW")) fprintf(stderr, "stack %ld of %ld\n", n, needed);
    mj_resetData(m, d);
    errors = 0;
    memory_fail_stack(n);
    work(m, d);
    memory_fail_stack(0);
    assert_true(errors > 0);
    assert_int_equal(d->pstack, 0);
    mj_resetData(m, d);
    mj_forward(m, d);
    for (int i = 0; i < m->nv; i++) assert_true(isfinite(d->qacc[i]));
  }
  mju_user_error = quiet;
  assert_true(needed > 1);
  mj_deleteData(d);
}

static void one_step(mjModel* m, mjData* d) { mj_step(m, d); }

static void derive_inverse(mjModel* m, mjData* d) {
  mjtNum* DfDq = malloc(sizeof(mjtNum) * (size_t)m->nv * (size_t)m->nv);
  mjd_inverseFD(m, d, 1e-6, 1, DfDq, NULL, NULL, NULL, NULL, NULL, NULL);
  free(DfDq);
}

static void constants(mjModel* m, mjData* d) {
  mjModel* copy = mj_copyModel(NULL, m);
  if (copy) mj_setConst(copy, d);
  mj_deleteModel(copy);
}

static void every_frame_survives(void** state) {
  (void)state;
  mju_user_error = mju_user_warning = quiet;
  mjModel* m = everything_model();
  mjData* d = mj_makeData(m);
  long before = memory_stack_count();
  mj_step(m, d);
  mj_deleteData(d);
  if (memory_stack_count() == before) {  // not a checked build
    mj_deleteModel(m);
    skip();
  }
  for (int jacobian = mjJAC_DENSE; jacobian <= mjJAC_SPARSE; jacobian++) {
    m->opt.jacobian = jacobian;
    for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
      m->opt.solver = solver;
      m->opt.cone = solver % 2 ? mjCONE_PYRAMIDAL : mjCONE_ELLIPTIC;
      m->opt.integrator = (solver + jacobian) % 2 ? mjINT_IMPLICIT : mjINT_EULER;
      m->opt.noslip_iterations = solver == mjSOL_NEWTON ? 2 : 0;
      fails_on_the_stack(one_step, m);
    }
    m->opt.integrator = mjINT_IMPLICITFAST;
    fails_on_the_stack(inverse, m);
    m->opt.enableflags |= mjENBL_INVDISCRETE;
    for (int i = mjINT_EULER; i <= mjINT_IMPLICITFAST; i++) {
      m->opt.integrator = i;
      if (i != mjINT_RK4) fails_on_the_stack(inverse, m);
    }
    m->opt.enableflags &= ~mjENBL_INVDISCRETE;
    m->opt.integrator = mjINT_RK4;
    fails_on_the_stack(one_step, m);
    m->opt.integrator = mjINT_EULER;
  }
  mjModel* small = everything_small();
  fails_on_the_stack(derive, small);
  fails_on_the_stack(derive_inverse, small);
  mj_deleteModel(small);
  fails_on_the_stack(draw, m);
  fails_on_the_stack(constants, m);
  mj_deleteModel(m);
}

// An edit of the model that was taken is forgotten, not lost, when its image cannot be kept.
static void changed_model_survives(void** state) {
  (void)state;
  mju_user_error = mju_user_warning = quiet;
  mjModel* m = everything_model();
  mjData* d = mj_makeData(m);
  m->geom_contype[0] = 7;
  memory_fail_at(1);
  mj_step(m, d);
  memory_fail_at(0);
  mj_step(m, d);
  assert_true(d->time > 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_frame_survives),
                                     cmocka_unit_test(every_call_survives),
                                     cmocka_unit_test(changed_model_survives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
