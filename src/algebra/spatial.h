// Small fixed-size algebra inlined into the kernels: 3-vectors, quaternions, rotations, and spatial
// 6-vectors [rotation; translation]. Results may alias inputs unless said otherwise.
#ifndef SINEW_ALGEBRA_SPATIAL_H_
#define SINEW_ALGEBRA_SPATIAL_H_

#include <math.h>

#include "base/base.h"

// ---- 3-vectors
SN_INLINE void v3_zero(double* r) { r[0] = r[1] = r[2] = 0; }

SN_INLINE void v3_copy(double* r, const double* a) {
  double x = a[0], y = a[1], z = a[2];
  r[0] = x, r[1] = y, r[2] = z;
}

SN_INLINE void v3_add(double* r, const double* a, const double* b) {
  double x = a[0] + b[0], y = a[1] + b[1], z = a[2] + b[2];
  r[0] = x, r[1] = y, r[2] = z;
}

SN_INLINE void v3_sub(double* r, const double* a, const double* b) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  r[0] = x, r[1] = y, r[2] = z;
}

SN_INLINE void v3_scale(double* r, const double* a, double s) {
  double x = a[0] * s, y = a[1] * s, z = a[2] * s;
  r[0] = x, r[1] = y, r[2] = z;
}

SN_INLINE void v3_add_scaled(double* r, const double* a, double s) {
  double x = r[0] + a[0] * s, y = r[1] + a[1] * s, z = r[2] + a[2] * s;
  r[0] = x, r[1] = y, r[2] = z;
}

SN_INLINE double v3_dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SN_INLINE double v3_norm(const double* a) { return sqrt(v3_dot(a, a)); }

SN_INLINE void v3_cross(double* r, const double* a, const double* b) {
  double x = a[1] * b[2] - a[2] * b[1];
  double y = a[2] * b[0] - a[0] * b[2];
  double z = a[0] * b[1] - a[1] * b[0];
  r[0] = x, r[1] = y, r[2] = z;
}

// Unit vector in place; the x axis when too short. Returns the length.
SN_INLINE double v3_normalize(double* r) {
  double length = v3_norm(r);
  if (length < mjMINVAL) {
    r[0] = 1, r[1] = r[2] = 0;
  } else {
    v3_scale(r, r, 1 / length);
  }
  return length;
}

// ---- quaternions (w, x, y, z)
SN_INLINE void q_copy(double* r, const double* a) {
  double w = a[0], x = a[1], y = a[2], z = a[3];
  r[0] = w, r[1] = x, r[2] = y, r[3] = z;
}

SN_INLINE void q_mul(double* r, const double* a, const double* b) {
  double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  r[0] = w, r[1] = x, r[2] = y, r[3] = z;
}

// Unit quaternion in place; identity when too short.
SN_INLINE void q_normalize(double* r) {
  double square = (r[0] * r[0] + r[1] * r[1]) + (r[2] * r[2] + r[3] * r[3]);
  double length = sqrt(square);
  if (length < mjMINVAL) {
    r[0] = 1, r[1] = r[2] = r[3] = 0;
  } else if (fabs(length - 1) > mjMINVAL) {
    double s = 1 / length;
    r[0] *= s, r[1] *= s, r[2] *= s, r[3] *= s;
  }
}

// r = v + 2 u x (u x v + w v), where q = (w, u)
SN_INLINE void q_rotate(double* r, const double* q, const double* v) {
  double t[3] = {q[0] * v[0] + q[2] * v[2] - q[3] * v[1],
                 q[0] * v[1] + q[3] * v[0] - q[1] * v[2],
                 q[0] * v[2] + q[1] * v[1] - q[2] * v[0]};
  double c[3];
  v3_cross(c, q + 1, t);
  r[0] = v[0] + 2 * c[0], r[1] = v[1] + 2 * c[1], r[2] = v[2] + 2 * c[2];
}

SN_INLINE void q_to_mat(double* r, const double* q) {
  double x2 = q[1] + q[1], y2 = q[2] + q[2], z2 = q[3] + q[3];
  double xx = q[1] * x2, xy = q[1] * y2, xz = q[1] * z2;
  double yy = q[2] * y2, yz = q[2] * z2, zz = q[3] * z2;
  double wx = q[0] * x2, wy = q[0] * y2, wz = q[0] * z2;
  r[0] = 1 - (yy + zz), r[1] = xy - wz, r[2] = xz + wy;
  r[3] = xy + wz, r[4] = 1 - (xx + zz), r[5] = yz - wx;
  r[6] = xz - wy, r[7] = yz + wx, r[8] = 1 - (xx + yy);
}

// ---- 3x3 matrices, by rows
SN_INLINE void m3_copy(double* r, const double* a) { memmove(r, a, 9 * sizeof(double)); }

SN_INLINE void m3_mul_vec(double* r, const double* a, const double* v) {
  double x = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
  double y = a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
  double z = a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
  r[0] = x, r[1] = y, r[2] = z;
}

SN_INLINE void m3_tmul_vec(double* r, const double* a, const double* v) {
  double x = a[0] * v[0] + a[3] * v[1] + a[6] * v[2];
  double y = a[1] * v[0] + a[4] * v[1] + a[7] * v[2];
  double z = a[2] * v[0] + a[5] * v[1] + a[8] * v[2];
  r[0] = x, r[1] = y, r[2] = z;
}

// r must not alias a or b
SN_INLINE void m3_mul(double* r, const double* a, const double* b) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    }
  }
}

// ---- spatial vectors: motion [omega; v], force [torque; f], both about the same point
SN_INLINE void s6_zero(double* r) { memset(r, 0, 6 * sizeof(double)); }
SN_INLINE void s6_copy(double* r, const double* a) { memmove(r, a, 6 * sizeof(double)); }

SN_INLINE void s6_add_scaled(double* r, const double* a, double s) {
  for (int i = 0; i < 6; i++) r[i] += a[i] * s;
}

SN_INLINE double s6_dot(const double* a, const double* b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// motion x motion: [w x a; w x b + v x a]; r must not alias
SN_INLINE void s6_cross_motion(double* r, const double* v, const double* m) {
  double c[3];
  v3_cross(r, v, m);
  v3_cross(r + 3, v, m + 3);
  v3_cross(c, v + 3, m);
  v3_add(r + 3, r + 3, c);
}

// motion x* force: [w x t + v x f; w x f]; r must not alias
SN_INLINE void s6_cross_force(double* r, const double* v, const double* f) {
  double c[3];
  v3_cross(r, v, f);
  v3_cross(c, v + 3, f + 3);
  v3_add(r, r, c);
  v3_cross(r + 3, v, f + 3);
}

// Spatial inertia about a point: I (xx, yy, zz, xy, xz, yz), h = m (com - point), m.
// [I w + h x v; m v - h x w]; r must not alias
SN_INLINE void s6_inertia_mul(double* r, const double* in, const double* m) {
  r[0] = in[0] * m[0] + in[3] * m[1] + in[4] * m[2] + (in[7] * m[5] - in[8] * m[4]);
  r[1] = in[3] * m[0] + in[1] * m[1] + in[5] * m[2] + (in[8] * m[3] - in[6] * m[5]);
  r[2] = in[4] * m[0] + in[5] * m[1] + in[2] * m[2] + (in[6] * m[4] - in[7] * m[3]);
  r[3] = in[9] * m[3] + (in[8] * m[1] - in[7] * m[2]);
  r[4] = in[9] * m[4] + (in[6] * m[2] - in[8] * m[0]);
  r[5] = in[9] * m[5] + (in[7] * m[0] - in[6] * m[1]);
}

// Spatial inertia about the point at com - offset, of a body with principal moments `diag` in the
// frame `mat`: R diag R' + m (o.o 1 - o o').
SN_INLINE void s6_inertia(double* r, const double* diag, const double* mat, const double* offset,
                          double mass) {
  double t[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) t[3 * i + j] = mat[3 * i + j] * diag[j];
  }
  double hx = mass * offset[0], hy = mass * offset[1], hz = mass * offset[2];
  double xx = hx * offset[0], yy = hy * offset[1], zz = hz * offset[2];
  r[0] = v3_dot(t, mat) + (yy + zz);
  r[1] = v3_dot(t + 3, mat + 3) + (xx + zz);
  r[2] = v3_dot(t + 6, mat + 6) + (xx + yy);
  r[3] = v3_dot(t, mat + 3) - hx * offset[1];
  r[4] = v3_dot(t, mat + 6) - hx * offset[2];
  r[5] = v3_dot(t + 3, mat + 6) - hy * offset[2];
  r[6] = hx, r[7] = hy, r[8] = hz;
  r[9] = mass;
}

#endif
