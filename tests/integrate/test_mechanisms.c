// Mechanisms with loops that close (integrate/close.c): gaps below a nanometer at 1 and 2 ms,
// driven and free, and the energy of a four-bar linkage.
#include <sinew/ask.h>

#include "scene.h"

#define CLOSED "<custom><text name='sinew:loops' data='closed'/></custom>"
#define LINK(from, to) "<geom type='capsule' size='.01' fromto='" from " " to "'/>"

// The largest residual of an active equality at the state of d.
static double gap(const mjModel* m, const mjData* d) {
  mjData* at = mj_copyData(NULL, m, d);
  double most = 0;
  mj_fwdPosition(m, at);
  for (int i = 0; i < at->ne; i++) most = fmax(most, fabs(at->efc_pos[i]));
  mj_deleteData(at);
  return most;
}

// One second at 1 and 2 ms, free and driven by sines of different frequencies.
static void run(const char* name, mjModel* m, double drive) {
  static const double kStep[] = {.001, .002};
  for (int k = 0; k < 4; k++) {
    m->opt.timestep = kStep[k % 2];
    mjData* d = mj_makeData(m);
    double moved = 0;
    for (int i = 0; i < (int)(1 / kStep[k % 2]); i++) {
      for (int u = 0; u < m->nu; u++) d->ctrl[u] = k / 2 * drive * sin((3 + u) * d->time + u);
      mj_step(m, d);
      for (int j = 0; j < m->nv; j++) moved = fmax(moved, fabs(d->qvel[j]));
      if (i % 20) continue;
      double open = gap(m, d);
      if (!(open < 1e-9)) {
        fail_msg("%s, %g s, %s, step %d: open by %g", name, kStep[k % 2], k / 2 ? "driven" : "free",
                 i, open);
      }
    }
    if (!(moved > .1) || d->warning[mjWARN_BADQACC].number) fail_msg("%s: moved %g", name, moved);
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}

static void test_five_bar(void** state) {
  (void)state;
  run("five-bar",
      scene_model("<mujoco><option><flag contact='disable'/></option>" CLOSED "<worldbody>"
                  "<body pos='-.1 0 1'><joint name='a' axis='0 1 0'/>" LINK("0 0 0", "-.1 0 -.2") "<body name='l' pos='-.1 0 -.2'><joint axis='0 1 0'/>" LINK(
                      "0 0 0",
                      ".2 0 -.2") "</body></body><body pos='.1 0 1'><joint name='b' axis='0 1 "
                                  "0'/>" LINK("0 0 0", ".1 0 -.2") "<body name='r' pos='.1 0 "
                                                                   "-.2'><joint axis='0 1 "
                                                                   "0'/>" LINK("0 0 0",
                                                                               "-.2 0 -.2") "</"
                                                                                            "body><"
                                                                                            "/body>"
                                                                                            "</"
                                                                                            "worldb"
                                                                                            "ody><"
                                                                                            "equali"
                                                                                            "ty><"
                                                                                            "connec"
                                                                                            "t "
                                                                                            "body1="
                                                                                            "'l' "
                                                                                            "body2="
                                                                                            "'r' "
                                                                                            "anchor"
                                                                                            "='.2 "
                                                                                            "0 "
                                                                                            "-.2'/"
                                                                                            "></"
                                                                                            "equali"
                                                                                            "ty><"
                                                                                            "actuat"
                                                                                            "or><"
                                                                                            "motor "
                                                                                            "joint="
                                                                                            "'a'/"
                                                                                            "><"
                                                                                            "motor "
                                                                                            "joint="
                                                                                            "'b'/>"
                                                                                            "</"
                                                                                            "actuat"
                                                                                            "or></"
                                                                                            "mujoco"
                                                                                            ">"),
      .5);
}

// Six legs, each a universal joint, a slide and a ball joint (a connect) at the platform.
static void test_stewart(void** state) {
  (void)state;
  char xml[16000];
  size_t n = (size_t)snprintf(xml, sizeof xml,
                              "<mujoco><option><flag contact='disable'/></option>" CLOSED
                              "<worldbody><body name='platform' pos='0 0 .5'><freejoint/><geom "
                              "type='cylinder' size='.2 .02' mass='5'/></body>");
  char ties[3000] = "", motors[2000] = "";
  for (int i = 0; i < 6; i++) {
    double a = 2 * mjPI * (i / 2) / 3 + (i % 2 ? .2 : -.2);
    double b = 2 * mjPI * (i / 2) / 3 + (i % 2 ? .8 : -.8);
    double foot[3] = {.3 * cos(a), .3 * sin(a), 0}, head[3] = {.2 * cos(b), .2 * sin(b), .5};
    double leg[3] = {head[0] - foot[0], head[1] - foot[1], head[2]};
    n += (size_t)snprintf(
        xml + n, sizeof xml - n,
        "<body pos='%g %g 0'><joint axis='1 0 0'/><joint axis='0 1 0'/><geom type='capsule' "
        "size='.01' fromto='0 0 0 %g %g %g'/><body><joint name='s%d' type='slide' "
        "axis='%g %g %g' damping='60'/><geom type='capsule' size='.008' fromto='%g %g %g %g %g "
        "%g'/>"
        "<site name='h%d' pos='%g %g %g'/></body></body>",
        foot[0], foot[1], leg[0] / 2, leg[1] / 2, leg[2] / 2, i, leg[0], leg[1], leg[2], leg[0] / 2,
        leg[1] / 2, leg[2] / 2, leg[0], leg[1], leg[2], i, leg[0], leg[1], leg[2]);
    size_t t = strlen(ties), u = strlen(motors);
    snprintf(ties + t, sizeof ties - t,
             "<connect body1='platform' body2='leg%d' anchor='%g %g 0'/>", i, head[0], head[1]);
    snprintf(motors + u, sizeof motors - u, "<motor joint='s%d' gear='30'/>", i);
  }
  // connects need names of bodies: legs get theirs
  char named[20000], *at = xml;
  size_t used = 0;
  for (int i = 0; i < 6; i++) {
    char* slide = strstr(at, "<body><joint name='s");
    used += (size_t)snprintf(named + used, sizeof named - used, "%.*s<body name='leg%d'>",
                             (int)(slide - at), at, i);
    at = slide + strlen("<body>");
  }
  snprintf(named + used, sizeof named - used,
           "%s</worldbody><equality>%s</equality><actuator>%s</actuator></mujoco>", at, ties,
           motors);
  run("Stewart platform", scene_model(named), 1);
}

// Three arms, each an upper link on a hinge and two parallel rods: redundant, as the parallelogram
// holds the orientation of the platform three times.
static void test_delta(void** state) {
  (void)state;
  char xml[16000], ties[4000] = "", motors[1000] = "";
  size_t n = (size_t)snprintf(xml, sizeof xml,
                              "<mujoco><option><flag contact='disable'/></option>" CLOSED
                              "<worldbody><body name='platform' pos='0 0 .4'><freejoint/><geom "
                              "type='cylinder' size='.06 .01' mass='.5'/></body>");
  for (int i = 0; i < 3; i++) {
    n += (size_t)snprintf(xml + n, sizeof xml - n,
                          "<body pos='%g %g 1' euler='0 0 %d'><joint name='a%d' axis='0 1 0' "
                          "damping='.05'/>" LINK("0 0 0", ".2 0 -.2") "",
                          .1 * cos(2 * mjPI * i / 3), .1 * sin(2 * mjPI * i / 3), 120 * i, i);
    for (int side = -1; side < 2; side += 2) {
      // from the elbow at .3 to the platform at .06 from the axis, .4 below
      n += (size_t)snprintf(xml + n, sizeof xml - n,
                            "<body name='rod%d%d' pos='.2 %g -.2'><joint type='ball'/>"
                            "<geom type='capsule' size='.006' fromto='0 0 0 -.24 0 -.4'/></body>",
                            i, side > 0, .04 * side);
      size_t t = strlen(ties);
      snprintf(ties + t, sizeof ties - t,
               "<connect body1='rod%d%d' body2='platform' anchor='-.24 0 -.4'/>", i, side > 0);
    }
    n += (size_t)snprintf(xml + n, sizeof xml - n, "</body>");
    size_t u = strlen(motors);
    snprintf(motors + u, sizeof motors - u, "<motor joint='a%d'/>", i);
  }
  snprintf(xml + n, sizeof xml - n,
           "</worldbody><equality>%s</equality><actuator>%s</actuator></mujoco>", ties, motors);
  run("delta robot", scene_model(xml), 2);
}

// The robot of the folder SINEW_MODELS, falling and driven.
static void test_cassie(void** state) {
  (void)state;
  const char* folder = getenv("SINEW_MODELS") ? getenv("SINEW_MODELS") : "../shared/models";
  char path[1000], error[1000];
  snprintf(path, sizeof path, "%s/menagerie/agility_cassie/scene.xml", folder);
  FILE* file = fopen(path, "r");
  if (!file) {
    print_message("no model %s\n", path);
    skip();
  }
  fclose(file);
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof error);
  if (!spec) fail_msg("%s", error);
  assert_true(sn_ask(spec, "loops", "closed"));
  mjModel* m = mj_compile(spec, NULL);
  if (!m) fail_msg("%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  run("Cassie", m, 3);
}

// A four-bar linkage that turns over for ten seconds keeps its energy: what changes most, relative
// to the largest kinetic energy.
static void test_energy(void** state) {
  (void)state;
  static const struct {
    const char* integrator;
    double h, bound;
  } kCase[] = {{"Euler", .001, .01}, {"implicitfast", .001, .01}, {"RK4", .001, 1e-5}};
  for (int k = 0; k < 3; k++) {
    char xml[3000];
    snprintf(xml, sizeof xml,
             "<mujoco><option timestep='%g' integrator='%s'><flag contact='disable' "
             "energy='enable'/></option>" CLOSED
             "<worldbody><body><joint axis='0 1 0'/><geom type='capsule' size='.02' "
             "fromto='0 0 0 0 0 .2'/><body pos='0 0 .2'><joint axis='0 1 0'/><geom type='capsule' "
             "size='.02' fromto='0 0 0 .5 0 .1'/><body name='c' pos='.5 0 .1'><joint "
             "axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 0 0 -.3'/></body></body>"
             "</body></worldbody><equality><connect body1='c' anchor='0 0 -.3'/></equality>"
             "</mujoco>",
             kCase[k].h, kCase[k].integrator);
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    d->qvel[0] = .1;
    double first = 0, worst = 0, most = 0;
    for (int i = 0; i < (int)(10 / kCase[k].h); i++) {
      mj_step(m, d);  // energy is that of the beginning of the step
      if (i == 1) first = d->energy[0] + d->energy[1];
      if (i < 2) continue;
      worst = fmax(worst, fabs(d->energy[0] + d->energy[1] - first));
      most = fmax(most, d->energy[1]);
    }
    if (!(worst < kCase[k].bound * most)) {
      fail_msg("%s: %g J off, of %g", kCase[k].integrator, worst, most);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_five_bar), cmocka_unit_test(test_stewart), cmocka_unit_test(test_delta),
      cmocka_unit_test(test_cassie),   cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
