// Sensors of the velocity stage: everything that follows from qpos and qvel. Velocities of frames
// come from cvel, the spatial velocity about the tree's center of mass.
#include "sense/sense.h"

// The velocity of an object in the world, or in a moving reference frame with orientation R:
//   linear R'(v - v_ref - w_ref x (p - p_ref)),  angular R'(w - w_ref).
static void frame_velocity(const mjModel* m, const mjData* d, int i, double* reading) {
  int objtype = m->sensor_objtype[i], id = m->sensor_objid[i], body;
  int reftype = m->sensor_reftype[i], ref = m->sensor_refid[i];
  bool linear = m->sensor_type[i] == mjSENS_FRAMELINVEL;
  double vel[6], refvel[6], swing[3], arm[3];
  const double *pos, *mat, *refpos, *refmat;
  if (!frame_of(m, d, objtype, id, &body, &pos, &mat) ||
      (ref >= 0 && !frame_of(m, d, reftype, ref, &body, &refpos, &refmat))) {
    mju_error("sensor %d: object types %d and %d must have frames", i, objtype, reftype);
    return;
  }
  mj_objectVelocity(m, d, objtype, id, vel, 0);
  vec3_copy(reading, linear ? vel + 3 : vel);
  if (ref < 0) return;
  mj_objectVelocity(m, d, reftype, ref, refvel, 0);
  vec3_sub(reading, reading, linear ? refvel + 3 : refvel);
  if (linear) {
    vec3_sub(arm, pos, refpos);
    vec3_cross(swing, refvel, arm);
    vec3_sub(reading, reading, swing);
  }
  mat3_mulT_vec(reading, refmat, reading);
}

bool sense_velocity(const mjModel* m, mjData* d, int i, double* reading) {
  int id = m->sensor_objid[i], row;
  double vel[6];
  switch (m->sensor_type[i]) {
    case mjSENS_VELOCIMETER:
      mj_objectVelocity(m, d, mjOBJ_SITE, id, vel, 1);
      vec3_copy(reading, vel + 3);
      break;
    case mjSENS_GYRO:
      mj_objectVelocity(m, d, mjOBJ_SITE, id, vel, 1);
      vec3_copy(reading, vel);
      break;
    case mjSENS_JOINTVEL:
      reading[0] = d->qvel[m->jnt_dofadr[id]];
      break;
    case mjSENS_TENDONVEL:
      reading[0] = d->ten_velocity[id];
      break;
    case mjSENS_ACTUATORVEL:
      reading[0] = d->actuator_velocity[id];
      break;
    case mjSENS_BALLANGVEL:
      vec3_copy(reading, d->qvel + m->jnt_dofadr[id]);
      break;
    case mjSENS_JOINTLIMITVEL:
    case mjSENS_TENDONLIMITVEL:
      row = sense_limit_row(m, d, m->sensor_type[i], id);
      reading[0] = row < 0 ? 0 : d->efc_vel[row];
      break;
    case mjSENS_FRAMELINVEL:
    case mjSENS_FRAMEANGVEL:
      frame_velocity(m, d, i, reading);
      break;
    case mjSENS_SUBTREELINVEL:
      vec3_copy(reading, d->subtree_linvel + 3 * id);
      break;
    case mjSENS_SUBTREEANGMOM:
      vec3_copy(reading, d->subtree_angmom + 3 * id);
      break;
    case mjSENS_E_KINETIC:
      mj_energyVel(m, d);
      reading[0] = d->energy[1];
      break;
    default:
      return false;
  }
  return true;
}
