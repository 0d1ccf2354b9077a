// Poses of cameras and lights: fixed to a body, following a body, or looking at a body. Poses of
// those fixed to the world are kept (fixed_frames.h).
#include "smooth/fixed_frames.h"

// The point that a camera or light looks at, by mode.
SN_INLINE const double* target_point(const mjData* d, int mode, int target) {
  return (mode == mjCAMLIGHT_TARGETBODY ? d->xpos : d->subtree_com) + 3 * target;
}

// The position of a camera or light that follows a body with constant orientation in the world.
SN_INLINE void follow(const mjData* d, double* pos, int mode, int body, const double* pos0,
                      const double* poscom0) {
  if (mode == mjCAMLIGHT_TRACK) {
    vec3_add(pos, d->xpos + 3 * body, pos0);
  } else {
    vec3_add(pos, d->subtree_com + 3 * body, poscom0);
  }
}

// Camera axes as columns: z away from the target, x horizontal, y = z x x.
SN_INLINE void look_at(double* mat, const double* pos, const double* target) {
  double z[3], x[3], y[3];
  static const double up[3] = {0, 0, 1};
  vec3_sub(z, pos, target);
  vec3_normalize(z);
  vec3_cross(x, up, z);
  vec3_normalize(x);
  vec3_cross(y, z, x);
  vec3_normalize(y);
  for (int i = 0; i < 3; i++) {
    mat[3 * i] = x[i], mat[3 * i + 1] = y[i], mat[3 * i + 2] = z[i];
  }
}

// Are a camera or light and the pose of its body bitwise those kept? `quat_mask` selects the three
// numbers of a light's direction.
SN_INLINE bool view_holds(const snFixedView* kept, const double* pos, const double* quat,
                          const double* body_pos, const double* body_quat, sn4i quat_mask) {
  const sn4i three = {-1, -1, -1, 0};
  sn4i difference = (sn4i)sn4_load(pos) ^ (sn4i)sn4_load(kept->pos);
  difference |= (sn4i)sn4_load(body_pos) ^ (sn4i)sn4_load(kept->body_pos);
  difference &= three;
  difference |= ((sn4i)sn4_load(quat) ^ (sn4i)sn4_load(kept->quat)) & quat_mask;
  difference |= (sn4i)sn4_load(body_quat) ^ (sn4i)sn4_load(kept->body_quat);
  return !sn4_any(difference);
}

SN_INLINE void view_keep(snFixedView* kept, const double* pos, const double* quat,
                         const double* body_pos, const double* body_quat, int quat_num) {
  vec3_copy(kept->pos, pos);
  memcpy(kept->quat, quat, quat_num * sizeof(double));
  vec3_copy(kept->body_pos, body_pos);
  quat_copy(kept->body_quat, body_quat);
}

// Pose of a camera in its body: x + R p, R(Q q).
SN_INLINE void camera_pose(const mjModel* m, mjData* d, snFixedFrames* fixed, int i) {
  int b = m->cam_bodyid[i];
  snFixedView* kept = b < fixed->nbody ? fixed->camera + i : NULL;
  const double *p = m->cam_pos + 3 * i, *quat = m->cam_quat + 4 * i;
  const double *x = d->xpos + 3 * b, *Q = d->xquat + 4 * b;
  double *pos = d->cam_xpos + 3 * i, *mat = d->cam_xmat + 9 * i;
  if (kept && view_holds(kept, p, quat, x, Q, (sn4i){-1, -1, -1, -1})) {
    vec3_copy(pos, kept->xpos);
    mat3_copy(mat, kept->xmat);
    return;
  }
  double q[4];
  mat3_mul_vec(pos, d->xmat + 9 * b, p);
  vec3_add(pos, pos, x);
  sn4_store(q, quat4_mul(Q, sn4_load(quat)));
  entries_store(mat, quat4_entries(q));
  if (kept) {
    view_keep(kept, p, quat, x, Q, 4);
    vec3_copy(kept->xpos, pos);
    mat3_copy(kept->xmat, mat);
  }
}

// Pose of a light in its body: x + R p, R e.
SN_INLINE void light_pose(const mjModel* m, mjData* d, snFixedFrames* fixed, int i) {
  int b = m->light_bodyid[i];
  snFixedView* kept = b < fixed->nbody ? fixed->light + i : NULL;
  const double *p = m->light_pos + 3 * i, *e = m->light_dir + 3 * i;
  const double *x = d->xpos + 3 * b, *Q = d->xquat + 4 * b;
  double *pos = d->light_xpos + 3 * i, *dir = d->light_xdir + 3 * i;
  if (kept && view_holds(kept, p, e, x, Q, (sn4i){-1, -1, -1, 0})) {
    vec3_copy(pos, kept->xpos);
    vec3_copy(dir, kept->xmat);
    return;
  }
  mat3_mul_vec(pos, d->xmat + 9 * b, p);
  vec3_add(pos, pos, x);
  mat3_mul_vec(dir, d->xmat + 9 * b, e);
  vec3_normalize(dir);
  if (kept) {
    view_keep(kept, p, e, x, Q, 3);
    vec3_copy(kept->xpos, pos);
    vec3_copy(kept->xmat, dir);
  }
}

SN_INLINE void cameras(const mjModel* m, mjData* d, snFixedFrames* fixed) {
  for (int i = 0; i < m->ncam; i++) {
    double* pos = d->cam_xpos + 3 * i;
    double* mat = d->cam_xmat + 9 * i;
    int body = m->cam_bodyid[i], mode = m->cam_mode[i], target = m->cam_targetbodyid[i];
    switch (mode) {
      case mjCAMLIGHT_TRACK:
      case mjCAMLIGHT_TRACKCOM:
        mat3_copy(mat, m->cam_mat0 + 9 * i);
        follow(d, pos, mode, body, m->cam_pos0 + 3 * i, m->cam_poscom0 + 3 * i);
        break;
      case mjCAMLIGHT_FIXED:
      case mjCAMLIGHT_TARGETBODY:
      case mjCAMLIGHT_TARGETBODYCOM:
        camera_pose(m, d, fixed, i);
        if (mode != mjCAMLIGHT_FIXED && target >= 0) {
          look_at(mat, pos, target_point(d, mode, target));
        }
        break;
      default:
        mju_error("mj_camlight: camera %d has unknown mode %d", i, mode);
        return;
    }
  }
}

SN_INLINE void lights(const mjModel* m, mjData* d, snFixedFrames* fixed) {
  for (int i = 0; i < m->nlight; i++) {
    double* pos = d->light_xpos + 3 * i;
    double* dir = d->light_xdir + 3 * i;
    int body = m->light_bodyid[i], mode = m->light_mode[i], target = m->light_targetbodyid[i];
    switch (mode) {
      case mjCAMLIGHT_TRACK:
      case mjCAMLIGHT_TRACKCOM:
        vec3_copy(dir, m->light_dir0 + 3 * i);
        follow(d, pos, mode, body, m->light_pos0 + 3 * i, m->light_poscom0 + 3 * i);
        vec3_normalize(dir);
        break;
      case mjCAMLIGHT_FIXED:
      case mjCAMLIGHT_TARGETBODY:
      case mjCAMLIGHT_TARGETBODYCOM:
        light_pose(m, d, fixed, i);
        if (mode != mjCAMLIGHT_FIXED && target >= 0) {
          vec3_sub(dir, target_point(d, mode, target), pos);
          vec3_normalize(dir);
        }
        break;
      default:
        mju_error("mj_camlight: light %d has unknown mode %d", i, mode);
        return;
    }
  }
}

SN_KERNEL static void views(const mjModel* m, mjData* d, snFixedFrames* fixed) {
  cameras(m, d, fixed);
  lights(m, d, fixed);
}

void mj_camlight(const mjModel* m, mjData* d) {
  if (!m->ncam && !m->nlight) return;
  snFixedFrames* fixed = fixed_frames_of(m, d);
  if (fixed) views(m, d, fixed);
}
