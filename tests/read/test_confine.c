// Confined models read no file outside their folder, and messages show nothing of files that are
// not models.
#include "scene.h"

#include <fcntl.h>
#include <pthread.h>
#include <sinew/confine.h>
#include <sys/stat.h>
#include <unistd.h>

// root/in is the folder of the model, root/out what it must not read.
static char root[256];

static const char* at(const char* name) {
  static char path[8][512];
  static int turn;
  turn = (turn + 1) % 8;
  snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
  return path[turn];
}

static void put_bytes(const char* name, const void* data, size_t n) {
  FILE* f = fopen(at(name), "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, n, f), n);
  fclose(f);
}

static void put(const char* name, const char* text) { put_bytes(name, text, strlen(text)); }

static const char kTetrahedron[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char kPart[] =
    "<mujoco model='part'><worldbody><body name='b'><geom size='.1'/></body></worldbody></mujoco>";
// one pixel
static const unsigned char kPng[] = {0x89, 'P', 'N', 'G',  0x0d, 0x0a, 0x1a, 0x0a, 0,    0, 0, 13,
                                     'I',  'H', 'D', 'R',  0,    0,    0,    1,    0,    0, 0, 1,
                                     8,    0,   0,   0,    0,    0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0,
                                     10,   'I', 'D', 'A',  'T',  0x78, 0x9c, 0x63, 0x60, 0, 0, 0,
                                     2,    0,   1,   0x48, 0xaf, 0xa4, 0x71, 0,    0,    0, 0, 'I',
                                     'E',  'N', 'D', 0xae, 0x42, 0x60, 0x82};
static const unsigned char kField[] = {2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
                                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

static int set_up(void** state) {
  strcpy(root, "/tmp/sinew_confine_XXXXXX");
  if (!mkdtemp(root)) return -1;
  // the same files inside and outside
  const char* const folders[] = {"in", "in/sub", "out", "robot", "robot/urdf", "robot/meshes"};
  for (int i = 0; i < 6; i++) mkdir(at(folders[i]), 0700);
  const char* const places[] = {"in/sub", "out", "robot/meshes"};
  for (int i = 0; i < 3; i++) {
    char name[64];
#define NAME(file) (snprintf(name, sizeof name, "%s/%s", places[i], file), name)
    put(NAME("t.obj"), kTetrahedron);
    put(NAME("part.xml"), kPart);
    put_bytes(NAME("p.png"), kPng, sizeof kPng);
    put_bytes(NAME("h.hf"), kField, sizeof kField);
#undef NAME
  }
  if (symlink("../out", at("in/linked")) || symlink("../../out/t.obj", at("in/sub/linked.obj")) ||
      symlink("../../out/none.obj", at("in/sub/dangling.obj")) ||
      symlink("t.obj", at("in/sub/fine.obj")) || symlink("in", at("alias"))) {
    return -1;
  }
  return 0;
}

static int tear_down(void** state) {
  mj_freeLastXML();
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command);
}

// Loads a model written to in/m.xml.
static mjModel* load(const char* text, char error[1000]) {
  put("in/m.xml", text);
  error[0] = 0;
  return mj_loadXML(at("in/m.xml"), NULL, error, 1000);
}

// One way to name a file; %s is the file's path.
static const char* const kWays[][2] = {
    {"t.obj",
     "<mujoco><asset><mesh name='t' file='%s/t.obj'/></asset><worldbody><geom type='mesh' "
     "mesh='t'/></worldbody></mujoco>"},
    {"t.obj",
     "<mujoco><compiler meshdir='%s'/><asset><mesh name='t' file='t.obj'/></asset>"
     "<worldbody><geom type='mesh' mesh='t'/></worldbody></mujoco>"},
    {"t.obj",
     "<mujoco><compiler assetdir='%s'/><asset><mesh name='t' file='t.obj'/></asset>"
     "<worldbody><geom type='mesh' mesh='t'/></worldbody></mujoco>"},
    {"p.png", "<mujoco><asset><texture name='p' type='2d' file='%s/p.png'/></asset></mujoco>"},
    {"p.png",
     "<mujoco><compiler texturedir='%s'/><asset><texture name='p' type='2d' "
     "file='p.png'/></asset></mujoco>"},
    {"p.png",
     "<mujoco><asset><texture name='p' type='cube' fileright='%s/p.png'/></asset>"
     "</mujoco>"},
    {"h.hf",
     "<mujoco><asset><hfield name='h' size='1 1 1 1' content_type="
     "'image/vnd.mujoco.hfield' file='%s/h.hf'/></asset></mujoco>"},
    {"part.xml", "<mujoco><include file='%s/part.xml'/></mujoco>"},
    {"part.xml",
     "<mujoco><asset><model name='p' file='%s/part.xml'/></asset><worldbody>"
     "<attach model='p' body='b' prefix='a'/></worldbody></mujoco>"},
    {"t.obj",
     "<mujoco><worldbody><flexcomp name='f' type='mesh' file='%s/t.obj' dim='2' "
     "mass='1'><edge equality='true'/></flexcomp></worldbody></mujoco>"},
    {"t.obj",
     "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
     "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry><mesh "
     "filename='%s/t.obj'/></geometry></visual></link><mujoco><compiler "
     "strippath='false' discardvisual='false'/></mujoco></robot>"},
};

static void test_ways_out(void** state) {
  char error[1000], text[1200], absolute[300];
  snprintf(absolute, sizeof absolute, "%s/out", root);
  const char* const out[] = {"../out", absolute, "linked", "sub/../../out", "./../in/linked"};
  for (size_t w = 0; w < sizeof kWays / sizeof *kWays; w++) {
    for (int o = 0; o < 6; o++) {
      snprintf(text, sizeof text, kWays[w][1], o < 5 ? out[o] : "sub");
      // anything goes by default
      assert_int_equal(sn_confine(NULL), 1);
      mjModel* m = load(text, error);
      if (!m) fail_msg("%s: %s", text, error);
      mj_deleteModel(m);
      assert_int_equal(sn_confine(at("in")), 1);
      m = load(text, error);
      if (o == 5 ? !m : !!m) fail_msg("confined, %s: %s", text, error);
      if (m) {
        mj_deleteModel(m);
      } else if (!strstr(error, "confined to that folder") && !strstr(error, "t.obj")) {
        fail_msg("%s: %s", text, error);
      }
    }
  }
  sn_confine(NULL);
}

static mjModel* load_mesh(const char* file, char error[1000]) {
  char text[600];
  snprintf(text, sizeof text,
           "<mujoco><asset><mesh name='t' file='%s'/></asset><worldbody><geom type='mesh' "
           "mesh='t'/></worldbody></mujoco>",
           file);
  return load(text, error);
}

static void test_links(void** state) {
  char error[1000];
  assert_int_equal(sn_confine(at("in")), 1);
  assert_null(load_mesh("sub/linked.obj", error));
  assert_non_null(strstr(error, "confined"));
  mjModel* m = load_mesh("sub/fine.obj", error);  // a link that stays inside
  assert_non_null(m);
  mj_deleteModel(m);
  // the folder may be named through a link, the main file may not lead out
  assert_int_equal(sn_confine(at("alias")), 1);
  assert_string_equal(sn_getConfine(), at("in"));
  m = load_mesh("sub/t.obj", error);
  assert_non_null(m);
  mj_deleteModel(m);
  assert_int_equal(symlink("../out/part.xml", at("in/main.xml")), 0);
  assert_null(mj_loadXML(at("in/main.xml"), NULL, error, sizeof error));
  assert_non_null(strstr(error, "confined"));
  assert_null(mj_loadXML(at("out/part.xml"), NULL, error, sizeof error));
  // a folder whose name begins alike is another one
  assert_int_equal(mkdir(at("inside"), 0700), 0);
  put("inside/t.obj", kTetrahedron);
  assert_null(load_mesh("../inside/t.obj", error));
  sn_confine(NULL);
}

// Whether a file outside exists cannot be told from the message.
static void test_no_oracle(void** state) {
  char there[1000], not_there[1000], *place;
  assert_int_equal(sn_confine(at("in")), 1);
  assert_null(load_mesh("../out/t.obj", there));
  assert_null(load_mesh("../out/n.obj", not_there));
  while ((place = strstr(there, "out/t"))) place[4] = 'n';
  assert_string_equal(there, not_there);
  assert_null(load_mesh("sub/linked.obj", there));
  assert_null(load_mesh("sub/dangling.obj", not_there));
  assert_non_null(strstr(there, "no such file in folder"));
  assert_string_equal(strstr(there, "no such file"), strstr(not_there, "no such file"));
  sn_confine(NULL);
}

static void test_setting(void** state) {
  assert_null(sn_getConfine());
  assert_int_equal(sn_confine(at("in")), 1);
  assert_int_equal(sn_confine(at("nowhere")), 0);
  assert_int_equal(sn_confine(at("in/sub/t.obj")), 0);
  assert_string_equal(sn_getConfine(), at("in"));
  assert_int_equal(sn_confine(NULL), 1);
  assert_null(sn_getConfine());
}

static void* compile_elsewhere(void* spec) { return mj_compile(spec, NULL); }

// The rule stays with what was read under it.
static void test_later(void** state) {
  char error[1000];
  put("in/m.xml",
      "<mujoco model='child'><asset><mesh name='t' file='../out/t.obj'/></asset><worldbody><body "
      "name='b'><geom type='mesh' mesh='t'/></body></worldbody></mujoco>");
  assert_int_equal(sn_confine(at("in")), 1);
  mjSpec* spec = mj_parseXML(at("in/m.xml"), NULL, error, sizeof error);
  assert_non_null(spec);
  sn_confine(NULL);
  mjSpec* copy = mj_copySpec(spec);
  pthread_t thread;
  void* model = &thread;
  assert_int_equal(pthread_create(&thread, NULL, compile_elsewhere, spec), 0);
  pthread_join(thread, &model);
  assert_null(model);
  assert_non_null(strstr(mjs_getError(spec), "confined"));
  assert_null(mj_compile(copy, NULL));
  assert_non_null(strstr(mjs_getError(copy), "confined"));
  // in a spec that is not confined itself
  mjSpec* parent = mj_makeSpec();
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  assert_non_null(mjs_attach(frame->element, mjs_findBody(copy, "b")->element, "p", ""));
  assert_null(mj_compile(parent, NULL));
  assert_non_null(strstr(mjs_getError(parent), "confined"));
  mjSpec* again = mj_copySpec(parent);
  assert_null(mj_compile(again, NULL));
  assert_non_null(strstr(mjs_getError(again), "confined"));
  mj_deleteSpec(again);
  mj_deleteSpec(parent);
  mj_deleteSpec(copy);
  mj_deleteSpec(spec);
}

static int provided;
static int provider_open(mjResource* r) { return ++provided; }
static int provider_read(mjResource* r, const void** buffer) {
  *buffer = kTetrahedron;
  return (int)sizeof kTetrahedron - 1;
}
static void provider_close(mjResource* r) {}

static void test_program_files(void** state) {
  char error[1000];
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  assert_int_equal(sn_confine(at("in")), 1);
  assert_int_equal(mj_addBufferVFS(&vfs, "t.obj", kTetrahedron, (int)sizeof kTetrahedron - 1), 0);
  put("in/m.xml",
      "<mujoco><asset><mesh name='t' file='t.obj'/></asset><worldbody><geom type='mesh' "
      "mesh='t'/></worldbody></mujoco>");
  mjModel* m = mj_loadXML(at("in/m.xml"), &vfs, error, sizeof error);
  assert_non_null(m);
  mj_deleteModel(m);
  mj_deleteVFS(&vfs);
  mjpResourceProvider provider;
  mjp_defaultResourceProvider(&provider);
  provider.prefix = "confinetest";
  provider.open = provider_open;
  provider.read = provider_read;
  provider.close = provider_close;
  assert_true(mjp_registerResourceProvider(&provider) > 0);
  const char* name = "confinetest:t.obj";
  assert_null(load_mesh(name, error));
  assert_non_null(strstr(error, "confined"));
  assert_int_equal(provided, 0);
  sn_confine(NULL);
  m = load_mesh(name, error);
  if (!m) fail_msg("%s", error);
  assert_int_equal(provided, 1);
  mj_deleteModel(m);
}

// A package of ROS: meshes are beside the folder of the model, which is outside of it.
static void test_package(void** state) {
  char error[1000];
  put("robot/urdf/r.urdf",
      "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry><mesh "
      "filename='package://robot/meshes/t.obj'/></geometry></visual></link><mujoco><compiler "
      "discardvisual='false'/></mujoco></robot>");
  for (int wide = 0; wide < 2; wide++) {
    assert_int_equal(sn_confine(at(wide ? "robot" : "robot/urdf")), 1);
    mjModel* m = mj_loadXML(at("robot/urdf/r.urdf"), NULL, error, sizeof error);
    if (wide != !!m) fail_msg("%s", error);
    mj_deleteModel(m);
  }
  sn_confine(NULL);
}

// ---- messages

static char heard[1000];
static void hear(const char* text) { snprintf(heard, sizeof heard, "%s", text); }

// No run of four bytes of the secret is in the message, nor a number that four of its bytes make.
// What is secret has digits and capitals; "size" and the like are words of any message.
static void no_trace(const char* secret, const char* message) {
  size_t n = strlen(secret);
  assert_true(message[0]);
  for (size_t i = 0; i + 4 <= n; i++) {
    char word[5] = {secret[i], secret[i + 1], secret[i + 2], secret[i + 3], 0}, number[3][16];
    if (!strpbrk(word, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")) continue;
    if (strstr("<!DOCTYPE ", word)) continue;
    int32_t whole;
    memcpy(&whole, word, 4);
    snprintf(number[0], 16, "%d", whole);
    snprintf(number[1], 16, "%u", (unsigned)whole);
    snprintf(number[2], 16, "%x", (unsigned)whole);
    if (strstr(message, word)) fail_msg("'%s' shows '%s'", message, word);
    for (int k = 0; k < 3; k++) {
      if (strlen(number[k]) > 4 && strstr(message, number[k]))
        fail_msg("'%s' shows %s", message, number[k]);
    }
  }
}

static void test_messages(void** state) {
  static const char* const secrets[] = {
      "root:$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o:19713:0:99999:7:::\nwww:x:33:33\n",
      "Zk9 Qw8 Lm7\nV12 Gh5 Kp3\nf 98765 87654 76543\nv Hq7 Wx2 Bn4\n",
      "<Zq8kJw3b><Pw7w0Rd Kq9='Hx4Un7Er2'/></Zq8kJw3b>",
      "<Zq8kJw3b><Pw7w0Rd Kq9='Hx4Un7Er2'/>",
      "<Zq8kJw3b><Pw7w0Rd Kq9='Hx4Un7Er2'></Zq8kJw3b>",
      "<Zq8kJw3b><body Kq9='Hx4Un7Er2'/></Zq8kJw3b>",
      "<Zq8kJw3b><geom size='Hx4Un7Er2'/></Zq8kJw3b>",
      "<Zq8kJw3b>",
      "<Zq8kJw3b Kq9='Hx4",
      "Bx5 & <Zq8c Pw7w>",
      "<?Zq8c Pw7w?>Hx4u",
      "<!DOCTYPE Zq8c [<!ENTITY Kq9w 'Hx4Un7Er2'>]><mujoco>&Kq9w;</mujoco>"};
  static const char* const kinds[] = {"t.obj", "t.stl", "t.msh", "p.png", "h.hf", "s.skn", "i.xml"};
  char error[1000], text[600];
  mju_user_warning = hear;
  for (size_t s = 0; s < sizeof secrets / sizeof *secrets; s++) {
    for (int k = 0; k < 7; k++) {
      char name[64];
      snprintf(name, sizeof name, "in/sub/secret-%s", kinds[k]);
      put(name, secrets[s]);
      const char* const ways[] = {
          "<mujoco><asset><mesh name='t' file='sub/secret-%s'/></asset><worldbody><geom "
          "type='mesh' "
          "mesh='t'/></worldbody></mujoco>",
          "<mujoco><asset><texture name='p' type='2d' file='sub/secret-%s'/></asset></mujoco>",
          "<mujoco><asset><hfield name='h' size='1 1 1 1' file='sub/secret-%s'/></asset></mujoco>",
          "<mujoco><asset><hfield name='h' size='1 1 1 1' content_type="
          "'image/vnd.mujoco.hfield' file='sub/secret-%s'/></asset></mujoco>",
          "<mujoco><asset><skin name='s' file='sub/secret-%s'/></asset></mujoco>",
          "<mujoco><deformable><skin name='s' file='sub/secret-%s'/></deformable></mujoco>",
          "<mujoco><include file='sub/secret-%s'/></mujoco>",
          "<mujoco><asset><model name='p' file='sub/secret-%s'/></asset><worldbody>"
          "<attach model='p' body='b' prefix='a'/></worldbody></mujoco>",
          "<mujoco><worldbody><flexcomp name='f' type='mesh' file='sub/secret-%s' dim='2'/>"
          "</worldbody></mujoco>",
          "<mujoco><worldbody><flexcomp name='f' type='gmsh' file='sub/secret-%s' dim='2'/>"
          "</worldbody></mujoco>",
          "<mujoco><worldbody><body><freejoint/><geom size='1' type='ellipsoid' mesh='t'/></body>"
          "</worldbody><asset><mesh name='t' content_type='model/obj' file='sub/secret-%s'/>"
          "</asset></mujoco>"};
      for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        snprintf(text, sizeof text, ways[w], kinds[k]);
        mjModel* m = load(text, error);
        if (m) fail_msg("%s was taken as a model with %s", secrets[s], text);
        no_trace(secrets[s], error);
      }
      // as the model itself
      assert_null(mj_loadXML(at(name), NULL, error, sizeof error));
      no_trace(secrets[s], error);
      heard[0] = 0;
      assert_null(mj_loadModel(at(name), NULL));
      no_trace(secrets[s], heard);
    }
  }
  mju_user_warning = NULL;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ways_out),  cmocka_unit_test(test_links),
      cmocka_unit_test(test_no_oracle), cmocka_unit_test(test_setting),
      cmocka_unit_test(test_later),     cmocka_unit_test(test_program_files),
      cmocka_unit_test(test_package),   cmocka_unit_test(test_messages)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
