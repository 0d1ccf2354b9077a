// Threads: those of one renderer, and renderers that share assets and draw at the same time.
#include "scene.h"

#include <pthread.h>
#include <sinew/draw.h>

enum { W = 200, H = 150, DRAWS = 4 };  // several tiles each way

static const char* everything =
    "<mujoco><asset><texture type='skybox' builtin='gradient' rgb1='.3 .5 .7' rgb2='0 0 0' "
    "width='32' height='32'/><texture name='c' type='2d' builtin='checker' rgb1='.1 .2 .3' "
    "rgb2='.2 .3 .4' width='64' height='64'/><material name='c' texture='c' texrepeat='5 5' "
    "reflectance='.3'/></asset><worldbody><light pos='0 0 2' dir='0 0 -1'/>"
    "<light pos='1 1 2' dir='-1 -1 -2' directional='true'/>"
    "<camera pos='0 -2.5 1.5' xyaxes='1 0 0 0 .5 1'/>"
    "<geom type='plane' size='0 0 1' material='c'/><geom size='0.4' pos='0 0 0.4'/>"
    "<geom type='capsule' size='0.1 0.3' pos='0.6 0 0.5' rgba='1 0 0 0.4'/>"
    "<geom type='cylinder' size='0.1 0.3' pos='-0.6 0 0.5'/>"
    "<geom type='ellipsoid' size='0.1 0.3 0.2' pos='0 0.6 0.5'/>"
    "<geom type='box' size='0.1 0.3 0.2' pos='0 -0.6 0.5'/></worldbody></mujoco>";

typedef struct Setting_ {
  mjModel* m;
  mjData* d;
  mjvScene scn;
} Setting;

static void setting_open(Setting* s) {
  mjvOption opt;
  mjvCamera cam;
  s->m = scene_model(everything);
  s->d = mj_makeData(s->m);
  mj_forward(s->m, s->d);
  mjv_defaultScene(&s->scn);
  mjv_makeScene(s->m, &s->scn, 1000);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  cam.type = mjCAMERA_FIXED;
  cam.fixedcamid = 0;
  mjv_updateScene(s->m, s->d, &opt, NULL, &cam, mjCAT_ALL, &s->scn);
}

static void setting_close(Setting* s) {
  mjv_freeScene(&s->scn);
  mj_deleteData(s->d);
  mj_deleteModel(s->m);
}

static void threads_draw_the_same(void** state) {
  Setting s;
  setting_open(&s);
  static unsigned char first[W * H * 3], rgb[W * H * 3];
  static float first_depth[W * H], depth[W * H];
  for (int threads = 1; threads <= 5; threads++) {
    snRenderer* r = sn_makeRenderer(s.m, W, H, 4, threads);
    assert_int_equal(sn_drawScene(r, &s.scn, rgb, depth, NULL), 1);
    sn_freeRenderer(r);
    if (threads == 1) {
      memcpy(first, rgb, sizeof first);
      memcpy(first_depth, depth, sizeof first_depth);
    }
    assert_memory_equal(first, rgb, sizeof first);
    assert_memory_equal(first_depth, depth, sizeof depth);
  }
  snRenderer* one = sn_makeRenderer(s.m, W, H, 4, 1);
  snRenderer* two = sn_shareRenderer(one, 2);
  sn_freeRenderer(one);
  assert_int_equal(sn_drawScene(two, &s.scn, rgb, NULL, NULL), 1);
  assert_memory_equal(first, rgb, sizeof first);
  sn_freeRenderer(two);
  setting_close(&s);
}

typedef struct Painter_ {
  const mjvScene* scn;
  snRenderer* renderer;
  unsigned char rgb[W * H * 3];
} Painter;

static void* painter_run(void* argument) {
  Painter* p = argument;
  for (int i = 0; i < DRAWS; i++) sn_drawScene(p->renderer, p->scn, p->rgb, NULL, NULL);
  return NULL;
}

// Textures get their smaller sizes, and surfaces what shadows need, when they are first drawn: here
// by four renderers at once.
static void renderers_draw_at_once(void** state) {
  Setting s;
  setting_open(&s);
  static Painter painter[4];
  pthread_t thread[4];
  for (int i = 0; i < 4; i++) {
    painter[i].scn = &s.scn;
    painter[i].renderer =
        i ? sn_shareRenderer(painter[0].renderer, 1 + i % 2) : sn_makeRenderer(s.m, W, H, 4, 1);
    assert_non_null(painter[i].renderer);
  }
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&thread[i], NULL, painter_run, &painter[i]), 0);
  }
  for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < 4; i++) {
    assert_memory_equal(painter[i].rgb, painter[0].rgb, sizeof painter[0].rgb);
    sn_freeRenderer(painter[i].renderer);
  }
  setting_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_draw_the_same),
      cmocka_unit_test(renderers_draw_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
