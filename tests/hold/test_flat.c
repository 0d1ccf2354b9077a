// Friction that holds what lies flat: meshes, cylinders and capsules on planes, on boxes and on each
// other, clamped by their faces and stacked, with contacts all around (collide/patch.c, plane.c).
// The same scenes creep or fall with the single point that a pair has without.
#include <stdbool.h>

#include "scene.h"

#define STICK "<custom><text name='sinew:friction' data='stick'/></custom>"

enum { ROOM = 20000 };

// A prism with n sides as vertices of a mesh.
static void put_prism(FILE* f, const char* name, int n, double radius, double half) {
  fprintf(f, "<mesh name='%s' vertex='", name);
  for (int i = 0; i < 2 * n; i++) {
    double a = 2 * mjPI * (i / 2) / n;
    fprintf(f, "%.9f %.9f %g ", radius * cos(a), radius * sin(a), i % 2 ? half : -half);
  }
  fprintf(f, "'/>");
}

static void put_assets(FILE* f) {
  fprintf(f,
          "<asset><mesh name='stump' vertex='-.1 -.1 -.1 .1 -.1 -.1 .1 .1 -.1 -.1 .1 -.1 -.08 -.08 "
          ".1 .08 -.08 .1 .08 .08 .1 -.08 .08 .1'/>");
  put_prism(f, "nut", 8, .12, .06);
  put_prism(f, "drum", 32, .1, .1);
  fprintf(f, "</asset>");
}

typedef struct Thing_ {
  const char *geom, *turned;
  double up, half;  // height of the centre over the ground; half of the width between fingers
} Thing;

static const Thing kThing[] = {
    {"type='mesh' mesh='stump'", "0 0 15", .1, 0},
    {"type='mesh' mesh='nut'", "0 0 11", .06, 0},
    {"type='mesh' mesh='drum'", "0 0 5", .1, 0},
    {"type='cylinder' size='.1 .1'", "0 0 0", .1, .1},
    {"type='cylinder' size='.1 .1'", "0 90 0", .1, .1},
    {"type='capsule' size='.05 .1'", "0 90 0", .05, .15},
    {"type='cylinder' size='.1 .03'", "0 0 20", .03, .1},
};
enum { THINGS = sizeof kThing / sizeof *kThing };

// The fastest body from 2 s on, in m/s.
static double creep(mjModel* m, double seconds) {
  mjData* d = mj_makeData(m);
  if (m->nkey) mj_resetDataKeyframe(m, d, 0);
  double fastest = 0, *from = malloc(sizeof(double) * (size_t)m->nq);
  while (d->time < 2) mj_step(m, d);
  mju_copy(from, d->qpos, m->nq);
  while (d->time < 2 + seconds) mj_step(m, d);
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] != mjJNT_FREE) continue;
    int at = m->jnt_qposadr[j];
    fastest = fmax(fastest, mju_dist3(d->qpos + at, from + at) / seconds);
  }
  free(from);
  mj_deleteData(d);
  mj_deleteModel(m);
  return fastest;
}

// On a plane or on a box, with gravity tilted by 20 degrees.
static mjModel* lying(const Thing* t, const char* ground, const char* cone, const char* custom) {
  static char xml[ROOM];
  FILE* f = fmemopen(xml, ROOM, "w");
  fprintf(f, "<mujoco>%s<option cone='%s' gravity='%g 0 %g'/>", custom, cone, 9.81 * sin(mjPI / 9),
          -9.81 * cos(mjPI / 9));
  put_assets(f);
  fprintf(f,
          "<worldbody><geom %s/><body pos='0 0 %g' euler='%s'><freejoint/>"
          "<geom %s mass='1'/></body></worldbody></mujoco>",
          ground, t->up, t->turned, t->geom);
  fclose(f);
  return scene_model(xml);
}

static void test_lies(void** state) {
  (void)state;
  static const char* const kGround[] = {"type='plane' size='5 5 .1'",
                                        "type='box' size='5 5 .1' pos='0 0 -.1'"};
  for (int k = 0; k < 4 * THINGS; k++) {
    const Thing* t = kThing + k / 4;
    mjModel* m = lying(t, kGround[k % 2], k / 2 % 2 ? "elliptic" : "pyramidal", STICK);
    double speed = creep(m, 2);
    if (!(speed < 1e-10)) fail_msg("%s, case %d: %g m/s", t->geom, k % 4, speed);
  }
  // what a nut does on three points, without friction that holds it creeps too
  assert_true(creep(lying(kThing + 1, kGround[0], "pyramidal", ""), 2) > 1e-4);
}

// Between two fingers that motors press against it, with the weight of a kilogram.
static mjModel* clamped(const Thing* t, const char* cone) {
  static char xml[ROOM];
  FILE* f = fmemopen(xml, ROOM, "w");
  fprintf(f, "<mujoco>" STICK "<option cone='%s'/><worldbody>", cone);
  for (int side = -1; side < 2; side += 2) {
    fprintf(f,
            "<body pos='%g 0 .5'><joint name='j%d' type='slide' axis='%d 0 0' damping='5'/>"
            "<geom type='box' size='.02 .06 .06' mass='.3'/></body>",
            side * (t->half + .0205), side, -side);
  }
  fprintf(f,
          "<body pos='0 0 .5' euler='%s'><freejoint/><geom %s mass='1'/></body></worldbody>"
          "<actuator><motor joint='j-1'/><motor joint='j1'/></actuator>"
          "<keyframe><key ctrl='40 40'/></keyframe></mujoco>",
          t->turned, t->geom);
  fclose(f);
  return scene_model(xml);
}

static void test_clamped(void** state) {
  (void)state;
  for (int k = 0; k < 2 * THINGS; k++) {
    const Thing* t = kThing + k / 2;
    if (t->half == 0) continue;
    double speed = creep(clamped(t, k % 2 ? "elliptic" : "pyramidal"), 2);
    if (!(speed < 1e-9)) fail_msg("%s turned by %s: %g m/s", t->geom, t->turned, speed);
  }
}

// Towers of three on a slope of ten degrees: faces on faces, with corners cut off.
static void test_towers(void** state) {
  (void)state;
  static const int kTower[][3] = {{0, 1, 0}, {3, 6, 3}, {2, 1, 3}};
  for (int k = 0; k < 6; k++) {
    static char xml[ROOM];
    FILE* f = fmemopen(xml, ROOM, "w");
    fprintf(f, "<mujoco>" STICK "<option cone='%s' gravity='1.7035 0 -9.661'/>",
            k % 2 ? "elliptic" : "pyramidal");
    put_assets(f);
    fprintf(f, "<worldbody><geom type='plane' size='5 5 .1'/>");
    double z = 0;
    for (int i = 0; i < 3; i++) {
      const Thing* t = kThing + kTower[k / 2][i];
      fprintf(f, "<body pos='%g %g %g' euler='0 0 %d'><freejoint/><geom %s mass='1'/></body>",
              .004 * (i % 2), .003 * i, z + t->up, 7 * i, t->geom);
      z += 2 * t->up;
    }
    fprintf(f, "</worldbody></mujoco>");
    fclose(f);
    double speed = creep(scene_model(xml), 3);
    if (!(speed < 1e-9)) fail_msg("tower %d: %g m/s", k, speed);
  }
}

// Every point of a tilted cylinder on a box has the depth of the cap below the face there, and is
// midway between the two; without friction that holds there is one point.
static void test_depth(void** state) {
  (void)state;
  for (int stick = 0; stick < 2; stick++) {
    char xml[1000];
    snprintf(xml, sizeof xml,
             "<mujoco>%s<worldbody><geom type='box' size='1 1 .1' pos='0 0 -.1'/>"
             "<body pos='0 0 .099'><freejoint/><geom type='cylinder' size='.1 .1'/></body>"
             "</worldbody></mujoco>",
             stick ? STICK : "");
    mjModel* m = scene_model(xml);
    mjData* d = mj_makeData(m);
    mjtNum tilt[3] = {.004, -.003, 0};
    mju_quatIntegrate(d->qpos + 3, tilt, 1);
    mj_forward(m, d);
    assert_int_equal(d->ncon, stick ? 6 : 1);
    for (int c = 0; c < d->ncon && stick; c++) {  // from the cylinder to the box
      const mjContact* con = d->contact + c;
      mjtNum local[3], from[3];
      mju_copy3(from, con->pos);
      from[2] += con->dist / 2;  // the face has z = 0, the point is dist below it
      mju_subFrom3(from, d->geom_xpos + 3);
      mju_mulMatTVec3(local, d->geom_xmat + 9, from);
      assert_true(fabs(local[2] + .1) < 1e-12 && fabs(mju_norm(local, 2) - .1) < 1e-12);
      assert_true(con->dist < 0 && fabs(con->frame[2] + 1) < 1e-15);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// Where curved shapes touch at one point it is exact, as with a search that has no tolerance: a point
// that is off by the tolerance is off by another amount in the next step, and shakes what is held.
static void test_exact(void** state) {
  (void)state;
  static const char* const kPair[][2] = {
      {"type='ellipsoid' size='.1 .07 .05'", "type='box' size='.1 .1 .1'"},
      {"type='capsule' size='.05 .1'", "type='cylinder' size='.1 .1'"}};
  unsigned long long seed = 11;
  int compared = 0, exact = 0;
  for (int k = 0; k < 240; k++) {
    mjData* d[2];
    mjModel* m[2];
    mjtNum pose[7] = {.1 * scene_random(&seed), .1 * scene_random(&seed), .13};
    for (int i = 3; i < 7; i++) pose[i] = scene_random(&seed);
    for (int stick = 0; stick < 2; stick++) {
      char xml[1000];
      snprintf(xml, sizeof xml,
               "<mujoco>%s<option ccd_tolerance='%s'/><worldbody><geom %s/><body><freejoint/>"
               "<geom %s/></body></worldbody></mujoco>",
               stick ? STICK : "", stick ? "1e-6" : "0", kPair[k % 2][0], kPair[k % 2][1]);
      m[stick] = scene_model(xml);
      d[stick] = mj_makeData(m[stick]);
      mju_copy(d[stick]->qpos, pose, 7);
      mj_forward(m[stick], d[stick]);
    }
    if (d[0]->ncon == 1 && d[1]->ncon == 1 && d[0]->contact->dist > -.02) {  // deeper: two ways out
      const mjContact *a = d[0]->contact, *b = d[1]->contact;
      double off = fmax(mju_dist3(a->frame, b->frame), mju_dist3(a->pos, b->pos));
      exact += off < 1e-9;
      compared++;
    }
    for (int i = 0; i < 2; i++) mj_deleteData(d[i]), mj_deleteModel(m[i]);
  }
  if (compared < 12 || exact < compared) fail_msg("%d of %d are exact", exact, compared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lies),  cmocka_unit_test(test_clamped), cmocka_unit_test(test_towers),
      cmocka_unit_test(test_depth), cmocka_unit_test(test_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
