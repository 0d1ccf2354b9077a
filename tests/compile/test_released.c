// Edge cases of reading, compiling and saving, each with the released engine's result.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

static char error[1000];
static int heard;

static void hear(const char* text) { heard++; }

static mjModel* load(const char* text) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "m.xml", text, (int)strlen(text));
  mjModel* m = mj_loadXML("m.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  return m;
}

static void accepted(const char* text, const char* warning) {
  mjModel* m = load(text);
  if (!m) fail_msg("%s", error);
  if (warning ? !strstr(error, warning) : error[0]) fail_msg("%s: '%s'", text, error);
  mj_deleteModel(m);
}

static void refused(const char* text, const char* why) {
  assert_null(load(text));
  if (!strstr(error, why)) fail_msg("%s: '%s'", text, error);
}

#define WORLD(text) "<mujoco><worldbody>" text "</worldbody></mujoco>"

// What a first step would say is in the error, and not said to the program's handler.
static void warnings_of_the_compiler(void** state) {
  mju_user_warning = hear;
  heard = 0;
  accepted(WORLD("<body><joint axis='1 0 0'/><joint axis='1 0 0'/><geom size='1'/></body>"),
           "DOF 0");
  accepted(WORLD("<body pos='inf 0 0'><freejoint/><geom size='1'/></body>"), "QPOS");
  accepted(WORLD("<body pos='1e12 0 0'><freejoint/><geom size='1'/></body>"), "QPOS");
  accepted(WORLD("<body><freejoint/><geom size='1' pos='inf 0 0'/></body>"), "QACC");
  accepted(WORLD("<body><freejoint/><geom size='1'/></body>"), NULL);
  assert_int_equal(heard, 0);
  mju_user_warning = NULL;
}

static int stepped;
static void count(const mjModel* m, mjData* d) { stepped++; }

static void no_callback_at_load(void** state) {
  mjcb_control = mjcb_passive = count;
  accepted(WORLD("<body><freejoint/><geom size='1'/></body>"), NULL);
  mjcb_control = mjcb_passive = NULL;
  assert_int_equal(stepped, 0);
}

static void ranges_and_sizes(void** state) {
  char text[1000];
  static const struct {
    const char* range;
    bool fine;
  } kRanges[] = {{"-1 1", true}, {"0 1", true},    {"-1 0", true},
                 {"1 2", false}, {"-2 -1", false}, {"2 1", false}};
  for (int i = 0; i < 6; i++) {
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><tendon>"
             "<fixed actuatorfrcrange='%s' actuatorfrclimited='true'><joint joint='j' coef='1'/>"
             "</fixed></tendon></mujoco>",
             kRanges[i].range);
    if (kRanges[i].fine) {
      accepted(text, NULL);
    } else {
      refused(text, "actuatorfrcrange");
    }
  }
  static const char* const kMemory[] = {" 1023 ", "1K ", " -1", "1k", "7\t"};
  for (int i = 0; i < 5; i++) {
    snprintf(text, sizeof text, "<mujoco><size memory='%s'/></mujoco>", kMemory[i]);
    accepted(text, NULL);
  }
  static const char* const kNone[] = {"1023 x", " 1 K", "10MB", "-2", "1.5K", "", "16E"};
  for (int i = 0; i < 7; i++) {
    snprintf(text, sizeof text, "<mujoco><size memory='%s'/></mujoco>", kNone[i]);
    refused(text, "memory");
  }
}

// Numbers that an integer cannot hold.
static void numbers_out_of_range(void** state) {
  static const float kPixels[] = {NAN, INFINITY, -INFINITY, 3e9f, -1, 1e30f};
  for (int i = 0; i < 6; i++) {
    mjSpec* s = mj_makeSpec();
    mjs_addCamera(mjs_findBody(s, "world"), NULL)->resolution[1] = kPixels[i];
    assert_null(mj_compile(s, NULL));
    assert_non_null(strstr(mjs_getError(s), "resolution"));
    mj_deleteSpec(s);
  }
  mjModel* m = load("<mujoco><size njmax='2147483647'/></mujoco>");
  assert_non_null(m);
  assert_true(m->narena > 0 && m->narena < (size_t)1 << 32);
  mj_deleteModel(m);
  refused(
      "<mujoco><custom><numeric name='n' size='500'/></custom><sensor>"
      "<user dim='2147483647'/><user dim='2147483647'/></sensor></mujoco>",
      "nsensordata");
  // a side site that no site is: none
  m = load(
      "<mujoco><worldbody><site name='a' pos='-1 0 0'/><site name='b' pos='1 0 .1'/><geom "
      "name='g' size='.5'/></worldbody><tendon><spatial><site site='a'/><geom geom='g' "
      "sidesite='b'/><site site='b'/></spatial></tendon></mujoco>");
  assert_non_null(m);
  mjData* d = mj_makeData(m);
  static const double kSides[] = {NAN, 1e300, -1e300, 2, -5};
  for (int i = 0; i < 5; i++) {
    m->wrap_prm[1] = kSides[i];
    mj_forward(m, d);
    assert_true(isfinite(d->ten_length[0]));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// ---- resources
static const char* const kFiles[][2] = {
    {"folders:top/main.xml",
     "<mujoco><include file='part.xml'/><compiler meshdir='meshes'/><asset><mesh file='t.obj'/>"
     "<mesh name='u' file='x/../t.obj'/></asset></mujoco>"},
    {"folders:top/part.xml", "<mujocoinclude><worldbody/></mujocoinclude>"},
    {"folders:top/meshes/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"},
    {"folders:flat|main.xml", "<mujoco><include file='part.xml'/></mujoco>"},
    {"folders:flat|/part.xml", "<mujocoinclude><worldbody/></mujocoinclude>"}};
static int asked;

static int provider_open(mjResource* r) {
  for (int i = 0; i < 5; i++) {
    if (strcmp(kFiles[i][0], r->name)) continue;
    r->data = (void*)kFiles[i][1];
    return 1;
  }
  return 0;
}
static int provider_read(mjResource* r, const void** data) {
  *data = r->data;
  return (int)strlen(r->data);
}
static void provider_close(mjResource* r) {}
static void provider_dir(mjResource* r, const char** dir, int* n) {
  const char* end = strchr(r->name, '|');
  if (!end) end = strrchr(r->name, '/');
  asked++;
  *dir = r->name;
  *n = (int)(end - r->name) + 1;
}

static void providers_name_their_folders(void** state) {
  mjpResourceProvider p;
  mjp_defaultResourceProvider(&p);
  p.prefix = "folders";
  p.open = provider_open;
  p.read = provider_read;
  p.close = provider_close;
  p.getdir = provider_dir;
  assert_true(mjp_registerResourceProvider(&p) > 0);
  mjModel* m = mj_loadXML("folders:top/main.xml", NULL, error, sizeof error);
  if (!m) fail_msg("%s", error);
  assert_int_equal(m->nmesh, 2);
  mj_deleteModel(m);
  assert_int_equal(asked, 2);  // the two texts, and no asset
  m = mj_loadXML("folders:flat|main.xml", NULL, error, sizeof error);
  if (!m) fail_msg("%s", error);
  mj_deleteModel(m);
}

static const char kTetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

static void content_types_and_backslashes(void** state) {
  static const char* const kTypes[] = {"model/obj", "model/obj;charset=utf-8", "MODEL/obj ; a=b"};
  for (int i = 0; i < 3; i++) {
    char text[500];
    mjVFS vfs;
    mj_defaultVFS(&vfs);
    snprintf(text, sizeof text,
             "<mujoco><compiler meshdir='a\\b'/><asset><mesh name='m' file='thing' "
             "content_type='%s'/></asset></mujoco>",
             kTypes[i]);
    assert_int_equal(mj_addBufferVFS(&vfs, "a\\b\\thing", kTetrahedron, sizeof kTetrahedron - 1),
                     0);
    assert_int_equal(mj_addBufferVFS(&vfs, "a/b/thing", kTetrahedron, sizeof kTetrahedron - 1), 2);
    mj_addBufferVFS(&vfs, "m.xml", text, (int)strlen(text));
    mjModel* m = mj_loadXML("m.xml", &vfs, error, sizeof error);
    if (!m) fail_msg("%s", error);
    mj_deleteModel(m);
    assert_int_equal(mj_deleteFileVFS(&vfs, "a\\b/thing"), 0);
    mj_deleteVFS(&vfs);
  }
}

// A mesh that goes by the name of its file gets the prefix as well.
static void meshes_named_by_files(void** state) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "tet.obj", kTetrahedron, sizeof kTetrahedron - 1);
  mjSpec* c = mj_parseXMLString(
      "<mujoco model='c'><asset><mesh file='tet.obj'/></asset><worldbody><body name='b'><geom "
      "type='mesh' mesh='tet'/></body></worldbody></mujoco>",
      NULL, error, sizeof error);
  mjSpec* p = mj_makeSpec();
  mjs_setDeepCopy(p, 1);
  mjsFrame* f = mjs_addFrame(mjs_findBody(p, "world"), NULL);
  for (int i = 0; i < 2; i++) {
    assert_non_null(
        mjs_attach(f->element, mjs_findBody(c, "b")->element, i ? "y-" : "x-", i ? "-z" : ""));
  }
  mjModel* m = mj_compile(p, &vfs);
  if (!m) fail_msg("%s", mjs_getError(p));
  assert_int_equal(m->nmesh, 2);
  assert_true(mj_name2id(m, mjOBJ_MESH, "x-tet") >= 0);
  assert_true(mj_name2id(m, mjOBJ_MESH, "y-tet-z") >= 0);
  mj_deleteModel(m);
  mj_deleteSpec(p);
  mj_deleteSpec(c);
  mj_deleteVFS(&vfs);
}

// ---- plugins in specs
static int no_state(const mjModel* m, int i) { return 0; }
static int start(const mjModel* m, mjData* d, int i) {
  if (strcmp(mj_getPluginConfig(m, i, "a"), "bad")) return 0;
  mju_warning("a must not be bad");
  return -1;
}
static void compute(const mjModel* m, mjData* d, int i, int what) {}

static int instances(mjSpec* s) {
  int n = 0;
  for (mjsElement* e = mjs_firstElement(s, mjOBJ_PLUGIN); e; e = mjs_nextElement(s, e)) n++;
  return n;
}

static void plugins_in_specs(void** state) {
  static const char* const kNames[] = {"z", "a"};
  mjpPlugin p;
  mjp_defaultPlugin(&p);
  p.name = "test.spec";
  p.capabilityflags = mjPLUGIN_PASSIVE;
  p.attributes = kNames;
  p.nattribute = 2;
  p.nstate = no_state;
  p.init = start;
  p.compute = compute;
  assert_true(mjp_registerPlugin(&p) >= 0);
  refused(
      "<mujoco><extension><plugin plugin='test.spec'/></extension><worldbody><body><geom "
      "size='1'/><plugin plugin='test.spec'><config key='a' value='bad'/></plugin></body>"
      "</worldbody></mujoco>",
      "a must not be bad");
  // by its name alone: the instance without a name
  mjSpec* s = mj_makeSpec();
  mjs_activatePlugin(s, "test.spec");
  mjsBody* b = mjs_addBody(mjs_findBody(s, "world"), NULL);
  mjs_addGeom(b, NULL)->size[0] = 1;
  b->plugin.active = 1;
  mjs_setString(b->plugin.plugin_name, "test.spec");
  mjs_setString(mjs_addPlugin(s)->plugin_name, "test.spec");
  mjModel* m = mj_compile(s, NULL);
  if (!m) fail_msg("%s", mjs_getError(s));
  mj_deleteModel(m);
  mj_deleteSpec(s);
  // saved in the order of the declaration; deleted with the bodies that came with them
  mjSpec* c = mj_parseXMLString(
      "<mujoco model='c'><extension><plugin plugin='test.spec'><instance name='i'><config key='a' "
      "value='2'/><config key='z' value='1'/></instance></plugin></extension><worldbody><body "
      "name='b'><geom size='1'/><plugin instance='i'/><body><geom size='1'/><plugin "
      "plugin='test.spec'/></body></body></worldbody></mujoco>",
      NULL, error, sizeof error);
  assert_non_null(c);
  mj_deleteModel(mj_compile(c, NULL));
  char text[2000];
  assert_int_equal(mj_saveXMLString(c, text, sizeof text, error, sizeof error), 0);
  assert_true(strstr(text, "key=\"z\"") < strstr(text, "key=\"a\""));
  s = mj_makeSpec();
  mjs_setDeepCopy(s, 1);
  mjsFrame* f = mjs_addFrame(mjs_findBody(s, "world"), NULL);
  mjsElement* made = mjs_attach(f->element, mjs_findBody(c, "b")->element, "x-", "");
  assert_int_equal(instances(s), 2);
  assert_int_equal(mjs_delete(s, made), 0);
  assert_int_equal(instances(s), 0);
  // a declared instance stays in its own spec
  assert_int_equal(mjs_delete(c, mjs_findBody(c, "b")->element), 0);
  assert_int_equal(instances(c), 1);
  mj_deleteSpec(s);
  mj_deleteSpec(c);
}

// ---- saving what was loaded
static void elevations_are_saved(void** state) {
  mjModel* m = load(
      "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='1 1 2 .1' elevation='0 1 2 3 4 5'/>"
      "</asset><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>");
  assert_non_null(m);
  static const float kNew[6] = {.5f, .25f, 1, .125f, 0, .75f};
  memcpy(m->hfield_data, kNew, sizeof kNew);
  char name[] = "/tmp/sinew_hfield_XXXXXX";
  int file = mkstemp(name);
  assert_true(file >= 0);
  close(file);
  assert_int_equal(mj_saveLastXML(name, m, error, sizeof error), 1);
  mj_deleteModel(m);
  m = mj_loadXML(name, NULL, error, sizeof error);
  if (!m) fail_msg("%s", error);
  assert_memory_equal(m->hfield_data, kNew, sizeof kNew);
  // without a name: to the standard output
  fflush(stdout);
  int out = dup(1);
  assert_non_null(freopen(name, "w", stdout));
  int saved = mj_saveLastXML(NULL, m, error, sizeof error);
  fflush(stdout);
  dup2(out, 1);
  close(out);
  assert_int_equal(saved, 1);
  char text[2000] = "";
  FILE* read = fopen(name, "r");
  assert_non_null(read);
  assert_true(fread(text, 1, sizeof text - 1, read) > 100);
  fclose(read);
  assert_non_null(strstr(text, "<hfield"));
  unlink(name);
  mj_deleteModel(m);
}

// Keys that fit the model as far as it was read come with every replica; the others are left alone.
static void keys_of_replicas(void** state) {
  mjModel* m = load(
      "<mujoco><worldbody><body><joint/><geom size='1'/></body><replicate count='2' offset='1 0 0'>"
      "<body><joint/><geom size='1'/></body></replicate></worldbody><keyframe><key name='k' "
      "qpos='7 8'/></keyframe></mujoco>");
  if (!m) fail_msg("%s", error);
  static const double kExpected[9] = {7, 8, 0, 7, 0, 8, 7, 0, 0};
  assert_int_equal(m->nkey, 3);
  assert_int_equal(mj_name2id(m, mjOBJ_KEY, "k0"), 0);
  assert_int_equal(mj_name2id(m, mjOBJ_KEY, "k"), 2);
  assert_memory_equal(m->key_qpos, kExpected, sizeof kExpected);
  mj_deleteModel(m);
  m = load(
      "<mujoco><worldbody><replicate count='2' offset='1 0 0'><body><joint/><geom size='1'/></body>"
      "</replicate></worldbody><keyframe><key name='k' qpos='7 8'/></keyframe></mujoco>");
  if (!m) fail_msg("%s", error);
  assert_int_equal(m->nkey, 1);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warnings_of_the_compiler),
      cmocka_unit_test(no_callback_at_load),
      cmocka_unit_test(ranges_and_sizes),
      cmocka_unit_test(numbers_out_of_range),
      cmocka_unit_test(providers_name_their_folders),
      cmocka_unit_test(content_types_and_backslashes),
      cmocka_unit_test(meshes_named_by_files),
      cmocka_unit_test(plugins_in_specs),
      cmocka_unit_test(elevations_are_saved),
      cmocka_unit_test(keys_of_replicas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
