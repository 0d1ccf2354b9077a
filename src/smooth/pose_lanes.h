// Quaternions and poses in SIMD lanes, and frames fixed to bodies posed four at a time.
//
// Sums go in the released order everywhere (quaternion products by the left factor, rotation
// matrices by quat4_entries): contacts of parts placed by their sizes depend on the last bit of a
// pose.
#ifndef SINEW_SMOOTH_POSE_LANES_H_
#define SINEW_SMOOTH_POSE_LANES_H_

#include "algebra/algebra.h"

SN_INLINE sn4 sn4_flip(sn4 a, sn4i signs) { return (sn4)((sn4i)a ^ signs); }

// The quaternion product p q, each (w, x, y, z), summed in the order of p's components. p is read
// from memory one number at a time: a broadcast load is cheaper than a shuffle.
SN_INLINE sn4 quat4_mul(const double* p, sn4 q) {
  const long long n = (long long)(1ULL << 63);
  sn4 x = sn4_flip(__builtin_shufflevector(q, q, 1, 0, 3, 2), (sn4i){n, 0, n, 0});
  sn4 y = sn4_flip(__builtin_shufflevector(q, q, 2, 3, 0, 1), (sn4i){n, 0, 0, n});
  sn4 z = sn4_flip(__builtin_shufflevector(q, q, 3, 2, 1, 0), (sn4i){n, n, 0, 0});
  return sn4_set1(p[0]) * q + sn4_set1(p[1]) * x + sn4_set1(p[2]) * y + sn4_set1(p[3]) * z;
}

typedef double sn2 __attribute__((vector_size(16)));

// A rotation by columns; the fourth lane of each is unused.
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
  return R.x * sn4_set1(v[0]) + R.y * sn4_set1(v[1]) + R.z * sn4_set1(v[2]);
}

// x + R v for a pose in scratch memory: 16 numbers, the columns of R and x.
SN_INLINE sn4 pose_apply(const double* pose, const double* v) {
  return sn4_load(pose + 12) + turn_apply(turn_load(pose), v);
}

SN_INLINE void sn4_store3(double* p, sn4 v) {
  sn2 low = __builtin_shufflevector(v, v, 0, 1);
  memcpy(p, &low, sizeof low);
  p[2] = v[2];
}

// R(q) for a unit quaternion in memory. Off the diagonal 2 (xy, yz, zx) +- 2 w (z, x, y), `plus`
// below it and `minus` above it, with indices modulo three; on the diagonal w^2 +- x^2 +- y^2 +-
// z^2, which is exactly 0 or +-1 for quarter turns: feet placed on the floor by their sizes are
// exactly on it.
typedef struct snEntries_ {
  sn4 plus, minus, diagonal;  // (10, 21, 02), (01, 12, 20), (00, 11, 22)
} snEntries;

SN_INLINE snEntries quat4_entries(const double* q) {
  const long long n = (long long)(1ULL << 63);
  sn4 q4 = sn4_load(q);
  sn4 xyz = __builtin_shufflevector(q4, q4, 1, 2, 3, 0);
  sn4 yzx = __builtin_shufflevector(q4, q4, 2, 3, 1, 0);
  sn4 zxy = __builtin_shufflevector(q4, q4, 3, 1, 2, 0);
  sn4 product = (xyz + xyz) * yzx, turn = zxy * sn4_set1(q[0] + q[0]);
  sn4 d = sn4_set1(q[0] * q[0]) + sn4_flip(sn4_set1(q[1] * q[1]), (sn4i){0, n, n, n});
  d += sn4_flip(sn4_set1(q[2] * q[2]), (sn4i){n, 0, n, n});
  d += sn4_flip(sn4_set1(q[3] * q[3]), (sn4i){n, n, 0, n});
  return (snEntries){product + turn, product - turn, d};
}

SN_INLINE snTurn entries_columns(snEntries e) {
  sn4 p = e.plus, m = e.minus, d = e.diagonal;
  sn4 dp = __builtin_shufflevector(d, p, 0, 4, 1, 5),
      pm = __builtin_shufflevector(p, m, 2, 5, 2, 5);
  sn4 md = __builtin_shufflevector(m, d, 0, 5, 2, 7);
  return (snTurn){__builtin_shufflevector(dp, m, 0, 1, 6, 7),
                  __builtin_shufflevector(md, dp, 0, 1, 7, 3),
                  __builtin_shufflevector(pm, d, 0, 1, 6, 7)};
}

// Store as a row-major matrix.
SN_INLINE void entries_store(double* mat, snEntries e) {
  sn4 p = e.plus, m = e.minus, d = e.diagonal;
  sn4 dm = __builtin_shufflevector(d, m, 0, 4, 1, 5),
      pp = __builtin_shufflevector(p, p, 2, 0, 1, 1);
  sn4_store(mat, __builtin_shufflevector(dm, pp, 0, 1, 4, 5));
  sn4 mp = __builtin_shufflevector(m, pp, 2, 6, 2, 6);
  sn4_store(mat + 4, __builtin_shufflevector(dm, mp, 2, 3, 4, 5));
  mat[8] = d[2];
}

// R(q) for four unit quaternions, one in each lane, with the sums of quat4_entries: R[3 r + c].
SN_INLINE void four_turns(sn4 R[9], sn4 w, sn4 x, sn4 y, sn4 z) {
  sn4 ww = w * w, xx = x * x, yy = y * y, zz = z * z, w2 = w + w;
  sn4 x2 = x + x, z2 = z + z, wx = x * w2, wy = y * w2, wz = z * w2;
  sn4 xy = x2 * y, xz = z2 * x, yz = z2 * y;
  R[0] = ((ww + xx) - yy) - zz, R[1] = xy - wz, R[2] = xz + wy;
  R[3] = xy + wz, R[4] = ((ww - xx) + yy) - zz, R[5] = yz - wx;
  R[6] = xz - wy, R[7] = yz + wx, R[8] = ((ww - xx) - yy) + zz;
}

// R(Q q) of four frames i in bodies b, with the sums of quat4_mul and quat4_entries.
SN_INLINE void four_frames(double* xmat, const double* xquat, const double* quat, const int i[4],
                           const int b[4]) {
  sn4 p0 = sn4_load(xquat + 4 * b[0]), p1 = sn4_load(xquat + 4 * b[1]);
  sn4 p2 = sn4_load(xquat + 4 * b[2]), p3 = sn4_load(xquat + 4 * b[3]);
  sn4 q0 = sn4_load(quat + 4 * i[0]), q1 = sn4_load(quat + 4 * i[1]);
  sn4 q2 = sn4_load(quat + 4 * i[2]), q3 = sn4_load(quat + 4 * i[3]), R[9];
  sn4_transpose(&p0, &p1, &p2, &p3);
  sn4_transpose(&q0, &q1, &q2, &q3);
  four_turns(R, p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3, p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
             p0 * q2 - p1 * q3 + p2 * q0 + p3 * q1, p0 * q3 + p1 * q2 - p2 * q1 + p3 * q0);
  sn4_transpose(&R[0], &R[1], &R[2], &R[3]);
  sn4_transpose(&R[4], &R[5], &R[6], &R[7]);
  SN_UNROLL
  for (int k = 0; k < 4; k++) {
    double* mat = xmat + 9 * i[k];
    sn4_store(mat, R[k]);
    sn4_store(mat + 4, R[4 + k]);
    mat[8] = R[8][k];
  }
}

// Four frames from i on, none of which coincides with a frame of its body.
SN_INLINE void frames_abreast(const mjData* d, const double* pose, double* xpos, double* xmat,
                              const double* pos, const double* quat, const int* body, int i) {
  int b[4] = {i, i + 1, i + 2, i + 3};
  if (body) memcpy(b, body + i, sizeof b);
  SN_UNROLL
  for (int k = 0; k < 4; k++) {
    sn4_store3(xpos + 3 * i + 3 * k, pose_apply(pose + 16 * b[k], pos + 3 * i + 3 * k));
  }
  four_frames(xmat + 9 * i, d->xquat, quat + 4 * i, (int[4]){0, 1, 2, 3}, b);
}

// Pose the frames fixed to bodies, from first to num (body NULL: frame i of body i); `pose` has the
// poses of the bodies. A frame that coincides with the frame or the inertial frame of its body is
// copied; for others x + R(Q) p and R(Q q), with the body's pose x, Q. Rotations wait until there
// are four, which go through SIMD lanes together; a single one is computed alone. Where the last
// frames all have rotations of their own they go first, four adjacent ones at a time.
SN_INLINE void frames_in_bodies(const mjData* d, const double* pose, double* xpos, double* xmat,
                                const double* pos, const double* quat, const int* body,
                                const mjtByte* sameframe, int first, int num) {
  const double *body_xpos = d->xpos, *body_xquat = d->xquat, *body_xmat = d->xmat;
  const double *body_xipos = d->xipos, *body_ximat = d->ximat;
  int frame[4], of[4], waiting = 0;
  for (uint32_t same4 = 0; num - first >= 4; num -= 4) {
    memcpy(&same4, sameframe + num - 4, sizeof same4);
    if (same4) break;  // mjSAMEFRAME_NONE is 0
    frames_abreast(d, pose, xpos, xmat, pos, quat, body, num - 4);
  }
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
      frame[waiting] = i;
      of[waiting] = b;
      if (++waiting < 4) continue;
      four_frames(xmat, body_xquat, quat, frame, of);
      waiting = 0;
    } else {
      memcpy(mat, (same == mjSAMEFRAME_BODYROT ? body_xmat : body_ximat) + 9 * b,
             9 * sizeof(double));
    }
  }
  if (waiting == 1) {
    double q[4];
    sn4_store(q, quat4_mul(body_xquat + 4 * of[0], sn4_load(quat + 4 * frame[0])));
    entries_store(xmat + 9 * frame[0], quat4_entries(q));
  } else if (waiting) {
    for (int k = waiting; k < 4; k++) frame[k] = frame[0], of[k] = of[0];
    four_frames(xmat, body_xquat, quat, frame, of);
  }
}

#endif
