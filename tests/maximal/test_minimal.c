// The same models in minimal and in maximal coordinates: states map both ways, and the motions
// converge to each other at first order in the step.
#include <sinew/maximal.h>
#include <stdbool.h>

#include "scene.h"

#define ARM "<geom type='capsule' size='.04' fromto='0 0 0 .1 .05 -.4' mass='1'/>"
#define TIP "<geom type='box' size='.05 .08 .1' pos='.2 0 -.2' mass='.7'/>"

typedef struct Case_ {
  const char* name;
  const char* xml;
} Case;

#define MODEL(body)                                                                    \
  "<mujoco><option timestep='.001'><flag contact='disable'/></option><worldbody>" body \
  "</worldbody></mujoco>"
#define PAIR(joints)                                                                            \
  MODEL("<body pos='.1 .2 1'>" joints ARM "<body pos='.1 .05 -.4' euler='20 30 10'>" joints TIP \
        "</body></body>")

static const Case kCases[] = {
    {"revolute", PAIR("<joint axis='1 2 3' pos='.05 0 .02'/>")},
    {"prismatic", PAIR("<joint type='slide' axis='1 2 3' stiffness='40'/>")},
    {"cylindrical",
     PAIR("<joint type='slide' axis='1 1 1' stiffness='40'/><joint axis='1 1 1' pos='.1 0 0'/>")},
    {"universal", PAIR("<joint axis='1 0 0' pos='0 0 .1'/><joint axis='0 1 0' pos='0 0 .1'/>")},
    {"spherical", PAIR("<joint type='ball' pos='0 .03 .1'/>")},
    {"planar", PAIR("<joint type='slide' axis='1 0 0' stiffness='30'/><joint type='slide' "
                    "axis='0 0 1' stiffness='30'/><joint axis='0 1 0'/>")},
    {"free", MODEL("<body pos='0 0 1'><freejoint/>" ARM TIP "</body>")},
    {"chain", PAIR("<joint axis='1 0 0' pos='0 0 .1'/><joint axis='0 1 0' pos='.1 0 0'/>"
                   "<joint axis='0 0 1' pos='0 .1 0'/>")},
    {"mixed", PAIR("<joint type='slide' axis='1 0 1' stiffness='200' damping='2'/>"
                   "<joint axis='0 1 .5' stiffness='1' damping='.1'/>")},
    {"fixed", MODEL("<body pos='0 0 1'><joint axis='0 1 0'/>" ARM
                    "<body pos='.1 .05 -.4' euler='20 30 10'>" TIP "</body></body>")},
    {"damped", PAIR("<joint axis='1 2 3' damping='.4' stiffness='3' armature='.02'/>")},
    {"driven", MODEL("<body pos='0 0 1'><joint name='a' axis='0 1 0' damping='.1'/>" ARM
                     "<body pos='.1 .05 -.4'><joint name='b' type='ball' damping='.05'/>" TIP
                     "</body></body>")},
};
enum { kCount = sizeof(kCases) / sizeof(kCases[0]) };

static snMaximal* make(const mjModel* m, int keep_fixed, int stepping) {
  char error[1000];
  snMaximalOption opt;
  sn_defaultMaximal(&opt);
  opt.keep_fixed = keep_fixed;
  opt.stepping = stepping;
  opt.settings.iterations = 1000;
  opt.settings.tol_primal = opt.settings.tol_dual = opt.settings.tol_compl = 1e-11;
  snMaximal* x = sn_makeMaximal(m, &opt, error, sizeof error);
  if (!x) fail_msg("%s", error);
  return x;
}

static void random_state(const mjModel* m, mjData* d, unsigned long long seed, double speed) {
  mj_resetData(m, d);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = speed * scene_random(&seed);
  mj_integratePos(m, d->qpos, d->qvel, 0.3 / speed);
}

static double difference(const double* a, const double* b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void test_round_trip(void** state) {
  for (int c = 0; c < kCount; c++) {
    mjModel* m = scene_model(kCases[c].xml);
    mjData *d = mj_makeData(m), *back = mj_makeData(m);
    for (int keep = 0; keep < 2; keep++) {
      snMaximal* x = make(m, keep, 0);
      for (int trial = 0; trial < 5; trial++) {
        random_state(m, d, 10 * c + trial, 1);
        sn_setMaximal(x, d);
        // forget the joint coordinates: the poses alone have to bring them back
        mju_copy(x->data->qpos, m->qpos0, m->nq);
        mju_zero(x->data->qvel, m->nv);
        assert_true(sn_getMaximal(x, back) < 1e-12);
        double q = difference(d->qpos, back->qpos, m->nq);
        double v = difference(d->qvel, back->qvel, m->nv);
        if (!(q < 1e-12) || !(v < 1e-12)) fail_msg("%s: qpos %g, qvel %g", kCases[c].name, q, v);
      }
      sn_deleteMaximal(x);
    }
    mj_deleteData(d);
    mj_deleteData(back);
    mj_deleteModel(m);
  }
}

static void body_centers(const mjModel* m, mjData* d, double* centers) {
  mj_kinematics(m, d);
  mju_copy(centers, d->xipos + 3, 3 * (m->nbody - 1));
}

// Largest distance of body centers after a second at step h.
static double gap_after(const Case* c, double h, int stepping, double* joint_error) {
  mjModel* m = scene_model(c->xml);
  m->opt.timestep = h;
  mjData *d = mj_makeData(m), *e = mj_makeData(m);
  random_state(m, d, 77, 0.8);
  snMaximal* x = make(m, 0, stepping);
  sn_setMaximal(x, d);
  int n = (int)(1 / h + 0.5);
  *joint_error = 0;
  for (int i = 0; i < n; i++) {
    mj_step(m, d);
    assert_int_equal(sn_stepMaximal(x), 1);
    *joint_error = fmax(*joint_error, x->joint_error);
  }
  sn_getMaximal(x, e);
  double a[30], b[30];
  body_centers(m, d, a);
  body_centers(m, e, b);
  double gap = difference(a, b, 3 * (m->nbody - 1));
  sn_deleteMaximal(x);
  mj_deleteData(d);
  mj_deleteData(e);
  mj_deleteModel(m);
  return gap;
}

static void test_first_order(void** state) {
  for (int c = 0; c < kCount; c++) {
    for (int stepping = 0; stepping < 2; stepping++) {
      double gap[3], error = 0;
      for (int k = 0; k < 3; k++)
        gap[k] = gap_after(kCases + c, 0.002 / (1 << k), stepping, &error);
      // halving the step halves the gap, or better
      bool converges = gap[1] < 0.62 * gap[0] + 1e-11 && gap[2] < 0.62 * gap[1] + 1e-11;
      if (!converges || (stepping == snSTEPPING_EULER && !(error < 1e-4))) {
        fail_msg("%s, %s: %g %g %g, joints %g", kCases[c].name, stepping ? "moreau" : "euler",
                 gap[0], gap[1], gap[2], error);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_first_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
