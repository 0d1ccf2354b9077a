// Sensors of the position stage: everything that follows from qpos and time.
//
// The pose of an object relative to a reference object is R_ref'(p - p_ref) and conj(q_ref) q.
#include "sense/sense.h"

// The orientation of an object as a quaternion: that of its body times its own.
static void frame_quat(const mjModel* m, const mjData* d, int objtype, int id, double* quat) {
  switch (objtype) {
    case mjOBJ_XBODY:
      quat_copy(quat, d->xquat + 4 * id);
      break;
    case mjOBJ_BODY:
      quat_mul(quat, d->xquat + 4 * id, m->body_iquat + 4 * id);
      break;
    case mjOBJ_GEOM:
      quat_mul(quat, d->xquat + 4 * m->geom_bodyid[id], m->geom_quat + 4 * id);
      break;
    case mjOBJ_SITE:
      quat_mul(quat, d->xquat + 4 * m->site_bodyid[id], m->site_quat + 4 * id);
      break;
    case mjOBJ_CAMERA:
      quat_mul(quat, d->xquat + 4 * m->cam_bodyid[id], m->cam_quat + 4 * id);
      break;
    default:
      mju_error("sensor: object type %d has no orientation", objtype);
      quat_identity(quat);
  }
}

// The pose of an object, relative to a reference object if there is one.
static void frame_reading(const mjModel* m, const mjData* d, int i, double* reading) {
  int type = m->sensor_type[i], objtype = m->sensor_objtype[i], id = m->sensor_objid[i], body;
  int reftype = m->sensor_reftype[i], ref = m->sensor_refid[i];
  const double *pos, *mat, *refpos = NULL, *refmat = NULL;
  if (!frame_of(m, d, objtype, id, &body, &pos, &mat) ||
      (ref >= 0 && !frame_of(m, d, reftype, ref, &body, &refpos, &refmat))) {
    mju_error("sensor %d: object types %d and %d must have frames", i, objtype, reftype);
    return;
  }
  switch (type) {
    case mjSENS_FRAMEPOS:
      vec3_copy(reading, pos);
      if (ref >= 0) {
        vec3_sub(reading, pos, refpos);
        mat3_mulT_vec(reading, refmat, reading);
      }
      break;
    case mjSENS_FRAMEQUAT:
      frame_quat(m, d, objtype, id, reading);
      if (ref >= 0) {
        double quat[4];
        frame_quat(m, d, reftype, ref, quat);
        quat_conj(quat, quat);
        quat_mul(reading, quat, reading);
      }
      break;
    default:
      mat3_column(reading, mat, type - mjSENS_FRAMEXAXIS);
      if (ref >= 0) mat3_mulT_vec(reading, refmat, reading);
  }
}

// Pixel coordinates of a point, from the top left corner. The camera looks along -z; with the point
// (x, y, z) in its frame, u = w/2 - f_x x/z, v = h/2 + f_y y/z. Focal lengths f in pixels follow
// from sensor size and intrinsics, or from the vertical field of view. The principal point has no
// effect on this sensor, as released.
static void project(const mjModel* m, const mjData* d, int camera, const double* point,
                    double* reading) {
  double local[3], focal[2];
  const int* resolution = m->cam_resolution + 2 * camera;
  const float *sensor = m->cam_sensorsize + 2 * camera, *prm = m->cam_intrinsic + 4 * camera;
  vec3_sub(local, point, d->cam_xpos + 3 * camera);
  mat3_mulT_vec(local, d->cam_xmat + 9 * camera, local);
  if (sensor[0] != 0 && sensor[1] != 0) {
    // in single precision, as the model stores the camera
    for (int k = 0; k < 2; k++) focal[k] = prm[k] / sensor[k] * (float)resolution[k];
  } else {
    focal[0] = focal[1] = 0.5 / sn_tan(m->cam_fovy[camera] * mjPI / 360) * resolution[1];
  }
  double depth = local[2];
  if (fabs(depth) < mjMINVAL) depth = depth < 0 ? -mjMINVAL : mjMINVAL;
  reading[0] = (0.5 * resolution[0] * local[2] - focal[0] * local[0]) / depth;
  reading[1] = (0.5 * resolution[1] * local[2] + focal[1] * local[1]) / depth;
}

bool sense_position(const mjModel* m, mjData* d, int i, double* reading) {
  int id = m->sensor_objid[i], row;
  switch (m->sensor_type[i]) {
    case mjSENS_MAGNETOMETER:
      mat3_mulT_vec(reading, d->site_xmat + 9 * id, m->opt.magnetic);
      break;
    case mjSENS_CAMPROJECTION:
      project(m, d, m->sensor_refid[i], d->site_xpos + 3 * id, reading);
      break;
    case mjSENS_RANGEFINDER: {
      double axis[3];
      mat3_column(axis, d->site_xmat + 9 * id, 2);
      reading[0] = mj_ray(m, d, d->site_xpos + 3 * id, axis, NULL, 1, m->site_bodyid[id], NULL);
      break;
    }
    case mjSENS_JOINTPOS:
      reading[0] = d->qpos[m->jnt_qposadr[id]];
      break;
    case mjSENS_TENDONPOS:
      reading[0] = d->ten_length[id];
      break;
    case mjSENS_ACTUATORPOS:
      reading[0] = d->actuator_length[id];
      break;
    case mjSENS_BALLQUAT:
      quat_copy(reading, d->qpos + m->jnt_qposadr[id]);
      quat_normalize(reading);
      break;
    case mjSENS_JOINTLIMITPOS:
    case mjSENS_TENDONLIMITPOS:
      row = sense_limit_row(m, d, m->sensor_type[i], id);
      reading[0] = row < 0 ? 0 : d->efc_pos[row] - d->efc_margin[row];
      break;
    case mjSENS_FRAMEPOS:
    case mjSENS_FRAMEQUAT:
    case mjSENS_FRAMEXAXIS:
    case mjSENS_FRAMEYAXIS:
    case mjSENS_FRAMEZAXIS:
      frame_reading(m, d, i, reading);
      break;
    case mjSENS_SUBTREECOM:
      vec3_copy(reading, d->subtree_com + 3 * id);
      break;
    case mjSENS_GEOMDIST:
    case mjSENS_GEOMNORMAL:
    case mjSENS_GEOMFROMTO:
      sense_distance(m, d, i, reading);
      break;
    case mjSENS_E_POTENTIAL:
      mj_energyPos(m, d);
      reading[0] = d->energy[0];
      break;
    case mjSENS_E_KINETIC:
      mj_energyVel(m, d);
      reading[0] = d->energy[1];
      break;
    case mjSENS_CLOCK:
      reading[0] = d->time;
      break;
    default:
      return false;
  }
  return true;
}
