// Height fields: a sphere on a prism against its closed formula, and which prisms are skipped.
#include "../scene.h"
#include "collide/convex.h"
#include "collide/hfield.h"

static double uniform(unsigned long long* seed) { return 0.5 + 0.5 * scene_random(seed); }

static const double kPos[3] = {0, 0, 0}, kMat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static snShape prism_of(const double* point) {
  return (snShape){.type = mjGEOM_HFIELD, .pos = kPos, .mat = kMat, .point = point, .npoint = 6};
}

// The closed formula has the signed distance that GJK and EPA find, inside and outside.
static void ball_agrees(void** unused) {
  unsigned long long seed = 3;
  int inside = 0, outside = 0;
  for (int k = 0; k < 20000; k++) {
    double point[18], pos[3], size[3] = {0.3 * uniform(&seed), 0, 0};
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 2; j++) {
        point[3 * i + j] = point[9 + 3 * i + j] = scene_random(&seed);
      }
      point[3 * i + 2] = -0.5;
      point[9 + 3 * i + 2] = uniform(&seed);
    }
    double area = (point[3] - point[0]) * (point[7] - point[1]) -
                  (point[4] - point[1]) * (point[6] - point[0]);
    if (fabs(area) < 0.05) continue;
    for (int i = 0; i < 3; i++) pos[i] = scene_random(&seed);
    snShape prism = prism_of(point);
    snShape ball = {.type = mjGEOM_SPHERE, .pos = pos, .mat = kMat, .size = size};
    snGjk g = {.a = &prism, .b = &ball, .tolerance = 1e-12, .iterations = 200};
    assert_true(gjk_distance(&g, 10));
    snTouchList list = {0};
    collide_prism_ball(&list, point, v_of(pos), size[0], 10, -INFINITY);
    assert_int_equal(list.n, 1);
    snTouch t = list.touch[0];
    assert_true(fabs(t.dist - g.dist) < 1e-9);
    double core = t.dist + size[0];
    if (core > 1e-3) {
      outside++;
      assert_true(v_norm(v_sub(t.normal, g.normal)) < 1e-6);
      snVec middle = v_scale(v_add(g.on_a, g.on_b), 0.5);
      assert_true(v_norm(v_sub(t.pos, middle)) < 1e-6);
    }
    inside += core < 0;
    touch_free(&list);
    collide_prism_ball(&list, point, v_of(pos), size[0], t.dist - 1e-9, -INFINITY);
    assert_int_equal(list.n, 0);
    assert_true(collide_prism_ball(&list, point, v_of(pos), size[0], 10, 0) == (core >= 0));
    touch_free(&list);
  }
  assert_true(inside > 300 && outside > 5000);
}

enum { kRow = 5, kCol = 6 };

// What is left out by a plane or a diagonal touches nothing: the contacts are those of all prisms.
static void all_prisms_are_met(void** unused) {
  char text[400];
  snprintf(text, sizeof text,
           "<mujoco><asset><hfield name='h' nrow='%d' ncol='%d' size='1 .8 .3 .2'/></asset>"
           "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
           kRow, kCol);
  mjModel* m = scene_model(text);
  mjData* d = mj_makeData(m);
  mj_kinematics(m, d);
  snHfield f = hfield_of(m, d, 0);
  static const int kType[5] = {mjGEOM_SPHERE, mjGEOM_CAPSULE, mjGEOM_ELLIPSOID, mjGEOM_CYLINDER,
                               mjGEOM_BOX};
  unsigned long long seed = 11;
  int met = 0;
  for (int k = 0; k < 3000; k++) {
    for (int i = 0; i < kRow * kCol; i++) m->hfield_data[i] = (float)uniform(&seed);
    double pos[3], mat[9], quat[4], size[3];
    for (int i = 0; i < 4; i++) quat[i] = scene_random(&seed);
    mju_normalize4(quat);
    mju_quat2Mat(mat, quat);
    for (int i = 0; i < 3; i++) size[i] = 0.02 + 0.3 * uniform(&seed);
    pos[0] = 1.2 * scene_random(&seed), pos[1] = scene_random(&seed);
    pos[2] = 0.8 * uniform(&seed) - 0.2;
    snShape b = {.type = kType[k % 5], .pos = pos, .mat = mat, .size = size};
    snTouchList list = {0}, all = {0};
    collide_hfield(m, d, &list, 0, &b, 0);
    for (int prism = 0; prism < 2 * (kRow - 1) * (kCol - 1); prism++) {
      snVec v[3];
      double point[18];
      int cell = prism / 2;
      hfield_triangle(&f, cell % (kCol - 1), cell / (kCol - 1), prism % 2, v);
      for (int i = 0; i < 3; i++) {
        v_store(point + 3 * i, v3(v[i].x, v[i].y, -0.2));
        v_store(point + 9 + 3 * i, v[i]);
      }
      snShape shape = prism_of(point);
      collide_convex(m, &all, &shape, &b, 0, NULL);
    }
    assert_int_equal(list.n, all.n);
    for (int i = 0; i < list.n; i++) {
      assert_true(fabs(list.touch[i].dist - all.touch[i].dist) < 1e-9);
    }
    met += list.n;
    touch_free(&list);
    touch_free(&all);
  }
  assert_true(met > 5000);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ball_agrees),
                                     cmocka_unit_test(all_prisms_are_met)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
