// Poses of cameras and lights, which may follow bodies or look at them.
#include "smooth/frames.h"
#include "smooth/smooth.h"

// Where a camera or light looks: the position of its target, per mode.
static const double* target_point(const mjData* d, int mode, int target) {
  return (mode == mjCAMLIGHT_TARGETBODY ? d->xpos : d->subtree_com) + 3 * target;
}

// Position of a camera or light that keeps its world orientation while it follows a body.
static void follow(const mjData* d, double* pos, int mode, int body, const double* pos0,
                   const double* poscom0) {
  if (mode == mjCAMLIGHT_TRACK) {
    vec3_add(pos, d->xpos + 3 * body, pos0);
  } else {
    vec3_add(pos, d->subtree_com + 3 * body, poscom0);
  }
}

// Camera axes by columns: z away from the target, x horizontal, y = z x x.
static void look_at(double* mat, const double* pos, const double* target) {
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

// Poses of cameras fixed to their bodies: x + R p, R(Q q).
SN_KERNEL static void camera_poses(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->ncam; i++) {
    int b = m->cam_bodyid[i];
    double q[4], *pos = d->cam_xpos + 3 * i;
    snTurn rows;
    mat3_mul_vec(pos, d->xmat + 9 * b, m->cam_pos + 3 * i);
    vec3_add(pos, pos, d->xpos + 3 * b);
    sn4_store(q, quat4_mul(d->xquat + 4 * b, sn4_load(m->cam_quat + 4 * i)));
    quat4_turn(q, NULL, &rows);
    rows_store(d->cam_xmat + 9 * i, rows);
  }
}

void mj_camlight(const mjModel* m, mjData* d) {
  if (m->ncam) camera_poses(m, d);
  for (int i = 0; i < m->ncam; i++) {
    double* pos = d->cam_xpos + 3 * i;
    double* mat = d->cam_xmat + 9 * i;
    int body = m->cam_bodyid[i], mode = m->cam_mode[i], target = m->cam_targetbodyid[i];
    switch (mode) {
      case mjCAMLIGHT_FIXED:
        break;
      case mjCAMLIGHT_TRACK:
      case mjCAMLIGHT_TRACKCOM:
        mat3_copy(mat, m->cam_mat0 + 9 * i);
        follow(d, pos, mode, body, m->cam_pos0 + 3 * i, m->cam_poscom0 + 3 * i);
        break;
      case mjCAMLIGHT_TARGETBODY:
      case mjCAMLIGHT_TARGETBODYCOM:
        if (target >= 0) look_at(mat, pos, target_point(d, mode, target));
        break;
      default:
        mju_error("mj_camlight: camera %d has unknown mode %d", i, mode);
        return;
    }
  }

  for (int i = 0; i < m->nlight; i++) {
    double* pos = d->light_xpos + 3 * i;
    double* dir = d->light_xdir + 3 * i;
    int body = m->light_bodyid[i], mode = m->light_mode[i], target = m->light_targetbodyid[i];
    mat3_mul_vec(pos, d->xmat + 9 * body, m->light_pos + 3 * i);
    vec3_add(pos, pos, d->xpos + 3 * body);
    mat3_mul_vec(dir, d->xmat + 9 * body, m->light_dir + 3 * i);
    switch (mode) {
      case mjCAMLIGHT_FIXED:
        break;
      case mjCAMLIGHT_TRACK:
      case mjCAMLIGHT_TRACKCOM:
        vec3_copy(dir, m->light_dir0 + 3 * i);
        follow(d, pos, mode, body, m->light_pos0 + 3 * i, m->light_poscom0 + 3 * i);
        break;
      case mjCAMLIGHT_TARGETBODY:
      case mjCAMLIGHT_TARGETBODYCOM:
        if (target >= 0) vec3_sub(dir, target_point(d, mode, target), pos);
        break;
      default:
        mju_error("mj_camlight: light %d has unknown mode %d", i, mode);
        return;
    }
    vec3_normalize(dir);
  }
}
