// Distance and depth of convex shapes against closed formulas and against a search over directions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/convex.h"
#include "../scene.h"

static void random_pose(unsigned long long* state, double pos[3], double mat[9], double spread) {
  double q[4], norm = 0;
  for (int i = 0; i < 3; i++) pos[i] = spread * (2 * random_unit(state) - 1);
  for (int i = 0; i < 4; i++) {
    q[i] = 2 * random_unit(state) - 1;
    norm += q[i] * q[i];
  }
  for (int i = 0; i < 4; i++) q[i] /= sqrt(norm);
  mju_quat2Mat(mat, q);
}

// A sphere has the same distance from a box by GJK and by clamping; scales from 1e-3 to 1e3.
static void sphere_box_agrees(void** unused) {
  unsigned long long seed = 1;
  for (int k = 0; k < 20000; k++) {
    double scale = pow(10, floor(7 * random_unit(&seed)) - 3);
    double p1[3], m1[9], p2[3], m2[9];
    random_pose(&seed, p1, m1, 3 * scale);
    random_pose(&seed, p2, m2, 0);
    double s1[3] = {scale * (0.1 + random_unit(&seed)), 0, 0};
    double s2[3] = {scale * (0.1 + random_unit(&seed)), scale * (0.1 + random_unit(&seed)),
                    scale * (0.1 + random_unit(&seed))};
    snShape a = {.type = mjGEOM_SPHERE, .pos = p1, .mat = m1, .size = s1};
    snShape b = {.type = mjGEOM_BOX, .pos = p2, .mat = m2, .size = s2};
    snTouchList list = {0};
    collide_sphere_box(&list, &a, &b, 1e10);
    assert_int_equal(list.n, 1);
    snGjk g = {.a = &a, .b = &b, .tolerance = 1e-12 * scale, .iterations = 100};
    assert_true(gjk_distance(&g, 1e10));
    assert_true(fabs(g.dist - list.touch[0].dist) < 1e-9 * scale);
    assert_true(v_norm(v_sub(g.normal, list.touch[0].normal)) < 1e-6);
    touch_free(&list);
  }
}

// Boxes within the margin of each other have a contact, none deeper than they are.
static void boxes_within_margin_meet(void** unused) {
  unsigned long long seed = 7;
  int apart = 0;
  for (int k = 0; k < 40000; k++) {
    double p1[3], m1[9], p2[3], m2[9], s1[3], s2[3];
    random_pose(&seed, p1, m1, 0.3);
    random_pose(&seed, p2, m2, 0);
    for (int i = 0; i < 3; i++) {
      s1[i] = 0.01 + 0.2 * random_unit(&seed);
      s2[i] = 0.01 + 0.2 * random_unit(&seed);
    }
    double margin = 0.1 * random_unit(&seed);
    snShape a = {.type = mjGEOM_BOX, .pos = p1, .mat = m1, .size = s1};
    snShape b = {.type = mjGEOM_BOX, .pos = p2, .mat = m2, .size = s2};
    snGjk g = {.a = &a, .b = &b, .tolerance = 1e-12, .iterations = 100};
    if (!gjk_distance(&g, margin) || g.dist <= 0) continue;
    snTouchList list = {0};
    collide_box_box(&list, &a, &b, margin);
    assert_true(list.n > 0);
    for (int i = 0; i < list.n; i++) {
      assert_true(list.touch[i].dist > 0 && list.touch[i].dist <= margin);
    }
    touch_free(&list);
    apart++;
  }
  assert_true(apart > 1000);
}

// The tips of a gripper that closes at an angle: equally wide, with one axis in common but for
// rounding, so that edges that coincide pass each other and corners have contacts. Released: two,
// 8.2e-4 deep, though the boxes overlap by 2.4e-5.
static void boxes_of_equal_width_touch(void** unused) {
  const double size[3] = {0.011, 0.003175, 0.01875};
  const double p1[3] = {-0.17692795157905836, -0.04713372868475926, 0.9404520023167265};
  const double p2[3] = {-0.17861891078484246, -0.06686204892276623, 0.9392959847085093};
  const double m1[9] = {-0.9884507459786213,  0.12800605491011013, 0.08111456515730593,
                        0.09178810031292481,  0.9316174143765622,  -0.35165883732856074,
                        -0.12058220190083364, -0.3401520882438921, -0.9326073608159374};
  const double m2[9] = {0.9884507459786213,   -0.03486761900249,    0.1474766826295132,
                        -0.09178810031292481, -0.9121019394923219,  0.3995559993483908,
                        0.12058220190083363,  -0.40847803015516515, -0.9047682750104055};
  snShape a = {.type = mjGEOM_BOX, .pos = p1, .mat = m1, .size = size};
  snShape b = {.type = mjGEOM_BOX, .pos = p2, .mat = m2, .size = size};
  snTouchList list = {0};
  collide_box_box(&list, &a, &b, 0);
  assert_int_equal(list.n, 2);
  for (int i = 0; i < 2; i++) assert_true(fabs(list.touch[i].dist + 0.00081924) < 1e-8);
  touch_free(&list);
}

// The signed distance is the largest separation over unit directions n:
//   s(n) = min over b of n.b - max over a of n.a,
// so any direction bounds it from below, and a descent from several starts finds it.
static double separation(const snShape* a, const snShape* b, snVec n) {
  int ha = 0, hb = 0;
  double top = v_dot(n, support_core(a, n, &ha)) + support_radius(a);
  double low = v_dot(n, support_core(b, v_neg(n), &hb)) - support_radius(b);
  return low - top;
}

static double search(const snShape* a, const snShape* b, unsigned long long* seed) {
  double best = -INFINITY;
  for (int start = 0; start < 24; start++) {
    snVec n = v3(2 * random_unit(seed) - 1, 2 * random_unit(seed) - 1, 2 * random_unit(seed) - 1);
    v_normalize(&n);
    double value = separation(a, b, n), step = 0.5;
    while (step > 1e-9) {
      bool better = false;
      for (int k = 0; k < 6; k++) {
        snVec d =
            v3(2 * random_unit(seed) - 1, 2 * random_unit(seed) - 1, 2 * random_unit(seed) - 1);
        snVec t = v_along(n, step, d);
        v_normalize(&t);
        double trial = separation(a, b, t);
        if (trial > value) {
          value = trial;
          n = t;
          better = true;
        }
      }
      if (!better) step *= 0.5;
    }
    if (value > best) best = value;
  }
  return best;
}

static const int kType[] = {mjGEOM_SPHERE, mjGEOM_CAPSULE, mjGEOM_ELLIPSOID, mjGEOM_CYLINDER,
                            mjGEOM_BOX};

static void depth_is_least(void** unused) {
  unsigned long long seed = 7;
  for (int k = 0; k < 600; k++) {
    double p1[3], m1[9], p2[3], m2[9], s1[3], s2[3];
    random_pose(&seed, p1, m1, 0.8);
    random_pose(&seed, p2, m2, 0);
    for (int i = 0; i < 3; i++) s1[i] = 0.1 + random_unit(&seed), s2[i] = 0.1 + random_unit(&seed);
    snShape a = {.type = kType[k % 5], .pos = p1, .mat = m1, .size = s1};
    snShape b = {.type = kType[(k / 5) % 5], .pos = p2, .mat = m2, .size = s2};
    snGjk g = {.a = &a, .b = &b, .tolerance = 1e-6, .iterations = 50};
    assert_true(gjk_distance(&g, 1e10));
    double truth = search(&a, &b, &seed);
    // the search is a lower bound; a larger gap than the tolerance is a wrong answer of ours
    double error = truth - g.dist;
    if (error > 2e-6) {
      fail_msg("types %d %d case %d: distance %.9f, but %.9f is reached", a.type, b.type, k, g.dist,
               truth);
    }
    // normal and witnesses tell the same distance
    assert_true(fabs(v_dot(g.normal, v_sub(g.on_b, g.on_a)) - g.dist) < 1e-6);
    // 50 vertices may not be enough for two large curved shapes far inside each other
    assert_true(separation(&a, &b, g.normal) > g.dist - 2e-3);
  }
}

// Shapes with flat faces, where EPA ends exactly: a prism against everything.
static void prism_depth_is_least(void** unused) {
  unsigned long long seed = 11;
  for (int k = 0; k < 600; k++) {
    double p1[3] = {0, 0, 0}, m1[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p2[3], m2[9], s2[3], point[18];
    random_pose(&seed, p2, m2, 0.7);
    for (int i = 0; i < 3; i++) s2[i] = 0.1 + 0.3 * random_unit(&seed);
    for (int i = 0; i < 3; i++) {
      double x = (i > 0) - 0.5, y = (i > 1) - 0.5;
      v_store(point + 3 * i, v3(x, y, -0.5));
      v_store(point + 9 + 3 * i, v3(x, y, random_unit(&seed)));
    }
    static const double kBox[6] = {0.2, -0.2, 0, 1, 1, 1};
    snShape a = {.type = mjGEOM_TRIANGLE, .pos = p1, .mat = m1};
    a.point = point, a.npoint = 6, a.aabb = kBox;
    snShape b = {.type = kType[k % 5], .pos = p2, .mat = m2, .size = s2};
    snGjk g = {.a = &a, .b = &b, .tolerance = 1e-6, .iterations = 50};
    assert_true(gjk_distance(&g, 1e10));
    double truth = search(&a, &b, &seed);
    if (truth - g.dist > 2e-6) {
      fail_msg("type %d case %d: distance %.9f, but %.9f is reached", b.type, k, g.dist, truth);
    }
    assert_true(separation(&a, &b, g.normal) > g.dist - 1e-5);
  }
}

// A polytope outgrows what the stack holds: it ends by its tolerance and not by its room.
static void polytope_grows(void** unused) {
  double p1[3] = {0, 0, 0}, p2[3] = {0.1, 0.05, 0.02}, mat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double size[3] = {1, 0.9, 0.8};
  snShape a = {.type = mjGEOM_ELLIPSOID, .pos = p1, .mat = mat, .size = size};
  snShape b = {.type = mjGEOM_ELLIPSOID, .pos = p2, .mat = mat, .size = size};
  snGjk g = {.a = &a, .b = &b, .tolerance = 1e-12, .gap = 1e-24, .iterations = 2000};
  assert_true(gjk_distance(&g, 0));
  assert_true(g.queries > 200);
  assert_true(fabs(separation(&a, &b, g.normal) - g.dist) < 1e-8);
}

// The support of a large mesh, from any hint, is as high as its highest vertex: also along axes and
// diagonals, where cells of the table meet, and in directions that are none.
static void hull_support_is_highest(void** unused) {
  unsigned long long seed = 3;
  char* text;
  size_t bytes;
  FILE* f = open_memstream(&text, &bytes);
  fprintf(f, "<mujoco><asset><mesh name='m' vertex='");
  for (int i = 0; i < 300; i++) {
    double v[3], norm = 0;
    for (int k = 0; k < 3; k++) v[k] = 2 * random_unit(&seed) - 1, norm += v[k] * v[k];
    norm = sqrt(norm);
    fprintf(f, "%.6f %.6f %.6f ", v[0] / norm, 0.3 * v[1] / norm, 0.1 * v[2] / norm);
  }
  fprintf(f, "'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>");
  fclose(f);
  mjModel* m = scene_model(text);
  snHull* hull = hulls_make(m);
  assert_true(hull->npad > kHullScan);
  const double pos[3] = {0, 0, 0}, mat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  snShape shape = {.type = mjGEOM_MESH, .pos = pos, .mat = mat, .hull = hull};
  for (int k = 0; k < 20000; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = 2 * random_unit(&seed) - 1;
    if (k < 27) d[0] = k / 9 - 1, d[1] = k / 3 % 3 - 1, d[2] = k % 3 - 1;
    if (k >= 27 && k < 1000) d[k % 3] = 0;
    double most = -INFINITY;
    for (int v = 0; v < hull->nvert; v++) {
      most = fmax(most, d[0] * hull->x[v] + d[1] * hull->y[v] + d[2] * hull->z[v]);
    }
    int hint = (int)(random_unit(&seed) * (hull->nvert + 1)) - 1;
    snVec top = support_core(&shape, v_of(d), &hint);
    assert_true(v_dot(top, v_of(d)) >= most - 1e-6 * fabs(most));
    assert_true(v_dot(hull_point(hull, support_hull(hull, v_of(d))), v_of(d)) == most);
  }
  int hint = -1;
  support_core(&shape, v3(NAN, 0, 0), &hint);
  support_core(&shape, v3(1e-310, 1e308, -1e308), &hint);
  support_core(&shape, v3(INFINITY, 0, 1), &hint);
  hulls_free(hull, m->nmesh);
  mj_deleteModel(m);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_box_agrees),          cmocka_unit_test(boxes_within_margin_meet),
      cmocka_unit_test(boxes_of_equal_width_touch), cmocka_unit_test(depth_is_least),
      cmocka_unit_test(prism_depth_is_least),       cmocka_unit_test(polytope_grows),
      cmocka_unit_test(hull_support_is_highest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
