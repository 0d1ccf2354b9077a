// Contacts of a ball that is given by its distance function alone, against those of primitive
// shapes.
#include "../scene.h"

enum { kStarts = 20 };
static int starts;

static int no_state(const mjModel* m, int i) { return 0; }

static void count_start(const mjModel* m, mjData* d, int i, int capability) {
  starts += capability == mjPLUGIN_SDF;
}

static mjtNum ball(const mjtNum p[3], const mjData* d, int i) { return mju_norm3(p) - 0.1; }

static void ball_gradient(mjtNum g[3], const mjtNum p[3], const mjData* d, int i) {
  mju_copy3(g, p);
  mju_normalize3(g);
}

// `other` at the origin, the ball above it; geom 1 becomes a field.
static mjModel* scene(const char* other, double height) {
  char xml[1000];
  snprintf(
      xml, sizeof xml,
      "<mujoco><extension><plugin plugin='test.ball'><instance name='x'/></plugin></extension>"
      "<option sdf_iterations='20' sdf_initpoints='%d'/>"
      "<worldbody><geom %s/><body pos='0 0 %g'><freejoint/><geom size='.1'/></body></worldbody>"
      "</mujoco>",
      kStarts, other, height);
  mjModel* m = scene_model(xml);
  m->geom_type[1] = mjGEOM_SDF;
  m->geom_plugin[1] = 0;
  return m;
}

// Where a search ended, the depth is that of the shape that is less deep: of the ball or of the
// other, and never more than half the penetration.
static void meets(const char* other, double height, double deepest) {
  mjModel* m = scene(other, height);
  mjData* d = mj_makeData(m);
  starts = 0;
  mj_fwdPosition(m, d);
  assert_int_equal(starts, kStarts);
  assert_true(d->ncon > 0);
  int of_ball = 0;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = &d->contact[i];
    double x[3];
    mju_addScl3(x, c->pos, c->frame, 0.5 * c->dist);
    x[2] -= height;
    double a = ball(x, d, 0);
    assert_true(c->dist < 0 && c->dist >= -deepest - 1e-9 && c->dist >= a - 1e-9);
    of_ball += fabs(c->dist - a) < 1e-9;
    assert_float_equal(mju_norm3(c->frame), 1, 1e-12);
    assert_true(c->frame[2] > 0);  // from the first geom to the second
    assert_int_equal(c->geom[1], 1);
  }
  assert_true(of_ball > 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void test_shapes(void** state) {
  meets("size='.1'", 0.16, 0.02);
  meets("type='capsule' size='.1 .2'", 0.36, 0.02);
  meets("type='ellipsoid' size='.1 .1 .1'", 0.16, 0.02);
  meets("type='cylinder' size='.3 .1'", 0.16, 0.02);
  meets("type='box' size='.3 .3 .1'", 0.16, 0.02);
}

static void test_apart(void** state) {
  mjModel* m = scene("size='.1' margin='.1'", 0.21);
  mjData* d = mj_makeData(m);
  mj_fwdPosition(m, d);
  assert_int_equal(d->ncon, 0);  // a margin makes no contacts of fields
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "test.ball";
  plugin.capabilityflags = mjPLUGIN_SDF;
  plugin.nstate = no_state;
  plugin.compute = count_start;
  plugin.sdf_distance = ball;
  plugin.sdf_gradient = ball_gradient;
  mjp_registerPlugin(&plugin);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
