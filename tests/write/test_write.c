// A saved model, read again, is the same model: byte by byte as a binary file, and its text is a
// fixed point of save and load.
#include "scene.h"

static const char* const kModels[] = {
    // defaults, classes, frames and orientations in every form
    "<mujoco model='a &amp; b &lt;c&gt;'><compiler angle='radian' autolimits='true'/><option "
    "timestep='.003' gravity='0 1 -9'>"
    "<flag contact='disable' energy='enable'/></option><default><geom rgba='.1 .2 .3 1' "
    "density='500'/>"
    "<default class='thin'><geom size='.01' type='capsule' friction='.3 .01 .001'/><joint "
    "damping='.1234567890123456'/>"
    "</default></default><worldbody><light pos='0 0 3' dir='0 .6 -.8'/><camera name='c' pos='1 2 "
    "3' fovy='33'/>"
    "<frame pos='1 0 0' euler='.1 .2 .3'><body name='x' childclass='thin'><joint name='j' axis='.6 "
    ".8 0' range='-1 2'/>"
    "<geom fromto='0 0 0 .1 .2 .3'/><site name='s' zaxis='1 1 1'/><body pos='0 0 1' xyaxes='1 1 0 "
    "-1 1 0'><joint type='ball'/><geom size='.1 .2'/>"
    "</body></body></frame></worldbody></mujoco>",
    // every kind of link
    "<mujoco><worldbody><body name='a'><joint name='a'/><geom size='.1'/><site "
    "name='a'/></body><body name='b' pos='1 0 0'>"
    "<joint name='b' type='slide' axis='1 0 0'/><geom name='gb' size='.2' group='2'/><site "
    "name='b' pos='0 0 .3'/></body>"
    "<body name='m' mocap='true' pos='0 0 2'/></worldbody><contact><exclude body1='a' "
    "body2='b'/></contact><equality>"
    "<connect body1='a' body2='b' anchor='1 2 3'/><weld body1='a' body2='b' active='false'/>"
    "<joint joint1='a' joint2='b' polycoef='0 1 2 3 4'/></equality><tendon><spatial name='t' "
    "limited='true' range='0 3'"
    " width='.02'><site site='a'/><geom geom='gb' sidesite='a'/><site site='b'/></spatial><fixed "
    "name='f'>"
    "<joint joint='a' coef='.1'/></fixed></tendon><actuator><motor joint='a' gear='2' "
    "ctrllimited='true' ctrlrange='-1 1'/>"
    "<position joint='b' kp='30' kv='2'/><muscle tendon='t' lengthrange='.1 2'/><intvelocity "
    "joint='a' kp='3' actrange='-1 2'/>"
    "<adhesion body='a' gain='2' ctrlrange='0 1'/></actuator><sensor><jointpos joint='a' "
    "noise='.1'/>"
    "<framepos objtype='site' objname='a' reftype='body' refname='b'/><rangefinder site='b' "
    "cutoff='3'/></sensor>"
    "<keyframe><key name='k' time='1.5' qpos='.1 .2' mpos='0 0 3'/></keyframe><custom><numeric "
    "name='n' data='1 2 3'/>"
    "<text name='t' data='hello &quot;you&quot;'/><tuple name='u'><element objtype='body' "
    "objname='a' prm='2'/></tuple>"
    "</custom></mujoco>",
    // assets given in the text, numbers at the ends of their range
    "<mujoco><statistic meansize='1e-300' extent='1e300'/><asset><mesh name='tetra' vertex='0 0 0 "
    "1 0 0 0 1 0 0 0 1'"
    " scale='.1 .2 .3'/><texture name='t' type='2d' builtin='checker' rgb1='.1 .2 .3' rgb2='1 1 1' "
    "width='8' height='4'/>"
    "<material name='m' texture='t' texrepeat='3 2' specular='.1' reflectance='.3'/>"
    "<hfield name='h' nrow='2' ncol='3' size='1 1 .5 .1' elevation='0 1 2 3 4 "
    "5'/></asset><worldbody>"
    "<geom type='hfield' hfield='h' material='m'/><body pos='.1 1e-17 "
    "12345678.9'><freejoint/><geom type='mesh' mesh='tetra'/>"
    "<inertial pos='0 .1 0' mass='.333333333333333333' diaginertia='1 2 "
    "2.5'/></body></worldbody></mujoco>",
};

// The binary form, for a comparison of everything that a model holds.
static unsigned char* binary(const mjModel* m, int* size) {
  *size = mj_sizeModel(m);
  unsigned char* bytes = malloc((size_t)*size);
  mj_saveModel(m, NULL, bytes, *size);
  return bytes;
}

static char* text_of(const char* xml, mjModel** m) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  if (!spec) fail_msg("%s", error);
  *m = mj_compile(spec, NULL);
  if (!*m) fail_msg("%s", mjs_getError(spec));
  int need = mj_saveXMLString(spec, (char[1]){0}, 1, error, sizeof error);
  char* text = malloc((size_t)need + 2);
  if (mj_saveXMLString(spec, text, need + 2, error, sizeof error)) fail_msg("%s", error);
  mj_deleteSpec(spec);
  return text;
}

static void test_round_trip(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof kModels / sizeof *kModels; i++) {
    mjModel *first, *again, *third;
    int size, other;
    char* once = text_of(kModels[i], &first);
    char* twice = text_of(once, &again);
    char* thrice = text_of(twice, &third);
    assert_string_equal(twice, thrice);
    unsigned char *a = binary(first, &size), *b = binary(again, &other);
    assert_int_equal(size, other);
    // the header says which build wrote it; everything behind is numbers and names
    if (memcmp(a, b, (size_t)size)) fail_msg("model %zu is another one when saved and read", i);
    free(a);
    free(b);
    free(once);
    free(twice);
    free(thrice);
    mj_deleteModel(first);
    mj_deleteModel(again);
    mj_deleteModel(third);
  }
}

// A buffer that is too small: nothing behind its end is written, and the size that is needed comes
// back.
static void test_small_buffer(void** state) {
  (void)state;
  mjModel* m;
  char* text = text_of(kModels[0], &m);
  char error[1000] = "", buffer[100];
  mjSpec* spec = mj_parseXMLString(kModels[0], NULL, error, sizeof error);
  mjModel* compiled = mj_compile(spec, NULL);
  memset(buffer, 'x', sizeof buffer);
  int need = mj_saveXMLString(spec, buffer, 50, error, sizeof error);
  assert_true(need > 50);
  for (size_t i = 50; i < sizeof buffer; i++) assert_int_equal(buffer[i], 'x');
  assert_int_equal((int)strlen(text), need);
  mj_deleteModel(compiled);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  free(text);
}

// A folder that is not there is named, with nothing written.
static void test_bad_path(void** state) {
  (void)state;
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(kModels[0], NULL, error, sizeof error);
  mjModel* m = mj_compile(spec, NULL);
  assert_int_not_equal(mj_saveXML(spec, "no/such/folder/model.xml", error, sizeof error), 0);
  if (!strstr(error, "no/such/folder")) fail_msg("the error does not name the file: %s", error);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_small_buffer),
      cmocka_unit_test(test_bad_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
