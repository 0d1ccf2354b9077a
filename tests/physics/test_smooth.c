// Truths of the smooth dynamics on random trees with every type of joint.
#include "base/base.h"
#include "scene.h"

typedef struct Random_ {
  unsigned long long seed;
} Random;

static double draw(Random* r) { return scene_random(&r->seed); }

// A forest of n bodies: every body hangs from an earlier one or from the world, joints and shapes
// are drawn at random; a body of the world may be free.
static mjModel* random_tree(Random* r, int n, const char* option, bool springs) {
  static char text[100000];

  char* at = text;
  char* end = text + sizeof text;
  at += snprintf(at, end - at, "<mujoco><option %s/><worldbody>", option);
  int depth = 0;
  for (int b = 1; b <= n; b++) {
    // close bodies until the parent is on top
    int keep = (int)((draw(r) + 1) * 0.5 * (depth + 1));
    if (draw(r) < 0.5) keep = depth;
    while (depth > keep) at += snprintf(at, end - at, "</body>"), depth--;
    depth++;

    at += snprintf(at, end - at, "<body pos='%.3f %.3f %.3f' euler='%.1f %.1f %.1f'>", draw(r),
                   draw(r), draw(r), 180 * draw(r), 180 * draw(r), 180 * draw(r));
    int kind = (int)((draw(r) + 1) * 3);
    double k = springs ? 1 + draw(r) * 0.5 : 0;
    if (depth == 1 && kind == 0) {
      at += snprintf(at, end - at, "<freejoint/>");
    } else if (kind == 1) {
      at += snprintf(at, end - at,
                     "<joint type='ball' pos='%.3f %.3f 0' stiffness='%.3f' damping='%.3f'/>",
                     draw(r), draw(r), k, k);
    } else if (kind == 2) {
      at += snprintf(at, end - at,
                     "<joint type='slide' axis='%.3f 1 0' stiffness='%.3f' damping='%.3f'/>"
                     "<joint axis='1 %.3f 0' pos='0 .1 %.3f' stiffness='%.3f' damping='%.3f'/>",
                     draw(r), k, k, draw(r), draw(r), k, k);
    } else if (kind != 5 || depth == 1) {
      at += snprintf(at, end - at,
                     "<joint axis='%.3f %.3f 1' pos='%.3f 0 0' stiffness='%.3f' damping='%.3f'/>",
                     draw(r), draw(r), draw(r), k, k);
    }
    at += snprintf(at, end - at,
                   "<geom type='%s' size='%.3f %.3f %.3f' pos='%.3f %.3f %.3f' euler='%.1f 20 30' "
                   "contype='0' conaffinity='0'/><site name='s%d' pos='%.3f 0 %.3f'/>",
                   kind % 2 ? "box" : "ellipsoid", 0.1 + 0.05 * draw(r), 0.1 + 0.05 * draw(r),
                   0.1 + 0.05 * draw(r), draw(r), draw(r), draw(r), 90 * draw(r), b, draw(r),
                   draw(r));
  }
  while (depth--) at += snprintf(at, end - at, "</body>");
  snprintf(at, end - at, "</worldbody></mujoco>");
  return scene_model(text);
}

static void random_state(const mjModel* m, mjData* d, Random* r) {
  mj_resetData(m, d);
  double* step = mju_malloc(m->nv * sizeof(double));
  for (int i = 0; i < m->nv; i++) step[i] = draw(r);
  mj_integratePos(m, d->qpos, step, 1);
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = draw(r);
    d->qacc[i] = draw(r);
  }
  mju_free(step);
}

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance * fmax(1, fabs(b)))) fail_msg("%.17g is not %.17g", a, b);
}

static const int kSizes[] = {1, 2, 7, 20, 60};
#define EACH_TREE(option, springs)                                       \
  Random r = {2026};                                                     \
  for (int size = 0; size < 5; size++)                                   \
    for (mjModel* m = random_tree(&r, kSizes[size], option, springs); m; \
         mj_deleteModel(m), m = NULL)                                    \
      for (mjData* d = mj_makeData(m); d; mj_deleteData(d), d = NULL)    \
        for (int round = 0; round < 4; round++)

// 1/2 v'Mv = sum over bodies of 1/2 m v.v + 1/2 w.Iw
static void test_kinetic_energy(void** state) {
  EACH_TREE("", false) {
    random_state(m, d, &r);
    mj_fwdPosition(m, d);
    mj_fwdVelocity(m, d);
    mj_energyVel(m, d);
    double sum = 0;
    for (int b = 1; b < m->nbody; b++) {
      double v[6];
      mj_objectVelocity(m, d, mjOBJ_BODY, b, v, 1);
      for (int k = 0; k < 3; k++) {
        sum += 0.5 *
               (m->body_inertia[3 * b + k] * v[k] * v[k] + m->body_mass[b] * v[3 + k] * v[3 + k]);
      }
    }
    near(d->energy[1], sum, 1e-11);
  }
}

// RNE(q, v, a) = M a + c
static void test_newton_euler(void** state) {
  EACH_TREE("", false) {
    random_state(m, d, &r);
    mj_fwdPosition(m, d);
    mj_fwdVelocity(m, d);
    double* force = mju_malloc(2 * m->nv * sizeof(double));
    for (int i = 0; i < m->nv; i++) d->qacc[i] = draw(&r);
    mj_rne(m, d, 1, force);
    mj_mulM(m, d, force + m->nv, d->qacc);
    for (int i = 0; i < m->nv; i++) near(force[i], force[m->nv + i] + d->qfrc_bias[i], 1e-10);
    mju_free(force);
  }
}

// M = sum over bodies of J'DJ at their com; and M inv(M) x = x
static void test_inertia(void** state) {
  EACH_TREE("", false) {
    random_state(m, d, &r);
    mj_fwdPosition(m, d);
    int nv = m->nv;
    double* dense = mju_malloc((2 * nv * nv + 6 * nv) * sizeof(double));
    double *sum = dense + nv * nv, *jacp = sum + nv * nv, *jacr = jacp + 3 * nv;
    mj_fullM(m, dense, d->qM);
    memset(sum, 0, nv * nv * sizeof(double));
    for (int b = 1; b < m->nbody; b++) {
      double local[9];
      mj_jacBodyCom(m, d, jacp, jacr, b);
      for (int k = 0; k < 3; k++) {
        // the k-th principal axis sees the rotation along itself
        for (int c = 0; c < 3; c++) local[c] = d->ximat[9 * b + 3 * c + k];
        for (int i = 0; i < nv; i++) {
          double wi = local[0] * jacr[i] + local[1] * jacr[nv + i] + local[2] * jacr[2 * nv + i];
          for (int j = 0; j < nv; j++) {
            double wj = local[0] * jacr[j] + local[1] * jacr[nv + j] + local[2] * jacr[2 * nv + j];
            sum[i * nv + j] += m->body_inertia[3 * b + k] * wi * wj +
                               m->body_mass[b] * jacp[k * nv + i] * jacp[k * nv + j];
          }
        }
      }
    }
    for (int i = 0; i < nv; i++) sum[i * nv + i] += m->dof_armature[i];
    for (int i = 0; i < nv * nv; i++) near(dense[i], sum[i], 1e-9);
    mj_mulM(m, d, jacp, d->qvel);
    mj_solveM(m, d, jacr, jacp, 1);
    for (int i = 0; i < nv; i++) near(jacr[i], d->qvel[i], 1e-8);
    mju_free(dense);
  }
}

// Jacobians and their rates against central differences along qvel
static void test_jacobians(void** state) {
  const double h = 1e-6;
  EACH_TREE("", false) {
    random_state(m, d, &r);
    mj_fwdPosition(m, d);
    mj_fwdVelocity(m, d);
    int nv = m->nv, site = m->nsite - 1;
    mjData* e = mj_makeData(m);
    double* jac = mju_malloc(18 * nv * sizeof(double));
    double *rate = jac + 6 * nv, point[2][3], side[2][6];
    mj_jacSite(m, d, jac, jac + 3 * nv, site);
    mj_jacDot(m, d, rate, rate + 3 * nv, d->site_xpos + 3 * site, m->site_bodyid[site]);
    for (int k = 0; k < 2; k++) {
      double* other = jac + 12 * nv;
      mju_copy(e->qpos, d->qpos, m->nq);
      mj_integratePos(m, e->qpos, d->qvel, k ? h : -h);
      mj_fwdPosition(m, e);
      mju_copy3(point[k], e->site_xpos + 3 * site);
      mj_jacSite(m, e, other, other + 3 * nv, site);
      for (int c = 0; c < 6; c++) side[k][c] = mju_dot(other + c * nv, d->qvel, nv);
    }
    for (int c = 0; c < 3; c++) {
      near((point[1][c] - point[0][c]) / (2 * h), mju_dot(jac + c * nv, d->qvel, nv), 1e-7);
    }
    // Jdot v, on the constant velocity that both sides share
    for (int c = 0; c < 6; c++) {
      near((side[1][c] - side[0][c]) / (2 * h), mju_dot(rate + c * nv, d->qvel, nv), 1e-5);
    }
    mju_free(jac);
    mj_deleteData(e);
  }
}

// In free flight neither momentum nor spin about the com changes.
static void test_free_flight(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option gravity='0 0 0' timestep='0.0001' integrator='RK4'/><worldbody><body>"
      "<freejoint/><geom type='box' size='.1 .2 .3' contype='0' conaffinity='0'/>"
      "<body pos='.3 0 0'><joint type='ball'/><geom size='.1' pos='.2 .1 0' contype='0' "
      "conaffinity='0'/></body>"
      "<body pos='-.3 0 0'><joint axis='1 1 0'/><joint type='slide' axis='0 1 0'/>"
      "<geom size='.1' pos='-.2 .1 0' contype='0' "
      "conaffinity='0'/></body></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  Random r = {7};
  random_state(m, d, &r);
  double before[6];
  for (int i = 0; i <= 300; i++) {
    mj_forward(m, d);
    mj_subtreeVel(m, d);
    for (int k = 0; k < 3; k++) {
      if (!i) before[k] = d->subtree_linvel[3 + k], before[3 + k] = d->subtree_angmom[3 + k];
      near(d->subtree_linvel[3 + k], before[k], 1e-8);
      near(d->subtree_angmom[3 + k], before[3 + k], 1e-8);
    }
    mj_step(m, d);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Springs give back the power they take; dampers and the medium only take.
static void test_power(void** state) {
  const double h = 1e-6;
  EACH_TREE("gravity='0 0 0' density='10' viscosity='.3'", true) {
    random_state(m, d, &r);
    mj_fwdPosition(m, d);
    mj_fwdVelocity(m, d);
    double energy[2], power = mju_dot(d->qfrc_spring, d->qvel, m->nv);
    assert_true(mju_dot(d->qfrc_damper, d->qvel, m->nv) <= 0);
    assert_true(mju_dot(d->qfrc_fluid, d->qvel, m->nv) <= 1e-12);
    mjData* e = mj_makeData(m);
    for (int k = 0; k < 2; k++) {
      mju_copy(e->qpos, d->qpos, m->nq);
      mj_integratePos(m, e->qpos, d->qvel, k ? h : -h);
      mj_fwdPosition(m, e);
      mj_energyPos(m, e);
      energy[k] = e->energy[0];
    }
    near(-(energy[1] - energy[0]) / (2 * h), power, 1e-6);
    mj_deleteData(e);
  }
}

// The length of a path does not jump as it meets and leaves its obstacle: it changes no faster than
// its end moves. Inside there is one jump into the graze and one out of it, as in the released
// engine: within 5e-4 rad of passing by the path goes over the point below the middle of its ends.
static void test_wrap_continuity(void** state) {
  const char* format =
      "<mujoco><worldbody><geom name='g' type='%s' size='.1 .3' contype='0' conaffinity='0'/>"
      "<site name='a' pos='-.3 %g .02'/><site name='in' pos='.02 0 0'/>"
      "<body><joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>"
      "<geom size='.01' pos='.3 0 0' contype='0' conaffinity='0'/><site name='b' pos='.3 0 "
      "0'/></body></worldbody>"
      "<tendon><spatial><site site='a'/><geom geom='g'%s/><site "
      "site='b'/></spatial></tendon></mujoco>";
  const char* shapes[] = {"sphere", "cylinder"};
  for (int k = 0; k < 4; k++) {
    char text[1500];
    bool inside = k >= 2;
    snprintf(text, sizeof text, format, shapes[k % 2], inside ? 0.15 : 0.03,
             inside ? " sidesite='in'" : "");
    mjModel* m = scene_model(text);
    mjData* d = mj_makeData(m);
    double before = 0, step = 1e-4;
    int wrapped = 0, straight = 0, jumps = 0;
    // from far below to just before the path would change sides
    for (double y = -0.5; y < (inside ? 0.5 : -0.035); y += step) {
      d->qpos[0] = y;
      d->qpos[1] = 0.01;
      mj_kinematics(m, d);
      mj_comPos(m, d);
      mj_tendon(m, d);
      if (before > 0 && fabs(d->ten_length[0] - before) > step * (1 + 1e-6)) jumps++;
      before = d->ten_length[0];
      if (d->ten_wrapnum[0] == 4)
        wrapped++;
      else
        straight++;
    }
    assert_true(wrapped > 100 && straight > 100);
    assert_in_range(jumps, 0, inside ? 2 : 0);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The stages use the stack alone.
static void test_no_allocation(void** state) {
  Random r = {3};
  mjModel* m = random_tree(&r, 40, "", true);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  long before = memory_count();
  for (int i = 0; i < 3; i++) {
    random_state(m, d, &r);
    long own = memory_count();
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_camlight(m, d);
    mj_flex(m, d);
    mj_tendon(m, d);
    mj_makeM(m, d);
    mj_factorM(m, d);
    mj_transmission(m, d);
    mj_comVel(m, d);
    mj_passive(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    mj_fwdActuation(m, d);
    mj_subtreeVel(m, d);
    mj_rnePostConstraint(m, d);
    mj_sensorPos(m, d);
    mj_sensorVel(m, d);
    mj_sensorAcc(m, d);
    assert_int_equal(memory_count(), own);
  }
  assert_true(memory_count() >= before);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinetic_energy),  cmocka_unit_test(test_newton_euler),
      cmocka_unit_test(test_inertia),         cmocka_unit_test(test_jacobians),
      cmocka_unit_test(test_free_flight),     cmocka_unit_test(test_power),
      cmocka_unit_test(test_wrap_continuity), cmocka_unit_test(test_no_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
