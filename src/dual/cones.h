// Cones of the interior-point methods: the scaling of Nesterov and Todd.
//
// Of a pair x, z inside the cone x_0 >= |x_1| it is the symmetric W with W z = inv(W) x = lambda.
// Products a o b = (a'b, a_0 b_1 + b_0 a_1) of two vectors keep their form under it.
#ifndef SINEW_DUAL_CONES_H_
#define SINEW_DUAL_CONES_H_

#include "dual/private.h"

#define LEAST_MU 1e-7  // cones without an inside: the tangents are held at zero

typedef struct snScaling_ {
  int n;
  mjtNum eta, *w, *lambda;
} snScaling;

// y = W x, or with `back` inv(W) x: eta (w_0, w_1'; w_1, 1 + w_1 w_1' / (1 + w_0))
SN_INLINE void scaling_mul(const snScaling* s, const mjtNum* x, bool back, mjtNum* y) {
  mjtNum sign = back ? -1 : 1, size = back ? 1 / s->eta : s->eta, dot = 0;
  for (int i = 1; i < s->n; i++) dot += sign * s->w[i] * x[i];
  mjtNum along = x[0] + dot / (1 + s->w[0]), first = s->w[0] * x[0] + dot;
  for (int i = 1; i < s->n; i++) y[i] = size * (x[i] + sign * s->w[i] * along);
  y[0] = size * first;
}

SN_INLINE void scaling_make(snScaling* s, const mjtNum* x, const mjtNum* z) {
  int n = s->n;
  mjtNum dx = sqrt(fmax(lorentz(x, n), 1e-300)), dz = sqrt(fmax(lorentz(z, n), 1e-300)), dot = 0;
  for (int i = 0; i < n; i++) dot += x[i] / dx * (z[i] / dz);
  mjtNum gamma = sqrt(0.5 * (1 + fmax(dot, 1)));
  s->eta = sqrt(dx / dz);
  mjtNum tail = 0;
  for (int i = 0; i < n; i++) s->w[i] = (x[i] / dx + (i ? -1 : 1) * z[i] / dz) / (2 * gamma);
  for (int i = 1; i < n; i++) tail += s->w[i] * s->w[i];
  s->w[0] = sqrt(1 + tail);
  scaling_mul(s, z, false, s->lambda);
}

// W^2 = eta^2 (2 w w' - J), J = diag(1, -1, ...)
SN_INLINE void scaling_square(const snScaling* s, mjtNum* W2) {
  int n = s->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      W2[i * n + j] = s->eta * s->eta * (2 * s->w[i] * s->w[j] + (i == j ? (i ? 1 : -1) : 0));
    }
  }
}

// y of lambda o y = u, where a o b = (a'b, a_0 b_1 + b_0 a_1)
SN_INLINE void divide(const mjtNum* lambda, const mjtNum* u, int n, mjtNum* y) {
  mjtNum sum = lambda[0] * u[0];
  for (int i = 1; i < n; i++) sum -= lambda[i] * u[i];
  y[0] = sum / fmax(lorentz(lambda, n), 1e-300);
  for (int i = 1; i < n; i++) y[i] = (u[i] - y[0] * lambda[i]) / lambda[0];
}

SN_INLINE bool cone_flat(const snDualBlock* b) {
  return b->kind == snDUAL_CONE && b->mu < LEAST_MU;
}
// Rows that are one cone of the method: of a flat contact the normal alone.
SN_INLINE int cone_rows(const snDualBlock* b) { return cone_flat(b) ? 1 : b->nrow; }
SN_INLINE mjtNum cone_mu(const snDualBlock* b) {
  return b->kind == snDUAL_CONE && !cone_flat(b) ? b->mu : 1;
}

// Where a method starts, x = w s e and z = s / w e: a thin cone, which has mu f_N and v_N / mu for
// x_0 and z_0, begins with impulses and velocities like those of the others.
#define THIN 1e-2
SN_INLINE mjtNum cone_weight(const snDualBlock* b) { return cone_mu(b) < THIN ? cone_mu(b) : 1; }

#endif
