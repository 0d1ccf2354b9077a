// Hunt-Crossley dissipation (hold/dissipate.c): the force at the end of the step is k x (1 + c w)
// whatever masses and time step are, an exact inverse, restitution of theory, what is refused.
#include <stdbool.h>

#include "scene.h"

#define STIFFNESS 5000
#define DISSIPATION 0.4

static mjModel* drop(const char* cone, const char* type, double mass, double h, double height,
                     const char* tuples) {
  char xml[2000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='%g' cone='%s'/><worldbody><geom name='floor' type='plane' "
           "size='5 5 .1'/><body pos='0 0 %g'><freejoint/><geom name='ball' type='%s' "
           "size='.1 .1 .1' mass='%g'/></body></worldbody><custom>%s</custom></mujoco>",
           h, cone, height, type, mass, tuples);
  return scene_model(xml);
}

#define TUPLE(name, prm) \
  "<tuple name='sinew:" name "'><element objtype='geom' objname='ball' prm='" prm "'/></tuple>"
#define LAW TUPLE("stiffness", "5000") TUPLE("dissipation", ".4")

// From the fall to rest: the sum of normal forces against the law, forward against inverse.
static void test_force(void** state) {
  (void)state;
  static const double kStep[3] = {.001, .002, .005};
  for (int trial = 0; trial < 24; trial++) {
    double h = kStep[trial % 3], mass = trial / 3 % 2 ? 10 : 1, worst = 0;
    const char* cone = trial / 6 % 2 ? "elliptic" : "pyramidal";
    const char* type = trial / 12 ? "box" : "sphere";
    mjModel* m = drop(cone, type, mass, h, .3, LAW);
    mjData* d = mj_makeData(m);
    m->opt.enableflags |= mjENBL_FWDINV;
    int pushes = 0;
    for (int i = 0; i < (int)(3 / h); i++) {
      mj_step(m, d);
      double x = .1 - d->qpos[2], w = -d->qvel[2], push = 0, force[6];
      double law = x > 0 && 1 + DISSIPATION * w > 0 ? STIFFNESS * x * (1 + DISSIPATION * w) : 0;
      for (int c = 0; c < d->ncon; c++) {
        mj_contactForce(m, d, c, force);
        push += force[0];
      }
      if (d->ncon && law > 0) {
        worst = fmax(worst, fabs(push - law) / law);
        pushes++;
      }
      if (!(d->solver_fwdinv[0] < 1e-9 * (1 + push) && d->solver_fwdinv[1] < 1e-9 * (1 + push))) {
        fail_msg("inverse %g, %g of %g N", d->solver_fwdinv[0], d->solver_fwdinv[1], push);
      }
    }
    double depth = (.1 - d->qpos[2]) / (mass * 9.81 / STIFFNESS);
    if (!(worst < 1e-6 && pushes > 100 && fabs(depth - 1) < .01)) {
      fail_msg("%s, %s, %g kg, %g s: %d forces off by %g, depth %g of m g / k", cone, type, mass, h,
               pushes, worst, depth);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// e of c v - ln(1 + c v) = -c e v - ln(1 - c e v), by halving.
static double theory(double cv) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double e = (low + high) / 2, left = cv - log(1 + cv), right = -e * cv - log(1 - e * cv);
    if (e * cv < 1 && right < left)
      low = e;
    else
      high = e;
  }
  return low;
}

static void test_restitution(void** state) {
  (void)state;
  static const double kSpeed[] = {.1, .5, 1, 2};
  for (int k = 0; k < 4; k++) {
    mjModel* m = drop("elliptic", "sphere", 1 + 9 * (k % 2), 2e-5, .1, LAW);
    m->opt.gravity[2] = 0;
    mjData* d = mj_makeData(m);
    d->qpos[2] = .1 + 1e-5;
    d->qvel[2] = -kSpeed[k];
    for (int i = 0; i < 40000 && !(d->qpos[2] > .1 && d->qvel[2] > 0); i++) mj_step(m, d);
    double e = d->qvel[2] / kSpeed[k], expected = theory(DISSIPATION * kSpeed[k]);
    if (!(fabs(e / expected - 1) < .01)) fail_msg("%g m/s: e %g, not %g", kSpeed[k], e, expected);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Two soft geoms: the law of the softer one's share of the depth.
static void test_series(void** state) {
  (void)state;
  mjModel* m = drop("elliptic", "sphere", 1, .001, .2,
                    "<tuple name='sinew:stiffness'><element objtype='geom' objname='ball' "
                    "prm='6000'/><element objtype='geom' objname='floor' prm='12000'/></tuple>"
                    "<tuple name='sinew:dissipation'><element objtype='geom' objname='ball' "
                    "prm='.6'/></tuple>");
  mjData* d = mj_makeData(m);
  int pushes = 0;
  for (int i = 0; i < 400; i++) {
    mj_step(m, d);
    double x = .1 - d->qpos[2], w = -d->qvel[2], force[6], law = 4000 * x * (1 + .4 * w);
    if (!d->ncon || !(x > 0 && law > 0)) continue;
    mj_contactForce(m, d, 0, force);
    assert_float_equal(force[0], law, 1e-6 * law);
    pushes++;
  }
  assert_true(pushes > 20);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Every solver and integrator, a heap of bodies, differences of the step: finite and at rest.
static void test_anywhere(void** state) {
  (void)state;
  for (int trial = 0; trial < 12; trial++) {
    mjModel* m = drop(trial % 2 ? "elliptic" : "pyramidal", "box", 1, .002, .3, LAW);
    m->opt.solver = trial / 2 % 3;
    m->opt.integrator = trial % 4;
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 1500; i++) mj_step(m, d);
    double* A = malloc(sizeof(double) * (size_t)(4 * m->nv * m->nv));
    assert_non_null(A);
    bool differenced = m->opt.integrator != mjINT_RK4;  // which it does not know
    if (differenced) mjd_transitionFD(m, d, 1e-6, 1, A, NULL, NULL, NULL);
    for (int i = 0; differenced && i < 4 * m->nv * m->nv; i++) assert_true(fabs(A[i]) < 1e6);
    free(A);
    if (!(fabs(d->qpos[2] - .1 + 9.81 / STIFFNESS) < 1e-4 && mju_norm(d->qvel, 6) < 1e-3)) {
      fail_msg("trial %d: at %g with %g", trial, d->qpos[2], mju_norm(d->qvel, 6));
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

static void test_refused(void** state) {
  (void)state;
  static const char kXml[] =
      "<mujoco><worldbody><body><freejoint/><geom name='ball' size='.1'/></body></worldbody>"
      "<custom>%s</custom></mujoco>";
  static const struct {
    const char *tuples, *words;
  } kCase[] = {{TUPLE("dissipation", ".4"), "no number in 'sinew:stiffness'"},
               {LAW TUPLE("damping", "1"), "expected one of the three"},
               {LAW TUPLE("restitution", ".5"), "expected one of the three"},
               {TUPLE("stiffness", "5") TUPLE("dissipation", "-1"), "expected 0 to"}};
  for (size_t k = 0; k < sizeof kCase / sizeof *kCase; k++) {
    char xml[2000];
    snprintf(xml, sizeof xml, kXml, kCase[k].tuples);
    scene_refused(xml, kCase[k].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_force),   cmocka_unit_test(test_restitution),
      cmocka_unit_test(test_series),  cmocka_unit_test(test_anywhere),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
