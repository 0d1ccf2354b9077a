// C and D against centred differences of whole steps, for every type of sensor: which are exact,
// with a robot that holds, pulls, pushes, slides and falls.
#include "derive/compare.h"

static const char xml[] =
    "<mujoco><option integrator='%s' cone='%s' magnetic='.3 -.5 .2'><flag "
    "energy='enable'/></option>"
    "<default><joint damping='.3' armature='.01'/><geom friction='.8' solimp='.8 .95 "
    ".01'/></default>"
    "<worldbody><geom name='floor' type='plane' size='5 5 .1'/>"
    "<camera name='fixed' pos='0 -3 1' euler='75 10 0'/>"
    "<body name='wall' pos='.9 0 .3'><joint name='shift' type='slide' axis='1 0 0' stiffness='20'/>"
    " <geom type='%s' size='.2 .3 .4' euler='5 8 20'/></body>"
    "<body name='trunk' pos='0 0 .12'><freejoint name='root'/><geom name='box' type='box' size='.2 "
    ".1 .1'/><site name='under' type='box' size='.25 .15 .15'/>"
    " <site name='s0' pos='.05 .1 .1' euler='20 30 40'/><site name='beam' pos='.2 0 .2' "
    "euler='3 88 4'/>"
    " <camera name='own' pos='0 0 .3' euler='60 20 10'/>"
    " <body name='arm' pos='.2 .1 0'><joint name='a' axis='0 1 0' range='-10 2' limited='true' "
    "stiffness='3' springref='10'/>"
    "  <geom name='limb' type='capsule' size='.05 .1' pos='.1 0 .02' euler='0 80 0'/>"
    "  <site name='s1' pos='.1 0 .06' euler='70 -20 10'/>"
    "  <body name='hand' pos='.25 0 0'><joint name='b' type='ball' limited='true' range='0 15'/>"
    "   <geom name='ball' size='.06'/><site name='s2' pos='0 .02 .05' euler='10 120 -30'/>"
    "   <body name='finger' pos='.1 0 0'><joint name='c' type='slide' axis='1 1 0' "
    "range='-.1 -.01' limited='true'/><geom name='tip' size='.04' pos='.02 0 0'/>"
    "<site name='s3' pos='.03 0 0'/></body></body></body></body>"
    "<body name='free' pos='-.6 0 .4'><joint name='p' axis='0 1 0'/><geom size='.05' pos='.2 0 "
    ".1'/>"
    " <site name='s4' pos='.1 .02 .1'/></body></worldbody>"
    "<tendon><spatial name='rope' stiffness='5' damping='.2' limited='true' range='0 .3'>"
    "<site site='s0'/><site site='s1'/><site site='s3'/></spatial>"
    "<fixed name='belt'><joint joint='a' coef='.7'/><joint joint='c' coef='-.4'/></fixed></tendon>"
    "<actuator><position name='servo' joint='a' kp='5' kv='.5'/><motor name='pull' tendon='rope' "
    "gear='3'/><general name='slow' joint='a' dyntype='filter' dynprm='.1' gainprm='2'/>"
    "<general name='jet' site='s2' gear='1 .5 -.3 .1 .2 0' biastype='affine' biasprm='0 0 -.4'/>"
    "<motor name='belt' tendon='belt' gear='2'/><motor name='clamped' joint='c' gear='5' "
    "forcerange='-.1 .1' forcelimited='true'/></actuator>"
    "<sensor><touch site='under'/><accelerometer site='s2'/><accelerometer site='s0' cutoff='1'/>"
    "<velocimeter site='s3'/><gyro site='s1'/><force site='s1'/><torque site='s1'/><force "
    "site='s3'/>"
    "<torque site='s0'/><magnetometer site='s2'/><rangefinder site='beam'/>"
    "<camprojection site='s3' camera='fixed'/><camprojection site='s2' camera='own'/>"
    "<jointpos joint='a'/><jointvel joint='c'/><tendonpos tendon='rope'/><tendonvel tendon='rope'/>"
    "<tendonvel tendon='belt'/><actuatorpos actuator='pull'/><actuatorvel actuator='pull'/>"
    "<actuatorvel actuator='jet'/><actuatorfrc actuator='servo'/><actuatorfrc actuator='slow'/>"
    "<actuatorfrc actuator='jet'/><actuatorfrc actuator='clamped'/><actuatorpos actuator='jet'/>"
    "<jointactuatorfrc joint='a'/><jointactuatorfrc joint='c'/><tendonactuatorfrc tendon='rope'/>"
    "<ballquat joint='b'/><ballangvel joint='b'/>"
    "<jointlimitpos joint='a'/><jointlimitvel joint='a'/><jointlimitfrc joint='a'/>"
    "<jointlimitpos joint='b'/><jointlimitvel joint='b'/><jointlimitfrc joint='b'/>"
    "<tendonlimitpos tendon='rope'/><tendonlimitvel tendon='rope'/><tendonlimitfrc tendon='rope'/>"
    "<framepos objtype='site' objname='s3'/><framepos objtype='body' objname='hand' "
    "reftype='xbody' refname='arm'/><framequat objtype='geom' objname='limb'/>"
    "<framequat objtype='site' objname='s2' reftype='site' refname='s4'/>"
    "<framexaxis objtype='xbody' objname='finger'/><frameyaxis objtype='body' objname='hand' "
    "reftype='site' refname='s1'/><framezaxis objtype='camera' objname='own'/>"
    "<framelinvel objtype='site' objname='s3'/><framelinvel objtype='site' objname='s3' "
    "reftype='site' refname='s0'/><frameangvel objtype='xbody' objname='hand' reftype='site' "
    "refname='s4'/><framelinacc objtype='geom' objname='tip'/><frameangacc objtype='body' "
    "objname='hand'/><subtreecom body='trunk'/><subtreecom body='arm'/><subtreelinvel body='arm'/>"
    "<subtreeangmom body='trunk'/><subtreeangmom body='hand'/><subtreelinvel body='world'/>"
    "<e_potential/><e_kinetic/><clock/></sensor></mujoco>";

// Moved until it touches, stretches and leans on its limits.
static void settle(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 0.3 * (i % 3 - 1) + 0.1;
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = 0.2 * (i % 4) + 0.1;
  for (int k = 0; k < 6; k++) d->xfrc_applied[6 * (m->nbody - 2) + k] = 0.1 * k - 0.2;
  for (int k = 0; k < 40; k++) mj_step(m, d);
}

static void every_sensor_is_exact(void** state) {
  (void)state;
  static const char* const integrator[] = {"Euler", "implicitfast", "implicit", "RK4"};
  static const char* const wall[] = {"box", "sphere", "ellipsoid", "cylinder", "capsule"};
  int columns = 0, switched = 0;
  for (int which = 0; which < 10; which++) {
    char text[8192];
    snprintf(text, sizeof text, xml, integrator[which % 4], which % 2 ? "elliptic" : "pyramidal",
             wall[which % 5]);
    mjModel* m = scene_model(text);
    mjData* d = mj_makeData(m);
    settle(m, d);
    compare_tight(m);
    mj_forward(m, d);
    assert_true(d->ncon > 0 && d->nl > 1);
    assert_true(d->sensordata[0] > 0);
    snDeriveReport report;
    snCompared r = compare_step(m, d, true, &report);
    if (strstr(report.differenced, "sensors")) fail_msg("%s", report.differenced);
    if (!(r.worst < 1e-6)) fail_msg("case %d: column %d off by %.1e", which, r.at, r.worst);
    columns += r.columns, switched += r.switched;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  if (switched * 20 > columns) fail_msg("%d of %d columns left out", switched, columns + switched);
}

// Sensors that are differenced say so, beside others that are not.
static void what_is_left_is_named(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><worldbody><body name='x'><joint name='j' axis='1 0 0'/><geom name='g' size='.1' "
      "pos='0 .3 0'/></body><geom name='h' type='box' size='.1 .1 .1' pos='0 0 1'/></worldbody>"
      "<sensor><distance geom1='g' geom2='h' cutoff='9'/><jointpos joint='j'/></sensor></mujoco>");
  mjData* d = mj_makeData(m);
  d->qpos[0] = 0.4;
  snDeriveReport report;
  snCompared r = compare_step(m, d, true, &report);
  assert_true(r.worst < 1e-6);
  assert_string_equal(report.differenced, "sensors of type 38");
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_sensor_is_exact),
                                     cmocka_unit_test(what_is_left_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
