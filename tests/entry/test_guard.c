// Argument checks of the documented functions: invalid arguments, changed indices and data of
// another model are refused; valid changes are accepted.
#include "fuzz/everything.h"
#include "scene.h"

static char last_error[1024];
static int errors;

static void listen(const char* text) {
  snprintf(last_error, sizeof last_error, "%s", text);
  errors++;
}

static void refused(const char* part) {
  if (!errors || !strstr(last_error, part)) fail_msg("expected '%s', heard '%s'", part, last_error);
  errors = 0;
  last_error[0] = 0;
}

static int setup(void** state) {
  mju_user_error = listen;
  errors = 0;
  *state = everything_model();
  return 0;
}

static int teardown(void** state) {
  mj_deleteModel(*state);
  mju_user_error = NULL;
  return 0;
}

// Any number in opt.cone but elliptic is pyramidal, for every solver: the same bits.
static void every_cone_has_one_meaning(void** state) {
  mjModel* m = *state;
  for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
    mjtNum height[3];
    const int cone[3] = {mjCONE_PYRAMIDAL, 2, -7};
    for (int k = 0; k < 3; k++) {
      m->opt.cone = cone[k];
      m->opt.solver = solver;
      mjData* d = mj_makeData(m);
      for (int i = 0; i < 20; i++) mj_step(m, d);
      assert_int_equal(mj_isPyramidal(m), 1);
      height[k] = d->qpos[2];
      mj_deleteData(d);
    }
    assert_true(height[0] == height[1] && height[0] == height[2]);
  }
  assert_int_equal(errors, 0);
}

static void ids_are_checked(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mjtNum jac[3 * 200], six[6], mat[9];
  static const int wild[] = {-1, 1000000, INT32_MIN, INT32_MAX};
  for (int k = 0; k < 4; k++) {
    mj_jacBody(m, d, jac, NULL, wild[k]);
    refused("mj_jacBody: body is");
    mj_jacSite(m, d, jac, NULL, wild[k]);
    refused("mj_jacSite: site is");
    mj_angmomMat(m, d, jac, wild[k]);
    refused("mj_angmomMat: body is");
    mj_objectVelocity(m, d, mjOBJ_GEOM, wild[k], six, 0);
    refused("mj_objectVelocity: objid is");
    mj_objectVelocity(m, d, wild[k], 0, six, 0);
    refused("mj_objectVelocity: objtype is");
    mj_local2Global(d, six, mat, six, NULL, wild[k], 0);
    refused("mj_local2Global: body is");
    assert_true(mj_rayMesh(m, d, wild[k], six, six) == -1);
    refused("mj_rayMesh: geomid is");
    assert_true(mju_rayFlex(m, d, 0, 1, 1, 1, 1, wild[k], six, six, NULL) == -1);
    refused("mju_rayFlex: flexid is");
    mj_setKeyframe(m, d, wild[k]);
    refused("mj_setKeyframe: ");
    assert_true(mju_Halton(3, k - 2) == 0);
    refused("mju_Halton: base is");
  }
  mju_zero(jac, -3);
  refused("mju_zero: n is -3, expected 0 or more");
  mju_cholSolveBand(jac, jac, jac, 4, 0, 2);
  refused("no band matrix");
  const int num[] = {2, 1}, adr[] = {0, 2}, col[] = {0, 9, 1};
  mju_sparse2dense(jac, jac, 2, 3, num, adr, col);
  refused("a column in colind is 9, expected 0 to 2");
  mj_step(NULL, d);
  refused("mj_step: m is NULL");
  mj_step(m, NULL);
  refused("mj_step: d is NULL");
  mj_deleteData(d);
}

static void indices_of_the_model_are_watched(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  const struct {
    int* at;
    const char* name;
  } watched[] = {
      {m->body_parentid + 3, "body_parentid[3]"},
      {m->dof_parentid + 7, "dof_parentid[7]"},
      {m->jnt_type, "jnt_type[0]"},
      {m->geom_dataid + 1, "geom_dataid[1]"},
      {m->geom_bodyid + 2, "geom_bodyid[2]"},
      {m->wrap_objid + 2, "wrap_objid[2]"},
      {m->eq_obj1id, "eq_obj1id[0]"},
      {m->sensor_objid, "sensor_objid[0]"},
      {m->sensor_type, "sensor_type[0]"},
      {m->actuator_trnid, "actuator_trnid[0]"},
      {m->pair_geom1, "pair_geom1[0]"},
      {m->flex_elem + 1, "flex_elem[1]"},
      {m->hfield_ncol, "hfield_ncol[0]"},
      {m->tendon_num, "tendon_num[0]"},
      {m->cam_targetbodyid, "cam_targetbodyid"},
      {m->geom_condim + 1, "geom_condim[1]"},
      {&m->nv, "nv is"},
      {&m->nbody, "nbody is"},
  };
  for (size_t k = 0; k < sizeof watched / sizeof watched[0]; k++) {
    int before = *watched[k].at;
    mjtNum time = d->time;
    *watched[k].at = 1 << 28;
    mj_step(m, d);
    refused(watched[k].name);
    assert_true(d->time == time);
    *watched[k].at = before;
    mj_step(m, d);
    assert_int_equal(errors, 0);
    assert_true(d->time > time);
  }
  // a type of wrap that is there, in a path where it has no place
  static const int type[][2] = {
      {1, mjWRAP_SITE}, {2, mjWRAP_JOINT}, {4, mjWRAP_NONE}, {4, mjWRAP_PULLEY}};
  for (int k = 0; k < 4; k++) {
    int w = type[k][0], before = m->wrap_type[w];
    m->wrap_type[w] = type[k][1];
    mj_step(m, d);
    refused("wrap_type[");
    m->wrap_type[w] = before;
  }
  mj_deleteData(d);
}

// What a program may change, and does: another mesh, another body of a weld, the masks of a geom.
static void good_changes_are_taken(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  m->eq_obj2id[1] = 2;
  m->geom_contype[0] = 3;
  m->geom_type[3] = mjGEOM_SPHERE;
  for (int i = 0; i < 3; i++) mj_step(m, d);
  m->eq_obj2id[1] = 3;
  mj_step(m, d);
  assert_int_equal(errors, 0);
  m->eq_obj2id[1] = m->nbody;
  mj_step(m, d);
  refused("eq_obj2id[1]");
  mj_deleteData(d);
}

static void data_of_another_model_is_refused(void** state) {
  mjModel *m = *state, *small = everything_small(), *copy = mj_copyModel(NULL, m);
  mjData *d = mj_makeData(m), *other = mj_makeData(small);
  mj_step(m, other);
  refused("mj_step: the data was made for another model");
  mj_step(small, d);
  refused("another model");
  mj_step(copy, d);  // of the same structure
  assert_int_equal(errors, 0);
  mj_deleteData(d);
  mj_deleteData(other);
  mj_deleteModel(copy);
  mj_deleteModel(small);
}

// Rows that were made under other options are not read as if they were of these.
static void rows_are_read_as_they_were_made(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  mj_step1(m, d);
  assert_true(d->nefc > 0);
  m->opt.cone = mjCONE_ELLIPTIC;
  mj_step2(m, d);
  refused("opt.cone or opt.jacobian has changed");
  m->opt.cone = mjCONE_PYRAMIDAL;
  m->opt.jacobian = mj_isSparse(m) ? mjJAC_DENSE : mjJAC_SPARSE;
  mjtNum force[6];
  mj_contactForce(m, d, 0, force);
  refused("opt.cone or opt.jacobian has changed");
  mj_step(m, d);
  assert_int_equal(errors, 0);
  int ncon = d->ncon, nefc = d->nefc;
  d->ncon = 1 << 20;
  mj_rnePostConstraint(m, d);
  refused("ncon is");
  d->ncon = ncon;
  d->nefc = nefc + 1000;
  mj_fwdConstraint(m, d);
  refused("nefc is");
  mj_deleteData(d);
}

// Controls beyond their range are clamped, however large; what is not a number is warned of.
static void controls_are_clamped_before_they_are_judged(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><worldbody><body><joint name='j' type='slide'/><geom size='.1'/></body></worldbody>"
      "<actuator><motor joint='j' ctrllimited='true' ctrlrange='-1 1'/><motor "
      "joint='j'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  const mjtNum given[] = {1e11, INFINITY, -INFINITY, NAN}, force[] = {1, 1, -1, 0};
  for (int k = 0; k < 4; k++) {
    mj_resetData(m, d);
    d->ctrl[0] = given[k];
    mj_forward(m, d);
    assert_true(d->actuator_force[0] == force[k]);
    assert_int_equal(d->warning[mjWARN_BADCTRL].number, k == 3);
  }
  mj_resetData(m, d);
  d->ctrl[1] = 1e11;
  mj_forward(m, d);
  assert_int_equal(d->warning[mjWARN_BADCTRL].number, 1);
  // a reset by the engine counts on
  for (int k = 1; k < 5; k++) {
    d->qvel[0] = NAN;
    mj_step(m, d);
    assert_int_equal(d->warning[mjWARN_BADQVEL].number, k);
  }
  mj_resetData(m, d);
  assert_int_equal(d->warning[mjWARN_BADQVEL].number, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A program that puts the discrete acceleration into qacc sets the flag and compares.
static void discrete_acceleration_is_compared(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option integrator='implicitfast'/><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 .09'><freejoint/><geom size='.1'/></body>"
      "<body pos='1 0 1'><joint damping='3' axis='0 1 0'/><geom size='.1' pos='.2 0 "
      "0'/></body></worldbody></mujoco>");
  mjData *d = mj_makeData(m), *next = mj_makeData(m);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = next->qvel[i] = 0.5;
  mj_forward(m, d);
  mj_step(m, next);
  for (int i = 0; i < m->nv; i++) d->qacc[i] = (next->qvel[i] - d->qvel[i]) / m->opt.timestep;
  m->opt.enableflags |= mjENBL_INVDISCRETE;
  mj_compareFwdInv(m, d);
  assert_true(d->solver_fwdinv[0] < 1e-9 && d->solver_fwdinv[1] < 1e-9);
  m->opt.enableflags &= ~mjENBL_INVDISCRETE;
  mj_compareFwdInv(m, d);
  assert_true(d->solver_fwdinv[1] > 1e-3);
  mj_deleteData(d);
  mj_deleteData(next);
  mj_deleteModel(m);
}

// Composite inertias alone give M; a model copied for drawing keeps its own meshes; J has an
// address without rows.
static void parts_do_what_they_did(void** state) {
  mjModel *m = *state, *drawn = mj_copyModel(NULL, m);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mjtNum before = d->M[m->nC - 1];
  mju_fill(d->M, -77, m->nC);
  mj_crb(m, d);
  assert_float_equal(d->M[m->nC - 1], before, 1e-12);
  float corner = drawn->mesh_vert[0];
  m->mesh_vert[0] = corner + 1;
  m->geom_size[0] = 7;
  mjv_copyModel(drawn, m);
  assert_true(drawn->mesh_vert[0] == corner && drawn->geom_size[0] == 7);
  m->mesh_vert[0] = corner;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_EQUALITY | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  mj_forward(m, d);
  assert_int_equal(d->nefc, 0);
  assert_non_null(d->efc_J);
  assert_int_equal(errors, 0);
  mj_deleteData(d);
  mj_deleteModel(drawn);
}

// Faces of flexes and skins that a scene would follow.
static void drawn_indices_are_checked(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mjvScene scn;
  mjvOption opt;
  mjvPerturb pert;
  mjv_defaultScene(&scn);
  mjv_defaultOption(&opt);
  mjv_defaultPerturb(&pert);
  mjv_makeScene(m, &scn, 1000);
  int* face[] = {m->flex_shell + m->nflexshelldata - 1, m->flex_elem, m->skin_face};
  static const char* const name[] = {"flex_shell", "flex_elem", "skin_face"};
  for (int k = 0; k < 3; k++) {
    int keep = *face[k];
    *face[k] = 1 << 30;
    mjv_addGeoms(m, d, &opt, &pert, mjCAT_ALL, &scn);
    refused(name[k]);
    *face[k] = keep;
  }
  mjv_addGeoms(m, d, &opt, &pert, mjCAT_ALL, &scn);
  assert_int_equal(errors, 0);
  // a solid drawn as a sheet has more faces than the scene has room for
  int dim = m->flex_dim[m->nflex - 1];
  m->flex_dim[m->nflex - 1] = 2;
  mjv_addGeoms(m, d, &opt, &pert, mjCAT_ALL, &scn);
  m->flex_dim[m->nflex - 1] = dim;
  errors = 0;
  mjv_freeScene(&scn);
  mj_deleteData(d);
}

// Indices in mjData that a call of one stage would follow; what a step works out anew it does.
static void indices_of_the_data_are_checked(void** state) {
  mjModel* m = *state;
  for (int sparse = 0; sparse < 2; sparse++) {
    m->opt.jacobian = sparse ? mjJAC_SPARSE : mjJAC_DENSE;
    m->opt.solver = mjSOL_PGS;
    mjData* d = mj_makeData(m);
    mj_forward(m, d);
    int* const array[] = {d->efc_type,      d->efc_id,        &d->ne,          &d->nf,
                          d->efc_J_colind,  d->efc_J_rowadr,  d->efc_J_rownnz, d->efc_JT_colind,
                          d->efc_AR_colind, d->efc_AR_rownnz, d->ten_J_rowadr, d->ten_J_colind,
                          d->moment_rownnz, d->moment_colind};
    for (size_t i = sparse ? 0 : 12; i < sizeof array / sizeof *array; i++) {
      int before = *array[i];
      for (int value = -1000; value <= 1000000; value += 1001000) {
        *array[i] = value;
        mj_fwdConstraint(m, d);
        if (!strstr(last_error, "data: ")) {
          mj_fwdVelocity(m, d);
          mj_fwdActuation(m, d);
        }
        refused("data: ");
      }
      *array[i] = before;
      mj_fwdConstraint(m, d);
      mj_fwdVelocity(m, d);
      assert_int_equal(errors, 0);
    }
    // patterns of the inertia are the model's own
    int* const pattern[] = {d->M_rownnz, d->M_rowadr, d->M_colind, d->D_rowadr,
                            d->D_colind, d->D_diag,   d->mapM2M,   d->mapM2D,
                            d->mapD2M,   d->B_rowadr, d->B_colind};
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) pattern[i][0] = 1 << 30;
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      m->opt.integrator = integrator;
      mj_step(m, d);
    }
    mj_mulM(m, d, d->qacc, d->qvel);
    assert_int_equal(errors, 0);
    mj_deleteData(d);
  }
}

// Ids that lead to something, though not to what the rows were made from: the sparse rows are not
// searched beyond their end for the columns of another contact.
static void ids_of_rows_may_lead_elsewhere(void** state) {
  mjModel* m = *state;
  m->opt.jacobian = mjJAC_SPARSE;
  for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
    m->opt.solver = solver;
    mjData* d = mj_makeData(m);
    for (int i = 0; i < 200 && d->ncon < 2; i++) mj_step(m, d);
    mj_forward(m, d);
    assert_true(d->ncon > 1);
    for (int shift = 1; shift < 4; shift++) {
      for (int i = d->ne + d->nf + d->nl; i < d->nefc; i++)
        d->efc_id[i] = (d->efc_id[i] + shift) % d->ncon;
      mj_fwdConstraint(m, d);
      mj_inverse(m, d);
    }
    assert_int_equal(d->warning[mjWARN_BADQACC].number, 0);
    mj_deleteData(d);
  }
  errors = 0;
}

// Columns that are there, though of a tree that the contact does not touch: the row is in the island
// of all of them.
static void islands_have_the_columns_of_their_rows(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option jacobian='sparse'/><worldbody><geom type='plane' size='3 3 1'/>"
      "<body pos='-1 0 .09'><freejoint/><geom size='.1'/></body>"
      "<body pos='0 0 .09'><freejoint/><geom size='.1'/></body>"
      "<body pos='1 0 .09'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int how = 0; how < 2; how++) {
    mj_forward(m, d);
    assert_int_equal(d->ncon, 3);
    mj_island(m, d);
    assert_int_equal(d->nisland, 3);
    if (how == 0) {
      d->contact[0].geom[1] = 2;
    } else {
      int last = d->efc_J_rowadr[0] + d->efc_J_rownnz[0] - 1;
      d->efc_J_colind[last] = m->nv - 1;
    }
    mj_island(m, d);
    assert_int_equal(d->nisland, 2);
    for (int i = 0; i < d->nefc; i++) {
      int adr = d->iefc_J_rowadr[i], nv = d->island_nv[d->efc_island[d->map_iefc2efc[i]]];
      for (int k = 0; k < d->iefc_J_rownnz[i]; k++)
        assert_in_range(d->iefc_J_colind[adr + k], 0, nv - 1);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// body_weldid may be any body, also one whose own is another; which geoms then meet is the
// program's business.
// A shorter row leaves a gap, over which loops that close would read.
static void rows_have_no_gaps(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><option jacobian='sparse'/><custom><text name='sinew:loops' data='closed'/></custom>"
      "<worldbody><body name='a'><freejoint/><geom size='.1'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
      "<equality><weld body1='a' body2='b'/></equality></mujoco>");
  mjData* d = mj_makeData(m);
  mj_step1(m, d);
  mj_step2(m, d);
  assert_int_equal(errors, 0);
  mj_step1(m, d);
  d->efc_J_rownnz[1]--;
  mj_step2(m, d);
  refused("does not begin where");
  mj_deleteData(d);
  mj_deleteModel(m);
}

// The solver shows its solution by island, along maps that a program may have written.
static void maps_of_islands_are_checked(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><worldbody><geom type='plane' size='3 3 1'/>"
      "<body pos='0 0 .09'><freejoint/><geom size='.1'/></body>"
      "<body pos='1 0 .09'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int how = 0; how < 3; how++) {
    mj_forward(m, d);
    mj_island(m, d);
    assert_int_equal(d->nisland, 2);
    mj_fwdConstraint(m, d);
    if (how == 0) d->map_iefc2efc[1] = 1 << 28;
    if (how == 1) d->map_idof2dof[3] = -1;
    if (how == 2) d->nidof = 1000;
    mj_fwdConstraint(m, d);
    refused("maps of islands");
    mj_step2(m, d);
    refused("maps of islands");
    d->nidof = m->nv;
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void welds_may_lead_elsewhere(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  for (int b = 1; b < m->nbody; b++) {
    int before = m->body_weldid[b];
    m->body_weldid[b] = (b + 1) % m->nbody;
    mj_step(m, d);
    mjtNum from[3] = {0, 0, 2}, down[3] = {0, 0, -1};
    int geom;
    mj_ray(m, d, from, down, NULL, 0, -1, &geom);
    assert_int_equal(errors, 0);
    m->body_weldid[b] = m->nbody;
    mj_step(m, d);
    refused("body_weldid");
    m->body_weldid[b] = before;
  }
  mj_deleteData(d);
}

// Hierarchies that a program has written to are drawn as far as they lead somewhere.
static void hierarchies_may_lead_elsewhere(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><worldbody><geom type='plane' size='3 3 1'/><geom size='.1' pos='0 0 .1'/>"
      "<body pos='0 0 .1'><freejoint/><geom size='.1'/><geom size='.1' pos='.1 0 0'/>"
      "<geom size='.1' pos='0 .1 0'/></body><body pos='.1 .1 .1'><freejoint/><geom size='.1'/>"
      "<geom size='.1' pos='.1 0 0'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  mjv_defaultScene(&scene);
  mjv_makeScene(m, &scene, 1000);
  mjv_defaultOption(&option);
  mjv_defaultCamera(&camera);
  option.flags[mjVIS_BODYBVH] = 1;
  static const int kWild[] = {-5, 0, 1, 2, 1000000, INT32_MAX, INT32_MIN};
  mj_forward(m, d);
  for (int i = 0; i < 3 * m->nbvh; i++) {
    int* at = i < m->nbvh ? m->bvh_nodeid + i : m->bvh_child + i - m->nbvh;
    int before = *at;
    for (size_t k = 0; k < sizeof kWild / sizeof *kWild; k++) {
      *at = kWild[k];
      mjv_updateScene(m, d, &option, NULL, &camera, mjCAT_ALL, &scene);
    }
    *at = before;
  }
  mjv_updateScene(m, d, &option, NULL, &camera, mjCAT_ALL, &scene);
  int marked = 0;
  for (int i = 0; i < m->nbvh; i++) marked += d->bvh_active[i];
  assert_true(marked > 0);
  errors = 0;
  mjv_freeScene(&scene);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// The smallest integer as a size is quoted as it is.
static void smallest_sizes_are_quoted(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  int* const size[] = {&m->nmat, &m->ntex, &m->nmesh, &m->npair, &m->nsensor, &m->ntendon};
  for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
    int before = *size[k];
    *size[k] = INT32_MIN;
    mj_step(m, d);
    refused("is -2147483648");
    *size[k] = before;
  }
  mj_step(m, d);
  assert_int_equal(errors, 0);
  mj_deleteData(d);
}

// Contacts of meshes go by hulls that are the engine's own; rays follow what the program sees.
static void meshes_are_checked_where_they_are_followed(void** state) {
  mjModel* m = *state;
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  int geom = 0;
  while (geom < m->ngeom && m->geom_type[geom] != mjGEOM_MESH) geom++;
  assert_true(geom < m->ngeom);
  int mesh = m->geom_dataid[geom];
  const mjtNum up[3] = {0, 0, 5}, down[3] = {0, 0, -1};
  int* const array[] = {m->mesh_vertadr, m->mesh_vertnum, m->mesh_faceadr,
                        m->mesh_facenum, m->mesh_bvhadr,  m->mesh_bvhnum};
  static const int wild[] = {1 << 28, -5, INT32_MIN, INT32_MAX};
  for (size_t k = 0; k < 4 * sizeof array / sizeof *array; k++) {
    int *at = array[k / 4] + mesh, before = *at;
    *at = wild[k % 4];
    mj_step(m, d);
    assert_int_equal(errors, 0);
    assert_true(mj_rayMesh(m, d, geom, up, down) == -1);
    refused("lie outside of the model");
    *at = before;
  }
  mj_rayMesh(m, d, geom, up, down);
  assert_int_equal(errors, 0);
  mj_deleteData(d);
}

// What the released library exports and this one does not have returns zero after its error.
MJAPI long mju_blockDiag(void);
static void what_is_not_there_returns_zero(void** state) {
  (void)state;
  assert_int_equal(mju_blockDiag(), 0);
  refused("not part of the documented interface");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(every_cone_has_one_meaning),
      TEST(ids_are_checked),
      TEST(indices_of_the_model_are_watched),
      TEST(good_changes_are_taken),
      TEST(data_of_another_model_is_refused),
      TEST(rows_are_read_as_they_were_made),
      TEST(controls_are_clamped_before_they_are_judged),
      TEST(discrete_acceleration_is_compared),
      TEST(parts_do_what_they_did),
      TEST(drawn_indices_are_checked),
      TEST(indices_of_the_data_are_checked),
      TEST(ids_of_rows_may_lead_elsewhere),
      TEST(islands_have_the_columns_of_their_rows),
      TEST(rows_have_no_gaps),
      TEST(maps_of_islands_are_checked),
      TEST(welds_may_lead_elsewhere),
      TEST(hierarchies_may_lead_elsewhere),
      TEST(smallest_sizes_are_quoted),
      TEST(meshes_are_checked_where_they_are_followed),
      TEST(what_is_not_there_returns_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
