// Bodies: inertia inferred from geoms or as given, bounds, total mass; joints; alignment of free
// bodies with their inertial frame.
#include <math.h>
#include <string.h>

#include "compile/compile.h"

static bool geom_counts(const snElement* body, const snElement* geom) {
  const int* range = element_compiler(body)->inertiagrouprange;
  return geom->u.geom.group >= range[0] && geom->u.geom.group <= range[1];
}

bool body_counts_geoms(const snElement* body) {
  for (int i = 0; i < body->child[snCHILD_GEOM].n; i++) {
    if (geom_counts(body, body->child[snCHILD_GEOM].item[i])) return true;
  }
  return false;
}

// A body without inertial frame, and without geoms to infer it from, gets one at its own pose, as
// it was before surrounding frames were applied (as released). A mass set by a program is kept.
void body_unplaced(snElement* body) {
  mjsBody* b = &body->u.body;
  vec3_copy(b->ipos, b->pos);
  quat_copy(b->iquat, b->quat);
  if (!body->frame || !body->twin) return;
  const mjsBody* written = &body->twin->u.body;
  vec3_copy(b->ipos, written->pos);
  quat_copy(b->iquat, written->quat);
  pose_resolve(body, b->iquat, &written->alt);
}

// With one geom the body takes the geom's frame; with several, com and full inertia are summed:
// I = sum of R diag R' + m (|d|^2 1 - d d'), d the offset from the com.
static bool inertia_from_geoms(snCompile* c, snElement* body) {
  mjsBody* b = &body->u.body;
  snList* geoms = &body->child[snCHILD_GEOM];
  int n = 0;
  const snElement* only = NULL;
  double mass = 0, com[3] = {0};
  for (int i = 0; i < geoms->n; i++) {
    const snElement* g = geoms->item[i];
    if (!geom_counts(body, g)) continue;
    double m = c->geom[g->adr[0]].mass;
    if (m < 0) return compile_error(c, g, "mass of geom is negative (%g)", m);
    n++;
    only = g;
    mass += m;
    vec3_add_scaled(com, com, g->u.geom.pos, m);
  }
  if (n == 0) {  // no geoms to infer from: an explicit inertial is kept
    if (isnan(b->ipos[0])) body_unplaced(body);
    return true;
  }
  if (n == 1) {
    const snGeomWork* w = &c->geom[only->adr[0]];
    b->mass = w->mass;
    vec3_copy(b->inertia, w->inertia);
    vec3_copy(b->ipos, only->u.geom.pos);
    quat_copy(b->iquat, only->u.geom.quat);
    return true;
  }
  b->mass = mass;
  if (mass < mjMINVAL) {
    return compile_error(c, body, "body mass is too small, cannot compute center of mass");
  }
  for (int k = 0; k < 3; k++) b->ipos[k] = com[k] / mass;
  double full[6] = {0};
  for (int i = 0; i < geoms->n; i++) {
    const snElement* g = geoms->item[i];
    if (!geom_counts(body, g)) continue;
    const snGeomWork* w = &c->geom[g->adr[0]];
    double d[3];
    vec3_sub(d, g->u.geom.pos, b->ipos);
    inertia_sum(full, w->inertia, g->u.geom.quat, d, w->mass);
  }
  if (!principal_inertia(full, b->inertia, b->iquat)) {
    return compile_error(c, body, "inertia of the geoms must have positive eigenvalues");
  }
  return true;
}

// Triangle inequality A + B >= C of principal moments; with balanceinertia all are set to their
// mean.
static bool balance(snCompile* c, snElement* body) {
  mjsBody* b = &body->u.body;
  double* I = b->inertia;
  if (I[0] + I[1] < I[2] || I[0] + I[2] < I[1] || I[1] + I[2] < I[0]) {
    if (!element_compiler(body)->balanceinertia) {
      return compile_error(c, body, "inertia must satisfy A + B >= C; use 'balanceinertia' to fix");
    }
    I[0] = I[1] = I[2] = (I[0] + I[1] + I[2]) / 3;
  }
  return true;
}

static bool body_inertia(snCompile* c, snElement* body) {
  mjsBody* b = &body->u.body;
  const mjsCompiler* settings = element_compiler(body);
  bool given = !isnan(b->ipos[0]);
  if (body->id == 0) {  // the world keeps an inertial, which a URDF link of that name can give it
    if (!given) body_unplaced(body);
    return true;
  }
  if (settings->inertiafromgeom == mjINERTIAFROMGEOM_TRUE ||
      (settings->inertiafromgeom == mjINERTIAFROMGEOM_AUTO && !given && !b->explicitinertial)) {
    if (!inertia_from_geoms(c, body)) return false;
  } else if (!given) {
    body_unplaced(body);
    // explicitinertial without values: geoms are not used in its place
    bool none = settings->inertiafromgeom == mjINERTIAFROMGEOM_AUTO && body_counts_geoms(body);
    if (none) {
      b->mass = 0;
      vec3_zero(b->inertia);
    }
  }
  b->mass = fmax(b->mass, settings->boundmass);
  for (int i = 0; i < 3; i++) b->inertia[i] = fmax(b->inertia[i], settings->boundinertia);
  return balance(c, body);
}

// Converts angles to radians; checks limits and the order of joints.
static bool compile_joint(snCompile* c, snElement* e) {
  mjsJoint* j = &e->u.joint;
  bool scalar =
      j->type == mjJNT_HINGE || j->type == mjJNT_SLIDE;  // a force range applies to a single dof
  bool limited = false, forced = false;
  if ((j->type != mjJNT_FREE &&
       !compile_limited(c, e, "limited", "range", j->limited, j->range, &limited)) ||
      (scalar && !compile_limited(c, e, "actuatorfrclimited", "actuatorfrcrange", j->actfrclimited,
                                  j->actfrcrange, &forced))) {
    return false;
  }
  j->limited = limited;
  j->actfrclimited = forced;
  bool degree = element_compiler(e)->degree;
  if (limited) {
    if (scalar && !(j->range[0] < j->range[1])) {
      return compile_error(c, e, "range[0] should be smaller than range[1] in joint");
    }
    if (j->type == mjJNT_BALL && j->range[0]) {
      return compile_error(c, e, "range[0] should be 0 in ball joint");
    }
    if (degree && (j->type == mjJNT_BALL || j->type == mjJNT_HINGE)) {
      j->range[0] *= mjPI / 180;
      j->range[1] *= mjPI / 180;
    }
  }
  if (forced && !(j->actfrcrange[0] < j->actfrcrange[1])) {
    return compile_error(c, e, "actuatorfrcrange[0] should be smaller than actuatorfrcrange[1]");
  }
  if (degree && j->type == mjJNT_HINGE) {
    j->ref *= mjPI / 180;
    j->springref *= mjPI / 180;
  }
  if ((j->springdamper[0] || j->springdamper[1]) &&
      (j->springdamper[0] <= 0 || j->springdamper[1] <= 0)) {
    return compile_error(c, e, "when defined, springdamper values must be positive in joint");
  }
  return true;
}

static bool compile_joints(snCompile* c, snElement* body) {
  snList* joints = &body->child[snCHILD_JOINT];
  int dofs = 0;
  bool ball = false;
  for (int i = 0; i < joints->n; i++) {
    snElement* e = joints->item[i];
    int type = e->u.joint.type;
    if (type < mjJNT_FREE || type > mjJNT_HINGE) return compile_error(c, e, "invalid joint type");
    if (body->id == 0) return compile_error(c, e, "joint found in world body");
    dofs += type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
    if (dofs > 6)
      return compile_error(c, body, "more than 6 dofs in body '%s'", string_text(&body->name));
    if (ball && (type == mjJNT_BALL || type == mjJNT_HINGE)) {
      return compile_error(c, body, "ball followed by rotation in body '%s'",
                           string_text(&body->name));
    }
    ball = ball || type == mjJNT_BALL;
    if (!compile_joint(c, e)) return false;
  }
  if (body->u.body.mocap && (joints->n || !body->parent || body->parent->id != 0)) {
    return compile_error(c, body, "mocap body '%s' is not a fixed child of world",
                         string_text(&body->name));
  }
  return true;
}

// Moves the body frame to the inertial frame, and adjusts the poses of everything on the body.
static void align_free(snCompile* c, snElement* body) {
  snList* joints = &body->child[snCHILD_JOINT];
  if (joints->n != 1 || joints->item[0]->u.joint.type != mjJNT_FREE ||
      body->child[snCHILD_BODY].n) {
    return;
  }
  int align = joints->item[0]->u.joint.align;
  if (align == mjALIGNFREE_AUTO) align = element_compiler(body)->alignfree;
  if (align != mjALIGNFREE_TRUE) return;
  mjsBody* b = &body->u.body;
  double pos[3], quat[4], inverse_pos[3], inverse[4], rotation[9];
  vec3_copy(pos, b->ipos);
  quat_copy(quat, b->iquat);
  quat_conj(inverse, b->iquat);
  quat_to_mat(rotation, inverse);
  mat3_mul_vec(inverse_pos, rotation, b->ipos);
  vec3_neg(inverse_pos, inverse_pos);
  pose_through(b->pos, b->quat, pos, quat);
  vec3_copy(b->pos, pos);
  quat_copy(b->quat, quat);
  pose_unit(b->quat);
  vec3_zero(b->ipos);
  quat_identity(b->iquat);
  for (int i = 0; i < body->child[snCHILD_GEOM].n; i++) {
    mjsGeom* g = &body->child[snCHILD_GEOM].item[i]->u.geom;
    pose_through(inverse_pos, inverse, g->pos, g->quat);
  }
  for (int i = 0; i < body->child[snCHILD_SITE].n; i++) {
    mjsSite* s = &body->child[snCHILD_SITE].item[i]->u.site;
    pose_through(inverse_pos, inverse, s->pos, s->quat);
  }
  for (int i = 0; i < body->child[snCHILD_CAMERA].n; i++) {
    mjsCamera* cam = &body->child[snCHILD_CAMERA].item[i]->u.camera;
    pose_through(inverse_pos, inverse, cam->pos, cam->quat);
  }
  for (int i = 0; i < body->child[snCHILD_LIGHT].n; i++) {
    mjsLight* l = &body->child[snCHILD_LIGHT].item[i]->u.light;
    pose_through(inverse_pos, inverse, l->pos, NULL);
    mju_rotVecQuat(l->dir, l->dir, inverse);
  }
}

// A moving body needs mass and inertia, its own or those of a body welded to it.
static bool has_mass(const snElement* body) {
  const mjsBody* b = &body->u.body;
  if (b->mass >= mjMINVAL && b->inertia[0] >= mjMINVAL && b->inertia[1] >= mjMINVAL &&
      b->inertia[2] >= mjMINVAL) {
    return true;
  }
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++) {
    const snElement* child = body->child[snCHILD_BODY].item[i];
    if (!child->child[snCHILD_JOINT].n && has_mass(child)) return true;
  }
  return false;
}

static void scale_masses(snCompile* c) {
  double total = c->spec->pub.compiler.settotalmass, sum = 0;
  if (!(total > 0)) return;
  snList* bodies = &c->list[mjOBJ_BODY];
  for (int i = 1; i < bodies->n; i++) sum += bodies->item[i]->u.body.mass;
  double scale = fmax(mjMINVAL, total / fmax(mjMINVAL, sum));
  for (int i = 1; i < bodies->n; i++) {
    mjsBody* b = &bodies->item[i]->u.body;
    b->mass *= scale;
    vec3_scale(b->inertia, b->inertia, scale);
  }
}

bool compile_bodies(snCompile* c) {
  snList* bodies = &c->list[mjOBJ_BODY];
  for (int i = 0; i < bodies->n; i++) {
    snElement* body = bodies->item[i];
    if (!body_inertia(c, body) || !compile_joints(c, body)) return false;
    align_free(c, body);
  }
  for (int i = 1; i < bodies->n; i++) {
    snElement* body = bodies->item[i];
    if (body->child[snCHILD_JOINT].n && !has_mass(body)) {
      return compile_error(c, body,
                           "mass and inertia of moving bodies must be larger than mjMINVAL");
    }
  }
  return true;
}

bool compile_masses(snCompile* c) {
  scale_masses(c);
  for (int i = 0; i < c->list[mjOBJ_JOINT].n; i++) {
    const snElement* e = c->list[mjOBJ_JOINT].item[i];
    if (e->u.joint.type == mjJNT_FREE && e->parent->parent->id != 0) {
      return compile_error(c, e, "free joint can only be used on top level");
    }
  }
  return true;
}
