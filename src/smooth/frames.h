// Quaternions in lanes, and frames fixed to bodies posed four at a time.
#ifndef SINEW_SMOOTH_FRAMES_H_
#define SINEW_SMOOTH_FRAMES_H_

#include "algebra/algebra.h"

SN_INLINE sn4 sn4_flip(sn4 a, sn4i signs) { return (sn4)((sn4i)a ^ signs); }

// p q, each (w, x, y, z)
SN_INLINE sn4 quat4_mul(sn4 p, sn4 q) {
  const long long n = (long long)(1ULL << 63);
  sn4 x = sn4_flip(__builtin_shufflevector(q, q, 1, 0, 3, 2), (sn4i){n, 0, n, 0});
  sn4 y = sn4_flip(__builtin_shufflevector(q, q, 2, 3, 0, 1), (sn4i){n, 0, 0, n});
  sn4 z = sn4_flip(__builtin_shufflevector(q, q, 3, 2, 1, 0), (sn4i){n, n, 0, 0});
  return (sn4_set1(p[0]) * q + sn4_set1(p[1]) * x) + (sn4_set1(p[2]) * y + sn4_set1(p[3]) * z);
}

SN_INLINE sn4 sn4_set3(const double* a) { return (sn4){a[0], a[1], a[2], 0}; }

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

// Four frames, each lane one: x + R(Q) p, R(Q q) for the bodies b with pose x, Q.
SN_INLINE void frames_four(const mjData* d, double* xpos, double* xmat, const double* pos,
                           const double* quat, const int* id, const int* body) {
  const double *xquat = d->xquat, *from = d->xpos;
  sn4 Q[4] = {sn4_load(xquat + 4 * body[0]), sn4_load(xquat + 4 * body[1]),
              sn4_load(xquat + 4 * body[2]), sn4_load(xquat + 4 * body[3])};
  sn4 q[4] = {sn4_load(quat + 4 * id[0]), sn4_load(quat + 4 * id[1]), sn4_load(quat + 4 * id[2]),
              sn4_load(quat + 4 * id[3])};
  sn4 p[4] = {sn4_set3(pos + 3 * id[0]), sn4_set3(pos + 3 * id[1]), sn4_set3(pos + 3 * id[2]),
              sn4_set3(pos + 3 * id[3])};
  sn4 x[4] = {sn4_set3(from + 3 * body[0]), sn4_set3(from + 3 * body[1]),
              sn4_set3(from + 3 * body[2]), sn4_set3(from + 3 * body[3])};
  sn4_transpose(&Q[0], &Q[1], &Q[2], &Q[3]);
  sn4_transpose(&q[0], &q[1], &q[2], &q[3]);
  sn4_transpose(&p[0], &p[1], &p[2], &p[3]);
  sn4_transpose(&x[0], &x[1], &x[2], &x[3]);

  // p + 2 u x (w p + u x p)
  sn4 t0 = Q[0] * p[0] + Q[2] * p[2] - Q[3] * p[1];
  sn4 t1 = Q[0] * p[1] + Q[3] * p[0] - Q[1] * p[2];
  sn4 t2 = Q[0] * p[2] + Q[1] * p[1] - Q[2] * p[0];
  x[0] += p[0] + 2 * (Q[2] * t2 - Q[3] * t1);
  x[1] += p[1] + 2 * (Q[3] * t0 - Q[1] * t2);
  x[2] += p[2] + 2 * (Q[1] * t1 - Q[2] * t0);

  sn4 w = Q[0] * q[0] - Q[1] * q[1] - Q[2] * q[2] - Q[3] * q[3];
  sn4 i = Q[0] * q[1] + Q[1] * q[0] + Q[2] * q[3] - Q[3] * q[2];
  sn4 j = Q[0] * q[2] - Q[1] * q[3] + Q[2] * q[0] + Q[3] * q[1];
  sn4 k = Q[0] * q[3] + Q[1] * q[2] - Q[2] * q[1] + Q[3] * q[0];
  sn4 ww = w * w, ii = i * i, jj = j * j, kk = k * k;
  sn4 wi = w * i, wj = w * j, wk = w * k, ij = i * j, ik = i * k, jk = j * k;
  sn4 m0 = ww + ii - jj - kk, m1 = 2 * (ij - wk), m2 = 2 * (ik + wj);
  sn4 m3 = 2 * (ij + wk), m4 = ww - ii + jj - kk, m5 = 2 * (jk - wi);
  sn4 m6 = 2 * (ik - wj), m7 = 2 * (jk + wi), m8 = ww - ii - jj + kk;

  sn4 zero = {0};
  sn4_transpose(&m0, &m1, &m2, &m3);
  sn4_transpose(&m4, &m5, &m6, &m7);
  sn4_transpose(&x[0], &x[1], &x[2], &zero);
  sn4 front[4] = {m0, m1, m2, m3}, back[4] = {m4, m5, m6, m7}, at[4] = {x[0], x[1], x[2], zero};
  for (int n = 0; n < 4; n++) {
    double *r = xmat + 9 * id[n], *o = xpos + 3 * id[n];
    sn4_store(r, front[n]);
    sn4_store(r + 4, back[n]);
    r[8] = m8[n];
    o[0] = at[n][0], o[1] = at[n][1], o[2] = at[n][2];
  }
}

// Frames first..num of bodies (body NULL: frame i of body i). What coincides with the frame or the
// inertial frame of the body is copied; the rest is gathered and posed four at a time.
SN_INLINE void frames_in_bodies(const mjData* d, double* xpos, double* xmat, const double* pos,
                                const double* quat, const int* body, const mjtByte* sameframe,
                                int first, int num) {
  int id[4], of[4], n = 0;
  for (int i = first; i < num; i++) {
    int b = body ? body[i] : i;
    const double* mat = d->xmat + 9 * b;
    switch (sameframe[i]) {
      case mjSAMEFRAME_BODY:
        vec3_copy(xpos + 3 * i, d->xpos + 3 * b);
        memcpy(xmat + 9 * i, mat, 9 * sizeof(double));
        break;
      case mjSAMEFRAME_INERTIA:
        vec3_copy(xpos + 3 * i, d->xipos + 3 * b);
        memcpy(xmat + 9 * i, d->ximat + 9 * b, 9 * sizeof(double));
        break;
      case mjSAMEFRAME_BODYROT:
      case mjSAMEFRAME_INERTIAROT: {
        double local[3];
        mat3_mul_vec(local, mat, pos + 3 * i);
        vec3_add(xpos + 3 * i, d->xpos + 3 * b, local);
        if (sameframe[i] == mjSAMEFRAME_INERTIAROT) mat = d->ximat + 9 * b;
        memcpy(xmat + 9 * i, mat, 9 * sizeof(double));
        break;
      }
      default:
        id[n] = i, of[n] = b;
        if (++n == 4) {
          frames_four(d, xpos, xmat, pos, quat, id, of);
          n = 0;
        }
    }
  }
  if (n) {
    for (int i = n; i < 4; i++) id[i] = id[0], of[i] = of[0];
    frames_four(d, xpos, xmat, pos, quat, id, of);
  }
}

#endif
