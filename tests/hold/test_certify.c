// The certificate of a step (hold/certify.c): every number recomputed from mjData by dense algebra,
// energy that is accounted for, and data that keeps its bits.
#include <sinew/certificate.h>
#include <sinew/solver.h>

#include "scene.h"

#define REPORT "<custom><text name='sinew:report' data='on'/></custom>"

// An arm with springs, dampers, friction loss, motors, a servo and a tendon; nothing touches.
static const char kArm[] =
    "<mujoco><option timestep='.002' integrator='%s'><flag contact='disable'/></option>" REPORT
    "<default><geom type='capsule' size='.03'/></default><worldbody><body pos='0 0 1'>"
    "<joint name='a' axis='0 1 0' damping='.2' stiffness='3'/><geom fromto='0 0 0 .3 0 0'/>"
    "<body pos='.3 0 0'><joint name='b' axis='0 0 1' damping='.1' springref='30' stiffness='1'/>"
    "<joint name='c' axis='1 0 0' armature='.01'/><geom fromto='0 0 0 .3 .1 0'/>"
    "<site name='s' pos='.3 .1 0'/></body></body><body pos='0 .5 1'><joint type='ball'/>"
    "<geom fromto='0 0 0 .1 .2 -.1'/></body><body pos='0 -.5 1'><freejoint/><geom size='.1 .2'/>"
    "</body><site name='w' pos='0 0 .5'/></worldbody><tendon><spatial stiffness='20' damping='1' "
    "springlength='.3'><site site='w'/><site site='s'/></spatial></tendon><actuator>"
    "<motor joint='a'/><position joint='b' kp='5' kv='.5'/></actuator></mujoco>";

static double dense_energy(const mjModel* m, const mjData* d, const double* v, double* full) {
  double sum = 0;
  mj_fullM(m, full, d->qM);
  for (int i = 0; i < m->nv; i++) {
    for (int j = 0; j < m->nv; j++) sum += v[i] * full[i * m->nv + j] * v[j] / 2;
  }
  return sum;
}

static void expect(const char* what, double got, double want, double scale) {
  if (!(fabs(got - want) <= 1e-9 * scale)) fail_msg("%s: %.12g, expected %.12g", what, got, want);
}

// One step of d, whose certificate is compared with what is recomputed from copies of d, a before
// the step and b behind it.
static void check_step(const mjModel* m, mjData* d, mjData* a, mjData* b) {
  enum { MOST = 40 };
  double full[MOST * MOST], vm[MOST], momentum[MOST], before[MOST];
  int nv = m->nv;
  double h = m->opt.timestep;
  assert_true(nv <= MOST);
  mj_copyData(a, m, d);
  mj_forward(m, a);
  mj_energyPos(m, a);
  double V0 = a->energy[0], T0 = dense_energy(m, a, a->qvel, full);
  mju_copy(before, d->qvel, nv);
  double time = d->time;
  mj_step(m, d);
  snCertificate c;
  assert_true(sn_getCertificate(m, d, &c));
  mj_copyData(b, m, d);
  mj_forward(m, b);
  mj_energyPos(m, b);
  double V1 = b->energy[0], T1 = dense_energy(m, b, b->qvel, full);
  double scale = fabs(T0) + fabs(T1) + fabs(V1) + 1e-3;
  assert_true(c.time == time);
  expect("kinetic", c.kinetic, T1, scale);
  expect("potential", c.potential, V1, scale);
  expect("stored", c.stored, T1 + V1 - T0 - V0, scale);
  expect("sum",
         c.actuators + c.applied + c.passive + c.contacts + c.limits + c.friction + c.equalities +
             c.projection + c.integrator + c.closure,
         c.stored, scale);

  // velocities behind the integrator are those behind the step where nothing is projected
  if (c.projection == 0) {
    double work[2] = {0}, passive = 0, own = 0, kind[4] = {0};
    for (int i = 0; i < nv; i++) {
      vm[i] = (before[i] + d->qvel[i]) / 2;
      work[0] += h * vm[i] * a->qfrc_actuator[i];
      work[1] += h * vm[i] * a->qfrc_applied[i];
      passive += h * vm[i] * (a->qfrc_passive[i] - a->qfrc_spring[i]);
      own += h * vm[i] * (a->qfrc_spring[i] - a->qfrc_bias[i]);
      if (m->opt.integrator == mjINT_EULER) {
        passive -= h * vm[i] * m->dof_damping[i] * (d->qvel[i] - before[i]);
      }
    }
    for (int body = 1; body < m->nbody; body++) {
      double jacp[3 * MOST], jacr[3 * MOST];
      mj_jacBodyCom(m, a, jacp, jacr, body);
      for (int k = 0; k < 3; k++) {
        work[1] += h * a->xfrc_applied[6 * body + k] * mju_dot(jacp + k * nv, vm, nv);
        work[1] += h * a->xfrc_applied[6 * body + 3 + k] * mju_dot(jacr + k * nv, vm, nv);
      }
    }
    double* Jv = calloc((size_t)a->nefc + 1, sizeof(double));
    mj_mulJacVec(m, a, Jv, vm);
    for (int i = 0; i < a->nefc; i++) {
      int type = a->efc_type[i];
      int k = type == mjCNSTR_EQUALITY          ? 3
              : type <= mjCNSTR_FRICTION_TENDON ? 2
              : type <= mjCNSTR_LIMIT_TENDON    ? 1
                                                : 0;
      kind[k] += h * a->efc_force[i] * Jv[i];
    }
    free(Jv);
    expect("actuators", c.actuators, work[0], scale);
    expect("applied", c.applied, work[1], scale);
    expect("passive", c.passive, passive, scale);
    expect("contacts", c.contacts, kind[0], scale);
    expect("limits", c.limits, kind[1], scale);
    expect("friction", c.friction, kind[2], scale);
    expect("equalities", c.equalities, kind[3], scale);
    double lost = 0;
    const double part[] = {passive, kind[0], kind[1], kind[2], kind[3]};
    for (int k = 0; k < 5; k++) lost += fmax(0, -part[k]);
    expect("dissipated", c.dissipated, lost, scale);
    if (m->opt.integrator == mjINT_EULER) {
      mj_fullM(m, full, a->qM);
      mju_mulMatVec(momentum, full, d->qvel, nv, nv);
      double inertial = T1 - mju_dot(momentum, d->qvel, nv) / 2 + V1 - V0 + own;
      expect("integrator", c.integrator, inertial, scale);
    }
  }

  // the solve
  double residual = 0, deepest = 0, open = 0, beyond = 0;
  mj_fullM(m, full, a->qM);
  mju_mulMatVec(momentum, full, a->qacc, nv, nv);
  for (int i = 0; i < nv; i++) {
    residual = fmax(residual, fabs(momentum[i] - a->qfrc_smooth[i] - a->qfrc_constraint[i]));
  }
  expect("residual", c.residual, residual, 1 + mju_norm(a->qfrc_smooth, nv));
  for (int i = 0; i < a->ncon; i++) deepest = fmax(deepest, -a->contact[i].dist);
  for (int i = 0; i < a->nefc; i++) {
    if (a->efc_type[i] == mjCNSTR_EQUALITY) open = fmax(open, fabs(a->efc_pos[i]));
    if (a->efc_type[i] == mjCNSTR_LIMIT_JOINT) beyond = fmax(beyond, -a->efc_pos[i]);
  }
  assert_true(c.penetration == deepest && c.loop == open && c.limit == beyond);
  assert_true((c.penetration > 0) == (c.penetration_geom1 >= 0));
  assert_true((c.loop > 0) == (c.loop_equality >= 0) && (c.limit > 0) == (c.limit_joint >= 0));
  assert_true((c.residual > 0) == (c.residual_joint >= 0));
  int most = 0;
  for (int i = 0; i < mjNISLAND; i++) most = d->solver_niter[i] > most ? d->solver_niter[i] : most;
  if (m->opt.integrator != mjINT_RK4) assert_int_equal(c.iterations, most);
}

// Without contact the sum closes to 1e-9 of the energy that goes round, step by step.
static void test_balance(void** state) {
  (void)state;
  static const char* const kIntegrator[] = {"Euler", "implicit", "implicitfast", "RK4"};
  for (int k = 0; k < 4; k++) {
    char xml[4000];
    snprintf(xml, sizeof xml, kArm, kIntegrator[k]);
    mjModel* m = scene_model(xml);
    mjData *d = mj_makeData(m), *a = mj_makeData(m), *b = mj_makeData(m);
    unsigned long long seed = 3;
    for (int i = 0; i < m->nv; i++) d->qvel[i] = 3 * scene_random(&seed);
    double most = 0;
    for (int i = 0; i < 300; i++) {
      d->ctrl[0] = sin(.02 * i);
      d->ctrl[1] = cos(.03 * i);
      d->qfrc_applied[2] = .1 * sin(.1 * i);
      d->xfrc_applied[6 * 3 + 2] = 1;
      d->xfrc_applied[6 * 4 + 4] = .02;
      check_step(m, d, a, b);
      snCertificate c;
      assert_true(sn_getCertificate(m, d, &c));
      if (!(fabs(c.closure) <= 1e-9 * (c.kinetic + fabs(c.stored)))) {
        fail_msg("%s, step %d: %g J are left over of %g", kIntegrator[k], i, c.closure, c.kinetic);
      }
      most = fmax(most, fabs(c.integrator));
      assert_true(c.gap == 0 && c.cost == 0 && c.penetration == 0);
    }
    assert_true(most > 0);
    mj_deleteData(a);
    mj_deleteData(b);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The same where velocities of one tree act on another, so that implicitfast leaves out what the
// pattern of M has no place for: a soft body, and a damped tendon with a muscle across two arms in
// a wind.
static void test_beyond_M(void** state) {
  (void)state;
  static const char* const kIntegrator[] = {"Euler", "implicit", "implicitfast", "RK4"};
  static const char* const kWorld[] = {
      "<worldbody><flexcomp name='soft' type='grid' count='3 3 3' spacing='.1 .1 .1' radius='.01' "
      "mass='1' dim='3'><edge damping='1'/><contact selfcollide='none'/><elasticity young='1e4' "
      "poisson='.2'/></flexcomp></worldbody>",
      "<worldbody><body><joint name='a' axis='0 1 0'/><geom type='capsule' size='.05' "
      "fromto='0 0 0 .5 0 0'/><body pos='.5 0 0'><joint name='b' axis='0 1 1'/><geom type='box' "
      "size='.2 .05 .02'/></body></body><body pos='0 1 0'><joint name='c' axis='1 1 0'/><geom "
      "type='ellipsoid' size='.1 .2 .3' fluidshape='ellipsoid'/></body></worldbody>"
      "<tendon><fixed name='t' damping='3' stiffness='5'><joint joint='a' coef='1'/><joint "
      "joint='c' coef='-.7'/></fixed></tendon><actuator><muscle tendon='t' lengthrange='-3 3'/>"
      "<damper joint='b' kv='2' ctrlrange='0 1'/></actuator>"};
  for (int k = 0; k < 8; k++) {
    char xml[4000];
    snprintf(xml, sizeof xml,
             "<mujoco><option integrator='%s' density='50' viscosity='.2' wind='1 .5 0'>"
             "<flag contact='disable'/></option>" REPORT "%s</mujoco>",
             kIntegrator[k % 4], kWorld[k / 4]);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    unsigned long long seed = 5;
    for (int i = 0; i < m->nv; i++) d->qvel[i] = scene_random(&seed);
    for (int i = 0; i < 100; i++) {
      for (int u = 0; u < m->nu; u++) d->ctrl[u] = .5 + .5 * sin(.1 * i + u);
      mj_step(m, d);
      snCertificate c;
      assert_true(sn_getCertificate(m, d, &c));
      if (!(fabs(c.closure) <= 1e-9 * (c.kinetic + fabs(c.stored)))) {
        fail_msg("%s, world %d, step %d: %g J are left over of %g", kIntegrator[k % 4], k / 4, i,
                 c.closure, c.kinetic);
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// What a certificate calls work is work: force times way; and what is lost is lost to the damper.
static void test_work(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option timestep='.0005' gravity='0 0 0'/>" REPORT
      "<worldbody><body><joint name='x' type='slide' axis='1 0 0' damping='2'/><geom size='.1' "
      "mass='1'/></body></worldbody><actuator><motor joint='x'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  double work = 0, lost = 0, damper = 0;
  d->ctrl[0] = 3;
  while (d->time < 1) {
    snCertificate c;
    double v = d->qvel[0];
    mj_step(m, d);
    assert_true(sn_getCertificate(m, d, &c));
    work += c.actuators;
    lost += c.dissipated;
    damper += .0005 * 2 * (v + d->qvel[0]) * (v + d->qvel[0]) / 4;
  }
  assert_true(fabs(work / (3 * d->qpos[0]) - 1) < 1e-3);
  assert_true(fabs(lost / damper - 1) < 1e-3);
  assert_true(fabs((work - lost) / (d->qvel[0] * d->qvel[0] / 2) - 1) < 1e-3);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Contacts, limits, friction loss and a soft loop; with loops that close and balls that bounce.
static const char kScene[] =
    "<mujoco><option timestep='.002' cone='%s' solver='%s'/><custom>"
    "<text name='sinew:report' data='on'/>%s</custom><worldbody>"
    "<geom name='floor' type='plane' size='3 3 1'/>"
    "<body name='box' pos='0 0 .12' euler='5 5 0'><freejoint/><geom name='box' type='box' "
    "size='.1 .1 .1'/></body><body pos='1 0 .5'><joint name='hinge' axis='0 1 0' limited='true' "
    "range='-20 20' frictionloss='.1'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/>"
    "<body name='tip' pos='.3 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.02' "
    "fromto='0 0 0 .2 0 .1'/></body></body><body pos='-1 0 .5'><freejoint/><geom name='ball' "
    "size='.1'/></body></worldbody><equality><connect body1='tip' anchor='.2 0 .1'/></equality>"
    "</mujoco>";

static void test_contact(void** state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    char xml[4000];
    snprintf(xml, sizeof xml, kScene, k % 2 ? "elliptic" : "pyramidal", k ? "Newton" : "CG",
             k / 2 == 0 ? ""
             : k / 2 == 1
                 ? "<text name='sinew:loops' data='closed'/>"
                 : "<tuple name='sinew:restitution'><element objtype='geom' objname='ball' "
                   "prm='.8'/></tuple>");
    mjModel* m = scene_model(xml);
    m->opt.tolerance = 1e-12;
    mjData *d = mj_makeData(m), *a = mj_makeData(m), *b = mj_makeData(m);
    int floor = mj_name2id(m, mjOBJ_GEOM, "floor"), touched = 0;
    double gap = 0, loose = 0, projected = 0;
    for (int i = 0; i < 300; i++) {
      check_step(m, d, a, b);
      snCertificate c;
      assert_true(sn_getCertificate(m, d, &c));
      if (!(c.gap >= -1e-9 * (1 + c.cost)) || !(c.gap <= 1e-6 * (1 + c.cost))) {
        fail_msg("step %d: gap %g of %g", i, c.gap, c.cost);
      }
      double scale = c.kinetic + fabs(c.stored) + fabs(c.contacts) + fabs(c.projection) + 1e-3;
      // the power of the residual, and rounding
      double loss = m->opt.timestep * m->nv * mju_norm(d->qvel, m->nv) * c.residual;
      if (!(fabs(c.closure) <= loss + 1e-9 * scale)) fail_msg("step %d: closure %g", i, c.closure);
      if (c.penetration > 0) touched += c.penetration_geom1 == floor;
      gap = fmax(gap, c.loop);
      projected = fmax(projected, fabs(c.projection));
    }
    assert_true(touched > 100);
    if (k / 2 == 1) assert_true(gap < 1e-9 && projected > 0);
    if (k / 2 == 0) assert_true(gap > 1e-6 && projected == 0);
    // a solver that stops early has a gap, and the residual of the equation that it did not solve
    m->opt.solver = mjSOL_PGS;
    m->opt.iterations = 1;
    m->opt.disableflags |= mjDSBL_WARMSTART;
    for (int i = 0; i < 5; i++) {
      snCertificate c;
      mj_step(m, d);
      assert_true(sn_getCertificate(m, d, &c));
      loose = fmax(loose, c.gap / (1 + c.cost));
    }
    if (!(loose > 1e-6)) fail_msg("case %d: gap %g after one iteration", k, loose);
    mj_deleteData(a);
    mj_deleteData(b);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Certificates leave mjData as it is: the same bits with and without.
static void test_untouched(void** state) {
  (void)state;
  static const int kIntegrator[] = {mjINT_EULER, mjINT_IMPLICIT, mjINT_IMPLICITFAST, mjINT_RK4};
  char xml[4000];
  snprintf(xml, sizeof xml, kScene, "elliptic", "Newton", "");
  mjModel* m = scene_model(xml);
  for (int k = 0; k < 4; k++) {
    m->opt.integrator = kIntegrator[k];
    mjData *d = mj_makeData(m), *plain = mj_makeData(m);
    assert_true(sn_certify(m, plain, 0));
    snCertificate c;
    for (int i = 0; i < 200; i++) {
      mj_step(m, d);
      mj_step(m, plain);
      assert_false(sn_getCertificate(m, plain, &c));
      assert_memory_equal(d->qpos, plain->qpos, sizeof(double) * (size_t)m->nq);
      assert_memory_equal(d->qfrc_constraint, plain->qfrc_constraint,
                          sizeof(double) * (size_t)m->nv);
      assert_memory_equal(d->efc_force, plain->efc_force, sizeof(double) * (size_t)d->nefc);
      assert_memory_equal(d->energy, plain->energy, sizeof d->energy);
    }
    mj_deleteData(d);
    mj_deleteData(plain);
  }
  mj_deleteModel(m);
}

// By program, by names, with hard contact; an arena that grew and a warning that was raised.
static void test_interface(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><size memory='20K'/><worldbody><geom type='plane' size='3 3 1'/>"
      "<body pos='0 0 .09'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "<body pos='1 0 .09'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>"
      "</mujoco>");
  mjData* d = mj_makeData(m);
  snCertificate c;
  assert_false(sn_getCertificate(m, d, &c));
  mj_step(m, d);
  assert_false(sn_getCertificate(m, d, &c));
  assert_true(sn_certify(m, d, 1));
  assert_false(sn_getCertificate(m, d, &c));
  mj_step(m, d);
  assert_true(sn_getCertificate(m, d, &c));
  assert_true(c.arena == (double)d->maxuse_arena && c.warnings == 0);
  mj_warning(d, mjWARN_BADCTRL, 0);
  mj_step(m, d);
  assert_true(sn_getCertificate(m, d, &c) && c.warnings == 1);
  int n = 0, objects = 0;
  for (; sn_certificateName(n); n++) objects += sn_certificateObject(n) != mjOBJ_UNKNOWN;
  assert_true(n == 30 && objects == 5);
  assert_true(sn_certificateValue(&c, 0) == c.time && sn_certificateValue(&c, n) == 0);
  assert_string_equal(sn_certificateName(7), "penetration_geom1");
  assert_true(sn_certificateValue(&c, 7) == 0 && sn_certificateObject(7) == mjOBJ_GEOM);
  assert_true(sn_setSolver(m, d, "admm-ncp"));
  mj_step(m, d);
  snSolverReport report;
  assert_true(sn_getReport(m, d, &report) && sn_getCertificate(m, d, &c));
  assert_true(c.residual == report.r_natural && c.gap == report.r_compl && c.cost == 0);
  assert_true(fabs(c.closure) < 1e-9 * (c.kinetic + fabs(c.potential)));
  mj_deleteData(d);
  mj_deleteModel(m);
  scene_refused("<mujoco><custom><text name='sinew:report' data='yes'/></custom></mujoco>",
                "expected off or on");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balance),   cmocka_unit_test(test_beyond_M),
      cmocka_unit_test(test_work),      cmocka_unit_test(test_contact),
      cmocka_unit_test(test_untouched), cmocka_unit_test(test_interface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
