// sn_transition agrees with centred differences of this engine to 1e-6 of every column, away from
// switches, for every kind of joint, force, constraint, contact, actuator and integrator.
#include "derive/compare.h"

#define HEAD                                             \
  "<mujoco><compiler autolimits='true' angle='degree'/>" \
  "<option integrator='%s' cone='%s' jacobian='%s' timestep='.004'/>"

// Every joint, springs, dampers, compensation, a medium with wind.
static const char tree[] = HEAD
    "<option density='3' viscosity='.2' wind='1 -.5 .3'/>"
    "<default><geom type='capsule' size='.05' fromto='0 0 0 .3 .1 0' density='300'/></default>"
    "<worldbody><body pos='0 0 1'><freejoint/><geom/>"
    " <body pos='.3 .1 0' gravcomp='.7'><joint type='ball' stiffness='2' damping='.3' range='0 "
    "20'/>"
    "  <geom/><body pos='.3 .1 0'><joint type='slide' axis='1 2 3' stiffness='30' damping='1'/>"
    "   <joint axis='0 1 1' armature='.02' springref='20' stiffness='3'/><geom "
    "fluidshape='ellipsoid'/>"
    "   <body pos='.3 .1 0'><joint axis='1 0 1' frictionloss='.3' range='-5 5'/>"
    "    <joint axis='0 0 1' pos='.1 0 0' frictionloss='.001'/><geom fluidshape='ellipsoid'/>"
    " </body></body></body>"
    " <body pos='-.2 0 0'><joint axis='0 1 0' range='-10 2'/><geom type='box' size='.1 .2 .05' "
    "  fromto='0 0 0 0 0 .1'/></body></body>"
    "<body pos='2 0 1'><joint type='ball' stiffness='1'/><geom/></body></worldbody></mujoco>";

// Tendons of every kind with springs, dampers, limits, friction and muscles; their equalities.
static const char tendons[] = HEAD
    "<default><geom contype='0' conaffinity='0'/><default class='rod'><geom type='capsule' "
    "size='.03' "
    "fromto='0 0 0 .3 0 0'/></default></default><worldbody><site name='w' pos='0 .05 1.3'/>"
    "<geom name='post' type='cylinder' size='.06 .3' fromto='.1 -.3 1.1 .1 .3 1.1'/>"
    "<body pos='0 0 1'><joint name='a' axis='0 1 0' damping='.1'/><joint name='a2' axis='0 0 "
    "1'/><geom class='rod'/>"
    " <site name='s0' pos='.15 .03 .05'/><geom name='ball' type='sphere' size='.05' pos='.3 0 0'/>"
    " <site name='side' pos='.3 0 .2'/>"
    " <body pos='.3 0 0'><joint name='b' axis='0 1 0' damping='.1'/><geom class='rod'/><site "
    "name='s1' pos='.2 .01 .04'/>"
    "  <body pos='.3 0 0'><joint name='c' type='ball' damping='.05'/><geom class='rod'/><site "
    "name='s2' pos='.2 0 .03'/>"
    " </body></body></body>"
    "<body pos='0 .5 1'><joint name='d' axis='1 1 0' damping='.1'/><geom class='rod'/><site "
    "name='s3' pos='.2 0 0'/></body>"
    "</worldbody>"
    "<tendon><spatial name='straight' stiffness='20' damping='2' springlength='.1' "
    "frictionloss='.4'>"
    "  <site site='w'/><site site='s2'/></spatial>"
    " <spatial name='wrapped' range='.1 .3' limited='true' stiffness='5' damping='.5'>"
    "  <site site='s0'/><geom geom='ball' sidesite='side'/><site site='s1'/></spatial>"
    " <spatial name='around' damping='1' stiffness='9'><site site='w'/><geom geom='post'/><site "
    "site='s1'/>"
    "  <pulley divisor='2'/><site site='s1'/><site site='s3'/></spatial>"
    " <spatial name='loop'><site site='s3'/><site site='s1'/></spatial>"
    " <fixed name='fixed' stiffness='2' damping='.2' armature='.03' range='-5 5'>"
    "  <joint joint='a' coef='1'/><joint joint='b' coef='-.7'/></fixed></tendon>"
    "<equality><tendon tendon1='loop' tendon2='straight' polycoef='.02 .5 .3 0 0'/>"
    "<joint joint1='a2' joint2='d' polycoef='.05 .4 .5 -.3 .1'/></equality>"
    "<actuator><general tendon='straight' gainprm='3' biastype='affine' biasprm='0 -4 -.5'/>"
    "<muscle name='m1' tendon='wrapped' lengthrange='.1 .5' force='20'/>"
    "<muscle name='m2' joint='b' lengthrange='-1 1' force='10' timeconst='.02 .05' tausmooth='.3'/>"
    "<general tendon='fixed' dyntype='filterexact' dynprm='.05' gainprm='2' actearly='true'/>"
    "</actuator></mujoco>";

// Loops: connect and weld, between bodies and between sites.
static const char loops[] = HEAD
    "<default><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0' contype='0' conaffinity='0'/>"
    "</default><worldbody>"
    "<body name='p' pos='0 0 1'><joint axis='0 1 0'/><joint axis='0 0 1'/><geom/>"
    " <body name='q' pos='.3 0 0'><joint type='ball'/><geom/><site name='e' pos='.3 .02 .01' "
    "euler='10 20 30'/>"
    " </body></body>"
    "<body name='r' pos='0 .3 1'><freejoint/><geom/><site name='f' pos='.1 0 0' euler='-20 5 0'/>"
    " <body name='s' pos='.3 0 0'><joint axis='0 1 1'/><geom/></body></body>"
    "<body name='u' pos='0 .6 1'><freejoint/><geom/></body>"
    "<body name='v' pos='0 .9 1'><freejoint/><geom/></body></worldbody>"
    "<equality><connect body1='q' body2='s' anchor='.2 .1 0'/>"
    "<connect body1='p' anchor='.3 .01 0' solref='.05 1' solimp='.5 .9 .3 .4 3'/>"
    "<weld body1='u' body2='r' relpose='.05 .35 .02 .9 .1 .2 .1' torquescale='.7' solimp='.6 .95 "
    ".5'/>"
    "<weld site1='e' site2='f' solref='.1 1' solimp='.5 .9 .8 .5 2'/>"
    "<connect body1='v' body2='s' anchor='0 .1 0' solref='-200 -20'/></equality></mujoco>";

// Transmissions, gains, biases, dynamics, limits of forces.
static const char actuators[] = HEAD
    "<default><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0' contype='0' conaffinity='0'/>"
    "<joint damping='.2'/></default><worldbody><site name='ref' pos='.1 .1 1' euler='10 20 0'/>"
    "<body pos='0 0 1'><joint name='a' axis='0 1 0'/><joint name='s' type='slide' axis='0 0 "
    "1'/><geom/>"
    " <site name='slider' pos='.1 0 0' euler='0 90 0'/>"
    " <body pos='.3 0 0'><joint name='b' type='ball'/><geom/><site name='tip' pos='.2 0 .05' "
    "euler='30 0 20'/>"
    "  <body pos='.3 0 0'><joint name='c' axis='0 1 1' actuatorfrcrange='-.5 .5'/><geom/>"
    "   <site name='crank' pos='.1 0 .1'/></body></body></body>"
    "<body pos='0 .5 1'><freejoint name='f'/><geom/></body></worldbody><actuator>"
    "<motor joint='a' gear='3' ctrlrange='-1 1'/><position joint='s' kp='30' kv='3' "
    "forcerange='-20 20'/>"
    "<velocity joint='a' kv='2'/><damper joint='a' kv='1.5' ctrlrange='0 2'/>"
    "<intvelocity joint='s' kp='20' actrange='-1 1'/>"
    "<cylinder joint='s' timeconst='.3' area='2' bias='1 .2 -.3'/>"
    "<general joint='b' gear='1 .5 -.3' biastype='affine' biasprm='.1 -2 -.2' gainprm='2'/>"
    "<general jointinparent='b' gear='.3 .5 1' biastype='affine' biasprm='0 -1 -.1' gainprm='1'/>"
    "<general jointinparent='f' gear='1 2 3 .3 .5 1' gainprm='1'/>"
    "<general joint='f' gear='1 2 3 .3 .5 1' gainprm='1'/>"
    "<general site='tip' gear='1 2 3 .1 .2 .3' gainprm='1' biastype='affine' biasprm='.4 0 -.2'/>"
    "<general site='tip' refsite='ref' gear='1 .5 .2 .1 .2 .3' gainprm='2' biastype='affine' "
    " biasprm='.4 -2 -.2'/>"
    "<general slidersite='slider' cranksite='crank' cranklength='.5' gainprm='2' biastype='affine' "
    " biasprm='0 -3 -.2'/>"
    "<general joint='c' gainprm='9'/>"
    "<general joint='a' dyntype='filter' dynprm='.1' gaintype='affine' gainprm='1 .3 .2' "
    "actearly='true'/>"
    "<general joint='s' gaintype='affine' gainprm='1 .3 .2' forcerange='-.001 .001'/>"
    "</actuator></mujoco>";

// Two bodies with a shape each, falling onto the floor and onto each other.
#define PAIR                                                                                       \
  HEAD "<option><flag filterparent='disable'/></option><asset><mesh name='rock' vertex='.1 0 .02 " \
       "-.08 .09 0 -.07 -.1 .01 0 .01 .13 .02 -.01 "                                               \
       "-.12 .05 "                                                                                 \
       ".08 .06'/></asset>"                                                                        \
       "<default><geom condim='%d' friction='.7 .02 .01' solimp='.7 .95 .02' %s/></default>"       \
       "<worldbody><geom type='plane' size='5 5 .1' euler='3 5 0'/>"                               \
       "<body pos='0 0 .16' euler='20 30 10'><freejoint/><geom %s/>"                               \
       " <body pos='.02 .01 %s' euler='25 -10 30'><joint type='ball'/><joint type='slide' "        \
       "axis='0 .1 1'/>"                                                                           \
       "  <joint type='slide' axis='1 0 0' stiffness='3000' damping='20'/><geom "                  \
       "%s/></body></body></worldbody></mujoco>"

static const char* shapes[] = {"type='sphere' size='.1'",
                               "type='capsule' size='.06 .1'",
                               "type='ellipsoid' size='.1 .08 .12'",
                               "type='cylinder' size='.08 .09'",
                               "type='box' size='.08 .1 .07'",
                               "type='mesh' mesh='rock'"};

static void shake(const mjModel* m, mjData* d, unsigned long long* seed, double speed) {
  for (int i = 0; i < m->nv; i++) d->qvel[i] += speed * scene_random(seed);
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = 0.4 + 0.3 * scene_random(seed);
  for (int i = 0; i < m->na; i++) d->act[i] = 0.4 + 0.3 * scene_random(seed);
}

static const char* integrators[] = {"Euler", "RK4", "implicit", "implicitfast"};

// Two shapes of a pair brought together along the first slide until they barely overlap, and held
// there by its spring: deep in each other, curved shapes meet by a search that does not converge.
static void meet(mjModel* m, mjData* d) {
  int slide = -1;
  for (int j = m->njnt - 1; j >= 0; j--) {
    if (m->jnt_type[j] == mjJNT_SLIDE) slide = m->jnt_qposadr[j];
  }
  for (double s = .2; s > -.2; s -= .0005) {
    d->qpos[slide] = m->qpos_spring[slide] = s;
    mj_kinematics(m, d);
    if (mj_geomDistance(m, d, 1, 2, 1, NULL) < -.002) return;
  }
  fail_msg("the two shapes do not meet");
}

// All states of one scene; at most one column in twenty may be left out. Returns how many contacts
// there were that are not of the floor.
static int check_scene(const char* name, const char* xml, int states, int steps, double speed,
                       double bound) {
  mjModel* m = scene_model(xml);
  compare_tight(m);
  mjData* d = mj_makeData(m);
  if (m->ngeom == 3 && m->nmesh) meet(m, d);
  unsigned long long seed = 11;
  int columns = 0, switched = 0, touches = 0;
  for (int k = 0; k < states; k++) {
    shake(m, d, &seed, speed);
    for (int b = 1; b < m->nbody; b++) {
      for (int i = 0; i < 6; i++) d->xfrc_applied[6 * b + i] = scene_random(&seed);
    }
    for (int i = 0; i < steps; i++) mj_step(m, d);
    for (int i = 0; i < d->ncon; i++) {
      const mjContact* con = d->contact + i;
      touches += con->efc_address >= 0 && m->geom_type[con->geom[0]] != mjGEOM_PLANE;
    }
    snDeriveReport report;
    snCompared c = compare_step(m, d, false, &report);
    columns += c.columns;
    switched += c.switched;
    if (getenv("SINEW_VERBOSE")) {
      printf("%s %d: %.1e at %d, %d rows, %d switched, [%s]\n", name, k, c.worst, c.at, d->nefc,
             c.switched, report.differenced);
    }
    if (!(c.worst < bound)) {
      fail_msg("%s, state %d: column %d is off by %.2e (%d rows; %s)", name, k, c.at, c.worst,
               d->nefc, report.differenced);
    }
    assert_true(report.residual < 1e-9);
  }
  if (compare_too_few(columns, switched, 20)) {
    fail_msg("%s: %d of %d columns at a switch", name, switched, columns + switched);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return touches;
}

static void check_all(const char* name, const char* scene, int states, int steps, double speed) {
  char xml[8192], label[100];
  for (int i = 0; i < 4; i++) {
    const char* cone = i % 2 ? "elliptic" : "pyramidal";
    snprintf(xml, sizeof xml, scene, integrators[i], cone, i < 2 ? "dense" : "sparse");
    snprintf(label, sizeof label, "%s, %s", name, integrators[i]);
    check_scene(label, xml, states, steps, speed, 1e-6);
  }
}

static void trees_agree(void** state) { check_all("tree", tree, 3, 20, 1); }
static void tendons_agree(void** state) { check_all("tendons", tendons, 3, 10, .5); }
static void loops_agree(void** state) { check_all("loops", loops, 3, 10, .5); }
static void actuators_agree(void** state) { check_all("actuators", actuators, 3, 10, .3); }

static void contacts_agree(void** state) {
  int n = (int)(sizeof shapes / sizeof *shapes);
  for (int a = 0; a < n; a++) {
    for (int b = a; b < n; b++) {
      for (int cone = 0; cone < 2; cone++) {
        char xml[4096], label[200];
        static const int dims[] = {1, 3, 4, 6};
        int dim = dims[(a + 2 * b + cone) % 4];
        snprintf(xml, sizeof xml, PAIR, cone ? "implicitfast" : "Euler",
                 cone ? "elliptic" : "pyramidal", "auto", dim, "", shapes[a], ".14", shapes[b]);
        snprintf(label, sizeof label, "%s on %s, condim %d, cone %d", shapes[a], shapes[b], dim,
                 cone);
        int touches = check_scene(label, xml, 3, 2, .05, 1e-6);
        if (!touches) fail_msg("%s: the two shapes do not touch", label);
      }
    }
  }
}

// Boxes lying on boxes: corners, cut edges and faces below corners, with the face of either box.
static void boxes_agree(void** state) {
  static const char boxes[] = HEAD
      "<default><geom type='box' size='.1 .1 .1' condim='4' solimp='.8 .95 .02' "
      "margin='.02'/></default>"
      "<worldbody><geom type='plane' size='5 5 .1'/><geom size='.3 .2 .1' pos='1 0 .1' euler='3 2 "
      "10'/>"
      "<body pos='0 0 .099' euler='1 1 0'><freejoint/><geom size='.12 .15 .1'/></body>"
      "<body pos='.06 .04 .297' euler='1 2 25'><freejoint/><geom/></body>"
      "<body pos='1.25 .15 .30' euler='2 3 40'><freejoint/><geom/></body>"
      "<body pos='1 -.1 .30' euler='4 2 20'><freejoint/><geom size='.05 .05 .1'/></body>"
      "<body pos='.2 .2 .62' euler='40 35 20'><freejoint/><geom/></body></worldbody></mujoco>";
  for (int cone = 0; cone < 2; cone++) {
    char xml[4096];
    snprintf(xml, sizeof xml, boxes, "Euler", cone ? "elliptic" : "pyramidal", "auto");
    mjModel* m = scene_model(xml);
    compare_tight(m);
    mjData* d = mj_makeData(m);
    unsigned long long seed = 31;
    int columns = 0, switched = 0, touches = 0;
    for (int k = 0; k < 4; k++) {
      shake(m, d, &seed, .2);
      for (int i = 0; i < 8; i++) mj_step(m, d);
      snDeriveReport report;
      snCompared c = compare_step(m, d, false, &report);
      for (int i = 0; i < d->ncon; i++)
        touches += m->geom_type[d->contact[i].geom[0]] == mjGEOM_BOX;
      columns += c.columns;
      switched += c.switched;
      if (getenv("SINEW_VERBOSE")) {
        printf("boxes %d: %.1e at %d, %d rows, %d switched, [%s]\n", k, c.worst, c.at, d->nefc,
               c.switched, report.differenced);
      }
      if (!(c.worst < 1e-6))
        fail_msg("boxes, state %d: column %d is off by %.2e", k, c.at, c.worst);
    }
    assert_true(touches > 20);
    assert_false(compare_too_few(columns, switched, 20));
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// The robots of the folder SINEW_MODELS, on their feet or in the air.
static void robots_agree(void** state) {
  static const char* const path[] = {"mujoco/humanoid/humanoid.xml",
                                     "menagerie/agility_cassie/scene.xml",
                                     "menagerie/shadow_hand/scene_right.xml",
                                     "menagerie/booster_t1/scene.xml",
                                     "menagerie/aloha/scene.xml",
                                     "menagerie/franka_emika_panda/mjx_single_cube.xml",
                                     "menagerie/robotiq_2f85/scene.xml",
                                     "menagerie/bitcraze_crazyflie_2/scene.xml",
                                     "mujoco/tendon_arm/arm26.xml",
                                     "mujoco/slider_crank/slider_crank.xml",
                                     "mujoco/car/car.xml"};
  const char* folder = getenv("SINEW_MODELS") ? getenv("SINEW_MODELS") : "../shared/models";
  int found = 0, columns = 0, switched = 0;
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    char name[1000], error[1000];
    snprintf(name, sizeof name, "%s/%s", folder, path[i]);
    FILE* f = fopen(name, "r");
    if (!f) continue;
    fclose(f);
    mjModel* m = mj_loadXML(name, NULL, error, sizeof error);
    if (!m) fail_msg("%s", error);
    found++;
    compare_tight(m);
    mjData* d = mj_makeData(m);
    if (m->nkey) mj_resetDataKeyframe(m, d, 0);
    unsigned long long seed = 21;
    for (int k = 0; k < m->nv; k++) d->qvel[k] += 0.2 * scene_random(&seed);
    // controls inside their ranges: at a bound a centred difference is half of either side
    for (int k = 0; k < m->nu; k++) {
      const mjtNum* range = m->actuator_ctrlrange + 2 * k;
      double middle = 0.5 * (range[0] + range[1]), half = 0.5 * (range[1] - range[0]);
      double value = m->actuator_ctrllimited[k] ? middle + 0.4 * half * scene_random(&seed)
                                                : 0.3 * scene_random(&seed);
      bool inside = d->ctrl[k] > range[0] + 0.01 * half && d->ctrl[k] < range[1] - 0.01 * half;
      if (!m->nkey || !inside) d->ctrl[k] = value;
    }
    for (int k = 0; k < 100; k++) mj_step(m, d);
    // activations of muscles have reached their controls, where their rates have a kink
    for (int k = 0; k < m->na; k++) d->act[k] += 0.01;
    snDeriveReport report;
    snCompared c = compare_step(m, d, false, &report);
    columns += c.columns;
    switched += c.switched;
    if (getenv("SINEW_VERBOSE")) {
      printf("%s: %.1e at %d, %d rows, %d switched, [%s]\n", path[i], c.worst, c.at, d->nefc,
             c.switched, report.differenced);
    }
    if (!(c.worst < 1e-6)) fail_msg("%s: column %d is off by %.2e", path[i], c.at, c.worst);
    assert_false(report.whole);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  if (!found) {
    print_message("no models in %s: skipped\n", folder);
    skip();
  }
  assert_false(compare_too_few(columns, switched, 20));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_agree),    cmocka_unit_test(tendons_agree),
      cmocka_unit_test(loops_agree),    cmocka_unit_test(actuators_agree),
      cmocka_unit_test(contacts_agree), cmocka_unit_test(boxes_agree),
      cmocka_unit_test(robots_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
