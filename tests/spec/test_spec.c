// The editable model: elements, classes, containers, names, copies, deletion.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "spec/spec.h"

static void names_and_lists(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  assert_non_null(world);
  mjsBody* a = mjs_addBody(world, NULL);
  mjsBody* b = mjs_addBody(a, NULL);
  mjsBody* c = mjs_addBody(world, NULL);
  mjs_setName(a->element, "a");
  mjs_setName(b->element, "a name longer than the sixteen bytes inside");
  mjs_setName(c->element, "c");
  assert_ptr_equal(mjs_findBody(s, "a"), a);
  assert_ptr_equal(mjs_findBody(s, "a name longer than the sixteen bytes inside"), b);
  assert_null(mjs_findBody(s, "d"));
  // bodies come depth first
  mjsElement* e = mjs_firstElement(s, mjOBJ_BODY);
  mjsElement* expected[] = {world->element, a->element, b->element, c->element};
  for (int i = 0; i < 4; i++, e = mjs_nextElement(s, e)) assert_ptr_equal(e, expected[i]);
  assert_null(e);
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof name, "g%d", i);
    mjs_setName(mjs_addGeom(i % 2 ? b : c, NULL)->element, name);
  }
  assert_non_null(mjs_findElement(s, mjOBJ_GEOM, "g77"));
  mjs_delete(s, mjs_findElement(s, mjOBJ_GEOM, "g77"));
  assert_null(mjs_findElement(s, mjOBJ_GEOM, "g77"));
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof name, "g%d", i);
    if (i != 77) assert_non_null(mjs_findElement(s, mjOBJ_GEOM, name));
  }
  int n = 0;
  for (e = mjs_firstElement(s, mjOBJ_GEOM); e; e = mjs_nextElement(s, e)) n++;
  assert_int_equal(n, 99);
  mj_deleteSpec(s);
}

static void classes(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsDefault* main = mjs_getSpecDefault(s);
  main->geom->size[0] = 3;
  mjsDefault* sub = mjs_addDefault(s, "sub", NULL);
  assert_true(sub->geom->size[0] == 3);
  sub->geom->size[1] = 4;
  mjs_setString(sub->geom->material, "steel");
  assert_null(mjs_addDefault(s, "sub", NULL));
  assert_true(strstr(mjs_getError(s), "sub") != NULL);
  mjsBody* body = mjs_addBody(mjs_findBody(s, "world"), sub);
  assert_string_equal(mjs_getString(body->childclass), "sub");
  mjsGeom* geom = mjs_addGeom(body, NULL);
  assert_true(geom->size[1] == 4);
  assert_string_equal(mjs_getString(geom->material), "steel");
  assert_ptr_not_equal(geom->material, sub->geom->material);
  assert_ptr_equal(mjs_getDefault(geom->element), sub);
  mjsGeom* plain = mjs_addGeom(body, main);
  assert_true(plain->size[1] == 0 && plain->size[0] == 3);
  mj_deleteSpec(s);
}

static void copies_are_apart(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsBody* body = mjs_addBody(mjs_findBody(s, "world"), NULL);
  mjsFrame* frame = mjs_addFrame(body, NULL);
  mjsGeom* geom = mjs_addGeom(body, NULL);
  mjs_setFrame(geom->element, frame);
  mjs_setName(geom->element, "ball");
  double user[3] = {1, 2, 3};
  mjs_setDouble(geom->userdata, user, 3);
  mjsTendon* tendon = mjs_addTendon(s, NULL);
  mjs_wrapSite(tendon, "left");
  mjsTexture* texture = mjs_addTexture(s);
  mjs_appendString(texture->cubefiles, "one");
  mjs_appendString(texture->cubefiles, "a file whose name is longer than sixteen");
  mjsSkin* skin = mjs_addSkin(s);
  mjs_appendIntVec(skin->vertid, (int[]){4, 5}, 2);
  mjSpec* copy = mj_copySpec(s);
  mj_deleteSpec(s);
  mjsElement* found = mjs_findElement(copy, mjOBJ_GEOM, "ball");
  assert_non_null(found);
  int n;
  assert_true(mjs_getDouble(mjs_asGeom(found)->userdata, &n)[2] == 3);
  assert_int_equal(n, 3);
  assert_non_null(mjs_getFrame(found));
  snElement* t = element_of(mjs_firstElement(copy, mjOBJ_TENDON));
  assert_string_equal(string_text(&t->child[snCHILD_WRAP].item[0]->u.wrap.target), "left");
  mjsTexture* tex = mjs_asTexture(mjs_firstElement(copy, mjOBJ_TEXTURE));
  assert_int_equal(strings_count(tex->cubefiles), 8);  // six faces, and two more
  assert_string_equal(strings_at(tex->cubefiles, 7), "a file whose name is longer than sixteen");
  mjsSkin* sk = mjs_asSkin(mjs_firstElement(copy, mjOBJ_SKIN));
  assert_int_equal(((int*)vecs_at(sk->vertid, 0)->begin)[1], 5);
  mj_deleteSpec(copy);
}

static void deleting_a_body_takes_its_references(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsBody* body = mjs_addBody(mjs_findBody(s, "world"), NULL);
  mjs_setName(body->element, "body");
  mjs_setName(mjs_addJoint(body, NULL)->element, "joint");
  mjsTendon* tendon = mjs_addTendon(s, NULL);
  mjs_setName(tendon->element, "tendon");
  mjs_wrapJoint(tendon, "joint", 1);
  mjsActuator* actuator = mjs_addActuator(s, NULL);
  actuator->trntype = mjTRN_TENDON;
  mjs_setString(actuator->target, "tendon");
  mjs_addKey(s);
  assert_int_equal(mjs_delete(s, body->element), 0);
  assert_null(mjs_firstElement(s, mjOBJ_TENDON));
  assert_null(mjs_firstElement(s, mjOBJ_ACTUATOR));
  assert_non_null(mjs_firstElement(s, mjOBJ_KEY));
  assert_int_equal(mjs_delete(s, mjs_findBody(s, "world")->element), -1);
  mj_deleteSpec(s);
}

static int cleaned;
static void cleanup(const void* value) { cleaned += *(const int*)value; }

static void user_values_and_plugins(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  int seven = 7;
  mjs_setUserValueWithCleanup(world->element, "key", &seven, cleanup);
  assert_ptr_equal(mjs_getUserValue(world->element, "key"), &seven);
  assert_null(mjs_getUserValue(world->element, "other"));
  mjsPlugin* p = mjs_addPlugin(s);
  assert_true(plugin_set_attribute(p, "b", "2"));
  assert_true(plugin_set_attribute(p, "a", "1"));
  assert_true(plugin_set_attribute(p, "b", "a value that does not fit in sixteen bytes"));
  assert_int_equal(element_of(p->element)->nattribute, 2);
  // round trip through the map that C++ programs see
  const void* map = mjs_getPluginAttributes(p);
  mjsPlugin* q = mjs_addPlugin(s);
  mjs_setPluginAttributes(q, (void*)map);
  assert_string_equal(plugin_get_attribute(element_of(q->element), "a"), "1");
  assert_string_equal(plugin_get_attribute(element_of(q->element), "b"),
                      "a value that does not fit in sixteen bytes");
  mj_deleteSpec(s);
  assert_int_equal(cleaned, 7);
}

// Programs that were compiled for the released library look into strings and grow them.
static void layout_of_strings(void** state) {
  mjSpec* s = mj_makeSpec();
  mjs_setString(s->modelname, "hello");
  assert_memory_equal(s->modelname, "\x0ahello", 7);
  mjs_setString(s->modelname, "twenty-two characters!");
  assert_int_equal(*(unsigned char*)s->modelname, 44);
  mjs_setString(s->modelname, "twenty-three characters");
  size_t* word = (size_t*)s->modelname;
  assert_true(word[0] & 1);
  assert_true((word[0] & ~(size_t)1) > 23);
  assert_int_equal(word[1], 23);
  assert_string_equal((char*)word[2], "twenty-three characters");
  assert_string_equal(mjs_getString(s->modelname), "twenty-three characters");
  // a taken name is said at once, and kept
  mjsMaterial* one = mjs_addMaterial(s, NULL);
  mjsMaterial* two = mjs_addMaterial(s, NULL);
  assert_int_equal(mjs_setName(one->element, "yellow"), 0);
  assert_int_equal(mjs_setName(two->element, "yellow"), -1);
  assert_string_equal(mjs_getError(s), "Error: repeated name 'yellow' in material");
  // an asset without a name goes by its file
  mjsMesh* mesh = mjs_addMesh(s, NULL);
  mjs_setString(mesh->file, "folder/arm.v2.obj");
  assert_ptr_equal(mjs_findElement(s, mjOBJ_MESH, "arm.v2"), mesh->element);
  assert_null(mjs_findElement(s, mjOBJ_MESH, "arm"));
  mj_deleteSpec(s);
}

static void body_to_frame(void** state) {
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  mjsBody* body = mjs_addBody(world, NULL);
  body->pos[1] = 2;
  mjsGeom* geom = mjs_addGeom(body, NULL);
  mjsFrame* frame = mjs_bodyToFrame(&body);
  assert_null(body);
  assert_true(frame->pos[1] == 2);
  assert_ptr_equal(mjs_getParent(geom->element), world);
  assert_ptr_equal(mjs_getFrame(geom->element), frame);
  mj_deleteSpec(s);
}

static void out_of_memory(void** state) {
  // every allocation fails once: nothing is lost, nothing breaks
  mju_user_error = NULL;
  for (long n = 1; n < 200; n++) {
    memory_fail_at(n);
    mjSpec* s = mj_makeSpec();
    mjsBody* world = s ? mjs_findBody(s, "world") : NULL;
    mjsBody* body = world ? mjs_addBody(world, NULL) : NULL;
    if (body) mjs_addGeom(body, NULL);
    mjSpec* copy = s ? mj_copySpec(s) : NULL;
    mj_deleteSpec(copy);
    mj_deleteSpec(s);
    memory_fail_at(0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_lists),
      cmocka_unit_test(classes),
      cmocka_unit_test(copies_are_apart),
      cmocka_unit_test(deleting_a_body_takes_its_references),
      cmocka_unit_test(user_values_and_plugins),
      cmocka_unit_test(layout_of_strings),
      cmocka_unit_test(body_to_frame),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
