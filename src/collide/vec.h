// 3-vectors by value, so that geometry reads like its formulas. Matrices are row-major mjtNum[9]
// whose columns are the axes of the frame.
#ifndef SINEW_COLLIDE_VEC_H_
#define SINEW_COLLIDE_VEC_H_

#include <math.h>

#include "base/base.h"

typedef struct snVec_ {
  double x, y, z;
} snVec;

SN_INLINE snVec v3(double x, double y, double z) { return (snVec){x, y, z}; }
SN_INLINE snVec v_of(const double* p) { return (snVec){p[0], p[1], p[2]}; }
SN_INLINE snVec v_of_float(const float* p) { return (snVec){p[0], p[1], p[2]}; }
SN_INLINE void v_store(double* p, snVec a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
SN_INLINE snVec v_add(snVec a, snVec b) { return (snVec){a.x + b.x, a.y + b.y, a.z + b.z}; }
SN_INLINE snVec v_sub(snVec a, snVec b) { return (snVec){a.x - b.x, a.y - b.y, a.z - b.z}; }
SN_INLINE snVec v_scale(snVec a, double s) { return (snVec){a.x * s, a.y * s, a.z * s}; }
SN_INLINE snVec v_neg(snVec a) { return (snVec){-a.x, -a.y, -a.z}; }
// a + s b
SN_INLINE snVec v_along(snVec a, double s, snVec b) {
  return (snVec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
SN_INLINE double v_dot(snVec a, snVec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SN_INLINE snVec v_cross(snVec a, snVec b) {
  return (snVec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SN_INLINE double v_norm2(snVec a) { return v_dot(a, a); }
SN_INLINE double v_norm(snVec a) { return sqrt(v_dot(a, a)); }
SN_INLINE double v_get(snVec a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }
SN_INLINE void v_set(snVec* a, int i, double value) {
  if (i == 0)
    a->x = value;
  else if (i == 1)
    a->y = value;
  else
    a->z = value;
}

// Normalize and return the length; a vector shorter than mjMINVAL becomes the x axis.
SN_INLINE double v_normalize(snVec* a) {
  double length = v_norm(*a);
  *a = length < mjMINVAL ? v3(1, 0, 0) : v_scale(*a, 1 / length);
  return length;
}

SN_INLINE double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// column i of R
SN_INLINE snVec m_axis(const double* R, int i) { return (snVec){R[i], R[3 + i], R[6 + i]}; }
// R a
SN_INLINE snVec m_mul(const double* R, snVec a) {
  return (snVec){R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
                 R[6] * a.x + R[7] * a.y + R[8] * a.z};
}
// R' a
SN_INLINE snVec m_mul_t(const double* R, snVec a) {
  return (snVec){R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                 R[2] * a.x + R[5] * a.y + R[8] * a.z};
}

#endif
