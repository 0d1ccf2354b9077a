// Forward kinematics: from qpos to the pose of every body, joint, geom and site in the world.
#include "smooth/smooth.h"

// Pose of a frame fixed to a body. `sameframe` tells which part of it coincides with the body
// frame or with the inertial frame and is copied.
SN_INLINE void pose_in_body(const mjData* d, double* xpos, double* xmat, const double* pos,
                            const double* quat, int body, int sameframe) {
  const double* mat = d->xmat + 9 * body;
  switch (sameframe) {
    case mjSAMEFRAME_BODY:
      vec3_copy(xpos, d->xpos + 3 * body);
      mat3_copy(xmat, mat);
      return;
    case mjSAMEFRAME_INERTIA:
      vec3_copy(xpos, d->xipos + 3 * body);
      mat3_copy(xmat, d->ximat + 9 * body);
      return;
  }
  double local[3];
  mat3_mul_vec(local, mat, pos);
  vec3_add(xpos, d->xpos + 3 * body, local);
  if (sameframe == mjSAMEFRAME_BODYROT) {
    mat3_copy(xmat, mat);
  } else if (sameframe == mjSAMEFRAME_INERTIAROT) {
    mat3_copy(xmat, d->ximat + 9 * body);
  } else {
    double q[4];
    quat_mul(q, d->xquat + 4 * body, quat);
    quat_to_mat(xmat, q);
  }
}

void mj_local2Global(mjData* d, mjtNum xpos[3], mjtNum xmat[9], const mjtNum pos[3],
                     const mjtNum quat[4], int body, mjtByte sameframe) {
  double p[3], mat[9];
  static const double zero[4] = {1, 0, 0, 0}, origin[3] = {0};
  pose_in_body(d, p, mat, pos ? pos : origin, quat ? quat : zero, body, sameframe);
  if (xpos && pos) vec3_copy(xpos, p);
  if (xmat && quat) mat3_copy(xmat, mat);
}

// q = q * (cos a/2, axis sin a/2)
SN_INLINE void turn(double* quat, const double* axis, double angle) {
  double s, c;
  sn_sincos(0.5 * angle, &s, &c);
  double q[4] = {c, axis[0] * s, axis[1] * s, axis[2] * s};
  quat_mul(quat, quat, q);
}

// Joints of a body act in order, each in the frame left by the ones before it:
//   anchor = p + R r,  axis = R a;  slide: p += axis (q - q0);
//   hinge, ball: R = R exp(q), then p = anchor - R r, so that the anchor stays where it is.
SN_INLINE void joints_pose(const mjModel* m, mjData* d, int body, double* pos, double* quat) {
  int end = m->body_jntadr[body] + m->body_jntnum[body];
  for (int j = m->body_jntadr[body]; j < end; j++) {
    int adr = m->jnt_qposadr[j];
    const double* qpos = d->qpos + adr;
    const double* local = m->jnt_pos + 3 * j;
    double* anchor = d->xanchor + 3 * j;
    double* axis = d->xaxis + 3 * j;
    double arm[3];
    bool centered = local[0] == 0 && local[1] == 0 && local[2] == 0;

    quat_rotate(axis, m->jnt_axis + 3 * j, quat);
    if (centered) {
      vec3_copy(anchor, pos);
    } else {
      quat_rotate(arm, local, quat);
      vec3_add(anchor, pos, arm);
    }
    switch (m->jnt_type[j]) {
      case mjJNT_SLIDE:
        vec3_add_scaled(pos, pos, axis, qpos[0] - m->qpos0[adr]);
        break;
      case mjJNT_HINGE:
      case mjJNT_BALL:
        if (m->jnt_type[j] == mjJNT_HINGE) {
          turn(quat, m->jnt_axis + 3 * j, qpos[0] - m->qpos0[adr]);
        } else {
          double q[4] = {qpos[0], qpos[1], qpos[2], qpos[3]};
          quat_normalize(q);
          quat_mul(quat, quat, q);
        }
        if (!centered) {
          quat_rotate(arm, local, quat);
          vec3_sub(pos, anchor, arm);
        }
        break;
      default:
        mju_error("mj_kinematics: joint %d of body %d has type %d, expected slide, hinge or ball",
                  j, body, m->jnt_type[j]);
        return;
    }
  }
}

SN_INLINE void body_pose(const mjModel* m, mjData* d, int body) {
  double pos[3], quat[4];
  int mocap = m->body_mocapid[body];
  int jnt = m->body_jntadr[body];
  if (m->body_jntnum[body] == 1 && m->jnt_type[jnt] == mjJNT_FREE) {
    const double* qpos = d->qpos + m->jnt_qposadr[jnt];
    vec3_copy(pos, qpos);
    quat_copy(quat, qpos + 3);
    vec3_copy(d->xanchor + 3 * jnt, pos);
    vec3_copy(d->xaxis + 3 * jnt, m->jnt_axis + 3 * jnt);
  } else if (mocap >= 0) {
    vec3_copy(pos, d->mocap_pos + 3 * mocap);
    quat_copy(quat, d->mocap_quat + 4 * mocap);
  } else {
    int parent = m->body_parentid[body];
    mat3_mul_vec(pos, d->xmat + 9 * parent, m->body_pos + 3 * body);
    vec3_add(pos, pos, d->xpos + 3 * parent);
    quat_mul(quat, d->xquat + 4 * parent, m->body_quat + 4 * body);
    joints_pose(m, d, body, pos, quat);
  }
  quat_normalize(quat);
  vec3_copy(d->xpos + 3 * body, pos);
  quat_copy(d->xquat + 4 * body, quat);
  quat_to_mat(d->xmat + 9 * body, quat);
  pose_in_body(d, d->xipos + 3 * body, d->ximat + 9 * body, m->body_ipos + 3 * body,
               m->body_iquat + 4 * body, body, m->body_sameframe[body]);
}

SN_KERNEL void mj_kinematics(const mjModel* m, mjData* d) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  vec3_zero(d->xpos);
  vec3_zero(d->xipos);
  quat_copy(d->xquat, identity);
  mat3_copy(d->xmat, identity);
  mat3_copy(d->ximat, identity);
  for (int b = 1; b < m->nbody; b++) body_pose(m, d, b);
  for (int g = 0; g < m->ngeom; g++) {
    pose_in_body(d, d->geom_xpos + 3 * g, d->geom_xmat + 9 * g, m->geom_pos + 3 * g,
                 m->geom_quat + 4 * g, m->geom_bodyid[g], m->geom_sameframe[g]);
  }
  for (int s = 0; s < m->nsite; s++) {
    pose_in_body(d, d->site_xpos + 3 * s, d->site_xmat + 9 * s, m->site_pos + 3 * s,
                 m->site_quat + 4 * s, m->site_bodyid[s], m->site_sameframe[s]);
  }
}
