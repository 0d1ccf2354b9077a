// Text, overlays, labels, rectangles and figures over a picture.
#include <limits.h>

#include <sinew/film.h>

#include "draw/draw.h"
#include "errors.h"

enum { W = 320, H = 240 };

static mjModel* model;
static mjrContext con;
static unsigned char rgb[3 * W * H];

static int setup(void** unused) {
  model = scene_model(
      "<mujoco><visual><global offwidth='320' offheight='240'/></visual><worldbody>"
      "<geom name='ball' size='.1' pos='0 0 .5'/></worldbody></mujoco>");
  mjr_defaultContext(&con);
  mjr_makeContext(model, &con, mjFONTSCALE_100);
  return 0;
}

static int teardown(void** unused) {
  mjr_freeContext(&con);
  mj_deleteModel(model);
  return 0;
}

static void clear(float grey) { mjr_rectangle((mjrRect){0, 0, W, H}, grey, grey, grey, 1); }

static const unsigned char* pixel(int x, int y) { return rgb + 3 * (y * W + x); }

// The box of the pixels that are not of a colour: left, bottom, right, top; false when there are
// none.
static bool touched(int colour, int box[4]) {
  mjr_readPixels(rgb, NULL, (mjrRect){0, 0, W, H}, &con);
  box[0] = W, box[1] = H, box[2] = box[3] = 0;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      const unsigned char* p = pixel(x, y);
      if (p[0] == colour && p[1] == colour && p[2] == colour) continue;
      box[0] = x < box[0] ? x : box[0];
      box[1] = y < box[1] ? y : box[1];
      box[2] = x + 1 > box[2] ? x + 1 : box[2];
      box[3] = y + 1 > box[3] ? y + 1 : box[3];
    }
  }
  return box[2] > 0;
}

// ---- the font

static void test_font_sizes(void** unused) {
  for (int scale = 50; scale <= 300; scale += 50) {
    mjr_changeFont(scale, &con);
    assert_int_equal(con.fontScale, scale);
    assert_int_equal(con.charHeight, 18 * scale / 100);
    assert_int_equal(con.charHeightBig, 36 * scale / 100);
    for (int c = 0; c < 127; c++) {
      assert_int_equal(con.charWidth[c] > 0, c >= 32);
      assert_int_equal(con.charWidthBig[c] > 0, c >= 32);
    }
  }
  mjr_changeFont(100, &con);
  EXPECT_ERROR(mjr_changeFont(70, &con), "mjr_changeFont: font scale 70, expected 50, 100");
  EXPECT_ERROR(mjr_text(3, "x", &con, 0, 0, 1, 1, 1), "mjr_text: font 3, expected mjFONT_NORMAL");
}

// Every printable character but the space leaves ink, inside its own width and line (edges of one
// pixel blur), and no two look alike.
static void test_glyphs(void** unused) {
  static unsigned char seen[127][24 * 24];
  for (int c = 33; c < 127; c++) {
    char text[2] = {(char)c, 0};
    int box[4];
    clear(0);
    mjr_text(mjFONT_NORMAL, text, &con, 0.1f, 0.1f, 1, 1, 1);
    assert_true(touched(0, box));
    assert_in_range(box[0], 31, 32 + con.charWidth[c]);
    assert_in_range(box[2], 32, 33 + con.charWidth[c]);
    assert_in_range(box[1], 23, 24 + con.charHeight);
    assert_in_range(box[3], 24, 25 + con.charHeight);
    for (int y = 0; y < 24; y++) {
      for (int x = 0; x < 24; x++) seen[c][24 * y + x] = pixel(28 + x, 20 + y)[0];
    }
    for (int k = 33; k < c; k++) assert_memory_not_equal(seen[c], seen[k], 24 * 24);
  }
}

// Bytes that are no printable ASCII take no room; text goes on beyond the edges without harm.
static void test_odd_text(void** unused) {
  int plain[4], odd[4];
  clear(0);
  mjr_text(mjFONT_NORMAL, "abc", &con, 0.1f, 0.1f, 1, 1, 1);
  assert_true(touched(0, plain));
  clear(0);
  mjr_text(mjFONT_NORMAL,
           "a\n\xc3\xa4\x7f"
           "bc\x01",
           &con, 0.1f, 0.1f, 1, 1, 1);
  assert_true(touched(0, odd));
  assert_memory_equal(plain, odd, sizeof plain);
  const float far[] = {-1e30f, 1e30f, INFINITY, -INFINITY, NAN, 0.999f, -0.001f};
  for (int i = 0; i < 7; i++) {
    for (int k = 0; k < 7; k++) {
      mjr_text(mjFONT_SHADOW, "far away", &con, far[i], far[k], 1, 1, 1);
      mjr_text(mjFONT_BIG, "far away", &con, far[i], far[k], NAN, 2, -1);
    }
  }
}

// The font with shadow is the normal one with black around it.
static void test_shadow(void** unused) {
  int normal[4], shadow[4], black = 0;
  clear(0.5f);
  mjr_text(mjFONT_NORMAL, "Shadow", &con, 0.2f, 0.2f, 1, 1, 1);
  assert_true(touched(128, normal));
  clear(0.5f);
  mjr_text(mjFONT_SHADOW, "Shadow", &con, 0.2f, 0.2f, 1, 1, 1);
  assert_true(touched(128, shadow));
  assert_true(shadow[0] < normal[0] && shadow[1] < normal[1] && shadow[2] > normal[2] &&
              shadow[3] > normal[3]);
  for (int i = 0; i < W * H; i++) black += rgb[3 * i] < 10;
  assert_true(black > 50);
}

// ---- rectangles and labels

static void test_rectangle(void** unused) {
  clear(0);
  mjr_rectangle((mjrRect){10, 20, 30, 40}, 1, 0.5f, 0, 0.5f);
  int box[4], expected[4] = {10, 20, 40, 60};
  assert_true(touched(0, box));
  assert_memory_equal(box, expected, sizeof box);
  assert_int_equal(pixel(15, 25)[0], 128);
  assert_int_equal(pixel(15, 25)[1], 64);
  const mjrRect odd[] = {{INT_MAX, INT_MAX, INT_MAX, INT_MAX},
                         {INT_MIN, INT_MIN, INT_MAX, INT_MAX},
                         {-100, -100, INT_MAX, INT_MAX},
                         {5, 5, -3, 10},
                         {0, 0, 0, 0}};
  for (int i = 0; i < 5; i++) {
    mjr_rectangle(odd[i], 1, 1, 1, 1);
    mjr_label(odd[i], mjFONT_NORMAL, "label", 1, 0, 0, 1, 1, 1, 1, &con);
    mjr_overlay(mjFONT_BIG, i, odd[i], "overlay", "two", &con);
  }
}

static void test_label(void** unused) {
  int box[4];
  clear(0);
  mjr_label((mjrRect){40, 60, 200, 50}, mjFONT_NORMAL, "ok", 0, 0, 0, 1, 1, 1, 1, &con);
  assert_true(touched(0, box));  // the text alone: the label is as black as the rest
  assert_in_range((box[0] + box[2]) / 2, 138, 142);
  assert_in_range((box[1] + box[3]) / 2, 82, 88);
  clear(0);  // too long: from the left edge on
  mjr_label((mjrRect){40, 60, 20, 20}, mjFONT_NORMAL, "HHHHHH", 0, 0, 0, 1, 1, 1, 1, &con);
  assert_true(touched(0, box));
  assert_in_range(box[0], 40, 42);
  assert_true(box[2] > 80);
}

// ---- overlays

static void test_overlay_places(void** unused) {
  mjrRect v = {40, 30, 200, 160};
  for (int place = mjGRID_TOPLEFT; place <= mjGRID_RIGHT; place++) {
    int box[4];
    clear(1);
    mjr_overlay(mjFONT_NORMAL, place, v, "one\ntwo\nthree", "1\n2", &con);
    assert_true(touched(255, box));
    assert_int_equal(box[3] - box[1], 3 * (con.charHeight + 5));
    bool left = place == mjGRID_TOPLEFT || place == mjGRID_BOTTOMLEFT || place == mjGRID_LEFT;
    bool right = place == mjGRID_TOPRIGHT || place == mjGRID_BOTTOMRIGHT || place == mjGRID_RIGHT;
    bool top = place == mjGRID_TOPLEFT || place == mjGRID_TOPRIGHT || place == mjGRID_TOP;
    bool bottom =
        place == mjGRID_BOTTOMLEFT || place == mjGRID_BOTTOMRIGHT || place == mjGRID_BOTTOM;
    if (left) assert_int_equal(box[0], v.left + 5);
    if (right) assert_int_equal(box[2], v.left + v.width - 5);
    if (bottom) assert_int_equal(box[1], v.bottom + 5);
    if (top) assert_int_equal(box[3], v.bottom + v.height - 5);
    if (!left && !right) assert_in_range(box[0] + box[2], 2 * 140 - 1, 2 * 140 + 1);
    if (!top && !bottom) assert_in_range(box[1] + box[3], 2 * 110 - 1, 2 * 110 + 1);
  }
  EXPECT_ERROR(mjr_overlay(0, 8, v, "x", "", &con), "mjr_overlay: place 8, expected one of");
}

static void test_overlay_columns(void** unused) {
  int one[4], two[4], none[4];
  mjrRect v = {0, 0, W, H};
  clear(1);
  mjr_overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, v, "one", NULL, &con);
  assert_true(touched(255, one));
  clear(1);
  mjr_overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, v, "one", "two", &con);
  assert_true(touched(255, two));
  assert_true(two[2] > one[2] && two[1] == one[1]);
  clear(1);
  mjr_overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, v, "", "", &con);
  mjr_overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, v, NULL, NULL, &con);
  assert_false(touched(255, none));
}

// ---- figures

static void figure_make(mjvFigure* fig) {
  mjv_defaultFigure(fig);
  for (int i = 0; i < 50; i++) {
    fig->linedata[0][2 * i] = (float)i;
    fig->linedata[0][2 * i + 1] = (float)(i * i);
  }
  fig->linepnt[0] = 50;
}

static void test_figure_layout(void** unused) {
  static mjvFigure fig;
  mjrRect v = {10, 20, 300, 200};
  int h = con.charHeight;
  figure_make(&fig);
  fig.flg_ticklabel[0] = fig.flg_ticklabel[1] = 0;
  mjr_figure(v, &fig, &con);
  assert_int_equal(fig.xaxispixel[0], 10 + h / 2);
  assert_int_equal(fig.xaxispixel[1], 310 - h / 2 - 1);
  assert_int_equal(fig.yaxispixel[0], 20 + h / 2);
  assert_int_equal(fig.yaxispixel[1], 220 - h / 2 - 1);
  snprintf(fig.title, sizeof fig.title, "first\nsecond");
  snprintf(fig.xlabel, sizeof fig.xlabel, "time");
  fig.flg_ticklabel[0] = 1;
  mjr_figure(v, &fig, &con);
  assert_int_equal(fig.yaxispixel[0], 20 + h / 2 + 3 * h / 2 + 5 * h / 4);
  assert_int_equal(fig.yaxispixel[1], 220 - h / 2 - 1 - 3 * h / 2);
  fig.subplot = 2;  // has no title
  mjr_figure(v, &fig, &con);
  assert_int_equal(fig.yaxispixel[1], 220 - h / 2 - 1);
  fig.xaxispixel[0] = -7;
  mjr_figure((mjrRect){0, 0, 20, 20}, &fig, &con);  // no room: nothing happens
  assert_int_equal(fig.xaxispixel[0], -7);
}

static void test_figure_ranges(void** unused) {
  static mjvFigure fig;
  mjrRect v = {0, 0, W, H};
  figure_make(&fig);
  fig.flg_extend = 0;
  mjr_figure(v, &fig, &con);  // as given: 0 to 1
  assert_float_equal(fig.xaxisdata[1], 1, 0);
  fig.flg_extend = 1;
  fig.range[1][0] = -10;
  mjr_figure(v, &fig, &con);
  assert_float_equal(fig.xaxisdata[1], 49, 0);
  assert_float_equal(fig.yaxisdata[0], -10, 0);
  assert_float_equal(fig.yaxisdata[1], 2401, 0);
  fig.flg_symmetric = 1;
  mjr_figure(v, &fig, &con);
  assert_float_equal(fig.yaxisdata[0], -2401, 0);
  fig.flg_symmetric = fig.flg_extend = 0;
  fig.range[0][0] = 5, fig.range[0][1] = 5;  // from the data
  fig.linedata[0][0] = NAN;
  fig.linedata[0][2] = INFINITY;
  mjr_figure(v, &fig, &con);
  assert_float_equal(fig.xaxisdata[0], 2, 0);
  assert_float_equal(fig.xaxisdata[1], 49, 0);
}

// A line from corner to corner lies on the diagonal of the pane, in its colour; the pane's other
// corners are empty.
static void test_figure_line(void** unused) {
  static mjvFigure fig;
  mjv_defaultFigure(&fig);
  float data[4] = {0, 0, 1, 1}, green[3] = {0, 1, 0};
  memcpy(fig.linedata[0], data, sizeof data);
  memcpy(fig.linergb[0], green, sizeof green);
  fig.linepnt[0] = 2;
  clear(0);
  mjr_figure((mjrRect){0, 0, W, H}, &fig, &con);
  mjr_readPixels(rgb, NULL, (mjrRect){0, 0, W, H}, &con);
  for (int i = 1; i < 10; i++) {
    int x = fig.xaxispixel[0] + i * (fig.xaxispixel[1] - fig.xaxispixel[0]) / 10;
    int y = fig.yaxispixel[0] + i * (fig.yaxispixel[1] - fig.yaxispixel[0]) / 10;
    assert_int_equal(pixel(x, y)[1], 255);
    assert_int_equal(pixel(x, y)[0], 0);
    int low = y - 20;
    if (low > fig.yaxispixel[0] + 2) assert_int_equal(pixel(x, low)[1], 0);
  }
}

// Legend rows are found by the highlighted point: the line of that row is drawn wider.
static void test_figure_legend(void** unused) {
  static mjvFigure fig;
  static unsigned char before[3 * W * H];
  figure_make(&fig);
  memcpy(fig.linedata[1], fig.linedata[0], sizeof fig.linedata[0]);
  fig.linepnt[1] = 50;
  fig.flg_extend = fig.flg_legend = 1;
  snprintf(fig.linename[0], 100, "one");
  snprintf(fig.linename[1], 100, "two");
  mjr_figure((mjrRect){0, 0, W, H}, &fig, &con);
  mjr_readPixels(before, NULL, (mjrRect){0, 0, W, H}, &con);
  fig.highlight[0] = fig.xaxispixel[1] - con.charHeight;
  fig.highlight[1] = fig.yaxispixel[1] - 2 * con.charHeight;  // second row
  mjr_figure((mjrRect){0, 0, W, H}, &fig, &con);
  mjr_readPixels(rgb, NULL, (mjrRect){0, 0, W, H}, &con);
  assert_memory_not_equal(before, rgb, sizeof before);
  fig.highlight[0] = fig.highlight[1] = 0;  // nowhere: by its number
  static unsigned char by_point[3 * W * H];
  memcpy(by_point, rgb, sizeof by_point);
  fig.highlightid = 1;
  mjr_figure((mjrRect){0, 0, W, H}, &fig, &con);
  mjr_readPixels(rgb, NULL, (mjrRect){0, 0, W, H}, &con);
  assert_memory_equal(by_point, rgb, sizeof by_point);
}

// Formats that ask printf for anything but one number are not used, and numbers out of range do no
// harm.
static void test_figure_hostile(void** unused) {
  static mjvFigure fig;
  const char* formats[] = {"%s%s%s", "%n", "%d", "%*f", "%", "%.2f%.2f", "%%", "%lf", ""};
  for (int i = 0; i < 9; i++) {
    figure_make(&fig);
    snprintf(fig.xformat, sizeof fig.xformat, "%s", formats[i]);
    memset(fig.yformat, '%', sizeof fig.yformat);  // not ended
    memset(fig.minwidth, 'X', sizeof fig.minwidth);
    memset(fig.xlabel, 'X', sizeof fig.xlabel);
    memset(fig.title, 'T', sizeof fig.title);
    memset(fig.linename[0], 'L', sizeof fig.linename[0]);
    fig.flg_legend = fig.flg_extend = fig.flg_selection = 1;
    fig.gridsize[0] = i % 2 ? -3 : INT_MAX;
    fig.linepnt[0] = i % 2 ? INT_MAX : -5;
    fig.linewidth = i % 2 ? NAN : 1e30f;
    fig.gridwidth = -1;
    fig.selection = i % 2 ? NAN : -INFINITY;
    fig.highlightid = INT_MAX;
    fig.subplot = INT_MIN;
    fig.legendoffset = INT_MAX;
    mjr_figure((mjrRect){0, 0, W, H}, &fig, &con);
    mjr_figure((mjrRect){INT_MIN, INT_MAX, INT_MAX, INT_MAX}, &fig, &con);
    mjr_figure((mjrRect){-50, -50, 1000, 1000}, &fig, &con);
  }
}

// ---- labels of geoms

static void test_geom_label(void** unused) {
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjData* d = mj_makeData(model);
  mjv_defaultScene(&scn);
  mjv_makeScene(model, &scn, 100);
  mjv_defaultOption(&opt);
  mjv_defaultFreeCamera(model, &cam);
  mj_forward(model, d);
  static unsigned char without[3 * W * H];
  mjrRect v = {0, 0, W, H};
  mjv_updateScene(model, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  mjr_render(v, &scn, &con);
  mjr_readPixels(without, NULL, v, &con);
  opt.label = mjLABEL_GEOM;
  mjv_updateScene(model, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  mjr_render(v, &scn, &con);
  mjr_readPixels(rgb, NULL, v, &con);
  int left = W, right = 0, bottom = H, top = 0;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      if (!memcmp(pixel(x, y), without + 3 * (y * W + x), 3)) continue;
      left = x < left ? x : left;
      right = x > right ? x : right;
      bottom = y < bottom ? y : bottom;
      top = y > top ? y : top;
    }
  }
  // the ball is in the middle of the view; its label begins there
  assert_in_range(left, W / 2 - 3, W / 2 + 2);
  assert_in_range(right, W / 2 + 10, W / 2 + 40);
  assert_in_range(bottom, H / 2 - 3, H / 2 + 5);
  assert_in_range(top, H / 2 + 5, H / 2 + con.charHeight + 3);
  scn.geoms[0].pos[0] = NAN;
  mjr_render(v, &scn, &con);
  memset(scn.geoms[0].label, 'x', sizeof scn.geoms[0].label);  // not ended
  mjr_render(v, &scn, &con);
  mjv_freeScene(&scn);
  mj_deleteData(d);
}

static void test_no_context(void** unused) {
  static mjrContext none;
  static mjvFigure fig;
  mjr_defaultContext(&none);
  mjv_defaultFigure(&fig);
  mjrRect v = {0, 0, W, H};
  EXPECT_ERROR(mjr_text(0, "x", &none, 0, 0, 1, 1, 1), "mjr_text: the context has not been made");
  EXPECT_ERROR(mjr_overlay(0, 0, v, "x", "", &none), "mjr_overlay: the context");
  EXPECT_ERROR(mjr_label(v, 0, "x", 1, 1, 1, 1, 1, 1, 1, &none), "mjr_label: the context");
  EXPECT_ERROR(mjr_figure(v, &fig, &none), "mjr_figure: the context");
}

// NULL for anything that is not optional is an error by name, whatever the function.
static void test_null(void** unused) {
  mjrRect v = {0, 0, W, H};
  EXPECT_ERROR(mjr_text(0, "x", NULL, 0, 0, 1, 1, 1), "mjr_text: con is NULL");
  EXPECT_ERROR(mjr_text(0, NULL, &con, 0, 0, 1, 1, 1), "mjr_text: txt is NULL");
  EXPECT_ERROR(mjr_figure(v, NULL, &con), "mjr_figure: fig is NULL");
  EXPECT_ERROR(mjr_render(v, NULL, &con), "mjr_render: scn is NULL");
  EXPECT_ERROR(mjr_readPixels(rgb, NULL, v, NULL), "mjr_readPixels: con is NULL");
  EXPECT_ERROR(mjr_makeContext(model, NULL, 100), "mjr_makeContext: con is NULL");
  EXPECT_ERROR(mjr_defaultContext(NULL), "mjr_defaultContext: con is NULL");
  EXPECT_ERROR(mjr_changeFont(100, NULL), "mjr_changeFont: con is NULL");
  EXPECT_ERROR(mjr_uploadTexture(NULL, &con, 0), "mjr_uploadTexture: m is NULL");
  EXPECT_ERROR(mjr_maxViewport(NULL), "mjr_maxViewport: con is NULL");
  EXPECT_ERROR(mjr_findRect(1, 1, 1, NULL), "mjr_findRect: rect is NULL");
  EXPECT_ERROR(sn_makeRenderer(NULL, 8, 8, 1, 1), "sn_makeRenderer: m is NULL");
  EXPECT_ERROR(sn_drawScene(NULL, NULL, rgb, NULL, NULL), "sn_drawScene: renderer is NULL");
  EXPECT_ERROR(sn_shareRenderer(NULL, 1), "sn_shareRenderer: renderer is NULL");
  EXPECT_ERROR(sn_addPicture(NULL, rgb), "sn_addPicture: film is NULL");
  mjr_freeContext(NULL);
  sn_freeRenderer(NULL);
  mjr_label(v, 0, NULL, 1, 1, 1, 1, 1, 1, 1, &con);  // a label may have no text
  mjr_readPixels(NULL, NULL, v, &con);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_font_sizes),     cmocka_unit_test(test_glyphs),
      cmocka_unit_test(test_odd_text),       cmocka_unit_test(test_shadow),
      cmocka_unit_test(test_rectangle),      cmocka_unit_test(test_label),
      cmocka_unit_test(test_overlay_places), cmocka_unit_test(test_overlay_columns),
      cmocka_unit_test(test_figure_layout),  cmocka_unit_test(test_figure_ranges),
      cmocka_unit_test(test_figure_line),    cmocka_unit_test(test_figure_legend),
      cmocka_unit_test(test_figure_hostile), cmocka_unit_test(test_geom_label),
      cmocka_unit_test(test_no_context),     cmocka_unit_test(test_null),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
