// Specs built by calls, then compiled: structure, inertia, limits, references, errors,
// recompilation.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "spec/spec.h"

static void close_to(double a, double b) {
  if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b)))) fail_msg("%.17g, expected %.17g", a, b);
}

// world - upper (hinge) - lower (slide), a sphere on each, a motor on the hinge
static mjSpec* arm(void) {
  mjSpec* s = mj_makeSpec();
  mjsBody* upper = mjs_addBody(mjs_findBody(s, "world"), NULL);
  mjs_setName(upper->element, "upper");
  mjsJoint* hinge = mjs_addJoint(upper, NULL);
  mjs_setName(hinge->element, "hinge");
  hinge->range[0] = -90;
  hinge->range[1] = 90;
  hinge->ref = 30;
  mjsGeom* geom = mjs_addGeom(upper, NULL);
  geom->size[0] = 0.1;
  mjs_setName(geom->element, "ball");
  mjsBody* lower = mjs_addBody(upper, NULL);
  mjs_setName(lower->element, "lower");
  lower->pos[0] = 1;
  mjsJoint* slide = mjs_addJoint(lower, NULL);
  slide->type = mjJNT_SLIDE;
  mjs_setName(slide->element, "slide");
  mjs_addGeom(lower, NULL)->size[0] = 0.2;
  mjsActuator* motor = mjs_addActuator(s, NULL);
  motor->trntype = mjTRN_JOINT;
  mjs_setString(motor->target, "hinge");
  return s;
}

static mjModel* compiled(mjSpec* s) {
  mjModel* m = mj_compile(s, NULL);
  if (!m) fail_msg("%s", mjs_getError(s));
  return m;
}

static void structure(void** state) {
  mjSpec* s = arm();
  mjModel* m = compiled(s);
  assert_int_equal(m->nbody, 3);
  assert_int_equal(m->nv, 2);
  assert_int_equal(m->nM, 3);
  assert_int_equal(m->nD, 4);
  assert_int_equal(m->dof_parentid[1], 0);
  assert_int_equal(m->body_weldid[2], 2);
  assert_int_equal(m->body_rootid[2], 1);
  assert_int_equal(mj_name2id(m, mjOBJ_JOINT, "slide"), 1);
  close_to(m->jnt_range[1], mjPI / 2);
  assert_int_equal(m->jnt_limited[0], 1);
  close_to(m->qpos0[0], mjPI / 6);
  double mass = 4.0 / 3 * mjPI * 0.001 * 1000;
  close_to(m->body_mass[1], mass);
  close_to(m->body_inertia[3], 0.4 * mass * 0.01);
  assert_int_equal(m->body_simple[1], 0);
  assert_int_equal(m->actuator_trnid[0], 0);
  // ids are given back to the spec
  assert_int_equal(mjs_getId(mjs_findElement(s, mjOBJ_JOINT, "slide")), 1);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

static void errors_name_the_element(void** state) {
  mjSpec* s = arm();
  mjs_setString(mjs_asActuator(mjs_firstElement(s, mjOBJ_ACTUATOR))->target, "elbow");
  assert_null(mj_compile(s, NULL));
  assert_non_null(strstr(mjs_getError(s), "elbow"));
  assert_non_null(strstr(mjs_getError(s), "actuator"));
  assert_int_equal(mjs_isWarning(s), 0);
  // the spec is as it was: mended, it compiles
  mjs_setString(mjs_asActuator(mjs_firstElement(s, mjOBJ_ACTUATOR))->target, "hinge");
  mj_deleteModel(compiled(s));
  mjsGeom* geom = mjs_asGeom(mjs_findElement(s, mjOBJ_GEOM, "ball"));
  geom->size[0] = -1;
  assert_null(mj_compile(s, NULL));
  assert_non_null(strstr(mjs_getError(s), "ball"));
  geom->size[0] = 0.1;
  mjs_setName(mjs_addGeom(mjs_findBody(s, "lower"), NULL)->element, "ball");
  assert_null(mj_compile(s, NULL));
  assert_non_null(strstr(mjs_getError(s), "repeated name"));
  mj_deleteSpec(s);
}

static void compiling_twice_is_the_same(void** state) {
  mjSpec* s = arm();
  mjModel* a = compiled(s);
  mjModel* b = compiled(s);
  assert_int_equal(a->nbuffer, b->nbuffer);
  assert_memory_equal(a->buffer, b->buffer, a->nbuffer);
  mj_deleteModel(a);
  mj_deleteModel(b);
  mj_deleteSpec(s);
}

static void state_survives_recompilation(void** state) {
  mjSpec* s = arm();
  mjModel* m = compiled(s);
  mjData* d = mj_makeData(m);
  d->qpos[0] = 0.3;
  d->qpos[1] = 0.4;
  d->qvel[1] = 5;
  d->ctrl[0] = 6;
  d->time = 7;
  // a free body in front of the arm moves all addresses
  mjsBody* ball = mjs_addBody(mjs_findBody(s, "world"), NULL);
  mjs_addFreeJoint(ball);
  mjs_addGeom(ball, NULL)->size[0] = 0.1;
  mjsBody* upper = mjs_findBody(s, "upper");
  mjs_addJoint(upper, NULL);
  assert_int_equal(mj_recompile(s, NULL, m, d), 0);
  assert_int_equal(m->nv, 9);
  close_to(d->qpos[m->jnt_qposadr[mj_name2id(m, mjOBJ_JOINT, "hinge")]], 0.3);
  close_to(d->qpos[m->jnt_qposadr[mj_name2id(m, mjOBJ_JOINT, "slide")]], 0.4);
  close_to(d->qvel[m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, "slide")]], 5);
  close_to(d->ctrl[0], 6);
  close_to(d->time, 7);
  // a spec that does not compile leaves both as they are
  mjs_asGeom(mjs_findElement(s, mjOBJ_GEOM, "ball"))->size[0] = 0;
  assert_int_equal(mj_recompile(s, NULL, m, d), -1);
  assert_int_equal(m->nv, 9);
  close_to(d->time, 7);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

// A program that makes the struct itself says so by a buffer of NULL.
static void recompilation_into_a_bare_model(void** state) {
  mjSpec* s = arm();
  mjModel* m = compiled(s);
  mjData* d = mj_makeData(m);
  d->qpos[1] = 0.4;
  mjs_addJoint(mjs_findBody(s, "upper"), NULL);
  for (int round = 0; round < 2; round++) {
    mjModel* bare = mju_malloc(sizeof *bare);
    memset(bare, 0xaa, sizeof *bare);
    bare->buffer = NULL;
    mjData* copy = mj_copyData(NULL, m, d);
    assert_int_equal(mj_recompile(s, NULL, bare, copy), round ? -1 : 0);
    if (!round) {
      assert_int_equal(bare->nv, m->nv + 1);
      close_to(copy->qpos[bare->jnt_qposadr[mj_name2id(bare, mjOBJ_JOINT, "slide")]], 0.4);
      assert_int_equal(mj_recompile(s, NULL, bare, copy), 0);
    }
    mj_deleteData(copy);
    mj_deleteModel(bare);
    mjs_asGeom(mjs_findElement(s, mjOBJ_GEOM, "ball"))->size[0] = 0;
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

static void copy_back(void** state) {
  mjSpec* s = arm();
  mjModel* m = compiled(s);
  m->geom_size[0] = 0.25;
  m->dof_damping[1] = 3;
  m->opt.timestep = 0.01;
  m->stat.extent = 7;
  assert_int_equal(mj_copyBack(s, m), 1);
  // statistics that nobody changed are worked out again
  close_to(s->stat.extent, 7);
  assert_true(isnan(s->stat.meanmass) && isnan(s->stat.center[0]));
  close_to(mjs_asGeom(mjs_findElement(s, mjOBJ_GEOM, "ball"))->size[0], 0.25);
  mjModel* again = compiled(s);
  close_to(again->geom_size[0], 0.25);
  close_to(again->dof_damping[1], 3);
  close_to(again->opt.timestep, 0.01);
  close_to(again->jnt_range[1], m->jnt_range[1]);
  close_to(again->qpos0[0], m->qpos0[0]);
  mj_deleteModel(again);
  mjs_addGeom(mjs_findBody(s, "world"), NULL);
  assert_int_equal(mj_copyBack(s, m), 0);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

// Poses come back through all frames around an element, however many.
static void copy_back_through_frames(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  mjsFrame* frame = NULL;
  for (int i = 0; i < 100; i++) {
    frame = mjs_addFrame(world, frame);
    frame->pos[0] = 0.01;
    frame->alt.type = mjORIENTATION_EULER;
    frame->alt.euler[2] = 1;
  }
  mjsGeom* geom = mjs_addGeom(world, NULL);
  geom->size[0] = 0.1;
  geom->pos[1] = 0.2;
  mjs_setFrame(geom->element, frame);
  mjModel* m = compiled(s);
  assert_int_equal(mj_copyBack(s, m), 1);
  mjModel* again = compiled(s);
  for (int k = 0; k < 3; k++) close_to(again->geom_pos[k], m->geom_pos[k]);
  for (int k = 0; k < 4; k++) close_to(again->geom_quat[k], m->geom_quat[k]);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

// What the compiler left out leaves the spec with the numbers; compiled again it is the same model.
static void copy_back_of_a_pruned_model(void** state) {
  static const char kText[] =
      "<mujoco><compiler %s/><default><geom material='m'/></default><asset><material name='m'/>"
      "</asset><worldbody><body name='a' pos='0 0 1'><joint name='j'/><geom size='.1'/>"
      "<geom name='seen' size='.2' contype='0' conaffinity='0'/><frame pos='0 0 .1'>"
      "<body name='fixed' pos='0 0 .5' euler='0 30 0'><geom size='.1'/><site name='s' pos='.1 0 "
      "0'/>"
      "<frame euler='0 0 20'><body name='b' pos='0 .2 0'><joint/><geom size='.3'/></body></frame>"
      "</body></frame></body></worldbody></mujoco>";
  static const char* kSettings[] = {
      "discardvisual='true'", "fusestatic='true'", "discardvisual='true' fusestatic='true'",
      "discardvisual='true' fusestatic='true' inertiafromgeom='true'"};
  for (int k = 0; k < 4; k++) {
    char text[2000], error[500] = "";
    snprintf(text, sizeof text, kText, kSettings[k]);
    mjSpec* s = mj_parseXMLString(text, NULL, error, sizeof error);
    assert_string_equal(error, "");
    mjModel* m = compiled(s);
    assert_int_equal(m->nbody, k == 0 ? 4 : 3);
    assert_int_equal(m->ngeom, k == 1 ? 4 : 3);
    m->dof_damping[0] = 3;
    m->body_mass[1] *= 2;
    m->site_pos[0] += 0.1;
    assert_int_equal(mj_copyBack(s, m), 1);
    mjModel* again = compiled(s);
    assert_int_equal(again->nbody, m->nbody);
    assert_int_equal(again->ngeom, m->ngeom);
    assert_int_equal(again->nmat, m->nmat);
    close_to(again->dof_damping[0], 3);
    for (int i = 0; i < m->nbody; i++) {
      close_to(again->body_mass[i], m->body_mass[i]);
      for (int j = 0; j < 3; j++) {
        close_to(again->body_pos[3 * i + j], m->body_pos[3 * i + j]);
        close_to(again->body_ipos[3 * i + j], m->body_ipos[3 * i + j]);
        close_to(again->body_inertia[3 * i + j], m->body_inertia[3 * i + j]);
      }
    }
    for (int i = 0; i < 3 * m->ngeom; i++) close_to(again->geom_pos[i], m->geom_pos[i]);
    for (int i = 0; i < 3; i++) close_to(again->site_pos[i], m->site_pos[i]);
    assert_int_equal(mj_copyBack(s, again), 1);
    mj_deleteModel(again);
    mj_deleteModel(m);
    mj_deleteSpec(s);
  }
}

static void attach(int deep) {
  mjSpec* parent = arm();
  mjSpec* child = arm();
  child->compiler.degree = 0;
  mjsKey* key = mjs_addKey(child);
  mjs_setDouble(key->qpos, (double[]){0.1, 0.2}, 2);
  mjs_setName(key->element, "home");
  mjs_setDeepCopy(parent, deep);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "lower"), NULL);
  frame->pos[2] = 2;
  mjsBody* upper = mjs_findBody(child, "upper");
  upper->pos[0] = 0.5;
  mjsElement* attached = mjs_attach(frame->element, upper->element, "left-", "-1");
  if (!attached) fail_msg("%s", mjs_getError(parent));
  assert_true((attached == upper->element) == !deep);
  assert_string_equal(mjs_getString(mjs_getName(attached)), "left-upper-1");
  assert_ptr_equal(mjs_getSpec(attached), parent);
  assert_true((mjs_findBody(child, "upper") != NULL) == deep);
  mjModel* m = compiled(parent);
  assert_int_equal(m->nbody, 5);
  assert_int_equal(m->nu, 2);
  assert_int_equal(m->actuator_trnid[2], mj_name2id(m, mjOBJ_JOINT, "left-hinge-1"));
  int b = mj_name2id(m, mjOBJ_BODY, "left-upper-1");
  close_to(m->body_pos[3 * b], 0.5);
  close_to(m->body_pos[3 * b + 2], 2);
  // angles of the child stay in its own unit
  close_to(m->jnt_range[2 * mj_name2id(m, mjOBJ_JOINT, "left-hinge-1") + 1], 90);
  int k = mj_name2id(m, mjOBJ_KEY, "left-home-1");
  assert_int_equal(k, 0);
  close_to(m->key_qpos[m->jnt_qposadr[mj_name2id(m, mjOBJ_JOINT, "left-slide-1")]], 0.2);
  close_to(m->key_qpos[0], m->qpos0[0]);
  mj_deleteModel(m);
  mj_deleteSpec(child);
  mj_deleteModel(compiled(parent));
  mj_deleteSpec(parent);
}

static void attach_copies(void** state) { attach(1); }
static void attach_moves(void** state) { attach(0); }

static void length_range(void** state) {
  // a hinge between limits: a muscle on it reaches both
  mjSpec* s = arm();
  mjsActuator* a = mjs_asActuator(mjs_firstElement(s, mjOBJ_ACTUATOR));
  double unset[2] = {-1, -1};
  assert_string_equal(mjs_setToMuscle(a, unset, 0, unset, -1, -1, -1, -1, -1, -1, -1), "");
  close_to(a->gainprm[3], 200);
  s->compiler.LRopt.uselimit = 1;
  mjModel* m = compiled(s);
  close_to(m->actuator_lengthrange[0], -mjPI / 2);
  close_to(m->actuator_lengthrange[1], mjPI / 2);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

static void out_of_memory(void** state) {
  mjSpec* s = arm();
  for (long n = 1; n < 400; n += 3) {
    memory_fail_at(n);
    mjModel* m = mj_compile(s, NULL);
    memory_fail_at(0);
    mj_deleteModel(m);
  }
  mj_deleteModel(compiled(s));
  mj_deleteSpec(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structure),
      cmocka_unit_test(errors_name_the_element),
      cmocka_unit_test(compiling_twice_is_the_same),
      cmocka_unit_test(state_survives_recompilation),
      cmocka_unit_test(recompilation_into_a_bare_model),
      cmocka_unit_test(copy_back),
      cmocka_unit_test(copy_back_through_frames),
      cmocka_unit_test(copy_back_of_a_pruned_model),
      cmocka_unit_test(attach_copies),
      cmocka_unit_test(attach_moves),
      cmocka_unit_test(length_range),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
