// The documented functions of quaternions (w, x, y, z) and poses.
#include "algebra/algebra.h"

void mju_rotVecQuat(mjtNum res[3], const mjtNum vec[3], const mjtNum quat[4]) {
  quat_rotate(res, vec, quat);
}

void mju_negQuat(mjtNum res[4], const mjtNum quat[4]) { quat_conj(res, quat); }

void mju_mulQuat(mjtNum res[4], const mjtNum quat1[4], const mjtNum quat2[4]) {
  quat_mul(res, quat1, quat2);
}

void mju_mulQuatAxis(mjtNum res[4], const mjtNum quat[4], const mjtNum axis[3]) {
  quat_mul_axis(res, quat, axis);
}

void mju_axisAngle2Quat(mjtNum res[4], const mjtNum axis[3], mjtNum angle) {
  quat_from_axis_angle(res, axis, angle);
}

// The rotation's angle is 2 atan2(|u|, w), taken in (-pi, pi].
void mju_quat2Vel(mjtNum res[3], const mjtNum quat[4], mjtNum dt) {
  double axis[3] = {quat[1], quat[2], quat[3]};
  double sine = vec3_normalize(axis);
  double angle = 2 * sn_atan2(sine, quat[0]);
  if (angle > mjPI) angle -= 2 * mjPI;
  vec3_scale(res, axis, angle / dt);
}

void mju_subQuat(mjtNum res[3], const mjtNum qa[4], const mjtNum qb[4]) {
  double inverse[4], difference[4];
  quat_conj(inverse, qb);
  quat_mul(difference, inverse, qa);
  mju_quat2Vel(res, difference, 1);
}

void mju_quat2Mat(mjtNum res[9], const mjtNum quat[4]) {
  if (quat[0] == 1 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0) {
    mat3_identity(res);
  } else {
    quat_to_mat(res, quat);
  }
}

// 4w^2, 4x^2, 4y^2, 4z^2 are each 1 plus or minus diagonal entries; dividing by the largest avoids
// cancellation.
void mju_mat2Quat(mjtNum quat[4], const mjtNum mat[9]) {
  double q[4];
  if (mat[0] + mat[4] + mat[8] > 0) {
    q[0] = 0.5 * sqrt(1 + mat[0] + mat[4] + mat[8]);
    q[1] = 0.25 * (mat[7] - mat[5]) / q[0];
    q[2] = 0.25 * (mat[2] - mat[6]) / q[0];
    q[3] = 0.25 * (mat[3] - mat[1]) / q[0];
  } else if (mat[0] > mat[4] && mat[0] > mat[8]) {
    q[1] = 0.5 * sqrt(1 + mat[0] - mat[4] - mat[8]);
    q[0] = 0.25 * (mat[7] - mat[5]) / q[1];
    q[2] = 0.25 * (mat[1] + mat[3]) / q[1];
    q[3] = 0.25 * (mat[2] + mat[6]) / q[1];
  } else if (mat[4] > mat[8]) {
    q[2] = 0.5 * sqrt(1 - mat[0] + mat[4] - mat[8]);
    q[0] = 0.25 * (mat[2] - mat[6]) / q[2];
    q[1] = 0.25 * (mat[1] + mat[3]) / q[2];
    q[3] = 0.25 * (mat[5] + mat[7]) / q[2];
  } else {
    q[3] = 0.5 * sqrt(1 - mat[0] - mat[4] + mat[8]);
    q[0] = 0.25 * (mat[3] - mat[1]) / q[3];
    q[1] = 0.25 * (mat[2] + mat[6]) / q[3];
    q[2] = 0.25 * (mat[5] + mat[7]) / q[3];
  }
  quat_normalize(q);
  quat_copy(quat, q);
}

// vel is in the global frame: q' = 1/2 (0, vel) q
void mju_derivQuat(mjtNum res[4], const mjtNum quat[4], const mjtNum vel[3]) {
  double rate[4] = {0, vel[0], vel[1], vel[2]}, product[4];
  quat_mul(product, rate, quat);
  for (int i = 0; i < 4; i++) res[i] = 0.5 * product[i];
}

void mju_quatIntegrate(mjtNum quat[4], const mjtNum vel[3], mjtNum scale) {
  quat_integrate(quat, vel, scale);
}

// Below this sine vec counts as parallel to z: the axis would be all rounding.
static const double kParallelSine = 1e-10;

// The axis is z x vec; its length is the sine of the angle when vec is normalized.
void mju_quatZ2Vec(mjtNum quat[4], const mjtNum vec[3]) {
  double unit[3], axis[3], z[3] = {0, 0, 1};
  quat_identity(quat);
  vec3_copy(unit, vec);
  if (vec3_normalize(unit) < mjMINVAL) return;
  vec3_cross(axis, z, unit);
  double sine = vec3_normalize(axis);
  if (sine < kParallelSine) {
    if (unit[2] < 0) quat_set(quat, 0, 1, 0, 0);
    return;
  }
  quat_from_axis_angle(quat, axis, sn_atan2(sine, unit[2]));
}

// Rotates q until R(q)' A is symmetric (polar decomposition). With columns r_i of R and a_i of A,
// the rotation vector of each step is (sum r_i x a_i) / (sum r_i . a_i).
int mju_mat2Rot(mjtNum quat[4], const mjtNum mat[9]) {
  const double tolerance = 1e-9;  // on the angle of a step
  int iteration = 0;
  for (; iteration < 500; iteration++) {
    double rot[9], omega[3] = {0, 0, 0}, trace = 0;
    quat_to_mat(rot, quat);
    for (int i = 0; i < 3; i++) {
      double r[3], a[3], c[3];
      mat3_column(r, rot, i);
      mat3_column(a, mat, i);
      vec3_cross(c, r, a);
      vec3_add(omega, omega, c);
      trace += vec3_dot(r, a);
    }
    vec3_scale(omega, omega, 1 / (fabs(trace) + mjMINVAL));
    double angle = vec3_normalize(omega);
    if (angle < tolerance) break;
    double step[4];
    quat_from_axis_angle(step, omega, angle);
    quat_mul(quat, step, quat);
    quat_normalize(quat);
  }
  return iteration;
}

// Lower-case axes turn with the frame (right product), upper-case ones stay (left product).
void mju_euler2Quat(mjtNum quat[4], const mjtNum euler[3], const char* seq) {
  static const char axes[] = "xyzXYZ";
  if (!seq || strlen(seq) != 3) {
    mju_error("mju_euler2Quat: seq must contain exactly 3 characters");
    return;
  }
  double q[4] = {1, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    const char* place = strchr(axes, seq[i]);
    if (!place) {
      mju_error("mju_euler2Quat: seq[%d] is '%c', should be one of x, y, z, X, Y, Z", i, seq[i]);
      return;
    }
    int letter = (int)(place - axes);
    double axis[3] = {0, 0, 0}, turn[4];
    axis[letter % 3] = 1;
    quat_from_axis_angle(turn, axis, euler[i]);
    if (letter < 3) {
      quat_mul(q, q, turn);
    } else {
      quat_mul(q, turn, q);
    }
  }
  quat_copy(quat, q);
}

// ---- poses: x -> pos + R(quat) x

void mju_mulPose(mjtNum posres[3], mjtNum quatres[4], const mjtNum pos1[3], const mjtNum quat1[4],
                 const mjtNum pos2[3], const mjtNum quat2[4]) {
  double pos[3], quat[4];
  quat_mul(quat, quat1, quat2);
  quat_normalize(quat);
  quat_rotate(pos, pos2, quat1);
  vec3_add(posres, pos, pos1);
  quat_copy(quatres, quat);
}

void mju_negPose(mjtNum posres[3], mjtNum quatres[4], const mjtNum pos[3], const mjtNum quat[4]) {
  double inverse[4], moved[3];
  quat_conj(inverse, quat);
  quat_rotate(moved, pos, inverse);
  vec3_neg(posres, moved);
  quat_copy(quatres, inverse);
}

void mju_trnVecPose(mjtNum res[3], const mjtNum pos[3], const mjtNum quat[4], const mjtNum vec[3]) {
  double rotated[3];
  quat_rotate(rotated, vec, quat);
  vec3_add(res, rotated, pos);
}
