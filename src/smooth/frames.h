// Quaternions in lanes, and frames fixed to bodies posed four at a time.
#ifndef SINEW_SMOOTH_FRAMES_H_
#define SINEW_SMOOTH_FRAMES_H_

#include "algebra/algebra.h"

SN_INLINE sn4 sn4_flip(sn4 a, sn4i signs) { return (sn4)((sn4i)a ^ signs); }

// p q, each (w, x, y, z); p is read from memory one number at a time, which spares shuffles
SN_INLINE sn4 quat4_mul(const double* p, sn4 q) {
  const long long n = (long long)(1ULL << 63);
  sn4 x = sn4_flip(__builtin_shufflevector(q, q, 1, 0, 3, 2), (sn4i){n, 0, n, 0});
  sn4 y = sn4_flip(__builtin_shufflevector(q, q, 2, 3, 0, 1), (sn4i){n, 0, 0, n});
  sn4 z = sn4_flip(__builtin_shufflevector(q, q, 3, 2, 1, 0), (sn4i){n, n, 0, 0});
  return (sn4_set1(p[0]) * q + sn4_set1(p[1]) * x) + (sn4_set1(p[2]) * y + sn4_set1(p[3]) * z);
}

typedef double sn2 __attribute__((vector_size(16)));

// A rotation by columns: three quadruples, whose last numbers mean nothing.
typedef struct snTurn_ {
  sn4 x, y, z;
} snTurn;

SN_INLINE snTurn turn_load(const double* p) {
  return (snTurn){sn4_load(p), sn4_load(p + 4), sn4_load(p + 8)};
}

SN_INLINE void turn_store(double* p, snTurn R) {
  sn4_store(p, R.x);
  sn4_store(p + 4, R.y);
  sn4_store(p + 8, R.z);
}

SN_INLINE sn4 turn_apply(snTurn R, const double* v) {
  return R.x * sn4_set1(v[0]) + (R.y * sn4_set1(v[1]) + R.z * sn4_set1(v[2]));
}

// A pose in scratch memory: 16 numbers, the columns of R and x. x + R v:
SN_INLINE sn4 pose_apply(const double* pose, const double* v) {
  return sn4_load(pose + 12) + turn_apply(turn_load(pose), v);
}

SN_INLINE void sn4_store3(double* p, sn4 v) {
  sn2 low = __builtin_shufflevector(v, v, 0, 1);
  memcpy(p, &low, sizeof low);
  p[2] = v[2];
}

// Columns and rows of R(q), q of unit length in memory. With u the vector part and e an axis:
//   column = 2 u (u.e) + 2 w (u x e),  row = 2 u (u.e) - 2 w (u x e)
// and on the diagonal w^2 +- x^2 +- y^2 +- z^2, which is 0 or 1 to the bit for quarter turns: feet
// placed on the floor by their sizes are on it.
SN_INLINE void quat4_turn(const double* q, snTurn* columns, snTurn* rows) {
  sn4 q4 = sn4_load(q), u = __builtin_shufflevector(q4, q4, 1, 2, 3, 0);
  sn4 wu = u * sn4_set1(2 * q[0]), u2 = u + u;
  sn4 d = sn4_set1(q[0] * q[0]) + sn4_set1(q[1] * q[1]) * (sn4){1, -1, -1, 0};
  d += sn4_set1(q[2] * q[2]) * (sn4){-1, 1, -1, 0};
  d += sn4_set1(q[3] * q[3]) * (sn4){-1, -1, 1, 0};
  sn4 x = u2 * (sn4_set1(q[1]) * (sn4){0, 1, 1, 0}) + d * (sn4){1, 0, 0, 0};
  sn4 y = u2 * (sn4_set1(q[2]) * (sn4){1, 0, 1, 0}) + d * (sn4){0, 1, 0, 0};
  sn4 z = u2 * (sn4_set1(q[3]) * (sn4){1, 1, 0, 0}) + d * (sn4){0, 0, 1, 0};
  sn4 wx = __builtin_shufflevector(wu, wu, 3, 2, 1, 3) * (sn4){0, 1, -1, 0};
  sn4 wy = __builtin_shufflevector(wu, wu, 2, 3, 0, 3) * (sn4){-1, 0, 1, 0};
  sn4 wz = __builtin_shufflevector(wu, wu, 1, 0, 3, 3) * (sn4){1, -1, 0, 0};
  if (columns) *columns = (snTurn){x + wx, y + wy, z + wz};
  *rows = (snTurn){x - wx, y - wy, z - wz};
}

// Nine numbers, row by row.
SN_INLINE void rows_store(double* mat, snTurn rows) {
  sn4_store(mat, rows.x);
  sn4_store(mat + 3, rows.y);
  sn4_store3(mat + 6, rows.z);
}

// rows to columns
SN_INLINE void sn4_transpose(sn4* a, sn4* b, sn4* c, sn4* d) {
  sn4 ab0 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6);
  sn4 ab1 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
  sn4 cd0 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6);
  sn4 cd1 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
  *a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  *b = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  *c = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  *d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

// Frames fixed to bodies, from first to num (body NULL: frame i of body i); `pose` has
// those of the bodies. What coincides with the frame or the inertial frame of
// the body is copied; for the others x + R(Q) p, R(Q q) with the body's pose x, Q.
SN_INLINE void frames_in_bodies(const mjData* d, const double* pose, double* xpos, double* xmat,
                                const double* pos, const double* quat, const int* body,
                                const mjtByte* sameframe, int first, int num) {
  const double *body_xpos = d->xpos, *body_xquat = d->xquat, *body_xmat = d->xmat;
  const double *body_xipos = d->xipos, *body_ximat = d->ximat;
  for (int i = first; i < num; i++) {
    int b = body ? body[i] : i, same = sameframe[i];
    double *x = xpos + 3 * i, *mat = xmat + 9 * i;
    if (same == mjSAMEFRAME_BODY || same == mjSAMEFRAME_INERTIA) {
      bool frame = same == mjSAMEFRAME_BODY;
      vec3_copy(x, (frame ? body_xpos : body_xipos) + 3 * b);
      memcpy(mat, (frame ? body_xmat : body_ximat) + 9 * b, 9 * sizeof(double));
      continue;
    }
    sn4_store3(x, pose_apply(pose + 16 * b, pos + 3 * i));
    if (same == mjSAMEFRAME_NONE) {
      double q[4];
      snTurn rows;
      sn4_store(q, quat4_mul(body_xquat + 4 * b, sn4_load(quat + 4 * i)));
      quat4_turn(q, NULL, &rows);
      rows_store(mat, rows);
    } else {
      memcpy(mat, (same == mjSAMEFRAME_BODYROT ? body_xmat : body_ximat) + 9 * b,
             9 * sizeof(double));
    }
  }
}

#endif
