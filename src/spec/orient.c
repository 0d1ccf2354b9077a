// Orientations given as axis and angle, two axes, the z axis or Euler angles, as unit quaternions.
// The compiler's settings decide degrees or radians and the sequence of Euler rotations.
#include <math.h>
#include <string.h>

#include "algebra/small.h"
#include "spec/private.h"

static bool normalize(double* v, int n) {
  double norm = mju_norm(v, n);
  if (!(norm >= mjMINVAL)) return false;
  for (int i = 0; i < n; i++) v[i] /= norm;
  return true;
}

static const char* from_axisangle(double quat[4], const double axisangle[4], bool degree) {
  double axis[3] = {axisangle[0], axisangle[1], axisangle[2]};
  if (!normalize(axis, 3)) return "axisangle too small";
  double s, c, angle = degree ? axisangle[3] / 180 * mjPI : axisangle[3];
  sn_sincos(0.5 * angle, &s, &c);
  quat_set(quat, c, s * axis[0], s * axis[1], s * axis[2]);
  return NULL;
}

// x along the first axis, y along the part of the second across it
static const char* from_xyaxes(double quat[4], const double xyaxes[6]) {
  double x[3], y[3], z[3];
  vec3_copy(x, xyaxes);
  vec3_copy(y, xyaxes + 3);
  if (!normalize(x, 3)) return "xaxis too small";
  vec3_add_scaled(y, y, x, -vec3_dot(x, y));
  if (!normalize(y, 3)) return "yaxis too small";
  vec3_cross(z, x, y);  // of length one but for rounding, as the released compiler leaves it
  if (mju_norm3(z) < mjMINVAL) return "cross(xaxis, yaxis) too small";
  double mat[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
  mju_mat2Quat(quat, mat);
  return NULL;
}

// The least turn of the z axis to a unit vector; a half turn is about x.
void orient_z(double quat[4], const double unit[3]) {
  double axis[3] = {-unit[1], unit[0], 0}, s, c;
  double sine = mju_norm(axis, 3);
  if (sine < 1e-10) {
    vec3_set(axis, 1, 0, 0);
  } else {
    normalize(axis, 3);
  }
  sn_sincos(0.5 * sn_atan2(sine, unit[2]), &s, &c);
  quat_set(quat, c, s * axis[0], s * axis[1], s * axis[2]);
}

static const char* from_zaxis(double quat[4], const double zaxis[3]) {
  double z[3];
  vec3_copy(z, zaxis);
  if (!normalize(z, 3)) return "zaxis too small";
  orient_z(quat, z);
  return NULL;
}

// Lower case letters turn about the moving axes, upper case about the fixed ones.
static const char* from_euler(double quat[4], const double euler[3], const char* sequence,
                              bool degree) {
  quat_identity(quat);
  for (int i = 0; i < 3; i++) {
    const char* letter = sequence[i] ? strchr("xyzXYZ", sequence[i]) : NULL;
    if (!letter) return "euler format must be three of x, y, z, X, Y, Z";
    int axis = (int)(letter - "xyzXYZ") % 3;
    bool moving = sequence[i] >= 'a';
    double turn[4] = {0}, angle = degree ? euler[i] / 180 * mjPI : euler[i];
    sn_sincos(0.5 * angle, &turn[1 + axis], &turn[0]);
    if (axis) {
      double s = turn[1 + axis];
      turn[1] = 0;
      turn[1 + axis] = s;
    }
    moving ? quat_mul(quat, quat, turn) : quat_mul(quat, turn, quat);
  }
  mju_normalize4(quat);
  return NULL;
}

const char* mjs_resolveOrientation(double quat[4], mjtByte degree, const char* sequence,
                                   const mjsOrientation* orientation) {
  switch (orientation->type) {
    case mjORIENTATION_AXISANGLE:
      return from_axisangle(quat, orientation->axisangle, degree);
    case mjORIENTATION_XYAXES:
      return from_xyaxes(quat, orientation->xyaxes);
    case mjORIENTATION_ZAXIS:
      return from_zaxis(quat, orientation->zaxis);
    case mjORIENTATION_EULER:
      return from_euler(quat, orientation->euler, sequence, degree);
    default:
      return NULL;
  }
}
