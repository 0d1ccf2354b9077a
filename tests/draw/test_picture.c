// Pictures against geometry: pixels compared with rays cast from the camera.
#include "scene.h"

#include <sinew/draw.h>
#include <stdbool.h>

#define HEAD                                                                                    \
  "<mujoco><visual><headlight ambient='1 1 1' diffuse='0 0 0' specular='0 0 0'/><quality "      \
  "offsamples='4' numslices='200' numstacks='100'/></visual><statistic extent='1' center='0 0 " \
  "0'/>"                                                                                        \
  "<worldbody><camera pos='0 0 3' fovy='40'/>"
#define TAIL "</worldbody></mujoco>"

enum { N = 101 };

typedef struct Shot_ {
  mjModel* m;
  mjData* d;
  mjvScene scn;
  unsigned char rgb[N * N * 3];
  float depth[N * N];
  int segmentation[N * N * 2];
} Shot;

static Shot* shot_open(const char* body) {
  char xml[4000];
  Shot* s = calloc(1, sizeof *s);
  snprintf(xml, sizeof xml, HEAD "%s" TAIL, body);
  s->m = scene_model(xml);
  s->d = mj_makeData(s->m);
  mj_forward(s->m, s->d);
  mjv_defaultScene(&s->scn);
  mjv_makeScene(s->m, &s->scn, 1000);
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  cam.type = mjCAMERA_FIXED;
  cam.fixedcamid = 0;
  mjv_updateScene(s->m, s->d, &opt, NULL, &cam, mjCAT_ALL, &s->scn);
  return s;
}

static void shot_draw(Shot* s, int samples, int threads) {
  snRenderer* r = sn_makeRenderer(s->m, N, N, samples, threads);
  assert_non_null(r);
  assert_int_equal(sn_drawScene(r, &s->scn, s->rgb, s->depth, s->segmentation), 1);
  assert_true(sn_rendererBytes(r) > N * N * 8);
  sn_freeRenderer(r);
}

static void shot_close(Shot* s) {
  mjv_freeScene(&s->scn);
  mj_deleteData(s->d);
  mj_deleteModel(s->m);
  free(s);
}

// x and y of the ray through a pixel at unit depth; rows go down
static void ray(int i, int j, double* x, double* y) {
  double half = tan(20 * mjPI / 180);
  *x = ((j + 0.5) / N * 2 - 1) * half;
  *y = -((i + 0.5) / N * 2 - 1) * half;
}

static void sphere_has_depth_and_outline(void** state) {
  Shot* s = shot_open("<geom size='0.5' pos='0.2 -0.1 0.3'/>");
  shot_draw(s, 1, 1);
  int wrong = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double x, y;
      ray(i, j, &x, &y);
      // |t (x, y, -1) + eye - centre|^2 = r^2, eye - centre = (-0.2, 0.1, 2.7)
      double a = x * x + y * y + 1, b = -0.2 * x + 0.1 * y - 2.7, c = 0.04 + 0.01 + 7.29 - 0.25;
      double root = b * b - a * c;
      bool seen = s->segmentation[2 * (i * N + j)] == 0;
      if (root > 0.01) {
        assert_true(seen);
        assert_int_equal(s->segmentation[2 * (i * N + j) + 1], mjOBJ_GEOM);
        double depth = (-b - sqrt(root)) / a;
        // facets of 200 slices lie up to 0.5 (1 - cos(pi/100)) inside, more along a flat ray
        assert_float_equal(s->depth[i * N + j], depth, 5e-3);
      } else if (root < -0.01) {
        assert_false(seen);
        assert_float_equal(s->depth[i * N + j], 50, 1e-3);
      } else {
        wrong += seen != (root > 0);
      }
    }
  }
  assert_true(wrong < 30);
  shot_close(s);
}

static void plane_has_its_depth(void** state) {
  Shot* s = shot_open("<geom type='plane' size='0 0 1' euler='0 25 0'/>");
  shot_draw(s, 1, 1);
  double normal[3] = {sin(25 * mjPI / 180), 0, cos(25 * mjPI / 180)};
  for (int i = 0; i < N; i += 7) {
    for (int j = 0; j < N; j += 7) {
      double x, y;
      ray(i, j, &x, &y);
      double depth = 3 * normal[2] / -(normal[0] * x - normal[2]);
      assert_float_equal(s->depth[i * N + j], depth, 1e-4 * depth);
      assert_int_equal(s->segmentation[2 * (i * N + j)], 0);
    }
  }
  shot_close(s);
}

// Neighbouring triangles leave no gap and take no pixel twice: two half boxes in half-transparent
// colours would show a line where they meet.
static void nearest_is_seen(void** state) {
  Shot* s = shot_open(
      "<geom type='box' size='0.3 0.3 0.1' pos='0 0 0' rgba='1 0 0 1'/>"
      "<geom type='box' size='0.1 0.1 0.1' pos='0 0 0.5' rgba='0 1 0 1'/>"
      "<geom type='box' size='0.3 0.3 0.1' pos='0 0 -0.5' rgba='0 0 1 1'/>");
  shot_draw(s, 4, 1);
  int middle = N / 2 * N + N / 2;
  assert_int_equal(s->segmentation[2 * middle], 1);
  assert_int_equal(s->rgb[3 * middle + 1], 255);
  assert_int_equal(s->rgb[3 * middle], 0);
  assert_float_equal(s->depth[middle], 2.4, 1e-4);
  shot_close(s);
}

// Transparent boxes are drawn from the nearest to the farthest and back: weights of the colours are
// those of four layers.
static void transparency_has_its_order(void** state) {
  Shot* s = shot_open(
      "<geom type='box' size='0.5 0.5 0.05' pos='0 0 0.2' rgba='1 0 0 0.5'/>"
      "<geom type='box' size='0.5 0.5 0.05' pos='0 0 0.8' rgba='0 1 0 0.5'/>"
      "<geom type='box' size='0.5 0.5 0.05' pos='0 0 -0.5' rgba='0 0 1 1'/>");
  shot_draw(s, 1, 1);
  const unsigned char* p = s->rgb + 3 * (N / 2 * N + N / 2);
  assert_in_range(p[0], 94, 98);    // 1/4 + 1/8
  assert_in_range(p[1], 141, 146);  // 1/2 + 1/16
  assert_in_range(p[2], 14, 18);    // 1/16
  assert_int_equal(s->segmentation[2 * (N / 2 * N + N / 2)], 1);
  shot_close(s);
}

// A light from above is held off a floor by a box over it, and by nothing beside it.
static void shadow_falls(void** state) {
  Shot* s = shot_open(
      "<light pos='0 0 2' dir='0 0 -1' directional='true' diffuse='0.5 0.5 0.5' specular='0 0 0'/>"
      "<geom type='plane' size='1 1 1' rgba='0.5 0.5 0.5 1'/>"
      "<geom type='box' size='0.2 0.2 0.2' pos='0.5 0 1.2' rgba='1 1 1 1'/>");
  s->m->vis.headlight.ambient[0] = 0;
  for (int i = 0; i < s->scn.nlight; i++) {
    for (int k = 0; k < 3 && s->scn.lights[i].headlight; k++) s->scn.lights[i].ambient[k] = 0.2f;
  }
  shot_draw(s, 1, 1);
  int dark = 0, lit = 0;
  for (int i = 0; i < N * N; i++) {
    if (s->segmentation[2 * i] != 0) continue;
    dark += s->rgb[3 * i] == 26 || s->rgb[3 * i] == 25;
    lit += s->rgb[3 * i] >= 88 && s->rgb[3 * i] <= 90;  // 0.5 (0.2 + 0.5)
  }
  assert_true(dark > 20 && lit > 1000);
  s->scn.flags[mjRND_SHADOW] = 0;
  shot_draw(s, 1, 1);
  for (int i = 0; i < N * N; i++) {
    if (s->segmentation[2 * i] == 0) assert_in_range(s->rgb[3 * i], 88, 90);
  }
  shot_close(s);
}

// A mirror adds its share of what it shows.
static void mirror_shows(void** state) {
  Shot* s = shot_open(
      "<geom type='plane' size='1 1 1' rgba='0.2 0.2 0.2 1'/>"
      "<geom size='0.3' pos='0.6 0 0.35' rgba='1 0 0 1'/>");
  s->scn.geoms[0].reflectance = 0.5f;
  shot_draw(s, 1, 1);
  int mixed = 0;
  for (int i = 0; i < N * N; i++) {
    if (s->segmentation[2 * i] == 0 && s->rgb[3 * i] > 170 && s->rgb[3 * i + 1] < 60) mixed++;
  }
  assert_true(mixed > 20);
  shot_close(s);
}

// Twelve lights, each with a shadow of its own: the last one's is as dark as the first one's.
static void many_shadows_fall(void** state) {
  char body[4000];
  int at = snprintf(body, sizeof body,
                    "<geom type='plane' size='2 2 1' rgba='1 1 1 1'/>"
                    "<geom size='0.1' pos='0 0 0.5' rgba='1 1 1 1'/>");
  for (int i = 0; i < 12; i++) {  // around the ball, at 45 degrees
    double angle = 2 * mjPI * i / 12;
    at += snprintf(body + at, sizeof body - (size_t)at,
                   "<light pos='%g %g 1.5' dir='%g %g -1' directional='true' diffuse='.05 .05 .05' "
                   "specular='0 0 0'/>",
                   cos(angle), sin(angle), -cos(angle), -sin(angle));
  }
  Shot* s = shot_open(body);
  for (int i = 0; i < s->scn.nlight; i++) {
    for (int k = 0; k < 3 && s->scn.lights[i].headlight; k++) s->scn.lights[i].ambient[k] = 0.2f;
  }
  shot_draw(s, 1, 1);
  double half = tan(20 * mjPI / 180);
  int lit = s->rgb[3 * (N / 2 * N + 2)], dark = 0;  // where no shadow falls
  for (int i = 0; i < 12; i++) {
    double angle = 2 * mjPI * i / 12, x = -0.5 * cos(angle), y = -0.5 * sin(angle);
    int column = (int)((x / (3 * half) + 1) / 2 * N), row = (int)((1 - y / (3 * half)) / 2 * N);
    dark += s->rgb[3 * (row * N + column)] < lit - 6;
  }
  assert_int_equal(dark, 12);
  shot_close(s);
}

// Every one of ten mirrors shows the ball above it.
static void many_mirrors_show(void** state) {
  char body[4000];
  int at = 0, shown = 0;
  for (int i = 0; i < 10; i++) {
    double x = 0.18 * (i % 5 - 2), y = 0.5 * (i / 5) - 0.25;
    at += snprintf(body + at, sizeof body - (size_t)at,
                   "<geom type='box' size='.08 .2 .01' pos='%g %g 0' rgba='.2 .2 .2 1'/>"
                   "<geom size='.03' pos='%g %g 0.1' rgba='1 0 0 1'/>",
                   x, y, x, y + 0.08);
  }
  Shot* s = shot_open(body);
  for (int i = 0; i < s->scn.ngeom; i++) {
    if (s->scn.geoms[i].type == mjGEOM_BOX) s->scn.geoms[i].reflectance = 0.5f;
  }
  shot_draw(s, 1, 1);
  bool seen[20] = {false};
  for (int i = 0; i < N * N; i++) {
    int id = s->segmentation[2 * i];
    if (id >= 0 && id < 20 && id % 2 == 0 && s->rgb[3 * i] > 150) seen[id] = true;
  }
  for (int i = 0; i < 20; i++) shown += seen[i];
  assert_int_equal(shown, 10);
  shot_close(s);
}

// Colours of segments: points of the Halton sequence of 2, 3 and 5 from the tenth on, from 0.1 to
// 0.9, as the released renderer has them (its values for the first and the seventh segment).
static void segments_have_colours(void** state) {
  Shot* s = shot_open("<geom type='box' size='1 1 .1'/>");
  const int id[2] = {0, 6};
  const unsigned char expected[2][3] = {{89, 101, 42}, {32, 146, 91}};
  for (int i = 0; i < 2; i++) {
    s->scn.flags[mjRND_SEGMENT] = 1;
    s->scn.geoms[0].segid = id[i];
    snRenderer* r = sn_makeRenderer(s->m, N, N, 1, 1);
    assert_int_equal(sn_drawScene(r, &s->scn, s->rgb, NULL, NULL), 1);
    sn_freeRenderer(r);
    assert_memory_equal(s->rgb + 3 * (N / 2 * N + N / 2), expected[i], 3);
  }
  shot_close(s);
}

// Edges of a box's cells are drawn, diagonals of the cells are not.
static void wireframe_has_no_diagonals(void** state) {
  Shot* s = shot_open("<geom type='box' size='.5 .5 .1' rgba='1 1 1 1'/>");
  s->scn.flags[mjRND_WIREFRAME] = 1;
  snRenderer* r = sn_makeRenderer(s->m, N, N, 1, 1);
  assert_int_equal(sn_drawScene(r, &s->scn, s->rgb, NULL, NULL), 1);
  sn_freeRenderer(r);
  // four cells along a side: lines through the middle, none at the middle of a cell
  int cell = (int)(0.25 / (2.9 * tan(20 * mjPI / 180)) / 2 * N), drawn = 0;
  for (int i = -2; i <= 2; i++) {
    drawn += s->rgb[3 * (N / 2 * N + N / 2 + cell / 2 + i)] > 100;
    for (int j = -2; j <= 2; j++) {
      assert_true(s->rgb[3 * ((N / 2 + cell / 2 + i) * N + N / 2 + cell / 2 + j)] < 100);
    }
  }
  assert_int_equal(drawn, 5);
  shot_close(s);
}

static const char* everything =
    "<light pos='0 0 2' dir='0 0 -1'/><geom type='plane' size='0 0 1'/><geom size='0.4' pos='0 0 "
    "0.4'/>"
    "<geom type='capsule' size='0.1 0.3' pos='0.6 0 0.5' rgba='1 0 0 0.4'/>"
    "<geom type='cylinder' size='0.1 0.3' pos='-0.6 0 0.5'/>"
    "<geom type='ellipsoid' size='0.1 0.3 0.2' pos='0 0.6 0.5'/>"
    "<geom type='box' size='0.1 0.3 0.2' pos='0 -0.6 0.5'/>";

// The skin of a flex stands off its vertices by the radius, with flat faces as with smooth ones.
static void flat_skin_is_lifted(void** state) {
  for (int flat = 0; flat < 2; flat++) {
    char body[1000];
    snprintf(body, sizeof body,
             "<body name='b'><flexcomp name='f' type='grid' count='3 3 3' spacing='0.1 0.1 0.1' "
             "dim='3' radius='0.02' mass='1' flatskin='%s'><pin id='0'/></flexcomp></body>",
             flat ? "true" : "false");
    Shot* s = shot_open(body);
    float high = -1;
    for (int i = 0; i < 3 * s->scn.flexfaceused[0]; i++) {
      if (s->scn.flexface[3 * i + 2] > high) high = s->scn.flexface[3 * i + 2];
    }
    assert_float_equal(high, 0.12, 1e-5);
    shot_draw(s, 1, 1);
    assert_float_equal(s->depth[N / 2 * N + N / 2], 2.88, 1e-3);
    shot_close(s);
  }
}

// ---- what must be survived

static void draw_everywhere(Shot* s) {
  shot_draw(s, 4, 1);
  shot_draw(s, 1, 2);
}

static void bad_numbers_are_survived(void** state) {
  Shot* s = shot_open(everything);
  float bad[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e30f, 1e-30f, 3e38f};
  mjvGeom keep[10];
  memcpy(keep, s->scn.geoms, (size_t)s->scn.ngeom * sizeof(mjvGeom));
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    for (int field = 0; field < 20; field++) {
      for (int g = 0; g < s->scn.ngeom; g++) {
        s->scn.geoms[g] = keep[g];
        float* to = field < 3    ? &s->scn.geoms[g].size[field]
                    : field < 6  ? &s->scn.geoms[g].pos[field - 3]
                    : field < 15 ? &s->scn.geoms[g].mat[field - 6]
                                 : &s->scn.geoms[g].rgba[field == 19 ? 3 : (field - 15) % 4];
        *to = bad[b];
        if (field >= 16) s->scn.geoms[g].reflectance = bad[b];
      }
      draw_everywhere(s);
    }
  }
  memcpy(s->scn.geoms, keep, (size_t)s->scn.ngeom * sizeof(mjvGeom));
  mjvGLCamera camera = s->scn.camera[0];
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    for (int field = 0; field < 15; field++) {
      s->scn.camera[0] = camera;
      float* numbers = s->scn.camera[0].pos;
      numbers[field] = bad[b];
      s->scn.camera[1] = s->scn.camera[0];
      draw_everywhere(s);
    }
  }
  s->scn.camera[0] = s->scn.camera[1] = camera;
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    mjvLight light = s->scn.lights[1];
    float* numbers[] = {s->scn.lights[1].pos, s->scn.lights[1].dir, s->scn.lights[1].attenuation,
                        &s->scn.lights[1].cutoff, &s->scn.lights[1].exponent};
    for (int k = 0; k < 5; k++) {
      *numbers[k] = bad[b];
      draw_everywhere(s);
      s->scn.lights[1] = light;
    }
  }
  shot_close(s);
}

static void empty_scene_is_dark(void** state) {
  Shot* s = shot_open("");
  shot_draw(s, 4, 1);
  for (int i = 0; i < N * N; i++) {
    assert_int_equal(s->rgb[3 * i], 0);
    assert_int_equal(s->segmentation[2 * i], -1);
    assert_float_equal(s->depth[i], 50, 1e-3);
  }
  shot_close(s);
}

// Geoms at, through and behind the camera: what is behind is not seen, what is through it covers
// the picture.
static void camera_in_the_middle(void** state) {
  Shot* s = shot_open("<geom size='0.4' pos='0 0 4'/><geom type='box' size='1 1 1' pos='0 0 6'/>");
  shot_draw(s, 4, 1);
  for (int i = 0; i < N * N; i++) assert_int_equal(s->segmentation[2 * i], -1);
  shot_close(s);
  s = shot_open("<geom type='box' size='5 5 0.5' pos='0 0 2.9'/>");
  s->scn.flags[mjRND_CULL_FACE] = 0;
  shot_draw(s, 4, 1);
  for (int i = 0; i < N * N; i++) assert_int_equal(s->segmentation[2 * i], 0);
  assert_float_equal(s->depth[N * N / 2], 0.6, 1e-4);
  shot_close(s);
}

static void million_triangles(void** state) {
  char* xml = malloc(2000);
  snprintf(xml, 2000,
           "<mujoco><asset><hfield name='h' nrow='710' ncol='710' size='1 1 0.3 0.1'/></asset>"
           "<worldbody><camera pos='0 0 3' fovy='40'/><light pos='0 0 3'/><geom type='hfield' "
           "hfield='h'/></worldbody></mujoco>");
  mjModel* m = scene_model(xml);
  for (int i = 0; i < m->nhfielddata; i++) m->hfield_data[i] = (float)(i * 7919LL % 1000) / 1000;
  free(xml);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 10);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  cam.type = mjCAMERA_FIXED;
  cam.fixedcamid = 0;
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  static unsigned char rgb[64 * 64 * 3];
  static int segmentation[64 * 64 * 2];
  snRenderer* r = sn_makeRenderer(m, 64, 64, 4, 2);
  assert_int_equal(sn_drawScene(r, &scn, rgb, NULL, segmentation), 1);
  assert_int_equal(segmentation[2 * (32 * 64 + 32)], 0);
  sn_freeRenderer(r);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A renderer keeps shadow maps while what casts them stays: pictures are those of a fresh renderer,
// whatever was drawn before.
static void kept_shadows_are_true(void** state) {
  Shot* s = shot_open(
      "<light castshadow='true' pos='0 0 2.5' dir='0 0 -1'/><geom type='plane' size='2 2 1'/>"
      "<body pos='0 0 .5'><freejoint/><geom type='box' size='.2 .2 .1'/></body>");
  static unsigned char before[N * N * 3];
  snRenderer* r = sn_makeRenderer(s->m, N, N, 4, 1);
  for (int i = 0; i < 6; i++) {
    float x = i < 2 ? 0 : i < 4 ? 0.3f : 0;
    for (int g = 0; g < s->scn.ngeom; g++) {
      if (s->scn.geoms[g].type == mjGEOM_BOX) s->scn.geoms[g].pos[0] = x;
    }
    if (i == 5) s->scn.lights[1].pos[0] = 0.4f;
    shot_draw(s, 4, 1);
    memcpy(before, s->rgb, sizeof before);
    assert_int_equal(sn_drawScene(r, &s->scn, s->rgb, NULL, NULL), 1);
    assert_memory_equal(before, s->rgb, sizeof before);
  }
  sn_freeRenderer(r);
  shot_close(s);
}

// Fog lies over what is far; the haze of an endless plane does not shine through it.
static void fog_hides_the_haze(void** state) {
  mjModel* m = scene_model(
      "<mujoco><visual><rgba fog='0 0 0 1' haze='1 1 1 1'/><map fogstart='1' fogend='3'/>"
      "</visual><statistic extent='1' center='0 0 0'/><asset><texture type='skybox' "
      "builtin='flat' rgb1='1 1 1' width='8' height='8'/><material name='m'/></asset><worldbody>"
      "<camera pos='0 0 1' xyaxes='1 0 0 0 0.3 1'/><geom type='plane' size='0 0 1' material='m'/>"
      "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 10);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  cam.type = mjCAMERA_FIXED;
  cam.fixedcamid = 0;
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  scn.flags[mjRND_FOG] = 1;
  static unsigned char rgb[64 * 64 * 3];
  snRenderer* r = sn_makeRenderer(m, 64, 64, 1, 1);
  assert_int_equal(sn_drawScene(r, &scn, rgb, NULL, NULL), 1);
  for (int i = 0; i < 32 * 64 * 3; i++) assert_int_equal(rgb[i], 0);
  sn_freeRenderer(r);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_shadows_are_true),
      cmocka_unit_test(fog_hides_the_haze),
      cmocka_unit_test(sphere_has_depth_and_outline),
      cmocka_unit_test(plane_has_its_depth),
      cmocka_unit_test(nearest_is_seen),
      cmocka_unit_test(transparency_has_its_order),
      cmocka_unit_test(shadow_falls),
      cmocka_unit_test(mirror_shows),
      cmocka_unit_test(many_shadows_fall),
      cmocka_unit_test(many_mirrors_show),
      cmocka_unit_test(segments_have_colours),
      cmocka_unit_test(wireframe_has_no_diagonals),
      cmocka_unit_test(bad_numbers_are_survived),
      cmocka_unit_test(empty_scene_is_dark),
      cmocka_unit_test(camera_in_the_middle),
      cmocka_unit_test(million_triangles),
      cmocka_unit_test(flat_skin_is_lifted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
