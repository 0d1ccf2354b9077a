// How the force of bodies in motion changes with their velocity: the operator B of
// derivative_bias.c, as the six numbers of J' and the six of the momentum h, which add up over
// bodies.
#ifndef SINEW_INTEGRATE_MOVING_H_
#define SINEW_INTEGRATE_MOVING_H_

#include "algebra/small.h"
#include "smooth/spatial_lanes.h"

// Of a body, then of its subtree: J' (xx, yy, zz, xy, xz, yz) and h.
typedef struct snMoving_ {
  double rate[6], momentum[6];
} snMoving;

// J' = W + W' - (mc u' + u mc') + 2 (u.mc) 1 with W = w x J, for the velocity (w, u) and the
// inertia J, mc about the same point
// of four bodies, in lanes
SN_INLINE void four_moving(sn4 rate[6], sn4 momentum[6], const sn4 I[10], const sn4 v[6]) {
  const sn4 *w = v, *u = v + 3, *c = I + 6;
  const sn4 J[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
  sn4 W[3][3], twice = 2 * (u[0] * c[0] + u[1] * c[1] + u[2] * c[2]);
  for (int k = 0; k < 3; k++) four3_cross(W[k], w, J[k]);  // column k
  for (int k = 0; k < 3; k++) rate[k] = 2 * W[k][k] - 2 * c[k] * u[k] + twice;
  rate[3] = W[1][0] + W[0][1] - c[0] * u[1] - u[0] * c[1];
  rate[4] = W[2][0] + W[0][2] - c[0] * u[2] - u[0] * c[2];
  rate[5] = W[2][1] + W[1][2] - c[1] * u[2] - u[1] * c[2];
  four6_inertia_mul(momentum, I, v);
}

// Four bodies from b on; behind the last one that one again.
SN_INLINE void four_bodies(int body[4], int b, int nbody) {
  for (int k = 0; k < 4; k++) body[k] = b + k < nbody ? b + k : nbody - 1;
}
SN_INLINE void bodies6_load(sn4 v[6], const double* rows, const int body[4]) {
  const sn6 row[4] = {sn6_load(rows + 6 * body[0]), sn6_load(rows + 6 * body[1]),
                      sn6_load(rows + 6 * body[2]), sn6_load(rows + 6 * body[3])};
  four6_load(v, row);
}
SN_INLINE void bodies10_load(sn4 I[10], const double* rows, const int body[4]) {
  four10_load(I, rows + 10 * body[0], rows + 10 * body[1], rows + 10 * body[2],
              rows + 10 * body[3]);
}

// Sets four bodies from I and v in lanes; their momenta stay in `momentum`.
SN_INLINE void bodies_moving(snMoving* moving, const int body[4], const sn4 I[10], const sn4 v[6],
                             sn4 momentum[6]) {
  sn4 all[12];
  four_moving(all, all + 6, I, v);
  memcpy(momentum, all + 6, 6 * sizeof *momentum);
  for (int k = 0; k < 12; k += 4) {
    sn4_transpose(&all[k], &all[k + 1], &all[k + 2], &all[k + 3]);
    for (int l = 0; l < 4; l++) sn4_store((double*)(moving + body[l]) + k, all[k + l]);
  }
}

SN_INLINE void rate_mul(double* r, const double* J, const double* w) {
  vec3_set(r, J[0] * w[0] + J[3] * w[1] + J[4] * w[2], J[3] * w[0] + J[1] * w[1] + J[5] * w[2],
           J[4] * w[0] + J[5] * w[1] + J[2] * w[2]);
}

// What dof i contributes with the sums over the subtree of its body:
//   across = (B' cdof_i, 0) and momentum = I cdof_i for its row, force = B cdof_i + I g_i for its
//   column
typedef struct snDof_ {
  double across[3], momentum[6], force[6];
} snDof;

SN_INLINE void dof_make(snDof* r, const double* cdof, const double* g, const double* I,
                        const snMoving* B) {
  double turn[3], pull[3], *force = r->force;
  const double *t = B->momentum, *p = B->momentum + 3;
  inertia_mul(r->momentum, I, cdof);
  rate_mul(r->across, B->rate, cdof);
  vec3_cross(turn, t, cdof);

  inertia_mul(force, I, g);
  vec3_add(force, force, r->across);
  vec3_sub(force, force, turn);
  vec3_cross(pull, p, cdof);
  vec3_add_scaled(force + 3, force + 3, pull, -2);

  vec3_cross(pull, p, cdof + 3);
  vec3_add(r->across, r->across, turn);
  vec3_add_scaled(r->across, r->across, pull, 2);
}

#endif
