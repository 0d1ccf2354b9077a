// Restitution in the soft step (hold/bounce.c): the rebound asked for, energy, rest, inverse
// dynamics, state.
#include <sinew/solver.h>
#include <stdbool.h>

#include "scene.h"

static const char* const kIntegrator[] = {"Euler", "implicitfast", "implicit", "RK4"};

typedef struct Drop_ {
  const char *shape, *cone, *integrator, *solver;
  double mass, h, e;
} Drop;

static mjModel* drop_model(const Drop* p) {
  char xml[3000];
  snprintf(xml, sizeof xml,
           "<mujoco><option timestep='%g' cone='%s' integrator='%s' solver='%s'/><custom>"
           "<tuple name='sinew:restitution'><element objtype='geom' objname='g' prm='%g'/></tuple>"
           "</custom><worldbody><geom type='plane' size='5 5 1'/>"
           "<body pos='0 0 .6'><freejoint/><geom name='g' %s mass='%g'/></body></worldbody>"
           "</mujoco>",
           p->h, p->cone, p->integrator, p->solver, p->e, p->shape, p->mass);
  return scene_model(xml);
}

// Energy of the first flight behind the impact over the one before: e^2, from positions alone.
static double rebound(const Drop* p) {
  mjModel* m = drop_model(p);
  mjData* d = mj_makeData(m);
  double top = 0, last = 0;
  bool up = false;
  for (int i = 0; i < (int)(1.2 / p->h); i++) {
    mj_step(m, d);
    double v = d->qpos[2] - last;
    if (i > 2 && v > 0 && !up) up = true, top = d->qpos[2];
    if (up && v < 0) break;
    if (up) top = fmax(top, d->qpos[2]);
    last = d->qpos[2];
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return up ? sqrt(fmax(0, top - .1) / .5) : 0;
}

static void test_rebound(void** state) {
  (void)state;
  static const char* const kShape[] = {"size='.1'", "type='box' size='.2 .2 .1'"};
  static const double kE[] = {0, .25, .5, .95, 1}, kH[] = {.001, .002, .005}, kMass[] = {1, 10};
  for (int shape = 0; shape < 2; shape++) {
    for (int k = 0; k < 5 * 3 * 2; k += kTrialShare) {
      Drop p = {.shape = kShape[shape],
                .cone = k % 2 ? "elliptic" : "pyramidal",
                .integrator = kIntegrator[k % 4],
                .solver = k % 3 ? "Newton" : "PGS",
                .mass = kMass[k % 2],
                .h = kH[k / 2 % 3],
                .e = kE[k / 6]};
      double got = rebound(&p);
      if (!(fabs(got - p.e) <= .01 * (p.e > 0 ? p.e : 1))) {
        fail_msg("%s, %g kg, %g s, %s, %s, %s: %g in place of %g", p.shape, p.mass, p.h, p.cone,
                 p.integrator, p.solver, got, p.e);
      }
    }
  }
}

// A sphere hits another one, free and at rest, in the middle: relative velocity turns round times
// e, momentum stays.
static void test_spheres(void** state) {
  (void)state;
  static const double kE[] = {0, .25, .5, .95, 1}, kH[] = {.001, .002, .005}, kMass[] = {1, 10};
  for (int k = 0; k < 5 * 3 * 4; k += kTrialShare) {
    double e = kE[k / 12], h = kH[k / 4 % 3], m1 = kMass[k % 2], m2 = kMass[k / 2 % 2];
    char xml[2000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='%g' gravity='0 0 0'/><custom><tuple "
             "name='sinew:restitution'><element objtype='geom' objname='a' prm='%g'/>"
             "<element objtype='geom' objname='b' prm='0'/></tuple></custom><worldbody>"
             "<body><freejoint/><geom name='a' size='.1' mass='%g'/></body>"
             "<body pos='.3 0 0'><freejoint/><geom name='b' size='.1' mass='%g'/></body>"
             "</worldbody></mujoco>",
             h, e, m1, m2);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    d->qvel[0] = 2;
    while (d->time < .1) mj_step(m, d);
    double parting = d->qvel[6] - d->qvel[0], momentum = m1 * d->qvel[0] + m2 * d->qvel[6];
    if (fabs(parting - 2 * e) > .01 * 2 * (e > 0 ? e : 1) || fabs(momentum - 2 * m1) > 1e-7 * m1) {
      fail_msg("%g on %g kg, %g s: e %g, parting with %g, momentum %g", m1, m2, h, e, parting,
               momentum);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// `d` is working memory.
static double energy(const mjModel* m, mjData* d, const mjData* at) {
  mj_copyData(d, m, at);
  mj_forward(m, d);
  mj_energyPos(m, d);
  mj_energyVel(m, d);
  return d->energy[0] + d->energy[1];
}

// Things thrown at each other and at a floor, with friction and spin: no impact has
// more energy behind it than before. Gravity is off, so that energy is velocity alone.
static void test_no_gain(void** state) {
  (void)state;
  int impacts = 0;
  for (int k = 0; k < 8; k++) {
    char xml[4000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='.002' gravity='0 0 0' cone='%s'/><default><geom "
             "friction='%g .01 .001' condim='%d'/></default><custom><tuple "
             "name='sinew:restitution'><element objtype='geom' objname='a' prm='1'/>"
             "<element objtype='geom' objname='b' prm='1'/><element objtype='geom' objname='c' "
             "prm='.8'/></tuple></custom><worldbody><geom type='plane' size='5 5 1'/>"
             "<geom type='plane' size='5 5 1' pos='0 0 1.5' zaxis='0 0 -1'/>"
             "<body pos='0 0 .6'><freejoint/><geom name='a' type='box' size='.1 .2 .05'/></body>"
             "<body pos='.1 0 1'><freejoint/><geom name='b' type='capsule' size='.05 .2'/></body>"
             "<body pos='0 .3 .9'><freejoint/><geom name='c' type='sphere' size='.1'/></body>"
             "</worldbody></mujoco>",
             k % 2 ? "elliptic" : "pyramidal", k / 2 % 2 ? 1.5 : .3, k / 4 ? 6 : 3);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    unsigned long long seed = 7 + (unsigned)k;
    for (int i = 0; i < m->nv; i++) d->qvel[i] = (i % 6 < 3 ? 2 : 5) * scene_random(&seed);
    mjData *work = mj_makeData(m), *flight = mj_makeData(m);
    double last = energy(m, work, d), first = last;
    mjModel* loose = mj_copyModel(NULL, m);
    loose->opt.disableflags |= mjDSBL_CONTACT;
    for (int i = 0; i < 1500; i++) {
      // a spinning body has another energy behind the step of flight too
      mj_copyData(flight, m, d);
      mj_step(m, d);
      if (d->ncon) {
        impacts++;
        mj_step(loose, flight);
        double before = energy(m, work, flight), now = energy(m, work, d);
        if (now > before * (1 + 1e-9)) {
          fail_msg("scene %d, step %d: %g J, %g without impact", k, i, now, before);
        }
      }
    }
    mj_deleteModel(loose);
    last = energy(m, work, d);
    if (!(last > .02 * first)) fail_msg("scene %d: %g of %g J are left", k, last, first);
    mj_deleteData(work);
    mj_deleteData(flight);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  if (impacts < 50) fail_msg("%d impacts", impacts);
}

// At rest a contact with restitution is a soft contact: a ball that has bounced out and a stack of
// boxes lie as still as without, and as deep.
static void test_rest(void** state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    mjData* d[2];
    mjModel* m[2];
    double h[] = {.001, .002, .005};
    for (int with = 0; with < 2; with++) {
      char xml[3000];
      snprintf(xml, sizeof xml,
               "<mujoco><option timestep='%g' cone='%s'/><custom>%s</custom><worldbody>"
               "<geom type='plane' size='5 5 1'/>"
               "<body pos='0 0 .3'><freejoint/><geom name='a' size='.1'/></body>"
               "<body pos='1 0 .1'><freejoint/><geom name='b' type='box' size='.1 .1 .1'/></body>"
               "<body pos='1 0 .301'><freejoint/><geom name='c' type='box' size='.1 .1 .1'/></body>"
               "</worldbody></mujoco>",
               h[k / 2], k % 2 ? "elliptic" : "pyramidal",
               with ? "<tuple name='sinew:restitution'><element objtype='geom' objname='a' "
                      "prm='.6'/><element objtype='geom' objname='b' prm='.5'/><element "
                      "objtype='geom' objname='c' prm='.3'/></tuple>"
                    : "");
      m[with] = scene_model(xml);
      d[with] = mj_makeData(m[with]);
      while (d[with]->time < 6) mj_step(m[with], d[with]);
    }
    double fastest = 0, still = 0, apart = 0;
    for (int i = 0; i < 200; i++) {
      for (int with = 0; with < 2; with++) mj_step(m[with], d[with]);
      for (int j = 0; j < m[0]->nv; j++) {
        fastest = fmax(fastest, fabs(d[1]->qvel[j]));
        still = fmax(still, fabs(d[0]->qvel[j]));
      }
    }
    for (int body = 0; body < 3; body++) {
      apart = fmax(apart, fabs(d[0]->qpos[7 * body + 2] - d[1]->qpos[7 * body + 2]));
    }
    if (!(fastest <= still + 1e-6) || !(apart < 1e-6)) {
      fail_msg("%g s: moves with %g, without restitution %g; %g m apart", h[k / 2], fastest, still,
               apart);
    }
    for (int with = 0; with < 2; with++) {
      mj_deleteData(d[with]);
      mj_deleteModel(m[with]);
    }
  }
}

// The inverse of an impact is the force that forward dynamics had: contact forces and applied ones.
// qacc is that of the step.
static void test_inverse(void** state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Drop p = {.shape = k / 2 ? "type='box' size='.2 .1 .1' euler='0 20 10'" : "size='.1'",
              .cone = k % 2 ? "elliptic" : "pyramidal",
              .integrator = "Euler",
              .solver = "Newton",
              .mass = 1,
              .h = .002,
              .e = .7};
    mjModel* m = drop_model(&p);
    m->opt.tolerance = 0;
    mjData *d = mj_makeData(m), *at = mj_makeData(m);
    d->qvel[0] = 1;
    int impacts = 0;
    for (int i = 0; i < 600; i++) {
      d->qfrc_applied[1] = .3 * sin(.1 * i);
      mj_copyData(at, m, d);
      mj_forward(m, at);
      double force[6];
      mju_copy(force, at->qfrc_constraint, 6);
      mj_inverse(m, at);
      for (int j = 0; j < 6; j++) {
        double scale = 1 + mju_norm(force, 6);
        if (!(fabs(at->qfrc_inverse[j] - d->qfrc_applied[j]) < 1e-7 * scale) ||
            !(fabs(at->qfrc_constraint[j] - force[j]) < 1e-7 * scale)) {
          fail_msg("case %d, step %d: inverse %g, applied %g; contact %g, %g", k, i,
                   at->qfrc_inverse[j], d->qfrc_applied[j], at->qfrc_constraint[j], force[j]);
        }
      }
      double before = d->qvel[2];
      mj_step(m, d);
      impacts += d->ncon && before < -.2 && d->qvel[2] > 0;
      if (k < 2 && before < -.2 && d->qvel[2] > 0) {
        double accel = (d->qvel[2] - before) / p.h;
        if (fabs(at->qacc[2] / accel - 1) > 1e-4) fail_msg("%g, %g", at->qacc[2], accel);
      }
    }
    assert_true(impacts > 1);
    mj_deleteData(at);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// There is no state: what is saved before an impact goes on to the bit, with every integrator.
static void test_restored(void** state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Drop p = {.shape = "type='box' size='.2 .1 .1' euler='0 20 10'",
              .cone = "elliptic",
              .integrator = kIntegrator[k],
              .solver = "Newton",
              .mass = 1,
              .h = .002,
              .e = .7};
    mjModel* m = drop_model(&p);
    m->opt.disableflags |= mjDSBL_WARMSTART;
    mjData *d = mj_makeData(m), *other = mj_makeData(m);
    double saved[200];
    assert_true(mj_stateSize(m, mjSTATE_FULLPHYSICS) <= 200);
    for (int i = 0; i < 90; i++) mj_step(m, d);
    mj_getState(m, d, saved, mjSTATE_FULLPHYSICS);
    mj_setState(m, other, saved, mjSTATE_FULLPHYSICS);
    for (int i = 0; i < 500; i++) {
      mj_step(m, d);
      mj_step(m, other);
    }
    assert_memory_equal(d->qpos, other->qpos, sizeof(double) * 7);
    assert_memory_equal(d->qvel, other->qvel, sizeof(double) * 6);
    mj_deleteData(d);
    mj_deleteData(other);
    mj_deleteModel(m);
  }
}

// By program, and with hard contact out of the way: the same rebound.
static void test_by_program(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .6'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  sn_setRestitution(m, d, 1, .8);
  double top = 0;
  while (d->time < 1) {
    mj_step(m, d);
    if (d->qvel[2] > 0) top = fmax(top, d->qpos[2]);
  }
  assert_true(fabs(sqrt((top - .1) / .5) - .8) < .008);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rebound),    cmocka_unit_test(test_spheres),
      cmocka_unit_test(test_no_gain),    cmocka_unit_test(test_rest),
      cmocka_unit_test(test_inverse),    cmocka_unit_test(test_restored),
      cmocka_unit_test(test_by_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
