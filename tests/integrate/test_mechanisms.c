// Mechanisms with loops that close (integrate/close.c): gaps below a nanometer at 1 and 2 ms,
// driven and free, and the energy of a four-bar linkage.
#include <sinew/ask.h>

#include <sinew/warning.h>

#include "mechanisms.h"
#include "scene.h"

#define CLOSED "<custom><text name='sinew:loops' data='closed'/></custom>"

// The largest residual of an active equality at the state of d.
static double gap(const mjModel* m, const mjData* d) {
  mjData* at = mj_copyData(NULL, m, d);
  double most = 0;
  mj_fwdPosition(m, at);
  for (int i = 0; i < at->ne; i++) most = fmax(most, fabs(at->efc_pos[i]));
  mj_deleteData(at);
  return most;
}

// One second at 1 and 2 ms, free and driven by sines of different frequencies.
static void run(const char* name, mjModel* m, double drive) {
  static const double kStep[] = {.001, .002};
  for (int k = 0; k < 4; k++) {
    m->opt.timestep = kStep[k % 2];
    m->opt.gravity[0] = 1;  // nothing is at rest where it begins
    mjData* d = mj_makeData(m);
    double moved = 0;
    for (int i = 0; i < (int)(1 / kStep[k % 2]); i++) {
      for (int u = 0; u < m->nu; u++) d->ctrl[u] = k / 2 * drive * sin((3 + u) * d->time + u);
      mj_step(m, d);
      for (int j = 0; j < m->nv; j++) moved = fmax(moved, fabs(d->qvel[j]));
      if (i % 20) continue;
      double open = gap(m, d);
      if (!(open < 1e-9)) {
        fail_msg("%s, %g s, %s, step %d: open by %g", name, kStep[k % 2], k / 2 ? "driven" : "free",
                 i, open);
      }
    }
    if (!(moved > .1) || d->warning[mjWARN_BADQACC].number) fail_msg("%s: moved %g", name, moved);
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}

static mjModel* mechanism(const char* name, const char* jacobian) {
  char front[300];
  snprintf(front, sizeof front, "<option jacobian='%s'><flag contact='disable'/></option>" CLOSED,
           jacobian);
  char* xml = mechanism_xml(name, front);
  mjModel* m = scene_model(xml);
  free(xml);
  return m;
}

static void test_mechanisms(void** state) {
  (void)state;
  static const struct {
    const char* name;
    double drive;
  } kCase[] = {{"four-bar", 1}, {"five-bar", .5}, {"stewart", 1}, {"delta", 2}, {"ring", 1}};
  for (size_t k = 0; k < sizeof kCase / sizeof *kCase; k++) {
    run(kCase[k].name, mechanism(kCase[k].name, "dense"), kCase[k].drive);
    run(kCase[k].name, mechanism(kCase[k].name, "sparse"), kCase[k].drive);
  }
}

// Rows of equalities alone are solved at once: M a = tau + J'f and f = -(J a - aref) / R to rounding,
// and every solver gives these bits.
static void test_forces(void** state) {
  (void)state;
  static const char* const kName[] = {"four-bar", "five-bar", "stewart", "delta", "ring"};
  static const int kSolver[] = {mjSOL_NEWTON, mjSOL_CG, mjSOL_PGS};
  for (size_t k = 0; k < sizeof kName / sizeof *kName; k++) {
    mjModel* m = mechanism(kName[k], k % 2 ? "dense" : "sparse");
    m->opt.gravity[0] = 1;
    mjData* d[3];
    for (int s = 0; s < 3; s++) {
      m->opt.solver = kSolver[s];
      d[s] = mj_makeData(m);
      for (int i = 0; i < 200; i++) mj_step(m, d[s]);
      mj_forward(m, d[s]);
      assert_memory_equal(d[s]->qacc, d[0]->qacc, sizeof(mjtNum) * (size_t)m->nv);
    }
    mjtNum *Ma = calloc((size_t)m->nv, sizeof *Ma), *Ja = calloc((size_t)d[0]->nefc, sizeof *Ja);
    double size = mju_norm(d[0]->qfrc_bias, m->nv) + mju_norm(d[0]->qfrc_constraint, m->nv);
    mj_mulM(m, d[0], Ma, d[0]->qacc);
    for (int i = 0; i < m->nv; i++) {
      double off = Ma[i] - d[0]->qfrc_smooth[i] - d[0]->qfrc_constraint[i];
      if (!(fabs(off) < 1e-11 * size)) fail_msg("%s: %g of %g N", kName[k], off, size);
    }
    mj_mulJacVec(m, d[0], Ja, d[0]->qacc);
    double most = mju_norm(d[0]->efc_force, d[0]->nefc);
    for (int i = 0; i < d[0]->nefc; i++) {
      double off = Ja[i] - d[0]->efc_aref[i] + d[0]->efc_R[i] * d[0]->efc_force[i];
      if (!(fabs(off) < 1e-9 * (1 + most))) fail_msg("%s, row %d: %g", kName[k], i, off);
    }
    free(Ma);
    free(Ja);
    for (int s = 0; s < 3; s++) mj_deleteData(d[s]);
    mj_deleteModel(m);
  }
}

// A Stewart platform that falls until its legs are seven meters long: a residual of a nanometer is
// a step of a tenth of one in their angles.
static void test_long_legs(void** state) {
  (void)state;
  mjModel* m = mechanism("stewart:5", "dense");
  mjData* d = mj_makeData(m);
  double most = 0;
  for (int i = 0; i < 2500; i++) {
    for (int u = 0; u < m->nu; u++) d->ctrl[u] = sin(2 * d->time * (1 + .3 * u) + u);
    mj_step(m, d);
    if (i > 1500) most = fmax(most, gap(m, d));
  }
  assert_true(d->qpos[2] < -5);
  if (!(most < 1e-9)) fail_msg("open by %g", most);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A step takes positions that the last one has evaluated: the bits are those of a step that has
// nothing to take, whatever a program writes in between.
static void test_kept(void** state) {
  (void)state;
  static const char* const kName[] = {"stewart", "delta", "ring"};
  for (int k = 0; k < 3; k++) {
    mjModel* m = mechanism(kName[k], k % 2 ? "sparse" : "dense");
    mjData *d = mj_makeData(m), *fresh = mj_makeData(m);
    unsigned long long seed = 7;
    for (int i = 0; i < 200; i++) {
      d->ctrl[0] = .3 * sin(.02 * i);
      switch (i % 8) {
        case 1:
          d->xpos[3 * (m->nbody - 1)] += .1;
          break;
        case 2:
          d->qLD[m->nC - 1] *= 2;
          break;
        case 3:
          m->body_mass[m->nbody - 1] *= 1 + .1 * scene_random(&seed);
          break;
        case 4:
          m->dof_armature[0] += 1e-3;
          break;
        case 5:
          d->qpos[m->nq - 1] += 1e-7;
          break;
        case 6:
          mj_comPos(m, d), m->body_pos[3 * (m->nbody - 1)] += 1e-6;
          break;
        default:
          break;
      }
      mj_resetData(m, fresh);
      mj_resetDataDebug(m, fresh, 0);
      fresh->time = d->time;
      mju_copy(fresh->qpos, d->qpos, m->nq);
      mju_copy(fresh->qvel, d->qvel, m->nv);
      mju_copy(fresh->ctrl, d->ctrl, m->nu);
      mju_copy(fresh->qacc_warmstart, d->qacc_warmstart, m->nv);
      mj_step(m, fresh);
      mj_step(m, d);
      if (memcmp(d->qpos, fresh->qpos, sizeof(mjtNum) * (size_t)m->nq) ||
          memcmp(d->qvel, fresh->qvel, sizeof(mjtNum) * (size_t)m->nv)) {
        fail_msg("%s: step %d has other bits", kName[k], i);
      }
    }
    mj_deleteData(fresh);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The robot of the folder SINEW_MODELS, falling and driven.
static void test_cassie(void** state) {
  (void)state;
  const char* folder = getenv("SINEW_MODELS") ? getenv("SINEW_MODELS") : "../shared/models";
  char path[1000], error[1000];
  snprintf(path, sizeof path, "%s/menagerie/agility_cassie/scene.xml", folder);
  FILE* file = fopen(path, "r");
  if (!file) {
    print_message("no model %s\n", path);
    skip();
  }
  fclose(file);
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof error);
  if (!spec) fail_msg("%s", error);
  assert_true(sn_ask(spec, "loops", "closed"));
  mjModel* m = mj_compile(spec, NULL);
  if (!m) fail_msg("%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  run("Cassie", m, 3);
}

// A four-bar linkage that turns over for ten seconds keeps its energy: what changes most, relative
// to the largest kinetic energy.
static void test_energy(void** state) {
  (void)state;
  static const struct {
    const char* integrator;
    double h, bound;
  } kCase[] = {{"Euler", .001, .01}, {"implicitfast", .001, .01}, {"RK4", .001, 1e-5}};
  for (int k = 0; k < 3; k++) {
    char xml[3000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='%g' integrator='%s'><flag contact='disable' "
             "energy='enable'/></option>" CLOSED
             "<worldbody><body><joint axis='0 1 0'/><geom type='capsule' size='.02' "
             "fromto='0 0 0 0 0 .2'/><body pos='0 0 .2'><joint axis='0 1 0'/><geom type='capsule' "
             "size='.02' fromto='0 0 0 .5 0 .1'/><body name='c' pos='.5 0 .1'><joint "
             "axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 0 0 -.3'/></body></body>"
             "</body></worldbody><equality><connect body1='c' anchor='0 0 -.3'/></equality>"
             "</mujoco>",
             kCase[k].h, kCase[k].integrator);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    d->qvel[0] = .1;
    double first = 0, worst = 0, most = 0;
    for (int i = 0; i < (int)(10 / kCase[k].h); i++) {
      mj_step(m, d);  // energy is that of the beginning of the step
      if (i == 1) first = d->energy[0] + d->energy[1];
      if (i < 2) continue;
      worst = fmax(worst, fabs(d->energy[0] + d->energy[1] - first));
      most = fmax(most, d->energy[1]);
    }
    if (!(worst < kCase[k].bound * most)) {
      fail_msg("%s: %g J off, of %g", kCase[k].integrator, worst, most);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Platforms that fall through the plane of their feet: each leg passes over its own foot, where a
// hinge has to turn by a radian within a step. Energy stays that of the fall and of the motors,
// no step leaves a loop open, and nothing is ever not a number.
static void test_singular(void** state) {
  (void)state;
  static const double kDrive[] = {.5, 2, 4.5, 6}, kStep[] = {.001, .002};
  int fallen = 0;
  for (int k = 0; k < 24; k++) {
    mjModel* m = mechanism(k % 3 ? "stewart:20" : "stewart:5", "dense");
    mjData* d = mj_makeData(m);
    m->opt.timestep = kStep[k % 2];
    double drive = kDrive[k / 2 % 4];
    int steps = (int)(3 / m->opt.timestep);
    for (int i = 0; i < steps; i++) {
      for (int u = 0; u < m->nu; u++) {
        d->ctrl[u] = drive * sin(MECHANISM_TURN * (.5 + .1 * u) * d->time + u + .37 * (k / 8));
      }
      mj_step(m, d);
      mj_energyVel(m, d);
      if (!(d->energy[1] < 2000)) fail_msg("run %d: %g J", k, d->energy[1]);
    }
    for (int i = 0; i < mjNWARNING; i++) assert_int_equal(d->warning[i].number, 0);
    int open = sn_warningCount(m, d, snWARN_LOOPS);
    if (open) fail_msg("run %d: open in %d of %d steps", k, open, steps);
    assert_true(gap(m, d) < 2e-9);
    fallen += d->qpos[2] < -.5;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  assert_true(fallen > 12);
}

// A limit without damping gives back what it took, however fast the linkage turns.
static void test_rebound(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco>" CLOSED
      "<option timestep='.002' gravity='0 0 0'><flag energy='enable' contact='disable'/></option>"
      "<default><geom type='capsule' size='.02'/></default><worldbody>"
      "<body><joint axis='0 1 0' limited='true' range='-60 60' solreflimit='-30000 0'/>"
      "<geom fromto='0 0 0 0 0 .3'/><body pos='0 0 .3'><joint axis='0 1 0'/>"
      "<geom fromto='0 0 0 .5 0 0'/><site name='p' pos='.5 0 0'/></body></body>"
      "<body pos='.5 0 0'><joint axis='0 1 0'/><geom fromto='0 0 0 0 0 .3'/>"
      "<site name='q' pos='0 0 .3'/></body></worldbody>"
      "<equality><connect site1='p' site2='q'/></equality></mujoco>");
  mjData* d = mj_makeData(m);
  d->qvel[0] = d->qvel[2] = 40;
  d->qvel[1] = -40;
  mj_forward(m, d);
  double first = d->energy[1], least = first;
  for (int i = 0; i < 200; i++) {
    mj_step(m, d);
    mj_forward(m, d);
    least = fmin(least, d->energy[1]);
  }
  assert_true(least < .1 * first);  // it was at the limit
  if (!(fabs(d->energy[1] / first - 1) < .03)) fail_msg("%g of %g J", d->energy[1], first);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mechanisms), cmocka_unit_test(test_forces),
      cmocka_unit_test(test_kept),       cmocka_unit_test(test_cassie),
      cmocka_unit_test(test_energy),     cmocka_unit_test(test_long_legs),
      cmocka_unit_test(test_singular),   cmocka_unit_test(test_rebound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
