// Simple bodies and dofs, for which M is diagonal in every pose; and frames that coincide
// (mjtSameFrame).
#include <math.h>
#include <string.h>

#include "compile/compile.h"

// Tolerance per number for two frames to coincide.
static const double same = 1e-6;

static bool same_pos(const double a[3], const double b[3]) {
  return fabs(a[0] - b[0]) < same && fabs(a[1] - b[1]) < same && fabs(a[2] - b[2]) < same;
}

static bool same_quat(const double a[4], const double b[4]) {
  double minus = 0, plus = 0;
  for (int i = 0; i < 4; i++) {
    minus = fmax(minus, fabs(a[i] - b[i]));
    plus = fmax(plus, fabs(a[i] + b[i]));
  }
  return fmin(minus, plus) < same;
}

mjtSameFrame compile_sameframe(const mjsBody* b, const double pos[3], const double quat[4]) {
  static const double zero[3] = {0}, identity[4] = {1, 0, 0, 0};
  bool body_rot = same_quat(quat, identity), inertia_rot = same_quat(quat, b->iquat);
  if (body_rot && same_pos(pos, zero)) return mjSAMEFRAME_BODY;
  if (body_rot) return mjSAMEFRAME_BODYROT;
  if (inertia_rot && same_pos(pos, b->ipos)) return mjSAMEFRAME_INERTIA;
  if (inertia_rot) return mjSAMEFRAME_INERTIAROT;
  return mjSAMEFRAME_NONE;
}

mjtSameFrame compile_body_sameframe(const mjsBody* b) {
  static const double zero[3] = {0}, identity[4] = {1, 0, 0, 0};
  if (!same_quat(b->iquat, identity)) return mjSAMEFRAME_NONE;
  return same_pos(b->ipos, zero) ? mjSAMEFRAME_BODY : mjSAMEFRAME_BODYROT;
}

static bool along_axis(const double axis[3]) {
  int zeros = 0;
  for (int i = 0; i < 3; i++) zeros += fabs(axis[i]) <= mjMINVAL;
  return zeros >= 2;
}

// 0: not simple; 1: M is diagonal; 2: and all joints are sliders.
static int body_simple(snCompile* c, const snElement* e) {
  if (compile_body_sameframe(&e->u.body) != mjSAMEFRAME_BODY) return 0;
  if (!e->parent) return 1;
  // its parent must be the world, or fixed to it
  const snElement* parent = e->parent;
  bool fixed = !parent->id || (!c->body[parent->id].dofnum && !parent->parent->id);
  if (!fixed || e->child[snCHILD_BODY].n) return 0;
  const snList* joints = &e->child[snCHILD_JOINT];
  bool rotated = false, sliders = joints->n > 0;
  for (int i = 0; i < joints->n; i++) {
    const mjsJoint* j = &joints->item[i]->u.joint;
    if (rotated) return 0;  // dofs after a rotation turn with it
    bool rotates = j->type != mjJNT_SLIDE;
    if (j->type == mjJNT_HINGE || j->type == mjJNT_SLIDE) {
      if (!along_axis(j->axis)) return 0;
    }
    if (j->type != mjJNT_FREE && vec3_norm(j->pos) > mjMINVAL) return 0;
    rotated = rotates;
    sliders = sliders && !rotates;
  }
  return sliders ? 2 : 1;
}

// A tendon with armature couples the bodies on its path, so they are not simple.
static void couple(snCompile* c, int* simple) {
  for (int i = 0; i < c->list[mjOBJ_TENDON].n; i++) {
    const snElement* t = c->list[mjOBJ_TENDON].item[i];
    if (!t->u.tendon.armature) continue;
    for (int k = 0; k < t->child[snCHILD_WRAP].n; k++) {
      const snWrap* w = &t->child[snCHILD_WRAP].item[k]->u.wrap;
      mjtObj type = w->type == mjWRAP_JOINT ? mjOBJ_JOINT : mjOBJ_SITE;
      const snElement* on = spec_find(c->spec, type, string_text(&w->target));
      if (on) simple[on->parent->id] = 0;
    }
  }
}

// Returns the number of nonzeros of M, in which simple dofs have their diagonal alone; -1 without
// memory.
int compile_simple(snCompile* c, const mjModel* sizes) {
  snList* bodies = &c->list[mjOBJ_BODY];
  int* simple = memory_alloc_zero((size_t)bodies->n * sizeof *simple);
  if (!simple) {
    compile_error(c, NULL, "out of memory");
    return -1;
  }
  for (int i = 0; i < bodies->n; i++) simple[i] = body_simple(c, bodies->item[i]);
  couple(c, simple);
  int nC = 0;
  for (int i = 0; i < bodies->n; i++) {
    snElement* e = bodies->item[i];
    e->mark = simple[i];
    int own = c->body[i].dofnum, above = 0;
    for (snElement* a = e->parent; a && a->id; a = a->parent) above += c->body[a->id].dofnum;
    SN_ASSERT(e->id == i && (!e->parent || e->parent->id < i));  // parents come first
    nC += simple[i] ? own : own * above + own * (own + 1) / 2;
  }
  memory_free(simple);
  return nC;
}
