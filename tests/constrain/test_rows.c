// Constraint rows against their definitions: J is the derivative of efc_pos along qvel, R and aref
// follow from solref and solimp, rows of one island share no dof with another's.
#include <stdbool.h>

#include "scene.h"

enum { kMax = 60 };

static const char kScene[] =
    "<mujoco><option jacobian='%s' cone='%s'><flag island='enable'/></option><default><geom "
    "condim='3' friction='.7'/></default><worldbody>"
    "<geom name='floor' type='plane' size='5 5 .1'/>"
    "<body name='a' pos='0 0 .099'><freejoint/><geom size='.1'/></body>"
    "<body name='b' pos='1 0 .5'><joint name='b' axis='0 1 0' range='-20 20' frictionloss='.3'/>"
    " <geom type='capsule' size='.05 .2' pos='.2 0 .1'/>"
    " <body pos='0 0 .6'><joint name='c' type='ball' range='0 10'/><geom size='.08' pos='0 .1 "
    ".1'/></body>"
    " <body name='d' pos='.5 0 0'><joint name='d' type='slide' axis='1 1 0' range='-.1 .1'/>"
    "  <geom size='.1 .1 .1' type='box'/></body></body>"
    "<body name='e' pos='-1 0 1'><freejoint/><geom size='.1 .2 .05' type='box'/></body>"
    "<body name='f' pos='-1 .3 1.2'><freejoint/><geom size='.1 .2 .05' "
    "type='box'/></body></worldbody>"
    "<tendon><fixed name='t' limited='true' range='-.01 .01'><joint joint='b' coef='.5'/><joint "
    "joint='d' coef='2'/>"
    "</fixed></tendon>"
    "<equality><connect body1='e' body2='f' anchor='.1 .2 .1' solref='.03 .8' solimp='.5 .9 .02 .4 "
    "3'/>"
    "<weld body1='e' anchor='.1 0 0' torquescale='.6' relpose='0 0 1 1 .1 .2 0'/>"
    "<joint joint1='b' joint2='d' polycoef='.1 .5 .2 .1 0'/><tendon tendon1='t' polycoef='.02 0 0 "
    "0 0'/></equality></mujoco>";

typedef struct Scene_ {
  mjModel* m;
  mjData* d;
} Scene;

static Scene make(const char* jacobian, const char* cone) {
  char xml[4000];
  snprintf(xml, sizeof xml, kScene, jacobian, cone);
  Scene s = {.m = scene_model(xml)};
  s.d = mj_makeData(s.m);
  unsigned long long seed = 17;
  double v[kMax];
  for (int i = 0; i < s.m->nv; i++) {
    v[i] = .02 * scene_random(&seed);
    s.d->qvel[i] = scene_random(&seed);
  }
  s.d->qpos[s.m->jnt_qposadr[mj_name2id(s.m, mjOBJ_JOINT, "b")]] = .5;
  s.d->qpos[s.m->jnt_qposadr[mj_name2id(s.m, mjOBJ_JOINT, "d")]] = .12;
  double turn[3] = {.2, .2, -.1};
  mju_quatIntegrate(s.d->qpos + s.m->jnt_qposadr[mj_name2id(s.m, mjOBJ_JOINT, "c")], turn, 1);
  for (int i = 0; i < 2; i++) v[i] = 0;  // the ball stays on the floor
  v[2] = -.001;
  mj_integratePos(s.m, s.d->qpos, v, 1);
  mj_forward(s.m, s.d);
  return s;
}

static void end(Scene s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}

static void full_J(Scene s, double* J) {
  if (!mj_isSparse(s.m)) {
    mju_copy(J, s.d->efc_J, s.d->nefc * s.m->nv);
  } else {
    mju_sparse2dense(J, s.d->efc_J, s.d->nefc, s.m->nv, s.d->efc_J_rownnz, s.d->efc_J_rowadr,
                     s.d->efc_J_colind);
  }
}

// efc_pos of equalities, limits and frictionless rows has the derivative J; efc_vel = J qvel.
static void check_jacobian(const char* jacobian, const char* cone) {
  Scene s = make(jacobian, cone);
  int nv = s.m->nv, n = s.d->nefc, kinds[16] = {0};
  double* J = malloc(sizeof(double) * (size_t)(n * nv));
  full_J(s, J);
  mjData* d = mj_copyData(NULL, s.m, s.d);
  double* plus = malloc(sizeof(double) * (size_t)n);
  for (int j = 0; j < nv; j++) {
    double v[kMax] = {0};
    for (int k = 0; k < 2; k++) {
      mju_copy(d->qpos, s.d->qpos, s.m->nq);
      v[j] = k ? -1e-6 : 1e-6;
      mj_integratePos(s.m, d->qpos, v, 1);
      mj_fwdPosition(s.m, d);
      assert_int_equal(d->nefc, n);
      if (!k) mju_copy(plus, d->efc_pos, n);
    }
    for (int i = 0; i < n; i++) {
      int type = s.d->efc_type[i];
      kinds[type]++;
      bool contact = type >= mjCNSTR_CONTACT_FRICTIONLESS, loss = type == mjCNSTR_FRICTION_DOF;
      if (contact || loss) continue;
      double slope = (plus[i] - d->efc_pos[i]) / 2e-6;
      if (!(fabs(slope - J[i * nv + j]) <= 2e-7 * (1 + fabs(slope)))) {
        fail_msg("row %d of type %d, dof %d: J %.9g, difference %.9g", i, type, j, J[i * nv + j],
                 slope);
      }
    }
  }
  for (int i = 0; i < n; i++) {
    double vel = mju_dot(J + i * nv, s.d->qvel, nv);
    assert_float_equal(vel, s.d->efc_vel[i], 1e-12);
  }
  assert_true(kinds[mjCNSTR_EQUALITY] && kinds[mjCNSTR_FRICTION_DOF] &&
              kinds[mjCNSTR_LIMIT_JOINT] && kinds[mjCNSTR_LIMIT_TENDON] &&
              kinds[mjCNSTR_CONTACT_PYRAMIDAL] + kinds[mjCNSTR_CONTACT_ELLIPTIC]);
  free(J);
  free(plus);
  mj_deleteData(d);
  end(s);
}

static void test_jacobian(void** state) {
  (void)state;
  check_jacobian("dense", "pyramidal");
  check_jacobian("sparse", "pyramidal");
  check_jacobian("dense", "elliptic");
  check_jacobian("sparse", "elliptic");
}

// Rows of a contact are velocities of the point: normal; normal plus and minus mu times tangent.
static void test_contact_rows(void** state) {
  (void)state;
  for (int elliptic = 0; elliptic < 2; elliptic++) {
    Scene s = make("dense", elliptic ? "elliptic" : "pyramidal");
    int nv = s.m->nv;
    assert_true(s.d->ncon > 0);
    for (int c = 0; c < s.d->ncon; c++) {
      const mjContact* con = s.d->contact + c;
      double jac[2][3 * kMax], local[3 * kMax], difference[3 * kMax];
      for (int k = 0; k < 2; k++)
        mj_jac(s.m, s.d, jac[k], NULL, con->pos, s.m->geom_bodyid[con->geom[k]]);
      mju_sub(difference, jac[1], jac[0], 3 * nv);
      mju_mulMatMat(local, con->frame, difference, 3, 3, nv);
      for (int i = 0; i < nv; i++) {
        double normal = local[i], first = local[nv + i], second = local[2 * nv + i];
        const double* J = s.d->efc_J + con->efc_address * nv + i;
        if (elliptic) {
          assert_float_equal(J[0], normal, 1e-13);
          assert_float_equal(J[nv], first, 1e-13);
          assert_float_equal(J[2 * nv], second, 1e-13);
        } else {
          assert_float_equal(J[0], normal + con->friction[0] * first, 1e-13);
          assert_float_equal(J[nv], normal - con->friction[0] * first, 1e-13);
          assert_float_equal(J[2 * nv], normal + con->friction[1] * second, 1e-13);
          assert_float_equal(J[3 * nv], normal - con->friction[1] * second, 1e-13);
        }
      }
    }
    end(s);
  }
}

// The documented sigmoid: x = min(1, |r|/width), y = a x^p to the midpoint and 1 - b (1-x)^p behind
// it, d = d0 + y (dmid - d0).
static double impedance(const double* solimp, double r) {
  double x = fabs(r) / solimp[2], mid = solimp[3], p = solimp[4], y;
  if (x >= 1) return solimp[1];
  y = x <= mid ? pow(x, p) / pow(mid, p - 1) : 1 - pow(1 - x, p) / pow(1 - mid, p - 1);
  return solimp[0] + y * (solimp[1] - solimp[0]);
}

// Three rows of a connect share one residual length, impedance and reference:
//   k = dr / (dmax^2 t^2 c^2), b = 2 / (dmax t), aref = -b v - k d r, R = (1 - d)/d diagApprox.
static void test_reference(void** state) {
  (void)state;
  Scene s = make("dense", "pyramidal");
  double time = fmax(.03, 2 * s.m->opt.timestep), damp = .8, solimp[5] = {.5, .9, .02, .4, 3};
  double length = mju_norm3(s.d->efc_pos), d = impedance(solimp, length);
  for (int i = 0; i < 3; i++) {
    double k = 1 / (solimp[1] * solimp[1] * time * time * damp * damp), b = 2 / (solimp[1] * time);
    assert_float_equal(s.d->efc_KBIP[4 * i], k, 1e-9 * k);
    assert_float_equal(s.d->efc_KBIP[4 * i + 1], b, 1e-9 * b);
    assert_float_equal(s.d->efc_KBIP[4 * i + 2], d, 1e-12);
    double aref = -b * s.d->efc_vel[i] - k * d * s.d->efc_pos[i];
    assert_float_equal(s.d->efc_aref[i], aref, 1e-9 * (1 + fabs(aref)));
    double R = (1 - d) / d * s.d->efc_diagApprox[i];
    assert_float_equal(s.d->efc_R[i], R, 1e-12 * (1 + R));
    assert_float_equal(s.d->efc_D[i] * s.d->efc_R[i], 1, 1e-12);
  }
  end(s);
}

// Each row's dofs are of the row's island, and no island could be divided.
static void test_islands(void** state) {
  (void)state;
  Scene s = make("sparse", "pyramidal");
  double* J = malloc(sizeof(double) * (size_t)(s.d->nefc * s.m->nv));
  full_J(s, J);
  assert_int_equal(s.d->nisland, 3);  // the ball; the arm; the welded pair
  for (int i = 0; i < s.d->nefc; i++) {
    for (int j = 0; j < s.m->nv; j++) {
      if (J[i * s.m->nv + j] != 0) assert_int_equal(s.d->dof_island[j], s.d->efc_island[i]);
    }
  }
  free(J);
  end(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jacobian),
      cmocka_unit_test(test_contact_rows),
      cmocka_unit_test(test_reference),
      cmocka_unit_test(test_islands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
