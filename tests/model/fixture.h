// A model filled by hand: a tree of bodies with joints, geoms, an equality, an actuator, keyframes.
#ifndef SINEW_TESTS_MODEL_FIXTURE_H_
#define SINEW_TESTS_MODEL_FIXTURE_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <stdio.h>

#include "model/model.h"

static char fixture_error[1024];
static char fixture_warning[1024];
static int fixture_errors;

static void fixture_on_error(const char* text) {
  snprintf(fixture_error, sizeof fixture_error, "%s", text);
  fixture_errors++;
}

static void fixture_on_warning(const char* text) {
  snprintf(fixture_warning, sizeof fixture_warning, "%s", text);
}

static void fixture_listen(void) {
  mju_user_error = fixture_on_error;
  mju_user_warning = fixture_on_warning;
  fixture_error[0] = fixture_warning[0] = 0;
  fixture_errors = 0;
}

// Body 0 is the world, body 1 is a mocap body, body 2 floats, bodies 3 to nbody-1 hang on hinges;
// the parent of body b >= 4 is b/2 + 1. One sphere per body.
static mjModel* fixture_model(int nbody) {
  mjModel sizes = {0};
  sizes.nbody = nbody;
  sizes.njnt = nbody - 2;
  sizes.nv = nbody - 3 + 6;
  sizes.nq = sizes.nv + 1;
  sizes.ngeom = nbody;
  sizes.nmocap = 1;
  sizes.nu = 1;
  sizes.neq = 2;
  sizes.nkey = 2;
  sizes.nuserdata = 3;
  sizes.nuser_body = 2;
  sizes.ntree = 1;
  sizes.njmax = sizes.nconmax = -1;
  sizes.narena = 1 << 16;
  int parent[64], dofs[64], depth[64];
  for (int b = 0; b < nbody; b++) {
    parent[b] = b < 3 ? 0 : b == 3 ? 2 : b / 2 + 1;
    dofs[b] = b < 2 ? 0 : b == 2 ? 6 : 1;
    depth[b] = b ? depth[parent[b]] + dofs[b] : 0;
    if (b == 2) sizes.nM += 21;
    if (b > 2) sizes.nM += depth[b];
  }
  sizes.nC = sizes.nM;
  sizes.nD = 2 * sizes.nM - sizes.nv;
  sizes.nB = sizes.nv;
  for (int b = 1; b < nbody; b++) {
    int above = depth[parent[b]], below = 0;
    for (int c = b; c < nbody; c++) {
      int a = c;
      while (a > b) a = parent[a];
      if (a == b) below += dofs[c];
    }
    sizes.nB += above + below;
  }
  sizes.nJmom = 1;
  char names[2048] = "fixture";
  int at = 8, adr[64];
  for (int b = 0; b < nbody; b++) {
    adr[b] = at;
    at += snprintf(names + at, sizeof names - (size_t)at, b ? "body%d" : "world", b) + 1;
  }
  sizes.nnames = at;
  sizes.nnames_map = names_map_size(&sizes);
  snFault fault = {0};
  mjModel* m = model_alloc(&sizes, &fault);
  if (!m) return NULL;
  memcpy(m->names, names, (size_t)at);
  int dof = 0, qpos = 0, madr = 0;
  for (int b = 0; b < nbody; b++) {
    m->name_bodyadr[b] = adr[b];
    m->name_geomadr[b] = 7;
    m->body_parentid[b] = parent[b];
    m->body_rootid[b] = b < 3 ? b : 2;
    m->body_weldid[b] = b == 1 ? 0 : b;
    m->body_mocapid[b] = b == 1 ? 0 : -1;
    m->body_jntnum[b] = b >= 2;
    m->body_jntadr[b] = b >= 2 ? b - 2 : -1;
    m->body_dofnum[b] = dofs[b];
    m->body_dofadr[b] = dofs[b] ? dof : -1;
    m->body_treeid[b] = b < 2 ? -1 : 0;
    m->body_geomnum[b] = 1;
    m->body_geomadr[b] = b;
    m->body_pos[3 * b] = b;
    m->body_quat[4 * b] = m->body_iquat[4 * b] = 1;
    m->body_mass[b] = 1;
    m->body_plugin[b] = -1;
    m->body_bvhadr[b] = -1;
    m->geom_type[b] = mjGEOM_SPHERE;
    m->geom_size[3 * b] = 0.1;
    m->geom_bodyid[b] = b;
    m->geom_dataid[b] = m->geom_matid[b] = m->geom_plugin[b] = -1;
    m->geom_quat[4 * b] = 1;
    m->geom_condim[b] = 3;
    if (b < 2) continue;
    int j = b - 2;
    m->name_jntadr[j] = 7;
    m->jnt_type[j] = b == 2 ? mjJNT_FREE : mjJNT_HINGE;
    m->jnt_qposadr[j] = qpos;
    m->jnt_dofadr[j] = dof;
    m->jnt_bodyid[j] = b;
    m->jnt_axis[3 * j + 2] = 1;
    for (int k = 0; k < dofs[b]; k++) {
      int p = k ? dof - 1 : -1;
      if (!k && b > 2) p = m->body_dofadr[parent[b]] + dofs[parent[b]] - 1;
      m->dof_bodyid[dof] = b;
      m->dof_jntid[dof] = j;
      m->dof_parentid[dof] = p;
      m->dof_Madr[dof] = madr;
      for (int i = dof; i >= 0; i = m->dof_parentid[i]) madr++;
      dof++;
    }
    for (int k = 0; k < (b == 2 ? 7 : 1); k++) m->qpos0[qpos++] = k == 3 ? 1 : 0;
  }
  m->actuator_trnid[0] = 1;
  m->actuator_trnid[1] = -1;
  m->actuator_actadr[0] = m->actuator_plugin[0] = -1;
  m->name_actuatoradr[0] = m->name_eqadr[0] = m->name_eqadr[1] = 7;
  m->name_keyadr[0] = m->name_keyadr[1] = 7;
  for (int i = 0; i < 2; i++) {
    m->eq_type[i] = mjEQ_CONNECT;
    m->eq_objtype[i] = mjOBJ_BODY;
    m->eq_obj1id[i] = 2;
    m->eq_active0[i] = i == 0;
    for (int k = 0; k < m->nq; k++) m->key_qpos[i * m->nq + k] = k + i;
    m->key_mquat[4 * i] = 1;
    m->key_time[i] = i + 1;
  }
  if (!model_finish(m, &fault)) {
    mj_deleteModel(m);
    return NULL;
  }
  return m;
}

#endif
