// What derivatives are to each other, whatever the numbers are: reverse is the transpose of forward
// mode and both of A; forward times inverse is one; inertia and gravity have symmetric derivatives;
// dense and sparse rows, islands or not, give one A; and mjd_inverseFD agrees.
#include <stdbool.h>

#include "derive/compare.h"

// A figure on the floor that holds a loop and a ball, with actuators and activations.
static const char figure[] =
    "<mujoco><compiler autolimits='true'/><option integrator='%s' cone='%s' jacobian='%s'>"
    "<flag island='%s'/></option>"
    "<default><joint damping='.3' armature='.01'/><geom condim='4' friction='.8 .02 .01' "
    "solimp='.8 .95 .01'/></default>"
    "<worldbody><geom type='plane' size='5 5 .1'/>"
    "<body name='trunk' pos='0 0 .14'><freejoint/><geom type='box' size='.2 .1 .1'/>"
    " <body pos='.2 .1 0'><joint name='a1' axis='0 1 0' range='-40 40'/><joint axis='0 0 1'/>"
    "  <geom type='capsule' size='.05' fromto='0 0 0 .2 .1 -.05'/>"
    "  <body pos='.2 .1 -.05'><joint name='a2' axis='0 1 0' frictionloss='.2'/>"
    "   <geom type='capsule' size='.04' fromto='0 0 0 .2 0 0'/><site name='tip' pos='.2 0 0'/>"
    "  </body></body>"
    " <body name='arm' pos='.2 -.1 0'><joint name='b1' axis='0 1 0'/><joint axis='0 0 1'/>"
    "  <geom type='capsule' size='.05' fromto='0 0 0 .2 -.1 -.05'/></body>"
    " <body pos='-.2 0 0'><joint name='c' type='ball'/><geom type='capsule' size='.05' "
    "  fromto='0 0 0 -.3 0 0'/><site name='back' size='.1' pos='-.3 0 0'/></body></body>"
    "<body name='hung' pos='.5 -.2 .4'><freejoint/><geom type='sphere' "
    "size='.06'/></body></worldbody>"
    "<equality><connect body1='hung' body2='arm' anchor='-.1 0 0' solimp='.5 .9 .2'/></equality>"
    "<actuator><motor joint='a2' ctrlrange='-1 1'/><position joint='b1' kp='5' kv='.5'/>"
    "<general joint='a1' dyntype='filter' dynprm='.1' gainprm='2' gaintype='affine'/>"
    "<muscle joint='a2' lengthrange='-2 2' force='3'/></actuator>"
    "<sensor><accelerometer site='tip'/><touch site='back'/><gyro site='tip'/><force site='tip'/>"
    "<torque site='tip'/><framepos objtype='site' objname='tip'/><framequat objtype='body' "
    "objname='arm'/><actuatorfrc actuator='position'/><jointvel joint='a1'/><jointpos joint='a1'/>"
    "<ballquat joint='c'/><subtreeangmom body='trunk'/><framelinacc objtype='site' objname='back'/>"
    "<jointlimitfrc joint='a1'/><e_kinetic/><e_potential/><velocimeter site='back'/><clock/>"
    "</sensor></mujoco>";

static mjModel* figure_model(const char* integrator, const char* cone, const char* jacobian,
                             const char* island) {
  char xml[8192];
  char text[8192];
  snprintf(text, sizeof text, "%s", figure);
  char* at = strstr(text, "<position joint");
  assert_non_null(at);
  memmove(at + 9 + 16, at + 9, strlen(at + 9) + 1);
  memcpy(at + 9, " name='position'", 16);
  snprintf(xml, sizeof xml, text, integrator, cone, jacobian, island);
  mjModel* m = scene_model(xml);
  compare_tight(m);
  return m;
}

static void stir(const mjModel* m, mjData* d, int steps) {
  unsigned long long seed = 5;
  for (int i = 0; i < steps; i++) {
    for (int u = 0; u < m->nu; u++) d->ctrl[u] = 0.5 + 0.4 * scene_random(&seed);
    mj_step(m, d);
  }
}

static double* numbers(size_t n) { return calloc(n + 4, sizeof(double)); }

static void sensors_agree(void** state) {
  static const char* const integrator[] = {"Euler", "implicitfast", "RK4"};
  for (int i = 0; i < 3; i++) {
    mjModel* m = figure_model(integrator[i], i % 2 ? "elliptic" : "pyramidal", "dense", "disable");
    mjData* d = mj_makeData(m);
    stir(m, d, 60);
    assert_true(d->nefc > 8);
    snDeriveReport report;
    snCompared c = compare_step(m, d, true, &report);
    if (!(c.worst < 2e-6)) fail_msg("%s: column %d is off by %.2e", integrator[i], c.at, c.worst);
    assert_false(compare_too_few(c.columns, c.switched, 20));
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

static void reverse_is_the_transpose(void** state) {
  static const char* const integrator[] = {"Euler", "implicitfast", "implicit", "RK4"};
  for (int i = 0; i < 4; i++) {
    mjModel* m = figure_model(integrator[i], i % 2 ? "elliptic" : "pyramidal", "dense", "disable");
    mjData* d = mj_makeData(m);
    stir(m, d, 50);
    int nx = 2 * m->nv + m->na, nu = m->nu;
    double *A = numbers(nx * nx), *B = numbers(nx * nu), *x = numbers(nx), *u = numbers(nu);
    double *l = numbers(nx), *Ax = numbers(nx), *g = numbers(nx), *gu = numbers(nu);
    unsigned long long seed = 3;
    for (int k = 0; k < nx; k++) x[k] = scene_random(&seed), l[k] = scene_random(&seed);
    for (int k = 0; k < nu; k++) u[k] = scene_random(&seed);
    assert_true(sn_transition(m, d, A, B, NULL, NULL, NULL));
    assert_true(sn_jvp(m, d, x, u, Ax, NULL));
    assert_true(sn_vjp(m, d, l, g, gu, NULL));
    double forward = 0, reverse = 0, scale = 0;
    for (int k = 0; k < nx; k++) {
      double row = 0, column = 0, size = 1;
      for (int c = 0; c < nx; c++) {
        row += A[k * nx + c] * x[c], column += A[c * nx + k] * l[c];
        size += fabs(A[k * nx + c] * x[c]) + fabs(A[c * nx + k] * l[c]);
      }
      for (int c = 0; c < nu; c++) row += B[k * nu + c] * u[c], size += fabs(B[k * nu + c] * u[c]);
      assert_true(fabs(row - Ax[k]) < 1e-9 * size);
      assert_true(fabs(column - g[k]) < 1e-9 * size);
      forward += l[k] * Ax[k], reverse += g[k] * x[k];
      scale += fabs(l[k] * Ax[k]) + fabs(g[k] * x[k]);
    }
    for (int k = 0; k < nu; k++) reverse += gu[k] * u[k], scale += fabs(gu[k] * u[k]);
    if (!(fabs(forward - reverse) < 1e-12 * scale)) {
      fail_msg("%s: %.17g and %.17g", integrator[i], forward, reverse);
    }
    free(A), free(B), free(x), free(u), free(l), free(Ax), free(g), free(gu);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// da/dq = -inv(H) df/dq and da/df = inv(H), with f and H of inverse dynamics at qacc.
static void forward_times_inverse_is_one(void** state) {
  mjModel* m = figure_model("Euler", "elliptic", "dense", "disable");
  mjData* d = mj_makeData(m);
  stir(m, d, 50);
  int nv = m->nv;
  double *Fq = numbers(nv * nv), *Fv = numbers(nv * nv), *Ff = numbers(nv * nv);
  double *Iq = numbers(nv * nv), *Iv = numbers(nv * nv), *Ia = numbers(nv * nv);
  assert_true(sn_forwardDerivative(m, d, Fq, Fv, NULL, NULL, Ff, NULL));
  assert_true(sn_inverseDerivative(m, d, 1, Iq, Iv, Ia, NULL, NULL));
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      double one = 0, q = Iq[j * nv + i], v = Iv[j * nv + i], size = 1 + fabs(q),
             sizev = 1 + fabs(v);
      for (int k = 0; k < nv; k++) {
        double H = Ia[k * nv + i];  // rows of Ia are by a
        one += H * Ff[k * nv + j];
        q += H * Fq[k * nv + j], size += fabs(H * Fq[k * nv + j]);
        v += H * Fv[k * nv + j], sizev += fabs(H * Fv[k * nv + j]);
      }
      assert_true(fabs(one - (i == j)) < 1e-8);
      assert_true(fabs(q) < 1e-11 * size);
      assert_true(fabs(v) < 1e-11 * sizev);
    }
  }
  free(Fq), free(Fv), free(Ff), free(Iq), free(Iv), free(Ia);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void inverse_agrees_with_differences(void** state) {
  mjModel* m = figure_model("Euler", "pyramidal", "sparse", "disable");
  mjData* d = mj_makeData(m);
  stir(m, d, 50);
  mj_forward(m, d);
  int nv = m->nv, nM = m->nM;
  double* own[4] = {numbers(nv * nv), numbers(nv * nv), numbers(nv * nv), numbers(nv * nM)};
  double* ref[4] = {numbers(nv * nv), numbers(nv * nv), numbers(nv * nv), numbers(nv * nM)};
  for (int actuation = 0; actuation < 2; actuation++) {
    assert_true(sn_inverseDerivative(m, d, actuation, own[0], own[1], own[2], own[3], NULL));
    mjd_inverseFD(m, d, 1e-7, actuation, ref[0], ref[1], ref[2], NULL, NULL, NULL, ref[3]);
    for (int k = 0; k < 4; k++) {
      int n = k < 3 ? nv : nM;
      for (int i = 0; i < nv; i++) {
        double largest = 1, off = 0;
        for (int c = 0; c < n; c++) {
          largest = fmax(largest, fabs(ref[k][i * n + c]));
          off = fmax(off, fabs(ref[k][i * n + c] - own[k][i * n + c]));
        }
        // one-sided differences
        if (!(off < 1e-4 * largest))
          fail_msg("matrix %d, row %d: off by %.1e", k, i, off / largest);
      }
    }
  }
  for (int k = 0; k < 4; k++) free(own[k]), free(ref[k]);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// At rest tau is the gradient of the potential energy: with hinges and slides, whose coordinates
// commute, its derivative is symmetric.
static void gravity_is_symmetric(void** state) {
  mjModel* m = scene_model(
      "<mujoco><option><flag contact='disable'/></option><default><geom type='capsule' size='.04' "
      "fromto='0 0 0 .3 .1 .05'/></default><worldbody><body><joint axis='0 1 0'/><joint axis='1 0 "
      "0'/>"
      "<geom/><body pos='.3 .1 .05'><joint type='slide' axis='1 1 0'/><joint axis='0 .3 1'/><geom/>"
      "<body pos='.3 .1 .05'><joint axis='1 2 3'/><geom/></body></body><body pos='-.1 0 .2'>"
      "<joint axis='0 1 1'/><geom/></body></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  unsigned long long seed = 9;
  int nv = m->nv;
  double* Q = numbers(nv * nv);
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < m->nq; i++) d->qpos[i] = 2 * scene_random(&seed);
    assert_true(sn_inverseDerivative(m, d, 0, Q, NULL, NULL, NULL, NULL));
    double largest = 0;
    for (int i = 0; i < nv * nv; i++) largest = fmax(largest, fabs(Q[i]));
    assert_true(largest > 0.1);
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < i; j++) {
        assert_true(fabs(Q[i * nv + j] - Q[j * nv + i]) < 1e-13 * largest);
      }
    }
  }
  free(Q);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// One A from dense and sparse rows, with and without islands, and from every solver.
static void forms_agree(void** state) {
  static const char* const form[][2] = {
      {"dense", "disable"}, {"sparse", "disable"}, {"dense", "enable"}, {"sparse", "enable"}};
  double *first = NULL, largest = 1;
  for (int k = 0; k < 7; k++) {
    mjModel* m = figure_model("Euler", "elliptic", form[k < 4 ? k : 0][0], form[k < 4 ? k : 0][1]);
    mjData* d = mj_makeData(m);
    stir(m, d, 40);
    if (k >= 4) m->opt.solver = k - 4;
    int nx = 2 * m->nv + m->na;
    double* A = numbers(nx * nx);
    snDeriveReport report;
    if (m->opt.solver != mjSOL_NEWTON) m->opt.iterations = 100000;
    assert_true(sn_transition(m, d, A, NULL, NULL, NULL, &report));
    assert_true(report.residual < 1e-6 && !report.whole);
    for (int i = 0; i < nx * nx; i++) largest = fmax(largest, fabs(A[i]));
    double bound = k < 4 || m->opt.solver == mjSOL_NEWTON ? 1e-9 : 1e-3;
    for (int i = 0; first && i < nx * nx; i++) {
      if (!(fabs(A[i] - first[i]) < bound * largest)) {
        fail_msg("form %d: entry %d is %.12g, not %.12g (residual %.1e)", k, i, A[i], first[i],
                 report.residual);
      }
    }
    if (first)
      free(A);
    else
      first = A;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  free(first);
}

// A muscle at rest, which rises with one time constant and falls with another.
static void muscles_at_rest_are_at_a_switch(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='.1 0 0'/></body></worldbody>"
      "<actuator><motor joint='j'/><muscle joint='j' lengthrange='-1 1'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  snDeriveReport report;
  double A[9];
  assert_true(sn_transition(m, d, A, NULL, NULL, NULL, &report));
  assert_int_equal(report.nearest_kind, snSWITCH_MUSCLE);
  assert_int_equal(report.nearest_id, 1);
  assert_true(report.nearest == 0);
  d->ctrl[1] = 0.25;
  assert_true(sn_transition(m, d, A, NULL, NULL, NULL, &report));
  assert_true(report.nearest == 0.25);
  // a blend of the two is smooth
  m->actuator_dynprm[mjNDYN + 2] = 0.1;
  assert_true(sn_transition(m, d, A, NULL, NULL, NULL, &report));
  assert_int_equal(report.nearest_kind, snSWITCH_NONE);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// What is not taken apart says so.
static void reports_are_honest(void** state) {
  mjModel* m = figure_model("Euler", "pyramidal", "dense", "disable");
  mjData* d = mj_makeData(m);
  stir(m, d, 40);
  int nx = 2 * m->nv + m->na;
  double *A = numbers(nx * nx), *F = numbers(nx * nx), *C = numbers(m->nsensordata * nx);
  snDeriveReport report;
  assert_true(sn_transition(m, d, A, NULL, NULL, NULL, &report));
  assert_true(report.ok && !report.whole && !report.unsupported[0]);
  assert_true(report.nearest < INFINITY && report.nearest_kind != snSWITCH_NONE);
  assert_null(strstr(report.differenced, "sensors"));
  assert_true(sn_transition(m, d, A, NULL, C, NULL, &report));
  assert_non_null(strstr(report.differenced, "sensors"));
  m->opt.noslip_iterations = 3;
  assert_true(sn_transition(m, d, F, NULL, NULL, NULL, &report));
  assert_true(report.whole);
  assert_non_null(strstr(report.differenced, "noslip"));
  free(A), free(F), free(C);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sensors_agree),
                                     cmocka_unit_test(reverse_is_the_transpose),
                                     cmocka_unit_test(forward_times_inverse_is_one),
                                     cmocka_unit_test(inverse_agrees_with_differences),
                                     cmocka_unit_test(gravity_is_symmetric),
                                     cmocka_unit_test(forms_agree),
                                     cmocka_unit_test(muscles_at_rest_are_at_a_switch),
                                     cmocka_unit_test(reports_are_honest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
