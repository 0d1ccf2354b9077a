// Orientations and frames: quat, axisangle, xyaxes, zaxis, euler and fromto become a unit
// quaternion (and a size), and frames are dissolved into the poses of what they contain.
//
// Angles are in degrees or radians by the compiler settings of the file that the element came from,
// which attached models bring along.
#include <math.h>

#include "compile/compile.h"

void pose_through(const double pos[3], const double quat[4], double child_pos[3],
                  double child_quat[4]) {
  double rotation[9], p[3];
  quat_to_mat(rotation, quat);
  mat3_mul_vec(p, rotation, child_pos);
  vec3_add(child_pos, pos, p);
  if (child_quat) quat_mul(child_quat, quat, child_quat);
}

void pose_unit(double quat[4]) {
  double norm = sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
  if (norm < mjMINVAL) {
    quat_identity(quat);
  } else if (fabs(norm - 1) > mjMINVAL) {
    for (int k = 0; k < 4; k++) quat[k] /= norm;
  }
}

const char* pose_resolve(const snElement* e, double quat[4], const mjsOrientation* alt) {
  const mjsCompiler* settings = element_compiler(e);
  if (alt && alt->type != mjORIENTATION_QUAT) {
    char sequence[4] = {settings->eulerseq[0], settings->eulerseq[1], settings->eulerseq[2], 0};
    const char* error = mjs_resolveOrientation(quat, settings->degree, sequence, alt);
    if (error) return error;
  }
  if (!quat[0] && !quat[1] && !quat[2] && !quat[3]) return "zero quaternion is not allowed";
  pose_unit(quat);
  return NULL;
}

static bool resolve(snCompile* c, const snElement* e, double quat[4], const mjsOrientation* alt) {
  const char* error = pose_resolve(e, quat, alt);
  return !error || compile_error(c, e, "%s in %s", error, type_name(e->base.elemtype));
}

// Nested frames and cameras become unit quaternions after they are placed in the frames around
// them, as the released compiler rounds.
static bool resolve_given(snCompile* c, const snElement* e, double quat[4], mjsOrientation* alt) {
  double unit[4];
  quat_copy(unit, quat);
  if (!resolve(c, e, unit, alt)) return false;
  if (alt->type != mjORIENTATION_QUAT) quat_copy(quat, unit);
  alt->type = mjORIENTATION_QUAT;
  return true;
}

// Frames of a body become poses in the body. A nested frame is placed in the frames around it before
// what it contains is, as released: (o i) p and not o (i p).
static bool frame_poses(snCompile* c, const snList* frames) {
  for (int i = 0; i < frames->n; i++) {
    mjsFrame* f = &frames->item[i]->u.frame_;
    if (!resolve_given(c, frames->item[i], f->quat, &f->alt)) return false;
  }
  for (int i = 0; i < frames->n; i++) {
    while (!frames->item[i]->mark) {
      snElement* e = frames->item[i];
      while (e->frame && !e->frame->mark) e = e->frame;
      if (e->frame) {
        const mjsFrame* around = &e->frame->u.frame_;
        pose_through(around->pos, around->quat, e->u.frame_.pos, e->u.frame_.quat);
      }
      pose_unit(e->u.frame_.quat);
      e->mark = 1;
    }
  }
  for (int i = 0; i < frames->n; i++) frames->item[i]->mark = 0;
  return true;
}

static bool through_frames(const snElement* e, double pos[3], double quat[4]) {
  if (e->frame) pose_through(e->frame->u.frame_.pos, e->frame->u.frame_.quat, pos, quat);
  if (quat) pose_unit(quat);
  return true;
}

// fromto: the z axis points from the second point to the first, half the distance is the size along
// it; the radius is given.
static bool resolve_fromto(snCompile* c, const snElement* e, int type, const double fromto[6],
                           double size[3], double pos[3], double quat[4]) {
  if (isnan(fromto[0])) return true;
  if (type != mjGEOM_CAPSULE && type != mjGEOM_CYLINDER && type != mjGEOM_ELLIPSOID &&
      type != mjGEOM_BOX) {
    return compile_error(c, e, "fromto requires capsule, cylinder, box or ellipsoid in %s",
                         type_name(e->base.elemtype));
  }
  if (pos[0] || pos[1] || pos[2]) return compile_error(c, e, "both pos and fromto defined in geom");
  double z[3];
  vec3_sub(z, fromto, fromto + 3);
  double length = vec3_norm(z);
  if (length < mjMINVAL)
    return compile_error(c, e, "fromto points too close in %s", type_name(e->base.elemtype));
  for (int i = 0; i < 3; i++) z[i] /= length;
  if (type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER) {
    size[1] = length / 2;
  } else {
    size[1] = size[0];
    size[2] = length / 2;
  }
  for (int i = 0; i < 3; i++) pos[i] = (fromto[i] + fromto[3 + i]) / 2;
  orient_z(quat, z);
  return true;
}

// A unit vector is left unchanged, so that a saved model compiles to the same bits.
static bool unit_vector(double v[3]) {
  double norm = vec3_norm(v);
  if (!(norm >= mjMINVAL)) return false;
  if (fabs(norm - 1) <= mjMINVAL) return true;
  for (int i = 0; i < 3; i++) v[i] /= norm;
  return true;
}

static bool joint_pose(snCompile* c, snElement* e) {
  mjsJoint* j = &e->u.joint;
  if (j->type == mjJNT_FREE) {
    vec3_zero(j->pos);
  }
  if (j->type == mjJNT_FREE || j->type == mjJNT_BALL) {
    vec3_set(j->axis, 0, 0, 1);
  }
  if (j->type != mjJNT_FREE) through_frames(e, j->pos, NULL);
  if (e->frame && (j->type == mjJNT_HINGE || j->type == mjJNT_SLIDE)) {
    mju_rotVecQuat(j->axis, j->axis, e->frame->u.frame_.quat);
  }
  return unit_vector(j->axis) || compile_error(c, e, "axis too small in joint");
}

static bool light_pose(snCompile* c, snElement* e) {
  mjsLight* l = &e->u.light;
  through_frames(e, l->pos, NULL);
  if (e->frame) mju_rotVecQuat(l->dir, l->dir, e->frame->u.frame_.quat);
  return unit_vector(l->dir) || compile_error(c, e, "zero direction");
}

static bool inertial_pose(snCompile* c, snElement* e) {
  mjsBody* b = &e->u.body;
  if (!resolve(c, e, b->iquat, &b->ialt)) return false;
  b->ialt.type = mjORIENTATION_QUAT;
  if (isnan(b->fullinertia[0])) return true;
  if (b->inertia[0] || b->inertia[1] || b->inertia[2]) {
    return compile_error(c, e, "fullinertia and diagonal inertia cannot both be specified");
  }
  return principal_inertia(b->fullinertia, b->inertia, b->iquat) ||
         compile_error(c, e, "error 'inertia must have positive eigenvalues' in fullinertia");
}

static bool body_poses(snCompile* c, snElement* body) {
  if (!frame_poses(c, &body->child[snCHILD_FRAME])) return false;
  mjsBody* b = &body->u.body;
  if (!resolve(c, body, b->quat, &b->alt) || !inertial_pose(c, body)) return false;
  b->alt.type = mjORIENTATION_QUAT;
  if (!through_frames(body, b->pos, b->quat)) return false;

  for (int k = snCHILD_JOINT; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      snElement* e = body->child[k].item[i];
      bool done = true;
      switch (k) {
        case snCHILD_JOINT:
          done = joint_pose(c, e);
          break;
        case snCHILD_GEOM: {
          mjsGeom* g = &e->u.geom;
          done = resolve(c, e, g->quat, &g->alt) &&
                 resolve_fromto(c, e, g->type, g->fromto, g->size, g->pos, g->quat) &&
                 through_frames(e, g->pos, g->quat);
          break;
        }
        case snCHILD_SITE: {
          mjsSite* s = &e->u.site;
          done = resolve_given(c, e, s->quat, &s->alt) &&
                 resolve_fromto(c, e, s->type, s->fromto, s->size, s->pos, s->quat) &&
                 through_frames(e, s->pos, s->quat);
          break;
        }
        case snCHILD_CAMERA: {
          mjsCamera* cam = &e->u.camera;
          done =
              resolve_given(c, e, cam->quat, &cam->alt) && through_frames(e, cam->pos, cam->quat);
          break;
        }
        default:
          done = light_pose(c, e);
      }
      if (!done) return false;
    }
  }
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++) {
    if (!body_poses(c, body->child[snCHILD_BODY].item[i])) return false;
  }
  return true;
}

bool compile_poses(snCompile* c) { return body_poses(c, c->spec->world); }
