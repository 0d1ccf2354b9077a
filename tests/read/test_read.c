// MJCF and URDF: what the reader makes of them, and that the writer gives it back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/read.h"

static mjModel* compile_text(const char* xml) {
  char error[1024];
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) print_message("%s\n", error);
  assert_non_null(spec);
  mjModel* m = mj_compile(spec, NULL);
  if (!m) print_message("%s\n", mjs_getError(spec));
  assert_non_null(m);
  mj_deleteSpec(spec);
  return m;
}

static void near_all(const mjtNum* a, const mjtNum* b, int n) {
  for (int i = 0; i < n; i++) assert_true(fabs(a[i] - b[i]) < 1e-12);
}

// ---- the table
static void attributes_are_sorted(void** state) {
  static const snTag* const kTags[] = {&table_compiler,  &table_option, &table_size,
                                       &table_statistic, &table_body,   &table_frame,
                                       &table_replicate};
  for (int t = 0; t < snCOUNT(kTags); t++) {
    for (int i = 1; i < kTags[t]->nattribute; i++) {
      assert_true(strcmp(kTags[t]->attributes[i - 1].name, kTags[t]->attributes[i].name) < 0);
    }
  }
  static const snTag* const kSections[] = {&table_visual,    &table_default,    &table_asset,
                                           &table_worldbody, &table_deformable, &table_contact,
                                           &table_equality,  &table_tendon,     &table_actuator,
                                           &table_sensor,    &table_keyframe,   &table_custom};
  for (int t = 0; t < snCOUNT(kSections); t++) {
    for (int c = 0; c < kSections[t]->nchild; c++) {
      const snTag* tag = kSections[t]->children + c;
      for (int i = 0; i < tag->nattribute; i++) {
        const snTagAttr* a = tag->attributes + i;
        if (i) assert_true(strcmp(a[-1].name, a->name) <= 0);
        // every attribute the element has is found, no other is
        if (a->where & tag->mask) assert_non_null(table_attribute(tag, a->name));
      }
      assert_null(table_attribute(tag, "nonsense"));
    }
  }
}

static void schema_is_printed(void** state) {
  char* text = malloc(1 << 20);
  int n = mj_printSchema(NULL, text, 1 << 20, 0, 0);
  assert_int_equal(n, strlen(text));
  assert_non_null(strstr(text, "(world)body (R)"));
  // a buffer that is too small is filled and terminated
  char small[100];
  assert_int_equal(mj_printSchema(NULL, small, sizeof(small), 0, 0), n);
  assert_int_equal(strlen(small), sizeof(small) - 1);
  free(text);
}

// ---- values
static void classes_nest(void** state) {
  mjModel* m = compile_text(
      "<mujoco><default><default class='a'/><geom rgba='1 0 0 1' size='.1'/></default><default>"
      "<default class='b'><geom rgba='0 1 0 1'/></default></default><worldbody><geom/>"
      "<geom class='a'/><body childclass='b'><geom/><body childclass='main'><geom/></body><frame "
      "childclass='a'><geom/></frame></body></worldbody></mujoco>");
  const float kRed[] = {1, 1, 0, 1, 1};
  for (int i = 0; i < 5; i++) assert_true(m->geom_rgba[4 * i] == kRed[i]);
  mj_deleteModel(m);
}

static void orientations_agree(void** state) {
  mjModel* m = compile_text(
      "<mujoco><worldbody><geom size='1' quat='1 1 0 0'/><geom size='1' euler='90 0 0'/>"
      "<geom size='1' axisangle='1 0 0 90'/><geom size='1' xyaxes='1 0 0 0 0 1'/>"
      "<geom size='1' zaxis='0 -1 0'/></worldbody></mujoco>");
  const mjtNum kQuat[4] = {sqrt(0.5), sqrt(0.5), 0, 0};
  for (int i = 0; i < 5; i++) near_all(m->geom_quat + 4 * i, kQuat, 4);
  mj_deleteModel(m);
}

static void sections_in_any_order(void** state) {
  mjModel* m = compile_text(
      "<mujoco><sensor><jointpos joint='j'/></sensor><worldbody><body><joint name='j' class='x' "
      "range='-90 90'/><geom size='1'/></body></worldbody><default><default class='x'><joint "
      "damping='3'/></default></default><compiler angle='degree'/><option timestep='0.1'/>"
      "<option timestep='0.2'/></mujoco>");
  assert_true(m->opt.timestep == 0.2 && m->dof_damping[0] == 3);
  assert_true(fabs(m->jnt_range[1] - mjPI / 2) < 1e-15);
  mj_deleteModel(m);
}

// What readers of MJCF take though it is not quite XML.
static void careless_xml_is_read(void** state) {
  mjModel* m = compile_text(
      "<mujoco model='a < b & c'><worldbody><body name='caf\xe9'pos='1 2 3'><geom "
      "name=\"g\"size='2'/>"
      "<!-- a -- b --></body></worldbody></mujoco>");
  assert_string_equal(m->names, "a < b & c");
  assert_string_equal(mj_id2name(m, mjOBJ_BODY, 1), "caf\xc3\xa9");
  assert_true(m->body_pos[5] == 3 && m->geom_size[0] == 2);
  mj_deleteModel(m);
}

// A class may give inheritrange to all its actuators; motors have no use for it.
static void inherited_range_is_for_positions(void** state) {
  mjModel* m = compile_text(
      "<mujoco><default><position inheritrange='1'/></default><worldbody><body><joint name='j' "
      "range='-90 90'/><geom size='1'/></body></worldbody><actuator><motor joint='j' "
      "ctrlrange='-3 3'/><velocity joint='j'/><position joint='j'/></actuator></mujoco>");
  assert_true(m->actuator_ctrlrange[0] == -3 && m->actuator_ctrlrange[2] == 0);
  assert_true(fabs(m->actuator_ctrlrange[5] - mjPI / 2) < 1e-15);
  mj_deleteModel(m);
}

// A link without extent is fine where it does not move.
static void urdf_link_without_inertia(void** state) {
  mjModel* m = compile_text(
      "<robot name='r'><link name='a'><inertial><mass value='0'/><inertia ixx='0' iyy='0' izz='0' "
      "ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='1'/></geometry>"
      "</collision></link></robot>");
  assert_int_equal(m->ngeom, 1);
  mj_deleteModel(m);
}

static void shortcuts_of_actuators(void** state) {
  mjModel* m = compile_text(
      "<mujoco><default><position kp='10' kv='3'/></default><worldbody><body><joint "
      "name='j'/><geom "
      "size='1'/></body></worldbody><actuator><position joint='j'/><position joint='j' kp='1'/>"
      "<motor joint='j'/><velocity joint='j' kv='7'/></actuator></mujoco>");
  assert_true(m->actuator_gainprm[0] == 10 && m->actuator_biasprm[1] == -10 &&
              m->actuator_biasprm[2] == -3);
  assert_true(m->actuator_gainprm[mjNGAIN] == 1 && m->actuator_biasprm[mjNBIAS + 2] == -3);
  assert_true(m->actuator_biastype[2] == mjBIAS_NONE && m->actuator_gainprm[2 * mjNGAIN] == 1);
  assert_true(m->actuator_biasprm[3 * mjNBIAS + 2] == -7);
  mj_deleteModel(m);
}

static void numbers_round_once(void** state) {
  mjModel* m = compile_text(
      "<mujoco><asset><material name='m' shininess='0.5999999940395355'/></asset><option "
      "timestep='0.1' density='123456789012345678' viscosity='1e-300'/></mujoco>");
  assert_true(m->mat_shininess[0] == strtof("0.5999999940395355", NULL));
  assert_true(m->opt.timestep == 0.1 && m->opt.density == 123456789012345678.0 &&
              m->opt.viscosity == 1e-300);
  mj_deleteModel(m);
}

// ---- URDF
static const char kRobot[] =
    "<robot name='r'><mujoco><compiler fusestatic='false'/></mujoco><link name='base'/><link "
    "name='arm'><collision><geometry><box size='1 2 3'/></geometry></collision></link><link "
    "name='hand'><collision><geometry><sphere radius='1'/></geometry></collision></link><joint "
    "name='a' type='revolute'><parent link='base'/><child link='arm'/><origin xyz='1 2 3' rpy='0 0 "
    "1.5707963267948966'/><axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='5'/><dynamics "
    "damping='.5' friction='.1'/></joint><joint name='b' type='prismatic'><parent "
    "link='arm'/><child "
    "link='hand'/><mimic joint='a' multiplier='2' offset='.5'/></joint></robot>";

static void urdf_becomes_a_tree(void** state) {
  mjModel* m = compile_text(kRobot);
  assert_int_equal(m->nbody, 4);
  assert_int_equal(m->body_parentid[mj_name2id(m, mjOBJ_BODY, "hand")],
                   mj_name2id(m, mjOBJ_BODY, "arm"));
  const mjtNum kPos[3] = {1, 2, 3}, kQuat[4] = {sqrt(0.5), 0, 0, sqrt(0.5)},
               kHalf[3] = {.5, 1, 1.5};
  near_all(m->body_pos + 6, kPos, 3);
  near_all(m->body_quat + 8, kQuat, 4);
  near_all(m->geom_size, kHalf, 3);
  assert_true(m->jnt_limited[0] && m->jnt_range[0] == -1 && m->jnt_range[1] == 2);
  assert_true(m->jnt_actfrcrange[1] == 5 && m->dof_damping[0] == .5 &&
              m->dof_frictionloss[0] == .1);
  assert_int_equal(m->jnt_type[1], mjJNT_SLIDE);
  // mimic: b = 0.5 + 2 a
  assert_int_equal(m->neq, 1);
  assert_int_equal(m->eq_type[0], mjEQ_JOINT);
  assert_int_equal(m->eq_obj1id[0], 1);
  assert_true(m->eq_data[0] == .5 && m->eq_data[1] == 2);
  mj_deleteModel(m);
}

// ---- the writer
static void saved_is_read_again(void** state) {
  static const char* const kModels[] = {
      kRobot,
      "<mujoco model='a &lt; b'><!-- first --><compiler angle='radian' "
      "eulerseq='zyx'/><option><flag "
      "energy='enable' contact='disable'/></option><default><geom size='.1'/><default class='x'>"
      "<position kp='3' inheritrange='1'/></default></default><worldbody><frame pos='1 2 3' "
      "euler='.1 "
      ".2 .3'><geom name='in'/><body name='b' gravcomp='1'><joint name='j' range='-.1 .3'/><geom "
      "type='box' size='.1 .2 .3' zaxis='1 2 3'/><site name='s'/><site name='z' pos='1 0 "
      "0'/></body></frame><geom name='out'/>"
      "</worldbody><actuator><position class='x' joint='j'/></actuator><tendon><spatial "
      "name='t' springlength='.1 .2'><site site='s'/><site "
      "site='z'/></spatial></tendon><sensor><gyro "
      "site='s'/></sensor><keyframe><key qpos='.123456789012345678'/></keyframe></mujoco>",
  };
  for (int k = 0; k < snCOUNT(kModels); k++) {
    char error[1024], text[20000];
    mjSpec* spec = mj_parseXMLString(kModels[k], NULL, error, sizeof(error));
    assert_non_null(spec);
    mjModel* m = mj_compile(spec, NULL);
    if (!m) print_message("%s\n", mjs_getError(spec));
    assert_non_null(m);
    assert_int_equal(mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)), 0);
    // too small a buffer: the size that is needed
    char little[10];
    assert_int_equal(mj_saveXMLString(spec, little, sizeof(little), error, sizeof(error)),
                     strlen(text));
    mj_deleteSpec(spec);
    mjModel* again = compile_text(text);
    m->signature = again->signature = 0;
    int size = mj_sizeModel(m);
    assert_int_equal(size, mj_sizeModel(again));
    char *a = malloc(size), *b = malloc(size);
    mj_saveModel(m, NULL, a, size);
    mj_saveModel(again, NULL, b, size);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
    mj_deleteModel(m);
    mj_deleteModel(again);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attributes_are_sorted),
      cmocka_unit_test(schema_is_printed),
      cmocka_unit_test(classes_nest),
      cmocka_unit_test(orientations_agree),
      cmocka_unit_test(sections_in_any_order),
      cmocka_unit_test(shortcuts_of_actuators),
      cmocka_unit_test(numbers_round_once),
      cmocka_unit_test(urdf_becomes_a_tree),
      cmocka_unit_test(saved_is_read_again),
      cmocka_unit_test(careless_xml_is_read),
      cmocka_unit_test(inherited_range_is_for_positions),
      cmocka_unit_test(urdf_link_without_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
