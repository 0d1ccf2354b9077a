// Collision as a whole: the same bits with cold and warm caches, no allocation once sizes have
// settled, order of contacts, changes of the model at run time, and more contacts than any array
// held before.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "data/data.h"
#include "../random.h"

// n bodies with a geom of every convex type in turn, above a plane.
static mjModel* zoo(int n) {
  static const char* const kGeom[] = {"type='sphere' size='.1'",
                                      "type='capsule' size='.06 .1'",
                                      "type='ellipsoid' size='.1 .07 .05'",
                                      "type='cylinder' size='.08 .1'",
                                      "type='box' size='.1 .07 .05'",
                                      "type='mesh' mesh='m'"};
  size_t size = 512 + 256 * (size_t)n;
  char* xml = malloc(size);
  size_t at = (size_t)snprintf(
      xml, size,
      "<mujoco><asset><mesh name='m' vertex='-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 "
      ".1 "
      ".1 -.1 .1 -.1 .1 .1 .1 .1 .1'/></asset><worldbody><geom type='plane' size='5 5 1'/>");
  for (int i = 0; i < n; i++) {
    at += (size_t)snprintf(xml + at, size - at, "<body pos='%d 0 1'><freejoint/><geom %s/></body>",
                           i, kGeom[i % 6]);
  }
  snprintf(xml + at, size - at, "</worldbody></mujoco>");
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) print_message("%s\n", error);
  if (spec) mj_deleteSpec(spec);
  free(xml);
  return m;
}

static void shuffle(const mjModel* m, mjData* d, unsigned long long* seed, double spread) {
  for (int i = 0; i < m->nq; i += 7) {
    for (int k = 0; k < 3; k++) d->qpos[i + k] = spread * (2 * random_unit(seed) - 1);
    for (int k = 3; k < 7; k++) d->qpos[i + k] = 2 * random_unit(seed) - 1;
    mju_normalize4(d->qpos + i + 3);
  }
}

static void collide(const mjModel* m, mjData* d) {
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_collision(m, d);
}

static void warm_and_cold_agree(void** state) {
  mjModel* m = *state;
  mjData* warm = mj_makeData(m);
  unsigned long long seed = 3;
  int total = 0;
  shuffle(m, warm, &seed, 0.5);
  for (int k = 0; k < 60; k++) {
    // small moves, so that what pairs remember is used
    for (int i = 0; i < m->nq; i++) warm->qpos[i] += 0.004 * (2 * random_unit(&seed) - 1);
    collide(m, warm);
    mjData* cold = mj_makeData(m);
    memcpy(cold->qpos, warm->qpos, m->nq * sizeof(mjtNum));
    collide(m, cold);
    assert_int_equal(warm->ncon, cold->ncon);
    assert_memory_equal(warm->contact, cold->contact, warm->ncon * sizeof(mjContact));
    total += warm->ncon;
    mj_deleteData(cold);
  }
  assert_true(total > 100);
  mj_deleteData(warm);
}

// Two sheets and a block of a flex are crumpled little by little: the lists of near elements, made
// long ago, give what lists made now give.
static void flex_lists_change_nothing(void** state) {
  (void)state;
  static const char xml[] =
      "<mujoco><worldbody>"
      "<flexcomp name='a' type='grid' count='7 7 1' spacing='.1 .1 .1' radius='.01' dim='2'/>"
      "<flexcomp name='b' type='grid' count='5 5 1' spacing='.1 .1 .1' pos='0 0 .03' radius='.01'"
      " dim='2'/>"
      "<flexcomp name='c' type='grid' count='3 3 3' spacing='.1 .1 .1' pos='0 0 .15' radius='.01'"
      " dim='3'><contact selfcollide='auto' internal='false'/></flexcomp>"
      "</worldbody></mujoco>";
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  assert_non_null(m);
  mjData* warm = mj_makeData(m);
  unsigned long long seed = 11;
  int total = 0;
  for (int k = 0; k < 120; k++) {
    for (int i = 0; i < m->nq; i++) warm->qpos[i] += 0.004 * (2 * random_unit(&seed) - 1);
    // now and then the margin changes what is near
    if (k % 40 == 39) m->flex_margin[0] += 0.01;
    mjData* cold = mj_makeData(m);
    memcpy(cold->qpos, warm->qpos, m->nq * sizeof(mjtNum));
    for (int w = 0; w < 2; w++) {
      mjData* d = w ? cold : warm;
      mj_kinematics(m, d);
      mj_comPos(m, d);
      mj_flex(m, d);
      mj_collision(m, d);
    }
    assert_int_equal(warm->ncon, cold->ncon);
    assert_memory_equal(warm->contact, cold->contact, warm->ncon * sizeof(mjContact));
    total += warm->ncon;
    mj_deleteData(cold);
  }
  assert_true(total > 1000);
  mj_deleteData(warm);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

static void settled_sizes_allocate_nothing(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  unsigned long long seed = 5;
  shuffle(m, d, &seed, 0.5);
  collide(m, d);
  mjtNum* start = malloc(m->nq * sizeof(mjtNum));
  memcpy(start, d->qpos, m->nq * sizeof(mjtNum));
  long count = 0;
  for (int pass = 0; pass < 2; pass++) {
    memcpy(d->qpos, start, m->nq * sizeof(mjtNum));
    if (pass) count = memory_count();
    for (int k = 0; k < 50; k++) {
      for (int i = 0; i < m->nq; i += 7) d->qpos[i] += 0.002 * (i % 3 - 1);
      collide(m, d);
    }
  }
  assert_int_equal(memory_count(), count);
  free(start);
  mj_deleteData(d);
}

// By body pair, as all geoms have a body of their own; distances within the margin; unit frames.
static void contacts_are_in_order(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  unsigned long long seed = 7;
  for (int k = 0; k < 20; k++) {
    shuffle(m, d, &seed, 0.4);
    collide(m, d);
    long last = -1;
    for (int i = 0; i < d->ncon; i++) {
      const mjContact* c = d->contact + i;
      int b1 = m->geom_bodyid[c->geom1], b2 = m->geom_bodyid[c->geom2];
      long now = b1 < b2 ? (long)b1 * m->nbody + b2 : (long)b2 * m->nbody + b1;
      assert_true(now >= last);
      last = now;
      assert_true(c->dist <= 0);
      assert_true(m->geom_type[c->geom1] <= m->geom_type[c->geom2]);
      for (int r = 0; r < 3; r++) {
        for (int s = 0; s < 3; s++) {
          assert_true(fabs(mju_dot3(c->frame + 3 * r, c->frame + 3 * s) - (r == s)) < 1e-12);
        }
      }
    }
  }
  mj_deleteData(d);
}

static int count_contacts(const mjModel* m, mjData* d) {
  collide(m, d);
  return d->ncon;
}

static void masks_and_sizes_may_change(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  unsigned long long seed = 9;
  shuffle(m, d, &seed, 0.3);
  int before = count_contacts(m, d);
  assert_true(before > 0);
  int contype = m->geom_contype[1], conaffinity = m->geom_conaffinity[1];
  for (int g = 0; g < m->ngeom; g++) m->geom_contype[g] = m->geom_conaffinity[g] = 0;
  assert_int_equal(count_contacts(m, d), 0);
  for (int g = 0; g < m->ngeom; g++)
    m->geom_contype[g] = contype, m->geom_conaffinity[g] = conaffinity;
  assert_int_equal(count_contacts(m, d), before);
  m->opt.disableflags |= mjDSBL_CONTACT;
  assert_int_equal(count_contacts(m, d), 0);
  m->opt.disableflags &= ~mjDSBL_CONTACT;
  assert_int_equal(count_contacts(m, d), before);
  mj_deleteData(d);
}

static int no_pair(const mjModel* m, mjData* d, int g1, int g2) { return 1; }

static int one_contact(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                       mjtNum margin) {
  memset(con, 0, sizeof *con);
  con->dist = -1;
  con->frame[2] = 1;
  return 1;
}

static void hooks_are_called(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  unsigned long long seed = 11;
  shuffle(m, d, &seed, 0.3);
  int before = count_contacts(m, d);
  mjcb_contactfilter = no_pair;
  assert_int_equal(count_contacts(m, d), 0);
  mjcb_contactfilter = NULL;
  mjfCollision saved = mjCOLLISIONFUNC[mjGEOM_PLANE][mjGEOM_SPHERE];
  mjCOLLISIONFUNC[mjGEOM_PLANE][mjGEOM_SPHERE] = one_contact;
  collide(m, d);
  int found = 0;
  for (int i = 0; i < d->ncon; i++) found += d->contact[i].dist == -1;
  mjCOLLISIONFUNC[mjGEOM_PLANE][mjGEOM_SPHERE] = saved;
  assert_true(found > 0);
  assert_int_equal(count_contacts(m, d), before);
  mj_deleteData(d);
}

static void large_scene_agrees_with_small(void** state) {
  // more bodies than the list of pairs is made for: the sweep finds what all pairs would
  mjModel* m = zoo(130);
  if (!m) skip();
  mjData* d = mj_makeData(m);
  unsigned long long seed = 13;
  shuffle(m, d, &seed, 0.6);
  collide(m, d);
  int swept = 0, all = 0;
  for (int i = 0; i < d->ncon; i++)
    swept += i == 0 || d->contact[i].geom1 != d->contact[i - 1].geom1 ||
             d->contact[i].geom2 != d->contact[i - 1].geom2;
  mjContact con[mjMAXCONPAIR];
  for (int g = 0; g < m->ngeom; g++) {
    for (int h = g + 1; h < m->ngeom; h++) {
      int a = m->geom_type[g] <= m->geom_type[h] ? g : h, b = a == g ? h : g;
      mjfCollision f = mjCOLLISIONFUNC[m->geom_type[a]][m->geom_type[b]];
      all += f(m, d, con, a, b, 0) > 0;
    }
  }
  assert_int_equal(swept, all);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Poses that are not numbers, or huge, end the stage in the ordinary way.
static void wild_poses_do_no_harm(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  static const double kWild[] = {NAN, INFINITY, -INFINITY, 1e300, 1e-300};
  int flags = m->opt.disableflags;
  for (int k = 0; k < 10; k++) {
    // the second half by portals
    if (k == 5) m->opt.disableflags |= mjDSBL_NATIVECCD;
    unsigned long long seed = 17;
    shuffle(m, d, &seed, 0.3);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    for (int g = 1; g < m->ngeom; g++) {
      if (g % 2)
        d->geom_xpos[3 * g + k % 3] = kWild[k % 5];
      else if (g % 4 == 0)
        d->geom_xmat[9 * g + k % 5] = kWild[k % 5];
    }
    mj_collision(m, d);
    assert_true(d->ncon >= 0);
  }
  m->opt.disableflags = flags;
  mj_deleteData(d);
}

// A capsule lying across a face, or along an edge, rests on both ends of the stretch they share
// when it points backwards: a level axis counts as falling, and forwards it ends at the first.
static void level_capsule_has_two_supports(void** state) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(
      "<mujoco><worldbody><geom type='box' size='.1 .2 .3'/><body><freejoint/>"
      "<geom type='capsule' size='.05 .4'/></body></worldbody></mujoco>",
      NULL, error, sizeof error);
  assert_non_null(spec);
  mjModel* m = mj_compile(spec, NULL);
  mjData* d = mj_makeData(m);
  static const double kPlace[][3] = {{.02, .05, .34}, {.13, -.05, .33}};
  static const double kTurn[][9] = {{1, 0, 0, 0, 0, -1, 0, 1, 0}, {1, 0, 0, 0, 0, 1, 0, -1, 0}};
  for (int k = 0; k < 4; k++) {
    mj_kinematics(m, d);
    for (int i = 0; i < 3; i++) d->geom_xpos[3 + i] = kPlace[k / 2][i];
    memcpy(d->geom_xmat + 9, kTurn[k % 2], sizeof kTurn[0]);
    mj_collision(m, d);
    assert_int_equal(d->ncon, k % 2 ? 1 : 2);
    assert_true(fabs(d->contact[0].pos[1] + .2) < 1e-9);
    double expected = k < 2 ? .04 - .05 : sqrt(.03 * .03 + .03 * .03) - .05;
    for (int i = 0; i < d->ncon; i++) assert_true(fabs(d->contact[i].dist - expected) < 1e-9);
    if (d->ncon == 2) assert_true(fabs(d->contact[1].pos[1] - .2) < 1e-9);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

// With multiccd a cylinder stands on its rim: four contacts around the first, at its depth.
static void standing_cylinder_has_five_contacts(void** state) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(
      "<mujoco><option><flag multiccd='enable'/></option><worldbody><geom type='box' size='.3 .3 "
      ".2'/>"
      "<body pos='.05 .03 .399'><freejoint/><geom type='cylinder' size='.1 .2'/></body></worldbody>"
      "</mujoco>",
      NULL, error, sizeof error);
  assert_non_null(spec);
  mjModel* m = mj_compile(spec, NULL);
  mjData* d = mj_makeData(m);
  mj_kinematics(m, d);
  mj_collision(m, d);
  assert_int_equal(d->ncon, 5);
  for (int i = 0; i < 5; i++) {
    const double* p = d->contact[i].pos;
    assert_true(fabs(d->contact[i].dist + .001) < 1e-9);
    assert_true(fabs(p[2] - .1995) < 2e-4);
    if (i)
      assert_true(fabs(sqrt((p[0] - .05) * (p[0] - .05) + (p[1] - .03) * (p[1] - .03)) - .1) <
                  1e-3);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

static int setup(void** state) {
  *state = zoo(18);
  return *state ? 0 : -1;
}

static int teardown(void** state) {
  mj_deleteModel(*state);
  return 0;
}

// A contact that the user adds has whatever numbers it was given: no force, and nothing is read
// beyond the rows there are.
static void contact_of_the_user_may_have_no_rows(void** state) {
  (void)state;
  mjModel* m = zoo(1);
  mjData* d = mj_makeData(m);
  d->qpos[2] = 5;  // nothing touches
  mj_forward(m, d);
  assert_int_equal(d->nefc, 0);
  static const int kRow[] = {0, 1, 1000000, -1, 2147483647}, kDim[] = {0, 1, 3, 6, 7, -4};
  for (int r = 0; r < 5; r++) {
    for (int k = 0; k < 6; k++) {
      mjContact contact = {.efc_address = kRow[r], .dim = kDim[k]};
      assert_int_equal(mj_addContact(m, d, &contact), 0);
      mjtNum force[6] = {1, 1, 1, 1, 1, 1};
      mj_contactForce(m, d, d->ncon - 1, force);
      for (int i = 0; i < 6; i++) assert_true(force[i] == 0);
    }
  }
  mj_rnePostConstraint(m, d);
  for (int i = 0; i < 6 * m->nbody; i++) assert_true(d->cfrc_ext[i] == 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warm_and_cold_agree),
      cmocka_unit_test(flex_lists_change_nothing),
      cmocka_unit_test(settled_sizes_allocate_nothing),
      cmocka_unit_test(contacts_are_in_order),
      cmocka_unit_test(masks_and_sizes_may_change),
      cmocka_unit_test(hooks_are_called),
      cmocka_unit_test(large_scene_agrees_with_small),
      cmocka_unit_test(wild_poses_do_no_harm),
      cmocka_unit_test(level_capsule_has_two_supports),
      cmocka_unit_test(standing_cylinder_has_five_contacts),
      cmocka_unit_test(contact_of_the_user_may_have_no_rows),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
