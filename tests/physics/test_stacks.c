// Stacks that must stand for ten seconds at default settings.
#include "base/base.h"
#include "scene.h"

typedef struct snText_ {
  char text[16384];
  size_t n;
} snText;

__attribute__((format(printf, 2, 3))) static void put(snText* t, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(t->text + t->n, sizeof t->text - t->n, format, arguments);
  va_end(arguments);
  assert_true(n >= 0 && t->n + (size_t)n < sizeof t->text);
  t->n += (size_t)n;
}

static void put_body(snText* t, double x, double y, double z, const char* geom) {
  put(t, "<body pos='%.6g %.6g %.6g'><freejoint/><geom %s/></body>", x, y, z, geom);
}

// Ten seconds; the farthest any free body has gone from where it was, and the fastest speed at the
// end.
static void run(const snText* scene, double* moved, double* speed) {
  mjModel* m = scene_model(scene->text);
  mjData* d = mj_makeData(m);
  *moved = *speed = 0;
  int steps = (int)(10 / m->opt.timestep + 0.5);
  for (int i = 0; i < steps; i++) mj_step(m, d);
  for (int w = 0; w < mjNWARNING; w++) assert_int_equal(d->warning[w].number, 0);
  for (int b = 0; b < m->nq / 7; b++) {
    *moved = fmax(*moved, mju_dist3(d->qpos + 7 * b, m->qpos0 + 7 * b));
    *speed = fmax(*speed, mju_norm3(d->qvel + 6 * b));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static const char kBegin[] = "<mujoco><worldbody><geom type='plane' size='5 5 1'/>";
static const char kEnd[] = "</worldbody></mujoco>";

static void ten_boxes_stand(void** state) {
  static snText t;
  t.n = 0;
  put(&t, kBegin);
  for (int k = 0; k < 10; k++) put_body(&t, 0, 0, .1 + .2 * k, "type='box' size='.1 .1 .1'");
  put(&t, kEnd);
  double moved, speed;
  run(&t, &moved, &speed);
  assert_true(moved < 0.02);
  assert_true(speed < 1e-2);
}

// Every other row ends in half bricks.
static void brick_wall_stands(void** state) {
  static snText t;
  t.n = 0;
  put(&t, kBegin);
  for (int row = 0; row < 4; row++) {
    double z = .05 + .1 * row, shift = row & 1 ? .105 : 0;
    for (int k = 0; k < (row & 1 ? 2 : 3); k++) {
      put_body(&t, .21 * k + shift, 0, z, "type='box' size='.1 .05 .05'");
    }
    for (int side = 0; side < 2 && (row & 1); side++) {
      put_body(&t, side ? .4725 : -.0525, 0, z, "type='box' size='.0475 .05 .05'");
    }
  }
  put(&t, kEnd);
  double moved, speed;
  run(&t, &moved, &speed);
  assert_true(moved < 0.02);
  assert_true(speed < 1e-2);
}

static void dominoes_stand(void** state) {
  static snText t;
  t.n = 0;
  put(&t, kBegin);
  for (int k = 0; k < 8; k++) put_body(&t, .05 * k, 0, .08, "type='box' size='.01 .04 .08'");
  put(&t, kEnd);
  double moved, speed;
  run(&t, &moved, &speed);
  assert_true(moved < 0.01);
  assert_true(speed < 1e-2);
}

// A mug of eight walls: nothing gets through them, nothing leaves, all come to rest.
static void mug_holds_spheres(void** state) {
  static snText t;
  t.n = 0;
  put(&t, kBegin);
  for (int k = 0; k < 8; k++) {
    double angle = k * mjPI / 4;
    put(&t, "<geom type='box' size='.01 .06 .15' pos='%.6g %.6g .15' euler='0 0 %g'/>",
        .12 * cos(angle), .12 * sin(angle), 45.0 * k);
  }
  for (int k = 0; k < 16; k++) {
    put_body(&t, .05 * ((k & 1) - .5) + .003 * k, .05 * ((k >> 1 & 1) - .5), .03 + .07 * (k >> 2),
             "type='sphere' size='.03' condim='6' friction='1 .01 .01'");
  }
  put(&t, kEnd);
  mjModel* m = scene_model(t.text);
  mjData* d = mj_makeData(m);
  int steps = (int)(10 / m->opt.timestep + 0.5);
  for (int i = 0; i < steps; i++) mj_step(m, d);
  for (int b = 0; b < m->nq / 7; b++) {
    const double* x = d->qpos + 7 * b;
    assert_true(sqrt(x[0] * x[0] + x[1] * x[1]) < .12);
    assert_true(x[2] > .02 && x[2] < .3);
    assert_true(mju_norm3(d->qvel + 6 * b) < 0.1);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_boxes_stand), cmocka_unit_test(brick_wall_stands),
      cmocka_unit_test(dominoes_stand), cmocka_unit_test(mug_holds_spheres)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
