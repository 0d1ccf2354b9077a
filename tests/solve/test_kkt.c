// The conditions of optimality, from their definition, for every solver on random problems:
//   M (a - a0) = J'f,   f in Omega,   r = J a - aref + R f in the dual cone,   f'r = 0
#include <stdbool.h>

#include "scene.h"
#include "solve/choose.h"

static const char kScene[] =
    "<mujoco><option timestep='0.002'/>"
    "<default><geom density='500'/></default>"
    "<worldbody>"
    "  <geom type='plane' size='5 5 1' condim='%d' friction='0.7 0.03 0.01'/>"
    "  <body pos='0 0 0.15'><freejoint/><geom type='box' size='0.2 0.3 0.1' condim='%d'/>"
    "    <body pos='0.3 0 0'><joint name='h1' axis='0 1 0' frictionloss='0.4' range='-20 20'/>"
    "      <geom type='capsule' size='0.05' fromto='0 0 0 0.4 0 -0.1' condim='%d'/>"
    "      <body pos='0.4 0 -0.1'><joint name='b1' type='ball' range='0 15'/>"
    "        <geom size='0.12' condim='%d'/></body></body>"
    "    <body pos='-0.3 0 0'><joint name='h2' axis='1 0 0' frictionloss='0.1' range='-20 20'/>"
    "      <geom type='capsule' size='0.05' fromto='0 0 0 -0.4 0 -0.1'/><site name='s' pos='-0.4 0 "
    "0'/>"
    "    </body></body>"
    "  <body pos='0.1 0.9 0.18'><freejoint/><geom name='ball' size='0.2' condim='%d'/><site "
    "name='t'/></body>"
    "  <body pos='-1.5 0 0.5'><joint name='s1' type='slide' axis='0 0 1' frictionloss='2'/>"
    "    <geom size='0.1'/></body>"
    "</worldbody>"
    "<tendon><fixed name='t1' frictionloss='0.2'><joint joint='h1' coef='1'/><joint joint='h2' "
    "coef='-2'/></fixed>"
    "  <fixed name='t2' limited='true' range='-0.1 0.1'><joint joint='h1' coef='1'/><joint "
    "joint='s1' coef='1'/></fixed>"
    "</tendon>"
    "<equality><joint joint1='h1' joint2='h2' polycoef='0 0.5 0.1 0 0'/>"
    "  <connect site1='s' site2='t'/></equality>"
    "</mujoco>";

static mjModel* make_scene(int condim) {
  char xml[8000];
  snprintf(xml, sizeof xml, kScene, condim, condim, condim, condim, condim);
  return scene_model(xml);
}

typedef struct Residuals_ {
  double stationarity, membership, slack, complementarity;
} Residuals;

static double norm_of(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

static double worse(double a, double b) { return b > a || b != b ? b : a; }

// All residuals relative to the size of forces and accelerations.
static Residuals residuals(const mjModel* m, const mjData* d) {
  int nv = m->nv, n = d->nefc, sparse = mj_isSparse(m);
  double* M = calloc((size_t)nv * nv, sizeof(double));
  double* Jtf = calloc((size_t)nv, sizeof(double));
  double* r = calloc((size_t)n, sizeof(double));
  const double* f = d->efc_force;
  mj_fullM(m, M, d->qM);
  for (int i = 0; i < n; i++) {
    r[i] = d->efc_R[i] * f[i] - d->efc_aref[i];
    int nnz = sparse ? d->efc_J_rownnz[i] : nv;
    for (int k = 0; k < nnz; k++) {
      int c = sparse ? d->efc_J_colind[d->efc_J_rowadr[i] + k] : k;
      double J = sparse ? d->efc_J[d->efc_J_rowadr[i] + k] : d->efc_J[i * nv + k];
      r[i] += J * d->qacc[c];
      Jtf[c] += J * f[i];
    }
  }
  double force = norm_of(f, n) + 1e-9;
  double accel = norm_of(d->efc_aref, n) + norm_of(d->efc_b, n) + norm_of(d->qacc, nv) + 1e-9;
  // the terms that cancel in r: |A| |f| for the dual solver, which sums them, and diag(A) f at
  // least
  double terms = 0;
  for (int i = 0; i < n; i++) {
    double sum = fabs(d->efc_diagApprox[i] * f[i]);
    if (m->opt.solver == mjSOL_PGS) {
      sum = 0;
      for (int k = 0; k < d->efc_AR_rownnz[i]; k++) {
        int at = d->efc_AR_rowadr[i] + k;
        sum += fabs(d->efc_AR[at] * f[d->efc_AR_colind[at]]);
      }
    }
    terms = fmax(terms, sum);
  }
  accel += terms;
  Residuals q = {0};
  double scale = norm_of(Jtf, nv) + norm_of(d->qfrc_smooth, nv) + 1e-9;
  for (int i = 0; i < nv; i++) {
    double s = -Jtf[i];
    for (int k = 0; k < nv; k++) s += M[i * nv + k] * (d->qacc[k] - d->qacc_smooth[k]);
    q.stationarity = worse(q.stationarity, fabs(s) / scale);
  }
  for (int i = 0; i < n;) {
    int type = d->efc_type[i];
    if (type == mjCNSTR_EQUALITY) {
      q.slack = worse(q.slack, fabs(r[i]) / accel);
      i++;
    } else if (type == mjCNSTR_FRICTION_DOF || type == mjCNSTR_FRICTION_TENDON) {
      double loss = d->efc_frictionloss[i];
      q.membership = worse(q.membership, (fabs(f[i]) - loss) / force);
      // the part of r that pushes against a bound that is not reached
      double gap = r[i] < 0 ? loss - f[i] : f[i] + loss;
      q.complementarity = worse(q.complementarity, fabs(r[i]) * gap / (force * accel));
      i++;
    } else if (type == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact* con = d->contact + d->efc_id[i];
      double T = 0, S = 0, dot = 0;
      for (int j = 0; j < con->dim; j++) {
        dot += f[i + j] * r[i + j];
        if (!j) continue;
        double mu = con->friction[j - 1];
        T += f[i + j] * f[i + j] / (mu * mu);
        S += r[i + j] * r[i + j] * mu * mu;
      }
      q.membership = worse(q.membership, (sqrt(T) - f[i]) / force);
      q.slack = worse(q.slack, (sqrt(S) - r[i]) / accel);
      q.complementarity = worse(q.complementarity, fabs(dot) / (force * accel));
      i += con->dim;
    } else {
      q.membership = worse(q.membership, -f[i] / force);
      q.slack = worse(q.slack, -r[i] / accel);
      q.complementarity = worse(q.complementarity, fabs(f[i] * r[i]) / (force * accel));
      i++;
    }
  }
  free(M);
  free(Jtf);
  free(r);
  return q;
}

static void check_solver(int solver, int iterations) {
  static const int kDim[4] = {1, 3, 4, 6};
  long problems = 0, contacts = 0;
  for (int dim = 0; dim < 4; dim++) {
    mjModel* m = make_scene(kDim[dim]);
    mjData* d = mj_makeData(m);
    unsigned long long seed = 7 + (unsigned long long)dim;
    m->opt.solver = solver;
    m->opt.iterations = iterations;
    m->opt.tolerance = 0;
    m->opt.ls_iterations = 100;
    m->opt.ls_tolerance = 1e-10;
    for (int trial = 0; trial < 12; trial++) {
      m->opt.cone = trial & 1;
      m->opt.jacobian = trial >> 1 & 1;
      mj_resetData(m, d);
      double v[64];
      for (int i = 0; i < m->nv; i++) {
        v[i] = scene_random(&seed);
        d->qvel[i] = scene_random(&seed);
        d->qfrc_applied[i] = 5 * scene_random(&seed);
      }
      mj_integratePos(m, d->qpos, v, 0.05);
      mj_forward(m, d);
      assert_true(d->nefc > 5);
      contacts += d->ncon;
      problems++;
      Residuals q = residuals(m, d);
      if (!(q.stationarity < 1e-10 && q.membership < 1e-10 && q.slack < 1e-10 &&
            q.complementarity < 1e-10)) {
        fail_msg(
            "solver %d condim %d trial %d: stationarity %g membership %g slack %g "
            "complementarity %g after %d iterations",
            solver, kDim[dim], trial, q.stationarity, q.membership, q.slack, q.complementarity,
            d->solver_niter[0]);
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  assert_int_equal(problems, 48);
  assert_true(contacts > 48);
}

static void test_newton(void** state) {
  (void)state;
  check_solver(mjSOL_NEWTON, 50);
}

static void test_cg(void** state) {
  (void)state;
  check_solver(mjSOL_CG, 3000);
}

// A chain of hinges, each with these attributes; what follows the bodies is written behind it.
static int make_chain(char* xml, size_t size, int joints, const char* attributes) {
  int at = snprintf(xml, size, "<mujoco><option tolerance='0' iterations='500'/><worldbody>");
  for (int i = 0; i < joints; i++) {
    at += snprintf(xml + at, size - (size_t)at,
                   "<body pos='.1 0 0'><joint name='j%d' axis='0 %d 1' %s/>"
                   "<geom size='.05' contype='0' conaffinity='0'/>",
                   i, i % 2, attributes);
  }
  for (int i = 0; i < joints; i++) at += snprintf(xml + at, size - (size_t)at, "</body>");
  return at + snprintf(xml + at, size - (size_t)at, "</worldbody>");
}

static void check_chain(const char* xml, int nefc) {
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 4; k++) {
    m->opt.solver = k & 1 ? mjSOL_CG : mjSOL_NEWTON;
    m->opt.jacobian = k & 2 ? mjJAC_SPARSE : mjJAC_DENSE;
    mj_resetData(m, d);
    mj_forward(m, d);
    assert_int_equal(d->nefc, nefc);
    Residuals q = residuals(m, d);
    if (!(q.stationarity < 1e-10 && q.membership < 1e-10 && q.slack < 1e-10 &&
          q.complementarity < 1e-10)) {
      fail_msg("solver %d: stationarity %g membership %g slack %g complementarity %g",
               m->opt.solver, q.stationarity, q.membership, q.slack, q.complementarity);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Rows over many neighbouring dofs: limits of tendons along a chain.
static void test_long_rows(void** state) {
  (void)state;
  enum { JOINTS = 27 };
  char xml[8000];
  int at = make_chain(xml, sizeof xml, JOINTS, "");
  at += snprintf(xml + at, sizeof xml - (size_t)at, "<tendon>");
  for (int n = 12; n <= JOINTS; n += 3) {
    at += snprintf(xml + at, sizeof xml - (size_t)at, "<fixed range='.01 9'>");
    for (int i = 0; i < n; i++) {
      at += snprintf(xml + at, sizeof xml - (size_t)at, "<joint joint='j%d' coef='%g'/>", i,
                     1 + 0.1 * (i % 5));
    }
    at += snprintf(xml + at, sizeof xml - (size_t)at, "</fixed>");
  }
  snprintf(xml + at, sizeof xml - (size_t)at, "</tendon></mujoco>");
  check_chain(xml, 6);
}

// Both limits of a joint within their margin: two rows over one dof.
static void test_both_limits(void** state) {
  (void)state;
  char xml[8000];
  static const int kJoints[] = {3, 20, 45};  // a system of each size
  for (int k = 0; k < 3; k++) {
    int at = make_chain(xml, sizeof xml, kJoints[k], "range='-2 3' margin='9'");
    snprintf(xml + at, sizeof xml - (size_t)at, "</mujoco>");
    check_chain(xml, 2 * kJoints[k]);
  }
}

static void test_pgs(void** state) {
  (void)state;
  check_solver(mjSOL_PGS, 20000);
}

// A problem that cannot be solved in the iterations allowed still gives finite accelerations and a
// cost not above that of doing nothing.
static void test_unconverged(void** state) {
  (void)state;
  mjModel* m = make_scene(3);
  mjData* d = mj_makeData(m);
  for (int solver = 0; solver < 3; solver++) {
    m->opt.solver = solver;
    m->opt.iterations = 1;
    mj_resetData(m, d);
    for (int i = 0; i < 50; i++) mj_step(m, d);
    for (int i = 0; i < m->nv; i++) assert_true(isfinite(d->qacc[i]));
    assert_true(d->solver_niter[0] <= 1);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// The cost at an acceleration.
static double cost_at(const mjModel* m, mjData* d, const double* acc) {
  double jar[1024], Ma[64], cost;
  assert_true(d->nefc <= 1024 && m->nv <= 64);
  mj_mulJacVec(m, d, jar, acc);
  for (int i = 0; i < d->nefc; i++) jar[i] -= d->efc_aref[i];
  mj_constraintUpdate(m, d, jar, &cost, 0);
  mj_mulM(m, d, Ma, acc);
  for (int i = 0; i < m->nv; i++) {
    cost += 0.5 * (Ma[i] - d->qfrc_smooth[i]) * (acc[i] - d->qacc_smooth[i]);
  }
  return cost;
}

// Fingers through a floor, on one palm or each in a tree of its own.
static mjModel* make_hand(int fingers, int joints, bool palm) {
  char xml[16000];
  int at = snprintf(xml, sizeof xml, "<mujoco><worldbody><geom type='plane' size='1 1 1'/>%s",
                    palm ? "<body pos='0 0 .05'><freejoint/><geom size='.06'/>" : "");
  for (int f = 0; f < fingers; f++) {
    for (int j = 0; j < joints; j++) {
      at += snprintf(xml + at, sizeof xml - (size_t)at,
                     "<body pos='%g %g %g'><joint axis='%d 1 0' range='-60 60'/><geom "
                     "type='capsule' size='.012' fromto='0 0 0 .04 0 0'/>",
                     j ? 0.04 : 0.02, j ? 0 : 0.02 * f, j || palm ? 0 : 0.02, j == 0);
    }
    for (int j = 0; j < joints; j++) at += snprintf(xml + at, sizeof xml - (size_t)at, "</body>");
  }
  snprintf(xml + at, sizeof xml - (size_t)at, "%s</worldbody></mujoco>", palm ? "</body>" : "");
  return scene_model(xml);
}

// Rows so stiff that beside them M is lost in M + J'WJ: Newton's method comes down all the same,
// to where rows push against each other.
static void test_stiff(void** state) {
  (void)state;
  static const struct {
    int fingers, joints;
    bool palm;
  } kHands[] = {{3, 3, true}, {4, 4, true}, {4, 4, false}, {5, 8, true}};  // a system of each kind
  unsigned long long seed = 3;
  for (int k = 0; k < 4; k++) {
    mjModel* m = make_hand(kHands[k].fingers, kHands[k].joints, kHands[k].palm);
    mjData* d = mj_makeData(m);
    int stiff = 0;
    for (int trial = 0; trial < 400 / kTrialShare; trial++) {
      double weight[128], acc[64];
      for (int i = 0; i < 2 * m->nbody; i++) {
        weight[i] = m->body_invweight0[i];
        m->body_invweight0[i] *= pow(10, -7 * (1 + scene_random(&seed)));
      }
      m->opt.cone = trial & 1;
      mj_resetData(m, d);
      for (int i = 0; i < m->nv; i++) {
        acc[i] = scene_random(&seed);
        d->qvel[i] = 3 * scene_random(&seed);
        d->qacc_warmstart[i] = 100 * scene_random(&seed);
      }
      mj_integratePos(m, d->qpos, acc, 0.7);
      mj_forward(m, d);
      for (int i = 0; i < 2 * m->nbody; i++) m->body_invweight0[i] = weight[i];
      for (int i = 0; i < m->nv; i++) acc[i] = d->qacc[i];
      double before = cost_at(m, d, d->qacc_smooth), after = cost_at(m, d, acc);
      if (before < 1e12) continue;
      stiff++;
      if (!(after <= before)) {
        fail_msg("hand %d trial %d: cost %g from %g after %d iterations", k, trial, after, before,
                 d->solver_niter[0]);
      }
    }
    assert_true(stiff > 200 / kTrialShare);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// A row that is no number leaves the motion finite: unconstrained where the row acts.
static void test_nan(void** state) {
  (void)state;
  for (int solver = 0; solver < 3; solver++) {
    for (int cone = 0; cone < 2; cone++) {
      mjModel* m = make_scene(3);
      mjData* d = mj_makeData(m);
      m->opt.solver = solver;
      m->opt.cone = cone;
      mj_forward(m, d);
      assert_true(d->nefc > 0);
      for (int row = 0; row < d->nefc; row++) {
        mjtNum keep = d->efc_aref[row];
        d->efc_aref[row] = NAN;
        mj_fwdConstraint(m, d);
        d->efc_aref[row] = keep;
        for (int i = 0; i < m->nv; i++) {
          assert_true(isfinite(d->qacc[i]));
          assert_true(isfinite(d->qfrc_constraint[i]));
        }
        for (int i = 0; i < d->nefc; i++) assert_true(isfinite(d->efc_force[i]));
      }
      mj_deleteData(d);
      mj_deleteModel(m);
    }
  }
}

// Every variant of Newton's method on every scene of this file, where it can be taken, whatever its
// price.
static void check_variant(snVariant variant) {
  static void (*const kTests[])(void**) = {test_newton,      test_long_rows, test_both_limits,
                                           test_unconverged, test_stiff,     test_nan};
  choose_forced = (int)variant;
  for (size_t i = 0; i < sizeof kTests / sizeof *kTests; i++) kTests[i](NULL);
  choose_forced = -1;
}

static void test_small(void** state) {
  (void)state;
  check_variant(snNEWTON_SMALL);
}

static void test_wide(void** state) {
  (void)state;
  check_variant(snNEWTON_WIDE);
}

static void test_blocks(void** state) {
  (void)state;
  check_variant(snNEWTON_BLOCKS);
}

static void test_rows(void** state) {
  (void)state;
  check_variant(snNEWTON_ROWS);
}

// All variants of one problem find one solution, and the override takes the variant it names.
static void test_variants_agree(void** state) {
  (void)state;
  unsigned long long seed = 11;
  int taken[snNEWTON_ROWS + 1] = {0};
  for (int k = 0; k < 3; k++) {
    mjModel* m = make_hand(3 + k, 3 + 2 * k, true);
    mjData* d = mj_makeData(m);
    m->opt.tolerance = 0;
    m->opt.iterations = 50;
    m->opt.ls_tolerance = 1e-10;
    for (int trial = 0; trial < 20; trial++) {
      double expected[64], most = 1, v[64];
      m->opt.cone = trial & 1;
      mj_resetData(m, d);
      for (int i = 0; i < m->nv; i++) {
        v[i] = scene_random(&seed);
        d->qvel[i] = scene_random(&seed);
      }
      mj_integratePos(m, d->qpos, v, 0.3);
      mj_forward(m, d);
      snSizes sizes = {mjSOL_NEWTON, m->nv, m->ntree, d->ne, d->nf, d->nefc, true};
      for (int i = 0; i < m->nv; i++) {
        expected[i] = d->qacc[i];
        most = fmax(most, fabs(expected[i]));
      }
      for (int variant = snNEWTON_SMALL; variant <= snNEWTON_ROWS; variant++) {
        choose_forced = variant;
        if ((int)choose_variant(&sizes) == variant) taken[variant]++;
        mju_zero(d->qacc_warmstart, m->nv);
        mj_fwdConstraint(m, d);
        choose_forced = -1;
        for (int i = 0; i < m->nv; i++) {
          if (!(fabs(d->qacc[i] - expected[i]) < 1e-8 * most)) {
            fail_msg("hand %d trial %d variant %d: acceleration %d is %g, expected %g", k, trial,
                     variant, i, d->qacc[i], expected[i]);
          }
        }
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  for (int variant = snNEWTON_SMALL; variant <= snNEWTON_ROWS; variant++) {
    assert_true(taken[variant] > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_newton),        cmocka_unit_test(test_cg),
      cmocka_unit_test(test_long_rows),     cmocka_unit_test(test_both_limits),
      cmocka_unit_test(test_pgs),           cmocka_unit_test(test_unconverged),
      cmocka_unit_test(test_stiff),         cmocka_unit_test(test_nan),
      cmocka_unit_test(test_small),         cmocka_unit_test(test_wide),
      cmocka_unit_test(test_blocks),        cmocka_unit_test(test_rows),
      cmocka_unit_test(test_variants_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
