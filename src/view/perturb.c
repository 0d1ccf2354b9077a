// Perturbations: a body dragged and rotated by the mouse, through a critically damped spring in the
// effective mass at the grabbed point, so that light and heavy bodies feel alike.
#include "data/frame.h"
#include "view/view.h"

void mjv_defaultPerturb(mjvPerturb* pert) {
  memset(pert, 0, sizeof *pert);
  pert->flexselect = -1;
  pert->skinselect = -1;
  pert->refquat[0] = 1;
  pert->scale = 1;
}

// the perturbed point in the world
static void perturb_point(double point[3], const mjData* d, const mjvPerturb* pert) {
  mat3_mul_vec(point, d->xmat + 9 * pert->select, pert->localpos);
  vec3_add(point, point, d->xpos + 3 * pert->select);
}

static bool perturb_valid(const mjModel* m, const mjvPerturb* pert) {
  return pert->select > 0 && pert->select < m->nbody;
}

// Effective mass at a point: 3/trace(J inv(M) J'), J the point's Jacobian; 1 for a body without
// dofs.
static double perturb_mass(const mjModel* m, mjData* d, const double point[3], int body) {
  int nv = m->nv;
  if (!nv) return 1;
  double trace = 0;
  double *jac, *half, *scale;
  size_t n = (size_t)nv;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(jac, 3 * n), SN_ARRAY(half, 3 * n), SN_ARRAY(scale, n))) {
    mj_freeStack(d);
    return 1;
  }
  mj_jac(m, d, jac, NULL, point, body);
  for (int i = 0; i < nv; i++) scale[i] = sqrt(d->qLDiagInv[i]);
  mj_solveM2(m, d, half, jac, scale, 3);
  for (int i = 0; i < 3 * nv; i++) trace += half[i] * half[i];
  mj_freeStack(d);
  return trace < mjMINVAL ? 1 : 3 / trace;
}

void mjv_initPerturb(const mjModel* m, mjData* d, const mjvScene* scn, mjvPerturb* pert) {
  if (!perturb_valid(m, pert)) return;
  int body = pert->select;
  double head[3], forward[3], up[3], offset[3];
  perturb_point(pert->refselpos, d, pert);
  pert->localmass = perturb_mass(m, d, pert->refselpos, body);
  vec3_copy(pert->refpos, d->xipos + 3 * body);
  quat_mul(pert->refquat, d->xquat + 4 * body, m->body_iquat + 4 * body);
  // meters that the point moves when the mouse crosses the height of the window
  mjv_cameraInModel(head, forward, up, scn);
  vec3_sub(offset, pert->refselpos, head);
  pert->scale = mjv_frustumHeight(scn) * vec3_dot(offset, forward);
  if (scn->camera[0].orthographic) pert->scale *= 0.15;
}

// Mouse motion along the camera's right, along its forward projected on the plane normal to `up`,
// and along `up`.
static void perturb_align(double res[3], const double vec[3], const double forward[3],
                          const double up[3]) {
  double ahead[3], right[3];
  vec3_add_scaled(ahead, forward, up, -vec3_dot(forward, up));
  vec3_normalize(ahead);
  vec3_cross(right, ahead, up);
  vec3_normalize(right);
  for (int i = 0; i < 3; i++) res[i] = vec[0] * right[i] + vec[1] * ahead[i] + vec[2] * up[i];
}

// Rotation by the mouse as axis and angle; `full` is the angle for the height of the window.
static void perturb_turn(double turn[4], int action, double reldx, double reldy, double full,
                         const double forward[3], const double up[3]) {
  double vec[3], axis[3], angle;
  vec3_set(vec, reldy, action == mjMOUSE_ROTATE_H ? reldx : 0,
           action == mjMOUSE_ROTATE_V ? reldx : 0);
  perturb_align(axis, vec, forward, up);
  angle = vec3_normalize(axis) * full;
  quat_from_axis_angle(turn, axis, angle);
}

static void perturb_shift(double shift[3], int action, double reldx, double reldy,
                          const double forward[3], const double up[3]) {
  double vec[3];
  vec3_set(vec, reldx, action == mjMOUSE_MOVE_H ? -reldy : 0,
           action == mjMOUSE_MOVE_V ? -reldy : 0);
  perturb_align(shift, vec, forward, up);
}

static const double kUp[3] = {0, 0, 1};

void mjv_movePerturb(const mjModel* m, const mjData* d, int action, mjtNum reldx, mjtNum reldy,
                     const mjvScene* scn, mjvPerturb* pert) {
  double head[3], forward[3], up[3], shift[3], turn[4], quat[4];
  mjv_cameraInModel(head, forward, up, scn);
  switch (action) {
    case mjMOUSE_MOVE_V:
    case mjMOUSE_MOVE_H:
      perturb_shift(shift, action, reldx, reldy, forward, kUp);
      vec3_add_scaled(pert->refpos, pert->refpos, shift, pert->scale);
      vec3_add_scaled(pert->refselpos, pert->refselpos, shift, pert->scale);
      break;
    case mjMOUSE_ROTATE_V:
    case mjMOUSE_ROTATE_H: {
      perturb_turn(turn, action, reldx, reldy, 2 * mjPI, forward, kUp);
      quat_mul(quat, turn, pert->refquat);
      quat_normalize(quat);
      // the reference is never more than a quarter turn away from the body
      int body = pert->select;
      if (perturb_valid(m, pert)) {
        double now[4], back[4], from[4], vel[3];
        quat_mul(now, d->xquat + 4 * body, m->body_iquat + 4 * body);
        quat_conj(back, now);
        quat_mul(from, back, quat);
        mju_quat2Vel(vel, from, 1);
        double angle = vec3_normalize(vel);
        if (angle > mjPI / 2) {
          quat_from_axis_angle(from, vel, mjPI / 2);
          quat_mul(quat, now, from);
        }
      }
      quat_copy(pert->refquat, quat);
      break;
    }
    case mjMOUSE_ZOOM:
      break;
    default:
      mju_error("mjv_movePerturb: unknown mouse action %d", action);
  }
}

void mjv_moveModel(const mjModel* m, int action, mjtNum reldx, mjtNum reldy, const mjtNum roomup[3],
                   mjvScene* scn) {
  if (!scn->enabletransform) return;
  double head[3], forward[3], up[3], shift[3], turn[4], quat[4], turned[4];
  mjv_cameraInRoom(head, forward, up, scn);
  switch (action) {
    case mjMOUSE_MOVE_V:
    case mjMOUSE_MOVE_H:
      perturb_shift(shift, action, reldx, reldy, forward, roomup);
      for (int i = 0; i < 3; i++) scn->translate[i] += (float)(shift[i] * m->stat.extent);
      break;
    case mjMOUSE_ROTATE_V:
    case mjMOUSE_ROTATE_H:
      perturb_turn(turn, action, reldx, reldy, mjPI, forward, roomup);
      view_load(quat, scn->rotate, 4);
      quat_mul(turned, turn, quat);
      quat_normalize(turned);
      view_store(scn->rotate, turned, 4);
      break;
    case mjMOUSE_ZOOM:
      scn->scale += (float)(sn_log(1 + scn->scale / 3) * reldy * 3);
      if (scn->scale < 0.01f) scn->scale = 0.01f;
      if (scn->scale > 100.0f) scn->scale = 100.0f;
      break;
    default:
      mju_error("mjv_moveModel: unknown mouse action %d", action);
  }
}

// Pose of the body frame for which the inertial frame is at the reference of the perturbation.
static void perturb_body_pose(const mjModel* m, const mjvPerturb* pert, double pos[3],
                              double quat[4]) {
  int body = pert->select;
  double negpos[3], negquat[4];
  mju_negPose(negpos, negquat, m->body_ipos + 3 * body, m->body_iquat + 4 * body);
  mju_mulPose(pos, quat, pert->refpos, pert->refquat, negpos, negquat);
}

void mjv_applyPerturbPose(const mjModel* m, mjData* d, const mjvPerturb* pert, int flg_paused) {
  int body = pert->select;
  int active = pert->active | pert->active2;
  if (!perturb_valid(m, pert) || !active) return;
  double pos[3], quat[4];
  perturb_body_pose(m, pert, pos, quat);
  int mocap = m->body_mocapid[body];
  if (mocap >= 0) {
    if (active & mjPERT_TRANSLATE) vec3_copy(d->mocap_pos + 3 * mocap, pos);
    if (active & mjPERT_ROTATE) quat_copy(d->mocap_quat + 4 * mocap, quat);
    return;
  }
  // a paused free body is moved there with its whole tree
  int root = m->body_rootid[body], joint = m->body_jntadr[root];
  if (!flg_paused || m->body_jntnum[root] != 1 || m->jnt_type[joint] != mjJNT_FREE) return;
  double* qpos = d->qpos + m->jnt_qposadr[joint];
  if (root != body) {
    // root' = reference * inverse(body) * root
    double backpos[3], backquat[4], relpos[3], relquat[4], rootpos[3], rootquat[4];
    mju_negPose(backpos, backquat, d->xpos + 3 * body, d->xquat + 4 * body);
    mju_mulPose(relpos, relquat, backpos, backquat, qpos, qpos + 3);
    mju_mulPose(rootpos, rootquat, pos, quat, relpos, relquat);
    vec3_copy(pos, rootpos);
    quat_copy(quat, rootquat);
  }
  if (active & mjPERT_TRANSLATE) vec3_copy(qpos, pos);
  if (active & mjPERT_ROTATE) quat_copy(qpos + 3, quat);
}

// f = m (k e - sqrt(k) v) at the perturbed point; torque = I (k e - sqrt(k) w) about the com, which
// replaces the moment of f when the body is rotated as well.
void mjv_applyPerturbForce(const mjModel* m, mjData* d, const mjvPerturb* pert) {
  int body = pert->select;
  int active = pert->active | pert->active2;
  if (!perturb_valid(m, pert) || !active) return;
  double vel[6], *force = d->xfrc_applied + 6 * body, *torque = force + 3;
  mj_objectVelocity(m, d, mjOBJ_BODY, body, vel, 0);
  vec6_zero(force);
  if (active & mjPERT_TRANSLATE) {
    double point[3], arm[3], error[3], slip[3], k = m->vis.map.stiffness;
    perturb_point(point, d, pert);
    vec3_sub(arm, point, d->xipos + 3 * body);
    vec3_cross(slip, vel, arm);
    vec3_add(slip, slip, vel + 3);
    vec3_sub(error, pert->refselpos, point);
    for (int i = 0; i < 3; i++) {
      force[i] = pert->localmass * (k * error[i] - sqrt(k) * slip[i]);
    }
    vec3_cross(torque, arm, force);
  }
  if (active & mjPERT_ROTATE) {
    double now[4], back[4], diff[4], turn[3], k = m->vis.map.stiffnessrot;
    double inverse = m->body_invweight0[2 * body + 1], inertia = inverse > 0 ? 1 / inverse : 1;
    quat_mul(now, d->xquat + 4 * body, m->body_iquat + 4 * body);
    quat_conj(back, now);
    quat_mul(diff, pert->refquat, back);
    mju_quat2Vel(turn, diff, 1);
    for (int i = 0; i < 3; i++) torque[i] = inertia * (k * turn[i] - sqrt(k) * vel[i]);
  }
}
