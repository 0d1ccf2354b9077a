// Small vectors, inlined into the kernels of every room: 3-vectors, 3x3 matrices (row-major),
// quaternions (w, x, y, z), spatial 6-vectors (rotation first) and 10-number inertias.
// Results may alias arguments everywhere. Sums run left to right.
#ifndef SINEW_ALGEBRA_SMALL_H_
#define SINEW_ALGEBRA_SMALL_H_

#include <math.h>

#include "base/base.h"

// ---- 3-vectors

SN_INLINE void vec3_set(double* r, double x, double y, double z) {
  r[0] = x;
  r[1] = y;
  r[2] = z;
}

SN_INLINE void vec3_zero(double* r) { vec3_set(r, 0, 0, 0); }
SN_INLINE void vec3_copy(double* r, const double* a) { vec3_set(r, a[0], a[1], a[2]); }
SN_INLINE void vec3_neg(double* r, const double* a) { vec3_set(r, -a[0], -a[1], -a[2]); }

SN_INLINE void vec3_add(double* r, const double* a, const double* b) {
  vec3_set(r, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}

SN_INLINE void vec3_sub(double* r, const double* a, const double* b) {
  vec3_set(r, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

SN_INLINE void vec3_scale(double* r, const double* a, double s) {
  vec3_set(r, a[0] * s, a[1] * s, a[2] * s);
}

// r = a + b*s
SN_INLINE void vec3_add_scaled(double* r, const double* a, const double* b, double s) {
  vec3_set(r, a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s);
}

SN_INLINE double vec3_dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SN_INLINE double vec3_norm(const double* a) { return sqrt(vec3_dot(a, a)); }

// is every component 0 or -0: all bits but the sign are clear
SN_INLINE bool vec3_is_zero(const double* a) {
  uint64_t bits[3];
  memcpy(bits, a, sizeof bits);
  return ((bits[0] | bits[1] | bits[2]) << 1) == 0;
}

SN_INLINE double vec3_dist(const double* a, const double* b) {
  double d[3];
  vec3_sub(d, a, b);
  return vec3_norm(d);
}

SN_INLINE void vec3_cross(double* r, const double* a, const double* b) {
  vec3_set(r, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

// Returns the length before normalization. A vector shorter than mjMINVAL becomes the x axis.
SN_INLINE double vec3_normalize(double* a) {
  double norm = vec3_norm(a);
  if (norm < mjMINVAL) {
    vec3_set(a, 1, 0, 0);
  } else {
    vec3_scale(a, a, 1 / norm);
  }
  return norm;
}

// ---- 3x3 matrices

SN_INLINE void mat3_copy(double* r, const double* a) { memcpy(r, a, 9 * sizeof *r); }

SN_INLINE void mat3_identity(double* r) {
  vec3_set(r, 1, 0, 0);
  vec3_set(r + 3, 0, 1, 0);
  vec3_set(r + 6, 0, 0, 1);
}

// r = A v
SN_INLINE void mat3_mul_vec(double* r, const double* a, const double* v) {
  vec3_set(r, vec3_dot(a, v), vec3_dot(a + 3, v), vec3_dot(a + 6, v));
}

// r = A' v
SN_INLINE void mat3_mulT_vec(double* r, const double* a, const double* v) {
  vec3_set(r, a[0] * v[0] + a[3] * v[1] + a[6] * v[2], a[1] * v[0] + a[4] * v[1] + a[7] * v[2],
           a[2] * v[0] + a[5] * v[1] + a[8] * v[2]);
}

// r = A B
SN_INLINE void mat3_mul(double* r, const double* a, const double* b) {
  double c[9];
  for (int i = 0; i < 9; i += 3) {
    for (int j = 0; j < 3; j++) c[i + j] = a[i] * b[j] + a[i + 1] * b[3 + j] + a[i + 2] * b[6 + j];
  }
  mat3_copy(r, c);
}

// r = A B'
SN_INLINE void mat3_mul_T(double* r, const double* a, const double* b) {
  double c[9];
  for (int i = 0; i < 9; i += 3) {
    for (int j = 0; j < 3; j++) c[i + j] = vec3_dot(a + i, b + 3 * j);
  }
  mat3_copy(r, c);
}

// r = A' B
SN_INLINE void mat3_mulT(double* r, const double* a, const double* b) {
  double c[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
  }
  mat3_copy(r, c);
}

SN_INLINE void mat3_transpose(double* r, const double* a) {
  double c[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
  mat3_copy(r, c);
}

// column i
SN_INLINE void mat3_column(double* r, const double* a, int i) {
  vec3_set(r, a[i], a[3 + i], a[6 + i]);
}

// ---- quaternions

SN_INLINE void quat_set(double* r, double w, double x, double y, double z) {
  r[0] = w;
  r[1] = x;
  r[2] = y;
  r[3] = z;
}

SN_INLINE void quat_copy(double* r, const double* q) { quat_set(r, q[0], q[1], q[2], q[3]); }
SN_INLINE void quat_identity(double* r) { quat_set(r, 1, 0, 0, 0); }
SN_INLINE void quat_conj(double* r, const double* q) { quat_set(r, q[0], -q[1], -q[2], -q[3]); }

SN_INLINE void quat_mul(double* r, const double* p, const double* q) {
  quat_set(r, p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
           p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
           p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
           p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]);
}

// q (0, axis)
SN_INLINE void quat_mul_axis(double* r, const double* q, const double* axis) {
  quat_set(r, -q[1] * axis[0] - q[2] * axis[1] - q[3] * axis[2],
           q[0] * axis[0] + q[2] * axis[2] - q[3] * axis[1],
           q[0] * axis[1] + q[3] * axis[0] - q[1] * axis[2],
           q[0] * axis[2] + q[1] * axis[1] - q[2] * axis[0]);
}

// Returns the length before normalization. A quaternion shorter than mjMINVAL becomes the identity;
// one whose length is 1 within mjMINVAL stays as it is, so that repeated calls change no bits.
SN_INLINE double quat_normalize(double* q) {
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (norm < mjMINVAL) {
    quat_identity(q);
  } else if (fabs(norm - 1) > mjMINVAL) {
    double s = 1 / norm;
    quat_set(q, q[0] * s, q[1] * s, q[2] * s, q[3] * s);
  }
  return norm;
}

// v + 2 u x (w v + u x v), where q = (w, u)
SN_INLINE void quat_rotate(double* r, const double* v, const double* q) {
  double t[3] = {q[0] * v[0] + q[2] * v[2] - q[3] * v[1], q[0] * v[1] + q[3] * v[0] - q[1] * v[2],
                 q[0] * v[2] + q[1] * v[1] - q[2] * v[0]};
  vec3_set(r, v[0] + 2 * (q[2] * t[2] - q[3] * t[1]), v[1] + 2 * (q[3] * t[0] - q[1] * t[2]),
           v[2] + 2 * (q[1] * t[1] - q[2] * t[0]));
}

SN_INLINE void quat_to_mat(double* r, const double* q) {
  double ww = q[0] * q[0], wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
  double xx = q[1] * q[1], xy = q[1] * q[2], xz = q[1] * q[3];
  double yy = q[2] * q[2], yz = q[2] * q[3], zz = q[3] * q[3];
  vec3_set(r, ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy));
  vec3_set(r + 3, 2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx));
  vec3_set(r + 6, 2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz);
}

SN_INLINE void quat_from_axis_angle(double* r, const double* axis, double angle) {
  if (angle == 0) {
    quat_identity(r);
    return;
  }
  double s, c;
  sn_sincos(0.5 * angle, &s, &c);
  quat_set(r, c, axis[0] * s, axis[1] * s, axis[2] * s);
}

// q = q exp(vel scale), vel in the frame of the body
SN_INLINE void quat_integrate(double* q, const double* vel, double scale) {
  double axis[3], step[4];
  vec3_copy(axis, vel);
  double angle = scale * vec3_normalize(axis);
  quat_from_axis_angle(step, axis, angle);
  quat_normalize(q);
  quat_mul(q, q, step);
}

// ---- spatial vectors: motion (w, v), force (torque, f), both about the same point

SN_INLINE void vec6_zero(double* r) { memset(r, 0, 6 * sizeof *r); }
SN_INLINE void vec6_copy(double* r, const double* a) { memcpy(r, a, 6 * sizeof *r); }

SN_INLINE void vec6_add(double* r, const double* a, const double* b) {
  for (int i = 0; i < 6; i++) r[i] = a[i] + b[i];
}

// r = a + b*s
SN_INLINE void vec6_add_scaled(double* r, const double* a, const double* b, double s) {
  for (int i = 0; i < 6; i++) r[i] = a[i] + b[i] * s;
}

SN_INLINE double vec6_dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// vel x m: (w x mw, w x mv + v x mw)
SN_INLINE void spatial_cross_motion(double* r, const double* vel, const double* m) {
  double a[3], b[3], c[3];
  vec3_cross(a, vel, m);
  vec3_cross(b, vel, m + 3);
  vec3_cross(c, vel + 3, m);
  vec3_copy(r, a);
  vec3_add(r + 3, b, c);
}

// ---- spatial inertia: (Ixx, Iyy, Izz, Ixy, Ixz, Iyz, m cx, m cy, m cz, m) about a point; c is the
// body's center of mass relative to that point

// I (w, v) = (J w + mc x v, m v - mc x w)
SN_INLINE void inertia_mul(double* r, const double* I, const double* vel) {
  double a[6];
  a[0] = I[0] * vel[0] + I[3] * vel[1] + I[4] * vel[2] - I[8] * vel[4] + I[7] * vel[5];
  a[1] = I[3] * vel[0] + I[1] * vel[1] + I[5] * vel[2] + I[8] * vel[3] - I[6] * vel[5];
  a[2] = I[4] * vel[0] + I[5] * vel[1] + I[2] * vel[2] - I[7] * vel[3] + I[6] * vel[4];
  a[3] = I[8] * vel[1] - I[7] * vel[2] + I[9] * vel[3];
  a[4] = I[6] * vel[2] - I[8] * vel[0] + I[9] * vel[4];
  a[5] = I[7] * vel[0] - I[6] * vel[1] + I[9] * vel[5];
  vec6_copy(r, a);
}

SN_INLINE void inertia_add(double* r, const double* a, const double* b) {
  for (int i = 0; i < 10; i++) r[i] = a[i] + b[i];
}

// From principal moments, their frame `mat`, the offset c of the center of mass, and the mass m:
// J = R diag(d) R' + m (|c|^2 1 - c c')
SN_INLINE void inertia_from_com(double* r, const double* diagonal, const double* mat,
                                const double* c, double mass) {
  double s[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) s[3 * i + j] = mat[3 * i + j] * diagonal[j];
  }
  r[0] = vec3_dot(s, mat) + mass * (c[1] * c[1] + c[2] * c[2]);
  r[1] = vec3_dot(s + 3, mat + 3) + mass * (c[0] * c[0] + c[2] * c[2]);
  r[2] = vec3_dot(s + 6, mat + 6) + mass * (c[0] * c[0] + c[1] * c[1]);
  r[3] = vec3_dot(s, mat + 3) - mass * c[0] * c[1];
  r[4] = vec3_dot(s, mat + 6) - mass * c[0] * c[2];
  r[5] = vec3_dot(s + 3, mat + 6) - mass * c[1] * c[2];
  vec3_scale(r + 6, c, mass);
  r[9] = mass;
}

// ---- long vectors: blocks of four in SIMD lanes, then the remaining entries in order

SN_INLINE double vec_dot(const double* a, const double* b, int n) {
  sn4 sum = sn4_set1(0);
  int i = 0;
  for (; i <= n - 4; i += 4) sum += sn4_load(a + i) * sn4_load(b + i);
  double r = sn4_sum(sum);
  for (; i < n; i++) r += a[i] * b[i];
  return r;
}

// r += a*s
SN_INLINE void vec_add_scaled(double* r, const double* a, double s, int n) {
  sn4 s4 = sn4_set1(s);
  int i = 0;
  for (; i <= n - 4; i += 4) sn4_store(r + i, sn4_load(r + i) + sn4_load(a + i) * s4);
  for (; i < n; i++) r[i] += a[i] * s;
}

// short ones: a call of memcpy takes longer
SN_INLINE void vec_copy(double* r, const double* a, int n) {
  int i = 0;
  for (; i <= n - 4; i += 4) sn4_store(r + i, sn4_load(a + i));
  for (; i < n; i++) r[i] = a[i];
}

SN_INLINE void vec_scale(double* r, const double* a, double s, int n) {
  sn4 s4 = sn4_set1(s);
  int i = 0;
  for (; i <= n - 4; i += 4) sn4_store(r + i, sn4_load(a + i) * s4);
  for (; i < n; i++) r[i] = a[i] * s;
}

#endif
