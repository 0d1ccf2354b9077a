// The n-th allocation fails while a model is read, compiled, copied, attached and saved: it is
// refused with an error, nothing is lost, and what was there before is as it was.
#include "base/base.h"
#include "fuzz/everything.h"
#include "scene.h"

static const char kInclude[] =
    "<mujocoinclude><asset><material name='inner' rgba='1 0 0 1'/></asset></mujocoinclude>";
static const char kOuter[] =
    "<mujoco><include file='inner.xml'/><default><default class='c'><geom size='.2'/></default>"
    "</default><asset><model name='part' file='part.xml'/><mesh name='cube' file='cube.obj'/>"
    "<texture name='t' type='2d' builtin='flat' width='4' height='4'/></asset>"
    "<worldbody><replicate count='3' offset='1 0 0'><body name='r'><joint/><geom class='c' "
    "material='inner'/></body></replicate><attach model='part' body='b' prefix='x-'/>"
    "<composite type='cable' curve='s' count='5 1 1' size='1' prefix='w' initial='none'><geom "
    "type='capsule' size='.01'/></composite>"
    "<body><freejoint/><geom type='mesh' mesh='cube'/></body></worldbody>"
    "<keyframe><key name='k' time='2'/></keyframe></mujoco>";
static const char kPart[] =
    "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='.1'/></body></worldbody>"
    "<actuator><motor joint='j'/></actuator><keyframe><key qpos='1'/></keyframe></mujoco>";
static const char kUrdf[] =
    "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' "
    "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><collision><geometry><sphere "
    "radius='1'/></geometry></collision></link><joint name='j' type='revolute'><parent "
    "link='a'/><child link='b'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
    "</robot>";
static const char kCube[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static char error[1000];
static int told;

static void listen(const char* text) {
  snprintf(error, sizeof error, "%s", text);
  told++;
}

static mjVFS vfs;

static bool load(const char* name) {
  char* text = error;
  mjModel* m = mj_loadXML(name, &vfs, text, sizeof error);
  mj_deleteModel(m);
  return m;
}
static bool load_everything(void) { return load("everything.xml"); }
static bool load_outer(void) { return load("outer.xml"); }
static bool load_urdf(void) { return load("robot.urdf"); }

// Parse, copy, attach, edit, compile and recompile by a program.
static bool edit(void) {
  mjSpec* s = mj_parseXML("outer.xml", &vfs, error, sizeof error);
  mjSpec* c = s ? mj_parseXMLString(kPart, NULL, error, sizeof error) : NULL;
  mjSpec* copy = c ? mj_copySpec(s) : NULL;
  bool done = copy;
  if (done) {
    mjsFrame* f = mjs_addFrame(mjs_findBody(copy, "world"), NULL);
    done = f && mjs_attach(f->element, mjs_findBody(c, "b")->element, "y-", "");
    mjsBody* r = mjs_findBody(copy, "r1");
    done = done && r && mjs_addGeom(r, NULL) && !mjs_delete(copy, r->element);
    if (!done) snprintf(error, sizeof error, "%s", mjs_getError(copy));
  }
  mjModel* m = done ? mj_compile(copy, &vfs) : NULL;
  if (done && !m) snprintf(error, sizeof error, "%s", mjs_getError(copy));
  mjData* d = m ? mj_makeData(m) : NULL;
  if (d && !(done = !mj_recompile(copy, &vfs, m, d))) {
    snprintf(error, sizeof error, "%s", mjs_getError(copy));
  }
  static char text[20000];
  done = done && d && !mj_saveXMLString(copy, text, sizeof text, error, sizeof error);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(copy);
  mj_deleteSpec(c);
  mj_deleteSpec(s);
  return done;
}

static void fails_at_every(bool (*work)(void), const char* name) {
  mju_user_error = mju_user_warning = listen;
  if (!work()) fail_msg("%s: %s", name, error);
  long before = memory_count();
  assert_true(work());
  long needed = memory_count() - before;
  assert_true(needed > 50);
  // all of the first, then ever fewer; SINEW_FAILURES=1000000 for all
  const char* dense = getenv("SINEW_FAILURES");
  long density = dense ? atol(dense) : 6;
  for (long n = 1; n <= needed; n += 1 + n / density) {
    if (getenv("SINEW_SHOW")) fprintf(stderr, "%s: %ld of %ld\n", name, n, needed);
    error[0] = 0;
    memory_fail_at(n);
    bool done = work();
    memory_fail_at(0);
    if (!done && !error[0])
      fail_msg("%s: allocation %ld of %ld failed without an error", name, n, needed);
  }
  assert_true(work());
  mju_user_error = mju_user_warning = NULL;
}

static void loading(void** state) {
  (void)state;
  fails_at_every(load_everything, "everything");
  fails_at_every(load_outer, "outer");
  fails_at_every(load_urdf, "urdf");
}

static void editing(void** state) {
  (void)state;
  fails_at_every(edit, "edit");
}

static int setup(void** state) {
  (void)state;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "everything.xml", kEverything, sizeof kEverything - 1);
  mj_addBufferVFS(&vfs, "outer.xml", kOuter, sizeof kOuter - 1);
  mj_addBufferVFS(&vfs, "inner.xml", kInclude, sizeof kInclude - 1);
  mj_addBufferVFS(&vfs, "part.xml", kPart, sizeof kPart - 1);
  mj_addBufferVFS(&vfs, "robot.urdf", kUrdf, sizeof kUrdf - 1);
  mj_addBufferVFS(&vfs, "cube.obj", kCube, sizeof kCube - 1);
  return 0;
}

static int teardown(void** state) {
  (void)state;
  mj_deleteVFS(&vfs);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loading), cmocka_unit_test(editing)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
