// The abstract scene: geoms at the poses of the model, cameras by their formulas, selection that
// agrees with a ray, perturbation forces as documented.
#include <stdbool.h>

#include "scene.h"

static const char kScene[] =
    "<mujoco><worldbody><light pos='0 0 3'/><geom name='floor' type='plane' size='5 5 .1'/>"
    "<camera name='fixed' pos='0 -2 1' xyaxes='1 0 0 0 0 1' fovy='40'/>"
    "<body name='ball' pos='0 0 1'><freejoint/><geom name='ball' size='.2' group='1'/><site "
    "name='s' pos='0 0 .2'/></body>"
    "<body pos='1 0 1'><joint axis='0 1 0'/><geom name='rod' type='capsule' size='.05 .3' "
    "group='4'/></body>"
    "</worldbody></mujoco>";

typedef struct Scene_ {
  mjModel* m;
  mjData* d;
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
} Scene;

static Scene make(int maxgeom) {
  Scene s = {.m = scene_model(kScene)};
  s.d = mj_makeData(s.m);
  mjv_defaultScene(&s.scn);
  mjv_makeScene(s.m, &s.scn, maxgeom);
  mjv_defaultOption(&s.opt);
  mjv_defaultCamera(&s.cam);
  mj_forward(s.m, s.d);
  return s;
}

static void end(Scene* s) {
  mjv_freeScene(&s->scn);
  mj_deleteData(s->d);
  mj_deleteModel(s->m);
}

static const mjvGeom* drawn(const Scene* s, int objtype, int id) {
  for (int i = 0; i < s->scn.ngeom; i++) {
    if (s->scn.geoms[i].objtype == objtype && s->scn.geoms[i].objid == id &&
        s->scn.geoms[i].category != mjCAT_DECOR) {
      return s->scn.geoms + i;
    }
  }
  return NULL;
}

static void test_geoms(void** state) {
  (void)state;
  Scene s = make(100);
  mjv_updateScene(s.m, s.d, &s.opt, NULL, &s.cam, mjCAT_ALL, &s.scn);
  int ball = mj_name2id(s.m, mjOBJ_GEOM, "ball"), rod = mj_name2id(s.m, mjOBJ_GEOM, "rod");
  const mjvGeom* g = drawn(&s, mjOBJ_GEOM, ball);
  assert_non_null(g);
  for (int i = 0; i < 3; i++) assert_float_equal(g->pos[i], s.d->geom_xpos[3 * ball + i], 1e-6);
  assert_null(drawn(&s, mjOBJ_GEOM, rod));  // group 4 is not shown by default
  s.opt.geomgroup[4] = 1;
  s.opt.geomgroup[1] = 0;
  mjv_updateScene(s.m, s.d, &s.opt, NULL, &s.cam, mjCAT_ALL, &s.scn);
  assert_non_null(drawn(&s, mjOBJ_GEOM, rod));
  assert_null(drawn(&s, mjOBJ_GEOM, ball));
  mjv_updateScene(s.m, s.d, &s.opt, NULL, &s.cam, mjCAT_STATIC, &s.scn);
  assert_non_null(drawn(&s, mjOBJ_GEOM, 0));
  assert_null(drawn(&s, mjOBJ_GEOM, rod));
  end(&s);
}

// More geoms than room: the documented warning, and what fits.
static void test_full(void** state) {
  (void)state;
  Scene s = make(1);
  mjv_updateScene(s.m, s.d, &s.opt, NULL, &s.cam, mjCAT_ALL, &s.scn);
  assert_int_equal(s.scn.ngeom, 1);
  assert_int_equal(s.d->warning[mjWARN_VGEOMFULL].number, 1);
  end(&s);
}

// The free camera looks at lookat from distance, turned by azimuth and elevation.
static void test_cameras(void** state) {
  (void)state;
  Scene s = make(100);
  s.cam.azimuth = 30;
  s.cam.elevation = -20;
  s.cam.distance = 4;
  s.cam.lookat[0] = 1;
  s.cam.lookat[2] = .5;
  mjv_updateCamera(s.m, s.d, &s.cam, &s.scn);
  double a = 30 * mjPI / 180, e = -20 * mjPI / 180, pos[3], forward[3], up[3];
  double expected[3] = {cos(e) * cos(a), cos(e) * sin(a), sin(e)};
  mjv_cameraInModel(pos, forward, up, &s.scn);
  for (int i = 0; i < 3; i++) {
    assert_float_equal(forward[i], expected[i], 1e-6);
    assert_float_equal(pos[i], s.cam.lookat[i] - 4 * expected[i], 1e-5);
  }
  assert_float_equal(mju_dot3(forward, up), 0, 1e-6);
  // a model's camera: its frame, its field of view
  s.cam.type = mjCAMERA_FIXED;
  s.cam.fixedcamid = 0;
  mjv_updateCamera(s.m, s.d, &s.cam, &s.scn);
  mjv_cameraInModel(pos, forward, up, &s.scn);
  for (int i = 0; i < 3; i++) {
    assert_float_equal(pos[i], s.d->cam_xpos[i], 1e-6);
    assert_float_equal(forward[i], -s.d->cam_xmat[3 * i + 2], 1e-6);
  }
  const mjvGLCamera* c = s.scn.camera;
  assert_float_equal((c->frustum_top - c->frustum_bottom) / (2 * c->frustum_near),
                     tan(20 * mjPI / 180), 1e-5);
  end(&s);
}

// The middle of the picture picks what a ray along the view meets.
static void test_select(void** state) {
  (void)state;
  Scene s = make(100);
  s.cam.lookat[2] = 1;
  s.cam.distance = 3;
  s.cam.elevation = -30;
  mjv_updateScene(s.m, s.d, &s.opt, NULL, &s.cam, mjCAT_ALL, &s.scn);
  double point[3], pos[3], forward[3], up[3];
  int geom, flex, skin, hit;
  int body = mjv_select(s.m, s.d, &s.opt, 1.5, .5, .5, &s.scn, point, &geom, &flex, &skin);
  mjv_cameraInModel(pos, forward, up, &s.scn);
  double distance = mj_ray(s.m, s.d, pos, forward, NULL, 1, -1, &hit);
  assert_int_equal(geom, hit);
  assert_int_equal(body, s.m->geom_bodyid[hit]);
  assert_int_equal(geom, mj_name2id(s.m, mjOBJ_GEOM, "ball"));
  assert_int_equal(flex, -1);
  assert_int_equal(skin, -1);
  for (int i = 0; i < 3; i++) assert_float_equal(point[i], pos[i] + distance * forward[i], 1e-4);
  end(&s);
}

// Dragging a selected body moves the reference in the plane of the camera, and the spring pulls
// there.
static void test_perturb(void** state) {
  (void)state;
  Scene s = make(100);
  mjv_updateScene(s.m, s.d, &s.opt, NULL, &s.cam, mjCAT_ALL, &s.scn);
  mjvPerturb pert;
  mjv_defaultPerturb(&pert);
  pert.select = mj_name2id(s.m, mjOBJ_BODY, "ball");
  pert.active = mjPERT_TRANSLATE;
  mjv_initPerturb(s.m, s.d, &s.scn, &pert);
  mjv_movePerturb(s.m, s.d, mjMOUSE_MOVE_V, .1, .2, &s.scn, &pert);
  double moved[3], pos[3], forward[3], up[3];
  mju_sub3(moved, pert.refpos, s.d->xpos + 3 * pert.select);
  mjv_cameraInModel(pos, forward, up, &s.scn);
  assert_true(mju_norm3(moved) > .01);
  double flat[3] = {forward[0], forward[1], 0};
  assert_float_equal(mju_dot3(moved, flat), 0,
                     1e-6);  // MOVE_V keeps to the vertical plane that faces the camera
  mjv_applyPerturbForce(s.m, s.d, &pert);
  double along = mju_dot3(s.d->xfrc_applied + 6 * pert.select, moved);
  assert_float_equal(along, mju_norm3(s.d->xfrc_applied + 6 * pert.select) * mju_norm3(moved),
                     1e-6 * along);
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_geoms),  cmocka_unit_test(test_full),    cmocka_unit_test(test_cameras),
      cmocka_unit_test(test_select), cmocka_unit_test(test_perturb),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
