// Signed distance fields of the closed-form shapes: zero on the surface, and gradients that equal
// finite differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mujoco/mujoco.h>

#include "../random.h"

static const char kXml[] =
    "<mujoco><worldbody><geom type='sphere' size='.2'/><geom type='capsule' size='.1 .2'/>"
    "<geom type='ellipsoid' size='.1 .2 .3'/><geom type='cylinder' size='.1 .2'/>"
    "<geom type='box' size='.1 .2 .3'/></worldbody></mujoco>";

static mjModel* m;
static mjData* d;

static int setup(void** state) {
  char error[300] = "";
  mjSpec* spec = mj_parseXMLString(kXml, NULL, error, sizeof error);
  m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec) mj_deleteSpec(spec);
  d = m ? mj_makeData(m) : NULL;
  return d ? 0 : -1;
}

static int teardown(void** state) {
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}

// Following the gradient by the field's value leads to the surface; the ellipsoid's field is exact
// only there.
static void fields_are_distances(void** state) {
  unsigned long long seed = 3;
  double zero[3] = {0}, unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int g = 0; g < m->ngeom; g++) {
    int id[2] = {g, g};
    mjtGeom type[2] = {m->geom_type[g], m->geom_type[g]};
    const mjpPlugin* plugin[2] = {NULL, NULL};
    mjSDF sdf = {plugin, id, mjSDFTYPE_SINGLE, zero, unit, type};
    bool exact = type[0] != mjGEOM_ELLIPSOID;
    for (int k = 0; k < 200; k++) {
      double x[3], gradient[3];
      for (int i = 0; i < 3; i++) x[i] = 0.5 * random_signed(&seed);
      double value = mjc_distance(m, d, &sdf, x);
      mjc_gradient(m, d, &sdf, gradient, x);
      assert_true(fabs(mju_norm3(gradient) - 1) < 1e-12);
      double foot[3];
      mju_addScl3(foot, x, gradient, -value);
      if (exact) assert_true(fabs(mjc_distance(m, d, &sdf, foot)) < 1e-9);
      for (int i = 0; i < 3 && exact && value > 1e-3; i++) {
        double y[3] = {x[0], x[1], x[2]}, h = 1e-6;
        y[i] += h;
        double up = mjc_distance(m, d, &sdf, y);
        y[i] -= 2 * h;
        double slope = (up - mjc_distance(m, d, &sdf, y)) / (2 * h);
        assert_true(fabs(slope - gradient[i]) < 1e-3);
      }
    }
  }
}

static void pairs_combine(void** state) {
  unsigned long long seed = 5;
  double pos[3] = {.1, -.05, .2}, zero[3] = {0}, unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mat[9];
  double quat[4] = {.5, .5, -.5, .5};
  mju_quat2Mat(mat, quat);
  int id[2] = {0, 4}, other[2] = {4, 4};
  mjtGeom type[2] = {mjGEOM_SPHERE, mjGEOM_BOX}, box[2] = {mjGEOM_BOX, mjGEOM_BOX};
  const mjpPlugin* plugin[2] = {NULL, NULL};
  for (int k = 0; k < 50; k++) {
    double x[3], y[3];
    for (int i = 0; i < 3; i++) x[i] = 0.4 * random_signed(&seed);
    mju_mulMatVec3(y, mat, x);
    mju_addTo3(y, pos);
    mjSDF one = {plugin, id, mjSDFTYPE_SINGLE, zero, unit, type};
    mjSDF two = {plugin, other, mjSDFTYPE_SINGLE, zero, unit, box};
    double a = mjc_distance(m, d, &one, x), b = mjc_distance(m, d, &two, y);
    mjSDF pair = {plugin, id, mjSDFTYPE_INTERSECTION, pos, mat, type};
    assert_true(fabs(mjc_distance(m, d, &pair, x) - fmax(a, b)) < 1e-14);
    pair.type = mjSDFTYPE_MIDSURFACE;
    assert_true(fabs(mjc_distance(m, d, &pair, x) - (a - b)) < 1e-14);
    pair.type = mjSDFTYPE_COLLISION;
    assert_true(fabs(mjc_distance(m, d, &pair, x) - (a + b + fabs(fmax(a, b)))) < 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fields_are_distances),
                                     cmocka_unit_test(pairs_combine)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
