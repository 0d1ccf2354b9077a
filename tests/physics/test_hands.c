// Hands of the folder SINEW_MODELS hold with friction that sticks what they drop without: a thing
// of half a kilogram, clasped without gravity, which then pulls it out of the hand.
//
//   SINEW_ENDURE=1 physics_test_hands      both hands, for a minute
#include <sinew/ask.h>
#include <stdbool.h>

#include "scene.h"

typedef struct Grasp_ {
  const char* model;
  double at[3], mass, closing;
  int axis;      // of gravity, towards its negative end
  double creep;  // m that the thing may move in all while it is held
} Grasp;

static const Grasp kAllegro = {
    "menagerie/wonik_allegro/scene_right.xml", {.06, 0, .05}, .5, .7, 0, 1e-4};
static const Grasp kShadow = {
    "menagerie/shadow_hand/scene_right.xml", {.35, -.01, .05}, .5, .9, 0, 1e-3};

static mjModel* load(const Grasp* g, bool stick) {
  const char* folder = getenv("SINEW_MODELS") ? getenv("SINEW_MODELS") : "../shared/models";
  char path[1000], error[1000];
  snprintf(path, sizeof path, "%s/%s", folder, g->model);
  FILE* file = fopen(path, "r");
  if (!file) {
    print_message("no model %s\n", path);
    return NULL;
  }
  fclose(file);
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof error);
  if (!spec) fail_msg("%s", error);
  if (stick) assert_true(sn_ask(spec, "friction", "stick"));
  mjModel* m = mj_compile(spec, NULL);
  if (!m) fail_msg("%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  return m;
}

// Fingers and thumb bend by a share of their range; wrist and spread stay.
static void clasp(const mjModel* m, mjData* d, double share) {
  for (int u = 0; u < m->nu; u++) {
    const char* name = mj_id2name(m, mjOBJ_ACTUATOR, u);
    bool thumb = strstr(name, "th") || strstr(name, "TH");
    bool stays =
        strstr(name, "WR") || strstr(name, "J4") || strstr(name, "j0") || strstr(name, "a0");
    d->ctrl[u] = thumb || !stays ? share * m->actuator_ctrlrange[2 * u + 1] : 0;
  }
}

// How far the thing has moved since it was clasped and gravity acts, after `seconds` or when it is
// dropped (5 cm).
static double hold(const Grasp* g, mjModel* m, double seconds) {
  mjData* d = mj_makeData(m);
  int object = mj_name2id(m, mjOBJ_BODY, "object"), joint = m->body_jntadr[object];
  double *at = d->qpos + m->jnt_qposadr[joint], *v = d->qvel + m->jnt_dofadr[joint];
  double scale = g->mass / m->body_mass[object], start[3], pose[7] = {0, 0, 0, 1, 0, 0, 0};
  m->body_mass[object] *= scale;
  mju_scl3(m->body_inertia + 3 * object, m->body_inertia + 3 * object, scale);
  mju_zero3(m->opt.gravity);
  mj_setConst(m, d);
  mju_copy3(pose, g->at);
  int n = (int)(2 / m->opt.timestep);
  for (int i = 0; i < n; i++) {
    clasp(m, d, g->closing * fmin(1, 1.5 * i / n));
    mju_copy(at, pose, 7);
    mju_zero(v, 6);
    mj_step(m, d);
  }
  for (int i = 0; i < n / 2; i++) mj_step(m, d);
  m->opt.gravity[g->axis] = -9.81;
  for (int i = 0; i < n / 2; i++) mj_step(m, d);
  mju_copy3(start, at);
  assert_true(mju_dist3(start, g->at) < .15 && d->ncon > 3);
  double end = d->time + seconds;
  while (d->time < end && mju_dist3(at, start) < .05) mj_step(m, d);
  double moved = mju_dist3(at, start);
  mj_deleteData(d);
  return moved;
}

static void compare(const Grasp* g, double seconds) {
  double moved[2];
  for (int stick = 0; stick < 2; stick++) {
    mjModel* m = load(g, stick);
    if (!m) skip();
    moved[stick] = hold(g, m, seconds);
    mj_deleteModel(m);
  }
  if (!(moved[0] > .05) || !(moved[1] < g->creep)) {
    fail_msg("%s: moved %g without stick, %g with", g->model, moved[0], moved[1]);
  }
}

static void test_allegro(void** state) {
  (void)state;
  compare(&kAllegro, getenv("SINEW_ENDURE") ? 60 : 10);
}

static void test_shadow(void** state) {
  (void)state;
  if (!getenv("SINEW_ENDURE")) skip();
  compare(&kShadow, 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allegro),
      cmocka_unit_test(test_shadow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
