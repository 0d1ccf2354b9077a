// Distance and depth of convex shapes against closed formulas.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/convex.h"

static double uniform(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static void random_pose(uint64_t* state, double pos[3], double mat[9], double spread) {
  double q[4], norm = 0;
  for (int i = 0; i < 3; i++) pos[i] = spread * (2 * uniform(state) - 1);
  for (int i = 0; i < 4; i++) {
    q[i] = 2 * uniform(state) - 1;
    norm += q[i] * q[i];
  }
  for (int i = 0; i < 4; i++) q[i] /= sqrt(norm);
  mju_quat2Mat(mat, q);
}

// A sphere has the same distance from a box by GJK and by clamping; scales from 1e-3 to 1e3.
static void sphere_box_agrees(void** unused) {
  uint64_t seed = 1;
  for (int k = 0; k < 20000; k++) {
    double scale = pow(10, floor(7 * uniform(&seed)) - 3);
    double p1[3], m1[9], p2[3], m2[9];
    random_pose(&seed, p1, m1, 3 * scale);
    random_pose(&seed, p2, m2, 0);
    double s1[3] = {scale * (0.1 + uniform(&seed)), 0, 0};
    double s2[3] = {scale * (0.1 + uniform(&seed)), scale * (0.1 + uniform(&seed)),
                    scale * (0.1 + uniform(&seed))};
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sphere_box_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
