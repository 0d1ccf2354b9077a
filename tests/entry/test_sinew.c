// Arguments of the functions of include/sinew: NULL, data of another model, indices and numbers out
// of range are refused with an error, and nothing is done. A reset inside a step leaves the stack
// of its caller; a plugin is never given the instance of another.
#include <limits.h>
#include <sinew/callback.h>
#include <sinew/derive.h>
#include <sinew/draw.h>
#include <sinew/film.h>
#include <sinew/geometry.h>
#include <sinew/gltf.h>
#include <sinew/maximal.h>
#include <sinew/sleep.h>
#include <sinew/solver.h>

#include "data/data.h"
#include "fuzz/everything.h"
#include "scene.h"

static int errors;
static char last[1024];
static void listen(const char* text) {
  errors++;
  snprintf(last, sizeof last, "%s", text);
}
static void quiet(const char* text) { (void)text; }

// The call was refused, by an error that names the function.
#define REFUSED(name, call)                                  \
  do {                                                       \
    errors = 0;                                              \
    call;                                                    \
    assert_int_equal(errors, 1);                             \
    if (!strstr(last, name)) fail_msg("%s: %s", name, last); \
  } while (0)

typedef struct Pair_ {
  mjModel *m, *small;
  mjData *d, *other;
} Pair;

static Pair pair_make(void) {
  mju_user_error = listen;
  mju_user_warning = quiet;
  Pair p = {everything_asking("<text name='sinew:sleep' data='on'/>"), everything_small(), NULL,
            NULL};
  p.d = mj_makeData(p.m);
  p.other = mj_makeData(p.small);
  return p;
}

static void pair_free(Pair* p) {
  mj_deleteData(p->d);
  mj_deleteData(p->other);
  mj_deleteModel(p->m);
  mj_deleteModel(p->small);
  mju_user_error = mju_user_warning = NULL;
}

static void objects_and_data_are_checked(void** state) {
  (void)state;
  Pair p = pair_make();
  snSolverSettings settings;
  snSolverReport report;
  REFUSED("sn_wake", sn_wake(p.m, p.d, p.m->nbody));
  REFUSED("sn_wake", sn_wake(p.m, p.d, -2));
  REFUSED("sn_wake", sn_wake(NULL, p.d, 0));
  REFUSED("sn_wake", sn_wake(p.m, p.other, 0));
  REFUSED("sn_asleep", assert_int_equal(sn_asleep(p.m, p.d, -1), 0));
  REFUSED("sn_asleep", sn_asleep(p.m, NULL, 0));
  REFUSED("sn_setSolver", assert_int_equal(sn_setSolver(p.m, p.other, "admm-ncp"), 0));
  REFUSED("sn_setSolver", sn_setSolver(NULL, p.d, "admm-ncp"));
  REFUSED("sn_setModelSolver", sn_setModelSolver(NULL, "soft"));
  REFUSED("sn_getSolver", assert_null(sn_getSolver(p.m, NULL)));
  REFUSED("sn_getSettings", sn_getSettings(p.m, p.d, NULL));
  REFUSED("sn_setSettings", sn_setSettings(p.m, p.d, NULL));
  REFUSED("sn_solverDefaults", sn_solverDefaults("admm-ncp", NULL));
  assert_int_equal(sn_solverDefaults(NULL, &settings), 0);
  REFUSED("sn_setRestitution", sn_setRestitution(p.m, p.d, p.m->ngeom, 0.5));
  REFUSED("sn_setRestitution", sn_setRestitution(p.m, p.d, 0, NAN));
  REFUSED("sn_getRestitution", sn_getRestitution(p.m, p.d, -1));
  REFUSED("sn_getReport", sn_getReport(p.m, p.d, NULL));
  REFUSED("sn_getReport", sn_getReport(p.m, p.other, &report));
  REFUSED("sn_clearCounts", sn_clearCounts(p.m, NULL));
  REFUSED("sn_settingValue", sn_settingValue(NULL, 0));
  REFUSED("sn_reportValue", sn_reportValue(NULL, 0));
  REFUSED("sn_setPassive", sn_setPassive(NULL, NULL, NULL));
  REFUSED("sn_copyCallbacks", sn_copyCallbacks(p.m, NULL));
  REFUSED("sn_christoffel", sn_christoffel(p.m, p.d, NULL));
  REFUSED("sn_hamiltonian", assert_true(isnan(sn_hamiltonian(p.m, p.d, NULL, NULL, NULL))));
  REFUSED("sn_geodesic", assert_true(isnan(sn_geodesic(p.m, p.d, 1, -1))));
  pair_free(&p);
}

static void models_are_checked(void** state) {
  (void)state;
  Pair p = pair_make();
  char error[200];
  p.m->geom_bodyid[0] = 1000;
  REFUSED("sn_wake", sn_wake(p.m, p.d, 0));
  REFUSED("sn_geodesic", sn_geodesic(p.m, p.d, 1, 1));
  REFUSED("sn_makeMaximal", assert_null(sn_makeMaximal(p.m, NULL, error, sizeof error)));
  REFUSED("sn_saveGltf", sn_saveGltf(p.m, NULL, 0, 0, NULL, "no/such/run.glb", error, 200));
  REFUSED("sn_transitionInput", sn_transitionInput(p.m, p.d, NULL, NULL, NULL, NULL));
  pair_free(&p);
}

static void maximal_and_films_are_checked(void** state) {
  (void)state;
  Pair p = pair_make();
  snMaximalCount count;
  snMaximal* x = sn_makeMaximal(p.small, NULL, NULL, 0);
  assert_non_null(x);
  REFUSED("sn_setMaximal", sn_setMaximal(x, p.d));
  REFUSED("sn_setMaximal", sn_setMaximal(NULL, p.other));
  REFUSED("sn_getMaximal", sn_getMaximal(x, p.d));
  REFUSED("sn_getMaximal", sn_getMaximal(x, NULL));
  REFUSED("sn_stepMaximal", sn_stepMaximal(NULL));
  REFUSED("sn_countMaximal", sn_countMaximal(NULL, &count));
  REFUSED("sn_defaultMaximal", sn_defaultMaximal(NULL));
  sn_deleteMaximal(x);
  snFilm* film = sn_makeFilm(2, 2, 30);
  REFUSED("sn_saveFilm", assert_int_equal(sn_saveFilm(film, NULL, NULL, 0), 0));
  assert_int_equal(sn_saveFilm(film, "no/such/film.png", NULL, 0), 0);  // no picture, no text
  sn_freeFilm(film);
  pair_free(&p);
}

// Faces of meshes are followed by those who draw, not by a step: a number of theirs that leads
// nowhere is refused by all of them.
static void faces_are_checked(void** state) {
  (void)state;
  Pair p = pair_make();
  assert_true(p.m->nmesh > 0);
  mjrContext con;
  mjr_defaultContext(&con);
  mjr_makeContext(p.m, &con, 100);
  int* wrong[] = {p.m->mesh_face, p.m->mesh_facenormal, p.m->mesh_graph + 1};
  for (int k = 0; k < 3; k++) {
    char error[200] = "";
    int own = wrong[k][0];
    wrong[k][0] = 1 << 28;
    mjrContext second;
    mjr_defaultContext(&second);
    REFUSED("mjr_makeContext", mjr_makeContext(p.m, &second, 100));
    REFUSED("mjr_uploadMesh", mjr_uploadMesh(p.m, &con, 0));
    REFUSED("sn_makeRenderer", assert_null(sn_makeRenderer(p.m, 8, 8, 1, 1)));
    REFUSED("sn_saveGltf", sn_saveGltf(p.m, NULL, 0, 0, NULL, "no/such/run.glb", error, 200));
    wrong[k][0] = own;
  }
  mjr_freeContext(&con);
  pair_free(&p);
}

// Addresses of names are the program's to write: a name that leads nowhere is no name.
static void names_are_checked(void** state) {
  (void)state;
  mju_user_error = listen;
  mjModel* m = scene_model(
      "<mujoco><custom><text name='sinew:solver' data='nbgs'/>"
      "<numeric name='sinew:iterations' data='7'/></custom>"
      "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  snSolverSettings settings;
  assert_true(sn_getSettings(m, d, &settings) && settings.iterations == 7);
  for (int i = 0; i < m->nnumeric; i++) m->name_numericadr[i] = INT_MAX;
  errors = 0;
  assert_true(sn_setSetting(m, d, "iterations", 9));
  assert_true(sn_getSettings(m, d, &settings) && settings.iterations == 9);
  assert_int_equal(errors, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  mju_user_error = NULL;
}

// The differences of whole steps hold working memory while they step, and a state that is bad is
// reset in the middle of one.
static void resets_leave_the_stack(void** state) {
  (void)state;
  Pair p = pair_make();
  int nx = 2 * p.m->nv + p.m->na;
  mjtNum* A = calloc((size_t)nx * (size_t)nx, sizeof *A);
  assert_true(sn_setSolver(p.m, p.d, "pgs-ncp"));
  sn_setSetting(p.m, p.d, "iterations", 2);
  p.d->qvel[0] = NAN;
  errors = 0;
  sn_transition(p.m, p.d, A, NULL, NULL, NULL, NULL);
  assert_int_equal(errors, 0);
  assert_int_equal(p.d->pstack, 0);
  assert_int_equal(((snData*)p.d)->vigil, 0);
  mj_markStack(p.d);
  mjtNum* kept = mj_stackAllocNum(p.d, 100);
  mju_fill(kept, 7, 100);
  p.d->qvel[0] = NAN;
  mj_step(p.m, p.d);
  for (int i = 0; i < 100; i++) assert_true(kept[i] == 7);
  assert_true(p.d->pstack > 0);
  mj_freeStack(p.d);
  free(A);
  pair_free(&p);
}

static void instances_stay_with_their_plugin(void** state) {
  (void)state;
  Pair p = pair_make();
  int slot = -1;
  assert_non_null(mjp_getPlugin("mujoco.sensor.touch_grid", &slot));
  assert_true(p.m->nplugin == 1 && p.m->plugin[0] != slot);
  p.d->plugin[0] = slot;
  mj_resetData(p.m, p.d);
  mj_step(p.m, p.d);
  int own = p.m->plugin[0];
  p.m->plugin[0] = slot;
  REFUSED("mj_step", mj_step(p.m, p.d));
  p.m->plugin[0] = own;
  pair_free(&p);
}

// A size that a program has written, in a model whose names are looked up.
static void parameters_are_checked(void** state) {
  (void)state;
  Pair p = pair_make();
  snParameter parameter;
  int before = p.m->nmat;
  p.m->nmat = INT_MAX;
  REFUSED("sn_parameter", assert_false(sn_parameter(p.m, "body_mass", "x", 0, &parameter)));
  p.m->nmat = before;
  pair_free(&p);
}

// A flex whose points are not numbers meets itself in any order.
static void flexes_without_places(void** state) {
  (void)state;
  mju_user_warning = quiet;
  mjModel* m = scene_model(
      "<mujoco><worldbody><flexcomp name='f' type='grid' dim='2' count='5 5 1' radius='.02' "
      "spacing='.05 .05 .05' mass='1'><contact selfcollide='sap' internal='false'/></flexcomp>"
      "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  assert_int_equal(m->nq, 3 * (m->nbody - 1));
  for (int i = 0; i < m->nq; i++) d->qpos[i] = -0.7 * m->body_pos[3 + i];  // crumpled
  mj_fwdPosition(m, d);
  assert_true(d->ncon > 0);
  for (int i = 0; i < m->nq; i++) {
    mjtNum before = d->qpos[i];
    d->qpos[i] = NAN;
    mj_fwdPosition(m, d);
    if (i % 7) d->qpos[i] = before;
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  mju_user_warning = NULL;
}

// Contacts that are left of rows that are gone, or whose rows are beyond those that are there, have
// no reference to correct, for a model whose friction sticks.
static void contacts_without_rows(void** state) {
  (void)state;
  mju_user_error = listen;
  mju_user_warning = quiet;
  for (int cone = mjCONE_PYRAMIDAL; cone <= mjCONE_ELLIPTIC; cone++) {
    mjModel* m = everything_asking("<text name='sinew:friction' data='stick'/>");
    m->opt.cone = cone;
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 300; i++) mj_step(m, d);
    mj_forward(m, d);
    assert_true(d->ncon > 0 && d->nefc > 0);
    errors = 0;
    for (int c = 0; c < d->ncon; c++) d->contact[c].efc_address = d->nefc - 1;
    mj_referenceConstraint(m, d);
    for (int c = 0; c < d->ncon; c++) d->contact[c].efc_address = d->nefc + 100000;
    mj_referenceConstraint(m, d);
    d->nefc = d->ne = d->nf = d->nl = 0;
    d->efc_J = d->efc_aref = d->efc_vel = d->efc_KBIP = NULL;
    d->efc_type = NULL;
    mj_referenceConstraint(m, d);
    mj_resetData(m, d);
    mj_step(m, d);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  mju_user_error = mju_user_warning = NULL;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(objects_and_data_are_checked),
                                     cmocka_unit_test(models_are_checked),
                                     cmocka_unit_test(maximal_and_films_are_checked),
                                     cmocka_unit_test(faces_are_checked),
                                     cmocka_unit_test(names_are_checked),
                                     cmocka_unit_test(resets_leave_the_stack),
                                     cmocka_unit_test(instances_stay_with_their_plugin),
                                     cmocka_unit_test(contacts_without_rows),
                                     cmocka_unit_test(parameters_are_checked),
                                     cmocka_unit_test(flexes_without_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
