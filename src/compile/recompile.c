// mj_recompile: compiles again into the same mjModel and mjData, and keeps the state of elements
// that still exist.
#include <math.h>
#include <string.h>

#include "compile/compile.h"
#include "data/data.h"

static int joint_nq(const snElement* e) {
  return e->u.joint.type == mjJNT_FREE ? 7 : e->u.joint.type == mjJNT_BALL ? 4 : 1;
}

static int joint_nv(const snElement* e) {
  return e->u.joint.type == mjJNT_FREE ? 6 : e->u.joint.type == mjJNT_BALL ? 3 : 1;
}

// Calls visit for every element that has state: joints, actuators, mocap bodies.
typedef bool (*Visit)(snElement* e, const mjModel* m, mjData* d);

static bool visit_body(snElement* body, const mjModel* m, mjData* d, Visit visit) {
  if (!visit(body, m, d)) return false;
  for (int i = 0; i < body->child[snCHILD_JOINT].n; i++) {
    if (!visit(body->child[snCHILD_JOINT].item[i], m, d)) return false;
  }
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++) {
    if (!visit_body(body->child[snCHILD_BODY].item[i], m, d, visit)) return false;
  }
  return true;
}

static bool visit_all(snSpec* spec, const mjModel* m, mjData* d, Visit visit) {
  snList* actuators = &spec->list[mjOBJ_ACTUATOR];
  for (int i = 0; i < actuators->n; i++) {
    if (!visit(actuators->item[i], m, d)) return false;
  }
  return visit_body(spec->world, m, d, visit);
}

static void forget(snElement* e) {
  memory_free(e->saved);
  e->saved = NULL;
}

// Elements remember their addresses in the last compilation; new elements have none.
static bool save(snElement* e, const mjModel* m, mjData* d) {
  forget(e);
  mjtObj type = e->base.elemtype;
  if (e->id < 0 || (type == mjOBJ_JOINT && e->adr[0] < 0)) return true;
  e->saved = memory_alloc_zero(32 * sizeof *e->saved);
  if (!e->saved) return false;
  if (type == mjOBJ_JOINT && e->adr[0] + joint_nq(e) <= m->nq) {
    e->saved[0] = e->u.joint.type;
    mju_copy(e->saved + 1, d->qpos + e->adr[0], joint_nq(e));
    mju_copy(e->saved + 8, d->qvel + e->adr[1], joint_nv(e));
    mju_copy(e->saved + 14, d->qacc_warmstart + e->adr[1], joint_nv(e));
  } else if (type == mjOBJ_ACTUATOR && e->adr[1] >= 0 && e->adr[1] < m->nu) {
    int i = e->adr[1], n = m->actuator_actnum[i];
    e->saved[0] = d->ctrl[i];
    e->saved[1] = n <= 16 ? n : 0;
    if (n <= 16 && n > 0) mju_copy(e->saved + 2, d->act + m->actuator_actadr[i], n);
  } else if (type == mjOBJ_BODY && e->adr[0] >= 0 && e->adr[0] < m->nmocap) {
    mju_copy3(e->saved, d->mocap_pos + 3 * e->adr[0]);
    mju_copy4(e->saved + 3, d->mocap_quat + 4 * e->adr[0]);
  } else {
    forget(e);
  }
  return true;
}

static bool restore(snElement* e, const mjModel* m, mjData* d) {
  if (!e->saved) return true;
  mjtObj type = e->base.elemtype;
  if (type == mjOBJ_JOINT && e->adr[0] >= 0 && e->saved[0] == e->u.joint.type) {
    mju_copy(d->qpos + e->adr[0], e->saved + 1, joint_nq(e));
    mju_copy(d->qvel + e->adr[1], e->saved + 8, joint_nv(e));
    mju_copy(d->qacc_warmstart + e->adr[1], e->saved + 14, joint_nv(e));
  } else if (type == mjOBJ_ACTUATOR && e->id >= 0) {
    d->ctrl[e->id] = e->saved[0];
    int n = m->actuator_actnum[e->id];
    if (n > 0 && n == (int)e->saved[1]) {
      mju_copy(d->act + m->actuator_actadr[e->id], e->saved + 2, n);
    }
  } else if (type == mjOBJ_BODY && e->adr[0] >= 0) {
    mju_copy3(d->mocap_pos + 3 * e->adr[0], e->saved);
    mju_copy4(d->mocap_quat + 4 * e->adr[0], e->saved + 3);
  }
  forget(e);
  return true;
}

static bool drop(snElement* e, const mjModel* m, mjData* d) {
  forget(e);
  return true;
}

// Swaps the contents of two structs: the new model takes the old address.
static void swap(void* a, void* b, size_t bytes) {
  char* x = a;
  char* y = b;
  for (size_t i = 0; i < bytes; i++) {
    char keep = x[i];
    x[i] = y[i];
    y[i] = keep;
  }
}

// A model without a buffer was allocated by the program and is not initialized; `d` then refers to
// its own model.
int mj_recompile(mjSpec* s, const mjVFS* vfs, mjModel* m, mjData* d) {
  snSpec* spec = spec_of(s);
  mjtNum time = d ? d->time : 0;
  if (!m->buffer) {
    memset(m, 0, sizeof(snModel));
    ((snModel*)m)->bare = true;
  }
  bool bare = ((snModel*)m)->bare;
  const mjModel* before = m->buffer || !d ? m : ((snData*)d)->model;
  if (d && !visit_all(spec, before, d, save)) {
    visit_all(spec, m, d, drop);
    spec_error(spec, "mj_recompile: out of memory");
    return -1;
  }
  mjModel* made = mj_compile(s, vfs);
  mjData* fresh = made && d ? mj_makeData(made) : NULL;
  if (!made || (d && !fresh)) {
    visit_all(spec, m, d, drop);
    if (made) spec_error(spec, "mj_recompile: out of memory");
    mj_deleteModel(made);
    return -1;
  }
  // callbacks stay with the model that the program holds
  swap(m, made, sizeof(snModel));
  swap(&((snModel*)m)->callbacks, &((snModel*)made)->callbacks, sizeof(snCallbacks*));
  ((snModel*)m)->bare = bare;
  ((snModel*)made)->bare = false;
  mj_deleteModel(made);
  if (d) {
    swap(d, fresh, sizeof(snData));
    ((snData*)d)->model = m;
    mj_deleteData(fresh);
    d->time = time;
    visit_all(spec, m, d, restore);
  }
  return 0;
}
