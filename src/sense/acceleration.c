// Sensors of the acceleration stage: forces and accelerations.
//
// Accelerations and wrenches are those of mj_rnePostConstraint: cacc contains gravity, so an
// accelerometer at rest reads +g upward, and cfrc_int is the wrench that a body receives from its
// parent, about the tree's center of mass.
#include "sense/sense.h"

// The wrench between a body and its parent, at a site and in its frame.
static void joint_wrench(const mjModel* m, const mjData* d, int site, bool force, double* reading) {
  int body = m->site_bodyid[site];
  const double *wrench = d->cfrc_int + 6 * body, *mat = d->site_xmat + 9 * site;
  if (force) {
    mat3_mulT_vec(reading, mat, wrench + 3);
    return;
  }
  // torque about the site: t - (p - com) x f
  double arm[3], moment[3];
  vec3_sub(arm, d->site_xpos + 3 * site, d->subtree_com + 3 * m->body_rootid[body]);
  vec3_cross(moment, arm, wrench + 3);
  vec3_sub(moment, wrench, moment);
  mat3_mulT_vec(reading, mat, moment);
}

static double tendon_force(const mjModel* m, const mjData* d, int tendon) {
  double sum = 0;
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_trntype[a] == mjTRN_TENDON && m->actuator_trnid[2 * a] == tendon) {
      sum += d->actuator_force[a];
    }
  }
  return sum;
}

bool sense_acceleration(const mjModel* m, mjData* d, int i, double* reading) {
  int id = m->sensor_objid[i], row;
  double acc[6];
  switch (m->sensor_type[i]) {
    case mjSENS_TOUCH:
      reading[0] = sense_touch(m, d, id);
      break;
    case mjSENS_ACCELEROMETER:
      mj_objectAcceleration(m, d, mjOBJ_SITE, id, acc, 1);
      vec3_copy(reading, acc + 3);
      break;
    case mjSENS_FORCE:
    case mjSENS_TORQUE:
      joint_wrench(m, d, id, m->sensor_type[i] == mjSENS_FORCE, reading);
      break;
    case mjSENS_ACTUATORFRC:
      reading[0] = d->actuator_force[id];
      break;
    case mjSENS_JOINTACTFRC:
      reading[0] = d->qfrc_actuator[m->jnt_dofadr[id]];
      break;
    case mjSENS_TENDONACTFRC:
      reading[0] = tendon_force(m, d, id);
      break;
    case mjSENS_JOINTLIMITFRC:
    case mjSENS_TENDONLIMITFRC:
      row = sense_limit_row(m, d, m->sensor_type[i], id);
      reading[0] = row < 0 ? 0 : d->efc_force[row];
      break;
    case mjSENS_FRAMELINACC:
    case mjSENS_FRAMEANGACC:
      mj_objectAcceleration(m, d, m->sensor_objtype[i], id, acc, 0);
      vec3_copy(reading, m->sensor_type[i] == mjSENS_FRAMELINACC ? acc + 3 : acc);
      break;
    default:
      return false;
  }
  return true;
}
