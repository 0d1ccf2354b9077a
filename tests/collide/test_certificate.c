// Distances that prove themselves. For convex A and B, points a of A and b of B and a unit vector
// n,
//   min over B of n.b - max over A of n.a <= distance <= |a - b|
// (weak duality): the right side is a feasible point of the quadratic program min |a - b|, the left
// side one of its dual. When both agree to 1e-9 of the size, so does the distance, whatever found
// it. Scales from 1e-3 to 1e3.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/convex.h"
#include "../random.h"

enum { kPoints = 40 };

typedef struct snRandomShape_ {
  snShape shape;
  double pos[3], mat[9], size[3], point[3 * kPoints];
  double box[6];  // around the points: only its center is asked for
} snRandomShape;

// A shape of the given type, of about the size `scale`; type mjGEOM_MESH is the hull of points.
static void shape_random(snRandomShape* s, int type, double scale, unsigned long long* seed) {
  double q[4], norm = 0;
  for (int i = 0; i < 4; i++) q[i] = 2 * random_unit(seed) - 1, norm += q[i] * q[i];
  for (int i = 0; i < 4; i++) q[i] /= sqrt(norm);
  mju_quat2Mat(s->mat, q);
  for (int i = 0; i < 3; i++) {
    s->pos[i] = 2 * scale * (2 * random_unit(seed) - 1);
    s->size[i] = scale * (0.05 + random_unit(seed));
  }
  s->shape = (snShape){.type = type, .pos = s->pos, .mat = s->mat, .size = s->size};
  if (type != mjGEOM_MESH) return;
  for (int i = 0; i < 3 * kPoints; i++) s->point[i] = s->size[i % 3] * (2 * random_unit(seed) - 1);
  s->shape.type = mjGEOM_TRIANGLE;
  s->shape.point = s->point;
  s->shape.npoint = kPoints;
  memset(s->box, 0, sizeof s->box);
  s->shape.aabb = s->box;
}

static snGjk gjk_of(const snRandomShape* a, const snRandomShape* b, double tolerance,
                    int iterations) {
  return (snGjk){.a = &a->shape,
                 .b = &b->shape,
                 .hint_a = -1,
                 .hint_b = -1,
                 .tolerance = tolerance,
                 .iterations = iterations};
}

static double separation(const snShape* a, const snShape* b, snVec n) {
  int ha = -1, hb = -1;
  double top = v_dot(n, support_core(a, n, &ha)) + support_radius(a);
  return v_dot(n, support_core(b, v_neg(n), &hb)) - support_radius(b) - top;
}

// How far p is outside the shape, for shapes with a formula; a hull is not asked.
static double outside(const snShape* s, snVec p) {
  snVec q = m_mul_t(s->mat, v_sub(p, v_of(s->pos)));
  const double* r = s->size;
  switch (s->type) {
    case mjGEOM_SPHERE:
      return v_norm(q) - r[0];
    case mjGEOM_CAPSULE:
      return v_norm(v_sub(q, v3(0, 0, clamp(q.z, -r[1], r[1])))) - r[0];
    case mjGEOM_ELLIPSOID:
      return (v_norm(v3(q.x / r[0], q.y / r[1], q.z / r[2])) - 1) * fmin(r[0], fmin(r[1], r[2]));
    case mjGEOM_CYLINDER:
      return fmax(sqrt(q.x * q.x + q.y * q.y) - r[0], fabs(q.z) - r[1]);
    case mjGEOM_BOX:
      return fmax(fmax(fabs(q.x) - r[0], fabs(q.y) - r[1]), fabs(q.z) - r[2]);
    default:
      return 0;
  }
}

static const int kTypes[6] = {mjGEOM_SPHERE,   mjGEOM_CAPSULE, mjGEOM_ELLIPSOID,
                              mjGEOM_CYLINDER, mjGEOM_BOX,     mjGEOM_MESH};

static void distance_is_proved(void** unused) {
  unsigned long long seed = 3;
  int apart = 0;
  for (int k = 0; k < 42000; k++) {
    int i = k % 6, j = k / 6 % 6;
    double scale = pow(10, k % 7 - 3);
    snRandomShape a, b;
    shape_random(&a, kTypes[i], scale, &seed);
    shape_random(&b, kTypes[j], scale, &seed);
    snGjk g = gjk_of(&a, &b, 1e-10 * scale, 100);
    assert_true(gjk_distance(&g, 1e10));
    double core = g.dist + support_radius(&a.shape) + support_radius(&b.shape);
    if (core <= 0) continue;
    apart++;
    assert_true(outside(&a.shape, g.on_a) < 1e-11 * scale);
    assert_true(outside(&b.shape, g.on_b) < 1e-11 * scale);
    double sum = 0;  // the hull's point is a mean of its vertices
    for (int v = 0; v < g.n; v++) {
      assert_true(g.weight[v] >= 0);
      sum += g.weight[v];
    }
    assert_true(fabs(sum - 1) < 1e-12);
    double bound = separation(&a.shape, &b.shape, g.normal);
    double primal = v_dot(g.normal, v_sub(g.on_b, g.on_a));
    if (primal - bound > 1e-9 * scale) {
      fail_msg("types %d %d case %d: distance between %.17g and %.17g at scale %g", kTypes[i],
               kTypes[j], k, bound, primal, scale);
    }
    assert_true(fabs(primal - g.dist) < 1e-11 * scale);
    assert_true(g.queries <= 100);
  }
  assert_true(apart > 20000);
}

// Depths: n is a direction that parts the shapes by moving one of them g.dist, to 1e-6.
static void depth_is_reached(void** unused) {
  unsigned long long seed = 4;
  int deep = 0;
  for (int k = 0; k < 21000; k++) {
    int i = k % 6, j = k / 6 % 6;
    double scale = pow(10, k % 7 - 3);
    snRandomShape a, b;
    shape_random(&a, kTypes[i], scale, &seed);
    shape_random(&b, kTypes[j], scale, &seed);
    for (int c = 0; c < 3; c++) b.pos[c] = a.pos[c] + 0.4 * scale * (2 * random_unit(&seed) - 1);
    snGjk g = gjk_of(&a, &b, 1e-9 * scale, 50);
    if (!gjk_distance(&g, 0)) continue;
    deep++;
    assert_true(fabs(separation(&a.shape, &b.shape, g.normal) - g.dist) < 1e-6 * scale);
    assert_true(g.queries <= 3 * 50 + 12);
  }
  assert_true(deep > 10000);
}

// Sizes of zero, centers that coincide, far away, few iterations: always numbers, always in time.
static void never_nan(void** unused) {
  unsigned long long seed = 5;
  for (int k = 0; k < 20000; k++) {
    snRandomShape a, b;
    double scale = pow(10, floor(13 * random_unit(&seed)) - 6);
    shape_random(&a, kTypes[k % 6], scale, &seed);
    shape_random(&b, kTypes[k / 6 % 6], scale, &seed);
    snRandomShape* one = k & 1 ? &a : &b;
    switch (k / 36 % 5) {
      case 0:
        one->size[random_unit(&seed) < 0.5] = 0;
        break;
      case 1:
        memcpy(b.pos, a.pos, sizeof b.pos);
        break;
      case 2:
        memcpy(b.pos, a.pos, sizeof b.pos);
        memcpy(b.mat, a.mat, sizeof b.mat);
        break;
      case 3:
        one->pos[0] += 1e8 * scale;
        break;
      default:
        memset(one->size, 0, sizeof one->size);
        memset(one->point, 0, sizeof one->point);
        break;
    }
    int iterations = 1 + (int)(50 * random_unit(&seed));
    snGjk g = gjk_of(&a, &b, 1e-6, iterations);
    if (!gjk_distance(&g, k % 3 ? 1e12 : 0)) continue;
    assert_true(isfinite(g.dist));
    assert_true(fabs(v_norm(g.normal) - 1) < 1e-9);
    assert_true(isfinite(v_norm(g.on_a)) && isfinite(v_norm(g.on_b)));
    assert_true(g.queries <= 3 * iterations + 12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distance_is_proved),
      cmocka_unit_test(depth_is_reached),
      cmocka_unit_test(never_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
