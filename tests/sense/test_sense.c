// Sensors against their definitions, from poses and velocities that other public functions give.
#include "scene.h"

static const char kScene[] =
    "<mujoco><option gravity='0 0 -9.81' magnetic='.3 -.2 .5'><flag "
    "energy='enable'/></option><worldbody>"
    "<geom name='floor' type='plane' size='5 5 .1'/>"
    "<body name='base' pos='0 0 2'><freejoint/><geom size='.1 .2 .05' type='box'/>"
    " <site name='a' pos='.1 .05 0' euler='20 30 40'/>"
    " <body name='arm' pos='.3 0 0'><joint name='ball' type='ball'/><geom size='.05 .2' "
    "type='capsule'/>"
    "  <body name='tip' pos='.1 .1 .2'><joint name='hinge' axis='1 1 0'/><geom name='tip' "
    "size='.1' pos='.1 0 .1'/>"
    "   <site name='b' pos='0 .1 .1' euler='-50 10 5'/><camera name='eye' pos='0 0 .1' euler='10 0 "
    "0' resolution='64 48'/>"
    "</body></body></body>"
    "<body pos='3 0 .6'><joint name='slide' type='slide' axis='0 0 1'/><geom size='.5'/><site "
    "name='pad' size='1'/></body>"
    "</worldbody>"
    "<tendon><spatial name='cord'><site site='a'/><site site='b'/></spatial></tendon>"
    "<actuator><motor name='motor' joint='hinge' gear='3'/></actuator>"
    "<sensor><accelerometer site='b'/><velocimeter site='b'/><gyro site='b'/><magnetometer "
    "site='b'/>"
    "<jointpos joint='hinge'/><jointvel joint='hinge'/><ballquat joint='ball'/><ballangvel "
    "joint='ball'/>"
    "<tendonpos tendon='cord'/><tendonvel tendon='cord'/><actuatorpos "
    "actuator='motor'/><actuatorfrc actuator='motor'/>"
    "<framepos objtype='site' objname='b' reftype='site' refname='a'/>"
    "<framequat objtype='site' objname='b' reftype='site' refname='a'/>"
    "<framexaxis objtype='site' objname='b' reftype='site' refname='a'/>"
    "<framelinvel objtype='site' objname='b'/><frameangvel objtype='site' objname='b'/>"
    "<subtreecom body='base'/><subtreelinvel body='base'/><subtreeangmom body='base'/>"
    "<force site='a'/><touch site='pad'/><rangefinder site='a'/><clock/><e_potential/><e_kinetic/>"
    "<camprojection site='a' camera='eye'/><jointpos name='cut' joint='hinge' "
    "cutoff='.01'/></sensor></mujoco>";

typedef struct Scene_ {
  mjModel* m;
  mjData* d;
  int a, b;  // sites
} Scene;

static Scene make(void) {
  Scene s = {.m = scene_model(kScene)};
  s.d = mj_makeData(s.m);
  s.a = mj_name2id(s.m, mjOBJ_SITE, "a");
  s.b = mj_name2id(s.m, mjOBJ_SITE, "b");
  unsigned long long seed = 11;
  for (int i = 0; i < s.m->nv; i++) s.d->qvel[i] = scene_random(&seed);
  s.d->ctrl[0] = .7;
  for (int i = 0; i < 10; i++) mj_step(s.m, s.d);
  mj_forward(s.m, s.d);
  return s;
}

static void end(Scene s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}

// The sensor of a type (the first one).
static const double* value(Scene s, int type) {
  for (int i = 0; i < s.m->nsensor; i++) {
    if (s.m->sensor_type[i] == type) return s.d->sensordata + s.m->sensor_adr[i];
  }
  fail_msg("no sensor of type %d", type);
  return NULL;
}

static void same(const double* sensor, const double* expected, int n, double tolerance,
                 const char* what) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(sensor[i] - expected[i]) <= tolerance * (1 + fabs(expected[i])))) {
      fail_msg("%s[%d] is %.12g, not %.12g", what, i, sensor[i], expected[i]);
    }
  }
}

// Velocity of a site's point in the world, by differences of its position along qvel.
static void site_speed(Scene s, const mjData* at, int site, double* linear) {
  const double h = 1e-6;
  mjData* d = mj_copyData(NULL, s.m, at);
  double side[2][3];
  for (int k = 0; k < 2; k++) {
    mju_copy(d->qpos, at->qpos, s.m->nq);
    mj_integratePos(s.m, d->qpos, at->qvel, k ? -h : h);
    mj_kinematics(s.m, d);
    mju_copy3(side[k], d->site_xpos + 3 * site);
  }
  for (int i = 0; i < 3; i++) linear[i] = (side[0][i] - side[1][i]) / (2 * h);
  mj_deleteData(d);
}

static void test_inertial(void** state) {
  (void)state;
  Scene s = make();
  const double h = 1e-6, *R = s.d->site_xmat + 9 * s.b;
  double world[3], local[3], side[2][3], angular[6];
  site_speed(s, s.d, s.b, world);
  same(value(s, mjSENS_FRAMELINVEL), world, 3, 1e-8, "framelinvel");
  mju_mulMatTVec3(local, R, world);
  same(value(s, mjSENS_VELOCIMETER), local, 3, 1e-8, "velocimeter");
  mj_objectVelocity(s.m, s.d, mjOBJ_SITE, s.b, angular, 1);
  same(value(s, mjSENS_GYRO), angular, 3, 1e-12, "gyro");
  mju_mulMatTVec3(local, R, s.m->opt.magnetic);
  same(value(s, mjSENS_MAGNETOMETER), local, 3, 1e-14, "magnetometer");
  // acceleration of the point, felt with gravity: R'(dv/dt - g)
  mjData* d = mj_copyData(NULL, s.m, s.d);
  for (int k = 0; k < 2; k++) {
    double t = k ? -h : h;
    mju_copy(d->qpos, s.d->qpos, s.m->nq);
    for (int i = 0; i < s.m->nv; i++) d->qvel[i] = s.d->qvel[i] + t * s.d->qacc[i];
    mj_integratePos(s.m, d->qpos, s.d->qvel, t);
    site_speed(s, d, s.b, side[k]);
  }
  for (int i = 0; i < 3; i++) world[i] = (side[0][i] - side[1][i]) / (2 * h) - s.m->opt.gravity[i];
  mju_mulMatTVec3(local, R, world);
  same(value(s, mjSENS_ACCELEROMETER), local, 3, 1e-3, "accelerometer");
  mj_deleteData(d);
  end(s);
}

static void test_joints_and_tendons(void** state) {
  (void)state;
  Scene s = make();
  int hinge = mj_name2id(s.m, mjOBJ_JOINT, "hinge"), ball = mj_name2id(s.m, mjOBJ_JOINT, "ball");
  double q = s.d->qpos[s.m->jnt_qposadr[hinge]], v = s.d->qvel[s.m->jnt_dofadr[hinge]], length[3];
  same(value(s, mjSENS_JOINTPOS), &q, 1, 0, "jointpos");
  same(value(s, mjSENS_JOINTVEL), &v, 1, 0, "jointvel");
  same(value(s, mjSENS_BALLQUAT), s.d->qpos + s.m->jnt_qposadr[ball], 4, 1e-15, "ballquat");
  same(value(s, mjSENS_BALLANGVEL), s.d->qvel + s.m->jnt_dofadr[ball], 3, 0, "ballangvel");
  mju_sub3(length, s.d->site_xpos + 3 * s.a, s.d->site_xpos + 3 * s.b);
  double distance = mju_norm3(length), va[3], vb[3];
  same(value(s, mjSENS_TENDONPOS), &distance, 1, 1e-14, "tendonpos");
  site_speed(s, s.d, s.a, va);
  site_speed(s, s.d, s.b, vb);
  mju_subFrom3(va, vb);
  double rate = mju_dot3(va, length) / distance, three = 3 * q, force = .7;
  same(value(s, mjSENS_TENDONVEL), &rate, 1, 1e-8, "tendonvel");
  same(value(s, mjSENS_ACTUATORPOS), &three, 1, 1e-14, "actuatorpos");
  same(value(s, mjSENS_ACTUATORFRC), &force, 1, 1e-15, "actuatorfrc");
  double cut = fabs(q) > .01 ? copysign(.01, q) : q;
  int id = mj_name2id(s.m, mjOBJ_SENSOR, "cut");
  same(s.d->sensordata + s.m->sensor_adr[id], &cut, 1, 0, "cutoff");
  end(s);
}

static void test_frames(void** state) {
  (void)state;
  Scene s = make();
  const double *Ra = s.d->site_xmat + 9 * s.a, *Rb = s.d->site_xmat + 9 * s.b;
  double between[3], local[3], relative[9], turned[9];
  mju_sub3(between, s.d->site_xpos + 3 * s.b, s.d->site_xpos + 3 * s.a);
  mju_mulMatTVec3(local, Ra, between);
  same(value(s, mjSENS_FRAMEPOS), local, 3, 1e-14, "framepos");
  mju_mulMatTMat(relative, Ra, Rb, 3, 3, 3);
  mju_quat2Mat(turned, value(s, mjSENS_FRAMEQUAT));
  same(turned, relative, 9, 1e-14, "framequat");
  double axis[3] = {relative[0], relative[3], relative[6]};
  same(value(s, mjSENS_FRAMEXAXIS), axis, 3, 1e-14, "framexaxis");
  // the image of a point: 64 x 48 pixels, the camera looks along -z, f = height / (2 tan(fovy/2))
  const double *eye = s.d->cam_xpos, *Rc = s.d->cam_xmat, *point = s.d->site_xpos + 3 * s.a;
  mju_sub3(between, point, eye);
  mju_mulMatTVec3(local, Rc, between);
  double f = 48 / (2 * tan(s.m->cam_fovy[0] * mjPI / 360));
  double pixel[2] = {32 + f * local[0] / -local[2], 24 - f * local[1] / -local[2]};
  same(value(s, mjSENS_CAMPROJECTION), pixel, 2, 1e-6, "camprojection");
  end(s);
}

static void test_bodies(void** state) {
  (void)state;
  Scene s = make();
  int base = mj_name2id(s.m, mjOBJ_BODY, "base");
  double mass = 0, com[3] = {0}, momentum[3] = {0}, spin[3] = {0};
  for (int pass = 0; pass < 2; pass++) {
    for (int i = base; i < base + 3; i++) {
      double v[6], arm[3], moment[3], inertial[3], local[3];
      const double* R = s.d->ximat + 9 * i;
      mj_objectVelocity(s.m, s.d, mjOBJ_BODY, i, v, 0);
      if (!pass) {
        mass += s.m->body_mass[i];
        mju_addToScl3(com, s.d->xipos + 3 * i, s.m->body_mass[i]);
        mju_addToScl3(momentum, v + 3, s.m->body_mass[i]);
        continue;
      }
      mju_sub3(arm, s.d->xipos + 3 * i, com);
      mju_cross(moment, arm, v + 3);
      mju_addToScl3(spin, moment, s.m->body_mass[i]);
      mju_mulMatTVec3(local, R, v);
      for (int k = 0; k < 3; k++) local[k] *= s.m->body_inertia[3 * i + k];
      mju_mulMatVec3(inertial, R, local);
      mju_addTo3(spin, inertial);
    }
    if (!pass) {
      mju_scl3(com, com, 1 / mass);
      mju_scl3(momentum, momentum, 1 / mass);
    }
  }
  same(value(s, mjSENS_SUBTREECOM), com, 3, 1e-13, "subtreecom");
  same(value(s, mjSENS_SUBTREELINVEL), momentum, 3, 1e-12, "subtreelinvel");
  same(value(s, mjSENS_SUBTREEANGMOM), spin, 3, 1e-12, "subtreeangmom");
  double Mv[64], kinetic, potential = 0;
  mj_mulM(s.m, s.d, Mv, s.d->qvel);
  kinetic = mju_dot(Mv, s.d->qvel, s.m->nv) / 2;
  for (int i = 1; i < s.m->nbody; i++)
    potential -= s.m->body_mass[i] * mju_dot3(s.m->opt.gravity, s.d->xipos + 3 * i);
  same(value(s, mjSENS_E_KINETIC), &kinetic, 1, 1e-13, "e_kinetic");
  same(value(s, mjSENS_E_POTENTIAL), &potential, 1, 1e-13, "e_potential");
  same(value(s, mjSENS_CLOCK), &s.d->time, 1, 0, "clock");
  end(s);
}

// A ball of 1 radius .5 settles: the pad feels its weight. A ray of a site ends at the floor.
static void test_touch_and_range(void** state) {
  (void)state;
  Scene s = make();
  mj_resetData(s.m, s.d);
  for (int i = 0; i < 3000; i++) {
    for (int k = 0; k < 7; k++) s.d->qpos[k] = s.m->qpos0[k];
    mju_zero(s.d->qvel, 6);
    mj_step(s.m, s.d);
  }
  mj_forward(s.m, s.d);
  double weight = 9.81 * s.m->body_mass[s.m->nbody - 1];
  same(value(s, mjSENS_TOUCH), &weight, 1, 1e-6, "touch");
  const double *origin = s.d->site_xpos + 3 * s.a, *R = s.d->site_xmat + 9 * s.a;
  double direction[3] = {R[2], R[5], R[8]};
  int hit;
  double range =
      mj_ray(s.m, s.d, origin, direction, NULL, 1, mj_name2id(s.m, mjOBJ_BODY, "base"), &hit);
  same(value(s, mjSENS_RANGEFINDER), &range, 1, 1e-14, "rangefinder");
  end(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inertial),        cmocka_unit_test(test_joints_and_tendons),
      cmocka_unit_test(test_frames),          cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_touch_and_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
