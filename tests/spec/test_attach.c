// Attaching, deleting and saving: what comes along, what stays, and that a refused call leaves
// everything as it was.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "spec/spec.h"

static const char kChild[] =
    "<mujoco model='child'><default><default class='k'><geom size='.3'/></default></default>"
    "<worldbody><frame name='cf'><body name='b'><joint name='j'/><geom name='g' size='.1'/>"
    "<site name='s'/><body name='bb'><joint name='jj' type='ball'/><geom class='k'/></body></body>"
    "</frame><body name='c'><freejoint/><geom size='.1'/></body></worldbody>"
    "<actuator><motor name='m' joint='j'/></actuator><sensor><jointpos name='p' "
    "joint='j'/></sensor>"
    "<keyframe><key name='k' qpos='.5 1 0 0 0 0 0 1 1 0 0 0' ctrl='.5'/></keyframe></mujoco>";
static const char kParent[] =
    "<mujoco model='parent'><worldbody><frame name='f'/><body name='pb'><joint name='pj'/>"
    "<geom size='.1'/><frame name='pf'/><site name='ps'/></body></worldbody>"
    "<keyframe><key name='home' qpos='2'/></keyframe></mujoco>";

static mjSpec* parse(const char* text) {
  char error[500];
  mjSpec* s = mj_parseXMLString(text, NULL, error, sizeof error);
  if (!s) fail_msg("%s", error);
  return s;
}

static mjModel* compile(mjSpec* s) {
  mjModel* m = mj_compile(s, NULL);
  if (!m) fail_msg("%s", mjs_getError(s));
  return m;
}

static mjsElement* frame_of(mjSpec* s, const char* name) { return mjs_findFrame(s, name)->element; }

static int count(mjSpec* s, mjtObj type) {
  int n = 0;
  for (mjsElement* e = mjs_firstElement(s, type); e; e = mjs_nextElement(s, e)) n++;
  return n;
}

static void quiet(const char* text) { (void)text; }

// The elements themselves go over: a program's pointers to them stay good.
static void by_reference(void** state) {
  mjSpec *p = parse(kParent), *c = parse(kChild);
  mjsBody* b = mjs_findBody(c, "b");
  mjsGeom* g = mjs_asGeom(mjs_findElement(c, mjOBJ_GEOM, "g"));
  int seven = 7;
  mjs_setUserValue(g->element, "n", &seven);
  mjsElement* made = mjs_attach(frame_of(p, "f"), b->element, "x-", "");
  assert_ptr_equal(made, b->element);
  assert_ptr_equal(mjs_getSpec(made), p);
  assert_string_equal(mjs_getString(mjs_getName(g->element)), "x-g");
  assert_ptr_equal(mjs_findElement(p, mjOBJ_GEOM, "x-g"), g->element);
  assert_null(mjs_findElement(c, mjOBJ_GEOM, "g"));
  assert_ptr_equal(mjs_getParent(g->element), b);
  assert_ptr_equal(mjs_getFrame(made), mjs_findFrame(p, "f"));
  assert_ptr_equal(mjs_getUserValue(g->element, "n"), &seven);
  g->size[0] = .2;
  mjModel* m = compile(p);
  assert_int_equal(m->nbody, 4);
  assert_int_equal(m->nu, 1);
  int id = mj_name2id(m, mjOBJ_GEOM, "x-g");
  assert_true(id >= 0 && m->geom_size[3 * id] == .2);
  int key = mj_name2id(m, mjOBJ_KEY, "x-k");
  assert_true(key >= 0 && m->key_qpos[key * m->nq + 1] == .5);
  assert_true(m->key_qpos[mj_name2id(m, mjOBJ_KEY, "home") * m->nq] == 2);
  mj_deleteModel(m);
  // a donor with keys: refused, now and after its body is gone from the parent
  assert_null(mj_compile(c, NULL));
  assert_non_null(strstr(mjs_getError(c), "attached by reference"));
  assert_int_equal(mjs_delete(p, made), 0);
  assert_null(mj_compile(c, NULL));
  mjSpec* copy = mj_copySpec(c);  // a copy is nobody's child
  m = mj_compile(copy, NULL);
  assert_null(m);  // its key was written for joints that left
  assert_non_null(strstr(mjs_getError(copy), "qpos"));
  mj_deleteSpec(copy);
  mj_deleteSpec(p);
  mj_deleteSpec(c);
}

static void frames_and_models(void** state) {
  for (int deep = 0; deep < 2; deep++) {
    mjSpec *p = parse(kParent), *c = parse(kChild);
    mjs_setDeepCopy(p, deep);
    mjsElement* frame = frame_of(c, "cf");
    mjsElement* made = mjs_attach(mjs_findElement(p, mjOBJ_SITE, "ps"), frame, "", "-y");
    assert_non_null(made);
    assert_int_equal(made == frame, !deep);
    assert_ptr_equal(mjs_getFrame(mjs_findBody(p, "b-y")->element), mjs_findFrame(p, "cf-y"));
    mjModel* m = compile(p);
    assert_int_equal(m->body_parentid[mj_name2id(m, mjOBJ_BODY, "b-y")],
                     mj_name2id(m, mjOBJ_BODY, "pb"));
    mj_deleteModel(m);
    assert_int_equal(count(c, mjOBJ_BODY), deep ? 4 : 2);
    mj_deleteSpec(c);
    m = compile(p);  // the child is not needed
    mj_deleteModel(m);
    c = parse(kChild);
    made = mjs_attach(frame_of(p, "f"), c->element, "w-", "");
    assert_int_equal(made->elemtype, mjOBJ_FRAME);
    m = compile(p);
    assert_int_equal(m->nbody, 7);
    mj_deleteModel(m);
    mj_deleteSpec(p);
    mj_deleteSpec(c);
  }
}

// A copy of the body as it was, inside it: no end of copies.
static void into_itself(void** state) {
  mjSpec* s = parse(kChild);
  mjsBody* b = mjs_findBody(s, "b");
  mjsFrame* inside = mjs_addFrame(mjs_findBody(s, "bb"), NULL);
  assert_non_null(mjs_attach(inside->element, b->element, "in-", ""));
  assert_ptr_equal(mjs_getParent(mjs_findBody(s, "in-b")->element), mjs_findBody(s, "bb"));
  mjModel* m = compile(s);
  assert_int_equal(m->nbody, 6);
  assert_int_equal(m->nu, 2);
  // the copy of a key has the numbers of the copies
  int key = mj_name2id(m, mjOBJ_KEY, "in-k");
  int joint = mj_name2id(m, mjOBJ_JOINT, "in-j");
  assert_true(key >= 0 && joint >= 0);
  assert_true(m->key_qpos[key * m->nq + m->jnt_qposadr[joint]] == .5);
  assert_true(m->key_qpos[key * m->nq + m->jnt_qposadr[mj_name2id(m, mjOBJ_JOINT, "j")]] == 0);
  mj_deleteModel(m);
  assert_null(mjs_attach(inside->element, mjs_findBody(s, "world")->element, "", ""));
  assert_null(mjs_attach(inside->element, s->element, "", ""));
  assert_null(mjs_attach(b->element, mjs_findBody(s, "c")->element, "", ""));
  mj_deleteSpec(s);
}

// A refused attachment to a site inside the child takes back the frame that it made there.
static void to_a_site_inside(void** state) {
  mju_user_error = quiet;
  mjSpec* s = parse(
      "<mujoco><worldbody><body name='b'><geom size='.1'/><body name='c'><geom size='.1'/>"
      "<site name='s' pos='1 0 0'/></body></body></worldbody></mujoco>");
  mjsElement* site = mjs_findElement(s, mjOBJ_SITE, "s");
  bool done = false;
  for (int n = 1; !done; n++) {
    memory_fail_at(n);
    done = mjs_attach(site, mjs_findBody(s, "b")->element, "in-", "") != NULL;
    memory_fail_at(0);
    assert_true(done || !mjs_firstChild(mjs_findBody(s, "c"), mjOBJ_FRAME, 0));
  }
  mjModel* m = compile(s);
  assert_int_equal(m->nbody, 5);
  mj_deleteModel(m);
  mj_deleteSpec(s);
  mju_user_error = NULL;
}

// Bodies that mj_copyBack has merged are like others to the next attachment.
static void attached_after_copying_back(void** state) {
  mjSpec* s = parse(
      "<mujoco><compiler fusestatic='true' discardvisual='true'/><worldbody>"
      "<body name='a'><joint/><geom size='.1'/><geom size='.1' contype='0' conaffinity='0'/></body>"
      "<body name='b'><joint/><geom size='.1'/><body name='still'><geom size='.2'/></body>"
      "<body name='bb'><joint/><geom size='.1' contype='0' conaffinity='0'/><geom size='.1'/>"
      "</body></body></worldbody></mujoco>");
  mjModel* m = compile(s);
  assert_int_equal(m->nbody, 4);
  assert_int_equal(mj_copyBack(s, m), 1);
  mjSpec* to = parse("<mujoco><worldbody><frame name='f'/></worldbody></mujoco>");
  mjsFrame* place = mjs_addFrame(mjs_findBody(s, "a"), NULL);
  assert_non_null(mjs_addGeom(mjs_findBody(s, "a"), NULL));
  mjs_setFrame(mjs_firstChild(mjs_findBody(s, "a"), mjOBJ_GEOM, 0), place);
  assert_non_null(mjs_attach(mjs_findFrame(to, "f")->element, place->element, "p-", ""));
  mjModel* made = compile(to);
  assert_int_equal(made->nbody, 1);
  assert_int_equal(made->ngeom, 1);
  mj_deleteModel(made);
  mj_deleteModel(m);
  mj_deleteSpec(to);
  mj_deleteSpec(s);
}

// The first attachment decides what a class of that name means.
static void classes_keep_their_values(void** state) {
  mjSpec *p = parse(kParent), *c = parse(kChild);
  mjs_setDeepCopy(p, 1);
  assert_non_null(mjs_attach(frame_of(p, "f"), mjs_findBody(c, "b")->element, "x-", ""));
  mjs_findDefault(c, "k")->geom->size[0] = 9;
  assert_non_null(mjs_attach(frame_of(p, "f"), mjs_findBody(c, "c")->element, "x-", ""));
  assert_true(mjs_findDefault(p, "x-k")->geom->size[0] == .3);
  // with its own name the child's root class is not that of the parent
  mjs_getSpecDefault(c)->geom->density = 3;
  double density = mjs_getSpecDefault(p)->geom->density;
  assert_non_null(mjs_attach(frame_of(p, "pf"), mjs_findBody(c, "b")->element, "", ""));
  assert_true(mjs_getSpecDefault(p)->geom->density == density);
  mj_deleteSpec(p);
  mj_deleteSpec(c);
}

static void elements_of_elsewhere(void** state) {
  mju_user_error = quiet;
  mjSpec *p = parse(kParent), *c = parse(kChild);
  mjsBody *b = mjs_findBody(c, "b"), *pb = mjs_findBody(p, "pb");
  // the next of what is not there
  assert_null(mjs_nextChild(b, mjs_findBody(c, "c")->element, 0));
  assert_null(mjs_nextChild(b, mjs_findBody(c, "c")->element, 1));
  assert_null(mjs_nextChild(b, pb->element, 1));
  assert_null(mjs_nextChild(b, mjs_findBody(c, "world")->element, 1));
  assert_null(mjs_nextElement(c, pb->element));
  // classes and frames of another spec
  mjsDefault* foreign = mjs_findDefault(c, "k");
  assert_null(mjs_addDefault(p, "new", foreign));
  mjsGeom* g = mjs_addGeom(pb, foreign);
  assert_true(g->size[0] == .3);  // its values, in a class of its own spec
  assert_ptr_equal(mjs_getDefault(g->element), mjs_getSpecDefault(p));
  mjs_setDefault(g->element, foreign);
  assert_ptr_equal(mjs_getDefault(g->element), mjs_getSpecDefault(p));
  assert_null(mjs_addFrame(pb, mjs_findFrame(c, "cf")));
  assert_int_equal(mjs_delete(p, b->element), -1);
  assert_int_equal(mjs_delete(c, foreign->geom->element), -1);
  mj_deleteSpec(c);
  mjModel* m = compile(p);
  mj_deleteModel(m);
  mj_deleteSpec(p);
  mju_user_error = NULL;
}

// Fail each allocation of a call in turn: refused, and as before; then done once more.
static void short_of_memory(void** state) {
  mju_user_error = quiet;
  for (int kind = 0; kind < 8; kind++) {
    bool done = false;
    for (int n = 1; !done; n++) {
      mjSpec *p = parse(kParent), *c = parse(kChild);
      mjs_setDeepCopy(p, kind % 2);
      mjsBody* b = mjs_findBody(c, "b");
      mjsElement* f = frame_of(p, "f");
      int before[4] = {spec_of(p)->nelement, spec_of(c)->nelement, spec_of(p)->nnames,
                       spec_of(c)->nnames};
      uint64_t signature = p->element->signature;
      memory_fail_at(n);
      mjSpec* copy = NULL;
      mjModel* m = NULL;
      switch (kind) {
        case 0:
        case 1:
          done = mjs_attach(f, b->element, "x-", "") != NULL;
          break;
        case 2:
        case 3:
          done = mjs_attach(mjs_findElement(p, mjOBJ_SITE, "ps"), c->element, "x-", "") != NULL;
          break;
        case 4:
          done = mjs_addFrame(mjs_findBody(p, "pb"), NULL) != NULL;
          break;
        case 5:
          done = (copy = mj_copySpec(p)) != NULL;
          break;
        case 6:
          done = mjs_bodyToFrame(&b) != NULL;
          break;
        default:
          done = (m = mj_compile(p, NULL)) != NULL;
      }
      memory_fail_at(0);
      if (!done) {
        int after[4] = {spec_of(p)->nelement, spec_of(c)->nelement, spec_of(p)->nnames,
                        spec_of(c)->nnames};
        for (int i = 0; i < 4; i++) assert_int_equal(after[i], before[i]);
        if (kind != 4) assert_true(p->element->signature == signature);
        // nothing is lost: the keys fit, both compile
        if (kind < 4) {
          mj_deleteModel(compile(p));
          mj_deleteModel(compile(c));
        }
        assert_non_null(mjs_attach(f, mjs_findBody(c, "b")->element, "x-", ""));
        mj_deleteModel(compile(p));
      }
      mj_deleteModel(m);
      mj_deleteSpec(copy);
      mj_deleteSpec(p);
      mj_deleteSpec(c);
    }
  }
  mju_user_error = NULL;
}

// A name that a program writes into the string itself: the table is none the worse.
static void names_written_into(void** state) {
  mjSpec* s = parse(kChild);
  mjs_setString(mjs_getName(mjs_findBody(s, "c")->element), "other");
  mjsElement* e = mjs_firstElement(s, mjOBJ_BODY);
  while (strcmp(mjs_getString(mjs_getName(e)), "other")) e = mjs_nextElement(s, e);
  assert_int_equal(mjs_delete(s, e), 0);
  assert_null(mjs_findBody(s, "c"));
  assert_null(mjs_findBody(s, "other"));
  mj_deleteModel(compile(s));
  mj_deleteSpec(s);
}

static void only_compiled_specs_are_saved(void** state) {
  char text[8000], error[500];
  mjSpec* s = parse(kParent);
  assert_int_equal(mj_saveXMLString(s, text, sizeof text, error, sizeof error), -1);
  assert_non_null(strstr(error, "Only compiled model can be written"));
  mj_deleteModel(compile(s));
  assert_int_equal(mj_saveXMLString(s, text, sizeof text, error, sizeof error), 0);
  mjSpec* copy = mj_copySpec(s);
  assert_int_equal(mj_saveXMLString(copy, text, sizeof text, error, sizeof error), 0);
  mj_deleteSpec(copy);
  mjsTexture* t = mjs_addTexture(s);
  assert_int_equal(mj_saveXMLString(s, text, sizeof text, error, sizeof error), -1);
  mjs_setName(t->element, "t");
  t->builtin = mjBUILTIN_FLAT;
  t->type = mjTEXTURE_2D;
  t->width = t->height = 2;
  mjsSkin* skin = mjs_addSkin(s);
  mjs_setName(skin->element, "skin");
  mjs_setFloat(skin->vert, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9);
  mjs_setInt(skin->face, (int[3]){0, 1, 2}, 3);
  mjs_appendString(skin->bodyname, "pb");
  mjs_appendIntVec(skin->vertid, (int[3]){0, 1, 2}, 3);
  mjs_appendFloatVec(skin->vertweight, (float[3]){1, 1, 1}, 3);
  mjs_setFloat(skin->bindpos, (float[3]){0}, 3);
  mjs_setFloat(skin->bindquat, (float[4]){1}, 4);
  mj_deleteModel(compile(s));
  assert_int_equal(mj_saveXMLString(s, text, sizeof text, error, sizeof error), 0);
  // numbers of no meaning that came after
  t->type = (mjtTexture)7;
  assert_int_equal(mj_saveXMLString(s, text, sizeof text, error, sizeof error), -1);
  assert_non_null(strstr(error, "type"));
  t->type = mjTEXTURE_2D;
  mjs_setFloat(skin->bindpos, NULL, 0);
  assert_int_equal(mj_saveXMLString(s, text, sizeof text, error, sizeof error), -1);
  assert_non_null(strstr(error, "skin"));
  assert_null(mj_compile(s, NULL));
  assert_int_equal(mj_saveXMLString(s, text, sizeof text, error, sizeof error), -1);
  mj_deleteSpec(s);
}

// The inertial of a body that dissolves goes into its parent's: m (d'd 1 - d d') for each about the
// common center of mass.
static void inertials_merge(void** state) {
  mjSpec* s = parse(
      "<mujoco><worldbody><body name='p'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 "
      "1'/><frame pos='0 0 1'><body name='k' pos='1 0 -1' euler='0 0 90'><inertial pos='.5 0 0' "
      "mass='2' diaginertia='.2 .1 .25'/></body></frame></body></worldbody></mujoco>");
  mjsBody* k = mjs_findBody(s, "k");
  assert_non_null(mjs_bodyToFrame(&k));
  mjModel* m = compile(s);
  assert_int_equal(m->nbody, 2);
  assert_true(m->body_mass[1] == 3);
  assert_true(mju_abs(m->body_ipos[3] - 2. / 3) < 1e-12);
  assert_true(mju_abs(m->body_ipos[4] - 1. / 3) < 1e-12);
  // trace: 3 + .55 + 2 (1 |d1|^2 + 2 |d2|^2), with d1 = (2/3, 1/3), d2 = (1/3, 1/6)
  double trace = m->body_inertia[3] + m->body_inertia[4] + m->body_inertia[5];
  assert_true(mju_abs(trace - (3.55 + 2 * (5. / 9 + 2 * 5. / 36))) < 1e-12);
  // about z the two add up
  assert_true(mju_abs(m->body_inertia[3] - (1.25 + 5. / 9 + 2 * 5. / 36)) < 1e-12);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

// Copies of a spec make the same models: numbers of one go back into the other.
static void copies_have_the_signature(void** state) {
  mjSpec* s = parse(kParent);
  mjModel* m = compile(s);
  mjSpec* copy = mj_copySpec(s);
  m->geom_size[0] = .7;
  assert_int_equal(mj_copyBack(copy, m), 1);
  assert_true(mjs_asGeom(mjs_firstElement(copy, mjOBJ_GEOM))->size[0] == .7);
  mjModel* again = compile(copy);
  assert_true(again->signature == m->signature);
  assert_int_equal(mj_copyBack(s, again), 1);
  mjs_addSite(mjs_findBody(s, "pb"), NULL);
  assert_int_equal(mj_copyBack(s, m), 0);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(copy);
  mj_deleteSpec(s);
}

// An element that has more or fewer numbers than when its key was attached takes those there are.
static void elements_change_below_their_keys(void** state) {
  static const char kStates[] =
      "<mujoco><worldbody><body name='b'><joint name='j' type='slide'/><geom size='.1'/></body>"
      "<body name='hand' mocap='true'><geom size='.1'/></body></worldbody><actuator><general "
      "name='a' joint='j' dyntype='user' actdim='2'/></actuator>"
      "<keyframe><key name='k' qpos='3' act='4 5' mpos='6 7 8'/></keyframe></mujoco>";
  static const int kDims[] = {0, 1, 2, 3, 40};
  for (int k = 0; k < 5; k++) {
    mjSpec *p = mj_makeSpec(), *c = parse(kStates);
    mjsElement* f = mjs_addFrame(mjs_findBody(p, "world"), NULL)->element;
    assert_non_null(mjs_attach(f, c->element, "x-", ""));
    mjs_asJoint(mjs_findElement(p, mjOBJ_JOINT, "x-j"))->type = k ? mjJNT_FREE : mjJNT_SLIDE;
    mjsActuator* a = mjs_asActuator(mjs_findElement(p, mjOBJ_ACTUATOR, "x-a"));
    a->actdim = kDims[k];
    if (!k) a->dyntype = mjDYN_NONE;
    mjs_findBody(p, "x-hand")->mocap = k % 2 == 0;
    mjSpec* copy = mj_copySpec(p);
    mjModel* m = compile(k % 2 ? copy : p);
    assert_int_equal(m->na, kDims[k]);
    for (int i = 0; i < m->na; i++) assert_true(m->key_act[i] == (i < 2 ? 4 + i : 0));
    assert_true(m->key_qpos[0] == 3 && (!k || (m->key_qpos[1] == 0 && m->key_qpos[3] == 1)));
    assert_int_equal(m->nmocap, k % 2 == 0);
    assert_true(!m->nmocap || m->key_mpos[2] == 8);
    mj_deleteModel(m);
    mj_deleteSpec(copy);
    mj_deleteSpec(c);
    mj_deleteSpec(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_reference),
      cmocka_unit_test(frames_and_models),
      cmocka_unit_test(into_itself),
      cmocka_unit_test(to_a_site_inside),
      cmocka_unit_test(attached_after_copying_back),
      cmocka_unit_test(classes_keep_their_values),
      cmocka_unit_test(elements_of_elsewhere),
      cmocka_unit_test(short_of_memory),
      cmocka_unit_test(names_written_into),
      cmocka_unit_test(only_compiled_specs_are_saved),
      cmocka_unit_test(inertials_merge),
      cmocka_unit_test(copies_have_the_signature),
      cmocka_unit_test(elements_change_below_their_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
