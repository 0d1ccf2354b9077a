// The elliptic friction cone: zone, cost, force, slope along a line and Hessian.
//
// A contact has the residuals y = J a - aref, y_0 along its normal. In the coordinates
//
//   N = mu y_0,  U_j = friction_j y_j,  T = |U|
//
// the coupling of R makes the metric the same in all directions of (N, U), and the dual cone is
// round: N >= mu T. Rows scaled by the roots of their weights, u = sqrt(D) y, are in such
// coordinates too, but for a factor. The cost s(y) is half the squared distance to the dual cone,
// so that everything follows from the plane of N and T:
//
//   satisfied   N >= mu T          inside the dual cone          s = 0
//   quadratic   mu N + T <= 0      inside its polar              s = 1/2 sum D_j y_j^2
//   cone        between them                                     s = w/2 gap^2,  gap = N - mu T
//
// with w = D_0 / (mu^2 (1 + mu^2)) in coordinates (N, U) and w = 1 / (1 + mu^2) in those of u. In
// the middle zone the force is along the gradient of the gap:
//
//   f_0 = -w gap dN/dy_0,   f_j = -f_0 a_j,   a_j = (dT/dU_j) (dU_j/dy_j) mu / (dN/dy_0)
#ifndef SINEW_CONSTRAIN_CONE_H_
#define SINEW_CONSTRAIN_CONE_H_

#include "base/base.h"

// One of mjCNSTRSTATE_SATISFIED, QUADRATIC, CONE. At the tip of the cone, T = 0, the normal
// decides.
SN_INLINE int cone_zone(mjtNum N, mjtNum T, mjtNum mu) {
  if (N >= mu * T || (T <= 0 && N >= 0)) return mjCNSTRSTATE_SATISFIED;
  if (mu * N + T <= 0 || T <= 0) return mjCNSTRSTATE_QUADRATIC;
  return mjCNSTRSTATE_CONE;
}

// ---- in the coordinates of a contact

// The weight w of the middle zone.
SN_INLINE mjtNum cone_weight(mjtNum D, mjtNum mu) { return D / (mu * mu * (1 + mu * mu)); }

// The Hessian of the middle zone, in contact.H. With c = w mu N / T:
//   H_00 = w mu^2,  H_j0 = -w mu^2 a_j,  H_jk = c a_j a_k + (j = k) (w mu^2 - c) friction_j^2
SN_INLINE void cone_hessian(mjContact* con, mjtNum w, mjtNum N_T, const mjtNum* a) {
  int dim = con->dim;
  mjtNum *H = con->H, normal = w * con->mu * con->mu, c = w * con->mu * N_T, rest = normal - c;
  H[0] = normal;
  for (int j = 1; j < dim; j++) {
    mjtNum f = con->friction[j - 1], s = c * a[j];
    H[dim * j] = H[j] = -normal * a[j];
    for (int k = 1; k < j; k++) H[dim * j + k] = H[dim * k + j] = s * a[k];
    H[dim * j + j] = s * a[j] + rest * f * f;
  }
}

// Force, zone and, when asked, the Hessian; returns the cost.
SN_INLINE mjtNum cone_force(mjContact* con, const mjtNum* D, const mjtNum* y, mjtNum* force,
                            int* state, bool hessian) {
  int dim = con->dim;
  SN_ASSERT(dim > 1 && dim <= 6);
  mjtNum mu = con->mu, N = mu * y[0], U[6], T = 0, cost = 0;
  for (int j = 1; j < dim; j++) {
    U[j] = con->friction[j - 1] * y[j];
    T += U[j] * U[j];
  }
  T = sqrt(T);
  int zone = cone_zone(N, T, mu);
  if (zone == mjCNSTRSTATE_SATISFIED) {
    for (int j = 0; j < dim; j++) force[j] = 0;
  } else if (zone == mjCNSTRSTATE_QUADRATIC) {
    for (int j = 0; j < dim; j++) {
      force[j] = -D[j] * y[j];
      cost += 0.5 * D[j] * y[j] * y[j];
    }
  } else {
    mjtNum w = cone_weight(D[0], mu), gap = N - mu * T, inverse = 1 / T, a[6];
    cost = 0.5 * w * gap * gap;
    force[0] = -w * gap * mu;
    for (int j = 1; j < dim; j++) {
      a[j] = U[j] * inverse * con->friction[j - 1];
      force[j] = -force[0] * a[j];
    }
    if (hessian) cone_hessian(con, w, N * inverse, a);
  }
  for (int j = 0; j < dim; j++) state[j] = zone;
  return cost;
}

// ---- in the coordinates of rows scaled by sqrt(D): all weights are one
// The same cone and zones; of the contact only mu is needed.

// Force phi = f / sqrt(D) and zone; returns the cost.
SN_INLINE mjtNum cone_force_scaled(int dim, mjtNum mu, const mjtNum* u, mjtNum* phi, int* zone) {
  mjtNum T = 0, N = u[0], cost = 0;
  for (int j = 1; j < dim; j++) T += u[j] * u[j];
  T = sqrt(T);
  *zone = cone_zone(N, T, mu);
  if (*zone == mjCNSTRSTATE_SATISFIED) {
    for (int j = 0; j < dim; j++) phi[j] = 0;
  } else if (*zone == mjCNSTRSTATE_QUADRATIC) {
    for (int j = 0; j < dim; j++) {
      phi[j] = -u[j];
      cost += 0.5 * u[j] * u[j];
    }
  } else {
    mjtNum gap = N - mu * T, w = 1 / (1 + mu * mu);
    cost = 0.5 * gap * gap * w;
    phi[0] = -gap * w;
    for (int j = 1; j < dim; j++) phi[j] = gap * w * mu * u[j] / T;
  }
  return cost;
}

// A root B of the Hessian of the middle zone, B B' = H. With the unit vector t of the tangent part
// and q = 1 / sqrt(1 + mu^2):
//   B = [(1, -mu t) q | c (1 - t t')],  c = q sqrt(mu (mu T - N) / T)
SN_INLINE void cone_root_scaled(int dim, mjtNum mu, const mjtNum* u, mjtNum B[6][6]) {
  mjtNum t[6] = {0}, T = 0, q = 1 / sqrt(1 + mu * mu);
  for (int j = 1; j < dim; j++) T += u[j] * u[j];
  T = sqrt(T);
  for (int j = 1; j < dim; j++) t[j] = u[j] / T;
  mjtNum bend = q * sqrt(mju_max(0, mu * (mu * T - u[0]) / T));
  B[0][0] = q;
  for (int j = 1; j < dim; j++) {
    B[j][0] = -mu * t[j] * q;
    B[0][j] = 0;
    for (int k = 1; k < dim; k++) B[j][k] = bend * ((j == k) - t[j] * t[k]);
  }
}

// ---- along a line y + t v, in either coordinates

// Point and direction: N and its derivative N1, U.U, U.U' and U'.U'.
typedef struct snConeLine_ {
  mjtNum N, N1, UU, UV, VV;
} snConeLine;

// Add cost and its first two derivatives in the middle zone of weight w:
//   T' = U.U' / T,  T'' = (U'.U' - T'^2) / T,  gap' = N' - mu T'
SN_INLINE void cone_middle(const snConeLine* line, mjtNum mu, mjtNum T, mjtNum w, mjtNum sum[3]) {
  mjtNum gap = line->N - mu * T, T1 = line->UV / T, T2 = (line->VV - T1 * T1) / T;
  mjtNum gap1 = line->N1 - mu * T1;
  sum[0] += 0.5 * w * gap * gap;
  sum[1] += w * gap * gap1;
  sum[2] += w * (gap1 * gap1 - gap * mu * T2);
}

// The cost of a contact and its derivatives along y + t v, added to sum.
SN_INLINE void cone_line(const mjContact* con, const mjtNum* D, const mjtNum* y, const mjtNum* v,
                         mjtNum t, mjtNum sum[3]) {
  int dim = con->dim;
  mjtNum mu = con->mu;
  snConeLine line = {mu * (y[0] + t * v[0]), mu * v[0], 0, 0, 0};
  for (int j = 1; j < dim; j++) {
    mjtNum f = con->friction[j - 1], U = f * (y[j] + t * v[j]), V = f * v[j];
    line.UU += U * U;
    line.UV += U * V;
    line.VV += V * V;
  }
  mjtNum T = sqrt(line.UU);
  int zone = cone_zone(line.N, T, mu);
  if (zone == mjCNSTRSTATE_CONE) cone_middle(&line, mu, T, cone_weight(D[0], mu), sum);
  if (zone != mjCNSTRSTATE_QUADRATIC) return;
  for (int j = 0; j < dim; j++) {
    mjtNum r = y[j] + t * v[j];
    sum[0] += 0.5 * D[j] * r * r;
    sum[1] += D[j] * r * v[j];
    sum[2] += D[j] * v[j] * v[j];
  }
}

SN_INLINE void cone_line_scaled(int dim, mjtNum mu, const mjtNum* u, const mjtNum* du, mjtNum t,
                                mjtNum sum[3]) {
  snConeLine line = {u[0] + t * du[0], du[0], 0, 0, 0};
  for (int j = 1; j < dim; j++) {
    mjtNum y = u[j] + t * du[j];
    line.UU += y * y;
    line.UV += y * du[j];
    line.VV += du[j] * du[j];
  }
  mjtNum T = sqrt(line.UU);
  int zone = cone_zone(line.N, T, mu);
  if (zone == mjCNSTRSTATE_CONE) cone_middle(&line, mu, T, 1 / (1 + mu * mu), sum);
  if (zone != mjCNSTRSTATE_QUADRATIC) return;
  sum[0] += 0.5 * (line.N * line.N + line.UU);
  sum[1] += line.N * line.N1 + line.UV;
  sum[2] += line.N1 * line.N1 + line.VV;
}

#endif
