// First-party plugins: they run, refuse invalid settings, and leak nothing.
#include "../scene.h"
#include "base/base.h"

static char heard[1024];
static int errors;
static void on_error(const char* text) {
  snprintf(heard, sizeof heard, "%s", text);
  errors++;
}
static void on_warning(const char* text) {}

typedef struct Case_ {
  const char* plugin;
  const char* usual;  // settings without which the plugin does not work
  const char* model;  // %s: the instance's settings
} Case;

#define INSTANCE(name)                       \
  "<mujoco><extension><plugin plugin='" name \
  "'><instance name='i'>%s</instance></plugin></extension>"
#define SET(key, value) "<config key='" key "' value='" value "'/>"

static const Case kCases[] = {
    {"mujoco.pid", SET("kp", "3"),
     INSTANCE("mujoco.pid") "<worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
                            "<actuator><plugin joint='j' instance='i'/></actuator></mujoco>"},
    {"mujoco.pid", SET("ki", "2") SET("slewmax", "1"),
     INSTANCE("mujoco.pid") "<worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
                            "<actuator><plugin joint='j' instance='i' dyntype='filterexact' "
                            "actdim='3' actearly='true'/>"
                            "</actuator></mujoco>"},
    {"mujoco.elasticity.cable", SET("twist", "1e6") SET("bend", "1e6") SET("vmax", ".05"),
     INSTANCE(
         "mujoco.elasticity.cable") "<worldbody><body><geom size='.1'/><plugin instance='i'/>"
                                    "<body pos='.1 0 0'><joint type='ball'/><geom type='capsule' "
                                    "size='.01 .05'/><plugin instance='i'/>"
                                    "<body pos='.1 0 0' euler='0 20 0'><joint type='ball'/><geom "
                                    "type='box' size='.05 .01 .02'/><plugin instance='i'/>"
                                    "<body pos='.1 0 0'><joint/><geom type='cylinder' size='.01 "
                                    ".05'/><plugin instance='i'/></body>"
                                    "</body></body></body></worldbody></mujoco>"},
    {"mujoco.elasticity.shell", SET("young", "1e5") SET("thickness", ".01"),
     INSTANCE("mujoco.elasticity.shell") "<worldbody><flexcomp name='f' type='grid' count='4 3 1' "
                                         "spacing='.1 .1 .1' dim='2' mass='1'>"
                                         "<plugin instance='i'/></flexcomp></worldbody></mujoco>"},
    {"mujoco.sensor.touch_grid", SET("size", "3 2") SET("fov", "90 45"),
     INSTANCE("mujoco.sensor.touch_grid") "<worldbody><geom type='plane' size='1 1 1'/><body "
                                          "pos='0 0 .09'><freejoint/><geom size='.1'/>"
                                          "<site name='s'/></body></worldbody>"
                                          "<sensor><plugin instance='i' objtype='site' "
                                          "objname='s'/></sensor></mujoco>"},
    {"mujoco.sdf.bolt", "", INSTANCE("mujoco.sdf.bolt") "</mujoco>"},
    {"mujoco.sdf.bowl", "", INSTANCE("mujoco.sdf.bowl") "</mujoco>"},
    {"mujoco.sdf.gear", "", INSTANCE("mujoco.sdf.gear") "</mujoco>"},
    {"mujoco.sdf.nut", "", INSTANCE("mujoco.sdf.nut") "</mujoco>"},
    {"mujoco.sdf.torus", "", INSTANCE("mujoco.sdf.torus") "</mujoco>"},
    {"mujoco.sdf.sdflib", "",
     INSTANCE(
         "mujoco.sdf.sdflib") "<asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1' face='0 2 "
                              "1 0 1 3 0 3 2 1 2 3'>"
                              "<plugin instance='i'/></mesh></asset><worldbody>"
                              "<body><geom type='sdf' mesh='m'><plugin instance='i'/></geom></body>"
                              "<body pos='.2 .2 .2'><freejoint/><geom "
                              "size='.1'/></body></worldbody></mujoco>"},
};
enum { kCount = sizeof kCases / sizeof *kCases };

// The model with settings, or NULL and the error.
static mjModel* compile(const Case* c, const char* settings, char* error, int size) {
  size_t bytes = strlen(c->model) + strlen(settings) + 1;
  char* xml = malloc(bytes);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(xml, bytes, c->model, settings);
#pragma GCC diagnostic pop
  error[0] = 0;
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, size);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec && !m) snprintf(error, (size_t)size, "%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  free(xml);
  return m;
}

static void draw(const mjModel* m, mjData* d) {
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  mjv_defaultScene(&scene);
  mjv_defaultOption(&option);
  mjv_defaultCamera(&camera);
  mjv_makeScene(m, &scene, 100);
  mjv_updateScene(m, d, &option, NULL, &camera, mjCAT_ALL, &scene);
  mjv_freeScene(&scene);
}

static void run(const mjModel* m, int steps) {
  mjData* d = mj_makeData(m);
  assert_non_null(d);
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = 1;
  for (int i = 0; i < steps; i++) mj_step(m, d);
  draw(m, d);
  mjData* twin = mj_copyData(NULL, m, d);
  mj_step(m, d);
  mj_step(m, twin);
  for (int i = 0; i < m->nq; i++) assert_true(d->qpos[i] == twin->qpos[i]);
  mj_resetData(m, d);
  mj_forward(m, d);
  mj_inverse(m, d);
  mj_deleteData(twin);
  mj_deleteData(d);
}

static void test_run(void** state) {
  char error[1000];
  for (int i = 0; i < kCount; i++) {
    mjModel* m = compile(&kCases[i], kCases[i].usual, error, sizeof error);
    if (!m) fail_msg("%s: %s", kCases[i].plugin, error);
    errors = 0;
    run(m, 50);
    assert_int_equal(errors, 0);
    mj_deleteModel(m);
  }
}

// Every setting with every bad value: an error that names the plugin, or a model that runs.
static void test_hostile(void** state) {
  static char longest[5000];
  memset(longest, '7', sizeof longest - 1);
  const char* const kValues[] = {"nan",
                                 "-nan",
                                 "inf",
                                 "-inf",
                                 "-1",
                                 "0",
                                 "1e400",
                                 "-1e400",
                                 "1e308",
                                 "1e-320",
                                 "abc",
                                 "1 2 3 4",
                                 "1 2",
                                 "7x",
                                 " ",
                                 "",
                                 "0x10",
                                 "1,5",
                                 "-1 -1",
                                 "1e9 1e9",
                                 "nan nan",
                                 longest,
                                 "99999999999999999999"};
  char settings[6000], error[1000];
  int refused = 0;
  for (int i = 0; i < kCount; i++) {
    const mjpPlugin* plugin = mjp_getPlugin(kCases[i].plugin, NULL);
    for (int a = 0; a < plugin->nattribute; a++) {
      for (size_t v = 0; v < sizeof kValues / sizeof *kValues; v++) {
        // one key, one value: the usual setting gives way
        const char* usual = strstr(kCases[i].usual, plugin->attributes[a]) ? "" : kCases[i].usual;
        snprintf(settings, sizeof settings, "%s<config key='%s' value='%s'/>", usual,
                 plugin->attributes[a], kValues[v]);
        mjModel* m = compile(&kCases[i], settings, error, sizeof error);
        if (m) {
          run(m, 3);
          mj_deleteModel(m);
        } else {
          if (!strstr(error, kCases[i].plugin)) fail_msg("%s: %s", settings, error);
          refused++;
        }
      }
    }
  }
  assert_true(refused > 100);
}

// What an instance refuses is told with its setting and value.
static void test_message(void** state) {
  char error[1000];
  assert_null(compile(&kCases[0], SET("kp", "much"), error, sizeof error));
  assert_non_null(strstr(error, "kp=\"much\""));
  assert_null(compile(&kCases[0], SET("ki", "1"), error, sizeof error));
  assert_non_null(strstr(error, "actdim=\"1\""));
  assert_null(compile(&kCases[4], SET("size", "3 2") SET("fov", "190 45"), error, sizeof error));
  assert_non_null(strstr(error, "(0, 180]"));
  assert_null(compile(&kCases[9], SET("radius1", "-1"), error, sizeof error));
  assert_non_null(strstr(error, "radius1=\"-1\""));
}

// A surface is made of the settings, or refused for them.
static void test_surface(void** state) {
  static const char kModel[] =
      "<mujoco><extension><plugin plugin='mujoco.sdf.gear'><instance "
      "name='i'>%s</instance></plugin>"
      "</extension><asset><mesh name='m'><plugin instance='i'/></mesh></asset><worldbody>"
      "<geom type='sdf' mesh='m'><plugin instance='i'/></geom></worldbody></mujoco>";
  const Case gear = {"mujoco.sdf.gear", "", kModel};
  char error[1000];
  assert_null(compile(&gear, SET("diameter", "-2"), error, sizeof error));
  assert_non_null(strstr(error, "diameter"));
  assert_null(compile(&gear, SET("teeth", "nan"), error, sizeof error));
  assert_non_null(strstr(error, "teeth"));
  mjModel* m = compile(&gear, SET("diameter", "1e-3") SET("thickness", "1e-3") SET("teeth", "1e9"),
                       error, sizeof error);
  if (m) mj_deleteModel(m);
  // a field of a mesh needs one
  const Case none = {
      "mujoco.sdf.sdflib", "",
      "<mujoco><extension><plugin plugin='mujoco.sdf.sdflib'><instance name='i'>%s"
      "</instance></plugin></extension><asset><mesh name='m'><plugin instance='i'/></mesh>"
      "</asset><worldbody><geom type='sdf' mesh='m'><plugin instance='i'/></geom>"
      "</worldbody></mujoco>"};
  assert_null(compile(&none, "", error, sizeof error));
}

// Every allocation fails once: a model and its data, or an error; nothing is lost.
static void test_no_memory(void** state) {
  char error[1000];
  for (int i = 0; i < kCount; i++) {
    mjModel* m = NULL;
    for (int n = 1; !m && n < 100000; n += n < 400 ? 1 : n / 50) {
      memory_fail_at(n);
      m = compile(&kCases[i], kCases[i].usual, error, sizeof error);
      mjData* d = m ? mj_makeData(m) : NULL;
      if (d) mj_step(m, d);
      memory_fail_at(0);
      mj_deleteData(d);
      if (m && !d) {
        mj_deleteModel(m);
        m = NULL;
      }
    }
    assert_non_null(m);
    run(m, 3);
    mj_deleteModel(m);
  }
}

// Data of the same mesh shares a field; fields of many meshes do not pile up.
static void test_mesh_fields(void** state) {
  char error[1000], model[4000];
  for (int k = 0; k < 10; k++) {
    double s = 1 + 0.1 * k;
    snprintf(model, sizeof model,
             INSTANCE("mujoco.sdf.sdflib")
             "<asset><mesh name='m' vertex='0 0 0  %g 0 0  0 %g 0  0 0 %g' face='0 2 1 0 1 3 0 3 2 1 2 3'>"
             "<plugin instance='i'/></mesh></asset><worldbody>"
             "<body><freejoint/><geom type='sdf' mesh='m'><plugin instance='i'/></geom></body></worldbody></mujoco>",
             "", s, s, s);
    const Case c = {"mujoco.sdf.sdflib", "", model};
    mjModel* m = compile(&c, "", error, sizeof error);
    assert_non_null(m);
    mjData *one = mj_makeData(m), *two = mj_makeData(m);
    assert_true(one->plugin_data[0] == two->plugin_data[0]);
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[0]);
    // the middle of the corner's three faces, the slanted face, and outside
    const double inside[3] = {0.1, 0.1, 0.1}, out[3] = {-0.05, 0.2, 0.2};
    assert_float_equal(plugin->sdf_distance(inside, one, 0), -0.1, 2e-3 * s);
    assert_float_equal(plugin->sdf_distance(out, two, 0), 0.05, 2e-3 * s);
    mj_deleteData(one);
    assert_float_equal(plugin->sdf_distance(inside, two, 0), -0.1, 2e-3 * s);
    mj_deleteData(two);
    mj_deleteModel(m);
  }
}

int main(void) {
  mju_user_error = on_error;
  mju_user_warning = on_warning;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run),       cmocka_unit_test(test_hostile),
      cmocka_unit_test(test_message),   cmocka_unit_test(test_surface),
      cmocka_unit_test(test_no_memory), cmocka_unit_test(test_mesh_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
