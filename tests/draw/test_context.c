// mjrContext: handles, buffers, pixels, and errors that name the misuse.
#include "scene.h"

#include <sinew/draw.h>
#include <stdbool.h>

#include "base/base.h"

static char message[2000];
static void remember(const char* text) { snprintf(message, sizeof message, "%s", text); }

#define EXPECT(call, words)                  \
  do {                                       \
    message[0] = 0;                          \
    call;                                    \
    assert_non_null(strstr(message, words)); \
  } while (0)

static mjModel* model(void) {
  return scene_model(
      "<mujoco><visual><global offwidth='40' offheight='30'/></visual><asset><texture name='t' "
      "type='2d' builtin='flat' rgb1='1 0 0' width='4' height='4'/><material name='m' texture='t'/>"
      "<hfield name='h' nrow='3' ncol='3' size='1 1 1 1'/><mesh name='w' vertex='0 0 0 1 0 0 0 1 0 "
      "0 "
      "0 1'/></asset><worldbody><camera pos='0 0 3'/><geom type='box' size='2 2 0.1' "
      "material='m'/></worldbody></mujoco>");
}

static void scene_fill(const mjModel* m, mjvScene* scn) {
  mjData* d = mj_makeData(m);
  mjvOption opt;
  mjvCamera cam;
  mj_forward(m, d);
  mjv_defaultScene(scn);
  mjv_makeScene(m, scn, 100);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  cam.type = mjCAMERA_FIXED;
  cam.fixedcamid = 0;
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, scn);
  mj_deleteData(d);
}

static void context_draws_and_reads(void** state) {
  mjModel* m = model();
  mjvScene scn;
  static mjrContext con;
  scene_fill(m, &scn);
  mjr_defaultContext(&con);
  mjr_makeContext(m, &con, 100);
  assert_int_equal(con.offWidth, 40);
  assert_int_equal(con.currentBuffer, mjFB_OFFSCREEN);
  mjr_setBuffer(mjFB_WINDOW, &con);  // as documented: the only buffer there is
  assert_int_equal(con.currentBuffer, mjFB_OFFSCREEN);
  mjrRect all = mjr_maxViewport(&con);
  unsigned char rgb[40 * 30 * 3];
  float depth[40 * 30];
  mjr_render(all, &scn, &con);
  mjr_readPixels(rgb, depth, all, &con);
  assert_true(rgb[3 * (15 * 40 + 20)] > 50 && rgb[3 * (15 * 40 + 20) + 1] == 0);
  double near = scn.camera[0].frustum_near, far = scn.camera[0].frustum_far;
  assert_float_equal(near / (1 - depth[15 * 40 + 20] * (1 - near / far)), 2.9, 1e-3);
  // the context keeps its own texture until it is uploaded again
  memset(m->tex_data, 128, (size_t)m->ntexdata);
  mjr_render(all, &scn, &con);
  mjr_readPixels(rgb, NULL, all, &con);
  assert_int_equal(rgb[3 * (15 * 40 + 20) + 1], 0);
  mjr_uploadTexture(m, &con, 0);
  mjr_render(all, &scn, &con);
  mjr_readPixels(rgb, NULL, all, &con);
  assert_true(rgb[3 * (15 * 40 + 20) + 1] > 20);
  mjr_uploadMesh(m, &con, 0);
  mjr_uploadHField(m, &con, 0);
  // ids as colours
  scn.flags[mjRND_SEGMENT] = scn.flags[mjRND_IDCOLOR] = 1;
  mjr_render(all, &scn, &con);
  mjr_readPixels(rgb, NULL, all, &con);
  assert_int_equal(rgb[3 * (15 * 40 + 20)], scn.geoms[0].segid + 1);
  assert_int_equal(rgb[3 * (15 * 40 + 20) + 1], 0);
  mjr_freeContext(&con);
  mjv_freeScene(&scn);
  mj_deleteModel(m);
}

static void buffers_and_rectangles(void** state) {
  mjModel* m = model();
  static mjrContext con;
  m->vis.quality.offsamples = 0;
  mjr_defaultContext(&con);
  mjr_makeContext(m, &con, 150);
  assert_int_equal(con.offSamples, 0);
  unsigned char rgb[12] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 1, 2, 3}, back[12] = {0};
  float depth[4] = {0.25f, 0.5f, 0.75f, 1}, read[4];
  mjrRect square = {38, 28, 2, 2};
  mjr_drawPixels(rgb, depth, square, &con);
  mjr_readPixels(back, read, square, &con);
  assert_memory_equal(rgb, back, sizeof rgb);
  assert_memory_equal(depth, read, sizeof depth);
  mjrRect outside = {-1000000000, 2000000000, 2, 2};
  mjr_drawPixels(rgb, depth, outside, &con);
  mjr_readPixels(back, NULL, outside, &con);
  for (int i = 0; i < 12; i++) assert_int_equal(back[i], 0);
  mjr_addAux(2, 8, 4, 0, &con);
  assert_int_equal(con.auxSamples[2], 0);  // as the released context says it
  mjr_setAux(2, &con);
  mjr_drawPixels(rgb, NULL, (mjrRect){0, 0, 2, 2}, &con);
  mjr_restoreBuffer(&con);
  mjr_blitAux(2, (mjrRect){0, 0, 2, 2}, 5, 6, &con);
  mjr_readPixels(back, NULL, (mjrRect){5, 6, 2, 2}, &con);
  assert_memory_equal(rgb, back, sizeof rgb);
  mjr_resizeOffscreen(100, 50, &con);
  assert_int_equal(mjr_maxViewport(&con).width, 100);
  mjrRect list[2] = {{0, 0, 10, 10}, {5, 5, 10, 10}};
  assert_int_equal(mjr_findRect(12, 12, 2, list), 1);
  assert_int_equal(mjr_findRect(20, 12, 2, list), -1);
  mjr_finish();
  assert_int_equal(mjr_getError(), 0);
  mjr_freeContext(&con);
  mjr_freeContext(&con);  // twice is nothing
  mj_deleteModel(m);
}

static void misuse_is_told(void** state) {
  mjModel* m = model();
  static mjrContext con, copy;
  void (*before)(const char*) = mju_user_error;
  mju_user_error = remember;
  mjr_defaultContext(&con);
  unsigned char rgb[3];
  EXPECT(mjr_readPixels(rgb, NULL, (mjrRect){0, 0, 1, 1}, &con),
         "mjr_readPixels: the context has not");
  EXPECT(mjr_makeContext(m, &con, 99), "font scale 99");
  m->vis.global.offwidth = 100000;
  EXPECT(mjr_makeContext(m, &con, 100), "visual/global/offwidth is 100000");
  m->vis.global.offwidth = 40;
  mjr_makeContext(m, &con, 100);
  copy = con;
  EXPECT(mjr_setAux(3, &con), "auxiliary buffer 3 has not been made");
  EXPECT(mjr_setAux(30, &con), "auxiliary buffer 30");
  EXPECT(mjr_uploadTexture(m, &con, 7), "mjr_uploadTexture: id 7");
  EXPECT(mjr_blitBuffer((mjrRect){0, 0, 1, 1}, (mjrRect){0, 0, 1, 1}, 1, 1, &con),
         "there is no window buffer");
  EXPECT(mjr_resizeOffscreen(-1, 5, &con), "mjr_resizeOffscreen: width is -1");
  EXPECT(mjr_setBuffer(5, &con), "unknown buffer 5");
  mjr_freeContext(&con);
  EXPECT(mjr_readPixels(rgb, NULL, (mjrRect){0, 0, 1, 1}, &copy), "was freed");
  EXPECT(assert_null(sn_makeRenderer(m, 0, 5, 0, 1)), "0 x 5");
  EXPECT(assert_null(sn_makeRenderer(m, 5, 20000, 0, 1)), "5 x 20000");
  mjr_makeContext(m, &con, 100);
  int width = m->tex_width[0];
  m->tex_width[0] = 0;
  EXPECT(assert_null(sn_makeRenderer(m, 5, 5, 0, 1)),
         "sn_makeRenderer: texture 0 't' has no data: 0 x 4 pixels of 3 channels");
  EXPECT(mjr_uploadTexture(m, &con, 0), "mjr_uploadTexture: texture 0 't' has no data");
  mjr_freeContext(&con);
  EXPECT(mjr_makeContext(m, &con, 100), "mjr_makeContext: texture 0 't' has no data");
  m->tex_width[0] = width;
  mju_user_error = before;
  mj_deleteModel(m);
}

// The n-th allocation fails, for every n: an error is told and the next try succeeds.
static void no_memory_is_survived(void** state) {
  mjModel* m = model();
  mjvScene scn;
  scene_fill(m, &scn);
  void (*before)(const char*) = mju_user_error;
  mju_user_error = remember;
  static mjrContext con;
  unsigned char rgb[16 * 16 * 3];
  for (long n = 1; n < 400; n++) {
    mjr_defaultContext(&con);
    message[0] = 0;
    memory_fail_at(n);
    mjr_makeContext(m, &con, 100);
    if (con.glInitialized) mjr_render(mjr_maxViewport(&con), &scn, &con);
    mjr_freeContext(&con);
    snRenderer* r = sn_makeRenderer(m, 16, 16, 4, 1);
    if (r) sn_drawScene(r, &scn, rgb, NULL, NULL);
    sn_freeRenderer(r);
    memory_fail_at(0);
  }
  message[0] = 0;
  mjr_makeContext(m, &con, 100);
  mjr_render(mjr_maxViewport(&con), &scn, &con);
  mjr_freeContext(&con);
  assert_int_equal(message[0], 0);
  mju_user_error = before;
  mjv_freeScene(&scn);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(context_draws_and_reads),
      cmocka_unit_test(buffers_and_rectangles),
      cmocka_unit_test(misuse_is_told),
      cmocka_unit_test(no_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
