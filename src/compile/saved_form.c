// The spec in the terms in which MJCF is saved: orientations are quaternions, fromto is replaced by
// sizes, poses are relative to the body, angles are in radians. Everything else stays as given.
#include <math.h>
#include <string.h>

#include "compile/compile.h"

// Angles of a joint, with the compiler's own rules for degrees.
static void plain_joint(snElement* e) {
  mjsJoint* j = &e->u.joint;
  if (!element_compiler(e)->degree) return;
  bool limited =
      j->limited == mjLIMITED_TRUE || (j->limited == mjLIMITED_AUTO && j->range[0] < j->range[1]);
  if (limited && (j->type == mjJNT_HINGE || j->type == mjJNT_BALL)) {
    j->range[0] *= mjPI / 180;
    j->range[1] *= mjPI / 180;
  }
  if (j->type == mjJNT_HINGE) {
    j->ref *= mjPI / 180;
    j->springref *= mjPI / 180;
  }
}

// Records where the inertia of a body comes from, so that the saved model has inertias inferred
// for the same bodies. A body without inertia has an inertial frame that depends on its pose as
// given, before surrounding frames, which are part of the saved pose.
static void plain_inertia(snElement* body) {
  mjsBody* b = &body->u.body;
  bool counted = body_counts_geoms(body);
  int from_geoms = element_compiler(body)->inertiafromgeom;
  if (from_geoms == mjINERTIAFROMGEOM_TRUE && counted) {
    b->ipos[0] = b->fullinertia[0] = NAN;
    b->explicitinertial = 0;
    b->mass = 0;
    vec3_zero(b->inertia);
  } else if (isnan(b->ipos[0]) && !b->explicitinertial &&
             (counted ? from_geoms == mjINERTIAFROMGEOM_FALSE : body->frame != NULL)) {
    body_unplaced(body);
    b->explicitinertial = 1;
  }
}

static void plain_body(snElement* body) {
  mjsBody* b = &body->u.body;
  b->alt.type = b->ialt.type = mjORIENTATION_QUAT;
  if (!isnan(b->fullinertia[0])) {  // as principal axes, if they read back as the same matrix
    double quat[4];
    quat_copy(quat, b->iquat);
    pose_unit(quat);
    if (!memcmp(quat, b->iquat, sizeof quat)) {
      b->fullinertia[0] = NAN;
    } else {
      vec3_zero(b->inertia);
      quat_identity(b->iquat);
    }
  }
  if (body->parent) plain_inertia(body);
}

static void plain_tree(snElement* body) {
  plain_body(body);
  snList* child = body->child;
  for (int i = 0; i < child[snCHILD_FRAME].n; i++) {
    mjsFrame* f = &child[snCHILD_FRAME].item[i]->u.frame_;
    vec3_zero(f->pos);
    quat_identity(f->quat);
  }
  for (int i = 0; i < child[snCHILD_JOINT].n; i++) plain_joint(child[snCHILD_JOINT].item[i]);
  for (int i = 0; i < child[snCHILD_GEOM].n; i++) {
    mjsGeom* g = &child[snCHILD_GEOM].item[i]->u.geom;
    g->alt.type = mjORIENTATION_QUAT;
    g->fromto[0] = NAN;
  }
  for (int i = 0; i < child[snCHILD_SITE].n; i++) {
    mjsSite* s = &child[snCHILD_SITE].item[i]->u.site;
    s->alt.type = mjORIENTATION_QUAT;
    s->fromto[0] = NAN;
  }
  for (int i = 0; i < child[snCHILD_CAMERA].n; i++) {
    child[snCHILD_CAMERA].item[i]->u.camera.alt.type = mjORIENTATION_QUAT;
  }
  for (int i = 0; i < child[snCHILD_BODY].n; i++) plain_tree(child[snCHILD_BODY].item[i]);
}

// Ranges that actuators inherit from their joint or tendon; ctrllimited stays automatic where the
// range implies it.
static void plain_actuator(const snSpec* s, snElement* e) {
  mjsActuator* a = &e->u.actuator;
  int ctrllimited = a->ctrllimited, actlimited = a->actlimited;
  actuator_inherit(s, a, true);
  if (!element_compiler(e)->autolimits) return;
  a->ctrllimited = ctrllimited;
  a->actlimited = actlimited;
}

static void swap(mjString** a, mjString** b) {
  mjString* kept = *a;
  *a = *b;
  *b = kept;
}

// Pairs and excludes in the model's order, if all of their geoms and bodies exist.
static void plain_pairs(snCompile* c) {
  if (!compile_lists(c) || !compile_sort_pairs(c)) return;
  static const mjtObj kTypes[] = {mjOBJ_PAIR, mjOBJ_EXCLUDE};
  for (int k = 0; k < 2; k++) {
    snList* to = &c->spec->list[kTypes[k]];
    if (to->n) memcpy(to->item, c->list[kTypes[k]].item, (size_t)to->n * sizeof *to->item);
  }
  for (int i = 0; i < c->spec->list[mjOBJ_PAIR].n; i++) {
    mjsPair* p = &c->spec->list[mjOBJ_PAIR].item[i]->u.pair;
    const snElement* first = spec_find(c->spec, mjOBJ_GEOM, string_text(p->geomname1));
    const snElement* second = spec_find(c->spec, mjOBJ_GEOM, string_text(p->geomname2));
    if (first->parent->id > second->parent->id) swap(&p->geomname1, &p->geomname2);
  }
  for (int i = 0; i < c->spec->list[mjOBJ_EXCLUDE].n; i++) {
    mjsExclude* x = &c->spec->list[mjOBJ_EXCLUDE].item[i]->u.exclude;
    const snElement* first = spec_find(c->spec, mjOBJ_BODY, string_text(x->bodyname1));
    const snElement* second = spec_find(c->spec, mjOBJ_BODY, string_text(x->bodyname2));
    if (first->id > second->id) swap(&x->bodyname1, &x->bodyname2);
  }
}

static void plain_settings(mjsCompiler* settings) {
  settings->degree = 0;
  settings->inertiafromgeom = mjINERTIAFROMGEOM_AUTO;
  memcpy(settings->eulerseq, "xyz", 3);
}

mjSpec* compile_plain(const mjSpec* s, snFault* fault) {
  snCompile c;
  memset(&c, 0, sizeof c);
  c.user = spec_of(s);
  c.spec = spec_copy(c.user);
  if (!c.spec) {
    fault_raise(fault, "out of memory");
    return NULL;
  }
  if (!compile_names(&c) || !compile_poses(&c)) {
    fault_raise(fault, "%s", c.fault.text);
    mj_deleteSpec(&c.spec->pub);
    return NULL;
  }
  plain_tree(c.spec->world);
  plain_pairs(&c);
  for (int k = 0; k < mjNOBJECT; k++) memory_free(c.list[k].item);
  for (int i = 0; i < c.spec->list[mjOBJ_ACTUATOR].n; i++) {
    plain_actuator(c.spec, c.spec->list[mjOBJ_ACTUATOR].item[i]);
  }
  plain_settings(&c.spec->pub.compiler);
  for (int i = 0; i < c.spec->nsource; i++) plain_settings(&c.spec->source[i]->compiler);
  return &c.spec->pub;
}
