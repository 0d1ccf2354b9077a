// Cameras: from the user's abstract camera (free, tracking, fixed) to the two frustums that OpenGL
// expects, and back; mouse motion.
//
// A frustum is given by its near rectangle: center, half height and, for cameras with a sensor,
// half width. The two eyes are offset sideways by half the interpupillary distance.
#include "view/view.h"

void mjv_defaultCamera(mjvCamera* cam) {
  memset(cam, 0, sizeof *cam);
  cam->type = mjCAMERA_FREE;
  cam->fixedcamid = -1;
  cam->trackbodyid = -1;
  cam->distance = 2;
  cam->azimuth = 90;
  cam->elevation = -45;
}

void mjv_defaultFreeCamera(const mjModel* m, mjvCamera* cam) {
  mjv_defaultCamera(cam);
  vec3_copy(cam->lookat, m->stat.center);
  cam->distance = 1.5 * m->stat.extent;
  cam->azimuth = m->vis.global.azimuth;
  cam->elevation = m->vis.global.elevation;
  cam->orthographic = m->vis.global.orthographic;
}

// ---- room and model space: scale, then rotate, then translate maps the model to the room

static void view_transform(double pos[3], double quat[4], double* scale, const mjvScene* scn) {
  *scale = scn->scale;
  if (*scale < mjMINVAL) {
    mju_error("mjvScene.scale must be positive");
    *scale = 1;
  }
  view_load(pos, scn->translate, 3);
  view_load(quat, scn->rotate, 4);
}

void mjv_room2model(mjtNum modelpos[3], mjtNum modelquat[4], const mjtNum roompos[3],
                    const mjtNum roomquat[4], const mjvScene* scn) {
  if (!scn->enabletransform) {
    vec3_copy(modelpos, roompos);
    quat_copy(modelquat, roomquat);
    return;
  }
  double pos[3], quat[4], back[4], scale, offset[3];
  view_transform(pos, quat, &scale, scn);
  quat_conj(back, quat);
  vec3_sub(offset, roompos, pos);
  quat_rotate(modelpos, offset, back);
  vec3_scale(modelpos, modelpos, 1 / scale);
  quat_mul(modelquat, back, roomquat);
}

void mjv_model2room(mjtNum roompos[3], mjtNum roomquat[4], const mjtNum modelpos[3],
                    const mjtNum modelquat[4], const mjvScene* scn) {
  if (!scn->enabletransform) {
    vec3_copy(roompos, modelpos);
    quat_copy(roomquat, modelquat);
    return;
  }
  double pos[3], quat[4], scale, turned[3];
  view_transform(pos, quat, &scale, scn);
  quat_rotate(turned, modelpos, quat);
  vec3_add_scaled(roompos, pos, turned, scale);
  quat_mul(roomquat, quat, modelquat);
}

void view_head(double pos[3], double forward[3], double up[3], const mjvScene* scn) {
  const mjvGLCamera *left = &scn->camera[0], *right = &scn->camera[1];
  for (int i = 0; i < 3; i++) {
    pos[i] = ((double)left->pos[i] + right->pos[i]) / 2;
    forward[i] = left->forward[i];
    up[i] = left->up[i];
  }
}

void mjv_cameraInRoom(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3], const mjvScene* scn) {
  view_head(headpos, forward, up, scn);
  vec3_normalize(forward);
  vec3_normalize(up);
}

void mjv_cameraInModel(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3], const mjvScene* scn) {
  double room[3], pos[3], quat[4], back[4], scale, turned[3];
  view_head(room, forward, up, scn);
  vec3_copy(headpos, room);
  if (scn->enabletransform) {
    view_transform(pos, quat, &scale, scn);
    quat_conj(back, quat);
    vec3_sub(room, room, pos);
    quat_rotate(turned, room, back);
    vec3_scale(headpos, turned, 1 / scale);
    vec3_copy(turned, forward);
    quat_rotate(forward, turned, back);
    vec3_copy(turned, up);
    quat_rotate(up, turned, back);
  }
  vec3_normalize(forward);
  vec3_normalize(up);
}

// Height of the frustum at unit distance; of an orthographic projection, at any distance.
mjtNum mjv_frustumHeight(const mjvScene* scn) {
  const mjvGLCamera* camera = scn->camera;
  if (camera[0].orthographic) return (double)camera[0].frustum_top - camera[0].frustum_bottom;
  double height = 0;
  for (int eye = 0; eye < 2; eye++) {
    if (camera[eye].frustum_near < mjMINVAL) {
      mju_error("mjvScene.camera frustum_near too small");
      return 0;
    }
    height += ((double)camera[eye].frustum_top - camera[eye].frustum_bottom) /
              (2 * (double)camera[eye].frustum_near);
  }
  return height;
}

// The vector's y axis is aligned with the horizontal viewing direction, its x axis to the right of
// it.
void mjv_alignToCamera(mjtNum res[3], const mjtNum vec[3], const mjtNum forward[3]) {
  double x = forward[0], y = forward[1], length = sqrt(x * x + y * y);
  if (length < mjMINVAL) {
    x = 1;
    y = 0;
  } else {
    x /= length;
    y /= length;
  }
  vec3_set(res, y * vec[0] + x * vec[1], -x * vec[0] + y * vec[1], vec[2]);
}

mjvGLCamera mjv_averageCamera(const mjvGLCamera* cam1, const mjvGLCamera* cam2) {
  mjvGLCamera mean = *cam1;
  double pos[3], forward[3], up[3], along;
  for (int i = 0; i < 3; i++) {
    pos[i] = ((double)cam1->pos[i] + cam2->pos[i]) / 2;
    forward[i] = ((double)cam1->forward[i] + cam2->forward[i]) / 2;
    up[i] = ((double)cam1->up[i] + cam2->up[i]) / 2;
  }
  vec3_normalize(forward);
  along = vec3_dot(up, forward);
  vec3_add_scaled(up, up, forward, -along);
  vec3_normalize(up);
  view_store(mean.pos, pos, 3);
  view_store(mean.forward, forward, 3);
  view_store(mean.up, up, 3);
  mean.frustum_center = 0.5f * (cam1->frustum_center + cam2->frustum_center);
  mean.frustum_width = 0.5f * (cam1->frustum_width + cam2->frustum_width);
  mean.frustum_bottom = 0.5f * (cam1->frustum_bottom + cam2->frustum_bottom);
  mean.frustum_top = 0.5f * (cam1->frustum_top + cam2->frustum_top);
  mean.frustum_near = 0.5f * (cam1->frustum_near + cam2->frustum_near);
  mean.frustum_far = 0.5f * (cam1->frustum_far + cam2->frustum_far);
  return mean;
}

// ---- from the abstract camera to the two eyes

// Pose, eye distance and frustum of one abstract camera.
typedef struct snView_ {
  double pos[3], forward[3], up[3], right[3];
  double ipd, fovy;
  int orthographic;
  const float *sensorsize, *intrinsic;  // NULL unless the camera has a sensor
} snView;

static void camera_free_pose(const mjvCamera* cam, snView* view) {
  double sin_a, cos_a, sin_e, cos_e;
  sn_sincos(cam->azimuth * mjPI / 180, &sin_a, &cos_a);
  sn_sincos(cam->elevation * mjPI / 180, &sin_e, &cos_e);
  vec3_set(view->forward, cos_e * cos_a, cos_e * sin_a, sin_e);
  vec3_set(view->up, -sin_e * cos_a, -sin_e * sin_a, cos_e);
  vec3_set(view->right, sin_a, -cos_a, 0);
  vec3_add_scaled(view->pos, cam->lookat, view->forward, -cam->distance);
}

// False when the camera refers to nothing in the model, or is controlled by the user.
static bool camera_view(const mjModel* m, const mjData* d, mjvCamera* cam, snView* view) {
  view->ipd = m->vis.global.ipd;
  view->fovy = m->vis.global.fovy;
  view->orthographic = m->vis.global.orthographic;
  view->sensorsize = view->intrinsic = NULL;
  switch (cam->type) {
    case mjCAMERA_TRACKING: {
      int body = cam->trackbodyid;
      if (body < 0 || body >= m->nbody) {
        mju_error("mjv_updateCamera: track body id %d is outside [0, %d)", body, m->nbody);
        return false;
      }
      // the lookat point follows the center of mass through a low-pass filter
      for (int i = 0; i < 3; i++) {
        cam->lookat[i] += 0.2 * (d->subtree_com[3 * body + i] - cam->lookat[i]);
      }
      camera_free_pose(cam, view);
      return true;
    }
    case mjCAMERA_FREE:
      camera_free_pose(cam, view);
      return true;
    case mjCAMERA_FIXED: {
      int id = cam->fixedcamid;
      if (id < 0 || id >= m->ncam) {
        mju_error("mjv_updateCamera: fixed camera id %d is outside [0, %d)", id, m->ncam);
        return false;
      }
      const double* mat = d->cam_xmat + 9 * id;
      vec3_copy(view->pos, d->cam_xpos + 3 * id);
      vec3_set(view->right, mat[0], mat[3], mat[6]);
      vec3_set(view->up, mat[1], mat[4], mat[7]);
      vec3_set(view->forward, -mat[2], -mat[5], -mat[8]);
      view->ipd = m->cam_ipd[id];
      view->fovy = m->cam_fovy[id];
      view->orthographic = m->cam_orthographic[id];
      if (m->cam_sensorsize[2 * id + 1] > 0) {
        view->sensorsize = m->cam_sensorsize + 2 * id;
        view->intrinsic = m->cam_intrinsic + 4 * id;
      }
      return true;
    }
    case mjCAMERA_USER:
      return false;
    default:
      mju_error("mjv_updateCamera: unknown camera type %d", cam->type);
      return false;
  }
}

// The near rectangle. With a sensor, from its size, focal lengths f and principal point c:
//   left, right = near (size/2 -+ c)/f, and the same for bottom and top.
static void camera_frustum(const mjModel* m, const snView* view, mjvGLCamera* gl) {
  double near = (float)(m->vis.map.znear * m->stat.extent);
  double far = m->vis.map.zfar * m->stat.extent;
  double top, bottom, center = 0, width = 0;
  if (view->sensorsize) {
    const float *size = view->sensorsize, *in = view->intrinsic;
    double left = near / in[0] * (size[0] / 2 - in[2]),
           right = near / in[0] * (size[0] / 2 + in[2]);
    top = near / in[1] * (size[1] / 2 + in[3]);
    bottom = -near / in[1] * (size[1] / 2 - in[3]);
    center = (right - left) / 2;
    width = (left + right) / 2;
  } else {
    top = view->orthographic ? view->fovy / 2 : near * sn_tan(view->fovy * mjPI / 360);
    bottom = -top;
  }
  gl->orthographic = view->orthographic;
  gl->frustum_center = (float)center;
  gl->frustum_width = (float)width;
  gl->frustum_top = (float)top;
  gl->frustum_bottom = (float)bottom;
  gl->frustum_near = (float)near;
  gl->frustum_far = (float)far;
}

void mjv_updateCamera(const mjModel* m, const mjData* d, mjvCamera* cam, mjvScene* scn) {
  snView view;
  if (!cam || !camera_view(m, d, cam, &view)) return;
  for (int eye = 0; eye < 2; eye++) {
    mjvGLCamera* gl = &scn->camera[eye];
    double pos[3];
    vec3_add_scaled(pos, view.pos, view.right, (eye ? 0.5 : -0.5) * view.ipd);
    view_store(gl->pos, pos, 3);
    view_store(gl->forward, view.forward, 3);
    view_store(gl->up, view.up, 3);
    camera_frustum(m, &view, gl);
  }
}

// ---- the mouse

void mjv_moveCamera(const mjModel* m, int action, mjtNum reldx, mjtNum reldy, const mjvScene* scn,
                    mjvCamera* cam) {
  double extent = m->stat.extent, pos[3], forward[3], up[3], move[3] = {0}, aligned[3];
  if (cam->type == mjCAMERA_FIXED) return;
  switch (action) {
    case mjMOUSE_ROTATE_V:
    case mjMOUSE_ROTATE_H:
      cam->azimuth -= reldx * 180;
      cam->elevation -= reldy * 180;
      break;
    case mjMOUSE_MOVE_V:
    case mjMOUSE_MOVE_H: {
      if (cam->type == mjCAMERA_TRACKING) return;
      vec3_set(move, reldx, action == mjMOUSE_MOVE_H ? -reldy : 0,
               action == mjMOUSE_MOVE_V ? -reldy : 0);
      mjv_cameraInModel(pos, forward, up, scn);
      mjv_alignToCamera(aligned, move, forward);
      // so that an object at the lookat point moves with the mouse
      double to[3];
      vec3_sub(to, cam->lookat, pos);
      double depth = vec3_dot(to, forward) * (scn->camera[0].orthographic ? 0.15 : 1);
      vec3_add_scaled(cam->lookat, cam->lookat, aligned, -mjv_frustumHeight(scn) * depth);
      break;
    }
    case mjMOUSE_ZOOM:
      cam->distance -= sn_log(1 + cam->distance / extent / 3) * reldy * 9 * extent;
      break;
    default:
      mju_error("mjv_moveCamera: unknown mouse action %d", action);
      return;
  }
  if (cam->azimuth > 180) cam->azimuth -= 360;
  if (cam->azimuth < -180) cam->azimuth += 360;
  cam->elevation = mju_clip(cam->elevation, -89, 89);
  cam->distance = mju_clip(cam->distance, 0.01 * extent, 100 * extent);
}
