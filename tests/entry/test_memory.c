// The n-th allocation fails, for every n: mj_makeData returns NULL or the call warns, nothing
// crashes, and the same data works once there is memory again.
#include <sinew/derive.h>
#include <sinew/maximal.h>
#include <sinew/solver.h>

#include "base/base.h"
#include "base/stack_fail.h"
#include "fuzz/everything.h"
#include "scene.h"

static void quiet(const char* text) { (void)text; }

// Loops, limits, friction, actuators and contacts, few of each; and in maximal coordinates.
#define LINKS                                                                                     \
  "<worldbody><geom name='floor' type='plane' size='5 5 1'/><body name='hand' mocap='true'/>"     \
  "<body name='a' pos='0 0 .09'><freejoint/><geom name='g' type='box' size='.2 .3 .1'/>"          \
  "<body name='b' pos='.3 0 0'><joint name='j' axis='0 1 0' frictionloss='.4' armature='.1' "     \
  "damping='.1' range='-1 1' limited='true'/><geom size='.05' fromto='0 0 0 .4 0 -.1' "           \
  "type='capsule'/></body></body><body name='c' pos='1 1 .05'><joint type='slide' axis='0 0 1'/>" \
  "<geom size='.1'/></body></worldbody><equality><connect body1='a' body2='b' anchor='.3 0 0'/>"  \
  "</equality><actuator><motor joint='j'/><position joint='j' kp='2'/></actuator>"
static const char kLinks[] = "<mujoco>" LINKS "</mujoco>";
static const char kAsking[] =
    "<mujoco>" LINKS "<custom><text name='sinew:coordinates' data='maximal'/></custom></mujoco>";

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

static void fails_at_every_of(Work work, mjModel* m) {
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

static void fails_at_every(Work work, int integrator, int solver, int cone) {
  mjModel* m = everything_model();
  m->opt.integrator = integrator;
  m->opt.solver = solver;
  m->opt.cone = cone;
  fails_at_every_of(work, m);
}

// Hard contact with every solver, impacts, and its inverse.
static void hard_steps(mjModel* m, mjData* d) {
  for (int i = 0; sn_solverName(i); i++) {
    if (!sn_setSolver(m, d, sn_solverName(i))) continue;
    sn_setSetting(m, d, "iterations", 3);
    sn_setImpact(m, d, sn_impactName(i % 4));
    sn_setRestitution(m, d, 0, 0.5);
    mj_step(m, d);
    if (i % 4 == 0) mj_inverse(m, d);
  }
  sn_setSolver(m, d, NULL);
}

static void maximal_steps(mjModel* m, mjData* d) {
  (void)d;
  char error[200];
  snMaximalOption opt;
  sn_defaultMaximal(&opt);
  for (int stepping = snSTEPPING_EULER; stepping <= snSTEPPING_MOREAU; stepping++) {
    opt.stepping = stepping;
    snMaximal* x = sn_makeMaximal(m, &opt, error, sizeof error);
    if (!x) continue;
    double before[3] = {x->pos[0], x->pos[1], x->pos[2]}, time = x->data->time;
    if (!sn_stepMaximal(x)) {  // the bodies stay
      assert_memory_equal(before, x->pos, sizeof before);
      assert_true(x->data->time == time);
    }
    sn_stepMaximal(x);
    sn_getMaximal(x, x->data);
    sn_deleteMaximal(x);
  }
}

// Every derivative; the report of a call that fails says so.
static void derive_all(mjModel* m, mjData* d) {
  size_t nx = 2 * (size_t)m->nv + (size_t)m->na;
  mjtNum* x = calloc(nx * nx + 8 * nx * (size_t)(m->nbody + m->nu + 1), sizeof(mjtNum));
  mjtNum* y = calloc(nx * nx + 8 * nx * (size_t)(m->nbody + m->nu + 1), sizeof(mjtNum));
  snDeriveReport report;
  assert_true(sn_transition(m, d, x, y, NULL, NULL, &report) == report.ok);
  assert_true(sn_forwardDerivative(m, d, x, NULL, NULL, NULL, y, &report) == report.ok);
  assert_true(sn_inverseDerivative(m, d, 1, x, NULL, NULL, NULL, &report) == report.ok);
  assert_true(sn_jvp(m, d, y, NULL, x, &report) == report.ok);
  assert_true(sn_vjp(m, d, y, x, NULL, &report) == report.ok);
  assert_true(sn_rolloutVjp(m, d, 2, NULL, y, x, NULL, &report) == report.ok);
  assert_true(sn_transitionInput(m, d, x, NULL, NULL, &report) == report.ok);
  assert_true(sn_transitionInput(m, d, NULL, x, NULL, &report) == report.ok);
  assert_true(sn_vjpInput(m, d, y, x, NULL, NULL, &report) == report.ok);
  snParameter p = {"opt.timestep", 0};
  assert_true(sn_transitionBy(m, d, &p, 1, 1, x, &report) == report.ok);
  assert_true(sn_vjpBy(m, d, &p, 1, 0, y, x, &report) == report.ok);
  free(x);
  free(y);
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
  fails_at_every_of(hard_steps, everything_of(kLinks));
  fails_at_every_of(maximal_steps, everything_of(kLinks));
  fails_at_every_of(derive_all, everything_of(kLinks));
  fails_at_every_of(step, everything_of(kAsking));
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

// By differences of the whole step.
static void derive_all_whole(mjModel* m, mjData* d) {
  m->opt.integrator = mjINT_RK4;
  derive_all(m, d);
  m->opt.integrator = mjINT_EULER;
}

// Without memory no ray meets anything.
static void rays(mjModel* m, mjData* d) {
  const mjtNum from[3] = {0, 0, 3}, down[6] = {0, 0, -1, 0.1, 0, -1};
  for (int k = 0; k < 2; k++) {
    int geom[2] = {7, 7}, told = errors;
    mjtNum distance[2] = {-7, -7};
    mj_multiRay(m, d, from, down, NULL, 1, -1, geom, distance, 2, mjMAXVAL);
    for (int i = 0; i < 2 && errors > told; i++) {
      assert_true(geom[i] == -1);
      assert_true(distance[i] == -1);
    }
  }
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
  mjModel* links = everything_of(kLinks);
  fails_on_the_stack(hard_steps, links);
  fails_on_the_stack(derive_all, links);
  fails_on_the_stack(derive_all_whole, links);
  mj_deleteModel(links);
  mjModel* asking = everything_of(kAsking);
  fails_on_the_stack(one_step, asking);
  mj_deleteModel(asking);
  fails_on_the_stack(draw, m);
  fails_on_the_stack(constants, m);
  fails_on_the_stack(rays, m);
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
