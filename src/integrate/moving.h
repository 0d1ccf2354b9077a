// How the force of bodies in motion changes with their velocity: the operator B of
// derivative_bias.c, as the six numbers of J' and the six of the momentum h, which add up over
// bodies.
#ifndef SINEW_INTEGRATE_MOVING_H_
#define SINEW_INTEGRATE_MOVING_H_

#include "algebra/small.h"

// Of a body, then of its subtree: J' (xx, yy, zz, xy, xz, yz) and h.
typedef struct snMoving_ {
  double rate[6], momentum[6];
} snMoving;

// J' = W + W' - (mc u' + u mc') + 2 (u.mc) 1 with W = w x J, for the velocity (w, u) and the
// inertia J, mc about the same point
SN_INLINE void moving_make(snMoving* r, const double* I, const double* v) {
  const double *w = v, *u = v + 3, *c = I + 6;
  const double J[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  double W[3][3], twice = 2 * vec3_dot(u, c);
  for (int k = 0; k < 3; k++) {
    double column[3] = {J[k], J[3 + k], J[6 + k]};
    vec3_cross(W[k], w, column);  // column k
  }
  for (int k = 0; k < 3; k++) r->rate[k] = 2 * W[k][k] - 2 * c[k] * u[k] + twice;
  r->rate[3] = W[1][0] + W[0][1] - c[0] * u[1] - u[0] * c[1];
  r->rate[4] = W[2][0] + W[0][2] - c[0] * u[2] - u[0] * c[2];
  r->rate[5] = W[2][1] + W[1][2] - c[1] * u[2] - u[1] * c[2];
  inertia_mul(r->momentum, I, v);
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
