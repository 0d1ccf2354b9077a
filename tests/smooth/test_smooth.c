// Smooth dynamics: sine and cosine in SIMD lanes, bad numbers, and outputs of stages that did not
// run.
#include "base/base.h"
#include "scene.h"

// Units in the last place between a and the exact value.
static double ulps(double a, long double exact) {
  double next = nextafter(fabs((double)exact), INFINITY) - fabs((double)exact);
  return fabs((double)((long double)a - exact)) / next;
}

static void test_sincos_lanes(void** state) {
  unsigned long long seed = 1;
  double worst = 0;
  const double scale[] = {1e-9, 1e-3, 0.7, 4, 100, 9e5};
  for (int i = 0; i < 200000; i++) {
    sn4 x, s, c;
    for (int k = 0; k < 4; k++) x[k] = scale[(i + k) % 6] * scene_random(&seed);
    sn4_sincos(x, &s, &c);
    for (int k = 0; k < 4; k++) {
      worst = fmax(worst, ulps(s[k], sinl((long double)x[k])));
      worst = fmax(worst, ulps(c[k], cosl((long double)x[k])));
    }
  }
  assert_true(worst < 1);

  // beyond the range, and what is no number
  sn4 x = {1e7, -1e300, NAN, INFINITY}, s, c;
  sn4_sincos(x, &s, &c);
  for (int k = 0; k < 2; k++) {
    assert_true(ulps(s[k], sn_sin(x[k])) < 1);
    assert_true(ulps(c[k], sn_cos(x[k])) < 1);
  }
  assert_true(isnan(s[2]) && isnan(c[2]) && isnan(s[3]) && isnan(c[3]));
  sn4 zero = {0.0, -0.0, 0.0, 0.0};
  sn4_sincos(zero, &s, &c);
  for (int k = 0; k < 4; k++) assert_true(s[k] == 0 && c[k] == 1);
}

// A quaternion of zeros stands for the identity, and qpos stays as the user left it.
static void test_zero_quaternion(void** state) {
  mjModel* m = scene_model(
      "<mujoco><worldbody><body mocap='true'><geom size='.1'/></body>"
      "<body><freejoint/><geom size='.1'/><body pos='1 0 0'><joint type='ball'/><geom "
      "size='.1'/></body></body>"
      "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mju_zero(d->qpos, m->nq);
  mju_zero(d->mocap_quat, 4);
  mj_kinematics(m, d);
  for (int b = 1; b < m->nbody; b++) {
    for (int k = 0; k < 4; k++) assert_true(d->xquat[4 * b + k] == (k == 0));
  }
  for (int i = 0; i < m->nq; i++) assert_true(d->qpos[i] == 0);
  d->qpos[3] = 2;
  mj_kinematics(m, d);
  assert_true(d->qpos[3] == 2 && d->xquat[8] == 1);
  mj_normalizeQuat(m, d->qpos);
  assert_true(d->qpos[3] == 1);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A joint named twice in a fixed tendon: coefficients add up, in both forms of the Jacobian.
static void test_repeated_joint(void** state) {
  for (int sparse = 0; sparse < 2; sparse++) {
    char xml[1000];
    snprintf(xml, sizeof xml,
             "<mujoco><option jacobian='%s'/><worldbody><body><joint name='a' axis='0 1 0'/>"
             "<geom size='.1'/><body pos='0 0 .3'><joint name='b'/><geom size='.1'/></body></body>"
             "</worldbody><tendon><fixed><joint joint='b' coef='1'/><joint joint='a' coef='2'/>"
             "<joint joint='b' coef='3'/></fixed></tendon></mujoco>",
             sparse ? "sparse" : "dense");
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    d->qpos[0] = 0.1, d->qpos[1] = 0.2, d->qvel[0] = 1, d->qvel[1] = 2;
    mj_forward(m, d);
    assert_true(fabs(d->ten_length[0] - 1) < 1e-14);
    assert_true(d->ten_J[0] == 2 && d->ten_J[1] == 4);
    assert_true(d->ten_velocity[0] == 10);
    if (sparse) assert_int_equal(d->ten_J_rownnz[0], 2);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Ends of a tendon on one point: no length, and finite gradients and forces.
static void test_zero_length_tendon(void** state) {
  mjModel* m = scene_model(
      "<mujoco><worldbody><site name='a'/><geom name='g' size='.1' pos='0 0 .5'/>"
      "<body><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><geom size='.1'/>"
      "<site name='b'/></body></worldbody><tendon>"
      "<spatial stiffness='10' springlength='.1' damping='1'><site site='a'/><site "
      "site='b'/></spatial>"
      "<spatial stiffness='10'><site site='a'/><geom geom='g'/><site site='b'/></spatial>"
      "</tendon></mujoco>");
  mjData* d = mj_makeData(m);
  d->qvel[0] = 1;
  mj_forward(m, d);
  assert_true(d->ten_length[0] == 0 && d->ten_length[1] == 0);
  for (int i = 0; i < m->nv; i++) {
    assert_true(isfinite(d->qfrc_spring[i]) && isfinite(d->qfrc_damper[i]));
    assert_true(isfinite(d->qacc[i]));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A control that is no number: the documented warning, and no control acts.
static void test_bad_control(void** state) {
  mjModel* m = scene_model(
      "<mujoco><worldbody><body><joint name='a'/><geom size='.1' pos='.1 0 0'/></body>"
      "<body><joint name='b'/><geom size='.1' pos='.1 0 0'/></body></worldbody>"
      "<actuator><motor joint='a'/><motor joint='b'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  d->ctrl[0] = NAN;
  d->ctrl[1] = 3;
  mj_forward(m, d);
  assert_int_equal(d->warning[mjWARN_BADCTRL].number, 1);
  for (int i = 0; i < 2; i++) {
    assert_true(d->actuator_force[i] == 0);
    assert_true(isfinite(d->qacc[i]));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Bad positions: a step warns, resets and goes on.
static void test_bad_position(void** state) {
  mjModel* m = scene_model(
      "<mujoco><worldbody><body><freejoint/><geom size='.1'/><body pos='1 0 0'><joint/>"
      "<geom size='.1' pos='.1 0 0'/></body></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int i = 0; i < m->nq; i++) {
    mj_resetData(m, d);
    d->qpos[i] = i % 2 ? NAN : 1e30;
    mj_step(m, d);
    assert_int_equal(d->warning[mjWARN_BADQPOS].number, 1);
    for (int k = 0; k < m->nq; k++) assert_true(isfinite(d->qpos[k]));
    for (int k = 0; k < 3 * m->nbody; k++) assert_true(isfinite(d->xpos[k]));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static int calls;
static void user_sensor(const mjModel* m, mjData* d, int stage) {
  calls++;
  if (stage == mjSTAGE_VEL) d->sensordata[1] = 7;
}

// The callback runs once per stage that has user sensors; cutoff applies to what it wrote.
static void test_user_sensor(void** state) {
  mjModel* m = scene_model(
      "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='.1'/></body></worldbody>"
      "<sensor><jointpos joint='j' cutoff='.5'/>"
      "<user objtype='body' objname='a' dim='1' needstage='vel' datatype='real' "
      "cutoff='3'/></sensor></mujoco>");
  mjData* d = mj_makeData(m);
  d->qpos[0] = -2;
  mjcb_sensor = user_sensor;
  calls = 0;
  mj_forward(m, d);
  mjcb_sensor = NULL;
  assert_int_equal(calls, 1);
  assert_true(d->sensordata[0] == -0.5 && d->sensordata[1] == 3);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// The poses of everything, as a data that has kept nothing finds them.
static void assert_same_poses(const mjModel* m, mjData* d) {
  mjData* fresh = mj_makeData(m);
  mju_copy(fresh->qpos, d->qpos, m->nq);
  for (int k = 0; k < 2; k++) {
    mjData* data = k ? fresh : d;
    mj_kinematics(m, data);
    mj_comPos(m, data);
    mj_camlight(m, data);
  }
  assert_memory_equal(d->xpos, fresh->xpos, 3 * m->nbody * sizeof(double));
  assert_memory_equal(d->xquat, fresh->xquat, 4 * m->nbody * sizeof(double));
  assert_memory_equal(d->xmat, fresh->xmat, 9 * m->nbody * sizeof(double));
  assert_memory_equal(d->xipos, fresh->xipos, 3 * m->nbody * sizeof(double));
  assert_memory_equal(d->ximat, fresh->ximat, 9 * m->nbody * sizeof(double));
  assert_memory_equal(d->geom_xpos, fresh->geom_xpos, 3 * m->ngeom * sizeof(double));
  assert_memory_equal(d->geom_xmat, fresh->geom_xmat, 9 * m->ngeom * sizeof(double));
  assert_memory_equal(d->site_xpos, fresh->site_xpos, 3 * m->nsite * sizeof(double));
  assert_memory_equal(d->site_xmat, fresh->site_xmat, 9 * m->nsite * sizeof(double));
  assert_memory_equal(d->cam_xpos, fresh->cam_xpos, 3 * m->ncam * sizeof(double));
  assert_memory_equal(d->cam_xmat, fresh->cam_xmat, 9 * m->ncam * sizeof(double));
  assert_memory_equal(d->light_xpos, fresh->light_xpos, 3 * m->nlight * sizeof(double));
  assert_memory_equal(d->light_xdir, fresh->light_xdir, 3 * m->nlight * sizeof(double));
  mj_deleteData(fresh);
}

// Frames that stand still are kept, but a program may move them, and what it finds in mjData is
// there whatever happened to it before.
static void test_still_frames(void** state) {
  mjModel* m = scene_model(
      "<mujoco><worldbody><light pos='1 2 3' dir='0 1 -1'/><camera pos='0 -1 1' euler='20 30 40'/>"
      "<geom type='plane' size='1 1 1'/><geom type='box' size='.1 .2 .3' pos='1 0 0' euler='9 8 "
      "7'/>"
      "<site name='s' pos='0 1 0' euler='1 2 3'/>"
      "<body pos='0 0 1' euler='10 20 30'><geom type='capsule' size='.1 .2' pos='.1 .2 .3' "
      "euler='40 0 0'/><geom size='.1' pos='.3 0 0'/><site name='b' pos='.1 .1 .1'/>"
      "<camera name='c' pos='1 1 1' mode='targetbody' target='arm'/><light pos='.1 .1 .1'/>"
      "<body name='arm' pos='0 .5 0'><joint axis='0 1 1' pos='.1 0 0'/><geom type='capsule' "
      "size='.05 .1' pos='0 0 .2' euler='0 50 0'/><site pos='.1 0 0'/><light mode='trackcom'/>"
      "</body></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  d->qpos[0] = 0.3;
  assert_same_poses(m, d);
  assert_same_poses(m, d);
  double* moved[] = {m->geom_pos + 3,  m->geom_quat + 4, m->geom_pos + 8,   m->geom_quat + 11,
                     m->site_pos,      m->site_quat + 3, m->site_pos + 5,   m->body_pos + 3,
                     m->body_quat + 5, m->body_ipos + 5, m->body_iquat + 4, m->cam_pos + 2,
                     m->cam_quat + 3,  m->light_pos + 1, m->light_dir + 2,  m->geom_pos + 11};
  for (int i = 0; i < (int)(sizeof moved / sizeof *moved); i++) {
    *moved[i] += 0.0625;
    assert_same_poses(m, d);
  }
  m->geom_sameframe[0] = mjSAMEFRAME_NONE;
  m->geom_pos[2] = 0.5;
  assert_same_poses(m, d);
  m->cam_mode[0] = mjCAMLIGHT_TARGETBODYCOM;
  m->cam_targetbodyid[0] = 2;
  assert_same_poses(m, d);

  // numbers of the data that were lost, and a model that took the place of another
  memset(d->geom_xmat, 0, 9 * m->ngeom * sizeof(double));
  memset(d->xquat, 0, 4 * m->nbody * sizeof(double));
  assert_same_poses(m, d);
  mj_resetData(m, d);
  assert_same_poses(m, d);
  mjModel* other = mj_copyModel(NULL, m);
  other->geom_pos[3] = 7;
  assert_same_poses(other, d);
  mj_deleteModel(other);
  assert_same_poses(m, d);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sincos_lanes),       cmocka_unit_test(test_zero_quaternion),
      cmocka_unit_test(test_zero_length_tendon), cmocka_unit_test(test_repeated_joint),
      cmocka_unit_test(test_bad_control),        cmocka_unit_test(test_bad_position),
      cmocka_unit_test(test_user_sensor),        cmocka_unit_test(test_still_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
